// SPDX-License-Identifier: GPL-2.0-or-later
/* Values become dots in proportion to the scale; unknown values none. */
#include <math.h>
#include <string.h>
#include "ui/graph.h"
#include "unit/float_is.h"
#include "unit/test.h"

TEST(test_scale)
{
	FLOAT_IS(graph_scale(0), 1, 0);
	FLOAT_IS(graph_scale((double)NAN), 1, 0);
	FLOAT_IS(graph_scale((double)INFINITY), 1, 0);
	FLOAT_IS(graph_scale(1), 1, 0);
	FLOAT_IS(graph_scale(1.01), 1.2, 0);
	FLOAT_IS(graph_scale(2010), 2400, 0);
	FLOAT_IS(graph_scale(5002), 6000, 0);
	FLOAT_IS(graph_scale(0.031), 0.036, 1e-12);
	for (double x = 1e-6; x < 1e15; x *= 1.0137) {
		double scale = graph_scale(x), power = pow(10, floor(log10(scale) + 1e-9));

		assert_true(scale >= x * (1 - 1e-9));
		assert_true(scale <= 1.25 * x * (1 + 1e-9));
		/* the end and the middle of the axis have two digits */
		FLOAT_IS(remainder(scale / power, 0.2), 0, 1e-6);
	}
}

TEST(test_ascii)
{
	const float value[] = { NAN, 0, 5, 10 };
	char line[GRAPH_LINE];

	assert_int_equal(graph_values(4, false), 4);
	graph_line(value, 4, 2, 0, 10, false, line);
	assert_string_equal(line, "  .#");
	graph_line(value, 4, 2, 1, 10, false, line);
	assert_string_equal(line, " .##");
}

TEST(test_braille)
{
	const float value[] = { NAN, NAN, 0, 10, 10, 10, NAN, 0 };
	char line[GRAPH_LINE];

	assert_int_equal(graph_values(4, true), 8);
	graph_line(value, 4, 1, 0, 10, true, line);
	assert_string_equal(line, " ⣸⣿⢀");
	graph_line(value, 4, 2, 0, 10, true, line);
	assert_string_equal(line, " ⢸⣿ ");
}

/* Eighths of a cell; only 100 is full. */
TEST(test_bar)
{
	static const struct {
		double percent;
		int width;
		const char *bar;
	} bars[] = {
		{ 0, 3, "   " },  { 2, 3, "   " },       { 2.1, 3, "▏  " }, { 50, 1, "▌" },
		{ 50, 3, "█▌ " }, { 99.9, 2, "█▉" },     { 100, 2, "██" },  { 180, 2, "██" },
		{ 12.5, 1, "▏" }, { 33.4, 6, "██    " },
	};
	char line[GRAPH_LINE];

	for (size_t i = 0; i < sizeof(bars) / sizeof(bars[0]); i++) {
		graph_bar(bars[i].percent, bars[i].width, line);
		assert_string_equal(line, bars[i].bar);
	}
}

/* At every value and size a line has the requested width, and a larger value never fewer dots. */
TEST(test_every_size)
{
	float value[2 * GRAPH_WIDTH];
	char line[GRAPH_LINE];

	for (int i = 0; i < 2 * GRAPH_WIDTH; i++)
		value[i] = (float)i;
	for (int width = 1; width <= GRAPH_WIDTH; width += 7) {
		for (int height = 1; height < 60; height += 3) {
			for (int y = 0; y < height; y++) {
				size_t blanks;

				graph_line(value, width, height, y, 2 * GRAPH_WIDTH, false, line);
				assert_int_equal(strlen(line), width);
				blanks = strspn(line, " ");
				assert_null(strchr(line + blanks, ' '));
			}
		}
	}
	value[0] = 1e30f;
	value[1] = -5;
	graph_line(value, 2, 1, 0, 10, false, line);
	assert_string_equal(line, "#.");
}
