/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Styled lines of text, wrapped to a width, for help and explanations. No curses. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

struct text_line {
	char *text;
	int style; /* enum style */
};

struct text {
	int width; /* cells a line may take, at least 1 */
	struct text_line *line;
	size_t n, cap;
};

/* Removes all lines, keeps the memory, sets the width. */
void text_clear(struct text *t, int width);
void text_free(struct text *t);
/*
 * Appends text, wrapped between words. The first line starts with `head`, padded to `indent` cells,
 * the others with blanks.
 */
void text_add(struct text *t, int style, int indent, const char *head, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* Appends a shell command. Wrapped lines end in a backslash, so that pasting them works. */
void text_add_command(struct text *t, int style, int indent, const char *command);
