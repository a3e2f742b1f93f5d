/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How BPF programs can read kernel memory, which decides the build to load (bpf/kernel_read.h). */
#pragma once

enum kernel_read {
	KERNEL_READ_ALL,
	/* The helper is withheld; bpf_rdonly_cast() reads everything, but needs the JIT. */
	KERNEL_READ_CAST,
	/* The same before 6.2: only memory that typed pointers lead to. */
	KERNEL_READ_TYPED,
};

/* Asks the kernel by loading a program of seven instructions. Needs the initial privileges. */
enum kernel_read kernel_read_find(void);
