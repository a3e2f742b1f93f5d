// SPDX-License-Identifier: GPL-2.0-or-later
/* The screen's snapshots: the two newest, a frozen pair, a baseline. */
#include <errno.h>
#include <string.h>
#include "ui/snapshots.h"
#include "unit/test.h"

/* A source with one series, which counts 10 more events each second. */
struct counting {
	struct source source;
	uint64_t samples, end;
	size_t followed; /* events of each sample */
	int err;
};

static int counting_sample(struct source *source, struct snapshot *to)
{
	struct counting *c = (struct counting *)source;
	struct series *s;

	if (c->err)
		return c->err;
	if (c->end && c->samples == c->end)
		return 1;
	s = snapshot_add_series(to);
	assert_non_null(s);
	for (size_t i = 0; i < c->followed; i++)
		assert_non_null(snapshot_add_followed(to));
	s->id = 1;
	s->total.events = 10 * c->samples;
	to->tp[0].state = TP_ON;
	to->tp[0].events = s->total.events;
	to->mono_ns = 1000000000u * (c->samples + 1);
	to->tp[0].on_ns = to->mono_ns;
	to->wall.tv_sec = (time_t)(1000 + c->samples);
	c->samples++;
	return 0;
}

static const struct source_ops counting_ops = { .sample = counting_sample };

static void start(struct counting *c, struct snapshots *f)
{
	*c = (struct counting){ .source = { .ops = &counting_ops, .live = true } };
	snapshots_open(f, &c->source);
}

TEST(test_samples)
{
	struct counting c;
	struct snapshots f;

	start(&c, &f);
	assert_null(snapshots_rates(&f));
	assert_null(snapshots_newest(&f));
	snapshots_pause(&f, true);
	assert_null(snapshots_rates(&f));
	assert_int_equal(snapshots_sample(&f), 0);
	assert_null(snapshots_rates(&f)->from);
	for (uint64_t i = 1; i < 8; i++) {
		assert_int_equal(snapshots_sample(&f), 0);
		assert_int_equal(snapshots_rates(&f)->from->seq, i - 1);
		assert_int_equal(snapshots_rates(&f)->to->seq, i);
		assert_int_equal(snapshots_rates(&f)->delta[0].events, 10);
		assert_ptr_equal(snapshots_newest(&f), snapshots_rates(&f)->to);
	}
	snapshots_close(&f);
}

static size_t with_memory(const struct snapshots *f)
{
	size_t n = 0;

	for (int i = 0; i < 3; i++)
		n += f->slot[i].followed != NULL;
	return n;
}

/* Only the newest live snapshot has them. In a recording the next snapshot may not exist yet. */
TEST(test_followed)
{
	struct counting c;
	struct snapshots f;

	start(&c, &f);
	for (int i = 0; i < 5; i++) {
		c.followed = (size_t)i * 100;
		assert_int_equal(snapshots_sample(&f), 0);
		assert_int_equal(snapshots_newest(&f)->n_followed, i * 100);
		assert_true(with_memory(&f) <= 1);
	}
	snapshots_pause(&f, true);
	assert_int_equal(snapshots_rates(&f)->to->n_followed, 400);
	snapshots_forget_followed(&f);
	assert_int_equal(with_memory(&f), 0);
	assert_int_equal(snapshots_rates(&f)->to->n_followed, 0);
	snapshots_close(&f);

	start(&c, &f);
	c.source.live = false;
	c.followed = 7;
	assert_int_equal(snapshots_sample(&f), 0);
	c.err = -EAGAIN;
	assert_int_equal(snapshots_sample(&f), -EAGAIN);
	assert_int_equal(snapshots_newest(&f)->n_followed, 7);
	snapshots_close(&f);
}

/* The frozen pair stays while sampling continues; later rates cover one interval. */
TEST(test_pause)
{
	struct counting c;
	struct snapshots f;

	start(&c, &f);
	for (int i = 0; i < 3; i++)
		snapshots_sample(&f);
	snapshots_pause(&f, true);
	for (int i = 0; i < 5; i++)
		assert_int_equal(snapshots_sample(&f), 0);
	assert_int_equal(snapshots_rates(&f)->to->seq, 2);
	assert_int_equal(snapshots_rates(&f)->from->seq, 1);
	assert_int_equal(snapshots_rates(&f)->delta[0].events, 10);
	assert_int_equal(snapshots_newest(&f)->seq, 7);
	/* A baseline set during a pause is the shown snapshot. */
	snapshots_baseline(&f);
	assert_int_equal(snapshots_rates(&f)->since[0].events, 0);
	snapshots_pause(&f, false);
	assert_int_equal(snapshots_rates(&f)->to->seq, 7);
	assert_int_equal(snapshots_rates(&f)->delta[0].events, 10);
	assert_int_equal(snapshots_rates(&f)->since[0].events, 50);
	snapshots_close(&f);
}

TEST(test_paused_before_the_first_interval)
{
	struct counting c;
	struct snapshots f;

	start(&c, &f);
	snapshots_sample(&f);
	snapshots_pause(&f, true);
	snapshots_sample(&f);
	assert_null(snapshots_rates(&f)->from);
	snapshots_baseline(&f);
	assert_null(snapshots_rates(&f)->from);
	snapshots_close(&f);
}

/* Tables and findings of the time before are stale, and what is read on the way is not shown. */
TEST(test_away)
{
	struct counting c;
	struct snapshots f;

	start(&c, &f);
	for (int i = 0; i < 3; i++)
		snapshots_sample(&f);
	snapshots_pause(&f, true);
	snapshots_depart(&f);
	assert_null(snapshots_newest(&f));
	for (int i = 0; i < 3; i++) {
		assert_null(snapshots_rates(&f));
		assert_int_equal(snapshots_sample(&f), 0);
		snapshots_pause(&f, true);
	}
	assert_int_equal(snapshots_newest(&f)->seq, 5);
	assert_null(snapshots_rates(&f));
	snapshots_arrive(&f);
	assert_int_equal(snapshots_rates(&f)->to->seq, 5);
	assert_int_equal(snapshots_rates(&f)->delta[0].events, 10);
	snapshots_close(&f);
}

/* At the end of a recording, or without a new snapshot, the shown one stays. */
TEST(test_end)
{
	struct counting c;
	struct snapshots f;

	start(&c, &f);
	c.end = 3;
	for (int i = 0; i < 3; i++)
		assert_int_equal(snapshots_sample(&f), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(snapshots_sample(&f), 1);
		assert_true(f.ended);
		assert_int_equal(snapshots_rates(&f)->to->seq, 2);
		assert_int_equal(snapshots_rates(&f)->delta[0].events, 10);
	}
	c.err = -EAGAIN;
	assert_int_equal(snapshots_sample(&f), -EAGAIN);
	assert_false(f.ended);
	assert_int_equal(snapshots_rates(&f)->to->seq, 2);
	snapshots_close(&f);
}

TEST(test_gap)
{
	struct counting c;
	struct snapshots f;

	start(&c, &f);
	snapshots_sample(&f);
	f.gap = true;
	snapshots_sample(&f);
	assert_true(snapshots_rates(&f)->to->gap);
	snapshots_sample(&f);
	assert_false(snapshots_rates(&f)->to->gap);
	snapshots_close(&f);
}
