/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* What bpf/netdev_iter.bpf.c leaves of each device that it meets. */
#ifndef XDPTOP_WALK_H
#define XDPTOP_WALK_H

#ifndef __BPF__
#include <linux/types.h>
#endif

#define WALK_MAX      16384
#define WALK_NAME_LEN 16

/* enum bpf_xdp_mode, include/linux/netdevice.h */
enum walk_mode { WALK_GENERIC, WALK_NATIVE, WALK_OFFLOAD, WALK_MODES };

struct walk_device {
	__u64 features;
	__u64 netns_cookie; /* never given out again, as inodes are; 0 = this kernel has none */
	__u32 has_features;
	__u32 netns, ifindex;
	__u32 mtu;
	__u32 up, running;
	__u32 peer_netns, peer_ifindex; /* 0 = has none, or it cannot be seen */
	__u32 prog_id[WALK_MODES];      /* 0 = none */
	char name[WALK_NAME_LEN];       /* raw bytes */
	char kind[WALK_NAME_LEN];       /* raw bytes; "" = none */
};

#endif
