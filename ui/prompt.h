/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line input in place of the footer: filter, search, interval, time, file name. */
#pragma once

#include "layout.h"
#include "terminal.h"

#define PROMPT_SIZE 256

struct screen;

struct prompt_kind {
	const char *label;
	const char *brief; /* the label on a narrow screen */
	/* Called after each change. Errors go to prompt.error. May be NULL. */
	void (*changed)(struct screen *s);
	/* Called on Enter. False keeps the prompt open, with prompt.error set. */
	bool (*accept)(struct screen *s);
	/* Called on Esc, to undo `changed`. May be NULL. */
	void (*cancel)(struct screen *s);
};

struct prompt {
	const struct prompt_kind *kind; /* NULL = no prompt is open */
	char text[PROMPT_SIZE];         /* UTF-8 */
	char before[PROMPT_SIZE];       /* initial text, for cancel */
	size_t at;                      /* byte offset of the cursor */
	bool is_suggestion;             /* not edited yet: the first character replaces it */
	char note[PROMPT_SIZE];         /* shown while there is no error */
	struct error error;             /* no text = none */
};

void prompt_open(struct prompt *p, const struct prompt_kind *kind, const char *text);
/* Handles a key; Enter and Esc call the kind's functions with `s`, and may close the prompt. */
void prompt_key(struct prompt *p, struct screen *s, int code);
void prompt_draw(const struct prompt *p, struct terminal *t, const struct layout *layout);
