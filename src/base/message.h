/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XDPTOP_MESSAGE_H
#define XDPTOP_MESSAGE_H

/*
 * Print a line on stderr, after "xdptop: ". File names, arguments and other quoted text are made
 * printable (src/base/sanitize.h).
 */
void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
