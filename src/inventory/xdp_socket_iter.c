// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/xdp_socket_iter.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

static int read_part(struct bpf_iters *it, const void **found)
{
	return bpf_iters_once(it, ITER_SOCKETS)
		       ?: bpf_iters_map(it, ITERS_SOCKETS, bpf_iters_object(it)->bss->sockets_met,
					found);
}

bool xdp_socket_iter_works(struct bpf_iters *it, struct error *error)
{
	const void *found;
	int err;

	if (!bpf_iters_has(it, ITER_SOCKETS))
		return false;
	err = read_part(it, &found);
	if (!err && !bpf_iters_object(it)->bss->sockets_absent)
		return true;
	error_set(error, err, "%s",
		  err ? strerror(-err) : "this kernel has no AF_XDP sockets (CONFIG_XDP_SOCKETS)");
	return false;
}

int xdp_socket_iter_run(struct bpf_iters *it, uint32_t limit,
			int (*fn)(void *ctx, const struct socket_record *record), void *ctx)
{
	struct iters_bpf__bss *bss = bpf_iters_object(it)->bss;
	const struct socket_record *found;
	const void *record = NULL;
	bool torn = false;
	int err;

	bss->sockets_limit = limit;
	bss->sockets_after_netns = 0;
	/* inode numbers wrap, so a part that ends between two equal inodes would be read forever */
	for (int parts = 0; parts < SOCKETS_PARTS; parts++) {
		err = read_part(it, &record);
		found = record;
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
