// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices: what messages say, and what becomes of them in the table. */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "unit/made.h"
#include "inventory/netdev_table.h"

#define OTHER_NETNS (MADE_NETNS + 7)

/* A message in the making. */
struct message {
	char buf[4096] __attribute__((aligned(8)));
	struct nlmsghdr *head;
};

static void link_begin(struct message *m, uint16_t type, int ifindex, unsigned int flags)
{
	struct ifinfomsg *info;

	memset(m->buf, 0xa5, sizeof(m->buf));
	m->head = mnl_nlmsg_put_header(m->buf);
	m->head->nlmsg_type = type;
	info = mnl_nlmsg_put_extra_header(m->head, sizeof(*info));
	info->ifi_index = ifindex;
	info->ifi_flags = flags;
}

static void put_xdp(struct message *m, uint8_t attached, uint32_t prog, uint32_t drv, uint32_t skb,
		    uint32_t hw)
{
	struct nlattr *nest = mnl_attr_nest_start(m->head, IFLA_XDP);

	mnl_attr_put_u8(m->head, IFLA_XDP_ATTACHED, attached);
	if (prog)
		mnl_attr_put_u32(m->head, IFLA_XDP_PROG_ID, prog);
	if (drv)
		mnl_attr_put_u32(m->head, IFLA_XDP_DRV_PROG_ID, drv);
	if (skb)
		mnl_attr_put_u32(m->head, IFLA_XDP_SKB_PROG_ID, skb);
	if (hw)
		mnl_attr_put_u32(m->head, IFLA_XDP_HW_PROG_ID, hw);
	mnl_attr_nest_end(m->head, nest);
}

static void put_kind(struct message *m, const char *kind)
{
	struct nlattr *nest = mnl_attr_nest_start(m->head, IFLA_LINKINFO);

	mnl_attr_put_strz(m->head, IFLA_INFO_KIND, kind);
	mnl_attr_nest_end(m->head, nest);
}

static void test_link(void **state)
{
	struct link_message link;
	struct message m;

	link_begin(&m, RTM_NEWLINK, 5, IFF_UP | IFF_RUNNING);
	mnl_attr_put_strz(m.head, IFLA_IFNAME, "eth\x1b[2J");
	mnl_attr_put_u32(m.head, IFLA_MTU, 9000);
	mnl_attr_put_u32(m.head, IFLA_LINK, 17);
	mnl_attr_put_u32(m.head, IFLA_LINK_NETNSID, 3);
	put_kind(&m, "veth");
	put_xdp(&m, XDP_ATTACHED_DRV, 42, 42, 0, 0);
	/* one that comes with a later kernel */
	mnl_attr_put_u32(m.head, 4000, 1);
	assert_true(netlink_parse_link(m.head, &link));
	assert_int_equal(link.device.ifindex, 5);
	assert_string_equal(link.device.name, "eth\\x1b[2J");
	assert_string_equal(link.device.kind, "veth");
	assert_int_equal(link.device.mtu, 9000);
	assert_int_equal(link.device.mode, NETDEV_NATIVE);
	assert_int_equal(link.device.prog_id, 42);
	assert_int_equal(link.device.skb_prog_id, 0);
	assert_int_equal(link.device.peer_ifindex, 17);
	assert_int_equal(link.device.peer_netns, 0);
	assert_true(link.peer_elsewhere);
	assert_int_equal(link.peer_nsid, 3);
	assert_string_equal(netdev_state_name(&link.device), "up");
	assert_false(link.device.gone);
}

static void test_link_modes(void **state)
{
	static const struct {
		uint8_t attached;
		uint32_t prog, drv, skb, hw;
		enum netdev_mode mode;
		uint32_t prog_id, skb_prog_id;
	} cases[] = {
		{ XDP_ATTACHED_NONE, 0, 0, 0, 0, NETDEV_NONE, 0, 0 },
		{ XDP_ATTACHED_DRV, 1, 1, 0, 0, NETDEV_NATIVE, 1, 0 },
		{ XDP_ATTACHED_SKB, 2, 0, 2, 0, NETDEV_GENERIC, 2, 2 },
		/* before 4.19 there was only the first */
		{ XDP_ATTACHED_SKB, 2, 0, 0, 0, NETDEV_GENERIC, 2, 2 },
		{ XDP_ATTACHED_HW, 3, 0, 0, 3, NETDEV_OFFLOAD, 3, 0 },
		{ XDP_ATTACHED_MULTI, 0, 4, 5, 0, NETDEV_MULTI, 4, 5 },
		{ XDP_ATTACHED_MULTI, 0, 0, 5, 6, NETDEV_MULTI, 6, 5 },
		{ 99, 7, 0, 0, 0, NETDEV_MULTI, 7, 0 },
	};
	struct link_message link;
	struct message m;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		link_begin(&m, RTM_NEWLINK, 1, 0);
		put_xdp(&m, cases[i].attached, cases[i].prog, cases[i].drv, cases[i].skb,
			cases[i].hw);
		assert_true(netlink_parse_link(m.head, &link));
		assert_int_equal(link.device.mode, cases[i].mode);
		assert_int_equal(link.device.prog_id, cases[i].prog_id);
		assert_int_equal(link.device.skb_prog_id, cases[i].skb_prog_id);
	}
}

static void test_link_others(void **state)
{
	struct link_message link;
	struct ifinfomsg *info;
	struct message m;

	/* IFLA_LINK of a VLAN is the device below */
	link_begin(&m, RTM_NEWLINK, 9, IFF_UP);
	mnl_attr_put_u32(m.head, IFLA_LINK, 2);
	put_kind(&m, "vlan");
	assert_true(netlink_parse_link(m.head, &link));
	assert_int_equal(link.device.peer_ifindex, 0);
	assert_string_equal(netdev_state_name(&link.device), "no-carrier");
	/* a port that leaves a bridge is not deleted */
	link_begin(&m, RTM_DELLINK, 9, 0);
	info = mnl_nlmsg_get_payload(m.head);
	info->ifi_family = AF_BRIDGE;
	assert_false(netlink_parse_link(m.head, &link));
	link_begin(&m, RTM_DELLINK, 9, 0);
	assert_true(netlink_parse_link(m.head, &link));
	assert_true(link.device.gone);
	assert_string_equal(netdev_state_name(&link.device), "gone");
	link_begin(&m, RTM_NEWADDR, 9, 0);
	assert_false(netlink_parse_link(m.head, &link));
	/* cut */
	link_begin(&m, RTM_NEWLINK, 9, 0);
	m.head->nlmsg_len = NLMSG_HDRLEN + 4;
	assert_false(netlink_parse_link(m.head, &link));
	/* attributes that are shorter than they should be */
	link_begin(&m, RTM_NEWLINK, 9, 0);
	mnl_attr_put_u16(m.head, IFLA_MTU, 7);
	mnl_attr_put(m.head, IFLA_IFNAME, 0, NULL);
	mnl_attr_put(m.head, IFLA_XDP, 0, NULL);
	mnl_attr_put(m.head, IFLA_LINKINFO, 2, "x");
	assert_true(netlink_parse_link(m.head, &link));
	assert_int_equal(link.device.mtu, 0);
	assert_string_equal(link.device.name, "");
	assert_int_equal(link.device.mode, NETDEV_NONE);
}

/* Every prefix of a message, in memory that ends with it: ASan looks for reads behind it. */
static void test_link_cut(void **state)
{
	struct link_message link;
	struct message m;

	link_begin(&m, RTM_NEWLINK, 5, IFF_UP);
	mnl_attr_put_strz(m.head, IFLA_IFNAME, "eth0");
	put_kind(&m, "veth");
	put_xdp(&m, XDP_ATTACHED_DRV, 42, 42, 0, 0);
	for (uint32_t len = NLMSG_HDRLEN; len < m.head->nlmsg_len; len++) {
		struct nlmsghdr *cut = malloc(len);

		memcpy(cut, m.head, len);
		cut->nlmsg_len = len;
		netlink_parse_link(cut, &link);
		free(cut);
	}
}

static struct nlmsghdr *generic(struct message *m, uint16_t family)
{
	memset(m->buf, 0, sizeof(m->buf));
	m->head = mnl_nlmsg_put_header(m->buf);
	m->head->nlmsg_type = family;
	mnl_nlmsg_put_extra_header(m->head, sizeof(struct genlmsghdr));
	return m->head;
}

static void test_generic(void **state)
{
	uint32_t ifindex;
	uint64_t features;
	uint16_t family;
	struct message m;
	int32_t nsid;

	generic(&m, GENL_ID_CTRL);
	assert_false(netlink_parse_family(m.head, &family));
	mnl_attr_put_u16(m.head, CTRL_ATTR_FAMILY_ID, 33);
	assert_true(netlink_parse_family(m.head, &family));
	assert_int_equal(family, 33);
	generic(&m, 33);
	mnl_attr_put_u32(m.head, 1, 5);
	assert_false(netlink_parse_features(m.head, 33, &ifindex, &features));
	mnl_attr_put_u64(m.head, 3, 0x7f);
	assert_true(netlink_parse_features(m.head, 33, &ifindex, &features));
	assert_int_equal(ifindex, 5);
	assert_int_equal(features, 0x7f);
	assert_false(netlink_parse_features(m.head, 34, &ifindex, &features));

	m.head = mnl_nlmsg_put_header(m.buf);
	m.head->nlmsg_type = RTM_NEWNSID;
	mnl_nlmsg_put_extra_header(m.head, sizeof(struct rtgenmsg));
	assert_true(netlink_parse_nsid(m.head, &nsid));
	assert_int_equal(nsid, -1);
	mnl_attr_put_u32(m.head, NETNSA_NSID, 4);
	assert_true(netlink_parse_nsid(m.head, &nsid));
	assert_int_equal(nsid, 4);
}

static void stats_begin(struct message *m, uint32_t ifindex)
{
	struct if_stats_msg *head;

	memset(m->buf, 0xa5, sizeof(m->buf));
	m->head = mnl_nlmsg_put_header(m->buf);
	m->head->nlmsg_type = RTM_NEWSTATS;
	head = mnl_nlmsg_put_extra_header(m->head, sizeof(*head));
	head->ifindex = ifindex;
}

static void test_stats(void **state)
{
	char buf[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	struct nlmsghdr *request = netlink_put_stats_get(buf, 7, 5);
	const struct if_stats_msg *head = mnl_nlmsg_get_payload(request);
	struct rtnl_link_stats64 stats = { .rx_packets = 1ULL << 40, .tx_packets = 3 };
	struct link_message link;
	struct message m;
	uint64_t n = 0;

	assert_int_equal(request->nlmsg_type, RTM_GETSTATS);
	assert_int_equal(request->nlmsg_seq, 7);
	assert_int_equal(head->ifindex, 5);
	assert_int_equal(head->filter_mask, IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64));
	stats_begin(&m, 5);
	assert_false(netlink_parse_rx_packets(m.head, &n));
	mnl_attr_put_u32(m.head, IFLA_STATS_LINK_64, 1); /* cut */
	assert_false(netlink_parse_rx_packets(m.head, &n));
	stats_begin(&m, 5);
	mnl_attr_put(m.head, IFLA_STATS_LINK_64, sizeof(stats), &stats);
	assert_true(netlink_parse_rx_packets(m.head, &n));
	assert_int_equal(n, 1ULL << 40);
	assert_false(netlink_parse_link(m.head, &link));
	m.head->nlmsg_len = NLMSG_HDRLEN + sizeof(*head) - 1;
	assert_false(netlink_parse_rx_packets(m.head, &n));
	link_begin(&m, RTM_NEWLINK, 5, 0);
	assert_false(netlink_parse_rx_packets(m.head, &n));
}

static void test_device_text(void **state)
{
	static const char *const names[] = { "up", "no-carrier", "down", "gone" };
	char buf[NETDEV_FEATURES_LEN];
	uint64_t features;
	struct netdev d;

	for (int i = 0; i < NETDEV_MODES; i++)
		assert_int_equal(netdev_mode_find(netdev_mode_name(i)), i);
	assert_int_equal(netdev_mode_find("hybrid"), -1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_true(netdev_set_state(&d, names[i]));
		assert_string_equal(netdev_state_name(&d), names[i]);
	}
	assert_false(netdev_set_state(&d, "sideways"));
	assert_string_equal(netdev_features_text(0, buf, sizeof(buf)), "none");
	assert_string_equal(netdev_features_text(NETDEV_XDP_BASIC | NETDEV_XDP_NDO_XMIT, buf,
						 sizeof(buf)),
			    "basic,ndo-xmit");
	for (int bit = 0; bit < 64; bit++) {
		netdev_features_text(~0ull >> bit, buf, sizeof(buf));
		assert_true(netdev_features_find(buf, &features));
		assert_true(features == ~0ull >> bit);
	}
	assert_false(netdev_features_find("basic,", &features));
	assert_false(netdev_features_find("", &features));
	assert_false(netdev_features_find("0xg", &features));
}

/* A message about a device of the table's tests. */
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

static void test_table(void **state)
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
	/* features stay over messages that do not speak of them */
	netdev_table_features(&t, MADE_NETNS, 2, NETDEV_XDP_BASIC);
	generation = netdev_table_find(&t, MADE_NETNS, 2)->generation;
	say(&t, MADE_NETNS, 2, "wan0", NETDEV_GENERIC);
	assert_string_equal(known(&t, MADE_NETNS, 2)->name, "wan0");
	assert_true(known(&t, MADE_NETNS, 2)->has_features);
	assert_int_equal(netdev_table_find(&t, MADE_NETNS, 2)->generation, generation);
	/* what was seen last stays when it is gone; another one gets its number */
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	assert_true(known(&t, MADE_NETNS, 2)->gone);
	assert_string_equal(known(&t, MADE_NETNS, 2)->name, "wan0");
	assert_int_equal(known(&t, MADE_NETNS, 2)->mode, NETDEV_GENERIC);
	say(&t, MADE_NETNS, 2, "wan0", NETDEV_NONE);
	assert_false(known(&t, MADE_NETNS, 2)->gone);
	assert_false(known(&t, MADE_NETNS, 2)->has_features);
	assert_int_not_equal(netdev_table_find(&t, MADE_NETNS, 2)->generation, generation);
	/* gone before it was known */
	say(&t, MADE_NETNS, 9, "", NETDEV_NONE);
	assert_null(known(&t, MADE_NETNS, 9));
	netdev_table_free(&t);
}

static void test_table_dump(void **state)
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
	/* its inode was given to another namespace, which has the same device */
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

/* What finds no room is counted, also while it is read again. */
static void test_table_full(void **state)
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
	/* there is room again once those that are gone were reported */
	netdev_table_netns_ended(&t, netdev_table_netns(&t, MADE_NETNS));
	assert_int_equal(netdev_table_left_out(&t), 0);
	snapshot_init(&s);
	assert_int_equal(netdev_table_fill(&t, &s), 0);
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

static void test_table_fill(void **state)
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
	/* a target that is a CPU, not a device */
	made_series(&s, 2, TP_XDP_REDIRECT,
		    (struct series_key){ .netns = MADE_NETNS, .ifindex = 100, .target = 7 },
		    (struct series_counters){ .events = 1 });
	assert_int_equal(netdev_table_fill(&t, &s), 0);
	assert_int_equal(snapshot_n_netdevs(&s), 3);
	assert_non_null(snapshot_find_netdev(&s, MADE_NETNS, 100));
	assert_non_null(snapshot_find_netdev(&s, MADE_NETNS, 200));
	assert_string_equal(snapshot_find_netdev(&s, OTHER_NETNS, 2)->name, "target");
	assert_null(snapshot_find_netdev(&s, MADE_NETNS, 7));
	/* detached: it stays; gone: once more; gone with a series: as long as that */
	say(&t, MADE_NETNS, 200, "quiet", NETDEV_NONE);
	s.rows[DATA_SOURCE_NETDEVS].n = 0;
	assert_int_equal(netdev_table_fill(&t, &s), 0);
	assert_int_equal(snapshot_find_netdev(&s, MADE_NETNS, 200)->mode, NETDEV_NONE);
	say(&t, MADE_NETNS, 200, "", NETDEV_NONE);
	say(&t, MADE_NETNS, 100, "", NETDEV_NONE);
	say(&t, MADE_NETNS, 50, "", NETDEV_NONE);
	for (int i = 0; i < 3; i++) {
		s.rows[DATA_SOURCE_NETDEVS].n = 0;
		assert_int_equal(netdev_table_fill(&t, &s), 0);
		assert_true(snapshot_find_netdev(&s, MADE_NETNS, 100)->gone);
		assert_int_equal(!snapshot_find_netdev(&s, MADE_NETNS, 200), i > 0);
	}
	assert_null(known(&t, MADE_NETNS, 200));
	assert_null(known(&t, MADE_NETNS, 50));
	assert_non_null(known(&t, MADE_NETNS, 100));
	snapshot_free(&s);
	netdev_table_free(&t);
}

/* One end of a veth pair whose other end is elsewhere. */
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

static void test_table_peers(void **state)
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
	/* not again until something has changed */
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 0);
	say_veth(&t, MADE_NETNS, 10, 2, 5);
	assert_int_equal(known(&t, MADE_NETNS, 10)->peer_netns, OTHER_NETNS);
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 0);
	/* the peer was moved */
	say_veth(&t, MADE_NETNS, 10, 2, 6);
	assert_int_equal(known(&t, MADE_NETNS, 10)->peer_netns, 0);
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 1);
	/* another namespace may have it */
	say_veth(&t, OTHER_NETNS + 2, 2, 10, 0);
	assert_int_equal(netdev_table_unresolved(&t, of, 4), 4);
	netdev_table_free(&t);
}

static struct netdev_question question(const struct netdev_table *t, uint32_t behind)
{
	struct netdev_question ask = { .ifindex = behind };

	netdev_table_next_question(t, MADE_NETNS, &ask);
	return ask;
}

/* Of devices with XDP the packets, each time; of those that matter and have no kind the driver. */
static void test_table_questions(void **state)
{
	struct netdev_table t = { 0 };
	struct netdev_question ask;
	struct snapshot s;

	assert_int_equal(question(&t, 0).ifindex, 0);
	say(&t, MADE_NETNS, 1, "lo", NETDEV_NONE);
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NATIVE);
	say(&t, MADE_NETNS, 3, "eth1", NETDEV_NONE);
	say_veth(&t, MADE_NETNS, 4, 5, -1);
	say(&t, OTHER_NETNS, 6, "eth0", NETDEV_NATIVE);
	ask = question(&t, 0);
	assert_int_equal(ask.ifindex, 2);
	assert_true(ask.driver && ask.rx_packets);
	ask = question(&t, 2);
	assert_int_equal(ask.ifindex, 4);
	assert_true(!ask.driver && ask.rx_packets);
	assert_int_equal(question(&t, 4).ifindex, 0);
	/* a target is asked for when it is in a snapshot */
	snapshot_init(&s);
	made_series(&s, 1, TP_XDP_REDIRECT_ERR, made_to_device(2, 3, 42), COUNTS(1));
	netdev_table_driver(&t, MADE_NETNS, 2, "mlx4_en");
	netdev_table_rx_packets(&t, MADE_NETNS, 2, 1000);
	/* not by messages that do not speak of it */
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NATIVE);
	assert_int_equal(netdev_table_fill(&t, &s), 0);
	assert_string_equal(snapshot_find_netdev(&s, MADE_NETNS, 2)->driver, "mlx4_en");
	assert_true(snapshot_find_netdev(&s, MADE_NETNS, 2)->has_rx_packets);
	assert_int_equal(snapshot_find_netdev(&s, MADE_NETNS, 2)->rx_packets, 1000);
	assert_false(snapshot_find_netdev(&s, MADE_NETNS, 3)->has_rx_packets);
	ask = question(&t, 0);
	assert_int_equal(ask.ifindex, 2);
	assert_true(!ask.driver && ask.rx_packets);
	ask = question(&t, 2);
	assert_int_equal(ask.ifindex, 3);
	assert_true(ask.driver && !ask.rx_packets);
	/* no answer is one, too */
	netdev_table_driver(&t, MADE_NETNS, 3, NULL);
	assert_int_equal(question(&t, 2).ifindex, 4);
	/* a number is of one snapshot */
	snapshot_clear(&s);
	assert_int_equal(netdev_table_fill(&t, &s), 0);
	assert_false(snapshot_find_netdev(&s, MADE_NETNS, 2)->has_rx_packets);
	assert_int_equal(snapshot_find_netdev(&s, MADE_NETNS, 2)->rx_packets, 0);
	/* another device with the number of one that is gone */
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	assert_int_equal(question(&t, 0).ifindex, 4);
	say(&t, MADE_NETNS, 2, "eth0", NETDEV_NATIVE);
	assert_string_equal(known(&t, MADE_NETNS, 2)->driver, "");
	assert_true(question(&t, 0).driver);
	/* one that is gone has no driver to tell */
	made_series(&s, 1, TP_XDP_REDIRECT_ERR, made_to_device(2, 1, 42), COUNTS(1));
	assert_int_equal(netdev_table_fill(&t, &s), 0);
	assert_true(question(&t, 0).ifindex == 1 && question(&t, 0).driver);
	say(&t, MADE_NETNS, 1, "", NETDEV_NONE);
	assert_int_equal(question(&t, 0).ifindex, 2);
	snapshot_free(&s);
	netdev_table_free(&t);
}

/* What the walk says of a device that netlink tells of as well. */
static void test_table_walked(void **state)
{
	struct link_message m = { .device = { .netns = MADE_NETNS,
					      .ifindex = 2,
					      .name = "old",
					      .driver = "mlx4_core",
					      .has_features = true,
					      .features = NETDEV_XDP_NDO_XMIT } };
	struct netdev_table t = { 0 };

	netdev_table_walked(&t, &m);
	assert_null(known(&t, MADE_NETNS, 2));
	say(&t, MADE_NETNS, 2, "new", NETDEV_NATIVE);
	netdev_table_walked(&t, &m);
	assert_string_equal(known(&t, MADE_NETNS, 2)->name, "new");
	assert_string_equal(known(&t, MADE_NETNS, 2)->driver, "mlx4_core");
	assert_true(known(&t, MADE_NETNS, 2)->has_features);
	assert_int_equal(known(&t, MADE_NETNS, 2)->features, NETDEV_XDP_NDO_XMIT);
	/* ethtool's name is the better one */
	netdev_table_driver(&t, MADE_NETNS, 2, "mlx4_en");
	m.device.features = 0;
	netdev_table_walked(&t, &m);
	assert_string_equal(known(&t, MADE_NETNS, 2)->driver, "mlx4_en");
	assert_int_equal(known(&t, MADE_NETNS, 2)->features, 0);
	/* not of the next one with its number, which netlink has not told of yet */
	say(&t, MADE_NETNS, 2, "", NETDEV_NONE);
	m.device.features = NETDEV_XDP_BASIC;
	netdev_table_walked(&t, &m);
	assert_int_not_equal(known(&t, MADE_NETNS, 2)->features, NETDEV_XDP_BASIC);
	netdev_table_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link),         cmocka_unit_test(test_link_modes),
		cmocka_unit_test(test_link_others),  cmocka_unit_test(test_link_cut),
		cmocka_unit_test(test_generic),      cmocka_unit_test(test_device_text),
		cmocka_unit_test(test_table),        cmocka_unit_test(test_table_dump),
		cmocka_unit_test(test_table_full),   cmocka_unit_test(test_table_fill),
		cmocka_unit_test(test_table_peers),  cmocka_unit_test(test_stats),
		cmocka_unit_test(test_table_walked), cmocka_unit_test(test_table_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
