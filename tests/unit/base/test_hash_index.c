// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys are found at once, whatever their order. */
#include <stdbool.h>
#include "base/hash.h"
#include "unit/test.h"

static size_t compared;

static bool is(const uint32_t *key, uint32_t like)
{
	compared++;
	return *key == like;
}

TEST(test_order)
{
	enum { KEYS = 65536 };
	static uint32_t key[KEYS];
	static const int64_t step[] = { 1, -1, 4096, -65536, 0x9e3779b1 };
	struct hash_index index = { 0 };

	for (size_t s = 0; s < sizeof(step) / sizeof(step[0]); s++) {
		hash_index_clear(&index);
		compared = 0;
		for (size_t n = 0; n < KEYS; n++) {
			uint32_t hash;

			key[n] = (uint32_t)((int64_t)n * step[s]);
			hash = (uint32_t)hash_add(hash_seed(), key[n]);
			assert_true(hash_index_find(&index, hash, i, is(&key[i], key[n])) ==
				    HASH_INDEX_NONE);
			hash_index_add(&index, hash, n);
		}
		for (size_t n = 0; n < KEYS; n++) {
			uint32_t hash = (uint32_t)hash_add(hash_seed(), key[n]);

			assert_int_equal(hash_index_find(&index, hash, i, is(&key[i], key[n])), n);
		}
		assert_in_range(compared, KEYS, KEYS + KEYS / 16);
	}
	hash_index_free(&index);
	assert_true(hash_index_find(&index, 1, i, is(&key[i], 1)) == HASH_INDEX_NONE);
}

/* Keys with equal hashes are all found, if slowly. */
TEST(test_same_hash)
{
	struct hash_index index = { 0 };
	uint32_t key[100];

	for (uint32_t n = 0; n < 100; n++) {
		key[n] = n;
		hash_index_add(&index, 7, n);
	}
	for (uint32_t n = 0; n < 100; n++)
		assert_int_equal(hash_index_find(&index, 7, i, is(&key[i], n)), n);
	assert_true(hash_index_find(&index, 7, i, is(&key[i], 100)) == HASH_INDEX_NONE);
	hash_index_free(&index);
}
