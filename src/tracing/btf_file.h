/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF of this kernel in a file, for a kernel that has none of its own. */
#ifndef XDPTOP_BTF_FILE_H
#define XDPTOP_BTF_FILE_H

#include <stddef.h>

struct btf;

struct btf_file {
	struct btf *btf;
	int fd;
	char path[32]; /* of fd, for libbpf; "" = where libbpf looks by itself */
};

/*
 * Open `name`, a file or a directory with RELEASE.btf as BTFHub's archive has; NULL = where libbpf
 * looks: /boot/vmlinux-RELEASE and its like. 0, or -errno with a message in why; *exit_code is set
 * when a name was given that cannot be. What is read of kernel memory is chosen by the file: who is
 * not root gives one of root's.
 */
int btf_file_open(struct btf_file *f, const char *name, int *exit_code, char *why, size_t size);
/* Takes one that is all zero. */
void btf_file_close(struct btf_file *f);

#endif
