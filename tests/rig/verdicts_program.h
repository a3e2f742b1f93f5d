/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An XDP program that returns the verdict a frame asks for and counts it, and what the rig has
 * fired at it. Functions return 0 or -errno.
 */
#pragma once

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "link.h"
#include "verdicts_map.h"

#define VERDICT_PLACES 7 /* devices */

extern const struct verdict {
	const char *name;
	uint8_t mark; /* in a frame that asks for it */
} verdicts[SEEN_ACTS];

struct verdicts_program {
	const char *name;
	struct verdicts_bpf *bpf; /* NULL = not loaded */
	struct bpf_program *handle;
	int fd; /* 0 = not loaded */
	__u32 id;
	uint64_t fired;
	struct seen expect[VERDICT_PLACES][SEEN_ACTS];
	struct seen before[SEEN_ACTS]; /* fired when a monitor may not have known the program yet */
};

/*
 * Loads the program of this name from a separate object. For a dispatcher: how many parts it calls.
 * For a part: the function that it replaces (NULL = none), and in which program.
 */
int verdicts_load(struct verdicts_program *p, const char *name, int parts, int whole,
		  const char *function);
void verdicts_unload(struct verdicts_program *p);
/* Waits until it has seen all frames that were fired. */
int verdicts_wait(const struct verdicts_program *p);
/* -EBADMSG = its counts differ from what was fired. */
int verdicts_check(const struct verdicts_program *p);
void verdicts_print(const struct verdicts_program *p);
/* Prints what must have been counted on each device, or by queue as the program saw it. */
void verdicts_print_rows(const struct verdicts_program *p, const struct link *in, bool queues);
/*
 * Waits up to a minute until the kernel has no such program any longer, and prints how long it
 * took.
 */
int verdicts_print_gone(__u32 prog_id);
