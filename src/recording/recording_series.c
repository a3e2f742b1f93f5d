// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/recording_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/hash.h"
#include "base/memory.h"

struct entry {
	struct series series; /* the next one in the same slot has a later id */
	uint64_t number;      /* of the entry */
	uint64_t snapshot;    /* that had its last row */
};

/* Of an entry (cpu -1), or of a CPU of it. */
struct counts {
	uint64_t series; /* the id of the entry's series, or of an earlier one in its slot */
	uint64_t number; /* of the entry */
	int cpu;
	bool late;         /* may have been omitted earlier, so it has only the rows since */
	uint64_t snapshot; /* that had its last row */
	struct series_counters now, before;
};

/* Both arrays are sorted by the ids of series when snapshots are copied. */
struct recording_series {
	struct entry *entry;
	size_t n, cap;
	struct counts *counts;
	size_t n_counts, cap_counts;
	struct hash_index index, counts_index; /* entries by identity, counts by entry and CPU */
	uint64_t last_id, last_number;
	uint64_t snapshot;      /* number of the current snapshot, from 1 */
	uint64_t full_snapshot; /* in this snapshot an eviction freed little */
	bool was_full;          /* in this run: a series without an entry may have been evicted */
};

struct recording_series *recording_series_new(void)
{
	return memory_new(1, sizeof(struct recording_series));
}

void recording_series_clear(struct recording_series *r)
{
	r->n = 0;
	r->n_counts = 0;
	r->was_full = false;
	hash_index_clear(&r->index);
	hash_index_clear(&r->counts_index);
}

void recording_series_free(struct recording_series *r)
{
	if (!r)
		return;
	free(r->entry);
	free(r->counts);
	hash_index_free(&r->index);
	hash_index_free(&r->counts_index);
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

static uint32_t hash_counts(uint64_t number, int cpu)
{
	return (uint32_t)hash_add(hash_add(hash_seed(), number), (uint64_t)cpu);
}

/* Find or add the entry of a series. 0 or -ENOSPC. */
static int find_entry(struct recording_series *r, const struct series *series, struct entry **found)
{
	uint32_t hash = hash_series(series);
	size_t at =
		hash_index_find(&r->index, hash, i, is_same_series(&r->entry[i].series, series));

	if (at == HASH_INDEX_NONE && r->n == RECORDING_SERIES_MAX)
		return -ENOSPC;
	if (at == HASH_INDEX_NONE) {
		at = r->n;
		*array_append(r->entry, r->n, r->cap) =
			(struct entry){ .series = *series, .number = ++r->last_number };
		r->entry[at].series.id = ++r->last_id;
		hash_index_add(&r->index, hash, at);
	}
	*found = &r->entry[at];
	return 0;
}

/* The same for its counts. */
static int find_counts(struct recording_series *r, uint64_t number, int cpu, struct counts **found)
{
	uint32_t hash = hash_counts(number, cpu);
	size_t at = hash_index_find(&r->counts_index, hash, i,
				    r->counts[i].number == number && r->counts[i].cpu == cpu);

	if (at == HASH_INDEX_NONE && r->n_counts == RECORDING_COUNTS_MAX)
		return -ENOSPC;
	if (at == HASH_INDEX_NONE) {
		at = r->n_counts;
		*array_append(r->counts, r->n_counts, r->cap_counts) =
			(struct counts){ .number = number, .cpu = cpu, .late = r->was_full };
		hash_index_add(&r->counts_index, hash, at);
	}
	*found = &r->counts[at];
	return 0;
}

/* After elements have moved. */
static void index_again(struct recording_series *r)
{
	hash_index_clear(&r->index);
	hash_index_clear(&r->counts_index);
	for (size_t i = 0; i < r->n; i++)
		hash_index_add(&r->index, hash_series(&r->entry[i].series), i);
	for (size_t i = 0; i < r->n_counts; i++)
		hash_index_add(&r->counts_index, hash_counts(r->counts[i].number, r->counts[i].cpu),
			       i);
}

COMPARE(by_number, uint64_t, ORDER(*x, *y))

COMPARE(by_id, struct entry, ORDER(x->series.id, y->series.id))

COMPARE(by_series, struct counts, ORDER(x->series, y->series) ?: ORDER(x->cpu, y->cpu))

/* Rows come in any order, and a slot that was reused got a later id. */
static void series_sort(struct recording_series *r)
{
	bool moved = array_sort(r->entry, r->n, sizeof(*r->entry), by_id);

	moved |= array_sort(r->counts, r->n_counts, sizeof(*r->counts), by_series);
	if (moved)
		index_again(r);
}

/* The counts of the series, which are at *at or later: the first one, up to the new *at. */
static struct counts *next_counts(const struct recording_series *r, const struct series *series,
				  size_t *at)
{
	size_t from;

	while (*at < r->n_counts && r->counts[*at].series < series->id)
		++*at;
	for (from = *at; *at < r->n_counts && r->counts[*at].series == series->id; ++*at)
		;
	return r->counts + from;
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

/*
 * Remove up to `left` entries whose last row is from snapshot `end` or older, but none of this
 * snapshot.
 */
static void series_evict(struct recording_series *r, uint64_t end, size_t left)
{
	size_t kept = 0, at = 0, kept_counts = 0;

	series_sort(r);
	for (size_t i = 0; i < r->n; i++) {
		const struct entry *e = &r->entry[i];
		const struct counts *c = next_counts(r, &e->series, &at);

		if (left && e->snapshot <= end && e->snapshot != r->snapshot) {
			left--;
			continue;
		}
		while (c < r->counts + at)
			r->counts[kept_counts++] = *c++;
		r->entry[kept++] = *e;
	}
	if (kept == r->n && kept_counts == r->n_counts)
		return;
	r->n = kept;
	r->n_counts = kept_counts;
	index_again(r);
}

void recording_series_keep_current(struct recording_series *r)
{
	series_evict(r, UINT64_MAX, r->n);
}

/*
 * If a table is full, remove the least recently changed quarter, but nothing of this snapshot. A
 * series that returns counts from zero. It checks every entry, so do not repeat it in a snapshot
 * in which it freed little.
 */
static void make_room(struct recording_series *r)
{
	if (r->n < RECORDING_SERIES_MAX && r->n_counts < RECORDING_COUNTS_MAX)
		return;
	r->was_full = true;
	if (r->full_snapshot == r->snapshot)
		return;
	series_evict(r, end_of_oldest(r), r->n / 4 + 1);
	if (r->n > RECORDING_SERIES_MAX - RECORDING_SERIES_MAX / 8 ||
	    r->n_counts > RECORDING_COUNTS_MAX - RECORDING_COUNTS_MAX / 8)
		r->full_snapshot = r->snapshot;
}

/* Recordings lack totals of the last four counters, so add up their intervals. */
static void set_counts(struct counts *c, const struct record *record)
{
	c->before = c->now;
	series_counters_add(&c->now, &record->delta);
	if (c->late)
		return;
	c->now.events = record->sum.events;
	c->now.packets = record->sum.packets;
	c->now.drops = record->sum.drops;
	c->now.bytes = record->sum.bytes;
	c->before = series_counters_sub(&c->now, &record->delta);
}

int recording_series_add(struct recording_series *r, const struct record *record, bool previous)
{
	uint64_t snapshot = r->snapshot - previous;
	struct series last;
	struct counts *c;
	struct entry *e;
	int err;

	/* before find_entry(), because this moves entries; it may free none */
	make_room(r);
	err = find_entry(r, &record->series, &e) ?: find_counts(r, e->number, record->cpu, &c);
	if (err)
		return err;
	if (c->snapshot == snapshot)
		return -EEXIST;
	c->snapshot = snapshot;
	/* fewer events than before the interval, so the slot was reused */
	if (record->cpu < 0 && record->sum.events < c->now.events + record->delta.events)
		e->series.id = ++r->last_id;
	if (c->series != e->series.id)
		memset(&c->now, 0, sizeof(c->now));
	c->series = e->series.id;
	set_counts(c, record);
	if (record->cpu >= 0)
		return 0;
	/* the device or program may have been renamed */
	last = record->series;
	last.id = e->series.id;
	last.last_seen = record->delta.events ? record->time : e->series.last_seen;
	e->series = last;
	e->snapshot = snapshot;
	return 0;
}

void recording_series_copy(struct recording_series *r, struct snapshot *to, bool before)
{
	size_t at = 0;

	series_sort(r);
	for (size_t i = 0; i < r->n; i++) {
		const struct counts *c = next_counts(r, &r->entry[i].series, &at);
		struct series *series = snapshot_add_series(to);

		*series = r->entry[i].series;
		series->cpu = to->n_cpu;
		for (; c < r->counts + at; c++) {
			/* without a row it did not change in this interval */
			bool changed = before && c->snapshot == r->snapshot;
			const struct series_counters *count = changed ? &c->before : &c->now;

			if (c->cpu < 0)
				series->total = *count;
			else
				*snapshot_add_cpu(to) =
					(struct cpu_count){ (uint32_t)c->cpu, *count };
		}
		series->n_cpu = to->n_cpu - series->cpu;
	}
}
