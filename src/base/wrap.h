/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prose in lines of bounded width, for --help and --explain. */
#ifndef XDPTOP_WRAP_H
#define XDPTOP_WRAP_H

#include <stdio.h>

/*
 * Write text (ASCII) and a line end, broken at blanks so that no line passes `width`. The first
 * line begins where the caller is, at column `at`; the others are indented by `indent`.
 */
void wrap(FILE *to, const char *text, int at, int indent, int width);

#endif
