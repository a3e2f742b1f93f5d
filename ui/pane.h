/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fills the lines between header and footer. Panes lie on a stack over the table of the view;
 * the one on top decides which keys work.
 */
#ifndef XDPTOP_UI_PANE_H
#define XDPTOP_UI_PANE_H

#include "table/column_layout.h"
#include "screen.h"

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

/* Replays (ui/replay_control.c): twice or half as fast, go to a time, where it is. */
void replay_control_speed(struct screen *s, bool faster);
void replay_control_seek(struct screen *s);
int replay_control_status(const struct screen *s, char *buf, size_t size);

/* The functions of the keys. */
#define KEY(function, ...) void function(struct screen *s);
#include "key_table.h"
#undef KEY
void action_run(struct screen *s, const struct key_row *row);

/* Ask for tracepoint `id` to be switched; the answer goes to the status line. */
void tracepoint_toggle(struct screen *s, unsigned int id);

struct view_state *table_state(struct screen *s);
/*
 * What stands on the screen now, in order: CPU columns of a drilled row included. Returns how many;
 * the first *pinned never scroll out (ui/table_columns.c).
 */
int table_columns(const struct screen *s, int out[COLUMNS_MAX], int *pinned);
/* What those need. */
void table_columns_needs(const struct screen *s, const int *ids, int n, struct column_need *need);
void table_columns_draw(struct screen *s, const int *ids, const struct column_place *at, int n,
			int y);
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

/* What the command line does not set is as in the settings (ui/settings_apply.c). */
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
