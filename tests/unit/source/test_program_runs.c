// SPDX-License-Identifier: GPL-2.0-or-later
/* How often programs ran, between two readings of the kernel's counters. */
#include "source/program_runs.h"
#include "unit/test.h"

#define SECOND 1000000000ull

static void read_at(struct program_runs *r, uint64_t second, uint64_t runs, uint64_t run_ns)
{
	r->look_ns = second * SECOND;
	program_runs_take(r, 42, runs, run_ns, r->look_ns);
	program_runs_take(r, 7, 0, 0, r->look_ns);
	program_runs_end(r);
}

TEST(test_runs)
{
	struct program_runs r = { 0 };
	struct program p = { .prog_id = 42 }, other = { .prog_id = 7 }, unknown = { .prog_id = 9 };

	program_runs_set(&r, &p);
	assert_int_equal(p.runs, PROGRAM_RUNS_UNKNOWN);
	/* counted before: statistics may be off now */
	read_at(&r, 10, 1000, 90000);
	program_runs_set(&r, &p);
	assert_int_equal(p.runs, PROGRAM_RUNS_UNKNOWN);
	read_at(&r, 15, 1000, 90000);
	program_runs_set(&r, &p);
	assert_int_equal(p.runs, PROGRAM_RUNS_OFF);
	read_at(&r, 20, 2000, 190000);
	program_runs_set(&r, &p);
	program_runs_set(&r, &other);
	program_runs_set(&r, &unknown);
	assert_int_equal(p.runs, PROGRAM_RUNS_ON);
	assert_true(p.runs_per_s == 200 && p.ns_per_run == 100);
	assert_int_equal(p.run_cnt, 2000);
	assert_int_equal(p.run_time_ns, 190000);
	/* it did not run */
	assert_int_equal(other.runs, PROGRAM_RUNS_ON);
	assert_true(other.runs_per_s == 0 && other.ns_per_run == 0);
	assert_int_equal(unknown.runs, PROGRAM_RUNS_UNKNOWN);
	/* counters that fall count as no growth */
	read_at(&r, 25, 5, 100);
	program_runs_set(&r, &p);
	assert_int_equal(p.runs, PROGRAM_RUNS_OFF);
	/* gone */
	r.look_ns = 1000 * SECOND;
	program_runs_end(&r);
	assert_int_equal(r.n, 0);
	program_runs_free(&r);
}
