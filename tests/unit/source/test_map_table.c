// SPDX-License-Identifier: GPL-2.0-or-later
/* Merges partial readings of maps. */
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include "source/map_table.h"
#include "unit/test.h"

#define MAP(id, type_, max, slots_, from_, to_)                                                  \
	{                                                                                        \
		.map_id = id, .type = BPF_MAP_TYPE_##type_, .value_size = 8, .max_entries = max, \
		.slots = slots_, .from = from_, .to = to_, .name = "m"                           \
	}
#define ENTRY(id, key_, ifindex_)                                                          \
	{                                                                                  \
		.map_id = id, .is_entry = 1, .key = key_, .netns = 1, .ifindex = ifindex_, \
		.name = "d"                                                                \
	}
#define UPDATE(t, complete, ...)                                                                  \
	do {                                                                                      \
		const struct map_record records_[] = { __VA_ARGS__ };                             \
		map_table_update(&(t), records_, sizeof(records_) / sizeof(*records_), complete); \
	} while (0)

/* "1: 0>5 3>6" for a map with two entries; maps are separated by commas. */
static const char *text(const struct map_table *t)
{
	static char buf[256];
	size_t len = 0;

	buf[0] = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i].is_entry)
			len += snprintf(buf + len, sizeof(buf) - len, " %u>%u", t->row[i].key,
					t->row[i].to_ifindex);
		else
			len += snprintf(buf + len, sizeof(buf) - len, "%s%u:", i ? ", " : "",
					t->row[i].map_id);
	return buf;
}

TEST(test_whole)
{
	struct map_table t = { 0 };

	UPDATE(t, true, MAP(3, DEVMAP, 4, 4, 0, 4), ENTRY(3, 0, 5), ENTRY(3, 3, 6),
	       MAP(7, CPUMAP, 2, 2, 0, 2));
	assert_string_equal(text(&t), "3: 0>5 3>6, 7:");
	assert_int_equal(t.row[0].used, 2);
	assert_int_equal(t.row[0].slots_read, 4);
	assert_int_equal(t.row[0].max_entries, 4);
	assert_int_equal(t.row[0].value_size, 8);
	assert_string_equal(t.row[1].map_name, "m");
	assert_string_equal(t.row[1].to_ifname, "d");
	/* replaced, deleted, added; a map in between, and the last one gone */
	UPDATE(t, true, MAP(3, DEVMAP, 4, 4, 0, 4), ENTRY(3, 0, 9), ENTRY(3, 2, 1),
	       MAP(5, DEVMAP, 1, 1, 0, 1));
	assert_string_equal(text(&t), "3: 0>9 2>1, 5:");
	UPDATE(t, true, MAP(5, DEVMAP, 1, 1, 0, 1), ENTRY(5, 0, 2));
	assert_string_equal(text(&t), "5: 0>2");
	/* the reading ended before them: they stay */
	UPDATE(t, true, MAP(5, DEVMAP, 1, 1, 0, 1), MAP(6, DEVMAP, 1, 1, 0, 1), ENTRY(6, 0, 2));
	UPDATE(t, false, MAP(5, DEVMAP, 1, 1, 0, 1), ENTRY(5, 0, 3));
	assert_string_equal(text(&t), "5: 0>3, 6: 0>2");
	map_table_update(&t, NULL, 0, true);
	assert_int_equal(t.n, 0);
	map_table_free(&t);
}

/* If only values differ from the previous reading, rows are as if rebuilt. */
TEST(test_same_again)
{
	struct map_record reading[] = { MAP(3, DEVMAP, 4, 4, 0, 4), ENTRY(3, 0, 5),
					ENTRY(3, 3, 6) };
	struct map_table t = { 0 }, fresh = { 0 };

	memcpy(reading[2].name, "longer", 6);
	for (uint32_t i = 0; i < 3; i++) {
		reading[1].fill = i;
		memcpy(reading[2].name, "short\0", i > 1 ? 6 : 0);
		map_table_update(&t, reading, 3, true);
		map_table_update(&fresh, NULL, 0, true);
		map_table_update(&fresh, reading, 3, true);
		assert_int_equal(t.n, 3);
		assert_memory_equal(t.row, fresh.row, 3 * sizeof(*t.row));
	}
	assert_int_equal(t.row[1].fill, 2);
	assert_string_equal(t.row[2].to_ifname, "short");
	reading[2].key = 2;
	map_table_update(&t, reading, 3, true);
	assert_string_equal(text(&t), "3: 0>5 2>6");
	reading[1].map_id = reading[2].map_id = reading[0].map_id = 2;
	map_table_update(&t, reading, 3, true);
	assert_string_equal(text(&t), "2: 0>5 2>6");
	/* incomplete, then the same: later maps stay, then go */
	UPDATE(t, true, MAP(2, DEVMAP, 4, 4, 0, 4), MAP(4, DEVMAP, 4, 4, 0, 4));
	UPDATE(t, false, MAP(2, DEVMAP, 4, 4, 0, 4));
	assert_string_equal(text(&t), "2:, 4:");
	UPDATE(t, true, MAP(2, DEVMAP, 4, 4, 0, 4));
	assert_string_equal(text(&t), "2:");
	map_table_free(&t);
	map_table_free(&fresh);
}

TEST(test_parts)
{
	struct map_table t = { 0 };

	UPDATE(t, true, MAP(3, DEVMAP, 100, 100, 0, 40), ENTRY(3, 0, 5), ENTRY(3, 39, 6));
	assert_int_equal(t.row[0].slots_read, 40);
	/* not read at all */
	UPDATE(t, true, MAP(2, DEVMAP, 1, 1, 0, 1), MAP(3, DEVMAP, 100, 100, 0, 0));
	assert_string_equal(text(&t), "2:, 3: 0>5 39>6");
	assert_int_equal(t.row[1].slots_read, 40);
	UPDATE(t, true, MAP(3, DEVMAP, 100, 100, 40, 100), ENTRY(3, 40, 7), ENTRY(3, 99, 8));
	assert_string_equal(text(&t), "3: 0>5 39>6 40>7 99>8");
	assert_int_equal(t.row[0].slots_read, 100);
	assert_int_equal(t.row[0].used, 4);
	/* from the start again: the unread part stays, and so does the rest */
	UPDATE(t, true, MAP(3, DEVMAP, 100, 100, 0, 40), ENTRY(3, 1, 5));
	assert_string_equal(text(&t), "3: 1>5 40>7 99>8");
	assert_int_equal(t.row[0].slots_read, 100);
	map_table_free(&t);
}

TEST(test_hash)
{
	struct map_table t = { 0 };

	/* 33 entries have 64 buckets; records are by bucket, rows by key */
	UPDATE(t, true, MAP(3, DEVMAP_HASH, 33, 64, 0, 3), ENTRY(3, 640, 5), ENTRY(3, 1, 6),
	       ENTRY(3, 66, 7), ENTRY(3, 3, 8));
	assert_string_equal(text(&t), "3: 1>6 66>7 640>5");
	assert_int_equal(t.row[0].slots_read, 3);
	UPDATE(t, true, MAP(3, DEVMAP_HASH, 33, 64, 3, 60), ENTRY(3, 3, 8), ENTRY(3, 67, 9));
	assert_string_equal(text(&t), "3: 1>6 3>8 66>7 67>9 640>5");
	assert_int_equal(t.row[0].slots_read, 32);
	UPDATE(t, true, MAP(3, DEVMAP_HASH, 33, 64, 60, 64));
	assert_int_equal(t.row[0].slots_read, 33);
	UPDATE(t, true, MAP(3, DEVMAP_HASH, 33, 64, 0, 2), ENTRY(3, 1, 6));
	assert_string_equal(text(&t), "3: 1>6 3>8 66>7 67>9");
	map_table_free(&t);
}

/* Entries without room are omitted, and the map counts as not completely read. */
TEST(test_full)
{
	static struct map_record records[MAP_ENTRIES_MAX + 2];
	struct map_table t = { 0 };
	const uint32_t max = MAP_ENTRIES_MAX + 1;

	records[0] = (struct map_record)MAP(3, DEVMAP, max, max, 0, max);
	for (uint32_t i = 0; i < max; i++)
		records[i + 1] = (struct map_record)ENTRY(3, i, 1);
	map_table_update(&t, records, max + 1, true);
	assert_int_equal(t.n, MAP_ENTRIES_MAX);
	assert_int_equal(t.row[0].slots_read, 0);
	map_table_update(&t, records, 10, true);
	assert_int_equal(t.n, 10);
	assert_int_equal(t.row[0].slots_read, max);
	map_table_free(&t);
}

/* Attached programs and parts of dispatchers are named; others are counted. */
TEST(test_users)
{
	struct map_table t = { 0 };
	struct map_user pair[] = {
		{ .prog_id = 10, .map_id = 3 },
		{ .prog_id = 11, .map_id = 3 },
		{ .prog_id = 12, .map_id = 3 },
		{ .prog_id = 12, .map_id = 9 },
		{ .prog_id = 13, .map_id = 3 },
		{ .prog_id = 14, .map_id = 3 },
		{ .prog_id = 15, .map_id = 3, .is_part = 1 },
	};
	struct map_users u = { .pair = pair, .n = sizeof(pair) / sizeof(*pair), .known = true };
	uint32_t id[] = { 12, 14, 90 };
	const struct attached_programs attached = { .id = id, .n = 3 };

	UPDATE(t, true, MAP(3, DEVMAP, 4, 4, 0, 4), ENTRY(3, 0, 5), MAP(4, DEVMAP, 4, 4, 0, 4));
	map_table_set_users(&t, &u, &attached);
	assert_memory_equal(t.row[0].user, ((uint32_t[]){ 12, 14, 15, 10 }), 4 * sizeof(uint32_t));
	assert_int_equal(t.row[0].users_total, 6);
	assert_true(t.row[0].users_known);
	assert_int_equal(t.row[1].users_total, 0);
	assert_int_equal(t.row[2].users_total, 0);
	assert_true(t.row[2].users_known);
	/* users outlive a reading */
	UPDATE(t, true, MAP(3, DEVMAP, 4, 4, 0, 4));
	assert_int_equal(t.row[0].user[0], 12);
	u = (struct map_users){ 0 };
	map_table_set_users(&t, &u, &attached);
	assert_int_equal(t.row[0].user[0], 0);
	assert_false(t.row[0].users_known);
	map_table_free(&t);
}
