// SPDX-License-Identifier: GPL-2.0-or-later
/* AF_XDP sockets: rows of the data source sockets. */
#include "source/sockets.h"

#include <stdio.h>
#include <string.h>
#include "diagnose/findings.h"
#include "model/location.h"
#include "source/maps.h"
#include "table/row_kind.h"
#include "table/table_internal.h"
#include "table/value.h"

static const struct xdp_socket *socket_of(const struct table *t, const struct row *row)
{
	size_t n;

	return &xdp_sockets(t->rates->to, &n)[row->item];
}

/* A counter since the interval's begin or the baseline; false = it was not there then. */
static bool counted(const struct table *t, const struct xdp_socket *now, size_t offset, uint64_t *n)
{
	const struct rates *r = t->rates;
	bool interval = table_basis(t) == BASIS_INTERVAL;
	const struct xdp_socket *before = xdp_socket_find(interval ? r->from : r->base, now->inode);
	uint64_t was = before ? *(const uint64_t *)((const char *)before + offset) : 0;

	*n = *(const uint64_t *)((const char *)now + offset);
	*n = *n > was ? *n - was : 0;
	return before || !interval;
}

/* The sum of counters. */
static enum cell_state rate_cell(const struct table *t, const struct xdp_socket *socket,
				 struct cell *cell, const size_t *offset, size_t n_offsets)
{
	uint64_t sum = 0, n;

	for (size_t i = 0; i < n_offsets; i++) {
		if (!counted(t, socket, offset[i], &n))
			return CELL_NOT_YET;
		sum += n;
	}
	if (cell->column->lost && sum)
		cell->tone = TONE_LOST;
	if (t->options.unit == UNIT_PER_SECOND)
		return cell_set_real(cell, CELL_RATE, per_second((double)sum, t->rates->seconds));
	return cell_set_count(cell, sum);
}

#define COUNTER(member) offsetof(struct xdp_socket, member)
#define RATE(...)                                              \
	rate_cell(t, s, cell, (const size_t[]){ __VA_ARGS__ }, \
		  sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t))

static int add_sockets(struct table *t)
{
	size_t n;
	const struct xdp_socket *s = xdp_sockets(t->rates->to, &n);
	int err = table_add_items(t, n);
	uint64_t starved;

	for (size_t i = 0; i < t->n_rows; i++) {
		t->row[i].id = row_id_socket(s[i].inode);
		/* what an empty fill ring loses in zero-copy mode only the device counts */
		if (!counted(t, &s[i], COUNTER(rx_fill_ring_empty), &starved) || !starved)
			t->row[i].order += n;
	}
	return err;
}

static void locate_socket(const struct table *t, const struct row *row, struct location *location)
{
	const struct xdp_socket *s = socket_of(t, row);
	const struct netdev *d = snapshot_find_netdev(t->rates->to, s->netns, s->ifindex);
	const struct map_entry *e = map_entry_of_socket(t->rates, s->inode);

	location->dev.netns = s->netns;
	location->dev.ifindex = s->ifindex;
	memcpy(location->dev.name, d ? d->name : s->ifname, sizeof(location->dev.name));
	location->socket_inode = s->inode;
	if (!e)
		return;
	location->map_id = e->map_id;
	location->map_type = e->map_type;
	memcpy(location->map_name, e->map_name, sizeof(location->map_name));
	location->socket = (int)e->key;
}

static enum cell_state map_cell(const struct table *t, const struct xdp_socket *s,
				struct cell *cell)
{
	const struct map_entry *e = map_entry_of_socket(t->rates, s->inode);
	size_t len;

	if (!e) {
		if (s->rx.size)
			cell->tone = TONE_WARN;
		return cell_set_text(cell, "in no map");
	}
	map_name_cell(e, cell);
	len = strlen(cell->text);
	snprintf(cell->text + len, sizeof(cell->text) - len, " [%u]", e->key);
	return CELL_VALUE;
}

static enum cell_state ring_cell(const struct xdp_ring *ring, uint32_t bad, struct cell *cell)
{
	if (ring->size && ring->fill == bad)
		cell->tone = TONE_WARN;
	return cell_set_part(cell, ring->fill, ring->size);
}

static enum cell_state size_cell(uint64_t n, struct cell *cell)
{
	return n ? cell_set_count(cell, n) : CELL_NONE;
}

static enum cell_state queue_cell(const struct xdp_socket *s, struct cell *cell)
{
	if (!s->ifindex)
		return CELL_NONE;
	cell->count = s->queue + 1ull; /* its rank: as a number */
	return s->queues ? cell_set_text(cell, "%u/%u", s->queue, s->queues)
			 : cell_set_text(cell, "%u", s->queue);
}

static bool is_at(const struct finding *f, const void *socket)
{
	return f->location.socket_inode == ((const struct xdp_socket *)socket)->inode;
}

static enum cell_state socket_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct xdp_socket *s = socket_of(t, row);
	const struct netdev *d;

	switch (cell->column - columns) {
	case COL_DEVICE:
		d = snapshot_find_netdev(t->rates->to, s->netns, s->ifindex);
		return cell_set_named(cell, d ? d->name : s->ifname, "ifindex", s->ifindex);
	case COL_NETNS:
		return cell_set_netns(t, s->netns, cell);
	case COL_QUEUE:
		return queue_cell(s, cell);
	case COL_MODE:
		return s->ifindex ? cell_set_text(cell, s->zerocopy ? "zero-copy" : "copy")
				  : CELL_NONE;
	case COL_STATE:
		if (s->state != XDP_SOCKET_BOUND)
			cell->tone = TONE_WARN;
		return cell_set_text(cell, "%s", xdp_socket_state_name(s->state));
	case COL_PROCESS:
		return s->pid ? cell_set_text(cell, "%s[%u]", s->comm, s->pid) : CELL_MISSING;
	case COL_MAP:
		return map_cell(t, s, cell);
	case COL_WARNING:
		return cell_add_findings(t, cell, is_at, s);
	case COL_INODE:
		return cell_set_text(cell, "%u", s->inode);
	case COL_RX_PERCENT:
		return ring_cell(&s->rx, s->rx.size, cell);
	case COL_FILL_PERCENT:
		return ring_cell(&s->fill, 0, cell);
	case COL_TX_PERCENT:
		return ring_cell(&s->tx, s->tx.size, cell);
	case COL_COMPLETION_PERCENT:
		return ring_cell(&s->completion, s->completion.size, cell);
	case COL_RX_SIZE:
		return size_cell(s->rx.size, cell);
	case COL_FILL_SIZE:
		return size_cell(s->fill.size, cell);
	case COL_TX_SIZE:
		return size_cell(s->tx.size, cell);
	case COL_COMPLETION_SIZE:
		return size_cell(s->completion.size, cell);
	case COL_UMEM:
		return size_cell(s->umem_size, cell);
	case COL_CHUNK:
		return size_cell(s->chunk_size, cell);
	case COL_LOST_RATE:
		return RATE(COUNTER(rx_dropped), COUNTER(rx_queue_full), COUNTER(tx_invalid));
	case COL_RECEIVED_RATE:
		return RATE(COUNTER(received));
	case COL_TRANSMITTED_RATE:
		return RATE(COUNTER(transmitted));
	case COL_RX_DROPPED_RATE:
		return RATE(COUNTER(rx_dropped));
	case COL_RX_FULL_RATE:
		return RATE(COUNTER(rx_queue_full));
	case COL_NO_FILL_RATE:
		return RATE(COUNTER(rx_fill_ring_empty));
	case COL_FILL_INVALID_RATE:
		return RATE(COUNTER(fill_invalid));
	case COL_TX_INVALID_RATE:
		return RATE(COUNTER(tx_invalid));
	case COL_TX_EMPTY_RATE:
		return RATE(COUNTER(tx_ring_empty));
	default:
		return CELL_NONE;
	}
}

static int sockets_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			   size_t size)
{
	const char *why = host->absent[DATA_SOURCE_SOCKETS];

	if (*why)
		return snprintf(buf, size, "No AF_XDP socket is known: %s.\n", why);
	if (t->options.switch_by == SWITCH_NOT)
		return snprintf(buf, size, "The recording has no AF_XDP socket at this time.\n");
	return snprintf(buf, size,
			"No AF_XDP socket in any network namespace: no program has one open.\n");
}

const struct row_kind rows_sockets = {
	.list = true,
	.alone = true,
	.add = add_sockets,
	.cell = socket_cell,
	.locate = locate_socket,
	.missing = sockets_missing,
};
