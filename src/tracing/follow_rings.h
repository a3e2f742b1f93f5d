/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings that programs write followed events to (bpf/follow_ring.h): one or more for each CPU.
 * They are mapped while they are used only.
 */
#ifndef XDPTOP_FOLLOW_RINGS_H
#define XDPTOP_FOLLOW_RINGS_H

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
 * Give the slots, which fd has the memory of, in equal parts to the rings of the tracepoints of
 * `set` (bits 1 << id) on each CPU that is online; no other ring has a slot then, so that a CPU
 * that comes later loses its events. `cpu` has `cpus` elements; `preempted`: one program may
 * interrupt another. No program runs: what is in the rings is dropped. 0 or -errno.
 */
int follow_rings_open(struct follow_rings *rings, int fd, uint32_t slots, struct follow_cpu *cpu,
		      uint32_t cpus, uint32_t set, bool preempted);
void follow_rings_close(struct follow_rings *rings);
/*
 * Hand each event that was written up to now to fn, the earliest first, `max` at most. True when
 * those were all; else the others come next time. One that a CPU was writing comes next time, too.
 */
bool follow_rings_read(struct follow_rings *rings, follow_event_fn fn, void *ctx, size_t max);

#endif
