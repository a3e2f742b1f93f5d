// SPDX-License-Identifier: GPL-2.0-or-later
/* Every metric of a tracepoint or data source has room in the format's tables, which are fixed. */
#include "output/output.h"
#include "source/data_source.h"
#include "unit/test.h"

static bool has_metric(const char *wanted)
{
	const char *name, *help;
	char labels[256];

	for (size_t i = 0; (name = output_prometheus.metric(i, labels, sizeof(labels), &help)); i++)
		if (!strcmp(name, wanted))
			return true;
	print_error("%s has no room\n", wanted);
	return false;
}

TEST(test_metrics)
{
	for (int id = 0; id < DATA_SOURCE_COUNT; id++) {
		const struct data_source_metric *m = data_sources[id]->metrics;

		for (; m && m->name; m++)
			assert_true(has_metric(m->name));
	}
	for (int tp = 0; tp < TP_COUNT; tp++) {
		const struct tp_metric *m = tracepoints[tp].metrics;

		for (; m && m->name; m++)
			assert_true(has_metric(m->name));
	}
}
