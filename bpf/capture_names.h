/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and network namespaces of devices and programs, by CO-RE. Include before series_cache.h. */
#ifndef XDPTOP_BPF_CAPTURE_NAMES_H
#define XDPTOP_BPF_CAPTURE_NAMES_H

#include "core_types.h"
#include "shared.h"

/* Where the names of a new series are; NULL = it has none. */
struct name_sources {
	const struct net_device *dev;
	const struct net_device *to;
	const struct bpf_prog *prog;
	const char *ifname;                  /* a copy, where the event has no device */
	const struct bpf_dtab_netdev *entry; /* of a devmap, that of the target */
};

/* Copy the names into SERIES_NAME_LEN zeroed bytes each. */
static __always_inline void capture_names(const struct name_sources *from, char *ifname,
					  char *to_ifname, char *prog_name)
{
	/* locals, or CO-RE relocates the path through struct name_sources too */
	const struct net_device *dev = from->dev, *to = from->to;
	const struct bpf_prog *prog = from->prog;

	if (dev)
		bpf_core_read(ifname, SERIES_NAME_LEN, &dev->name);
	if (from->ifname)
		bpf_probe_read_kernel(ifname, SERIES_NAME_LEN, from->ifname);
	if (to)
		bpf_core_read(to_ifname, SERIES_NAME_LEN, &to->name);
	if (prog) {
		const struct bpf_prog_aux *aux = NULL;

		bpf_core_read(&aux, sizeof(aux), &prog->aux);
		if (aux)
			bpf_core_read(prog_name, SERIES_NAME_LEN, &aux->name);
	}
}

/*
 * The program that runs on the frames of a devmap entry before they are sent; 0 = none. False where
 * no entry is known.
 */
static __always_inline bool capture_to_prog(const struct name_sources *from, __u32 *prog_id)
{
	const struct bpf_dtab_netdev *entry = from->entry;
	const struct bpf_prog *prog = NULL;

	if (!entry)
		return false;
	if (bpf_core_field_exists(entry->xdp_prog))
		bpf_core_read(&prog, sizeof(prog), &entry->xdp_prog);
	*prog_id = prog ? BPF_CORE_READ(prog, aux, id) : 0;
	return true;
}

/* The struct net pointer as a number, not dereferenced; 0 without CONFIG_NET_NS. */
static __always_inline __u64 net_of(const struct net_device *dev)
{
	__u64 net;

	/* two branches, so that the verifier removes the dead one */
	if (bpf_core_field_exists(dev->nd_net.net))
		net = (__u64)dev->nd_net.net;
	else
		asm volatile("%0 = 0" : "=r"(net));
	return net;
}

/* The inode of the device's network namespace; 0 without CONFIG_NET_NS. */
static __always_inline __u32 netns_of(const struct net_device *dev)
{
	if (!bpf_core_field_exists(dev->nd_net.net))
		return 0;
	return dev->nd_net.net->ns.inum;
}

#endif
