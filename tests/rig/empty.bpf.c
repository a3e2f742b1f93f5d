// SPDX-License-Identifier: GPL-2.0-only
/* A tp_btf program that does nothing: the least that xdptop can cost in the bench. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("tp_btf/xdp_redirect") /* the tracepoint is set before load */
int rig_nothing(void *ctx)
{
	return 0;
}

char _license[] SEC("license") = "GPL";
