/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building blocks for tables of recorded fields (src/schema/record_fields.c): rows, and getters and
 * setters for members that are stored as they are shown.
 */
#pragma once

#include "schema/record.h"

#define FIELD_GET(fn) \
	void fn(const struct record_field *f, const struct record *r, struct record_value *v)
#define FIELD_SET(fn) \
	bool fn(const struct record_field *f, struct record *r, const struct record_value *v)

/* Define getters of a text (NULL = unknown) and, on a condition, of a count, or as another one. */
#define GET_TEXT(fn, text)                \
	static FIELD_GET(fn)              \
	{                                 \
		field_give_text(v, text); \
	}
#define GET_COUNT(fn, condition, n)             \
	static FIELD_GET(fn)                    \
	{                                       \
		if (condition)                  \
			field_give_count(v, n); \
	}
#define GET_IF(fn, condition, get)    \
	static FIELD_GET(fn)          \
	{                             \
		if (condition)        \
			get(f, r, v); \
	}

/* The row of a record, which a setter may write. */
#define ROW_OF(type, r) ((type *)(r)->row)

void field_give_count(struct record_value *v, uint64_t n);
void field_give_integer(struct record_value *v, int64_t n);
void field_give_real(struct record_value *v, double n);
/* NULL and "" are unknown. */
void field_give_text(struct record_value *v, const char *text);
/* The device's name from other rows of the snapshot or, if it is gone, of the previous one. */
void field_give_ifname(struct record_value *v, const struct record *r, uint32_t netns,
		       uint32_t ifindex);
const void *field_member(const struct record_field *f, const struct record *r);

FIELD_GET(field_get_u64);
FIELD_SET(field_set_u64);
FIELD_GET(field_get_u32);
FIELD_SET(field_set_u32);
/* an id: 0 = unknown */
FIELD_GET(field_get_id);
/* a CPU: -1 = all or unknown */
FIELD_GET(field_get_cpu);
FIELD_SET(field_set_cpu);
/* an enum: one of field.names */
FIELD_GET(field_get_name);
FIELD_SET(field_set_name);
/* a map type: its name */
FIELD_GET(field_get_map_type);
FIELD_SET(field_set_map_type);
/* a bool: 0 or 1 */
FIELD_GET(field_get_bool);
FIELD_SET(field_set_bool);
/* an enum of unknown, no, yes: null, 0 or 1 */
FIELD_GET(field_get_answer);
FIELD_SET(field_set_answer);
/* a bool: "gone", else field.there */
FIELD_GET(field_get_gone);
FIELD_SET(field_set_gone);
/* The ids of a 0-terminated array, as text: "9,12". */
FIELD_GET(field_get_ids);
FIELD_SET(field_set_ids);
FIELD_GET(field_get_real);
FIELD_SET(field_set_real);
/* a float: negative = unknown */
FIELD_GET(field_get_rate);
FIELD_SET(field_set_rate);
FIELD_GET(field_get_text);
FIELD_SET(field_set_text);
/* truncates text that is too long */
FIELD_SET(field_set_cut_text);
/* Through a pointer to a struct pod: its name, namespace and container. */
FIELD_GET(field_get_pod);
FIELD_GET(field_get_pod_namespace);
FIELD_GET(field_get_pod_container);
FIELD_GET(field_get_time);
/* Null if it is 0. */
FIELD_GET(field_get_known_time);
FIELD_SET(field_set_time);
FIELD_GET(field_get_type);
FIELD_GET(field_get_interval);
FIELD_SET(field_set_interval);
FIELD_GET(field_get_per_s);

#define FIELD(n, t, h, g, s, ...)                                                           \
	{                                                                                   \
		.name = n, .type = VALUE_##t, .has = (h), .get = g, .set = s, ##__VA_ARGS__ \
	}
/* For data that only some runs have: omitted, not null, while unknown. */
#define OPTIONAL            .optional = true
#define MEMBER_OF(type, m)  .offset = offsetof(type, m), .size = sizeof(((type *)0)->m)
#define MEMBER(m)           MEMBER_OF(struct record, m)
#define ROW_MEMBER(type, m) MEMBER_OF(type, m), .of_row = true
/* Unknown while member m of the row is 0. */
#define KNOWN_BY(type, m) .known = offsetof(type, m), .known_size = sizeof(((type *)0)->m)
#define RECORD_OBJECT(name, fields)                                \
	{                                                          \
		name, fields, sizeof(fields) / sizeof((fields)[0]) \
	}

#define FIELD_TYPE    FIELD("type", TEXT, 0, field_get_type, NULL)
#define FIELD_TIME(m) FIELD("time", TEXT, 0, field_get_time, field_set_time, MEMBER(m))
/* What every object of a snapshot begins with. */
#define FIELDS_OF_SNAPSHOT FIELD_TYPE, FIELD_COUNT("seq", 0, seq), FIELD_TIME(time)
/* Fields of a member of struct record: name, tracepoints that have it, member, and attributes. */
#define RECORD_FIELD(t, g, s, n, h, m, ...) \
	FIELD(n, t, h, field_get_##g, s, MEMBER(m), ##__VA_ARGS__)
#define FIELD_TEXT(...)     RECORD_FIELD(TEXT, text, field_set_text, __VA_ARGS__)
#define FIELD_CUT_TEXT(...) RECORD_FIELD(TEXT, text, field_set_cut_text, __VA_ARGS__)
#define FIELD_COUNT(...)    RECORD_FIELD(COUNT, u64, field_set_u64, __VA_ARGS__)
#define FIELD_ID(...)       RECORD_FIELD(COUNT, id, field_set_u32, __VA_ARGS__)
#define FIELD_NUMBER(n, m)  RECORD_FIELD(COUNT, u32, field_set_u32, n, 0, m)
#define FIELD_CPU(m)        RECORD_FIELD(COUNT, cpu, field_set_cpu, "cpu", 0, m)
/* The pod of the device, or with "to_" of the target. A recording has pods as own objects. */
#define FIELD_POD(prefix, h, m)                                                              \
	RECORD_FIELD(TEXT, pod, NULL, prefix "pod", h, m, OPTIONAL),                         \
		RECORD_FIELD(TEXT, pod_namespace, NULL, prefix "namespace", h, m, OPTIONAL), \
		RECORD_FIELD(TEXT, pod_container, NULL, prefix "container", h, m, OPTIONAL)
#define FIELD_REAL(n, g, m) FIELD(n, REAL, 0, g, field_set_real, MEMBER(m))

/* An enum, whose names are the array of NAMES. */
#define NAMES(array)       .names = array, .n_names = sizeof(array) / sizeof((array)[0])
#define FIELD_NAME(n, ...) FIELD(n, TEXT, 0, field_get_name, field_set_name, __VA_ARGS__)

/* The same for a member of a row: its name, the row's type, the member, and attributes. */
#define ROW_FIELD(t, g, s, n, T, m, ...) \
	FIELD(n, t, 0, field_get_##g, field_set_##s, ROW_MEMBER(T, m), ##__VA_ARGS__)
#define ROW_FIELD_TEXT(...)     ROW_FIELD(TEXT, text, text, __VA_ARGS__)
#define ROW_FIELD_CUT_TEXT(...) ROW_FIELD(TEXT, text, cut_text, __VA_ARGS__)
#define ROW_FIELD_IDS(...)      ROW_FIELD(TEXT, ids, ids, __VA_ARGS__)
#define ROW_FIELD_MAP_TYPE(...) ROW_FIELD(TEXT, map_type, map_type, __VA_ARGS__)
#define ROW_FIELD_TIME(...)     ROW_FIELD(TEXT, time, time, __VA_ARGS__)
/* Null if it is 0. Of values that are not read for each snapshot: see rates_age(). */
#define ROW_FIELD_KNOWN_TIME(...)   ROW_FIELD(TEXT, known_time, time, __VA_ARGS__)
#define ROW_FIELD_COUNT(...)        ROW_FIELD(COUNT, u64, u64, __VA_ARGS__)
#define ROW_FIELD_NUMBER(...)       ROW_FIELD(COUNT, u32, u32, __VA_ARGS__)
#define ROW_FIELD_ID(...)           ROW_FIELD(COUNT, id, u32, __VA_ARGS__)
#define ROW_FIELD_CPU(...)          ROW_FIELD(COUNT, cpu, cpu, __VA_ARGS__)
#define ROW_FIELD_BOOL(...)         ROW_FIELD(COUNT, bool, bool, __VA_ARGS__)
#define ROW_FIELD_ANSWER(...)       ROW_FIELD(COUNT, answer, answer, __VA_ARGS__)
#define ROW_FIELD_REAL(...)         ROW_FIELD(REAL, real, real, __VA_ARGS__)
#define ROW_FIELD_RATE(...)         ROW_FIELD(REAL, rate, rate, __VA_ARGS__)
#define ROW_FIELD_GONE(other, T, m) ROW_FIELD(TEXT, gone, gone, "state", T, m, .there = other)
#define ROW_FIELD_NAME(n, T, m, a, ...) \
	ROW_FIELD(TEXT, name, name, n, T, m, NAMES(a), ##__VA_ARGS__)
/* A counter of a row: in the interval (read back into record.row_before), in total, per second. */
#define ROW_FIELD_COUNTER(n, T, m, ...)                               \
	ROW_FIELD(COUNT, interval, interval, n, T, m, ##__VA_ARGS__), \
		ROW_FIELD_COUNT(n "_total", T, m, ##__VA_ARGS__),     \
		FIELD(n "_per_s", REAL, 0, field_get_per_s, NULL, ROW_MEMBER(T, m), ##__VA_ARGS__)
