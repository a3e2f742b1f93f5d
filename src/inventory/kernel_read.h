/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How BPF programs can read this kernel's memory: which of their builds loads (bpf/kernel_read.h).
 */
#ifndef XDPTOP_KERNEL_READ_H
#define XDPTOP_KERNEL_READ_H

enum kernel_read {
	KERNEL_READ_ALL,
	/* The helper is withheld; all can be read by bpf_rdonly_cast(), which needs the JIT. */
	KERNEL_READ_CAST,
	/* The same before 6.2: only what a pointer of a known type leads to. */
	KERNEL_READ_TYPED,
};

/* Asks the kernel, with a program of seven instructions. Needs the privileges of the start. */
enum kernel_read kernel_read_find(void);

#endif
