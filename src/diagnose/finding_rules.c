// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/finding_rules.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "diagnose/driver.h"
#include "diagnose/map_evidence.h"
#include "source/map_fill.h"
#include "source/page_pools.h"
#include "source/sockets.h"
#include "source/softnet.h"

static uint64_t lost(const struct series *s, const struct series_counters *c)
{
	uint64_t drops;

	if (series_drops(s->tracepoint, c, &drops) && drops)
		return drops;
	/* with an errno the whole bulk is lost, however the driver counts it */
	return tracepoints[s->tracepoint].has & HAS_ERR && s->key.code < 0 ? c->events : 0;
}

#define each_rule(code_, rule_)                                                             \
	for (const struct finding_group *const *group_ = finding_groups; *group_; group_++) \
		for (const struct finding_code *code_ = (*group_)->code;                    \
		     code_ < (*group_)->code + (*group_)->n; code_++)                       \
			for (const struct rule *rule_ = code_->rules; rule_->subject; rule_++)

static bool rule_fits(const struct finding_code *code, const struct rule *rule, struct evidence *e)
{
	const struct series_key *key = e->series ? &e->series->key : NULL;

	if (e->tracepoint != TP_NONE && !(rule->tracepoints & BIT(e->tracepoint)))
		return false;
	if (key && !rule_has_error(rule, redirect_kind(key), cause_code(e->tracepoint, key)))
		return false;
	e->what[0] = '\0';
	e->by_entry = false;
	e->map = NULL;
	e->entry = NULL;
	memset(e->maps, 0, sizeof(e->maps));
	e->program = NULL;
	e->other = NULL;
	e->had_program = false;
	e->cause = NULL;
	e->number = e->part_id = 0;
	e->count_before = e->since_ns = e->first_ns = 0;
	e->lost_per_s = NAN;
	e->severity = code->severity;
	return !rule->when || rule->when(e);
}

static int apply_all(const struct rule_run *run, enum rule_subject subject, struct evidence *e)
{
	uint64_t count = e->count;
	int err = rates_cancelled(e->rates) ? -ECANCELED : 0;

	each_rule (code, r) {
		e->count = count;
		if (!err && r->subject == subject && rule_fits(code, r, e))
			run->take(run->ctx, code, r, e);
	}
	return err;
}

static void apply_loss(const struct rule_run *run, struct evidence *e)
{
	uint64_t count = e->count;

	for (int rank = RULE_RANK_MAX; rank >= 0; rank--) {
		each_rule (code, r) {
			e->count = count;
			if (r->subject == RULE_LOSS && rule_rank(r) == rank &&
			    rule_fits(code, r, e)) {
				run->take(run->ctx, code, r, e);
				return;
			}
		}
	}
}

static void set_devices(struct evidence *e)
{
	const struct snapshot *to = e->rates->to;
	struct location l;

	location_set(&l, e->series, to);
	e->dev = snapshot_find_netdev(to, l.dev.netns, l.dev.ifindex);
	e->to = snapshot_find_netdev(to, l.to.netns, l.to.ifindex);
	e->peer = snapshot_find_netdev(to, l.peer.netns, l.peer.ifindex);
}

static int apply_to_series(const struct rule_run *run)
{
	const struct rates *r = run->rates;
	int err = 0;

	for (size_t i = 0; r->delta && i < r->to->n_series && !err; i++) {
		const struct series *s = &r->to->series[i];
		struct evidence e = {
			.rates = r, .tracepoint = s->tracepoint, .series = s, .delta = &r->delta[i]
		};

		/* the overflow series has no location; RULE_TRACEPOINT reports it */
		if (s->overflow || !r->delta[i].events || driver_repeats(r->to, s))
			continue;
		set_devices(&e);
		e.count = lost(s, e.delta);
		if (e.count)
			apply_loss(run, &e);
		e.count = e.delta->events;
		err = apply_all(run, RULE_SERIES, &e);
	}
	return err;
}

/* Orders by device; a cpumap's events do not name the device, so they are ordered by map. */
static int compare_rows(const struct series *a, const struct series *b)
{
	bool map = BIT(a->tracepoint) & AT_ENQUEUE;
	const uint32_t x[] = { a->tracepoint, map ? a->key.map_id : a->key.ifindex,
			       map ? 0 : a->key.netns };
	const uint32_t y[] = { b->tracepoint, map ? b->key.map_id : b->key.ifindex,
			       map ? 0 : b->key.netns };

	return memcmp(x, y, sizeof(x));
}

static int by_row(const void *a, const void *b)
{
	const struct series *x = *(const struct series *const *)a;
	const struct series *y = *(const struct series *const *)b;
	int order = compare_rows(x, y);

	return order ? order : (x > y) - (x < y);
}

static int apply_to_rows(const struct rule_run *run)
{
	const struct rates *r = run->rates;
	const struct series **row = memory_resize(NULL, r->to->n_series + 1, sizeof(*row));
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; r->delta && i < r->to->n_series; i++)
		if (r->delta[i].events && !r->to->series[i].overflow &&
		    !driver_repeats(r->to, &r->to->series[i]))
			row[n++] = &r->to->series[i];
	if (n)
		qsort(row, n, sizeof(*row), by_row);
	for (size_t at = 0; at < n && !err;) {
		const struct series *s = row[at];
		struct evidence e = { .rates = r,
				      .tracepoint = s->tracepoint,
				      .series = s,
				      .delta = &r->delta[s - r->to->series],
				      .row = &row[at] };

		set_devices(&e);
		while (at < n && !compare_rows(s, row[at])) {
			e.n_row++;
			at++;
		}
		err = apply_all(run, RULE_ROW, &e);
	}
	free(row);
	return err;
}

/* By queue, receiving sockets first, then in the snapshot's order. */
static int by_queue(const void *a, const void *b)
{
	const struct xdp_socket *x = *(const struct xdp_socket *const *)a;
	const struct xdp_socket *y = *(const struct xdp_socket *const *)b;
	int order = xdp_socket_compare_queues(x, y);

	if (!order)
		order = !x->rx.size - !y->rx.size;
	return order ? order : (x > y) - (x < y);
}

static int apply_to_sockets(const struct rule_run *run)
{
	const struct rates *r = run->rates;
	size_t n_rows, n = 0;
	const struct xdp_socket *row = xdp_sockets(r->to, &n_rows), **queue;
	const struct xdp_socket **bound = memory_new(n_rows + 1, sizeof(*bound));
	int err = 0;

	for (size_t i = 0; i < n_rows; i++)
		if (row[i].state == XDP_SOCKET_BOUND)
			bound[n++] = &row[i];
	if (n)
		qsort(bound, n, sizeof(*bound), by_queue);
	queue = bound;
	for (size_t i = 0; i < n && !err; i++) {
		struct evidence e = { .rates = r, .tracepoint = TP_NONE, .socket = bound[i] };

		if (xdp_socket_compare_queues(*queue, e.socket))
			queue = &bound[i];
		e.queue = queue;
		e.socket_before = xdp_socket_find(r->from, e.socket->inode);
		if (e.socket_before && e.socket_before->state == XDP_SOCKET_BOUND)
			err = apply_all(run, RULE_SOCKET, &e);
	}
	free(bound);
	return err;
}

static int apply_to_devices(const struct rule_run *run)
{
	const struct rates *r = run->rates;
	struct program_devices *devices = program_devices(r->to);
	int err = 0;

	for (size_t i = 0; r->from && i < snapshot_n_netdevs(r->to) && !err; i++) {
		struct evidence e = { .rates = r,
				      .tracepoint = TP_NONE,
				      .dev = &snapshot_netdevs(r->to)[i],
				      .devices = devices,
				      .verdicts = run->verdicts };

		e.past = device_past_find(run->pasts, e.dev);
		err = apply_all(run, RULE_NETDEV, &e);
	}
	free(devices);
	return err;
}

static int apply_to_maps(const struct rule_run *run)
{
	const struct rates *r = run->rates;
	uint64_t left_out;
	size_t n;
	const struct map_fill *fill = map_fills(r->to, &n, &left_out);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct evidence e = { .rates = r, .tracepoint = TP_NONE, .fill = &fill[i] };

		if (map_fill_part(&fill[i]) >= RULE_MAP_LEAST || fill[i].like_id ||
		    map_fill_is_emptied(&fill[i]))
			err = apply_all(run, RULE_MAP, &e);
	}
	return err;
}

static int apply_to_unused(const struct rule_run *run)
{
	const struct rates *r = run->rates;
	size_t n;
	const struct map_entry *map = map_entries(r->to, &n);
	int err = 0;

	for (size_t i = 0; i < n && !err; i += map_rows(r->to, &map[i])) {
		struct evidence e = { .rates = r, .tracepoint = TP_NONE, .unused = &map[i] };

		if (map[i].used && map[i].users_known && !map[i].users_total)
			err = apply_all(run, RULE_UNUSED, &e);
	}
	return err;
}

static int apply_to_pools(const struct rule_run *run)
{
	const struct rates *r = run->rates;
	size_t n;
	const struct page_pool *pool = page_pools(r->to, &n);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct evidence e = { .rates = r, .tracepoint = TP_NONE, .pool = &pool[i] };

		err = apply_all(run, RULE_POOL, &e);
	}
	return err;
}

static int apply_to_others(const struct rule_run *run)
{
	const struct rates *r = run->rates;
	size_t n_cpus;
	const struct softnet_cpu *cpu = softnet_rows(r->to, &n_cpus);
	int err = 0;

	for (size_t i = 0; i < r->to->n_event && !err; i++) {
		struct evidence e = { .rates = r,
				      .tracepoint = r->to->event[i].tracepoint,
				      .event = &r->to->event[i],
				      .count = 1 };

		/* the rules are about events of tracepoints, and refusals */
		if (!e.event->change)
			err = apply_all(run, RULE_EVENT, &e);
		else if (e.event->change == CHANGE_SETUP_REFUSED)
			err = apply_all(run, RULE_REFUSED, &e);
	}
	for (uint32_t tp = 0; r->from && tp < TP_COUNT && !err; tp++) {
		struct evidence e = { .rates = r, .tracepoint = tp };

		err = apply_all(run, RULE_TRACEPOINT, &e);
	}
	if (!err)
		err = apply_to_devices(run);
	for (size_t i = 0; i < n_cpus && !err; i++) {
		struct evidence e = { .rates = r, .tracepoint = TP_NONE, .cpu = &cpu[i] };

		e.cpu_before = softnet_row(r->from, cpu[i].cpu);
		if (e.cpu_before)
			err = apply_all(run, RULE_CPU, &e);
	}
	return err;
}

int finding_rules_apply(const struct rule_run *run)
{
	int err = apply_to_series(run);

	if (!err)
		err = apply_to_rows(run);
	if (!err)
		err = apply_to_others(run);
	if (!err)
		err = apply_to_maps(run);
	if (!err)
		err = apply_to_unused(run);
	if (!err)
		err = apply_to_pools(run);
	if (!err)
		err = apply_to_sockets(run);
	return err;
}
