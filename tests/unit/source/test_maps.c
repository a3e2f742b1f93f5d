// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps and entries read back from a recording. */
#include <linux/bpf.h>
#include "source/maps.h"
#include "unit/recording/made_recording.h"
#include "unit/test.h"

#define AT(type, seq)                                       \
	"{\"type\":\"" type "\",\"seq\":" #seq ",\"time\":" \
	"\"2026-11-21T09:15:0" #seq ".123456Z\","
#define MAP(seq, id, type, more)                                                        \
	AT("map_entry", seq)                                                            \
	"\"map_id\":" #id ",\"map_name\":\"m\",\"map_type\":\"" type "\",\"key\":null," \
	"\"max_entries\":16,\"used\":2,\"slots_read\":16,\"value_size\":8" more "}\n"
#define ENTRY(seq, id, type, key, more) \
	AT("map_entry", seq)            \
	"\"map_id\":" #id ",\"map_name\":\"m\",\"map_type\":\"" type "\",\"key\":" #key more "}\n"
#define USED   ",\"state\":\"used\""
#define GONE   ",\"state\":\"gone\""
#define DEVICE ",\"to_netns\":5,\"to_ifindex\":7,\"to_ifname\":\"eth7\",\"prog_id\":9"

static struct source *open_with(const char *first, const char *second)
{
	return replay_with((const char *[]){ first, second, "" }, 3);
}

/* The snapshot with this number; the first one is the state before the first interval. */
static void sample_seq(struct source *source, struct snapshot *to)
{
	snapshot_clear(to);
	assert_int_equal(sample_next(source, to), 0);
}

TEST(test_replay)
{
	struct source *source = open_with(
		MAP(1, 3, "devmap", USED ",\"users\":\"9,12\"") ENTRY(
			1, 3, "devmap", 4, USED DEVICE) ENTRY(1, 3, "devmap", 2, USED DEVICE)
			MAP(1, 4, "cpumap", USED ",\"users_total\":0") ENTRY(
				1, 4, "cpumap", 1, USED ",\"to_cpu\":1,\"qsize\":192,\"fill\":17")
				MAP(1, 6, "xskmap", USED ",\"users\":\"1,2,3,4\",\"users_total\":5")
					ENTRY(1, 6, "xskmap", 0, USED ",\"socket_inode\":77"),
		ENTRY(2, 3, "devmap", 2, GONE)
			ENTRY(2, 4, "cpumap", 1, USED ",\"to_cpu\":1,\"qsize\":192,\"fill\":190")
				MAP(2, 6, "xskmap", GONE) ENTRY(2, 6, "xskmap", 0, GONE));
	struct snapshot to = { 0 };
	struct rates rates = { 0 };
	const struct map_entry *e, *map[MAPS_OF_PROGRAM];
	size_t n;

	sample_seq(source, &to);
	sample_seq(source, &to);
	e = map_entries(&to, &n);
	assert_int_equal(n, 7);
	assert_int_equal(e[0].map_id, 3);
	assert_false(e[0].is_entry);
	assert_int_equal(e[0].map_type, BPF_MAP_TYPE_DEVMAP);
	assert_int_equal(e[0].max_entries, 16);
	assert_int_equal(e[0].used, 2);
	assert_int_equal(e[0].slots_read, 16);
	assert_int_equal(e[0].value_size, 8);
	rates_set(&rates, NULL, &to, NULL);
	assert_int_equal(map_use(&rates, &e[0], 9), MAP_USED);
	assert_int_equal(map_use(&rates, &e[0], 12), MAP_USED);
	assert_int_equal(map_use(&rates, &e[0], 0), MAP_NOT_USED);
	/* an old recording does not have the total */
	assert_int_equal(map_use(&rates, &e[0], 10), MAP_USE_UNKNOWN);
	assert_int_equal(map_use(&rates, map_find(&to, 4), 10), MAP_NOT_USED);
	assert_int_equal(map_use(&rates, map_find(&to, 6), 10), MAP_USE_UNKNOWN);
	/* if maps of unknown programs may be missing, no list is complete */
	assert_int_equal(maps_of_program(&rates, 9, map), -1);
	assert_int_equal(maps_of_program(&rates, 0, map), 0);
	assert_int_equal(e[1].key, 2);
	assert_int_equal(e[2].key, 4);
	assert_int_equal(e[2].to_netns, 5);
	assert_int_equal(e[2].to_ifindex, 7);
	assert_string_equal(e[2].to_ifname, "eth7");
	assert_int_equal(e[2].prog_id, 9);
	assert_ptr_equal(map_find(&to, 4), &e[3]);
	assert_int_equal(map_entry_find(&to, 4, 1)->fill, 17);
	assert_int_equal(map_entry_find(&to, 4, 1)->qsize, 192);
	assert_ptr_equal(map_entry_of_socket(&rates, 77), map_entry_find(&to, 6, 0));
	assert_null(map_entry_of_socket(&rates, 0));
	rates_free(&rates);
	sample_seq(source, &to);
	map_entries(&to, &n);
	assert_int_equal(n, 4);
	assert_null(map_entry_find(&to, 3, 2));
	assert_null(map_find(&to, 6));
	assert_int_equal(map_entry_find(&to, 4, 1)->fill, 190);
	/* without a queue there is no fill, whatever the recording has */
	assert_int_equal(map_entry_find(&to, 3, 4)->fill, 0);
	source->ops->close(source);
	snapshot_free(&to);
}

/* Invalid records are skipped, or lead to consistent rows. */
TEST(test_hostile)
{
	static const char *const users[] = {
		"", ",", "9,", "x", "9,x", "-1", "99999999999999999999", "1,2,3,4,5", "9;12",
	};
	struct snapshot to = { 0 };
	char line[512];
	size_t n;

	for (size_t i = 0; i < sizeof(users) / sizeof(*users); i++) {
		struct source *source;

		snprintf(line, sizeof(line),
			 MAP(1, 3, "devmap", USED ",\"users\":\"%s\"") MAP(1, 5, "cpumap", USED),
			 users[i]);
		source = open_with(line, "");
		sample_seq(source, &to);
		sample_seq(source, &to);
		/* the line is skipped, the next one read */
		assert_null(map_find(&to, 3));
		assert_non_null(map_find(&to, 5));
		source->ops->close(source);
	}
	/* gone, used and gone for the same key, in the first snapshot */
	for (int i = 0; i < 2; i++) {
		struct source *source =
			open_with(i ? MAP(1, 3, "devmap", GONE) MAP(1, 3, "devmap", USED)
				    : MAP(1, 3, "devmap", USED) MAP(1, 3, "devmap", GONE)
						  MAP(1, 3, "no such type", USED)
							  MAP(1, 3, "devmap", ",\"state\":\"x\""),
				  MAP(2, 3, "devmap", GONE) MAP(2, 3, "devmap", GONE));

		sample_seq(source, &to);
		sample_seq(source, &to);
		map_entries(&to, &n);
		assert_true(n <= 1);
		sample_seq(source, &to);
		assert_null(map_find(&to, 3));
		source->ops->close(source);
	}
	snapshot_free(&to);
}
