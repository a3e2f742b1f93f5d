// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about AF_XDP sockets that cannot send. No tracepoint shows these. */
#include "diagnose/map_evidence.h"

#include <stdio.h>
#include <string.h>
#include "base/format.h"

#define QUEUE (PER_DEVICE | PER_QUEUE)

/* Frames were in the TX ring at both ends of the interval, and the kernel took none. */
static bool is_waiting(const struct evidence *e)
{
	const struct xdp_socket *s = e->socket, *was = e->socket_before;

	return s->tx.size && s->tx.fill && was->tx.fill && s->transmitted == was->transmitted &&
	       s->tx_invalid == was->tx_invalid;
}

static bool is_full(const struct xdp_ring *ring)
{
	return ring->size && ring->fill >= ring->size;
}

/* A netkit may have leased its queue from a NIC (7.1), and then sends on a queue of the NIC. */
static bool lacks_queue(const struct evidence *e)
{
	const struct xdp_socket *s = e->socket;
	const struct netdev *dev = snapshot_find_netdev(e->rates->to, s->netns, s->ifindex);

	return s->tx_queues && s->queue >= s->tx_queues && !(dev && !strcmp(dev->kind, "netkit"));
}

/* net/xdp/xsk.c, xsk_check_common(), and the driver's ndo_xsk_wakeup() without a carrier. */
static bool lacks_link(const struct evidence *e)
{
	const struct xdp_socket *s = e->socket;
	const struct netdev *dev = snapshot_find_netdev(e->rates->to, s->netns, s->ifindex);

	return dev && !dev->gone && !dev->running;
}

static bool says_link(struct evidence *e, bool is_up)
{
	const struct xdp_socket *s = e->socket;
	const struct netdev *dev = snapshot_find_netdev(e->rates->to, s->netns, s->ifindex);
	char owner[96];

	if (!is_waiting(e) || !lacks_link(e) || dev->up != is_up)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "%s cannot send on queue %u: the device %s; %u frames wait in the TX ring",
		 socket_owner(s, owner, sizeof(owner)), s->queue,
		 is_up ? "has no carrier" : "is down", s->tx.fill);
	return true;
}

WHEN(is_down, says_link(e, false))

WHEN(has_no_carrier, says_link(e, true))

/* The kernel takes such descriptors and sends nothing: xsk_queue.h, xskq_cons_is_valid_desc(). */
static bool has_invalid(struct evidence *e)
{
	const struct xdp_socket *s = e->socket, *was = e->socket_before;
	char owner[96], rate[16];

	if (s->tx_invalid <= was->tx_invalid)
		return false;
	e->count = s->tx_invalid - was->tx_invalid;
	e->lost_per_s = per_second((double)e->count, e->rates->seconds);
	format_rate(rate, sizeof(rate), e->lost_per_s, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "%s puts invalid descriptors into the TX ring of queue %u, and these frames are "
		 "lost: %s a second; the UMEM has %llu bytes in chunks of %u",
		 socket_owner(s, owner, sizeof(owner)), s->queue, rate,
		 (unsigned long long)s->umem_size, s->chunk_size);
	return true;
}

/*
 * bind() accepts a queue that exists for receiving only: net/xdp/xsk.c, xsk_reg_pool_at_qid(). Then
 * no transmit queue has the socket's frames.
 */
static bool sends_on_no_queue(struct evidence *e)
{
	const struct xdp_socket *s = e->socket;
	char owner[96];

	if (!is_waiting(e) || !lacks_queue(e))
		return false;
	snprintf(e->what, sizeof(e->what),
		 "%s cannot send on queue %u: the device has %u transmit queue%s, numbered from 0; "
		 "%u frames wait in the TX ring",
		 socket_owner(s, owner, sizeof(owner)), s->queue, s->tx_queues,
		 s->tx_queues == 1 ? "" : "s", s->tx.fill);
	return true;
}

/* The kernel reserves an entry there for each frame: net/xdp/xsk_queue.h, xskq_prod_reserve(). */
static bool has_full_completion(struct evidence *e)
{
	const struct xdp_socket *s = e->socket;
	char owner[96];

	if (!is_waiting(e) || lacks_queue(e) || !is_full(&s->completion) ||
	    !is_full(&e->socket_before->completion))
		return false;
	snprintf(e->what, sizeof(e->what),
		 "%s does not take sent frames back: the completion ring (%u) of queue %u is full, "
		 "so the kernel sends none of the %u frames in the TX ring",
		 socket_owner(s, owner, sizeof(owner)), s->completion.size, s->queue, s->tx.fill);
	return true;
}

/*
 * In copy mode the kernel sends only while the program calls it (__xsk_generic_xmit()), in
 * zero-copy mode the driver looks by itself unless it has set the ring's flag. If a driver takes
 * only invalid descriptors, it leaves them in the ring until a valid one follows
 * (xsk_tx_peek_release_desc_batch()).
 */
static bool is_not_kicked(struct evidence *e)
{
	const struct xdp_socket *s = e->socket;
	char owner[96];

	if (!is_waiting(e) || lacks_queue(e) || is_full(&s->completion) || lacks_link(e) ||
	    (s->zerocopy && (!s->tx_need_wakeup || s->tx.fill <= s->tx_invalid)))
		return false;
	snprintf(
		e->what, sizeof(e->what),
		"%u frames wait in the TX ring of %s on queue %u, and the kernel took none in this "
		"interval: %s",
		s->tx.fill, socket_owner(s, owner, sizeof(owner)), s->queue,
		s->zerocopy && s->prefers_busy_poll
			? "with SO_PREFER_BUSY_POLL, sendto() polls the receive queue's NAPI and "
			  "does not wake the driver, which may send from another NAPI, as "
			  "virtio_net does"
		: s->zerocopy ? "the ring's need_wakeup flag asks for a call to sendto() or poll()"
			      : "in copy mode it sends only when the program calls sendto() or "
				"poll(). The program makes no such call, or the calls fail");
	return true;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "xsk-completion-full", FINDING_WARNING,
	  "an AF_XDP socket cannot send, because in two intervals in a row its completion ring is "
	  "full",
	  { .text = "the program must take sent frames back from the completion ring "
		    "(xsk_ring_cons__peek(), xsk_ring_cons__release()) before it sends more; the "
		    "ring should have at least as many entries as the TX ring",
	    .commands = OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2,
		  .when = has_full_completion }) },
	{ "xsk-tx-not-kicked", FINDING_WARNING,
	  "frames wait in an AF_XDP socket's TX ring, and in two intervals in a row the kernel took "
	  "none of them",
	  { .text = "after filling the ring, call sendto(fd, NULL, 0, MSG_DONTWAIT, NULL, 0), in "
		    "zero-copy mode when xsk_ring_prod__needs_wakeup() returns 1. If it fails with "
		    "EAGAIN, call it again",
	    .commands = OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2,
		  .when = is_not_kicked }) },
	{ "xsk-tx-invalid", FINDING_CRITICAL,
	  "an AF_XDP socket's program puts invalid descriptors into the TX ring, and the kernel drops "
	  "these frames",
	  { .text = "the program must put into the TX ring only frames that lie inside the UMEM, "
		    "end inside their chunk, and have options 0 (or XDP_PKT_CONTD and "
		    "XDP_TX_METADATA if the kernel supports them)",
	    .commands = OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .when = has_invalid }) },
	{ "xsk-tx-link-down", FINDING_WARNING,
	  "an AF_XDP socket has frames to send, in two intervals in a row, and its device is down or "
	  "has no carrier",
	  { .commands = "{ip} -d link show dev {dev}\n" OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2, .when = is_down,
		  .remedy = { "bring the device up",
			      "{ip} -d link show dev {dev}\n"
			      "{ip} link set dev {dev} up" } },
		{ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2,
		  .when = has_no_carrier,
		  .remedy.text = "check the cable and the other end; for a veth, bring up its "
				 "peer" }) },
	{ "xsk-tx-no-queue", FINDING_WARNING,
	  "an AF_XDP socket with frames to send is bound to a queue that the device has for "
	  "receiving only",
	  { .text = "bind the socket to a lower queue, or give the device as many transmit queues "
		    "as it has receive queues (ethtool -L)",
	    .commands = "{in}ethtool -l {dev}\n" OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2,
		  .when = sends_on_no_queue }) },
};
/* clang-format on */

const struct finding_group socket_tx_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
