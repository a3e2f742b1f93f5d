// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by panes: titles, texts, clickable cells, names of tracepoints. */
#include "pane.h"

void spot_add(struct screen *s, int y, int x, int width, enum spot_kind kind, int value)
{
	if (s->n_spots < SPOTS_MAX)
		s->spot[s->n_spots++] = (struct spot){ y, x, width, kind, value };
}

void title_draw(struct screen *s, enum style style, const char *text)
{
	terminal_put(s->terminal, s->layout.column_header_y, 0, s->layout.width, style, text);
}

void text_draw(struct screen *s, const struct text *t, int first, int y, int x, int lines)
{
	for (int i = 0; i < lines && first + i < (int)t->n; i++)
		terminal_put(s->terminal, y + i, x, s->layout.width - x,
			     (enum style)t->line[first + i].style, t->line[first + i].text);
}

const char *tracepoint_label(const struct screen *s, unsigned int id)
{
	const struct snapshot *now = snapshots_newest(&s->snapshots);

	return now ? snapshot_tracepoint(now, id) : tracepoints[id].name;
}

void tracepoint_status(const struct screen *s, unsigned int id, char *buf, size_t size)
{
	const struct tp_count *tp = &snapshots_rates(&s->snapshots)->to->tp[id];
	const char *name = tracepoint_label(s, id);

	if (tp->reason[0])
		snprintf(buf, size, "%s: %s: %s", name, tp_state_name(tp->state), tp->reason);
	else
		snprintf(buf, size, "%s: %s", name, tracepoints[id].what);
}
