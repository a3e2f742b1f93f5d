// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/column_layout.h"

/* A growing column may be cut to no less than this. */
#define CUT_WIDTH 8

int column_layout_place(const struct column_need *need, int n, int pinned, int scroll, int x,
			int width, struct column_place *out)
{
	int placed = 0, grow = 0, at = x;

	if (pinned > n)
		pinned = n;
	if (scroll < 0)
		scroll = 0;
	for (int k = 0; k < n && placed < COLUMN_LAYOUT_MAX; k++) {
		int i = k < pinned ? k : k + scroll;
		int gap = placed ? 1 : 0, left = width - at - gap, w;

		if (i >= n)
			break;
		w = need[i].width < 1 ? 1 : need[i].width;
		if (w > left && (!placed || (need[i].grow && left >= CUT_WIDTH)))
			w = left;
		if (w > left || w < 1)
			break;
		out[placed++] = (struct column_place){ .index = i, .x = at + gap, .width = w };
		grow += need[i].grow;
		at += gap + w;
	}
	/* distribute spare cells by share; rounding favours the first columns */
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

int column_layout_scroll(const struct column_need *need, int n, int pinned, int x, int width)
{
	struct column_place out[COLUMN_LAYOUT_MAX];
	int last = n - pinned - 1;

	for (int scroll = 0; scroll < last; scroll++) {
		int placed = column_layout_place(need, n, pinned, scroll, x, width, out);

		if (placed && out[placed - 1].index == n - 1)
			return scroll;
	}
	return last > 0 ? last : 0;
}
