// SPDX-License-Identifier: GPL-2.0-or-later
/* Which followed events are written, and how the others are counted. */
#include "model/tracepoint.h"
#include "output/out_follow.h"
#include "unit/test.h"

static void add(struct snapshot *s, uint32_t tracepoint, int cpu, uint64_t lost,
		enum followed_kind kind)
{
	struct followed *e = snapshot_add_followed(s);

	assert_non_null(e);
	e->event.tracepoint = tracepoint;
	e->event.cpu = cpu;
	e->event.left_out = lost;
	e->kind = kind;
}

TEST(test_cut)
{
	struct follow_run f = { 0 };
	struct snapshot s = { 0 };

	add(&s, TP_XDP_REDIRECT, 0, 9, FOLLOWED_LOST);
	add(&s, TP_XDP_REDIRECT, 0, 0, FOLLOWED_EVENT);
	add(&s, TP_XDP_REDIRECT, 0, 0, FOLLOWED_EVENT);
	assert_false(follow_run_cut(&f, &s, 0));
	assert_false(follow_run_cut(&f, &s, 6));
	assert_int_equal(s.n_followed, 3);
	assert_true(follow_run_cut(&f, &s, 5));
	assert_int_equal(s.n_followed, 2);
	snapshot_free(&s);
}
