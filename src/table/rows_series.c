// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows that no series makes: silent devices and programs, events, findings. */
#include <errno.h>
#include "model/event_log.h"
#include "diagnose/finding.h"
#include "table/row_id.h"
#include "table/table_internal.h"

bool table_is_attached(const struct table *t, const struct row *row)
{
	const struct snapshot *s = t->rates->to;
	const struct netdev *d;

	switch (t->options.view->rows) {
	case ROWS_DEVICES:
		d = snapshot_find_netdev(s, row->netns, row->ifindex);
		return d && !d->gone && d->mode != NETDEV_NONE;
	case ROWS_PROGRAMS:
		for (size_t i = 0; i < s->n_device; i++)
			if (!s->device[i].gone && (s->device[i].prog_id == row->prog_id ||
						   s->device[i].skb_prog_id == row->prog_id))
				return true;
		return false;
	default:
		return false;
	}
}

/* An empty row behind the others. */
static int add(struct table *t, const struct row *row)
{
	if (table_find(t, row->id) >= 0)
		return 0;
	if (array_reserve(t->row, t->cap_rows, t->n_rows + 1))
		return -ENOMEM;
	t->row[t->n_rows] = *row;
	t->row[t->n_rows].tracepoint = -1;
	t->row[t->n_rows].cpu = -1;
	t->row[t->n_rows].member = t->n_members;
	t->row[t->n_rows].part = t->n_parts;
	t->n_rows++;
	return 0;
}

static int add_program(struct table *t, uint32_t prog_id)
{
	struct row row = { .id = row_id_program(prog_id),
			   .prog_id = prog_id,
			   .order = UINT32_MAX + (uint64_t)prog_id };

	return prog_id ? add(t, &row) : 0;
}

int table_add_attached(struct table *t)
{
	const struct snapshot *s = t->rates->to;
	int err = 0;

	for (size_t i = 0; i < s->n_device && !err; i++) {
		const struct netdev *d = &s->device[i];
		/* behind all that counted something, which are in order of appearance */
		struct row row = { .id = row_id_device(d->netns, d->ifindex),
				   .netns = d->netns,
				   .ifindex = d->ifindex,
				   .order = UINT32_MAX + (uint64_t)i };

		if (d->gone || d->mode == NETDEV_NONE)
			continue;
		if (t->options.view->rows == ROWS_DEVICES)
			err = add(t, &row);
		if (t->options.view->rows == ROWS_PROGRAMS)
			err = add_program(t, d->prog_id);
		if (!err && t->options.view->rows == ROWS_PROGRAMS)
			err = add_program(t, d->skb_prog_id);
	}
	return err;
}

int table_add_items(struct table *t)
{
	const struct findings *f = t->options.findings;
	const struct event_log *l = t->options.events;
	bool findings = t->options.view->rows == ROWS_FINDINGS;
	size_t n = findings ? (f ? f->n : 0) : (l ? (size_t)event_log_count(l, l->taken) : 0);

	if (array_reserve(t->row, t->cap_rows, n + 1))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		t->row[t->n_rows++] = (struct row){
			.id = findings ? f->finding[i].id : l->taken - i,
			.tracepoint = -1,
			.cpu = -1,
			.item = i,
			.order = i,
		};
	return 0;
}
