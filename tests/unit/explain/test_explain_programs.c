// SPDX-License-Identifier: GPL-2.0-or-later
/* The explanation of a program's holders. */
#include "source/programs.h"
#include "unit/made_lines.h"
#include "unit/test.h"

/* A part names one of its dispatchers; the others refer to its row. */
static void test_parts(void **state)
{
	static const struct program rows[] = {
		{ .prog_id = 42, .parts = 2 },
		{ .prog_id = 43, .parts = 2 },
		{ .prog_id = 50, .part_of = 42, .link_id = 7, .prog_name = "acl" },
		{ .prog_id = 51, .part_of = 42, .link_id = 8 },
		{ .prog_id = 52, .part_of = 43, .link_id = 9, .prog_name = "nat" },
	};
	struct made *m = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct program *p = snapshot_add_row(&m->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

		assert_non_null(p);
		*p = rows[i];
	}
	for (uint32_t i = 0; i < 2; i++)
		*snapshot_add_netdev(&m->to) = (struct netdev){
			.netns = 5, .ifindex = 1 + i, .mode = NETDEV_NATIVE, .prog_id = 42 + i
		};
	build(m, VIEW_PROGRAMS);
	describe(m, 0);
	SAYS("owner|parts hold it: they are programs attached to it");
	SAYS("part|acl, id 50, link 7\npart|id 51, link 8\n");
	SAYS_NOT(" more:");
	describe(m, 1);
	SAYS("part|nat, id 52, link 9\npart|1 more: a part of several dispatchers is listed only "
	     "under the dispatcher with the lowest id\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_parts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
