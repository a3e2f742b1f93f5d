// SPDX-License-Identifier: GPL-2.0-or-later
#include "recording/finder.h"

#include <errno.h>
#include <string.h>
#include "base/clock.h"

#define SLICE_NS (50 * NSEC_PER_MSEC)

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

static void take_line(struct finder *f, const char *line, size_t len)
{
	const struct record_value *seq;
	struct timespec time;
	struct error error;
	const char *type;

	if (is_like_last(f, line, len) || json_line_parse(&f->json, line, len, &error))
		return;
	type = json_line_text(&f->json, "type");
	seq = json_line_find(&f->json, "seq");
	if (!strcmp(type, "header") || !strcmp(type, "event") || !strcmp(type, "end") || !seq ||
	    seq->type != VALUE_COUNT || !record_parse_time(json_line_text(&f->json, "time"), &time))
		return;
	f->beyond = timespec_to_ns(&time) >= f->before_ns;
	if (!f->beyond)
		f->found_ns = timespec_to_ns(&time);
}

static void begin_reading(struct finder *f, struct segments *files)
{
	line_reader_start(&f->lines, files->segment[f->at].fd);
	f->stamp[0] = '\0';
	f->beyond = false;
}

/* 0 = read as far as needed; or -EAGAIN. */
static int read_lines(struct finder *f)
{
	const char *line;
	size_t len;
	int err;

	do {
		err = line_reader_next(&f->lines, &line, &len);
		if (err == 1)
			take_line(f, line, len);
	} while (!f->beyond && (err == 1 || err == -EMSGSIZE));
	return err == -EAGAIN ? err : 0;
}

int finder_search(struct finder *f, struct segments *files, int64_t before_ns, int64_t *found_ns)
{
	int err;

	if (!f->active || f->before_ns != before_ns) {
		f->active = true;
		f->before_ns = before_ns;
		f->found_ns = INT64_MIN;
		f->at = segments_find(files, before_ns - 1);
		begin_reading(f, files);
	}
	f->lines.end_ns = clock_ns() + SLICE_NS;
	while (!(err = read_lines(f)) && f->found_ns == INT64_MIN && f->at) {
		f->at--;
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
