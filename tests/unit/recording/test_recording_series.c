// SPDX-License-Identifier: GPL-2.0-or-later
/* Which series of a recording are kept, and which are forgotten. */
#include <string.h>
#include <errno.h>
#include "recording/recording_series.h"
#include "unit/test.h"

/* A row of the device's series, for all CPUs (-1) or one. */
static int take(struct recording_series *r, uint32_t ifindex, int cpu, uint64_t delta, uint64_t sum)
{
	struct record record;

	memset(&record, 0, sizeof(record));
	record.tracepoint = TP_XDP_REDIRECT_ERR;
	record.series.tracepoint = TP_XDP_REDIRECT_ERR;
	record.series.key.netns = 1;
	record.series.key.ifindex = ifindex;
	record.cpu = cpu;
	record.delta.events = delta;
	record.sum.events = sum;
	return recording_series_add(r, &record, false);
}

static void copy(struct recording_series *r, struct snapshot *s, bool before)
{
	snapshot_clear(s);
	recording_series_copy(r, s, before);
}

static const struct series *find(const struct snapshot *s, uint32_t ifindex)
{
	for (size_t i = 0; i < s->n_series; i++)
		if (s->series[i].key.ifindex == ifindex)
			return &s->series[i];
	return NULL;
}

/* However many come and go, recent ones are kept, and series in use are unchanged. */
TEST(test_come_and_go)
{
	const uint32_t per_snapshot = 1000, snapshots = 3 * RECORDING_SERIES_MAX / per_snapshot;
	struct recording_series *r = recording_series_new();
	struct snapshot s = { 0 };
	uint64_t id = 0;

	for (uint32_t i = 1; i <= snapshots; i++) {
		recording_series_next(r);
		assert_int_equal(take(r, 1, -1, 5, 5 * i), 0);
		for (uint32_t k = 0; k < per_snapshot; k++)
			assert_int_equal(take(r, i * per_snapshot + k, -1, 1, 1), 0);
		if (i % 64 && i < snapshots)
			continue;
		copy(r, &s, false);
		assert_in_range(s.n_series, 1, RECORDING_SERIES_MAX);
		assert_non_null(find(&s, 1));
		assert_int_equal(find(&s, 1)->total.events, 5 * i);
		assert_true(!id || id == find(&s, 1)->id);
		id = find(&s, 1)->id;
		/* at least half of the limit, the newest ones */
		for (uint32_t back = 0; back < i && back < RECORDING_SERIES_MAX / per_snapshot / 2;
		     back++)
			assert_non_null(find(&s, (i - back) * per_snapshot));
	}
	assert_null(find(&s, per_snapshot));
	snapshot_free(&s);
	recording_series_free(r);
}

/* The maximum of a snapshot: further rows are refused, and nothing is lost. */
TEST(test_full)
{
	struct recording_series *r = recording_series_new();
	struct snapshot s = { 0 };

	recording_series_next(r);
	for (uint32_t i = 1; i <= RECORDING_SERIES_MAX; i++)
		assert_int_equal(take(r, i, -1, 1, 1), 0);
	assert_int_equal(take(r, RECORDING_SERIES_MAX + 1, -1, 1, 1), -ENOSPC);
	assert_int_equal(take(r, 7, -1, 1, 1), -EEXIST);
	assert_int_equal(take(r, 7, 3, 1, 1), 0);
	copy(r, &s, false);
	assert_int_equal(s.n_series, RECORDING_SERIES_MAX);
	/* in the next snapshot all of them are old, and some are evicted */
	recording_series_next(r);
	assert_int_equal(take(r, RECORDING_SERIES_MAX + 1, -1, 1, 1), 0);
	copy(r, &s, false);
	assert_in_range(s.n_series, RECORDING_SERIES_MAX / 2, RECORDING_SERIES_MAX);
	snapshot_free(&s);
	recording_series_free(r);
}

/* An evicted series that returns counts from zero: earlier counts belong to no interval. */
TEST(test_come_back)
{
	const uint32_t stays = RECORDING_SERIES_MAX, back = RECORDING_SERIES_MAX + 1;
	struct recording_series *r = recording_series_new();
	struct snapshot s = { 0 };

	recording_series_next(r);
	for (uint32_t i = 1; i <= RECORDING_SERIES_MAX; i++)
		assert_int_equal(take(r, i, -1, 1, 1), 0);
	assert_int_equal(take(r, back, -1, 5, 100), -ENOSPC);
	for (uint64_t i = 1; i <= 2; i++) {
		recording_series_next(r);
		assert_int_equal(take(r, stays, -1, 1, 1 + i), 0);
		assert_int_equal(take(r, back, -1, 5, 100 + 5 * i), 0);
		assert_int_equal(take(r, back, 3, 5, 100 + 5 * i), 0);
		snapshot_clear(&s);
		recording_series_copy(r, &s, false);
		assert_int_equal(find(&s, stays)->total.events, 1 + i);
		assert_int_equal(find(&s, back)->total.events, 5 * i);
		assert_int_equal(snapshot_cpu(&s, find(&s, back), 3)->events, 5 * i);
	}
	snapshot_free(&s);
	recording_series_free(r);
}

/* Rows of CPUs have their own limit. */
TEST(test_many_cpus)
{
	const int cpus = 1024;
	struct recording_series *r = recording_series_new();
	struct snapshot s = { 0 };

	for (uint32_t i = 1; i <= 2 * RECORDING_COUNTS_MAX / (uint32_t)cpus; i++) {
		recording_series_next(r);
		assert_int_equal(take(r, i, -1, (uint64_t)cpus, (uint64_t)cpus), 0);
		for (int cpu = 0; cpu < cpus; cpu++)
			assert_int_equal(take(r, i, cpu, 1, 1), 0);
	}
	copy(r, &s, false);
	assert_in_range(s.n_cpu, RECORDING_COUNTS_MAX / 2, RECORDING_COUNTS_MAX);
	assert_int_equal(s.series[s.n_series - 1].n_cpu, cpus);
	snapshot_free(&s);
	recording_series_free(r);
}

/* At the start of an interval, a series without a row has its last counts. */
TEST(test_unchanged)
{
	struct recording_series *r = recording_series_new();
	struct snapshot s = { 0 };

	recording_series_next(r);
	assert_int_equal(take(r, 1, -1, 5, 15), 0);
	assert_int_equal(take(r, 1, 2, 5, 15), 0);
	copy(r, &s, true);
	assert_int_equal(s.series[0].total.events, 10);
	assert_int_equal(s.cpu[0].count.events, 10);
	recording_series_next(r);
	copy(r, &s, true);
	assert_int_equal(s.series[0].total.events, 15);
	assert_int_equal(s.cpu[0].count.events, 15);
	snapshot_free(&s);
	recording_series_free(r);
}

/* In whatever order CPUs come, those of a series are adjacent and ascending. */
TEST(test_cpus_descending)
{
	struct recording_series *r = recording_series_new();
	struct snapshot s = { 0 };
	int n = 0;

	recording_series_next(r);
	for (int cpu = UINT16_MAX; cpu >= 0; cpu--)
		assert_int_equal(take(r, 1 + cpu % 2, cpu, 1, 1), 0);
	assert_int_equal(take(r, 1, 4, 1, 1), -EEXIST);
	copy(r, &s, false);
	assert_int_equal(s.n_series, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(s.series[i].cpu, n);
		for (size_t k = 0; k < s.series[i].n_cpu; k++)
			assert_int_equal(s.cpu[n++].cpu, 2 * k + s.series[i].key.ifindex - 1);
	}
	assert_int_equal(n, UINT16_MAX + 1);
	/* sorted, they are still found */
	recording_series_next(r);
	assert_int_equal(take(r, 1, 4, 1, 7), 0);
	copy(r, &s, false);
	assert_int_equal(s.n_cpu, UINT16_MAX + 1);
	assert_int_equal(snapshot_cpu(&s, find(&s, 1), 4)->events, 7);
	snapshot_free(&s);
	recording_series_free(r);
}

/* Recycled in between, it may have counted more than before; its total shows that. */
TEST(test_recycled)
{
	struct recording_series *r = recording_series_new();
	struct snapshot s = { 0 };
	uint64_t id;

	recording_series_next(r);
	assert_int_equal(take(r, 1, -1, 5, 5), 0);
	copy(r, &s, false);
	id = s.series[0].id;
	recording_series_next(r);
	assert_int_equal(take(r, 1, -1, 3, 8), 0);
	copy(r, &s, false);
	assert_int_equal(s.series[0].id, id);
	recording_series_next(r);
	assert_int_equal(take(r, 1, -1, 100, 100), 0);
	copy(r, &s, false);
	assert_int_equal(s.n_series, 1);
	assert_int_not_equal(s.series[0].id, id);
	assert_int_equal(s.series[0].total.events, 100);
	snapshot_free(&s);
	recording_series_free(r);
}

/* A series that the last snapshot of a run lacks was forgotten before. */
TEST(test_keep_given)
{
	struct recording_series *r = recording_series_new();
	struct snapshot s = { 0 };

	recording_series_keep_current(r);
	recording_series_next(r);
	for (uint32_t i = 1; i <= 5; i++)
		assert_int_equal(take(r, i, -1, 1, 1), 0);
	assert_int_equal(take(r, 2, 7, 1, 1), 0);
	recording_series_next(r);
	assert_int_equal(take(r, 2, -1, 0, 1), 0);
	assert_int_equal(take(r, 4, -1, 0, 1), 0);
	recording_series_keep_current(r);
	copy(r, &s, false);
	assert_int_equal(s.n_series, 2);
	assert_non_null(find(&s, 2));
	assert_non_null(find(&s, 4));
	assert_int_equal(find(&s, 2)->n_cpu, 1);
	snapshot_free(&s);
	recording_series_free(r);
}
