// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON Lines, schema 1: doc/recording.md. The fields are in src/schema/record_fields.c. */
#include <errno.h>
#include <json-c/json.h>
#include "output/output.h"
#include "source/data_source.h"

/* o->state is a json-c string that is reused to escape text. */
static void put_text(struct output *o, const char *text, size_t len)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *json = NULL;

	if (json_object_set_string_len(o->state, text, (int)len))
		json = json_object_to_json_string_ext(o->state, flags);
	if (!json)
		memory_missing();
	fputs(json, o->file);
}

static void put_lines(struct output *o, const char *text)
{
	fputc('[', o->file);
	while (*text) {
		size_t len = strcspn(text, "\n");

		put_text(o, text, len);
		text += len;
		text += *text == '\n';
		if (*text)
			fputc(',', o->file);
	}
	fputc(']', o->file);
}

static void put_value(struct output *o, const struct record_value *v)
{
	char buf[RECORD_NUMBER_LEN];
	const char *text = record_text(v, buf, sizeof(buf));

	if (v->type == VALUE_LINES)
		put_lines(o, text);
	else if (v->type == VALUE_TEXT)
		put_text(o, text, strlen(text));
	else
		fputs(v->type == VALUE_NULL ? "null" : text, o->file);
}

static int write_object(struct output *o, const struct record *record)
{
	char key[64]; /* all names are shorter */
	struct record_value v;

	for (size_t i = 0; i < record->object->n_fields; i++) {
		const struct record_field *f = &record->object->fields[i];

		record_get(f, record, &v);
		if (f->optional && v.type == VALUE_NULL)
			continue;
		stpcpy(stpcpy(stpcpy(key, i ? ",\"" : "{\""), f->name), "\":");
		fputs(key, o->file);
		put_value(o, &v);
	}
	fputs("}\n", o->file);
	return ferror(o->file) ? -EIO : 0;
}

static void create_string(struct output *o)
{
	if (!o->state)
		o->state = json_object_new_string("");
	if (!o->state)
		memory_missing();
}

int output_write_json(struct output *o, const struct record *record)
{
	create_string(o);
	return write_object(o, record);
}

/* One for each BPF program that the kernel refused. */
static int write_refused(struct output *o)
{
	struct record record;
	int err = 0;

	record_init_row(&record, &refusal_record);
	record.host = *o->host;
	for (enum iter_id id = 0; id < ITER_COUNT && !err; id++) {
		record.row = &id;
		if (o->host->refused[id].step)
			err = write_object(o, &record);
	}
	return err;
}

static int json_begin(struct output *o)
{
	struct record record;

	create_string(o);
	record_init(&record, RECORD_HEADER);
	record.host = *o->host;
	return write_object(o, &record) ?: write_refused(o);
}

static bool is_same_row(const struct data_source *source, const void *a, const void *b)
{
	return source->is_same ? source->is_same(a, b) : !memcmp(a, b, source->row_size);
}

/* A filter applies to devices and to what their drivers count. */
static bool is_wanted(const struct output *o, enum data_source_id id, const char *row)
{
	const struct data_source *source = data_sources[id];
	uint32_t ifindex;

	if (id != DATA_SOURCE_NETDEVS && id != DATA_SOURCE_ETHTOOL_STATS)
		return true;
	memcpy(&ifindex, row + source->ifindex, sizeof(ifindex));
	return sample_filter_wants_device(o->filter, data_source_netns(source, row), ifindex);
}

/* Writes the rows of the last written snapshot that are not in this one. */
static int write_gone(struct output *o, enum data_source_id id, const struct rates *r,
		      struct record *record)
{
	const struct data_source *source = data_sources[id];
	_Alignas(8) char gone[RECORD_ROW_SIZE];
	const char *row;
	int err = 0;
	size_t n;

	if (!source->says_gone || !r->from)
		return 0;
	row = data_source_rows(r->from, id, &n);
	for (size_t i = 0; i < n && !err; i++, row += source->row_size) {
		if (rates_cancelled(r))
			return -ECANCELED;
		if (data_source_row(r->to, id, row) || !is_wanted(o, id, row))
			continue;
		memcpy(gone, row, source->row_size);
		*((bool *)gone + source->gone) = true;
		record->row = gone;
		record->row_before = row;
		output_set_row(o, record, r->from, source);
		err = write_object(o, record);
	}
	return err;
}

/* Writes the rows that changed, but all rows in the first snapshot and the last. */
static int write_rows(struct output *o, enum data_source_id id, const struct rates *r, bool all)
{
	const struct data_source *source = data_sources[id];
	struct record record;
	const char *row;
	int err = 0;
	size_t n;

	record_init_row(&record, source->record);
	record.seq = r->to->seq;
	record.time = r->to->wall;
	record.seconds = output_seconds(r->seconds);
	record.rates = r;
	row = data_source_rows(r->to, id, &n);
	for (size_t i = 0; i < n && !err; i++, row += source->row_size) {
		if (rates_cancelled(r))
			return -ECANCELED;
		record.row = row;
		record.row_before = data_source_row(r->from, id, row);
		if ((!all && record.row_before && is_same_row(source, record.row_before, row)) ||
		    !is_wanted(o, id, row))
			continue;
		output_set_row(o, &record, r->to, source);
		err = write_object(o, &record);
	}
	return err ? err : write_gone(o, id, r, &record);
}

static int write_event(struct output *o, const struct snapshot *s, struct record *record)
{
	const struct event *e = &record->followed.event;

	record->series.key = e->key;
	record->tracepoint = record->series.tracepoint = e->tracepoint;
	output_set_series(o, record, s);
	if (e->tracepoint == TP_NONE)
		memset(&record->tp, 0, sizeof(record->tp));
	else
		record->tp = s->tp[e->tracepoint];
	return write_object(o, record);
}

static int write_events(struct output *o, const struct snapshot *s)
{
	struct record record;
	int err = 0;

	record_init(&record, RECORD_EVENT);
	for (size_t i = 0; i < s->n_event && !err; i++) {
		record.followed.event = s->event[i];
		err = write_event(o, s, &record);
	}
	record.is_followed = true;
	for (size_t i = 0; i < s->n_followed && !err; i++) {
		record.followed = s->followed[i];
		err = write_event(o, s, &record);
	}
	return err;
}

/*
 * Writes the findings that changed since the last written snapshot, or all, and each minute the
 * active ones: a recording that ends without its end has their counts until then.
 */
static int write_findings(struct output *o, const struct rates *r, bool all)
{
	const struct snapshot *s = r->to;
	const bool minute = r->from && r->from->wall.tv_sec / 60 != s->wall.tv_sec / 60;
	struct record record;
	int err = 0;

	record_init_row(&record, &finding_record);
	record.seq = s->seq;
	record.time = s->wall;
	for (size_t i = 0; o->findings && i < o->findings->n && !err; i++) {
		const struct finding *f = &o->findings->finding[i];

		if ((!f->changed && (f->cause || !(all || (minute && f->active)))) ||
		    !sample_filter_wants_finding(o->filter, i))
			continue;
		snprintf(record.tp.name, sizeof(record.tp.name), "%s",
			 snapshot_tracepoint(s, f->tracepoint));
		output_set_finding(o, &record, s, f);
		err = write_object(o, &record);
	}
	return err;
}

static int write_counts(struct output *o, const struct rates *r, bool last)
{
	int err = sample_filter_set_lists(o->filter, r, o->netns, o->findings);

	if (!err)
		err = output_each_tracepoint(o, r, write_object);
	for (int i = 0; i < DATA_SOURCE_COUNT && !err; i++)
		if (data_sources[i]->record)
			err = write_rows(o, (enum data_source_id)i, r, last || o->first);
	if (!err)
		err = output_each_sample(o, r, last, write_object);
	if (!err)
		err = write_events(o, r->to);
	return err ? err : write_findings(o, r, last || o->first || o->config->all);
}

/* Writes the incidents that pass the filter, in the order of the view. */
static int write_incidents(struct output *o, const struct rates *r)
{
	struct table_options options = { .view = &views[VIEW_TIMELINE],
					 .filter = o->filter ? o->filter->filter : NULL,
					 .netns = o->netns,
					 .timeline = o->timeline,
					 .sort = -1 };
	struct table table = { 0 };
	struct record record;
	int err = table_build(&table, r, &options);

	record_init_row(&record, &incident_record);
	for (size_t i = 0; i < table.n_rows && !err; i++) {
		output_set_finding(o, &record, r->to, table_incident(&table, &table.row[i]));
		err = write_object(o, &record);
	}
	table_free(&table);
	return err;
}

static int json_snapshot(struct output *o, const struct rates *r, bool last)
{
	if (o->timeline)
		return write_incidents(o, r);
	return write_counts(o, r, last);
}

static int json_end(struct output *o, const struct snapshot *last, const char *reason)
{
	struct record record;

	record_init(&record, RECORD_END);
	record.seq = last->seq;
	record.time = last->wall;
	snprintf(record.reason, sizeof(record.reason), "%s", reason);
	record.tp.missed = snapshot_total(last, missed);
	record.tp.overflow = snapshot_total(last, overflow);
	record.tp.events_lost = snapshot_total(last, events_lost);
	return write_object(o, &record);
}

static int json_list(struct output *o, const struct tp_count tp[TP_COUNT])
{
	struct record record;
	int err = 0;

	create_string(o);
	record_init(&record, RECORD_LIST);
	for (uint32_t i = 0; i < TP_COUNT && !err; i++) {
		if (!tp[i].name[0])
			continue;
		record.tracepoint = i;
		record.tp = tp[i];
		err = write_object(o, &record);
	}
	return err ?: write_refused(o);
}

static void json_free(struct output *o)
{
	json_object_put(o->state);
	o->state = NULL;
}

const struct output_format output_json = {
	.name = "json",
	.help = "JSON Lines, one object per line, which -r replays",
	.begin = json_begin,
	.snapshot = json_snapshot,
	.end = json_end,
	.list = json_list,
	.free = json_free,
};
