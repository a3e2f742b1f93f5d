// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "model/rates.h"

struct cpu_entry {
	uint32_t cpu;
	uint64_t snapshot; /* of its last row */
	struct series_counters now, before;
};

struct entry {
	struct series series; /* with its total at the end of the interval */
	struct series_counters before;
	uint64_t snapshot;     /* of its last row */
	struct cpu_entry *cpu; /* ascending by CPU */
	size_t n_cpu, cap_cpu;
};

struct recording_series {
	struct entry *entry;
	size_t n, cap;
	size_t n_cpu; /* of all entries */
	uint64_t next_id;
	uint64_t snapshot; /* number of the current one, from 1 on */
	uint32_t *index;   /* open addressing by identity: 1 + entry, 0 = free */
	size_t n_index;
};

#define INDEX_SIZE (1u << 17) /* a power of two, about twice RECORDING_SERIES_MAX */

struct recording_series *recording_series_new(void)
{
	struct recording_series *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->next_id = 1;
	r->n_index = INDEX_SIZE;
	r->index = calloc(r->n_index, sizeof(*r->index));
	if (r->index)
		return r;
	free(r);
	return NULL;
}

void recording_series_clear(struct recording_series *r)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		free(r->entry[i].cpu);
	r->n = 0;
	r->n_cpu = 0;
	memset(r->index, 0, r->n_index * sizeof(*r->index));
}

void recording_series_free(struct recording_series *r)
{
	if (!r)
		return;
	recording_series_clear(r);
	free(r->entry);
	free(r->index);
	free(r);
}

void recording_series_next(struct recording_series *r)
{
	r->snapshot++;
}

/* FNV-1a */
static uint32_t hash(uint32_t n, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--)
		n = (n ^ *p++) * 16777619u;
	return n;
}

static bool is_same(const struct series *a, const struct series *b)
{
	return a->tracepoint == b->tracepoint && a->overflow == b->overflow &&
	       !memcmp(&a->key, &b->key, sizeof(a->key));
}

/* Its slot in the index, or the free one where it belongs. */
static uint32_t *find_slot(struct recording_series *r, const struct series *series)
{
	uint32_t n = hash(2166136261u, &series->key, sizeof(series->key));
	size_t at;

	n = hash(n, &series->tracepoint, sizeof(series->tracepoint));
	/* ends: about half of the index is free */
	for (at = n & (r->n_index - 1);; at = (at + 1) & (r->n_index - 1)) {
		uint32_t *slot = &r->index[at];

		if (!*slot || is_same(&r->entry[*slot - 1].series, series))
			return slot;
	}
}

/* Find or add the entry with that identity. 0, -ENOSPC or -ENOMEM. */
static int find_entry(struct recording_series *r, const struct series *series, struct entry **found)
{
	uint32_t *slot = find_slot(r, series);

	if (*slot) {
		*found = &r->entry[*slot - 1];
		return 0;
	}
	if (r->n == RECORDING_SERIES_MAX)
		return -ENOSPC;
	*found = array_append(r->entry, r->n, r->cap);
	if (!*found)
		return -ENOMEM;
	*slot = (uint32_t)r->n;
	(*found)->series = *series;
	(*found)->series.id = r->next_id++;
	return 0;
}

static int by_snapshot(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Last snapshot of the least recently changed quarter; 0 = out of memory. */
static uint64_t end_of_oldest(const struct recording_series *r)
{
	uint64_t *given = reallocarray(NULL, r->n, sizeof(*given)), end;

	if (!given)
		return 0;
	for (size_t i = 0; i < r->n; i++)
		given[i] = r->entry[i].snapshot;
	qsort(given, r->n, sizeof(*given), by_snapshot);
	end = given[r->n / 4];
	free(given);
	return end;
}

/* Remove up to `left` entries whose last row is of snapshot `end` or older, none of this one. */
static void evict(struct recording_series *r, uint64_t end, size_t left)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct entry *e = &r->entry[i];

		if (!left || e->snapshot > end || e->snapshot == r->snapshot) {
			r->entry[kept++] = *e;
			continue;
		}
		r->n_cpu -= e->n_cpu;
		free(e->cpu);
		left--;
	}
	if (kept == r->n)
		return;
	r->n = kept;
	memset(r->index, 0, r->n_index * sizeof(*r->index));
	for (size_t i = 0; i < kept; i++)
		*find_slot(r, &r->entry[i].series) = (uint32_t)i + 1;
}

void recording_series_keep_current(struct recording_series *r)
{
	evict(r, UINT64_MAX, r->n);
}

/*
 * Remove the least recently changed quarter, nothing of this snapshot. The recorded monitor has no
 * larger table: it has reused those slots, and a series that comes back counts from zero.
 */
static int evict_oldest(struct recording_series *r)
{
	size_t n = r->n;

	if (n)
		evict(r, end_of_oldest(r), n / 4 + 1);
	return r->n == n ? -ENOSPC : 0;
}

static int find_cpu(struct recording_series *r, struct entry *e, uint32_t cpu,
		    struct cpu_entry **found)
{
	size_t at = array_lower_bound(e->cpu, e->n_cpu, c, c->cpu < cpu);

	if (at < e->n_cpu && e->cpu[at].cpu == cpu) {
		*found = &e->cpu[at];
		return 0;
	}
	if (r->n_cpu == RECORDING_CPUS_MAX)
		return -ENOSPC;
	*found = array_insert(e->cpu, e->n_cpu, e->cap_cpu, at);
	if (!*found)
		return -ENOMEM;
	(*found)->cpu = cpu;
	r->n_cpu++;
	return 0;
}

/* A recording has no totals of these four: add up their intervals. */
static void set_counts(struct series_counters *now, struct series_counters *before,
		       const struct record *record)
{
	struct series_counters sum = record->sum;

	sum.sched = now->sched + record->delta.sched;
	sum.xdp_pass = now->xdp_pass + record->delta.xdp_pass;
	sum.xdp_drop = now->xdp_drop + record->delta.xdp_drop;
	sum.xdp_redirect = now->xdp_redirect + record->delta.xdp_redirect;
	*now = sum;
	*before = series_counters_sub(&sum, &record->delta);
}

int recording_series_add(struct recording_series *r, const struct record *record, bool previous)
{
	struct entry *e;
	struct cpu_entry *cpu;
	uint64_t snapshot = r->snapshot - previous;
	struct series last;
	int err = 0;

	/* first: it moves entries */
	if (r->n == RECORDING_SERIES_MAX || r->n_cpu == RECORDING_CPUS_MAX)
		err = evict_oldest(r);
	/* full with rows of this snapshot: known ones still have an entry */
	if (!err || err == -ENOSPC)
		err = find_entry(r, &record->series, &e);
	if (err)
		return err;
	if (record->cpu >= 0) {
		err = find_cpu(r, e, (uint32_t)record->cpu, &cpu);
		if (err)
			return err;
		if (cpu->snapshot == snapshot)
			return -EEXIST;
		cpu->snapshot = snapshot;
		set_counts(&cpu->now, &cpu->before, record);
		return 0;
	}
	if (e->snapshot == snapshot)
		return -EEXIST;
	e->snapshot = snapshot;
	/* fewer events than before the interval: the slot was reused */
	if (record->sum.events < e->series.total.events + record->delta.events) {
		e->series.id = r->next_id++;
		memset(&e->series.total, 0, sizeof(e->series.total));
		r->n_cpu -= e->n_cpu;
		e->n_cpu = 0;
	}
	set_counts(&e->series.total, &e->before, record);
	/* a device or program may have another name by now */
	last = record->series;
	last.id = e->series.id;
	last.total = e->series.total;
	last.last_seen = record->delta.events ? record->time : e->series.last_seen;
	e->series = last;
	return 0;
}

static int copy_cpus(const struct entry *e, struct snapshot *to, bool before)
{
	size_t i;

	for (i = 0; i < e->n_cpu; i++) {
		struct cpu_count *cpu = snapshot_add_cpu(to);

		if (!cpu)
			return -ENOMEM;
		cpu->cpu = e->cpu[i].cpu;
		cpu->count = before ? e->cpu[i].before : e->cpu[i].now;
	}
	return 0;
}

int recording_series_copy(const struct recording_series *r, struct snapshot *to, bool before)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		const struct entry *e = &r->entry[i];
		struct series *series = snapshot_add_series(to);

		if (!series)
			return -ENOMEM;
		*series = e->series;
		if (before)
			series->total = e->before;
		series->cpu = to->n_cpu;
		series->n_cpu = e->n_cpu;
		if (copy_cpus(e, to, before))
			return -ENOMEM;
	}
	/* a reused slot has a new id at its old index */
	snapshot_sort(to);
	return 0;
}
