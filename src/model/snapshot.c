// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/snapshot.h"
#include "model/tracepoint.h"

static const char *const state_names[] = {
	[TP_OFF] = "off",       [TP_ON] = "on",     [TP_MISSING] = "missing",
	[TP_FAILED] = "failed", [TP_SHED] = "shed",
};

#define N_STATES (sizeof(state_names) / sizeof(state_names[0]))

void snapshot_init(struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	free(s->series);
	free(s->cpu);
	free(s->event);
	free(s->device);
	snapshot_init(s);
}

/* Everything but the arrays and their sizes is put in order by copying these around it. */
struct arrays {
	struct series *series;
	struct cpu_count *cpu;
	struct event *event;
	struct netdev *device;
	size_t cap_series, cap_cpu, cap_event, cap_device;
};

static struct arrays arrays_of(const struct snapshot *s)
{
	return (struct arrays){ s->series,     s->cpu,     s->event,     s->device,
				s->cap_series, s->cap_cpu, s->cap_event, s->cap_device };
}

static void set_arrays(struct snapshot *s, const struct arrays *a)
{
	s->series = a->series;
	s->cpu = a->cpu;
	s->event = a->event;
	s->device = a->device;
	s->cap_series = a->cap_series;
	s->cap_cpu = a->cap_cpu;
	s->cap_event = a->cap_event;
	s->cap_device = a->cap_device;
}

void snapshot_clear(struct snapshot *s)
{
	struct arrays a = arrays_of(s);

	snapshot_init(s);
	set_arrays(s, &a);
}

/* Room for one more element of this size in an array of n; NULL when out of memory. */
static void *grow(void **array, size_t *cap, size_t n, size_t size)
{
	if (n == *cap) {
		size_t more = *cap ? *cap * 2 : 64;
		void *bigger = reallocarray(*array, more, size);

		if (!bigger)
			return NULL;
		*array = bigger;
		*cap = more;
	}
	return memset((char *)*array + n * size, 0, size);
}

struct series *snapshot_add_series(struct snapshot *s)
{
	void *array = s->series;
	struct series *added = grow(&array, &s->cap_series, s->n_series, sizeof(*added));

	if (!added)
		return NULL;
	s->series = array;
	s->n_series++;
	return added;
}

struct cpu_count *snapshot_add_cpu(struct snapshot *s)
{
	void *array = s->cpu;
	struct cpu_count *added = grow(&array, &s->cap_cpu, s->n_cpu, sizeof(*added));

	if (!added)
		return NULL;
	s->cpu = array;
	s->n_cpu++;
	return added;
}

struct event *snapshot_add_event(struct snapshot *s)
{
	void *array = s->event;
	struct event *added = grow(&array, &s->cap_event, s->n_event, sizeof(*added));

	if (!added)
		return NULL;
	s->event = array;
	s->n_event++;
	return added;
}

struct netdev *snapshot_add_netdev(struct snapshot *s)
{
	void *array = s->device;
	struct netdev *added = grow(&array, &s->cap_device, s->n_device, sizeof(*added));

	if (!added)
		return NULL;
	s->device = array;
	s->n_device++;
	return added;
}

/* A copy of n elements in memory that may be there already; false when out of memory. */
static bool copy_array(void **to, size_t *cap, const void *from, size_t n, size_t size)
{
	if (n > *cap) {
		void *bigger = reallocarray(*to, n, size);

		if (!bigger)
			return false;
		*to = bigger;
		*cap = n;
	}
	if (n)
		memcpy(*to, from, n * size);
	return true;
}

int snapshot_copy(struct snapshot *to, const struct snapshot *from)
{
	struct arrays a = arrays_of(to);
	void *series = a.series, *cpu = a.cpu, *event = a.event, *device = a.device;
	bool ok;

	if (to == from)
		return 0;
	ok = copy_array(&series, &a.cap_series, from->series, from->n_series,
			sizeof(*from->series)) &&
	     copy_array(&cpu, &a.cap_cpu, from->cpu, from->n_cpu, sizeof(*from->cpu)) &&
	     copy_array(&event, &a.cap_event, from->event, from->n_event, sizeof(*from->event)) &&
	     copy_array(&device, &a.cap_device, from->device, from->n_device,
			sizeof(*from->device));
	a.series = series;
	a.cpu = cpu;
	a.event = event;
	a.device = device;
	if (ok)
		*to = *from;
	set_arrays(to, &a);
	if (!ok) {
		snapshot_clear(to);
		return -ENOMEM;
	}
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct series *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

void snapshot_sort(struct snapshot *s)
{
	for (size_t i = 1; i < s->n_series; i++) {
		if (s->series[i - 1].id > s->series[i].id) {
			qsort(s->series, s->n_series, sizeof(*s->series), by_id);
			return;
		}
	}
}

static int by_place(uint32_t netns, uint32_t ifindex, const struct netdev *d)
{
	return netns != d->netns ? (netns > d->netns) - (netns < d->netns)
				 : (ifindex > d->ifindex) - (ifindex < d->ifindex);
}

static int devices_by_place(const void *a, const void *b)
{
	const struct netdev *d = a;

	return by_place(d->netns, d->ifindex, b);
}

void snapshot_sort_netdevs(struct snapshot *s)
{
	if (s->n_device)
		qsort(s->device, s->n_device, sizeof(*s->device), devices_by_place);
}

const struct netdev *snapshot_find_netdev(const struct snapshot *s, uint32_t netns,
					  uint32_t ifindex)
{
	size_t low = 0, high = s->n_device;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = by_place(netns, ifindex, &s->device[middle]);

		if (!order)
			return &s->device[middle];
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct series *snapshot_find(const struct snapshot *s, uint64_t id)
{
	size_t low = 0, high = s->n_series;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->series[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->n_series && s->series[low].id == id ? &s->series[low] : NULL;
}

const struct series_counters *snapshot_cpu(const struct snapshot *s, const struct series *series,
					   uint32_t cpu)
{
	size_t low = series->cpu, end = low + series->n_cpu, high = end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->cpu[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && s->cpu[low].cpu == cpu ? &s->cpu[low].count : NULL;
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
	*count = from == COUNT_EVENTS ? events : from == COUNT_COUNTER ? counter : 0;
	return from != COUNT_NONE;
}

bool series_packets(uint32_t tracepoint, const struct series_counters *c, uint64_t *packets)
{
	/* an skb is one packet at least: where none is counted, the backend cannot know (classic)
	 */
	if (tracepoint == TP_NET_DEV_QUEUE && c->events && !c->packets) {
		*packets = 0;
		return false;
	}
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
