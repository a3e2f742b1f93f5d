/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of input in place of the footer: the filter, the interval, a file name. */
#ifndef XDPTOP_UI_PROMPT_H
#define XDPTOP_UI_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "layout.h"
#include "terminal.h"

#define PROMPT_SIZE 256

struct screen;

struct prompt_kind {
	const char *label;
	const char *brief; /* on a narrow screen */
	/* After each change; a complaint goes to prompt.why. NULL = nothing until Enter. */
	void (*changed)(struct screen *s);
	/* Enter: true closes the prompt, false keeps it open (prompt.why says why). */
	bool (*accept)(struct screen *s);
	/* Esc: undo what `changed` did. May be NULL. */
	void (*cancel)(struct screen *s);
};

struct prompt {
	const struct prompt_kind *kind; /* NULL = no prompt is open */
	char text[PROMPT_SIZE];         /* UTF-8 */
	char before[PROMPT_SIZE];       /* what it was, for cancel */
	size_t at;                      /* byte offset of the cursor */
	char why[192];                  /* what is wrong with the text; "" = nothing */
};

void prompt_open(struct prompt *p, const struct prompt_kind *kind, const char *text);
/* Edits the text; Enter and Esc call the kind's functions with `s` and may close the prompt. */
void prompt_key(struct prompt *p, struct screen *s, int code);
void prompt_draw(const struct prompt *p, struct terminal *t, const struct layout *layout);

#endif
