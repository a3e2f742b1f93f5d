/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison that fails for NAN, which cmocka takes as equal to any number. */
#pragma once

#include <math.h>
#include "test.h"

#define FLOAT_IS(value, expected, epsilon)                    \
	do {                                                  \
		assert_false(isnan(value));                   \
		assert_float_equal(value, expected, epsilon); \
	} while (0)
