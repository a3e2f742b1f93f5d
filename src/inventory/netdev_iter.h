/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of all network namespaces, read by a BPF iterator from the kernel's lists: also of
 * namespaces that are created later, have no name, or must not be entered. It holds no reference to
 * a namespace and takes no rtnl_lock.
 */
#ifndef XDPTOP_NETDEV_ITER_H
#define XDPTOP_NETDEV_ITER_H

#include "inventory/link_message.h"

struct netdev_iter;
struct bpf_iters;

/* NULL = not supported (before 5.17) or refused. The iterators must outlive it; may be NULL. */
struct netdev_iter *netdev_iter_open(struct bpf_iters *iterators);
/* Takes NULL. */
void netdev_iter_close(struct netdev_iter *w);
/*
 * Walk once, without privileges. fn gets every device, grouped by namespace, with netns, peer_netns
 * and features set, some of them twice. 0 or -errno: not all were seen then; -EINTR = the lists
 * changed on the way, or are too long.
 */
int netdev_iter_run(struct netdev_iter *w, void (*fn)(void *ctx, const struct link_message *m),
		    void *ctx);

#endif
