// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/follow_log.h"

#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/memory.h"

void follow_log_free(struct follow_log *l)
{
	free(l->event);
	*l = (struct follow_log){ 0 };
}

/* Events of the same time keep the order in which they were reported. */
static int by_time(const void *a, const void *b)
{
	const struct followed *const *x = a, *const *y = b;
	int64_t s = timespec_to_ns(&(*x)->event.time), t = timespec_to_ns(&(*y)->event.time);

	return s != t ? (s > t) - (s < t) : (*x > *y) - (*x < *y);
}

/* Over at least a second, because snapshots may come faster than anyone reads a number. */
static void measure(struct follow_log *l, uint64_t now_ns)
{
	const uint64_t ns = now_ns - l->since_ns;

	if (l->since_ns && ns < NSEC_PER_SEC)
		return;
	l->per_s = l->since_ns ? (double)(l->events - l->since_events) / ns_to_seconds((int64_t)ns)
			       : -1;
	l->since_ns = now_ns;
	l->since_events = l->events;
}

void follow_log_take(struct follow_log *l, const struct snapshot *s)
{
	const struct followed *order[FOLLOW_LOG_MAX];
	size_t n = s->n_followed < FOLLOW_LOG_MAX ? s->n_followed : FOLLOW_LOG_MAX;
	const struct followed *newest = s->followed + s->n_followed - n;

	for (size_t i = 0; i < s->n_followed; i++) {
		l->events += s->followed[i].kind == FOLLOWED_EVENT;
		l->lost += s->followed[i].event.left_out;
	}
	measure(l, s->mono_ns);
	if (!n)
		return;
	if (!l->event)
		l->event = memory_new(FOLLOW_LOG_MAX, sizeof(*l->event));
	for (size_t i = 0; i < n; i++)
		order[i] = &newest[i];
	/* each CPU reports in order, but one is interrupted while another reports */
	qsort(order, n, sizeof(order[0]), by_time);
	l->taken += s->n_followed - n;
	for (size_t i = 0; i < n; i++)
		l->event[l->taken++ % FOLLOW_LOG_MAX] = *order[i];
}

void follow_log_copy(struct follow_log *to, const struct follow_log *from)
{
	struct followed *event = NULL;

	follow_log_free(to);
	if (from->event) {
		event = memory_new(FOLLOW_LOG_MAX, sizeof(*event));
		memcpy(event, from->event, FOLLOW_LOG_MAX * sizeof(*event));
	}
	*to = *from;
	to->event = event;
}

size_t follow_log_count(const struct follow_log *l)
{
	return l->taken < FOLLOW_LOG_MAX ? (size_t)l->taken : FOLLOW_LOG_MAX;
}

const struct followed *follow_log_get(const struct follow_log *l, size_t back)
{
	return &l->event[(l->taken - 1 - back) % FOLLOW_LOG_MAX];
}

bool follow_log_gap(const struct follow_log *l, size_t back, int64_t *ns)
{
	const struct followed *e = follow_log_get(l, back), *before;

	if (e->kind != FOLLOWED_EVENT || e->event.left_out || back + 1 >= follow_log_count(l))
		return false;
	before = follow_log_get(l, back + 1);
	*ns = timespec_to_ns(&e->event.time) - timespec_to_ns(&before->event.time);
	return before->kind == FOLLOWED_EVENT;
}
