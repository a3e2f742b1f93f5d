/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches the programs to their tracepoints and detaches them. A tracepoint that is off has no
 * link and costs nothing. A row can have a switch instead of a program.
 *
 * A worker thread does this and keeps the budget, because attaching again takes 8 to 18 ms. All
 * functions below belong to one other thread, the main thread, except attach_switch.set() and
 * .meter(). Only attach_wait(), attach_suspend(), attach_end_switch() and attach_free() wait for
 * the worker. Until it is started, they and attach_initial() and attach_add_switch() attach in the
 * calling thread.
 */
#pragma once

#include "model/snapshot.h"

struct attach;
struct backend;
struct backend_object;
struct backend_ops;

/*
 * set() runs without the lock, in the worker once that is started. meter() runs in either thread
 * under the lock, and must not call attach functions.
 */
struct attach_switch {
	int (*set)(void *ctx, bool on); /* 0 or -errno; switching off cannot fail */
	/* Write cpu[].meter[tracepoint], sums since the start. */
	void (*meter)(void *ctx, struct series_cpu *cpu, uint32_t cpus, int tracepoint);
	void *ctx;
};

/*
 * Tracepoints without a loaded program keep the state and reason in tp[] (missing, failed).
 * `budget` is in percent of one CPU, 0 = no limit; `cpu` is the programs' memory. NULL = out of
 * memory.
 */
struct attach *attach_new(const struct backend_ops *ops, struct backend *backend,
			  const struct backend_object *object, const struct tp_count tp[TP_COUNT],
			  double budget, struct series_cpu *cpu, uint32_t cpus);
/* End the worker, detach everything and free. Takes NULL. */
void attach_free(struct attach *a);
/* Attach the tracepoints of `set` before the worker is started. Returns how many succeeded. */
int attach_initial(struct attach *a, uint32_t set);
/*
 * Give a row without a program this name in snapshots and this switch, and switch it on, before the
 * worker is started. `sw` NULL = not available: the row has failed, for `reason`.
 */
void attach_add_switch(struct attach *a, unsigned int tracepoint, const char *name,
		       const struct attach_switch *sw, const char *reason);
/* The same, but switched off, and without a name in snapshots until it is asked for. */
void attach_add_switch_off(struct attach *a, unsigned int tracepoint, const char *name,
			   const struct attach_switch *sw);
/*
 * Switch it off for good: the row has failed, for `reason`. After the return no function of the
 * switch runs.
 */
void attach_end_switch(struct attach *a, unsigned int tracepoint, const char *reason);
/*
 * Start the worker once, after the drop of privileges, because a thread inherits capabilities and
 * seccomp filters when it is created. 0 or -errno.
 */
int attach_start_worker(struct attach *a);
/*
 * Ask for on (1), off (0), or the other state (-1), without waiting. Returns the state asked for,
 * or -ENOENT if the row has neither program nor switch.
 */
int attach_toggle(struct attach *a, unsigned int tracepoint, int on);
/* Wait until everything asked for is applied. */
void attach_wait(struct attach *a);
/* Detach everything (stop), or attach again what is wanted. Waits until that is done. */
void attach_suspend(struct attach *a, bool stop);
/*
 * Have switches write their meters, and keep the worker from changing them until
 * attach_release_meters(). Returns the rows that have or had a switch, because their counts are in
 * the meters only.
 */
uint32_t attach_hold_meters(struct attach *a);
void attach_release_meters(struct attach *a);
/* Fill name, state, pending, reason and on_ns of each tracepoint at `now_ns` (CLOCK_MONOTONIC). */
void attach_states(struct attach *a, uint64_t now_ns, struct tp_count tp[TP_COUNT]);
