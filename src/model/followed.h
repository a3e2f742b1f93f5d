/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following lists every event of some tracepoints with its arguments. Here are the filter, and one
 * table of the arguments by their names in the kernel.
 */
#ifndef XDPTOP_FOLLOWED_H
#define XDPTOP_FOLLOWED_H

#include "bpf/follow.h"
#include "model/snapshot.h"

#define FOLLOW_TEXT_LEN 256
/* Maximum of events in a snapshot. It limits the memory of a snapshot, and of a recording. */
#define FOLLOWED_MAX (1 << 17)

struct follow_filter {
	uint32_t tracepoints; /* bits 1 << id; 0 = nothing is followed */
	struct follow_choices choices;
	char text[FOLLOW_TEXT_LEN]; /* the filter for display */
};

/*
 * Whether an event matches the filter. Names are the kernel's: SERIES_NAME_LEN bytes, zero after
 * the NUL.
 */
bool follow_filter_match(const struct follow_filter *f, uint32_t tracepoint,
			 const struct series_key *key, const char *ifname, const char *to_ifname,
			 const char *prog_name);

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

#endif
