// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netdev_iter.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include "inventory/bpf_iters.h"
#include "base/sanitize.h"
#include "iters.skel.h"

const enum netdev_mode walk_modes[WALK_MODES] = {
	[WALK_GENERIC] = NETDEV_GENERIC,
	[WALK_NATIVE] = NETDEV_NATIVE,
	[WALK_OFFLOAD] = NETDEV_OFFLOAD,
};

/* As dev_xdp_mode() in net/core/rtnetlink.c: XDP_ATTACHED_MULTI for more than one. */
static void set_mode(struct netdev *d, const struct walk_device *from)
{
	const __u32 *prog_id = from->prog_id;
	enum walk_mode first = prog_id[WALK_NATIVE]    ? WALK_NATIVE
			       : prog_id[WALK_OFFLOAD] ? WALK_OFFLOAD
						       : WALK_GENERIC;

	for (int i = 0; i < WALK_MODES; i++) {
		if (!prog_id[i])
			continue;
		d->mode = d->mode == NETDEV_NONE ? walk_modes[i] : NETDEV_MULTI;
	}
	d->prog_id = prog_id[first];
	d->skb_prog_id = prog_id[WALK_GENERIC];
	if (d->prog_id)
		d->attach = from->by_link & 1u << first ? NETDEV_BY_LINK : NETDEV_BY_NETLINK;
}

static void to_message(const struct walk_device *from, struct link_message *to)
{
	struct netdev *d = &to->device;

	memset(to, 0, sizeof(*to));
	to->netns_cookie = from->netns_cookie;
	to->settings =
		from->offloads ^ (uint64_t)from->rx_queues << 48 ^ (uint64_t)from->tx_queues << 32;
	to->hardware.rx_queues = from->rx_queues;
	to->hardware.node = from->node;
	/* they become parts of a path, so they need not be printable */
	memcpy(to->hardware.bus, from->bus, sizeof(from->bus));
	memcpy(to->hardware.name, from->bus_device, sizeof(from->bus_device));
	d->netns = from->netns;
	d->ifindex = from->ifindex;
	d->mtu = from->mtu;
	d->link_type = from->link_type;
	d->lower_ifindex = from->lower_ifindex;
	d->master_ifindex = from->master_ifindex;
	d->vlan_id = from->vlan_id;
	if (from->mtu_max)
		netdev_set_setting(d, NETDEV_MTU_MAX, from->mtu_max);
	netdev_set_setting(d, NETDEV_PROMISCUITY, from->promiscuity);
	netdev_set_count(d, NETDEV_CARRIER_CHANGES, from->carrier_changes);
	d->up = from->up;
	d->running = from->running;
	d->has_features = from->has_features;
	d->features = from->features;
	d->peer_netns = from->peer_netns;
	d->peer_ifindex = from->peer_ifindex;
	to->peer_elsewhere = from->peer_ifindex && from->peer_netns != from->netns;
	sanitize(d->name, sizeof(d->name), from->name, sizeof(from->name));
	sanitize(d->kind, sizeof(d->kind), from->kind, sizeof(from->kind));
	if (!d->kind[0])
		sanitize(d->driver, sizeof(d->driver), from->driver, sizeof(from->driver));
	set_mode(d, from);
}

int netdev_iter_run(struct bpf_iters *it, void (*fn)(void *ctx, const struct link_message *m),
		    void *ctx)
{
	struct iters_bpf__bss *bss = bpf_iters_object(it)->bss;
	const struct walk_device *found;
	const void *record = NULL;
	int err;

	bss->after_netns = 0;
	do {
		err = bpf_iters_once(it, ITER_WALK)
			      ?: bpf_iters_map(it, ITERS_DEVICES, bss->met, &record);
		found = record;
		for (uint32_t i = 0; !err && i < bss->met; i++) {
			struct link_message m;

			to_message(&found[i], &m);
			fn(ctx, &m);
		}
		if (err || bss->complete)
			return err;
		if (bss->met) {
			bss->after_netns = found[bss->met - 1].netns;
			bss->after_ifindex = found[bss->met - 1].ifindex;
		}
	} while (bss->met);
	return -EINTR;
}
