// SPDX-License-Identifier: GPL-2.0-or-later
/* The sets of the cache: alternating series must not evict each other. */
#include <stdio.h>
#include "bpf/shared.h"
#include "unit/test.h"

/* Four devices with ifindexes `step` apart, in the half of the word that begins at bit `shift`. */
static int most_in_a_set(uint64_t other, uint32_t ifindex, uint32_t step, int shift, uint32_t net)
{
	int in_set[SERIES_SETS] = { 0 }, most = 0;

	for (uint32_t i = 0; i < 4; i++) {
		uint64_t word = other | (uint64_t)(ifindex + i * step) << shift;
		uint32_t set = series_set(word, net);

		assert_true(set < SERIES_SETS);
		if (++in_set[set] > most)
			most = in_set[set];
	}
	return most;
}

TEST(test_neighbours_keep_apart)
{
	static const uint32_t nets[] = { 0, 0x83a51940, 0x0412c4c0 };

	for (size_t n = 0; n < sizeof(nets) / sizeof(nets[0]); n++)
		for (uint32_t step = 1; step <= 4; step++)
			for (uint32_t i = 1; i < 5000; i++) {
				assert_true(most_in_a_set(7, i, step, 32, nets[n]) <= SERIES_WAYS);
				assert_true(most_in_a_set(7ULL << 32, i, step, 0, nets[n]) <=
					    SERIES_WAYS);
			}
}

/* The only device of each container has the same small ifindex. */
TEST(test_namespaces_are_told_apart)
{
	int in_set[SERIES_SETS] = { 0 };

	/* net structures of one slab, 0xc40 apart */
	for (uint32_t i = 0; i < 64; i++)
		in_set[series_set(2, 0x04120000 + i * 0xc40)]++;
	for (int i = 0; i < SERIES_SETS; i++)
		assert_in_range(in_set[i], 3, 16);
}
