/* SPDX-License-Identifier: GPL-2.0-only */
/* Common to the programs at the end of an XDP program: the packet, and what was returned for it. */
#pragma once

#include "core_types.h"
#include "meter.h"
#include "verdict.h"

/* As the program left it, with all fragments. */
static __always_inline __u64 packet_length(const struct xdp_buff *xdp)
{
	/* without fragments before 5.18 */
	if (bpf_core_field_exists(xdp->flags))
		return bpf_xdp_get_buff_len((void *)xdp);
	return (__u64)xdp->data_end - (__u64)xdp->data;
}

/* Lower half, in asm: clang would use all 64 bits, whose upper half may be anything. */
static __always_inline __u32 low(__u64 value)
{
	__u32 half;

	asm volatile("%0 = %1" : "=w"(half) : "w"((__u32)value));
	return half;
}

static __always_inline __u32 verdict_act(__u64 returned)
{
	__u32 act = low(returned);

	return act > XDP_REDIRECT ? VERDICT_UNKNOWN : act;
}
