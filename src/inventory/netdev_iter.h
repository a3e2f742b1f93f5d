/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of all network namespaces, read by a BPF iterator from the kernel's lists, including
 * namespaces that are created later, have no name, or cannot be entered. It holds no reference to a
 * namespace and takes no rtnl_lock.
 */
#pragma once

#include "bpf/iter_records.h"
#include "inventory/link_message.h"

struct bpf_iters;

/* The modes of the programs in a struct walk_device and a struct install_record. */
extern const enum netdev_mode walk_modes[WALK_MODES];

/*
 * Walk once, without privileges, if bpf_iters_has(ITER_WALK). fn gets every device, grouped by
 * namespace and some of them twice, with netns, peer_netns and features set. 0, or -errno if some
 * may be missing: -EINTR = the lists changed during the walk, or are too long.
 */
int netdev_iter_run(struct bpf_iters *it, void (*fn)(void *ctx, const struct link_message *m),
		    void *ctx);
