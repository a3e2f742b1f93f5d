// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/change_before.h"

#include <stdio.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/format.h"

static int64_t age_ns(const struct timespec *now, const struct event *e)
{
	return timespec_to_ns(now) - timespec_to_ns(&e->time);
}

void recent_changes_take(struct recent_changes *r, const struct snapshot *s)
{
	size_t old = 0;

	for (size_t i = 0; i < s->n_event; i++)
		if (s->event[i].change)
			*array_append(r->event, r->n, r->cap) = s->event[i];
	if (r->n > CHANGES_KEPT_MAX)
		old = r->n - CHANGES_KEPT_MAX;
	while (old < r->n &&
	       age_ns(&s->wall, &r->event[old]) > CHANGES_KEPT_S * (int64_t)NSEC_PER_SEC)
		old++;
	r->n -= old;
	if (old)
		memmove(r->event, r->event + old, r->n * sizeof(*r->event));
}

void recent_changes_free(struct recent_changes *r)
{
	free(r->event);
	*r = (struct recent_changes){ 0 };
}

static bool is_device(const struct event *e, const struct netdev_ref *dev)
{
	return dev->ifindex && e->key.ifindex == dev->ifindex && e->key.netns == dev->netns;
}

bool change_is_at(const struct event *e, const struct location *l)
{
	if (e->key.map_id)
		return l->map_id == e->key.map_id;
	if (e->cpu >= 0)
		return l->to_cpu == e->cpu;
	return is_device(e, &l->dev) || is_device(e, &l->to) || is_device(e, &l->peer) ||
	       (e->change == CHANGE_HOLDER_DIED && l->prog_id == e->key.prog_id);
}

static bool is_at(const struct event *e, const struct finding *f)
{
	for (uint8_t i = 0; i < f->sources.n; i++)
		if (is_device(e, &f->sources.dev[i]))
			return true;
	return change_is_at(e, &f->location);
}

void change_text(const struct event *e, char *buf, size_t size)
{
	struct format_text t = { .buf = buf, .size = size };

	format_add(&t, "%s %s", change_words[e->change].name, e->text);
	if (*e->ifname)
		format_add(&t, " on %s", e->ifname);
	if (e->pid)
		format_add(&t, ", by %s[%u]", e->comm, e->pid);
	if (*e->holder)
		format_add(&t, ", holder %s", e->holder);
}

void changes_before(const struct recent_changes *r, const struct finding *f, char *buf, size_t size)
{
	struct format_text t = { .buf = buf, .size = size };
	int named = 0;

	*buf = '\0';
	for (size_t i = r->n; i-- > 0 && named < CHANGES_NAMED_MAX;) {
		const struct event *e = &r->event[i];
		int64_t before = age_ns(&f->first, e);
		char age[16], text[CHANGE_TEXT_LEN];

		if (before < 0 || before > CHANGE_BEFORE_S * (int64_t)NSEC_PER_SEC || !is_at(e, f))
			continue;
		/* within an interval it is not known which came first */
		if (before < 10 * (int64_t)NSEC_PER_SEC)
			snprintf(age, sizeof(age), "%.1fs", ns_to_seconds(before));
		else
			format_age(age, sizeof(age), ns_to_seconds(before));
		change_text(e, text, sizeof(text));
		format_add(&t, "%s%s%s: %s", named++ ? "\n" : "",
			   before ? age : "in the same interval", before ? " before" : "", text);
	}
}
