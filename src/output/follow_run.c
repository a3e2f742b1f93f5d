// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/array.h"
#include "model/tracepoint.h"
#include "output/follow_run.h"
#include "table/filter_follow.h"

int follow_run_begin(struct follow_run *f, const char *expr, struct source *source,
		     struct netns_names *names, const struct snapshot *first, struct error *error)
{
	int err;

	if (!source->live) {
		f->expr = expr;
		f->names = names;
		return filter_follow_parse(expr, NULL, first, &f->filter, error);
	}
	err = filter_follow_parse(expr, names, first, &f->filter, error);
	return err ? err : source->ops->follow(source, &f->filter, error);
}

void follow_run_free(struct follow_run *f)
{
	snapshot_free(&f->lost);
}

/* The lost events of a tracepoint on a CPU; NULL = no memory. */
static struct followed *lost_of(struct follow_run *f, const struct event *e)
{
	struct followed *lost = f->lost.followed;

	for (size_t i = 0; i < f->lost.n_followed; i++)
		if (lost[i].event.tracepoint == e->tracepoint && lost[i].event.cpu == e->cpu)
			return &lost[i];
	lost = snapshot_add_followed(&f->lost);
	if (!lost)
		return NULL;
	lost->kind = FOLLOWED_LOST;
	lost->event.tracepoint = e->tracepoint;
	lost->event.cpu = e->cpu;
	return lost;
}

int follow_run_skip(struct follow_run *f, const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_followed; i++) {
		const struct followed *e = &s->followed[i];
		struct followed *lost = lost_of(f, &e->event);

		if (!lost)
			return -ENOMEM;
		lost->event.time = e->event.time;
		lost->event.left_out += e->event.left_out + (e->kind == FOLLOWED_EVENT);
	}
	return 0;
}

/* A recording has printable names. Kernel names that fit are the same bytes. */
static bool is_chosen(const struct follow_run *f, const struct followed *e)
{
	char ifname[SERIES_NAME_LEN] = "", to[SERIES_NAME_LEN] = "", program[SERIES_NAME_LEN] = "";

	if (e->kind == FOLLOWED_LOST)
		return f->filter.tracepoints & BIT(e->event.tracepoint);
	snprintf(ifname, sizeof(ifname), "%.15s", e->event.ifname);
	snprintf(to, sizeof(to), "%.15s", e->event.to_ifname);
	snprintf(program, sizeof(program), "%.15s", e->event.prog_name);
	return follow_filter_match(&f->filter, e->event.tracepoint, &e->event.key, ifname, to,
				   program);
}

static int events_choose(struct follow_run *f, struct snapshot *s)
{
	int err = filter_follow_parse(f->expr, f->names, s, &f->filter, NULL);
	size_t n = 0;

	if (err == -ENOMEM)
		return err;
	/* a namespace without a name yet has no events */
	if (err)
		f->filter.tracepoints = 0;
	for (size_t i = 0; i < s->n_followed; i++) {
		struct followed *e = &s->followed[i];

		/* events lost before an unwanted one may have been wanted */
		if (!is_chosen(f, e) && e->event.left_out)
			e->kind = FOLLOWED_LOST;
		if (is_chosen(f, e))
			s->followed[n++] = *e;
	}
	s->n_followed = n;
	return 0;
}

int follow_run_choose(struct follow_run *f, struct snapshot *s)
{
	size_t n = s->n_followed, lost = f->lost.n_followed;

	if (f->expr && events_choose(f, s))
		return -ENOMEM;
	if (!lost)
		return 0;
	if (array_reserve(s->followed, s->cap_followed, n + lost))
		return -ENOMEM;
	memmove(s->followed + lost, s->followed, n * sizeof(*s->followed));
	memcpy(s->followed, f->lost.followed, lost * sizeof(*s->followed));
	s->n_followed = n + lost;
	snapshot_clear(&f->lost);
	return 0;
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
