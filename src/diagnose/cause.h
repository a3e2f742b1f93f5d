/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an error means: one table, by tracepoint, target and errno or action. Every text was checked
 * against the kernel source it names.
 */
#ifndef XDPTOP_CAUSE_H
#define XDPTOP_CAUSE_H

#include <stddef.h>
#include <stdint.h>
#include "bpf/shared.h"

/* What a redirect went through (bits of struct cause.through). */
enum {
	THROUGH_IFINDEX = 1 << 0, /* bpf_redirect() */
	THROUGH_DEVMAP = 1 << 1,  /* devmap and devmap_hash */
	THROUGH_CPUMAP = 1 << 2,
	THROUGH_XSKMAP = 1 << 3,
	THROUGH_NOTHING = 1 << 4, /* no helper was called */
	THROUGH_OTHER = 1 << 5,
	THROUGH_ANY = (1 << 6) - 1,
};

/* struct cause.code for every action above XDP_REDIRECT. */
#define CAUSE_BAD_ACT 5

struct cause {
	uint32_t tracepoints; /* bits 1 << id */
	uint8_t through;      /* bits THROUGH_*; of no weight where there is no map */
	int code;             /* action, -errno, or 0 = drops without an errno */
	const char *meaning;  /* one line, for a cell */
	const char *next;     /* what to do about it */
	const char *source;   /* the kernel function that raises it */
	const char *commands; /* to look and to mend: templates of src/diagnose/location.h, one a
				 line */
};

extern const struct cause causes[];
extern const size_t n_causes;

/* For a series of this tracepoint with this key; NULL when the table has none. */
const struct cause *cause_find(uint32_t tracepoint, const struct series_key *key);
/* THROUGH_* of a key of xdp_redirect*. */
uint8_t cause_through(const struct series_key *key);

#endif
