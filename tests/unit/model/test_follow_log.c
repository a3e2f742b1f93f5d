// SPDX-License-Identifier: GPL-2.0-or-later
/* The ring of followed events: order, gaps across CPUs, losses, copies. */
#include <string.h>
#include "base/clock.h"
#include "model/follow_log.h"
#include "unit/test.h"

struct made {
	struct snapshot s;
	struct follow_log log;
};

static int setup(void **state)
{
	static struct made m;

	memset(&m, 0, sizeof(m));
	*state = &m;
	return 0;
}

static int teardown(void **state)
{
	struct made *m = *state;

	snapshot_free(&m->s);
	follow_log_free(&m->log);
	return 0;
}

static struct followed *put(struct made *m, int64_t ns, int cpu)
{
	struct followed *e = snapshot_add_followed(&m->s);

	assert_non_null(e);
	e->event.time = ns_to_timespec(ns);
	e->event.cpu = cpu;
	return e;
}

static void take(struct made *m)
{
	follow_log_take(&m->log, &m->s);
	m->s.n_followed = 0;
}

#define AT(back) timespec_to_ns(&follow_log_get(&m->log, back)->event.time)

TEST_OF(test_nothing, setup, teardown, struct made *m)
{
	struct follow_log copy = { 0 };

	take(m);
	assert_null(m->log.event);
	assert_int_equal(follow_log_count(&m->log), 0);
	follow_log_copy(&copy, &m->log);
	assert_null(copy.event);
}

TEST_OF(test_order, setup, teardown, struct made *m)
{
	int64_t gap;

	put(m, 1000, 0);
	put(m, 3000, 1);
	put(m, 2204, 0); /* interrupted between taking the time and the slot */
	put(m, 3000, 2);
	take(m);
	assert_int_equal(follow_log_count(&m->log), 4);
	assert_int_equal(AT(0), 3000);
	assert_int_equal(follow_log_get(&m->log, 0)->event.cpu, 2);
	assert_int_equal(follow_log_get(&m->log, 1)->event.cpu, 1);
	assert_int_equal(AT(2), 2204);
	assert_true(follow_log_gap(&m->log, 0, &gap));
	assert_int_equal(gap, 0);
	assert_true(follow_log_gap(&m->log, 1, &gap));
	assert_int_equal(gap, 796);
	assert_true(follow_log_gap(&m->log, 2, &gap));
	assert_int_equal(gap, 1204);
	assert_false(follow_log_gap(&m->log, 3, &gap));
	/* the next snapshot has an earlier event */
	put(m, 2500, 3);
	take(m);
	assert_true(follow_log_gap(&m->log, 0, &gap));
	assert_int_equal(gap, -500);
}

TEST_OF(test_losses, setup, teardown, struct made *m)
{
	int64_t gap;

	put(m, 1000, 0);
	put(m, 2000, 0)->event.left_out = 5;
	put(m, 3000, 0);
	put(m, 4000, 1)->kind = FOLLOWED_LOST;
	m->s.followed[3].event.left_out = 7;
	put(m, 5000, 0);
	take(m);
	assert_int_equal(m->log.lost, 12);
	assert_false(follow_log_gap(&m->log, 0, &gap)); /* after lost events */
	assert_false(follow_log_gap(&m->log, 1, &gap)); /* not an event */
	assert_true(follow_log_gap(&m->log, 2, &gap));
	assert_int_equal(gap, 1000);
	assert_false(follow_log_gap(&m->log, 3, &gap)); /* some before it were lost */
}

TEST_OF(test_ring, setup, teardown, struct made *m)
{
	struct follow_log copy = { 0 };
	int64_t gap;

	for (int i = 0; i < 3; i++)
		put(m, i, 0);
	take(m);
	/* more than fit, in one snapshot: the losses of all count */
	for (int i = 0; i < FOLLOW_LOG_MAX + 10; i++)
		put(m, 100 + i, 0)->event.left_out = i < 4;
	take(m);
	assert_int_equal(follow_log_count(&m->log), FOLLOW_LOG_MAX);
	assert_int_equal(m->log.taken, FOLLOW_LOG_MAX + 13);
	assert_int_equal(m->log.lost, 4);
	assert_int_equal(AT(0), 100 + FOLLOW_LOG_MAX + 9);
	assert_int_equal(AT(FOLLOW_LOG_MAX - 1), 110);
	assert_false(follow_log_gap(&m->log, FOLLOW_LOG_MAX - 1, &gap));
	put(m, 9000, 1);
	take(m);
	assert_int_equal(AT(0), 9000);
	assert_int_equal(AT(FOLLOW_LOG_MAX - 1), 111);
	/* a copy does not change */
	follow_log_copy(&copy, &m->log);
	put(m, 9001, 1);
	take(m);
	assert_int_equal(copy.taken, m->log.taken - 1);
	assert_int_equal(copy.lost, 4);
	assert_int_equal(timespec_to_ns(&follow_log_get(&copy, 0)->event.time), 9000);
	follow_log_free(&copy);
	follow_log_free(&m->log);
	assert_int_equal(follow_log_count(&m->log), 0);
}

/* Averaged over a second, however often snapshots come. */
TEST_OF(test_rate, setup, teardown, struct made *m)
{
	struct follow_log copy = { 0 };

	for (int i = 0; i <= 12; i++) {
		m->s.mono_ns = 5000000000u + (uint64_t)i * 200000000;
		put(m, i, 0)->kind = i % 2 ? FOLLOWED_EVENT : FOLLOWED_LOST;
		put(m, i, 0);
		take(m);
		if (i < 5)
			assert_true(m->log.per_s < 0);
		else if (i < 10)
			assert_true(m->log.per_s > 7.99 && m->log.per_s < 8.01);
		else
			assert_true(m->log.per_s > 6.99 && m->log.per_s < 7.01);
	}
	assert_int_equal(m->log.events, 13 + 6);
	follow_log_copy(&copy, &m->log);
	assert_int_equal(copy.events, 19);
	assert_true(copy.per_s > 6.99);
	follow_log_free(&copy);
	/* no further events */
	m->s.mono_ns += 2 * NSEC_PER_SEC;
	take(m);
	assert_true(m->log.per_s > 1.24 && m->log.per_s < 1.26);
}
