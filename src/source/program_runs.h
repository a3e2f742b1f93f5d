/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often programs ran, and for how long, between the last two readings, which are 5 s apart. The
 * kernel counts runs only while BPF statistics are on; xdptop never switches them on.
 */
#pragma once

#include "source/programs.h"

struct bpf_objects;

struct program_run {
	uint32_t prog_id;
	bool has_before;                /* it was read more than once */
	uint64_t runs, run_ns, read_ns; /* at the last reading, CLOCK_MONOTONIC */
	uint64_t new_runs, new_ns, ns;  /* between the last two */
};

/* All zero = empty. */
struct program_runs {
	struct bpf_objects *objects; /* may be NULL */
	struct program_run *run;     /* ascending */
	size_t n, cap;
	uint64_t look_ns;
	bool is_on; /* some program's counters have grown */
};

void program_runs_free(struct program_runs *r);
/* Read the counters, if that is due. */
void program_runs_look(struct program_runs *r, uint64_t now_ns);
/* Add a reading; for program_runs_look(). */
void program_runs_take(struct program_runs *r, uint32_t prog_id, uint64_t runs, uint64_t run_ns,
		       uint64_t now_ns);
/* After a reading: forget programs that are gone, and set whether statistics are on. */
void program_runs_end(struct program_runs *r);
void program_runs_set(const struct program_runs *r, struct program *p);
