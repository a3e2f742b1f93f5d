// SPDX-License-Identifier: GPL-2.0-or-later
#include "layout.h"

/* A growing column may be shown cut when at least this much of it is seen. */
#define CUT_WIDTH 8
/* From here on there is room for a third header line and a status line. */
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

int layout_columns(const struct layout_need *need, int n, int pinned, int scroll, int x, int width,
		   struct layout_column *out)
{
	int placed = 0, grow = 0, at = x;

	if (pinned > n)
		pinned = n;
	if (scroll < 0)
		scroll = 0;
	for (int k = 0; k < n && placed < LAYOUT_COLUMNS; k++) {
		int i = k < pinned ? k : k + scroll;
		int gap = placed ? 1 : 0, left = width - at - gap, w;

		if (i >= n)
			break;
		w = need[i].width < 1 ? 1 : need[i].width;
		if (w > left && (!placed || (need[i].grow && left >= CUT_WIDTH)))
			w = left;
		if (w > left || w < 1)
			break;
		out[placed++] = (struct layout_column){ .index = i, .x = at + gap, .width = w };
		grow += need[i].grow;
		at += gap + w;
	}
	/* Spare cells by share; what the division leaves over goes to the first that grow. */
	for (int i = 0, spare = width - at, shift = 0; i < placed; i++) {
		int share = need[out[i].index].grow, add = 0;

		if (spare > 0 && share) {
			add = spare * share / grow;
			spare -= add;
			grow -= share;
		}
		out[i].x += shift;
		out[i].width += add;
		shift += add;
	}
	return placed;
}

int layout_columns_scroll(const struct layout_need *need, int n, int pinned, int x, int width)
{
	struct layout_column out[LAYOUT_COLUMNS];
	int last = n - pinned - 1;

	for (int scroll = 0; scroll < last; scroll++) {
		int placed = layout_columns(need, n, pinned, scroll, x, width, out);

		if (placed && out[placed - 1].index == n - 1)
			return scroll;
	}
	return last > 0 ? last : 0;
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
	/* From the right edge inwards, so that the last of them stands at the edge. */
	for (int i = n - 1; i >= 0; i--) {
		if (s[i].x < 0 || !s[i].right)
			continue;
		right -= s[i].width;
		s[i].x = right;
		right -= gap;
	}
}
