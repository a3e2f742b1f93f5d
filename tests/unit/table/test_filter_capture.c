// SPDX-License-Identifier: GPL-2.0-or-later
/* Expressions as choices of packets. */
#include <string.h>
#include "table/filter_capture.h"
#include "unit/test.h"

static struct capture_filter good(const char *expr)
{
	struct capture_filter f = { .acts = 1, .rate = 10 };
	struct error error = { 0 };

	if (filter_capture_parse(expr, NULL, &f, &error))
		fail_msg("%s: %s", expr, error.text);
	return f;
}

static void bad(const char *expr, const char *why)
{
	struct capture_filter f;
	struct error error = { 0 };

	assert_int_not_equal(filter_capture_parse(expr, NULL, &f, &error), 0);
	if (!strstr(error.text, why))
		fail_msg("%s: %s", expr, error.text);
}

/* As bpf/capture.bpf.c compares a packet. */
static bool matches(const struct capture_choices *c, const char *ifname, uint32_t queue)
{
	uint64_t word[CAPTURE_WORDS] = { [CAPTURE_QUEUE] = queue };
	char name[CAPTURE_NAME_LEN] = "";

	strncpy(name, ifname, sizeof(name) - 1);
	memcpy(&word[CAPTURE_IFNAME], name, sizeof(name));
	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t differs = 0;

		for (int k = 0; k < CAPTURE_WORDS; k++)
			differs |= (word[k] & c->choice[i].mask[k]) ^ c->choice[i].value[k];
		if (!differs)
			return true;
	}
	return !c->n;
}

TEST(test_devices)
{
	struct capture_filter f = good("ifname=eth0|eth1 queue=3");
	struct capture_choices c;

	assert_true(capture_filter_program(&f, 1, "p", &c));
	assert_int_equal(c.n, 2);
	assert_true(matches(&c, "eth0", 3));
	assert_true(matches(&c, "eth1", 3));
	assert_false(matches(&c, "eth0", 2));
	assert_false(matches(&c, "eth01", 3));
	assert_false(matches(&c, "eth", 3));
	f = good("ifname=eth*");
	assert_true(capture_filter_program(&f, 1, "p", &c));
	assert_true(matches(&c, "eth01", 9));
	assert_false(matches(&c, "lo", 9));
	f = good("ifname=a23456789012345");
	assert_true(capture_filter_program(&f, 1, "p", &c));
	assert_true(matches(&c, "a23456789012345", 0));
}

TEST(test_programs)
{
	struct capture_filter f = good("prog_name=fw*|prog_id=7 queue=1");
	struct capture_choices c;

	assert_true(capture_filter_program(&f, 3, "fw_main", &c));
	assert_int_equal(c.n, 1);
	assert_true(capture_filter_program(&f, 7, "other", &c));
	assert_true(capture_filter_program(&f, 7, "fw_main", &c));
	assert_int_equal(c.n, 2);
	assert_false(capture_filter_program(&f, 8, "other", &c));
	/* without a choice each packet, and with no verdict none */
	f = good("");
	assert_true(capture_filter_program(&f, 8, "other", &c));
	assert_int_equal(c.n, 0);
	assert_true(matches(&c, "eth0", 3));
	f.acts = 0;
	assert_false(capture_filter_program(&f, 8, "other", &c));
}

TEST(test_refused)
{
	bad("queue=1 queue=2", "no packet matches");
	bad("ifname=a ifname=b", "no packet matches");
	bad("queue=x", "is not a queue");
	bad("queue=99999999999", "is not a queue");
	bad("prog_id=-1", "is not a program id");
	bad("ifname=a*b", "only at the end");
	bad("ifname=a234567890123456", "too long");
	bad("word", "is not a comparison");
	bad("queue!=3", "only FIELD=VALUE");
	bad("target=eth1", "packets are chosen by");
	bad("queue=1|2|3|4|5|6|7|8|9", "more than 8");
}
