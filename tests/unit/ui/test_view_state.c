// SPDX-License-Identifier: GPL-2.0-or-later
/* Which rates trend, peak and graph show. */
#include <string.h>
#include "ui/view_state.h"
#include "unit/test.h"

/* Every rate of every view once, and rates that the user added; no limit. */
TEST(test_rates)
{
	uint8_t ids[COLUMN_COUNT];
	struct view_state v;

	for (enum view_id view = 0; view < VIEW_COUNT; view++) {
		int n;

		view_state_init(&v, view);
		n = view_state_rates(&v, view, ids);
		for (int i = 0; i < views[view].n_columns; i++) {
			enum column_id id = views[view].column[i];
			const uint8_t *at = memchr(ids, (int)id, (size_t)n);

			assert_int_equal(at != NULL, columns[id].rate);
			if (at)
				assert_null(memchr(at + 1, (int)id, (size_t)(ids + n - at - 1)));
		}
	}
	/* -s takes any column */
	view_state_init(&v, VIEW_EVENTS);
	view_state_sort(&v, COL_DROPS_RATE, true);
	assert_int_equal(view_state_rates(&v, VIEW_EVENTS, ids), 1);
	assert_int_equal(ids[0], COL_DROPS_RATE);
	view_state_init(&v, VIEW_OVERVIEW);
	v.columns.id[v.columns.n++] = COL_LOST_RATE;
	assert_non_null(
		memchr(ids, COL_LOST_RATE, (size_t)view_state_rates(&v, VIEW_OVERVIEW, ids)));
}

/*
 * The sort column's rate or, if that is not a rate, the one it names; else the last one or the
 * first.
 */
TEST(test_rate)
{
	struct view_state v;

	view_state_init(&v, VIEW_EVENTS);
	assert_int_equal(view_state_rate(&v, VIEW_EVENTS), COL_KEY);
	view_state_init(&v, VIEW_TRACEPOINTS);
	assert_int_equal(view_state_rate(&v, VIEW_TRACEPOINTS), COL_EVENTS_RATE);
	view_state_sort(&v, COL_DROPS_RATE, true);
	view_state_sort(&v, COL_TRACEPOINT, false);
	assert_int_equal(view_state_rate(&v, VIEW_TRACEPOINTS), COL_DROPS_RATE);
	view_state_sort(&v, COL_PACKETS, true);
	assert_int_equal(view_state_rate(&v, VIEW_TRACEPOINTS), COL_PACKETS_RATE);
	view_state_sort(&v, SCREEN_COL_PEAK, true);
	assert_int_equal(view_state_rate(&v, VIEW_TRACEPOINTS), COL_PACKETS_RATE);
	view_state_init(&v, VIEW_FLOWS);
	view_state_sort(&v, COL_LOST_RATE, true);
	assert_int_equal(view_state_rate(&v, VIEW_FLOWS), COL_LOST_RATE);
}

/* Two rates in a graph share a unit. */
TEST(test_beside)
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct column *c = &columns[i], *beside = &columns[c->beside];

		if (!c->beside)
			continue;
		assert_true(beside->rate && beside != c);
		if (c->rate)
			assert_string_equal(beside->unit, c->unit);
	}
}
