// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows by a number: in order, in each snapshot, each row looked at once. */
#include "model/rates.h"
#include "model/row_walk.h"
#include "unit/made.h"
#include "unit/test.h"

static struct netdev *put(struct snapshot *s, uint32_t ifindex, uint32_t prog_id, uint32_t skb)
{
	struct netdev *d = snapshot_add_netdev(s);

	d->netns = 1;
	d->ifindex = ifindex;
	d->prog_id = prog_id;
	d->skb_prog_id = skb;
	return d;
}

/* Expects these ifindexes of devices that run the program, ended by 0. */
static void assert_run_by(const struct rates *r, const struct snapshot *s, uint32_t prog_id,
			  const uint32_t *ifindex)
{
	const struct netdev *d;
	struct row_walk w;

	row_walk_begin(&w, r, s, &netdevs_by_program, prog_id);
	for (; *ifindex; ifindex++) {
		d = row_walk_next(&w);
		assert_non_null(d);
		assert_int_equal(d->ifindex, *ifindex);
	}
	assert_null(row_walk_next(&w));
	assert_null(row_walk_next(&w));
}

#define RUN_BY(r, s, id, ...) assert_run_by(r, s, id, (const uint32_t[]){ __VA_ARGS__, 0 })

static void assert_rows(const struct rates *r)
{
	RUN_BY(r, r->to, 7, 2, 4, 5);
	RUN_BY(r, r->to, 8, 3, 4);
	RUN_BY(r, r->to, 9, 0);
	/* 0 = no program */
	RUN_BY(r, r->to, 0, 0);
	RUN_BY(r, r->from, 7, 3);
	RUN_BY(r, NULL, 7, 0);
	assert_int_equal(
		((const struct netdev *)row_walk_first(r, r->to, &netdevs_by_program, 8))->ifindex,
		3);
	assert_int_equal(
		((const struct netdev *)row_walk_first(r, r->to, &gone_netdevs_by_program, 9))
			->ifindex,
		6);
}

TEST(test_rows)
{
	struct snapshot from = { .mono_ns = MADE_S }, to = { .mono_ns = 2 * MADE_S };
	struct rates r = { .from = &from, .to = &to };

	put(&from, 3, 7, 0);
	put(&to, 2, 7, 0);
	put(&to, 3, 8, 8);
	put(&to, 4, 7, 8);
	put(&to, 5, 0, 7);
	put(&to, 6, 9, 0)->gone = true;
	/* without memory for an index the result is the same, only slower */
	assert_rows(&r);
	rates_set(&r, &from, &to, NULL);
	assert_rows(&r);
	/* an index lasts for one interval */
	put(&to, 7, 7, 0);
	rates_set(&r, &from, &to, NULL);
	RUN_BY(&r, &to, 7, 2, 4, 5, 7);
	rates_free(&r);
	snapshot_free(&from);
	snapshot_free(&to);
}

static size_t n_asked;

static uint64_t ask(const void *row, unsigned int i)
{
	n_asked++;
	return ((const struct netdev *)row)->prog_id;
}

static const struct row_key counting = { DATA_SOURCE_NETDEVS, 1, .number = ask };

TEST(test_once)
{
	const uint32_t n = 3000;
	struct snapshot to = { .mono_ns = MADE_S };
	const struct netdev *d;
	struct rates r = { 0 };

	for (uint32_t i = 1; i <= n; i++)
		put(&to, i, n + 1 - i, 0);
	rates_set(&r, NULL, &to, NULL);
	for (uint32_t i = 1; i <= n; i++) {
		d = row_walk_first(&r, &to, &counting, i);
		assert_int_equal(d->ifindex, n + 1 - i);
	}
	assert_int_equal(n_asked, n);
	rates_free(&r);
	snapshot_free(&to);
}

/* More kinds of numbers than there is room for. */
TEST(test_many_keys)
{
	static struct row_key key[2 * ROW_INDEXES_MAX];
	struct snapshot to = { .mono_ns = MADE_S };
	struct rates r = { 0 };

	put(&to, 1, 5, 0);
	rates_set(&r, NULL, &to, NULL);
	for (int i = 0; i < 2 * ROW_INDEXES_MAX; i++) {
		key[i] = counting;
		assert_non_null(row_walk_first(&r, &to, &key[i], 5));
		assert_null(row_walk_first(&r, &to, &key[i], 6));
	}
	rates_free(&r);
	snapshot_free(&to);
}
