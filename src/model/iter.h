/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs that read what is on the machine, beside the tracepoints' programs. A kernel may
 * lack or refuse each of them; the reason is kept here and everything that says so asks here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum iter_id {
	ITER_WALK,
	ITER_SOCKETS,
	ITER_MAP_CONTENTS,
	ITER_MAP_USERS,
	ITER_MAP_COUNTS,
	ITER_PROGRAM_NAMES,
	ITER_MAP_NAMES,
	ITER_PROCESSES,
	ITER_FILES,
	ITER_LINKS,
	ITER_PINS,
	ITER_RUNS,
	ITER_INSTALLS, /* this and the next are fexit programs */
	ITER_BINDS,
	ITER_COUNT,
};

struct iter {
	const char *program; /* its name in bpf/ */
	const char *section; /* what it is attached to */
	const char *unknown; /* without it, the beginning of a sentence */
	uint16_t since;      /* KERNEL() that has what it is attached to; 0 = before 5.10 */
	bool loops;          /* calls bpf_loop() */
	bool typed;          /* reads kernel memory through typed pointers only */
};

extern const struct iter iter_rows[ITER_COUNT];

enum refusal_step {
	REFUSED_NOTHING,
	REFUSED_UNTRIED,  /* not tried: loading needs root */
	REFUSED_BTF,      /* the kernel has no BTF */
	REFUSED_LOCKDOWN, /* lockdown forbids reading kernel memory */
	REFUSED_TARGET,   /* the kernel has nothing of that name to attach to */
	REFUSED_LOAD,
	REFUSED_ATTACH,
};

struct refusal {
	uint8_t step; /* enum refusal_step */
	uint16_t err; /* positive */
};

/* `refused` has ITER_COUNT elements. Why, without a full stop; "" = it is not refused. `kernel` is
 * a release, as of `uname -r`. */
const char *refusal_text(const struct refusal *refused, enum iter_id id, const char *kernel,
			 char *buf, size_t size);
/*
 * A line for each refused program of the set (bits 1 << id): what is not known, and why. Returns
 * the length.
 */
int refusals_text(const struct refusal *refused, uint32_t set, const char *kernel, char *buf,
		  size_t size);
/* How many of the set are refused. */
size_t refusals_count(const struct refusal *refused, uint32_t set);
/* "walk load EPERM,links attach EPERM", for a recording; NULL = nothing is refused. */
const char *refusals_give(const struct refusal *refused, char *buf, size_t size);
/* The reverse. What is not known is left out. */
void refusals_take(struct refusal *refused, const char *text);
