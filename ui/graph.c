// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include "graph.h"

/* Vertical dots per cell. */
#define BRAILLE_DOTS 4
#define ASCII_DOTS   2

int graph_values(int width, bool braille)
{
	return braille ? 2 * width : width;
}

double graph_scale(double most)
{
	/* each is at most a quarter above the one before, and its half has at most two digits */
	static const double steps[] = { 1, 1.2, 1.4, 1.6, 2, 2.4, 3, 3.6, 4, 5, 6, 7, 8, 10 };
	double power;

	if (!(most > 0) || isinf(most))
		return 1;
	power = pow(10, floor(log10(most)));
	/* The tolerance absorbs rounding of pow() and log10(). */
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * power >= most * (1 - 1e-12))
			return steps[i] * power;
	return 12 * power;
}

/* A value's height in dots; 0 = unknown. A known 0 gets one dot, so that it differs. */
static int dots(float value, int height, int per_cell, double scale)
{
	int most = height * per_cell, n;

	if (isnan(value))
		return 0;
	n = 1 + (int)lround(fmin(value / scale, 1) * (most - 1));
	return n < 1 ? 1 : n > most ? most : n;
}

void graph_line(const float *value, int width, int height, int line, double scale, bool braille,
		char out[GRAPH_LINE])
{
	/* Bits of the left and right dots, bottom up (Unicode block U+2800). */
	static const unsigned char left[] = { 0x40, 0x04, 0x02, 0x01 };
	static const unsigned char right[] = { 0x80, 0x20, 0x10, 0x08 };
	int below = height - 1 - line;
	char *to = out;

	for (int x = 0; x < width; x++) {
		unsigned char bits = 0;

		if (!braille) {
			int n = dots(value[x], height, ASCII_DOTS, scale) - below * ASCII_DOTS;

			*to++ = n <= 0 ? ' ' : n == 1 ? '.' : '#';
			continue;
		}
		for (int i = 0; i < BRAILLE_DOTS; i++) {
			int y = below * BRAILLE_DOTS + i;

			if (dots(value[2 * x], height, BRAILLE_DOTS, scale) > y)
				bits |= left[i];
			if (dots(value[2 * x + 1], height, BRAILLE_DOTS, scale) > y)
				bits |= right[i];
		}
		if (!bits) {
			*to++ = ' ';
			continue;
		}
		*to++ = (char)0xe2;
		*to++ = (char)(0xa0 | bits >> 6);
		*to++ = (char)(0x80 | (bits & 0x3f));
	}
	*to = '\0';
}

void graph_bar(double percent, int width, char out[GRAPH_LINE])
{
	int eighths = (int)lround(fmin(percent, 100) / 100 * width * 8);
	char *to = out;

	if (percent < 100 && eighths == 8 * width)
		eighths--;
	for (int x = 0; x < width; x++, eighths -= 8) {
		if (eighths <= 0) {
			*to++ = ' ';
			continue;
		}
		/* U+2588 is a full block, U+258f its left eighth. */
		*to++ = (char)0xe2;
		*to++ = (char)0x96;
		*to++ = (char)(eighths >= 8 ? 0x88 : 0x90 - eighths);
	}
	*to = '\0';
}
