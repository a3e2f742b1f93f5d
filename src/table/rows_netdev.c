// SPDX-License-Identifier: GPL-2.0-or-later
/* Cells of devices and programs: what netlink tells of them, beside what their series count. */
#include <stdio.h>
#include <string.h>
#include "table/cell.h"
#include "diagnose/finding.h"
#include "model/target.h"

static const struct series *member(const struct table *t, const struct row *row, size_t i)
{
	return &t->rates->to->series[t->member[row->member + i]];
}

static int device_text(const struct table *t, const struct netdev *d, uint32_t here, char *buf,
		       size_t size)
{
	char ns[SNAPSHOT_NAME_LEN * 2];

	if (d->netns == here || !netns_text(d->netns, t->options.netns, ns, sizeof(ns)))
		return snprintf(buf, size, "%s", d->name);
	return snprintf(buf, size, "%s (%s)", d->name, ns);
}

/* The name of now, else the youngest that a series saw. */
static void name_cell(const struct table *t, const struct row *row, const struct netdev *d,
		      struct cell *cell)
{
	const char *name = d ? d->name : "";
	uint64_t youngest = 0;

	for (size_t i = 0; i < row->n_members && !(d && d->name[0]); i++) {
		const struct series *s = member(t, row, i);

		if (s->id < youngest || !*series_location(s).ifname)
			continue;
		youngest = s->id;
		name = series_location(s).ifname;
	}
	cell_set_text(cell, name);
	if (!*name)
		snprintf(cell->text, sizeof(cell->text), "ifindex %u", row->ifindex);
	/* neither is known: of a device there was, but not which */
	if (!*name && !row->ifindex)
		cell->state = CELL_MISSING;
}

static void peer_cell(const struct table *t, const struct netdev *d, struct cell *cell)
{
	const struct netdev *peer =
		snapshot_find_netdev(t->rates->to, d->peer_netns, d->peer_ifindex);

	if (!d->peer_ifindex)
		return;
	cell_set_text(cell, "");
	if (peer)
		device_text(t, peer, d->netns, cell->text, sizeof(cell->text));
	else
		snprintf(cell->text, sizeof(cell->text), "ifindex %u", d->peer_ifindex);
}

/* The codes of the findings that name the device, each once. */
static void warning_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct findings *f = t->options.findings;
	size_t len = 0;

	for (size_t i = 0; f && i < f->n && f->finding[i].active; i++) {
		const struct location *p = &f->finding[i].place;
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

static bool device_cell(const struct table *t, const struct row *row, enum column_id column,
			struct cell *cell)
{
	const struct netdev *d = snapshot_find_netdev(t->rates->to, row->netns, row->ifindex);
	char text[NETDEV_FEATURES_LEN];

	switch (column) {
	case COL_DEVICE:
		name_cell(t, row, d, cell);
		return true;
	case COL_NETNS:
		cell_set_text(cell, "");
		if (!netns_text(row->netns, t->options.netns, cell->text, sizeof(cell->text)))
			cell->state = CELL_MISSING;
		return true;
	case COL_WARNING:
		warning_cell(t, row, cell);
		return true;
	case COL_PROGRAM:
		if (!d || !(d->prog_id | d->skb_prog_id))
			return false;
		if (d->prog_name[0])
			cell_set_text(cell, d->prog_name);
		else
			snprintf(cell->text, sizeof(cell->text), "id %u",
				 d->prog_id ? d->prog_id : d->skb_prog_id);
		cell->state = CELL_VALUE;
		return true;
	case COL_PROG_ID:
		if (!d || !(d->prog_id | d->skb_prog_id))
			return false;
		snprintf(cell->text, sizeof(cell->text), "%u",
			 d->prog_id ? d->prog_id : d->skb_prog_id);
		cell->state = CELL_VALUE;
		return true;
	case COL_MODE:
	case COL_LINK:
	case COL_MTU:
	case COL_PEER:
	case COL_FEATURES:
		break;
	default:
		return false;
	}
	if (!d) {
		/* its namespace could not be entered at start */
		cell->state = CELL_MISSING;
		return true;
	}
	if (column == COL_MODE)
		cell_set_text(cell, netdev_mode_name(d->mode));
	else if (column == COL_LINK)
		cell_set_text(cell, netdev_state_name(d));
	else if (column == COL_MTU)
		cell_set_count(cell, d->mtu);
	else if (column == COL_PEER)
		peer_cell(t, d, cell);
	else if (!d->has_features)
		cell->state = CELL_MISSING;
	else
		cell_set_text(cell, netdev_features_text(d->features, text, sizeof(text)));
	return true;
}

static void append(struct cell *cell, const char *name)
{
	size_t len = strlen(cell->text);
	const char *at = strstr(cell->text, name);
	char after = at ? at[strlen(name)] : ' ';

	if (at && (!after || after == ','))
		return;
	snprintf(cell->text + len, sizeof(cell->text) - len, "%s%s", len ? ", " : "", name);
	cell->state = CELL_VALUE;
}

static void devices_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct snapshot *to = t->rates->to;
	char name[SNAPSHOT_NAME_LEN * 3];

	for (size_t i = 0; i < row->n_members; i++) {
		const struct series *s = member(t, row, i);
		const struct netdev *d = snapshot_find_netdev(to, s->key.netns, s->key.ifindex);
		char ns[SNAPSHOT_NAME_LEN * 2];

		if (d) {
			device_text(t, d, 0, name, sizeof(name));
		} else {
			netns_text(s->key.netns, t->options.netns, ns, sizeof(ns));
			snprintf(name, sizeof(name), "%s (%s)", s->ifname, ns);
		}
		append(cell, name);
	}
	for (size_t i = 0; i < to->n_device; i++) {
		const struct netdev *d = &to->device[i];

		if (d->gone || (d->prog_id != row->prog_id && d->skb_prog_id != row->prog_id))
			continue;
		device_text(t, d, 0, name, sizeof(name));
		append(cell, name);
	}
}

static bool program_cell(const struct table *t, const struct row *row, enum column_id column,
			 struct cell *cell)
{
	const struct snapshot *to = t->rates->to;

	switch (column) {
	case COL_DEVICES:
		devices_cell(t, row, cell);
		return true;
	case COL_PROG_ID:
		snprintf(cell->text, sizeof(cell->text), "%u", row->prog_id);
		cell->state = CELL_VALUE;
		return true;
	case COL_PROGRAM:
		if (row->n_members)
			return false;
		for (size_t i = 0; i < to->n_device; i++)
			if (to->device[i].prog_id == row->prog_id && to->device[i].prog_name[0])
				cell_set_text(cell, to->device[i].prog_name);
		if (cell->state == CELL_VALUE)
			return true;
		snprintf(cell->text, sizeof(cell->text), "id %u", row->prog_id);
		cell->state = CELL_VALUE;
		return true;
	default:
		return false;
	}
}

bool cell_of_netdev(const struct table *t, const struct row *row, enum column_id column,
		    struct cell *cell)
{
	/* a full table knows no place */
	if (row->n_members && member(t, row, 0)->overflow)
		return false;
	cell->type = columns[column].number ? CELL_COUNT : CELL_TEXT;
	if (t->options.view->rows == ROWS_DEVICES)
		return device_cell(t, row, column, cell);
	if (t->options.view->rows == ROWS_PROGRAMS)
		return program_cell(t, row, column, cell);
	return false;
}
