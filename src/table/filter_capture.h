/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts an expression of the filter language to a choice of packets that the kernel makes. */
#pragma once

#include "base/error.h"
#include "model/capture.h"
#include "model/netns_names.h"

/*
 * Set the choices of *to; "" = every packet. `names` resolves namespaces; if NULL only the rest is
 * checked. 0, or -EINVAL and *error.
 */
int filter_capture_parse(const char *expr, struct netns_names *names, struct capture_filter *to,
			 struct error *error);
