// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/sockets.h"

#include <stdio.h>
#include "diagnose/findings.h"
#include "table/table_internal.h"

static const struct xdp_socket *socket_of(const struct table *t, const struct row *row)
{
	size_t n;

	return &xdp_sockets(t->rates->to, &n)[row->item];
}

#define COUNTER(member) offsetof(struct xdp_socket, member)

static const struct counter_column counters[] = {
	{ COL_LOST_RATE, { COUNTER(rx_dropped), COUNTER(rx_queue_full), COUNTER(tx_invalid) } },
	{ COL_RECEIVED_RATE, { COUNTER(received) } },
	{ COL_TRANSMITTED_RATE, { COUNTER(transmitted) } },
	{ COL_RX_DROPPED_RATE, { COUNTER(rx_dropped) } },
	{ COL_RX_FULL_RATE, { COUNTER(rx_queue_full) } },
	{ COL_NO_FILL_RATE, { COUNTER(rx_fill_ring_empty) } },
	{ COL_FILL_INVALID_RATE, { COUNTER(fill_invalid) } },
	{ COL_TX_INVALID_RATE, { COUNTER(tx_invalid) } },
	{ COL_TX_EMPTY_RATE, { COUNTER(tx_ring_empty) } },
};

static enum cell_state counter_cell(const struct table *t, const struct xdp_socket *s,
				    struct cell *cell)
{
	return cell_set_counter(t, DATA_SOURCE_SOCKETS, s, counters,
				sizeof(counters) / sizeof(*counters), cell);
}

static void add_sockets(struct table *t)
{
	size_t n;
	const struct xdp_socket *s = xdp_sockets(t->rates->to, &n);

	table_add_items(t, n);
	for (size_t i = 0; i < t->n_rows; i++) {
		struct cell starved = { .column = &columns[COL_NO_FILL_RATE] };

		t->row[i].id = row_id_socket(s[i].inode);
		/* in zero-copy mode only the device counts losses from an empty fill ring */
		if (counter_cell(t, &s[i], &starved) != CELL_VALUE ||
		    !(starved.count || starved.real > 0))
			t->row[i].order += n;
	}
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

	/* a large map is read in parts */
	if (!e && s->in_map == XDP_SOCKET_IN_MAP)
		return CELL_NOT_YET;
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
	cell->count = s->queue + 1ull; /* rank, to sort as a number */
	return s->queues ? cell_set_text(cell, "%u/%u", s->queue, s->queues)
			 : cell_set_text(cell, "%u", s->queue);
}

static bool is_at_socket(const struct finding *f, const void *socket)
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
		return cell_add_findings(t, cell, is_at_socket, s);
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
	default:
		return counter_cell(t, s, cell);
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
			"No program has an AF_XDP socket open, in any network namespace.\n");
}

const struct row_kind rows_sockets = {
	.list = true,
	.alone = true,
	.add = add_sockets,
	.cell = socket_cell,
	.locate = locate_socket,
	.missing = sockets_missing,
};
