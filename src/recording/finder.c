// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/finder.h"

#include <errno.h>
#include <string.h>
#include "base/clock.h"
#include "base/hash.h"

#define SLICE_NS (50 * NSEC_PER_MSEC)

static bool has(const struct finder_set *set, uint64_t id)
{
	size_t n = set->n < FINDER_KNOWN ? set->n : FINDER_KNOWN;

	for (size_t i = 0; i < n; i++)
		if (set->id[i] == id)
			return true;
	return false;
}

static void add_id(struct finder_set *set, uint64_t id)
{
	if (!has(set, id))
		set->id[set->n++ % FINDER_KNOWN] = id;
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
	uint64_t id = hash_finding(f);
	bool first = f->snapshots <= 1 && f->seq > 1;

	if (strcmp(text_of(f, "state"), "active") != 0 ||
	    (searches_back(f) && f->wall_ns >= f->from_ns))
		return;
	/* the first snapshot of a frame has all findings, the first of a run only new ones */
	if (first)
		add_id(&f->head, id);
	else if (!has(&f->known, id))
		hit(f);
	add_id(&f->known, id);
}

static void take_header(struct finder *f)
{
	uint64_t run = hash_field(f, hash_seed(), "boot_id");

	run = *text_of(f, "boot_id") ? hash_field(f, run, "started_ns") | 1 : 0;
	if (run != f->run || !run)
		f->known.n = 0;
	f->run = run;
	if (!f->snapshots)
		f->head_run = run;
	f->stamp[0] = '\0';
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
	f->seq = seq->count;
	f->wall_ns = timespec_to_ns(&time);
	if (f->snapshots == 1)
		f->head_ns = f->wall_ns;
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

/* False = a search back skips the frame, because it cannot be read alone. */
static bool enter_frame(struct finder *f, struct segments *files)
{
	struct frame_head head;

	line_reader_start(&f->lines, files->segment[f->at.segment].fd,
			  segments_offset(files, &f->at));
	f->inside = true;
	f->stamp[0] = '\0';
	if (!searches_back(f))
		return true;
	f->snapshots = 0;
	f->known.n = f->head.n = 0;
	f->run = f->head_run = 0;
	return !files->directory || segments_head(files, &f->at, &head);
}

/* Whether a search back has read all of its frame: the line begins another one, or is too late. */
static bool is_past(const struct finder *f, const char *line, size_t len)
{
	return searches_back(f) && f->snapshots &&
	       (f->wall_ns >= f->from_ns || (f->more && begins(line, len, "{\"type\":\"header\"")));
}

/* 1 = the end of the frame, in a search forward of the segment; 0 = found; -EAGAIN, -ENOMEM. */
static int read_frame(struct finder *f)
{
	const char *line;
	size_t len;
	int err;

	while (searches_back(f) || f->found_ns == INT64_MIN) {
		/* lines without an end to the work in them, as blank ones */
		if (clock_ns() >= f->lines.end_ns)
			return -EAGAIN;
		err = line_reader_next(&f->lines, &line, &len);
		if (err == -EAGAIN || err == -ENOMEM)
			return err;
		if (err == -EMSGSIZE)
			continue;
		if (err != 1 || is_past(f, line, len))
			return 1;
		err = take_line(f, line, len);
		if (err)
			return err;
	}
	return 0;
}

/* Whether the frame after this one begins with a finding that this one does not have. */
static bool is_later_new(const struct finder *f)
{
	bool other_run = !f->run || f->run != f->later_run, is_new = false;

	for (size_t i = 0; i < f->later.n && i < FINDER_KNOWN; i++)
		is_new |= other_run || !has(&f->known, f->later.id[i]);
	return is_new;
}

/* After a frame, goes to the next one. False = found, or there is none. */
static bool change_frame(struct finder *f, struct segments *files)
{
	struct place here = f->at;

	f->inside = false;
	if (!searches_back(f)) {
		f->at = (struct place){ .segment = f->at.segment + 1 };
		return f->found_ns == INT64_MIN && f->at.segment < files->n;
	}
	if (is_later_new(f))
		f->found_ns = f->later_ns;
	if (f->found_ns != INT64_MIN)
		return false;
	f->later = f->head;
	f->later_ns = f->head_ns;
	f->later_run = f->head_run;
	f->more = segments_back(files, &f->at) && f->at.segment == here.segment;
	return f->at.segment != here.segment || f->at.frame != here.frame;
}

static void begin(struct finder *f, struct segments *files, enum source_find what, int64_t from_ns)
{
	struct place after;

	f->active = true;
	f->what = what;
	f->from_ns = from_ns;
	f->found_ns = INT64_MIN;
	f->inside = false;
	f->snapshots = 0;
	f->run = 0;
	f->known.n = f->head.n = f->later.n = 0;
	if (from_ns == INT64_MAX)
		segments_last(files, &f->at);
	else
		segments_find(files, searches_back(f) ? from_ns - 1 : from_ns, &f->at);
	after = f->at;
	f->more = segments_forward(files, &after) && after.segment == f->at.segment;
}

int finder_search(struct finder *f, struct segments *files, enum source_find what, int64_t from_ns,
		  int64_t *found_ns)
{
	uint64_t end_ns = clock_ns() + SLICE_NS;
	bool more = true;
	int err;

	if (!f->active || f->what != what || f->from_ns != from_ns)
		begin(f, files, what, from_ns);
	while (more) {
		if (!f->inside && !enter_frame(f, files)) {
			more = change_frame(f, files);
			continue;
		}
		f->lines.end_ns = end_ns;
		err = read_frame(f);
		if (err < 0)
			return err;
		more = change_frame(f, files);
		if (more && clock_ns() >= end_ns)
			return -EAGAIN;
	}
	f->active = false;
	*found_ns = f->found_ns;
	return f->found_ns == INT64_MIN ? -ENOENT : 0;
}

void finder_free(struct finder *f)
{
	line_reader_free(&f->lines);
	json_line_free(&f->json);
}
