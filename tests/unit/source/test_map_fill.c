// SPDX-License-Identifier: GPL-2.0-or-later
/* How full maps are: counts, the outlook, and rows read back from a recording. */
#include <linux/bpf.h>
#include <math.h>
#include "bpf/iter_records.h"
#include "source/map_fill.h"
#include "unit/recording/made_recording.h"
#include "unit/test.h"

#define SECOND 1000000000ull
#define AT(seq)                                        \
	"{\"type\":\"map\",\"seq\":" #seq ",\"time\":" \
	"\"2026-11-21T09:15:0" #seq ".123456Z\",\"state\":"

static struct map_fill_record counted(uint64_t entries)
{
	return (struct map_fill_record){ .map_id = 7,
					 .type = BPF_MAP_TYPE_HASH,
					 .max_entries = 1000,
					 .counted = 1,
					 .entries = entries,
					 .name = "a\033b" };
}

static void count(struct map_fill *m, uint64_t entries, uint64_t seconds)
{
	struct map_fill_record now = counted(entries);

	map_fill_count(m, &now, seconds * SECOND);
}

TEST(test_count)
{
	struct map_fill m = { .map_id = 7 };
	struct map_fill_record uncounted = counted(5);
	char buf[32];

	count(&m, 100, 10);
	assert_int_equal(m.state, MAP_FILL_COUNTED);
	assert_string_equal(m.map_name, "a\\x1bb");
	assert_int_equal(m.entries, 100);
	/* one counting says nothing about growth */
	assert_false(m.has_growth);
	assert_true(isnan(map_fill_full_in(&m)));
	assert_string_equal(map_fill_outlook(&m, buf, sizeof(buf)), "");
	count(&m, 150, 15);
	assert_true(m.growth > 9.99 && m.growth < 10.01);
	assert_int_equal(m.rises, 1);
	assert_string_equal(map_fill_outlook(&m, buf, sizeof(buf)), "full in 85 s");
	count(&m, 160, 20);
	assert_int_equal(m.rises, 2);
	assert_string_equal(map_fill_outlook(&m, buf, sizeof(buf)), "full in 7 min");
	count(&m, 160, 25);
	assert_int_equal(m.rises, 0);
	assert_string_equal(map_fill_outlook(&m, buf, sizeof(buf)), "");
	count(&m, 90, 30);
	assert_true(m.has_growth && m.growth == 0);
	count(&m, 1000, 35);
	assert_string_equal(map_fill_outlook(&m, buf, sizeof(buf)), "full");
	uncounted.counted = 0;
	map_fill_count(&m, &uncounted, 40 * SECOND);
	assert_int_equal(m.state, MAP_FILL_UNCOUNTED);
	assert_true(isnan(map_fill_full_in(&m)));
}

TEST(test_replay)
{
	struct source *source = replay_with(
		(const char *[]){
			AT(1) "\"used\",\"map_id\":7,\"map_name\":\"flows\",\"map_type\":\"hash\","
			      "\"entries\":900,\"max_entries\":1000,\"entries_per_s\":2.5,"
			      "\"rises\":3,\"users\":\"9,12\",\"users_total\":2}\n" AT(
				      1) "\"used\",\"map_id\":8,\"map_type\":\"percpu_hash\","
					 "\"entries\":null,\"max_entries\":5,\"uncounted\":1}\n" AT(
						 1) "\"used\",\"map_id\":null,\"left_out\":4}\n",
			AT(2) "\"gone\",\"map_id\":7,\"map_type\":\"hash\"}\n" AT(
				2) "\"used\",\"map_id\":null,\"left_out\":null}\n",
			"" },
		3);
	struct snapshot to = { 0 };
	const struct map_fill *m;
	uint64_t left_out;
	size_t n;

	assert_int_equal(sample_next(source, &to), 0);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	m = map_fills(&to, &n, &left_out);
	assert_int_equal(n, 2);
	assert_int_equal(left_out, 4);
	assert_int_equal(m[0].entries, 900);
	assert_int_equal(m[0].user[1], 12);
	assert_true(map_fill_full_in(&m[0]) == 40);
	assert_int_equal(m[1].state, MAP_FILL_UNCOUNTED);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	map_fills(&to, &n, &left_out);
	assert_int_equal(n, 1);
	assert_true(left_out == UINT64_MAX);
	source->ops->close(source);
	snapshot_free(&to);
}
