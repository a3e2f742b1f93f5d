// SPDX-License-Identifier: GPL-2.0-or-later
#include "schema/record_field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/sanitize.h"
#include "model/pod.h"

void field_give_count(struct record_value *v, uint64_t n)
{
	v->type = VALUE_COUNT;
	v->count = n;
}

void field_give_integer(struct record_value *v, int64_t n)
{
	v->type = VALUE_INTEGER;
	v->integer = n;
}

void field_give_real(struct record_value *v, double n)
{
	v->type = VALUE_REAL;
	v->real = n;
}

void field_give_text(struct record_value *v, const char *text)
{
	if (!text || !*text)
		return;
	v->type = VALUE_TEXT;
	v->text = text;
}

void field_give_ifname(struct record_value *v, const struct record *r, uint32_t netns,
		       uint32_t ifindex)
{
	const struct netdev *d = NULL;

	if (r->rates)
		d = snapshot_find_netdev(r->rates->to, netns, ifindex);
	if (!d && r->rates && r->rates->from)
		d = snapshot_find_netdev(r->rates->from, netns, ifindex);
	if (d)
		field_give_text(v, d->name);
}

/* Members that are stored as they are shown. */

const void *field_member(const struct record_field *f, const struct record *r)
{
	return (const char *)(f->of_row ? r->row : r) + f->offset;
}

FIELD_GET(field_get_u64)
{
	field_give_count(v, *(const uint64_t *)field_member(f, r));
}

FIELD_SET(field_set_u64)
{
	*(uint64_t *)field_member(f, r) = v->count;
	return true;
}

FIELD_GET(field_get_u32)
{
	field_give_count(v, *(const uint32_t *)field_member(f, r));
}

FIELD_SET(field_set_u32)
{
	*(uint32_t *)field_member(f, r) = (uint32_t)v->count;
	return v->count <= UINT32_MAX;
}

FIELD_GET(field_get_id)
{
	if (*(const uint32_t *)field_member(f, r))
		field_get_u32(f, r, v);
}

FIELD_GET(field_get_cpu)
{
	if (*(const int *)field_member(f, r) >= 0)
		field_give_count(v, (uint64_t) * (const int *)field_member(f, r));
}

/* No kernel has more CPUs, and data that is kept by CPU stays small. */
FIELD_SET(field_set_cpu)
{
	*(int *)field_member(f, r) = (int)v->count;
	return v->count <= UINT16_MAX;
}

FIELD_GET(field_get_name)
{
	uint32_t value = *(const uint32_t *)field_member(f, r);

	field_give_text(v, value < f->n_names ? f->names[value] : NULL);
}

FIELD_SET(field_set_name)
{
	for (uint32_t i = 0; i < f->n_names; i++) {
		if (!f->names[i] || strcmp(f->names[i], v->text))
			continue;
		*(uint32_t *)field_member(f, r) = i;
		return true;
	}
	return false;
}

FIELD_GET(field_get_map_type)
{
	field_give_text(v, map_type_name(*(const uint32_t *)field_member(f, r)));
}

FIELD_SET(field_set_map_type)
{
	int type = map_type_find(v->text);

	*(uint32_t *)field_member(f, r) = type < 0 ? 0 : (uint32_t)type;
	return type >= 0;
}

FIELD_GET(field_get_bool)
{
	field_give_count(v, *(const bool *)field_member(f, r));
}

FIELD_SET(field_set_bool)
{
	*(bool *)field_member(f, r) = v->count;
	return v->count <= 1;
}

FIELD_GET(field_get_answer)
{
	if (*(const uint32_t *)field_member(f, r))
		field_give_count(v, *(const uint32_t *)field_member(f, r) - 1);
}

FIELD_SET(field_set_answer)
{
	*(uint32_t *)field_member(f, r) = v->count ? 2 : 1;
	return v->count <= 1;
}

FIELD_GET(field_get_gone)
{
	field_give_text(v, *(const bool *)field_member(f, r) ? "gone" : f->there);
}

FIELD_SET(field_set_gone)
{
	bool *gone = (bool *)field_member(f, r);

	*gone = !strcmp(v->text, "gone");
	return *gone || !strcmp(v->text, f->there);
}

FIELD_GET(field_get_ids)
{
	const uint32_t *id = field_member(f, r);
	size_t len = 0;

	for (size_t i = 0; i < f->size / sizeof(*id) && id[i]; i++)
		len += (size_t)snprintf(v->buf + len, sizeof(v->buf) - len, len ? ",%u" : "%u",
					id[i]);
	if (len)
		field_give_text(v, v->buf);
}

FIELD_SET(field_set_ids)
{
	uint32_t *id = (uint32_t *)field_member(f, r);
	const char *text = v->text;
	char *end;

	for (size_t i = 0; i < f->size / sizeof(*id); i++) {
		unsigned long number = strtoul(text, &end, 10);

		if (end == text || number > UINT32_MAX)
			return false;
		id[i] = (uint32_t)number;
		if (*end != ',')
			return !*end;
		text = end + 1;
	}
	return false;
}

FIELD_GET(field_get_real)
{
	field_give_real(v, *(const double *)field_member(f, r));
}

FIELD_SET(field_set_real)
{
	*(double *)field_member(f, r) = v->real;
	return v->real >= 0;
}

/* No more digits than a float has: 0.2, not 0.200000003. */
FIELD_GET(field_get_rate)
{
	float rate = *(const float *)field_member(f, r);

	if (rate >= 0)
		field_give_real(v, round((double)rate * 1000) / 1000);
}

FIELD_SET(field_set_rate)
{
	*(float *)field_member(f, r) = (float)v->real;
	return v->real >= 0;
}

FIELD_GET(field_get_text)
{
	field_give_text(v, field_member(f, r));
}

FIELD_SET(field_set_text)
{
	return (size_t)snprintf((char *)field_member(f, r), f->size, "%s", v->text) < f->size;
}

FIELD_SET(field_set_cut_text)
{
	sanitize_format((char *)field_member(f, r), f->size, "%s", v->text);
	return true;
}

static const struct pod *pod_member(const struct record_field *f, const struct record *r)
{
	return *(const struct pod *const *)field_member(f, r);
}

FIELD_GET(field_get_pod)
{
	if (pod_member(f, r))
		field_give_text(v, pod_member(f, r)->name);
}

FIELD_GET(field_get_pod_namespace)
{
	if (pod_member(f, r))
		field_give_text(v, pod_member(f, r)->namespace);
}

FIELD_GET(field_get_pod_container)
{
	if (pod_member(f, r))
		field_give_text(v, pod_member(f, r)->container);
}

FIELD_GET(field_get_time)
{
	format_time(v->buf, sizeof(v->buf), field_member(f, r));
	field_give_text(v, v->buf);
}

FIELD_GET(field_get_known_time)
{
	const struct timespec *t = field_member(f, r);

	if (t->tv_sec)
		field_get_time(f, r, v);
}

FIELD_SET(field_set_time)
{
	return record_parse_time(v->text, (struct timespec *)field_member(f, r));
}

FIELD_GET(field_get_type)
{
	field_give_text(v, r->object->type);
}

/* How much a counter of the row has grown; null in the first snapshot that has the row. */
FIELD_GET(field_get_interval)
{
	uint64_t now = *(const uint64_t *)field_member(f, r), before;

	if (!r->row_before)
		return;
	before = *(const uint64_t *)((const char *)r->row_before + f->offset);
	field_give_count(v, now > before ? now - before : 0);
}

FIELD_SET(field_set_interval)
{
	r->has_interval = true;
	*(uint64_t *)((char *)r->row_before + f->offset) = v->count;
	return true;
}

FIELD_GET(field_get_per_s)
{
	field_get_interval(f, r, v);
	if (v->type == VALUE_COUNT)
		field_give_real(v, per_second(v->count, r->seconds));
}
