/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of all network namespaces as a BPF iterator reads them from the kernel's own lists:
 * also of namespaces that appear later, have no name, or may not be entered. Nothing is opened in
 * them, so nothing keeps them alive, and no lock of the kernel is taken.
 */
#ifndef XDPTOP_DEVICE_WALK_H
#define XDPTOP_DEVICE_WALK_H

#include "inventory/link_message.h"

struct device_walk;
struct iterators;

/*
 * NULL when the kernel cannot do it (before 5.17), or does not let us. The iterators must live as
 * long as what is opened; may be NULL.
 */
struct device_walk *device_walk_open(struct iterators *iterators);
/* Takes NULL. */
void device_walk_close(struct device_walk *w);
/*
 * Walk once; needs no privilege. Hands every device to fn, those of a namespace in a row; its
 * netns, peer_netns and features are set as well. 0 = that was all, 1 = there are more, or -errno.
 */
int device_walk_run(struct device_walk *w, void (*fn)(void *ctx, const struct link_message *m),
		    void *ctx);

#endif
