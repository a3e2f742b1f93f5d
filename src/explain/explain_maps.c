// SPDX-License-Identifier: GPL-2.0-or-later
/* Explains maps, their entries, and AF_XDP sockets. */
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include "explain/explain.h"
#include "source/map_fill.h"
#include "source/sockets.h"

static void __attribute__((format(printf, 3, 4)))
say(const struct explain_lines *lines, const char *label, const char *format, ...)
{
	char text[2 * SNAPSHOT_TEXT_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	lines->line(lines->ctx, *label ? EXPLAIN_TEXT : EXPLAIN_HEAD, label, text);
}

/* Prints a cell of the row with a label. False = it does not apply. */
static bool say_cell(const struct table *t, const struct row *row, enum column_id column,
		     const char *label, const char *help, const struct explain_lines *lines)
{
	char text[SNAPSHOT_TEXT_LEN];
	struct cell cell;

	table_cell(t, (size_t)(row - t->row), column, &cell);
	if (cell.state == CELL_NONE)
		return false;
	cell_text(&cell, text, sizeof(text), NUMBER_SI, lines->ascii);
	say(lines, label, "%s%s%s", text, *help ? ": " : "", help);
	return true;
}

static const char *type_text(uint32_t map_type)
{
	switch (map_type) {
	case BPF_MAP_TYPE_DEVMAP:
	case BPF_MAP_TYPE_DEVMAP_HASH:
		return "redirects to devices; for an empty slot the helper returns the action in "
		       "its flags (default XDP_ABORTED)";
	case BPF_MAP_TYPE_CPUMAP:
		return "redirects to CPUs, whose threads process the packets; a full queue drops "
		       "packets";
	default:
		return "redirects to AF_XDP sockets; an entry takes packets only from the device "
		       "and queue that its socket is bound to";
	}
}

/* What happens to packets that are sent to the entry now. NULL = no problem is known. */
static const char *entry_state(const struct snapshot *s, const struct map_entry *e)
{
	const struct netdev *d = snapshot_find_netdev(s, e->to_netns, e->to_ifindex);
	const struct xdp_socket *socket = xdp_socket_find(s, e->socket_inode);

	if (socket && socket->state != XDP_SOCKET_BOUND)
		return "the socket is bound to no device: redirects to it fail with ENXIO";
	if (socket && xdp_socket_place(socket).queue != e->key)
		return "the socket takes only packets of its own queue: packets of another queue "
		       "that are redirected here fail with EINVAL";
	if (d && (d->gone || !d->up))
		return "the device is not up: redirects to it fail with ENETDOWN";
	if (d && !d->running)
		return "the device has no carrier: its driver drops the frames redirected to it";
	if (d && d->has_features && !(d->features & NETDEV_XDP_NDO_XMIT))
		return "the device does not accept redirected frames now (XDP feature ndo-xmit is "
		       "off): redirects to it fail with EOPNOTSUPP";
	if (e->qsize && e->fill >= e->qsize)
		return "the queue is full: the target CPU is too slow for the incoming packets";
	return NULL;
}

static const char *fill_text(uint32_t map_type)
{
	switch (map_type) {
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		return "when it is full, a new entry evicts an old one";
	case BPF_MAP_TYPE_PROG_ARRAY:
		return "for tail calls; the kernel empties it when no process or pin holds it";
	case BPF_MAP_TYPE_ARRAY:
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return "it always has all its entries";
	default:
		return "when it is full, a new entry is refused, and only the program sees the "
		       "error";
	}
}

static void explain_fill(const struct table *t, const struct row *row,
			 const struct explain_lines *lines)
{
	size_t n, n_fills;
	uint64_t left_out;
	const struct map_fill *m = map_fills(t->rates->to, &n_fills, &left_out);

	map_entries(t->rates->to, &n);
	m += row->item - n;
	say(lines, "", "Map %u", m->map_id);
	say_cell(t, row, COL_MAP, "map", "", lines);
	say_cell(t, row, COL_MAP_TYPE, "type", fill_text(m->map_type), lines);
	if (m->like_id)
		say(lines, "used by", "no program; program %u uses map %u of the same name",
		    m->like_prog, m->like_id);
	if (m->state == MAP_FILL_UNCOUNTED)
		say(lines, "entries",
		    "unknown (at most %ju), because this kernel does not count the entries of this "
		    "map type (%s)",
		    (uintmax_t)m->max_entries, map_type_name(m->map_type) ?: "map");
	else
		say_cell(t, row, COL_TARGET, "entries", "", lines);
	if (m->state == MAP_FILL_COUNTED) {
		say_cell(t, row, COL_FILL_PERCENT, "fill", "percent", lines);
		say_cell(t, row, COL_GROWTH, "growth",
			 "entries a second, between the last two counts", lines);
	}
	say_cell(t, row, COL_WARNING, "warning", "", lines);
	if (say_cell(t, row, COL_PROGRAM, "used by", "", lines))
		say_cell(t, row, COL_PROG_ID, "ids", "", lines);
}

static void explain_entry(const struct table *t, const struct row *row, const struct map_entry *e,
			  const struct explain_lines *lines)
{
	const struct map_entry *map = map_find(t->rates->to, e->map_id);
	const char *state = e->is_entry ? entry_state(t->rates->to, e) : NULL;

	if (e->is_entry)
		say(lines, "", "Entry %u of map %u", e->key, e->map_id);
	else
		say(lines, "", "Map %u", e->map_id);
	say_cell(t, row, COL_MAP, "map", "", lines);
	say_cell(t, row, COL_MAP_TYPE, "type", type_text(e->map_type), lines);
	if (map && map_is_unread(map))
		say(lines, "slots", "not read yet");
	else if (map)
		say(lines, "slots", "%u of %u in use%s", map->used, map->max_entries,
		    map->slots_read < map->max_entries ? "; not all are read yet" : "");
	if (!e->is_entry) {
		if (say_cell(t, row, COL_PROGRAM, "used by", "", lines))
			say_cell(t, row, COL_PROG_ID, "ids", "", lines);
		return;
	}
	say_cell(t, row, COL_TARGET, "target", "", lines);
	say_cell(t, row, COL_LINK, "state", "", lines);
	if (state)
		say(lines, "result", "%s", state);
	say_cell(t, row, COL_WARNING, "warning", "", lines);
	if (e->qsize)
		say(lines, "queue", "%u of at most %u frames wait for the CPU's thread", e->fill,
		    e->qsize);
	if (e->prog_id)
		say(lines, "program", "%s, id %u, runs after the redirect", e->prog_name,
		    e->prog_id);
}

static void explain_map(const struct table *t, const struct row *row,
			const struct explain_lines *lines)
{
	size_t n;
	const struct map_entry *e = map_entries(t->rates->to, &n);

	if (row->item < n)
		explain_entry(t, row, &e[row->item], lines);
	else
		explain_fill(t, row, lines);
}

static void say_ring(const struct explain_lines *lines, const char *label,
		     const struct xdp_ring *ring, const char *what)
{
	if (ring->size)
		say(lines, label, "%u of %u: %s", ring->fill, ring->size, what);
}

static void explain_socket(const struct table *t, const struct row *row,
			   const struct explain_lines *lines)
{
	static const char *const states[] = {
		[XDP_SOCKET_UNBOUND] = "not bound: bind() was not called, or failed",
		[XDP_SOCKET_BOUND] = "bound",
		[XDP_SOCKET_DEVICE_GONE] = "its device was removed, so it receives nothing",
	};
	size_t n;
	const struct xdp_socket *s = &xdp_sockets(t->rates->to, &n)[row->item];
	const struct view *view = t->options.view;

	say(lines, "", "AF_XDP socket %u", s->inode);
	say(lines, "state", "%s", states[s->state]);
	if (say_cell(t, row, COL_DEVICE, "device", "", lines)) {
		say_cell(t, row, COL_QUEUE, "queue", "", lines);
		say_cell(t, row, COL_MODE, "mode", "", lines);
	}
	if (s->nic.ifindex)
		say(lines, "leased from", "%s queue %u, which the socket's packets arrive on",
		    s->nic_ifname, s->nic.queue);
	say_cell(t, row, COL_PROCESS, "process", "", lines);
	say_cell(t, row, COL_MAP, "map",
		 map_entry_of_socket(t->rates, s->inode) || s->in_map == XDP_SOCKET_IN_MAP ? ""
		 : s->in_map == XDP_SOCKET_IN_NO_MAP
			 ? "XDP programs cannot redirect to this socket, so it receives nothing"
			 : "",
		 lines);
	say_ring(lines, "RX ring", &s->rx, "packets that the program has not read yet");
	say_ring(lines, "fill ring", &s->fill,
		 s->fill.fill  ? "buffers for the next packets"
		 : s->zerocopy ? "no buffer for the next packets; the driver may still hold some"
			       : "no buffer for the next packet: the program returns none");
	say_ring(lines, "TX ring", &s->tx, "packets that the kernel has not taken yet");
	say_ring(lines, "completion", &s->completion,
		 "sent buffers that the program has not taken back");
	for (int i = 0; i < view->n_columns; i++) {
		const struct column *column = &columns[view->column[i]];

		if (column->rate)
			say_cell(t, row, view->column[i], column->title,
				 column == &columns[COL_LOST_RATE]
					 ? "RXDROP, RXFULL and TXINVAL together"
					 : column->help,
				 lines);
	}
}

void redirect_explain(const struct table *t, const struct row *row,
		      const struct explain_lines *lines)
{
	if (t->options.view->rows == &rows_maps)
		explain_map(t, row, lines);
	else
		explain_socket(t, row, lines);
}
