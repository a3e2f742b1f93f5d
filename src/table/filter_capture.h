/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts an expression of the filter language to a choice of packets that the kernel makes. */
#pragma once

#include "base/error.h"
#include "model/capture.h"
#include "table/table.h"

/*
 * Set the choices of *to; "" = every packet. `names` resolves namespaces; if NULL only the rest is
 * checked. 0, or -EINVAL and *error.
 */
int filter_capture_parse(const char *expr, struct netns_names *names, struct capture_filter *to,
			 struct error *error);

/* Converts a row to the choice of packets that its program or device did not let through. */

/*
 * Set the choices of *f to the packets of the row's device and the programs attached to that device
 * (not their parts) or, if the row has no device, to the packets of its program on any device.
 * `text` names the device or program, or says why the row has no packets (-ENOENT). Otherwise 0.
 */
int row_capture(const struct table *t, const struct row *row, struct capture_filter *f, char *text,
		size_t size);
