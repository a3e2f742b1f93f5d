/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* Records that bpf/objects_iter.bpf.c writes for each program, map and process. */
#ifndef XDPTOP_BPF_OBJECTS_ITER_H
#define XDPTOP_BPF_OBJECTS_ITER_H

#ifndef __BPF__
#include <linux/types.h>
#endif

#define OBJECT_NAME_LEN   64
#define OBJECT_COMM_LEN   16
#define OBJECT_CGROUP_LEN 96

struct object_record {
	__u32 id;
	__u32 type;                 /* enum bpf_map_type; 0 for a program */
	char name[OBJECT_NAME_LEN]; /* raw bytes; "" = no name */
};

/* A process outside the initial network namespace. Strings are raw bytes. */
struct object_process {
	__u64 start; /* ns since boot */
	__u32 netns;
	__u32 pid; /* in the initial pid namespace */
	char comm[OBJECT_COMM_LEN];
	char cgroup[OBJECT_CGROUP_LEN]; /* last component of its cgroup v2 path */
};

#endif
