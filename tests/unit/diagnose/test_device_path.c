// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens to the packets of a device, by the best source of each number. */
#include <errno.h>
#include "diagnose/device_path.h"
#include "unit/made_table.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

static struct device_path path;

/* eth3 in all snapshots; the interval is 2 s. */
static void device(struct made *m, enum netdev_mode mode, const char *driver)
{
	struct snapshot *of[] = { &m->base, &m->from, &m->to };

	for (int i = 0; i < 3; i++) {
		struct netdev *d = snapshot_add_netdev(of[i]);

		assert_non_null(d);
		*d = (struct netdev){
			.netns = MADE_NETNS, .ifindex = 3, .name = "eth3", .mode = mode
		};
		snprintf(d->driver, sizeof(d->driver), "%s", driver);
	}
}

/* In the interval; before it there were 1000. */
static void counted(struct made *m, enum netdev_count which, uint64_t n)
{
	netdev_set_count(snapshot_netdevs(&m->from), which, 1000);
	netdev_set_count(snapshot_netdevs(&m->to), which, 1000 + n);
	if (which >= NETDEV_DRIVER_COUNT)
		snapshot_netdevs(&m->to)->per_s[which - NETDEV_DRIVER_COUNT] = (float)n / 2;
}

static void set(struct made *m)
{
	assert_int_equal(rates_set(&m->rates, m->first ? NULL : &m->from, &m->to, NULL), 0);
	device_path_set(&path, &m->rates, MADE_NETNS, 3);
}

static void expect(enum path_stage stage, const char *source, double per_s)
{
	char buf[160];

	assert_string_equal(device_path_source(&path, stage, buf, sizeof(buf)), source);
	if (*source) {
		assert_true(path.count[stage].now);
		assert_true(path.count[stage].per_s == per_s);
	}
}

static void expect_text(const char *text)
{
	char buf[80];

	assert_int_equal(device_path_text(&path, buf, sizeof(buf)), strlen(text));
	assert_string_equal(buf, text);
}

TABLE_TEST(test_verdicts)
{
	static const uint64_t n[VERDICT_ACTS] = { [XDP_ABORTED] = 2,
						  [XDP_DROP] = 20,
						  [XDP_PASS] = 40,
						  [XDP_TX] = 60,
						  [XDP_REDIRECT] = 80 };

	device(m, NETDEV_NATIVE, "veth");
	snapshot_netdevs(&m->to)->prog_id = 42;
	made_program(&m->from, 42);
	made_program(&m->to, 42);
	for (uint32_t act = 0; act < VERDICT_ACTS; act++) {
		made_verdict(&m->from, 42, act, 100);
		made_verdict(&m->to, 42, act, 100 + n[act]);
	}
	made_sort_verdicts(&m->from);
	made_sort_verdicts(&m->to);
	/* worse sources, which have other numbers */
	counted(m, NETDEV_RX_PACKETS, 2000);
	counted(m, NETDEV_XDP_DROP, 2000);
	counted(m, NETDEV_XDP_TX, 2000);
	counted(m, NETDEV_XDP_TX_ERRORS, 0);
	/* the aborted packets once more */
	put(m, 1, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), XDP_ABORTED), COUNTS(0),
	    COUNTS(2));
	set(m);
	expect(PATH_IN, "verdicts", 101);
	expect(PATH_PASS, "verdicts", 20);
	expect(PATH_DROP, "verdicts", 10);
	expect(PATH_TX, "verdicts", 30);
	expect(PATH_REDIRECT, "verdicts", 40);
	assert_true(path.count[PATH_LOST].per_s == 1);
	expect_text("1.0/s lost");
}

/* XDP_DROP is what the program asked for; its counter includes XDP_ABORTED. */
TABLE_TEST(test_driver)
{
	device(m, NETDEV_NATIVE, "veth");
	counted(m, NETDEV_RX_PACKETS, 300);
	counted(m, NETDEV_XDP_DROP, 200);
	counted(m, NETDEV_XDP_TX, 20);
	counted(m, NETDEV_XDP_TX_ERRORS, 0);
	counted(m, NETDEV_XDP_REDIRECTED, 40);
	set(m);
	expect(PATH_IN, "ip -s link", 150);
	expect(PATH_PASS, "", 0);
	expect(PATH_DROP, "ethtool -S: rx_queue_*_xdp_drops", 100);
	expect(PATH_TX, "ethtool -S: rx_queue_*_xdp_tx", 10);
	expect(PATH_REDIRECT, "ethtool -S: rx_queue_*_xdp_redirect", 20);
	assert_true(path.count[PATH_LOST].source && !path.count[PATH_LOST].per_s);
	expect_text("program drops 100/s");
	put(m, 1, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), XDP_ABORTED), COUNTS(0),
	    COUNTS(200));
	set(m);
	expect(PATH_DROP, "ethtool -S: rx_queue_*_xdp_drops", 0);
	assert_true(path.count[PATH_LOST].per_s == 100);
	expect_text("100/s lost");
}

/* More came in than its driver says. */
TABLE_TEST(test_in_is_no_less)
{
	device(m, NETDEV_NATIVE, "veth");
	counted(m, NETDEV_RX_PACKETS, 10);
	counted(m, NETDEV_XDP_DROP, 200);
	counted(m, NETDEV_XDP_TX, 20);
	set(m);
	assert_true(path.count[PATH_IN].per_s == 110);
}

/* What XDP took is not in rx_packets. */
TABLE_TEST(test_mlx5)
{
	device(m, NETDEV_NATIVE, "mlx5_core");
	counted(m, NETDEV_RX_PACKETS, 10);
	set(m);
	expect(PATH_IN, "", 0);
	expect(PATH_PASS, "ip -s link", 5);
	counted(m, NETDEV_XDP_DROP, 200);
	counted(m, NETDEV_XDP_TX, 20);
	counted(m, NETDEV_XDP_REDIRECTED, 40);
	set(m);
	expect(PATH_IN, "several counters", 135);
	expect(PATH_DROP, "ethtool -S: rx_xdp_drop, rx_xsk_xdp_drop", 100);
	expect_text("program drops 100/s");
}

TABLE_TEST(test_virtio)
{
	device(m, NETDEV_NATIVE, "virtio_net");
	counted(m, NETDEV_RX_PACKETS, 400);
	counted(m, NETDEV_XDP_DROP, 200);
	/* failed redirects are in its counter of drops */
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(40));
	set(m);
	expect(PATH_IN, "ip -s link", 200);
	assert_true(path.count[PATH_DROP].per_s == 80);
	assert_true(path.count[PATH_LOST].per_s == 20);
	expect_text("20/s lost");
}

/* Only the link's counters, and those omit dropped packets. */
TABLE_TEST(test_tap)
{
	device(m, NETDEV_NATIVE, "tun");
	counted(m, NETDEV_RX_PACKETS, 400);
	counted(m, NETDEV_RX_DROPPED, 400);
	set(m);
	expect(PATH_IN, "", 0);
	expect(PATH_PASS, "", 0);
	expect(PATH_DROP, "", 0);
	expect_text("drops not counted (--verdicts)");
}

TABLE_TEST(test_tracepoints_only)
{
	device(m, NETDEV_NATIVE, "");
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(4, 40, 20));
	put(m, 2, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -EMSGSIZE), COUNTS(0),
	    COUNTS(8));
	/* a driver's echo */
	put(m, 3, TP_XDP_EXCEPTION, with_code(made_to_device(3, 0, 0), XDP_REDIRECT), COUNTS(0),
	    COUNTS(8));
	/* of another device */
	put(m, 4, TP_XDP_REDIRECT_ERR, with_code(made_to_device(4, 3, 5), -EMSGSIZE), COUNTS(0),
	    COUNTS(800));
	set(m);
	expect(PATH_IN, "", 0);
	expect(PATH_DROP, "", 0);
	expect(PATH_TX, "", 0);
	expect(PATH_REDIRECT, "xdp_devmap_xmit", 30);
	assert_true(path.count[PATH_LOST].per_s == 14);
	expect_text("14/s lost");
	/* the better tracepoint */
	made_on(&m->from, TP_XDP_REDIRECT);
	made_on(&m->to, TP_XDP_REDIRECT);
	set(m);
	expect(PATH_REDIRECT, "xdp_redirect", 0);
}

/* Nothing says what its program does. */
TABLE_TEST(test_unknown)
{
	device(m, NETDEV_NATIVE, "");
	set(m);
	for (int i = 0; i < PATH_STAGES; i++)
		assert_int_equal(path.count[i].source, PATH_UNKNOWN);
	assert_int_equal(device_path_result(&path), PATH_DROPS_UNCOUNTED);
	/* its drops are known, but not all of its losses */
	counted(m, NETDEV_XDP_DROP, 0);
	set(m);
	expect_text("losses not counted");
}

TABLE_TEST(test_generic)
{
	device(m, NETDEV_GENERIC, "virtio_net");
	counted(m, NETDEV_RX_PACKETS, 400);
	counted(m, NETDEV_XDP_DROP, 20); /* of an earlier native program */
	set(m);
	expect(PATH_IN, "ip -s link", 200);
	expect(PATH_PASS, "", 0);
	expect(PATH_DROP, "", 0);
	assert_true(path.count[PATH_LOST].source && !path.count[PATH_LOST].per_s);
	expect_text("drops not counted (--verdicts)");
}

TABLE_TEST(test_nothing_lost)
{
	device(m, NETDEV_NATIVE, "veth");
	counted(m, NETDEV_RX_PACKETS, 400);
	counted(m, NETDEV_XDP_DROP, 0);
	set(m);
	expect_text("nothing lost");
	counted(m, NETDEV_RX_MISSED, 20);
	set(m);
	expect_text("10/s lost before XDP");
	counted(m, NETDEV_RX_MISSED, 0);
	/* no interval */
	m->first = true;
	set(m);
	assert_int_equal(device_path_result(&path), PATH_NOT_YET);
	m->first = false;
	/* a tracepoint without which a loss is unknown */
	made_off(&m->to, TP_XDP_BULK_TX, TP_SHED);
	set(m);
	expect(PATH_LOST, "", 0);
	expect_text("losses not counted");
}

TABLE_TEST(test_no_program)
{
	device(m, NETDEV_NONE, "veth");
	counted(m, NETDEV_RX_PACKETS, 400);
	set(m);
	expect(PATH_IN, "ip -s link", 200);
	expect_text("no XDP, so XDP loses nothing");
}
