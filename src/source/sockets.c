// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/sockets.h"

#include <stdio.h>
#include <string.h>
#include "schema/record_field.h"
#include "source/data_source.h"
#include "source/live_source.h"

static const char *const states[XDP_SOCKET_STATES] = {
	[XDP_SOCKET_UNBOUND] = "unbound",
	[XDP_SOCKET_BOUND] = "bound",
	[XDP_SOCKET_DEVICE_GONE] = "device-gone",
	[XDP_SOCKET_GONE] = "gone",
};

const char *xdp_socket_state_name(enum xdp_socket_state state)
{
	return states[state];
}

const struct xdp_socket *xdp_sockets(const struct snapshot *s, size_t *n)
{
	return data_source_rows(s, DATA_SOURCE_SOCKETS, n);
}

const struct xdp_socket *xdp_socket_find(const struct snapshot *s, uint32_t inode)
{
	const struct xdp_socket like = { .inode = inode };

	return s ? data_source_row(s, DATA_SOURCE_SOCKETS, &like) : NULL;
}

static struct xdp_socket *socket_of(const struct record *r)
{
	return (struct xdp_socket *)r->row;
}

static FIELD_GET(get_state)
{
	field_give_text(v, states[socket_of(r)->state]);
}

static FIELD_SET(set_state)
{
	for (int i = 0; i < XDP_SOCKET_STATES; i++) {
		if (strcmp(v->text, states[i]))
			continue;
		socket_of(r)->state = (enum xdp_socket_state)i;
		return true;
	}
	return false;
}

/* Of what is bound to a device: 0 is a queue. */
static FIELD_GET(get_bound)
{
	if (socket_of(r)->ifindex)
		field_get_u32(f, r, v);
}

static FIELD_GET(get_zerocopy)
{
	if (socket_of(r)->ifindex)
		field_give_count(v, socket_of(r)->zerocopy);
}

static FIELD_SET(set_zerocopy)
{
	socket_of(r)->zerocopy = v->count;
	return v->count <= 1;
}

/* The fill of a ring that is there. */
static FIELD_GET(get_ring_fill)
{
	if (((const struct xdp_ring *)((const char *)field_member(f, r) -
				       offsetof(struct xdp_ring, fill)))
		    ->size)
		field_get_u32(f, r, v);
}

#define RING_FILL(n, ring) \
	FIELD(n, COUNT, 0, get_ring_fill, field_set_u32, ROW_MEMBER(struct xdp_socket, ring.fill))
#define RING(n, m) ROW_FIELD_ID(n "_size", struct xdp_socket, m.size), RING_FILL(n "_fill", m)
#define COUNTERS                                                                                \
	ROW_FIELD_COUNTER("received", struct xdp_socket, received),                             \
		ROW_FIELD_COUNTER("transmitted", struct xdp_socket, transmitted),               \
		ROW_FIELD_COUNTER("rx_dropped", struct xdp_socket, rx_dropped),                 \
		ROW_FIELD_COUNTER("rx_queue_full", struct xdp_socket, rx_queue_full),           \
		ROW_FIELD_COUNTER("rx_fill_ring_empty", struct xdp_socket, rx_fill_ring_empty), \
		ROW_FIELD_COUNTER("tx_invalid", struct xdp_socket, tx_invalid),                 \
		ROW_FIELD_COUNTER("tx_ring_empty", struct xdp_socket, tx_ring_empty),           \
		ROW_FIELD_COUNTER("fill_taken", struct xdp_socket, fill_taken)

/* clang-format off */
static const struct record_field fields[] = {
	FIELD_TYPE,
	FIELD_COUNT("seq", 0, seq),
	FIELD_TIME(time),
	FIELD_REAL("interval_s", field_get_real, seconds),
	ROW_FIELD_ID("inode", struct xdp_socket, inode),
	ROW_FIELD_ID("netns", struct xdp_socket, netns),
	FIELD_TEXT("netns_name", 0, netns_name),
	FIELD("state", TEXT, 0, get_state, set_state),
	ROW_FIELD_ID("ifindex", struct xdp_socket, ifindex),
	ROW_FIELD_TEXT("ifname", struct xdp_socket, ifname),
	FIELD("queue", COUNT, 0, get_bound, field_set_u32, ROW_MEMBER(struct xdp_socket, queue)),
	ROW_FIELD_ID("queues", struct xdp_socket, queues),
	FIELD("zerocopy", COUNT, 0, get_zerocopy, set_zerocopy),
	ROW_FIELD_ID("pid", struct xdp_socket, pid),
	ROW_FIELD_TEXT("comm", struct xdp_socket, comm),
	ROW_FIELD_ID("umem_size", struct xdp_socket, umem_size),
	ROW_FIELD_ID("chunk_size", struct xdp_socket, chunk_size),
	RING("rx", rx),
	RING("fill", fill),
	RING("tx", tx),
	RING("completion", completion),
	COUNTERS,
};

static const struct record_field count_fields[] = {
	FIELD_TYPE,
	FIELD_COUNT("seq", 0, seq),
	FIELD_TIME(time),
	FIELD_REAL("interval_s", field_get_real, seconds),
	ROW_FIELD_ID("inode", struct xdp_socket, inode),
	RING_FILL("rx_fill", rx),
	RING_FILL("fill_fill", fill),
	RING_FILL("tx_fill", tx),
	RING_FILL("completion_fill", completion),
	COUNTERS,
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("socket", fields);
static const struct record_object count_object = RECORD_OBJECT("socket_stats", count_fields);

static int compare(const void *a, const void *b)
{
	const struct xdp_socket *x = a, *y = b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

static void copy_counts(void *to, const void *from)
{
	struct xdp_socket *x = to;
	const struct xdp_socket *y = from;

	x->rx.fill = y->rx.fill;
	x->fill.fill = y->fill.fill;
	x->tx.fill = y->tx.fill;
	x->completion.fill = y->completion.fill;
	memcpy(&x->received, &y->received, sizeof(*x) - offsetof(struct xdp_socket, received));
}

static bool is_same(const void *a, const void *b)
{
	struct xdp_socket y;

	memcpy(&y, b, sizeof(y));
	copy_counts(&y, a);
	return !memcmp(a, &y, sizeof(y));
}

static bool is_same_count(const void *a, const void *b)
{
	struct xdp_socket y;

	memcpy(&y, a, sizeof(y));
	copy_counts(&y, b);
	return !memcmp(a, &y, sizeof(y));
}

static bool is_gone(const void *row)
{
	return ((const struct xdp_socket *)row)->state == XDP_SOCKET_GONE;
}

static void set_gone(void *row)
{
	((struct xdp_socket *)row)->state = XDP_SOCKET_GONE;
}

static uint32_t netns_of(const void *row)
{
	return ((const struct xdp_socket *)row)->netns;
}

static int sockets_open(void **state, struct live *live, int *exit_code, char *why, size_t why_size)
{
	*state = NULL;
	snprintf(why, why_size, "sockets are not read yet");
	return 0;
}

static int sockets_sample(void *state, struct snapshot *to)
{
	return 0;
}

static void sockets_close(void *state)
{
}

const struct data_source sockets_source = {
	.name = "sockets",
	.help = "AF_XDP sockets of all namespaces, their rings and owners, from a BPF iterator",
	.row_size = sizeof(struct xdp_socket),
	.key_size = offsetof(struct xdp_socket, netns),
	.compare = compare,
	.is_same = is_same,
	.is_gone = is_gone,
	.set_gone = set_gone,
	.netns = netns_of,
	.max_rows = XDP_SOCKETS_MAX,
	.counters = offsetof(struct xdp_socket, received),
	.n_counters = (sizeof(struct xdp_socket) - offsetof(struct xdp_socket, received)) /
		      sizeof(uint64_t),
	.record = &object,
	.counts = { &count_object, is_same_count, copy_counts },
	.open = sockets_open,
	.sample = sockets_sample,
	.close = sockets_close,
};
