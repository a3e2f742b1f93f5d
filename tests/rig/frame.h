/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How frames enter. Live frames run an XDP program, which need not be attached, as if they came in
 * on a device (5.18+). Packets are sent by AF_PACKET on a device, and its peer receives them. All
 * frames have ethertype 0x88b5 (IEEE local experiment), which no protocol of the stack accepts.
 * Frames of several flows are UDP, which devices spread over their queues. Functions return 0 or
 * -errno; -EINTR = a signal ended them early.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "link.h"

#define FRAME_MAX   9014 /* live frames: 3400, a page less headroom and skb_shared_info */
#define FRAME_BATCH 64   /* live frames per softirq section: the kernel's default */

#define FRAME_MARK 15 /* in IPv4 the type of service */

/* 1 = live frames work, 0 = this kernel lacks them, or -errno. */
int frame_probe_live(const struct netns *ns, int prog_fd);

/* Runs @prog_fd on @count frames of @len bytes as if from @in, with a flush after each @batch. */
int frame_run_batches(int prog_fd, const struct link *in, uint32_t count, uint32_t len,
		      uint32_t batch);
/* The same with FRAME_BATCH. */
int frame_run_live(int prog_fd, const struct link *in, uint32_t count, uint32_t len);

struct frame_sizes {
	uint32_t min; /* 42 or more */
	uint32_t max; /* lengths cycle through min..max in steps of @step */
	uint32_t step;
	bool flows;   /* 64 alternating flows, with min bytes */
	uint8_t mark; /* the byte at FRAME_MARK, for programs to check */
};

/*
 * Sends @count frames from @out and waits until @peer (its other end) has received each of them, so
 * that no ring between them overflows: veth's has 256 slots. @peer NULL = do not wait. Adds the
 * bytes sent to *@bytes. Keeps its socket in @out, since closing one waits for RCU, about 10 ms.
 */
int frame_send(struct link *out, const struct link *peer, uint32_t count,
	       const struct frame_sizes *sizes, uint64_t *bytes);

/* Waits until @link has received this many packets since it was created. */
int frame_wait_received(const struct link *link, uint64_t packets);

/* Waits until all current softirqs and RCU sections on all CPUs have ended. 0 or -errno. */
int frame_settle(void);
