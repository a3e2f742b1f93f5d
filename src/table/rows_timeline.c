// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "base/clock.h"
#include "model/timeline.h"
#include "table/table_internal.h"

const struct finding *table_incident(const struct table *t, const struct row *row)
{
	return &t->options.timeline->incident[row->item];
}

static void add_incidents(struct table *t)
{
	const struct timeline *timeline = t->options.timeline;

	table_add_items(t, timeline ? timeline->n : 0);
	for (size_t i = 0; i < t->n_rows; i++)
		t->row[i].id = hash_add(timeline->incident[i].id,
					(uint64_t)timespec_to_ns(&timeline->incident[i].first)) |
			       1;
}

static void locate_incident(const struct table *t, const struct row *row, struct location *location)
{
	*location = table_incident(t, row)->location;
}

/* Includes the day, unless it is that of `beside`. */
static enum cell_state time_cell(struct cell *cell, const struct timespec *time,
				 const struct timespec *beside, const char *after)
{
	struct tm tm, day;
	char text[24];

	localtime_r(&time->tv_sec, &tm);
	localtime_r(&beside->tv_sec, &day);
	strftime(text, sizeof(text),
		 beside != time && tm.tm_yday == day.tm_yday && tm.tm_year == day.tm_year
			 ? "%H:%M:%S"
			 : "%m-%d %H:%M:%S",
		 &tm);
	cell_set_text(cell, "%s%s", text, after);
	cell->count = (uint64_t)timespec_to_ns(time);
	return CELL_VALUE;
}

static enum cell_state incident_cell(const struct table *t, const struct row *row,
				     struct cell *cell)
{
	static const enum cell_tone tones[] = {
		[FINDING_CRITICAL] = TONE_LOST,
		[FINDING_WARNING] = TONE_WARN,
		[FINDING_INFO] = TONE_PLAIN,
	};
	const struct finding *f = table_incident(t, row);
	const char *change = f->changes;

	switch (cell->column - columns) {
	case COL_NUMBER:
		return row - t->row < VIEW_DIGITS ? cell_set_text(cell, "%td", 1 + row - t->row)
						  : CELL_NONE;
	case COL_SEVERITY:
		cell->tone = tones[f->severity];
		cell->count = 1 + (uint64_t)f->severity;
		return cell_set_text(cell, "%s", finding_severity_name(f->severity));
	case COL_BEGIN:
		return time_cell(cell, &f->first, &f->first, "");
	case COL_END:
		return time_cell(cell, &f->last, &f->first, f->active ? "+" : "");
	case COL_FINDING:
		return cell_set_text(cell, "%s", f->code->name);
	case COL_LOST:
		if (isnan(f->loss.per_s))
			return CELL_NONE;
		cell->tone = TONE_LOST;
		return cell_set_count(cell, f->total - f->before);
	case COL_BEFORE:
		return *change ? cell_set_text(cell, "%.*s", (int)strcspn(change, "\n"), change)
			       : CELL_NONE;
	case COL_TEXT:
		return cell_set_text(cell, "%s", f->text);
	default:
		return cell_of_location(t, row, cell);
	}
}

static void incident_sentence(const struct table *t, const struct row *row, char *buf, size_t size)
{
	snprintf(buf, size, "%s", table_incident(t, row)->text);
}

static void when_text(const struct timeline *timeline, char *buf, size_t size)
{
	struct timespec first = ns_to_timespec(timeline->first_ns),
			last = ns_to_timespec(timeline->last_ns);
	char from[24], to[24];

	buf[0] = '\0';
	if (timeline->first_ns <= 0 || timeline->last_ns <= 0)
		return;
	format_date(from, sizeof(from), &first);
	format_date(to, sizeof(to), &last);
	snprintf(buf, size, " from %s to %s", from, to);
}

static void timeline_summary(const struct table *t, int width, char *buf, size_t size)
{
	const struct timeline *timeline = t->options.timeline;
	struct format_text text = { .buf = buf, .size = size };
	static const char full[] = "##########", rest[] = "..........";
	char when[64], gaps[160];
	int tenths;

	(void)width;
	if (!timeline || timeline->pipe)
		return;
	tenths = (int)timeline->percent / 10;
	when_text(timeline, when, sizeof(when));
	timeline_gaps_text(timeline, gaps, sizeof(gaps));
	format_add(&text, "%zu incident%s%s", timeline->n, timeline->n == 1 ? "" : "s",
		   *gaps ? "" : when);
	if (timeline->reading)
		format_add(&text, " [%.*s%.*s] %u%%, Esc stops", tenths, full, 10 - tenths, rest,
			   timeline->percent);
	if (*gaps)
		format_add(&text, "; %s", gaps);
}

static int no_incidents(const struct table *t, const struct snapshot_host *host, char *buf,
			size_t size)
{
	const struct timeline *timeline = t->options.timeline;
	char gaps[160];

	(void)host;
	if (t->options.switch_by != SWITCH_NOT)
		return snprintf(buf, size,
				"A timeline needs a recording: xdptop --record DIR makes one, and "
				"xdptop -r DIR shows it.\n");
	if (timeline && timeline->pipe)
		return snprintf(buf, size,
				"A timeline needs a file or a directory, not a pipe: write the "
				"recording to a file, and xdptop -r FILE -v timeline reads it.\n");
	if (!timeline || timeline_gaps_text(timeline, gaps, sizeof(gaps)))
		return snprintf(buf, size, "No incident in what has been read so far.\n");
	return snprintf(buf, size, "No incident: the recorder found no cause for one.\n");
}

const struct row_kind rows_timeline = {
	.list = true,
	.alone = true,
	.missing = no_incidents,
	.add = add_incidents,
	.cell = incident_cell,
	.locate = locate_incident,
	.sentence = incident_sentence,
	.summary = timeline_summary,
};
