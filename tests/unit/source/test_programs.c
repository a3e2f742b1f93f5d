// SPDX-License-Identifier: GPL-2.0-or-later
/* Attached programs and their holders read back from a recording. */
#include "source/programs.h"
#include "unit/recording/made_recording.h"
#include "unit/test.h"

#define PROGRAM(seq, id, more)                                                                \
	"{\"type\":\"program\",\"seq\":" #seq ",\"time\":"                                    \
	"\"2026-11-21T09:15:0" #seq ".123456Z\",\"prog_id\":" #id ",\"prog_name\":\"p\"" more \
	"}\n"
#define ATTACHED ",\"state\":\"attached\""
#define GONE     ",\"state\":\"gone\""

static struct source *open_with(const char *first, const char *second)
{
	return replay_with((const char *[]){ first, second, "" }, 3);
}

static void next(struct source *source, struct snapshot *to)
{
	snapshot_clear(to);
	assert_int_equal(sample_next(source, to), 0);
}

TEST(test_replay)
{
	struct source *source =
		open_with(PROGRAM(1, 9,
				  ATTACHED ",\"attached_by\":\"link\",\"link_id\":12,\"pinned\":1,"
					   "\"pid\":812,\"comm\":\"loader\",\"holders\":2,"
					   "\"processes\":\"all\",\"unheld\":0,\"uid\":1000,"
					   "\"maps\":\"5,7\",\"maps_total\":2,"
					   "\"loaded_at\":\"2026-11-21T09:15:00.500000Z\"")
				  PROGRAM(1, 11, ATTACHED ",\"part_of\":9") PROGRAM(1, 3, ATTACHED)
					  PROGRAM(1, 12, ATTACHED ",\"part_of\":9"),
			  PROGRAM(2, 11, GONE)
				  PROGRAM(2, 3,
					  ATTACHED ",\"attached_by\":\"netlink\",\"pinned\":0,"
						   "\"processes\":\"namespace\",\"unheld\":2"));
	struct snapshot to = { 0 };
	struct rates rates = { 0 };
	const struct program *p;
	struct row_walk parts;
	size_t n;

	next(source, &to);
	next(source, &to);
	p = programs(&to, &n);
	assert_int_equal(n, 4);
	assert_int_equal(p[0].prog_id, 3);
	/* fields missing in the line are unknown */
	assert_int_equal(p[0].attach, PROGRAM_ATTACH_UNKNOWN);
	assert_int_equal(p[0].pinned, PROGRAM_PINNED_UNKNOWN);
	assert_int_equal(p[0].sight, PROGRAM_SIGHT_NONE);
	assert_int_equal(p[0].loaded_at.tv_sec, 0);
	assert_ptr_equal(program_find(&to, 9), &p[1]);
	assert_int_equal(p[1].attach, PROGRAM_LINK);
	assert_int_equal(p[1].link_id, 12);
	assert_int_equal(p[1].pinned, PROGRAM_PINNED);
	assert_int_equal(p[1].sight, PROGRAM_SIGHT_ALL);
	assert_int_equal(p[1].pid, 812);
	assert_string_equal(p[1].comm, "loader");
	assert_int_equal(p[1].holders, 2);
	assert_int_equal(p[1].uid, 1000);
	assert_int_equal(p[1].map[0], 5);
	assert_int_equal(p[1].map[1], 7);
	assert_int_equal(p[1].map[2], 0);
	assert_int_equal(p[1].maps_total, 2);
	assert_true(p[1].maps_known);
	assert_false(p[0].maps_known);
	assert_int_equal(p[1].loaded_at.tv_nsec, 500000000);
	rates_set(&rates, NULL, &to, NULL);
	row_walk_begin(&parts, &rates, &to, &parts_by_program, 9);
	assert_ptr_equal(row_walk_next(&parts), &p[2]);
	assert_ptr_equal(row_walk_next(&parts), &p[3]);
	assert_null(row_walk_next(&parts));
	rates_free(&rates);
	assert_null(program_find(&to, 0));
	assert_null(program_find(NULL, 9));
	next(source, &to);
	p = programs(&to, &n);
	assert_int_equal(n, 3);
	assert_null(program_find(&to, 11));
	assert_int_equal(p[0].attach, PROGRAM_NETLINK);
	assert_int_equal(p[0].pinned, PROGRAM_NOT_PINNED);
	assert_int_equal(p[0].sight, PROGRAM_SIGHT_NAMESPACE);
	assert_int_equal(p[0].unheld, 2);
	source->ops->close(source);
	snapshot_free(&to);
}

/* Invalid records are skipped, and the next line is read. */
TEST(test_hostile)
{
	static const char *const bad[] = {
		"\"state\":\"here\"",
		"\"attached_by\":\"\"",
		"\"attached_by\":\"tc\"",
		"\"pinned\":2",
		"\"processes\":\"\"",
		"\"processes\":\"most\"",
		"\"loaded_at\":\"now\"",
		"\"uid\":4294967296",
		"\"maps\":\"5,\"",
		"\"maps\":\"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21\"",
	};
	struct snapshot to = { 0 };
	char line[512];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct source *source;

		snprintf(line, sizeof(line), PROGRAM(1, 3, ",%s") PROGRAM(1, 5, ATTACHED), bad[i]);
		source = open_with(line, "");
		next(source, &to);
		next(source, &to);
		assert_null(program_find(&to, 3));
		assert_non_null(program_find(&to, 5));
		source->ops->close(source);
	}
	snapshot_free(&to);
}
