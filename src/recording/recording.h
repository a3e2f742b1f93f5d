/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording (the output of `xdptop -o json`) as a source of snapshots, at the pace they were
 * taken.
 */
#ifndef XDPTOP_RECORDING_H
#define XDPTOP_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include "base/exit_code.h"
#include "model/source.h"

struct recording_config {
	const char *path;   /* "-" = stdin; NULL = nothing to replay */
	const char *output; /* the output file, NULL = stdout: refused as input */
	double speed;       /* factor; 0 = recorded pace on a screen, no waiting in batch */
	bool step;          /* the user asks for each snapshot */
	bool batch;         /* without a screen: remarks may go to stderr at any time */
	bool quiet;         /* no remarks */
};

/*
 * Open config->path without reading it. 0, and *s is released by its close(); or -errno, the exit
 * code, and a one-line message in `why`.
 */
int recording_open(struct source **s, const struct recording_config *config, int *exit_code,
		   char *why, size_t why_size);
/*
 * Wait for the first line, which must be a header with a known schema. Call it before any other use
 * of s. 0, or -errno with a one-line message in `why`. Unusable lines are reported on stderr while
 * they are read.
 */
int recording_begin(struct source *s, char *why, size_t size);

#endif
