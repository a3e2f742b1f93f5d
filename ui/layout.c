// SPDX-License-Identifier: GPL-2.0-or-later
#include "layout.h"

/* Minimum height for a third header line and a status line. */
#define ROOMY_HEIGHT 14

void layout_set(struct layout *layout, int width, int height)
{
	bool roomy = height >= ROOMY_HEIGHT;

	*layout = (struct layout){
		.width = width, .height = height, .status_y = -1, .column_header_y = -1
	};
	layout->footer_y = height - 1;
	if (width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT) {
		layout->too_small = true;
		return;
	}
	layout->header_lines = roomy ? 3 : 2;
	layout->column_header_y = layout->header_lines;
	layout->body_y = layout->column_header_y + 1;
	if (roomy)
		layout->status_y = height - 2;
	layout->body_lines = (roomy ? layout->status_y : layout->footer_y) - layout->body_y;
}

void layout_scroll(struct list *list, int rows, int lines)
{
	if (list->cursor >= rows)
		list->cursor = rows - 1;
	if (list->cursor < 0)
		list->cursor = 0;
	if (list->top > list->cursor)
		list->top = list->cursor;
	if (list->top < list->cursor - lines + 1)
		list->top = list->cursor - lines + 1;
	if (list->top > rows - lines)
		list->top = rows - lines;
	if (list->top < 0 || lines < 1)
		list->top = 0;
}

void layout_segments(struct layout_segment *segment, int n, int gap, int width)
{
	int total = 0, shown = 0, left = 0, right = width;

	for (int i = 0; i < n; i++) {
		segment[i].x = segment[i].width > 0 ? 0 : -1;
		if (segment[i].x < 0)
			continue;
		total += segment[i].width + (shown++ ? gap : 0);
	}
	while (shown > 1 && total > width) {
		int out = -1;

		for (int i = 0; i < n; i++)
			if (segment[i].x >= 0 &&
			    (out < 0 || segment[i].weight <= segment[out].weight))
				out = i;
		segment[out].x = -1;
		total -= segment[out].width + gap;
		shown--;
	}
	for (int i = 0; i < n; i++) {
		if (segment[i].x < 0)
			continue;
		if (segment[i].width > width)
			segment[i].width = width;
		if (segment[i].width < 1)
			segment[i].x = -1;
		else if (!segment[i].right) {
			segment[i].x = left;
			left += segment[i].width + gap;
		}
	}
	/* From the right edge inwards: the last segment ends at the edge. */
	for (int i = n - 1; i >= 0; i--) {
		if (segment[i].x < 0 || !segment[i].right)
			continue;
		right -= segment[i].width;
		segment[i].x = right;
		right -= gap;
	}
}
