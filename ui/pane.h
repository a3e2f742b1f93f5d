/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the screen and what a pane is. A pane fills the lines between header and footer and
 * gets the keys first; panes lie on a stack over the table of the view.
 */
#ifndef XDPTOP_UI_PANE_H
#define XDPTOP_UI_PANE_H

#include <stdbool.h>
#include <stdint.h>
#include "model/event_log.h"
#include "table/filter.h"
#include "diagnose/finding.h"
#include "model/netns_names.h"
#include "cli/options.h"
#include "table/sort_hysteresis.h"
#include "model/source.h"
#include "table/table.h"
#include "model/target.h"
#include "base/event_loop.h"
#include "snapshots.h"
#include "key.h"
#include "layout.h"
#include "prompt.h"
#include "column_choice.h"
#include "terminal.h"
#include "text.h"
#include "row_history.h"

struct screen;

/* A list with a selected row in a window. */
struct list {
	int top, cursor;
};

/* A list with how many rows it has, and how many lines they have. */
struct cursor {
	struct list *list; /* NULL = nothing moves */
	int rows, lines;
};

struct pane {
	/* Which keys work here; may change with the state (rows, or CPUs of a row). */
	enum key_context (*context)(const struct screen *s);
	/* Head and body lines of the layout. */
	void (*draw)(struct screen *s);
	/* What the keys that move move; `moved` may be NULL. */
	struct cursor (*cursor)(struct screen *s);
	void (*moved)(struct screen *s);
	/* For the status line: about the selected row, and which of how many. May be NULL. */
	void (*status)(const struct screen *s, char *buf, size_t size);
	void (*place)(const struct screen *s, char *buf, size_t size);
	/* Drawn over the pane below, which stays visible (menus). */
	bool over;
};

extern const struct pane pane_table;
extern const struct pane pane_text;
extern const struct pane pane_tracepoints;
extern const struct pane pane_menu;
extern const struct pane pane_columns;
extern const struct pane pane_graph;

/* How a view is looked at; kept while another one is shown. */
struct view_state {
	int sort; /* as screen_column() numbers them, -1 = table order */
	bool descending;
	int rate;          /* the rate column sorted by last: what trend, peak and graph are of */
	bool picked;       /* the user moved: the selection follows a row */
	uint64_t wanted;   /* row.id of the one the user moved to, in sight or not */
	uint64_t selected; /* row.id of the one selected in its stead */
	struct list list;
	int scroll; /* columns scrolled out on the left */
	struct column_choice columns;
};

#define MENU_ROWS 64

/* What a menu offers; `choose` gets the row's value. */
struct menu {
	const char *title;
	int n;
	struct {
		char label[160];
		int value;
	} row[MENU_ROWS];
	struct list list;
	void (*choose)(struct screen *s, int value);
};

#define PANE_DEPTH 8

struct screen {
	struct source *source;
	const struct options *options;
	struct terminal *terminal;
	struct event_loop loop;
	double interval_s;
	uint64_t sample_at_ns; /* an early sample is due then; 0 = none */
	uint64_t intervals;    /* shown so far: -n ends with that many */

	struct snapshots snapshots;
	struct table table;
	struct sort_hysteresis settle; /* the order of its rows */
	struct row_history row_history;
	struct netns_names *netns;

	enum view_id view;
	enum view_id before_list; /* what x and Esc go back to from a list */
	struct view_state view_state[VIEW_COUNT];
	struct view_state drill_state; /* of the drilled row */
	uint64_t drill;                /* row.id, 0 = not drilled */
	char drill_name[128];
	struct filter *filter;
	bool per_cpu, all;
	enum rate_unit unit;
	enum number_style numbers;

	int key; /* the code of the key that is acted on */
	const struct pane *stack[PANE_DEPTH];
	int depth;
	struct layout layout;
	struct prompt prompt;
	struct menu menu;
	/* What lists show; the second ones are as of the pause. */
	struct event_log events, events_still;
	struct findings findings, findings_still;
	struct list tracepoints;
	struct list columns;
	int graph_value; /* which of rate_columns() */
	struct text text;
	struct list text_top;
	char text_title[128];
	void (*text_fill)(struct screen *s);

	bool tracepoints_given; /* by the settings, not yet switched */
	uint32_t tracepoints_wanted;

	char message[256]; /* until the next key */
	bool warn;         /* the message is about an error */
	bool done;
	int exit_code;
	char why[256]; /* printed after the terminal is restored, when exit_code is not 0 */
};

/* The pane on top, and the context of the keys now. */
const struct pane *screen_pane(const struct screen *s);
enum key_context screen_context(const struct screen *s);
void screen_push(struct screen *s, const struct pane *pane);
void screen_pop(struct screen *s);
/* A message in the status line until the next key. */
void screen_say(struct screen *s, bool warn, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Build the table again because what is shown of it changed: sorted exactly. */
void screen_rebuild(struct screen *s);
void screen_end(struct screen *s, int exit_code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Sample now and start the interval again. */
void screen_sample(struct screen *s);
void screen_set_interval(struct screen *s, double seconds);
/* Forget what was sampled: a recording goes on at another time. */
void screen_restart(struct screen *s);

/* Replays (ui/replay_control.c): twice or half as fast, go to a time, where it is. */
void replay_control_speed(struct screen *s, bool faster);
extern const struct prompt_kind prompt_time;
void replay_control_seek(struct screen *s);
int replay_control_status(const struct screen *s, char *buf, size_t size);

/* The functions of the keys. */
#define KEY(function, ...) void function(struct screen *s);
#include "key_table.h"
#undef KEY
void action_run(struct screen *s, const struct key_row *row);

/* Ask for tracepoint `id` to be switched; the answer goes to the status line. */
void tracepoint_toggle(struct screen *s, unsigned int id);

/* Whether a view lists and does not count: its rows have no CPUs, no rates. */
bool view_is_list(enum view_id view);
void view_show(struct screen *s, enum view_id view);
/* Findings as of what is shown. */
const struct findings *findings_shown(const struct screen *s);

struct view_state *table_state(struct screen *s);
/* Sort by a column, -1 = table order. */
void view_state_sort(struct view_state *l, int column, bool descending);
/* Index of the selected row, -1 when there is none. */
long table_selected(const struct screen *s);
/* Select a row of the view that is shown, as if the user had moved there. */
void table_select(struct screen *s, long row);
/* The selection stays with the row it is on, also one the user did not move to; false = no row. */
bool table_pick(struct screen *s);
/* What the selected row, or the one drilled into, is: its names. */
void table_row_name(const struct screen *s, char *buf, size_t size);

/* Open lines to read; `fill` adds them to s->text for each draw. */
void text_open(struct screen *s, const char *title, void (*fill)(struct screen *s));
void help_fill(struct screen *s);
void explain_fill(struct screen *s);

/* What outlives the screen (ui/settings_apply.c): settings before and after, a snapshot in a file.
 */
void settings_apply(struct screen *s);
/* After the first sample: switch the tracepoints that the settings name. */
void settings_apply_tracepoints(struct screen *s);

/* Header, status line and footer (ui/header.c). */
void header_draw(struct screen *s);
void footer_draw(struct screen *s);
/* The kernel's name of a tracepoint, also of the generic rows. */
const char *tracepoint_label(const struct screen *s, unsigned int id);
/* Why it is as it is, or what it counts. */
void tracepoint_status(const struct screen *s, unsigned int id, char *buf, size_t size);

#endif
