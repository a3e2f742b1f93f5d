// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "model/location.h"
#include "source/packet_kinds.h"
#include "source/verdicts.h"
#include "table/table_internal.h"

static const struct packet_kind *kind_of(const struct table *t, const struct row *row)
{
	size_t n;

	return &packet_kinds(t->rates->to, &n)[row->item];
}

static void add_kinds(struct table *t)
{
	size_t n, all = t->n_rows;

	packet_kinds(t->rates->to, &n);
	table_add_items(t, n);
	for (size_t i = all; i < t->n_rows; i++) {
		const struct packet_kind *k = kind_of(t, &t->row[i]);

		t->row[i].id = row_id_packets(k);
	}
}

/* The share of a kind in all packets of its program. */
static enum cell_state share_cell(const struct table *t, const struct packet_kind *of,
				  struct cell *cell)
{
	const struct packet_kind *k;
	uint64_t all = 0;

	for_each_row (k, t->rates, t->rates->to, &packet_kinds_by_program, of->prog_id)
		all += packet_kind_since(t->rates, k);
	return all ? cell_set_real(cell, CELL_PERCENT,
				   100.0 * (double)packet_kind_since(t->rates, of) / (double)all)
		   : CELL_NONE;
}

static enum cell_state kind_cell(const struct table *t, const struct row *row, struct cell *cell)
{
	const struct packet_kind *k = kind_of(t, row);

	switch (cell->column - columns) {
	case COL_PROGRAM:
		return cell_set_named(cell, k->prog_name, "prog", k->prog_id);
	case COL_PROG_ID:
		return cell_set_count(cell, k->prog_id);
	case COL_VERDICT:
		return cell_set_text(cell, "%s", verdict_name(k->act));
	case COL_ETHERTYPE:
		return cell_set_text(cell, "%s", k->ethertype);
	case COL_PROTOCOL:
		return *k->protocol ? cell_set_text(cell, "%s", k->protocol) : CELL_NONE;
	case COL_LENGTH_TO:
		return k->length_to ? cell_set_text(cell, "<=%u", k->length_to)
				    : cell_set_text(cell, "more");
	case COL_SAMPLED:
		return cell_set_count(cell, packet_kind_since(t->rates, k));
	case COL_SAMPLE_SHARE:
		return share_cell(t, k, cell);
	default:
		return CELL_NONE;
	}
}

static void locate_kind(const struct table *t, const struct row *row, struct location *location)
{
	const struct packet_kind *k = kind_of(t, row);

	location->prog_id = k->prog_id;
	memcpy(location->prog_name, k->prog_name, sizeof(location->prog_name));
}

static int kinds_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			 size_t size)
{
	const char *why = host->absent[DATA_SOURCE_PACKET_KINDS];

	if (t->options.switch_by == SWITCH_NOT)
		return snprintf(buf, size,
				"The recording has no sample of packets at this time.\n");
	if (*why)
		return snprintf(buf, size, "No packet is known: %s.\n", why);
	if (t->rates->to->tp[TP_VERDICTS].state != TP_ON)
		return snprintf(buf, size, "No packet is known: verdicts are %s.\n",
				tp_state_name(t->rates->to->tp[TP_VERDICTS].state));
	return snprintf(buf, size, "No packet is in the sample yet.\n");
}

const struct row_kind rows_packets = {
	.list = true,
	.add = add_kinds,
	.locate = locate_kind,
	.cell = kind_cell,
	.missing = kinds_missing,
};
