/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events the counting programs also write to rings (bpf/follow_ring.h): those of the series
 * that are marked, and of series that come later. The worker of src/tracing/attach.h switches it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tracing/probe.h"

struct backend;
struct backend_object;
struct backend_ops;
struct follow;

/*
 * The rings that programs write followed events to (bpf/follow_ring.h), one or more for each CPU.
 * They are mapped only while they are used.
 */
struct follow_reader;

/* All zero = none. */
struct follow_rings {
	struct follow_reader *reader;
	size_t n;
	const struct follow_event *slot;
	size_t bytes;
};

typedef void (*follow_event_fn)(void *ctx, uint32_t cpu, const struct follow_event *e);

/*
 * Divide the slots, whose memory is mapped through fd, equally among the rings of the tracepoints
 * of `set` (bits 1 << id) on each online CPU. Other rings get no slots, so a CPU that comes online
 * later loses its events. `cpu` has `cpus` elements. `preempted` = a program may interrupt another.
 * No program may run: the content of the rings is dropped. 0 or -errno.
 */
int follow_rings_open(struct follow_rings *rings, int fd, uint32_t slots, struct follow_cpu *cpu,
		      uint32_t cpus, uint32_t set, bool preempted);
void follow_rings_close(struct follow_rings *rings);
/*
 * Hand at most `max` complete events to fn, in order of time. True = there are no more; else the
 * rest comes with the next call, as do events that a CPU is still writing.
 */
bool follow_rings_read(struct follow_rings *rings, follow_event_fn fn, void *ctx, size_t max);

/* For programs that are loaded. NULL and errno = the memory cannot be mapped. */
struct follow *follow_open(const struct backend_ops *ops, struct backend *backend,
			   const struct backend_object *object, const struct probe_memory *memory);
void follow_close(struct follow *f);
/* False = the backend only counts, and the functions below have nothing to do. */
bool follow_available(const struct follow *f);
/*
 * Set the tracepoints (bits 1 << id) whose events are followed, with no series marked yet. Call it
 * only while following is switched off. Drops the content of the rings. Without tracepoints it
 * unmaps them. 0 or -errno.
 */
int follow_choose(struct follow *f, uint32_t set);
/* Mark the series in a slot, or unmark it, within a tick. New series are marked. */
void follow_mark(struct follow *f, uint32_t slot, bool followed);
/* For struct attach_switch. */
int follow_switch(void *follow, bool on);
void follow_meter(void *follow, struct series_cpu *cpu, uint32_t cpus, int tracepoint);
/* As follow_rings_read(). */
bool follow_events(struct follow *f, follow_event_fn fn, void *ctx, size_t max);
/* What the programs have counted, by CPU; NULL unless follow_available(). */
const struct follow_cpu *follow_counts(const struct follow *f);
/* Prints the arguments of an event whose tracepoint is TP_OTHER or above. */
void follow_other_text(const struct follow *f, const struct follow_event *e, char *buf,
		       size_t size);
