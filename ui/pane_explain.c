// SPDX-License-Identifier: GPL-2.0-or-later
/* The selected row in words: what it counts, what its errors mean, what to look at next. */
#include <stdio.h>
#include <string.h>
#include "../src/format.h"
#include "../src/meaning.h"
#include "../src/place.h"
#include "pane.h"

/* No more causes than one reads. */
#define CAUSES_MAX 16

static const struct series *member(const struct screen *s, const struct row *row, size_t i)
{
	return &s->table.rates->to->series[s->table.member[row->member + i]];
}

/* What all members of the row that show one cause have counted. */
struct cause {
	const struct meaning *meaning;
	const struct series *series; /* the first that shows it */
	uint64_t events, lost;
};

static void cause_text(struct text *t, const struct screen *s, const struct cause *c)
{
	const struct series_key *key = &c->series->key;
	const char *name = errno_name(key->code);
	char events[16], lost[16], error[48], act[24];

	format_count(events, sizeof(events), c->events, NUMBER_SI);
	format_count(lost, sizeof(lost), c->lost, NUMBER_SI);
	if (tracepoints[c->series->tracepoint].has & HAS_ACT)
		snprintf(error, sizeof(error), "%s", act_name(key->code, act, sizeof(act)));
	else if (key->code)
		snprintf(error, sizeof(error), "%s (%d)", name ? name : "unknown errno", key->code);
	else
		snprintf(error, sizeof(error), "drops");
	text_add(t, STYLE_PLAIN, 0, "", " ");
	text_add(t, STYLE_BOLD, 2, "", "%s %s: %s events, %s lost since the start",
		 tracepoint_label(s, c->series->tracepoint), error, events, lost);
	text_add(t, STYLE_PLAIN, 12, "  meaning", "%s", c->meaning->meaning);
	text_add(t, STYLE_PLAIN, 12, "  next", "%s", c->meaning->next);
	text_add(t, STYLE_DIM, 12, "  kernel", "%s", c->meaning->source);
}

/* Each cause once. */
static void causes_text(struct screen *s, const struct row *row)
{
	struct cause cause[CAUSES_MAX];
	int n = 0;

	for (size_t i = 0; i < row->n_members; i++) {
		const struct series *series = member(s, row, i);
		const struct meaning *m = meaning_find(series->tracepoint, &series->key);
		uint64_t lost = 0;
		int at = 0;

		series_drops(series->tracepoint, &series->total, &lost);
		if (!m || (!lost && !series->key.code && !tracepoints[series->tracepoint].failure))
			continue;
		while (at < n && (cause[at].meaning != m ||
				  cause[at].series->tracepoint != series->tracepoint ||
				  cause[at].series->key.code != series->key.code))
			at++;
		if (at == CAUSES_MAX)
			continue;
		if (at == n)
			cause[n++] = (struct cause){ .meaning = m, .series = series };
		cause[at].events += series->total.events;
		cause[at].lost += lost;
	}
	for (int i = 0; i < n; i++)
		cause_text(&s->text, s, &cause[i]);
	if (!n)
		text_add(&s->text, STYLE_PLAIN, 0, "", "No error and no drop in this row.");
}

/* Commands about the devices, program and map of the row, ready to be pasted. */
static void commands_text(struct screen *s, const struct row *row)
{
	static const char *const templates[] = {
		"{ip} -d link show dev {dev}",       "{in}ethtool -S {dev}",
		"{ip_to} -d link show dev {to}",     "{in_to}ethtool -S {to}",
		"{ip_peer} -d link show dev {peer}", "bpftool prog show id {prog}",
		"bpftool map dump id {map}",         "{in}bpftool net",
	};
	const struct series *series = table_series(&s->table, row);
	struct text *t = &s->text;
	struct place place;
	char command[256];

	if (!series)
		return;
	place_set(&place, series, s->table.rates->to);
	text_add(t, STYLE_PLAIN, 0, "", " ");
	text_add(t, STYLE_SORT, 0, "", "Commands");
	for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++)
		if (place_command(templates[i], &place, s->netns, command, sizeof(command)) >= 0)
			text_add(t, STYLE_PLAIN, 4, "", "%s", command);
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
