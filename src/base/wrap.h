/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of several lines. */
#pragma once

#include <stdio.h>

/*
 * Writes ASCII text and a newline, broken at blanks into lines of at most `width` columns. The
 * cursor is at column `at`. Further lines are indented by `indent`.
 */
void wrap(FILE *to, const char *text, int at, int indent, int width);
/* Copies the first of `lines` to buf and returns the rest. NULL = there is none. */
const char *next_line(const char *lines, char *buf, size_t size);
