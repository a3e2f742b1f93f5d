// SPDX-License-Identifier: GPL-2.0-or-later
#include "stimulus.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/if_link.h>
#include <string.h>
#include <unistd.h>

#include "cpumap.h"
#include "outcome.h"
#include "rig.skel.h"
#include "stop.h"

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

static int queue_fire(struct scene *scene, uint32_t count)
{
	const struct frame_sizes sizes = { .min = 100, .max = 1400, .step = 13 };

	scene->fed_frames += count;
	return frame_send(&scene->in, &scene->feed, count, &sizes, &scene->fed_bytes);
}

static int attach_fire(struct scene *scene, uint32_t count)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int fd, err = netns_enter(&scene->src);

	if (err)
		return err;
	for (uint32_t i = 0; i < count && !stop_requested(); i++) {
		fd = bpf_link_create(bpf_program__fd(scene->program), 1 /* lo */, BPF_XDP, &opts);
		if (fd >= 0) {
			close(fd);
			return -EEXIST;
		}
		if (fd != -EOPNOTSUPP)
			return fd;
		scene->frames++;
	}
	return 0;
}

const struct stimulus stimuli[] = {
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
		.expect = outcome_redirect_err,
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
		.fire = cpumap_fire_full,
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
		.fire = cpumap_fire_program,
		.expect = cpumap_expect_program,
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
		.help = "XDP_TX on a veth whose peer has GRO only: its ring fills, drops without an errno",
		.program = "rig_tx",
		.entry = ENTRY_NATIVE,
		.flags = FEED_GRO,
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
		.name = "devmap-prog",
		.fires = "xdp_redirect xdp_devmap_xmit",
		.help = "a devmap program drops all: drops without an errno, too",
		.program = "rig_to_devmap",
		.map = "rig_devmap",
		.entry = ENTRY_LIVE,
		.target = TARGET_OTHER_NS,
		.flags = PEER_XDP | TARGET_DEV_PROG,
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
		.fire = attach_fire,
		.expect = outcome_attach_failed,
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
	{},
};

const struct stimulus *stimulus_find(const char *name)
{
	const struct stimulus *stimulus;

	for (stimulus = stimuli; stimulus->name; stimulus++)
		if (!strcmp(stimulus->name, name))
			return stimulus;
	return NULL;
}
