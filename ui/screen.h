/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the interactive monitor. Only the main thread uses it: the loop (screen_run.c) samples,
 * calls the functions of keys (actions.h) and draws.
 *
 * Keys may change what is shown, through a function where there is one: view_show() for view and
 * drill, screen_push() and screen_pop() for the stack, screen_say() for the message, screen_end()
 * for a failure. They call screen_rebuild() after a change of view, filter, drill, unit, per_cpu,
 * all, or sorting, since `table` is built from these. `snapshots` changes only through snapshots.h.
 * Samples add to snapshots, events, followed, findings and row_history, and call
 * screen_refresh(). Drawing changes only layout, text, spots, content and scroll positions.
 */
#pragma once

#include "base/event_loop.h"
#include "cli/options.h"
#include "history.h"
#include "incidents.h"
#include "key.h"
#include "model/follow_log.h"
#include "packets.h"
#include "replay.h"
#include "screen_record.h"
#include "snapshots.h"
#include "table/follow_choice.h"
#include "text.h"

struct pane; /* ui/pane.h */
struct screen;

#define MENU_ROWS 64

/* An open menu; `choose` gets the value of the selected row. */
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

struct document {
	void (*fill)(struct screen *s); /* adds its lines to screen.text */
	char title[128];
	struct list top; /* top.cursor is the first visible line */
	char search[PROMPT_SIZE];
	int found;  /* line of the last match */
	int before; /* first visible line when the prompt was opened */
};

#define SPOTS_MAX 128

/* What a click on a spot does; `value` is the code of a key, a view or a column. */
enum spot_kind { SPOT_NONE, SPOT_KEY, SPOT_VIEW, SPOT_COLUMN };

struct spot {
	int y, x, width;
	enum spot_kind kind;
	int value;
};

/* Where Esc and q return to after a key that shows another view: what was shown there. */
struct place {
	bool by_row; /* closing the graph or the details of a row returns */
	bool by_map; /* `m` was pressed; pressed again it adds no place */
	enum view_id view, before_list;
	uint64_t drill;
	char drill_name[128];
	struct view_state drill_state;
	const struct pane *stack[PANE_DEPTH];
	int depth;
	struct document help, details;
	enum key_context help_context;
	int graph_column;
	struct filter *filter; /* set aside meanwhile; NULL = none */
};

#define PLACES 8

struct screen {
	struct source *source;
	const struct options *options;
	struct terminal *terminal;
	bool still; /* nothing changed that a frame would show */
	struct event_loop loop;
	double interval_s;
	uint64_t sample_at_ns; /* time of an early sample; 0 = none */
	bool by_step;          /* a replay waits for Space or `.` */
	unsigned int steps;    /* by step: snapshots requested and not read yet */
	struct replay replay;
	struct incidents incidents;
	uint64_t intervals; /* completed so far, for -n */
	uint64_t begun_ns;  /* CLOCK_MONOTONIC of the first snapshot; 0 = none yet */

	struct snapshots snapshots;
	struct table table;
	struct table found;  /* the findings that pass the filter */
	uint64_t ordered_ns; /* time of the snapshot that rows were sorted by; 0 = none */
	/* Widest text of each column in the table and its blocks, as columns do not narrow. */
	uint16_t content[1 + VIEW_BLOCKS][SCREEN_COLUMN_COUNT];
	struct row_history row_history;
	struct screen_record record;
	struct past past;          /* live only */
	char start_directory[128]; /* new files are made below it; "" = started in / */
	struct netns_names *netns;

	enum view_id view;
	enum view_id before_list;  /* the view that Esc shows after a list, if `from` is empty */
	struct place from[PLACES]; /* the latest last; the oldest is forgotten */
	int n_from;
	struct view_state view_state[VIEW_COUNT];
	struct view_state drill_state; /* of the CPUs of the drilled row */
	uint64_t drill;                /* row.id; 0 = not drilled */
	char drill_name[128];
	struct filter *filter;
	bool per_cpu, all;

	int key, step; /* of the key being handled: its code, and key_row.step */
	const struct pane *stack[PANE_DEPTH];
	int depth;
	struct layout layout;
	struct prompt prompt;
	struct menu menu;
	/* Rows of the lists; *_still are copies made at a pause. */
	struct event_log events, events_still;
	struct follow_log followed, followed_still;
	struct {
		bool on; /* events are followed, and their view is shown; live only */
		struct follow_choice choice;
	} follow;
	struct findings findings, findings_still;
	struct list columns;
	int graph_column; /* a rate */
	struct packets packets;
	bool samples_packets;         /* for the view packets */
	int packets_y, packets_lines; /* of the newest packets in the frame */
	struct text text;             /* of the top pane, while it is drawn */
	struct document help, details;
	enum key_context help_context; /* where the help was opened */

	uint32_t process[PROCESSES]; /* pids for source_process_ended() */
	uint32_t tracepoints_wanted; /* by command line and settings: bits 1 << id */

	bool no_mouse, copy_always;
	int n_spots;
	struct spot spot[SPOTS_MAX]; /* of the shown frame */

	char message[256]; /* shown until the next key */
	bool warn;         /* message is an error */
	bool done;
	struct error error; /* printed after the terminal is restored, if exit_code is not 0 */
};

const struct pane *screen_pane(const struct screen *s);
/* The same, or if that is a menu, the pane below it. */
const struct pane *screen_pane_below(const struct screen *s);
/* Whether the rows have no CPUs of their own: they are CPUs, sockets or followed events. */
bool screen_is_alone(const struct screen *s);
enum key_context screen_context(const struct screen *s);
void screen_push(struct screen *s, const struct pane *pane);
void screen_pop(struct screen *s);
/* Shows a message in the status line until the next key. */
void screen_say(struct screen *s, bool warn, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Says that the key being handled does nothing here. */
void key_say_nothing(struct screen *s);
void screen_end(struct screen *s, int exit_code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Findings of the shown snapshot: during a pause the copy. */
const struct findings *findings_shown(const struct screen *s);
