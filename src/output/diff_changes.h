/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changed within each of the two spans (model/change.h), below their differences. */
#ifndef XDPTOP_DIFF_CHANGES_H
#define XDPTOP_DIFF_CHANGES_H

#include "output/diff.h"

/* Writes the changes that match -f, newest first: at most 20 a span as text. 0 or -errno. */
int diff_changes_write(const struct diff_side sides[2], const struct output_config *output,
		       FILE *to);

#endif
