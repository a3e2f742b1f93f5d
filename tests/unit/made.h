/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handmade snapshots. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/rates.h"
#include "model/tracepoint.h"
#include "test.h"

#define MADE_NETNS 4026531840u
#define MADE_S     1000000000ull

/* Every known tracepoint as after a start with the defaults, attached since time 0. */
static inline void made_snapshot(struct snapshot *s, double seconds)
{
	s->mono_ns = (uint64_t)(seconds * 1e9);
	s->wall.tv_sec = 1795252500 + (time_t)seconds;
	for (int i = 0; i < TP_COUNT; i++) {
		struct tp_count *tp = &s->tp[i];

		snprintf(tp->name, sizeof(tp->name), "%s", tracepoints[i].name);
		tp->state = *tp->name ? (tracepoints[i].on ? TP_ON : TP_OFF) : TP_MISSING;
		tp->on_ns = tp->state == TP_ON ? s->mono_ns : 0;
		tp->ns_per_event = tp->cpu_percent = -1;
		tp->cost_cpu = -1;
	}
}

static inline void made_on(struct snapshot *s, uint32_t tp)
{
	s->tp[tp].state = TP_ON;
	s->tp[tp].on_ns = s->mono_ns;
}

static inline void made_off(struct snapshot *s, uint32_t tp, enum tp_state state)
{
	s->tp[tp].state = state;
	s->tp[tp].on_ns = 0;
}

/* Add in the order of ids. */
static inline struct series *made_series(struct snapshot *s, uint64_t id, uint32_t tp,
					 struct series_key key, struct series_counters total)
{
	struct series *series = snapshot_add_series(s);

	assert_non_null(series);
	series->id = id;
	series->tracepoint = tp;
	series->key = key;
	series->total = total;
	series->last_seen = s->wall;
	if (key.ifindex)
		snprintf(series->ifname, sizeof(series->ifname), "eth%u", key.ifindex);
	if (key.prog_id)
		snprintf(series->prog_name, sizeof(series->prog_name), "prog%u", key.prog_id);
	s->tp[tp].events += total.events;
	return series;
}

/* Add to the newest series, in the order of CPUs. */
static inline void made_cpu(struct snapshot *s, uint32_t cpu, struct series_counters count)
{
	struct series *series = &s->series[s->n_series - 1];
	struct cpu_count *c = snapshot_add_cpu(s);

	assert_non_null(c);
	if (!series->n_cpu++)
		series->cpu = s->n_cpu - 1;
	c->cpu = cpu;
	c->count = count;
}

/* events, packets, drops, bytes; omitted ones are 0 */
#define COUNTS(...) made_counts((const uint64_t[4]){ __VA_ARGS__ })

static inline struct series_counters made_counts(const uint64_t c[4])
{
	return (struct series_counters){
		.events = c[0], .packets = c[1], .drops = c[2], .bytes = c[3]
	};
}

/* Keys of a redirect from a device (ifindex) in MADE_NETNS. */
static inline struct series_key made_to_device(uint32_t ifindex, uint32_t to, uint32_t map_id)
{
	return (struct series_key){ .netns = MADE_NETNS,
				    .ifindex = ifindex,
				    .to_netns = MADE_NETNS,
				    .target = to,
				    .prog_id = 42,
				    .map_type = map_id ? SERIES_MAP_DEVMAP : SERIES_MAP_NONE,
				    .map_id = map_id ? map_id : SERIES_MAP_ID_IFINDEX };
}

/* The same flow as xdp_devmap_xmit reports it. */
static inline struct series_key made_xmit(uint32_t ifindex, uint32_t to)
{
	return (struct series_key){
		.netns = MADE_NETNS, .ifindex = ifindex, .to_netns = MADE_NETNS, .target = to
	};
}

static inline struct series_key with_code(struct series_key key, int code)
{
	key.code = code;
	return key;
}

/* Sorts devices that a test did not add in order. */
/* What the network stack lost after XDP was read: nothing. */
static inline void made_stack_counts(struct netdev *d)
{
	netdev_set_count(d, NETDEV_RX_OTHERHOST, 0);
	for (int c = NETDEV_NETNS_COUNT; c < NETDEV_COUNTS; c++)
		netdev_set_count(d, (enum netdev_count)c, 0);
}

static inline int made_netdev_order(const void *a, const void *b)
{
	const struct netdev *x = a, *y = b;

	if (x->netns != y->netns)
		return x->netns < y->netns ? -1 : 1;
	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static inline void made_sort_netdevs(struct snapshot *s)
{
	if (snapshot_n_netdevs(s))
		qsort(snapshot_netdevs(s), snapshot_n_netdevs(s), sizeof(struct netdev),
		      made_netdev_order);
}
