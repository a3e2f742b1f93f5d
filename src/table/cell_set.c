// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
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
	cell->id = (struct id_span){ 0 };
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
	bool interval = column->rate && table_basis(t) == BASIS_INTERVAL;
	const struct snapshot *since = interval ? t->rates->from : t->rates->base;
	const char *now = row, *before = since ? data_source_row(since, id, row) : NULL;
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
	if (interval && t->options.unit == UNIT_PER_SECOND)
		return cell_set_real(cell, CELL_RATE, per_second((double)count, t->rates->seconds));
	return cell_set_count(cell, count);
}
