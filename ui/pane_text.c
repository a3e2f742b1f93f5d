// SPDX-License-Identifier: GPL-2.0-or-later
/* Text pane for help and explanations. Filled at each draw, because the width may change. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include "actions.h"
#include "pane.h"

static struct document *shown_document(struct screen *s)
{
	return screen_pane_below(s) == &pane_help ? &s->help : &s->details;
}

static void document_fill(struct screen *s)
{
	text_clear(&s->text, s->layout.width - 2);
	shown_document(s)->fill(s);
}

static int lines_most(const struct screen *s)
{
	int most = (int)s->text.n - s->layout.body_lines;

	return most < 0 ? 0 : most;
}

/* Finds `what` in a line as less -i does: lower case matches any case. NULL = not found. */
static const char *match(const char *line, const char *what)
{
	bool any = true;

	if (!*what)
		return NULL;
	for (const char *c = what; *c; c++)
		any = any && !isupper((unsigned char)*c);
	return any ? strcasestr(line, what) : strstr(line, what);
}

static void matches_draw(struct screen *s, const struct document *d, int line, int y)
{
	const char *text = s->text.line[line].text, *at = text;
	int len = (int)strlen(d->search);
	char before[512], found[PROMPT_SIZE];

	while ((at = match(at, d->search))) {
		snprintf(before, sizeof(before), "%.*s", (int)(at - text), text);
		snprintf(found, sizeof(found), "%.*s", len, at);
		terminal_put(s->terminal, y, 1 + format_width(before), format_width(found),
			     (unsigned int)s->text.line[line].style | STYLE_SELECTED, found);
		at += len;
	}
}

/* Moves to the next match, from `from` on and around the end; false = there is none. */
static bool search(struct screen *s, int from, int step)
{
	struct document *d = shown_document(s);
	int n = (int)s->text.n;

	for (int i = 0; i < n; i++) {
		int line = ((from + i * step) % n + n) % n;

		if (!match(s->text.line[line].text, d->search))
			continue;
		d->found = line;
		d->top.cursor = line;
		return true;
	}
	return false;
}

static void search_changed(struct screen *s)
{
	struct document *d = shown_document(s);

	snprintf(d->search, sizeof(d->search), "%s", s->prompt.text);
	d->top.cursor = d->before;
	if (*d->search && !search(s, d->before, 1))
		error_set(&s->prompt.error, -ENOENT, "no line has '%.60s'", d->search);
}

static bool search_accept(struct screen *s)
{
	return !s->prompt.error.text[0];
}

static void search_cancel(struct screen *s)
{
	shown_document(s)->search[0] = '\0';
	shown_document(s)->top.cursor = shown_document(s)->before;
}

static const struct prompt_kind prompt_search = {
	.label = "Search: ",
	.brief = "Search: ",
	.changed = search_changed,
	.accept = search_accept,
	.cancel = search_cancel,
};

void text_search(struct screen *s)
{
	document_fill(s); /* with keys typed ahead, the text is not drawn yet */
	shown_document(s)->before = shown_document(s)->found = shown_document(s)->top.cursor;
	prompt_open(&s->prompt, &prompt_search, "");
}

void text_search_next(struct screen *s)
{
	struct document *d = shown_document(s);
	int top = d->top.cursor;
	bool in_sight = d->found >= top && d->found < top + s->layout.body_lines;

	if (!*d->search)
		screen_say(s, false, "press / to search first");
	else if (!search(s, in_sight ? d->found + s->step : top, s->step))
		screen_say(s, false, "no line has '%s'", d->search);
}

static void pane_draw(struct screen *s)
{
	struct text *t = &s->text;
	struct document *d = shown_document(s);
	struct list *list = &d->top;
	int lines = s->layout.body_lines, end;
	char title[sizeof(d->title) + 8], head[sizeof(title) + 64], where[48];
	int room;

	document_fill(s);
	if (list->cursor > lines_most(s))
		list->cursor = lines_most(s);
	end = list->cursor + lines < (int)t->n ? list->cursor + lines : (int)t->n;
	snprintf(where, sizeof(where), "  (lines %d-%d of %zu)", list->cursor + 1, end, t->n);
	room = s->layout.width - 1 - format_width(where);
	if (room > format_width(d->title))
		room = format_width(d->title);
	format_fit(title, sizeof(title), d->title, room, false);
	snprintf(head, sizeof(head), " %s%s", title, where);
	title_draw(s, STYLE_COLUMN_HEADER, head);
	text_draw(s, t, list->cursor, s->layout.body_y, 1, lines);
	for (int i = list->cursor; i < end; i++)
		matches_draw(s, d, i, s->layout.body_y + i - list->cursor);
}

static struct cursor text_cursor(struct screen *s)
{
	return (struct cursor){ &shown_document(s)->top, lines_most(s) + 1, s->layout.body_lines,
				0 };
}

const struct pane pane_help = {
	.context = KEYS_HELP,
	.draw = pane_draw,
	.cursor = text_cursor,
};

const struct pane pane_details = {
	.context = KEYS_DETAILS,
	.draw = pane_draw,
	.cursor = text_cursor,
};
