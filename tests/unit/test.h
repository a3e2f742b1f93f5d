/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmocka, and the headers that it needs before it. */
#ifndef XDPTOP_UNIT_TEST_H
#define XDPTOP_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#endif
