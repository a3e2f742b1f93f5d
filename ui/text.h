/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of text wrapped to a width, each of one style: help and explanations. No curses.
 */
#ifndef XDPTOP_UI_TEXT_H
#define XDPTOP_UI_TEXT_H

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

/* Empties it (keeping the memory) and sets the width. */
void text_clear(struct text *t, int width);
void text_free(struct text *t);
/*
 * Append words, wrapped between them (a longer word is cut by the screen); the first line starts
 * with `head` padded to `indent` cells, the others with blanks. Out of memory leaves lines out.
 */
void text_add(struct text *t, int style, int indent, const char *head, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
/* A command for a shell: where it takes more than one line, pasting them runs it all the same. */
void text_add_command(struct text *t, int style, int indent, const char *command);

#endif
