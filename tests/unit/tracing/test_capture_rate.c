// SPDX-License-Identifier: GPL-2.0-or-later
/* The rate of a capture on several CPUs at once. Threads play the CPUs, and share a clock. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include "bpf/capture.h"
#include "unit/test.h"

#define CPUS  4
#define RATE  16
#define CALLS 200000 /* of each CPU */
#define TICK  (CAPTURE_SECOND_NS / 32)

static __u64 slots[RATE], ticks;

static __u64 *time_of(__u32 slot)
{
	return &slots[slot];
}

#include "bpf/capture_rate.h"

static struct capture_control control = { .rate = RATE };
static __u64 taken[CPUS * CALLS];
static size_t n;

static void *receive(void *unused)
{
	for (int i = 0; i < CALLS; i++) {
		__u64 now = CAPTURE_SECOND_NS + __sync_fetch_and_add(&ticks, 1) * TICK;

		if (rate_take(&control, now))
			taken[__sync_fetch_and_add(&n, 1)] = now;
	}
	return unused;
}

static int by_time(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

TEST(test_no_second_has_more)
{
	pthread_t cpu[CPUS];

	for (int i = 0; i < CPUS; i++)
		assert_int_equal(pthread_create(&cpu[i], NULL, receive, NULL), 0);
	for (int i = 0; i < CPUS; i++)
		pthread_join(cpu[i], NULL);
	assert_true(n >= RATE);
	qsort(taken, n, sizeof(*taken), by_time);
	for (size_t i = RATE; i < n; i++)
		assert_true(taken[i] - taken[i - RATE] >= CAPTURE_SECOND_NS);
	/* and no CPU kept the lock */
	assert_true(rate_take(&control, taken[n - 1] + 2 * CAPTURE_SECOND_NS));
}
