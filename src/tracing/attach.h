/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches the programs to their tracepoints, and detaches them: a tracepoint that is off has no
 * link and costs nothing. A worker thread does it, because attaching again takes 8 to 18 ms. The
 * worker also keeps the budget.
 *
 * Besides the worker, one thread only may call these functions.
 */
#ifndef XDPTOP_ATTACH_H
#define XDPTOP_ATTACH_H

#include "model/snapshot.h"

struct attach;
struct backend;
struct backend_object;
struct backend_ops;

/*
 * Tracepoints without a loaded program keep their state and reason of tp[] (missing, failed).
 * `budget` is in percent of one CPU, 0 = none; `cpu` is the programs' memory. NULL = no memory.
 */
struct attach *attach_new(const struct backend_ops *ops, struct backend *backend,
			  const struct backend_object *object, const struct tp_count tp[TP_COUNT],
			  double budget, const struct series_cpu *cpu, uint32_t cpus);
/* End the worker, detach all, free; takes NULL. */
void attach_free(struct attach *a);
/* Attach the tracepoints of `set` in this thread, before the worker. Returns how many succeeded. */
int attach_initial(struct attach *a, uint32_t set);
/*
 * Start the worker, once; 0 or -errno. Not a part of attach_new(): a thread inherits capabilities
 * and seccomp filters when it is created, so privileges are dropped before.
 */
int attach_start_worker(struct attach *a);
/*
 * Ask for on (1), off (0), or toggle (-1). Does not wait. Returns what is asked for now, or -ENOENT
 * where no program is loaded.
 */
int attach_toggle(struct attach *a, unsigned int tracepoint, int on);
/* Detach all (stop), or attach again what was on; waits until done. */
void attach_suspend(struct attach *a, bool stop);
/* Fill state, pending, reason and on_ns of each tracepoint at `now_ns` (CLOCK_MONOTONIC). */
void attach_states(struct attach *a, uint64_t now_ns, struct tp_count tp[TP_COUNT]);

#endif
