// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../src/format.h"
#include "text.h"

#define WORDS_MAX 2048

void text_clear(struct text *t, int width)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->line[i].text);
	t->n = 0;
	t->width = width < 1 ? 1 : width;
}

void text_free(struct text *t)
{
	text_clear(t, 1);
	free(t->line);
	*t = (struct text){ 0 };
}

static void line_add(struct text *t, int style, const char *text)
{
	char *copy = strdup(text);

	if (t->n == t->cap) {
		size_t cap = t->cap ? 2 * t->cap : 64;
		struct text_line *line = realloc(t->line, cap * sizeof(*line));

		if (!line) {
			free(copy);
			return;
		}
		t->line = line;
		t->cap = cap;
	}
	if (copy)
		t->line[t->n++] = (struct text_line){ .text = copy, .style = style };
}

void text_add(struct text *t, int style, int indent, const char *head, const char *format, ...)
{
	char words[WORDS_MAX], line[WORDS_MAX + 256], start[256];
	bool empty = true;
	char *word, *rest = words;
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	/* An indent that leaves no room for words would give one word a line. */
	if (indent > t->width / 2)
		indent = t->width / 2;
	snprintf(start, sizeof(start), "%s", head);
	if (format_width(start) < indent)
		format_fit(start, sizeof(start), head, indent, false);
	else if (*head)
		strncat(start, " ", sizeof(start) - strlen(start) - 1);
	snprintf(line, sizeof(line), "%s", start);
	/* strsep() keeps runs of blanks: a command is pasted as it stands. */
	for (word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
		int more = (empty ? 0 : 1) + format_width(word);

		if (format_width(line) + more > t->width &&
		    (!empty || format_width(line) > indent)) {
			line_add(t, style, line);
			snprintf(line, sizeof(line), "%*s", indent, "");
			empty = true;
		}
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s", empty ? "" : " ",
			 word);
		empty = false;
	}
	line_add(t, style, line);
}
