// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into the monitor to make libc calls of the program and of libevent fail. Calls of other
 * libraries are not affected.
 *   FAULTS_ALLOC=N   the Nth allocation fails with ENOMEM
 *   FAULTS_READ=1    read() of files and pipes returns 1 to 7 bytes, or EINTR
 *   FAULTS_FD=FD     gets a byte when an allocation has failed
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
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
