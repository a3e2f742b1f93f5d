// SPDX-License-Identifier: GPL-2.0-or-later
#include "healthy.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>

#include "outcome.h"
#include "rig.skel.h"
#include "stop.h"
#include "xsk.h"

#define MORE     2  /* receivers of a broadcast besides the first */
#define TX_BATCH 64 /* a quarter of veth's ring */

static int take_prepare(struct scene *scene)
{
	bpf_program__set_autoload(scene->bpf->progs.rig_take, true);
	return 0;
}

static int take_arm(struct scene *scene)
{
	return scene_attach(scene, &scene->peer, "rig_take", false);
}

static int map_add(const struct scene *scene, __u32 key, const struct link *link)
{
	__u32 ifindex = link->ifindex;
	int err = netns_enter(link->ns);

	return err ? err : bpf_map_update_elem(scene->map_fd, &key, &ifindex, BPF_ANY);
}

/*
 * The ingress is also a member, like that of a bridge, but gets none of its own frames. All devices
 * share a namespace, because the kernel excludes members by ifindex only (kernel/bpf/devmap.c,
 * is_ifindex_excluded()).
 */
static int broadcast_arm(struct scene *scene)
{
	int err = take_arm(scene);

	for (int i = 0; i < MORE && !err; i++) {
		struct link *out = &scene->more_out[i], *peer = &scene->more_peer[i];
		char name[IFNAMSIZ];

		snprintf(name, sizeof(name), "rig-out%d", i + 2);
		link_init(out, &scene->src, name);
		snprintf(name, sizeof(name), "rig-peer%d", i + 2);
		link_init(peer, &scene->dst, name);
		err = link_add_veth(out, peer, 1500);
		if (!err)
			err = scene_attach(scene, peer, "rig_take", false);
		if (!err)
			err = map_add(scene, i + 1, out);
	}
	return err ? err : map_add(scene, MORE + 1, &scene->in);
}

/* Waits for frames under way, so that none is lost. */
static int wait_taken(const struct scene *scene)
{
	unsigned int looks = 0;
	int err = 0;

	while (!err && scene->bpf->bss->taken != scene->bpf->bss->sent)
		err = stop_look_again(&looks);
	return err;
}

/* The sender's program decides how many frames are redirected, each to this many receivers. */
static int expect_taken(struct scene *scene, unsigned int receivers)
{
	int err = wait_taken(scene);

	if (err)
		return err;
	scene->frames = scene->bpf->bss->sent / receivers;
	err = outcome_redirect(scene);
	scene->rows[1].field[FIELD_EVENTS] = EXPECT_ABSENT;
	scene->rows[1].field[FIELD_PACKETS] = scene->frames - scene->bpf->bss->filtered;
	scene->rows[1].field[FIELD_DROPS] = scene->bpf->bss->filtered;
	return err;
}

static int expect_routed(struct scene *scene)
{
	return expect_taken(scene, 1);
}

static int expect_broadcast(struct scene *scene)
{
	int err = expect_taken(scene, 1 + MORE);

	for (int i = 0; i < MORE && !err; i++) {
		struct expect *row = scene_add_row(scene, TP_XDP_DEVMAP_XMIT);

		*row = scene->rows[1];
		expect_set_to(row, &scene->more_out[i]);
	}
	return err;
}

/* A batch has returned before the next is sent. */
static int tx_fire(struct scene *scene, uint32_t count)
{
	int err = 0;

	while (count && !err) {
		uint32_t n = count < TX_BATCH ? count : TX_BATCH;

		err = scene_fire_frames(scene, n);
		if (!err)
			err = frame_wait_received(&scene->feed, scene->frames);
		count -= n;
	}
	return err;
}

static const struct stimulus stimuli[] = {
	{
		.name = "route",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "by devmap to a veth, no more than its peer takes",
		.program = "rig_route",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = NEEDS_LIVE,
		.prepare = take_prepare,
		.arm = take_arm,
		.expect = expect_routed,
	},
	{
		.name = "broadcast",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "the same to three veths at once, but not to the ingress",
		.program = "rig_broadcast",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_SAME_NS,
		.flags = NEEDS_LIVE | FEED_XDP,
		.prepare = take_prepare,
		.arm = broadcast_arm,
		.expect = expect_broadcast,
	},
	{
		.name = "filter",
		.fires = "xdp_redirect xdp_devmap_xmit net_dev_queue",
		.help = "the same of packets, every second of which is dropped at the ingress",
		.program = "rig_filter",
		.map = "rig_devmap",
		.entry = ENTRY_NATIVE,
		.target = TARGET_OTHER_NS,
		.prepare = take_prepare,
		.arm = take_arm,
		.expect = expect_routed,
	},
	{
		.name = "filter-egress",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "the same where the devmap's program drops one in four",
		.program = "rig_route",
		.map = "rig_devmap",
		.egress = "rig_on_egress",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = NEEDS_LIVE,
		.prepare = take_prepare,
		.arm = take_arm,
		.expect = expect_routed,
	},
	{
		.name = "echo",
		.fires = "xdp_bulk_tx net_dev_queue",
		.help = "XDP_TX on a veth whose peer has taken each batch before the next",
		.program = "rig_tx",
		.entry = ENTRY_NATIVE,
		.flags = FEED_XDP | WAITS,
		.fire = tx_fire,
		.expect = outcome_bulk_tx,
	},
	{
		.name = "xskmap-read",
		.fires = "xdp_redirect",
		.help = "AF_XDP socket that is read, and gets its chunks back",
		.program = "rig_to_xskmap",
		.map = "rig_xskmap",
		.entry = ENTRY_LIVE,
		.flags = NEEDS_LIVE | WAITS,
		.arm = xsk_arm_read,
		.fire = xsk_fire_read,
		.expect = xsk_expect_read,
		.disarm = xsk_disarm,
	},
};

const struct stimulus *healthy_at(unsigned int i)
{
	return i < sizeof(stimuli) / sizeof(stimuli[0]) ? &stimuli[i] : NULL;
}
