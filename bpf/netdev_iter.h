/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* Record that bpf/netdev_iter.bpf.c writes for each device. */
#ifndef XDPTOP_BPF_NETDEV_ITER_H
#define XDPTOP_BPF_NETDEV_ITER_H

#ifndef __BPF__
#include <linux/types.h>
#endif

#define WALK_MAX      16384
#define WALK_NAME_LEN 16

/* enum bpf_xdp_mode, include/linux/netdevice.h */
enum walk_mode { WALK_GENERIC, WALK_NATIVE, WALK_OFFLOAD, WALK_MODES };

struct walk_device {
	__u64 features;
	__u64 netns_cookie; /* never reused, unlike inodes; 0 = not in this kernel */
	__u32 has_features;
	__u32 netns, ifindex;
	__u32 mtu;
	__u32 up, running;
	__u32 peer_netns, peer_ifindex; /* 0 = no peer, or unknown */
	__u32 prog_id[WALK_MODES];      /* 0 = none */
	char name[WALK_NAME_LEN];       /* raw bytes */
	char kind[WALK_NAME_LEN];       /* raw bytes; "" = none */
};

#endif
