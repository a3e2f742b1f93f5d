// SPDX-License-Identifier: GPL-2.0-or-later
/* The filter language: its syntax, what it matches, and its messages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "table/filter.h"
#include "unit/made_table.h"
#include "unit/test.h"

/*
 * Errors: eth1 ENETDOWN 100/s, eth1 EMSGSIZE 5/s, eth12 ABORTED 0.5/s, "my dev" ENETDOWN 20000/s,
 * and cpumap drops of 1/s without a device.
 */
static void put_errors(struct made *m)
{
	struct series_key key = made_to_device(1, 2, 0);

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(key, -ENETDOWN), COUNTS(0), COUNTS(200));
	put(m, 2, TP_XDP_REDIRECT_ERR, with_code(key, -EMSGSIZE), COUNTS(0), COUNTS(10));
	key.ifindex = 12;
	put(m, 3, TP_XDP_EXCEPTION, with_code(key, 0), COUNTS(0), COUNTS(1));
	key.ifindex = 3;
	put(m, 4, TP_XDP_REDIRECT_ERR, with_code(key, -ENETDOWN), COUNTS(0), COUNTS(40000));
	strcpy(m->to.series[3].ifname, "my dev");
	m->to.series[2].last_seen.tv_sec -= 3600;
	key = (struct series_key){ .target = 3, .map_type = SERIES_MAP_CPUMAP, .map_id = 17 };
	put(m, 5, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(1, 8, 2));
}

/* The matching rows of the five as a string of digits; "!" = it does not parse. */
static const char *matches(struct made *m, const char *expr)
{
	static char buf[16];
	struct filter *f = NULL;
	struct error error = { .text = "x" };
	size_t n = 0;

	if (filter_parse(expr, &f, &error))
		return "!";
	m->options.filter = f;
	build(m, VIEW_ERRORS);
	for (size_t i = 0; i < m->table.n_rows; i++)
		buf[n++] = (char)('0' + m->table.row[i].order);
	buf[n] = '\0';
	assert_int_equal(n + m->table.hidden, 5);
	filter_free(f);
	m->options.filter = NULL;
	return buf;
}

TABLE_TEST(test_matches)
{
	static const struct {
		const char *expr, *rows;
	} cases[] = {
		/* words: in any cell, any case, a part suffices, all must match */
		{ "", "12345" },
		{ "  \t ", "12345" },
		{ "\"\"", "12345" },
		{ "eth1", "123" },
		{ "ETH12", "3" },
		{ "netdown", "14" },
		{ "eth1 netdown", "1" },
		{ "netdown eth1", "1" },
		{ "eth1 eth12", "3" },
		{ "\"my dev\"", "4" },
		{ "my dev", "4" },
		{ "\"dev my\"", "" },
		{ "cpumap", "5" },
		{ "nowhere", "" },
		/* text: the whole cell, any case, * for the rest */
		{ "ifname=eth1", "12" },
		{ "device=eth1", "12" },
		{ "ifname=ETH1", "12" },
		{ "ifname=eth", "" },
		{ "ifname=eth*", "123" },
		{ "ifname=*1*", "123" },
		{ "ifname=*2", "3" },
		{ "ifname=*h*1", "12" },
		{ "ifname=*", "1234" },
		{ "ifname=\"my dev\"", "4" },
		{ "\"ifname=eth1\"", "" },
		{ "errname=ENETDOWN ifname=eth1", "1" },
		{ "tracepoint=xdp_exception", "3" },
		{ "ifname=\"\"", "" },
		{ "ifname=", "!" },
		/* blanks around operators */
		{ "ifname = eth1", "12" },
		{ "ifname =eth1 netdown", "1" },
		{ "errors_per_s > 100", "4" },
		{ "errors_per_s>= 100  ifname != eth1", "4" },
		{ "ifname = \"my dev\"", "4" },
		/* part of a cell, not part of it, not a word */
		{ "ifname~th", "123" },
		{ "ifname ~ TH1", "123" },
		{ "ifname!~2", "124" },
		{ "ifname~*", "" },
		{ "!eth1", "45" },
		{ "!netdown !cpumap", "23" },
		{ "!\"my dev\" netdown", "1" },
		{ "!ifname=eth1", "345" },
		{ "!!eth12", "3" },
		/* alternatives bind closer than "and" */
		{ "emsgsize|aborted", "23" },
		{ "emsgsize | aborted eth12", "3" },
		{ "eth1 aborted|emsgsize", "23" },
		{ "ifname=eth1|eth12", "123" },
		{ "ifname=eth12|\"my dev\" errors_per_s>1", "4" },
		{ "ifname=eth1 | cpumap", "125" },
		{ "ifname=eth1| netdown", "124" },
		{ "ifname~12|dev", "34" },
		{ "errors_total=200|10", "12" },
		{ "ifname=eth12|errname=ENETDOWN", "134" },
		{ "cpumap|!eth1", "45" },
		{ "\"a|b\"", "" },
		/* a cell without a value matches neither = nor != */
		{ "ifname!=eth1", "34" },
		{ "ifname!=eth*", "4" },
		/* numbers */
		{ "errors_per_s>100", "4" },
		{ "errors_per_s>=100", "14" },
		{ "errors_per_s<5", "35" },
		{ "errors_per_s<=5", "235" },
		{ "errors_per_s=0.5", "3" },
		{ "errors_per_s!=0.5", "1245" },
		{ "ERRORS/S>10k", "4" },
		{ "errors_per_s>20k", "" },
		{ "errors_per_s>0.01M", "4" },
		{ "errors_per_s>.1k", "4" },
		{ "errors_total=40000", "4" },
		{ "errors_total>=0.04m errors_total<1G", "4" },
		{ "errors_per_s>1 errors_per_s<1000", "12" },
		{ "last_seen>59m", "3" },
		{ "last_seen<1h", "1245" },
		{ "last_seen<90s", "1245" },
		{ "last_seen<3600", "1245" },
		{ "last_seen>=1h", "3" },
		{ "last_seen<0.04d", "1245" },
		{ "errors_per_s<0.000000001T", "1235" },
		/* without a value even < does not match */
		{ "cpu<1000", "" },
		{ "drop_percent>=0", "5" },
		{ "drop_percent=25%", "5" },
	};

	put_errors(m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *rows = matches(m, cases[i].expr);

		if (strcmp(rows, cases[i].rows))
			fail_msg("'%s' matches '%s', not '%s'", cases[i].expr, rows, cases[i].rows);
	}
}

TEST(test_mistakes)
{
	static const struct {
		const char *expr, *why;
	} cases[] = {
		{ "drop=1", "no column 'drop'; nearest: from, drops_per_s, drops_total" },
		{ "eth1 xyzzy=1",
		  "no column 'xyzzy'; a word with =, <, > or ~ in it needs \"quotes\"" },
		{ "=1", "no column ''; a word with =, <, > or ~ in it needs \"quotes\"" },
		{ "\x1b[1m=1",
		  "no column '\\x1b[1m'; a word with =, <, > or ~ in it needs \"quotes\"" },
		{ "ifnam=eth0", "no column 'ifnam'; nearest: ifname" },
		{ "ifname>eth0", "column 'ifname' is text; compare it with =, != or ~" },
		{ "drops_per_s>many",
		  "'many' is not a number; drops_per_s takes one like 1500, 0.5, 10k, 2M" },
		{ "drops/s>", "'' is not a number; drops_per_s takes one like 1500, 0.5, 10k, 2M" },
		{ "drops_per_s>-1",
		  "'-1' is not a number; drops_per_s takes one like 1500, 0.5, 10k, 2M" },
		{ "drops_per_s>5s",
		  "'5s' is not a number; drops_per_s takes one like 1500, 0.5, 10k, 2M" },
		{ "last_seen<5k",
		  "'5k' is not a number; last_seen takes one like 30, 90s, 5m, 2h, 1d" },
		{ "drops_per_s==5",
		  "'=5' is not a number; drops_per_s takes one like 1500, 0.5, 10k, 2M" },
		{ "ifname=", "no value for 'ifname'; give one, or * for any" },
		{ "drops_per_s~5",
		  "column 'drops_per_s' is a number; compare it with =, !=, < or >" },
		{ "eth0 |", "a term is missing before 'the end'; add the term; to search for | or "
			    "!, put it in \"quotes\"" },
		{ "| eth0", "a term is missing before '| eth0'; add the term; to search for | or "
			    "!, put it in \"quotes\"" },
		{ "!", "a term is missing before 'the end'; add the term; to search for | or "
		       "!, put it in \"quotes\"" },
		{ "ifname!=a|b", "!= with alternatives always matches: |'b'; give each value its "
				 "own FIELD!=, separated by blanks" },
		{ "\"eth0", "a quote is open in 'eth0'; add one at the end" },
		{ "a ifname=\"x y", "a quote is open in 'x y'; add one at the end" },
	};
	struct filter *f;
	struct error error = { .text = "x" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f = (struct filter *)&error;
		assert_int_equal(filter_parse(cases[i].expr, &f, &error), -EINVAL);
		assert_null(f);
		assert_string_equal(error.text, cases[i].why);
	}
}

TEST(test_text)
{
	struct filter *f = NULL;
	struct error error = { .text = "x" };

	assert_int_equal(filter_parse("  ifname=eth1  netdown ", &f, &error), 0);
	assert_string_equal(error.text, "");
	assert_string_equal(filter_text(f), "ifname=eth1  netdown ");
	filter_free(f);
	assert_int_equal(filter_parse("   ", &f, &error), 0);
	assert_null(f);
	assert_string_equal(filter_text(NULL), "");
	filter_free(NULL);
}

/* A target has its namespace in parentheses: matches with and without it, but not another name. */
TABLE_TEST(test_target)
{
	static const char *const same[] = { "target=lan0", "target=LAN*", "target~lan",
					    "target=\"lan0 (*\"", "target=x|lan0" };
	static const char *const others[] = { "target=lan", "target=lan0*x", "target!=lan0" };
	struct series_key key = made_to_device(1, 2, 0);

	key.to_netns = MADE_NETNS + 1;
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(key, -ENETDOWN), COUNTS(0), COUNTS(200));
	strcpy(m->to.series[0].to_ifname, "lan0");
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		build_filtered(m, VIEW_ERRORS, same[i]);
		if (m->table.n_rows != 1)
			fail_msg("%s does not match %s", same[i], text(m, 0, COL_TARGET));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		build_filtered(m, VIEW_ERRORS, others[i]);
		if (m->table.n_rows)
			fail_msg("%s matches", others[i]);
	}
}

/* The beginning of a field is not a complete term. */
TEST(test_is_field)
{
	static const char *const unfinished[] = { "drops_per_s", "eth0 dro", "LOST/", "a|ifn",
						  "netns " };
	static const char *const finished[] = { "", "eth0", "drops_per_s>0", "ifname eth",
						"lost/s>" };

	for (size_t i = 0; i < 5; i++) {
		assert_true(filter_is_field(unfinished[i]));
		assert_false(filter_is_field(finished[i]));
	}
}

/* Rows of CPUs are matched by their own cells; rows of all CPUs have none in column CPU. */
TABLE_TEST(test_cpu_rows)
{
	put(m, 1, TP_NET_DEV_QUEUE, (struct series_key){ .netns = MADE_NETNS, .ifindex = 1 },
	    COUNTS(0), COUNTS(40, 40));
	made_cpu(&m->to, 0, COUNTS(10, 10));
	made_cpu(&m->to, 9, COUNTS(30, 30));
	m->options.per_cpu = true;
	build_filtered(m, VIEW_STACK, "cpu=9");
	assert_int_equal(m->table.n_rows, 1);
	assert_int_equal(m->table.hidden, 2);
	CELL(0, COL_CPU, "9");
	CELL(0, COL_SHARE, "75.0"); /* of all, not of the remaining ones */
	build_filtered(m, VIEW_STACK, "share>50");
	assert_int_equal(m->table.n_rows, 1);
	build_filtered(m, VIEW_STACK, "9");
	assert_int_equal(m->table.n_rows, 1);
	build_filtered(m, VIEW_STACK, "eth1");
	assert_int_equal(m->table.n_rows, 3);
}

/* Words match cells as they are shown, including numbers and unknown values. */
TABLE_TEST(test_words_see_what_is_shown)
{
	build(m, VIEW_TRACEPOINTS);
	for (int i = 0; i < 2; i++) {
		made_off(&m->to, TP_XDP_BULK_TX, TP_MISSING);
		build_filtered(m, VIEW_TRACEPOINTS, i ? "missing" : "off");
		assert_int_equal(m->table.n_rows, 1); /* xdp_redirect */
	}
}
