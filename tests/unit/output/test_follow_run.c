// SPDX-License-Identifier: GPL-2.0-or-later
/* Which followed events are written, and how the others are counted. */
#include "model/tracepoint.h"
#include "output/follow_run.h"
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

/* Events of skipped snapshots count as lost, by tracepoint and CPU, before the next event. */
TEST(test_skip)
{
	struct snapshot skipped = { 0 }, s = { 0 };
	struct follow_run f = { 0 };

	add(&skipped, TP_XDP_REDIRECT, 0, 0, FOLLOWED_EVENT);
	add(&skipped, TP_XDP_REDIRECT, 0, 5, FOLLOWED_EVENT);
	add(&skipped, TP_XDP_REDIRECT, 1, 0, FOLLOWED_EVENT);
	add(&skipped, TP_XDP_EXCEPTION, 1, 7, FOLLOWED_LOST);
	assert_int_equal(follow_run_skip(&f, &skipped), 0);
	assert_int_equal(follow_run_skip(&f, &skipped), 0);
	add(&s, TP_XDP_REDIRECT, 1, 3, FOLLOWED_EVENT);
	assert_int_equal(follow_run_choose(&f, &s), 0);
	assert_int_equal(s.n_followed, 4);
	assert_int_equal(s.followed[0].event.left_out, 14);
	assert_int_equal(s.followed[1].event.cpu, 1);
	assert_int_equal(s.followed[1].event.left_out, 2);
	assert_int_equal(s.followed[2].event.tracepoint, TP_XDP_EXCEPTION);
	assert_int_equal(s.followed[2].event.left_out, 14);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(s.followed[i].kind, FOLLOWED_LOST);
	assert_int_equal(s.followed[3].kind, FOLLOWED_EVENT);
	assert_int_equal(s.followed[3].event.left_out, 3);
	/* only once */
	snapshot_clear(&s);
	assert_int_equal(follow_run_choose(&f, &s), 0);
	assert_int_equal(s.n_followed, 0);
	follow_run_free(&f);
	snapshot_free(&skipped);
	snapshot_free(&s);
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
