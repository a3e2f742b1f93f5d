// SPDX-License-Identifier: GPL-2.0-or-later
/* The effect of messages on the table of devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unit/made.h"
#include "base/clock.h"
#include "inventory/netdev_table.h"
#include "source/data_source.h"
#include "unit/test.h"

#define OTHER_NETNS (MADE_NETNS + 7)

/* A message about a device. */
static void say(struct netdev_table *t, uint32_t netns, uint32_t ifindex, const char *name,
		enum netdev_mode mode)
{
	struct link_message m = { .device = { .ifindex = ifindex, .up = true, .mode = mode } };

	snprintf(m.device.name, sizeof(m.device.name), "%s", name);
	m.device.gone = !*name;
	netdev_table_take(t, netdev_table_netns(t, netns), &m);
}

static const struct netdev *known(const struct netdev_table *t, uint32_t netns, uint32_t ifindex)
{
	const struct netdev_entry *e = netdev_table_find(t, netns, ifindex);

	return e ? &e->link.device : NULL;
}

TEST(test_table)
{
	struct netdev_table t = { 0 };
	uint64_t generation;

	/* the same ifindex in two namespaces is two devices */
	say(&t, OTHER_NETNS, 2, "blue", NETDEV_NONE);
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NATIVE);
	say(&t, MADE_NETNS, 1, "lo", NETDEV_NONE);
	assert_string_equal(known(&t, MADE_NETNS, 2)->name, "eth0");
	assert_string_equal(known(&t, OTHER_NETNS, 2)->name, "blue");
	assert_int_equal(known(&t, OTHER_NETNS, 2)->netns, OTHER_NETNS);
	assert_null(known(&t, MADE_NETNS, 3));
	assert_null(known(&t, MADE_NETNS + 1, 2));
	/* features are kept by messages without them */
	netdev_table_features(&t, MADE_NETNS, 2, NETDEV_XDP_BASIC);
	generation = netdev_table_find(&t, MADE_NETNS, 2)->generation;
	say(&t, MADE_NETNS, 2, "wan0", NETDEV_GENERIC);
	assert_string_equal(known(&t, MADE_NETNS, 2)->name, "wan0");
	assert_true(known(&t, MADE_NETNS, 2)->has_features);
	assert_int_equal(netdev_table_find(&t, MADE_NETNS, 2)->generation, generation);
	/* a deleted device keeps its last state; then another device gets its ifindex */
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	assert_true(known(&t, MADE_NETNS, 2)->gone);
	assert_string_equal(known(&t, MADE_NETNS, 2)->name, "wan0");
	assert_int_equal(known(&t, MADE_NETNS, 2)->mode, NETDEV_GENERIC);
	say(&t, MADE_NETNS, 2, "wan0", NETDEV_NONE);
	assert_false(known(&t, MADE_NETNS, 2)->gone);
	assert_false(known(&t, MADE_NETNS, 2)->has_features);
	assert_int_not_equal(netdev_table_find(&t, MADE_NETNS, 2)->generation, generation);
	/* deleted before it was known */
	say(&t, MADE_NETNS, 9, "", NETDEV_NONE);
	assert_null(known(&t, MADE_NETNS, 9));
	netdev_table_free(&t);
}

TEST(test_table_dump)
{
	struct link_message m = { .device = { .ifindex = 2, .name = "eth0" } };
	struct netdev_table t = { 0 };
	uint64_t generation;

	say(&t, MADE_NETNS, 1, "lo", NETDEV_NONE);
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NONE);
	say(&t, OTHER_NETNS, 2, "eth0", NETDEV_NONE);
	netdev_table_dump_begin(&t, netdev_table_netns(&t, MADE_NETNS));
	say(&t, MADE_NETNS, 1, "lo", NETDEV_NONE);
	netdev_table_dump_end(&t, netdev_table_netns(&t, MADE_NETNS));
	assert_false(known(&t, MADE_NETNS, 1)->gone);
	assert_true(known(&t, MADE_NETNS, 2)->gone);
	assert_false(known(&t, OTHER_NETNS, 2)->gone);
	netdev_table_netns_ended(&t, netdev_table_netns(&t, OTHER_NETNS));
	assert_true(known(&t, OTHER_NETNS, 2)->gone);
	/* another namespace gets its inode, and has the same device */
	generation = netdev_table_find(&t, OTHER_NETNS, 2)->generation;
	m.netns_cookie = 5;
	netdev_table_take(&t, netdev_table_netns(&t, OTHER_NETNS), &m);
	assert_int_not_equal(netdev_table_find(&t, OTHER_NETNS, 2)->generation, generation);
	generation = netdev_table_find(&t, OTHER_NETNS, 2)->generation;
	netdev_table_take(&t, netdev_table_netns(&t, OTHER_NETNS), &m);
	assert_int_equal(netdev_table_find(&t, OTHER_NETNS, 2)->generation, generation);
	m.netns_cookie = 6;
	netdev_table_take(&t, netdev_table_netns(&t, OTHER_NETNS), &m);
	assert_int_not_equal(netdev_table_find(&t, OTHER_NETNS, 2)->generation, generation);
	netdev_table_netns_forget(&t, netdev_table_netns(&t, MADE_NETNS));
	assert_null(known(&t, MADE_NETNS, 1));
	netdev_table_free(&t);
}

/* A device without XDP is in snapshots if it has the wanted name, in any namespace. */
TEST(test_wanted)
{
	struct netdev_table t = { .wanted = "eth1" };
	struct suggestions near = { .n = 0 };
	struct snapshot s;
	char names[64];

	say(&t, MADE_NETNS, 1, "lo", NETDEV_NONE);
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NONE);
	say(&t, OTHER_NETNS, 2, "eth0", NETDEV_NONE);
	assert_false(netdev_table_has_wanted(&t, NULL));
	netdev_table_suggest(&t, "eth1", &near);
	assert_int_equal(suggestions_text(&near, names, sizeof(names)), 1);
	assert_string_equal(names, "eth0");
	say(&t, OTHER_NETNS, 3, "eth1", NETDEV_NONE);
	assert_true(netdev_table_has_wanted(&t, NULL));
	assert_false(netdev_table_has_wanted(&t, netdev_table_netns(&t, MADE_NETNS)));
	snapshot_init(&s);
	netdev_table_fill(&t, &s);
	assert_int_equal(snapshot_n_netdevs(&s), 1);
	assert_string_equal(snapshot_netdevs(&s)->name, "eth1");
	snapshot_free(&s);
	netdev_table_free(&t);
}

/* Devices without room are counted, even during a dump. */
TEST(test_table_full)
{
	struct netdev_table t = { 0 };
	struct snapshot s;

	for (int dump = 0; dump < 2; dump++) {
		netdev_table_dump_begin(&t, netdev_table_netns(&t, MADE_NETNS));
		assert_int_equal(netdev_table_left_out(&t), dump ? 2 : 0);
		for (uint32_t i = 1; i <= NETDEVS_MAX + 2; i++)
			say(&t, MADE_NETNS, i, "eth", NETDEV_NONE);
		assert_int_equal(netdev_table_left_out(&t), 2);
		netdev_table_dump_end(&t, netdev_table_netns(&t, MADE_NETNS));
	}
	assert_null(known(&t, MADE_NETNS, NETDEVS_MAX + 1));
	/* there is room after deleted devices were reported */
	netdev_table_netns_ended(&t, netdev_table_netns(&t, MADE_NETNS));
	assert_int_equal(netdev_table_left_out(&t), 0);
	snapshot_init(&s);
	netdev_table_fill(&t, &s);
	say(&t, OTHER_NETNS, 2, "eth0", NETDEV_NONE);
	assert_non_null(known(&t, OTHER_NETNS, 2));
	assert_int_equal(netdev_table_left_out(&t), 0);
	for (uint32_t i = 3; i <= NETDEVS_MAX + 3; i++)
		say(&t, OTHER_NETNS, i, "eth", NETDEV_NONE);
	assert_int_equal(netdev_table_left_out(&t), 2);
	netdev_table_netns_forget(&t, netdev_table_netns(&t, OTHER_NETNS));
	assert_int_equal(netdev_table_left_out(&t), 0);
	snapshot_free(&s);
	netdev_table_free(&t);
}

TEST(test_table_fill)
{
	struct netdev_table t = { 0 };
	struct snapshot s = { 0 };

	for (uint32_t i = 300; i > 0; i--)
		say(&t, MADE_NETNS, i, "quiet", i == 200 ? NETDEV_NATIVE : NETDEV_NONE);
	say(&t, OTHER_NETNS, 2, "target", NETDEV_NONE);
	made_series(
		&s, 1, TP_XDP_REDIRECT_ERR,
		(struct series_key){
			.netns = MADE_NETNS, .ifindex = 100, .to_netns = OTHER_NETNS, .target = 2 },
		(struct series_counters){ .events = 1 });
	/* the target is a CPU, not a device */
	made_series(&s, 2, TP_XDP_REDIRECT,
		    (struct series_key){ .netns = MADE_NETNS, .ifindex = 100, .target = 7 },
		    (struct series_counters){ .events = 1 });
	netdev_table_fill(&t, &s);
	assert_int_equal(snapshot_n_netdevs(&s), 3);
	assert_non_null(snapshot_find_netdev(&s, MADE_NETNS, 100));
	assert_non_null(snapshot_find_netdev(&s, MADE_NETNS, 200));
	assert_string_equal(snapshot_find_netdev(&s, OTHER_NETNS, 2)->name, "target");
	assert_null(snapshot_find_netdev(&s, MADE_NETNS, 7));
	/* detached: it stays; deleted: reported once more, or as long as a series names it */
	say(&t, MADE_NETNS, 200, "quiet", NETDEV_NONE);
	s.rows[DATA_SOURCE_NETDEVS].n = 0;
	netdev_table_fill(&t, &s);
	assert_int_equal(snapshot_find_netdev(&s, MADE_NETNS, 200)->mode, NETDEV_NONE);
	say(&t, MADE_NETNS, 200, "", NETDEV_NONE);
	say(&t, MADE_NETNS, 100, "", NETDEV_NONE);
	say(&t, MADE_NETNS, 50, "", NETDEV_NONE);
	for (int i = 0; i < 3; i++) {
		s.rows[DATA_SOURCE_NETDEVS].n = 0;
		netdev_table_fill(&t, &s);
		assert_true(snapshot_find_netdev(&s, MADE_NETNS, 100)->gone);
		assert_int_equal(!snapshot_find_netdev(&s, MADE_NETNS, 200), i > 0);
	}
	assert_null(known(&t, MADE_NETNS, 200));
	assert_null(known(&t, MADE_NETNS, 50));
	assert_non_null(known(&t, MADE_NETNS, 100));
	snapshot_free(&s);
	netdev_table_free(&t);
}

/* One end of a veth pair whose other end is in another namespace. */
static void say_veth(struct netdev_table *t, uint32_t netns, uint32_t ifindex, uint32_t peer,
		     int32_t nsid)
{
	struct link_message m = { .device = { .ifindex = ifindex,
					      .name = "veth",
					      .kind = "veth",
					      .mode = NETDEV_NATIVE,
					      .peer_ifindex = peer },
				  .peer_elsewhere = nsid >= 0,
				  .peer_nsid = nsid };

	netdev_table_take(t, netdev_table_netns(t, netns), &m);
}

/* A VLAN on eth0, which is a member of a bond: what findings about the VLAN need. */
TEST(test_table_beside)
{
	static const struct netdev devices[] = {
		{ .ifindex = 2, .name = "bond0", .kind = "bond" },
		{ .ifindex = 3, .name = "eth0", .master_ifindex = 2 },
		{ .ifindex = 4, .name = "lan", .kind = "vlan", .lower_ifindex = 3 },
		{ .ifindex = 5, .name = "eth1" },
	};
	struct netdev_table t = { 0 };
	struct snapshot s;

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		struct link_message m = { .device = devices[i] };

		netdev_table_take(&t, netdev_table_netns(&t, MADE_NETNS), &m);
	}
	snapshot_init(&s);
	netdev_table_need(&t, MADE_NETNS, 4);
	netdev_table_fill(&t, &s);
	assert_int_equal(snapshot_n_netdevs(&s), 2);
	assert_non_null(snapshot_find_netdev(&s, MADE_NETNS, 3));
	snapshot_free(&s);
	snapshot_init(&s);
	netdev_table_need(&t, MADE_NETNS, 3);
	netdev_table_fill(&t, &s);
	assert_non_null(snapshot_find_netdev(&s, MADE_NETNS, 2));
	assert_null(snapshot_find_netdev(&s, MADE_NETNS, 5));
	snapshot_free(&s);
	netdev_table_free(&t);
}

TEST(test_table_peers)
{
	struct netdev_table t = { 0 };
	struct link_message of[4];

	say_veth(&t, MADE_NETNS, 10, 2, 5);
	say_veth(&t, MADE_NETNS, 11, 12, -1);
	say_veth(&t, OTHER_NETNS, 2, 10, 0);
	say_veth(&t, OTHER_NETNS + 1, 2, 99, 0);
	assert_int_equal(known(&t, MADE_NETNS, 11)->peer_netns, MADE_NETNS);
	assert_int_equal(known(&t, MADE_NETNS, 10)->peer_netns, 0);
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 3);
	assert_int_equal(of[0].device.netns, MADE_NETNS);
	assert_true(netdev_table_matches(&t, &of[0], OTHER_NETNS));
	assert_false(netdev_table_matches(&t, &of[0], OTHER_NETNS + 1));
	assert_false(netdev_table_matches(&t, &of[0], OTHER_NETNS + 2));
	netdev_table_resolve(&t, &of[0], OTHER_NETNS);
	assert_int_equal(known(&t, MADE_NETNS, 10)->peer_netns, OTHER_NETNS);
	/* not before another change */
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 0);
	say_veth(&t, MADE_NETNS, 10, 2, 5);
	assert_int_equal(known(&t, MADE_NETNS, 10)->peer_netns, OTHER_NETNS);
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 0);
	/* the peer was moved */
	say_veth(&t, MADE_NETNS, 10, 2, 6);
	assert_int_equal(known(&t, MADE_NETNS, 10)->peer_netns, 0);
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 1);
	/* a third namespace may have it */
	say_veth(&t, OTHER_NETNS + 2, 2, 10, 0);
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 4);
	netdev_table_free(&t);
}

#define NOW (100 * NSEC_PER_SEC)

static struct netdev_question question(const struct netdev_table *t, uint32_t after)
{
	struct netdev_question ask = { .ifindex = after };

	netdev_table_next_question(t, MADE_NETNS, NOW, &ask);
	return ask;
}

/* Counters of devices that matter, each time; the driver, if they have no kind. */
TEST(test_table_questions)
{
	struct netdev_table t = { 0 };
	struct netdev_question ask;
	struct netdev read;
	struct snapshot s;
	uint64_t n;
	size_t all;

	assert_int_equal(question(&t, 0).ifindex, 0);
	say(&t, MADE_NETNS, 1, "lo", NETDEV_NONE);
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NATIVE);
	say(&t, MADE_NETNS, 3, "eth1", NETDEV_NONE);
	say_veth(&t, MADE_NETNS, 4, 5, -1);
	say(&t, OTHER_NETNS, 6, "eth0", NETDEV_NATIVE);
	ask = question(&t, 0);
	assert_int_equal(ask.ifindex, 2);
	assert_true(ask.driver && ask.counts);
	ask = question(&t, 2);
	assert_int_equal(ask.ifindex, 4);
	assert_true(!ask.driver && ask.counts);
	assert_int_equal(question(&t, 4).ifindex, 0);
	/* a target is included once it is in a snapshot */
	snapshot_init(&s);
	made_series(&s, 1, TP_XDP_REDIRECT_ERR, made_to_device(2, 3, 42), COUNTS(1));
	netdev_table_driver(&t, MADE_NETNS, 2, "mlx4_en");
	assert_int_equal(netdev_table_matter(&t, MADE_NETNS, &all), 2);
	assert_int_equal(all, 4);
	assert_int_equal(netdev_table_matter(&t, MADE_NETNS + 99, &all), 0);
	read = (struct netdev){ 0 };
	netdev_set_count(&read, NETDEV_RX_PACKETS, 1000);
	/* of all devices, in a dump */
	netdev_table_counts(&t, MADE_NETNS, 1, &read);
	assert_false(netdev_count(known(&t, MADE_NETNS, 1), NETDEV_RX_PACKETS, &n));
	netdev_table_counts(&t, MADE_NETNS, 2, &read);
	/* messages do not change it */
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NATIVE);
	netdev_table_fill(&t, &s);
	assert_string_equal(snapshot_find_netdev(&s, MADE_NETNS, 2)->driver, "mlx4_en");
	assert_true(netdev_count(snapshot_find_netdev(&s, MADE_NETNS, 2), NETDEV_RX_PACKETS, &n));
	assert_int_equal(n, 1000);
	assert_false(netdev_count(snapshot_find_netdev(&s, MADE_NETNS, 3), NETDEV_RX_PACKETS, &n));
	ask = question(&t, 0);
	assert_int_equal(ask.ifindex, 2);
	assert_true(!ask.driver && ask.counts);
	/* a target's kernel counters as well */
	ask = question(&t, 2);
	assert_int_equal(ask.ifindex, 3);
	assert_true(ask.driver && ask.counts && ask.settings && !ask.driver_counts);
	/* no answer counts as an answer */
	netdev_table_driver(&t, MADE_NETNS, 3, NULL);
	assert_int_equal(question(&t, 2).ifindex, 3);
	assert_false(question(&t, 2).driver);
	/* a value is valid for one snapshot */
	snapshot_clear(&s);
	netdev_table_fill(&t, &s);
	assert_false(netdev_count(snapshot_find_netdev(&s, MADE_NETNS, 2), NETDEV_RX_PACKETS, &n));
	/* another device with the ifindex of a deleted one */
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	assert_int_equal(question(&t, 0).ifindex, 3);
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NATIVE);
	assert_string_equal(known(&t, MADE_NETNS, 2)->driver, "");
	assert_true(question(&t, 0).driver);
	/* a deleted device has no driver to ask for */
	made_series(&s, 1, TP_XDP_REDIRECT_ERR, made_to_device(2, 1, 42), COUNTS(1));
	netdev_table_fill(&t, &s);
	assert_true(question(&t, 0).ifindex == 1 && question(&t, 0).driver);
	say(&t, MADE_NETNS, 1, "", NETDEV_NONE);
	assert_int_equal(question(&t, 0).ifindex, 2);
	snapshot_free(&s);
	netdev_table_free(&t);
}

/* The walk's facts about a device that netlink also reports. */
TEST(test_table_walked)
{
	struct link_message m = { .device = { .netns = MADE_NETNS,
					      .ifindex = 2,
					      .name = "old",
					      .driver = "mlx4_core",
					      .up = true,
					      .mtu = 9000,
					      .has_features = true,
					      .features = NETDEV_XDP_NDO_XMIT } };
	struct netdev_table t = { 0 };

	netdev_table_walked(&t, &m);
	assert_null(known(&t, MADE_NETNS, 2));
	say(&t, MADE_NETNS, 2, "new", NETDEV_NATIVE);
	netdev_table_walked(&t, &m);
	assert_string_equal(known(&t, MADE_NETNS, 2)->name, "new");
	/* the program that netlink reported is detached */
	assert_int_equal(known(&t, MADE_NETNS, 2)->mode, NETDEV_NONE);
	assert_int_equal(known(&t, MADE_NETNS, 2)->prog_id, 0);
	assert_int_equal(known(&t, MADE_NETNS, 2)->mtu, 9000);
	assert_true(known(&t, MADE_NETNS, 2)->up);
	assert_string_equal(known(&t, MADE_NETNS, 2)->driver, "mlx4_core");
	assert_true(known(&t, MADE_NETNS, 2)->has_features);
	assert_int_equal(known(&t, MADE_NETNS, 2)->features, NETDEV_XDP_NDO_XMIT);
	/* ethtool's name is preferred */
	netdev_table_driver(&t, MADE_NETNS, 2, "mlx4_en");
	m.device.features = 0;
	netdev_table_walked(&t, &m);
	assert_string_equal(known(&t, MADE_NETNS, 2)->driver, "mlx4_en");
	assert_int_equal(known(&t, MADE_NETNS, 2)->features, 0);
	/* not for the next device with its ifindex, which netlink has not reported yet */
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	m.device.features = NETDEV_XDP_BASIC;
	netdev_table_walked(&t, &m);
	assert_int_not_equal(known(&t, MADE_NETNS, 2)->features, NETDEV_XDP_BASIC);
	netdev_table_free(&t);
}

/* The tracer looks again when programs change, and only then. */
TEST(test_table_programs)
{
	struct link_message m = { .device = { .netns = MADE_NETNS, .ifindex = 2, .name = "eth0" } };
	struct netdev_table t = { 0 };
	uint64_t programs, version;

	netdev_table_take(&t, netdev_table_netns(&t, MADE_NETNS), &m);
	for (int by_walk = 0; by_walk < 2; by_walk++) {
		for (int i = 0; i < 3; i++) {
			uint32_t *id[] = { &m.device.prog_id, &m.device.skb_prog_id,
					   &m.device.mtu };

			programs = t.programs;
			version = t.version;
			++*id[i];
			for (int twice = 0; twice < 2; twice++)
				if (by_walk)
					netdev_table_walked(&t, &m);
				else
					netdev_table_take(&t, netdev_table_netns(&t, MADE_NETNS),
							  &m);
			assert_int_equal(t.programs, programs + (i < 2));
			assert_int_equal(t.version, version);
		}
	}
	netdev_table_free(&t);
}

static const struct netdev *filled(struct netdev_table *t, struct snapshot *s, uint32_t ifindex)
{
	snapshot_clear(s);
	netdev_table_fill(t, s);
	return snapshot_find_netdev(s, MADE_NETNS, ifindex);
}

/* Driver counters are read occasionally, and stay known in between, with their rate. */
TEST(test_table_driver_counts)
{
	struct netdev_table t = { 0 };
	struct netdev read = { 0 };
	const struct netdev *d;
	struct snapshot s;
	double rate;
	uint64_t n;

	snapshot_init(&s);
	say_veth(&t, MADE_NETNS, 4, 5, -1);
	assert_true(question(&t, 0).driver_counts);
	assert_string_equal(question(&t, 0).name_of_driver, "veth");
	netdev_set_count(&read, NETDEV_XDP_DROP, 10);
	netdev_table_driver_counts(&t, MADE_NETNS, 4, &read, NOW, NOW + 1);
	assert_false(question(&t, 0).driver_counts);
	d = filled(&t, &s, 4);
	assert_true(netdev_count(d, NETDEV_XDP_DROP, &n));
	assert_int_equal(n, 10);
	assert_false(netdev_per_s(d, NETDEV_XDP_DROP, &rate));
	assert_false(netdev_count(d, NETDEV_XDP_TX, &n));
	/* messages do not have them */
	say_veth(&t, MADE_NETNS, 4, 5, -1);
	netdev_set_count(&read, NETDEV_XDP_DROP, 20);
	netdev_set_count(&read, NETDEV_XDP_TX, 3);
	netdev_table_driver_counts(&t, MADE_NETNS, 4, &read, NOW + 5 * NSEC_PER_SEC, NOW);
	for (int i = 0; i < 2; i++) {
		d = filled(&t, &s, 4);
		assert_true(netdev_per_s(d, NETDEV_XDP_DROP, &rate));
		assert_true(rate == 2);
		assert_true(netdev_count(d, NETDEV_XDP_TX, &n));
		assert_false(netdev_per_s(d, NETDEV_XDP_TX, &rate));
	}
	/* reset, and one counter is missing */
	read = (struct netdev){ 0 };
	netdev_set_count(&read, NETDEV_XDP_DROP, 1);
	netdev_table_driver_counts(&t, MADE_NETNS, 4, &read, NOW + 10 * NSEC_PER_SEC, NOW);
	d = filled(&t, &s, 4);
	assert_true(netdev_count(d, NETDEV_XDP_DROP, &n));
	assert_int_equal(n, 1);
	assert_false(netdev_per_s(d, NETDEV_XDP_DROP, &rate));
	assert_false(netdev_count(d, NETDEV_XDP_TX, &n));
	/* without XDP they are not read, so old values are dropped, but those of the namespace are
	 */
	say(&t, MADE_NETNS, 4, "veth4", NETDEV_NONE);
	d = filled(&t, &s, 4);
	assert_false(netdev_count(d, NETDEV_XDP_DROP, &n));
	netdev_table_driver(&t, MADE_NETNS, 4, NULL);
	assert_true(question(&t, 0).driver_counts && !question(&t, 0).with_driver);
	read = (struct netdev){ 0 };
	netdev_set_count(&read, NETDEV_NO_ROUTES, 7);
	netdev_table_driver_counts(&t, MADE_NETNS, 4, &read, NOW, NOW + 1);
	assert_false(question(&t, 0).driver_counts);
	d = filled(&t, &s, 4);
	assert_true(netdev_count(d, NETDEV_NO_ROUTES, &n) && n == 7);
	/* with XDP again they are due at once */
	say_veth(&t, MADE_NETNS, 4, 5, -1);
	assert_true(question(&t, 0).driver_counts && question(&t, 0).with_driver);
	snapshot_free(&s);
	netdev_table_free(&t);
}

/* What was read before the previous snapshot has the time of that; nothing else has. */
TEST(test_table_reading_times)
{
	struct netdev_table t = { 0 };
	const struct netdev read = { 0 };
	struct netdev_queue queue = { 0 };
	struct timespec before, none = { 0 };
	const struct netdev *d;
	struct snapshot s;

	snapshot_init(&s);
	clock_gettime(CLOCK_REALTIME, &before);
	say_veth(&t, MADE_NETNS, 4, 5, -1);
	for (int round = 0; round < 2; round++) {
		netdev_table_driver_counts(&t, MADE_NETNS, 4, &read, NOW, NOW);
		netdev_table_settings(&t, MADE_NETNS, 4, &read, NOW);
		netdev_table_queues(&t, MADE_NETNS, 4, &queue, 1, NOW, NOW);
		d = filled(&t, &s, 4);
		assert_memory_equal(&d->counters_read_at, &none, sizeof(none));
		assert_memory_equal(&d->settings_read_at, &none, sizeof(none));
		assert_memory_equal(&d->queues_read_at, &none, sizeof(none));
		for (int i = 0; i < 2; i++) {
			d = filled(&t, &s, 4);
			assert_true(d->counters_read_at.tv_sec >= before.tv_sec);
			assert_true(d->settings_read_at.tv_sec >= before.tv_sec);
			assert_true(d->queues_read_at.tv_sec >= before.tv_sec);
		}
	}
	/* no longer read, so no time either */
	say(&t, MADE_NETNS, 4, "veth4", NETDEV_NONE);
	assert_int_equal(filled(&t, &s, 4)->counters_read_at.tv_sec, 0);
	snapshot_free(&s);
	netdev_table_free(&t);
}

static size_t stats_filled(struct netdev_table *t, struct snapshot *s, uint32_t ifindex)
{
	size_t n;

	snapshot_clear(s);
	netdev_table_fill(t, s);
	netdev_table_fill_stats(t, s);
	ethtool_stats_of(s, MADE_NETNS, ifindex, &n);
	return n;
}

/* The last statistics of each device are kept in order of devices, while they are read. */
TEST(test_table_stats)
{
	const struct ethtool_stat stat[] = { { .number = 1, .total = 10, .name = "a" },
					     { .number = 7, .total = 20, .name = "b" } };
	const struct netdev none = { 0 };
	const struct ethtool_stat *s;
	struct netdev_table t = { 0 };
	struct snapshot to;
	size_t n;

	snapshot_init(&to);
	for (uint32_t i = 3; i <= 5; i++)
		say(&t, MADE_NETNS, i, "veth", NETDEV_NATIVE);
	for (uint32_t i = 5; i >= 3; i--) {
		netdev_table_driver_counts(&t, MADE_NETNS, i, &none, NOW, NOW + 1);
		netdev_table_stats(&t, MADE_NETNS, i, stat, 2);
	}
	assert_int_equal(stats_filled(&t, &to, 4), 2);
	s = ethtool_stats_of(&to, MADE_NETNS, 4, &n);
	assert_int_equal(s[0].ifindex, 4);
	assert_string_equal(s[1].name, "b");
	assert_false(data_source_sort(&to, DATA_SOURCE_ETHTOOL_STATS));
	/* fewer, then none */
	netdev_table_stats(&t, MADE_NETNS, 4, &stat[1], 1);
	assert_int_equal(stats_filled(&t, &to, 4), 1);
	assert_int_equal(ethtool_stats_of(&to, MADE_NETNS, 4, &n)->number, 7);
	assert_int_equal(stats_filled(&t, &to, 5), 2);
	netdev_table_stats(&t, MADE_NETNS, 4, NULL, 0);
	assert_int_equal(stats_filled(&t, &to, 4), 0);
	assert_int_equal(stats_filled(&t, &to, 3), 2);
	/* without XDP they are no longer read */
	say(&t, MADE_NETNS, 3, "veth", NETDEV_NONE);
	assert_int_equal(stats_filled(&t, &to, 3), 0);
	assert_int_equal(stats_filled(&t, &to, 5), 2);
	/* no more than a recording may have */
	for (uint32_t i = 0; i <= ETHTOOL_STATS_MAX / 2; i++)
		netdev_table_stats(&t, MADE_NETNS, 10 + i, stat, 2);
	assert_int_equal(t.n_stats, ETHTOOL_STATS_MAX);
	snapshot_free(&to);
	netdev_table_free(&t);
}

static const struct netdev_queue *queues_filled(struct netdev_table *t, struct snapshot *s,
						uint32_t ifindex, size_t *n)
{
	snapshot_clear(s);
	netdev_table_fill(t, s);
	netdev_table_fill_queues(t, s);
	assert_false(data_source_sort(s, DATA_SOURCE_QUEUES));
	return netdev_queues_of(s, MADE_NETNS, ifindex, n);
}

static void say_queues(struct netdev_table *t, uint32_t ifindex, size_t n, uint64_t packets,
		       uint64_t now_ns)
{
	struct netdev_queue row[NETDEV_QUEUES_OF_DEVICE] = { { 0 } };

	for (size_t i = 0; i < n; i++) {
		row[i].counts_packets = true;
		row[i].packets = packets * (i + 1);
	}
	netdev_table_queues(t, MADE_NETNS, ifindex, row, n, now_ns, now_ns + 1);
}

/* The queues of each device with XDP, in order, with rates from the second reading on. */
TEST(test_table_queues)
{
	struct link_message m = { .device = { .netns = MADE_NETNS, .ifindex = 4, .up = true } };
	const struct netdev_queue *q;
	struct netdev_table t = { 0 };
	struct snapshot to;
	size_t n;

	snapshot_init(&to);
	for (uint32_t i = 3; i <= 5; i++)
		say(&t, MADE_NETNS, i, "eth", NETDEV_NATIVE);
	/* their number comes with a walk */
	assert_false(question(&t, 3).queues);
	m.hardware.rx_queues = 300;
	m.device.mode = NETDEV_NATIVE;
	netdev_table_walked(&t, &m);
	assert_true(question(&t, 3).queues && question(&t, 3).queues_soon);
	for (uint32_t i = 5; i >= 3; i--)
		say_queues(&t, i, 2, 100, NOW);
	q = queues_filled(&t, &to, 4, &n);
	assert_int_equal(n, 2);
	assert_int_equal(q[1].queue, 1);
	assert_int_equal(q[1].left_out, 298);
	assert_true(q[1].packets_per_s < 0);
	assert_false(question(&t, 3).queues_soon);
	/* more of them, after half a second; a counter that goes back has no rate */
	say_queues(&t, 4, 3, 150, NOW + NSEC_PER_SEC / 2);
	q = queues_filled(&t, &to, 4, &n);
	assert_int_equal(n, 3);
	assert_true(q[0].packets_per_s == 100);
	assert_true(q[1].packets_per_s == 200);
	assert_true(q[2].packets_per_s < 0);
	say_queues(&t, 4, 1, 10, NOW + NSEC_PER_SEC);
	q = queues_filled(&t, &to, 4, &n);
	assert_int_equal(n, 1);
	assert_true(q[0].packets_per_s < 0);
	queues_filled(&t, &to, 5, &n);
	assert_int_equal(n, 2);
	/* a message of netlink does not have the number, and keeps it */
	say(&t, MADE_NETNS, 4, "eth", NETDEV_NATIVE);
	assert_int_equal(question(&t, 3).hardware.rx_queues, 300);
	/* another number is read at once, a device without XDP not at all */
	m.hardware.rx_queues = 8;
	m.settings = 1;
	netdev_table_walked(&t, &m);
	assert_true(question(&t, 3).queues);
	m.device.mode = NETDEV_NONE;
	netdev_table_walked(&t, &m);
	queues_filled(&t, &to, 4, &n);
	assert_int_equal(n, 0);
	assert_false(question(&t, 3).queues);
	/* each device keeps a row, which counts the others */
	for (uint32_t i = 0; i < NETDEV_QUEUES_MAX / NETDEV_QUEUES_OF_DEVICE + 2; i++) {
		say(&t, MADE_NETNS, 10 + i, "eth", NETDEV_NATIVE);
		say_queues(&t, 10 + i, NETDEV_QUEUES_OF_DEVICE, 1, NOW);
	}
	q = queues_filled(&t, &to, 10 + NETDEV_QUEUES_MAX / NETDEV_QUEUES_OF_DEVICE + 1, &n);
	assert_int_equal(n, 1);
	assert_int_equal(q[0].left_out, NETDEV_QUEUES_OF_DEVICE - 1);
	snapshot_free(&to);
	netdev_table_free(&t);
}

/* Settings are read again when due, or when the device has changed. */
TEST(test_table_settings)
{
	struct link_message m = { .device = {
					  .ifindex = 2, .name = "eth0", .mode = NETDEV_NATIVE } };
	struct netdev_table t = { 0 };
	struct netdev read = { .has_offloads = true, .offloads = NETDEV_LRO };
	uint32_t value;
	uint64_t n;

	netdev_set_setting(&m.device, NETDEV_MTU_MAX, 9000);
	netdev_set_setting(&m.device, NETDEV_PROMISCUITY, 0);
	netdev_set_count(&m.device, NETDEV_CARRIER_CHANGES, 2);
	netdev_table_take(&t, netdev_table_netns(&t, MADE_NETNS), &m);
	assert_true(question(&t, 0).settings);
	netdev_set_setting(&read, NETDEV_CHANNELS, 8);
	netdev_table_settings(&t, MADE_NETNS, 2, &read, NOW + 1);
	assert_false(question(&t, 0).settings);
	/* a dump */
	netdev_set_count(&m.device, NETDEV_CARRIER_CHANGES, 3);
	netdev_table_take(&t, netdev_table_netns(&t, MADE_NETNS), &m);
	assert_false(question(&t, 0).settings);
	assert_true(netdev_setting(known(&t, MADE_NETNS, 2), NETDEV_CHANNELS, &value));
	assert_int_equal(value, 8);
	assert_true(netdev_setting(known(&t, MADE_NETNS, 2), NETDEV_MTU_MAX, &value));
	assert_int_equal(value, 9000);
	assert_int_equal(known(&t, MADE_NETNS, 2)->offloads, NETDEV_LRO);
	assert_true(netdev_count(known(&t, MADE_NETNS, 2), NETDEV_CARRIER_CHANGES, &n));
	assert_int_equal(n, 3);
	m.notified = true;
	netdev_table_take(&t, netdev_table_netns(&t, MADE_NETNS), &m);
	assert_true(question(&t, 0).settings);
	netdev_table_settings(&t, MADE_NETNS, 2, &read, NOW + 1);
	assert_false(question(&t, 0).settings);
	/* a walk finds other offloads or queues, once */
	m.device.netns = MADE_NETNS;
	m.settings = 7;
	netdev_set_setting(&m.device, NETDEV_PROMISCUITY, 2);
	netdev_table_walked(&t, &m);
	assert_true(question(&t, 0).settings);
	assert_true(netdev_setting(known(&t, MADE_NETNS, 2), NETDEV_PROMISCUITY, &value));
	assert_int_equal(value, 2);
	netdev_table_settings(&t, MADE_NETNS, 2, &read, NOW + 1);
	netdev_table_walked(&t, &m);
	assert_false(question(&t, 0).settings);
	/* now it has none */
	read = (struct netdev){ 0 };
	netdev_table_settings(&t, MADE_NETNS, 2, &read, NOW);
	assert_false(netdev_setting(known(&t, MADE_NETNS, 2), NETDEV_CHANNELS, &value));
	assert_true(netdev_setting(known(&t, MADE_NETNS, 2), NETDEV_MTU_MAX, &value));
	assert_false(known(&t, MADE_NETNS, 2)->has_offloads);
	netdev_table_free(&t);
}
