// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/event_log.h"

#include <stdlib.h>
#include <string.h>
#include "base/memory.h"

void event_log_free(struct event_log *l)
{
	free(l->all.event);
	free(l->changes.event);
	*l = (struct event_log){ 0 };
}

void event_log_clear(struct event_log *l)
{
	l->all.first = l->all.taken;
	l->changes.first = l->changes.taken;
}

/* memory_new(): pages of the rings that were never written cost no memory. */
static void put_event(struct event_ring *ring, size_t max, const struct event *event)
{
	if (!ring->event)
		ring->event = memory_new(max, sizeof(*event));
	ring->event[ring->taken++ % max] = *event;
}

static bool is_setting(const struct event *e)
{
	return e->change == CHANGE_OFFLOADS || e->change == CHANGE_XDP_FEATURES;
}

/* The change of a program that caused the change of a setting. The table may show it later. */
static struct event *cause_of(const struct event_log *l, const struct snapshot *s,
			      const struct event *e)
{
	const struct series_key *k = &e->key;
	const struct netdev *d = snapshot_find_netdev(s, k->netns, k->ifindex);
	const uint64_t n = l->changes.taken, oldest = n > CHANGE_LOG_MAX ? n - CHANGE_LOG_MAX : 0;

	for (uint64_t i = n; i > l->before[0] && i > oldest; i--) {
		struct event *at = &l->changes.event[(i - 1) % CHANGE_LOG_MAX];
		const uint32_t netns = at->key.netns, ifindex = at->key.ifindex;

		if (change_words[at->change].letter == 'P' && ifindex &&
		    ((netns == k->netns && ifindex == k->ifindex) ||
		     (d && netns == d->peer_netns && ifindex == d->peer_ifindex)))
			return at;
	}
	return NULL;
}

void event_log_take(struct event_log *l, const struct snapshot *s)
{
	struct event *cause;

	l->before[0] = l->before[1];
	l->before[1] = l->changes.taken;
	for (size_t i = 0; i < s->n_event; i++) {
		put_event(&l->all, EVENT_LOG_MAX, &s->event[i]);
		if (s->event[i].change && !is_setting(&s->event[i]))
			put_event(&l->changes, CHANGE_LOG_MAX, &s->event[i]);
	}
	for (size_t i = 0; i < s->n_event; i++) {
		if (!is_setting(&s->event[i]))
			continue;
		cause = cause_of(l, s, &s->event[i]);
		if (cause)
			cause->settings++;
		else
			put_event(&l->changes, CHANGE_LOG_MAX, &s->event[i]);
	}
}

static int ring_count(const struct event_ring *r, uint64_t max)
{
	uint64_t oldest = r->taken > max ? r->taken - max : 0;

	return (int)(r->taken - (oldest < r->first ? r->first : oldest));
}

int event_log_count(const struct event_log *l)
{
	return ring_count(&l->all, EVENT_LOG_MAX);
}

const struct event *event_log_get(const struct event_log *l, int back)
{
	return &l->all.event[(l->all.taken - 1 - (uint64_t)back) % EVENT_LOG_MAX];
}

int event_log_changes(const struct event_log *l)
{
	return ring_count(&l->changes, CHANGE_LOG_MAX);
}

const struct event *event_log_change(const struct event_log *l, int back)
{
	return &l->changes.event[(l->changes.taken - 1 - (uint64_t)back) % CHANGE_LOG_MAX];
}

/* Only the part of a ring that was written. */
static void own_copy(struct event_ring *r, size_t max)
{
	struct event *event = r->event ? memory_new(max, sizeof(*event)) : NULL;

	if (event)
		memcpy(event, r->event, (r->taken < max ? r->taken : max) * sizeof(*event));
	r->event = event;
}

void event_log_copy(struct event_log *to, const struct event_log *from)
{
	event_log_free(to);
	*to = *from;
	own_copy(&to->all, EVENT_LOG_MAX);
	own_copy(&to->changes, CHANGE_LOG_MAX);
}
