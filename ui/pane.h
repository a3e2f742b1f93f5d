/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Panes fill the lines between header and footer. The view's table is the bottom of a stack of
 * panes (screen_push(), screen_pop()). The top one decides which keys work.
 *
 * Every frame is drawn completely: header, top pane, footer, prompt. If the top pane has `over`,
 * the pane below is drawn first, and gets no clicks. draw() writes only within the column header
 * and body lines of s->layout, and adds its clickable cells with spot_add(). status() and place()
 * are called after it, for the footer. A key that moves the cursor calls cursor(), changes
 * list->cursor within its rows, then calls moved(). A click calls cursor() and row_at() for the
 * frame on the screen, selects that row, and acts on it if it was selected before. draw() must
 * scroll, since nothing else does.
 */
#pragma once

#include "table/column_layout.h"
#include "screen.h"

/*
 * The list that the cursor keys move in; also the number of its rows and of the lines that show
 * them.
 */
struct cursor {
	struct list *list; /* NULL = nothing moves */
	int rows, lines;
	int y; /* first line, for clicks; 0 = a click selects nothing, or see row_at() */
};

struct pane {
	enum key_context context; /* which keys work; for the table see screen_context() */
	/* Draws the column header and body lines of the layout. */
	void (*draw)(struct screen *s);
	/* `moved` is called after each move. May be NULL. */
	struct cursor (*cursor)(struct screen *s);
	void (*moved)(struct screen *s);
	/* The row at line y of the screen, -1 = none; NULL = one row per line, from cursor.y on. */
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
extern const struct pane pane_menu;
extern const struct pane pane_columns;
extern const struct pane pane_graph;
extern const struct pane pane_packets;

/* In ui/header.c, drawn around every pane. */
void header_draw(struct screen *s);
void footer_draw(struct screen *s);

/*
 * In ui/packets.c: ends the capture, always or if the pane was left. The view of kinds begins
 * and ends its own.
 */
void packets_end(struct screen *s);
void packets_watch(struct screen *s);

/* In ui/pane.c, for all panes. */
void title_draw(struct screen *s, enum style style, const char *text);
/* Draws lines of a text from `first` on, x cells from the left edge. */
void text_draw(struct screen *s, const struct text *t, int first, int y, int x, int lines);
/* Makes cells of the current frame clickable. */
void spot_add(struct screen *s, int y, int x, int width, enum spot_kind kind, int value);
/* Name of a tracepoint; the kernel's, if xdptop does not know the tracepoint; "" = unused. */
const char *tracepoint_label(const struct screen *s, unsigned int id);
/*
 * Prints name, state and reason of a tracepoint. If there is no reason, prints its name and what it
 * counts.
 */
void tracepoint_status(const struct screen *s, unsigned int id, char *buf, size_t size);

/* A part of the table with columns of its own: a block, or all rows of a view without blocks. */
struct table_part {
	const struct table *table;
	enum view_id view;
	struct view_state state;
	uint16_t *content; /* widest text seen so far by column id */
};

struct table_part table_whole(struct screen *s);
/*
 * Places the columns of table_columns(), whose ids are in ids[], and limits the scroll position.
 * The `lines` rows from `first` on may widen p->content.
 */
void table_columns_place(struct screen *s, struct table_part *p, int first, int lines,
			 int ids[COLUMNS_MAX], struct column_layout *layout);
/* Draws the titles of the columns in line y. */
void table_columns_draw(struct screen *s, const struct table_part *p, const int *ids,
			const struct column_layout *layout, int y);
/* Prints a cell as shown in `width` cells. Returns its style (ui/table_columns.c). */
enum style table_cell_text(const struct screen *s, const struct table_part *p, size_t row, int id,
			   int width, char *buf, size_t size);

/* Append to s->text: the help; the text about the selected row; the same and the row's CPUs. */
void help_fill(struct screen *s);
void explain_fill(struct screen *s);
void details_fill(struct screen *s);
