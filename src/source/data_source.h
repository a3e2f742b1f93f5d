/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A data source: what is read beside, and with, the tracepoints. Live it opens what it needs before
 * the privileges go and fills its rows of each snapshot; a recording fills the same rows from the
 * JSON objects that were written of them. All that reads snapshots cannot tell the two apart.
 *
 * Adding one: a file here, a row in src/model/data_sources.h, and a view that shows its rows.
 */
#ifndef XDPTOP_DATA_SOURCE_H
#define XDPTOP_DATA_SOURCE_H

#include "model/snapshot.h"
#include "schema/record.h"

struct live; /* src/source/live_source.h */

/* A counter of a source's rows, as Prometheus has it: the sum of those with the same labels. */
struct data_source_metric {
	const char *name; /* xdptop_..._total */
	const char *help;
	size_t counter; /* its offset in a row */
};

/* Labels beside those of a tracepoint: of a row with HAS_DEVICE its device and netns. */
enum {
	LABEL_CPU = 1 << 16, /* only with -C */
	LABEL_QUEUE = 1 << 17,
};

struct data_source {
	const char *name;
	const char *help; /* what it reads, one line */

	/* Its rows in a snapshot. row_size 0 = it has none, and the functions are NULL. */
	size_t row_size; /* at most RECORD_ROW_SIZE */
	size_t key_size; /* a row begins with what names it: numbers of 4 bytes */
	/* Order of the rows by that; 0 = the same thing in another snapshot. */
	int (*compare)(const void *a, const void *b);
	/*
	 * Whether nothing has changed of it: then it is not written again. NULL = by all its bytes.
	 */
	bool (*is_same)(const void *a, const void *b);
	/*
	 * Offset of a bool in it. In a recording: it may be forgotten where too many rows are
	 * known. 0 = never.
	 */
	size_t gone;
	/*
	 * A recording has a row with that set of what was in the snapshot before and is not in this
	 * one; a replay drops it then. false = rows stay.
	 */
	bool says_gone;
	/*
	 * Takes from a row what a recording does not say of the time before its first interval.
	 * NULL = nothing.
	 */
	void (*forget)(void *row);
	bool has_netns;  /* the name of a network namespace is written with it */
	size_t netns;    /* offset of the inode of that */
	size_t ifindex;  /* offset of that of its device there, whose pod is written; 0 = none */
	size_t max_rows; /* that a recording may have of it */
	/* What only grows: n_counters uint64_t from this offset of a row on. */
	size_t counters, n_counters;
	/* The JSON object of a row: record.row is the row, record.row_before it in the snapshot
	 * before. */
	const struct record_object *record;
	const struct data_source_metric *metrics; /* ends with name NULL; NULL = none */
	uint32_t metric_labels; /* HAS_* and LABEL_*: fields of its record that tell rows apart */
	/* Whether a row has it, and it is known. NULL = each row has. */
	bool (*has_metric)(const void *row, const struct data_source_metric *metric);
	size_t shared_counters, n_shared; /* those of them that rows with the same labels share */
	bool totals;                      /* each is given as it is: rows do not share labels */

	/*
	 * Live. open: *state is what the others get, NULL = this machine has none of it, and
	 * `why` says why. An error ends the start: -errno, *exit_code, and why is for the user.
	 * Only open, sample and close must be there; close takes NULL.
	 */
	int (*open)(void **state, struct live *live, int *exit_code, char *why, size_t why_size);
	/* Once privileges are dropped, before the first sample: threads. 0 or -errno. */
	int (*start)(void *state);
	/* News are asked for; what is not there when the snapshot is taken comes with the next. */
	void (*refresh)(void *state);
	/* Between two snapshots, every SOURCE_LOOK_MS, while something cannot wait for the next. */
	void (*look)(void *state);
	/* Add its rows to a snapshot with the times set: 0, or -errno = it has failed for good. */
	int (*sample)(void *state, struct snapshot *to);
	/* Before ^Z stops the process, and behind it. */
	void (*suspend)(void *state, bool stop);
	/* Whether all works with the capabilities that are left: 0 or -errno. */
	int (*capability_check)(void *state);
	void (*close)(void *state);
};

/* By enum data_source_id; see src/model/data_sources.h. */
extern const struct data_source *const data_sources[DATA_SOURCE_COUNT];

/* The source that has objects of this type ("device"), or -1. */
int data_source_find(const char *type);
/* All objects of a recording, those of data sources among them; NULL = there are no more. */
const struct record_object *data_source_object(size_t i);
static inline bool data_source_is_gone(const struct data_source *source, const void *row)
{
	return source->gone && *((const bool *)row + source->gone);
}

static inline uint32_t data_source_netns(const struct data_source *source, const void *row)
{
	return *(const uint32_t *)((const char *)row + source->netns);
}

/* Its rows in a snapshot: the first one, and how many. */
const void *data_source_rows(const struct snapshot *s, enum data_source_id id, size_t *n);
/* The row of a snapshot that compares equal to `like`, or NULL: O(log n). */
void *data_source_row(const struct snapshot *s, enum data_source_id id, const void *like);
/* Put the rows in order: whether they were not. */
bool data_source_sort(struct snapshot *s, enum data_source_id id);

#endif
