/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches the programs to their tracepoints, and detaches them: a tracepoint that is off has no
 * link and costs nothing. A worker thread does it, because attaching again takes 8 to 18 ms. The
 * worker also keeps the budget. A row can have a switch in place of a program.
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

/* The worker calls these functions; meter() has the lock of attach and must not call it. */
struct attach_switch {
	int (*set)(void *ctx, bool on); /* 0 or -errno; off does not fail */
	/* Write cpu[].meter[tracepoint], sums since the start. */
	void (*meter)(void *ctx, struct series_cpu *cpu, uint32_t cpus, int tracepoint);
	void *ctx;
};

/*
 * Tracepoints without a loaded program keep their state and reason of tp[] (missing, failed).
 * `budget` is in percent of one CPU, 0 = none; `cpu` is the programs' memory. NULL = no memory.
 */
struct attach *attach_new(const struct backend_ops *ops, struct backend *backend,
			  const struct backend_object *object, const struct tp_count tp[TP_COUNT],
			  double budget, struct series_cpu *cpu, uint32_t cpus);
/* End the worker, detach all, free; takes NULL. */
void attach_free(struct attach *a);
/* Attach the tracepoints of `set` in this thread, before the worker. Returns how many succeeded. */
int attach_initial(struct attach *a, uint32_t set);
/*
 * Give a row that has no program this name in snapshots and this switch, and switch it on, before
 * the worker. NULL = it cannot be had: failed, for `reason`.
 */
void attach_add_switch(struct attach *a, unsigned int tracepoint, const char *name,
		       const struct attach_switch *sw, const char *reason);
/* The same, but it is off, and has no name in snapshots until it was asked for. */
void attach_add_switch_off(struct attach *a, unsigned int tracepoint, const char *name,
			   const struct attach_switch *sw);
/* Switch it off for good: failed, for `reason`. Waits; none of its functions runs behind it. */
void attach_end_switch(struct attach *a, unsigned int tracepoint, const char *reason);
/*
 * Start the worker, once; 0 or -errno. Not a part of attach_new(): a thread inherits capabilities
 * and seccomp filters when it is created, so privileges are dropped before.
 */
int attach_start_worker(struct attach *a);
/*
 * Ask for on (1), off (0), or toggle (-1). Does not wait. Returns what is asked for now, or -ENOENT
 * where there is neither program nor switch.
 */
int attach_toggle(struct attach *a, unsigned int tracepoint, int on);
/* Wait until all that is asked for is so. */
void attach_wait(struct attach *a);
/* Detach all (stop), or attach again what was on; waits until done. */
void attach_suspend(struct attach *a, bool stop);
/*
 * Have switches write their meters; the worker does so no more until the release. Returns the rows
 * that have a switch, or had: only the meter has what they counted.
 */
uint32_t attach_hold_meters(struct attach *a);
void attach_release_meters(struct attach *a);
/* Fill name, state, pending, reason and on_ns of each tracepoint at `now_ns` (CLOCK_MONOTONIC). */
void attach_states(struct attach *a, uint64_t now_ns, struct tp_count tp[TP_COUNT]);

#endif
