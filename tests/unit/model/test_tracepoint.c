// SPDX-License-Identifier: GPL-2.0-or-later
/* The registry is complete and consistent, and -t LIST works as documented. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/tracepoint.h"
#include "unit/test.h"

#define ALL (BIT(TP_COUNT) - 1)

TEST(test_rows)
{
	for (int i = 0; i < TP_COUNT; i++) {
		const struct tracepoint *tp = &tracepoints[i];

		assert_non_null(tp->name);
		assert_non_null(tp->fires);
		assert_true(strlen(tp->fires) > 0 && strlen(tp->fires) <= 40);
		assert_non_null(tp->what);
		assert_true(strlen(tp->what) > 0);
		if (i >= TP_VERDICTS) {
			assert_string_equal(tp->name, "");
			assert_int_equal(tp->key, i == TP_VERDICTS ? 'V' : 0);
			continue;
		}
		assert_true(strlen(tp->name) > 0);
		assert_true(tp->args[0] > 0);
		/* a unique digit, if any */
		assert_true(!tp->key || (tp->key >= '0' && tp->key <= '9'));
		for (int j = 0; j < i; j++) {
			assert_string_not_equal(tp->name, tracepoints[j].name);
			assert_true(!tp->key || tp->key != tracepoints[j].key);
		}
		/* a failure event that counts packets counts itself as a lost packet */
		if (tp->failure) {
			assert_int_equal(tp->drops, tp->packets ? COUNT_EVENTS : COUNT_NONE);
			assert_false(tp->per_packet);
		}
		/* the budget must not shed failures */
		if (tp->per_packet)
			assert_false(tp->failure);
		if (tp->bulk)
			assert_int_equal(tp->packets, COUNT_COUNTER);
		assert_int_equal(tp->bulk > 0, tp->offered != NULL);
		/* a metric is labelled by the fields that the tracepoint has */
		assert_non_null(tp->metrics);
		assert_int_equal(tp->metric_labels & ~tp->has, 0);
	}
}

TEST(test_keys)
{
	/* 4 and 5 were tracepoints that have not fired since 5.6 */
	static const int by_digit[] = { TP_NET_DEV_QUEUE,
					TP_XDP_EXCEPTION,
					TP_XDP_REDIRECT_ERR,
					TP_XDP_REDIRECT,
					-1,
					-1,
					TP_XDP_DEVMAP_XMIT,
					TP_XDP_BULK_TX,
					TP_XDP_CPUMAP_ENQUEUE,
					TP_XDP_CPUMAP_KTHREAD };

	for (int digit = 0; digit <= 9; digit++)
		for (int id = 0; id < TP_COUNT; id++)
			assert_int_equal(tracepoints[id].key == '0' + digit, id == by_digit[digit]);
}

TEST(test_find)
{
	for (int i = 0; i < TP_VERDICTS; i++)
		assert_int_equal(tracepoint_find(tracepoints[i].name), i);
	assert_int_equal(tracepoint_find("xdp_redirect_"), -1);
	assert_int_equal(tracepoint_find(""), -1);
	/* two silent tracepoints */
	assert_string_equal(tracepoint_instead("xdp_redirect_map"), "xdp_redirect");
	assert_string_equal(tracepoint_instead("xdp_redirect_map_err"), "xdp_redirect_err");
	assert_int_equal(tracepoint_find("xdp_redirect_map"), -1);
	assert_null(tracepoint_instead("xdp_redirect"));
	/* it has its own option */
	assert_int_equal(tracepoint_find(TP_VERDICTS_NAME), -1);
}

TEST(test_stages)
{
	assert_int_equal(tracepoints_at(BIT(STAGE_VERDICT)), BIT(TP_XDP_EXCEPTION));
	assert_int_equal(tracepoints_at(BIT(STAGE_FAILED)), BIT(TP_XDP_REDIRECT_ERR));
	assert_int_equal(tracepoints_at(BIT(STAGE_QUEUED)), BIT(TP_XDP_REDIRECT));
	assert_int_equal(tracepoints_at(BIT(STAGE_SENT)), BIT(TP_XDP_DEVMAP_XMIT) |
								  BIT(TP_XDP_BULK_TX) |
								  BIT(TP_XDP_CPUMAP_ENQUEUE));
	assert_int_equal(tracepoints_at(BIT(STAGE_TAKEN) | BIT(STAGE_STACK)),
			 BIT(TP_XDP_CPUMAP_KTHREAD) | BIT(TP_NET_DEV_QUEUE));
	assert_int_equal(tracepoints_at(~0u), ALL);
	assert_int_equal(tracepoints_with(HAS_PROG),
			 BIT(TP_XDP_EXCEPTION) | BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_REDIRECT_ERR));
	/* mem_* and net_dev_queue only report */
	assert_int_equal(tracepoints_failing(),
			 BIT(TP_XDP_EXCEPTION) | BIT(TP_XDP_REDIRECT_ERR) |
				 BIT(TP_XDP_DEVMAP_XMIT) | BIT(TP_XDP_BULK_TX) |
				 BIT(TP_XDP_CPUMAP_ENQUEUE) | BIT(TP_XDP_CPUMAP_KTHREAD) |
				 BIT(TP_LINK_ATTACH_FAILED) | BIT(TP_NETLINK_EXTACK));
}

TEST(test_offered)
{
	const struct series_counters native = { .events = 2, .packets = 10, .drops = 3 };
	const struct series_counters generic = { .events = 5, .packets = 2, .drops = 3 };

	assert_int_equal(tracepoints[TP_XDP_DEVMAP_XMIT].offered(&native), 13);
	assert_int_equal(tracepoints[TP_XDP_BULK_TX].offered(&native), 13);
	assert_int_equal(tracepoints[TP_XDP_CPUMAP_ENQUEUE].offered(&native), 10);
	assert_int_equal(tracepoints[TP_XDP_CPUMAP_ENQUEUE].offered(&generic), 5);
	assert_int_equal(tracepoints[TP_XDP_CPUMAP_KTHREAD].offered(&native), 10);
}

static uint32_t parse(const char *list)
{
	uint32_t set = 0xdeadbeef;
	char *bad = NULL;

	assert_int_equal(tracepoint_parse_set(list, &set, &bad), 0);
	assert_null(bad);
	return set;
}

TEST(test_sets)
{
	uint32_t standard = parse("default");

	assert_int_equal(parse("all"), ALL);
	assert_int_equal(parse("none"), 0);
	/* failures are on, and the two that fire for every packet are off */
	assert_true(standard & BIT(TP_XDP_EXCEPTION));
	assert_true(standard & BIT(TP_NET_DEV_QUEUE));
	assert_true(standard & BIT(TP_OTHER));
	assert_false(standard & BIT(TP_XDP_REDIRECT));
	assert_int_equal(parse("xdp_redirect"), BIT(TP_XDP_REDIRECT));
	assert_int_equal(parse("xdp_redirect,mem_connect"),
			 BIT(TP_XDP_REDIRECT) | BIT(TP_MEM_CONNECT));
	/* as in the header of the screen */
	assert_int_equal(parse("redirect,-exception"), BIT(TP_XDP_REDIRECT));
	assert_int_equal(parse("+redirect"), standard | BIT(TP_XDP_REDIRECT));
	assert_int_equal(parse("+xdp_redirect"), standard | BIT(TP_XDP_REDIRECT));
	assert_int_equal(parse("-net_dev_queue"), standard & ~BIT(TP_NET_DEV_QUEUE));
	assert_int_equal(parse("all,-net_dev_queue"), ALL & ~BIT(TP_NET_DEV_QUEUE));
	assert_int_equal(parse("none,+xdp_redirect"), BIT(TP_XDP_REDIRECT));
	assert_int_equal(parse("none,xdp_redirect"), BIT(TP_XDP_REDIRECT));
	assert_int_equal(parse("xdp_redirect,-xdp_redirect"), 0);
	assert_int_equal(parse("-xdp_exception,+xdp_redirect,mem_connect"),
			 (standard & ~BIT(TP_XDP_EXCEPTION)) | BIT(TP_XDP_REDIRECT));
}

TEST(test_bad_sets)
{
	static const struct {
		const char *list, *bad;
	} cases[] = {
		{ "", "" },
		{ "xdp_redirect,", "" },
		{ "xdp_redirct", "xdp_redirct" },
		{ "all,-foo,bar", "-foo" },
		{ "+all", "+all" },
		{ "-", "-" },
		{ "xdp_redirect, mem_connect", " mem_connect" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t set = 42;
		char *bad = NULL;

		assert_int_equal(tracepoint_parse_set(cases[i].list, &set, &bad), -EINVAL);
		assert_string_equal(bad, cases[i].bad);
		assert_int_equal(set, 42);
		free(bad);
	}
}

TEST(test_suggest)
{
	char buf[128], word[1000] = { 0 };

	tracepoint_suggest("xdp_redirct", buf, sizeof(buf));
	assert_int_equal(strncmp(buf, "xdp_redirect", 12), 0);
	tracepoint_suggest("-net_dev_queu", buf, sizeof(buf));
	assert_string_equal(buf, "net_dev_queue");
	tracepoint_suggest("xdp_excpetion", buf, sizeof(buf));
	assert_string_equal(buf, "xdp_exception");
	/* part of a name */
	tracepoint_suggest("kthread", buf, sizeof(buf));
	assert_string_equal(buf, "xdp_cpumap_kthread");
	tracepoint_suggest("XDP_DEVMAP", buf, sizeof(buf));
	assert_string_equal(buf, "xdp_devmap_xmit");
	tracepoint_suggest("zzz", buf, sizeof(buf));
	assert_string_equal(buf, "");
	tracepoint_suggest("", buf, sizeof(buf));
	assert_string_equal(buf, "");
	/* at most three, comma separated */
	tracepoint_suggest("xdp_", buf, sizeof(buf));
	assert_string_equal(buf, "xdp_exception, xdp_redirect_err, xdp_redirect");
	tracepoint_suggest("xdp_", buf, 5);
	assert_string_equal(buf, "xdp_");
	memset(word, 'a', sizeof(word) - 1);
	tracepoint_suggest(word, buf, sizeof(buf));
	assert_string_equal(buf, "");
}
