/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XDPTOP_EXPLAIN_H
#define XDPTOP_EXPLAIN_H

/*
 * xdptop -e [NAME]: prints the meaning of an errno, action, tracepoint, column or finding to
 * stdout; NULL = of all. Returns the exit code.
 */
int explain(const char *name);

#endif
