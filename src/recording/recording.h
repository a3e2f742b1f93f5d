/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording, what `xdptop -o json` printed, as a source: it gives the snapshots that were
 * written, at the pace they were taken.
 */
#ifndef XDPTOP_RECORDING_H
#define XDPTOP_RECORDING_H

#include "cli/options.h"
#include "model/source.h"

/*
 * Open options->read ("-" = stdin) and read up to its header. Signature and errors as
 * live_source_open() in src/source/live_source.h. What is wrong with single lines is said on stderr
 * while they are read.
 */
int recording_open(struct source **s, const struct options *options, int *exit_code, char *why,
		   size_t why_size);

#endif
