// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <ctype.h>
#include "base/clock.h"
#include "diagnose/findings.h"
#include "model/target.h"
#include "source/data_source.h"
#include "table/table_internal.h"

enum cell_state cell_set_real(struct cell *cell, enum cell_type type, double real)
{
	cell->type = type;
	cell->real = real;
	return CELL_VALUE;
}

enum cell_state cell_set_count(struct cell *cell, uint64_t count)
{
	cell->type = CELL_COUNT;
	cell->count = count;
	return CELL_VALUE;
}

enum cell_state cell_set_age(const struct table *t, const struct timespec *since, struct cell *cell)
{
	int64_t age_ns = timespec_to_ns(&t->rates->to->wall) - timespec_to_ns(since);

	return cell_set_real(cell, CELL_AGE, age_ns > 0 ? ns_to_seconds(age_ns) : 0);
}

enum cell_state cell_set_text(struct cell *cell, const char *format, ...)
{
	va_list ap;

	cell->type = CELL_TEXT;
	va_start(ap, format);
	vsnprintf(cell->text, sizeof(cell->text), format, ap);
	va_end(ap);
	return CELL_VALUE;
}

enum cell_state cell_set_named(struct cell *cell, const char *name, const char *kind, uint32_t id)
{
	if (*name)
		return cell_set_text(cell, "%s", name);
	return id ? cell_set_text(cell, "%s %u", kind, id) : CELL_NONE;
}

enum cell_state cell_set_netns(const struct table *t, uint32_t netns, struct cell *cell)
{
	cell->netns = netns;
	return netns_text(netns, t->options.netns, cell->text, sizeof(cell->text)) > 0 ? CELL_VALUE
										       : CELL_NONE;
}

enum cell_state cell_set_part(struct cell *cell, uint32_t part, uint32_t whole)
{
	if (!whole)
		return CELL_NONE;
	return cell_set_real(cell, CELL_PERCENT,
			     part < whole ? (double)part * 100 / (double)whole : 100);
}

enum cell_state cell_add_findings(const struct table *t, struct cell *cell,
				  bool (*is_at)(const struct finding *f, const void *of),
				  const void *of)
{
	const struct findings *findings = t->options.findings;
	size_t len = strlen(cell->text);

	for (size_t i = 0; findings && i < findings->n_active; i++) {
		const struct finding *f = findings->finding;
		size_t same = 0;

		if (!is_at(&f[i], of))
			continue;
		while (same < i && !(f[same].code == f[i].code && is_at(&f[same], of)))
			same++;
		if (same == i && len + strlen(f[i].code->name) + 3 <= sizeof(cell->text))
			len += (size_t)snprintf(cell->text + len, sizeof(cell->text) - len, "%s%s",
						len ? ", " : "", f[i].code->name);
	}
	return len ? CELL_VALUE : CELL_NONE;
}

enum cell_state cell_set_counter(const struct table *t, enum data_source_id id, const void *row,
				 const struct counter_column *of, size_t n, struct cell *cell)
{
	const struct column *column = cell->column;
	bool interval = column->rate;
	const struct snapshot *since = interval ? t->rates->from : t->rates->base;
	const char *now = row, *before = data_source_row(since, id, row);
	uint64_t count = 0;

	for (; n && &columns[of->column] != column; n--)
		of++;
	if (!n)
		return CELL_NONE;
	if (interval && !before)
		return CELL_NOT_YET;
	for (size_t i = 0; i < 3 && of->offset[i]; i++) {
		uint64_t is = *(const uint64_t *)(now + of->offset[i]);
		uint64_t was = before ? *(const uint64_t *)(before + of->offset[i]) : 0;

		count += is > was ? is - was : 0;
	}
	if (column->lost && count)
		cell->tone = TONE_LOST;
	if (interval)
		return cell_set_real(cell, CELL_RATE, per_second((double)count, t->rates->seconds));
	return cell_set_count(cell, count);
}

/* The name from an attached program, a device or a series; "" = unknown. */
static const char *program_name(const struct rates *r, uint32_t prog_id)
{
	const struct program *p = program_find(r->to, prog_id);
	const struct netdev *d = row_walk_first(r, r->to, &netdevs_by_program, prog_id);
	const struct series *s = row_walk_first(r, r->to, &series_by_program, prog_id);

	if (p)
		return p->prog_name;
	return d && d->prog_id == prog_id ? d->prog_name : s ? s->prog_name : "";
}

enum cell_state cell_set_users(const struct table *t, const uint32_t user[MAP_USERS],
			       uint32_t total, struct cell *cell)
{
	bool ids = cell->column == &columns[COL_PROG_ID];
	size_t len = 0;

	for (int i = 0; i < MAP_USERS && user[i] && len < sizeof(cell->text); i++) {
		const char *name = ids ? "" : program_name(t->rates, user[i]);

		len += (size_t)snprintf(cell->text + len, sizeof(cell->text) - len,
					*name ? "%s%s"
					: ids ? "%s%s%u"
					      : "%s%sid %u",
					len ? ", " : "", name, user[i]);
	}
	if (len && len < sizeof(cell->text) && total > MAP_USERS)
		snprintf(cell->text + len, sizeof(cell->text) - len, " and %u more",
			 total - MAP_USERS);
	return len ? CELL_VALUE : CELL_NONE;
}

enum cell_state cell_set_map(uint32_t map_id, uint32_t map_type, const char *name,
			     struct cell *cell)
{
	const char *type = map_type_name(map_type);

	if (*name)
		return cell_set_text(cell, "%s", name);
	return cell_set_text(cell, "%s %u", type ? type : "map", map_id);
}

enum cell_state map_name_cell(const struct map_entry *map, struct cell *cell)
{
	return cell_set_map(map->map_id, map->map_type, map->map_name, cell);
}

enum cell_state cell_of_series(const struct table *t, const struct row *row, struct cell *cell)
{
	return cell->column->cell ? cell->column->cell(t, row, cell) : CELL_NONE;
}

void table_cell(const struct table *t, size_t index, enum column_id column, struct cell *cell)
{
	const struct row *row = &t->row[index];
	cell_fn *fill;

	t = table_of(t, &row);
	fill = t->options.view->rows->cell;
	/* the series of a full table has neither device nor program */
	if (!fill || columns[column].of_pods || (row->n_series && row_series(t, row, 0)->overflow))
		fill = cell_of_series;
	cell->column = &columns[column];
	cell->tone = TONE_PLAIN;
	cell->type = columns[column].number ? CELL_COUNT : CELL_TEXT;
	cell->count = 0;
	cell->age = 0;
	cell->text[0] = '\0';
	cell->netns = 0;
	cell->state = row->more ? CELL_NONE : fill(t, row, cell);
}

static int value_text(const struct cell *cell, char *buf, size_t size, enum number_style style)
{
	switch (cell->type) {
	case CELL_COUNT:
		return format_count(buf, size, cell->count, style);
	case CELL_RATE:
		return format_rate(buf, size, cell->real, style);
	case CELL_PERCENT:
		return format_percent(buf, size, cell->real);
	case CELL_AVERAGE:
		return format_average(buf, size, cell->real, style);
	case CELL_AGE:
		return format_age(buf, size, cell->real);
	case CELL_GAP:
		return format_gap(buf, size, cell->real);
	case CELL_TEXT:
		break;
	}
	if (cell->column->letter)
		return snprintf(buf, size, "%c",
				cell->tone == TONE_DIM ? '-' : toupper(cell->text[0]));
	return snprintf(buf, size, "%s", cell->text);
}

int cell_text(const struct cell *cell, char *buf, size_t size, enum number_style style, bool ascii)
{
	static const char *const states[] = {
		[CELL_NOT_YET] = "·", [CELL_OFF] = "off", [CELL_MISSING] = "n/a", [CELL_NONE] = "-"
	};

	int len;

	if (cell->state != CELL_VALUE)
		return snprintf(buf, size, "%s",
				ascii && cell->state == CELL_NOT_YET ? "." : states[cell->state]);
	len = value_text(cell, buf, size, style);
	if (cell->age > 0 && len > 0 && (size_t)len < size - 1)
		len += snprintf(buf + len, size - (size_t)len, OLD_NUMBER);
	return len;
}
