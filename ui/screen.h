/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interactive monitor: its state, and what panes and keys ask of its loop. Only ui/ knows
 * curses; it never knows libbpf.
 */
#ifndef XDPTOP_UI_SCREEN_H
#define XDPTOP_UI_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/event_loop.h"
#include "cli/options.h"
#include "diagnose/findings.h"
#include "model/event_log.h"
#include "model/netns_names.h"
#include "model/source.h"
#include "table/filter.h"
#include "table/sort_hysteresis.h"
#include "table/table.h"
#include "key.h"
#include "layout.h"
#include "prompt.h"
#include "row_history.h"
#include "snapshots.h"
#include "terminal.h"
#include "text.h"
#include "view_state.h"

struct pane; /* ui/pane.h */
struct screen;

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
	int graph_value; /* which of row_history_columns() */
	struct text text;
	struct list text_top;
	char text_title[128];
	void (*text_fill)(struct screen *s);

	uint32_t tracepoints_wanted; /* by options and settings: bits 1 << id */

	char message[256]; /* until the next key */
	bool warn;         /* the message is about an error */
	bool done;
	int exit_code;
	char why[256]; /* printed after the terminal is restored, when exit_code is not 0 */
};

/*
 * Runs the screen until the user quits, a signal ends it or the terminal goes away; the terminal
 * is restored on every path. Returns the exit code; a message was printed where it is not 0.
 */
int screen_run(struct source *source, const struct options *options);

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
/* Whether a view lists and does not count: its rows have no CPUs, no rates. */
bool view_is_list(enum view_id view);
void view_show(struct screen *s, enum view_id view);
/* Findings as of what is shown. */
const struct findings *findings_shown(const struct screen *s);

#endif
