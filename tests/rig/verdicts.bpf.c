// SPDX-License-Identifier: GPL-2.0-only
/*
 * XDP programs that return the verdict a frame asks for, and count it by RX queue: alone, and as
 * parts of a dispatcher like libxdp's.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>

#include "verdicts_map.h"

#define MARK 15 /* FRAME_MARK of frame.h */

struct seen seen[SEEN_QUEUES][SEEN_ROOM];

/* Frames without a mark come from other senders. */
static __always_inline __u32 asked(const struct xdp_md *ctx)
{
	const __u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	return data + MARK < end ? data[MARK] : 255;
}

static __always_inline int count(const struct xdp_md *ctx, __u32 act, __u64 bytes)
{
	__u32 i = act < SEEN_ACTS ? act : SEEN_ACTS - 1;
	struct seen *row;

	barrier_var(i); /* 5.10 does not follow the bounds of a copy */
	row = &seen[ctx->rx_queue_index & (SEEN_QUEUES - 1)][i & (SEEN_ROOM - 1)];
	__sync_fetch_and_add(&row->packets, 1);
	__sync_fetch_and_add(&row->bytes, bytes);
	return act;
}

static __always_inline int count_linear(const struct xdp_md *ctx, __u32 act)
{
	return count(ctx, act, ctx->data_end - ctx->data);
}

/* So bytes are counted as the program leaves the frame. */
static __always_inline void cut(struct xdp_md *ctx, __u32 act)
{
	if (act > XDP_REDIRECT)
		bpf_xdp_adjust_tail(ctx, -SEEN_CUT);
}

SEC("xdp")
int rig_verdict(struct xdp_md *ctx)
{
	__u32 act = asked(ctx);

	cut(ctx, act);
	return count_linear(ctx, act);
}

SEC("xdp.frags")
int rig_frags(struct xdp_md *ctx)
{
	__u32 act = asked(ctx);

	cut(ctx, act);
	return count(ctx, act, bpf_xdp_get_buff_len(ctx));
}

/* A replaced function must use the context, since otherwise the compiler drops the argument. */
#define STUB(name)                                             \
	__attribute__((noinline)) int name(struct xdp_md *ctx) \
	{                                                      \
		volatile int ret = XDP_PASS;                   \
                                                               \
		return ctx ? ret : XDP_ABORTED;                \
	}

STUB(stub0)
STUB(stub1)
STUB(stub2)

const volatile __u32 parts;

SEC("xdp")
int rig_main(struct xdp_md *ctx)
{
	int ret = stub0(ctx);

	if (ret == XDP_PASS && parts > 1)
		ret = stub1(ctx);
	if (ret == XDP_PASS && parts > 2)
		ret = stub2(ctx);
	return count_linear(ctx, ret);
}

/* Each part decides on a third of the verdicts, and leaves the others to the next one. */
static __always_inline int decide(const struct xdp_md *ctx, __u32 part)
{
	__u32 act = asked(ctx);

	return count_linear(ctx, act % 3 == part ? act : XDP_PASS);
}

SEC("freplace/stub0")
int rig_part0(struct xdp_md *ctx)
{
	return decide(ctx, 0);
}

SEC("freplace/stub1")
int rig_part1(struct xdp_md *ctx)
{
	return decide(ctx, 1);
}

SEC("freplace/stub2")
int rig_part2(struct xdp_md *ctx)
{
	return decide(ctx, 2);
}

char _license[] SEC("license") = "GPL";
