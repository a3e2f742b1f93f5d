// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts what bpf_fib_lookup() returned to XDP programs, by the device that they ran for:
 * --verdicts. XDP usually passes a packet to the stack when a lookup fails, which no tracepoint and
 * no verdict explains. Attached at the end of bpf_xdp_fib_lookup() (net/core/filter.c), it costs
 * time in these calls only. It does not run inside itself on one CPU, so plain adds are exact.
 *
 * bpf_get_func_ret() (5.17) finds the result: BTF tells some kernels of an argument too many.
 */
#include "core_types.h"
#include "fib.h"
#include "meter.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* possible CPU ids */
	__type(key, __u32);
	__type(value, struct fib_cpu);
} fib_lookups SEC(".maps");

static __always_inline struct fib_device *find_device(struct fib_cpu *cpu, __u32 netns,
						      __u32 ifindex)
{
	for (__u32 i = 0; i < FIB_PROBES; i++) {
		struct fib_device *d = &cpu->device[(ifindex + i) % FIB_DEVICES];

		asm volatile("" : "+r"(d));
		if (!d->used) {
			d->netns = netns;
			d->ifindex = ifindex;
			/* a barrier: user space reads the fields when it is set */
			__sync_lock_test_and_set(&d->used, 1);
			return d;
		}
		if (d->ifindex == ifindex && d->netns == netns)
			return d;
	}
	return &cpu->device[FIB_DEVICES];
}

static __always_inline void count(struct fib_cpu *cpu, const struct xdp_buff *xdp, int ret)
{
	const struct net_device *dev = BPF_CORE_READ(xdp, rxq, dev);
	struct fib_device *d = find_device(cpu, BPF_CORE_READ(dev, nd_net.net, ns.inum),
					   BPF_CORE_READ(dev, ifindex));
	__u32 result = ret < 0 ? FIB_ERROR : (__u32)ret;

	if (ret >= FIB_ERROR)
		result = FIB_UNKNOWN;
	if (result < FIB_RESULTS)
		d->result[result]++;
}

/* bpf_xdp_fib_lookup(ctx, params, plen, flags): the verifier sees numbers. */
SEC("fexit/bpf_xdp_fib_lookup")
int fib_lookup(__u64 *ctx)
{
	__u32 id = bpf_get_smp_processor_id();
	struct fib_cpu *cpu = bpf_map_lookup_elem(&fib_lookups, &id);
	__u64 started = 0, ret = 0;

	if (!cpu || bpf_get_func_ret(ctx, &ret))
		return 0;
	if (unlikely((++cpu->events & (TIMED_EVERY - 1)) == TIMED_FIRST))
		started = bpf_ktime_get_ns();
	count(cpu, (const struct xdp_buff *)ctx[0], (int)ret);
	if (unlikely(started)) {
		cpu->timed_ns += bpf_ktime_get_ns() - started;
		cpu->timed++;
	}
	return 0;
}
