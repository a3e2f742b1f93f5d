// SPDX-License-Identifier: GPL-2.0-or-later
#include "schema/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/format.h"

/* Fields that a series' "table full" row does not have. */
#define HAS_IDENTITY                                                                        \
	(HAS_DEVICE | HAS_TO_DEVICE | HAS_TO_CPU | HAS_PROG | HAS_MAP | HAS_ACT | HAS_ERR | \
	 HAS_NETNS)

void record_init_row(struct record *r, const struct record_object *object)
{
	memset(r, 0, sizeof(*r));
	r->type = RECORD_ROW;
	r->object = object;
	r->schema = RECORD_SCHEMA;
	r->cpu = -1;
	r->followed.event.cpu = -1;
	r->tp.ns_per_event = -1;
	r->tp.cpu_percent = -1;
	r->tp.cost_cpu = -1;
}

void record_init(struct record *r, enum record_type type)
{
	record_init_row(r, &record_objects[type]);
	r->type = type;
}

/* The member that says whether the value is known. */
static char *known_member(const struct record_field *f, const struct record *r)
{
	return (char *)(f->of_row ? r->row : r) + f->known;
}

static bool is_unknown(const struct record_field *f, const struct record *r)
{
	size_t i = 0;

	while (i < f->known_size && !known_member(f, r)[i])
		i++;
	return f->known_size && i == f->known_size;
}

void record_get(const struct record_field *f, const struct record *r, struct record_value *v)
{
	v->type = VALUE_NULL;
	if (f->has && !(tracepoints[r->tracepoint].has & f->has))
		return;
	if (r->series.overflow && (f->has & HAS_IDENTITY))
		return;
	if (is_unknown(f, r))
		return;
	f->get(f, r, v);
	if (v->type == VALUE_REAL && !isfinite(v->real))
		v->type = VALUE_NULL;
}

/* Converts the value to another type if that keeps the number. */
static bool convert(const struct record_value *v, enum value_type type, struct record_value *to)
{
	*to = *v;
	if (v->type == type)
		return true;
	to->type = type;
	if (type == VALUE_REAL && v->type == VALUE_COUNT)
		to->real = (double)v->count;
	else if (type == VALUE_REAL && v->type == VALUE_INTEGER)
		to->real = (double)v->integer;
	else if (type == VALUE_INTEGER && v->type == VALUE_COUNT && v->count <= INT64_MAX)
		to->integer = (int64_t)v->count;
	else
		return false;
	return true;
}

bool record_set(const struct record_field *f, struct record *r, const struct record_value *v)
{
	struct record_value same;

	/* lines are only written */
	if (!f->set || v->type == VALUE_NULL || v->type == VALUE_LINES)
		return true;
	if (f->known_size == sizeof(bool))
		*(bool *)known_member(f, r) = true;
	return convert(v, f->type, &same) && f->set(f, r, &same);
}

/* At most six decimals, without trailing zeros, with a point in every locale. */
static void real_text(double n, char *buf, size_t size)
{
	double rest = fabs(n), whole = floor(rest);
	uint64_t micro;
	int len;

	/* from 2^53 on a double has no decimals */
	if (whole >= 9007199254740992.0) {
		snprintf(buf, size, "%.0f", n);
		return;
	}
	micro = (uint64_t)llround((rest - whole) * 1e6);
	if (micro == 1000000) {
		whole += 1;
		micro = 0;
	}
	len = snprintf(buf, size, "%s%" PRIu64, n < 0 && (whole > 0 || micro) ? "-" : "",
		       (uint64_t)whole);
	if (!micro || len < 0 || (size_t)len >= size)
		return;
	len += snprintf(buf + len, size - (size_t)len, ".%06" PRIu64, micro);
	while (len > 0 && (size_t)len < size && buf[len - 1] == '0')
		buf[--len] = '\0';
}

const char *record_text(const struct record_value *v, char *buf, size_t size)
{
	buf[0] = '\0';
	switch (v->type) {
	case VALUE_NULL:
		break;
	case VALUE_INTEGER:
		if (v->integer < 0) {
			snprintf(buf, size, "%" PRId64, v->integer);
			break;
		}
		/* fall through */
	case VALUE_COUNT:
		format_count(buf, size, v->count, NUMBER_RAW);
		break;
	case VALUE_REAL:
		real_text(v->real, buf, size);
		break;
	case VALUE_TEXT:
	case VALUE_LINES:
		return v->text;
	}
	return buf;
}

const struct record_field *record_find(const struct record_object *object, const char *name)
{
	for (size_t i = 0; i < object->n_fields; i++)
		if (!strcmp(object->fields[i].name, name))
			return &object->fields[i];
	return NULL;
}

bool record_parse_time(const char *text, struct timespec *t)
{
	struct tm tm = { 0 };
	int fraction, begin = 0, end = 0;
	bool nano;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%n%9d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &begin, &fraction, &end) != 7 ||
	    strcmp(text + end, "Z") || fraction < 0)
		return false;
	nano = end - begin == 9;
	if (!nano && end - begin > 6)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	t->tv_sec = timegm(&tm);
	t->tv_nsec = nano ? fraction : fraction * 1000L;
	/* nanoseconds in 64 bits end in 2262 */
	return t->tv_sec >= 0 && t->tv_sec < 9000000000;
}
