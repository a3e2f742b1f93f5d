// SPDX-License-Identifier: GPL-2.0-or-later
/* The selected row in words: what it counts, what its errors mean, what to look at next. */
#include <stdio.h>
#include <string.h>
#include "../src/format.h"
#include "../src/meaning.h"
#include "pane.h"

/* No more causes than one reads. */
#define CAUSES_MAX 16

static const struct series *member(const struct screen *s, const struct row *row, size_t i)
{
	return &s->table.rates->to->series[s->table.member[row->member + i]];
}

static void count_text(struct text *t, const struct screen *s, const struct series *series)
{
	char events[16], drops[16], error[32] = "";
	uint64_t lost = 0;

	format_count(events, sizeof(events), series->total.events, NUMBER_SI);
	series_drops(series->tracepoint, &series->total, &lost);
	format_count(drops, sizeof(drops), lost, NUMBER_SI);
	if (tracepoints[series->tracepoint].has & HAS_ACT)
		act_name(series->key.code, error, sizeof(error));
	else if (series->key.code)
		snprintf(error, sizeof(error), "%s (%d)",
			 errno_name(series->key.code) ? errno_name(series->key.code)
						      : "unknown errno",
			 series->key.code);
	else
		snprintf(error, sizeof(error), "drops");
	text_add(t, STYLE_BOLD, 2, "", "%s %s: %s events, %s lost since the start",
		 tracepoint_label(s, series->tracepoint), error, events, drops);
}

/* Each cause once, with the first series that shows it. */
static void causes_text(struct screen *s, const struct row *row)
{
	const struct meaning *seen[CAUSES_MAX];
	struct text *t = &s->text;
	int n = 0;

	for (size_t i = 0; i < row->n_members && n < CAUSES_MAX; i++) {
		const struct series *series = member(s, row, i);
		const struct meaning *m = meaning_find(series->tracepoint, &series->key);
		uint64_t lost = 0;
		bool again = false;

		series_drops(series->tracepoint, &series->total, &lost);
		if (!m || (!lost && !series->key.code && !tracepoints[series->tracepoint].failure))
			continue;
		for (int k = 0; k < n; k++)
			again |= seen[k] == m;
		if (again)
			continue;
		seen[n++] = m;
		text_add(t, STYLE_PLAIN, 0, "", " ");
		count_text(t, s, series);
		text_add(t, STYLE_PLAIN, 12, "  meaning", "%s", m->meaning);
		text_add(t, STYLE_PLAIN, 12, "  next", "%s", m->next);
		text_add(t, STYLE_DIM, 12, "  kernel", "%s", m->source);
	}
	if (!n)
		text_add(t, STYLE_PLAIN, 0, "", "No error and no drop in this row.");
}

/* Commands about the devices, program and map of a series, ready to copy. */
static void commands_text(struct screen *s, const struct row *row)
{
	const struct series *series = row->n_members ? member(s, row, 0) : NULL;
	struct text *t = &s->text;
	const char *netns;
	char in[96] = "";

	if (!series)
		return;
	text_add(t, STYLE_PLAIN, 0, "", " ");
	text_add(t, STYLE_SORT, 0, "", "Commands");
	netns = netns_names_get(s->netns, series->key.netns);
	if (netns && strcmp(netns, "init"))
		snprintf(in, sizeof(in), "ip netns exec %s ", netns);
	if (series->ifname[0]) {
		text_add(t, STYLE_PLAIN, 2, "", "%sip -d link show dev %s", in, series->ifname);
		text_add(t, STYLE_PLAIN, 2, "", "%sethtool -S %s", in, series->ifname);
	}
	if (series->to_ifname[0] && series->key.to_netns == series->key.netns)
		text_add(t, STYLE_PLAIN, 2, "", "%sip -d link show dev %s", in, series->to_ifname);
	if (series->key.prog_id)
		text_add(t, STYLE_PLAIN, 2, "", "bpftool prog show id %u", series->key.prog_id);
	if (series->key.map_id && series->key.map_id != SERIES_MAP_ID_IFINDEX)
		text_add(t, STYLE_PLAIN, 2, "", "bpftool map dump id %u", series->key.map_id);
	text_add(t, STYLE_PLAIN, 2, "", "%sbpftool net", in);
}

void explain_fill(struct screen *s)
{
	long at = table_selected(s);
	struct text *t = &s->text;
	const struct row *row;
	const struct tp_count *tp;

	if (at < 0) {
		text_add(t, STYLE_PLAIN, 0, "", "The row is gone.");
		return;
	}
	row = &s->table.row[at];
	if (row->tracepoint >= 0) {
		unsigned int id = (unsigned int)row->tracepoint;

		tp = &s->table.rates->to->tp[id];
		text_add(t, STYLE_SORT, 0, "", "%s", tracepoint_label(s, id));
		text_add(t, STYLE_PLAIN, 12, "counts", "%s", tracepoints[id].what);
		text_add(t, STYLE_PLAIN, 12, "fires", "%s", tracepoints[id].fires);
		text_add(t, STYLE_PLAIN, 12, "state", "%s%s%s", tp_state_name(tp->state),
			 tp->reason[0] ? ": " : "", tp->reason);
	}
	causes_text(s, row);
	commands_text(s, row);
}
