// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/column_layout.h"
#include "table/column.h"

/* The widest SI number. Narrower columns would change their width with the number. */
#define NUMBER_WIDTH 5
/* Narrower lines shorten names to keep numbers. */
#define NARROW      60
#define NARROW_TEXT 8

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

struct column_need column_need(const struct column *column, int title, int content, int line)
{
	int useful = column->width, share = line * column->share / 16;
	struct column_need need = { .width = larger(larger(title, content), 1),
				    .stays = column->stays };

	if (column->number) {
		need.width = larger(need.width, smaller(useful, NUMBER_WIDTH));
		need.share = need.least = need.width;
		return need;
	}
	if (line < NARROW && column->share)
		useful = smaller(useful, NARROW_TEXT);
	need.share = smaller(need.width, larger(share, useful));
	need.least = smaller(need.share, useful);
	return need;
}

static void columns_place(const struct column_need *need, int n, int pinned, int scroll, int x,
			  int width, struct column_layout *out)
{
	int at = x, spare, kept = 0; /* reserved for columns that stay */
	bool full = false;

	*out = (struct column_layout){ .n = 0 };
	for (int i = 0; i < n; i++)
		kept += need[i].stays ? need[i].least + 1 : 0;
	for (int i = 0; i < n; i++) {
		int gap = out->n ? 1 : 0, w = need[i].share, left;

		if (i >= pinned && i < pinned + scroll && !need[i].stays) {
			out->before++;
			continue;
		}
		kept -= need[i].stays ? need[i].least + 1 : 0;
		left = width - at - gap - kept;
		if (!out->n && left < 1)
			left = width - at;
		if (w > left && (!out->n || left >= need[i].least))
			w = left;
		if (w > left || w < 1 || out->n == COLUMN_LAYOUT_MAX || (full && !need[i].stays)) {
			out->after++;
			/* the room that a text could not use goes to the numbers after it */
			full |= need[i].least == need[i].width;
			continue;
		}
		out->at[out->n++] = (struct column_place){ .index = i, .width = w };
		at += gap + w;
	}
	/* distribute spare cells one at a time, so that small needs are met first */
	spare = width - at;
	for (int before = spare + 1; spare > 0 && spare < before;) {
		before = spare;
		for (int i = 0; i < out->n && spare > 0; i++) {
			if (out->at[i].width == need[out->at[i].index].width)
				continue;
			out->at[i].width++;
			spare--;
		}
	}
	for (int i = 0; i < out->n; i++) {
		int extra = smaller(need[out->at[i].index].extra, spare);

		out->at[i].width += extra;
		spare -= extra;
		out->at[i].x = x;
		x += out->at[i].width + 1;
	}
}

void column_layout_place(const struct column_need *need, int n, int pinned, int scroll, int x,
			 int width, struct column_layout *out)
{
	if (pinned > n)
		pinned = n;
	if (scroll < 0)
		scroll = 0;
	columns_place(need, n, pinned, scroll, x, width, out);
	if (out->after && width - x > 1)
		columns_place(need, n, pinned, scroll, x, width - 1, out);
}

int column_layout_scroll(const struct column_need *need, int n, int pinned, int x, int width)
{
	struct column_layout out;
	int last = n - pinned - 1;

	for (int scroll = 0; scroll < last; scroll++) {
		column_layout_place(need, n, pinned, scroll, x, width, &out);
		if (out.n && !out.after)
			return scroll;
	}
	return last > 0 ? last : 0;
}
