// SPDX-License-Identifier: GPL-2.0-only
/*
 * An iterator that walks the kernel's lists of network namespaces and devices when it is read. It
 * sees namespaces that are newer than xdptop, that have no name and no process, or that xdptop may
 * not enter. It needs no capability after load and holds no reference.
 *
 * bpf_iter_run_prog() (kernel/bpf/bpf_iter.c) runs it under rcu_read_lock(), which protects
 * net_namespace_list and dev_base_head. All reads handle faults. bpf_loop() needs 5.17.
 */
#include "core_types.h"
#include "device_prog.h"
#include "init_netns.h"
#include "iter_records.h"

#define STEPS_MAX (1 << 17)

/* Devices in `found`. */
__u32 met = 0;
/* Set when the walk reached the end of the lists. */
__u32 complete = 0;
/* If `found` was full: the device to resume after; after_netns 0 = start at the beginning. */
__u32 after_netns = 0, after_ifindex = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, WALK_MAX);
	__type(key, __u32);
	__type(value, struct walk_device);
} found SEC(".maps");

struct walk {
	struct netns_walk netns;
	const struct list_head *at; /* next device; NULL = start at the namespace's first */
	bool skip;                  /* still before the device to resume after */
};

/* Read a member whose width differs between versions. */
#define READ_UP_TO_U64(dev, member)                                   \
	({                                                            \
		__u64 value_ = 0;                                     \
		if (bpf_core_field_size((dev)->member) == 8) {        \
			bpf_core_read(&value_, 8, &(dev)->member);    \
		} else if (bpf_core_field_size((dev)->member) == 4) { \
			__u32 word_ = 0;                              \
			bpf_core_read(&word_, 4, &(dev)->member);     \
			value_ = word_;                               \
		} else {                                              \
			__u8 byte_ = 0;                               \
			bpf_core_read(&byte_, 1, &(dev)->member);     \
			value_ = byte_;                               \
		}                                                     \
		value_;                                               \
	})

/* netdev_priv(): a member since 6.10. Before that it follows the aligned struct. */
static __always_inline const void *netdev_private(const struct net_device *dev)
{
	if (bpf_core_field_exists(dev->priv))
		return (const char *)dev + bpf_core_field_offset(struct net_device, priv);
	return (const char *)dev + ((bpf_core_type_size(struct net_device) + 31) & ~31ULL);
}

static __always_inline bool is_kind(const struct walk_device *d, const char *kind, int len)
{
	for (int i = 0; i <= len; i++)
		if (d->kind[i] != kind[i])
			return false;
	return true;
}

/*
 * The peer is the first member of struct veth_priv (drivers/net/veth.c) and of struct netkit
 * (drivers/net/netkit.c). Both may be modules, and reading a module's BTF needs CAP_SYS_ADMIN, so
 * read_peer() trusts the pointer only if the peer points back.
 */
static __always_inline const struct net_device *peer_of(const struct net_device *dev)
{
	const struct net_device *peer = NULL;

	kernel_read(&peer, sizeof(peer), netdev_private(dev));
	return peer;
}

static __always_inline void read_peer(const struct net_device *dev, struct walk_device *to)
{
	const struct net_device *peer;

	if (!is_kind(to, "veth", 4) && !is_kind(to, "netkit", 6))
		return;
	peer = peer_of(dev);
	if (!peer || peer_of(peer) != dev)
		return;
	to->peer_netns = BPF_CORE_READ(peer, nd_net.net, ns.inum);
	to->peer_ifindex = BPF_CORE_READ(peer, ifindex);
}

/* The first device in a list of neighbours, and whether it is a master; NULL = the list is empty.
 */
static __always_inline const struct net_device *neighbour(const struct net_device *dev,
							  __u32 offset, bool *master)
{
	const struct list_head *head = (const void *)((const char *)dev + offset), *first;
	const struct netdev_adjacent *adjacent;

	first = BPF_CORE_READ(head, next);
	if (!first || first == head)
		return NULL;
	adjacent = CONTAINER(first, struct netdev_adjacent, list);
	*master = BPF_CORE_READ(adjacent, master);
	return BPF_CORE_READ(adjacent, dev);
}

/* netdev_master_upper_dev_get_rcu() */
static __always_inline const struct net_device *master_of(const struct net_device *dev)
{
	const struct net_device *upper;
	bool master = false;

	upper = neighbour(dev, bpf_core_field_offset(struct net_device, adj_list.upper), &master);
	return master ? upper : NULL;
}

/*
 * struct vlan_dev_priv of include/linux/if_vlan.h, whose BTF may be a module's: trusted only if it
 * points to the lower device.
 */
#define VLAN_ID_AT     170
#define VLAN_DEVICE_AT 176

static __always_inline void read_neighbours(const struct net_device *dev, struct walk_device *to)
{
	const struct net_device *lower, *master = master_of(dev), *real = NULL;
	const char *vlan = netdev_private(dev);
	__u16 id = 0;
	bool ignored;

	if (master && BPF_CORE_READ(master, nd_net.net, ns.inum) == to->netns)
		to->master_ifindex = BPF_CORE_READ(master, ifindex);
	lower = neighbour(dev, bpf_core_field_offset(struct net_device, adj_list.lower), &ignored);
	/* below a bond or bridge are its members */
	if (!lower || master_of(lower) == dev ||
	    BPF_CORE_READ(lower, nd_net.net, ns.inum) != to->netns)
		return;
	to->lower_ifindex = BPF_CORE_READ(lower, ifindex);
	if (!is_kind(to, "vlan", 4))
		return;
	kernel_read(&real, sizeof(real), vlan + VLAN_DEVICE_AT);
	kernel_read(&id, sizeof(id), vlan + VLAN_ID_AT);
	if (real == lower)
		to->vlan_id = id;
}

static __always_inline __u32 prog_id(const struct net_device *dev, int mode)
{
	const struct bpf_prog *prog = device_prog(dev, mode);

	return prog ? BPF_CORE_READ(prog, aux, id) : 0;
}

#define IFF_UP           1
#define IF_OPER_UNKNOWN  0
#define IF_OPER_UP       6
#define LINK_STATE_START 0

/* The device on a bus that the driver drives. */
static __always_inline void read_parent(const struct net_device *dev, struct walk_device *to)
{
	const struct device *parent = BPF_CORE_READ(dev, dev.parent);
	const char *text;

	to->node = -1;
	if (!parent)
		return;
	text = BPF_CORE_READ(parent, driver, name);
	if (text)
		kernel_read_str(to->driver, sizeof(to->driver), text);
	text = BPF_CORE_READ(parent, bus, name);
	if (text)
		kernel_read_str(to->bus, sizeof(to->bus), text);
	/* dev_name() */
	text = BPF_CORE_READ(parent, kobj.name);
	if (text)
		kernel_read_str(to->bus_device, sizeof(to->bus_device), text);
	if (bpf_core_field_exists(parent->numa_node))
		to->node = BPF_CORE_READ(parent, numa_node);
}

static __always_inline void read_device(const struct net_device *dev, const struct net *net,
					struct walk_device *to)
{
	const char *kind = BPF_CORE_READ(dev, rtnl_link_ops, kind);
	__u64 oper = READ_UP_TO_U64(dev, operstate);

	__builtin_memset(to, 0, sizeof(*to));
	to->netns = BPF_CORE_READ(net, ns.inum);
	if (bpf_core_field_exists(net->ns.ns_id))
		to->netns_cookie = BPF_CORE_READ(net, ns.ns_id);
	else if (bpf_core_field_exists(net->net_cookie))
		to->netns_cookie = BPF_CORE_READ(net, net_cookie);
	to->ifindex = BPF_CORE_READ(dev, ifindex);
	to->mtu = BPF_CORE_READ(dev, mtu);
	to->mtu_max = BPF_CORE_READ(dev, max_mtu);
	/* IFLA_CARRIER_CHANGES in rtnl_fill_ifinfo() */
	to->carrier_changes = (__u32)BPF_CORE_READ(dev, carrier_up_count.counter) +
			      (__u32)BPF_CORE_READ(dev, carrier_down_count.counter);
	to->promiscuity = BPF_CORE_READ(dev, promiscuity);
	to->link_type = BPF_CORE_READ(dev, type);
	to->rx_queues = BPF_CORE_READ(dev, real_num_rx_queues);
	to->tx_queues = BPF_CORE_READ(dev, real_num_tx_queues);
	to->offloads = BPF_CORE_READ(dev, features);
	to->up = BPF_CORE_READ(dev, flags) & IFF_UP;
	/* IFF_RUNNING in dev_get_flags() */
	to->running = (BPF_CORE_READ(dev, state) & 1UL << LINK_STATE_START) &&
		      (oper == IF_OPER_UP || oper == IF_OPER_UNKNOWN);
	bpf_core_read(to->name, sizeof(to->name), &dev->name);
	if (kind)
		kernel_read_str(to->kind, sizeof(to->kind), kind);
	read_parent(dev, to);
	if (bpf_core_field_exists(dev->xdp_features)) {
		to->has_features = 1;
		to->features = READ_UP_TO_U64(dev, xdp_features);
	}
	to->prog_id[WALK_GENERIC] = prog_id(dev, WALK_GENERIC);
	to->prog_id[WALK_NATIVE] = prog_id(dev, WALK_NATIVE);
	to->prog_id[WALK_OFFLOAD] = prog_id(dev, WALK_OFFLOAD);
	to->by_link = device_is_linked(dev, WALK_GENERIC) << WALK_GENERIC |
		      device_is_linked(dev, WALK_NATIVE) << WALK_NATIVE |
		      device_is_linked(dev, WALK_OFFLOAD) << WALK_OFFLOAD;
	read_peer(dev, to);
	read_neighbours(dev, to);
}

static __always_inline bool is_after(const struct net_device *dev, const struct net *net)
{
	return (__u32)BPF_CORE_READ(dev, ifindex) == after_ifindex &&
	       BPF_CORE_READ(net, ns.inum) == after_netns;
}

/* Step to the next device or namespace. 1 = end. */
static long step(__u32 index, void *ctx)
{
	struct walk *w = ctx;
	/* locals: otherwise CO-RE also relocates the path through struct walk */
	const struct list_head *head, *at = w->at;
	const struct net *net = w->netns.net;
	const struct net_device *dev;
	struct walk_device *to;
	__u32 slot;

	head = (const void *)((const char *)net + bpf_core_field_offset(struct net, dev_base_head));
	if (!at)
		at = BPF_CORE_READ(head, next);
	dev = CONTAINER(at, struct net_device, dev_list);
	/* a device that was just moved to another netns is in that list now: skip the rest */
	if (at && at != head && BPF_CORE_READ(dev, nd_net.net) == net) {
		if (w->skip) {
			w->skip = !is_after(dev, net);
		} else {
			slot = met;
			to = bpf_map_lookup_elem(&found, &slot);
			if (!to)
				return 1;
			read_device(dev, net, to);
			met++;
		}
		w->at = BPF_CORE_READ(at, next);
		if (w->at)
			return 0;
	}
	w->at = NULL;
	if (!netns_next(&w->netns))
		return 1;
	if (w->netns.net != w->netns.first)
		return 0;
	/* the device to resume after may no longer exist */
	complete = !w->skip;
	return 1;
}

SEC("iter/bpf_map")
int walk(struct bpf_iter__bpf_map *ctx)
{
	struct walk w = {};

	met = 0;
	complete = 0;
	if (!netns_begin(&w.netns))
		return ITER_ONCE;
	w.skip = after_netns;
	bpf_loop(STEPS_MAX, step, &w, 0);
	return ITER_ONCE;
}
