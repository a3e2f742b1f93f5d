// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/timeline_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/hash.h"
#include "diagnose/finding_code.h"
#include "model/netns_names.h"

#define SLICE_NS (50 * NSEC_PER_MSEC)
#define JOIN_NS  (TIMELINE_JOIN_S * NSEC_PER_SEC)

/* A time in which a finding was active. */
struct cause_time {
	struct finding finding;
	uint64_t run;
	bool listed; /* the finding stood alone, not only as a consequence */
	bool open;   /* the cause is present in the file that is being read */
};

static int order(const struct cause_time *x, const struct cause_time *y)
{
	return ORDER(x->finding.id, y->finding.id) ?:
	       ORDER(timespec_to_ns(&x->finding.first), timespec_to_ns(&y->finding.first)) ?:
	       ORDER(x->run, y->run);
}

/* NULL = too many. */
static struct cause_time *time_of(struct timeline_reader *r, const struct cause_time *key)
{
	struct cause_time *t = array_find(r->time, r->n, e, order(e, key) < 0, !order(e, key));

	if (t || r->n == TIMELINE_MAX) {
		r->timeline.left_out += !t;
		return t;
	}
	t = array_insert(r->time, r->n, r->cap,
			 array_lower_bound(r->time, r->n, e, order(e, key) < 0));
	*t = *key;
	return t;
}

/* A code of a later version keeps its row, under no name. */
static const struct finding_code *code_of(const char *name)
{
	static const struct finding_code unknown = { .name = "unknown" };

	return finding_code_find(name) ?: &unknown;
}

/* False = the line is not a finding with a time. */
static bool take_fields(struct timeline_reader *r, struct record *record, struct finding *f)
{
	const struct record_value *v;

	record_init_row(record, &finding_record);
	memset(f, 0, sizeof(*f));
	location_init(&f->location);
	record->row = f;
	for (size_t i = 0; i < finding_record.n_fields; i++) {
		const struct record_field *field = &finding_record.fields[i];

		v = json_line_find(&r->json, field->name);
		if (v && !record_set(field, record, v))
			return false;
	}
	f->code = code_of(json_line_text(&r->json, "code"));
	while (f->severity < FINDING_CRITICAL && strcmp(json_line_text(&r->json, "severity"),
							finding_severity_name(f->severity)) != 0)
		f->severity++;
	f->id = strtoull(json_line_text(&r->json, "id"), NULL, 16);
	if (!f->id)
		f->id = hash_add_words(hash_add_text(1, f->code->name), &f->location.dev.ifindex,
				       sizeof(uint32_t));
	v = json_line_find(&r->json, "count_since");
	f->before = v && v->type == VALUE_COUNT && v->count < f->total ? f->total - v->count : 0;
	v = json_line_find(&r->json, "lost_per_s");
	f->loss.per_s = v && v->type != VALUE_NULL ? 0 : NAN;
	if (*record->netns_name && !netns_names_get(r->netns, f->location.dev.netns))
		netns_names_set(r->netns, f->location.dev.netns, record->netns_name, 0);
	snprintf(f->changes, sizeof(f->changes), "%s", json_line_text(&r->json, "changes"));
	if (!f->last.tv_sec)
		f->last = record->time;
	return record->time.tv_sec && f->first.tv_sec;
}

/* Takes over the state that a later line of the same time has. */
static void take_later(struct cause_time *t, const struct cause_time *line)
{
	const struct finding *f = &line->finding;
	bool is_later = timespec_to_ns(&f->last) >= timespec_to_ns(&t->finding.last);
	double per_s = isnan(t->finding.loss.per_s) ? f->loss.per_s : t->finding.loss.per_s;
	enum finding_severity severity = t->finding.severity;

	if (is_later && f->total - f->before >= t->finding.total - t->finding.before)
		t->finding = *f;
	if (severity > t->finding.severity)
		t->finding.severity = severity;
	t->finding.loss.per_s = per_s;
}

static void take_finding(struct timeline_reader *r, int64_t to_ns)
{
	struct cause_time line = { .run = r->run }, *t;
	bool active = !strcmp(json_line_text(&r->json, "state"), "active");
	struct record record;

	if (!take_fields(r, &record, &line.finding)) {
		r->timeline.bad_lines++;
		return;
	}
	t = timespec_to_ns(&record.time) > to_ns ? NULL : time_of(r, &line);
	if (!t)
		return;
	take_later(t, &line);
	t->listed |= active;
	t->open = active && !*json_line_text(&r->json, "clears");
}

static void take_header(struct timeline_reader *r)
{
	const struct record_value *v = json_line_find(&r->json, "started_ns");

	r->run = hash_add_text(1, json_line_text(&r->json, "boot_id"));
	if (v && v->type == VALUE_COUNT)
		r->run = hash_add(r->run, v->count);
}

static bool begins(const char *line, size_t len, const char *with)
{
	return len > strlen(with) && !memcmp(line, with, strlen(with));
}

/* Skips counts, which are most lines, unparsed. Parses lines whose fields are in another order. */
static void take_line(struct timeline_reader *r, const char *line, size_t len, int64_t to_ns)
{
	const char *type;
	size_t head = len < sizeof(r->newest) - 1 ? len : sizeof(r->newest) - 1;
	struct error error;

	memcpy(r->newest, line, head);
	r->newest[head] = '\0';
	if (!len ||
	    (begins(line, len, "{\"type\":\"") && !begins(line, len, "{\"type\":\"finding\"") &&
	     !begins(line, len, "{\"type\":\"header\"")))
		return;
	if (json_line_parse(&r->json, line, len, &error)) {
		r->timeline.bad_lines += !r->lines.cut;
		return;
	}
	type = json_line_text(&r->json, "type");
	if (!strcmp(type, "header"))
		take_header(r);
	else if (!strcmp(type, "finding"))
		take_finding(r, to_ns);
}

/* The time of the last line; 0 = unknown. */
static int64_t newest_ns(const struct timeline_reader *r)
{
	const char *at = strstr(r->newest, "\"time\":\"");
	char text[40];
	struct timespec t;

	if (!at)
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(at + 8, "\""), at + 8);
	return record_parse_time(text, &t) ? timespec_to_ns(&t) : 0;
}

static void end_file(struct timeline_reader *r, bool damaged, int64_t to_ns)
{
	int64_t ns = newest_ns(r);

	for (size_t i = 0; i < r->n; i++) {
		struct finding *f = &r->time[i].finding;

		if (!r->time[i].open)
			continue;
		f->active |= r->at == r->last;
		if (ns > to_ns)
			ns = to_ns;
		if (ns > timespec_to_ns(&f->last))
			f->last = ns_to_timespec(ns);
	}
	r->done[r->at] = damaged ? FILE_DAMAGED : FILE_READ;
	r->reading = false;
}

static void begin_file(struct timeline_reader *r, const struct segments *files, size_t at)
{
	line_reader_start(&r->lines, files->segment[at].fd);
	r->newest[0] = '\0';
	r->at = at;
	r->run = 0;
	r->reading = true;
	for (size_t i = 0; i < r->n; i++) {
		r->time[i].open = false;
		r->time[i].finding.active &= at != r->last;
	}
}

/* Finds the files of the requested time, some of which may be older than the previous one. */
static void set_files(struct timeline_reader *r, const struct segments *files, int64_t from_ns,
		      int64_t to_ns)
{
	const struct segment *s = files->segment;

	r->last = files->n - 1;
	while (r->last && s[r->last].begin_ns > to_ns)
		r->last--;
	r->first = r->last;
	while (r->first &&
	       (s[r->first].begin_ns > from_ns || s[r->first].begin_ns < s[r->first - 1].begin_ns))
		r->first--;
}

/* The newest of these files that was not read. False = all were read. */
static bool next_file(const struct timeline_reader *r, size_t *next)
{
	*next = r->last + 1;
	while (*next > r->first && r->done[*next - 1])
		--*next;
	return (*next)-- > r->first;
}

/* 0 = read to its end, -EAGAIN, or another -errno = to damage. */
static int read_lines(struct timeline_reader *r, int64_t to_ns)
{
	const char *line;
	size_t len;
	int err;

	do {
		err = line_reader_next(&r->lines, &line, &len);
		if (err == 1)
			take_line(r, line, len, to_ns);
	} while (err == 1 || err == -EMSGSIZE);
	return err;
}

COMPARE(by_begin, struct finding,
	ORDER(timespec_to_ns(&y->first), timespec_to_ns(&x->first)) ?: ORDER(x->id, y->id))

/* The next time of the same cause, soon after: one incident. */
static void join(struct finding *to, const struct finding *next)
{
	uint64_t total = to->total - to->before + next->total - next->before;
	struct timespec first = to->first, last = to->last;
	char changes[FINDING_CHANGES_LEN];

	memcpy(changes, *to->changes ? to->changes : next->changes, sizeof(changes));
	*to = *next;
	to->first = first;
	if (timespec_to_ns(&last) > timespec_to_ns(&to->last))
		to->last = last;
	to->before = 0;
	to->total = total;
	memcpy(to->changes, changes, sizeof(changes));
}

static void list_incidents(struct timeline_reader *r, int64_t from_ns, int64_t to_ns)
{
	struct timeline *t = &r->timeline;
	struct finding *to = NULL;

	t->n = 0;
	for (size_t i = 0; i < r->n; i++) {
		const struct finding *f = &r->time[i].finding;

		if (!r->time[i].listed || timespec_to_ns(&f->last) < from_ns ||
		    timespec_to_ns(&f->first) > to_ns)
			continue;
		if (to && to->id == f->id &&
		    timespec_to_ns(&f->first) - timespec_to_ns(&to->last) < (int64_t)JOIN_NS) {
			join(to, f);
			continue;
		}
		to = array_append(t->incident, t->n, t->cap);
		*to = *f;
	}
	if (t->n)
		qsort(t->incident, t->n, sizeof(*t->incident), by_begin);
}

static void say_how_far(struct timeline_reader *r, const struct segments *files)
{
	struct timeline *t = &r->timeline;
	uint64_t all = 0, read = 0;
	size_t next;

	t->damaged = 0;
	for (size_t i = r->first; i <= r->last; i++) {
		all += files->segment[i].size;
		read += r->done[i] ? files->segment[i].size : 0;
		t->damaged += r->done[i] == FILE_DAMAGED;
	}
	t->percent = all ? (unsigned int)(read * 100 / all) : 100;
	t->complete = !next_file(r, &next);
	t->unread_ns = t->complete      ? 0
		       : next < r->last ? files->segment[next + 1].begin_ns
					: t->last_ns;
}

int timeline_read(struct timeline_reader *r, struct segments *files, int64_t from_ns, int64_t to_ns,
		  bool again)
{
	size_t known = r->n_files, next;
	int err = 0;

	/* files may have been added at the end */
	while (r->n_files < files->n)
		array_append(r->done, r->n_files, r->cap_files);
	if (known && (again || known < files->n))
		r->done[known - 1] = FILE_UNREAD;
	set_files(r, files, from_ns, to_ns);
	r->lines.end_ns = clock_ns() + SLICE_NS;
	while (err != -EAGAIN && next_file(r, &next)) {
		if (!r->reading || r->at != next)
			begin_file(r, files, next);
		err = read_lines(r, to_ns);
		if (err != -EAGAIN)
			end_file(r, err < 0, to_ns);
	}
	say_how_far(r, files);
	list_incidents(r, from_ns, to_ns);
	return err == -EAGAIN ? err : 0;
}

void timeline_reader_free(struct timeline_reader *r)
{
	line_reader_free(&r->lines);
	json_line_free(&r->json);
	free(r->done);
	free(r->time);
	free(r->timeline.incident);
}
