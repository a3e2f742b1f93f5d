/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames: how they enter. Live frames run an XDP program that need not be attached anywhere, as if
 * they came in on a device (5.18+); packets are sent by AF_PACKET on a device, and its peer
 * receives.
 *
 * All frames carry ethertype 0x88b5 (IEEE local experiment): no protocol of the stack takes them.
 * Those of several flows are UDP, which devices spread over their queues.
 * Functions return 0 or -errno; -EINTR when a signal cut the count short.
 */
#ifndef RIG_FRAME_H
#define RIG_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "link.h"

#define FRAME_MAX   9014 /* live frames end at 3400: a page less headroom and skb_shared_info */
#define FRAME_BATCH 64   /* live frames per softirq section: the kernel's default */

#define FRAME_MARK 15 /* of IPv4 it is the type of service */

/* 1 live frames work, 0 this kernel lacks them, -errno. */
int frame_probe_live(const struct netns *ns, int prog_fd);

/* @count frames of @len bytes through @prog_fd as if from @in, @batch of them between flushes. */
int frame_run_batches(int prog_fd, const struct link *in, uint32_t count, uint32_t len,
		      uint32_t batch);
/* The same with FRAME_BATCH. */
int frame_run_live(int prog_fd, const struct link *in, uint32_t count, uint32_t len);

struct frame_sizes {
	uint32_t min; /* 42 or more */
	uint32_t max; /* lengths go through min..max in steps of @step, for ever */
	uint32_t step;
	bool flows;   /* 64 in turn, of min bytes */
	uint8_t mark; /* the byte at FRAME_MARK, which programs may look at */
};

/*
 * Sends @count frames from @out and waits until @peer (its other end) has received each of them, so
 * that no ring between them overflows: veth's has 256 places. @peer NULL: without waiting. Adds
 * the bytes sent to *@bytes.
 * Keeps its socket in @out: closing one waits for RCU, some 10 ms.
 */
int frame_send(struct link *out, const struct link *peer, uint32_t count,
	       const struct frame_sizes *sizes, uint64_t *bytes);

/* Returns when @link has received so many packets since it is there. */
int frame_wait_received(const struct link *link, uint64_t packets);

/* Returns when every softirq and RCU section that was under way on any CPU is over; 0 or -errno. */
int frame_settle(void);

#endif
