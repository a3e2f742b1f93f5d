// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/btf_file.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/exit_code.h"

/* Open a file, or RELEASE.btf in a directory: a descriptor or -errno. */
static int open_name(const char *name, const char *release)
{
	char file[sizeof(((struct utsname *)0)->release) + 8];
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), in;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISDIR(st.st_mode))
		return fd < 0 ? -errno : fd;
	snprintf(file, sizeof(file), "%s.btf", release);
	in = openat(fd, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in < 0)
		in = -errno;
	close(fd);
	return in;
}

/* NULL, or why the file cannot be taken. */
static const char *find_fault(const struct btf_file *f)
{
	struct stat st;

	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
		return "no file";
	if (geteuid() && (st.st_uid || st.st_mode & 022))
		return "somebody other than root can write it, and it says which memory of the "
		       "kernel is read; run 'sudo xdptop'";
	return NULL;
}

static const char *find_btf_fault(const struct btf_file *f)
{
	if (!f->btf)
		return errno == ENOMEM ? strerror(ENOMEM)
				       : "neither BTF nor an ELF file with a section .BTF";
	if (btf__pointer_size(f->btf) != sizeof(void *) ||
	    (btf__endianness(f->btf) == BTF_BIG_ENDIAN) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return "the BTF of a machine of another kind";
	return NULL;
}

static int open_given(struct btf_file *f, const char *name, const char *release, char *why,
		      size_t size)
{
	const char *fault;

	f->fd = open_name(name, release);
	if (f->fd < 0) {
		fault = strerror(-f->fd);
	} else {
		snprintf(f->path, sizeof(f->path), "/proc/self/fd/%d", f->fd);
		fault = find_fault(f);
		if (!fault) {
			f->btf = btf__parse(f->path, NULL);
			fault = find_btf_fault(f);
		}
	}
	if (!fault)
		return 0;
	snprintf(why, size,
		 "--btf: %s: %s; give a file with the BTF of this kernel, or a directory with "
		 "%s.btf",
		 name, fault, release);
	return -EINVAL;
}

int btf_file_open(struct btf_file *f, const char *name, int *exit_code, char *why, size_t size)
{
	struct utsname kernel;
	int err;

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	if (uname(&kernel))
		return -errno;
	if (name) {
		err = open_given(f, name, kernel.release, why, size);
		if (err) {
			*exit_code = EXIT_FILE;
			btf_file_close(f);
		}
		return err;
	}
	f->btf = btf__load_vmlinux_btf();
	if (f->btf)
		return 0;
	snprintf(why, size,
		 "no file has the BTF of this kernel: /boot/vmlinux-%s, /usr/lib/debug/boot/ and "
		 "their like; give one with --btf",
		 kernel.release);
	return -ENOENT;
}

void btf_file_close(struct btf_file *f)
{
	btf__free(f->btf);
	if (f->path[0])
		close(f->fd);
	memset(f, 0, sizeof(*f));
}
