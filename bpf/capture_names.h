/* SPDX-License-Identifier: GPL-2.0-only */
/* Names and network namespaces of devices and programs, by CO-RE. Include before series_cache.h. */
#pragma once

#include "kernel_read.h"
#include "shared.h"

/* Where to read the names of a new series; NULL = none. */
struct name_sources {
	const struct net_device *dev;
	const struct net_device *to;
	const struct bpf_prog *prog;
	const char *ifname;             /* a copy, if the event has no device */
	const struct bpf_prog *to_prog; /* of the target's devmap entry; NULL = none */
	bool has_to_prog;               /* false = to_prog is unknown */
};

/* Copy the names into SERIES_NAME_LEN zeroed bytes each. */
static __always_inline void capture_names(const struct name_sources *from, char *ifname,
					  char *to_ifname, char *prog_name)
{
	/* local: otherwise CO-RE also relocates the path through struct name_sources */
	const struct net_device *dev = from->dev, *to = from->to;
	const struct bpf_prog *prog = from->prog;

	if (dev)
		kernel_read_name(ifname, SERIES_NAME_LEN, dev->name);
	if (from->ifname)
		kernel_read_name(ifname, SERIES_NAME_LEN, from->ifname);
	if (to)
		kernel_read_name(to_ifname, SERIES_NAME_LEN, to->name);
	if (prog) {
		const struct bpf_prog_aux *aux = NULL;

		if (!can_read())
			aux = prog->aux;
		else
			bpf_core_read(&aux, sizeof(aux), &prog->aux);
		if (aux)
			kernel_read_name(prog_name, SERIES_NAME_LEN, aux->name);
	}
}

/* Set the program of the target's devmap entry. */
static __always_inline void set_entry_prog(struct name_sources *names,
					   const struct bpf_dtab_netdev *entry)
{
	names->has_to_prog = entry;
	if (entry && bpf_core_field_exists(entry->xdp_prog))
		bpf_core_read(&names->to_prog, sizeof(names->to_prog), &entry->xdp_prog);
}

/* Turns pointers into numbers: to the verifier, a value loaded from a map is a scalar. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} number SEC(".maps");

/* The offset from a per-CPU pointer of the kernel to this CPU's memory; false = unknown. */
static __always_inline bool per_cpu_offset(__u64 *offset)
{
	__u32 zero = 0;
	volatile __u64 *value = bpf_map_lookup_elem(&number, &zero);
	const struct bpf_array *array;

	if (!value)
		return false;
	*value = (__u64)&number;
	array = (const void *)*value;
	*value = (__u64)value;
	/* pptrs[0] is the per-CPU pointer of the value that was looked up */
	*offset = *value - (__u64)BPF_CORE_READ(array, pptrs[0]);
	return true;
}

/*
 * Set the program of the devmap entry whose frames this CPU has just sent to the device.
 * bq_xmit_all() in kernel/bpf/devmap.c reports a bulk before the queue's program is cleared.
 */
static __always_inline void set_bulk_prog(struct name_sources *names, const struct net_device *to)
{
	const struct xdp_dev_bulk_queue *queue = NULL;
	__u64 offset;

	if (!can_read() || !bpf_core_field_exists(queue->xdp_prog) || !per_cpu_offset(&offset))
		return;
	names->has_to_prog = true;
	bpf_core_read(&queue, sizeof(queue), &to->xdp_bulkq);
	queue = (const void *)queue + offset;
	bpf_core_read(&names->to_prog, sizeof(names->to_prog), &queue->xdp_prog);
}

/* Set *prog_id to the program's id; 0 = none. False = unknown. */
static __always_inline bool capture_to_prog(const struct name_sources *from, __u32 *prog_id)
{
	const struct bpf_prog *prog = from->to_prog;

	*prog_id = prog ? BPF_CORE_READ(prog, aux, id) : 0;
	return from->has_to_prog;
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
