/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a table of recorded fields (src/schema/record_fields.c) is written with: rows, and how a
 * member of struct record is taken and put back that is stored as it is shown.
 */
#ifndef XDPTOP_RECORD_FIELD_H
#define XDPTOP_RECORD_FIELD_H

#include "schema/record.h"

#define FIELD_GET(fn) \
	void fn(const struct record_field *f, const struct record *r, struct record_value *v)
#define FIELD_SET(fn) \
	bool fn(const struct record_field *f, struct record *r, const struct record_value *v)

void field_give_count(struct record_value *v, uint64_t n);
void field_give_integer(struct record_value *v, int64_t n);
void field_give_real(struct record_value *v, double n);
/* NULL and "" are unknown. */
void field_give_text(struct record_value *v, const char *text);
/* False when it is too long. */
bool field_take_text(char *to, size_t size, const struct record_value *v);
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
FIELD_GET(field_get_real);
FIELD_SET(field_set_real);
FIELD_GET(field_get_text);
FIELD_SET(field_set_text);
FIELD_GET(field_get_time);
FIELD_SET(field_set_time);
FIELD_GET(field_get_type);

#define FIELD(n, t, h, g, s, ...)                                                           \
	{                                                                                   \
		.name = n, .type = VALUE_##t, .has = (h), .get = g, .set = s, ##__VA_ARGS__ \
	}
#define MEMBER(m) .offset = offsetof(struct record, m), .size = sizeof(((struct record *)0)->m)

#define TYPE           FIELD("type", TEXT, 0, field_get_type, NULL)
#define TIME(m)        FIELD("time", TEXT, 0, field_get_time, field_set_time, MEMBER(m))
#define TEXT(n, h, m)  FIELD(n, TEXT, h, field_get_text, field_set_text, MEMBER(m))
#define COUNT(n, h, m) FIELD(n, COUNT, h, field_get_u64, field_set_u64, MEMBER(m))
#define ID(n, h, m)    FIELD(n, COUNT, h, field_get_id, field_set_u32, MEMBER(m))
#define NUMBER(n, m)   FIELD(n, COUNT, 0, field_get_u32, field_set_u32, MEMBER(m))
#define CPU(m)         FIELD("cpu", COUNT, 0, field_get_cpu, field_set_cpu, MEMBER(m))
#define REAL(n, g, m)  FIELD(n, REAL, 0, g, field_set_real, MEMBER(m))

#endif
