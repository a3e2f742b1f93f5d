// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings based on the rings of AF_XDP sockets, whatever the tracepoints counted. */
#include "diagnose/map_evidence.h"
#include "diagnose/verdict_past.h"

#include <linux/bpf.h>
#include <stdio.h>
#include "base/array.h"
#include "base/format.h"

#define QUEUE (PER_DEVICE | PER_QUEUE)

/*
 * Buffers that a driver may hold unseen by the device, which gets them in steps of 8
 * (drivers/net/ethernet/intel/ice/ice_txrx.c, ice_release_rx_desc()). A program may supply hardly
 * more than that.
 */
#define HELD_FEW 16
/* The least shares of a device's packets, aborted or without a socket, that are reported. */
#define ABORTED_SHARE   0.01
#define ELSEWHERE_SHARE 0.1
/* Queues without a socket are the cause if they have at least this share of the XDP_ABORTED. */
#define THERE_SHARE 0.9

static uint64_t grew(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* The program read no frame in the interval, and its ring is full. */
static bool is_stuck(const struct evidence *e)
{
	const struct xdp_socket *s = e->socket, *was = e->socket_before;

	return s->rx.size && s->rx.fill >= s->rx.size && was->rx.fill >= was->rx.size &&
	       s->received == was->received;
}

static bool is_not_polled(struct evidence *e)
{
	const struct xdp_socket *s = e->socket;
	char owner[96];

	if (!is_stuck(e))
		return false;
	e->count = grew(s->rx_queue_full, e->socket_before->rx_queue_full);
	if (!e->count)
		e->severity = FINDING_WARNING;
	snprintf(e->what, sizeof(e->what),
		 "%s does not read queue %u: the RX ring (%u frames) is full, and the program took "
		 "no frame from the ring in this interval, so %s",
		 socket_owner(s, owner, sizeof(owner)), s->queue, s->rx.size,
		 e->count ? "incoming packets are lost" : "no more can be received");
	return true;
}

/* Sockets of a queue share fill ring and counter: net/xdp/xsk_buff_pool.c, struct xsk_buff_pool. */
struct pool {
	uint64_t received, received_before;
	uint64_t taken, taken_before;
	uint64_t dropped; /* in the interval */
};

/* Only for the first receiving socket of a queue, and if all sockets are listed; else false. */
static bool sum_pool(const struct evidence *e, struct pool *pool)
{
	bool any = false;

	if (!xdp_sockets_complete(e->rates->from, e->socket->netns) ||
	    !xdp_sockets_complete(e->rates->to, e->socket->netns))
		return false;
	*pool = (struct pool){ .taken = e->socket->fill_taken,
			       .taken_before = e->socket_before->fill_taken };
	for (const struct xdp_socket *const *at = e->queue;
	     *at && !xdp_socket_compare_queues(*at, e->socket); at++) {
		const struct xdp_socket *s = *at, *was = xdp_socket_find(e->rates->from, s->inode);

		if (!was || (!any && s->rx.size && s != e->socket))
			return false;
		any |= s->rx.size != 0;
		pool->received += s->received;
		pool->received_before += was->received;
		pool->dropped += grew(s->rx_dropped, was->rx_dropped);
	}
	return true;
}

/*
 * The driver holds the buffers that the kernel took from the fill ring and did not return with a
 * frame. The ring's own numbers have 32 bits. Frames of a closed socket are missing here, and then
 * `held` is too large, and nothing is reported.
 */
static bool holds_few(const struct xdp_socket *s, uint64_t taken, uint64_t received)
{
	uint32_t held = (uint32_t)(taken - received);

	return held < HELD_FEW && (!s->chunk_size || held < s->umem_size / s->chunk_size / 2);
}

/* The driver holds no buffer, and nothing came: net/xdp/xsk_buff_pool.c, xp_alloc_new_from_fq(). */
static bool is_dry(const struct pool *pool)
{
	return (uint32_t)pool->taken == (uint32_t)pool->received &&
	       (uint32_t)pool->taken_before == (uint32_t)pool->received_before &&
	       pool->received == pool->received_before;
}

/*
 * The kernel discards an address beyond the end of the UMEM, and in unaligned mode a chunk that
 * does not end inside the UMEM or that crosses a gap between pages: net/xdp/xsk_buff_pool.c,
 * xp_check_aligned(), xp_check_unaligned().
 */
static bool has_invalid_fill(struct evidence *e)
{
	const struct xdp_socket *s = e->socket, *was = e->socket_before;
	char owner[96], times[16], size[16];

	e->count = grew(s->fill_invalid, was->fill_invalid);
	if (!e->count || s != e->queue[0])
		return false;
	if (s->fill.fill)
		e->severity = FINDING_WARNING;
	format_count(times, sizeof(times), e->count, NUMBER_SI);
	format_count(size, sizeof(size), s->umem_size, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "%s put %s invalid address%s into the fill ring of queue %u, and the kernel "
		 "discarded %s%s; the UMEM has %s bytes",
		 socket_owner(s, owner, sizeof(owner)), times, e->count == 1 ? "" : "es", s->queue,
		 e->count == 1 ? "it" : "them", s->fill.fill ? "" : ", and the ring is empty now",
		 size);
	return true;
}

/*
 * An empty fill ring is not yet a fault, nor is its growing counter. A driver takes buffers ahead,
 * in batches, as many as its own ring can hold. If the program has fewer, the fill ring is always
 * empty and the counter grows with each poll (xsk_buff_alloc_batch()), although all is well. So in
 * copy mode, where the kernel takes one buffer per frame, frames must have been lost. In zero-copy
 * mode the driver must have held next to nothing at both ends of the interval or, if that is
 * unknown, received nothing. A driver that holds enough just has no traffic. Without buffers it
 * gets no interrupt, and with XDP_USE_NEED_WAKEUP does not ask again, so this is a warning.
 */
static bool gets_no_buffers(struct evidence *e)
{
	const struct xdp_socket *s = e->socket, *was = e->socket_before;
	uint64_t asked = grew(s->rx_fill_ring_empty, was->rx_fill_ring_empty);
	bool knows_held, few, received, dry;
	char owner[96], times[16], why[80], invalid[80];
	const char *lost = "nothing was received";
	struct pool pool;

	if (!s->rx.size || !s->fill.size || s->fill.fill || is_stuck(e) || !sum_pool(e, &pool))
		return false;
	dry = s->zerocopy && was->fill.size && !was->fill.fill && is_dry(&pool);
	if (!asked && !dry)
		return false;
	knows_held = pool.taken != 0;
	few = holds_few(s, pool.taken, pool.received) &&
	      holds_few(was, pool.taken_before, pool.received_before);
	received = pool.received != pool.received_before;
	if (s->zerocopy ? (knows_held ? !few : received) : !pool.dropped)
		return false;
	e->count = asked;
	if (!asked)
		e->severity = FINDING_WARNING;
	format_count(times, sizeof(times), asked, NUMBER_SI);
	if (asked)
		snprintf(why, sizeof(why),
			 "the kernel found no buffer in it %s times in this interval", times);
	else
		snprintf(why, sizeof(why), "the driver has none left");
	if (!pool.received)
		lost = "nothing was received since the socket was created";
	else if (!s->zerocopy)
		lost = "frames were lost";
	else if (received)
		lost = "the driver has no buffer left for incoming packets";
	snprintf(e->what, sizeof(e->what),
		 "queue %u gets no buffers: the fill ring (%u) of %s is empty, and %s; %s%s",
		 s->queue, s->fill.size, socket_owner(s, owner, sizeof(owner)), why, lost,
		 socket_invalid(s, invalid, sizeof(invalid)));
	return true;
}

/* Half of the buffers that the ring can hold were discarded. */
static bool lost_its_buffers(const struct xdp_socket *s)
{
	uint64_t chunks = s->chunk_size ? s->umem_size / s->chunk_size : s->fill.size;

	return s->fill_invalid &&
	       s->fill_invalid >= (chunks < s->fill.size ? chunks : s->fill.size) / 2;
}

WHEN(is_starved, !lost_its_buffers(e->socket) && gets_no_buffers(e))

/* The invalid addresses are older than the interval; has_invalid_fill() reports new ones. */
WHEN(is_starved_by_invalid, e->socket->fill_invalid == e->socket_before->fill_invalid &&
				    lost_its_buffers(e->socket) && gets_no_buffers(e))

/*
 * A driver that found the ring empty, or started before it was filled, does not ask again, because
 * it has set need_wakeup in the ring's flags, and waits (net/xdp/xsk.c, xsk_set_rx_need_wakeup()).
 * Without a program some drivers take no buffers at all.
 */
static bool needs_wakeup(struct evidence *e)
{
	const struct xdp_socket *s = e->socket;
	const struct netdev *dev = snapshot_find_netdev(e->rates->to, s->netns, s->ifindex);
	char owner[96];
	struct pool pool;

	if (!s->zerocopy || !s->rx.size || !s->fill.fill || !e->socket_before->fill.fill || !dev ||
	    dev->gone || !dev->running || !dev->prog_id || is_stuck(e) || !sum_pool(e, &pool) ||
	    !is_dry(&pool))
		return false;
	snprintf(e->what, sizeof(e->what),
		 "queue %u gets no buffers: %u are in the fill ring of %s, but the driver has none "
		 "left and takes none from the ring; nothing was received",
		 s->queue, s->fill.fill, socket_owner(s, owner, sizeof(owner)));
	return true;
}

/* The sockets of a device, and the map that has them by queue. */
struct queues {
	uint32_t n;        /* receive queues of the device; 0 = unknown */
	size_t sockets;    /* in the map */
	uint64_t received; /* by the sockets in the interval, including losses */
	const struct map_entry *map;
};

static const struct map_entry *map_of(const struct rates *r, const struct xdp_socket *s)
{
	const struct map_entry *entry;

	for_each_row (entry, r, r->to, &map_entries_by_socket, s->inode)
		if (entry->map_type == BPF_MAP_TYPE_XSKMAP &&
		    entry->key == xdp_socket_place(s).queue)
			return map_find(r->to, entry->map_id);
	return NULL;
}

/*
 * False if the sockets are not in one map, each at its queue's number. False also if a netkit has
 * leased a queue, because the device's other queues then need no socket.
 */
static bool find_queues(const struct evidence *e, struct queues *q)
{
	const struct xdp_socket *s, *was;

	*q = (struct queues){ 0 };
	if (!xdp_sockets_complete(e->rates->to, e->dev->netns))
		return false;
	for_each_row (s, e->rates, e->rates->to, &xdp_sockets_by_device,
		      row_number(e->dev->netns, e->dev->ifindex)) {
		const struct map_entry *map = map_of(e->rates, s);

		was = xdp_socket_find(e->rates->from, s->inode);
		if (!map || !was || (q->map && q->map != map) || s->nic.ifindex)
			return false;
		q->map = map;
		q->n = s->queues > q->n ? s->queues : q->n;
		q->sockets++;
		q->received += grew(s->received, was->received) +
			       grew(s->rx_dropped, was->rx_dropped) +
			       grew(s->rx_queue_full, was->rx_queue_full);
	}
	return q->sockets && q->n > 1 && map_is_read(e->rates->to, q->map);
}

/* Number of queues without an entry in the map, which has all sockets of the device. */
static uint32_t list_missing(const struct evidence *e, const struct queues *q,
			     struct number_list *list)
{
	size_t n = map_rows(e->rates->to, q->map);
	size_t used = array_lower_bound(q->map + 1, n - 1, entry, entry->key < q->n);

	number_list_add_free(list, q->map, n, q->n);
	return q->n - (uint32_t)used;
}

static uint64_t aborted_on(const struct evidence *e)
{
	const struct rates *r = e->rates;
	const struct series *s;
	struct row_walk w;
	uint64_t n = 0;

	row_walk_begin(&w, r, r->to, &series_by_device, row_number(e->dev->netns, e->dev->ifindex));
	while (r->tp_events[TP_XDP_EXCEPTION] && (s = row_walk_next(&w)))
		if (s->tracepoint == TP_XDP_EXCEPTION && !s->overflow &&
		    s->key.code == XDP_ABORTED && s->key.prog_id &&
		    (s->key.prog_id == e->dev->prog_id || s->key.prog_id == e->dev->skb_prog_id))
			n += rates_delta(r, s)->events;
	return n;
}

/*
 * Sums what the device's program returned in the interval for packets on queues without an entry,
 * and the packets on all queues; false = unknown.
 */
static bool find_there(const struct evidence *e, const struct queues *q, struct verdict_sum *there,
		       uint64_t *all)
{
	uint32_t prog_id = e->dev->prog_id ?: e->dev->skb_prog_id;
	const struct verdict_past *past = verdict_past_find(e->verdicts, e->dev, prog_id);
	const struct verdict *row;
	struct verdict_walk w;

	*there = (struct verdict_sum){ 0 };
	*all = 0;
	if (!past)
		return false;
	verdict_walk_device(&w, e->rates, prog_id, e->dev->netns, e->dev->ifindex);
	while ((row = verdict_walk_next(&w))) {
		*all += w.delta.packets;
		if (!map_entry_find(e->rates->to, q->map->map_id, row->queue))
			verdict_sum_add(there, &w, row);
	}
	/* else some queues had no row of their own, or packets came in on a lower device */
	return *all == verdict_total(past->act).packets;
}

/* Appends what happened to these packets, at offset `at`. */
static bool says_there(struct evidence *e, const struct queues *q, const struct verdict_sum *there,
		       uint64_t all, int at)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what), .len = (size_t)at };
	uint64_t packets = verdict_total(there->delta).packets;
	bool aborts;
	char number[16];

	e->count = there->delta[XDP_ABORTED].packets;
	aborts = e->count && (double)e->count >= ABORTED_SHARE * (double)all;
	if (!aborts &&
	    (q->sockets < 2 || !packets || (double)packets < ELSEWHERE_SHARE * (double)all))
		return false;
	if (!aborts)
		e->severity = FINDING_INFO;
	format_percent(number, sizeof(number), 100.0 * (double)packets / (double)all);
	format_add(&t, "%s %% of the device's packets came in there, and the program returned",
		   number);
	for (uint32_t act = 0; act < VERDICT_ACTS; act++) {
		if (!there->delta[act].packets)
			continue;
		format_count(number, sizeof(number), there->delta[act].packets, NUMBER_SI);
		format_add(&t, " %s for %s,", verdict_name(act), number);
	}
	e->what[strlen(e->what) - 1] = '\0';
	return true;
}

/*
 * Only verdicts tell which queue a packet came in on. A device that steers its packets to queues
 * with sockets is fine. So there must be XDP_ABORTED from empty slots. Or, if the program passes
 * the other packets to the stack and has several sockets, many packets must reach no socket.
 */
static bool lacks_socket(struct evidence *e)
{
	const struct netdev *was;
	struct number_list list = { 0 };
	struct queues q;
	struct verdict_sum there;
	uint64_t packets, aborted, elsewhere, all;
	uint32_t missing;
	char number[16];
	int n;

	if (!netdev_has_program(e->dev) || !find_queues(e, &q))
		return false;
	missing = list_missing(e, &q, &list);
	if (!missing)
		return false;
	e->map = q.map;
	n = snprintf(e->what, sizeof(e->what),
		     "%s %s of %u %s no AF_XDP socket, and no entry in xskmap %s (id %u): ",
		     missing == 1 ? "queue" : "queues", number_list_end(&list), q.n,
		     missing == 1 ? "has" : "have", q.map->map_name, q.map->map_id);
	if (find_there(e, &q, &there, &all))
		return says_there(e, &q, &there, all, n);
	was = snapshot_find_netdev(e->rates->from, e->dev->netns, e->dev->ifindex);
	if (!netdev_grew(was, e->dev, NETDEV_RX_PACKETS, &packets))
		packets = 0;
	aborted = aborted_on(e);
	elsewhere = grew(packets, q.received);
	e->count = aborted;
	if (aborted && (double)aborted >= ABORTED_SHARE * (double)packets) {
		format_count(number, sizeof(number), aborted, NUMBER_SI);
		snprintf(e->what + n, sizeof(e->what) - (size_t)n,
			 "packets redirected there are dropped as XDP_ABORTED (%s in this "
			 "interval)",
			 number);
		return true;
	}
	if (q.sockets < 2 || !elsewhere || (double)elsewhere < ELSEWHERE_SHARE * (double)packets)
		return false;
	e->severity = FINDING_INFO;
	format_percent(number, sizeof(number), 100.0 * (double)elsewhere / (double)packets);
	snprintf(e->what + n, sizeof(e->what) - (size_t)n,
		 "%s %% of the device's packets reach no socket", number);
	return true;
}

/* Whether these queues have nearly all packets that the program aborts, as far as is known. */
static bool is_all_of_it(const struct evidence *e)
{
	uint32_t prog_id = e->dev->prog_id ?: e->dev->skb_prog_id;
	const struct verdict_past *past = verdict_past_find(e->verdicts, e->dev, prog_id);

	return e->severity == FINDING_CRITICAL &&
	       (!past || (double)e->count >= THERE_SHARE * (double)past->act[XDP_ABORTED].packets);
}

WHEN(aborts_there, lacks_socket(e) && is_all_of_it(e))

WHEN(aborts_elsewhere, lacks_socket(e) && !is_all_of_it(e))

/*
 * Then a busy poll ends as it would without the preference: busy_poll_stop() in net/core/dev.c
 * schedules the NAPI, and the softirq polls between two busy polls.
 */
static bool polls_alone(struct evidence *e)
{
	const struct xdp_socket *s = e->socket, *was = e->socket_before;
	char owner[96];

	if (s->state != XDP_SOCKET_BOUND || !s->prefers_busy_poll || s->irqs_deferred ||
	    (s->received == was->received && s->transmitted == was->transmitted))
		return false;
	snprintf(e->what, sizeof(e->what),
		 "%s prefers busy polling on queue %u (SO_PREFER_BUSY_POLL), but the queue's "
		 "interrupts are not deferred, so the softirq also polls it, perhaps on another "
		 "CPU",
		 socket_owner(s, owner, sizeof(owner)), s->queue);
	return true;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "xsk-starved", FINDING_CRITICAL,
	  "an AF_XDP socket's fill ring is empty in two intervals in a row, and the kernel needs "
	  "buffers. In zero-copy mode nothing else reports this. The severity is warning if the "
	  "driver has no buffer left but does not ask for one",
	  { .text = "fill the ring before the first packet, and return every buffer, even after an "
		    "error. Make the fill ring at least as large as the device's RX ring, and the "
		    "UMEM larger",
	    .commands = OWNER_COMMANDS "\n"
			"{in}ethtool -g {dev}\n"
			"{in}ethtool -S {dev}" },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2,
		  .when = is_starved, .leads_to = "xsk-fill-empty" }) },
	{ "xsk-fill-invalid", FINDING_CRITICAL,
	  "an AF_XDP program puts invalid addresses into its fill ring, or has put in so many that "
	  "no buffers are left. The severity is warning while the ring still has valid addresses",
	  { .text = "check how the program computes the addresses: they are offsets into the UMEM, "
		    "not pointers. In unaligned mode, each chunk must also lie on contiguous pages",
	    .commands = OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .when = has_invalid_fill,
		  .leads_to = "xsk-fill-empty" },
		{ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2,
		  .when = is_starved_by_invalid, .leads_to = "xsk-fill-empty" }) },
	{ "xsk-need-wakeup", FINDING_WARNING,
	  "a zero-copy AF_XDP socket's fill ring has buffers, but in two intervals in a row the "
	  "driver has none left and takes none",
	  { .text = "the program must call poll() or recvfrom() when the fill ring's flag asks for "
		    "it (XDP_USE_NEED_WAKEUP, xsk_ring_prod__needs_wakeup()), including after it "
		    "has filled the ring for the first time",
	    .commands = OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2,
		  .when = needs_wakeup }) },
	{ "xsk-not-polled", FINDING_CRITICAL,
	  "an AF_XDP socket's RX ring is full, and its program read nothing from it in two "
	  "intervals in a row. The severity is warning while nothing is lost",
	  { .text = "check whether the process is stopped (STAT T) and where it waits. It must "
		    "poll() each of its sockets, and should close a socket that it no longer reads",
	    .commands = OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 2,
		  .when = is_not_polled, .leads_to = "xsk-ring-full" }) },
	{ "busy-poll-alone", FINDING_INFO,
	  "an AF_XDP socket in use prefers busy polling, but its queue's interrupts are not "
	  "deferred, in three intervals in a row",
	  { .text = "set napi_defer_hard_irqs and gro_flush_timeout of the device (for example "
		    "to 2 and 200000 ns), so that interrupts wait while the program polls, or "
		    "remove SO_PREFER_BUSY_POLL",
	    .commands = "{in}cat /sys/class/net/{dev}/napi_defer_hard_irqs\n"
			"{in}cat /sys/class/net/{dev}/gro_flush_timeout\n" OWNER_COMMANDS },
	  RULES({ RULE_SOCKET, .code = RULE_ANY, .per = QUEUE, .intervals = 3,
		  .when = polls_alone }) },
	{ "xsk-queue-without-socket", FINDING_CRITICAL,
	  "some of a device's receive queues have an AF_XDP socket, others have none, and packets "
	  "on the others are aborted. The severity is info if those packets reach the stack",
	  { .text = "bind a socket to each queue, or use as many queues as there are sockets "
		    "(ethtool -L). To hand the other packets to the stack, set XDP_PASS in the "
		    "flags of bpf_redirect_map()",
	    .commands = "{in}ethtool -l {dev}\n"
			"{in}ethtool -x {dev}\n"
			"bpftool map dump id {map}\n"
			"{sockets}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE, .intervals = 2,
		  .when = aborts_there, .leads_to = "aborted" },
		{ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE, .intervals = 2,
		  .when = aborts_elsewhere }) },
};
/* clang-format on */

const struct finding_group socket_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
