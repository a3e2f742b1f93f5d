// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/suggest.h"
#include "diagnose/device_path.h"
#include "diagnose/no_data.h"
#include "table/filter.h"
#include "table/row_kind.h"
#include "table/table_internal.h"

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
	if (t->n_paths && (column == COL_PATH_PASS || column == COL_PATH_TX))
		return t->counted_stages & BIT(column - COL_PATH_IN);
	return (t->has_verdicts || !c->of_verdicts) && (t->has_pods || !c->of_pods) &&
	       (t->has_fills || !c->of_fills) && (t->has_runs || !c->of_runs) &&
	       (t->has_timing || !c->of_timing);
}

int table_build(struct table *t, const struct rates *rates, const struct table_options *options)
{
	int err = table_build_view(t, rates, options);

	if (!err && options->block_rows && !options->drill)
		err = table_add_blocks(t);
	if (err)
		t->n_rows = 0;
	return err;
}

int table_build_findings(struct table *t, const struct rates *rates,
			 const struct table_options *options)
{
	struct table_options wanted = {
		.view = &views[VIEW_FINDINGS],
		.filter = options->filter,
		.sort = -1,
		.all = true,
		.unit = options->unit,
		.netns = options->netns,
		.findings = options->findings,
	};

	return table_build(t, rates, &wanted);
}

static void say_hidden(const struct table *t, char *buf, size_t size)
{
	const char *remedy = t->options.keys ? "; press / to change it" : "";

	if (t->hidden == 1)
		snprintf(buf, size, "The only row is hidden by the filter%s.\n", remedy);
	else
		snprintf(buf, size, "All %zu rows are hidden by the filter%s.\n", t->hidden,
			 remedy);
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

/* Whether there are rows besides the line on tracepoints. */
static bool is_empty(const struct table *t)
{
	return !t->n_rows || (t->row[0].more && !t->row[0].block);
}

void table_missing(const struct table *t, const struct snapshot_host *host, char *buf, size_t size)
{
	const struct view *view = t->options.view;
	const struct row_kind *kind = view->rows;

	buf[0] = '\0';
	say_named(t, buf, size);
	if (!*buf && t->hidden && is_empty(t))
		say_hidden(t, buf, size);
	if (*buf || (kind->list && t->n_rows))
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
