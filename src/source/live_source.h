/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live source: loads the BPF programs through src/tracing/probe.h, reads their maps into
 * snapshots.
 */
#ifndef XDPTOP_LIVE_SOURCE_H
#define XDPTOP_LIVE_SOURCE_H

#include "model/source.h"
#include "tracing/probe.h"

/*
 * Load all programs, attach those of trace->tracepoints that this kernel has. On success *s is
 * set and 0 returned. On failure a negative errno, the exit code for main in *exit_code, and a
 * message for the user (name, cause, remedy) in why. A single tracepoint that cannot be loaded or
 * attached is not a failure; none at all of those asked for is (EXIT_NO_TRACEPOINT).
 */
int live_source_open(struct source **s, const struct trace_config *trace, double delay_s,
		     int *exit_code, char *why, size_t why_size);

/* For --list: the state of every tracepoint without attaching any; needs no privilege beyond BTF.
 */
int live_source_list(struct tp_count tp[TP_COUNT], const struct trace_config *trace, int *exit_code,
		     char *why, size_t why_size);

#endif
