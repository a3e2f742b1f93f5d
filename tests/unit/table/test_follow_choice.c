// SPDX-License-Identifier: GPL-2.0-or-later
/* Expressions as a choice of series and events: what they match, and what is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/tracepoint.h"
#include "table/follow_choice.h"
#include "unit/test.h"

static struct error error;
static struct follow_choice choice;
static struct snapshot snapshot;

static struct netns_names *names(void)
{
	struct netns_names *n = netns_names_new();

	assert_non_null(n);
	netns_names_set(n, 4026532001, "blue", 0);
	return n;
}

static int setup(void **state)
{
	for (uint32_t tp = 0; tp < TP_VERDICTS; tp++)
		strcpy(snapshot.tp[tp].name, tracepoints[tp].name);
	return 0;
}

static int teardown(void **state)
{
	follow_choice_free(&choice);
	memset(&snapshot, 0, sizeof(snapshot));
	return 0;
}

static void parse(const char *expr)
{
	int err;

	follow_choice_free(&choice);
	err = follow_choice_parse(&choice, expr, &snapshot, &error);
	if (err)
		print_error("%s: %s\n", expr, error.text);
	assert_int_equal(err, 0);
}

/* A series with every field that a redirect can have, modified by `change`. */
static struct series made(uint32_t tracepoint, const char *change)
{
	struct series s = { .id = 7,
			    .tracepoint = tracepoint,
			    .key = { 4026532001, 2, 4026532002, 4, 5, SERIES_MAP_DEVMAP, 6, -6 },
			    .ifname = "eth0",
			    .to_ifname = "lan0",
			    .prog_name = "a_program" };

	if (!strcmp(change, "netns"))
		s.key.netns = 1;
	if (!strcmp(change, "device"))
		strcpy(s.ifname, "eth01");
	if (!strcmp(change, "target"))
		strcpy(s.to_ifname, "lan1");
	if (!strcmp(change, "program"))
		strcpy(s.prog_name, "b");
	if (!strcmp(change, "prog_id"))
		s.key.prog_id = 50;
	if (!strcmp(change, "map_id"))
		s.key.map_id = 60;
	if (!strcmp(change, "err"))
		s.key.code = -7;
	if (!strcmp(change, "cpu")) {
		s.key.map_type = SERIES_MAP_CPUMAP;
		s.key.target = 3;
		s.to_ifname[0] = '\0';
	}
	return s;
}

/* Whether the series matches, and whether an event of it does that has no series. */
static bool matches(uint32_t tracepoint, const char *change)
{
	struct netns_names *n = names();
	struct followed *e;
	bool series, event;

	snapshot.n_series = 0;
	*snapshot_add_series(&snapshot) = made(tracepoint, change);
	e = snapshot_add_followed(&snapshot);
	e->event.tracepoint = tracepoint;
	e->event.key = snapshot.series[0].key;
	strcpy(e->event.ifname, snapshot.series[0].ifname);
	strcpy(e->event.to_ifname, snapshot.series[0].to_ifname);
	strcpy(e->event.prog_name, snapshot.series[0].prog_name);
	series = follow_choice_series(&choice, &snapshot, n).n_series;
	follow_choice_keep(&choice, &snapshot, n);
	event = snapshot.n_followed;
	assert_int_equal(series, event);
	snapshot_free(&snapshot);
	snapshot_init(&snapshot);
	setup(NULL);
	netns_names_free(n);
	return series;
}

TEST_OF(test_fields, setup, teardown, void *none)
{
	static const struct {
		const char *expr, *change;
	} rows[] = {
		{ "netns=blue", "netns" },
		{ "netns=ns:4026532001", "netns" },
		{ "ifname=eth0", "device" },
		{ "target=lan0", "target" },
		{ "prog_name=a_program", "program" },
		{ "prog_name!=b", "program" },
		{ "ifname~th0 ifname!~01", "device" },
		{ "prog_name=a_*", "program" },
		{ "prog_id=5", "prog_id" },
		{ "map_id=6", "map_id" },
		{ "errname=ENXIO", "err" },
		{ "errname=enxio ifname=eth0 target=lan*", "err" },
		{ "ifname=eth1|eth0", "device" },
		{ "ifname=eth0|prog_id=9 netns=blue", "netns" },
		{ "ifname=e*0", "device" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(rows[i].expr);
		assert_true(matches(TP_XDP_REDIRECT, ""));
		assert_false(matches(TP_XDP_REDIRECT, rows[i].change));
	}
	parse("ifname=eth0*");
	assert_true(matches(TP_XDP_REDIRECT, "device"));
	parse("target=\"CPU 3\"");
	assert_false(matches(TP_XDP_CPUMAP_ENQUEUE, ""));
	assert_true(matches(TP_XDP_CPUMAP_ENQUEUE, "cpu"));
}

TEST_OF(test_tracepoints, setup, teardown, void *none)
{
	parse("");
	assert_int_equal(choice.tracepoints, BIT(TP_VERDICTS) - 1);
	parse("xdp_redirect_err");
	assert_int_equal(choice.tracepoints, BIT(TP_XDP_REDIRECT_ERR));
	parse("tracepoint=xdp_redirect|xdp_exception ifname=eth0");
	assert_int_equal(choice.tracepoints, BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_EXCEPTION));
	parse("tracepoint=mem_*");
	assert_int_equal(choice.tracepoints, BIT(TP_MEM_CONNECT) | BIT(TP_MEM_DISCONNECT));
	parse("tracepoint=XDP_*_err");
	assert_int_equal(choice.tracepoints, BIT(TP_XDP_REDIRECT_ERR));
	/* only tracepoints with the compared field */
	parse("errname=ENXIO");
	assert_int_equal(choice.tracepoints, tracepoints_with(HAS_ERR) | tracepoints_with(HAS_ACT));
	parse("ifname=eth0|target=lan0");
	assert_int_equal(choice.tracepoints, tracepoints_with(HAS_DEVICE) |
						     tracepoints_with(HAS_TO_DEVICE) |
						     tracepoints_with(HAS_TO_CPU));
	parse("ifname=eth0|eth1 ifname=eth*|lan* netns=blue");
	assert_true(matches(TP_XDP_REDIRECT, ""));
	assert_false(matches(TP_XDP_REDIRECT, "netns"));
}

TEST_OF(test_refused, setup, teardown, void *none)
{
	static const struct {
		const char *expr, *says;
	} rows[] = {
		{ "lost_per_s=1", "lost_per_s is not a field of an event" },
		{ "xdp_redirect cpu=1", "cpu is not a field of an event" },
		{ "veth", "'veth' is not a tracepoint; give FIELD=VALUE" },
		{ "tracepoint=xdp_redirct",
		  "'xdp_redirct' is not a tracepoint; --list shows them" },
		{ "nothing=1", "no column 'nothing'" },
		{ "net_dev_queue prog_id=5", "no tracepoint has all of these" },
		{ "xdp_redirect xdp_exception", "no tracepoint has all of these" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int err = follow_choice_parse(&choice, rows[i].expr, &snapshot, &error);

		if (err != -EINVAL || !strstr(error.text, rows[i].says))
			print_error("%s: %d, %s\n", rows[i].expr, err, error.text);
		assert_int_equal(err, -EINVAL);
		assert_non_null(strstr(error.text, rows[i].says));
	}
	/* while the command line is parsed, tracepoints without a row are unknown */
	assert_int_equal(follow_choice_parse(&choice, "tracepoint=xdp_new", NULL, &error), 0);
	assert_int_equal(choice.tracepoints, (BIT(TP_OTHERS) - 1) << TP_OTHER);
}

/* Losses of series that are not wanted are not reported, also when they are reported later. */
TEST_OF(test_losses_of_others, setup, teardown, void *none)
{
	parse("xdp_redirect prog_id=5");
	for (int i = 0; i < 2; i++) {
		struct followed *e = snapshot_add_followed(&snapshot);

		*snapshot_add_series(&snapshot) = made(TP_XDP_REDIRECT, "prog_id");
		snapshot.series[i].id = 8;
		snapshot.series[i].follow_lost = 10;
		e->kind = FOLLOWED_LOST;
		e->event.tracepoint = TP_XDP_REDIRECT;
		e->event.left_out = i ? 17 : 4;
	}
	/* of 21 that were lost 20 are of others */
	follow_choice_series(&choice, &snapshot, NULL);
	follow_choice_keep(&choice, &snapshot, NULL);
	assert_int_equal(snapshot.n_followed, 1);
	assert_int_equal(snapshot.followed[0].event.left_out, 1);
	snapshot.series[0].follow_lost = 3;
	snapshot.n_series = 1;
	snapshot.followed[0].event.left_out = 1;
	follow_choice_keep(&choice, &snapshot, NULL);
	assert_int_equal(snapshot.n_followed, 0);
	*snapshot_add_followed(&snapshot) = (struct followed){ .kind = FOLLOWED_LOST };
	snapshot.followed[0].event.tracepoint = TP_XDP_REDIRECT;
	snapshot.followed[0].event.left_out = 5;
	snapshot.series[0].follow_lost = 0;
	follow_choice_keep(&choice, &snapshot, NULL);
	assert_int_equal(snapshot.followed[0].event.left_out, 3);
	snapshot_free(&snapshot);
}

/* A tracepoint without a row is found by the kernel's name. */
TEST_OF(test_unknown_tracepoint, setup, teardown, void *none)
{
	strcpy(snapshot.tp[TP_OTHER + 1].name, "xdp_new");
	parse("tracepoint=xdp_new");
	assert_int_equal(choice.tracepoints, BIT(TP_OTHER + 1));
}
