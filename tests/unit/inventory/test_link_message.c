// SPDX-License-Identifier: GPL-2.0-or-later
/* What messages about devices contain. */
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include "inventory/link_message.h"
#include "model/tracepoint.h"
#include "unit/test.h"

/* A message under construction. */
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
	info->ifi_type = ARPHRD_NONE;
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

static void put_vlan(struct message *m, uint16_t id, size_t size)
{
	struct nlattr *nest = mnl_attr_nest_start(m->head, IFLA_LINKINFO), *data;

	mnl_attr_put_strz(m->head, IFLA_INFO_KIND, "vlan");
	data = mnl_attr_nest_start(m->head, IFLA_INFO_DATA);
	mnl_attr_put(m->head, IFLA_VLAN_ID, size, &id);
	mnl_attr_nest_end(m->head, data);
	mnl_attr_nest_end(m->head, nest);
}

TEST(test_link)
{
	struct link_message link;
	struct message m;

	link_begin(&m, RTM_NEWLINK, 5, IFF_UP | IFF_RUNNING);
	mnl_attr_put_strz(m.head, IFLA_IFNAME, "eth\x1b[2J");
	mnl_attr_put_u32(m.head, IFLA_MTU, 9000);
	mnl_attr_put_u32(m.head, IFLA_PROMISCUITY, 2);
	mnl_attr_put_u32(m.head, IFLA_LINK, 17);
	mnl_attr_put_u32(m.head, IFLA_LINK_NETNSID, 3);
	put_kind(&m, "veth");
	put_xdp(&m, XDP_ATTACHED_DRV, 42, 42, 0, 0);
	/* an attribute of a later kernel */
	mnl_attr_put_u32(m.head, 4000, 1);
	assert_true(netlink_parse_link(m.head, &link));
	assert_int_equal(link.device.ifindex, 5);
	assert_string_equal(link.device.name, "eth\\x1b[2J");
	assert_string_equal(link.device.kind, "veth");
	assert_int_equal(link.device.mtu, 9000);
	assert_int_equal(link.device.setting[NETDEV_PROMISCUITY], 2);
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

TEST(test_link_modes)
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
		/* before 4.19 the kernel sent only the first one */
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

TEST(test_link_others)
{
	struct link_message link;
	struct ifinfomsg *info;
	struct message m;

	/* IFLA_LINK of a VLAN is its lower device */
	link_begin(&m, RTM_NEWLINK, 9, IFF_UP);
	mnl_attr_put_u32(m.head, IFLA_LINK, 2);
	mnl_attr_put_u32(m.head, IFLA_MASTER, 3);
	put_vlan(&m, 100, sizeof(uint16_t));
	assert_true(netlink_parse_link(m.head, &link));
	assert_int_equal(link.device.peer_ifindex, 0);
	assert_int_equal(link.device.lower_ifindex, 2);
	assert_int_equal(link.device.vlan_id, 100);
	assert_int_equal(link.device.master_ifindex, 3);
	assert_int_equal(link.device.link_type, ARPHRD_NONE);
	assert_true(netdev_lacks_ethernet(&link.device));
	assert_string_equal(netdev_state_name(&link.device), "no-carrier");
	/* in another namespace the number is another device's; a truncated id is unknown */
	link_begin(&m, RTM_NEWLINK, 9, IFF_UP);
	mnl_attr_put_u32(m.head, IFLA_LINK, 2);
	mnl_attr_put_u32(m.head, IFLA_LINK_NETNSID, 0);
	put_vlan(&m, 100, 1);
	assert_true(netlink_parse_link(m.head, &link));
	assert_int_equal(link.device.lower_ifindex, 0);
	assert_int_equal(link.device.vlan_id, 0);
	/* a port that leaves a bridge still exists */
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
	/* truncated */
	link_begin(&m, RTM_NEWLINK, 9, 0);
	m.head->nlmsg_len = NLMSG_HDRLEN + 4;
	assert_false(netlink_parse_link(m.head, &link));
	/* attributes that are too short */
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

/* Every prefix of a message, in memory of that size, so that ASan finds reads beyond it. */
TEST(test_link_cut)
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

TEST(test_generic)
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

TEST(test_stats)
{
	char buf[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	struct nlmsghdr *request = netlink_put_stats_get(buf, 7, 5);
	const struct if_stats_msg *head = mnl_nlmsg_get_payload(request);
	struct rtnl_link_stats64 stats = { .rx_packets = 1ULL << 40,
					   .tx_packets = 3,
					   .rx_dropped = 4,
					   .tx_dropped = 5,
					   .tx_errors = 6,
					   .rx_missed_errors = 7 };
	static const uint64_t want[] = {
		[NETDEV_RX_PACKETS] = 1ULL << 40, [NETDEV_RX_MISSED] = 7,  [NETDEV_RX_DROPPED] = 4,
		[NETDEV_TX_PACKETS] = 3,          [NETDEV_TX_DROPPED] = 5, [NETDEV_TX_ERRORS] = 6,
	};
	struct netdev d = { 0 };
	struct link_message link;
	struct message m;

	assert_int_equal(request->nlmsg_type, RTM_GETSTATS);
	assert_int_equal(request->nlmsg_seq, 7);
	assert_int_equal(head->ifindex, 5);
	assert_false(request->nlmsg_flags & NLM_F_DUMP);
	assert_int_equal(netlink_put_stats_get(buf, 7, 0)->nlmsg_flags & NLM_F_DUMP, NLM_F_DUMP);
	assert_int_equal(head->filter_mask, IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64));
	stats_begin(&m, 5);
	assert_false(netlink_parse_counts(m.head, &d));
	mnl_attr_put_u32(m.head, IFLA_STATS_LINK_64, 1); /* truncated */
	assert_false(netlink_parse_counts(m.head, &d));
	stats_begin(&m, 5);
	mnl_attr_put(m.head, IFLA_STATS_LINK_64, sizeof(stats), &stats);
	assert_true(netlink_parse_counts(m.head, &d));
	assert_int_equal(d.ifindex, 5);
	assert_int_equal(d.counted, BIT(NETDEV_CARRIER_CHANGES) - 1);
	assert_memory_equal(d.count, want, sizeof(want));
	assert_false(netlink_parse_link(m.head, &link));
	m.head->nlmsg_len = NLMSG_HDRLEN + sizeof(*head) - 1;
	assert_false(netlink_parse_counts(m.head, &d));
	link_begin(&m, RTM_NEWLINK, 5, 0);
	assert_false(netlink_parse_counts(m.head, &d));
}

/* A page pool, whose numbers take 4 or 8 bytes. */
TEST(test_page_pool)
{
	char buf[NETLINK_REQUEST_LEN] __attribute__((aligned(8)));
	const struct nlmsghdr *request = netlink_put_page_pools_dump(buf, 7, 33);
	const struct genlmsghdr *head = mnl_nlmsg_get_payload(request);
	struct page_pool_message pool;
	struct message m;

	assert_int_equal(request->nlmsg_type, 33);
	assert_int_equal(request->nlmsg_flags & NLM_F_DUMP, NLM_F_DUMP);
	assert_int_equal(head->cmd, 5);
	m.head = mnl_nlmsg_put_header(m.buf);
	m.head->nlmsg_type = 33;
	assert_false(netlink_parse_page_pool(m.head, 33, &pool));
	mnl_nlmsg_put_extra_header(m.head, sizeof(struct genlmsghdr));
	/* no id */
	mnl_attr_put_u32(m.head, 2, 5);
	assert_false(netlink_parse_page_pool(m.head, 33, &pool));
	mnl_attr_put_u32(m.head, 1, 12);
	mnl_attr_put_u32(m.head, 3, 8193);
	mnl_attr_put_u64(m.head, 4, 1ULL << 33);
	mnl_attr_put_u32(m.head, 5, 4096);
	mnl_attr_put_u32(m.head, 9, 1); /* of a newer kernel */
	assert_true(netlink_parse_page_pool(m.head, 33, &pool));
	assert_int_equal(pool.id, 12);
	assert_int_equal(pool.ifindex, 5);
	assert_int_equal(pool.napi_id, 8193);
	assert_true(pool.inflight == 1ULL << 33);
	assert_int_equal(pool.inflight_mem, 4096);
	assert_int_equal(pool.detach_time, 0);
	mnl_attr_put_u64(m.head, 6, 300);
	assert_true(netlink_parse_page_pool(m.head, 33, &pool));
	assert_int_equal(pool.detach_time, 300);
	/* too short: unknown */
	mnl_attr_put_u16(m.head, 4, 7);
	assert_true(netlink_parse_page_pool(m.head, 33, &pool));
	assert_int_equal(pool.inflight, 0);
	assert_false(netlink_parse_page_pool(m.head, 34, &pool));
}
