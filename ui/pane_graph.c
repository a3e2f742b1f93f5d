// SPDX-License-Identifier: GPL-2.0-or-later
/* Graph of one rate of the selected row over up to ten minutes, with scale, time and marks. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/format.h"
#include "graph.h"
#include "pane.h"

/* Cells left of the graph. */
#define SCALE_WIDTH 7

/* Id of the row to graph; CPU rows have no history, their parent has. */
static uint64_t graph_row(const struct screen *s)
{
	long at = table_selected(s);

	if (s->drill)
		return s->drill;
	if (at < 0)
		return 0;
	return s->table.row[at].parent ? s->table.row[at].parent : s->table.row[at].id;
}

/* Shortest span that holds all data, so that a young graph is readable. */
static int span_of(const struct screen *s)
{
	static const int spans[] = { 60, 120, 300, HISTORY_SECONDS };
	double age = history_age(&s->row_history.history);

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		if (age <= spans[i])
			return spans[i];
	return HISTORY_SECONDS;
}

/* Downsamples by maximum, not by mean: bursts stay visible. */
static void squeeze(const float *second, int seconds, float *value, int n)
{
	for (int i = 0; i < n; i++) {
		int from = (int)((long)i * seconds / n), to = (int)((long)(i + 1) * seconds / n);

		value[i] = second[from];
		for (int k = from; k < to; k++)
			value[i] = fmaxf(value[i], second[k]);
	}
}

static void number(char *buf, size_t size, double n)
{
	if (isnan(n))
		snprintf(buf, size, "-");
	else
		format_rate(buf, size, n, NUMBER_SI);
}

static void numbers_draw(struct screen *s, const char *name, const char *column,
			 const float *second, int seconds)
{
	char title[320], now[16], most[16], mean[16], ago[24] = "";
	double sum = 0;
	float peak = NAN;
	int n = 0, at = 0;

	for (int i = 0; i < seconds; i++) {
		if (isnan(second[i]))
			continue;
		sum += second[i];
		n++;
		if (isnan(peak) || second[i] >= peak) {
			peak = second[i];
			at = seconds - 1 - i;
		}
	}
	number(now, sizeof(now), second[seconds - 1]);
	number(most, sizeof(most), peak);
	number(mean, sizeof(mean), n ? sum / n : NAN);
	format_age(ago, sizeof(ago), at);
	snprintf(title, sizeof(title), " %s  now %s  peak %s (%s ago)  mean %s  %s", column, now,
		 most, ago, mean, name);
	title_draw(s, STYLE_COLUMN_HEADER, title);
}

/* Marks below the graph: T = tracepoint toggled, G = gap in sampling. */
static void marks_draw(struct screen *s, int y, int x, int width, double at, int seconds)
{
	uint8_t mark[HISTORY_SECONDS];
	char line[GRAPH_WIDTH + 1];

	history_marks(&s->row_history.history, at, seconds, mark);
	memset(line, ' ', sizeof(line));
	for (int i = 0; i < seconds; i++) {
		int cell = (int)((long)i * width / seconds);

		if (mark[i] & HISTORY_GAP)
			line[cell] = 'G';
		else if (mark[i] & HISTORY_TOGGLE && line[cell] == ' ')
			line[cell] = 'T';
	}
	line[width] = '\0';
	terminal_put(s->terminal, y, x, width, STYLE_WARN, line);
}

static void time_draw(struct screen *s, int y, int x, int width, int seconds)
{
	char age[24], text[32];
	int ticks = width / 15 < 1 ? 1 : width / 15;

	for (int i = 0; i < ticks; i++) {
		format_age(age, sizeof(age), (double)seconds * (ticks - i) / ticks);
		snprintf(text, sizeof(text), "|-%s", age);
		terminal_put(s->terminal, y, x + i * width / ticks, 9, STYLE_DIM, text);
	}
}

static void plot_draw(struct screen *s, const float *second, int seconds, double at)
{
	struct terminal *t = s->terminal;
	bool braille = t->blocks;
	int x = SCALE_WIDTH, width = s->layout.width - SCALE_WIDTH - 1;
	int height = s->layout.body_lines - 2, n;
	float value[2 * GRAPH_WIDTH], most = 0;
	char text[32], line[GRAPH_LINE];
	double scale;

	if (width > GRAPH_WIDTH)
		width = GRAPH_WIDTH;
	n = graph_values(width, braille);
	squeeze(second, seconds, value, n);
	for (int i = 0; i < n; i++)
		most = fmaxf(most, value[i]);
	scale = graph_scale(most);
	for (int i = 0; i < height; i++) {
		graph_line(value, width, height, i, scale, braille, line);
		terminal_put(t, s->layout.body_y + i, x, width, STYLE_GRAPH, line);
	}
	number(text, sizeof(text), scale);
	terminal_put(t, s->layout.body_y, 0, SCALE_WIDTH - 1, STYLE_DIM | STYLE_RIGHT, text);
	number(text, sizeof(text), scale / 2);
	if (height >= 5)
		terminal_put(t, s->layout.body_y + height / 2, 0, SCALE_WIDTH - 1,
			     STYLE_DIM | STYLE_RIGHT, text);
	terminal_put(t, s->layout.body_y + height - 1, 0, SCALE_WIDTH - 1, STYLE_DIM | STYLE_RIGHT,
		     "0");
	marks_draw(s, s->layout.body_y + height, x, width, at, seconds);
	time_draw(s, s->layout.body_y + height + 1, x, width, seconds);
}

static void graph_draw(struct screen *s)
{
	const struct rates *r = snapshots_rates(&s->snapshots);
	int ids[HISTORY_VALUES], n = row_history_columns(s->view, ids), seconds;
	float second[HISTORY_SECONDS];
	char name[128], title[32];
	double at;

	if (!r || !n)
		return;
	if (s->graph_value >= n)
		s->graph_value = 0;
	at = ns_to_seconds(r->to->mono_ns);
	seconds = span_of(s);
	column_title((enum column_id)ids[s->graph_value], UNIT_PER_SECOND, title, sizeof(title));
	table_row_name(s, name, sizeof(name));
	if (!history_get(&s->row_history.history, s->view, graph_row(s), s->graph_value, at,
			 seconds, second)) {
		snprintf(name, sizeof(name), " %s: nothing is remembered of this row yet", title);
		title_draw(s, STYLE_COLUMN_HEADER, name);
		return;
	}
	numbers_draw(s, name, title, second, seconds);
	plot_draw(s, second, seconds, at);
}

void graph_select(struct screen *s)
{
	int ids[HISTORY_VALUES], n = row_history_columns(s->view, ids);

	s->graph_value = n ? (s->graph_value + n + s->step) % n : 0;
}

/* The cursor selects the next row to graph; CPUs of one row share its graph. */
static struct cursor graph_cursor(struct screen *s)
{
	return s->drill ? (struct cursor){ 0 } : pane_table.cursor(s);
}

const struct pane pane_graph = {
	.context = KEYS_GRAPH,
	.draw = graph_draw,
	.cursor = graph_cursor,
	.moved = table_moved,
};
