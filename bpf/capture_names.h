/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of a new series, and namespaces, by CO-RE. Include before count.h and event.h.
 */
#ifndef XDPTOP_WHO_H
#define XDPTOP_WHO_H

#include "core_types.h"
#include "shared.h"

/* Where the names of a new series come from; NULL = has none. */
struct who {
	const struct net_device *dev;
	const struct net_device *to;
	const struct bpf_prog *prog;
	const char *ifname; /* where the device itself is not at hand */
};

/* Into memory of SERIES_NAME_LEN zero bytes each. */
static __always_inline void who_names(const struct who *w, char *ifname, char *to_ifname,
				      char *prog_name)
{
	/* locals, because CO-RE would relocate the path through struct who as well */
	const struct net_device *dev = w->dev, *to = w->to;
	const struct bpf_prog *prog = w->prog;

	if (dev)
		bpf_core_read(ifname, SERIES_NAME_LEN, &dev->name);
	if (w->ifname)
		bpf_probe_read_kernel(ifname, SERIES_NAME_LEN, w->ifname);
	if (to)
		bpf_core_read(to_ifname, SERIES_NAME_LEN, &to->name);
	if (prog) {
		const struct bpf_prog_aux *aux = NULL;

		bpf_core_read(&aux, sizeof(aux), &prog->aux);
		if (aux)
			bpf_core_read(prog_name, SERIES_NAME_LEN, &aux->name);
	}
}

/* The namespace itself, not followed; 0 in a kernel that has none. */
static __always_inline __u64 net_of(const struct net_device *dev)
{
	__u64 net;

	/* two ways, not one with a part to skip: the verifier takes the other one out */
	if (bpf_core_field_exists(dev->nd_net.net))
		net = (__u64)dev->nd_net.net;
	else
		asm volatile("%0 = 0" : "=r"(net));
	return net;
}

static __always_inline __u32 netns_of(const struct net_device *dev)
{
	if (!bpf_core_field_exists(dev->nd_net.net))
		return 0;
	return dev->nd_net.net->ns.inum;
}

#endif
