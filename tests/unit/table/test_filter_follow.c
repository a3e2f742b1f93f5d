// SPDX-License-Identifier: GPL-2.0-or-later
/* Expressions as the kernel's choice of events: what they match, and what is refused. */
#include <errno.h>
#include <string.h>
#include "model/tracepoint.h"
#include "table/filter_follow.h"
#include "unit/test.h"

static struct error error;
static struct follow_filter filter;
static struct snapshot snapshot;

static void parse(const char *expr)
{
	struct netns_names *names = netns_names_new();
	int err;

	assert_non_null(names);
	assert_int_equal(netns_names_set(names, 4026532001, "blue", 0), 0);
	err = filter_follow_parse(expr, names, &snapshot, &filter, &error);
	netns_names_free(names);
	if (err)
		print_error("%s: %s\n", expr, error.text);
	assert_int_equal(err, 0);
}

/* An event with every field that a redirect can have, modified by `change`. */
static bool matches(uint32_t tracepoint, const char *change)
{
	struct series_key key = { 4026532001, 2, 4026532002, 4, 5, SERIES_MAP_DEVMAP, 6, -6 };
	char device[SERIES_NAME_LEN] = "eth0", to[SERIES_NAME_LEN] = "lan0";
	char program[SERIES_NAME_LEN] = "a_program_of_15";

	if (!strcmp(change, "netns"))
		key.netns = 1;
	if (!strcmp(change, "device"))
		strcpy(device, "eth01");
	if (!strcmp(change, "target"))
		strcpy(to, "lan1");
	if (!strcmp(change, "program"))
		strcpy(program, "b");
	if (!strcmp(change, "prog_id"))
		key.prog_id = 50;
	if (!strcmp(change, "map_id"))
		key.map_id = 60;
	if (!strcmp(change, "err"))
		key.code = -7;
	if (!strcmp(change, "cpu")) {
		key.map_type = SERIES_MAP_CPUMAP;
		key.target = 3;
		to[0] = '\0';
	}
	return follow_filter_match(&filter, tracepoint, &key, device, to, program);
}

TEST(test_fields)
{
	static const struct {
		const char *expr, *change;
	} rows[] = {
		{ "netns=blue", "netns" },
		{ "netns=ns:4026532001", "netns" },
		{ "ifname=eth0", "device" },
		{ "target=lan0", "target" },
		{ "prog_name=a_program_of_15_and_more", "program" },
		{ "prog_name=a_*", "program" },
		{ "prog_id=5", "prog_id" },
		{ "map_id=6", "map_id" },
		{ "errname=ENXIO", "err" },
		{ "errname=enxio ifname=eth0 target=lan*", "err" },
		{ "ifname=eth1|eth0", "device" },
		{ "ifname=eth0|prog_id=9 netns=blue", "netns" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(rows[i].expr);
		assert_true(matches(TP_XDP_REDIRECT, ""));
		assert_false(matches(TP_XDP_REDIRECT, rows[i].change));
	}
	/* longer than a name */
	parse("prog_name=a_program_of_15_and_so_on_until_the_end_of_what_is_compared,_and_behind_"
	      "it*");
	assert_true(matches(TP_XDP_REDIRECT, ""));
	assert_false(matches(TP_XDP_REDIRECT, "program"));
	parse("ifname=eth0*");
	assert_true(matches(TP_XDP_REDIRECT, "device"));
	parse("target=\"CPU 3\"");
	assert_false(matches(TP_XDP_CPUMAP_ENQUEUE, ""));
	assert_true(matches(TP_XDP_CPUMAP_ENQUEUE, "cpu"));
}

TEST(test_tracepoints)
{
	parse("");
	assert_int_equal(filter.choices.n, 0);
	assert_int_equal(filter.tracepoints,
			 (BIT(TP_COUNT) - 1) & ~(BIT(TP_VERDICTS) | BIT(TP_FOLLOW)));
	parse("xdp_redirect_err");
	assert_int_equal(filter.tracepoints, BIT(TP_XDP_REDIRECT_ERR));
	assert_int_equal(filter.choices.n, 0);
	parse("tracepoint=xdp_redirect|xdp_exception ifname=eth0");
	assert_int_equal(filter.tracepoints, BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_EXCEPTION));
	parse("tracepoint=mem_*");
	assert_int_equal(filter.tracepoints, BIT(TP_MEM_CONNECT) | BIT(TP_MEM_DISCONNECT));
	parse("tracepoint=XDP_*_err");
	assert_int_equal(filter.tracepoints, BIT(TP_XDP_REDIRECT_ERR));
	/* only tracepoints with the compared field */
	parse("errname=ENXIO");
	assert_int_equal(filter.tracepoints, tracepoints_with(HAS_ERR));
	parse("errname=ABORTED");
	assert_int_equal(filter.tracepoints, BIT(TP_XDP_EXCEPTION));
	parse("ifname=eth0|target=lan0");
	assert_int_equal(filter.tracepoints,
			 tracepoints_with(HAS_DEVICE) | tracepoints_with(HAS_TO_DEVICE));
	assert_int_equal(filter.choices.n, 2);
	assert_int_equal(filter.choices.by_name, 1);
	parse("errname=ABORTED|TX ifname=*");
	assert_int_equal(filter.tracepoints, BIT(TP_XDP_EXCEPTION));
	parse("target=\"CPU 0\"|lan0");
	assert_int_equal(filter.choices.n, 2);
	parse("ifname=a|b|c|d target=e|f");
	assert_int_equal(filter.choices.n, 8);
	/* impossible alternatives are dropped */
	parse("ifname=eth0|eth1 ifname=eth*|lan* netns=blue");
	assert_int_equal(filter.choices.n, 2);
	assert_true(matches(TP_XDP_REDIRECT, ""));
	assert_false(matches(TP_XDP_REDIRECT, "netns"));
}

TEST(test_refused)
{
	static const struct {
		const char *expr, *says;
	} rows[] = {
		{ "ifname!=eth0", "only FIELD=VALUE" },
		{ "ifname~eth", "only FIELD=VALUE" },
		{ "!xdp_redirect", "only FIELD=VALUE" },
		{ "prog_id=5 lost_per_s>1", "only FIELD=VALUE" },
		{ "lost_per_s=1", "lost_per_s is not compared in the kernel" },
		{ "veth", "'veth' is not a tracepoint; give FIELD=VALUE" },
		{ "tracepoint=xdp_redirct",
		  "'xdp_redirct' is not a tracepoint; --list shows them" },
		{ "nothing=1", "no column 'nothing'" },
		{ "netns=red", "'red' is not a network namespace" },
		{ "ifname=e*0", "has text after a *" },
		{ "ifname=abcdefghijklmnop", "is too long for the name of a device" },
		{ "prog_id=x", "'x' is not an id" },
		{ "prog_id=4294967296", "is not an id" },
		{ "errname=EWHAT", "'EWHAT' is neither an errno nor an XDP action" },
		{ "ifname=a|b|c target=d|e|f", "more than 8 alternatives" },
		{ "xdp_redirect|ifname=eth0", "cannot be alternatives" },
		{ "net_dev_queue prog_id=5", "no tracepoint has all of these" },
		{ "xdp_redirect xdp_exception", "no tracepoint has all of these" },
		{ "ifname=eth0 ifname=lan*", "matches all of that" },
		/* the code of a successful redirect is also 0 */
		{ "errname=ABORTED|ENXIO ifname=eth0", "follow each alternative on its own" },
		{ "ifname=*|map_id=6", "follow each alternative on its own" },
		{ "prog_id=5 prog_id=6", "matches all of that" },
	};
	struct netns_names *names = netns_names_new();

	netns_names_set(names, 4026532001, "blue", 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int err = filter_follow_parse(rows[i].expr, names, &snapshot, &filter, &error);

		if (err != -EINVAL || !strstr(error.text, rows[i].says))
			print_error("%s: %d, %s\n", rows[i].expr, err, error.text);
		assert_int_equal(err, -EINVAL);
		assert_non_null(strstr(error.text, rows[i].says));
	}
	/* while the command line is parsed, namespaces are unknown */
	assert_int_equal(filter_follow_parse("netns=red", NULL, NULL, &filter, &error), 0);
	assert_int_equal(filter_follow_parse("tracepoint=xdp_new", NULL, NULL, &filter, &error), 0);
	netns_names_free(names);
}

/* A tracepoint without a row is found by the kernel's name. */
TEST(test_unknown_tracepoint)
{
	strcpy(snapshot.tp[TP_OTHER + 1].name, "xdp_new");
	parse("tracepoint=xdp_new");
	assert_int_equal(filter.tracepoints, BIT(TP_OTHER + 1));
	snapshot.tp[TP_OTHER + 1].name[0] = '\0';
}
