// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "tracing/tracefs.h"
#include "unit/test.h"

/* From 6.1-rt: its common fields end at 12, not at 8. */
static const char rt[] = "name: xdp_exception\n"
			 "ID: 312\n"
			 "format:\n"
			 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			 "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			 "\tfield:unsigned char common_preempt_lazy_count;\toffset:8;\tsize:1;"
			 "\tsigned:0;\n"
			 "\n"
			 "\tfield:int prog_id;\toffset:12;\tsize:4;\tsigned:1;\n"
			 "\tfield:u32 act;\toffset:16;\tsize:4;\tsigned:0;\n"
			 "\tfield:int ifindex;\toffset:20;\tsize:4;\tsigned:1;\n"
			 "\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
			 "\tfield:char comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
			 "\n"
			 "print fmt: \"prog_id=%d\", REC->prog_id\n";

static void assert_field(const struct tracefs_format *f, const char *name, uint32_t offset,
			 uint32_t size)
{
	const struct tracefs_field *field = tracefs_field(f, name);

	assert_non_null(field);
	assert_int_equal(field->offset, offset);
	assert_int_equal(field->size, size);
}

TEST(test_offsets)
{
	struct tracefs_format f;

	assert_int_equal(tracefs_parse(&f, rt), 0);
	assert_field(&f, "prog_id", 12, 4);
	assert_field(&f, "act", 16, 4);
	assert_field(&f, "ifindex", 20, 4);
	assert_field(&f, "name", 24, 4);
	assert_null(tracefs_field(&f, "comm"));
	assert_null(tracefs_field(&f, "id"));
	assert_null(tracefs_field(&f, "prog"));
}

TEST(test_damaged)
{
	static const char *const bad[] = {
		"",
		"format:\n",
		"\tfield:int a",
		"\tfield:int a;\n",
		"\tfield:int a;\toffset:;\tsize:4;\n",
		"\tfield:int a;\toffset:-8;\tsize:4;\n",
		"\tfield:int a;\toffset:8\tsize:4;\n",
		"\tfield:int a;\toffset:8;\tsize:99999999999;\n",
	};
	struct tracefs_format f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_not_equal(tracefs_parse(&f, bad[i]), 0);
}

/* Too many fields: those that fit are there, and nothing is overrun. */
TEST(test_many)
{
	static const char line[] = "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n";
	char text[sizeof(line) * 100] = "";
	struct tracefs_format f;

	for (int i = 0; i < 100; i++)
		strcat(text, line);
	assert_int_equal(tracefs_parse(&f, text), 0);
	assert_int_equal(f.n, TRACEFS_FIELDS);
}
