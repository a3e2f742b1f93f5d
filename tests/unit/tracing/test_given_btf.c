// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are given as the kernel's BTF: which are refused, and that none stays open. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/exit_code.h"
#include "tracing/btf_file.h"
#include "unit/made_root.h"

static char path[128];

static const char *path_of(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static const char *put(const char *name, const char *bytes, size_t len)
{
	FILE *f = fopen(path_of(name), "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
	return path;
}

/* The lowest number that is free. */
static int next_fd(void)
{
	int fd = dup(0);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

static void refused(const char *name, const char *says)
{
	int fd = next_fd(), exit_code = 0;
	struct btf_file f;
	char why[256];

	assert_int_equal(btf_file_open(&f, name, &exit_code, why, sizeof(why)), -EINVAL);
	assert_int_equal(exit_code, EXIT_FILE);
	if (!strstr(why, says))
		fail_msg("'%s' is not in: %s", says, why);
	assert_non_null(strstr(why, "; give a file"));
	assert_int_equal(next_fd(), fd);
	assert_null(f.btf);
}

static void test_refused(void **state)
{
	refused(path_of("none"), strerror(ENOENT));
	refused(root, strerror(ENOENT)); /* it has no RELEASE.btf */
	refused(put("empty", "", 0), "neither BTF nor an ELF file");
	refused(put("text", "no BTF at all, but long enough for a head", 41), "neither BTF nor");
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	refused(path, "no file");
	refused("/dev/null", "no file");
}

/* One type, long, by which pointers are told: its head, struct btf_type and bits, the names. */
static size_t make_btf(char *to, bool swap)
{
	uint32_t words[] = { 0, 24, 0, 16, 16, 6, 1, 1u << 24, 8, 1u << 24 | 64 };
	const uint16_t magic = swap ? 0x9feb : 0xeb9f;

	memcpy(words, &magic, sizeof(magic));
	((char *)words)[2] = 1;
	for (size_t i = 1; swap && i < sizeof(words) / sizeof(words[0]); i++)
		words[i] = __builtin_bswap32(words[i]);
	memcpy(to, words, sizeof(words));
	memcpy(to + sizeof(words), "\0long", 6);
	return sizeof(words) + 6;
}

static void test_taken(void **state)
{
	int fd = next_fd(), exit_code = 0;
	struct utsname kernel;
	struct btf_file f;
	char bytes[64], why[256], name[sizeof(kernel.release) + 8];
	size_t len = make_btf(bytes, false);

	put("vmlinux.btf", bytes, len);
	assert_int_equal(btf_file_open(&f, path, &exit_code, why, sizeof(why)), 0);
	assert_non_null(f.btf);
	assert_int_equal(access(f.path, R_OK), 0);
	btf_file_close(&f);
	btf_file_close(&f);
	assert_int_equal(next_fd(), fd);
	/* one of a directory, by the kernel's release */
	assert_int_equal(uname(&kernel), 0);
	snprintf(name, sizeof(name), "%s.btf", kernel.release);
	put(name, bytes, len);
	assert_int_equal(btf_file_open(&f, root, &exit_code, why, sizeof(why)), 0);
	btf_file_close(&f);
	assert_int_equal(exit_code, 0);
	len = make_btf(bytes, true);
	refused(put("other", bytes, len), "of a machine of another kind");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_refused, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_taken, make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
