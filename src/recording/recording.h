/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording (the output of `xdptop -o json`) as a source: its snapshots, at the pace they were
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
	const char *output; /* where the output goes, NULL = stdout: that file is not read */
	double speed;       /* times as fast as recorded; 0 = own pace on a screen, none in batch */
	bool step;          /* the user asks for each snapshot */
	bool batch;         /* not under a screen: stderr takes remarks at any time */
	bool quiet;         /* no remarks */
};

/*
 * Open config->path and read nothing of it. On success *s is released by its close(); else -errno,
 * the exit code, and a one-line message in why.
 */
int recording_open(struct source **s, const struct recording_config *config, int *exit_code,
		   char *why, size_t why_size);
/*
 * Wait for the first line, which must be a header with a known schema, before anything else is
 * asked of s. 0, or -errno with a one-line message in why. Lines that cannot be used are reported
 * on stderr while they are read.
 */
int recording_begin(struct source *s, char *why, size_t size);

#endif
