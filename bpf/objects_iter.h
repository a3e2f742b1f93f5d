/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* What bpf/objects_iter.bpf.c writes of each program, map and process, one after the other. */
#ifndef XDPTOP_OBJECT_H
#define XDPTOP_OBJECT_H

#ifndef __BPF__
#include <linux/types.h>
#endif

#define OBJECT_NAME_LEN   64
#define OBJECT_COMM_LEN   16
#define OBJECT_CGROUP_LEN 96

struct object_record {
	__u32 id;
	__u32 type;                 /* enum bpf_map_type; of a program 0 */
	char name[OBJECT_NAME_LEN]; /* raw bytes; "" = it has none */
};

/* A process that lives in another network namespace than the first. Raw bytes. */
struct object_process {
	__u64 start; /* ns since boot */
	__u32 netns;
	__u32 pid; /* as the first pid namespace has it */
	char comm[OBJECT_COMM_LEN];
	char cgroup[OBJECT_CGROUP_LEN]; /* the last part of its path in cgroup v2 */
};

#endif
