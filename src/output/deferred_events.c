// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include "output/deferred_events.h"

static int copy_events(struct snapshot *to, const struct snapshot *from)
{
	for (size_t i = 0; i < from->n_event; i++) {
		struct event *event = snapshot_add_event(to);

		if (!event)
			return -ENOMEM;
		*event = from->event[i];
	}
	return 0;
}

/* The index of the next event of the same tracepoint and CPU, from `from`; n_event = none. */
static size_t find_same_cpu(const struct snapshot *deferred, const struct event *event, size_t from)
{
	while (from < deferred->n_event && (deferred->event[from].tracepoint != event->tracepoint ||
					    deferred->event[from].cpu != event->cpu))
		from++;
	return from;
}

/*
 * A reader can sleep for days: keep only the last old event of each tracepoint and CPU. The next
 * event of the same tracepoint and CPU counts those removed.
 */
static void compact_events(struct snapshot *deferred)
{
	size_t old = deferred->n_event - DEFERRED_EVENTS_MAX, kept = 0;

	for (size_t i = 0; i < deferred->n_event; i++) {
		const struct event *e = &deferred->event[i];
		size_t next = i < old ? find_same_cpu(deferred, e, i + 1) : deferred->n_event;

		if (next < deferred->n_event)
			deferred->event[next].left_out += e->left_out + 1;
		else
			deferred->event[kept++] = *e;
	}
	deferred->n_event = kept;
}

int deferred_events_add(struct snapshot *deferred, const struct snapshot *s)
{
	int err = copy_events(deferred, s);

	if (!err && deferred->n_event > 2 * DEFERRED_EVENTS_MAX)
		compact_events(deferred);
	return err;
}

int deferred_events_put(struct snapshot *deferred, struct snapshot *to)
{
	int err;

	if (!deferred->n_event)
		return 0;
	err = copy_events(deferred, to);
	if (err)
		return err;
	to->n_event = 0;
	err = copy_events(to, deferred);
	snapshot_clear(deferred);
	return err;
}
