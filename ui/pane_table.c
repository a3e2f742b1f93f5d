// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of a view, or the CPUs of a row. */
#include <string.h>
#include "follow.h"
#include "actions.h"
#include "pane.h"
#include "screen_table.h"

/*
 * Whether XDP lost packets in the last interval, or events before a followed one were lost, even if
 * no visible column shows it.
 */
static bool row_lost(const struct table *t, size_t row)
{
	struct cell cell;

	table_cell(t, row, COL_LEFT_OUT, &cell);
	if (cell.tone == TONE_LOST)
		return true;
	for (int i = 0; i < COLUMN_COUNT; i++) {
		if (!columns[i].lost || !columns[i].rate || columns[i].not_by_xdp)
			continue;
		table_cell(t, row, (enum column_id)i, &cell);
		if (cell.tone == TONE_LOST)
			return true;
	}
	return false;
}

/* Whether a CPU has at least twice the mean load. */
static bool row_skewed(const struct table *t, size_t row)
{
	struct cell cell;

	if (t->row[row].cpu < 0)
		return false;
	table_cell(t, row, COL_SHARE, &cell);
	return cell.state == CELL_VALUE && cell.real * t->row[row].n_cpus >= 200;
}

static void row_draw(struct screen *s, const struct table_part *p, size_t row, int y,
		     bool is_selected, const int *ids, const struct column_layout *layout)
{
	unsigned int selected = is_selected ? STYLE_SELECTED : STYLE_PLAIN;
	struct terminal *t = s->terminal;

	if (selected)
		terminal_put(t, y, 0, s->layout.width, selected, ">");
	if (row_lost(p->table, row))
		terminal_put(t, y, 1, 1, STYLE_DROPS | selected, "!");
	else if (row_skewed(p->table, row))
		terminal_put(t, y, 1, 1, STYLE_WARN | selected, "*");
	for (int i = 0; i < layout->n; i++) {
		const struct column_place *at = &layout->at[i];
		char text[SNAPSHOT_TEXT_LEN];
		int id = ids[at->index];
		unsigned int style = table_cell_text(s, p, row, id, at->width, text, sizeof(text));

		style |= selected;
		if (screen_column(id)->number)
			style |= STYLE_RIGHT;
		terminal_put(t, y, at->x, at->width, style, text);
	}
}

/* Draws a row that summarizes others. */
static void more_draw(struct screen *s, const struct row *row, int y, bool is_selected)
{
	unsigned int selected = is_selected ? STYLE_SELECTED : STYLE_PLAIN;
	char text[400];
	int len = table_more_text(&s->table, row, text, sizeof(text));

	if (row->block && len < (int)sizeof(text))
		snprintf(text + len, sizeof(text) - (size_t)len, " (Enter)");
	if (selected)
		terminal_put(s->terminal, y, 0, s->layout.width, selected, ">");
	terminal_put(s->terminal, y, LAYOUT_GUTTER, s->layout.width - LAYOUT_GUTTER,
		     selected ? selected : STYLE_DIM, text);
}

static void no_data_lines(struct screen *s, struct text *t)
{
	char why[NO_DATA_LEN], *line, *save;

	if (!snapshots_rates(&s->snapshots))
		return;
	if (s->drill && s->table.folded) {
		text_add(t, STYLE_DIM, 0, "",
			 "%zu %sCPUs had no event of this row in the last interval: a "
			 "shows them.",
			 s->table.folded, s->table.n_rows ? "more " : "");
		return;
	}
	if (s->drill && !s->table.n_rows) {
		text_add(t, STYLE_PLAIN, 0, "",
			 s->source->live
				 ? "No CPU has counted an event of this row. Esc goes back."
				 : "The recording has no counts per CPU for this row (it was made "
				   "without -C). Esc goes back.");
		return;
	}
	table_missing(&s->table, &s->source->host, why, sizeof(why));
	for (line = strtok_r(why, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		text_add(t, STYLE_PLAIN, 0, "", "%s", line);
}

static void no_data_draw(struct screen *s, int y, int lines)
{
	struct text t = { 0 };

	text_clear(&t, s->layout.width - LAYOUT_GUTTER);
	no_data_lines(s, &t);
	text_draw(s, &t, 0, y, LAYOUT_GUTTER, lines);
	text_free(&t);
}

/* Whether another column header is drawn above the row. The tracepoint line has none. */
static bool begins_block(const struct table *t, int row)
{
	return row > 0 && t->row[row].block != t->row[row - 1].block &&
	       !(t->row[row].more && !t->row[row].block);
}

/* Whether there is a title above the column header. */
static bool has_title(const struct screen *s)
{
	return s->drill || s->follow.on || views[s->view].rows->summary;
}

/* Lines for rows. The findings view shares the body with the selected finding. */
static int rows_lines(const struct screen *s)
{
	int lines = s->layout.body_lines - (has_title(s) ? 1 : 0), rows = (int)s->table.n_rows;

	if (views[s->view].rows->details && rows)
		return rows < lines / 2 ? rows : lines / 2;
	for (int i = 0; i < rows; i++)
		lines -= begins_block(&s->table, i);
	return lines;
}

static void rows_draw(struct screen *s, struct table_part *p, const struct row *row, int n, int y,
		      int head_y, int cursor)
{
	int ids[COLUMNS_MAX];
	struct column_layout layout;
	size_t first = n && row->block ? row->item : (size_t)(row - p->table->row);

	table_columns_place(s, p, (int)first, n, ids, &layout);
	table_columns_draw(s, p, ids, &layout, head_y);
	for (int i = 0; i < n; i++)
		if (!row[i].more)
			row_draw(s, p, row[i].block ? row[i].item : first + (size_t)i, y + i,
				 i == cursor, ids, &layout);
}

/* A block is drawn as if its view were shown with its default order. */
static struct table_part block_part(struct screen *s, int block)
{
	const enum view_id view = views[s->view].block[block - 1];
	struct table_part part = { &s->table.block[block - 1], view, s->view_state[view],
				   s->content[block] };

	part.state.scroll = s->view_state[s->view].scroll;
	view_state_sort(&part.state, views[view].sort, true);
	return part;
}

/*
 * Draws n rows of one part from `first` on, and their column header. Returns by how many columns it
 * is scrolled.
 */
static int part_draw(struct screen *s, int first, int n, int y, int head_y)
{
	const struct row *row = &s->table.row[first];
	const int cursor = table_state(s)->list.cursor - first, spots = s->n_spots;
	const int block = n ? row->block : 0;
	struct table_part part = block ? block_part(s, block) : table_whole(s);

	rows_draw(s, &part, row, n, y, head_y, cursor);
	if (block) {
		/* a click on the header shows that view */
		s->n_spots = spots;
		spot_add(s, head_y, 0, s->layout.width, SPOT_VIEW, (int)part.view);
	}
	for (int i = 0; i < n; i++)
		if (row[i].more)
			more_draw(s, &row[i], y + i, i == cursor);
	return part.state.scroll;
}

static void summary_draw(struct screen *s)
{
	const int width = s->layout.width - LAYOUT_GUTTER;
	char text[SNAPSHOT_TEXT_LEN] = "", line[SNAPSHOT_TEXT_LEN + LAYOUT_GUTTER];

	if (!snapshots_rates(&s->snapshots))
		return;
	views[s->view].rows->summary(&s->table, width, text, sizeof(text));
	snprintf(line, sizeof(line), "%*s%s", LAYOUT_GUTTER, "", text);
	title_draw(s, STYLE_BOLD, line);
}

static void table_draw(struct screen *s)
{
	struct view_state *state = table_state(s);
	struct list *list = &state->list;
	const int scroll = state->scroll;
	int most = 0; /* scroll of the widest block */
	int y = s->layout.body_y, end = y + s->layout.body_lines, rows = (int)s->table.n_rows;
	int lines = rows_lines(s), head_y = s->layout.column_header_y, row;

	if (s->drill) {
		char title[192];

		snprintf(title, sizeof(title), "  CPUs of %s", s->drill_name);
		title_draw(s, STYLE_BOLD, title);
	} else if (s->follow.on) {
		follow_title_draw(s);
	} else if (views[s->view].rows->summary) {
		summary_draw(s);
	}
	if (has_title(s))
		head_y = y++;
	if (views[s->view].rows->details && rows)
		end = y + lines;
	layout_scroll(list, rows, lines);
	row = list->top;
	do {
		int first = row, scrolled;

		while (row < rows && y + row - first < end &&
		       (row == first || !begins_block(&s->table, row)))
			row++;
		state->scroll = scroll;
		scrolled = part_draw(s, first, row - first, y, head_y);
		most = scrolled > most ? scrolled : most;
		y += row - first;
		head_y = y++;
	} while (row < rows && y < end);
	state->scroll = most;
	y = head_y;
	if (rows && views[s->view].rows->details) {
		/* the selected finding in full below the list */
		text_clear(&s->text, s->layout.width - LAYOUT_GUTTER);
		explain_fill(s);
		text_draw(s, &s->text, 0, y + 1, LAYOUT_GUTTER, s->layout.body_lines - lines - 1);
	} else if (row == rows && y < end) {
		no_data_draw(s, y + (rows && y + 1 < end ? 1 : 0), end - y - (rows ? 1 : 0));
	}
}

static void table_place(const struct screen *s, char *buf, size_t size)
{
	int len;

	if (!s->table.n_rows)
		return;
	len = snprintf(buf, size, "%ld/%zu", table_selected(s) + 1, s->table.n_rows);
	if (s->table.hidden)
		len += snprintf(buf + len, size - (size_t)len, " (%zu filtered out)",
				s->table.hidden);
	if (s->table.folded && !s->drill)
		snprintf(buf + len, size - (size_t)len, " (%zu idle CPUs folded)", s->table.folded);
}

/* Describes the selected row at full width, because cells may be cut. */
static void table_status(const struct screen *s, char *buf, size_t size)
{
	const struct table *t = &s->table;
	long row = table_selected(s);
	const struct row *r = row < 0 ? NULL : &t->row[row];
	struct cell cell;
	char place[64];

	if (!r || r->more)
		return;
	t = table_of(t, &r);
	if (t->options.view->rows->sentence) {
		t->options.view->rows->sentence(t, r, buf, size);
		table_place(s, place, sizeof(place));
		/* if the place does not fit beside the sentence, show only the cause */
		if (format_width(buf) + format_width(place) + 2 > s->layout.width) {
			table_cell(t, (size_t)(r - t->row), COL_TEXT, &cell);
			if (cell.state == CELL_VALUE)
				snprintf(buf, size, "%s", cell.text);
		}
	} else if (s->table.row[row].tracepoint >= 0) {
		if (views[s->view].failures_only)
			table_cell(&s->table, (size_t)row, COL_MEANING, &cell);
		else
			cell.state = CELL_NONE;
		if (cell.state == CELL_VALUE && *cell.text)
			snprintf(buf, size, "%s", cell.text);
		else
			tracepoint_status(s, (unsigned int)s->table.row[row].tracepoint, buf, size);
	} else {
		table_row_name(s, buf, size);
	}
}

static struct cursor table_cursor(struct screen *s)
{
	return (struct cursor){ &table_state(s)->list, (int)s->table.n_rows, rows_lines(s), 0 };
}

static int table_row_at(struct screen *s, int y)
{
	int row = table_state(s)->list.top, at = s->layout.body_y + (has_title(s) ? 1 : 0);

	for (; row < (int)s->table.n_rows && at < y; row++, at++)
		at += begins_block(&s->table, row + 1 < (int)s->table.n_rows ? row + 1 : 0);
	if (views[s->view].rows->details && row >= table_state(s)->list.top + rows_lines(s))
		return -1;
	return at == y && row < (int)s->table.n_rows && y < s->layout.body_y + s->layout.body_lines
		       ? row
		       : -1;
}

/* table_draw() clamps it at the right end. */
void table_scroll(struct screen *s)
{
	struct view_state *state = table_state(s);

	if (state->scroll + s->step >= 0)
		state->scroll += s->step;
}

const struct pane pane_table = {
	.draw = table_draw,
	.status = table_status,
	.place = table_place,
	.cursor = table_cursor,
	.moved = table_moved,
	.row_at = table_row_at,
};
