// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices and programs: groups of series, and those that are attached and counted nothing. Netlink
 * knows more about them than their series.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "diagnose/findings.h"
#include "diagnose/location_text.h"
#include "diagnose/no_data.h"
#include "model/target.h"
#include "table/row_id.h"
#include "table/row_kind.h"
#include "table/table_internal.h"

static const struct series *series_of(const struct table *t, const struct row *row, size_t i)
{
	return &t->rates->to->series[t->series_idx[row->series_idx + i]];
}

static const struct netdev *device_of(const struct table *t, const struct row *row)
{
	return snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
}

/* Append a row for an attached device or program, unless its series made one. */
static int add_attached(struct table *t, struct row row)
{
	if (table_find(t, row.id) >= 0)
		return 0;
	if (array_reserve(t->row, t->cap_rows, t->n_rows + 1))
		return -ENOMEM;
	row.tracepoint = row.cpu = -1;
	row.series_idx = t->n_series;
	row.tp_counts = t->n_tp_counts;
	t->row[t->n_rows++] = row;
	return 0;
}

/* Rows without series come after rows with series, whose order is a series id. */
#define ORDER_ATTACHED ((uint64_t)UINT32_MAX)

static bool is_attached_device(const struct netdev *d)
{
	return d && !d->gone && d->mode != NETDEV_NONE;
}

static bool device_is_attached(const struct table *t, const struct row *row)
{
	return is_attached_device(device_of(t, row));
}

static int add_devices(struct table *t)
{
	const struct snapshot *s = t->rates->to;
	int err = table_add_series(t, device_is_attached);

	for (size_t i = 0; i < snapshot_n_netdevs(s) && !err; i++) {
		const struct netdev *d = &snapshot_netdevs(s)[i];

		if (is_attached_device(d))
			err = add_attached(t,
					   (struct row){ .id = row_id_device(d->netns, d->ifindex),
							 .netns = d->netns,
							 .ifindex = d->ifindex,
							 .order = ORDER_ATTACHED + i });
	}
	return err;
}

static bool has_program(const struct netdev *d, uint32_t prog_id)
{
	return !d->gone && (d->prog_id == prog_id || d->skb_prog_id == prog_id);
}

static bool program_is_attached(const struct table *t, const struct row *row)
{
	const struct snapshot *s = t->rates->to;

	for (size_t i = 0; i < snapshot_n_netdevs(s); i++)
		if (has_program(&snapshot_netdevs(s)[i], row->prog_id))
			return true;
	return false;
}

static int add_programs(struct table *t)
{
	const struct snapshot *s = t->rates->to;
	int err = table_add_series(t, program_is_attached);

	for (size_t i = 0; i < snapshot_n_netdevs(s) && !err; i++) {
		const uint32_t prog_id[] = { snapshot_netdevs(s)[i].prog_id,
					     snapshot_netdevs(s)[i].skb_prog_id };

		for (int k = 0; k < 2 && !err; k++)
			if (prog_id[k] && is_attached_device(&snapshot_netdevs(s)[i]))
				err = add_attached(
					t, (struct row){ .id = row_id_program(prog_id[k]),
							 .prog_id = prog_id[k],
							 .order = ORDER_ATTACHED + prog_id[k] });
	}
	return err;
}

/* "eth0", "eth0 (blue)" in another namespace than `here`; *id is where a namespace's inode is. */
static void device_text(const struct table *t, const char *name, uint32_t netns, uint32_t here,
			char *buf, size_t size, struct id_span *id)
{
	char ns[SNAPSHOT_NAME_LEN * 2];

	*id = (struct id_span){ 0 };
	if (netns == here || !netns_text_id(netns, t->options.netns, ns, sizeof(ns), id)) {
		snprintf(buf, size, "%s", name);
		return;
	}
	id->at = (uint16_t)(strlen(name) + strlen(" ("));
	snprintf(buf, size, "%s (%s)", name, ns);
}

/* The present name, else the youngest that a series saw. */
static void name_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = device_of(t, row);
	struct netdev_ref ref = { .name = "" };
	uint64_t youngest = 0;

	if (d)
		memcpy(ref.name, d->name, sizeof(ref.name));

	for (size_t i = 0; i < row->n_series && !(d && d->name[0]); i++) {
		const struct series *s = series_of(t, row, i);
		struct netdev_ref seen = series_netdev(s);

		if (s->id < youngest || !*seen.name)
			continue;
		youngest = s->id;
		ref = seen;
	}
	cell_set_text(cell, ref.name);
	if (!*ref.name)
		snprintf(cell->text, sizeof(cell->text), "ifindex %u", row->ifindex);
	/* there was a device, but neither name nor number is known */
	if (!*ref.name && !row->ifindex)
		cell->state = CELL_MISSING;
}

static void netns_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	cell_set_text(cell, "");
	if (!netns_text_id(row->netns, t->options.netns, cell->text, sizeof(cell->text), &cell->id))
		cell->state = CELL_MISSING;
}

/* The codes of the findings that name the device, each once. */
static void warning_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct findings *f = t->options.findings;
	size_t len = 0;

	for (size_t i = 0; f && i < f->n && f->finding[i].active; i++) {
		const struct location *p = &f->finding[i].location;
		const char *code = f->finding[i].code->name;
		bool here = p->dev.netns == row->netns && p->dev.ifindex == row->ifindex;

		here |= p->to.netns == row->netns && p->to.ifindex == row->ifindex;
		if (!here || !row->ifindex || strstr(cell->text, code) ||
		    len + strlen(code) + 3 > sizeof(cell->text))
			continue;
		len += (size_t)snprintf(cell->text + len, sizeof(cell->text) - len, "%s%s",
					len ? ", " : "", code);
	}
	if (len)
		cell->state = CELL_VALUE;
}

static void set_program(struct cell *cell, const char *name, uint32_t prog_id)
{
	cell_set_text(cell, name);
	if (!*name)
		snprintf(cell->text, sizeof(cell->text), "id %u", prog_id);
}

static void set_prog_id(struct cell *cell, uint32_t prog_id)
{
	cell_set_text(cell, "");
	snprintf(cell->text, sizeof(cell->text), "%u", prog_id);
}

/* The program that is attached now; series have the program of their time. */
static void device_program_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = device_of(t, row);

	if (d && (d->prog_id | d->skb_prog_id))
		set_program(cell, d->prog_name, d->prog_id ? d->prog_id : d->skb_prog_id);
	else
		cell_of_series(t, row, cell);
}

static void device_prog_id_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = device_of(t, row);

	if (d && (d->prog_id | d->skb_prog_id))
		set_prog_id(cell, d->prog_id ? d->prog_id : d->skb_prog_id);
	else
		cell_of_series(t, row, cell);
}

/* The device of a row; NULL and `n/a` when unknown: its namespace could not be entered. */
static const struct netdev *known_device(const struct table *t, const struct row *row,
					 struct cell *cell)
{
	const struct netdev *d = device_of(t, row);

	if (!d)
		cell->state = CELL_MISSING;
	return d;
}

static void mode_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = known_device(t, row, cell);

	if (d)
		cell_set_text(cell, netdev_mode_name(d->mode));
}

static void link_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = known_device(t, row, cell);

	if (d)
		cell_set_text(cell, netdev_state_name(d));
}

static void mtu_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = known_device(t, row, cell);

	if (d)
		cell_set_count(cell, d->mtu);
}

static void peer_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = known_device(t, row, cell), *peer;

	if (!d || !d->peer_ifindex)
		return;
	peer = snapshot_find_netdev(t->rates->to, d->peer_netns, d->peer_ifindex);
	cell_set_text(cell, "");
	if (peer)
		device_text(t, peer->name, peer->netns, d->netns, cell->text, sizeof(cell->text),
			    &cell->id);
	else
		snprintf(cell->text, sizeof(cell->text), "ifindex %u", d->peer_ifindex);
}

static void features_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct netdev *d = known_device(t, row, cell);
	char text[NETDEV_FEATURES_LEN];

	if (d && d->has_features)
		cell_set_text(cell, netdev_features_text(d->features, text, sizeof(text)));
	else
		cell->state = CELL_MISSING;
}

static void locate_device(const struct table *t, const struct row *row, struct location *p)
{
	const struct netdev *d = device_of(t, row);

	p->dev.netns = row->netns;
	p->dev.ifindex = row->ifindex;
	p->prog_id = d ? d->prog_id : 0;
	if (d)
		memcpy(p->dev.name, d->name, sizeof(p->dev.name));
}

static int devices_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			   size_t size)
{
	return no_data_netdevs(t->rates->to, host, buf, size);
}

static cell_fn *const device_cells[COLUMN_COUNT] = {
	[COL_DEVICE] = name_cell,
	[COL_NETNS] = netns_cell,
	[COL_WARNING] = warning_cell,
	[COL_PROGRAM] = device_program_cell,
	[COL_PROG_ID] = device_prog_id_cell,
	[COL_MODE] = mode_cell,
	[COL_LINK] = link_cell,
	[COL_MTU] = mtu_cell,
	[COL_PEER] = peer_cell,
	[COL_FEATURES] = features_cell,
};

const struct row_kind rows_devices = {
	.add = add_devices,
	.cell = device_cells,
	.locate = locate_device,
	.missing = devices_missing,
};

/* Is the device one of the list, "eth0, veth1 (blue)"? */
static bool is_listed(const char *list, const char *device)
{
	size_t len = strlen(device);

	for (const char *at = strstr(list, device); at; at = strstr(at + 1, device))
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

static void append_device(const struct table *t, const char *name, uint32_t netns,
			  struct cell *cell)
{
	size_t len = strlen(cell->text);
	char text[SNAPSHOT_NAME_LEN * 3];
	struct id_span id;

	device_text(t, name, netns, 0, text, sizeof(text), &id);
	if (is_listed(cell->text, text))
		return;
	if (id.digits && !cell->id.digits) {
		cell->id = id;
		cell->id.at += (uint16_t)(len ? len + strlen(", ") : 0);
	}
	snprintf(cell->text + len, sizeof(cell->text) - len, "%s%s", len ? ", " : "", text);
	cell->state = CELL_VALUE;
}

static void devices_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *to = t->rates->to;

	for (size_t i = 0; i < row->n_series; i++) {
		const struct series *s = series_of(t, row, i);
		const struct netdev *d = snapshot_find_netdev(to, s->key.netns, s->key.ifindex);

		append_device(t, d ? d->name : s->ifname, s->key.netns, cell);
	}
	for (size_t i = 0; i < snapshot_n_netdevs(to); i++) {
		const struct netdev *d = &snapshot_netdevs(to)[i];

		if (has_program(d, row->prog_id))
			append_device(t, d->name, d->netns, cell);
	}
}

static void prog_id_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	set_prog_id(cell, row->prog_id);
}

static void program_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *to = t->rates->to;
	const char *name = "";

	if (row->n_series) {
		cell_of_series(t, row, cell);
		return;
	}
	for (size_t i = 0; i < snapshot_n_netdevs(to); i++)
		if (snapshot_netdevs(to)[i].prog_id == row->prog_id &&
		    snapshot_netdevs(to)[i].prog_name[0])
			name = snapshot_netdevs(to)[i].prog_name;
	set_program(cell, name, row->prog_id);
}

static void locate_program(const struct table *t, const struct row *row, struct location *p)
{
	p->prog_id = row->prog_id;
}

static cell_fn *const program_cells[COLUMN_COUNT] = {
	[COL_DEVICES] = devices_cell,
	[COL_PROG_ID] = prog_id_cell,
	[COL_PROGRAM] = program_cell,
};

const struct row_kind rows_programs = {
	.add = add_programs,
	.cell = program_cells,
	.locate = locate_program,
};
