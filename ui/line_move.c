// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include "line_move.h"

static int differ(const wchar_t *a, const wchar_t *b, int n)
{
	int count = 0;

	for (int i = 0; i < n; i++)
		count += a[i] != b[i];
	return count;
}

struct line_move line_move_find(const wchar_t *now, const wchar_t *then, int height, int width)
{
	struct line_move best = { .gain = 0 };

	for (int by = 1 - height; by < height; by++) {
		int first = 0, gain = 0;

		for (int y = by < 0 ? -by : 0; y < height && y + by < height; y++) {
			const wchar_t *line = now + (long)y * width;
			const wchar_t *same = then + (long)y * width;

			if (gain <= 0) {
				first = y;
				gain = 0;
			}
			gain += differ(line, same, width) -
				differ(line, same + (long)by * width, width);
			if (gain > best.gain && y - first >= abs(by))
				best = (struct line_move){ first, y, by, gain };
		}
	}
	return best;
}
