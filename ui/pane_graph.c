// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Graph of one rate of the selected row over up to ten minutes. Below it is the rate that
 * columns.def names as `beside`. Each has its own scale, as one may be a thousandth of the other.
 */
#include <string.h>
#include "graph.h"
#include "actions.h"
#include "pane.h"
#include "screen_table.h"

/* Cells left of the graph: a number, a blank, the axis. */
#define SCALE_WIDTH 7
/* Minimum body lines for a second graph. The first then has at least three. */
#define BOTH_LINES 8
/* A narrower screen shortens the numbers above a graph. */
#define WIDE 80
/* Lines of the legend: the newest changes. */
#define LEGEND 3
/* Minimum cells between two times on the axis. */
#define TICK_CELLS 12

/* The time axis. One value is a column of dots. */
struct span {
	double at;   /* the newest second, on the clock of the history */
	int cells;   /* width */
	int values;  /* width in values */
	int spread;  /* values drawn for each second; 1 = each value shows `seconds` seconds */
	int seconds; /* in one value; more than 1 only if spread is 1 */
};

/* Changes at the object of the row, by their steps back in the log of events. */
struct marks {
	uint8_t back[CHANGE_LOG_MAX]; /* 1 = it is one */
	int n;                        /* changes of the log that are in the graph */
	int legend;                   /* lines below the axis */
};

/* Id of the row to graph: for a CPU its parent, because CPU rows have no history. */
static uint64_t graph_row(const struct screen *s)
{
	long at = table_selected(s);

	if (s->drill)
		return s->drill;
	if (at < 0)
		return 0;
	return s->table.row[at].parent ? s->table.row[at].parent : s->table.row[at].id;
}

/* Stretches the time axis as far as all data fit, so that a young graph is readable. */
static struct span span_of(const struct screen *s, double at)
{
	int cells = s->layout.width - SCALE_WIDTH;
	struct span span = { .at = at, .spread = 8, .seconds = 1 };
	int age = (int)fmin(ceil(history_age(&s->row_history.history)), HISTORY_SECONDS);

	span.cells = cells < GRAPH_WIDTH ? cells : GRAPH_WIDTH;
	span.values = graph_values(span.cells, s->terminal->blocks);
	while (span.spread > 1 && age * span.spread > span.values)
		span.spread /= 2;
	if (age > span.values)
		span.seconds = (age + span.values - 1) / span.values;
	return span;
}

static void number(char *buf, size_t size, double n)
{
	if (isnan(n))
		snprintf(buf, size, "-");
	else
		format_rate(buf, size, n, NUMBER_SI);
}

static void numbers_draw(struct screen *s, int y, const struct span *span, struct history_key key,
			 const char *name)
{
	char title[320], now[16], most[16], mean[16], ago[24] = "", age[16];
	bool wide = s->layout.width >= WIDE;
	const char *gap = wide ? "  " : " ";
	int seconds = span->values / span->spread * span->seconds, n = 0, at = 0;
	float second[HISTORY_SECONDS], peak = NAN;
	double sum = 0;

	if (seconds > HISTORY_SECONDS)
		seconds = HISTORY_SECONDS;
	history_get(&s->row_history.history, key, span->at, 1, seconds, second);
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
	format_age(age, sizeof(age), at);
	if (wide)
		snprintf(ago, sizeof(ago), " (%s ago)", age);
	snprintf(title, sizeof(title), " %s%snow %s%speak %s%s%smean %s%s%s",
		 columns[key.column].title, gap, now, gap, most, ago, gap, mean, gap, name);
	terminal_put(s->terminal, y, 0, s->layout.width, STYLE_COLUMN_HEADER, title);
}

/* Fills in the values to plot; false = none is known. */
static bool values_get(const struct screen *s, const struct span *span, struct history_key key,
		       float value[2 * GRAPH_WIDTH])
{
	float known[2 * GRAPH_WIDTH];
	int n = (span->values + span->spread - 1) / span->spread;
	bool any = false;

	history_get(&s->row_history.history, key, span->at, span->seconds, n, known);
	for (int i = 0; i < span->values; i++) {
		value[i] = known[n - 1 - (span->values - 1 - i) / span->spread];
		any |= !isnan(value[i]);
	}
	return any;
}

static void plot_draw(struct screen *s, int y, int height, const struct span *span,
		      const float *value)
{
	struct terminal *t = s->terminal;
	char label[32], line[GRAPH_LINE], left[40];
	float most = 0;
	double scale;

	for (int i = 0; i < span->values; i++)
		most = fmaxf(most, value[i]);
	scale = graph_scale(most);
	for (int i = 0; i < height; i++) {
		double at = i == 0 ? scale : i == height - 1 ? 0 : scale / 2;
		bool labelled = at != scale / 2 || (height >= 5 && i == height / 2);

		label[0] = '\0';
		if (labelled)
			number(label, sizeof(label), at);
		snprintf(left, sizeof(left), "%s %s", label,
			 labelled ? (t->utf8 ? "┤" : "+") : (t->utf8 ? "│" : "|"));
		terminal_put(t, y + i, 0, SCALE_WIDTH, STYLE_DIM | STYLE_RIGHT, left);
		graph_line(value, span->cells, height, i, scale, t->blocks, line);
		terminal_put(t, y + i, SCALE_WIDTH, span->cells, STYLE_GRAPH, line);
	}
}

/* Seconds between two times on the axis. */
static int tick_seconds(double seconds_per_cell)
{
	static const int steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300 };
	size_t i = 0;

	while (i + 1 < sizeof(steps) / sizeof(steps[0]) && steps[i] < TICK_CELLS * seconds_per_cell)
		i++;
	return steps[i];
}

static double seconds_ago(const struct screen *s, const struct event *e)
{
	const struct rates *r = snapshots_rates(&s->snapshots);

	return ns_to_seconds(timespec_to_ns(&r->to->wall) - timespec_to_ns(&e->time));
}

/* Index of the span of values that contains the change, from the newest back. */
static int64_t span_back(const struct screen *s, const struct span *span, const struct event *e)
{
	/* the clocks of time and history were read one after the other */
	double at = span->at - seconds_ago(s, e) + 0.001;

	return (int64_t)span->at / span->seconds - (int64_t)at / span->seconds;
}

static void marks_at(const struct event_log *log, const struct location *l, struct marks *m)
{
	for (int i = 0; i < m->n; i++) {
		const struct event *e = event_log_change(log, i);

		if (change_is_at(e, l) ||
		    (!l->dev.ifindex && l->prog_id && l->prog_id == e->key.prog_id))
			m->back[i] = 1;
	}
}

/* A tracepoint's row is about all devices, and has no changes of its own. */
static void marks_find(const struct screen *s, const struct span *span, struct marks *m)
{
	int n = (span->values + span->spread - 1) / span->spread;
	const struct table *t = &s->table;
	const struct event_log *log = t->options.events;
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &t->row[at];
	struct location l;
	bool is_one;

	memset(m, 0, sizeof(*m));
	if (!row || !log || t->options.view->always)
		return;
	while (m->n < event_log_changes(log) && span_back(s, span, event_log_change(log, m->n)) < n)
		m->n++;
	is_one = row_locate(t, row, &l);
	if (is_one)
		marks_at(log, &l, m);
	for (size_t i = 0; i < row->n_series && !is_one; i++) {
		location_set(&l, row_series(t, row, i), t->rates->to);
		marks_at(log, &l, m);
	}
	for (int i = 0; i < m->n && s->layout.body_lines >= BOTH_LINES; i++)
		m->legend += m->back[i] && m->legend < LEGEND;
}

/* Draws the letters of changes on the axis: * = of several kinds; and the newest in words. */
static void marks_draw(struct screen *s, int y, const struct span *span, const struct marks *m)
{
	int per_cell = span->values / span->cells, lines = 0;
	char letter[GRAPH_WIDTH] = "", mark[2] = "", text[CHANGE_TEXT_LEN + 32], age[16];

	for (int i = 0; i < m->n; i++) {
		const struct event *e = event_log_change(s->table.options.events, i);
		int64_t back = span_back(s, span, e);
		int x = span->cells - 1;

		if (m->back[i] && back >= 0)
			x -= (int)back * span->spread / per_cell;
		if (!m->back[i] || back < 0 || x < 0)
			continue;
		*mark = change_words[e->change].letter;
		if (letter[x] && letter[x] != *mark)
			*mark = '*';
		letter[x] = *mark;
		terminal_put(s->terminal, y, SCALE_WIDTH + x, 1, STYLE_WARN, mark);
		if (lines == m->legend)
			continue;
		format_age(age, sizeof(age), fmax(seconds_ago(s, e), 0));
		snprintf(text, sizeof(text), "%c%*s-%s ", change_words[e->change].letter,
			 SCALE_WIDTH - 2 - (int)strlen(age), "", age);
		change_text(e, text + strlen(text), sizeof(text) - strlen(text));
		terminal_put(s->terminal, y + 2 + lines++, 0, s->layout.width, STYLE_PLAIN, text);
	}
}

/* Draws the time axis with the marks T and G. */
static void time_draw(struct screen *s, int y, const struct span *span)
{
	struct terminal *t = s->terminal;
	bool utf8 = t->utf8;
	int per_cell = span->values / span->cells,
	    n = (span->values + span->spread - 1) / span->spread;
	double seconds_per_cell = (double)per_cell * span->seconds / span->spread;
	int tick = tick_seconds(seconds_per_cell);
	uint8_t mark[2 * GRAPH_WIDTH];
	char line[GRAPH_LINE] = "";

	for (int i = 0; i < span->cells; i++)
		strcat(line, utf8 ? "─" : "-");
	terminal_put(t, y, SCALE_WIDTH - 1, 1, STYLE_DIM, utf8 ? "└" : "+");
	terminal_put(t, y, SCALE_WIDTH, span->cells, STYLE_DIM, line);
	for (int i = 1; i * tick < span->cells * seconds_per_cell; i++) {
		int x = span->cells - (int)lround(i * tick / seconds_per_cell);
		char age[24];

		if (x < 0)
			break;
		terminal_put(t, y, SCALE_WIDTH + x, 1, STYLE_DIM, utf8 ? "┴" : "+");
		age[0] = '-';
		format_age(age + 1, sizeof(age) - 1, i * tick);
		terminal_put(t, y + 1, SCALE_WIDTH + x, TICK_CELLS - 1, STYLE_DIM, age);
	}
	terminal_put(t, y + 1, SCALE_WIDTH + span->cells - 3, 3, STYLE_DIM, "now");
	history_marks(&s->row_history.history, span->at, span->seconds, n, mark);
	for (int i = 0; i < n; i++) {
		int x = span->cells - 1 - (n - 1 - i) * span->spread / per_cell;

		if (mark[i])
			terminal_put(t, y, SCALE_WIDTH + x, 1, STYLE_WARN,
				     mark[i] & HISTORY_GAP ? "G" : "T");
	}
}

static void graph_draw(struct screen *s)
{
	const struct rates *r = snapshots_rates(&s->snapshots);
	struct history_key key = { .view = (int)s->view,
				   .column = s->graph_column,
				   .row = graph_row(s) },
			   beside = key;
	float value[2 * GRAPH_WIDTH], other[2 * GRAPH_WIDTH];
	int y = s->layout.body_y, lines = s->layout.body_lines - 2, second = 0;
	struct marks marks;
	struct span span;
	char name[128], title[192];

	if (!r)
		return;
	span = span_of(s, ns_to_seconds(r->to->mono_ns));
	table_row_name(s, name, sizeof(name));
	if (!values_get(s, &span, key, value)) {
		snprintf(title, sizeof(title), " %s: no history yet  %s", columns[key.column].title,
			 name);
		title_draw(s, STYLE_COLUMN_HEADER, title);
		return;
	}
	numbers_draw(s, s->layout.column_header_y, &span, key, name);
	marks_find(s, &span, &marks);
	lines -= marks.legend;
	beside.column = columns[key.column].beside;
	/* At some tracepoints each event is one packet, so do not draw the same graph twice. */
	if (lines + 2 >= BOTH_LINES && values_get(s, &span, beside, other) &&
	    memcmp(value, other, sizeof(*value) * (size_t)span.values))
		second = lines / 3;
	plot_draw(s, y, lines - second - (second > 0), &span, value);
	y += lines;
	if (second) {
		numbers_draw(s, y - second - 1, &span, beside, "");
		plot_draw(s, y - second, second, &span, other);
	}
	time_draw(s, y, &span);
	marks_draw(s, y, &span, &marks);
}

static void graph_status(const struct screen *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s 0  blank not known  T tracepoint switched  G not sampled",
		 s->terminal->blocks ? "⣀" : ".");
}

void graph_select(struct screen *s)
{
	uint8_t ids[COLUMN_COUNT];
	int n = view_state_rates(&s->view_state[s->view], s->view, ids), at = 0;

	while (at < n && ids[at] != s->graph_column)
		at++;
	s->graph_column = ids[(at + n + s->step) % n];
}

/* The cursor keys select another row to graph. The CPUs of a row share its graph. */
static struct cursor graph_cursor(struct screen *s)
{
	return s->drill ? (struct cursor){ 0 } : pane_table.cursor(s);
}

const struct pane pane_graph = {
	.context = KEYS_GRAPH,
	.draw = graph_draw,
	.status = graph_status,
	.cursor = graph_cursor,
	.moved = table_moved,
};
