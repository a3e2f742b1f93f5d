/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prose in lines of bounded width, for --help and --explain. */
#ifndef XDPTOP_WRAP_H
#define XDPTOP_WRAP_H

#include <stdio.h>

/*
 * Writes ASCII text and a newline, broken at blanks into lines of at most `width` columns. The
 * cursor is at column `at`; further lines are indented by `indent`.
 */
void wrap(FILE *to, const char *text, int at, int indent, int width);

#endif
