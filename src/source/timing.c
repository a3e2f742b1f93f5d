// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/timing.h"

#include <string.h>

static const unsigned int percent[TIMING_PERCENTILES] = { 50, 90, 99 };

double timing_bucket_ns(unsigned int bucket)
{
	unsigned int shift = bucket / TIMING_SUB;

	if (!shift)
		return bucket;
	/* of 2^(shift - 1) numbers */
	return (double)((uint64_t)(TIMING_SUB + bucket % TIMING_SUB) << (shift - 1)) +
	       (double)((1ULL << (shift - 1)) - 1) / 2;
}

/* The bucket of the run that is the kth, from 1. */
static unsigned int bucket_at(const uint64_t grown[TIMING_BUCKETS], uint64_t k)
{
	uint64_t seen = 0;
	unsigned int i = 0;

	while (i < TIMING_BUCKETS - 1 && (seen += grown[i]) < k)
		i++;
	return i;
}

void timing_set(struct timing *t, const struct timing_cpu *cpu, uint32_t cpus, struct program *p)
{
	uint64_t grown[TIMING_BUCKETS];

	if (t->prog_id != p->prog_id)
		memset(t, 0, sizeof(*t));
	t->prog_id = p->prog_id;
	p->timed_runs = 0;
	for (unsigned int i = 0; i < TIMING_BUCKETS; i++) {
		uint64_t sum = 0;

		for (uint32_t k = 0; k < cpus; k++)
			sum += *(const volatile __u64 *)&cpu[k].bucket[i];
		grown[i] = sum - t->bucket[i];
		t->bucket[i] = sum;
		p->timed_runs += grown[i];
	}
	for (int i = 0; i < TIMING_PERCENTILES; i++)
		p->pct_ns[i] = p->timed_runs
				       ? timing_bucket_ns(bucket_at(
						 grown, (p->timed_runs * percent[i] + 99) / 100))
				       : 0;
}
