// SPDX-License-Identifier: GPL-2.0-or-later
/* The packet path of a device: from the NIC on, and whether XDP is to blame. */
#include <errno.h>
#include "model/ethtool_stat.h"
#include "unit/made_lines.h"
#include "unit/test.h"

/* Describes the row of eth3 in the devices view. */
static void describe_eth3(struct made *m)
{
	size_t row = 0;

	build(m, VIEW_DEVICES);
	while (m->table.row[row].ifindex != 3)
		row++;
	describe_by(packet_path_explain, m, row);
}

static struct netdev *add(struct snapshot *s, enum netdev_mode mode, const char *driver)
{
	struct netdev *d = snapshot_add_netdev(s);

	assert_non_null(d);
	*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = 3, .name = "eth3", .mode = mode };
	snprintf(d->driver, sizeof(d->driver), "%s", driver);
	return d;
}

/* A counter before and now; a driver's counter with its rate. */
static void counted(struct made *m, enum netdev_count which, uint64_t before, uint64_t now)
{
	netdev_set_count(snapshot_netdevs(&m->from), which, before);
	netdev_set_count(snapshot_netdevs(&m->to), which, now);
	if (which >= NETDEV_DRIVER_COUNT)
		snapshot_netdevs(&m->to)->per_s[which - NETDEV_DRIVER_COUNT] =
			(float)(now - before) / 2;
}

static void device(struct made *m, enum netdev_mode mode, const char *driver)
{
	add(&m->base, mode, driver);
	add(&m->from, mode, driver);
	add(&m->to, mode, driver);
}

static void stack_counted(struct made *m)
{
	made_stack_counts(snapshot_netdevs(&m->from));
	made_stack_counts(snapshot_netdevs(&m->to));
}

/* In the order of the path. */
static void in_order(const char *const *label)
{
	const char *at = lines;

	for (; *label; label++) {
		char line[32];
		const char *found;

		snprintf(line, sizeof(line), "\n%s|", *label);
		found = strstr(at, line);
		if (!found)
			fail_msg("no \"%s\" after the one before in:\n%s", *label, lines);
		at = found;
	}
}

TABLE_TEST(test_all_known)
{
	static const char *const order[] = { "received",     "missed",   "dropped",   "no buffer",
					     "seen by XDP",  "XDP_PASS", "XDP_DROP",  "aborted",
					     "invalid",      "XDP_TX",   "TX failed", "exceptions",
					     "queued",       "sent",     "not sent",  "as a target",
					     "bad checksum", "result",   NULL };

	device(m, NETDEV_NATIVE, "veth");
	made_on(&m->from, TP_XDP_REDIRECT);
	made_on(&m->to, TP_XDP_REDIRECT);
	m->from.tp[TP_XDP_REDIRECT].on_ns = m->from.mono_ns;
	for (int i = 0; i < NETDEV_COUNTS; i++)
		counted(m, (enum netdev_count)i, 1000, 1000 + 2 * (uint64_t)i);
	counted(m, NETDEV_RX_PACKETS, 1000, 1200);
	snapshot_netdevs(&m->to)->counted &= ~BIT(NETDEV_RX_OUT_OF_BUFFER);
	put(m, 1, TP_XDP_REDIRECT, made_to_device(3, 4, 5), COUNTS(0), COUNTS(20));
	put(m, 2, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(2, 18, 2));
	put(m, 3, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 0), COUNTS(0), COUNTS(6));
	describe_eth3(m);
	in_order(order);
	SAYS("received|1200, now 100/s (ip -s link): ");
	SAYS("missed|1002, now 1.0/s (ip -s link): ");
	SAYS("dropped|1004, now 2.0/s (ip -s link): ");
	SAYS("XDP_PASS|unknown: ");
	SAYS(" (ethtool -S): ");
	SAYS("bad checksum|1040, now 20/s (nstat: InCsumErrors): dropped by the stack of this ");
	SAYS("exceptions|6, now 3.0/s (xdp_exception): ");
	SAYS("\nsent|18, now 9.0/s (xdp_devmap_xmit): ");
	SAYS("result|XDP drops packets here, as counted above; others are lost before XDP\n");
	SAYS("|Counted since the device was created ");
	/* since the baseline */
	for (int i = 0; i < NETDEV_COUNTS; i++)
		netdev_set_count(snapshot_netdevs(&m->base), (enum netdev_count)i, 900);
	m->with_base = true;
	describe_eth3(m);
	SAYS("received|300, now 100/s (ip -s link): ");
	SAYS_NOT("device exists");
}

/* Neither netlink nor ethtool answered. */
TABLE_TEST(test_nothing_known)
{
	device(m, NETDEV_NATIVE, "");
	snapshot_netdevs(&m->to)->has_offloads = true;
	describe_eth3(m);
	SAYS("received|unknown: its counters could not be read\n");
	SAYS("missed|unknown: its counters could not be read\n");
	SAYS("XDP_DROP|unknown: its driver is not known to count it\n");
	SAYS("bad checksum|unknown: its namespace's counters were not read\n");
	SAYS_NOT("no buffer|");
	SAYS_NOT("as a target|");
	SAYS("result|it is not known whether XDP drops packets here: its driver is not known to "
	     "count "
	     "XDP_DROP\n");
	/* unknown to netlink: tracepoints only */
	m->from.rows[DATA_SOURCE_NETDEVS].n = m->to.rows[DATA_SOURCE_NETDEVS].n = 0;
	put(m, 1, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 0), COUNTS(0), COUNTS(6));
	describe_eth3(m);
	SAYS("exceptions|6");
	SAYS_NOT("received|");
	SAYS_NOT("result|");
}

/* Only the walk lists it: its counters are not read. */
TABLE_TEST(test_other_namespace)
{
	device(m, NETDEV_NATIVE, "veth");
	describe_eth3(m);
	SAYS("received|unknown: xdptop did not enter its namespace at start\n");
	SAYS("XDP_DROP|unknown: xdptop did not enter its namespace at start\n");
	SAYS("bad checksum|unknown: xdptop did not enter its namespace at start\n");
	SAYS("result|it is not known whether XDP drops packets here: xdptop did not enter its "
	     "namespace at start\n");
}

/* A driver that fires no xdp_exception. */
TABLE_TEST(test_silent_driver)
{
	device(m, NETDEV_NATIVE, "gve");
	stack_counted(m);
	counted(m, NETDEV_XDP_DROP, 0, 0);
	describe_eth3(m);
	SAYS("result|it is not known whether XDP drops packets here: its driver is not known to "
	     "report "
	     "XDP_ABORTED\n");
	counted(m, NETDEV_XDP_ABORTED, 0, 0);
	counted(m, NETDEV_XDP_INVALID, 0, 0);
	describe_eth3(m);
	SAYS("result|it is not known whether XDP drops packets here: its driver is not known to "
	     "report "
	     "XDP_TX that failed\n");
	/* its counters show the loss */
	counted(m, NETDEV_XDP_TX_ERRORS, 0, 0);
	describe_eth3(m);
	SAYS("result|XDP drops nothing here now; no drops have been counted in the 12s since the "
	     "start\n");
	counted(m, NETDEV_XDP_ABORTED, 10, 20);
	describe_eth3(m);
	SAYS("aborted|20, now 5.0/s (ethtool -S: rx_xdp_aborted[*]): ");
	SAYS("result|XDP drops packets here, as counted above\n");
	counted(m, NETDEV_XDP_ABORTED, 20, 20);
	describe_eth3(m);
	SAYS("result|XDP drops nothing here now; its earlier drops are counted above\n");
}

TABLE_TEST(test_generic)
{
	device(m, NETDEV_GENERIC, "veth");
	counted(m, NETDEV_RX_PACKETS, 10, 30);
	describe_eth3(m);
	SAYS("received|30, now 10/s (ip -s link)");
	SAYS("seen by XDP|30, now 10/s (ip -s link): no verdicts are counted; this is the skbs "
	     "that the device "
	     "received\n");
	SAYS("XDP_DROP|unknown: generic mode does not count it\n");
	SAYS("\nsent|n/a: generic mode has no xdp_devmap_xmit");
	SAYS("result|it is not known whether XDP drops packets here: generic mode does not "
	     "count XDP_DROP\n");
	counted(m, NETDEV_RX_MISSED, 10, 30);
	describe_eth3(m);
	SAYS("does not count XDP_DROP; missed packets are lost before XDP\n");
}

static void acquit(struct made *m)
{
	device(m, NETDEV_NATIVE, "veth");
	stack_counted(m);
	counted(m, NETDEV_XDP_DROP, 0, 0);
}

/* The kernel's 0 is meaningless if the driver counts losses separately. */
TABLE_TEST(test_missed_of_driver)
{
	acquit(m);
	counted(m, NETDEV_RX_MISSED, 0, 0);
	counted(m, NETDEV_RX_OUT_OF_BUFFER, 1000, 1200);
	describe_eth3(m);
	SAYS("missed|1200, now 100/s (ethtool -S): ");
	SAYS("result|XDP drops nothing here now; no drops have been counted in the 12s since the "
	     "start; "
	     "packets lost "
	     "here are lost before XDP\n");
}

TABLE_TEST(test_lost_before)
{
	acquit(m);
	counted(m, NETDEV_RX_MISSED, 1000, 1000);
	describe_eth3(m);
	SAYS("result|XDP drops nothing here now; no drops have been counted in the 12s since the "
	     "start\n");
	counted(m, NETDEV_RX_MISSED, 1000, 1200);
	describe_eth3(m);
	SAYS("missed|1200, now 100/s (ip -s link): ");
	SAYS("result|XDP drops nothing here now; no drops have been counted in the 12s since the "
	     "start; "
	     "packets lost "
	     "here are lost before XDP\n");
	/* none in the interval, some since the baseline */
	counted(m, NETDEV_RX_MISSED, 1200, 1200);
	netdev_set_count(snapshot_netdevs(&m->base), NETDEV_RX_MISSED, 1000);
	netdev_set_count(snapshot_netdevs(&m->base), NETDEV_XDP_DROP, 0);
	m->with_base = true;
	describe_eth3(m);
	SAYS("result|XDP drops nothing here now; no drops have been counted in the 7s since the "
	     "baseline; "
	     "packets "
	     "lost ");
}

TABLE_TEST(test_acquitted)
{
	acquit(m);
	describe_eth3(m);
	SAYS("result|XDP drops nothing here now; no drops have been counted in the 12s since the "
	     "start\n");
	/* dropped before the baseline */
	counted(m, NETDEV_XDP_DROP, 700, 700);
	describe_eth3(m);
	SAYS("result|XDP drops nothing here now; its earlier drops are counted above\n");
	snapshot_netdevs(&m->to)->counted &= ~BIT(NETDEV_NO_ROUTES);
	describe_eth3(m);
	SAYS("are counted above; whether a network stack drops packets is not known\n");
	stack_counted(m);
	netdev_set_count(snapshot_netdevs(&m->base), NETDEV_XDP_DROP, 700);
	m->with_base = true;
	describe_eth3(m);
	SAYS("XDP_DROP|0, now 0/s");
	SAYS("result|XDP drops nothing here now; no drops have been counted in the 7s since the "
	     "baseline\n");
	/* created again with the same ifindex */
	netdev_set_count(snapshot_netdevs(&m->base), NETDEV_XDP_DROP, 900);
	describe_eth3(m);
	SAYS("XDP_DROP|unknown: not counted at the baseline, or reset since\n");
	counted(m, NETDEV_RX_MISSED, 5, 5);
	describe_eth3(m);
	SAYS("missed|unknown: not counted at the baseline, or reset since\n");
	m->with_base = false;
	counted(m, NETDEV_XDP_DROP, 0, 0);
	made_off(&m->to, TP_XDP_REDIRECT_ERR, TP_SHED);
	describe_eth3(m);
	SAYS("result|it is not known whether XDP drops packets here: xdp_redirect_err was "
	     "shed\n");
}

/* One loss is enough, whatever reports it. */
TABLE_TEST(test_each_loss)
{
	acquit(m);
	counted(m, NETDEV_XDP_REDIRECT_ERRORS, 0, 10);
	describe_eth3(m);
	SAYS("result|XDP drops packets here, as counted above\n");
	counted(m, NETDEV_XDP_REDIRECT_ERRORS, 0, 0);
	counted(m, NETDEV_RX_ALLOC_FAIL, 0, 10);
	describe_eth3(m);
	SAYS("result|XDP drops nothing here now; no drops have been counted in the 12s since the "
	     "start; "
	     "packets lost ");
	counted(m, NETDEV_RX_ALLOC_FAIL, 0, 0);
	put(m, 1, TP_XDP_BULK_TX, made_to_device(3, 0, 0), COUNTS(0), COUNTS(2, 18, 2));
	describe_eth3(m);
	SAYS("result|XDP drops packets here, as counted above\n");
}

/* libeth's xdp_bulk_tx may report frames redirected to the device: not a loss here. */
TABLE_TEST(test_libeth)
{
	acquit(m);
	strcpy(snapshot_netdevs(&m->to)->driver, "idpf");
	put(m, 1, TP_XDP_BULK_TX, made_to_device(3, 0, 0), COUNTS(0), COUNTS(2, 18, 2));
	describe_eth3(m);
	SAYS("sent by XDP|18, now 9.0/s (xdp_bulk_tx): XDP_TX and frames redirected to it; do not "
	     "add ");
	SAYS("not sent|2, now 1.0/s (xdp_bulk_tx): XDP_TX and frames redirected to it, counted at "
	     "each ");
	SAYS_NOT("result|XDP drops packets here");
}

/* Without a program verdicts are not mentioned. */
TABLE_TEST(test_no_program)
{
	device(m, NETDEV_NONE, "veth");
	put(m, 1, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), 0), COUNTS(0), COUNTS(6));
	describe_eth3(m);
	SAYS("received|");
	SAYS_NOT("XDP_PASS|");
	SAYS("result|no XDP program is attached: XDP drops nothing here\n");
}

/* Packets of other devices, and views of flows, are excluded. */
TABLE_TEST(test_flow)
{
	device(m, NETDEV_NATIVE, "veth");
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(2, 18, 2));
	build(m, VIEW_FLOWS);
	describe_by(packet_path_explain, m, 0);
	SAYS("\nsent|18, now 9.0/s");
	SAYS_NOT("received|");
	SAYS_NOT("result|");
}

/* By the driver's names, growing counters first. */
TABLE_TEST(test_other_counters)
{
	static const struct ethtool_stat stat[] = {
		{ MADE_NETNS, 3, 1, 2, 70, 0, false, "rx_still" },
		{ MADE_NETNS, 3, 4, 2, 1200, 2.5F, false, "rx_no_dma" },
		{ MADE_NETNS, 3, 5, 2, 9, -1, false, "rx_new" },
		{ MADE_NETNS, 4, 1, 0, 5, 0, false, "of_another" },
	};

	for (size_t i = 0; i < 4; i++)
		memcpy(snapshot_add_row(&m->to, DATA_SOURCE_ETHTOOL_STATS, sizeof(stat[i])),
		       &stat[i], sizeof(stat[i]));
	device(m, NETDEV_NATIVE, "igb");
	build(m, VIEW_DEVICES);
	describe(m, 0);
	SAYS("|rx_no_dma: 1200, now 2.5/s\n|rx_still: 70, now 0/s\n|rx_new: 9\n"
	     "|2 more are not 0\n");
	SAYS_NOT("of_another");
}
