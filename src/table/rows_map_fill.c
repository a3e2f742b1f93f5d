// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of the maps view for hashes and tries, which can become full. */
#include <math.h>
#include "model/finding.h"
#include "table/table_internal.h"

const struct map_fill *table_fill(const struct table *t, const struct row *row)
{
	size_t n, n_fills;
	uint64_t left_out;

	map_entries(t->rates->to, &n);
	return &map_fills(t->rates->to, &n_fills, &left_out)[row->item - n];
}

void fill_locate(const struct map_fill *m, struct location *location)
{
	location->map_id = m->map_id;
	location->map_type = m->map_type;
	memcpy(location->map_name, m->map_name, sizeof(location->map_name));
}

static bool is_at_map(const struct finding *f, const void *map)
{
	return f->location.map_id == ((const struct map_fill *)map)->map_id &&
	       !f->location.to.ifindex;
}

/* "950 of 1000 used, full in 40 s" */
static enum cell_state room_cell(const struct map_fill *m, struct cell *cell)
{
	char outlook[32];

	map_fill_outlook(m, outlook, sizeof(outlook));
	return cell_set_text(cell, "%ju of %ju used%s%s", (uintmax_t)m->entries,
			     (uintmax_t)m->max_entries, *outlook ? ", " : "", outlook);
}

static enum cell_state count_cell(const struct map_fill *m, struct cell *cell)
{
	double s;

	switch (cell->column - columns) {
	case COL_TARGET:
		return room_cell(m, cell);
	case COL_ENTRIES:
		return cell_set_count(cell, m->entries);
	case COL_FILL_PERCENT:
		if (m->entries >= m->max_entries && !map_fill_evicts(m))
			cell->tone = TONE_WARN;
		return cell_set_part(cell, (uint32_t)m->entries, (uint32_t)m->max_entries);
	case COL_GROWTH:
		return m->has_growth ? cell_set_real(cell, CELL_RATE, m->growth) : CELL_NOT_YET;
	default:
		s = map_fill_full_in(m);
		return isnan(s) ? CELL_NONE : cell_set_real(cell, CELL_AGE, s);
	}
}

enum cell_state fill_cell(const struct table *t, const struct map_fill *m, struct cell *cell)
{
	const char *type = map_type_name(m->map_type);

	switch (cell->column - columns) {
	case COL_MAP:
		return cell_set_map(m->map_id, m->map_type, m->map_name, cell);
	case COL_MAP_ID:
		return cell_set_text(cell, "%u", m->map_id);
	case COL_MAP_TYPE:
		return type ? cell_set_text(cell, "%s", type) : CELL_NOT_YET;
	case COL_PROGRAM:
	case COL_PROG_ID:
		return cell_set_users(t, m->user, m->users_total, cell);
	case COL_WARNING:
		cell->tone = TONE_WARN;
		return cell_add_findings(t, cell, is_at_map, m);
	case COL_SLOTS:
		return m->max_entries ? cell_set_count(cell, m->max_entries) : CELL_NOT_YET;
	case COL_TARGET:
	case COL_ENTRIES:
	case COL_FILL_PERCENT:
	case COL_GROWTH:
	case COL_FULL_IN:
		cell->age = rates_age(t->rates, &m->counted_at);
		return m->state == MAP_FILL_COUNTED  ? count_cell(m, cell)
		       : m->state == MAP_FILL_UNREAD ? CELL_NOT_YET
						     : CELL_MISSING;
	default:
		return CELL_NONE;
	}
}
