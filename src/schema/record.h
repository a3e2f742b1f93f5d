/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The objects of JSON Lines schema 1 (doc/recording.md), each as one table of fields: the JSON and
 * CSV writers and the recording reader all read the same table, so they cannot disagree.
 */
#pragma once

#include "model/rates.h"
#include "model/tracepoint.h"

#define RECORD_SCHEMA     1
#define RECORD_NETNS_LEN  1025 /* a file name, each byte as \xNN */
#define RECORD_TEXT_LEN   384  /* a time, a list of features */
#define RECORD_ROW_SIZE   768  /* of a row that is read back */
#define RECORD_NUMBER_LEN 320  /* any double without exponent */

struct pod; /* model/pod.h */

enum record_type {
	RECORD_HEADER,
	RECORD_TRACEPOINT,
	RECORD_SAMPLE,
	RECORD_EVENT,
	RECORD_END,
	RECORD_LIST, /* --list */
	RECORD_TYPES,
	RECORD_ROW = RECORD_TYPES, /* an object of its own: record.row */
};

/* What an object is made from, or was read into. Each object uses the part it needs. */
struct record {
	enum record_type type;
	const struct record_object *object;
	uint64_t schema, seq;
	struct timespec time;
	struct snapshot_host host; /* header */
	uint32_t tracepoint;       /* enum tracepoint_id */
	struct tp_count tp;   /* tracepoint; its name also for sample and event; end: sums of all */
	uint64_t tp_events;   /* its events in the interval */
	double seconds;       /* of the interval, while the tracepoint was attached */
	struct series series; /* sample */
	struct series_counters sum;   /* since the start: of the series, or of one CPU of it */
	struct series_counters delta; /* the same in the interval */
	int cpu;                      /* -1 = all */
	char netns_name[RECORD_NETNS_LEN];
	const struct pod *pod, *to_pod; /* when written: of the device, and of the target */
	struct followed followed;       /* event; only followed.event unless is_followed */
	bool is_followed;
	const void *row;        /* row of a data source, or of another part with its own object */
	const void *row_before; /* the same in the previous snapshot; NULL = not there */
	const struct rates *rates; /* that it is written from; NULL = it was read */
	bool has_interval;         /* a line that was read says how much a counter grew */
	char reason[16];           /* end */
};

/* VALUE_LINES is an array of strings: the lines of a text. */
enum value_type { VALUE_NULL, VALUE_COUNT, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT, VALUE_LINES };

struct record_value {
	enum value_type type;
	union {
		uint64_t count;
		int64_t integer;
		double real;
	};
	const char *text;          /* points into the record, a constant, or buf */
	char buf[RECORD_TEXT_LEN]; /* of a text made for this value */
};

struct record_field {
	const char *name;
	enum value_type type;
	uint16_t has; /* null unless the tracepoint has any of these; 0 = any tracepoint */
	/* `v` is VALUE_NULL at first. It stays so if the value is unknown. */
	void (*get)(const struct record_field *f, const struct record *r, struct record_value *v);
	/*
	 * Take a value of the field's own type (never null) from a recording; false = it is out of
	 * range. NULL = derived from others, not read back.
	 */
	bool (*set)(const struct record_field *f, struct record *r, const struct record_value *v);
	uint16_t offset, size; /* of the member, for the simple ones */
	bool of_row;           /* the member is in record.row; else in struct record */
	/*
	 * The value is unknown while this member, of the same struct, is 0. Setting the field sets
	 * it to true if it is a bool. known_size 0 = it is always known.
	 */
	uint16_t known, known_size;
	const char *const *names; /* of the values of an enum; NULL = unknown */
	uint16_t n_names;
	const char *there; /* the state of a row that is not "gone" */
	bool optional;     /* omitted while unknown, because it must be asked for */
};

struct record_object {
	const char *type;
	const struct record_field *fields;
	size_t n_fields;
};

extern const struct record_object record_objects[RECORD_TYPES];
/* A finding, and an incident of a timeline: record.row is a struct finding. */
extern const struct record_object finding_record, incident_record;
/* A refused BPF program: record.row is its enum iter_id, record.host has the refusals. */
extern const struct record_object refusal_record;

/* All zero, except where another value means "unknown". */
void record_init(struct record *r, enum record_type type);
/* The same for a row with its own object. */
void record_init_row(struct record *r, const struct record_object *object);
/* The value of a field, VALUE_NULL when unknown, not applicable or not finite. */
void record_get(const struct record_field *f, const struct record *r, struct record_value *v);
/*
 * Put a value from a recording into the record; null and fields that cannot be put back are left
 * alone. r->tracepoint must be set before. False = not of the field's type, or out of range.
 */
bool record_set(const struct record_field *f, struct record *r, const struct record_value *v);
/* A value as text in the C locale; "" for null. Points into v or buf. */
const char *record_text(const struct record_value *v, char *buf, size_t size);
/* A field of an object by name, or NULL. */
const struct record_field *record_find(const struct record_object *object, const char *name);
/* "2026-11-21T09:15:00.123456Z", as format_time() and format_time_ns() write it. */
bool record_parse_time(const char *text, struct timespec *t);
