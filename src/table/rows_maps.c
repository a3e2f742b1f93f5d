// SPDX-License-Identifier: GPL-2.0-or-later

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include "diagnose/findings.h"
#include "diagnose/location_text.h"
#include "source/sockets.h"
#include "table/table_internal.h"

/* NULL = the row is a map of map_fills(). */
static const struct map_entry *entry_of(const struct table *t, const struct row *row)
{
	size_t n;
	const struct map_entry *e = map_entries(t->rates->to, &n);

	return row->item < n ? &e[row->item] : NULL;
}

static const struct netdev *device_of(const struct table *t, const struct map_entry *e)
{
	return e->to_ifindex ? snapshot_find_netdev(t->rates->to, e->to_netns, e->to_ifindex)
			     : NULL;
}

static const struct xdp_socket *socket_of(const struct table *t, const struct map_entry *e)
{
	return e->socket_inode ? xdp_socket_find(t->rates->to, e->socket_inode) : NULL;
}

static void locate_entry(const struct table *t, const struct row *row, struct location *location)
{
	const struct map_entry *e = entry_of(t, row);
	const struct netdev *d = e ? device_of(t, e) : NULL;

	if (!e) {
		fill_locate(table_fill(t, row), location);
		return;
	}
	location->map_id = e->map_id;
	location->map_type = e->map_type;
	memcpy(location->map_name, e->map_name, sizeof(location->map_name));
	location->prog_id = e->prog_id;
	memcpy(location->prog_name, e->prog_name, sizeof(location->prog_name));
	location->to.netns = e->to_netns;
	location->to.ifindex = e->to_ifindex;
	memcpy(location->to.name, d ? d->name : e->to_ifname, sizeof(location->to.name));
	if (e->is_entry && e->map_type == BPF_MAP_TYPE_CPUMAP)
		location->to_cpu = (int)e->key;
	if (e->is_entry && e->map_type == BPF_MAP_TYPE_XSKMAP)
		location->socket = (int)e->key;
}

/* "3 used, 61 free"; for a large map that was not read completely, the progress. */
static enum cell_state slots_cell(const struct map_entry *map, struct cell *cell)
{
	if (map_is_unread(map))
		return cell_set_text(cell, "not read yet");
	if (map->slots_read < map->max_entries)
		return cell_set_text(cell, "%u used, %u of %u read", map->used, map->slots_read,
				     map->max_entries);
	return cell_set_text(cell, "%u used, %u free", map->used,
			     map->max_entries > map->used ? map->max_entries - map->used : 0);
}

static enum cell_state target_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct map_entry *e = entry_of(t, row);
	const struct xdp_socket *socket = socket_of(t, e);
	struct location location;

	if (!e->is_entry)
		return slots_cell(e, cell);
	if (socket && socket->pid)
		return cell_set_text(cell, "socket %s[%u]", socket->comm, socket->pid);
	if (e->socket_inode)
		return cell_set_text(cell, "socket %u", e->socket_inode);
	location_init(&location);
	locate_entry(t, row, &location);
	location.map_id = 0;
	if (!location.to.ifindex && location.to_cpu < 0)
		return CELL_MISSING;
	location_text("{to}", &location, t->options.netns, cell->text, sizeof(cell->text));
	return CELL_VALUE;
}

/* For a map its users, for an entry the program that runs after the redirect. */
static enum cell_state program_cell(const struct table *t, const struct map_entry *e,
				    struct cell *cell)
{
	if (e->is_entry && cell->column == &columns[COL_PROG_ID])
		return e->prog_id ? cell_set_text(cell, "%u", e->prog_id) : CELL_NONE;
	if (e->is_entry)
		return cell_set_named(cell, e->prog_name, "id", e->prog_id);
	return cell_set_users(t, e->user, e->users_total, cell);
}

static bool is_at_entry(const struct finding *f, const void *entry)
{
	const struct map_entry *e = entry;
	const struct location *at = &f->location;

	if (e->to_ifindex && ((at->to.netns == e->to_netns && at->to.ifindex == e->to_ifindex) ||
			      (at->dev.netns == e->to_netns && at->dev.ifindex == e->to_ifindex &&
			       !at->to.ifindex && at->queue < 0)))
		return true;
	if (at->map_id != e->map_id)
		return false;
	if (at->socket >= 0 || at->to_cpu >= 0)
		return e->is_entry &&
		       (uint32_t)(at->socket >= 0 ? at->socket : at->to_cpu) == e->key;
	return !e->is_entry && !at->to.ifindex;
}

/* Whether the device runs a program that may redirect through the map. */
static bool may_use(const struct rates *r, const struct map_entry *map, const struct netdev *d)
{
	return d && !d->gone && (map_use(r, map, d->prog_id) || map_use(r, map, d->skb_prog_id));
}

/* Whether none of the map's programs runs on the device. */
static bool is_elsewhere(const struct table *t, const struct map_entry *e,
			 const struct xdp_socket *socket)
{
	const struct rates *r = t->rates;
	const struct map_entry *map = map_find(r->to, e->map_id);
	const struct xdp_place place = xdp_socket_place(socket);
	const struct netdev *bond;

	if (!map || may_use(r, map, snapshot_find_netdev(r->to, place.netns, place.ifindex)))
		return false;
	/* a bond's program runs on its members */
	for_each_row (bond, r, r->to, &bonds, true)
		if (may_use(r, map, bond))
			return false;
	return map_is_attached(r, map);
}

/* What is wrong with the target itself, even without frames. */
static void warn_of_state(const struct table *t, const struct map_entry *e, struct cell *cell)
{
	const struct xdp_socket *socket = socket_of(t, e);
	const struct netdev *d = device_of(t, e);

	if (d && (d->gone || !d->up))
		cell_set_text(cell, d->gone ? "target is gone" : "target is down");
	else if (d && !d->running)
		cell_set_text(cell, "no carrier");
	else if (d && d->has_features && !(d->features & NETDEV_XDP_NDO_XMIT))
		cell_set_text(cell, "takes no frames");
	if (!socket)
		return;
	if (socket->state == XDP_SOCKET_DEVICE_GONE)
		cell_set_text(cell, "its device is gone");
	else if (socket->state != XDP_SOCKET_BOUND)
		cell_set_text(cell, "socket is not bound");
	else if (xdp_socket_place(socket).queue != e->key)
		cell_set_text(cell, "on queue %u", xdp_socket_place(socket).queue);
	else if (is_elsewhere(t, e, socket))
		cell_set_text(cell, "its device is %s, not the program's",
			      xdp_socket_ifname(socket));
}

static enum cell_state warning_cell(const struct table *t, const struct map_entry *e,
				    struct cell *cell)
{
	if (cell_add_findings(t, cell, is_at_entry, e) == CELL_NONE)
		warn_of_state(t, e, cell);
	cell->tone = *cell->text ? TONE_WARN : TONE_PLAIN;
	return *cell->text ? CELL_VALUE : CELL_NONE;
}

static bool is_faulty(const struct table *t, const struct map_entry *e)
{
	struct cell cell = { .column = &columns[COL_WARNING] };

	return warning_cell(t, e, &cell) == CELL_VALUE;
}

enum map_order { FAULTY, SOUND, EMPTY };

static bool is_empty(const struct map_entry *map)
{
	return !map->is_entry && !map->used && !map_is_unread(map) &&
	       map->slots_read >= map->max_entries;
}

/* Empty, and no program uses it. */
static bool is_idle(const struct map_entry *map)
{
	return is_empty(map) && map->users_known && !map->users_total;
}

/* Maps with warnings first, and in a map the entries that have them; empty maps last. */
static void order_map(struct table *t, const struct map_entry *rows, size_t first, size_t end)
{
	enum map_order kind = is_empty(&rows[first]) ? EMPTY : SOUND;
	size_t entries = first + !rows[first].is_entry, faulty = entries;

	for (size_t i = entries; i < end; i++)
		if (is_faulty(t, &rows[i]))
			t->row[i].order = faulty++;
		else
			t->row[i].order = UINT64_MAX;
	if (faulty > entries || is_faulty(t, &rows[first]))
		kind = FAULTY;
	for (size_t i = first; i < end; i++) {
		if (t->row[i].order == UINT64_MAX)
			t->row[i].order = faulty++;
		t->row[i].order += kind * t->n_rows;
	}
}

static void order_fills(struct table *t, size_t first)
{
	for (size_t i = first; i < t->n_rows; i++) {
		const struct map_fill *m = table_fill(t, &t->row[i]);
		struct cell cell = { .column = &columns[COL_WARNING] };
		bool is_faulty = fill_cell(t, m, &cell) == CELL_VALUE;

		t->row[i].id = row_id_map(m->map_id, false, 0);
		t->row[i].order +=
			t->n_rows * (is_faulty                                     ? FAULTY
				     : m->state == MAP_FILL_COUNTED && !m->entries ? EMPTY
										   : SOUND);
	}
}

/* Replace several idle maps by a line, unless all rows are asked for. */
static size_t fold_idle(struct table *t, const struct map_entry *e, size_t n)
{
	size_t idle = 0, kept = 0;

	for (size_t i = 0; i < n && !t->options.all; i++)
		idle += !e[i].is_entry && is_idle(&e[i]);
	if (idle < 2)
		return 0;
	for (size_t i = 0; i < t->n_rows; i++)
		if (t->row[i].item >= n || e[t->row[i].item].is_entry ||
		    !is_idle(&e[t->row[i].item]))
			t->row[kept++] = t->row[i];
	t->n_rows = kept;
	return idle;
}

enum line { LINE_IDLE, LINE_LEFT_OUT, LINE_UNKNOWN };

static void add_line(struct table *t, enum line line, size_t more)
{
	if (more)
		*array_append(t->row, t->n_rows, t->cap_rows) =
			(struct row){ .id = row_id_map(UINT32_MAX, true, line),
				      .tracepoint = -1,
				      .cpu = -1,
				      .item = line,
				      .more = more,
				      .order = UINT64_MAX };
}

static void add_maps(struct table *t)
{
	size_t n, n_fills, first = 0;
	const struct map_entry *e = map_entries(t->rates->to, &n);
	uint64_t left_out;

	map_fills(t->rates->to, &n_fills, &left_out);
	table_add_items(t, n + n_fills);
	for (size_t i = 0; i < n; i++)
		t->row[i].id = row_id_map(e[i].map_id, e[i].is_entry, e[i].key);
	for (size_t i = 1; i <= n; i++) {
		if (i < n && e[i].map_id == e[first].map_id)
			continue;
		order_map(t, e, first, i);
		first = i;
	}
	order_fills(t, n);
	add_line(t, LINE_IDLE, fold_idle(t, e, n));
	add_line(t, left_out == UINT64_MAX ? LINE_UNKNOWN : LINE_LEFT_OUT,
		 left_out == UINT64_MAX ? 1 : left_out);
}

static int line_text(const struct table *t, const struct row *row, char *buf, size_t size)
{
	switch ((enum line)row->item) {
	case LINE_IDLE:
		return snprintf(buf, size, "%zu empty maps that no program uses (%sa lists them)",
				row->more, t->options.keys ? "" : "-");
	case LINE_LEFT_OUT:
		return snprintf(buf, size, "%zu more hashes and tries, which are not listed",
				row->more);
	default:
		return snprintf(buf, size,
				"hashes and tries may be missing: the programs' tail "
				"calls and maps of maps were not read in full");
	}
}

static enum cell_state link_cell(const struct table *t, const struct map_entry *e,
				 struct cell *cell)
{
	const struct xdp_socket *socket = socket_of(t, e);
	const struct netdev *d = device_of(t, e);

	if (d)
		return cell_set_text(cell, "%s", netdev_state_name(d));
	if (socket)
		return cell_set_text(cell, "%s", xdp_socket_state_name(socket->state));
	return e->to_ifindex || e->socket_inode ? CELL_MISSING : CELL_NONE;
}

static enum cell_state of_map(const struct map_entry *e, uint32_t n, struct cell *cell)
{
	return e->is_entry ? CELL_NONE : cell_set_count(cell, n);
}

static enum cell_state entry_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct map_entry *e = entry_of(t, row);
	const char *type = e ? map_type_name(e->map_type) : NULL;

	if (!e)
		return fill_cell(t, table_fill(t, row), cell);
	switch (cell->column - columns) {
	case COL_MAP:
		return map_name_cell(e, cell);
	case COL_MAP_ID:
		return cell_set_text(cell, "%u", e->map_id);
	case COL_MAP_TYPE:
		return type ? cell_set_text(cell, "%s", type) : CELL_MISSING;
	case COL_KEY:
		if (!e->is_entry)
			return CELL_NONE;
		cell->count = e->key + 1ull; /* rank, to sort as a number */
		return cell_set_text(cell, "%u", e->key);
	case COL_TARGET:
		return target_cell(t, row, cell);
	case COL_PROGRAM:
	case COL_PROG_ID:
		return program_cell(t, e, cell);
	case COL_LINK:
		return link_cell(t, e, cell);
	case COL_WARNING:
		return warning_cell(t, e, cell);
	case COL_QSIZE:
		return e->qsize ? cell_set_count(cell, e->qsize) : CELL_NONE;
	case COL_FILL_PERCENT:
		if (e->qsize && e->fill >= e->qsize)
			cell->tone = TONE_WARN;
		return cell_set_part(cell, e->fill, e->qsize);
	case COL_USED:
		return map_is_unread(e) ? CELL_NOT_YET : of_map(e, e->used, cell);
	case COL_SLOTS:
		return of_map(e, e->max_entries, cell);
	case COL_INODE:
		return e->socket_inode ? cell_set_text(cell, "%u", e->socket_inode) : CELL_NONE;
	default:
		return CELL_NONE;
	}
}

static int maps_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			size_t size)
{
	if (t->options.switch_by == SWITCH_NOT)
		return snprintf(buf, size, "The recording has no map at this time.\n");
	return snprintf(
		buf, size,
		"XDP programs redirect through no map: no devmap, devmap_hash, cpumap or xskmap "
		"exists. Redirects by ifindex alone need none. Attached programs have no hash or "
		"LPM trie.\n");
}

const struct row_kind rows_maps = {
	.list = true,
	.add = add_maps,
	.cell = entry_cell,
	.locate = locate_entry,
	.more = line_text,
	.missing = maps_missing,
};
