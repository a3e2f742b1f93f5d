// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/verdict_past.h"

#include <linux/bpf.h>
#include <stdio.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/format.h"

struct run {
	bool known;
	size_t devices; /* devices that run the program, according to netlink */
	/* Packets from other or unknown devices, such as a bond's slaves and netvsc's VF. */
	struct verdict_sum elsewhere;
};

static struct verdict_past *verdict_pasts_search(const struct verdict_pasts *p, uint32_t netns,
						 uint32_t ifindex, uint32_t prog_id)
{
	const uint32_t key[] = { netns, ifindex, prog_id };

	return array_find(p->past, p->n, e, compare_words(e, key, 3) < 0,
			  !compare_words(e, key, 3));
}

/*
 * Whether all verdicts of a program in the interval were counted. Packets that the recursion guard
 * skipped have no known verdict.
 */
static bool verdict_past_knows(const struct rates *r, const struct program *p)
{
	const struct program *was = program_find(r->from, p->prog_id);

	return p->verdicts == PROGRAM_VERDICTS_ON && was &&
	       was->verdicts_missed == p->verdicts_missed &&
	       verdicts_known_since(r->to, r->from, p->prog_id);
}

static void set_run(struct run *run, const struct rates *r, const struct program *p)
{
	const struct verdict *row;
	struct verdict_walk w;

	run->known = verdict_past_knows(r, p);
	if (!run->known)
		return;
	verdict_walk_program(&w, r, p->prog_id);
	while ((row = verdict_walk_next(&w))) {
		const struct netdev *d = snapshot_find_netdev(r->to, row->netns, row->ifindex);

		if (!d || !netdev_runs(d, p->prog_id))
			verdict_sum_add(&run->elsewhere, &w, row);
	}
}

/* Indexed as programs(). */
static struct run *runs_of(const struct rates *r)
{
	struct program_devices *devices = program_devices(r->to);
	size_t n;
	const struct program *p = programs(r->to, &n);
	struct run *run = memory_new(n + 1, sizeof(*run));

	for (size_t i = 0; i < n; i++) {
		run[i].devices = devices[i].n;
		set_run(&run[i], r, &p[i]);
	}
	free(devices);
	return run;
}

static void window_begin(struct verdict_window *w, uint64_t now)
{
	w->since_ns = now;
	w->all = w->drop = (struct verdict_counters){ 0 };
	w->most = w->intervals = 0;
}

static void end(struct verdict_window *w, uint64_t now)
{
	double rest;

	w->seconds = ns_to_seconds(now - w->since_ns);
	rest = per_second((double)(w->all.packets - w->most), w->seconds - w->most_s);
	w->holds = rest >= VERDICT_WINDOW_PER_S;
	w->last = w->all;
	w->last_drop = w->drop;
	w->last_since_ns = w->since_ns;
	w->last_first_ns = w->first_ns;
	window_begin(w, now);
}

/* Adds an interval to a window. If it does not fit, starts a new window. */
static void window_take(struct verdict_window *w, bool fits, struct verdict_counters all,
			struct verdict_counters drop, const struct rates *r)
{
	uint64_t now = r->to->mono_ns;

	if (!fits) {
		w->holds = false;
		window_begin(w, now);
		return;
	}
	if (!w->since_ns)
		window_begin(w, r->from->mono_ns);
	if (!w->intervals)
		w->first_ns = now;
	verdict_counters_add(&w->all, all);
	verdict_counters_add(&w->drop, drop);
	if (all.packets >= w->most) {
		w->most = all.packets;
		w->most_s = r->seconds;
	}
	if (++w->intervals >= VERDICT_WINDOW_INTERVALS &&
	    now - w->since_ns >= VERDICT_WINDOW_S * NSEC_PER_SEC)
		end(w, now);
}

static bool is_native(const struct netdev *d, uint32_t prog_id)
{
	return d && !d->gone && d->running && d->prog_id == prog_id &&
	       (d->mode == NETDEV_NATIVE || d->mode == NETDEV_MULTI);
}

static void take_windows(struct verdict_past *p, const struct rates *r, const struct netdev *d)
{
	const struct netdev *was = snapshot_find_netdev(r->from, d->netns, d->ifindex);
	struct verdict_counters all = verdict_total(p->act), passed = { 0 }, received = { 0 };
	bool native = is_native(d, p->prog_id) && is_native(was, p->prog_id);

	verdict_counters_add(&passed, p->act[XDP_PASS]);
	verdict_counters_add(&passed, p->act[XDP_TX]);
	verdict_counters_add(&passed, p->act[XDP_REDIRECT]);
	window_take(&p->dropped, !passed.packets, all, p->act[XDP_DROP], r);
	native = native && netdev_grew(was, d, NETDEV_RX_PACKETS, &p->received);
	received.packets = p->received = native ? p->received : 0;
	window_take(&p->unseen, native && !all.packets, received, (struct verdict_counters){ 0 },
		    r);
}

static void take_program(struct verdict_pasts *p, const struct verdict_pasts *was,
			 const struct rates *r, const struct netdev *d, uint32_t prog_id,
			 const struct run *run)
{
	struct verdict_past *past;
	const struct verdict_past *old;
	struct verdict_sum sum = { 0 };
	const struct verdict *row;
	struct verdict_walk w;

	/* packets from other devices could belong to any of these devices */
	if (!run->known || (run->devices > 1 && verdict_total(run->elsewhere.delta).packets))
		return;
	past = array_append(p->past, p->n, p->cap);
	old = verdict_pasts_search(was, d->netns, d->ifindex, prog_id);
	*past = old ? *old
		    : (struct verdict_past){ .netns = d->netns,
					     .ifindex = d->ifindex,
					     .prog_id = prog_id };
	verdict_walk_device(&w, r, prog_id, d->netns, d->ifindex);
	while ((row = verdict_walk_next(&w)))
		verdict_sum_add(&sum, &w, row);
	for (int i = 0; i < VERDICT_ACTS; i++) {
		past->act[i] = sum.delta[i];
		verdict_counters_add(&past->act[i], run->elsewhere.delta[i]);
	}
	take_windows(past, r, d);
}

static void take_device(struct verdict_pasts *p, const struct verdict_pasts *was,
			const struct rates *r, const struct netdev *d, const struct run *run)
{
	uint32_t id[] = { d->prog_id, d->skb_prog_id == d->prog_id ? 0 : d->skb_prog_id };
	size_t n;

	if (id[1] && id[1] < id[0]) {
		id[0] = id[1];
		id[1] = d->prog_id;
	}
	for (int i = 0; i < 2 && !d->gone; i++) {
		const struct program *program = id[i] ? program_find(r->to, id[i]) : NULL;

		if (program)
			take_program(p, was, r, d, id[i], &run[program - programs(r->to, &n)]);
	}
}

void verdict_pasts_update(struct verdict_pasts *p, const struct rates *r)
{
	struct verdict_pasts was = *p;
	struct run *run = runs_of(r);

	*p = (struct verdict_pasts){
		.past = was.before, .cap = was.cap_before, .before = was.past, .cap_before = was.cap
	};
	for (size_t i = 0; r->from && i < snapshot_n_netdevs(r->to); i++)
		take_device(p, &was, r, &snapshot_netdevs(r->to)[i], run);
	free(run);
}

const struct verdict_past *verdict_past_find(const struct verdict_pasts *p, const struct netdev *d,
					     uint32_t prog_id)
{
	return verdict_pasts_search(p, d->netns, d->ifindex, prog_id);
}

void verdict_pasts_free(struct verdict_pasts *p)
{
	free(p->past);
	free(p->before);
	memset(p, 0, sizeof(*p));
}

const struct verdict_past *verdict_evidence(struct evidence *e,
					    bool (*holds)(const struct verdict_past *p))
{
	const uint32_t id[] = { e->dev->prog_id, e->dev->skb_prog_id };

	for (int i = 0; i < 2; i++) {
		const struct verdict_past *p = verdict_past_find(e->verdicts, e->dev, id[i]);

		if (!p || !holds(p))
			continue;
		e->program = program_find(e->rates->to, id[i]);
		return p;
	}
	return NULL;
}

static bool is_aborting(const struct verdict_past *p)
{
	return p->act[XDP_ABORTED].packets;
}

static bool is_invalid(const struct verdict_past *p)
{
	return p->act[VERDICT_UNKNOWN].packets;
}

const struct verdict_past *verdict_evidence_act(struct evidence *e, uint32_t act)
{
	const struct verdict_past *p =
		verdict_evidence(e, act == VERDICT_UNKNOWN ? is_invalid : is_aborting);

	if (!p)
		return NULL;
	e->count = p->act[act].packets;
	e->lost_per_s = per_second((double)e->count, e->rates->seconds);
	return p;
}

bool verdict_numbers(const struct evidence *e, uint32_t act, uint64_t *n, uint64_t *all)
{
	const struct series_key *key = &e->series->key;
	const struct program *p = program_find(e->rates->to, key->prog_id);
	struct verdict_sum sum = { 0 };
	const struct verdict *row;
	struct verdict_walk w;

	*n = *all = 0;
	if (!p || !verdict_past_knows(e->rates, p))
		return false;
	/* queues without a row of their own may be of this device */
	verdict_walk_device(&w, e->rates, key->prog_id, 0, 0);
	if (verdict_walk_next(&w))
		return false;
	verdict_walk_device(&w, e->rates, key->prog_id, key->netns, key->ifindex);
	while ((row = verdict_walk_next(&w)))
		verdict_sum_add(&sum, &w, row);
	*n = sum.delta[act].packets;
	*all = verdict_total(sum.delta).packets;
	return true;
}

const char *verdict_share(uint64_t count, uint64_t all, const char *most, char *buf, size_t size)
{
	char share[16];

	buf[0] = '\0';
	if (!all)
		return buf;
	format_percent(share, sizeof(share), 100.0 * (double)count / (double)all);
	snprintf(buf, size, "for %s%s %% of its packets ", most, share);
	return buf;
}
