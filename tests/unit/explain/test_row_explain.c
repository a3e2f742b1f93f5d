// SPDX-License-Identifier: GPL-2.0-or-later
/* Explanations of rows: packet path, causes and commands. */
#include <errno.h>
#include "model/event_log.h"
#include "diagnose/finding_code.h"
#include "diagnose/findings.h"
#include "source/sockets.h"
#include "unit/made_lines.h"
#include "unit/test.h"

static size_t at(struct made *m, const char *name)
{
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (!strcmp(text(m, i, COL_DEVICE), name))
			return i;
	fail_msg("no row %s", name);
	return 0;
}

static size_t count(const char *part)
{
	size_t n = 0;

	for (const char *at = lines; (at = strstr(at, part)); at += strlen(part))
		n++;
	return n;
}

/* Every number comes from one tracepoint; a tracepoint that is off says so instead of 0. */
TABLE_TEST(test_funnel)
{
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	/* the driver reports the same packets again */
	put(m, 2, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 4), COUNTS(0), COUNTS(20));
	put(m, 3, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(20, 180, 30));
	put(m, 4, TP_XDP_DEVMAP_XMIT, made_xmit(3, 5), COUNTS(0), COUNTS(1, 7, 0));
	put(m, 5, TP_XDP_DEVMAP_XMIT, made_xmit(9, 3), COUNTS(0), COUNTS(1, 1000, 1000));
	build(m, VIEW_DEVICES);
	describe(m, at(m, "eth3"));
	SAYS("exceptions|20, now 10/s (xdp_exception)");
	SAYS("not queued|20, now 10/s (xdp_redirect_err)");
	SAYS("queued|unknown: the tracepoint is off (xdp_redirect)");
	SAYS("\nsent|187, now 94/s (xdp_devmap_xmit)");
	SAYS("not sent|30, now 15/s (xdp_devmap_xmit)");
	SAYS_NOT("sent back");
	SAYS_NOT("|40"); /* both reports are not added */
	/* a flow is one of its targets */
	build(m, VIEW_FLOWS);
	for (size_t i = 0; i < m->table.n_rows; i++)
		if (!strcmp(text(m, i, COL_DEVICE), "eth3") && m->table.row[i].n_series == 2)
			describe(m, i);
	SAYS("\nsent|180, ");
	SAYS_NOT("exceptions|");
}

/* Programs that run on a flow's frames before they are sent, if its redirects name them. */
TABLE_TEST(test_egress_program)
{
	put(m, 1, TP_XDP_REDIRECT, made_to_device(3, 4, 5), COUNTS(0), COUNTS(20));
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(20, 180, 30));
	put(m, 3, TP_XDP_REDIRECT, made_to_device(3, 4, 6), COUNTS(0), COUNTS(20));
	build(m, VIEW_FLOWS);
	describe(m, 0);
	SAYS_NOT("egress|");
	m->to.series[0].to_prog_id = 50;
	m->to.series[2].to_prog_id = 50;
	strcpy(m->to.series[0].to_prog_name, "acl");
	build(m, VIEW_FLOWS);
	describe(m, 0);
	SAYS("\negress|program acl, id 50\n");
	assert_int_equal(count("id 50"), 1);
	m->to.series[2].to_prog_id = 60;
	build(m, VIEW_FLOWS);
	describe(m, 0);
	SAYS("\negress|program acl, id 50\negress|program id 60\n");
	put(m, 4, TP_XDP_REDIRECT, made_to_device(3, 4, 7), COUNTS(0), COUNTS(20));
	m->to.series[3].to_prog_id = 50;
	build(m, VIEW_FLOWS);
	describe(m, 0);
	assert_int_equal(count("id 50"), 1);
}

TABLE_TEST(test_funnel_states)
{
	struct netdev *d;

	made_off(&m->to, TP_XDP_REDIRECT, TP_SHED);
	made_off(&m->to, TP_XDP_EXCEPTION, TP_FAILED);
	made_off(&m->to, TP_XDP_REDIRECT_ERR, TP_MISSING);
	put(m, 1, TP_XDP_BULK_TX, made_xmit(3, 0), COUNTS(0), COUNTS(2, 30, 1));
	d = snapshot_add_netdev(&m->to);
	*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = 3, .mode = NETDEV_GENERIC };
	build(m, VIEW_DEVICES);
	describe(m, 0);
	SAYS("exceptions|unknown: the tracepoint could not be attached");
	SAYS("not queued|n/a: this kernel does not have the tracepoint");
	SAYS("queued|unknown: the tracepoint cost more than --budget");
	SAYS("\nsent|n/a: generic mode has no xdp_devmap_xmit");
	SAYS("sent back|30");
	SAYS("not sent back|1");
	/* first only the walk knows it, then its namespace is entered */
	SAYS("settings|unknown: xdptop did not enter its namespace at start\n");
	d->has_offloads = true;
	netdev_set_setting(d, NETDEV_CHANNELS, 2);
	describe(m, 0);
	SAYS("settings|channels 2\n");
}

TABLE_TEST(test_causes)
{
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	m->options.netns = netns_names_new();
	netns_names_set(m->options.netns, MADE_NETNS, "init", 0);
	snprintf(m->to.series[0].to_ifname, sizeof(m->to.series[0].to_ifname), "eth4");
	build(m, VIEW_ERRORS);
	describe(m, 0);
	SAYS("xdp_redirect_err ENETDOWN (-100): 20 events, 20 lost since the start");
	SAYS("  at|eth3 -> eth4");
	SAYS("  meaning|the target interface is administratively down");
	SAYS("  kernel|include/linux/filter.h");
	SAYS("|$ ip link set dev eth4 up");
	SAYS("|$ bpftool prog show id 42");
	SAYS("|$ bpftool map dump id 5");
	SAYS("|$ ip -d link show dev eth3");
	SAYS_NOT("{");
	netns_names_free(m->options.netns);
	m->options.netns = NULL;
}

/* The driver's counters, if the driver lost the packets. */
TABLE_TEST(test_counters)
{
	struct netdev *d;

	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(20, 180, 30));
	put(m, 2, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -EMSGSIZE), COUNTS(0),
	    COUNTS(20));
	d = snapshot_add_netdev(&m->to);
	*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = 4, .driver = "mlx5_core" };
	build(m, VIEW_FLOWS);
	describe(m, 0);
	SAYS("driver|mlx5; ethtool -S shows tx_xdp_full, tx_xdp_err");
	assert_int_equal(count("driver|"), 1);
	SAYS("ethtool -S TARGET counts it as tx_xdp_full");
	snprintf(snapshot_netdevs(&m->to)->driver, NETDEV_NAME_LEN, "cpsw");
	describe(m, 0);
	SAYS("driver|cpsw; ip -s link shows tx_dropped");
	SAYS("shorter than 60 bytes");
}

/* A row begins with its own findings only. */
TABLE_TEST(test_related)
{
	static const enum view_id views_of[] = { VIEW_FLOWS, VIEW_ERRORS, VIEW_DEVICES };
	struct findings f = { 0 };

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	put(m, 2, TP_XDP_EXCEPTION, with_code(made_to_device(6, 0, 0), 77), COUNTS(0), COUNTS(20));
	build(m, VIEW_FINDINGS);
	strcpy(m->to.series[0].to_ifname, "eth4");
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	for (size_t v = 0; v < sizeof(views_of) / sizeof(views_of[0]); v++) {
		build(m, views_of[v]);
		describe(m, at(m, "eth3"));
		SAYS("|Findings");
		SAYS("|target-down: eth3 (+531840) -> ");
		SAYS_NOT("bad-return-value");
		/* the finding has the commands, so the error does not repeat them */
		SAYS("/null) ip -d link show dev eth4\n");
		assert_int_equal(count("/null) ip -d link show dev eth4\n"), 1);
		/* nor the remedy */
		assert_int_equal(count("bring it up (ip link set TARGET up)"), 1);
	}
	build(m, VIEW_ERRORS);
	describe(m, at(m, "eth6"));
	SAYS("|bad-return-value: ");
	SAYS_NOT("target-down");
	/* about one program */
	build(m, VIEW_PROGRAMS);
	describe(m, 0);
	SAYS("|target-down: ");
	SAYS("|bad-return-value: ");
	/* cleared */
	for (size_t i = 0; i < f.n; i++)
		f.finding[i].active = false;
	describe(m, 0);
	SAYS_NOT("|Findings");
	findings_free(&f);
}

/* Names of deleted objects stay, marked as gone. */
TABLE_TEST(test_gone)
{
	struct netdev *d;

	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	strcpy(m->to.series[0].to_ifname, "eth4");
	d = snapshot_add_netdev(&m->to);
	*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = 4, .name = "eth4", .up = true };
	build(m, VIEW_FLOWS);
	describe(m, 0);
	SAYS_NOT("gone|");
	d->gone = true;
	describe(m, 0);
	SAYS("gone|eth4 or its network namespace was deleted");
	SAYS(" link show dev eth4");
}

/* A program that drops or passes counts nothing: it says how to see its verdicts. */
TABLE_TEST(test_verdicts)
{
	struct netdev *d = snapshot_add_netdev(&m->to);

	*d = (struct netdev){ .netns = MADE_NETNS,
			      .ifindex = 9,
			      .name = "eth9",
			      .mode = NETDEV_NATIVE,
			      .prog_id = 42,
			      .prog_name = "fw" };
	build(m, VIEW_DEVICES);
	describe(m, at(m, "eth9"));
	SAYS("verdicts|XDP_DROP and XDP_PASS fire no tracepoint: --verdicts counts them, and");
	SAYS("xdpdump -i eth9 --rx-capture exit");
	build(m, VIEW_PROGRAMS);
	describe(m, 0);
	SAYS("verdicts|XDP_DROP and XDP_PASS fire no tracepoint: --verdicts counts them, and");
	SAYS("xdpdump -i eth9 --rx-capture exit");
	put(m, 1, TP_XDP_EXCEPTION, with_code(made_to_device(9, 0, 0), 0), COUNTS(0), COUNTS(20));
	build(m, VIEW_DEVICES);
	describe(m, at(m, "eth9"));
	SAYS_NOT("verdicts|");
}

/* A program runs in several places: they are listed, without commands for a single one. */
TABLE_TEST(test_program)
{
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -EBADRQC), COUNTS(0),
	    COUNTS(20));
	put(m, 2, TP_XDP_EXCEPTION, with_code(made_to_device(6, 0, 0), 0), COUNTS(0), COUNTS(20));
	build(m, VIEW_PROGRAMS);
	describe(m, 0);
	SAYS("attached|not to any known device");
	for (uint32_t i = 1; i < 20; i++) {
		struct netdev *d = snapshot_add_netdev(&m->to);

		*d = (struct netdev){
			.netns = 5, .ifindex = i, .mode = NETDEV_NATIVE, .prog_id = 42
		};
		snprintf(d->name, sizeof(d->name), "eth%u", i);
		d->gone = i == 19;
	}
	build(m, VIEW_PROGRAMS);
	assert_int_equal(m->table.n_rows, 1);
	describe(m, 0);
	SAYS("attached|to eth1 (ns:5), native");
	SAYS("|to eth16 (ns:5), native");
	SAYS("|and to 2 more");
	SAYS("|$ bpftool prog show id 42");
	SAYS("verdicts|XDP_DROP and XDP_PASS fire no tracepoint: --verdicts counts the packets");
	SAYS_NOT("ethtool -S");
	/* the same for a tracepoint */
	put(m, 3, TP_XDP_EXCEPTION, with_code(made_to_device(7, 0, 0), 0), COUNTS(0), COUNTS(20));
	build(m, VIEW_TRACEPOINTS);
	describe(m, row_of(m, TP_XDP_EXCEPTION));
	SAYS("  at|eth6 (+531840), the first of 2");
	SAYS_NOT("|Commands");
	SAYS_NOT("|More commands");
}

/* Action 0 has a name as well. */
TABLE_TEST(test_actions)
{
	put(m, 1, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 0), COUNTS(0), COUNTS(20));
	put(m, 2, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 77), COUNTS(0), COUNTS(21));
	build(m, VIEW_DEVICES);
	describe(m, 0);
	SAYS("|xdp_exception ABORTED: 20 events");
	SAYS("|xdp_exception UNKNOWN(77): 21 events");
}

/* Columns of the devices view that a small screen does not show. */
TABLE_TEST(test_device)
{
	struct netdev *d;

	put(m, 1, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 0), COUNTS(0), COUNTS(20));
	build(m, VIEW_DEVICES);
	describe(m, 0);
	SAYS("device|known only from its events");
	d = snapshot_add_netdev(&m->to);
	*d = (struct netdev){ .netns = MADE_NETNS,
			      .ifindex = 3,
			      .name = "eth3",
			      .kind = "veth",
			      .mode = NETDEV_NATIVE,
			      .prog_id = 7,
			      .prog_name = "fwd",
			      .up = true,
			      .running = true,
			      .mtu = 1500,
			      .has_features = true,
			      .peer_netns = MADE_NETNS,
			      .peer_ifindex = 9 };
	build(m, VIEW_DEVICES);
	describe(m, 0);
	SAYS("device|veth, up, MTU 1500");
	SAYS("XDP|native");
	SAYS("program|fwd, id 7");
	SAYS("redirect target|does not accept redirected frames now");
	SAYS("peer|ifindex 9");
	d->features = NETDEV_XDP_NDO_XMIT;
	d->kind[0] = '\0';
	d->mode = NETDEV_NONE;
	d->gone = true;
	describe(m, 0);
	SAYS("device|gone, MTU 1500");
	snprintf(d->driver, sizeof(d->driver), "virtio_net");
	describe(m, 0);
	SAYS("device|virtio_net, gone, MTU 1500");
	SAYS("XDP|none");
	SAYS("redirect target|accepts redirected frames");
}

TABLE_TEST(test_silent)
{
	struct netdev *d = snapshot_add_netdev(&m->to);

	*d = (struct netdev){ .netns = MADE_NETNS,
			      .ifindex = 3,
			      .name = "eth3",
			      .mode = NETDEV_NATIVE,
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

TABLE_TEST(test_lists)
{
	struct findings f = { 0 };
	struct event_log log = { 0 };
	struct event *e = snapshot_add_event(&m->to);

	*e = (struct event){
		.tracepoint = TP_LINK_ATTACH_FAILED, .time = m->to.wall, .pid = 812, .left_out = 3
	};
	strcpy(e->text, "because");
	strcpy(e->comm, "loader");
	e->key.netns = 7;
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
	SAYS("severity|critical: ");
	SAYS("seen|active: last 0s ago, first 0s ago");
	SAYS("counted|20 by xdp_redirect_err");
	SAYS("fix|bring it up (ip link set TARGET up), or remove it from the map");
	SAYS("program|prog42, id 42");
	SAYS("map|devmap 5");
	SAYS_NOT("netns|");
	SAYS(" link set dev eth4 up");
	/* which process could not attach, and where */
	describe(m, 1);
	SAYS("|attach-failed");
	SAYS("what|loader[812] could not attach an XDP program: because");
	SAYS("netns|ns:7");
	build(m, VIEW_EVENTS);
	describe(m, 0);
	SAYS("process|loader, pid 812");
	SAYS("on|CPU 0");
	SAYS("text|because");
	SAYS("more|3 earlier events");
	SAYS("  fix|do what the message asks for");
	SAYS("|$ dmesg | tail");
	findings_free(&f);
	event_log_free(&log);
}

/* A CPU's queue has no device: the source of its packets is named separately. */
TABLE_TEST(test_origin)
{
	struct findings f = { 0 };
	struct series_key key = { .map_type = SERIES_MAP_CPUMAP, .map_id = 5, .target = 2 };

	put(m, 1, TP_XDP_CPUMAP_ENQUEUE, key, COUNTS(0), COUNTS(20, 160, 30));
	key.netns = MADE_NETNS;
	key.ifindex = 3;
	key.prog_id = 42;
	put(m, 2, TP_XDP_REDIRECT, key, COUNTS(0), COUNTS(160));
	for (size_t i = 0; i < m->to.n_series; i++)
		if (m->to.series[i].key.ifindex)
			strcpy(m->to.series[i].ifname, "eth3");
	build(m, VIEW_FINDINGS);
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->to.mono_ns++; /* it needs two intervals */
	assert_int_equal(findings_update(&f, &m->rates, NULL), 0);
	m->options.findings = &f;
	build(m, VIEW_FINDINGS);
	describe(m, 0);
	SAYS("|cpumap-queue-full");
	SAYS("device|eth3 (+531840)");
	SAYS("program|prog42, id 42");
	findings_free(&f);
}

/* A consequence is explained with its cause, even in a row that only the consequence is about. */
TABLE_TEST(test_consequence)
{
	struct finding finding[] = { { .code = finding_code_find("xsk-not-polled"),
				       .active = true,
				       .tracepoint = TP_NONE,
				       .id = 1,
				       .text = "nobody reads" },
				     { .code = finding_code_find("xsk-ring-full"),
				       .active = true,
				       .tracepoint = TP_XDP_REDIRECT_ERR,
				       .id = 2,
				       .cause = 1,
				       .text = "the ring is full" } };
	struct findings f = { .finding = finding, .n = 2, .n_listed = 1, .n_active = 1 };
	struct series_key key = made_to_device(3, 0, 5);

	key.map_type = SERIES_MAP_XSKMAP;
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(key, -ENOBUFS), COUNTS(0), COUNTS(20));
	for (size_t i = 0; i < f.n; i++) {
		finding[i].rule = finding[i].code->rules;
		location_init(&finding[i].location);
		finding[i].location.dev = (struct netdev_ref){ MADE_NETNS, 3, "eth3" };
	}
	m->options.findings = &f;
	build(m, VIEW_FINDINGS);
	assert_int_equal(m->table.n_rows, 1);
	describe(m, 0);
	SAYS("consequence|xsk-ring-full: the ring is full");
	build(m, VIEW_ERRORS);
	describe(m, 0);
	SAYS("|xsk-not-polled: nobody reads");
	SAYS_NOT("xsk-ring-full");
	build(m, VIEW_DEVICES);
	describe(m, at(m, "eth3"));
	assert_int_equal(count("|xsk-not-polled: nobody reads"), 1);
}

/* A finding about this socket, though no map leads to it. */
TABLE_TEST(test_socket)
{
	struct finding starved = { .code = finding_code_find("xsk-starved"), .active = true };
	struct findings f = { .finding = &starved, .n = 1 };

	location_init(&starved.location);
	starved.location.socket_inode = 900;
	for (uint32_t inode = 900; inode < 902; inode++)
		memcpy(snapshot_add_row(&m->to, DATA_SOURCE_SOCKETS, sizeof(struct xdp_socket)),
		       &(struct xdp_socket){
			       .inode = inode, .fill.size = 64, .zerocopy = inode & 1 },
		       sizeof(struct xdp_socket));
	m->options.findings = &f;
	build(m, VIEW_SOCKETS);
	describe(m, 0);
	SAYS("|xsk-starved: ");
	SAYS("fill ring|0 of 64: no buffer for the next packet: the program returns none");
	describe(m, 1);
	SAYS_NOT("xsk-starved");
	SAYS("fill ring|0 of 64: no buffer for the next packets; the driver may still hold some");
}

/* General commands come after those of the causes, without repetition, under one heading. */
TABLE_TEST(test_commands_once)
{
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(20, 180, 30));
	put(m, 3, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 1), COUNTS(0), COUNTS(2));
	for (size_t i = 0; i < m->to.n_series; i++) {
		strcpy(m->to.series[i].ifname, "eth3");
		strcpy(m->to.series[i].to_ifname, "eth4");
	}
	m->options.netns = netns_names_new();
	netns_names_set(m->options.netns, MADE_NETNS, "init", 0);
	m->options.all = true;
	for (int view = 0; view < VIEW_COUNT; view++) {
		build(m, (enum view_id)view);
		for (size_t i = 0; i < m->table.n_rows; i++) {
			const char *more;

			describe(m, i);
			assert_true(count("|Commands\n") + count("|More commands\n") <= 1);
			assert_true(count("$ ") > 0 || !count("ommands\n"));
			more = strstr(lines, "|More commands\n");
			for (const char *at = more; at && (at = strstr(at, "|$ "));) {
				char line[256];

				snprintf(line, sizeof(line), "%.*s\n", (int)strcspn(at, "\n"), at);
				assert_int_equal(count(line), 1);
				at += strlen(line) - 1;
			}
		}
	}
	build(m, VIEW_FLOWS);
	describe(m, 0);
	SAYS("|More commands\n");
	assert_int_equal(count("|$ ip -d link show dev eth4\n"), 2); /* once for each cause */
	netns_names_free(m->options.netns);
	m->options.netns = NULL;
}

/* A listed failure: its location and meaning, from the series that counted it. */
TABLE_TEST(test_failure_event)
{
	struct event_log log = { 0 };
	struct event *e = snapshot_add_event(&m->to);

	*e = (struct event){ .tracepoint = TP_XDP_REDIRECT_ERR,
			     .time = m->to.wall,
			     .cpu = 1,
			     .key = with_code(made_to_device(3, 4, 5), -ENETDOWN) };
	strcpy(e->ifname, "eth3");
	strcpy(e->prog_name, "fwd");
	strcpy(e->text, "ENETDOWN to eth4");
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 5, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(7));
	put(m, 2, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(20));
	put(m, 3, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -EMSGSIZE), COUNTS(0),
	    COUNTS(30));
	strcpy(m->to.series[0].to_ifname, "eth5");
	strcpy(m->to.series[1].to_ifname, "eth4");
	strcpy(m->to.series[2].to_ifname, "eth4");
	event_log_take(&log, &m->to);
	m->options.events = &log;
	build(m, VIEW_EVENTS);
	describe(m, 0);
	SAYS("on|CPU 1");
	SAYS("device|eth3, ifindex 3");
	SAYS("program|fwd, id 42");
	SAYS("|xdp_redirect_err ENETDOWN (-100): 20 events, 20 lost since the start");
	SAYS("  meaning|the target interface is administratively down");
	SAYS(" link set dev eth4 up");
	SAYS_NOT("process|");
	/* renamed since: any series with the same error */
	strcpy(m->to.series[1].to_ifname, "new4");
	describe(m, 0);
	SAYS("  meaning|the target interface is administratively down");
	/* no longer in the snapshot: evicted, or before the recording */
	m->to.n_series = 0;
	build(m, VIEW_EVENTS);
	describe(m, 0);
	SAYS("text|ENETDOWN to eth4");
	SAYS_NOT("meaning|");
	event_log_free(&log);
}

/* A socket's queue, and the NIC's that it is leased from. */
TABLE_TEST(test_leased)
{
	struct xdp_socket *s = snapshot_add_row(&m->to, DATA_SOURCE_SOCKETS, sizeof(*s));

	assert_non_null(s);
	*s = (struct xdp_socket){ .inode = 7,
				  .netns = MADE_NETNS,
				  .ifindex = 4,
				  .ifname = "nk0",
				  .queue = 1,
				  .queues = 2,
				  .state = XDP_SOCKET_BOUND };
	build(m, VIEW_SOCKETS);
	describe(m, 0);
	SAYS("device|nk0");
	SAYS("queue|1/2");
	SAYS_NOT("leased");
	s->nic = (struct xdp_place){ MADE_NETNS, 3, 5 };
	strcpy(s->nic_ifname, "eth3");
	describe(m, 0);
	SAYS("queue|1/2");
	SAYS("leased from|eth3 queue 5");
}
