// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/bpf.h>
#include <string.h>
#include "diagnose/finding_location.h"
#include "source/data_source.h"
#include "unit/test.h"

#define HERE 1u

static void put(struct snapshot *s, struct map_entry e)
{
	memcpy(snapshot_add_row(s, DATA_SOURCE_MAPS, sizeof(e)), &e, sizeof(e));
	data_source_sort(s, DATA_SOURCE_MAPS);
}

static void assert_at(const struct snapshot *s, const struct location *l, uint32_t map_id, int key)
{
	const struct map_entry *e = location_map(&(struct rates){ .to = s }, l);

	assert_non_null(e);
	assert_int_equal(e->map_id, map_id);
	assert_int_equal(e->is_entry ? (int)e->key : -1, key);
}

TEST(test_location_map)
{
	struct snapshot s = { 0 };
	struct location l;

	location_init(&l);
	l.prog_id = 42;
	assert_null(location_map(&(struct rates){ .to = &s }, &l));
	for (uint32_t id = 5; id < 7; id++) {
		put(&s, (struct map_entry){ .map_id = id,
					    .map_type = BPF_MAP_TYPE_DEVMAP,
					    .user = { 36 + id },
					    .users_total = 1,
					    .users_known = true });
		for (uint32_t key = 0; key < 2; key++)
			put(&s, (struct map_entry){ .map_id = id,
						    .is_entry = 1,
						    .map_type = BPF_MAP_TYPE_DEVMAP,
						    .key = key,
						    .to_netns = HERE,
						    .to_ifindex = 3 + key });
	}
	put(&s, (struct map_entry){ .map_id = 8, .map_type = BPF_MAP_TYPE_CPUMAP });
	put(&s, (struct map_entry){ .map_id = 9, .map_type = BPF_MAP_TYPE_XSKMAP });
	put(&s, (struct map_entry){
			.map_id = 8, .is_entry = 1, .map_type = BPF_MAP_TYPE_CPUMAP, .key = 2 });
	put(&s, (struct map_entry){
			.map_id = 9, .is_entry = 1, .map_type = BPF_MAP_TYPE_XSKMAP, .key = 2 });
	/* the first map of the program */
	assert_at(&s, &l, 6, -1);
	l.to.netns = HERE;
	l.to.ifindex = 4;
	assert_at(&s, &l, 6, 1);
	/* the map is known, and differs from the program's */
	l.map_id = 5;
	assert_at(&s, &l, 5, 1);
	/* the map has no entry for the target */
	l.to.ifindex = 9;
	assert_at(&s, &l, 5, -1);
	/* neither has any other map */
	l.map_id = 0;
	assert_null(location_map(&(struct rates){ .to = &s }, &l));
	l.to.ifindex = 3;
	l.to.netns = HERE + 1;
	assert_null(location_map(&(struct rates){ .to = &s }, &l));
	/* a program without known maps */
	l.to.netns = HERE;
	l.prog_id = 1;
	assert_at(&s, &l, 5, 0);
	location_init(&l);
	l.to_cpu = 2;
	assert_at(&s, &l, 8, 2);
	location_init(&l);
	l.socket = 2;
	l.map_id = 9;
	assert_at(&s, &l, 9, 2);
	snapshot_free(&s);
}
