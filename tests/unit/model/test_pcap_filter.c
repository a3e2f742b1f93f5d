// SPDX-License-Identifier: GPL-2.0-or-later
/* The parser of `tcpdump -ddd`, and what runs its instructions in the kernel. */
#include <errno.h>
#include <string.h>
#include "model/pcap_filter.h"
#include "unit/test.h"

static struct capture_code filter_code;

static const struct sock_filter *insn_at(uint32_t i)
{
	return i < filter_code.n ? &filter_code.insn[i] : NULL;
}

static int packet_read(void *to, uint32_t size, const uint8_t *from)
{
	memcpy(to, from, size);
	return 0;
}

#include "bpf/capture_filter.h"

static int parse(const char *text, struct error *error)
{
	return pcap_filter_parse(text, &filter_code, error);
}

static void refuses(const char *text, const char *why)
{
	struct error error = { 0 };

	assert_int_equal(parse(text, &error), -EINVAL);
	assert_non_null(strstr(error.text, why));
	assert_int_equal(filter_code.n, 0);
}

/* The instructions `text`, which are not all valid, over 01 02 03 ... 08 of which n can be read. */
static enum filter_result run(const char *text, uint32_t n)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct filter_registers registers = { .mem = { 0 } };
	struct filter_packet p = { bytes, n, sizeof(bytes), &registers };

	assert_int_equal(parse(text, NULL), 0);
	return filter_run(&p, CAPTURE_INSNS);
}

TEST(test_reads_what_tcpdump_prints)
{
	assert_int_equal(parse("4\n40 0 0 12\n21 0 1 2054\n6 0 0 65535\n6 0 0 0\n", NULL), 0);
	assert_int_equal(filter_code.n, 4);
	assert_int_equal(filter_code.insn[1].code, BPF_JMP | BPF_JEQ | BPF_K);
	assert_int_equal(filter_code.insn[1].jf, 1);
	assert_int_equal(filter_code.insn[1].k, 2054);
	assert_int_equal(parse("1\n6 0 0 4294967295\n", NULL), 0);
	assert_int_equal(filter_code.insn[0].k, UINT32_MAX);
}

TEST(test_refuses_what_the_kernel_refuses)
{
	refuses("", "no instructions");
	refuses("0\n", "no instructions");
	refuses("tcpdump: syntax error", "no instructions");
	refuses("257\n", "has 257 instructions, and the limit is 256");
	refuses("4294967296\n", "the limit is 256");
	refuses("2\n6 0 0 0\n", "instruction 1 is incomplete");
	refuses("1\n6 0 0 4294967296\n", "not allowed");
	refuses("1\n6 0 256 0\n", "not allowed");
	refuses("1\n-6 0 0 0\n", "not allowed");
	refuses("1\n6 0 -1 0\n", "not allowed");
	refuses("1\n65542 0 0 0\n", "not allowed");
	refuses("1\n40 0 0 12\n", "not allowed"); /* it does not end */
	refuses("2\n5 0 0 4294967294\n6 0 0 0\n", "it loops");
	refuses("2\n5 0 0 1\n6 0 0 0\n", "not allowed");
	refuses("2\n21 1 0 0\n6 0 0 0\n", "instruction 0 (code 21) is not allowed");
	refuses("2\n96 0 0 16\n6 0 0 0\n", "not allowed");  /* M[16] */
	refuses("2\n2 0 0 16\n6 0 0 0\n", "not allowed");   /* of a store */
	refuses("2\n52 0 0 0\n6 0 0 0\n", "not allowed");   /* A / 0 */
	refuses("2\n100 0 0 32\n6 0 0 0\n", "not allowed"); /* A << 32 */
	refuses("2\n56 0 0 0\n6 0 0 0\n", "not allowed");   /* eight bytes */
	refuses("2\n262 0 0 0\n6 0 0 0\n", "not allowed");  /* beyond a byte */
	refuses("2\n180 0 0 0\n6 0 0 0\n", "not allowed");  /* an ALU operation of eBPF */
	refuses("2\n24 0 0 0\n6 0 0 0\n", "not allowed");   /* BPF_LD | BPF_DW */
	refuses("2\n7 0 0 0\n14 0 0 0\n", "not allowed");   /* return X */
}

TEST(test_loads)
{
	assert_int_equal(run("4\n32 0 0 4\n21 0 1 84281096\n6 0 0 1\n6 0 0 0\n", 8), FILTER_YES);
	assert_int_equal(run("4\n40 0 0 6\n21 0 1 1800\n6 0 0 1\n6 0 0 0\n", 8), FILTER_YES);
	assert_int_equal(run("4\n48 0 0 7\n21 0 1 8\n6 0 0 1\n6 0 0 0\n", 8), FILTER_YES);
	/* the length, of which two bytes are in fragments */
	assert_int_equal(run("4\n128 0 0 0\n21 0 1 8\n6 0 0 1\n6 0 0 0\n", 6), FILTER_YES);
	/* X = 4 * (byte & 15), then the byte at X + 1 */
	assert_int_equal(run("5\n177 0 0 0\n80 0 0 1\n21 0 1 6\n6 0 0 1\n6 0 0 0\n", 8),
			 FILTER_YES);
	/* X + 4294967295: the kernel adds in 32 bits */
	assert_int_equal(run("5\n1 0 0 1\n80 0 0 4294967295\n21 0 1 1\n6 0 0 1\n6 0 0 0\n", 8),
			 FILTER_YES);
}

TEST(test_loads_outside)
{
	assert_int_equal(run("2\n32 0 0 5\n6 0 0 1\n", 8), FILTER_NO);
	assert_int_equal(run("2\n48 0 0 8\n6 0 0 1\n", 8), FILTER_NO);
	assert_int_equal(run("2\n48 0 0 4294967295\n6 0 0 1\n", 8), FILTER_NO);
	assert_int_equal(run("2\n177 0 0 8\n6 0 0 1\n", 8), FILTER_NO);
	/* in the packet, but in fragments */
	assert_int_equal(run("2\n32 0 0 4\n6 0 0 1\n", 7), FILTER_UNREAD);
	assert_int_equal(run("2\n177 0 0 7\n6 0 0 1\n", 7), FILTER_UNREAD);
}

TEST(test_divides_by_zero)
{
	/* A = 6, X = 0 */
	assert_int_equal(run("3\n0 0 0 6\n60 0 0 0\n6 0 0 1\n", 8), FILTER_NO);
	assert_int_equal(run("3\n0 0 0 6\n156 0 0 0\n6 0 0 1\n", 8), FILTER_NO);
	assert_int_equal(run("3\n0 0 0 6\n52 0 0 7\n22 0 0 0\n", 8), FILTER_NO);
	assert_int_equal(run("3\n0 0 0 6\n148 0 0 4\n22 0 0 0\n", 8), FILTER_YES);
}

TEST(test_memory_and_arithmetic)
{
	/* M[3] = 5; X = M[3]; A = X; A = -A + 5 */
	assert_int_equal(run("9\n0 0 0 5\n2 0 0 3\n97 0 0 3\n135 0 0 0\n132 0 0 0\n12 0 0 0\n"
			     "21 0 1 0\n6 0 0 1\n6 0 0 0\n",
			     8),
			 FILTER_YES);
	assert_int_equal(run("3\n0 0 0 1\n100 0 0 31\n22 0 0 0\n", 8), FILTER_YES);
	/* X = 33: only five bits of a shift count */
	assert_int_equal(run("6\n0 0 0 1\n1 0 0 33\n108 0 0 0\n21 0 1 2\n6 0 0 1\n6 0 0 0\n", 8),
			 FILTER_YES);
}
