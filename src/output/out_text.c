// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables like those on the screen, one per snapshot, as `top -b` prints them. */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/format.h"
#include "diagnose/location_text.h"
#include "output/output.h"
#include "source/sockets.h"
#include "table/column_layout.h"

#define WIDTH_MIN   40
#define WIDTH_MAX   1000
#define PROSE_WIDTH 80
#define WORST       3 /* findings in the header */
/* Lines for the worst findings in the overview. */
#define BLOCK_LINES 6

/* A line of cells, without trailing blanks. */
struct text_line {
	char text[4 * WIDTH_MAX];
	size_t len;
};

struct out_text {
	struct output_rows rows;
	struct table found; /* the findings that pass the filter */
	int width;          /* of a table's line */
	int prose;          /* of the header and of sentences */
	bool ascii;
	enum column_id id[COLUMN_LAYOUT_MAX];
	struct column_layout layout;
	int content[VIEW_COUNT][COLUMN_COUNT]; /* widest text so far: columns do not narrow again */
	int at;                                /* cells written of the header line */
	/* of a log, to which each snapshot adds its rows: */
	struct text_line titles;
	size_t n_rows, hidden;
	uint64_t events_lost;
	char why[NO_DATA_LEN]; /* there is none */
};

/* 0 = unknown: a pipe or file has room for all columns. */
static int line_width(const struct output *o)
{
	const char *columns_env = getenv("COLUMNS");
	struct winsize size;
	long width = columns_env ? strtol(columns_env, NULL, 10) : 0;

	if (width < WIDTH_MIN && !o->config->to && isatty(STDOUT_FILENO) &&
	    !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (width < WIDTH_MIN)
		return 0;
	return width > WIDTH_MAX ? WIDTH_MAX : (int)width;
}

static void open_text(struct output *o)
{
	struct out_text *t = output_rows_open(o, sizeof(*t));

	t->width = line_width(o) ?: WIDTH_MAX;
	t->prose = line_width(o) ?: PROSE_WIDTH;
	t->ascii = o->config->ascii || strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Prints a piece of the header. Lines break only between pieces. */
static void __attribute__((format(printf, 2, 3))) piece(struct output *o, const char *format, ...)
{
	struct out_text *t = o->state;
	char text[512];
	va_list args;
	int width;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	width = format_width(text);
	if (t->at && t->at + 2 + width > t->prose) {
		fputc('\n', o->file);
		t->at = 0;
	}
	fprintf(o->file, "%s%s", t->at ? "  " : "", text);
	t->at += width + (t->at ? 2 : 0);
}

static void end_pieces(struct output *o)
{
	struct out_text *t = o->state;

	if (t->at)
		fputc('\n', o->file);
	t->at = 0;
}

static void state_piece(struct output *o, const struct snapshot *s, enum tp_state state)
{
	char text[400];
	int len = snprintf(text, sizeof(text), "%s:", tp_state_name(state)), none = len;

	for (int i = 0; i < TP_COUNT && len < (int)sizeof(text); i++)
		if (s->tp[i].state == state && s->tp[i].name[0])
			len += snprintf(text + len, sizeof(text) - (size_t)len, " %s",
					s->tp[i].name);
	if (len > none)
		piece(o, "%s", text);
}

/* Where a finding is, in short: its device, else its target. */
static const char *location_name(const struct output *o, const struct location *l, char *buf,
				 size_t size)
{
	snprintf(buf, size, "%s", l->dev.name);
	if (!*buf && (l->to.ifindex || l->to_cpu >= 0))
		location_text("{to}", l, o->netns, buf, size);
	return buf;
}

static void findings_piece(struct output *o)
{
	const struct table *found = &((struct out_text *)o->state)->found;
	char count[64], of[32] = "", at[SNAPSHOT_TEXT_LEN], rate[16];
	size_t all = o->findings ? o->findings->n_active : 0, n = 0;

	if (!all)
		return;
	while (n < found->n_rows && found->row[n].item < all)
		n++;
	if (found->options.filter)
		snprintf(of, sizeof(of), "%zu of ", n);
	snprintf(count, sizeof(count), "%s%zu finding%s", of, all, all == 1 ? "" : "s");
	if (!n)
		piece(o, "%s", count);
	for (size_t i = 0; i < n && i < WORST; i++) {
		const struct finding *finding = &o->findings->finding[found->row[i].item];
		bool lost = !isnan(finding->loss.per_s);

		location_name(o, &finding->location, at, sizeof(at));
		format_rate(rate, sizeof(rate), finding->loss.per_s, NUMBER_SI);
		piece(o, "%s%s%s%s%s%s%s%s", i ? "" : count, i ? "" : ": ", finding->code->name,
		      *at ? " " : "", at, lost ? " " : "", lost ? rate : "", lost ? "/s" : "");
	}
	if (n > WORST)
		piece(o, "%zu more", n - WORST);
}

static void header(struct output *o, const struct rates *r)
{
	const struct output_config *config = o->config;
	const struct out_text *t = o->state;
	const struct snapshot *s = r->to;
	uint64_t missed = snapshot_total(s, missed), overflow = snapshot_total(s, overflow);
	uint64_t events_lost = snapshot_total(s, events_lost);
	uint64_t left_out = xdp_sockets_left_out(s);
	char date[32], process[SNAPSHOT_TEXT_LEN], gap[64];

	/* a cron log has many days */
	format_date(date, sizeof(date), &s->wall);
	piece(o, "xdptop - %s", date);
	piece(o, "%s", o->host->hostname);
	piece(o, "%s", o->host->kernel);
	piece(o, "snapshot %" PRIu64, s->seq);
	piece(o, "interval %.3f s", r->seconds);
	end_pieces(o);
	piece(o, "%s", views[config->view].title);
	if (t->rows.filter)
		piece(o, "filter: %s", filter_text(t->rows.filter));
	state_piece(o, s, TP_OFF);
	state_piece(o, s, TP_SHED);
	state_piece(o, s, TP_FAILED);
	if (missed)
		piece(o, "missed: %" PRIu64, missed);
	if (overflow)
		piece(o, "overflow: %" PRIu64, overflow);
	if (events_lost)
		piece(o, "events lost: %" PRIu64, events_lost);
	if (left_out)
		piece(o, "sockets not listed: %" PRIu64, left_out);
	findings_piece(o);
	for (int i = 0; i < PROCESSES; i++)
		if (*snapshot_process_text(s, o->host, i, false, process, sizeof(process)))
			piece(o, "%s", process);
	if (s->gap)
		piece(o, "%s", rates_gap_text(r, o->live, gap, sizeof(gap)));
	end_pieces(o);
}

/* A log of what happened. What lasts is printed in full in each snapshot. */
static bool is_log(const struct out_text *t)
{
	const struct row_kind *rows = t->rows.table.options.view->rows;

	return rows->log && !rows->details;
}

static const char *cell_of(struct out_text *t, size_t row, enum column_id id, char *buf,
			   size_t size)
{
	struct cell cell;

	if (id == COL_TIME && is_log(t)) {
		format_date(buf, size, &table_event(&t->rows.table, &t->rows.table.row[row])->time);
		return buf;
	}
	table_cell(&t->rows.table, row, id, &cell);
	cell_text(&cell, buf, size, NUMBER_SI, t->ascii);
	return buf;
}

/* For the rows of a block; 0 = not in a block. */
static int content_width(struct out_text *t, uint8_t block, enum column_id id)
{
	const struct table *table = block ? &t->rows.table.block[block - 1] : &t->rows.table;
	int *content = &t->content[table->options.view - views][id];
	char text[SNAPSHOT_TEXT_LEN];

	for (size_t row = 0; row < t->rows.table.n_rows; row++) {
		int width;

		if (rates_cancelled(table->rates))
			break;
		if (t->rows.table.row[row].block != block)
			continue;
		width = format_width(cell_of(t, row, id, text, sizeof(text)));
		if (width > *content)
			*content = width;
	}
	return *content;
}

/* Places the columns of the table's view and of -s, or the columns of a block. */
static void place_columns(struct out_text *t, const struct output *o, uint8_t block)
{
	const struct table *table = block ? &t->rows.table.block[block - 1] : &t->rows.table;
	const struct view *view = table->options.view;
	int n = 0, sort = table->options.sort;
	bool cpus = o->config->per_cpu && !view->rows->list && !block, sorted = false;
	struct column_need need[COLUMN_LAYOUT_MAX];

	for (int i = 0; i < CPU_COLUMNS && cpus; i++)
		t->id[n++] = cpu_columns[i];
	for (int i = 0; i < view->n_columns; i++)
		if (table_shows(table, view->column[i]))
			t->id[n++] = view->column[i];
	for (int i = 0; i < n; i++)
		sorted |= (int)t->id[i] == sort;
	if (sort >= 0 && !sorted)
		t->id[n++] = (enum column_id)sort;
	for (int i = 0; i < n; i++) {
		const struct column *column = &columns[t->id[i]];

		need[i] = column_need(column, format_width(column->title),
				      content_width(t, block, t->id[i]), t->width);
		need[i].stays |= (int)t->id[i] == sort;
	}
	column_layout_place(need, n, 0, 0, 0, t->width, &t->layout);
}

static void line_add(struct text_line *line, int width, const char *text, bool number)
{
	char *at = line->text + line->len, *end = line->text + sizeof(line->text);

	if (line->len && end - at > 1)
		*at++ = ' ';
	format_fit(at, end - at, text, width, number);
	line->len = (size_t)(at - line->text) + strlen(at);
}

static void line_end(struct output *o, struct text_line *line)
{
	while (line->len && line->text[line->len - 1] == ' ')
		line->len--;
	fwrite(line->text, 1, line->len, o->file);
	fputc('\n', o->file);
	line->len = 0;
}

static void titles(struct output *o, uint8_t block)
{
	struct out_text *t = o->state;
	struct text_line line = { .len = 0 };

	place_columns(t, o, block);
	for (int i = 0; i < t->layout.n; i++) {
		const struct column *column = &columns[t->id[t->layout.at[i].index]];

		line_add(&line, t->layout.at[i].width, column->title, column->number);
	}
	/* a wider line has more columns; titles are ASCII */
	if (t->layout.after)
		line.len +=
			(size_t)sprintf(line.text + line.len, "%*s", t->width - (int)line.len, ">");
	if (is_log(t) && line.len == t->titles.len && !memcmp(line.text, t->titles.text, line.len))
		return;
	if (is_log(t) && !t->titles.len)
		fputc('\n', o->file);
	t->titles = line;
	line_end(o, &line);
}

static void sentences(struct output *o, const char *text)
{
	const struct out_text *t = o->state;
	char line[NO_DATA_LEN];

	while ((text = next_line(text, line, sizeof(line))))
		wrap(o->file, line, 0, 0, t->prose);
}

static int rows(struct output *o)
{
	struct out_text *t = o->state;
	struct text_line line = { .len = 0 };
	char text[SNAPSHOT_TEXT_LEN];

	if (t->rows.table.n_rows ? !t->rows.table.row[0].more : !is_log(t))
		titles(o, t->rows.table.n_rows ? t->rows.table.row[0].block : 0);
	for (size_t at = 0; at < t->rows.table.n_rows; at++) {
		const size_t row = output_row(&t->rows.table, at);
		const struct row *r = &t->rows.table.row[row];

		if (rates_cancelled(t->rows.table.rates))
			return -ECANCELED;
		if (row && (r->block != r[-1].block || (r->more && !r->block))) {
			fputc('\n', o->file);
			if (!r->more)
				titles(o, r->block);
		}
		if (r->more) {
			table_more_text(&t->rows.table, r, text, sizeof(text));
			wrap(o->file, text, 0, 0, t->prose);
			continue;
		}
		for (int i = 0; i < t->layout.n; i++) {
			enum column_id id = t->id[t->layout.at[i].index];
			int width = t->layout.at[i].width;

			line_add(&line, width, cell_of(t, row, id, text, sizeof(text)),
				 columns[id].number);
		}
		line_end(o, &line);
	}
	t->n_rows += t->rows.table.n_rows;
	t->rows.table.hidden += t->hidden;
	t->hidden = is_log(t) ? t->rows.table.hidden : 0;
	if (!is_log(t) || !t->n_rows)
		table_missing(&t->rows.table, o->host, t->why, sizeof(t->why));
	if (!is_log(t))
		sentences(o, t->why);
	return 0;
}

/* Texts of rare events are too wide for a column. -f applies to rows, so it hides all events. */
static void events(struct output *o, const struct snapshot *s)
{
	uint32_t shown = view_tracepoints(&views[o->config->view]);
	char clock[16];

	for (size_t i = 0; i < s->n_event && !o->config->filter[0]; i++) {
		const struct event *e = &s->event[i];

		if (e->change || !(shown & BIT(e->tracepoint)) ||
		    !(tracepoints[e->tracepoint].has & HAS_TEXT))
			continue;
		format_clock(clock, sizeof(clock), &e->time);
		fprintf(o->file, "%s %s", clock, s->tp[e->tracepoint].name);
		if (e->ifname[0])
			fprintf(o->file, " %s", e->ifname);
		if (e->comm[0])
			fprintf(o->file, " %s[%u]", e->comm, e->pid);
		fprintf(o->file, ": %s\n", e->text);
	}
}

/* The full text, which is too wide for a column, and the next commands. */
static void findings(struct output *o, uint64_t now_ns)
{
	const struct out_text *t = o->state;

	for (size_t i = 0; i < t->rows.table.n_rows; i++) {
		const struct finding *f = &o->findings->finding[t->rows.table.row[i].item];
		const struct finding *also = NULL;
		const char *next = f->commands, *change = f->changes;
		char command[FINDING_COMMANDS_LEN];

		fprintf(o->file, "\n%s: %s\n", f->code->name, f->text);
		if (*finding_stopped_text(f, now_ns, command, sizeof(command)))
			fprintf(o->file, "  %s\n", command);
		while ((also = findings_consequence(o->findings, f, also)))
			fprintf(o->file, "  leads to %s: %s\n", also->code->name, also->text);
		while ((change = next_line(change, command, sizeof(command))))
			fprintf(o->file, "  %s\n", command);
		while ((next = next_line(next, command, sizeof(command))))
			fprintf(o->file, "    %s\n", command);
	}
}

static int text_snapshot(struct output *o, const struct rates *r, bool last)
{
	const struct output_config *config = o->config;
	const struct view *view = &views[config->view];
	int sort = config->sort >= 0 ? view_sort(view, config->sort) : view->sort;
	struct table_options wanted;
	struct out_text *t;
	char summary[SNAPSHOT_TEXT_LEN] = "";
	uint64_t events_lost = snapshot_total(r->to, events_lost);
	int err;

	if (!o->state)
		open_text(o);
	t = o->state;
	wanted = output_rows_options(o, view, sort);
	wanted.all = config->all;
	wanted.per_cpu = config->per_cpu;
	wanted.block_rows = BLOCK_LINES;
	wanted.switch_by = o->live ? SWITCH_OPTION : SWITCH_NOT;
	err = table_build(&t->rows.table, r, &wanted)
		      ?: table_build_findings(&t->found, r, &wanted);
	if (err)
		return err;
	if (!is_log(t) || o->first || r->to->gap || events_lost > t->events_lost) {
		if (!o->first)
			fputc('\n', o->file);
		header(o, r);
		t->titles.len = 0;
		if (!is_log(t))
			fputc('\n', o->file);
	}
	t->events_lost = events_lost;
	if (view->rows->summary)
		view->rows->summary(&t->rows.table, t->prose, summary, sizeof(summary));
	if (*summary) {
		wrap(o->file, summary, 0, 0, t->prose);
		fputc('\n', o->file);
	}
	err = rows(o);
	if (err)
		return err;
	if (view->rows->details)
		findings(o, r->to->mono_ns);
	else if (!view->rows->list)
		events(o, r->to);
	return ferror(o->file) ? -EIO : 0;
}

/* What a log has to say of all snapshots. */
static int text_end(struct output *o, const struct snapshot *last, const char *reason)
{
	struct out_text *t = o->state;

	(void)last;
	(void)reason;
	if (!t || !is_log(t))
		return 0;
	if (t->n_rows)
		refusals_text(o->host->refused, views[o->config->view].iters, o->host->kernel,
			      t->why, sizeof(t->why));
	if (*t->why)
		fputc('\n', o->file);
	sentences(o, t->why);
	return ferror(o->file) ? -EIO : 0;
}

static int text_list(struct output *o, const struct tp_count tp[TP_COUNT])
{
	char refused[ITER_COUNT * SNAPSHOT_REASON_LEN * 2];

	fprintf(o->file, "%-3s %-26s %-7s %-7s %s\n", "KEY", "TRACEPOINT", "KERNEL", "DEFAULT",
		"WHAT IT COUNTS, OR WHY NOT");
	for (int i = 0; i < TP_COUNT; i++) {
		const struct tracepoint *row = &tracepoints[i];

		/* --list attaches nothing, so here on and off are only the defaults */
		bool is_there = tp[i].state == TP_ON || tp[i].state == TP_OFF;

		if (!tp[i].name[0])
			continue;
		fprintf(o->file, "%-3c %-26s %-7s %-7s %s\n", row->key ? row->key : '-', tp[i].name,
			is_there ? "present" : tp_state_name(tp[i].state), row->on ? "on" : "off",
			tp[i].reason[0] ? tp[i].reason : row->what);
	}
	fputc('\n', o->file);
	for (const struct silent_tracepoint *s = silent_tracepoints; s->name; s++)
		fprintf(o->file, "%s: " TRACEPOINT_SILENT "\n", s->name, s->instead);
	fputs("\nTo count in network namespaces that get an XDP program after the start, use "
	      "--later-namespaces.\nIt keeps CAP_SYS_ADMIN and CAP_SYS_PTRACE in a separate "
	      "process.\n",
	      o->file);
	if (o->host->refused[0].step == REFUSED_UNTRIED)
		fprintf(o->file, "\nOther BPF programs were not tried: that needs root.\n");
	else if (!refusals_text(o->host->refused, ~0U, o->host->kernel, refused, sizeof(refused)))
		fprintf(o->file, "\nThe kernel accepts all other BPF programs.\n");
	else
		fprintf(o->file, "\n%s", refused);
	return ferror(o->file) ? -EIO : 0;
}

static void text_free(struct output *o)
{
	struct out_text *t = o->state;

	if (t)
		table_free(&t->found);
	output_rows_free(o);
}

const struct output_format output_text = {
	.name = "text",
	.help = "tables as on the screen, one for each snapshot",
	.snapshot = text_snapshot,
	.end = text_end,
	.list = text_list,
	.free = text_free,
};
