// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "diagnose/no_data.h"
#include "table/row_kind.h"
#include "table/table_internal.h"

static void say_hidden(const struct table *t, char *buf, size_t size)
{
	const char *remedy = t->options.keys ? "; press / to change it" : "";

	if (t->hidden == 1)
		snprintf(buf, size, "The only row is hidden by the filter%s.\n", remedy);
	else
		snprintf(buf, size, "All %zu rows are hidden by the filter%s.\n", t->hidden,
			 remedy);
}

/* Whether a row has verdicts: its program's packets are counted, whatever tracepoints saw. */
static bool has_verdicts(const struct table *t)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (table_verdict_packets(t, t->row[i].verdicts, BASIS_BASELINE))
			return true;
	return false;
}

void table_missing(const struct table *t, const struct snapshot_host *host, char *buf, size_t size)
{
	const struct view *view = t->options.view;
	const struct row_kind *kind = view->rows;

	buf[0] = '\0';
	if (t->hidden && !t->n_rows)
		say_hidden(t, buf, size);
	if (*buf || (kind->list && t->n_rows))
		return;
	if (!kind->list && !has_verdicts(t))
		no_data_text(t->rates, view_tracepoints(view), host, t->options.netns,
			     t->options.switch_by, buf, size);
	if (!*buf && kind->missing)
		kind->missing(t, host, buf, size);
	if (!*buf && !t->n_rows)
		snprintf(buf, size, "No row had activity; %sa shows all rows.\n",
			 t->options.keys ? "" : "-");
}
