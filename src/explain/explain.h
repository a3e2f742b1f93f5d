/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XDPTOP_EXPLAIN_H
#define XDPTOP_EXPLAIN_H

/*
 * xdptop -e [NAME]: prints to stdout what an errno, an action, a tracepoint, a column or a finding
 * means; NULL = all of them. Returns the exit code.
 */
int explain(const char *name);

#endif
