/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences of two snapshots, and the seconds between them. */
#pragma once

#include "model/snapshot.h"

/* What row_walk_begin() keeps in struct rates. */
#define ROW_INDEXES_MAX 24 /* rows of further keys are searched one by one */

struct row_key; /* model/row_walk.h */

/* A number of a row, in the list of its bucket. */
struct row_entry {
	uint64_t number;
	uint32_t row;
	uint32_t next; /* 1 + its place; 0 = the last of the bucket */
};

struct row_index {
	const struct row_key *key;
	const struct snapshot *of;
	struct row_entry *entry;
	size_t n, cap;
	uint32_t *bucket; /* 1 + its first entry; 0 = none */
	size_t n_buckets; /* a power of two */
	size_t cap_buckets;
};

struct row_indexes {
	struct row_index index[ROW_INDEXES_MAX];
	size_t n;
};

/* x may be NULL. */
void row_indexes_free(struct row_indexes *x);

/* The time a number covers: the last interval, or since the baseline (without one: the start). */
enum basis { BASIS_INTERVAL, BASIS_BASELINE };

/*
 * Points into both snapshots: keep them. delta[i] and since[i] belong to to->series[i]; a series
 * that `from` does not have starts at zero. Negative differences (torn per-CPU reads) become 0.
 */
struct rates {
	const struct snapshot *from; /* NULL before the second snapshot: no rates yet */
	const struct snapshot *to;
	const struct snapshot *base;   /* baseline for totals; NULL = start of the run */
	double seconds;                /* measured between from and to; 0 without from */
	double tp_seconds[TP_COUNT];   /* attached time of each: divisor of rates; 0 = it was off */
	uint64_t tp_events[TP_COUNT];  /* delta of events */
	struct series_counters *delta; /* to->n_series of them; NULL without from */
	struct series_counters *since; /* to->n_series of them: since the baseline */
	struct series_counters *memory; /* cap elements, holds both */
	size_t cap;
	struct row_indexes *indexes; /* of row_walk_begin() */
	/*
	 * Called between the rows of a snapshot, which can be many; true = stop with -ECANCELED.
	 * Set by the caller; NULL = never.
	 */
	bool (*is_cancelled)(void);
	uint64_t xdp_drop; /* total dropped by programs of cpumap entries in the interval */
};

/*
 * Fill *r; r must be zeroed at first use and is reused after that. from and base may be NULL; base
 * may not be newer than to. A `from` that is not older than `to` counts as NULL: no time passed.
 */
void rates_set(struct rates *r, const struct snapshot *from, const struct snapshot *to,
	       const struct snapshot *base);
void rates_free(struct rates *r);
/* What to say about a gap before the newer snapshot, and of a recording how long it is. */
const char *rates_gap_text(const struct rates *r, bool live, char *buf, size_t size);

static inline bool rates_cancelled(const struct rates *r)
{
	return r->is_cancelled && r->is_cancelled();
}

/* Counts of a series of r->to in the interval. r->from must not be NULL. */
static inline const struct series_counters *rates_delta(const struct rates *r,
							const struct series *s)
{
	return &r->delta[s - r->to->series];
}

/* 0 when no time passed: the rate is unknown. */
static inline double per_second(double count, double seconds)
{
	return seconds > 0 ? count / seconds : 0;
}

/*
 * How many seconds old a value is that is read less often than snapshots are taken; 0 = it was read
 * in the interval, and describes it. read_at is CLOCK_REALTIME; 0 = in the interval.
 */
double rates_age(const struct rates *r, const struct timespec *read_at);
/* The same for a counter of a device. The link's are read in each interval. */
double rates_count_age(const struct rates *r, const struct netdev *d, enum netdev_count which);

/*
 * Whether a count of 0 is true: the tracepoint was attached for the whole interval, or at any time
 * since the start or baseline.
 */
bool rates_watched(const struct rates *r, uint32_t tracepoint, enum basis basis);
/*
 * Why a count of 0 in the last interval may be wrong, to be said after the tracepoint's name: " is
 * off"; NULL = it is right.
 */
const char *rates_uncounted(const struct rates *r, uint32_t tracepoint);

/* Counters of one series on one CPU: delta in the interval and total since the baseline. */
void rates_cpu(const struct rates *r, size_t series, uint32_t cpu, struct series_counters *delta,
	       struct series_counters *since);

/* a - b, each field clamped at 0. */
struct series_counters series_counters_sub(const struct series_counters *a,
					   const struct series_counters *b);
