/* SPDX-License-Identifier: GPL-2.0-only OR GPL-2.0-or-later */
/* What bpf/names.bpf.c writes of each program and map, one after the other. */
#ifndef XDPTOP_OBJECT_H
#define XDPTOP_OBJECT_H

#ifndef __BPF__
#include <linux/types.h>
#endif

#define OBJECT_NAME_LEN 64

struct object_record {
	__u32 id;
	__u32 type;                 /* enum bpf_map_type; of a program 0 */
	char name[OBJECT_NAME_LEN]; /* raw bytes; "" = it has none */
};

#endif
