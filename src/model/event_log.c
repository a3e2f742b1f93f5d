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
	const uint64_t n = l->taken_changes, oldest = n > CHANGE_LOG_MAX ? n - CHANGE_LOG_MAX : 0;

	for (uint64_t i = n; i > l->before[0] && i > oldest; i--) {
		struct event *at = &l->change[(i - 1) % CHANGE_LOG_MAX];
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
	l->before[1] = l->taken_changes;
	for (size_t i = 0; i < s->n_event; i++) {
		put_event(&l->event, EVENT_LOG_MAX, &l->taken, &s->event[i]);
		if (s->event[i].change && !is_setting(&s->event[i]))
			put_event(&l->change, CHANGE_LOG_MAX, &l->taken_changes, &s->event[i]);
	}
	for (size_t i = 0; i < s->n_event; i++) {
		if (!is_setting(&s->event[i]))
			continue;
		cause = cause_of(l, s, &s->event[i]);
		if (cause)
			cause->settings++;
		else
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
