/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The links that attach the programs to their tracepoints: on is a link, off is none, so what is
 * off costs nothing. A worker thread creates and destroys them (8 to 18 ms for a re-attach), so
 * that callers never wait, and keeps the budget.
 *
 * All functions are for one thread besides the worker.
 */
#ifndef XDPTOP_ATTACH_H
#define XDPTOP_ATTACH_H

#include "model/snapshot.h"

struct attach;
struct backend;
struct backend_ops;

/*
 * Programs that the backend has not loaded keep the states of tp[] (missing, failed). budget is in
 * percent of one CPU, 0 = none; cpu is the programs' live memory. NULL when out of memory.
 */
struct attach *attach_new(const struct backend_ops *ops, struct backend *backend,
			  const struct tp_count tp[TP_COUNT], double budget,
			  const struct series_cpu *cpu, uint32_t cpus);
/* Detaches all, ends the worker; takes NULL. */
void attach_free(struct attach *l);
/* Attach those of `set` at once, before the worker runs. Returns how many are attached now. */
int attach_at_start(struct attach *l, uint32_t set);
/* Start the worker; 0 or -errno. Apart from attach_new(): capabilities belong to threads. */
int attach_start(struct attach *l);
/* Ask for on (1), off (0) or the reverse of what was asked for last (-1). Returns at once what is
 * asked for now, or -ENOENT where there is no program. */
int attach_toggle(struct attach *l, unsigned int tracepoint, int on);
/* Detach all, or attach again those that were on; waits until it is done. */
void attach_suspend(struct attach *l, bool stop);
/* State, pending, reason and on_ns of each tracepoint at `now_ns` (CLOCK_MONOTONIC). */
void attach_states(struct attach *l, uint64_t now_ns, struct tp_count tp[TP_COUNT]);

#endif
