/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A data source: facts that are read besides, or together with, the tracepoints. A live source
 * opens what it needs before the drop of privileges and fills its rows in each snapshot. A
 * recording fills the same rows from the JSON objects that were written for them. Readers of
 * snapshots cannot tell the two apart.
 *
 * To add one: a file here, a row in src/model/data_sources.h, and perhaps a view that shows its
 * rows.
 */
#pragma once

#include "base/array.h"
#include "base/error.h"
#include "schema/record.h"

struct live; /* src/source/live_source.h */

/* A counter for Prometheus: the sum over the rows with the same labels. */
struct data_source_metric {
	const char *name; /* xdptop_..._total; of a gauge xdptop_... */
	const char *help;
	size_t counter; /* offset in a row */
};

/* Labels besides a tracepoint's. A row with HAS_DEVICE has its device and netns. */
enum {
	LABEL_CPU = 1 << 16, /* only with -C */
	LABEL_QUEUE = 1 << 17,
	LABEL_MAP = 1 << 19,
};

struct data_source {
	const char *name;
	const char *help; /* what it reads, in one line */

	/* Rows in a snapshot. row_size 0 = no rows, and the functions are NULL. */
	size_t row_size; /* at most RECORD_ROW_SIZE */
	size_t key_size; /* a row begins with its key: numbers of 4 bytes */
	/* Whether a row has not changed, so that a recording skips it. NULL = compare all bytes. */
	bool (*is_same)(const void *a, const void *b);
	/*
	 * Offset of a bool. A recording may forget rows in which it is set when too many are known.
	 * 0 = never.
	 */
	size_t gone;
	/*
	 * A recording marks a row that was in the previous snapshot and is not in this one as gone,
	 * and a replay then drops it. false = rows stay.
	 */
	bool says_gone;
	/*
	 * Removes from a row what a recording does not know about the time before its first
	 * interval. NULL = nothing.
	 */
	void (*forget)(void *row);
	bool has_netns;  /* a recording has the namespace's name too */
	size_t netns;    /* offset of the namespace's inode */
	size_t ifindex;  /* offset of the ifindex whose pod is written; 0 = none */
	size_t max_rows; /* limit for a recording */
	/* Counters that only grow: n_counters uint64_t from this offset in a row. */
	size_t counters, n_counters;
	/*
	 * The JSON object of a row: record.row is the row, record.row_before the row in the
	 * previous snapshot.
	 */
	const struct record_object *record;
	const struct data_source_metric *metrics; /* ends with name NULL; NULL = none */
	uint32_t metric_labels; /* HAS_* and LABEL_*: fields of the record that distinguish rows */
	/* Whether a row has a known value of it. NULL = every row has. */
	bool (*has_metric)(const void *row, const struct data_source_metric *metric);
	size_t shared_counters, n_shared; /* counters that rows with the same labels share */
	bool totals; /* values are written unchanged, because rows do not share labels */
	bool gauges; /* the metrics can also fall; needs `totals` */

	/*
	 * Live. The functions get zeroed memory of state_size bytes. open: 0; 1 = not available on
	 * this machine, and *error says why; -errno and *error end the start. close follows each
	 * open, whatever it returned. Only open and sample are mandatory.
	 */
	size_t state_size;
	int (*open)(void *state, struct live *live, struct error *error);
	/* After the drop of privileges, before the first sample: start threads. 0 or -errno. */
	int (*start)(void *state);
	/* Fetch changes; data that arrives after the snapshot is taken appears in the next one. */
	void (*refresh)(void *state);
	/*
	 * Called between two snapshots every SOURCE_LOOK_MS, for work that cannot wait for the
	 * next.
	 */
	void (*look)(void *state);
	/* Add rows to a snapshot whose times are set. 0, or -errno = it has failed for good. */
	int (*sample)(void *state, struct snapshot *to);
	/* Before ^Z stops the process (stop), and after it resumes. */
	void (*suspend)(void *state, bool stop);
	/* Whether the remaining capabilities suffice. 0 or -errno. */
	int (*capability_check)(void *state);
	void (*close)(void *state);
};

/* Members of a source: the type of its rows, the first member after the key, the most rows. */
#define ROW_TYPE(T, after_key, max) \
	.row_size = sizeof(T), .key_size = offsetof(T, after_key), .max_rows = (max)
#define ROW_GONE(T)   .gone = offsetof(T, gone), .says_gone = true
#define ROW_NETNS(T)  .has_netns = true, .netns = offsetof(T, netns)
#define ROW_DEVICE(T) ROW_NETNS(T), .ifindex = offsetof(T, ifindex)
/* From this one to the end of the row. */
#define ROW_COUNTERS(T, first)          \
	.counters = offsetof(T, first), \
	.n_counters = (sizeof(T) - offsetof(T, first)) / sizeof(uint64_t)

/* By enum data_source_id; see src/model/data_sources.h. */
extern const struct data_source *const data_sources[DATA_SOURCE_COUNT];

/* The source of objects with this type ("device"), or -1. */
int data_source_find(const char *type);
/* All objects of a recording, including objects of data sources; NULL = no more. */
const struct record_object *data_source_object(size_t i);
/* Order of rows by key; 0 = the same object, possibly in another snapshot. */
static inline int data_source_compare(const struct data_source *source, const void *a,
				      const void *b)
{
	return compare_words(a, b, source->key_size / sizeof(uint32_t));
}

static inline bool data_source_is_gone(const struct data_source *source, const void *row)
{
	return source->gone && *((const bool *)row + source->gone);
}

static inline uint32_t data_source_netns(const struct data_source *source, const void *row)
{
	return *(const uint32_t *)((const char *)row + source->netns);
}

/* The first row in a snapshot; *n is the number of rows. */
const void *data_source_rows(const struct snapshot *s, enum data_source_id id, size_t *n);
/* The same for rows that begin with the first numbers of `like`; NULL if there are none. */
const void *data_source_rows_like(const struct snapshot *s, enum data_source_id id,
				  const void *like, size_t words, size_t *n);
/* Define data_source_rows() with the type of the rows. */
#define DATA_SOURCE_ROWS(fn, type, id)                      \
	const type *fn(const struct snapshot *s, size_t *n) \
	{                                                   \
		return data_source_rows(s, id, n);          \
	}
void *data_source_row_at(const struct snapshot *s, enum data_source_id id, size_t at);
/* The row of a snapshot that compares equal to `like`, or NULL: O(log n). s may be NULL. */
void *data_source_row(const struct snapshot *s, enum data_source_id id, const void *like);
/* Sort the rows. True = they were not sorted. */
bool data_source_sort(struct snapshot *s, enum data_source_id id);
