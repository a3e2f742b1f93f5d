// SPDX-License-Identifier: GPL-2.0-or-later
#include "layout.h"

/* Minimum height for a third header line and a status line. */
#define ROOMY_HEIGHT 14

void layout_set(struct layout *l, int width, int height)
{
	bool roomy = height >= ROOMY_HEIGHT;

	*l = (struct layout){
		.width = width, .height = height, .status_y = -1, .column_header_y = -1
	};
	l->footer_y = height - 1;
	if (width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT) {
		l->too_small = true;
		return;
	}
	l->header_lines = roomy ? 3 : 2;
	l->column_header_y = l->header_lines;
	l->body_y = l->column_header_y + 1;
	if (roomy)
		l->status_y = height - 2;
	l->body_lines = (roomy ? l->status_y : l->footer_y) - l->body_y;
}

int layout_scroll(int top, int cursor, int rows, int lines)
{
	if (lines < 1 || rows < 1)
		return 0;
	if (cursor >= rows)
		cursor = rows - 1;
	if (cursor < 0)
		cursor = 0;
	if (top > cursor)
		top = cursor;
	if (top < cursor - lines + 1)
		top = cursor - lines + 1;
	if (top > rows - lines)
		top = rows - lines;
	return top < 0 ? 0 : top;
}

void layout_segments(struct layout_segment *s, int n, int gap, int width)
{
	int total = 0, shown = 0, left = 0, right = width;

	for (int i = 0; i < n; i++) {
		s[i].x = s[i].width > 0 ? 0 : -1;
		if (s[i].x < 0)
			continue;
		total += s[i].width + (shown++ ? gap : 0);
	}
	while (shown > 1 && total > width) {
		int out = -1;

		for (int i = 0; i < n; i++)
			if (s[i].x >= 0 && (out < 0 || s[i].weight <= s[out].weight))
				out = i;
		s[out].x = -1;
		total -= s[out].width + gap;
		shown--;
	}
	for (int i = 0; i < n; i++) {
		if (s[i].x < 0)
			continue;
		if (s[i].width > width)
			s[i].width = width;
		if (s[i].width < 1)
			s[i].x = -1;
		else if (!s[i].right) {
			s[i].x = left;
			left += s[i].width + gap;
		}
	}
	/* From the right edge inwards: the last one ends at the edge. */
	for (int i = n - 1; i >= 0; i--) {
		if (s[i].x < 0 || !s[i].right)
			continue;
		right -= s[i].width;
		s[i].x = right;
		right -= gap;
	}
}
