// SPDX-License-Identifier: GPL-2.0-or-later
/* The last two lines: the selected row or a message, and the keys. */
#include <string.h>
#include "line.h"
#include "pane.h"

static void keys_draw(struct screen *s, int y)
{
	enum key_context context = screen_context(s);
	struct line line = { 0 };
	char name[16];

	/* One segment holds key and label, so that both are shown or neither. */
	for (size_t i = 0; i < n_key_rows; i++) {
		const int code = key_rows[i].code[0];
		char buf[64];

		if (!key_rows[i].weight || !(key_rows[i].contexts & context) ||
		    (code == '{' && s->source->live))
			continue;
		key_code_name(name, sizeof(name), key_rows[i].code[0]);
		snprintf(buf, sizeof(buf), "%s %s", name,
			 context & KEYS_VIEW && key_rows[i].code[0] == 'q' && s->n_from ? "back"
			 : code == 'd' && !s->source->live                              ? "go to"
			 : code == KEYCODE_ENTER && context == KEYS_ALONE &&
					 s->view == VIEW_TIMELINE
				 ? "go there"
				 : key_rows[i].label);
		line_add(&line, key_rows[i].weight, false, STYLE_PLAIN, buf);
		line_act(&line, SPOT_KEY, key_rows[i].code[0]);
	}
	line_draw(s, &line, y, 2);
	for (int i = 0; i < line.n; i++) {
		char *blank = strchr(line.text[i] + 1, ' ');

		if (line.segment[i].x < 0 || !blank)
			continue;
		*blank = '\0';
		terminal_put(s->terminal, y, line.segment[i].x, format_width(line.text[i]),
			     STYLE_KEY, line.text[i]);
	}
}

void footer_draw(struct screen *s)
{
	const struct pane *pane = screen_pane(s);
	int y = s->layout.status_y, room;
	struct line line = { 0 };
	char buf[400] = "", place[64] = "";

	if (y >= 0 || !s->message[0])
		keys_draw(s, s->layout.footer_y);
	if (s->message[0])
		terminal_put(s->terminal, y >= 0 ? y : s->layout.footer_y, 0, s->layout.width,
			     s->warn ? STYLE_WARN : STYLE_BOLD, s->message);
	if (y < 0 || s->message[0])
		return;
	if (pane->place)
		pane->place(s, place, sizeof(place));
	line_add(&line, 10, true, STYLE_PLAIN, place);
	line_draw(s, &line, y, 2);
	if (pane->status && snapshots_rates(&s->snapshots))
		pane->status(s, buf, sizeof(buf));
	room = s->layout.width - format_width(place) - 2;
	if (room > 0)
		terminal_put(s->terminal, y, 0, room, STYLE_PLAIN, buf);
}
