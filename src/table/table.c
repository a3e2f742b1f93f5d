// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/table_internal.h"

#include <stdio.h>
#include <strings.h>
#include "base/suggest.h"
#include "diagnose/device_path.h"
#include "table/filter.h"

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; t->block && i < VIEW_BLOCKS; i++)
		table_free(&t->block[i]);
	free(t->block);
	free(t->row);
	free(t->series_idx);
	free(t->tp_counts);
	free(t->verdict);
	free(t->path);
	free(t->cpumaps);
	if (t->scratch) {
		free(t->scratch->series_row);
		free(t->scratch->key);
		free(t->scratch->row);
		free(t->scratch->text);
		free(t->scratch->cpu);
		free(t->scratch->last);
		hash_index_free(&t->scratch->index);
		free(t->scratch);
	}
	memset(t, 0, sizeof(*t));
}

bool table_shows(const struct table *t, enum column_id column)
{
	const struct column *c = &columns[column];

	if ((int)column == t->options.sort)
		return true;
	if (column == COL_LEFT_OUT)
		return t->has_skipped;
	if (t->n_paths && (column == COL_PATH_PASS || column == COL_PATH_TX))
		return t->counted_stages & BIT(column - COL_PATH_IN);
	return (t->has_verdicts || !c->of_verdicts) && (t->has_pods || !c->of_pods) &&
	       (t->has_fills || !c->of_fills) && (t->has_runs || !c->of_runs);
}

static void say_hidden(const struct table *t, char *buf, size_t size)
{
	struct format_text to = { .buf = buf, .size = size };
	struct filter_term term;

	if (t->hidden == 1)
		format_add(&to, "The only row is hidden by the filter");
	else
		format_add(&to, "All %zu rows are hidden by the filter", t->hidden);
	format_add(&to, "%s.\n", t->options.keys ? "; press / to change it" : "");
	for (size_t i = 0; filter_term(t->options.filter, i, &term); i++) {
		if (term.column == COLUMN_COUNT || !term.equals || columns[term.column].number ||
		    strchr(term.text, '*'))
			continue;
		format_add(&to,
			   "%s=%s matches only that text. Use %s=%s* for all that begin with it.\n",
			   columns[term.column].name, term.text, columns[term.column].name,
			   term.text);
		return;
	}
}

/* A part of the filter that the view cannot apply. */
static void say_skipped(const struct table *t, char *buf, size_t size)
{
	struct filter_term term;

	for (size_t i = 0; filter_term(t->options.filter, i, &term); i++) {
		if (term.column == COLUMN_COUNT || !filter_skips(t->options.view, term.column))
			continue;
		snprintf(buf, size,
			 "The filter on %s does not apply: a tracepoint counts the whole "
			 "machine.\n",
			 columns[term.column].name);
		return;
	}
}

/* What XDP does to a device that the filter names: nothing, if it has no program. */
static void say_named(const struct table *t, char *buf, size_t size)
{
	const struct snapshot *to = t->rates->to;
	const struct netdev *d = snapshot_netdevs(to);
	struct suggestions near = { .n = 0 };
	struct filter_term term;
	char text[160];
	double in;

	for (size_t i = 0; i < t->n_rows; i++)
		if (t->row[i].n_series)
			return;
	if (!filter_device(t->options.filter, &term))
		return;
	for (size_t i = 0; i < snapshot_n_netdevs(to); i++, d++) {
		suggestions_add(&near, term.text, d->name);
		if (d->gone || strcasecmp(d->name, term.text))
			continue;
		if (d->mode != NETDEV_NONE)
			return;
		if (path_count_rate(t->rates, d, NETDEV_RX_PACKETS, &in)) {
			format_rate(text, sizeof(text), in, NUMBER_SI);
			snprintf(buf, size,
				 "%s has no XDP program: XDP loses none of the %s packets a second "
				 "that come in.\n",
				 d->name, text);
		} else {
			snprintf(buf, size,
				 "%s has no XDP program: XDP loses none of its packets.\n",
				 d->name);
		}
		return;
	}
	if (t->options.switch_by != SWITCH_NOT)
		return;
	suggestions_text(&near, text, sizeof(text));
	snprintf(buf, size, "This recording has no device %s now%s%s.\n", term.text,
		 *text ? "; nearest: " : "", text);
}

/* Whether a row has verdicts: packets of its program are counted whatever tracepoints saw. */
static bool has_verdicts(const struct table *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (table_verdict_packets(t, t->row[i].verdicts, BASIS_BASELINE))
			return true;
	return false;
}

/* Whether there is no row but the line on tracepoints. */
static bool is_empty(const struct table *t)
{
	return !t->n_rows || (t->row[0].more && !t->row[0].block);
}

static void say_missing(const struct table *t, const struct snapshot_host *host, char *buf,
			size_t size)
{
	const struct view *view = t->options.view;
	const struct row_kind *kind = view->rows;

	buf[0] = '\0';
	if (view->always)
		say_skipped(t, buf, size);
	else
		say_named(t, buf, size);
	if (!*buf && t->hidden && is_empty(t))
		say_hidden(t, buf, size);
	if (*buf || (kind->list && t->n_rows) || refusals_count(host->refused, view->needs))
		return;
	if (!kind->list && !has_verdicts(t) && !t->n_paths)
		no_data_text(t->rates, view_tracepoints(view), host, t->options.netns,
			     t->options.switch_by, buf, size);
	if (!*buf && kind->missing)
		kind->missing(t, host, buf, size);
	if (!*buf && is_empty(t))
		snprintf(buf, size, "No row had activity; %sa shows all rows.\n",
			 t->options.keys ? "" : "-");
}

void table_missing(const struct table *t, const struct snapshot_host *host, char *buf, size_t size)
{
	size_t len;

	say_missing(t, host, buf, size);
	len = strlen(buf);
	refusals_text(host->refused, t->options.view->iters, host->kernel, buf + len, size - len);
}

/* Up to this many tracepoints are named. */
#define NAMED 2

/* "12 on, xdp_redirect off, net_dev_queue shed" */
static int tracepoints_text(const struct table *t, char *buf, size_t size)
{
	static const enum tp_state states[] = { TP_ON, TP_OFF, TP_SHED, TP_FAILED, TP_MISSING };
	const struct snapshot *s = t->rates->to;
	struct format_text to = { .buf = buf, .size = size };

	format_add(&to, "Tracepoints%s: ", t->options.keys ? " (t)" : "");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		const char *named[NAMED] = { "" };
		size_t n = 0;

		for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
			const char *name = snapshot_tracepoint(s, tp);

			if (s->tp[tp].state != states[i] || !*name)
				continue;
			if (n < NAMED)
				named[n] = name;
			n++;
		}
		if (i && !n)
			continue;
		format_add(&to, i ? ", " : "");
		if (states[i] == TP_ON || states[i] == TP_MISSING || n > NAMED)
			format_add(&to, "%zu", n);
		else
			for (size_t k = 0; k < n; k++)
				format_add(&to, "%s%s", k ? " and " : "", named[k]);
		format_add(&to, " %s", tp_state_name(states[i]));
	}
	return (int)to.len;
}

int table_more_text(const struct table *t, const struct row *row, char *buf, size_t size)
{
	if (!row->block && t->options.view->rows->more)
		return t->options.view->rows->more(t, row, buf, size);
	if (!row->block)
		return tracepoints_text(t, buf, size);
	return snprintf(buf, size, "%zu more in %s", row->more,
			t->block[row->block - 1].options.view->name);
}
