// SPDX-License-Identifier: GPL-2.0-or-later
#include "stimulus.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "backlog.h"
#include "cpumap.h"
#include "healthy.h"
#include "kernel.h"
#include "outcome.h"
#include "refused.h"
#include "rig.skel.h"
#include "stop.h"
#include "xsk.h"

#define MISSING_IFINDEX 999999

static int ifindex_missing(struct scene *scene)
{
	scene->bpf->rodata->target_ifindex = MISSING_IFINDEX;
	return 0;
}

static int expect_einval(struct scene *scene)
{
	int err = outcome_redirect_err(scene);

	scene->rows[0].field[FIELD_TO_IFINDEX] = MISSING_IFINDEX;
	return err;
}

/* A single row for all of these series, which differ only in to_ifindex. */
static int expect_many(struct scene *scene)
{
	int err = expect_einval(scene);

	scene->rows[0].field[FIELD_TO_IFINDEX] = EXPECT_ABSENT;
	return err;
}

/* Earlier kernels let such a target accept the frames, so this is the same as devmap-enxio. */
static int skip_without_features(struct scene *scene)
{
	if (!kernel_has_xdp_features())
		strcpy(scene->skip, "before Linux 6.3 every veth accepts redirects");
	return 0;
}

static int skip_without_veth_gro(struct scene *scene)
{
	if (!kernel_has_redirect_map_id())
		strcpy(scene->skip, "before Linux 5.13 GRO gives a veth no NAPI context");
	return 0;
}

static int skip_without_bulk_program(struct scene *scene)
{
	if (!kernel_has_redirect_map_id())
		strcpy(scene->skip, "before Linux 5.13 a devmap program drops ahead of the bulk");
	return 0;
}

/* Flushes each frame separately, as if each poll of a receive queue found one packet. */
static int single_fire(struct scene *scene, uint32_t count)
{
	int err = frame_run_batches(bpf_program__fd(scene->program), &scene->in, count, 64, 1);

	scene->runs++;
	scene->bulks_devmap += count;
	scene->frames += count;
	return err;
}

static int expect_ebadrqc(struct scene *scene)
{
	int err = outcome_redirect_err(scene);

	if (!kernel_has_redirect_map_id()) {
		scene->rows[0].field[FIELD_ERR] = -EINVAL;
		/* ifindex 0, which a monitor may also take as none */
		scene->rows[0].field[FIELD_TO_IFINDEX] = EXPECT_ABSENT;
	}
	return err;
}

static int queue_fire(struct scene *scene, uint32_t count)
{
	const struct frame_sizes sizes = { .min = 100, .max = 1400, .step = 13 };

	scene->fed_frames += count;
	return frame_send(&scene->in, &scene->feed, count, &sizes, &scene->fed_bytes);
}

/*
 * A second ingress with the same ifindex and name in another namespace. The counts differ, so that
 * a monitor which confuses them cannot be right by chance.
 */
static int twin_arm(struct scene *scene)
{
	int err = netns_open(&scene->other);

	if (err)
		return err;
	scene->in2 = scene->in;
	scene->feed2 = scene->feed;
	scene->in2.ns = &scene->other;
	scene->feed2.ns = &scene->other;
	err = link_add_veth(&scene->in2, &scene->feed2, 1500);
	if (!err && scene->entry == ENTRY_NATIVE)
		err = scene_attach(scene, &scene->in2, "rig_to_ifindex", false);
	return err;
}

static int twin_fire(struct scene *scene, uint32_t count)
{
	const struct frame_sizes sizes = { .min = 64, .max = 64, .step = 1 };
	uint64_t bytes = 0;
	int err = scene_fire_frames(scene, count);

	if (err)
		return err;
	if (scene->entry == ENTRY_LIVE)
		return frame_run_live(bpf_program__fd(scene->program), &scene->in2, 2 * count, 64);
	return frame_send(&scene->feed2, &scene->in2, 2 * count, &sizes, &bytes);
}

static int twin_expect(struct scene *scene)
{
	struct expect *row;
	int err = expect_einval(scene);

	row = scene_add_row(scene, TP_XDP_REDIRECT_ERR);
	*row = scene->rows[0];
	expect_set_from(row, &scene->in2);
	expect_set_frames(row, 2 * scene->frames);
	if (scene->fed_frames) {
		row = scene_add_row(scene, TP_NET_DEV_QUEUE);
		*row = scene->rows[1];
		expect_set_from(row, &scene->feed2);
		row->field[FIELD_EVENTS] *= 2;
		row->field[FIELD_PACKETS] *= 2;
		row->field[FIELD_BYTES] *= 2;
	}
	return err;
}

/*
 * A test run registers a page pool as XDP memory and unregisters it at the end. That is the only
 * way to fire mem_disconnect without hardware. mem_connect needs a driver that registers an
 * allocator for a receive queue, unlike veth, tun and generic mode.
 */
static int mem_fire(struct scene *scene, uint32_t count)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++)
		err = scene_fire_frames(scene, 1);
	return err;
}

static int mem_expect(struct scene *scene)
{
	scene_add_row(scene, TP_MEM_DISCONNECT)->field[FIELD_EVENTS] = scene->runs;
	return 0;
}

static int slow_prepare(struct scene *scene)
{
	bpf_program__set_autoload(scene->bpf->progs.rig_slow, true);
	return 0;
}

static int slow_arm(struct scene *scene)
{
	return scene_attach(scene, &scene->peer, "rig_slow", false);
}

/* How many the peer takes depends on timing. */
static int slow_expect(struct scene *scene)
{
	int err = outcome_redirect(scene);

	scene->rows[1].field[FIELD_PACKETS] = EXPECT_ABSENT;
	scene->rows[1].field[FIELD_DROPS] = EXPECT_ABSENT;
	return err;
}

static const struct stimulus stimuli[] = {
	{
		.name = "redirect",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "by devmap to a veth in another namespace, whose peer runs XDP",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP,
		.expect = outcome_redirect,
	},
	{
		.name = "redirect-hash",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "the same by a devmap_hash",
		.program = "rig_to_hash",
		.map = "rig_devhash",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP,
		.expect = outcome_redirect,
	},
	{
		.name = "redirect-ifindex",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "by bpf_redirect() to an ifindex",
		.program = "rig_to_ifindex",
		.entry = ENTRY_LIVE,
		.target = TARGET_SAME_NS,
		.flags = PEER_XDP,
		.expect = outcome_redirect,
	},
	{
		.name = "redirect-single",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "the same with one frame in a bulk",
		.program = "rig_to_ifindex",
		.entry = ENTRY_LIVE,
		.target = TARGET_SAME_NS,
		.flags = PEER_XDP | NEEDS_LIVE,
		.fire = single_fire,
		.expect = outcome_redirect,
	},
	{
		.name = "einval",
		.fires = "xdp_redirect_err",
		.help = "to an ifindex that does not exist",
		.program = "rig_to_ifindex",
		.entry = ENTRY_LIVE,
		.err = -EINVAL,
		.prepare = ifindex_missing,
		.expect = expect_einval,
	},
	{
		.name = "many",
		.fires = "xdp_redirect_err",
		.help = "to as many ifindexes as there are frames, none of which exists",
		.program = "rig_to_many",
		.entry = ENTRY_LIVE,
		.err = -EINVAL,
		.prepare = ifindex_missing,
		.expect = expect_many,
	},
	{
		.name = "emsgsize",
		.fires = "xdp_redirect_err",
		.help = "frames of 3000 bytes to an MTU of 1500",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP,
		.len = 3000,
		.err = -EMSGSIZE,
		.expect = outcome_redirect_err,
	},
	{
		.name = "eopnotsupp",
		.fires = "xdp_redirect_err",
		.help = "to a veth whose peer has neither XDP nor GRO",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.err = -EOPNOTSUPP,
		.arm = skip_without_features,
		.expect = outcome_redirect_err,
	},
	{
		.name = "eopnotsupp-lo",
		.fires = "xdp_redirect_err",
		.help = "to lo, which cannot transmit XDP frames",
		.program = "rig_to_ifindex",
		.entry = ENTRY_LIVE,
		.target = TARGET_LOOPBACK,
		.err = -EOPNOTSUPP,
		.expect = outcome_redirect_err,
	},
	{
		.name = "enetdown",
		.fires = "xdp_redirect_err",
		.help = "to a device that is down",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP | TARGET_DOWN,
		.err = -ENETDOWN,
		.expect = outcome_redirect_err,
	},
	{
		.name = "ebadrqc",
		.fires = "xdp_redirect_err",
		.help = "XDP_REDIRECT returned without a redirect helper",
		.program = "rig_to_nowhere",
		.entry = ENTRY_LIVE,
		.err = -EBADRQC,
		.expect = expect_ebadrqc,
	},
	{
		.name = "aborted",
		.fires = "xdp_exception net_dev_queue",
		.help = "XDP_ABORTED in native mode",
		.program = "rig_abort",
		.entry = ENTRY_NATIVE,
		.expect = outcome_exception,
	},
	{
		.name = "aborted-generic",
		.fires = "xdp_exception net_dev_queue",
		.help = "XDP_ABORTED in generic mode",
		.program = "rig_abort",
		.entry = ENTRY_GENERIC,
		.expect = outcome_exception,
	},
	{
		.name = "aborted-empty",
		.fires = "xdp_exception net_dev_queue",
		.help = "bpf_redirect_map() on an empty slot: XDP_ABORTED, no redirect error",
		.program = "rig_to_empty",
		.entry = ENTRY_NATIVE,
		.expect = outcome_exception,
	},
	{
		.name = "badact",
		.fires = "xdp_exception net_dev_queue",
		.help = "the program returns 77",
		.program = "rig_bad_act",
		.entry = ENTRY_NATIVE,
		.expect = outcome_exception,
	},
	{
		.name = "cpumap",
		.fires = "xdp_redirect xdp_cpumap_enqueue xdp_cpumap_kthread",
		.help = "to another CPU, none lost",
		.program = "rig_to_cpumap",
		.map = "rig_cpumap",
		.entry = ENTRY_LIVE,
		.prepare = cpumap_prepare,
		.arm = cpumap_arm,
		.flags = WAITS,
		.fire = cpumap_fire,
		.expect = cpumap_expect,
	},
	{
		.name = "cpumap-full",
		.fires = "xdp_redirect xdp_cpumap_enqueue xdp_cpumap_kthread",
		.help = "to another CPU through a queue of 1: most are lost",
		.program = "rig_to_cpumap",
		.map = "rig_cpumap",
		.entry = ENTRY_LIVE,
		.prepare = cpumap_prepare,
		.arm = cpumap_arm_full,
		.expect = cpumap_expect_full,
	},
	{
		.name = "cpumap-prog",
		.fires = "xdp_redirect xdp_cpumap_enqueue xdp_cpumap_kthread",
		.help = "to another CPU, where a program drops every second frame",
		.program = "rig_to_cpumap",
		.map = "rig_cpumap",
		.entry = ENTRY_LIVE,
		.prepare = cpumap_prepare_program,
		.arm = cpumap_arm_program,
		.flags = WAITS,
		.fire = cpumap_fire_program,
		.expect = cpumap_expect_program,
	},
	{
		.name = "cpumap-abort",
		.fires = "xdp_redirect xdp_cpumap_enqueue xdp_cpumap_kthread",
		.help = "to another CPU, where a program returns XDP_ABORTED: no xdp_exception",
		.program = "rig_to_cpumap",
		.map = "rig_cpumap",
		.entry = ENTRY_LIVE,
		.prepare = cpumap_prepare_abort,
		.arm = cpumap_arm_abort,
		.flags = WAITS,
		.fire = cpumap_fire_abort,
		.expect = cpumap_expect_abort,
	},
	{
		.name = "cpumap-same",
		.fires = "xdp_redirect xdp_cpumap_enqueue xdp_cpumap_kthread",
		.help = "to the CPU that sends, none lost",
		.program = "rig_to_cpumap",
		.map = "rig_cpumap",
		.entry = ENTRY_LIVE,
		.prepare = cpumap_prepare,
		.arm = cpumap_arm,
		.flags = WAITS,
		.fire = cpumap_fire_same,
		.expect = cpumap_expect,
	},
	{
		.name = "cpumap-slow",
		.fires = "xdp_redirect xdp_cpumap_enqueue xdp_cpumap_kthread",
		.help = "to another CPU, where a program takes longer than it takes to send",
		.program = "rig_to_cpumap",
		.map = "rig_cpumap",
		.entry = ENTRY_LIVE,
		.prepare = cpumap_prepare_slow,
		.arm = cpumap_arm_slow,
		.flags = WAITS,
		.fire = cpumap_fire_slow,
		.expect = cpumap_expect_slow,
	},
	{
		.name = "backlog-full",
		.fires = "nothing: softnet_stat counts it",
		.help = "skbs to the backlog of another CPU, where generic XDP takes longer than "
			"it takes to send",
		.program = "rig_pass",
		.entry = ENTRY_LIVE,
		.flags = NEEDS_LIVE,
		.count = 50000,
		.prepare = backlog_prepare,
		.arm = backlog_arm,
		.fire = cpumap_fire_slow,
		.expect = backlog_expect,
	},
	{
		.name = "bulk-tx",
		.fires = "xdp_bulk_tx net_dev_queue",
		.help = "XDP_TX on a veth whose peer takes the frames",
		.program = "rig_tx",
		.entry = ENTRY_NATIVE,
		.flags = FEED_XDP,
		.expect = outcome_bulk_tx,
	},
	{
		.name = "bulk-tx-full",
		.fires = "xdp_bulk_tx net_dev_queue",
		.help = "XDP_TX on a veth whose peer has GRO only: its ring fills, drops without "
			"an errno",
		.program = "rig_tx",
		.entry = ENTRY_NATIVE,
		.flags = FEED_GRO,
		.arm = skip_without_veth_gro,
		.expect = outcome_bulk_tx_full,
	},
	{
		.name = "bulk-tx-fail",
		.fires = "xdp_bulk_tx net_dev_queue",
		.help = "XDP_TX on a veth whose peer has no NAPI: ENXIO",
		.program = "rig_tx",
		.entry = ENTRY_NATIVE,
		.err = -ENXIO,
		.expect = outcome_bulk_tx,
	},
	{
		.name = "devmap-full",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "the target drops in xmit, without an errno: frames above its peer's MTU",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP | TARGET_JUMBO,
		.len = 2000,
		.expect = outcome_redirect_lost,
	},
	{
		.name = "devmap-slow",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "to a veth whose peer's program takes longer than it takes to send: drops "
			"where that peer has threaded NAPI",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = NEEDS_LIVE,
		.prepare = slow_prepare,
		.arm = slow_arm,
		.expect = slow_expect,
	},
	{
		.name = "devmap-prog",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "a devmap program drops all: drops without an errno, too",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.egress = "rig_on_dev",
		.flags = PEER_XDP,
		.arm = skip_without_bulk_program,
		.expect = outcome_redirect_lost,
	},
	{
		.name = "devmap-enxio",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "the target's peer has an XDP program but is down",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP | PEER_DOWN,
		.err = -ENXIO,
		.expect = outcome_redirect_lost,
	},
	{
		.name = "generic",
		.fires = "xdp_redirect net_dev_queue",
		.help = "redirect in generic mode: no xdp_devmap_xmit",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_GENERIC,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP,
		.expect = outcome_redirect,
	},
	{
		.name = "attach-fail",
		.fires = "bpf_xdp_link_attach_failed",
		.help = "native XDP on lo is refused",
		.program = "rig_drop",
		.count = 5,
		.arm = link_refused_arm,
		.fire = link_refused_fire,
		.expect = link_refused_expect,
	},
	{
		.name = "attach-refused",
		.fires = "netlink_extack",
		.help = "native XDP on lo is refused over netlink",
		.program = "rig_drop",
		.count = 5,
		.arm = netlink_refused_arm,
		.fire = netlink_refused_fire,
		.expect = netlink_refused_expect,
	},
	{
		.name = "queue",
		.fires = "net_dev_queue",
		.help = "packets of 100 to 1400 bytes",
		.program = "rig_drop",
		.flags = FEED_XDP,
		.fire = queue_fire,
		.expect = outcome_queue,
	},
	{
		.name = "mem",
		.fires = "mem_disconnect",
		.help = "XDP memory given back: COUNT test runs of one frame; alone",
		.program = "rig_drop",
		.entry = ENTRY_LIVE,
		.flags = NEEDS_LIVE | ALONE,
		.count = 5,
		.fire = mem_fire,
		.expect = mem_expect,
	},
	{
		.name = "same-ifindex",
		.fires = "xdp_redirect_err",
		.help = "EINVAL from two devices of one ifindex and name: COUNT and twice COUNT",
		.program = "rig_to_ifindex",
		.entry = ENTRY_LIVE,
		.err = -EINVAL,
		.prepare = ifindex_missing,
		.arm = twin_arm,
		.fire = twin_fire,
		.expect = twin_expect,
	},
	{
		.name = "xskmap",
		.fires = "xdp_redirect xdp_redirect_err",
		.help = "AF_XDP socket that nobody reads: 64 get in, then ENOBUFS",
		.program = "rig_to_xskmap",
		.map = "rig_xskmap",
		.entry = ENTRY_LIVE,
		.err = -ENOBUFS,
		.arm = xsk_arm_ring_full,
		.expect = xsk_expect_ring_full,
		.disarm = xsk_disarm,
	},
	{
		.name = "xskmap-enomem",
		.fires = "xdp_redirect xdp_redirect_err",
		.help = "AF_XDP socket whose fill ring runs empty: 32 get in, then ENOMEM",
		.program = "rig_to_xskmap",
		.map = "rig_xskmap",
		.entry = ENTRY_LIVE,
		.err = -ENOMEM,
		.arm = xsk_arm_fill_empty,
		.expect = xsk_expect_fill_empty,
		.disarm = xsk_disarm,
	},
	{
		.name = "xskmap-fill-invalid",
		.fires = "xdp_redirect xdp_redirect_err",
		.help = "fill ring with 32 chunks and 2016 addresses outside of the UMEM: ENOMEM",
		.program = "rig_to_xskmap",
		.map = "rig_xskmap",
		.entry = ENTRY_LIVE,
		.err = -ENOMEM,
		.arm = xsk_arm_fill_invalid,
		.expect = xsk_expect_fill_empty,
		.disarm = xsk_disarm,
	},
	{
		.name = "xskmap-enxio",
		.fires = "xdp_redirect_err",
		.help = "AF_XDP socket that is not bound",
		.program = "rig_to_xskmap",
		.map = "rig_xskmap",
		.entry = ENTRY_LIVE,
		.err = -ENXIO,
		.arm = xsk_arm_unbound,
		.expect = xsk_expect_refused,
		.disarm = xsk_disarm,
	},
	{
		.name = "xskmap-einval",
		.fires = "xdp_redirect_err",
		.help = "AF_XDP socket bound to another device",
		.program = "rig_to_xskmap",
		.map = "rig_xskmap",
		.entry = ENTRY_LIVE,
		.err = -EINVAL,
		.arm = xsk_arm_other_device,
		.expect = xsk_expect_refused,
		.disarm = xsk_disarm,
	},
	{
		.name = "xskmap-enospc",
		.fires = "xdp_redirect_err",
		.help = "frames of 3000 bytes, AF_XDP chunks of 2048",
		.program = "rig_to_xskmap",
		.map = "rig_xskmap",
		.entry = ENTRY_LIVE,
		.len = 3000,
		.err = -ENOSPC,
		.arm = xsk_arm_small_chunks,
		.expect = xsk_expect_refused,
		.disarm = xsk_disarm,
	},
};

const struct stimulus *stimulus_at(unsigned int i)
{
	const unsigned int n = sizeof(stimuli) / sizeof(stimuli[0]);

	return i < n ? &stimuli[i] : healthy_at(i - n);
}

const struct stimulus *stimulus_find(const char *name)
{
	const struct stimulus *stimulus;

	for (unsigned int i = 0; (stimulus = stimulus_at(i)); i++)
		if (!strcmp(stimulus->name, name))
			return stimulus;
	return NULL;
}
