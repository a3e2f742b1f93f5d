// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "model/snapshot.h"
#include "model/tracepoint.h"

static const char *const state_names[] = {
	[TP_OFF] = "off",       [TP_ON] = "on",     [TP_MISSING] = "missing",
	[TP_FAILED] = "failed", [TP_SHED] = "shed",
};

#define N_STATES (sizeof(state_names) / sizeof(state_names[0]))

/* The arrays of a snapshot. A new one needs a row here and a snapshot_add_*(). */
#define ARRAY(name)                                                                   \
	{                                                                             \
		offsetof(struct snapshot, name), offsetof(struct snapshot, n_##name), \
			offsetof(struct snapshot, cap_##name),                        \
			sizeof(*((struct snapshot *)NULL)->name)                      \
	}

static const struct {
	size_t array, n, cap; /* offsets */
	size_t size;          /* of an element */
} arrays[] = { ARRAY(series), ARRAY(cpu), ARRAY(event) };

#define N_ARRAYS (sizeof(arrays) / sizeof(arrays[0]))

void snapshot_init(struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
}

/* Field at this offset. */
static void *field(const struct snapshot *s, size_t offset)
{
	return (char *)s + offset;
}

static void *array_of(const struct snapshot *s, size_t i)
{
	void *array;

	memcpy(&array, field(s, arrays[i].array), sizeof(array));
	return array;
}

/* *to becomes *from, but keeps its own arrays. */
static void copy_fields(struct snapshot *to, const struct snapshot *from)
{
	struct snapshot copy = *from;

	for (size_t i = 0; i < N_ARRAYS; i++) {
		memcpy(field(&copy, arrays[i].array), field(to, arrays[i].array), sizeof(void *));
		memcpy(field(&copy, arrays[i].cap), field(to, arrays[i].cap), sizeof(size_t));
	}
	for (size_t i = 0; i < DATA_SOURCE_COUNT; i++) {
		copy.rows[i].row = to->rows[i].row;
		copy.rows[i].cap = to->rows[i].cap;
		copy.rows[i].size = to->rows[i].size;
	}
	*to = copy;
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < N_ARRAYS; i++)
		free(array_of(s, i));
	for (size_t i = 0; i < DATA_SOURCE_COUNT; i++)
		free(s->rows[i].row);
	snapshot_init(s);
}

void snapshot_clear(struct snapshot *s)
{
	const struct snapshot empty = { 0 };

	copy_fields(s, &empty);
}

int snapshot_copy_rows(struct snapshot *to, const struct snapshot *from, enum data_source_id source)
{
	const struct snapshot_rows *rows = &from->rows[source];
	struct snapshot_rows *copy = &to->rows[source];

	if (array_grow(&copy->row, &copy->cap, rows->n, rows->size))
		return -ENOMEM;
	if (rows->n)
		memcpy(copy->row, rows->row, rows->n * rows->size);
	copy->n = rows->n;
	copy->size = rows->size;
	return 0;
}

int snapshot_copy(struct snapshot *to, const struct snapshot *from)
{
	if (to == from)
		return 0;
	for (size_t i = 0; i < N_ARRAYS; i++) {
		const size_t *n = field(from, arrays[i].n);

		if (array_grow(field(to, arrays[i].array), field(to, arrays[i].cap), *n,
			       arrays[i].size)) {
			snapshot_clear(to);
			return -ENOMEM;
		}
		if (*n)
			memcpy(array_of(to, i), array_of(from, i), *n * arrays[i].size);
	}
	for (size_t i = 0; i < DATA_SOURCE_COUNT; i++) {
		if (snapshot_copy_rows(to, from, (enum data_source_id)i)) {
			snapshot_clear(to);
			return -ENOMEM;
		}
	}
	copy_fields(to, from);
	return 0;
}

struct series *snapshot_add_series(struct snapshot *s)
{
	return array_append(s->series, s->n_series, s->cap_series);
}

struct cpu_count *snapshot_add_cpu(struct snapshot *s)
{
	return array_append(s->cpu, s->n_cpu, s->cap_cpu);
}

struct event *snapshot_add_event(struct snapshot *s)
{
	return array_append(s->event, s->n_event, s->cap_event);
}

void *snapshot_add_row(struct snapshot *s, enum data_source_id source, size_t size)
{
	struct snapshot_rows *rows = &s->rows[source];

	rows->size = size;
	return array_open(&rows->row, &rows->n, &rows->cap, rows->n, size);
}

struct netdev *snapshot_add_netdev(struct snapshot *s)
{
	return snapshot_add_row(s, DATA_SOURCE_NETDEVS, sizeof(struct netdev));
}

struct netdev *snapshot_netdevs(const struct snapshot *s)
{
	return s->rows[DATA_SOURCE_NETDEVS].row;
}

size_t snapshot_n_netdevs(const struct snapshot *s)
{
	return s->rows[DATA_SOURCE_NETDEVS].n;
}

static int by_id(const void *a, const void *b)
{
	const struct series *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

void snapshot_sort(struct snapshot *s)
{
	array_sort(s->series, s->n_series, sizeof(*s->series), by_id);
}

static int netdev_order(const struct netdev *d, uint32_t netns, uint32_t ifindex)
{
	return d->netns != netns ? (d->netns > netns) - (d->netns < netns)
				 : (d->ifindex > ifindex) - (d->ifindex < ifindex);
}

static int by_netdev(const void *a, const void *b)
{
	const struct netdev *d = b;

	return netdev_order(a, d->netns, d->ifindex);
}

void snapshot_sort_netdevs(struct snapshot *s)
{
	array_sort(snapshot_netdevs(s), snapshot_n_netdevs(s), sizeof(struct netdev), by_netdev);
}

const struct netdev *snapshot_find_netdev(const struct snapshot *s, uint32_t netns,
					  uint32_t ifindex)
{
	size_t at = array_lower_bound(snapshot_netdevs(s), snapshot_n_netdevs(s), d,
				      netdev_order(d, netns, ifindex) < 0);

	return at < snapshot_n_netdevs(s) && !netdev_order(&snapshot_netdevs(s)[at], netns, ifindex)
		       ? &snapshot_netdevs(s)[at]
		       : NULL;
}

const struct series *snapshot_find(const struct snapshot *s, uint64_t id)
{
	size_t at = array_lower_bound(s->series, s->n_series, e, e->id < id);

	return at < s->n_series && s->series[at].id == id ? &s->series[at] : NULL;
}

const struct series_counters *snapshot_cpu(const struct snapshot *s, const struct series *series,
					   uint32_t cpu)
{
	const struct cpu_count *row = s->cpu + series->cpu;
	size_t at = array_lower_bound(row, series->n_cpu, e, e->cpu < cpu);

	return at < series->n_cpu && row[at].cpu == cpu ? &row[at].count : NULL;
}

const char *snapshot_tracepoint(const struct snapshot *s, uint32_t tracepoint)
{
	if (tracepoint == TP_NONE)
		return "";
	return *tracepoints[tracepoint].name ? tracepoints[tracepoint].name
					     : s->tp[tracepoint].name;
}

const char *tp_state_name(enum tp_state state)
{
	return (size_t)state < N_STATES ? state_names[state] : "unknown";
}

int tp_state_find(const char *name)
{
	for (size_t i = 0; i < N_STATES; i++)
		if (!strcmp(state_names[i], name))
			return (int)i;
	return -1;
}

static bool derived(enum tracepoint_count from, uint64_t events, uint64_t counter, uint64_t *count)
{
	*count = from == COUNT_EVENTS ? events : from == COUNT_NONE ? 0 : counter;
	return from != COUNT_NONE && (from != COUNT_SEGMENTS || counter || !events);
}

bool series_packets(uint32_t tracepoint, const struct series_counters *c, uint64_t *packets)
{
	return derived(tracepoints[tracepoint].packets, c->events, c->packets, packets);
}

bool series_drops(uint32_t tracepoint, const struct series_counters *c, uint64_t *drops)
{
	return derived(tracepoints[tracepoint].drops, c->events, c->drops, drops);
}

void series_counters_add(struct series_counters *to, const struct series_counters *add)
{
	to->events += add->events;
	to->packets += add->packets;
	to->drops += add->drops;
	to->bytes += add->bytes;
	to->sched += add->sched;
	to->xdp_pass += add->xdp_pass;
	to->xdp_drop += add->xdp_drop;
	to->xdp_redirect += add->xdp_redirect;
}
