// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows in words: the way of packets, causes and commands. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "../../src/describe.h"
#include "../../src/event_log.h"
#include "../../src/finding.h"
#include "made_table.h"

static char lines[8192];

static void take(void *ctx, enum describe_style style, const char *label, const char *text)
{
	size_t len = strlen(lines);

	snprintf(lines + len, sizeof(lines) - len, "%s|%s%s\n", label,
		 style == DESCRIBE_COMMAND ? "$ " : "", text);
}

static void describe(struct made *m, size_t row)
{
	const struct describe d = { .line = take };

	assert_true(row < m->table.n_rows);
	lines[0] = '\0';
	describe_row(&m->table, &m->table.row[row], &d);
}

#define SAYS(part)                                                      \
	do {                                                            \
		if (!strstr(lines, part))                               \
			fail_msg("\"%s\" is not in:\n%s", part, lines); \
	} while (0)
#define SAYS_NOT(part) assert_null(strstr(lines, part))

static size_t at(struct made *m, const char *name)
{
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (!strcmp(text(m, i, COL_DEVICE), name))
			return i;
	fail_msg("no row %s", name);
	return 0;
}

/* Every number is one tracepoint's; what is off says so instead of a 0. */
static void test_funnel(void **state)
{
	struct made *m = *state;

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	/* the driver's echo of the same packets */
	put(m, 2, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 4), COUNTS(0), COUNTS(20));
	put(m, 3, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(20, 180, 30));
	put(m, 4, TP_XDP_DEVMAP_XMIT, made_xmit(3, 5), COUNTS(0), COUNTS(1, 7, 0));
	put(m, 5, TP_XDP_DEVMAP_XMIT, made_xmit(9, 3), COUNTS(0), COUNTS(1, 1000, 1000));
	build(m, VIEW_DEVICES);
	describe(m, at(m, "eth3"));
	SAYS("exceptions|20, now a second 10 (xdp_exception)");
	SAYS("not queued|20, now a second 10 (xdp_redirect_err)");
	SAYS("queued|unknown: the tracepoint is off (xdp_redirect)");
	SAYS("\nsent|187, now a second 94 (xdp_devmap_xmit)");
	SAYS("not sent|30, now a second 15 (xdp_devmap_xmit)");
	SAYS_NOT("sent back");
	SAYS_NOT("|40"); /* no sum of both reports */
	/* a flow is one of its targets */
	build(m, VIEW_FLOWS);
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (!strcmp(text(m, i, COL_DEVICE), "eth3") && m->table.row[i].n_members == 2)
			describe(m, i);
	SAYS("\nsent|180, ");
	SAYS_NOT("exceptions|");
}

static void test_funnel_states(void **state)
{
	struct made *m = *state;
	struct device *d;

	made_off(&m->to, TP_XDP_REDIRECT, TP_SHED);
	made_off(&m->to, TP_XDP_EXCEPTION, TP_FAILED);
	made_off(&m->to, TP_XDP_REDIRECT_ERR, TP_MISSING);
	put(m, 1, TP_XDP_BULK_TX, made_xmit(3, 0), COUNTS(0), COUNTS(2, 30, 1));
	d = snapshot_add_device(&m->to);
	*d = (struct device){ .netns = MADE_NETNS, .ifindex = 3, .mode = DEVICE_GENERIC };
	build(m, VIEW_DEVICES);
	describe(m, 0);
	SAYS("exceptions|unknown: the tracepoint could not be attached");
	SAYS("not queued|n/a: this kernel does not have the tracepoint");
	SAYS("queued|unknown: the tracepoint cost more than --budget");
	SAYS("\nsent|n/a: generic mode has no xdp_devmap_xmit");
	SAYS("sent back|30");
	SAYS("not sent back|1");
}

static void test_causes(void **state)
{
	struct made *m = *state;

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	m->options.netns = netns_names_new();
	netns_names_set(m->options.netns, MADE_NETNS, "init");
	snprintf(m->to.series[0].to_ifname, sizeof(m->to.series[0].to_ifname), "eth4");
	build(m, VIEW_ERRORS);
	describe(m, 0);
	SAYS("xdp_redirect_err ENETDOWN (-100): 20 events, 20 lost since the start");
	SAYS("  meaning|the target interface is administratively down");
	SAYS("  kernel|net/core/filter.c");
	SAYS("|$ ip link set dev eth4 up");
	SAYS("|$ bpftool prog show id 42");
	SAYS("|$ bpftool map dump id 5");
	SAYS("|$ ip -d link show dev eth3");
	SAYS_NOT("{");
	netns_names_free(m->options.netns);
	m->options.netns = NULL;
}

static void test_silent(void **state)
{
	struct made *m = *state;
	struct device *d = snapshot_add_device(&m->to);

	*d = (struct device){ .netns = MADE_NETNS,
			      .ifindex = 3,
			      .name = "eth3",
			      .mode = DEVICE_NATIVE,
			      .prog_id = 7 };
	m->options.all = true;
	for (int view = 0; view < VIEW_COUNT; view++) {
		build(m, (enum view_id)view);
		for (size_t i = 0; i < m->table.n_rows; i++)
			describe(m, i);
	}
	build(m, VIEW_DEVICES);
	describe(m, 0);
	SAYS("not queued|0");
	SAYS("|$ bpftool prog show id 7");
}

static void test_lists(void **state)
{
	struct made *m = *state;
	struct findings f = { 0 };
	struct event_log log = { 0 };
	struct event *e = snapshot_add_event(&m->to);

	*e = (struct event){
		.tracepoint = TP_LINK_ATTACH_FAILED, .time = m->to.wall, .pid = 812, .left_out = 3
	};
	strcpy(e->text, "because");
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	snprintf(m->to.series[0].to_ifname, sizeof(m->to.series[0].to_ifname), "eth4");
	build(m, VIEW_FINDINGS);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	event_log_take(&log, &m->to);
	m->options.findings = &f;
	m->options.events = &log;
	build(m, VIEW_FINDINGS);
	assert_int_equal(m->table.n_rows, 2);
	describe(m, 0);
	SAYS("|target-down");
	SAYS("kind|critical: ");
	SAYS("seen|now, last 0s ago");
	SAYS(" link set dev eth4 up");
	build(m, VIEW_EVENTS);
	describe(m, 0);
	SAYS("text|because");
	SAYS("more|3 before it");
	findings_free(&f);
	event_log_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_funnel), TEST(test_funnel_states), TEST(test_causes),
		TEST(test_silent), TEST(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
