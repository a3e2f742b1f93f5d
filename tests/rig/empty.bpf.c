// SPDX-License-Identifier: GPL-2.0-only
/* A tp_btf program that does nothing: the floor that the bench measures xdptop against. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("tp_btf/xdp_redirect") /* the tracepoint is set before loading */
int rig_nothing(void *ctx)
{
	return 0;
}

char _license[] SEC("license") = "GPL";
