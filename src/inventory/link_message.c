// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/link_message.h"

#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include "base/sanitize.h"

/* include/uapi/linux/netdev.h (6.3+); older headers do not have it */
#define NETDEV_FAMILY         "netdev"
#define NETDEV_VERSION        1
#define NETDEV_DEV_GET        1
#define NETDEV_DEV_IFINDEX    1
#define NETDEV_DEV_FEATURES   3
#define NETDEV_DEV_ATTRIBUTES 4
/* 6.8+ */
#define NETDEV_POOL_GET 5
enum {
	NETDEV_POOL_ID = 1,
	NETDEV_POOL_IFINDEX,
	NETDEV_POOL_NAPI_ID,
	NETDEV_POOL_INFLIGHT,
	NETDEV_POOL_INFLIGHT_MEM,
	NETDEV_POOL_DETACH_TIME,
};

/* Attributes of a message or nest by type, up to `max`. Higher types are ignored. */
struct attributes {
	const struct nlattr *at[IFLA_MAX + 1];
	uint16_t max;
};

static int keep(const struct nlattr *a, void *data)
{
	struct attributes *attributes = data;
	uint16_t type = mnl_attr_get_type(a);

	if (type <= attributes->max)
		attributes->at[type] = a;
	return MNL_CB_OK;
}

/*
 * Parse the attributes after a header of this length. False = another message type, or truncated.
 */
static bool attributes_parse(const struct nlmsghdr *message, uint16_t type, size_t header,
			     uint16_t max, struct attributes *a)
{
	memset(a, 0, sizeof(*a));
	a->max = max;
	if (message->nlmsg_type != type || mnl_nlmsg_get_payload_len(message) < header)
		return false;
	mnl_attr_parse(message, header, keep, a);
	return true;
}

static void parse_nested(const struct nlattr *nest, uint16_t max, struct attributes *a)
{
	memset(a, 0, sizeof(*a));
	a->max = max;
	if (nest)
		mnl_attr_parse_nested(nest, keep, a);
}

/* 0 = attribute missing or too short */
static uint32_t u32_of(const struct attributes *a, int type)
{
	const struct nlattr *n = a->at[type];

	return n && mnl_attr_get_payload_len(n) >= sizeof(uint32_t) ? mnl_attr_get_u32(n) : 0;
}

/* A number that takes 4 or 8 bytes, `uint` in Documentation/netlink/specs; 0 = missing. */
static uint64_t uint_of(const struct attributes *a, int type)
{
	const struct nlattr *n = a->at[type];

	return n && mnl_attr_get_payload_len(n) >= sizeof(uint64_t) ? mnl_attr_get_u64(n)
								    : u32_of(a, type);
}

static void text_of(const struct attributes *a, int type, char *to, size_t size)
{
	const struct nlattr *n = a->at[type];

	to[0] = '\0';
	if (n)
		sanitize(to, size, mnl_attr_get_payload(n), mnl_attr_get_payload_len(n));
}

static struct nlmsghdr *request(void *buf, uint16_t type, uint16_t flags, uint32_t seq)
{
	struct nlmsghdr *message = mnl_nlmsg_put_header(buf);

	message->nlmsg_type = type;
	message->nlmsg_flags = NLM_F_REQUEST | flags;
	message->nlmsg_seq = seq;
	return message;
}

static struct nlmsghdr *generic(void *buf, uint16_t family, uint16_t flags, uint32_t seq,
				uint8_t command, uint8_t version)
{
	struct nlmsghdr *message = request(buf, family, flags, seq);
	struct genlmsghdr *head = mnl_nlmsg_put_extra_header(message, sizeof(*head));

	head->cmd = command;
	head->version = version;
	return message;
}

struct nlmsghdr *netlink_put_link_dump(void *buf, uint32_t seq)
{
	struct nlmsghdr *message = request(buf, RTM_GETLINK, NLM_F_DUMP, seq);

	mnl_nlmsg_put_extra_header(message, sizeof(struct ifinfomsg));
	mnl_attr_put_u32(message, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return message;
}

struct nlmsghdr *netlink_put_nsid_get(void *buf, uint32_t seq, int nsfd)
{
	struct nlmsghdr *message = request(buf, RTM_GETNSID, 0, seq);

	mnl_nlmsg_put_extra_header(message, sizeof(struct rtgenmsg));
	mnl_attr_put_u32(message, NETNSA_FD, (uint32_t)nsfd);
	return message;
}

struct nlmsghdr *netlink_put_stats_get(void *buf, uint32_t seq, uint32_t ifindex)
{
	struct nlmsghdr *message = request(buf, RTM_GETSTATS, ifindex ? 0 : NLM_F_DUMP, seq);
	struct if_stats_msg *head = mnl_nlmsg_put_extra_header(message, sizeof(*head));

	head->ifindex = ifindex;
	head->filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64);
	return message;
}

struct nlmsghdr *netlink_put_family_get(void *buf, uint32_t seq)
{
	struct nlmsghdr *message = generic(buf, GENL_ID_CTRL, 0, seq, CTRL_CMD_GETFAMILY, 1);

	mnl_attr_put_strz(message, CTRL_ATTR_FAMILY_NAME, NETDEV_FAMILY);
	return message;
}

struct nlmsghdr *netlink_put_features_dump(void *buf, uint32_t seq, uint16_t family)
{
	return generic(buf, family, NLM_F_DUMP, seq, NETDEV_DEV_GET, NETDEV_VERSION);
}

struct nlmsghdr *netlink_put_page_pools_dump(void *buf, uint32_t seq, uint16_t family)
{
	return generic(buf, family, NLM_F_DUMP, seq, NETDEV_POOL_GET, NETDEV_VERSION);
}

/* rtnl_xdp_fill() in net/core/rtnetlink.c sets PROG_ID only if a single mode is in use */
static void parse_xdp(const struct nlattr *nest, struct netdev *d)
{
	static const enum netdev_mode modes[] = {
		[XDP_ATTACHED_NONE] = NETDEV_NONE,   [XDP_ATTACHED_DRV] = NETDEV_NATIVE,
		[XDP_ATTACHED_SKB] = NETDEV_GENERIC, [XDP_ATTACHED_HW] = NETDEV_OFFLOAD,
		[XDP_ATTACHED_MULTI] = NETDEV_MULTI,
	};
	struct attributes xdp;
	const struct nlattr *attached;
	uint8_t mode = XDP_ATTACHED_NONE;

	parse_nested(nest, IFLA_XDP_MAX, &xdp);
	attached = xdp.at[IFLA_XDP_ATTACHED];
	if (attached && mnl_attr_get_payload_len(attached) >= 1)
		mode = mnl_attr_get_u8(attached);
	d->mode = mode < NETDEV_MODES ? modes[mode] : NETDEV_MULTI;
	d->prog_id = u32_of(&xdp, IFLA_XDP_PROG_ID);
	d->skb_prog_id = u32_of(&xdp, IFLA_XDP_SKB_PROG_ID);
	if (d->mode == NETDEV_GENERIC && !d->skb_prog_id)
		d->skb_prog_id = d->prog_id;
	if (!d->prog_id)
		d->prog_id = u32_of(&xdp, IFLA_XDP_DRV_PROG_ID);
	if (!d->prog_id)
		d->prog_id = u32_of(&xdp, IFLA_XDP_HW_PROG_ID);
	if (!d->prog_id)
		d->prog_id = d->skb_prog_id;
}

/* 0 = unknown */
static uint32_t vlan_of(const struct nlattr *nest)
{
	struct attributes vlan;
	const struct nlattr *id;

	parse_nested(nest, IFLA_VLAN_MAX, &vlan);
	id = vlan.at[IFLA_VLAN_ID];
	return id && mnl_attr_get_payload_len(id) >= sizeof(uint16_t) ? mnl_attr_get_u16(id) : 0;
}

bool netlink_parse_link(const struct nlmsghdr *message, struct link_message *link)
{
	const struct ifinfomsg *head = mnl_nlmsg_get_payload(message);
	bool gone = message->nlmsg_type == RTM_DELLINK;
	struct netdev *d = &link->device;
	struct attributes a, info;

	if (!attributes_parse(message, gone ? RTM_DELLINK : RTM_NEWLINK, sizeof(*head), IFLA_MAX,
			      &a))
		return false;
	/* AF_BRIDGE: RTM_DELLINK means that a port left the bridge */
	if (head->ifi_family != AF_UNSPEC || head->ifi_index <= 0)
		return false;
	memset(link, 0, sizeof(*link));
	d->ifindex = (uint32_t)head->ifi_index;
	d->up = head->ifi_flags & IFF_UP;
	d->running = head->ifi_flags & IFF_RUNNING;
	d->gone = gone;
	d->mtu = u32_of(&a, IFLA_MTU);
	if (a.at[IFLA_CARRIER_CHANGES])
		netdev_set_count(d, NETDEV_CARRIER_CHANGES, u32_of(&a, IFLA_CARRIER_CHANGES));
	/* 0 = no limit, or the driver reports none */
	if (u32_of(&a, IFLA_MAX_MTU))
		netdev_set_setting(d, NETDEV_MTU_MAX, u32_of(&a, IFLA_MAX_MTU));
	if (a.at[IFLA_PROMISCUITY])
		netdev_set_setting(d, NETDEV_PROMISCUITY, u32_of(&a, IFLA_PROMISCUITY));
	text_of(&a, IFLA_IFNAME, d->name, sizeof(d->name));
	parse_xdp(a.at[IFLA_XDP], d);
	parse_nested(a.at[IFLA_LINKINFO], IFLA_INFO_MAX, &info);
	text_of(&info, IFLA_INFO_KIND, d->kind, sizeof(d->kind));
	d->link_type = head->ifi_type;
	d->master_ifindex = u32_of(&a, IFLA_MASTER);
	/* for other kinds IFLA_LINK is not the peer: for a VLAN it is the lower device */
	if (strcmp(d->kind, "veth") && strcmp(d->kind, "netkit")) {
		if (!a.at[IFLA_LINK_NETNSID])
			d->lower_ifindex = u32_of(&a, IFLA_LINK);
		if (!strcmp(d->kind, "vlan"))
			d->vlan_id = vlan_of(info.at[IFLA_INFO_DATA]);
		return true;
	}
	d->peer_ifindex = u32_of(&a, IFLA_LINK);
	link->peer_elsewhere = a.at[IFLA_LINK_NETNSID];
	link->peer_nsid = (int32_t)u32_of(&a, IFLA_LINK_NETNSID);
	return true;
}

bool netlink_parse_nsid(const struct nlmsghdr *message, int32_t *nsid)
{
	struct attributes a;

	if (!attributes_parse(message, RTM_NEWNSID, sizeof(struct rtgenmsg), NETNSA_MAX, &a))
		return false;
	*nsid = a.at[NETNSA_NSID] ? (int32_t)u32_of(&a, NETNSA_NSID) : NETNSA_NSID_NOT_ASSIGNED;
	return true;
}

/* After rx_nohandler, since 5.19: the headers of a build may be older. */
#define OTHERHOST_OFFSET (offsetof(struct rtnl_link_stats64, rx_nohandler) + sizeof(__u64))

bool netlink_parse_counts(const struct nlmsghdr *message, struct netdev *d)
{
	struct rtnl_link_stats64 stats;
	const struct nlattr *link;
	struct attributes a;
	uint64_t otherhost;

	if (!attributes_parse(message, RTM_NEWSTATS, sizeof(struct if_stats_msg), IFLA_STATS_MAX,
			      &a))
		return false;
	link = a.at[IFLA_STATS_LINK_64];
	/* later kernels append members */
	if (!link ||
	    mnl_attr_get_payload_len(link) < offsetof(struct rtnl_link_stats64, tx_compressed))
		return false;
	memcpy(&stats, mnl_attr_get_payload(link),
	       offsetof(struct rtnl_link_stats64, tx_compressed));
	d->ifindex = ((const struct if_stats_msg *)mnl_nlmsg_get_payload(message))->ifindex;
	netdev_set_count(d, NETDEV_RX_PACKETS, stats.rx_packets);
	netdev_set_count(d, NETDEV_RX_MISSED, stats.rx_missed_errors);
	netdev_set_count(d, NETDEV_RX_DROPPED, stats.rx_dropped);
	netdev_set_count(d, NETDEV_TX_PACKETS, stats.tx_packets);
	netdev_set_count(d, NETDEV_TX_DROPPED, stats.tx_dropped);
	netdev_set_count(d, NETDEV_TX_ERRORS, stats.tx_errors);
	if (mnl_attr_get_payload_len(link) < OTHERHOST_OFFSET + sizeof(otherhost))
		return true;
	memcpy(&otherhost, (const char *)mnl_attr_get_payload(link) + OTHERHOST_OFFSET,
	       sizeof(otherhost));
	netdev_set_count(d, NETDEV_RX_OTHERHOST, otherhost);
	return true;
}

bool netlink_parse_family(const struct nlmsghdr *message, uint16_t *family)
{
	struct attributes a;

	if (!attributes_parse(message, GENL_ID_CTRL, sizeof(struct genlmsghdr), CTRL_ATTR_MAX,
			      &a) ||
	    !a.at[CTRL_ATTR_FAMILY_ID] ||
	    mnl_attr_get_payload_len(a.at[CTRL_ATTR_FAMILY_ID]) < sizeof(uint16_t))
		return false;
	*family = mnl_attr_get_u16(a.at[CTRL_ATTR_FAMILY_ID]);
	return true;
}

bool netlink_parse_features(const struct nlmsghdr *message, uint16_t family, uint32_t *ifindex,
			    uint64_t *features)
{
	const struct nlattr *n;
	struct attributes a;

	if (!attributes_parse(message, family, sizeof(struct genlmsghdr), NETDEV_DEV_ATTRIBUTES,
			      &a))
		return false;
	*ifindex = u32_of(&a, NETDEV_DEV_IFINDEX);
	n = a.at[NETDEV_DEV_FEATURES];
	if (!*ifindex || !n || mnl_attr_get_payload_len(n) < sizeof(*features))
		return false;
	*features = mnl_attr_get_u64(n);
	return true;
}

bool netlink_parse_page_pool(const struct nlmsghdr *message, uint16_t family,
			     struct page_pool_message *pool)
{
	struct attributes a;

	if (!attributes_parse(message, family, sizeof(struct genlmsghdr), NETDEV_POOL_DETACH_TIME,
			      &a))
		return false;
	*pool = (struct page_pool_message){
		.id = (uint32_t)uint_of(&a, NETDEV_POOL_ID),
		.ifindex = u32_of(&a, NETDEV_POOL_IFINDEX),
		.napi_id = (uint32_t)uint_of(&a, NETDEV_POOL_NAPI_ID),
		.inflight = uint_of(&a, NETDEV_POOL_INFLIGHT),
		.inflight_mem = uint_of(&a, NETDEV_POOL_INFLIGHT_MEM),
		.detach_time = uint_of(&a, NETDEV_POOL_DETACH_TIME),
	};
	return pool->id;
}
