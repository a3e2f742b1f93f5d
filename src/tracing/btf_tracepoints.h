/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints in the running kernel's BTF. Each has a typedef btf_trace_NAME: a pointer to its
 * prototype, with a leading void * (include/trace/bpf_probe.h).
 */
#pragma once

#include "model/snapshot.h"

struct btf_argument {
	char name[32];
	uint8_t kind; /* enum follow_word */
	uint8_t bits; /* size of a number */
	bool is_signed;
};

struct btf_prototype {
	uint32_t btf_id;                            /* of the typedef; 0 = not in this kernel */
	uint8_t args;                               /* without the leading void * */
	char name[48];                              /* "" = an unused TP_OTHER row */
	struct btf_argument arg[FOLLOW_OTHER_ARGS]; /* for TP_OTHER and up */
};

struct btf;

/*
 * Find the tracepoints of the table. Other `xdp` tracepoints get a TP_OTHER row. Sets state (off,
 * missing, failed), name and reason of each tp.
 */
void btf_tracepoints_read(const struct btf *btf, struct btf_prototype prototype[TP_COUNT],
			  struct tp_count tp[TP_COUNT]);
