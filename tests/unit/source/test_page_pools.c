// SPDX-License-Identifier: GPL-2.0-or-later
/* Page pools over several readings. */
#include <string.h>
#include "source/page_pools.h"
#include "unit/test.h"

#define S 1000000000ll

static struct page_pool pool;
static struct snapshot now;

/* A reading of pool 7, `second` seconds after boot. */
static void read_at(int64_t second, struct page_pool_message m)
{
	struct page_pool was = pool;

	m.id = 7;
	page_pool_set(&pool, &m, 5, was.id ? &was : NULL, second * S, (1000 + second) * S);
	now.wall.tv_sec = 1000 + second;
}

TEST(test_stalled)
{
	pool = (struct page_pool){ 0 };
	read_at(100, (struct page_pool_message){ .ifindex = 3, .inflight = 500 });
	strcpy(pool.ifname, "eth3");
	read_at(105, (struct page_pool_message){ .ifindex = 3, .inflight = 500 });
	/* in use: its pages may stay outside */
	assert_int_equal(pool.stuck, 0);
	assert_true(page_pool_age(&pool, &now) == 0);
	/* given up, and then its device goes */
	read_at(110,
		(struct page_pool_message){ .ifindex = 3, .inflight = 90, .detach_time = 107 });
	assert_int_equal(pool.detached_at.tv_sec, 1107);
	for (int64_t at = 115; at <= 170; at += 5) {
		read_at(at, (struct page_pool_message){ .inflight = 90, .detach_time = 107 });
		assert_true(page_pool_is_stalled(&pool, &now) == (at >= 168));
	}
	assert_int_equal(pool.ifindex, 3);
	assert_string_equal(pool.ifname, "eth3");
	/* its pages come back */
	read_at(175, (struct page_pool_message){ .inflight = 80, .detach_time = 107 });
	assert_false(page_pool_is_stalled(&pool, &now));
	for (int64_t at = 180; at <= 195; at += 5) {
		read_at(at, (struct page_pool_message){ .inflight = 80, .detach_time = 107 });
		assert_true(page_pool_is_stalled(&pool, &now) == (at >= 190));
	}
	read_at(200, (struct page_pool_message){ .inflight = 0, .detach_time = 107 });
	assert_false(page_pool_is_stalled(&pool, &now));
	assert_true(page_pool_age(&pool, &now) == 93);
}

/* A time after now is ignored. */
TEST(test_hostile)
{
	pool = (struct page_pool){ 0 };
	read_at(100, (struct page_pool_message){ .detach_time = UINT64_MAX });
	assert_int_equal(pool.detached_at.tv_sec, 0);
	read_at(100, (struct page_pool_message){ .detach_time = 1ull << 40 });
	assert_int_equal(pool.detached_at.tv_sec, 0);
}
