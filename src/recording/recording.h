/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording (the output of `xdptop -o json`, or a directory of `xdptop --record`) as a source of
 * snapshots, at the pace they were taken.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "model/source.h"

struct recording_config {
	const char *path;   /* a file or directory, see span.h; "-" = stdin; NULL = no replay */
	const char *output; /* the output file, NULL = stdout: refused as input */
	double speed;       /* factor; 0 = recorded pace on a screen, no waiting in batch */
	bool step;          /* the user asks for each snapshot */
	bool batch;         /* without a screen: remarks may go to stderr at any time */
	bool quiet;         /* no remarks */
};

/*
 * Open config->path (of a directory, all segments) without reading it, because that may need
 * privileges that are then dropped. 0, and *s is released by its close(); or -errno and *error.
 */
int recording_open(struct source **s, const struct recording_config *config, struct error *error);
/*
 * Wait for the first line, which must be a header with a known schema, and find the time to begin
 * at. Call it before any other use of s. 0, or -errno and *error: -ECANCELED after a signal, see
 * event_loop_ends(). Unusable lines are reported on stderr while they are read.
 */
int recording_begin(struct source *s, struct error *error);
