// SPDX-License-Identifier: GPL-2.0-only
/*
 * A dispatcher like libxdp's, and programs that replace its functions. They use their argument,
 * since otherwise the compiler would drop it.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__attribute__((noinline)) int prog0(struct xdp_md *ctx)
{
	volatile int ret = XDP_PASS;

	return ctx ? ret : XDP_ABORTED;
}

__attribute__((noinline)) int prog1(struct xdp_md *ctx)
{
	volatile int ret = XDP_PASS;

	return ctx ? ret : XDP_ABORTED;
}

SEC("xdp")
int rig_dispatcher(struct xdp_md *ctx)
{
	int ret = prog0(ctx);

	return ret == XDP_PASS ? prog1(ctx) : ret;
}

SEC("freplace/prog0")
int rig_pinned(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("freplace/prog1")
int rig_shared(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
