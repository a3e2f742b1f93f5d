// SPDX-License-Identifier: GPL-2.0-only
/* Runs bpf/capture_filter.h over packets of BPF_PROG_TEST_RUN: XDP_DROP = the packet matches. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "../../bpf/capture.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, CAPTURE_INSNS);
	__type(key, __u32);
	__type(value, struct sock_filter);
} code SEC(".maps");

static __always_inline const struct sock_filter *insn_at(__u32 i)
{
	return bpf_map_lookup_elem(&code, &i);
}

#define packet_read(to, size, from) bpf_probe_read_kernel(to, size, from)
#include "../../bpf/capture_filter.h"

/* bytes of the packet that cannot be read, as if they were in fragments */
__u32 unread;
/* through memory: the verifier then sees a number, as at fexit */
static volatile __u64 start;
static struct filter_registers registers;

SEC("xdp")
int rig_filter(struct xdp_md *ctx)
{
	struct filter_packet p = { .length = ctx->data_end - ctx->data, .r = &registers };

	start = ctx->data;
	p.data = (const __u8 *)start;
	p.n = p.length - (unread < p.length ? unread : p.length);
	switch (filter_run(&p, CAPTURE_INSNS)) {
	case FILTER_YES:
		return XDP_DROP;
	case FILTER_UNREAD:
		return XDP_ABORTED;
	default:
		return XDP_PASS;
	}
}
