/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel types of program holders, see core_types.h. Names checked in BTF of 5.10 to 7.3. */
#pragma once

#include "xdp_socket_types.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	struct list_head s_list; /* in super_blocks */
	unsigned long s_magic;
	struct list_head s_inodes;
};

struct seq_file {
	const struct file *file;
};

/* kernel/bpf/syscall.c */
struct bpf_tracing_link {
	struct bpf_prog *tgt_prog;
};

#pragma clang attribute pop

struct bpf_iter__bpf_link {
	struct bpf_iter_meta *meta;
	struct bpf_link *link; /* NULL at the end */
};
