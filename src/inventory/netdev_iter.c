// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/netdev_iter.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "inventory/bpf_iters.h"
#include "base/sanitize.h"
#include "iters.skel.h"

struct netdev_iter {
	const struct iters_bpf *iterators;
	struct bpf_link *link;
	struct bpf_iters_array found;
};

struct netdev_iter *netdev_iter_open(struct bpf_iters *iterators)
{
	const struct iters_bpf *object = bpf_iters_object(iterators);
	struct netdev_iter *w;

	if (!object)
		return NULL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->iterators = object;
	w->link = bpf_iters_attach_once(object, object->progs.walk);
	if (w->link)
		return w;
	netdev_iter_close(w);
	return NULL;
}

void netdev_iter_close(struct netdev_iter *w)
{
	if (!w)
		return;
	bpf_iters_unmap(&w->found);
	bpf_link__destroy(w->link);
	free(w);
}

const enum netdev_mode walk_modes[WALK_MODES] = {
	[WALK_GENERIC] = NETDEV_GENERIC,
	[WALK_NATIVE] = NETDEV_NATIVE,
	[WALK_OFFLOAD] = NETDEV_OFFLOAD,
};

/* As dev_xdp_mode() in net/core/rtnetlink.c: XDP_ATTACHED_MULTI for more than one. */
static void set_mode(struct netdev *d, const __u32 prog_id[WALK_MODES])
{
	for (int i = 0; i < WALK_MODES; i++) {
		if (!prog_id[i])
			continue;
		d->mode = d->mode == NETDEV_NONE ? walk_modes[i] : NETDEV_MULTI;
	}
	d->prog_id = prog_id[WALK_NATIVE] ?: prog_id[WALK_OFFLOAD] ?: prog_id[WALK_GENERIC];
	d->skb_prog_id = prog_id[WALK_GENERIC];
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
	/* they become parts of a path, which needs no printable names */
	memcpy(to->hardware.bus, from->bus, sizeof(from->bus));
	memcpy(to->hardware.name, from->bus_device, sizeof(from->bus_device));
	d->netns = from->netns;
	d->ifindex = from->ifindex;
	d->mtu = from->mtu;
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
	set_mode(d, from->prog_id);
}

int netdev_iter_run(struct netdev_iter *w, void (*fn)(void *ctx, const struct link_message *m),
		    void *ctx)
{
	struct iters_bpf__bss *bss = w->iterators->bss;
	const struct walk_device *found;
	int err;

	bss->after_netns = 0;
	do {
		err = bpf_iters_fill(&w->found, w->link, w->iterators->maps.found, &bss->met);
		found = w->found.record;
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
