/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following lists every event of some series with its arguments. Here are the series, and one table
 * of the arguments by their names in the kernel.
 */
#pragma once

#include "model/snapshot.h"

/* Maximum of events in a snapshot. It limits the memory of a snapshot, and of a recording. */
#define FOLLOWED_MAX (1 << 17)

struct follow_filter {
	uint32_t tracepoints;   /* bits 1 << id; 0 = nothing is followed */
	const uint64_t *series; /* ids of series in the last snapshot, ascending */
	size_t n_series;
};

/* An argument by the kernel's name (TP_STRUCT__entry of include/trace/events/xdp.h, net.h). */
struct followed_field {
	const char *name;
	/* Prints numbers as text, act by name. False = unknown for this event. */
	bool (*print)(const struct followed *e, char *buf, size_t size);
	uint8_t arg; /* the value is arg[arg - 1]; 0 = another member of struct followed */
};

/* The fields of a tracepoint in the kernel's order. The last has no name. */
const struct followed_field *followed_fields(uint32_t tracepoint);
/* "prog_id=42 act=REDIRECT ifindex=3 err=-6": all known fields. Returns the length. */
int followed_args_text(const struct followed *e, char *buf, size_t size);
