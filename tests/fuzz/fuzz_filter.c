// SPDX-License-Identifier: GPL-2.0-or-later
/* Any text as a filter, matched against rows with and without values. */
#include <stdlib.h>
#include <string.h>
#include "table/filter.h"
#include "table/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct error error = { 0 };
	struct filter *filter = NULL;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (!filter_parse(text, &filter, &error)) {
		struct snapshot to = { .mono_ns = 1 };
		struct rates rates = { 0 };
		struct table table = { 0 };
		struct series *series = snapshot_add_series(&to);

		if (!series)
			abort();
		series->id = 1;
		series->tracepoint = TP_XDP_REDIRECT_ERR;
		series->key.ifindex = 3;
		series->key.code = -95;
		series->total.events = 7;
		strcpy(series->ifname, "eth0");
		for (int tp = 0; tp < TP_VERDICTS; tp++) {
			to.tp[tp].state = tp % 2 ? TP_ON : TP_OFF;
			strcpy(to.tp[tp].name, tracepoints[tp].name);
		}
		for (int v = 0; v < VIEW_COUNT; v++) {
			struct table_options options = { .view = &views[v],
							 .filter = filter,
							 .sort = views[v].sort,
							 .all = true };

			rates_set(&rates, NULL, &to, NULL);
			table_build(&table, &rates, &options);
		}
		table_free(&table);
		rates_free(&rates);
		snapshot_free(&to);
	}
	filter_free(filter);
	free(text);
	return 0;
}
