/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs that follow events (bpf/follow_ring.h), and the rings that they write to. The
 * programs are loaded at start, in parallel to the others. The worker of src/tracing/attach.h
 * attaches them while something is followed.
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
 * Start to load the programs of `wanted` (bits 1 << id) in a thread. On few CPUs it waits for the
 * iterators first. NULL = out of memory, or the thread could not be created.
 */
struct follow *follow_start(const struct backend_ops *ops, struct backend *backend, uint32_t wanted,
			    const struct backend_size *size, struct bpf_iters *iters);
/* Takes NULL. */
void follow_close(struct follow *f);
/* Wait for the thread. Call it before the drop of privileges and before all functions below. */
void follow_ready(struct follow *f);
/* Tracepoints that have a program, as bits 1 << id. */
uint32_t follow_tracepoints(const struct follow *f);
/* Why a tracepoint has no program. */
const char *follow_reason(const struct follow *f, uint32_t tracepoint);
/*
 * Set the tracepoints (bits 1 << id) and events to follow. Call it only while following is switched
 * off. Drops the content of the rings. Without tracepoints it unmaps them. 0 or -errno.
 */
int follow_choose(struct follow *f, uint32_t set, const struct follow_choices *choices);
/* For struct attach_switch. */
int follow_switch(void *follow, bool on);
void follow_meter(void *follow, struct series_cpu *cpu, uint32_t cpus, int tracepoint);
/* As follow_rings_read(). */
bool follow_events(struct follow *f, follow_event_fn fn, void *ctx, size_t max);
/* What the programs have counted, by CPU. NULL = no program is loaded. */
const struct follow_cpu *follow_counts(const struct follow *f);
/* Events that the kernel's recursion guard skipped, summed over all tracepoints. */
uint64_t follow_missed(const struct follow *f);
/* Arguments of an event of TP_OTHER and up. */
void follow_other_text(const struct follow *f, const struct follow_event *e, char *buf,
		       size_t size);

#endif
