/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xdptop -e [NAME]: what an errno, an action, a tracepoint, a column or a finding means. */
#ifndef XDPTOP_EXPLAIN_H
#define XDPTOP_EXPLAIN_H

#include "cli/options.h"

/* Prints to stdout; returns the exit code. */
int explain(const struct options *options);

#endif
