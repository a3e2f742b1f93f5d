// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "history.h"
#include "pane.h"
#include "column_choice.h"

/* Room for numbers in full, when they are asked for. */
#define RAW_WIDTH     12
#define GROUPED_WIDTH 15
/* A first column narrower than this (KEY) does not name the row. */
#define NAME_WIDTH 4
/* Below this, heads and names give way to numbers. */
#define NARROW      60
#define NARROW_TEXT 8

static const struct column screen_columns[SCREEN_COLUMN_COUNT - COLUMN_COUNT] = {
	[SCREEN_COL_TREND - COLUMN_COUNT] = {
		.name = "trend", .title = "LAST MIN", .width = TREND_CELLS, .unit = "",
		.descending = true,
		.help = "the last minute, 6 seconds a sign, of the rate sorted by last or the first "
			"one; its own scale for each row; sorts by the mean; only on the screen",
	},
	[SCREEN_COL_PEAK - COLUMN_COUNT] = {
		.name = "peak", .title = "PEAK/S", .width = 6, .number = true, .unit = "1/s",
		.descending = true,
		.help = "the highest rate of an interval so far, or since the baseline, of the rate "
			"sorted by last or the first one; only on the screen",
	},
};

const struct column *screen_column(int id)
{
	return id < COLUMN_COUNT ? &columns[id] : &screen_columns[id - COLUMN_COUNT];
}

int screen_column_find(const char *name)
{
	for (int i = COLUMN_COUNT; i < SCREEN_COLUMN_COUNT; i++)
		if (!strcmp(screen_column(i)->name, name))
			return i;
	return column_find(name);
}

void column_choice_reset(struct column_choice *choice, unsigned int view)
{
	const struct view *v = &views[view];

	memset(choice, 0, sizeof(*choice));
	for (int i = 0; i < v->n_columns; i++) {
		/* Behind the numbers, before a reason that takes the rest of the line. */
		if (view == VIEW_OVERVIEW && v->column[i] == COL_REASON)
			choice->id[choice->n++] = SCREEN_COL_TREND;
		choice->id[choice->n++] = (uint8_t)v->column[i];
	}
}

static void move(int *ids, int from, int to)
{
	int id = ids[from];

	if (from > to)
		memmove(&ids[to + 1], &ids[to], (size_t)(from - to) * sizeof(*ids));
	else
		memmove(&ids[from], &ids[from + 1], (size_t)(to - from) * sizeof(*ids));
	ids[to] = id;
}

/*
 * On a narrow screen what is sorted by stands right behind the name, so that it is in sight, and
 * the namespace last.
 */
static void narrow_order(int *ids, int n, int pinned, int sort)
{
	for (int i = pinned; i < n; i++) {
		if (ids[i] != sort)
			continue;
		move(ids, i, pinned++);
		break;
	}
	for (int i = pinned; i < n; i++) {
		if (ids[i] != COL_NETNS)
			continue;
		move(ids, i, n - 1);
		break;
	}
}

static int cpus_columns(const struct column_choice *choice, int *out)
{
	int n = 0;

	for (int i = 0; i < CPU_COLUMNS; i++)
		out[n++] = cpu_columns[i];
	/* What the row is stands in the title; its CPUs differ in numbers only. */
	for (int i = 0; i < choice->n; i++)
		if (choice->id[i] < COLUMN_COUNT && columns[choice->id[i]].number &&
		    choice->id[i] != COL_LAST_SEEN)
			out[n++] = choice->id[i];
	return n;
}

int columns_in_view(const struct screen *s, int out[COLUMNS_MAX], int *pinned)
{
	const struct column_choice *choice = &s->view_state[s->view].columns;
	bool per_cpu = s->per_cpu && !view_is_list(s->view);
	int n = 0;

	*pinned = 1;
	if (s->drill) {
		n = cpus_columns(choice, out);
		if (s->layout.width < NARROW)
			narrow_order(out, n, CPU_COLUMNS, s->view_state[s->view].rate);
		return n;
	}
	/* The first column that names the row never scrolls out. */
	if (choice->n > 1 && screen_column(choice->id[0])->width < NAME_WIDTH)
		*pinned = 2;
	for (int i = 0; i < choice->n; i++) {
		out[n++] = choice->id[i];
		for (int k = 0; i + 1 == *pinned && per_cpu && k < CPU_COLUMNS; k++)
			out[n++] = cpu_columns[k];
	}
	if (per_cpu)
		++*pinned;
	if (s->layout.width < NARROW && !choice->custom)
		narrow_order(out, n, *pinned, s->view_state[s->view].sort);
	return n;
}

/* Totals, which have as many digits as they have; averages and percentages stay short. */
static bool count_column(const struct column *c)
{
	return c->number && c->descending && c->width >= 6 && (!*c->unit || !strcmp(c->unit, "B"));
}

/* Digits of the largest program id: one that is cut is none. */
static int prog_id_width(const struct snapshot *s)
{
	uint32_t most = 0;
	int digits = 1;

	for (size_t i = 0; i < s->n_series; i++)
		if (s->series[i].key.prog_id > most)
			most = s->series[i].key.prog_id;
	for (size_t i = 0; i < s->n_device; i++)
		if (s->device[i].prog_id > most)
			most = s->device[i].prog_id;
	for (; most > 9; most /= 10)
		digits++;
	return digits;
}

void columns_needs(const struct screen *s, const int *ids, int n, struct layout_need *need)
{
	int wide = s->numbers == NUMBER_RAW       ? RAW_WIDTH
		   : s->numbers == NUMBER_GROUPED ? GROUPED_WIDTH
						  : 0;

	for (int i = 0; i < n; i++) {
		const struct column *c = screen_column(ids[i]);
		int chosen = s->view_state[s->view].columns.width[ids[i]];

		need[i] = (struct layout_need){ .width = c->width, .grow = c->grow };
		if (chosen) {
			need[i] = (struct layout_need){ .width = chosen, .grow = 0 };
			continue;
		}
		if (ids[i] == COL_PROG_ID && s->table.rates &&
		    prog_id_width(s->table.rates->to) > c->width)
			need[i].width = prog_id_width(s->table.rates->to);
		if (wide > c->width && (c->rate || count_column(c)))
			need[i].width = wide;
		if (s->layout.width < NARROW && ids[i] == COL_KEY)
			need[i].width = 1;
		else if (s->layout.width < NARROW && !c->number && ids[i] != COL_TRACEPOINT &&
			 c->width > NARROW_TEXT)
			need[i].width = NARROW_TEXT;
	}
}

int rate_columns(unsigned int view, int out[])
{
	int n = 0;

	for (int i = 0; i < views[view].n_columns && n < HISTORY_VALUES; i++)
		if (columns[views[view].column[i]].rate)
			out[n++] = views[view].column[i];
	return n;
}
