/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the running kernel's BTF says of its tracepoints. Each has a typedef btf_trace_<name> of a
 * pointer to its prototype, with a leading void * (include/trace/bpf_probe.h).
 */
#ifndef XDPTOP_BTF_TRACEPOINTS_H
#define XDPTOP_BTF_TRACEPOINTS_H

#include "model/snapshot.h"

struct btf_prototype {
	uint32_t btf_id; /* of the typedef; 0 = not in this kernel */
	uint8_t args;    /* without the leading void * */
	char name[48];   /* "" for an unused generic row */
};

struct btf;

/*
 * Find the registry's tracepoints, and give the generic rows to `xdp` ones it does not know. Sets
 * state (off, missing, failed), name and reason of each tp as well.
 */
void btf_tracepoints_read(const struct btf *btf, struct btf_prototype prototype[TP_COUNT],
			  struct tp_count tp[TP_COUNT]);

#endif
