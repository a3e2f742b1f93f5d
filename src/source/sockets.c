// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/sockets.h"

#include <errno.h>
#include <linux/if_xdp.h>
#include "base/sanitize.h"
#include "inventory/holders.h"
#include "inventory/xdp_socket_iter.h"
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

static const char *const states[XDP_SOCKET_STATES] = {
	[XDP_SOCKET_UNBOUND] = "unbound",
	[XDP_SOCKET_BOUND] = "bound",
	[XDP_SOCKET_DEVICE_GONE] = "device-gone",
};

const char *xdp_socket_state_name(enum xdp_socket_state state)
{
	return states[state];
}

DATA_SOURCE_ROWS(xdp_sockets, struct xdp_socket, DATA_SOURCE_SOCKETS)

const struct xdp_socket *xdp_socket_find(const struct snapshot *s, uint32_t inode)
{
	return data_source_row(s, DATA_SOURCE_SOCKETS, &(struct xdp_socket){ .inode = inode });
}

uint64_t xdp_sockets_left_out(const struct snapshot *s)
{
	size_t n;
	const struct sockets_left_out *row = data_source_rows(s, DATA_SOURCE_SOCKETS_LEFT_OUT, &n);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += row[i].n;
	return sum;
}

bool xdp_sockets_complete(const struct snapshot *s, uint32_t netns)
{
	const struct sockets_left_out like = { .netns = netns }, others = { 0 };

	return !data_source_row(s, DATA_SOURCE_SOCKETS_LEFT_OUT, &like) &&
	       !data_source_row(s, DATA_SOURCE_SOCKETS_LEFT_OUT, &others);
}

struct xdp_place xdp_socket_place(const struct xdp_socket *s)
{
	const struct xdp_place own = { s->netns, s->ifindex, s->queue };

	return s->nic.ifindex ? s->nic : own;
}

const char *xdp_socket_ifname(const struct xdp_socket *s)
{
	return s->nic.ifindex ? s->nic_ifname : s->ifname;
}

static uint64_t device_of(const void *row, unsigned int i)
{
	const struct xdp_socket *s = row;
	struct xdp_place place = xdp_socket_place(s);

	return s->state == XDP_SOCKET_BOUND ? row_number(place.netns, place.ifindex)
					    : ROW_NO_NUMBER;
}

const struct row_key xdp_sockets_by_device = { DATA_SOURCE_SOCKETS, 1, .number = device_of };

int xdp_socket_compare_queues(const struct xdp_socket *a, const struct xdp_socket *b)
{
	const struct xdp_place x = xdp_socket_place(a), y = xdp_socket_place(b);

	return memcmp(&x, &y, sizeof(x));
}

#define socket_of(r) ROW_OF(struct xdp_socket, r)

GET_TEXT(get_state, socket_of(r)->gone ? "gone" : states[socket_of(r)->state])

static FIELD_SET(set_state)
{
	socket_of(r)->gone = !strcmp(v->text, "gone");
	for (int i = 0; i < XDP_SOCKET_STATES; i++) {
		if (strcmp(v->text, states[i]))
			continue;
		socket_of(r)->state = (enum xdp_socket_state)i;
		return true;
	}
	return socket_of(r)->gone;
}

#define KNOWN(m) KNOWN_BY(struct xdp_socket, m)
#define RING(n, m)                                          \
	ROW_FIELD_ID(n "_size", struct xdp_socket, m.size), \
		ROW_FIELD_NUMBER(n "_fill", struct xdp_socket, m.fill, KNOWN(m.size))
#define COUNTERS                                                                                \
	ROW_FIELD_COUNTER("received", struct xdp_socket, received),                             \
		ROW_FIELD_COUNTER("transmitted", struct xdp_socket, transmitted),               \
		ROW_FIELD_COUNTER("rx_dropped", struct xdp_socket, rx_dropped),                 \
		ROW_FIELD_COUNTER("rx_queue_full", struct xdp_socket, rx_queue_full),           \
		ROW_FIELD_COUNTER("rx_fill_ring_empty", struct xdp_socket, rx_fill_ring_empty), \
		ROW_FIELD_COUNTER("tx_invalid", struct xdp_socket, tx_invalid),                 \
		ROW_FIELD_COUNTER("tx_ring_empty", struct xdp_socket, tx_ring_empty),           \
		ROW_FIELD_COUNTER("fill_taken", struct xdp_socket, fill_taken),                 \
		ROW_FIELD_COUNTER("fill_invalid", struct xdp_socket, fill_invalid)

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	FIELD_REAL("interval_s", field_get_real, seconds),
	ROW_FIELD_ID("inode", struct xdp_socket, inode),
	ROW_FIELD_ID("netns", struct xdp_socket, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	FIELD("state", TEXT, 0, get_state, set_state),
	ROW_FIELD_ID("ifindex", struct xdp_socket, ifindex),
	ROW_FIELD_TEXT("ifname", struct xdp_socket, ifname),
	ROW_FIELD_NUMBER("queue", struct xdp_socket, queue, KNOWN(ifindex)),
	ROW_FIELD_ID("nic_netns", struct xdp_socket, nic.netns),
	ROW_FIELD_ID("nic_ifindex", struct xdp_socket, nic.ifindex),
	ROW_FIELD_TEXT("nic_ifname", struct xdp_socket, nic_ifname),
	ROW_FIELD_NUMBER("nic_queue", struct xdp_socket, nic.queue, KNOWN(nic.ifindex)),
	ROW_FIELD_ID("queues", struct xdp_socket, queues),
	ROW_FIELD_ID("tx_queues", struct xdp_socket, tx_queues),
	ROW_FIELD_BOOL("zerocopy", struct xdp_socket, zerocopy, KNOWN(ifindex)),
	ROW_FIELD_BOOL("prefers_busy_poll", struct xdp_socket, prefers_busy_poll, KNOWN(ifindex)),
	ROW_FIELD_BOOL("irqs_deferred", struct xdp_socket, irqs_deferred, KNOWN(prefers_busy_poll)),
	ROW_FIELD_ANSWER("in_map", struct xdp_socket, in_map, OPTIONAL),
	ROW_FIELD_ID("pid", struct xdp_socket, pid),
	ROW_FIELD_TEXT("comm", struct xdp_socket, comm),
	ROW_FIELD_COUNT("umem_size", struct xdp_socket, umem_size, KNOWN(umem_size)),
	ROW_FIELD_ID("chunk_size", struct xdp_socket, chunk_size),
	RING("rx", rx),
	RING("fill", fill),
	RING("tx", tx),
	ROW_FIELD_BOOL("tx_need_wakeup", struct xdp_socket, tx_need_wakeup, KNOWN(tx.size)),
	RING("completion", completion),
	COUNTERS,
	FIELD_POD("", 0, pod),
};

static const struct record_field left_out_fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("netns", struct sockets_left_out, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	ROW_FIELD_GONE("counted", struct sockets_left_out, gone),
	ROW_FIELD_COUNT("left_out", struct sockets_left_out, n),
	FIELD_POD("", 0, pod),
};
/* clang-format on */

static const struct record_object left_out_object =
	RECORD_OBJECT("sockets_left_out", left_out_fields);
static const struct record_object object = RECORD_OBJECT("socket", fields);

/* A socket found by the last walk. */
struct known {
	struct xdp_socket row; /* first: compare_u32() by its inode */
	struct socket_record last;
	struct xdp_socket_ahead ahead;
	bool seen;
};

struct sockets {
	struct known *known; /* ascending by inode */
	size_t n, cap;
	size_t n_before;                   /* known before this walk; new ones are appended */
	size_t n_seen;                     /* in this walk */
	uint32_t limit;                    /* sockets listed per namespace */
	struct sockets_left_out *left_out; /* in this walk */
	size_t n_left_out, cap_left_out;
	bool has_new; /* found since owners were last read */
	struct live *live;
};

/* Appends: inserting in order would move thousands of sockets for each new one. */
static struct known *known_add(struct sockets *s, uint32_t inode)
{
	struct known *k = array_append(s->known, s->n, s->cap);

	k->row.inode = inode;
	s->has_new = true;
	return k;
}

/* The program can write to the pages that hold the ends of rings. */
static struct xdp_ring ring_of(const struct ring_record *r)
{
	uint32_t fill = r->producer - r->consumer;

	return (struct xdp_ring){ .size = r->size, .fill = fill < r->size ? fill : r->size };
}

/* Inode numbers are reused, so a new socket counts from 0. */
static bool is_other(const struct socket_record *now, const struct socket_record *last)
{
	return now->netns != last->netns || now->rx_dropped < last->rx_dropped ||
	       now->rx_queue_full < last->rx_queue_full ||
	       now->rx_fill_ring_empty < last->rx_fill_ring_empty ||
	       now->fill_invalid < last->fill_invalid || now->tx_invalid < last->tx_invalid ||
	       now->tx_ring_empty < last->tx_ring_empty;
}

/*
 * Valid entries that the kernel took from a ring. It counts an invalid entry before it advances its
 * end of the ring, possibly only with the next call: net/xdp/xsk.c, __xsk_generic_xmit().
 */
static uint32_t count_used(uint32_t taken, uint64_t invalid, uint32_t size, uint32_t *ahead)
{
	invalid += *ahead;
	*ahead = 0;
	if (taken >= invalid)
		return taken - (uint32_t)invalid;
	/* at most the ring's size, in case the ring wrapped before the first look */
	*ahead = invalid - taken < size ? (uint32_t)invalid - taken : size;
	return 0;
}

void xdp_socket_count(struct xdp_socket *row, const struct socket_record *now,
		      const struct socket_record *last, struct xdp_socket_ahead *ahead)
{
	static const struct socket_record none;

	if (is_other(now, last)) {
		last = &none;
		*ahead = (struct xdp_socket_ahead){ 0 };
	}
	row->received += (uint32_t)(now->rx.producer - last->rx.producer);
	row->transmitted +=
		count_used(now->tx.consumer - last->tx.consumer, now->tx_invalid - last->tx_invalid,
			   now->tx.size, &ahead->tx);
	row->rx_dropped += now->rx_dropped - last->rx_dropped;
	row->rx_queue_full += now->rx_queue_full - last->rx_queue_full;
	row->rx_fill_ring_empty += now->rx_fill_ring_empty - last->rx_fill_ring_empty;
	row->tx_invalid += now->tx_invalid - last->tx_invalid;
	row->tx_ring_empty += now->tx_ring_empty - last->tx_ring_empty;
	row->fill_invalid += now->fill_invalid - last->fill_invalid;
	row->fill_taken +=
		count_used(now->fill.consumer - last->fill.consumer,
			   now->fill_invalid - last->fill_invalid, now->fill.size, &ahead->fill);
	row->rx = ring_of(&now->rx);
	row->fill = ring_of(&now->fill);
	row->tx = ring_of(&now->tx);
	row->tx_need_wakeup = now->tx.flags & XDP_RING_NEED_WAKEUP;
	row->completion = ring_of(&now->completion);
}

static void set_binding(struct xdp_socket *row, const struct socket_record *r)
{
	row->netns = r->netns;
	row->state = r->state <= XDP_SOCKET_DEVICE_GONE ? (enum xdp_socket_state)r->state
							: XDP_SOCKET_UNBOUND;
	row->in_map = r->in_map ? XDP_SOCKET_IN_MAP : XDP_SOCKET_IN_NO_MAP;
	row->queues = r->queues;
	row->tx_queues = r->tx_queues;
	row->umem_size = r->umem_size;
	row->chunk_size = r->chunk_size;
	/* keep the binding after the device is gone */
	if (row->state == XDP_SOCKET_DEVICE_GONE)
		return;
	row->ifindex = r->ifindex;
	row->queue = r->queue;
	row->nic = (struct xdp_place){ r->nic_netns, r->nic_ifindex, r->nic_queue };
	row->zerocopy = r->zerocopy;
	row->prefers_busy_poll = r->prefers_busy_poll;
	row->irqs_deferred = r->irqs_deferred;
	memset(row->ifname, 0, sizeof(row->ifname));
	memset(row->nic_ifname, 0, sizeof(row->nic_ifname));
	sanitize(row->ifname, sizeof(row->ifname), r->ifname, sizeof(r->ifname));
	sanitize(row->nic_ifname, sizeof(row->nic_ifname), r->nic_ifname, sizeof(r->nic_ifname));
}

static void leave_out(struct sockets *s, uint32_t netns, uint32_t n)
{
	struct sockets_left_out *row = s->n_left_out ? &s->left_out[s->n_left_out - 1] : NULL;

	/* sockets of a namespace are adjacent */
	if (!row || (row->netns != netns && s->n_left_out < SOCKETS_LEFT_OUT_MAX)) {
		row = array_append(s->left_out, s->n_left_out, s->cap_left_out);
		row->netns = s->n_left_out < SOCKETS_LEFT_OUT_MAX ? netns : 0;
	}
	row->n += n;
}

static int see(void *ctx, const struct socket_record *r)
{
	struct sockets *s = ctx;
	struct known *k;

	if (s->n_seen == XDP_SOCKETS_MAX && r->inode && s->limit > 1)
		return -ENOSPC;
	if (!r->inode || s->n_seen == XDP_SOCKETS_MAX) {
		leave_out(s, r->netns, r->inode ? 1 : r->left_out);
		return 0;
	}
	k = array_find(s->known, s->n_before, e, e->row.inode < r->inode, e->row.inode == r->inode)
		    ?: known_add(s, r->inode);
	s->n_seen += !k->seen;
	k->seen = true;
	set_binding(&k->row, r);
	xdp_socket_count(&k->row, r, &k->last, &k->ahead);
	k->last = *r;
	return 0;
}

/* How many more sockets a walk would list with twice the limit. */
static uint64_t seen_by_double(const struct sockets *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n_left_out; i++) {
		const struct sockets_left_out *row = &s->left_out[i];

		sum += row->netns && row->n > s->limit ? s->limit : row->n;
	}
	return sum;
}

/*
 * Limits the sockets listed per namespace, so that one user cannot hide the sockets of all others.
 * Every namespace with sockets gets a share, at least one.
 */
static int sockets_walk(struct sockets *s)
{
	int err;

	s->n_before = s->n;
	do {
		s->n = s->n_before;
		s->n_seen = 0;
		s->n_left_out = 0;
		for (size_t i = 0; i < s->n; i++)
			s->known[i].seen = false;
		err = xdp_socket_iter_run(s->live->iters, s->limit, see, s);
	} while (err == -ENOSPC && (s->limit /= 2));
	if (!err && s->limit < XDP_SOCKETS_MAX && s->n_seen + seen_by_double(s) <= XDP_SOCKETS_MAX)
		s->limit *= 2;
	/* how many sockets it did not reach is unknown */
	if (err == -EINTR)
		leave_out(s, 0, 0);
	return err;
}

static void sockets_forget(struct sockets *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->known[i].seen)
			s->known[kept++] = s->known[i];
	s->n = kept;
}

/* If several processes hold a socket, the lowest pid is shown. */
static void read_owners(struct sockets *s)
{
	struct holders *h = s->live->holders;
	size_t n;

	if (!holders_read_files(h, s->live->refreshed_ns, s->has_new))
		return;
	s->has_new = false;
	for (size_t i = 0; i < s->n; i++) {
		struct xdp_socket *row = &s->known[i].row;
		const struct holder_record *o = holders_of(h, HELD_SOCKET, row->inode, &n);

		row->pid = n ? o->pid : 0;
		memset(row->comm, 0, sizeof(row->comm));
		if (n)
			sanitize(row->comm, sizeof(row->comm), o->comm, sizeof(o->comm));
	}
}

static int sockets_sample(void *state, struct snapshot *to)
{
	struct sockets *s = state;
	int err = sockets_walk(s);

	array_sort(s->known, s->n, sizeof(*s->known), compare_u32);
	/* after an interrupted walk keep the sockets that it did not reach */
	if (!err || s->n > XDP_SOCKETS_MAX)
		sockets_forget(s);
	if (s->n)
		read_owners(s);
	for (size_t i = 0; i < s->n; i++) {
		struct xdp_socket *row = snapshot_add_row(to, DATA_SOURCE_SOCKETS, sizeof(*row));

		*row = s->known[i].row;
		/* without a program on its device, which may be down */
		if (row->state == XDP_SOCKET_BOUND &&
		    (row->tx.fill || row->tx_invalid || row->in_map == XDP_SOCKET_IN_NO_MAP))
			live_need_netdev(s->live, row->netns, row->ifindex);
	}
	return 0;
}

static void sockets_close(void *state)
{
	struct sockets *s = state;

	free(s->left_out);
	free(s->known);
}

static int sockets_open(void *state, struct live *live, struct error *error)
{
	struct sockets *s = state;

	s->live = live;
	s->limit = XDP_SOCKETS_MAX;
	if (!xdp_socket_iter_works(live->iters, error))
		return 1;
	live->sockets = s;
	return 0;
}

/* Uses what the walk of the sockets found. Without a walk all are left out, in unknown number. */
static int left_out_open(void *state, struct live *live, struct error *error)
{
	*(struct sockets **)state = live->sockets;
	return 0;
}

static int left_out_sample(void *state, struct snapshot *to)
{
	struct sockets *s = *(struct sockets **)state;

	if (!s) {
		snapshot_add_row(to, DATA_SOURCE_SOCKETS_LEFT_OUT, sizeof(struct sockets_left_out));
		return 0;
	}
	array_sort(s->left_out, s->n_left_out, sizeof(*s->left_out), compare_u32);
	snapshot_put_rows(to, DATA_SOURCE_SOCKETS_LEFT_OUT, s->left_out, s->n_left_out,
			  sizeof(*s->left_out));
	return 0;
}

#define METRIC(name, help, m)                                                        \
	{                                                                            \
		"xdptop_socket_" name "_total", help, offsetof(struct xdp_socket, m) \
	}

static const struct data_source_metric metrics[] = {
	METRIC("received", "Frames put into the RX rings of a queue's AF_XDP sockets.", received),
	METRIC("transmitted", "Frames taken from the TX rings of a queue's AF_XDP sockets.",
	       transmitted),
	METRIC("rx_dropped",
	       "Frames lost although the RX ring was not full, because no buffer was free or the "
	       "frame was too long.",
	       rx_dropped),
	METRIC("rx_queue_full", "Frames lost because the RX ring was full.", rx_queue_full),
	METRIC("rx_fill_ring_empty", "Times that the kernel found no buffer in the fill ring.",
	       rx_fill_ring_empty),
	METRIC("fill_invalid", "Invalid addresses in the fill ring.", fill_invalid),
	METRIC("tx_invalid", "Invalid descriptors in TX rings.", tx_invalid),
	METRIC("tx_ring_empty", "Times that the TX ring was empty.", tx_ring_empty),
	{ 0 },
};

static bool has_metric(const void *row, const struct data_source_metric *metric)
{
	(void)metric;
	return ((const struct xdp_socket *)row)->state == XDP_SOCKET_BOUND;
}

const struct data_source sockets_source = {
	.name = "sockets",
	.help = "AF_XDP sockets of all namespaces, their rings and owners, from a BPF iterator",
	ROW_TYPE(struct xdp_socket, netns, XDP_SOCKETS_MAX),
	ROW_GONE(struct xdp_socket),
	ROW_DEVICE(struct xdp_socket),
	ROW_COUNTERS(struct xdp_socket, received),
	.record = &object,
	.metrics = metrics,
	.metric_labels = HAS_DEVICE | LABEL_QUEUE,
	.has_metric = has_metric,
	.shared_counters = offsetof(struct xdp_socket, rx_fill_ring_empty),
	.n_shared = 2,
	.state_size = sizeof(struct sockets),
	.open = sockets_open,
	.sample = sockets_sample,
	.close = sockets_close,
};

const struct data_source sockets_left_out_source = {
	.name = "sockets_left_out",
	.help = "namespaces with AF_XDP sockets that are not listed",
	ROW_TYPE(struct sockets_left_out, gone, SOCKETS_LEFT_OUT_MAX),
	ROW_GONE(struct sockets_left_out),
	ROW_NETNS(struct sockets_left_out),
	.record = &left_out_object,
	.state_size = sizeof(struct sockets *),
	.open = left_out_open,
	.sample = left_out_sample,
};
