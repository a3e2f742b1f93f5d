/* SPDX-License-Identifier: GPL-2.0-or-later */
/* xdptop -b: samples and writes until the count, a signal, or a closed pipe ends it. */
#pragma once

#include "output/http_server.h"
#include "output/output.h"
#include "output/recorder.h"

struct batch_config {
	uint64_t iterations;   /* snapshots, with --follow events; 0 = no limit */
	double seconds;        /* length of the run; 0 = no limit */
	double delay_s;        /* interval of a live source */
	const char *recording; /* name of the other sources, for messages */
	bool quiet;            /* only errors are printed */
};

/* Opens the output. Returns EXIT_DONE, or the exit code, with a message on stderr. */
int batch_sink(struct sink *sink, const struct output_config *output);
/*
 * Samples and writes into a sink of batch_sink() until the run ends. With a server (else NULL)
 * nothing is written: the server answers requests with the totals in the output's format, which
 * must have print(). It still answers after the end of a recording in a file. With a recorder (else
 * NULL) the sink is the recorder's. Returns the exit code. Messages are on stderr.
 */
int batch_run(struct source *source, struct sink *sink, struct http_server *server,
	      struct recorder *recorder, const struct output_config *output,
	      const struct batch_config *config);
/* --list; returns the exit code. Of the host only `refused` and `kernel` are used. */
int batch_list(const struct tp_count tp[TP_COUNT], const struct snapshot_host *host,
	       const struct output_config *output);
