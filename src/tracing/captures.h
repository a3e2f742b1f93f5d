/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captured packets on the monitor's side: the ring that all captures write to, the array of each
 * (bpf/capture.h), and the counts of those that have ended.
 */
#pragma once

#include "model/capture.h"

struct captures;

typedef void (*capture_record_fn)(void *ctx, const struct capture_record *r);

/*
 * Maps the ring. `both`: the arrays have room for packets before the program. NULL = errno has the
 * reason. Call it before the drop of privileges.
 */
struct captures *captures_open(int ring, uint32_t cpus, bool both);
void captures_close(struct captures *c);
/* Hands all records in the ring to fn, in the order in which they were reserved. */
void captures_read(struct captures *c, capture_record_fn fn, void *ctx);

struct capture_array {
	union capture_element *element; /* NULL = there is no capture */
	struct capture_choices choices;
	uint32_t insns; /* for which its program is loaded */
	bool both;
};

/* Maps the array of a capture, which begins without choices. 0 or -errno. */
int capture_begin(struct captures *c, struct capture_array *a, int map);
/* Choose packets. NULL = none; packets of programs that run now may still come. */
void capture_choose(struct capture_array *a, uint32_t prog_id,
		    const struct capture_choices *choices);
/* Its program has ended: keep the counts. */
void capture_end(struct captures *c, struct capture_array *a, uint32_t prog_id);

/* Add the counts of a running capture. */
void capture_count(const struct captures *c, const struct capture_array *a,
		   struct capture_counts *to);
/* Add the counts of a program's captures that have ended; prog_id 0 = of all programs. */
void captures_count_ended(const struct captures *c, uint32_t prog_id, struct capture_counts *to);
/* The measured time of a running capture on a CPU. */
uint64_t capture_ns(const struct capture_array *a, uint32_t cpu);
