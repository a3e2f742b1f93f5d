// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "base/array.h"
#include "base/format.h"
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
	*array_append(t->line, t->n, t->cap) =
		(struct text_line){ .text = memory_text(text), .style = style };
}

/* Cuts off a word. In a command, '...' keeps blanks, and elsewhere a backslash escapes. */
static char *next_word(char **rest, bool command)
{
	char *word = *rest, *c;
	bool quoted = false;

	if (!command)
		return strsep(rest, " ");
	if (!word)
		return NULL;
	for (c = word; *c && (*c != ' ' || quoted); c++) {
		if (!quoted && *c == '\\' && c[1])
			c++;
		else if (*c == '\'')
			quoted = !quoted;
	}
	*rest = *c ? c + 1 : NULL;
	*c = '\0';
	return word;
}

static void words_add(struct text *t, int style, int indent, const char *head, char *words,
		      bool command)
{
	char line[WORDS_MAX + 256], start[256];
	/* line continuation for a shell */
	const char *tail = command ? " \\" : "";
	int width = t->width;
	bool empty = true;
	char *word;

	/* A deep indent would leave one word per line. */
	if (indent > t->width / 2)
		indent = t->width / 2;
	snprintf(start, sizeof(start), "%s", head);
	if (format_width(start) < indent)
		format_fit(start, sizeof(start), head, indent, false);
	else if (*head)
		strncat(start, " ", sizeof(start) - strlen(start) - 1);
	snprintf(line, sizeof(line), "%s", start);
	if (format_width(start) + format_width(words) > width)
		width -= (int)strlen(tail);
	/* Empty words keep runs of blanks. */
	for (word = next_word(&words, command); word; word = next_word(&words, command)) {
		int more = (empty ? 0 : 1) + format_width(word);

		if (format_width(line) + more > width && (!empty || format_width(line) > indent)) {
			strncat(line, tail, sizeof(line) - strlen(line) - 1);
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

void text_add(struct text *t, int style, int indent, const char *head, const char *format, ...)
{
	char words[WORDS_MAX];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof(words), format, ap);
	va_end(ap);
	words_add(t, style, indent, head, words, false);
}

void text_add_command(struct text *t, int style, int indent, const char *command)
{
	char words[WORDS_MAX];

	snprintf(words, sizeof(words), "%s", command);
	words_add(t, style, indent, "", words, true);
}
