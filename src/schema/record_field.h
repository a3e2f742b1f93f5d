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
FIELD_GET(field_get_text);
FIELD_SET(field_set_text);
/* truncates a text that is too long */
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
#define FIELDS_OF_SNAPSHOT   FIELD_TYPE, FIELD_COUNT("seq", 0, seq), FIELD_TIME(time)
#define FIELD_TEXT(n, h, m)  FIELD(n, TEXT, h, field_get_text, field_set_text, MEMBER(m))
#define FIELD_COUNT(n, h, m) FIELD(n, COUNT, h, field_get_u64, field_set_u64, MEMBER(m))
#define FIELD_ID(n, h, m)    FIELD(n, COUNT, h, field_get_id, field_set_u32, MEMBER(m))
#define FIELD_NUMBER(n, m)   FIELD(n, COUNT, 0, field_get_u32, field_set_u32, MEMBER(m))
#define FIELD_CPU(m)         FIELD("cpu", COUNT, 0, field_get_cpu, field_set_cpu, MEMBER(m))
/* The pod of the device, or with "to_" of the target. A recording has pods as own objects. */
#define FIELD_POD(prefix, h, m)                                                             \
	FIELD(prefix "pod", TEXT, h, field_get_pod, NULL, OPTIONAL, MEMBER(m)),             \
		FIELD(prefix "namespace", TEXT, h, field_get_pod_namespace, NULL, OPTIONAL, \
		      MEMBER(m)),                                                           \
		FIELD(prefix "container", TEXT, h, field_get_pod_container, NULL, OPTIONAL, \
		      MEMBER(m))
#define FIELD_REAL(n, g, m) FIELD(n, REAL, 0, g, field_set_real, MEMBER(m))

/* An enum, whose names are the array of NAMES. */
#define NAMES(array)               .names = array, .n_names = sizeof(array) / sizeof((array)[0])
#define FIELD_NAME(n, ...)         FIELD(n, TEXT, 0, field_get_name, field_set_name, __VA_ARGS__)
#define ROW_FIELD_NAME(n, T, m, a) FIELD_NAME(n, ROW_MEMBER(T, m), NAMES(a))

/* The same for members of a row, which is a struct of type T. */
#define ROW_FIELD_TEXT(n, T, m)   FIELD(n, TEXT, 0, field_get_text, field_set_text, ROW_MEMBER(T, m))
#define ROW_FIELD_TIME(n, T, m)   FIELD(n, TEXT, 0, field_get_time, field_set_time, ROW_MEMBER(T, m))
#define ROW_FIELD_COUNT(n, T, m)  FIELD(n, COUNT, 0, field_get_u64, field_set_u64, ROW_MEMBER(T, m))
#define ROW_FIELD_ID(n, T, m)     FIELD(n, COUNT, 0, field_get_id, field_set_u32, ROW_MEMBER(T, m))
#define ROW_FIELD_NUMBER(n, T, m) FIELD(n, COUNT, 0, field_get_u32, field_set_u32, ROW_MEMBER(T, m))
#define ROW_FIELD_GONE(other, T, m) \
	FIELD("state", TEXT, 0, field_get_gone, field_set_gone, ROW_MEMBER(T, m), .there = other)
/* The time at which values were read, if they are not read for each snapshot: rates_age(). */
#define FIELD_READ_AT(n, T, m) \
	FIELD(n, TEXT, 0, field_get_known_time, field_set_time, ROW_MEMBER(T, m), OPTIONAL)
/* A counter of a row: in the interval (read back into record.row_before), in total, per second. */
#define ROW_FIELD_COUNTER(n, T, m, ...)                                                     \
	FIELD(n, COUNT, 0, field_get_interval, field_set_interval, ROW_MEMBER(T, m),        \
	      ##__VA_ARGS__),                                                               \
		FIELD(n "_total", COUNT, 0, field_get_u64, field_set_u64, ROW_MEMBER(T, m), \
		      ##__VA_ARGS__),                                                       \
		FIELD(n "_per_s", REAL, 0, field_get_per_s, NULL, ROW_MEMBER(T, m), ##__VA_ARGS__)
