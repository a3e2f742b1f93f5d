/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A header or footer line of segments. The lightest are dropped when there is no room. */
#pragma once

#include "screen.h"

#define SEGMENTS    48
#define SEGMENT_LEN 640

/* Zero it before first use. */
struct line {
	int n;
	struct layout_segment segment[SEGMENTS];
	char text[SEGMENTS][SEGMENT_LEN];
	enum style style[SEGMENTS];
	enum spot_kind kind[SEGMENTS]; /* what a click does */
	int value[SEGMENTS];
};

/* Adds a segment, unless the text is "". `right`: from the right edge. */
void line_add(struct line *line, int weight, bool right, enum style style, const char *text);
/* Sets what a click on the segment added last does. */
void line_act(struct line *line, enum spot_kind kind, int value);
/* Cells of all segments, `gap` blanks apart. */
int line_width(const struct line *line, int gap);
void line_draw(struct screen *s, struct line *line, int y, int gap);
