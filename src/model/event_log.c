// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/event_log.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

void event_log_free(struct event_log *l)
{
	free(l->event);
	free(l->change);
	*l = (struct event_log){ 0 };
}

void event_log_clear(struct event_log *l)
{
	l->first = l->taken;
	l->first_change = l->taken_changes;
}

/* memory_new(): pages of the rings that were never written cost no memory. */
static void put_event(struct event **ring, size_t max, uint64_t *taken, const struct event *event)
{
	if (!*ring)
		*ring = memory_new(max, sizeof(**ring));
	(*ring)[(*taken)++ % max] = *event;
}

void event_log_take(struct event_log *l, const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_event; i++) {
		put_event(&l->event, EVENT_LOG_MAX, &l->taken, &s->event[i]);
		if (s->event[i].change)
			put_event(&l->change, CHANGE_LOG_MAX, &l->taken_changes, &s->event[i]);
	}
}

static int ring_count(uint64_t first, uint64_t all, uint64_t taken, uint64_t max)
{
	uint64_t oldest = all > max ? all - max : 0;

	if (oldest < first)
		oldest = first;
	return taken > oldest ? (int)(taken - oldest) : 0;
}

int event_log_count(const struct event_log *l, uint64_t taken)
{
	return ring_count(l->first, l->taken, taken, EVENT_LOG_MAX);
}

const struct event *event_log_get(const struct event_log *l, uint64_t taken, int back)
{
	return &l->event[(taken - 1 - (uint64_t)back) % EVENT_LOG_MAX];
}

int event_log_changes(const struct event_log *l)
{
	return ring_count(l->first_change, l->taken_changes, l->taken_changes, CHANGE_LOG_MAX);
}

const struct event *event_log_change(const struct event_log *l, int back)
{
	return &l->change[(l->taken_changes - 1 - (uint64_t)back) % CHANGE_LOG_MAX];
}

/* Only the part of a ring that was written. */
static void copy_ring(struct event **to, const struct event *from, uint64_t taken, size_t max)
{
	if (!from)
		return;
	*to = memory_new(max, sizeof(**to));
	memcpy(*to, from, (taken < max ? (size_t)taken : max) * sizeof(**to));
}

void event_log_copy(struct event_log *to, const struct event_log *from)
{
	event_log_free(to);
	copy_ring(&to->event, from->event, from->taken, EVENT_LOG_MAX);
	copy_ring(&to->change, from->change, from->taken_changes, CHANGE_LOG_MAX);
	to->first = from->first;
	to->taken = from->taken;
	to->first_change = from->first_change;
	to->taken_changes = from->taken_changes;
}
