/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that were loaded as a newer version of a running one, by their name, but that nothing
 * runs. Nothing is concluded from what was not read in full.
 */
#pragma once

#include "source/attached.h"
#include "source/programs.h"

#define IDLE_MAX 64 /* programs that are looked at */

/* All zero = nothing is known. */
struct idle_programs {
	uint32_t *used; /* ids of programs that something may run */
	size_t n_used, cap_used;
	struct idle_program {
		uint32_t id;
		uint64_t load_time; /* ns since boot */
		char name[SNAPSHOT_NAME_LEN];
	} idle[IDLE_MAX];
	size_t n;
	uint64_t now; /* ns since boot */
	bool known;
};

void idle_programs_free(struct idle_programs *p);
/* Begin a pass: programs of devices, map entries and program arrays count as used. */
void idle_programs_begin(struct idle_programs *p, const struct live *live,
			 const struct attached_programs *attached);
void idle_programs_use(struct idle_programs *p, uint32_t prog_id);
/* Find the programs that are not used. */
void idle_programs_end(struct idle_programs *p, const struct live *live);
/* Set the newer_* of a running program's row. */
void idle_programs_set(const struct idle_programs *p, const struct live *live, struct program *row,
		       const struct snapshot *to);
