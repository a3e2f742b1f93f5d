/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of all network namespaces as a BPF iterator reads them from the kernel's own lists:
 * also of namespaces that appear later, have no name, or may not be entered. Nothing is opened in
 * them, so nothing keeps them alive, and no lock of the kernel is taken.
 */
#ifndef XDPTOP_NETDEV_ITER_H
#define XDPTOP_NETDEV_ITER_H

#include "inventory/link_message.h"

struct netdev_iter;
struct bpf_iters;

/*
 * NULL when the kernel cannot do it (before 5.17), or does not let us. The iterators must live as
 * long as what is opened; may be NULL.
 */
struct netdev_iter *netdev_iter_open(struct bpf_iters *iterators);
/* Takes NULL. */
void netdev_iter_close(struct netdev_iter *w);
/*
 * Walk once; needs no privilege. Hands every device to fn, those of a namespace in a row; its
 * netns, peer_netns and features are set as well. 0 = that was all, 1 = there are more, or -errno.
 */
int netdev_iter_run(struct netdev_iter *w, void (*fn)(void *ctx, const struct link_message *m),
		    void *ctx);

#endif
