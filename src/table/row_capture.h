/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts a row to the choice of packets that its program or device did not let through. */
#pragma once

#include "model/capture.h"
#include "table/table.h"

/*
 * Set the choices of *f to packets of the row's device, with the programs that are attached to it
 * and not their parts, or of its program on any device. `text` names it, or says why the row has no
 * packets (-ENOENT). Otherwise 0.
 */
int row_capture(const struct table *t, const struct row *row, struct capture_filter *f, char *text,
		size_t size);
