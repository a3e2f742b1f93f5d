// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/event_log.h"

#include <stdlib.h>

void event_log_free(struct event_log *l)
{
	free(l->event);
	*l = (struct event_log){ 0 };
}

void event_log_clear(struct event_log *l)
{
	l->first = l->taken;
}

void event_log_take(struct event_log *l, const struct snapshot *s)
{
	if (!s->n_event)
		return;
	if (!l->event)
		l->event = calloc(EVENT_LOG_MAX, sizeof(*l->event));
	if (!l->event)
		return;
	for (size_t i = 0; i < s->n_event; i++)
		l->event[l->taken++ % EVENT_LOG_MAX] = s->event[i];
}

int event_log_count(const struct event_log *l, uint64_t taken)
{
	uint64_t oldest = l->taken > EVENT_LOG_MAX ? l->taken - EVENT_LOG_MAX : 0;

	if (oldest < l->first)
		oldest = l->first;
	return taken > oldest ? (int)(taken - oldest) : 0;
}

const struct event *event_log_get(const struct event_log *l, uint64_t taken, int back)
{
	return &l->event[(taken - 1 - (uint64_t)back) % EVENT_LOG_MAX];
}
