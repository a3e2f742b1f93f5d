/* SPDX-License-Identifier: GPL-2.0-only */
/* The identity of a series, as programs build it. The includer defines struct name_sources. */
#pragma once

#include <linux/bpf.h>
#include "shared.h"

/* struct series_key in registers: two fields in each, in the order of memory. */
struct packed_key {
	__u64 q[4];
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PACK(first, second) ((__u64)(__u32)(first) | (__u64)(__u32)(second) << 32)
#else
#define PACK(first, second) ((__u64)(__u32)(first) << 32 | (__u32)(second))
#endif

static __always_inline struct packed_key pack(__u32 netns, __u32 ifindex, __u32 to_netns,
					      __u32 target, __u32 prog_id, __u32 map_type,
					      __u32 map_id, __u32 code)
{
	return (struct packed_key){ { PACK(netns, ifindex), PACK(to_netns, target),
				      PACK(prog_id, map_type), PACK(map_id, code) } };
}

/* Lower half of a pointer as a scalar. The verifier allows this in 32-bit arithmetic. */
static __always_inline __u32 low(__u64 pointer)
{
	__u32 half;

	asm volatile("%0 = %1" : "=w"(half) : "w"((__u32)pointer));
	return half;
}

/* Full identity of a series; built on a cache miss. */
struct series_identity {
	struct packed_key key;
	struct name_sources names;
};
