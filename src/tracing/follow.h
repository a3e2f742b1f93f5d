/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs that follow events (bpf/follow_ring.h): loaded at the start beside the others,
 * attached by the worker of src/tracing/attach.h while something is followed, and the rings that
 * they write to.
 */
#ifndef XDPTOP_TRACING_FOLLOW_H
#define XDPTOP_TRACING_FOLLOW_H

#include "bpf/follow.h"
#include "model/snapshot.h"
#include "tracing/follow_rings.h"

struct backend;
struct backend_ops;
struct backend_size;
struct bpf_iters;
struct follow;

/*
 * Begin to load those of `wanted` (bits 1 << id) in a thread, on few CPUs behind the iterators.
 * NULL = out of memory, or no thread.
 */
struct follow *follow_start(const struct backend_ops *ops, struct backend *backend, uint32_t wanted,
			    const struct backend_size *size, struct bpf_iters *iters);
/* Takes NULL. */
void follow_close(struct follow *f);
/* Wait for the thread; before the privileges go, and before all functions below. */
void follow_ready(struct follow *f);
/* The tracepoints that have a program, bits 1 << id. */
uint32_t follow_tracepoints(const struct follow *f);
/* Why this one has none. */
const char *follow_reason(const struct follow *f, uint32_t tracepoint);
/*
 * The tracepoints (bits 1 << id) and events from the next time it is switched on; while it is off.
 * What is in the rings is dropped; without tracepoints they are unmapped. 0 or -errno.
 */
int follow_choose(struct follow *f, uint32_t set, const struct follow_choices *choices);
/* As struct attach_switch wants them. */
int follow_switch(void *follow, bool on);
void follow_meter(void *follow, struct series_cpu *cpu, uint32_t cpus, int tracepoint);
/* As follow_rings_read(). */
bool follow_events(struct follow *f, follow_event_fn fn, void *ctx, size_t max);
/* What the programs have counted, by CPU. NULL = none is loaded. */
const struct follow_cpu *follow_counts(const struct follow *f);
/* Events that the kernel's recursion guard has skipped, of all tracepoints. */
uint64_t follow_missed(const struct follow *f);
/* The arguments of an event of TP_OTHER and up. */
void follow_other_text(const struct follow *f, const struct follow_event *e, char *buf,
		       size_t size);

#endif
