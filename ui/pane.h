/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Panes fill the lines between header and footer. They are on a stack above the table of the view;
 * the top one decides which keys work.
 */
#ifndef XDPTOP_UI_PANE_H
#define XDPTOP_UI_PANE_H

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

/* Drawn around every pane: ui/header.c, ui/footer.c. */
void header_draw(struct screen *s);
void footer_draw(struct screen *s);

/* For all panes: ui/pane.c. */
void title_draw(struct screen *s, enum style style, const char *text);
/* Draws the lines of a text from `first` on, x cells from the left edge. */
void text_draw(struct screen *s, const struct text *t, int first, int y, int x, int lines);
/* Makes cells of the frame that is being drawn take clicks. */
void spot_add(struct screen *s, int y, int x, int width, enum spot_kind kind, int value);
/* Name of a tracepoint, as the kernel has it for one that xdptop does not know; "" = none. */
const char *tracepoint_label(const struct screen *s, unsigned int id);
/* Prints its name, and the reason for its state or what it counts. */
void tracepoint_status(const struct screen *s, unsigned int id, char *buf, size_t size);

/* Toggles a tracepoint; the status line tells the result (ui/pane_tracepoints.c). */
void tracepoint_toggle(struct screen *s, unsigned int id);

/*
 * Ids of the columns that are shown now, in order, CPU columns included. Returns how many; the
 * first *pinned never scroll out (ui/table_columns.c).
 */
int table_columns(const struct screen *s, int out[COLUMNS_MAX], int *pinned);
/*
 * Places the columns of the view, CPU columns included, by what the rows from `first` on hold, as
 * many as `lines`. content[]: what is known of the widths. ids[]: of all of them.
 */
void table_columns_place(struct screen *s, uint16_t *content, int first, int lines,
			 int ids[COLUMNS_MAX], struct column_layout *layout);
/* Draws their titles. */
void table_columns_draw(struct screen *s, const int *ids, const struct column_layout *layout,
			int y);
/* Prints a cell as it is shown in `width` columns; returns its style (ui/table_cells.c). */
enum style table_cell_text(const struct screen *s, size_t row, int id, int width, char *buf,
			   size_t size);

/* Add to s->text: the help; the text about the selected row; the same and the row's CPUs. */
void help_fill(struct screen *s);
void explain_fill(struct screen *s);
void details_fill(struct screen *s);

#endif
