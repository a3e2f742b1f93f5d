// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "base/array.h"
#include "base/privilege.h"
#include "model/snapshot.h"
#include "model/tracepoint.h"

const char *const tp_states[TP_STATES] = {
	[TP_OFF] = "off",       [TP_ON] = "on",     [TP_MISSING] = "missing",
	[TP_FAILED] = "failed", [TP_SHED] = "shed",
};

void snapshot_init(struct snapshot *s)
{
	memset(s, 0, sizeof(*s));
}

/* What is done for each array that is not rows of a data source. */
#define EACH_ARRAY(action)                                                 \
	action(series, series) action(cpu, cpu_count) action(event, event) \
		action(followed, followed)

/* *to becomes *from, but keeps its own arrays. */
static void copy_fields(struct snapshot *to, const struct snapshot *from)
{
	const struct snapshot own = *to;

	*to = *from;
#define KEEP(name, type) to->name = own.name, to->cap_##name = own.cap_##name;
	EACH_ARRAY(KEEP)
	for (size_t i = 0; i < DATA_SOURCE_COUNT; i++) {
		to->rows[i] = own.rows[i];
		to->rows[i].n = from->rows[i].n;
	}
}

void snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
#define FREE(name, type) free(s->name);
	EACH_ARRAY(FREE)
	for (size_t i = 0; i < DATA_SOURCE_COUNT; i++)
		free(s->rows[i].row);
	snapshot_init(s);
}

void snapshot_clear(struct snapshot *s)
{
	const struct snapshot empty = { 0 };

	copy_fields(s, &empty);
}

void snapshot_put_rows(struct snapshot *to, enum data_source_id source, const void *row, size_t n,
		       size_t size)
{
	struct snapshot_rows *copy = &to->rows[source];

	array_grow(&copy->row, &copy->cap, n, size);
	if (n)
		memcpy(copy->row, row, n * size);
	copy->n = n;
	copy->size = size;
}

void snapshot_copy_rows(struct snapshot *to, const struct snapshot *from,
			enum data_source_id source)
{
	const struct snapshot_rows *rows = &from->rows[source];

	snapshot_put_rows(to, source, rows->row, rows->n, rows->size);
}

void snapshot_copy(struct snapshot *to, const struct snapshot *from)
{
	if (to == from)
		return;
#define COPY(name, type)                                                                   \
	array_replace(to->name, to->n_##name, to->cap_##name, 0, to->n_##name, from->name, \
		      from->n_##name);
	EACH_ARRAY(COPY)
	for (int i = 0; i < DATA_SOURCE_COUNT; i++)
		snapshot_copy_rows(to, from, (enum data_source_id)i);
	copy_fields(to, from);
}

#define ADD(name, type)                                                   \
	struct type *snapshot_add_##name(struct snapshot *s)              \
	{                                                                 \
		return array_append(s->name, s->n_##name, s->cap_##name); \
	}
EACH_ARRAY(ADD)

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

const struct netdev *snapshot_find_netdev(const struct snapshot *s, uint32_t netns,
					  uint32_t ifindex)
{
	return array_find(snapshot_netdevs(s), snapshot_n_netdevs(s), d,
			  d->netns < netns || (d->netns == netns && d->ifindex < ifindex),
			  d->netns == netns && d->ifindex == ifindex);
}

const struct series *snapshot_find(const struct snapshot *s, uint64_t id)
{
	return array_find(s->series, s->n_series, e, e->id < id, e->id == id);
}

const struct series_counters *snapshot_cpu(const struct snapshot *s, const struct series *series,
					   uint32_t cpu)
{
	const struct cpu_count *row =
		array_find(s->cpu + series->cpu, series->n_cpu, e, e->cpu < cpu, e->cpu == cpu);

	return row ? &row->count : NULL;
}

const char *snapshot_tracepoint(const struct snapshot *s, uint32_t tracepoint)
{
	if (tracepoint == TP_NONE)
		return "";
	return *tracepoints[tracepoint].name ? tracepoints[tracepoint].name
					     : s->tp[tracepoint].name;
}

uint64_t snapshot_sum(const struct snapshot *s, size_t counter)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < TP_COUNT; i++)
		sum += *(const uint64_t *)((const char *)&s->tp[i] + counter);
	return sum;
}

const char *snapshot_process_text(const struct snapshot *s, const struct snapshot_host *host,
				  enum snapshot_process_id which, bool brief, char *buf,
				  size_t size)
{
	const struct snapshot_process *p = &host->process[which];
	bool verdicts = which == PROCESS_VERDICTS;
	int len;

	buf[0] = '\0';
	if (!p->pid)
		return buf;
	len = brief      ? snprintf(buf, size, "pid %u keeps ", p->pid)
	      : verdicts ? snprintf(buf, size, "%s %s: pid %u keeps ", TP_VERDICTS_NAME,
				    tp_state_name(s->tp[TP_VERDICTS].state), p->pid)
			 : snprintf(buf, size, "later namespaces: pid %u keeps ", p->pid);
	if (len < (int)size)
		capability_names(p->caps, brief ? "" : "CAP_", brief ? "," : ", ", buf + len,
				 size - (size_t)len);
	len = (int)strlen(buf);
	if (verdicts && host->reads_packets)
		snprintf(buf + len, size - (size_t)len,
			 brief ? "; reads packets" : "; packets are read");
	return buf;
}

const char *tp_state_name(enum tp_state state)
{
	return (size_t)state < TP_STATES ? tp_states[state] : "unknown";
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

size_t snapshot_netns_uncounted(const struct snapshot *s)
{
	const struct netdev *d = snapshot_netdevs(s);
	uint32_t last = 0;
	size_t n = 0;

	for (size_t i = 0; i < snapshot_n_netdevs(s); i++) {
		if (d[i].gone || d[i].mode == NETDEV_NONE || netdev_is_asked(&d[i]) ||
		    d[i].netns == last)
			continue;
		last = d[i].netns;
		n++;
	}
	return n;
}
