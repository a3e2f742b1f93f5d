// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/record_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void record_reader_init(struct record_reader *r, int fd)
{
	memset(r, 0, sizeof(*r));
	line_reader_init(&r->lines, fd);
}

void record_reader_start(struct record_reader *r, int fd)
{
	line_reader_start(&r->lines, fd);
	r->damaged = false;
}

void record_reader_free(struct record_reader *r)
{
	line_reader_free(&r->lines);
	json_line_free(&r->line);
}

/* The longest line that xdptop writes: a byte of text becomes at most three (a line end), and a
 * number needs fewer than are reserved here. */
_Static_assert(3 * sizeof(struct record) + 64 * (RECORD_NUMBER_LEN + 32) < LINE_READER_MAX,
	       "xdptop's own longest line must fit in LINE_READER_MAX");

#define bad_line(r, ...) error_set(&(r)->error, -EBADMSG, __VA_ARGS__)

/* The object of the line, NULL = unknown; sets *source to its data source, -1 = none. */
static const struct record_object *find_object(const struct json_line *line, int *source)
{
	const char *type = json_line_text(line, "type");

	*source = -1;
	for (int i = 0; i < RECORD_LIST; i++)
		if (!strcmp(record_objects[i].type, type))
			return &record_objects[i];
	*source = data_source_find(type);
	return *source < 0 ? NULL : data_sources[*source]->record;
}

/* Tracepoints unknown to this version get ids in the order of their names. */
static bool find_tracepoint(struct record_reader *r, const char *name, uint32_t *id)
{
	int found = tracepoint_find(name), i;

	if (!strcmp(name, TP_VERDICTS_NAME))
		found = TP_VERDICTS;
	else if (!strcmp(name, TP_FOLLOW_NAME))
		found = TP_FOLLOW;
	for (i = 0; found < 0 && i < TP_OTHERS; i++) {
		if (!r->other[i][0])
			snprintf(r->other[i], sizeof(r->other[i]), "%s", name);
		if (!strcmp(r->other[i], name))
			found = TP_OTHER + i;
	}
	*id = found < 0 ? 0 : (uint32_t)found;
	return found >= 0;
}

static bool is_given(const struct json_line *line, const char *name)
{
	const struct record_value *v = json_line_find(line, name);

	return v && v->type != VALUE_NULL;
}

/* Restore what src/schema/record_fields.c writes as null. */
static void restore_identity(struct record *record, const struct json_line *line)
{
	const uint16_t placed = HAS_DEVICE | HAS_TO_DEVICE | HAS_TO_CPU | HAS_MAP;
	static const struct series_key none;
	struct series_key key = record->series.key;
	uint16_t has = tracepoints[record->tracepoint].has;

	record->series.tracepoint = record->tracepoint;
	if ((has & HAS_MAP) && !key.map_type && !key.map_id && is_given(line, "to_ifindex"))
		record->series.key.map_id = SERIES_MAP_ID_IFINDEX;
	/* the classic backend does not know map types */
	if ((has & HAS_TO_DEVICE) && !key.map_type && key.map_id)
		record->series.key.map_type =
			is_given(line, "to_ifindex") ? SERIES_MAP_SOME_DEVMAP : SERIES_MAP_UNKNOWN;
	key.code = 0;
	record->series.overflow = (has & placed) && !record->series.ifname[0] &&
				  !memcmp(&key, &none, sizeof(key)) && !is_given(line, "to_cpu") &&
				  !is_given(line, "map_index");
	record->followed.event.key = record->series.key;
	record->followed.event.tracepoint = record->tracepoint;
}

/*
 * The value of the ith field. The order is a hint only, because another version or program may have
 * written it.
 */
static const struct record_value *field_value(const struct json_line *line, size_t i,
					      const char *name)
{
	if (i < line->n && !strcmp(line->pair[i].name, name))
		return &line->pair[i].value;
	return json_line_find(line, name);
}

/* Copy the values of the line to r->record. 0 or -EBADMSG. */
static int set_record(struct record_reader *r, const struct record_object *object)
{
	const struct record_value *v = json_line_find(&r->line, "tracepoint");
	bool needs_tp = record_find(object, "tracepoint");
	struct record *record = &r->record;
	enum record_type type;
	size_t i;

	if (r->source < 0)
		record_init(record, (enum record_type)(object - record_objects));
	else
		record_init_row(record, object);
	type = record->type;
	record->row = memset(r->row, 0, sizeof(r->row));
	record->row_before = memset(r->interval, 0, sizeof(r->interval));
	record->schema = 0; /* take the value from the line */
	if (needs_tp && type == RECORD_EVENT && is_given(&r->line, "change"))
		record->tracepoint = TP_NONE;
	else if (needs_tp && (!v || v->type != VALUE_TEXT || !v->text[0]))
		return bad_line(r, "its tracepoint has no name");
	else if (needs_tp && !find_tracepoint(r, v->text, &record->tracepoint))
		return bad_line(r, "too many unknown tracepoints");
	for (i = 0; i < object->n_fields; i++) {
		const struct record_field *f = &object->fields[i];

		v = field_value(&r->line, i, f->name);
		if (v && !record_set(f, record, v))
			return bad_line(r, "%s cannot have that value", f->name);
	}
	if ((type == RECORD_TRACEPOINT || type == RECORD_SAMPLE || type == RECORD_ROW) &&
	    !record->time.tv_sec)
		return bad_line(r, "it has no time");
	if (type == RECORD_SAMPLE || type == RECORD_EVENT)
		restore_identity(record, &r->line);
	return 0;
}

/* 0 = r->record is filled, 1 = skip the line, else -errno. */
static int parse_line(struct record_reader *r, const char *line, size_t len)
{
	const struct record_object *object;
	int err;

	if (len && line[len - 1] == '\r')
		len--;
	if (!len)
		return 1;
	err = json_line_parse(&r->line, line, len, &r->error);
	/* a killed writer leaves half a line at the end */
	if (err == -EINVAL)
		return r->lines.cut ? 1 : -EBADMSG;
	if (err)
		return err;
	object = find_object(&r->line, &r->source);
	/* later versions have more objects */
	return object ? set_record(r, object) : 1;
}

int record_reader_next(struct record_reader *r)
{
	const char *line;
	size_t len;
	int err;

	do {
		err = line_reader_next(&r->lines, &line, &len);
		if (!err)
			return 1;
		if (err == -EMSGSIZE)
			return bad_line(r, "it is longer than %u bytes", LINE_READER_MAX);
		r->damaged |= err == -EUCLEAN || err == -E2BIG;
		if (err == -EUCLEAN)
			return bad_line(r, "the compressed data is damaged from here on");
		if (err == -E2BIG)
			return bad_line(r,
					"it is compressed with a window above %u MiB; use zstdcat "
					"--long=31 FILE | xdptop -r -",
					1u << (LINE_READER_WINDOW - 20));
		if (err < 0)
			return err;
		err = parse_line(r, line, len);
	} while (err == 1);
	return err;
}
