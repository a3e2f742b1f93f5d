/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Following: every event of some tracepoints, one by one, with its arguments. Which, and what is
 * known of each; the kernel's names of the arguments are one table.
 */
#ifndef XDPTOP_FOLLOWED_H
#define XDPTOP_FOLLOWED_H

#include "bpf/follow.h"
#include "model/snapshot.h"

#define FOLLOW_TEXT_LEN 256
/* Events of one snapshot at most; so the memory of a snapshot, and of a recording, has a bound. */
#define FOLLOWED_MAX (1 << 17)

struct follow_filter {
	uint32_t tracepoints; /* bits 1 << id; 0 = nothing is followed */
	struct follow_choices choices;
	char text[FOLLOW_TEXT_LEN]; /* what is followed, for people */
};

/*
 * Whether an event is one of those that the filter asks for. Names are the kernel's, of
 * SERIES_NAME_LEN bytes, zero behind the NUL.
 */
bool follow_filter_match(const struct follow_filter *f, uint32_t tracepoint,
			 const struct series_key *key, const char *ifname, const char *to_ifname,
			 const char *prog_name);

/* An argument by the kernel's name (TP_STRUCT__entry of include/trace/events/xdp.h, net.h). */
struct followed_field {
	const char *name;
	/* False = it is not known of this event. Numbers as text, act by name. */
	bool (*print)(const struct followed *e, char *buf, size_t size);
	uint8_t arg; /* it is arg[arg - 1]; 0 = another part of struct followed */
};

/* The fields of a tracepoint, in the kernel's order, up to one without a name. */
const struct followed_field *followed_fields(uint32_t tracepoint);
/* "prog_id=42 act=REDIRECT ifindex=3 err=-6": all that is known. Returns the length. */
int followed_args_text(const struct followed *e, char *buf, size_t size);

#endif
