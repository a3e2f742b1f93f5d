/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of the netdev family about the queues of one device, and their answers:
 * Documentation/netlink/specs/netdev.yaml. No sockets.
 */
#pragma once

#include <libmnl/libmnl.h>
#include "model/netdev_queue.h"

/* In the order in which they must be asked. */
enum queue_question {
	QUEUE_GET,  /* their NAPIs, and AF_XDP sockets (6.8) */
	NAPI_GET,   /* interrupts and threads of the NAPIs (6.8) */
	QSTATS_GET, /* counters, if the driver has them (6.9) */
	QUEUE_QUESTIONS,
};

/* Fills buf as in link_message.h. */
struct nlmsghdr *queue_put_dump(void *buf, uint32_t seq, uint16_t family, enum queue_question what,
				uint32_t ifindex);
/*
 * Set in row[] what an answer says about the device's receive queues 0 to n - 1. Messages of other
 * devices, types and queues are ignored. `message` has passed mnl_nlmsg_ok().
 */
void queue_take(const struct nlmsghdr *message, uint16_t family, uint32_t ifindex,
		struct netdev_queue *row, size_t n);
