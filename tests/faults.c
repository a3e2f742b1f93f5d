// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into the monitor to make libc calls of the program and of libevent fail, and bpf() of
 * any library. Other calls of other libraries are not affected.
 *   FAULTS_ALLOC=N   the Nth allocation fails with ENOMEM
 *   FAULTS_READ=1    read() of files and pipes returns 1 to 7 bytes, or EINTR
 *   FAULTS_FD=FD     gets a byte when an allocation has failed
 *   FAULTS_BPF=LIST  bpf() fails with EPERM for each of: load:PROGRAM, attach:PROGRAM,
 *                    target:FUNCTION (programs attached to it), fexit, traced (attached to a
 *                    program), loop (calls bpf_loop())
 *   FAULTS_ERRNO=N   with this errno instead
 */
#include <bpf/btf.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN is_own(__builtin_return_address(0))

/* glibc's internal names */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
int __asprintf_chk(char **text, int flag, const char *format, ...);

static struct {
	uintptr_t begin, end;
} asks[2]; /* the program, libevent_core */
static int n_asks;
static long fail_at;
static bool short_reads;
static int report = -1;
static atomic_long calls, reads;
static const char *refused;
static long refused_errno;
static struct btf *kernel_types;

/* The first object is the program. */
static int take_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	if (n_asks == 2 || (n_asks && !strstr(info->dlpi_name, "libevent_core")))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		asks[n_asks].begin = info->dlpi_addr + p->p_vaddr;
		asks[n_asks].end = asks[n_asks].begin + p->p_memsz;
	}
	n_asks++;
	return 0;
}

static long number(const char *name)
{
	const char *value = getenv(name);

	return value ? atol(value) : 0;
}

__attribute__((constructor)) static void start(void)
{
	dl_iterate_phdr(take_object, NULL);
	fail_at = number("FAULTS_ALLOC");
	short_reads = number("FAULTS_READ");
	refused = getenv("FAULTS_BPF");
	refused_errno = number("FAULTS_ERRNO") ?: EPERM;
	if (refused && strstr(refused, "target:"))
		kernel_types = btf__load_vmlinux_btf();
	if (getenv("FAULTS_FD"))
		report = (int)number("FAULTS_FD");
}

static bool is_own(const void *caller)
{
	bool is = false;

	for (int i = 0; i < n_asks; i++)
		is |= (uintptr_t)caller >= asks[i].begin && (uintptr_t)caller < asks[i].end;
	return is;
}

static bool fails(bool own)
{
	if (!own || !fail_at || atomic_fetch_add(&calls, 1) + 1 != fail_at)
		return false;
	if (report >= 0)
		syscall(SYS_write, report, "x", 1);
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails(OWN) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails(OWN) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return fails(OWN) ? NULL : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return fails(OWN) ? NULL : __libc_realloc(p, bytes);
}

static char *copy(const char *s, size_t len)
{
	char *p = __libc_malloc(len + 1);

	if (!p)
		return NULL;
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *strdup(const char *s)
{
	return fails(OWN) ? NULL : copy(s, strlen(s));
}

char *strndup(const char *s, size_t n)
{
	return fails(OWN) ? NULL : copy(s, strnlen(s, n));
}

int __asprintf_chk(char **text, int flag, const char *format, ...)
{
	va_list args;
	int n;

	if (fails(OWN))
		return -1;
	va_start(args, format);
	n = vasprintf(text, format, args);
	va_end(args);
	return n;
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");

	return fails(OWN) ? NULL : real(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
	FILE *(*real)(int, const char *) = dlsym(RTLD_NEXT, "fdopen");

	return fails(OWN) ? NULL : real(fd, mode);
}

DIR *opendir(const char *path)
{
	DIR *(*real)(const char *) = dlsym(RTLD_NEXT, "opendir");

	return fails(OWN) ? NULL : real(path);
}

FILE *fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
	FILE *(*real)(void *, const char *, cookie_io_functions_t) =
		dlsym(RTLD_NEXT, "fopencookie");

	return fails(OWN) ? NULL : real(cookie, mode, functions);
}

ssize_t read(int fd, void *buf, size_t count)
{
	struct stat st;

	if (short_reads && OWN && !fstat(fd, &st) &&
	    (S_ISREG(st.st_mode) || S_ISFIFO(st.st_mode))) {
		long n = atomic_fetch_add(&reads, 1);

		if (n % 5 == 4) {
			errno = EINTR;
			return -1;
		}
		if (count > (size_t)(1 + n % 7))
			count = (size_t)(1 + n % 7);
	}
	return syscall(SYS_read, fd, buf, count);
}

/* Whether FAULTS_BPF has the item, with this name or, without one, alone. */
static bool is_listed(const char *item, const char *name)
{
	size_t len = strlen(item), of_name = strlen(name);

	for (const char *at = refused; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, item, len) && !strncmp(at + len, name, of_name) &&
		    (!at[len + of_name] || at[len + of_name] == ','))
			return true;
	return false;
}

static bool calls_loop(const union bpf_attr *attr)
{
	const struct bpf_insn *insn = (const void *)(uintptr_t)attr->insns;

	for (__u32 i = 0; i < attr->insn_cnt; i++)
		if (insn[i].code == (BPF_JMP | BPF_CALL) && !insn[i].src_reg &&
		    insn[i].imm == BPF_FUNC_loop)
			return true;
	return false;
}

static bool refuses_load(const union bpf_attr *attr)
{
	const struct btf_type *type =
		kernel_types ? btf__type_by_id(kernel_types, attr->attach_btf_id) : NULL;

	return is_listed("load:", attr->prog_name) || (is_listed("loop", "") && calls_loop(attr)) ||
	       (is_listed("fexit", "") && attr->expected_attach_type == BPF_TRACE_FEXIT) ||
	       (is_listed("traced", "") && attr->attach_prog_fd) ||
	       (type && attr->attach_btf_id &&
		is_listed("target:", btf__name_by_offset(kernel_types, type->name_off)));
}

long syscall(long number_of, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	struct bpf_prog_info info = { 0 };
	union bpf_attr *attr, ask = { 0 };
	va_list list;
	long args[6];

	va_start(list, number_of);
	for (int i = 0; i < 6; i++)
		args[i] = va_arg(list, long);
	va_end(list);
	attr = (union bpf_attr *)args[1];
	if (refused && number_of == SYS_bpf) {
		bool refuses = args[0] == BPF_PROG_LOAD &&
			       attr->prog_type == BPF_PROG_TYPE_TRACING && refuses_load(attr);

		if (args[0] == BPF_LINK_CREATE) {
			ask.info.bpf_fd = attr->link_create.prog_fd;
			ask.info.info_len = sizeof(info);
			ask.info.info = (uintptr_t)&info;
			refuses = !real(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &ask, sizeof(ask)) &&
				  is_listed("attach:", info.name);
		}
		if (refuses) {
			errno = (int)refused_errno;
			return -1;
		}
	}
	return real(number_of, args[0], args[1], args[2], args[3], args[4], args[5]);
}
