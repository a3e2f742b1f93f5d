// SPDX-License-Identifier: GPL-2.0-only
/* Looks up the route of each IPv4 packet, and returns the result: an independent witness. */
#include <linux/bpf.h>
#include <linux/in.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define ETH_P_IP 0x0800
#define AF_INET  2

__u32 flags = 0;
int last = 0;

SEC("xdp")
int rig_fib(struct xdp_md *ctx)
{
	const __u8 *data = (const void *)(long)ctx->data, *end = (const void *)(long)ctx->data_end;
	struct bpf_fib_lookup params = { .family = AF_INET, .ifindex = ctx->ingress_ifindex };

	if (data + 34 > end)
		return XDP_DROP;
	params.tot_len = data[16] << 8 | data[17];
	__builtin_memcpy(&params.ipv4_src, data + 26, sizeof(params.ipv4_src));
	__builtin_memcpy(&params.ipv4_dst, data + 30, sizeof(params.ipv4_dst));
	last = bpf_fib_lookup(ctx, &params, sizeof(params), flags);
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
