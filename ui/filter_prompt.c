// SPDX-License-Identifier: GPL-2.0-or-later
/* The filter prompt: rows are filtered while the user types. */
#include "actions.h"
#include "screen_table.h"

/*
 * Keeps the previous filter while the text is not a valid filter, or hides all rows but may become
 * a FIELD, because rows would jump otherwise.
 */
static void filter_changed(struct screen *s)
{
	struct prompt *p = &s->prompt;
	struct filter *before = s->filter, *f = NULL;

	if (filter_parse(p->text, &f, &p->error))
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

	if (filter_parse(p->text, &f, &p->error))
		return;
	filter_free(s->filter);
	s->filter = f;
	screen_rebuild(s);
}

static bool filter_accept(struct screen *s)
{
	filter_set(s);
	return !s->prompt.error.text[0];
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
