// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a jump in a recording shows what a replay shows that came there by itself.
 *
 *   jump DIR TIME...
 *
 * The times are ascending, in seconds since 1970. For each of them one replay jumps, as the screen
 * does, in an order of its own. Another reads the whole recording once, without a jump; for each
 * time it forgets everything REPLAY_LEAD_NS before. At the time both print all cells of all views,
 * all findings, and all rates of those minutes. Prints the first difference of each time, and how
 * many times were the same.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/memory.h"
#include "diagnose/findings.h"
#include "model/event_log.h"
#include "recording/recording.h"
#include "table/view.h"
#include "ui/history.h"
#include "ui/replay.h"

struct shown {
	int64_t at_ns;
	struct snapshot snapshot[2];
	int now;
	bool begun;
	struct rates rates;
	struct findings findings;
	struct event_log events;
	struct row_history history;
};

static struct view_state states[VIEW_COUNT];

static void fail(const char *what, int err)
{
	fprintf(stderr, "jump: %s: %s\n", what, strerror(-err));
	exit(1);
}

static struct source *open_source(const char *path)
{
	struct recording_config config = { .path = path, .quiet = true, .step = true };
	struct error error = { 0 };
	struct source *source;
	int err = recording_open(&source, &config, &error) ?: recording_begin(source, &error);

	if (err)
		fail(error_text(&error), err);
	return source;
}

/* 0 = the recording has ended. */
static bool next(struct source *source, struct snapshot *to)
{
	int err;

	do {
		snapshot_clear(to);
		err = source->ops->sample(source, to);
	} while (err == -EAGAIN);
	if (err < 0)
		fail("sample", err);
	return !err;
}

/* As the screen does with each sample. */
static void take(struct shown *s, struct netns_names *netns)
{
	struct snapshot *to = &s->snapshot[s->now];

	rates_set(&s->rates, s->begun ? &s->snapshot[!s->now] : NULL, to, NULL);
	event_log_take(&s->events, to);
	findings_update(&s->findings, &s->rates, netns);
	row_history_add(&s->history, &s->rates, &s->findings, states, true);
	s->begun = true;
	s->now = !s->now;
}

static void shown_free(struct shown *s)
{
	snapshot_free(&s->snapshot[0]);
	snapshot_free(&s->snapshot[1]);
	rates_free(&s->rates);
	findings_free(&s->findings);
	event_log_free(&s->events);
	row_history_free(&s->history);
	memset(s, 0, sizeof(*s));
}

static void print_graph(FILE *to, const struct shown *s, struct history_key key)
{
	float value[HISTORY_SECONDS];
	uint8_t mark[HISTORY_SECONDS];
	bool known = history_get(&s->history.history, key, 0, 1, HISTORY_SECONDS, value);
	char trend[4 * TREND_CELLS + 1];

	row_history_trend(&s->history, key, 0, false, trend, sizeof(trend));
	fprintf(to, " %s", trend);

	history_marks(&s->history.history, 0, 1, HISTORY_SECONDS, mark);
	for (int i = 0; known && i < HISTORY_SECONDS; i++)
		fprintf(to, " %.6g%s", (double)value[i], mark[i] ? "!" : "");
	fputc('\n', to);
}

static int by_id(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void print_view(FILE *to, struct shown *s, enum view_id view, struct netns_names *netns)
{
	struct table_options options = { .view = &views[view],
					 .sort = -1,
					 .all = true,
					 .netns = netns,
					 .findings = &s->findings,
					 .events = &s->events };
	struct table table = { 0 };
	char text[SNAPSHOT_TEXT_LEN];
	struct cell cell;

	table_build(&table, &s->rates, &options);
	/* equal rows are in the order in which their series were read first */
	if (!views[view].rows->list)
		qsort(table.row, table.n_rows, sizeof(*table.row), by_id);
	for (size_t row = 0; row < table.n_rows; row++) {
		fprintf(to, "%s %" PRIx64, views[view].name, table.row[row].id);
		for (int id = 0; id < COLUMN_COUNT; id++) {
			struct history_key key = { (int)view, id, table.row[row].id };

			table_cell(&table, row, (enum column_id)id, &cell);
			/* nobody who ran only those minutes knows more */
			if (id == COL_LAST_SEEN && cell.state == CELL_VALUE &&
			    cell.real > (double)REPLAY_LEAD_NS / NSEC_PER_SEC)
				cell.state = CELL_NONE;
			cell_text(&cell, text, sizeof(text), NUMBER_RAW, true);
			fprintf(to, "\n %s %s=%s", views[view].name, columns[id].name, text);
			if (columns[id].rate)
				print_graph(to, s, key);
		}
		fputc('\n', to);
	}
	table_free(&table);
}

/* The memory is the caller's. */
static char *print(struct shown *s, struct netns_names *netns)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	s->now = !s->now;
	for (enum view_id view = 0; view < VIEW_COUNT; view++)
		print_view(to, s, view, netns);
	for (size_t i = 0; i < s->findings.n; i++) {
		const struct finding *f = &s->findings.finding[i];

		fprintf(to,
			"finding %s active=%d severity=%d total=%" PRIu64 " before=%" PRIu64
			" lost=%g first=%" PRId64 " last=%" PRId64 "\n%s\n%s\n%s\n",
			f->code->name, f->active, f->severity, f->total, f->before, f->loss.per_s,
			timespec_to_ns(&f->first), timespec_to_ns(&f->last), f->text, f->changes,
			f->commands);
	}
	fclose(to);
	return text;
}

static bool is_there(const struct snapshot *s, int64_t at_ns)
{
	return timespec_to_ns(&s->wall) >= at_ns;
}

static char *jump(struct source *source, int64_t at_ns)
{
	struct timespec lead = ns_to_timespec(at_ns - REPLAY_LEAD_NS);
	struct shown s = { 0 };
	int err = source->ops->seek(source, &lead);
	bool there = false;
	char *text;

	if (err)
		fail("seek", err);
	while (!there && next(source, &s.snapshot[s.now])) {
		there = is_there(&s.snapshot[s.now], at_ns);
		take(&s, source->netns);
	}
	text = print(&s, source->netns);
	shown_free(&s);
	return text;
}

/* Forgets what was before, and begins like a run. */
static void begin(struct shown *s, int64_t at_ns, const struct snapshot *before,
		  struct netns_names *netns)
{
	s->at_ns = at_ns;
	snapshot_copy(&s->snapshot[0], before);
	s->snapshot[0].n_event = 0;
	s->snapshot[0].gap = true;
	take(s, netns);
}

static void compare(const char *by_jump, char *by_itself, int64_t at_ns, unsigned int *same)
{
	size_t at = 0, line = 0;

	while (by_jump[at] && by_jump[at] == by_itself[at]) {
		line = by_jump[at] == '\n' ? at + 1 : line;
		at++;
	}
	if (by_jump[at] == by_itself[at]) {
		++*same;
		return;
	}
	printf("%" PRId64 ": jump: %.*s\n%" PRId64 ": by itself: %.*s\n",
	       at_ns / (int64_t)NSEC_PER_SEC, (int)strcspn(by_jump + line, "\n"), by_jump + line,
	       at_ns / (int64_t)NSEC_PER_SEC, (int)strcspn(by_itself + line, "\n"),
	       by_itself + line);
}

int main(int argc, char **argv)
{
	const size_t n = argc > 2 ? (size_t)argc - 2 : 0;
	char **by_jump = memory_new(n + 1, sizeof(*by_jump));
	int64_t *at_ns = memory_new(n + 1, sizeof(*at_ns));
	struct shown *s = memory_new(n + 1, sizeof(*s));
	struct snapshot before = { 0 }, now = { 0 };
	unsigned int same = 0, done = 0;
	size_t begun = 0;
	struct source *source;

	if (!n) {
		fputs("jump DIR TIME...\n", stderr);
		return 2;
	}
	for (enum view_id view = 0; view < VIEW_COUNT; view++)
		view_state_init(&states[view], view);
	source = open_source(argv[1]);
	for (size_t i = 0; i < n; i++)
		at_ns[i] = atoll(argv[2 + i]) * (int64_t)NSEC_PER_SEC;
	/* back and forth */
	for (size_t i = 0; i < n; i++) {
		size_t to = i % 2 ? n - 1 - i / 2 : i / 2;

		by_jump[to] = jump(source, at_ns[to]);
	}
	source->ops->close(source);

	source = open_source(argv[1]);
	while (done < n && next(source, &now)) {
		/* the start of a run's first interval */
		bool is_base = !now.seq;

		while (!is_base && begun < n && is_there(&now, at_ns[begun] - REPLAY_LEAD_NS)) {
			begin(&s[begun], at_ns[begun], &before, source->netns);
			begun++;
		}
		for (size_t i = done; i < begun; i++) {
			if (!s[i].at_ns)
				continue;
			snapshot_copy(&s[i].snapshot[s[i].now], &now);
			take(&s[i], source->netns);
			if (is_there(&now, s[i].at_ns)) {
				char *text = print(&s[i], source->netns);

				compare(by_jump[i], text, at_ns[i], &same);
				free(text);
				free(by_jump[i]);
				shown_free(&s[i]);
				done += i == done;
			}
		}
		while (done < begun && !s[done].at_ns)
			done++;
		snapshot_copy(&before, &now);
	}
	printf("%u of %zu the same\n", same, n);
	source->ops->close(source);
	snapshot_free(&before);
	snapshot_free(&now);
	free(s);
	free(at_ns);
	free(by_jump);
	return same != n;
}
