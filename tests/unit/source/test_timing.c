// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms of the time of a program, and their percentiles. */
#include "source/timing.h"
#include "unit/test.h"

TEST(test_buckets)
{
	unsigned int last = 0;

	for (uint64_t ns = 0; ns < 5000000000; ns += ns / 100 + 1) {
		unsigned int bucket = timing_bucket(ns);

		assert_in_range(bucket, last, TIMING_BUCKETS - 1);
		last = bucket;
		/* the middle is within a sixteenth */
		if (ns < 4000000000)
			assert_true(timing_bucket_ns(bucket) >= (double)ns * 15 / 16 - 1 &&
				    timing_bucket_ns(bucket) <= (double)ns * 17 / 16 + 1);
	}
	assert_int_equal(timing_bucket(UINT64_MAX), TIMING_BUCKETS - 1);
	assert_int_equal(timing_bucket(7), 7);
	assert_int_equal(timing_bucket(8), 8);
}

static bool near(double ns, double of)
{
	return ns > of * 15 / 16 && ns < of * 17 / 16;
}

TEST(test_percentiles)
{
	static struct timing_cpu cpu[2];
	static struct timing t;
	struct program p = { .prog_id = 12 };

	timing_set(&t, cpu, 2, &p);
	assert_int_equal(p.timed_runs, 0);
	assert_true(p.pct_ns[TIMING_P50] == 0);
	/* 50, 40 and 10 of 100 */
	cpu[0].bucket[timing_bucket(100)] = 50;
	cpu[1].bucket[timing_bucket(1000)] = 40;
	cpu[1].bucket[timing_bucket(90000)] = 10;
	timing_set(&t, cpu, 2, &p);
	assert_int_equal(p.timed_runs, 100);
	assert_true(near(p.pct_ns[TIMING_P50], 100));
	assert_true(near(p.pct_ns[TIMING_P90], 1000));
	assert_true(near(p.pct_ns[TIMING_P99], 90000));
	/* only what is new */
	cpu[0].bucket[timing_bucket(3000)]++;
	timing_set(&t, cpu, 2, &p);
	assert_int_equal(p.timed_runs, 1);
	assert_true(near(p.pct_ns[TIMING_P50], 3000) && near(p.pct_ns[TIMING_P99], 3000));
	/* another program begins again */
	p.prog_id = 13;
	timing_set(&t, cpu, 2, &p);
	assert_int_equal(p.timed_runs, 101);
}
