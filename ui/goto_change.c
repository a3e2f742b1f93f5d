// SPDX-License-Identifier: GPL-2.0-or-later
/* From a change to the object that changed, where it still exists. */
#include "goto_row.h"
#include "screen_table.h"
#include "source/maps.h"

/* An entry that was removed leads to its map, which comes first. */
static bool is_entry(const struct table *t, const struct row *row, const struct event *e)
{
	const struct map_entry *want = map_entry_find(t->rates->to, e->key.map_id, e->key.target);
	size_t n;

	if (!want)
		want = map_find(t->rates->to, e->key.map_id);
	return want == &map_entries(t->rates->to, &n)[row->item];
}

static bool is_object(const struct table *t, const struct row *row, const struct event *e)
{
	struct location l;

	row_locate(t, row, &l);
	switch (t->options.view - views) {
	case VIEW_MAPS:
		return e->key.map_id && is_entry(t, row, e);
	case VIEW_CPUS:
		return e->cpu >= 0 && l.to_cpu == e->cpu;
	case VIEW_DEVICES:
		return e->key.ifindex && l.dev.ifindex == e->key.ifindex &&
		       l.dev.netns == e->key.netns;
	default:
		return e->key.prog_id && l.prog_id == e->key.prog_id;
	}
}

/* The id of the object's row; 0 = it has none in this view. */
static uint64_t object_find(const struct screen *s, enum view_id view, const struct event *e)
{
	struct table t = { 0 };
	uint64_t id = 0;

	if (!rows_build(s, view, 0, &t))
		for (size_t i = 0; i < t.n_rows && !id; i++)
			if (t.row[i].cpu < 0 && is_object(&t, &t.row[i], e))
				id = t.row[i].id;
	table_free(&t);
	return id;
}

bool change_goto(struct screen *s, const struct event *change)
{
	static const enum view_id of[] = { VIEW_MAPS, VIEW_CPUS, VIEW_DEVICES, VIEW_PROGRAMS };
	const struct event e = *change;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		uint64_t id = object_find(s, of[i], &e);
		long at;

		if (!id)
			continue;
		view_visit(s, of[i]);
		filter_set_aside(s);
		at = table_find(&s->table, id);
		if (at >= 0) {
			table_select(s, at);
			return true;
		}
		place_return(s);
	}
	return false;
}
