/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings that programs write followed events to (bpf/follow_ring.h), one or more for each CPU.
 * They are mapped only while they are used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "bpf/follow.h"

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
