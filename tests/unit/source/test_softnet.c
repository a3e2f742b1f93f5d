// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of softnet_stat, and reading back a recording. */
#include "source/softnet.h"
#include "unit/recording/made_recording.h"
#include "unit/test.h"

#define CPU_LINE(seq, second, cpu, interval, total)                                              \
	"{\"type\":\"cpu\",\"seq\":" seq ",\"time\":\"2026-11-21T09:15:" second "Z\","           \
	"\"interval_s\":1,\"cpu\":" cpu ",\"softnet_processed\":10,\"softnet_processed_total\":" \
	"100,\"softnet_dropped\":" interval ",\"softnet_dropped_total\":" total ","              \
	"\"time_squeeze\":0,\"time_squeeze_total\":0,\"exception_events\":null,"                 \
	"\"exception_events_total\":null,\"redirect_err_events\":2,"                             \
	"\"redirect_err_events_total\":5}\n"

TEST(test_parse)
{
	uint32_t cpu = 9, raw[3];

	/* 6.18: 15 columns, the 13th is the CPU */
	assert_true(softnet_parse("0021189a 00000007 00000049 00000000 00000000 00000000 00000000 "
				  "00000000 00000000 00000000 00000000 00000000 00000011 00000000 "
				  "00000000\n",
				  &cpu, raw));
	assert_int_equal(raw[0], 0x21189a);
	assert_int_equal(raw[1], 7);
	assert_int_equal(raw[2], 0x49);
	assert_int_equal(cpu, 17);
	/*
	 * before 5.10: 11 columns; the CPU follows only from the line's place among the online CPUs
	 */
	assert_false(softnet_parse("0021189a 00000000 00000049 00000000 00000000 00000000 00000000 "
				   "00000000 00000000 00000000 00000000\n",
				   &cpu, raw));
	assert_false(softnet_parse("", &cpu, raw));
}

TEST(test_replay)
{
	static const char rows[] =
		CPU_LINE("1", "01.123456", "3", "4", "6") CPU_LINE("1", "01.123456", "1", "0", "0");
	struct source *source = replay_with((const char *[]){ rows, "" }, 2);
	const struct softnet_cpu *row;
	struct snapshot to = { 0 };
	size_t n;

	/* the state before the first interval, without its growth */
	assert_int_equal(sample_next(source, &to), 0);
	row = softnet_rows(&to, &n);
	assert_int_equal(n, 2);
	assert_int_equal(row[0].cpu, 1);
	assert_int_equal(row[1].cpu, 3);
	assert_int_equal(row[1].dropped, 2);
	assert_int_equal(row[1].processed, 90);
	assert_int_equal(row[1].events[STAGE_FAILED], 3);
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	row = softnet_row(&to, 3);
	assert_non_null(row);
	assert_int_equal(row->dropped, 6);
	assert_int_equal(row->events[STAGE_FAILED], 5);
	assert_true(row->counted[STAGE_FAILED]);
	assert_false(row->counted[STAGE_SENT]);
	assert_null(softnet_row(&to, 2));
	/* an unchanged row is not written again, and stays */
	snapshot_clear(&to);
	assert_int_equal(sample_next(source, &to), 0);
	assert_int_equal(softnet_row(&to, 3)->dropped, 6);
	source->ops->close(source);
	snapshot_free(&to);
}
