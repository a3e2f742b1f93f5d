// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings: causes, with evidence and next commands; the selected one in full below the list. */
#include <stdio.h>
#include <string.h>
#include "../src/format.h"
#include "grid.h"
#include "pane.h"

enum { AT_SEVERITY, AT_CODE, AT_SINCE, AT_LAST, AT_COUNT_SEEN, AT_TEXT, AT_COUNT };

static const struct grid_column columns_of_findings[AT_COUNT] = {
	[AT_SEVERITY] = { "SEVERITY", { 8, 0 }, false },
	[AT_CODE] = { "FINDING", { 21, 0 }, false },
	[AT_SINCE] = { "SINCE", { 6, 0 }, true },
	[AT_LAST] = { "SEEN", { 6, 0 }, true },
	[AT_COUNT_SEEN] = { "COUNT", { 6, 0 }, true },
	[AT_TEXT] = { "CAUSE", { 20, 1 }, false },
};

const struct findings *findings_shown(const struct screen *s)
{
	return s->feed.paused ? &s->findings_still : &s->findings;
}

static enum key_context findings_context(const struct screen *s)
{
	return KEYS_FINDINGS;
}

static const struct finding *selected(const struct screen *s)
{
	const struct findings *f = findings_shown(s);

	return s->finding_list.cursor < (int)f->n ? &f->finding[s->finding_list.cursor] : NULL;
}

/* The list is sorted anew with each sample: the selection follows its finding. */
static void selection_follow(struct screen *s)
{
	const struct findings *f = findings_shown(s);

	if (!s->finding_picked) {
		s->finding_list.cursor = 0;
		return;
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->finding[i].id == s->finding_picked)
			s->finding_list.cursor = (int)i;
}

static void age(const struct screen *s, const struct timespec *then, char *buf, size_t size)
{
	double seconds = (double)(feed_rates(&s->feed)->to->wall.tv_sec - then->tv_sec);

	format_age(buf, size, seconds < 0 ? 0 : seconds);
}

static enum style findings_cell(const struct screen *s, int row, int column, char *buf, size_t size)
{
	const struct finding *f = &findings_shown(s)->finding[row];

	switch (column) {
	case AT_SEVERITY:
		snprintf(buf, size, "%s", finding_severity_name(f->code->severity));
		if (!f->active)
			return STYLE_DIM;
		return f->code->severity == FINDING_CRITICAL  ? STYLE_DROPS
		       : f->code->severity == FINDING_WARNING ? STYLE_WARN
							      : STYLE_PLAIN;
	case AT_CODE:
		snprintf(buf, size, "%s", f->code->name);
		break;
	case AT_SINCE:
		age(s, &f->first, buf, size);
		break;
	case AT_LAST:
		age(s, &f->last, buf, size);
		break;
	case AT_COUNT_SEEN:
		format_count(buf, size, f->total, NUMBER_SI);
		break;
	default:
		snprintf(buf, size, "%s%s", f->active ? "" : "(cleared) ", f->text);
	}
	return f->active ? STYLE_PLAIN : STYLE_DIM;
}

static const struct grid grid = {
	.column = columns_of_findings,
	.n = AT_COUNT,
	.pinned = 2,
	.cell = findings_cell,
};

static void finding_text(struct text *t, const struct finding *f)
{
	char next[FINDING_NEXT_LEN], *line, *save;

	text_add(t, STYLE_SORT, 0, "", "%s%s", f->code->name,
		 f->active ? "" : " (cleared: not seen for a while)");
	text_add(t, STYLE_PLAIN, 0, "", "%s", f->text);
	snprintf(next, sizeof(next), "%s", f->next);
	for (line = strtok_r(next, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		text_add(t, STYLE_BOLD, 4, "", "%s", line);
	text_add(t, STYLE_DIM, 0, "", "%s", f->code->meaning);
}

static void findings_draw(struct screen *s)
{
	const struct findings *f = findings_shown(s);
	int lines = s->layout.body_lines, rows = (int)f->n, list;
	struct text t = { 0 };

	selection_follow(s);
	if (!rows) {
		terminal_put(s->terminal, s->layout.body_y, LAYOUT_GUTTER,
			     s->layout.width - LAYOUT_GUTTER, STYLE_PLAIN, false,
			     "No finding: nothing counted so far points to a cause.");
		return;
	}
	list = rows < lines / 2 ? rows : lines / 2;
	grid_draw(s, &grid, &s->finding_list, rows, s->layout.head_y, list);
	text_clear(&t, s->layout.width - LAYOUT_GUTTER);
	if (selected(s))
		finding_text(&t, selected(s));
	for (int i = 0; i < (int)t.n && list + 1 + i < lines; i++)
		terminal_put(s->terminal, s->layout.body_y + list + 1 + i, LAYOUT_GUTTER, t.width,
			     (enum style)t.line[i].style, false, t.line[i].text);
	text_free(&t);
}

static void findings_fill(struct screen *s)
{
	if (selected(s))
		finding_text(&s->text, selected(s));
}

static bool findings_act(struct screen *s, enum action action, int code)
{
	int rows = (int)findings_shown(s)->n;

	if (list_act(&s->finding_list, action, rows, s->layout.body_lines / 2)) {
		s->finding_picked = selected(s) ? selected(s)->id : 0;
		return true;
	}
	if (action == ACTION_ENTER || action == ACTION_EXPLAIN) {
		if (selected(s))
			text_open(s, "The selected finding", findings_fill);
		else
			screen_say(s, false, "no finding is selected");
		return true;
	}
	return false;
}

static void findings_place(const struct screen *s, char *buf, size_t size)
{
	const struct findings *f = findings_shown(s);

	snprintf(buf, size, "%d/%zu, %zu active", f->n ? s->finding_list.cursor + 1 : 0, f->n,
		 f->n_active);
}

const struct pane pane_findings = {
	.context = findings_context,
	.draw = findings_draw,
	.act = findings_act,
	.place = findings_place,
};
