// SPDX-License-Identifier: GPL-2.0-or-later
/* page-pool-stalled: when it appears, its text, and when it stays quiet. */
#include <string.h>
#include "source/data_source.h"
#include "source/page_pools.h"
#include "unit/made_finding.h"
#include "unit/test.h"

#define CODE "page-pool-stalled"

static struct page_pool *put(struct fixture *f, uint32_t id, uint32_t ifindex, uint64_t pages,
			     int64_t age)
{
	struct page_pool *p = snapshot_add_row(&f->to, DATA_SOURCE_PAGE_POOLS, sizeof(*p));

	assert_non_null(p);
	*p = (struct page_pool){ .netns = BLUE,
				 .id = id,
				 .ifindex = ifindex,
				 .inflight = pages,
				 .inflight_mem = pages * 4096,
				 .stuck = 3,
				 .detached_at = { f->to.wall.tv_sec - age, 0 } };
	strcpy(p->ifname, "eth3");
	return p;
}

FINDING_TEST(test_says)
{
	const struct finding *finding;

	device(f, BLUE, 3, "eth3")->prog_id = 42;
	put(f, 7, 3, 1000, 90);
	put(f, 8, 3, 24, 300);
	/* not yet */
	put(f, 9, 3, 1000, 59);
	update(f);
	finding = expect_only(f, CODE);
	assert_int_equal(finding->severity, FINDING_WARNING);
	says(finding, "eth3 (+532222): 2 page pools that the driver gave up (the oldest at ");
	says(finding, ") still lack 1024 pages, 4.19M bytes");
	assert_true(runs(finding, " 2>/dev/null) ss -tuapm"));
}

FINDING_TEST(test_few)
{
	put(f, 7, 0, 3, 61);
	update(f);
	assert_int_equal(expect_only(f, CODE)->severity, FINDING_INFO);
	says(expect_only(f, CODE),
	     "on a device that no longer exists, 1 page pool that the driver gave up");
	says(expect_only(f, CODE), "still lacks 3 pages");
	assert_true(runs(expect_only(f, CODE), ") ss -tuapm"));
	assert_false(runs(expect_only(f, CODE), "ethtool"));
}

FINDING_TEST(test_quiet)
{
	device(f, BLUE, 3, "eth3");
	/* in use; empty; young; pages come back */
	put(f, 7, 3, 1000, 90)->detached_at.tv_sec = 0;
	put(f, 8, 3, 0, 90);
	put(f, 9, 3, 1000, 60);
	put(f, 10, 3, 1000, 90)->stuck = 2;
	update(f);
	expect_not(f, CODE);
}
