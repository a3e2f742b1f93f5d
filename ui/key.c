// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include "key.h"

/* Two lines a row, so that the table reads as a table. */
/* clang-format off */
const struct key_row key_rows[] = {
	{ ACTION_HELP, KEYS_PANES, 90, "Everywhere", "help",
	  "keys, columns and what the numbers mean", { '?', 'h', KEYCODE_F1 } },
	{ ACTION_QUIT, KEYS_PANES, 80, NULL, "quit",
	  "quit", { 'q', KEYCODE_F10, KEYCODE_CTRL_C } },
	{ ACTION_SUSPEND, KEYS_PANES, 0, NULL, "suspend",
	  "suspend: programs are detached, and attached again on return", { KEYCODE_CTRL_Z } },
	{ ACTION_REDRAW, KEYS_PANES | KEYS_PROMPT, 0, NULL, "redraw",
	  "draw the whole screen again", { KEYCODE_CTRL_L } },

	{ ACTION_UP, KEYS_PANES, 0, "Move", "up",
	  "one row up", { KEYCODE_UP, 'k' } },
	{ ACTION_DOWN, KEYS_PANES, 0, NULL, "down",
	  "one row down", { KEYCODE_DOWN, 'j' } },
	{ ACTION_PAGE_UP, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "page up",
	  "one page up", { KEYCODE_PAGE_UP } },
	{ ACTION_PAGE_DOWN, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "page down",
	  "one page down", { KEYCODE_PAGE_DOWN } },
	{ ACTION_PAGE_DOWN, KEYS_TEXT, 85, NULL, "more",
	  "one page down where there is only text", { ' ' } },
	{ ACTION_FIRST, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "first",
	  "first row", { KEYCODE_HOME } },
	{ ACTION_LAST, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "last",
	  "last row", { KEYCODE_END } },
	{ ACTION_LEFT, KEYS_ROWS, 0, NULL, "left",
	  "scroll the columns left", { KEYCODE_LEFT } },
	{ ACTION_RIGHT, KEYS_ROWS, 0, NULL, "right",
	  "scroll the columns right", { KEYCODE_RIGHT } },

	{ ACTION_VIEW_NEXT, KEYS_ROWS, 70, "Views", "view",
	  "next view", { KEYCODE_TAB } },
	{ ACTION_VIEW_PREVIOUS, KEYS_ROWS, 0, NULL, "previous",
	  "previous view", { KEYCODE_BACK_TAB } },
	{ ACTION_VIEW_MENU, KEYS_ROWS, 0, NULL, "views",
	  "menu of the views", { 'v' } },
	{ ACTION_ENTER, KEYS_TABLE, 65, NULL, "CPUs",
	  "into the CPUs of the row: share and skew", { KEYCODE_ENTER } },
	{ ACTION_ENTER, KEYS_LIST, 65, NULL, "all of it",
	  "the selected event or finding in full", { KEYCODE_ENTER } },
	{ ACTION_ENTER, KEYS_MENU, 85, NULL, "choose",
	  "choose the entry of a menu", { KEYCODE_ENTER } },
	{ ACTION_BACK, KEYS_PANES & ~KEYS_TABLE, 95, NULL, "back",
	  "back to where you came from", { KEYCODE_ESC, KEYCODE_BACKSPACE } },
	{ ACTION_CPUS, KEYS_TABLE, 20, NULL, "all CPUs",
	  "the CPUs of all rows, below each row", { 'c' } },
	{ ACTION_CPUS, KEYS_LIST, 61, NULL, "its CPUs",
	  "into the CPUs of what the finding or event is about", { 'c' } },
	{ ACTION_ALL, KEYS_ROWS, 15, NULL, "all rows",
	  "rows without activity too, and all CPUs where idle ones are folded", { 'a' } },
	{ ACTION_FINDINGS, KEYS_ROWS, 62, NULL, "findings",
	  "the findings: causes, with evidence and next commands", { 'x' } },
	{ ACTION_EXPLAIN, KEYS_ROWS, 60, NULL, "explain",
	  "the selected row: meaning, likely causes, next commands", { 'e' } },

	{ ACTION_TOGGLE_DIGIT, KEYS_ROWS | KEYS_TRACEPOINTS, 0, "Tracepoints", "toggle",
	  "switch that tracepoint on or off (the digit stands in the overview)",
	  { '1', '2', '3', '4', '5', '6', '7', '8', '9', '0' } },
	{ ACTION_TRACEPOINTS, KEYS_ROWS, 50, NULL, "tracepoints",
	  "all tracepoints: state, reason, cost", { 't' } },
	{ ACTION_TOGGLE_ROW, KEYS_TRACEPOINTS, 85, NULL, "on/off",
	  "switch the selected tracepoint", { ' ', KEYCODE_ENTER } },

	{ ACTION_SORT_LEFT, KEYS_ROWS, 0, "Sort and select", "sort left",
	  "sort by the column to the left", { '<' } },
	{ ACTION_SORT_RIGHT, KEYS_ROWS, 45, NULL, "sort",
	  "sort by the column to the right", { '>' } },
	{ ACTION_SORT_MENU, KEYS_ROWS, 0, NULL, "sort menu",
	  "menu of the columns to sort by", { KEYCODE_F6 } },
	{ ACTION_REVERSE, KEYS_ROWS, 0, NULL, "reverse",
	  "reverse the order", { 'R', 'I' } },
	{ ACTION_FILTER, KEYS_VIEW, 55, NULL, "filter",
	  "filter the rows while you type; empty clears", { '/', KEYCODE_F4 } },

	{ ACTION_COLUMNS, KEYS_VIEW, 18, "Columns", "columns",
	  "choose and order the columns of the view", { 'f', KEYCODE_F2 } },
	{ ACTION_COLUMN_TOGGLE, KEYS_COLUMNS, 85, NULL, "show",
	  "show the column, or leave it out", { ' ', KEYCODE_ENTER } },
	{ ACTION_COLUMN_EARLIER, KEYS_COLUMNS, 60, NULL, "earlier",
	  "one place to the left", { '<', KEYCODE_LEFT } },
	{ ACTION_COLUMN_LATER, KEYS_COLUMNS, 61, NULL, "later",
	  "one place to the right", { '>', KEYCODE_RIGHT } },
	{ ACTION_COLUMN_NARROWER, KEYS_COLUMNS, 50, NULL, "narrower",
	  "narrower; a number never below its width", { '-' } },
	{ ACTION_COLUMN_WIDER, KEYS_COLUMNS, 51, NULL, "wider",
	  "wider", { '+', '=' } },
	{ ACTION_COLUMN_RESET, KEYS_COLUMNS, 55, NULL, "reset",
	  "the view's own columns again", { KEYCODE_DELETE, 'x' } },

	{ ACTION_GRAPH, KEYS_TABLE | KEYS_CPUS, 35, "Graph", "graph",
	  "ten minutes of the selected row", { 'g' } },
	{ ACTION_GRAPH_NEXT, KEYS_GRAPH, 85, NULL, "count",
	  "graph the next of the row's rates", { KEYCODE_TAB, KEYCODE_RIGHT } },
	{ ACTION_GRAPH_PREVIOUS, KEYS_GRAPH, 0, NULL, "previous",
	  "graph the previous one", { KEYCODE_BACK_TAB, KEYCODE_LEFT } },

	{ ACTION_PAUSE, KEYS_ROWS | KEYS_TRACEPOINTS | KEYS_GRAPH, 40, "Time and numbers", "pause",
	  "freeze the numbers; sorting, filtering and drilling go on", { 'p', 'z', 'Z' } },
	{ ACTION_SAMPLE, KEYS_ROWS | KEYS_GRAPH, 0, NULL, "sample",
	  "sample now", { ' ' } },
	{ ACTION_INTERVAL, KEYS_PANES & ~(KEYS_MENU | KEYS_COLUMNS), 30, NULL, "interval",
	  "set the interval, 0.1 to 3600 seconds; in a recording: go to a time", { 'd', 's' } },
	{ ACTION_SLOWER, KEYS_PANES & ~(KEYS_MENU | KEYS_COLUMNS), 0, NULL, "slower",
	  "longer interval; in a recording: faster", { '+' } },
	{ ACTION_FASTER, KEYS_PANES & ~(KEYS_MENU | KEYS_COLUMNS), 0, NULL, "faster",
	  "shorter interval; in a recording: slower", { '-' } },
	{ ACTION_UNIT, KEYS_TABLE | KEYS_CPUS, 25, NULL, "unit",
	  "rates per second, per interval, or counts since the baseline", { 'u' } },
	{ ACTION_NUMBERS, KEYS_ROWS, 0, NULL, "digits",
	  "numbers as 1.23M, 1234567 or 1,234,567", { 'U' } },
	{ ACTION_BASELINE, KEYS_ROWS, 22, NULL, "baseline",
	  "baseline: totals count from here", { 'r' } },

	{ ACTION_WRITE, KEYS_ROWS | KEYS_GRAPH, 12, "Files", "write",
	  "write what is shown, also paused, to a file as JSON Lines", { 'w' } },
	{ ACTION_SAVE, KEYS_ROWS | KEYS_COLUMNS, 10, NULL, "save",
	  "save view, columns, sorting, interval, unit, tracepoints", { 'W' } },
};
/* clang-format on */

const size_t n_key_rows = sizeof(key_rows) / sizeof(key_rows[0]);

const struct key_row *key_row_find(enum key_context context, int code)
{
	if (code <= 0)
		return NULL;
	for (size_t i = 0; i < n_key_rows; i++) {
		if (!(key_rows[i].contexts & context))
			continue;
		for (int k = 0; k < KEY_CODES && key_rows[i].code[k]; k++)
			if (key_rows[i].code[k] == code)
				return &key_rows[i];
	}
	return NULL;
}

static const struct {
	int code;
	const char *name;
} names[] = {
	{ ' ', "Space" },
	{ KEYCODE_TAB, "Tab" },
	{ KEYCODE_ENTER, "Enter" },
	{ KEYCODE_ESC, "Esc" },
	{ KEYCODE_BACKSPACE, "Backspace" },
	{ KEYCODE_UP, "Up" },
	{ KEYCODE_DOWN, "Down" },
	{ KEYCODE_LEFT, "Left" },
	{ KEYCODE_RIGHT, "Right" },
	{ KEYCODE_PAGE_UP, "PgUp" },
	{ KEYCODE_PAGE_DOWN, "PgDn" },
	{ KEYCODE_HOME, "Home" },
	{ KEYCODE_END, "End" },
	{ KEYCODE_DELETE, "Del" },
	{ KEYCODE_BACK_TAB, "Shift-Tab" },
};

int key_code_name(char *buf, size_t size, int code)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			return snprintf(buf, size, "%s", names[i].name);
	if (code >= KEYCODE_F1 && code <= KEYCODE_F10)
		return snprintf(buf, size, "F%d", code - KEYCODE_F1 + 1);
	if (code > 0 && code < ' ')
		return snprintf(buf, size, "^%c", code + '@');
	if (code > ' ' && code < KEYCODE_BACKSPACE)
		return snprintf(buf, size, "%c", code);
	return snprintf(buf, size, "that key");
}

int key_row_names(char *buf, size_t size, const struct key_row *row)
{
	size_t len = 0;

	if (!size)
		return 0;
	buf[0] = '\0';
	for (int k = 0; k < KEY_CODES && row->code[k]; k++) {
		char name[16];

		if (row->code[k] == '1')
			k += 8, snprintf(name, sizeof(name), "1..9");
		else
			key_code_name(name, sizeof(name), row->code[k]);
		if (len + strlen(name) + 2 > size)
			break;
		len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? " " : "", name);
	}
	return (int)len;
}
