// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/finder.h"

#include <errno.h>
#include <string.h>
#include "base/clock.h"
#include "base/hash.h"

#define SLICE_NS (50 * NSEC_PER_MSEC)

/* Whether the finding is known already; from now on it is. The oldest are forgotten. */
static bool add_known(struct finder *f, uint64_t id)
{
	size_t n = f->n_known < FINDER_KNOWN ? f->n_known : FINDER_KNOWN;

	for (size_t i = 0; i < n; i++)
		if (f->known[i] == id)
			return true;
	f->known[f->n_known++ % FINDER_KNOWN] = id;
	return false;
}

static const char *text_of(const struct finder *f, const char *name)
{
	const struct record_value *v = json_line_find(&f->json, name);

	return v && v->type == VALUE_TEXT ? v->text : "";
}

static uint64_t hash_field(const struct finder *f, uint64_t hash, const char *name)
{
	const struct record_value *v = json_line_find(&f->json, name);

	if (v && v->type == VALUE_COUNT)
		return hash_add(hash, v->count);
	return hash_add_text(hash_add(hash, UINT64_MAX), text_of(f, name));
}

/* A finding that appears again has another first_seen. */
static uint64_t hash_finding(const struct finder *f)
{
	static const char *const fields[] = { "code",     "first_seen", "netns",       "ifindex",
					      "to_netns", "to_ifindex", "to_cpu",      "prog_id",
					      "map_id",   "queue",      "socket_inode" };
	uint64_t hash = hash_seed();

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		hash = hash_field(f, hash, fields[i]);
	return hash;
}

static bool searches_back(const struct finder *f)
{
	return f->what != FIND_NEXT;
}

/* The snapshot being read has what is searched for. */
static void hit(struct finder *f)
{
	if (searches_back(f) ? f->wall_ns < f->from_ns
			     : f->wall_ns > f->from_ns && f->found_ns == INT64_MIN)
		f->found_ns = f->wall_ns;
}

static void take_finding(struct finder *f)
{
	/* the first snapshot of a frame has all findings, the first of a run only new ones */
	bool all = f->snapshots <= 1 && f->seq > 1;

	if (!strcmp(text_of(f, "state"), "active") && !add_known(f, hash_finding(f)) && !all)
		hit(f);
}

static void take_header(struct finder *f)
{
	uint64_t run = hash_field(f, hash_seed(), "boot_id");

	run = *text_of(f, "boot_id") ? hash_field(f, run, "started_ns") | 1 : 0;
	if (run != f->run || !run)
		f->n_known = 0;
	f->run = run;
	f->stamp[0] = '\0';
	if (f->more && f->snapshots && !f->later)
		f->later = 1;
}

static void take_snapshot(struct finder *f)
{
	const struct record_value *seq = json_line_find(&f->json, "seq");
	struct timespec time;

	if (!seq || seq->type != VALUE_COUNT || !record_parse_time(text_of(f, "time"), &time))
		return;
	if (f->snapshots && f->seq == seq->count && f->wall_ns == timespec_to_ns(&time))
		return;
	f->snapshots++;
	f->later += f->later > 0;
	f->seq = seq->count;
	f->wall_ns = timespec_to_ns(&time);
	if (f->what == FIND_BEFORE)
		hit(f);
}

/* Whether seq and time of the line are as in the last one, as in most rows of a snapshot. */
static bool is_like_last(struct finder *f, const char *line, size_t len)
{
	const char *seq = memmem(line, len < 64 ? len : 64, "\"seq\":", 6), *end;
	size_t room = seq ? len - (size_t)(seq - line) : 0;

	if (!seq || !(end = memmem(seq, room < 90 ? room : 90, "Z\"", 2)))
		return false;
	room = (size_t)(end - seq);
	if (f->stamp[room] == '\0' && !memcmp(f->stamp, seq, room))
		return true;
	memcpy(f->stamp, seq, room);
	f->stamp[room] = '\0';
	return false;
}

static bool begins(const char *line, size_t len, const char *with)
{
	return len > strlen(with) && !memcmp(line, with, strlen(with));
}

static int take_line(struct finder *f, const char *line, size_t len)
{
	const char *type;
	struct error error;
	int err;

	if (!begins(line, len, "{\"type\":\"finding\"") && is_like_last(f, line, len))
		return 0;
	err = json_line_parse(&f->json, line, len, &error);
	if (err)
		return err == -ENOMEM ? err : 0;
	type = text_of(f, "type");
	if (!strcmp(type, "header"))
		take_header(f);
	else if (strcmp(type, "event") != 0 && strcmp(type, "end") != 0)
		take_snapshot(f);
	else if (*text_of(f, "change") && f->snapshots && f->what != FIND_BEFORE)
		hit(f);
	if (!strcmp(type, "finding") && f->what != FIND_BEFORE)
		take_finding(f);
	return 0;
}

static void read_at(struct finder *f, struct segments *files, const struct place *p)
{
	uint64_t end_ns = f->lines.end_ns;

	line_reader_start(&f->lines, files->segment[p->segment].fd, segments_offset(files, p));
	f->lines.end_ns = end_ns;
	f->stamp[0] = '\0';
}

/* After the last line that can be read there. False = nothing follows that is needed. */
static bool read_on(struct finder *f, struct segments *files)
{
	struct place next = f->at;

	if (searches_back(f)) {
		if (f->later || !segments_forward(files, &next))
			return false;
		f->later = 1;
	} else {
		next = (struct place){ .segment = f->at.segment + 1 };
		if (next.segment == files->n)
			return false;
		f->at = next;
	}
	read_at(f, files, &next);
	return true;
}

static bool is_complete(const struct finder *f)
{
	if (!searches_back(f))
		return f->found_ns != INT64_MIN;
	return f->later > 2 || (f->snapshots && f->wall_ns >= f->from_ns);
}

/* 0 = read as far as needed; -EAGAIN, -ENOMEM. */
static int read_lines(struct finder *f, struct segments *files)
{
	const char *line;
	size_t len;
	int err;

	do {
		/* lines without an end to the work in them, as blank ones */
		if (clock_ns() >= f->lines.end_ns)
			return -EAGAIN;
		err = line_reader_next(&f->lines, &line, &len);
		if (err == 1)
			err = take_line(f, line, len);
		else if (err != -EAGAIN && err != -ENOMEM && err != -EMSGSIZE)
			err = read_on(f, files) ? 0 : 1;
		if (err == -EAGAIN || err == -ENOMEM)
			return err;
	} while (err != 1 && !is_complete(f));
	return 0;
}

static void begin_reading(struct finder *f, struct segments *files)
{
	read_at(f, files, &f->at);
	f->snapshots = f->later = 0;
	f->n_known = 0;
	f->run = 0;
}

static void begin(struct finder *f, struct segments *files, enum source_find what, int64_t from_ns)
{
	struct place after;

	f->active = true;
	f->what = what;
	f->from_ns = from_ns;
	f->found_ns = INT64_MIN;
	if (from_ns == INT64_MAX)
		segments_last(files, &f->at);
	else
		segments_find(files, searches_back(f) ? from_ns - 1 : from_ns, &f->at);
	after = f->at;
	f->more = segments_forward(files, &after);
	begin_reading(f, files);
}

int finder_search(struct finder *f, struct segments *files, enum source_find what, int64_t from_ns,
		  int64_t *found_ns)
{
	int err;

	if (!f->active || f->what != what || f->from_ns != from_ns)
		begin(f, files, what, from_ns);
	f->lines.end_ns = clock_ns() + SLICE_NS;
	while (!(err = read_lines(f, files)) && searches_back(f) && f->found_ns == INT64_MIN &&
	       segments_back(files, &f->at)) {
		f->more = true;
		begin_reading(f, files);
	}
	if (err)
		return err;
	f->active = false;
	*found_ns = f->found_ns;
	return f->found_ns == INT64_MIN ? -ENOENT : 0;
}

void finder_free(struct finder *f)
{
	line_reader_free(&f->lines);
	json_line_free(&f->json);
}
