// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdlib.h>
#include "line_move.h"

/* How far a line is looked for: that many lines, fewer where there are many cells to compare. */
#define FAR   32
#define CELLS 1600000

/* How many cells differ. */
static int differ(const wchar_t *a, const wchar_t *b, int n)
{
	int count = 0;

	/* in blocks that the compiler compares by vectors */
	for (; n >= 32; n -= 32, a += 32, b += 32)
		for (int i = 0; i < 32; i++)
			count += a[i] != b[i];
	for (int i = 0; i < n; i++)
		count += a[i] != b[i];
	return count;
}

struct cells {
	int *changed; /* changed[y]: how many differ at y and below */
	int *written; /* the same of those that are no blanks, and differ from an empty line */
};

/* How many cells more differ when a move leaves these lines empty. */
static int emptied(const struct cells *c, int first, int end)
{
	return c->written[first] - c->written[end] - c->changed[first] + c->changed[end];
}

/* The best move by so many lines, where it is better than *best. */
static void find_by(const wchar_t *now, const wchar_t *then, int height, int width, int by,
		    const struct cells *c, struct line_move *best)
{
	int first = 0, gain = INT_MIN, up = by < 0 ? by : 0, down = by > 0 ? by : 0;

	for (int y = -up; y < height - down; y++) {
		int here = c->changed[y] - c->changed[y + 1], start = -emptied(c, y + up, y);
		int all;

		if (gain <= start) {
			first = y;
			gain = start;
		}
		if (gain + c->changed[y] <= best->gain) {
			gain = INT_MIN;
			continue;
		}
		gain += here - differ(now + (long)y * width, then + (long)(y + by) * width, width);
		all = gain - emptied(c, y + 1, y + 1 + down);
		if (all > best->gain)
			*best = (struct line_move){ first, y, by, all };
	}
}

struct line_move line_move_find(const wchar_t *now, const wchar_t *then, int height, int width,
				int least)
{
	struct line_move best = { 0 };
	int far = CELLS / (height * width) < FAR ? CELLS / (height * width) : FAR;
	struct cells c = { .changed = calloc(2 * ((size_t)height + 1), sizeof(int)) };

	if (!c.changed)
		return best;
	c.written = c.changed + height + 1;
	for (int y = height - 1; y >= 0; y--) {
		const wchar_t *line = now + (long)y * width;

		c.changed[y] = c.changed[y + 1] + differ(line, then + (long)y * width, width);
		c.written[y] = c.written[y + 1];
		for (int x = 0; x < width; x++)
			c.written[y] += line[x] != L' ';
	}
	/* in lines that have nothing to do with each other some cells are equal by chance */
	best.gain = (least > c.changed[0] / 32 ? least : c.changed[0] / 32) - 1;
	for (int by = 1; by <= far && by < height; by++) {
		find_by(now, then, height, width, by, &c, &best);
		find_by(now, then, height, width, -by, &c, &best);
	}
	free(c.changed);
	if (!best.by)
		best.gain = 0;
	return best;
}
