// SPDX-License-Identifier: GPL-2.0-or-later
/* The filter, as it is typed. */
#include <stdio.h>
#include "actions.h"
#include "screen_table.h"

/*
 * While the user types, what is not finished keeps the previous filter, so that rows do not jump:
 * what is no filter yet, and a word that no row has, but that may become a FIELD.
 */
static void filter_changed(struct screen *s)
{
	struct prompt *p = &s->prompt;
	struct filter *before = s->filter, *f = NULL;

	if (filter_parse(p->text, &f, p->why, sizeof(p->why)))
		return;
	s->filter = f;
	screen_rebuild(s);
	if (s->table.hidden && !s->table.n_rows && filter_is_field(p->text)) {
		s->filter = before;
		before = f;
		screen_rebuild(s);
	}
	filter_free(before);
}

static void filter_set(struct screen *s)
{
	struct prompt *p = &s->prompt;
	struct filter *f = NULL;

	if (filter_parse(p->text, &f, p->why, sizeof(p->why)))
		return;
	filter_free(s->filter);
	s->filter = f;
	screen_rebuild(s);
}

static bool filter_accept(struct screen *s)
{
	filter_set(s);
	return !s->prompt.why[0];
}

static void filter_cancel(struct screen *s)
{
	snprintf(s->prompt.text, sizeof(s->prompt.text), "%s", s->prompt.before);
	filter_set(s);
}

static const struct prompt_kind prompt_filter = {
	.label = "Filter (word, !word, a|b, FIELD=x ~x >1): ",
	.brief = "Filter: ",
	.changed = filter_changed,
	.accept = filter_accept,
	.cancel = filter_cancel,
};

void action_filter(struct screen *s)
{
	prompt_open(&s->prompt, &prompt_filter, s->filter ? filter_text(s->filter) : "");
}
