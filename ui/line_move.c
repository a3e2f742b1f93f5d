// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include "line_move.h"

/* How far a line is looked for: that many lines, fewer where there are many cells to compare. */
#define FAR   32
#define CELLS 1600000

/* How many cells differ; beyond `most` it may stop. */
static int differ(const wchar_t *a, const wchar_t *b, int n, int most)
{
	int count = 0;

	/* in blocks that the compiler compares by vectors */
	for (; n >= 32 && count <= most; n -= 32, a += 32, b += 32)
		for (int i = 0; i < 32; i++)
			count += a[i] != b[i];
	for (int i = 0; i < n; i++)
		count += a[i] != b[i];
	return count;
}

/* The best move by so many lines, where it is better than *best. changed[y]: at y and below. */
static void find_by(const wchar_t *now, const wchar_t *then, int height, int width, int by,
		    const int *changed, struct line_move *best)
{
	int first = 0, gain = 0;

	for (int y = by < 0 ? -by : 0; y < height && y + by < height; y++) {
		int here = changed[y] - changed[y + 1];

		if (gain <= 0) {
			first = y;
			gain = 0;
		}
		if (gain + changed[y] <= best->gain)
			break;
		if (!gain && !here)
			continue;
		gain += here - differ(now + (long)y * width, then + (long)(y + by) * width, width,
				      gain + here);
		if (gain > best->gain && y - first >= abs(by))
			*best = (struct line_move){ first, y, by, gain };
	}
}

struct line_move line_move_find(const wchar_t *now, const wchar_t *then, int height, int width,
				int least)
{
	struct line_move best = { 0 };
	int far = CELLS / (height * width) < FAR ? CELLS / (height * width) : FAR;
	int *changed = calloc((size_t)height + 1, sizeof(*changed));

	if (!changed)
		return best;
	for (int y = height - 1; y >= 0; y--)
		changed[y] = changed[y + 1] +
			     differ(now + (long)y * width, then + (long)y * width, width, width);
	/* in lines that have nothing to do with each other some cells are equal by chance */
	best.gain = (least > changed[0] / 32 ? least : changed[0] / 32) - 1;
	for (int by = 1; by <= far && by < height; by++) {
		find_by(now, then, height, width, by, changed, &best);
		find_by(now, then, height, width, -by, changed, &best);
	}
	free(changed);
	if (!best.by)
		best.gain = 0;
	return best;
}
