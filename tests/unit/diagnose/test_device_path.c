// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens to the packets of a device, by the best source of each number. */
#include <errno.h>
#include "diagnose/device_path.h"
#include "source/maps.h"
#include "source/sockets.h"
#include "unit/made_table.h"
#include "unit/made_verdicts.h"
#include "unit/test.h"

static struct device_path path;
static struct cpumap_losses cpumaps;

/* In all snapshots; the interval is 2 s. */
static void device_at(struct made *m, uint32_t ifindex, enum netdev_mode mode, const char *driver)
{
	struct snapshot *of[] = { &m->base, &m->from, &m->to };

	for (int i = 0; i < 3; i++) {
		struct netdev *d = snapshot_add_netdev(of[i]);

		assert_non_null(d);
		*d = (struct netdev){ .netns = MADE_NETNS, .ifindex = ifindex, .mode = mode };
		snprintf(d->name, sizeof(d->name), "eth%u", ifindex);
		snprintf(d->driver, sizeof(d->driver), "%s", driver);
		made_stack_counts(d);
	}
}

static void device(struct made *m, enum netdev_mode mode, const char *driver)
{
	device_at(m, 3, mode, driver);
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
	rates_set(&m->rates, m->first ? NULL : &m->from, &m->to, NULL);
	device_path_cpumaps(&cpumaps, &m->rates);
	device_path_set(&path, &m->rates, &cpumaps, MADE_NETNS, 3);
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
	char buf[160];

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

/* What the driver counted before this interval is not told as that of now. */
TABLE_TEST(test_old_counters)
{
	device(m, NETDEV_NATIVE, "veth");
	counted(m, NETDEV_RX_PACKETS, 20);
	counted(m, NETDEV_XDP_DROP, 400);
	counted(m, NETDEV_XDP_TX_ERRORS, 40);
	snapshot_netdevs(&m->to)->counters_read_at = (struct timespec){ m->to.wall.tv_sec - 3, 0 };
	set(m);
	assert_true(path.count[PATH_DROP].age == 3);
	expect_text("program dropped 200/s 3s ago");
	/* these are of this interval: no more came in, and the tracepoint saw no loss */
	expect(PATH_IN, "ip -s link", 10);
	assert_true(path.count[PATH_IN].age == 0);
	assert_true(path.count[PATH_LOST].per_s == 0 && path.count[PATH_LOST].age == 0);
	m->to.tp[TP_XDP_BULK_TX] = m->from.tp[TP_XDP_BULK_TX] = (struct tp_count){ 0 };
	set(m);
	assert_true(path.count[PATH_LOST].per_s == 20 && path.count[PATH_LOST].age == 3);
	expect_text("20/s lost 3s ago");
}

/* It is as old as the counter of drops. What was read in the interval of 2 s is new. */
TABLE_TEST(test_nothing_lost_has_an_age)
{
	char words[40];

	device(m, NETDEV_NATIVE, "veth");
	counted(m, NETDEV_RX_PACKETS, 20);
	counted(m, NETDEV_XDP_DROP, 0);
	counted(m, NETDEV_XDP_TX_ERRORS, 0);
	for (int age = 0; age < 40; age++) {
		snapshot_netdevs(&m->to)->counters_read_at =
			(struct timespec){ m->to.wall.tv_sec - age, 0 };
		set(m);
		snprintf(words, sizeof(words), age >= 2 ? "nothing lost %ds ago" : "nothing lost",
			 age);
		expect_text(words);
		assert_true(device_path_age(&path) == (age >= 2 ? age : 0));
	}
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
	expect_text("not counted: its driver is not known to report XDP_ABORTED");
}

/* The driver counts drops, and its namespace was not entered. */
TABLE_TEST(test_not_entered)
{
	device(m, NETDEV_NATIVE, "veth");
	snapshot_netdevs(&m->to)->counted = 0;
	set(m);
	expect_text("drops not counted (--verdicts)");
	snapshot_netdevs(&m->to)->mode = NETDEV_GENERIC;
	set(m);
	expect_text("drops not counted (--verdicts)");
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
	expect_text("not counted: xdp_bulk_tx was shed");
}

/*
 * After XDP, each counter of a stack matters: of the device, of what it redirects to, and of the
 * peer of that, and of its own peer if packets may be sent back. One that is not known in the
 * interval forbids the claim.
 */
TABLE_TEST(test_nothing_lost_needs_the_stacks)
{
	device(m, NETDEV_NATIVE, "veth");
	counted(m, NETDEV_RX_PACKETS, 400);
	counted(m, NETDEV_XDP_DROP, 0);
	snapshot_netdevs(&m->to)->peer_netns = MADE_NETNS;
	snapshot_netdevs(&m->to)->peer_ifindex = 6;
	counted(m, NETDEV_XDP_TX, 20);
	set(m);
	expect_text("no loss seen by XDP");
	counted(m, NETDEV_XDP_TX, 0);
	set(m);
	expect_text("nothing lost");
	put(m, 1, TP_XDP_DEVMAP_XMIT, made_xmit(3, 4), COUNTS(0), COUNTS(4, 40, 0));
	set(m);
	expect_text("no loss seen by XDP");
	device_at(m, 4, NETDEV_NONE, "");
	set(m);
	expect_text("nothing lost");
	/* its peer is not known, then known but not in the snapshot */
	snprintf(snapshot_netdevs(&m->to)[1].kind, NETDEV_NAME_LEN, "veth");
	set(m);
	expect_text("no loss seen by XDP");
	snapshot_netdevs(&m->to)[1].peer_netns = MADE_NETNS;
	snapshot_netdevs(&m->to)[1].peer_ifindex = 5;
	set(m);
	expect_text("no loss seen by XDP");
	device_at(m, 5, NETDEV_NONE, "");
	set(m);
	expect_text("nothing lost");
	for (int i = 0; i < 3; i++) {
		struct netdev *d = &snapshot_netdevs(&m->to)[i];

		for (int c = NETDEV_RX_OTHERHOST; c < NETDEV_COUNTS; c++) {
			bool of_stack = c == NETDEV_RX_OTHERHOST || c >= NETDEV_NETNS_COUNT;
			float *per_s =
				c < NETDEV_DRIVER_COUNT ? NULL : &d->per_s[c - NETDEV_DRIVER_COUNT];
			const struct netdev was = *d;

			d->counted &= ~BIT(c);
			set(m);
			if (of_stack)
				expect_text("no loss seen by XDP");
			*d = was;
			if (!of_stack || !per_s)
				continue;
			/* read once: its growth is not known yet */
			*per_s = -1;
			set(m);
			expect_text("no loss seen by XDP");
			*d = was;
		}
		set(m);
		expect_text("nothing lost");
	}
}

static void has_socket(struct snapshot *to, uint32_t inode, uint64_t tx_invalid)
{
	struct xdp_socket *s = snapshot_add_row(to, DATA_SOURCE_SOCKETS, sizeof(*s));

	assert_non_null(s);
	*s = (struct xdp_socket){ .inode = inode,
				  .netns = MADE_NETNS,
				  .ifindex = 3,
				  .state = XDP_SOCKET_BOUND,
				  .tx_invalid = tx_invalid };
}

/* Frames that AF_XDP sockets could not send, also of a device without a program. */
TABLE_TEST(test_sockets)
{
	struct sockets_left_out *row;

	device(m, NETDEV_NATIVE, "veth");
	counted(m, NETDEV_RX_PACKETS, 400);
	counted(m, NETDEV_XDP_DROP, 0);
	has_socket(&m->from, 7, 100);
	has_socket(&m->to, 7, 120);
	has_socket(&m->to, 8, 0);
	put(m, 1, TP_XDP_REDIRECT_ERR, with_code(made_to_device(3, 4, 5), -ENETDOWN), COUNTS(0),
	    COUNTS(40));
	set(m);
	assert_true(path.count[PATH_LOST].since == 160);
	expect(PATH_LOST, "several counters", 30);
	expect_text("30/s lost");
	/* without a program */
	m->to.n_series = 0;
	snapshot_netdevs(&m->to)->mode = NETDEV_NONE;
	set(m);
	assert_true(path.count[PATH_LOST].per_s == 10);
	expect_text("10/s lost");
	snapshot_netdevs(&m->to)->mode = NETDEV_NATIVE;
	m->from.rows[DATA_SOURCE_SOCKETS].n = 0;
	row = snapshot_add_row(&m->to, DATA_SOURCE_SOCKETS_LEFT_OUT, sizeof(*row));
	*row = (struct sockets_left_out){ .netns = MADE_NETNS, .n = 1 };
	set(m);
	expect_text("not counted: too many AF_XDP sockets");
}

/* It matters to a device whose program may hand packets to sockets, or whose maps are not known. */
TABLE_TEST(test_sockets_are_refused)
{
	struct map_entry *map;

	device(m, NETDEV_NATIVE, "veth");
	counted(m, NETDEV_RX_PACKETS, 400);
	counted(m, NETDEV_XDP_DROP, 0);
	snapshot_netdevs(&m->to)->prog_id = 42;
	map = snapshot_add_row(&m->to, DATA_SOURCE_MAPS, sizeof(*map));
	*map = (struct map_entry){ .map_id = 5, .users_total = 1, .users_known = true };
	snapshot_add_row(&m->to, DATA_SOURCE_SOCKETS_LEFT_OUT, sizeof(struct sockets_left_out));
	for (uint32_t user = 42; user <= 43; user++) {
		for (uint32_t type = BPF_MAP_TYPE_CPUMAP; type <= BPF_MAP_TYPE_XSKMAP; type++) {
			map->user[0] = user;
			map->map_type = type;
			set(m);
			expect_text(user == 42 && type == BPF_MAP_TYPE_XSKMAP
					    ? "not counted: AF_XDP sockets cannot be read"
					    : "nothing lost");
		}
	}
	map->users_known = false;
	set(m);
	expect_text("not counted: AF_XDP sockets cannot be read");
}

TABLE_TEST(test_no_program)
{
	device(m, NETDEV_NONE, "veth");
	counted(m, NETDEV_RX_PACKETS, 400);
	set(m);
	expect(PATH_IN, "ip -s link", 200);
	expect_text("no XDP, so XDP loses nothing");
}
