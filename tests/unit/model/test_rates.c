// SPDX-License-Identifier: GPL-2.0-or-later
/* Differences between two snapshots are exact, clamped, and matched by id; time is measured. */
#include <stdlib.h>
#include <string.h>
#include "model/rates.h"
#include "unit/test.h"

#define S 1000000000ull

static void at(struct snapshot *s, uint64_t seconds_x4)
{
	s->mono_ns = seconds_x4 * (S / 4);
	s->tp[TP_XDP_REDIRECT].state = TP_ON;
	s->tp[TP_XDP_REDIRECT].on_ns = s->mono_ns;
}

static void put(struct snapshot *s, uint64_t id, uint64_t events, uint64_t drops)
{
	struct series *series = snapshot_add_series(s);

	series->id = id;
	series->tracepoint = TP_XDP_REDIRECT;
	series->total.events = events;
	series->total.drops = drops;
	s->tp[TP_XDP_REDIRECT].events += events;
}

TEST(test_first_sample)
{
	struct snapshot to = { 0 };
	struct rates r = { 0 };

	at(&to, 4);
	put(&to, 1, 10, 0);
	rates_set(&r, NULL, &to, NULL);
	assert_null(r.from);
	assert_null(r.delta);
	assert_true(r.seconds == 0);
	assert_true(r.tp_seconds[TP_XDP_REDIRECT] == 0);
	assert_int_equal(r.tp_events[TP_XDP_REDIRECT], 0);
	/* totals are known immediately */
	assert_int_equal(r.since[0].events, 10);
	rates_free(&r);
	snapshot_free(&to);
}

/* Of a value that is not read for each snapshot. */
TEST(test_age)
{
	struct snapshot from = { .wall.tv_sec = 100 }, to = { .wall.tv_sec = 102 };
	static const struct {
		struct timespec read_at;
		double age;
	} values[] = {
		{ { 0 }, 0 },
		{ { 97, 500000000 }, 4.5 },
		{ { 100, 0 }, 2 },
		{ { 100, 1 }, 0 },
		{ { 102, 0 }, 0 },
		/* the clock was set back since */
		{ { 3700, 0 }, 2 },
	};
	struct netdev d = { .counters_read_at.tv_sec = 97 };
	struct rates r = { 0 };

	from.mono_ns = S;
	to.mono_ns = 3 * S;
	rates_set(&r, &from, &to, NULL);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(rates_age(&r, &values[i].read_at) == values[i].age);
	assert_true(rates_count_age(&r, &d, NETDEV_DRIVER_COUNT) == 5);
	assert_true(rates_count_age(&r, &d, NETDEV_CARRIER_CHANGES) == 0);
	rates_free(&r);
}

TEST(test_no_series)
{
	struct snapshot from = { 0 }, to = { 0 };
	struct rates r = { 0 };

	at(&from, 4);
	at(&to, 8);
	rates_set(&r, &from, &to, NULL);
	assert_non_null(r.delta);
	assert_true(r.seconds == 1);
	rates_free(&r);
	rates_free(&r);
	rates_free(NULL);
}

/* Over intervals of varying length the rates times their time add up to the counts. */
TEST(test_total_is_sum_of_counts)
{
	static const uint64_t step[] = { 1, 10, 3, 3, 40, 7 }; /* quarters of a second */
	struct snapshot s[7] = { 0 };
	struct rates r = { 0 };
	uint64_t sum = 0, events = 1000, when = 100;
	double by_rate = 0;

	at(&s[0], when);
	put(&s[0], 1, events, 0);
	for (int i = 0; i < 6; i++) {
		when += step[i];
		events += 17 * step[i] + (uint64_t)i;
		at(&s[i + 1], when);
		put(&s[i + 1], 1, events, 0);
		rates_set(&r, &s[i], &s[i + 1], &s[0]);
		assert_true(r.seconds == (double)step[i] / 4);
		assert_true(r.tp_seconds[TP_XDP_REDIRECT] == r.seconds);
		assert_int_equal(r.tp_events[TP_XDP_REDIRECT], r.delta[0].events);
		sum += r.delta[0].events;
		by_rate += (double)r.delta[0].events / r.seconds * r.seconds;
		assert_int_equal(r.since[0].events, sum);
	}
	assert_int_equal(1000 + sum, events);
	assert_int_equal((uint64_t)(by_rate + 0.5), sum);
	rates_free(&r);
	for (int i = 0; i < 7; i++)
		snapshot_free(&s[i]);
}

TEST(test_new_and_vanished_series)
{
	struct snapshot from = { 0 }, to = { 0 };
	struct rates r = { 0 };

	at(&from, 4);
	put(&from, 2, 100, 0);
	put(&from, 5, 500, 0); /* gone: recycled */
	put(&from, 9, 900, 0);
	at(&to, 8);
	put(&to, 1, 11, 0); /* before all others */
	put(&to, 2, 120, 0);
	put(&to, 7, 70, 0); /* in between */
	put(&to, 9, 900, 0);
	put(&to, 12, 12, 0); /* after all others */
	rates_set(&r, &from, &to, &from);
	assert_int_equal(r.delta[0].events, 11);
	assert_int_equal(r.delta[1].events, 20);
	assert_int_equal(r.delta[2].events, 70);
	assert_int_equal(r.delta[3].events, 0);
	assert_int_equal(r.delta[4].events, 12);
	/* the same, relative to the baseline */
	assert_memory_equal(r.delta, r.since, 5 * sizeof(*r.since));
	rates_free(&r);
	snapshot_free(&from);
	snapshot_free(&to);
}

TEST(test_clamped)
{
	const struct series_counters big = { .events = UINT64_MAX, .packets = UINT64_MAX - 1 };
	const struct series_counters small = { .events = 1, .packets = UINT64_MAX, .drops = 5 };
	struct series_counters d = series_counters_sub(&big, &small);
	struct snapshot from = { 0 }, to = { 0 };
	struct rates r = { 0 };

	assert_int_equal(d.events, UINT64_MAX - 1);
	assert_int_equal(d.packets, 0);
	assert_int_equal(d.drops, 0);
	/* a torn read: one field went backwards, the others count */
	at(&from, 4);
	put(&from, 1, UINT64_MAX - 10, 7);
	at(&to, 8);
	put(&to, 1, UINT64_MAX, 6);
	from.tp[TP_XDP_REDIRECT].events = 50;
	to.tp[TP_XDP_REDIRECT].events = 40;
	rates_set(&r, &from, &to, NULL);
	assert_int_equal(r.delta[0].events, 10);
	assert_int_equal(r.delta[0].drops, 0);
	assert_int_equal(r.tp_events[TP_XDP_REDIRECT], 0);
	rates_free(&r);
	snapshot_free(&from);
	snapshot_free(&to);
}

TEST(test_no_time)
{
	struct snapshot from = { 0 }, to = { 0 };
	struct rates r = { 0 };

	at(&from, 8);
	at(&to, 8);
	put(&to, 1, 5, 0);
	rates_set(&r, &from, &to, NULL);
	assert_null(r.from);
	assert_null(r.delta);
	from.mono_ns++;
	rates_set(&r, &from, &to, NULL);
	assert_null(r.from);
	rates_free(&r);
	snapshot_free(&to);
}

TEST(test_attached_time)
{
	struct snapshot from = { 0 }, to = { 0 };
	struct rates r = { 0 };

	from.mono_ns = 10 * S;
	to.mono_ns = 12 * S;
	/* attached for half of the interval, which is the divisor */
	to.tp[TP_XDP_REDIRECT].on_ns = S;
	to.tp[TP_XDP_REDIRECT].events = 100;
	/* counted, but the attached time is unknown */
	to.tp[TP_XDP_BULK_TX].events = 3;
	rates_set(&r, &from, &to, NULL);
	assert_true(r.seconds == 2);
	assert_true(r.tp_seconds[TP_XDP_REDIRECT] == 1);
	assert_int_equal(r.tp_events[TP_XDP_REDIRECT], 100);
	assert_true(r.tp_seconds[TP_XDP_BULK_TX] == 2);
	assert_true(r.tp_seconds[TP_XDP_EXCEPTION] == 0);
	rates_free(&r);
}

static void put_cpu(struct snapshot *s, uint32_t cpu, uint64_t events)
{
	struct series *series = &s->series[s->n_series - 1];
	struct cpu_count *c = snapshot_add_cpu(s);

	c->cpu = cpu;
	c->count.events = events;
	if (!series->n_cpu)
		series->cpu = s->n_cpu - 1;
	series->n_cpu++;
}

TEST(test_cpu)
{
	struct snapshot base = { 0 }, from = { 0 }, to = { 0 };
	struct series_counters delta, since;
	struct rates r = { 0 };

	at(&base, 2);
	put(&base, 4, 5, 0);
	put_cpu(&base, 3, 5);
	at(&from, 4);
	put(&from, 3, 100, 0);
	put_cpu(&from, 3, 100);
	put(&from, 4, 30, 0);
	put_cpu(&from, 0, 10);
	put_cpu(&from, 3, 20);
	at(&to, 8);
	put(&to, 4, 60, 0);
	put_cpu(&to, 0, 15);
	put_cpu(&to, 3, 20);
	put_cpu(&to, 7, 25);
	rates_set(&r, &from, &to, &base);
	rates_cpu(&r, 0, 0, &delta, &since);
	assert_int_equal(delta.events, 5);
	assert_int_equal(since.events, 15);
	rates_cpu(&r, 0, 3, &delta, &since);
	assert_int_equal(delta.events, 0);
	assert_int_equal(since.events, 15);
	rates_cpu(&r, 0, 7, &delta, &since);
	assert_int_equal(delta.events, 25);
	assert_int_equal(since.events, 25);
	/* never counted: zero, whatever another series has there */
	rates_cpu(&r, 0, 1, &delta, &since);
	assert_int_equal(delta.events, 0);
	assert_int_equal(since.events, 0);
	/* the first sample has totals of a CPU, but no rates */
	rates_set(&r, NULL, &to, NULL);
	rates_cpu(&r, 0, 7, &delta, &since);
	assert_int_equal(delta.events, 0);
	assert_int_equal(since.events, 25);
	rates_free(&r);
	snapshot_free(&base);
	snapshot_free(&from);
	snapshot_free(&to);
}

/* Reused with more and with fewer series. */
TEST(test_reuse)
{
	static const size_t sizes[] = { 3, 300, 2, 600 };
	struct rates r = { 0 };

	for (size_t i = 0; i < 4; i++) {
		struct snapshot from = { 0 }, to = { 0 };

		at(&from, 4);
		at(&to, 8);
		for (uint64_t id = 1; id <= sizes[i]; id++) {
			put(&from, id, id, 0);
			put(&to, id, id * 3, id);
		}
		rates_set(&r, &from, &to, NULL);
		for (size_t j = 0; j < sizes[i]; j++) {
			assert_int_equal(r.delta[j].events, 2 * (j + 1));
			assert_int_equal(r.since[j].events, 3 * (j + 1));
			assert_int_equal(r.delta[j].drops, j + 1);
		}
		snapshot_free(&from);
		snapshot_free(&to);
	}
	rates_free(&r);
}
