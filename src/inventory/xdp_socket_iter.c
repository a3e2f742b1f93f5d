// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/xdp_socket_iter.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

struct xdp_socket_iter {
	const struct iters_bpf *iterators;
	struct bpf_link *sockets;
	struct bpf_iters_array found;
};

static int read_part(struct xdp_socket_iter *w)
{
	return bpf_iters_fill(&w->found, w->sockets, w->iterators->maps.sockets_found,
			      &w->iterators->bss->sockets_met);
}

struct xdp_socket_iter *xdp_socket_iter_open(struct bpf_iters *iterators, struct error *error)
{
	const struct iters_bpf *object = bpf_iters_object(iterators);
	struct xdp_socket_iter *w = calloc(1, sizeof(*w));
	int err;

	if (!w || !object || bpf_program__fd(object->progs.xdp_sockets) < 0) {
		error_set(error, -ENOENT, "%s", w ? bpf_iters_why(iterators) : "out of memory");
		free(w);
		return NULL;
	}
	w->iterators = object;
	w->sockets = bpf_iters_attach_once(object, object->progs.xdp_sockets);
	err = w->sockets ? read_part(w) : -errno;
	if (!err && !object->bss->sockets_absent)
		return w;
	error_set(error, err, "%s",
		  err ? strerror(-err) : "this kernel has no AF_XDP sockets (CONFIG_XDP_SOCKETS)");
	xdp_socket_iter_close(w);
	return NULL;
}

void xdp_socket_iter_close(struct xdp_socket_iter *w)
{
	if (!w)
		return;
	bpf_iters_unmap(&w->found);
	bpf_link__destroy(w->sockets);
	free(w);
}

int xdp_socket_iter_run(struct xdp_socket_iter *w, uint32_t limit,
			int (*fn)(void *ctx, const struct socket_record *record), void *ctx)
{
	struct iters_bpf__bss *bss = w->iterators->bss;
	const struct socket_record *found;
	bool torn = false;
	int err;

	bss->sockets_limit = limit;
	bss->sockets_after_netns = 0;
	/* inode numbers wrap, so a part that ends between two equal inodes would be read forever */
	for (int parts = 0; parts < SOCKETS_PARTS; parts++) {
		err = read_part(w);
		found = w->found.record;
		for (uint32_t i = 0; !err && i < bss->sockets_met; i++)
			err = fn(ctx, &found[i]);
		if (err)
			return err;
		torn |= bss->sockets_torn;
		if (bss->sockets_complete)
			return torn ? -EINTR : 0;
		if (!bss->sockets_met)
			break;
		found += bss->sockets_met - 1;
		bss->sockets_after_netns = found->netns;
		bss->sockets_after = found->inode;
	}
	return -EINTR;
}
