/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Panes fill the lines between header and footer. They are on a stack above the table of the view;
 * the top one decides which keys work.
 */
#ifndef XDPTOP_UI_PANE_H
#define XDPTOP_UI_PANE_H

#include "base/path_walk.h"
#include "table/column_layout.h"
#include "screen.h"

/* What the cursor keys move: a list, its rows, and the lines it is drawn in. */
struct cursor {
	struct list *list; /* NULL = nothing moves */
	int rows, lines;
	int y; /* of the first line, for clicks; 0 = they select nothing, or row_at() knows */
};

struct pane {
	enum key_context context; /* which keys work; of the table screen_context() knows */
	/* Draws the column header and body lines of the layout. */
	void (*draw)(struct screen *s);
	/* The list of the cursor keys; `moved` is called after a move, may be NULL. */
	struct cursor (*cursor)(struct screen *s);
	void (*moved)(struct screen *s);
	/* The row at a line of the screen, -1 = none; NULL = each line of the cursor's is one. */
	int (*row_at)(struct screen *s, int y);
	/* For the status line: the selected row in words, and its position. May be NULL. */
	void (*status)(const struct screen *s, char *buf, size_t size);
	void (*place)(const struct screen *s, char *buf, size_t size);
	/* Drawn over the pane below (menus). */
	bool over;
};

extern const struct pane pane_table;
extern const struct pane pane_help;
extern const struct pane pane_details;
extern const struct pane pane_tracepoints;
extern const struct pane pane_menu;
extern const struct pane pane_columns;
extern const struct pane pane_graph;

/*
 * Makes a new file to write to. The descriptor, and *place is for unlinkat() and
 * path_place_close(); or -errno, with a message in why.
 */
int export_create(const char *path, struct path_place *place, char *why, size_t size);

/* Replay (ui/replay_control.c): double or halve the speed, ask for a time, print the position. */
void replay_control_speed(struct screen *s, bool faster);
void replay_control_seek(struct screen *s);
/*
 * Goes on to the snapshot s->back with `take`, which samples one: 0 when it is there, -EAGAIN when
 * that takes longer; else as `take`.
 */
int replay_control_back(struct screen *s, int (*take)(struct screen *s));
/* Sets the baseline again, when its snapshot is read again. */
void replay_control_base(struct screen *s);
int replay_control_status(const struct screen *s, char *buf, size_t size);

/* Functions of the keys. */
#define KEY(function, ...) void function(struct screen *s);
#include "key_table.h"
#undef KEY

/* Toggles a tracepoint; the status line tells the result. */
void tracepoint_toggle(struct screen *s, unsigned int id);

struct view_state *table_state(struct screen *s);
/*
 * Places the columns of the view, CPU columns included, by what the rows from `first` on hold, as
 * many as `lines`. content[]: what is known of the widths. ids[]: of all of them
 * (ui/table_columns.c).
 */
void table_columns_place(struct screen *s, uint16_t *content, int first, int lines,
			 int ids[COLUMNS_MAX], struct column_layout *layout);
/* Draws their titles. */
void table_columns_draw(struct screen *s, const int *ids, const struct column_layout *layout,
			int y);
/* Prints a cell as it is shown in `width` columns; returns its style. */
enum style table_cell_text(const struct screen *s, size_t row, int id, int width, char *buf,
			   size_t size);
/* Index of the selected row, -1 = none. */
long table_selected(const struct screen *s);
/* Selects a row, as the cursor keys do. */
void table_select(struct screen *s, long row);
/* Makes the selection follow the row that the cursor keys moved to. */
void table_moved(struct screen *s);
/* Makes the selection follow the current row, also if the cursor never moved; false = no row. */
bool table_pick(struct screen *s);
/* Shows the view that the selected row is from, if that is another. */
void table_home(struct screen *s);
/* Shows what the selected row stands for; false = it is a row itself. */
bool table_more(struct screen *s);
/* Prints the names of the selected or drilled row; of a row of any table. */
void table_row_name(const struct screen *s, char *buf, size_t size);
void row_name(const struct table *t, size_t row, char *buf, size_t size);

void help_open(struct screen *s);
void help_fill(struct screen *s);
/* Adds the text about the selected row to s->text. */
void explain_fill(struct screen *s);
/* The same and the row's CPUs. */
void details_fill(struct screen *s);

/* A row whose CPUs are shown, by its id in a view without filter. */
struct cpus_of {
	enum view_id view;
	uint64_t id;
	char name[128];
};

/*
 * The row whose CPUs belong to the selected row: itself, or the one that a finding or event is
 * about. False = none has; *why says so.
 */
bool cpus_find(const struct screen *s, struct cpus_of *of, const char **why);
/*
 * Builds all rows of a view in table order, the filter is for those that are listed; or the CPUs of
 * the row `drill`. 0 or -ENOMEM.
 */
int rows_build(const struct screen *s, enum view_id view, uint64_t drill, struct table *t);

/* Applies command line and settings to the screen (ui/settings_apply.c). */
void settings_apply(struct screen *s);
/* Toggles tracepoints as the settings say; call it after the first sample. */
void settings_apply_tracepoints(struct screen *s);

/* Draws the lines of a text from `first` on, x cells from the left edge. */
void text_draw(struct screen *s, const struct text *t, int first, int y, int x, int lines);

/* Header, title of a pane, status line and footer (ui/header.c). */
void header_draw(struct screen *s);
void title_draw(struct screen *s, enum style style, const char *text);
void footer_draw(struct screen *s);
/* view_show() as a click has it. */
void view_choose(struct screen *s, int view);
/* Name of a tracepoint, as the kernel has it for one that xdptop does not know; "" = none. */
const char *tracepoint_label(const struct screen *s, unsigned int id);
/* Prints its name, and the reason for its state or what it counts. */
void tracepoint_status(const struct screen *s, unsigned int id, char *buf, size_t size);

#endif
