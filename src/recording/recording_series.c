// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/hash.h"
#include "base/hash_index.h"
#include "base/memory.h"
#include "model/rates.h"

/* Both arrays are sorted by id when snapshots are copied. */
struct cpu_entry {
	uint64_t series;   /* its id; CPUs of removed series are dropped at the next eviction */
	uint64_t snapshot; /* that had its last row */
	uint32_t cpu;
	bool late; /* as in struct entry */
	struct series_counters now, before;
};

struct entry {
	struct series series; /* total: at the end of the interval */
	struct series_counters before;
	uint64_t snapshot; /* that had its last row */
	bool late; /* may have been omitted earlier, so the total covers only the rows since */
};

struct recording_series {
	struct entry *entry;
	size_t n, cap;
	struct cpu_entry *cpu;
	size_t n_cpu, cap_cpu;
	struct hash_index index, cpu_index; /* entries by identity, CPUs by series and number */
	uint64_t next_id;
	uint64_t snapshot;      /* number of the current snapshot, from 1 */
	uint64_t full_snapshot; /* in this snapshot an eviction freed little */
	bool was_full;          /* in this run: a series without an entry may have been evicted */
};

struct recording_series *recording_series_new(void)
{
	struct recording_series *r = memory_new(1, sizeof(*r));

	r->next_id = 1;
	return r;
}

void recording_series_clear(struct recording_series *r)
{
	r->n = 0;
	r->n_cpu = 0;
	r->was_full = false;
	hash_index_clear(&r->index);
	hash_index_clear(&r->cpu_index);
}

void recording_series_free(struct recording_series *r)
{
	if (!r)
		return;
	free(r->entry);
	free(r->cpu);
	hash_index_free(&r->index);
	hash_index_free(&r->cpu_index);
	free(r);
}

void recording_series_next(struct recording_series *r)
{
	r->snapshot++;
}

static bool is_same_series(const struct series *a, const struct series *b)
{
	return a->tracepoint == b->tracepoint && a->overflow == b->overflow &&
	       !memcmp(&a->key, &b->key, sizeof(a->key));
}

static uint32_t hash_series(const struct series *s)
{
	uint64_t hash = hash_add(hash_seed(), (uint64_t)s->tracepoint << 1 | s->overflow);

	return (uint32_t)hash_add_words(hash, &s->key, sizeof(s->key));
}

static uint32_t hash_cpu(uint64_t series, uint32_t cpu)
{
	return (uint32_t)hash_add(hash_add(hash_seed(), series), cpu);
}

/* Find or add the entry of a series. 0 or -ENOSPC. */
static int find_entry(struct recording_series *r, const struct series *series, struct entry **found)
{
	uint32_t hash = hash_series(series);
	size_t at =
		hash_index_find(&r->index, hash, i, is_same_series(&r->entry[i].series, series));

	if (at != HASH_INDEX_NONE) {
		*found = &r->entry[at];
		return 0;
	}
	if (r->n == RECORDING_SERIES_MAX)
		return -ENOSPC;
	*found = array_append(r->entry, r->n, r->cap);
	(*found)->series = *series;
	(*found)->series.id = r->next_id++;
	(*found)->late = r->was_full;
	hash_index_add(&r->index, hash, r->n - 1);
	return 0;
}

static int find_cpu(struct recording_series *r, uint64_t series, uint32_t cpu,
		    struct cpu_entry **found)
{
	uint32_t hash = hash_cpu(series, cpu);
	size_t at = hash_index_find(&r->cpu_index, hash, i,
				    r->cpu[i].series == series && r->cpu[i].cpu == cpu);

	if (at != HASH_INDEX_NONE) {
		*found = &r->cpu[at];
		return 0;
	}
	if (r->n_cpu == RECORDING_CPUS_MAX)
		return -ENOSPC;
	*found = array_append(r->cpu, r->n_cpu, r->cap_cpu);
	(*found)->series = series;
	(*found)->cpu = cpu;
	(*found)->late = r->was_full;
	hash_index_add(&r->cpu_index, hash, r->n_cpu - 1);
	return 0;
}

/* After elements have moved. */
static void index_again(struct recording_series *r)
{
	hash_index_clear(&r->index);
	hash_index_clear(&r->cpu_index);
	for (size_t i = 0; i < r->n; i++)
		hash_index_add(&r->index, hash_series(&r->entry[i].series), i);
	for (size_t i = 0; i < r->n_cpu; i++)
		hash_index_add(&r->cpu_index, hash_cpu(r->cpu[i].series, r->cpu[i].cpu), i);
}

static int number_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_number(const void *a, const void *b)
{
	return number_compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int by_id(const void *a, const void *b)
{
	return number_compare(((const struct entry *)a)->series.id,
			      ((const struct entry *)b)->series.id);
}

static int by_cpu(const void *a, const void *b)
{
	const struct cpu_entry *x = a, *y = b;

	return x->series != y->series ? number_compare(x->series, y->series)
				      : number_compare(x->cpu, y->cpu);
}

/* Rows come in any order, and a slot that was reused got a later id. */
static void series_sort(struct recording_series *r)
{
	bool moved = array_sort(r->entry, r->n, sizeof(*r->entry), by_id);

	moved |= array_sort(r->cpu, r->n_cpu, sizeof(*r->cpu), by_cpu);
	if (moved)
		index_again(r);
}

/* Last snapshot of the least recently changed quarter. */
static uint64_t end_of_oldest(const struct recording_series *r)
{
	uint64_t *given = memory_resize(NULL, r->n, sizeof(*given)), end;

	for (size_t i = 0; i < r->n; i++)
		given[i] = r->entry[i].snapshot;
	qsort(given, r->n, sizeof(*given), by_number);
	end = given[r->n / 4];
	free(given);
	return end;
}

/* Move the CPUs of series `id` to *kept. */
static void keep_cpus(struct recording_series *r, uint64_t id, size_t *at, size_t *kept)
{
	for (; *at < r->n_cpu && r->cpu[*at].series <= id; (*at)++)
		if (r->cpu[*at].series == id)
			r->cpu[(*kept)++] = r->cpu[*at];
}

/*
 * Remove up to `left` entries whose last row is from snapshot `end` or older, but none of this
 * snapshot.
 */
static void series_evict(struct recording_series *r, uint64_t end, size_t left)
{
	size_t kept = 0, at = 0, kept_cpus = 0;

	series_sort(r);
	for (size_t i = 0; i < r->n; i++) {
		struct entry *e = &r->entry[i];

		if (left && e->snapshot <= end && e->snapshot != r->snapshot) {
			left--;
			continue;
		}
		keep_cpus(r, e->series.id, &at, &kept_cpus);
		r->entry[kept++] = *e;
	}
	if (kept == r->n && kept_cpus == r->n_cpu)
		return;
	r->n = kept;
	r->n_cpu = kept_cpus;
	index_again(r);
}

void recording_series_keep_current(struct recording_series *r)
{
	series_evict(r, UINT64_MAX, r->n);
}

/*
 * If a table is full, remove the least recently changed quarter, but nothing of this snapshot. A
 * series that returns counts from zero. 0 or -ENOSPC.
 */
static int make_room(struct recording_series *r)
{
	if (r->n < RECORDING_SERIES_MAX && r->n_cpu < RECORDING_CPUS_MAX)
		return 0;
	r->was_full = true;
	/* it checks every entry, so do not repeat it if it frees little */
	if (r->full_snapshot == r->snapshot)
		return -ENOSPC;
	series_evict(r, end_of_oldest(r), r->n / 4 + 1);
	if (r->n > RECORDING_SERIES_MAX - RECORDING_SERIES_MAX / 8 ||
	    r->n_cpu > RECORDING_CPUS_MAX - RECORDING_CPUS_MAX / 8)
		r->full_snapshot = r->snapshot;
	return 0;
}

/* Recordings lack totals of the last four counters, so add up their intervals. */
static void set_counts(struct series_counters *now, struct series_counters *before,
		       const struct record *record, bool late)
{
	*before = *now;
	series_counters_add(now, &record->delta);
	if (late)
		return;
	now->events = record->sum.events;
	now->packets = record->sum.packets;
	now->drops = record->sum.drops;
	now->bytes = record->sum.bytes;
	*before = series_counters_sub(now, &record->delta);
}

int recording_series_add(struct recording_series *r, const struct record *record, bool previous)
{
	struct entry *e;
	struct cpu_entry *cpu;
	uint64_t snapshot = r->snapshot - previous;
	struct series last;
	int err;

	/* Make room before find_entry(), because this moves entries. It may free none. */
	make_room(r);
	err = find_entry(r, &record->series, &e);
	if (err)
		return err;
	if (record->cpu >= 0) {
		err = find_cpu(r, e->series.id, (uint32_t)record->cpu, &cpu);
		if (err)
			return err;
		if (cpu->snapshot == snapshot)
			return -EEXIST;
		cpu->snapshot = snapshot;
		set_counts(&cpu->now, &cpu->before, record, cpu->late);
		return 0;
	}
	if (e->snapshot == snapshot)
		return -EEXIST;
	e->snapshot = snapshot;
	/* fewer events than before the interval, so the slot was reused */
	if (record->sum.events < e->series.total.events + record->delta.events) {
		e->series.id = r->next_id++;
		memset(&e->series.total, 0, sizeof(e->series.total));
	}
	set_counts(&e->series.total, &e->before, record, e->late);
	/* the device or program may have been renamed */
	last = record->series;
	last.id = e->series.id;
	last.total = e->series.total;
	last.last_seen = record->delta.events ? record->time : e->series.last_seen;
	e->series = last;
	return 0;
}

void recording_series_copy(struct recording_series *r, struct snapshot *to, bool before)
{
	size_t at = 0;

	series_sort(r);
	for (size_t i = 0; i < r->n; i++) {
		const struct entry *e = &r->entry[i];
		struct series *series = snapshot_add_series(to);

		*series = e->series;
		/* without a row it did not change in this interval */
		if (before && e->snapshot == r->snapshot)
			series->total = e->before;
		series->cpu = to->n_cpu;
		for (; at < r->n_cpu && r->cpu[at].series <= e->series.id; at++) {
			const struct cpu_entry *c = &r->cpu[at];
			struct cpu_count *cpu;

			if (c->series < e->series.id)
				continue;
			cpu = snapshot_add_cpu(to);
			cpu->cpu = c->cpu;
			cpu->count = before && c->snapshot == r->snapshot ? c->before : c->now;
			series->n_cpu++;
		}
	}
}
