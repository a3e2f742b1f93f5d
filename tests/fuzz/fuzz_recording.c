// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a recording: read to the end, and every view drawn from every snapshot. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "table/filter.h"
#include "recording/recording.h"
#include "table/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(const struct rates *rates, const struct filter *filter)
{
	struct table table = { 0 };
	char text[SNAPSHOT_TEXT_LEN];
	struct cell cell;

	for (int v = 0; v < VIEW_COUNT; v++) {
		struct table_options options = {
			.view = &views[v],
			.filter = filter,
			.sort = views[v].sort,
			.all = true,
			.per_cpu = true,
		};

		if (table_build(&table, rates, &options))
			continue;
		for (size_t row = 0; row < table.n_rows; row++)
			for (int i = 0; i < views[v].n_columns; i++) {
				table_cell(&table, row, views[v].column[i], &cell);
				cell_text(&cell, text, sizeof(text), NUMBER_SI, false);
			}
	}
	table_free(&table);
}

/* Reads snapshots until the end, at most 64; *events is the sum of their counts. */
static int read_all(struct source *source, const struct filter *filter, bool drawn,
		    uint64_t *events)
{
	struct snapshot snapshots[2] = { 0 }, *to = &snapshots[0], *from = &snapshots[1], *other;
	struct rates rates = { 0 };
	int rounds = 0, code;

	*events = 0;
	while (rounds < 64 && (code = source->ops->sample(source, to)) <= 0) {
		if (code == -EAGAIN)
			continue;
		if (code)
			break;
		for (size_t i = 0; i < to->n_series; i++)
			*events += to->series[i].total.events;
		rates_set(&rates, rounds ? from : NULL, to, NULL);
		if (drawn)
			draw(&rates, filter);
		other = from;
		from = to;
		to = other;
		snapshot_clear(to);
		rounds++;
	}
	rates_free(&rates);
	snapshot_free(&snapshots[0]);
	snapshot_free(&snapshots[1]);
	return rounds;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording_config config = { .batch = true, .quiet = true };
	struct source *source = NULL;
	struct filter *filter = NULL;
	char path[64];
	struct error error = { 0 };
	int fd = memfd_create("recording", MFD_CLOEXEC), rounds;
	uint64_t events, again;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	config.path = path;
	if (recording_open(&source, &config, &error))
		abort();
	if (!recording_begin(source, &error)) {
		if (filter_parse("eth", &filter, &error))
			filter = NULL;
		rounds = read_all(source, filter, true, &events);
		/* reading again from the start gives the same */
		if (source->ops->seek(source, &(struct timespec){ 0 }) ||
		    read_all(source, NULL, false, &again) != rounds || again != events)
			abort();
		filter_free(filter);
	}
	source->ops->close(source);
	close(fd);
	return 0;
}
