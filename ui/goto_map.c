// SPDX-License-Identifier: GPL-2.0-or-later
/* Key m: from a row to its map entry, and between an xskmap entry and its socket. */
#include "diagnose/location_map.h"
#include "model/target.h"
#include "actions.h"
#include "screen_table.h"
#include "source/sockets.h"

/* Selects entry `item` of a list view, without the filter, which was meant for other rows. */
static void show(struct screen *s, enum view_id view, size_t item)
{
	table_pick(s);
	view_visit(s, view);
	s->from[s->n_from - 1].by_map = true;
	filter_set_aside(s);
	for (size_t i = 0; i < s->table.n_rows; i++) {
		if (s->table.row[i].item != item)
			continue;
		table_select(s, (long)i);
		break;
	}
}

/* Prefers a series that names its map. */
static const struct map_entry *map_of_series(const struct table *t, const struct row *row)
{
	const struct map_entry *e = NULL;
	struct location l;

	for (int with_map = 1; with_map >= 0; with_map--) {
		for (size_t i = 0; i < row->n_series && !e; i++) {
			location_set(&l, row_series(t, row, i), t->rates->to);
			if (!l.map_id == !with_map)
				e = location_map(t->rates, &l);
		}
	}
	return e;
}

static const struct map_entry *map_of(const struct table *t, const struct row *row)
{
	const struct view *view = t->options.view;
	const struct event *e = table_event(t, row);
	struct series event;
	struct location l;

	if (!row_locate(t, row, &l))
		return map_of_series(t, row);
	if (e) {
		event = event_series(e);
		location_set(&l, &event, t->rates->to);
	} else if (view->group & GROUP_LOCATION) {
		/* for a device, find the entry that redirects to it */
		l.to = l.dev;
		l.prog_id = 0;
	}
	return location_map(t->rates, &l);
}

static void goto_socket(struct screen *s, const struct map_entry *e)
{
	size_t n;
	const struct xdp_socket *first = xdp_sockets(s->table.rates->to, &n), *socket;

	socket = e->socket_inode ? xdp_socket_find(s->table.rates->to, e->socket_inode) : NULL;
	if (socket)
		show(s, VIEW_SOCKETS, (size_t)(socket - first));
	else
		screen_say(s, false, "%s",
			   e->socket_inode ? "nothing is known of this socket"
					   : "this row has no AF_XDP socket; only an entry of an "
					     "xskmap has one");
}

void goto_map(struct screen *s)
{
	long at = table_selected(s);
	const struct row *row = at < 0 ? NULL : &s->table.row[at];
	char why[SNAPSHOT_REASON_LEN];
	const struct map_entry *first, *e;
	const struct table *t;
	size_t n;

	if (!row || row->more) {
		screen_say(s, false, "no row is selected");
		return;
	}
	first = map_entries(s->table.rates->to, &n);
	t = table_of(&s->table, &row);
	if (s->view == VIEW_MAPS) {
		if (row->item < n)
			goto_socket(s, &first[row->item]);
		else
			screen_say(s, false, "this map has no sockets");
		return;
	}
	e = map_of(t, row);
	refusal_text(s->source->host.refused, ITER_MAP_CONTENTS, s->source->host.kernel, why,
		     sizeof(why));
	if (e)
		show(s, VIEW_MAPS, (size_t)(e - first));
	else if (!n)
		screen_say(s, false, "no map is known%s%s", *why ? ": " : "", why);
	else if (s->view == VIEW_SOCKETS)
		screen_say(s, false, "this socket is not in a map, so no redirect reaches it");
	else
		screen_say(s, false, "no known map has an entry for this target");
}
