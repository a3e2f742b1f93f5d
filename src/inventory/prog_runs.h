/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How often XDP programs ran, and for how long, read by a BPF iterator. */
#ifndef XDPTOP_PROG_RUNS_H
#define XDPTOP_PROG_RUNS_H

#include "bpf/iter_records.h"

struct bpf_iters;
struct prog_runs;

/* NULL = refused (before 5.19), or out of memory. The iterators must outlive it and may be NULL. */
struct prog_runs *prog_runs_open(struct bpf_iters *iterators);
/* Takes NULL. */
void prog_runs_close(struct prog_runs *r);
/*
 * fn gets a struct prog_run_record for each XDP program of the next part: on a machine with many
 * programs and CPUs each reading is limited. Needs no privileges. 0 or -errno.
 */
int prog_runs_read(struct prog_runs *r, void (*fn)(void *ctx, const void *record), void *ctx);

#endif
