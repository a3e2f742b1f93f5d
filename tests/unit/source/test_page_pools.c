// SPDX-License-Identifier: GPL-2.0-or-later
/* Page pools over several readings. */
#include "inventory/netdev_table.h"
#include "source/page_pools.h"
#include "unit/test.h"

#define S 1000000000ll

#define NETNS 5

static struct netdev_table table;
static struct snapshot now;
static struct page_pool pool; /* number 7 of the last reading */

static void pools_at(int64_t second, uint32_t netns, struct page_pool_message *m, size_t n)
{
	netdev_table_pools(&table, netns, m, n, 0, second * S, (1000 + second) * S);
	now.wall.tv_sec = 1000 + second;
	now.rows[DATA_SOURCE_PAGE_POOLS].n = 0;
	netdev_table_fill_pools(&table, &now);
}

/* A reading of pool 7, `second` seconds after boot. */
static void read_at(int64_t second, struct page_pool_message m)
{
	size_t n;

	m.id = 7;
	pools_at(second, NETNS, &m, 1);
	pool = *page_pools(&now, &n);
	assert_int_equal(n, 1);
}

static int reset(void **state)
{
	netdev_table_free(&table);
	snapshot_free(&now);
	return 0;
}

TEST_WITH(test_stalled, NULL, reset)
{
	struct link_message eth3 = { .device = { .netns = NETNS, .ifindex = 3, .name = "eth3" } };
	struct netdev_netns *ns = netdev_table_netns(&table, NETNS);

	netdev_table_take(&table, ns, &eth3);
	read_at(100, (struct page_pool_message){ .ifindex = 3, .inflight = 500 });
	read_at(105, (struct page_pool_message){ .ifindex = 3, .inflight = 500 });
	/* in use: its pages may stay outside */
	assert_int_equal(pool.stuck, 0);
	assert_true(page_pool_age(&pool, &now) == 0);
	/* given up, and then its device goes */
	read_at(110,
		(struct page_pool_message){ .ifindex = 3, .inflight = 90, .detach_time = 107 });
	assert_int_equal(pool.detached_at.tv_sec, 1107);
	netdev_table_netns_forget(&table, netdev_table_netns(&table, NETNS));
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
TEST_WITH(test_hostile, NULL, reset)
{
	read_at(100, (struct page_pool_message){ .detach_time = UINT64_MAX });
	assert_int_equal(pool.detached_at.tv_sec, 0);
	read_at(100, (struct page_pool_message){ .detach_time = 1ull << 40 });
	assert_int_equal(pool.detached_at.tv_sec, 0);
}

/* Each namespace keeps its own pools, and has a row while it has one. */
TEST_WITH(test_namespaces, NULL, reset)
{
	static struct page_pool_message many[PAGE_POOLS_MAX + 2];
	const struct page_pool *p;
	size_t n;

	for (size_t i = 0; i < PAGE_POOLS_MAX + 2; i++)
		many[i].id = (uint32_t)(PAGE_POOLS_MAX + 2 - i);
	/* the third one will be there twice */
	many[0].id = 3;
	pools_at(100, NETNS, many, 10);
	pools_at(100, NETNS + 2, many, 2);
	pools_at(100, NETNS + 1, many, 3);
	p = page_pools(&now, &n);
	assert_int_equal(n, 15);
	for (size_t i = 1; i < n; i++)
		assert_true(p[i - 1].netns < p[i].netns ||
			    (p[i - 1].netns == p[i].netns && p[i - 1].id < p[i].id));
	pools_at(105, NETNS, NULL, 0);
	page_pools(&now, &n);
	assert_int_equal(n, 5);
	pools_at(105, NETNS, many, PAGE_POOLS_MAX + 2);
	pools_at(105, NETNS + 3, many, 3);
	p = page_pools(&now, &n);
	/* the rest is counted */
	assert_int_equal(n, PAGE_POOLS_MAX + 1);
	assert_int_equal(page_pools_left_out(&now, NETNS), 1 + 5);
	assert_int_equal(p[0].left_out, 1 + 5);
	assert_int_equal(page_pools_left_out(&now, NETNS + 1), 0);
	assert_int_equal(page_pools_left_out(&now, NETNS + 3), 2);
	assert_int_equal(page_pools_left_out(&now, NETNS + 4), 0);
}
