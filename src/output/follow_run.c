// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/follow_run.h"

int follow_run_begin(struct follow_run *f, const char *expr, struct source *source,
		     struct netns_names *names, const struct snapshot *first, struct error *error)
{
	struct follow_filter filter;
	int err = follow_choice_parse(&f->choice, expr, first, error);

	if (err)
		return err;
	f->source = source;
	f->names = names;
	filter = follow_choice_series(&f->choice, first, names);
	return source->ops->follow ? source->ops->follow(source, &filter, error) : 0;
}

void follow_run_end(struct follow_run *f)
{
	follow_choice_free(&f->choice);
}

void follow_run_choose(struct follow_run *f, struct snapshot *s)
{
	struct follow_filter filter = follow_choice_series(&f->choice, s, f->names);

	follow_choice_keep(&f->choice, s, f->names);
	if (f->source->ops->follow_series)
		f->source->ops->follow_series(f->source, &filter);
}

bool follow_run_cut(struct follow_run *f, struct snapshot *s, uint64_t max)
{
	for (size_t i = 0; i < s->n_followed; i++) {
		f->written += s->followed[i].kind == FOLLOWED_EVENT;
		if (!max || f->written != max)
			continue;
		s->n_followed = i + 1;
		return true;
	}
	return false;
}
