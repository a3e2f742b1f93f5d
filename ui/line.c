// SPDX-License-Identifier: GPL-2.0-or-later
#include "line.h"
#include "pane.h"

void line_add(struct line *line, int weight, bool right, enum style style, const char *text)
{
	if (line->n == SEGMENTS || !*text)
		return;
	snprintf(line->text[line->n], sizeof(line->text[0]), "%s", text);
	line->segment[line->n] = (struct layout_segment){
		.width = format_width(line->text[line->n]), .weight = weight, .right = right
	};
	line->style[line->n++] = style;
}

void line_act(struct line *line, enum spot_kind kind, int value)
{
	line->kind[line->n - 1] = kind;
	line->value[line->n - 1] = value;
}

int line_width(const struct line *line, int gap)
{
	int width = line->n ? -gap : 0;

	for (int i = 0; i < line->n; i++)
		width += line->segment[i].width + gap;
	return width;
}

void line_draw(struct screen *s, struct line *line, int y, int gap)
{
	layout_segments(line->segment, line->n, gap, s->layout.width);
	for (int i = 0; i < line->n; i++) {
		if (line->segment[i].x < 0)
			continue;
		terminal_put(s->terminal, y, line->segment[i].x, line->segment[i].width,
			     line->style[i], line->text[i]);
		if (line->kind[i])
			spot_add(s, y, line->segment[i].x, line->segment[i].width, line->kind[i],
				 line->value[i]);
	}
}
