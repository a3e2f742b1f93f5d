// SPDX-License-Identifier: GPL-2.0-or-later
/* The explanation of a program's holders. */
#include <linux/bpf.h>
#include "source/data_source.h"
#include "source/map_fill.h"
#include "source/programs.h"
#include "unit/made_lines.h"
#include "unit/test.h"

/* A part names one of its dispatchers; the others refer to its row. */
TABLE_TEST(test_parts)
{
	static const struct program rows[] = {
		{ .prog_id = 42, .parts = 2 },
		{ .prog_id = 43, .parts = 2 },
		{ .prog_id = 50, .part_of = 42, .link_id = 7, .prog_name = "acl" },
		{ .prog_id = 51, .part_of = 42, .link_id = 8 },
		{ .prog_id = 52, .part_of = 43, .link_id = 9, .prog_name = "nat" },
	};

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
	SAYS("owner|parts hold it: programs that are attached to this dispatcher");
	SAYS("part|acl, id 50, link 7\npart|id 51, link 8\n");
	SAYS_NOT(" more:");
	describe(m, 1);
	SAYS("part|nat, id 52, link 9\npart|1 more: a part of several dispatchers is listed only "
	     "under the dispatcher with the lowest id\n");
}

/* Its own maps, then the maps of its parts. */
TABLE_TEST(test_maps)
{
	static const struct program rows[] = {
		{ .prog_id = 42, .parts = 1, .map = { 5 }, .maps_total = 1, .maps_known = true },
		{ .prog_id = 50, .part_of = 42, .maps_known = true },
	};
	static const struct map_fill fills[] = {
		{ .map_id = 7,
		  .map_type = BPF_MAP_TYPE_HASH,
		  .map_name = "flows",
		  .user = { 42 },
		  .state = MAP_FILL_COUNTED,
		  .entries = 950,
		  .max_entries = 1000,
		  .has_growth = true,
		  .growth = 1 },
		{ .map_id = 8,
		  .map_type = BPF_MAP_TYPE_LRU_HASH,
		  .user = { 50, 51 },
		  .state = MAP_FILL_UNCOUNTED,
		  .max_entries = 10 },
		{ .map_id = 9, .user = { 51 } },
	};
	static const struct map_entry map = { .map_id = 5,
					      .map_type = BPF_MAP_TYPE_DEVMAP,
					      .map_name = "ports",
					      .max_entries = 64,
					      .used = 3,
					      .slots_read = 64,
					      .users_known = true,
					      .users_total = 1,
					      .user = { 42 } };

	for (size_t i = 0; i < 2; i++)
		memcpy(snapshot_add_row(&m->to, DATA_SOURCE_PROGRAMS, sizeof(rows[i])), &rows[i],
		       sizeof(rows[i]));
	for (size_t i = 0; i < 3; i++)
		memcpy(snapshot_add_row(&m->to, DATA_SOURCE_MAP_FILLS, sizeof(fills[i])), &fills[i],
		       sizeof(fills[i]));
	memcpy(snapshot_add_row(&m->to, DATA_SOURCE_MAPS, sizeof(map)), &map, sizeof(map));
	*snapshot_add_netdev(&m->to) =
		(struct netdev){ .netns = 5, .ifindex = 1, .mode = NETDEV_NATIVE, .prog_id = 42 };
	m->to.kernel = KERNEL(6, 1);
	build(m, VIEW_PROGRAMS);
	describe(m, 0);
	SAYS("map|flows, hash 7: 950 of 1000 entries, 95.0 %, full in 50 s\n"
	     "map|lru_hash 8: at most 10 entries\n"
	     "map|ports, devmap 5: 3 of 64 slots in use\n");
	build(m, VIEW_MAPS);
	describe(m, 1);
	SAYS("entries|950 of 1000 used, full in 50 s");
	SAYS("when it is full, a new entry is refused");
	describe(m, 2);
	SAYS("entries|unknown (at most 10), because this kernel does not count the entries");
	SAYS("a new entry evicts an old one");
}

/* Times while BPF statistics are on. */
TABLE_TEST(test_runs)
{
	struct program *p = snapshot_add_row(&m->to, DATA_SOURCE_PROGRAMS, sizeof(*p));

	*snapshot_add_netdev(&m->to) =
		(struct netdev){ .netns = 5, .ifindex = 1, .mode = NETDEV_NATIVE, .prog_id = 42 };
	*p = (struct program){ .prog_id = 42 };
	build(m, VIEW_PROGRAMS);
	CELL(0, COL_RUN_NS, "n/a");
	p->runs = PROGRAM_RUNS_OFF;
	build(m, VIEW_PROGRAMS);
	CELL(0, COL_RUN_NS, "off");
	CELL(0, COL_RUNS_RATE, "off");
	describe(m, 0);
	SAYS_NOT("runs|");
	p->runs = PROGRAM_RUNS_ON;
	p->runs_per_s = 1e6;
	p->ns_per_run = 85;
	build(m, VIEW_PROGRAMS);
	CELL(0, COL_RUN_NS, "85");
	CELL(0, COL_RUNS_RATE, "1.00M");
	describe(m, 0);
	SAYS("runs|1.00M a second, 85 ns each: 8.5 % of a CPU (BPF statistics are on)");
}
