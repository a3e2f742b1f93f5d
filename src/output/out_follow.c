// SPDX-License-Identifier: GPL-2.0-or-later
/* --follow as text: one line per event, and one where events are missing. */
#include "output/out_follow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/memory.h"
#include "diagnose/driver.h"
#include "model/target.h"
#include "output/output.h"

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

/* The time of the previous event, for the gap; 0 = none, or it was lost. */
struct out_follow {
	struct timespec time;
};

static int follow_begin(struct output *o)
{
	o->state = memory_new(1, sizeof(struct out_follow));
	fprintf(o->file, "%-18s %8s %3s %-18s %-12s %-8s %-14s %s\n", "TIME", "GAP", "CPU",
		"TRACEPOINT", "DEVICE", "NETNS", "TARGET", "ARGUMENTS");
	return ferror(o->file) ? -EIO : 0;
}

static void put_event(struct output *o, const struct snapshot *to, const struct followed *f,
		      const char *tracepoint)
{
	struct series s = event_series(&f->event);
	char clock[24], gap[16] = "-", netns[SNAPSHOT_NAME_LEN] = "", target[SNAPSHOT_TEXT_LEN];
	char args[2 * SNAPSHOT_TEXT_LEN];
	struct out_follow *last = o->state;
	const struct event *e = &f->event;

	format_clock_ns(clock, sizeof(clock), &e->time);
	if (last->time.tv_sec)
		format_gap(gap, sizeof(gap),
			   (double)(timespec_to_ns(&e->time) - timespec_to_ns(&last->time)) / 1e9);
	last->time = e->time;
	if (e->key.netns)
		netns_text(e->key.netns, o->netns, netns, sizeof(netns));
	series_target_text(to, &s, o->netns, target, sizeof(target));
	followed_args_text(f, args, sizeof(args));
	fprintf(o->file, "%-18s %8s %3d %-18s %-12s %-8s %-14s %s", clock, gap, e->cpu, tracepoint,
		e->ifname[0] ? e->ifname : "-", netns[0] ? netns : "-", target[0] ? target : "-",
		args);
	if (e->comm[0])
		fprintf(o->file, " %s[%u]", e->comm, e->pid);
	fputc('\n', o->file);
}

static int follow_snapshot(struct output *o, const struct rates *r, bool last)
{
	const struct snapshot *s = r->to;

	for (size_t i = 0; i < s->n_followed; i++) {
		const struct followed *f = &s->followed[i];
		const char *tracepoint = snapshot_tracepoint(s, f->event.tracepoint);

		if (f->event.left_out) {
			((struct out_follow *)o->state)->time.tv_sec = 0;
			fprintf(o->file, "lost %" PRIu64 " of %s on CPU %d: the ring was full\n",
				f->event.left_out, tracepoint, f->event.cpu);
		}
		if (f->kind == FOLLOWED_EVENT)
			put_event(o, s, f, tracepoint);
	}
	return ferror(o->file) ? -EIO : 0;
}

static void follow_free(struct output *o)
{
	free(o->state);
	o->state = NULL;
}

const struct output_format output_follow = {
	.name = "follow",
	.begin = follow_begin,
	.snapshot = follow_snapshot,
	.free = follow_free,
};
