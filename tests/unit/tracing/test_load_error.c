// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "tracing/load_error.h"
#include "unit/test.h"

static const struct load_error able = { .bpf = true, .perfmon = true, .program = "/opt/xdptop" };

/* A line with all these words, and the exit code. */
static void says(const struct load_error *r, int err, int code, const char *const *words)
{
	struct error error = { 0 };

	load_error_set(r, err, &error);
	assert_int_equal(error.exit_code, code);
	assert_true(strlen(error.text) < sizeof(error.text) - 1);
	assert_null(strchr(error.text, '\n'));
	for (; *words; words++)
		if (!strstr(error.text, *words))
			fail_msg("'%s' is not in: %s", *words, error.text);
}

#define SAYS(refusal, err, code, ...) \
	says(&(refusal), err, code, (const char *const[]){ __VA_ARGS__, NULL })

TEST(test_missing_capabilities)
{
	struct load_error r = able;

	r.perfmon = false;
	SAYS(r, -EPERM, EXIT_PRIVILEGE, ": CAP_PERFMON is missing", "sudo xdptop", "chmod 0750",
	     "sudo setcap cap_bpf,cap_perfmon+ep /opt/xdptop");
	r.bpf = false;
	SAYS(r, -EPERM, EXIT_PRIVILEGE, ": CAP_BPF and CAP_PERFMON are missing", "sudo setcap");
	r.perfmon = true;
	SAYS(r, -EPERM, EXIT_PRIVILEGE, ": CAP_BPF is missing", "sudo setcap");
}

TEST(test_container)
{
	struct load_error r = able;
	struct error error = { 0 };

	r.root = true;
	r.bpf = false;
	SAYS(r, -EPERM, EXIT_PRIVILEGE, "CAP_BPF is missing", "even root may not", "--cap-add=BPF");
	load_error_set(&r, -EPERM, &error);
	assert_null(strstr(error.text, "--cap-add=PERFMON"));
	r.perfmon = false;
	SAYS(r, -EPERM, EXIT_PRIVILEGE, "CAP_BPF and CAP_PERFMON are missing",
	     "--cap-add=BPF --cap-add=PERFMON");
	/* every container has a filter, so missing capabilities come first */
	r.filtered = true;
	SAYS(r, -EPERM, EXIT_PRIVILEGE, "--cap-add=BPF --cap-add=PERFMON");
}

TEST(test_user_namespace)
{
	struct load_error r = able;

	r.root = r.in_user_namespace = true;
	SAYS(r, -EPERM, EXIT_PRIVILEGE, "user namespace", "the host's root");
}

TEST(test_refused_all_the_same)
{
	struct load_error r = able;

	SAYS(r, -EPERM, EXIT_PRIVILEGE, "despite CAP_BPF and CAP_PERFMON", "security module",
	     "ulimit -l");
	r.filtered = true;
	SAYS(r, -EPERM, EXIT_PRIVILEGE, "seccomp", "seccomp=unconfined", "SystemCallFilter=bpf");
	SAYS(r, -ENOSYS, EXIT_PRIVILEGE, "seccomp", strerror(ENOSYS));
	r.filtered = false;
	SAYS(r, -ENOSYS, EXIT_NO_TRACEPOINT, "CONFIG_BPF_SYSCALL=y");
}

/* Only on machines that leave work to the JIT even if it is off. */
TEST(test_interpreter)
{
	static const struct {
		struct utsname kernel;
		bool crashes;
	} kernels[] = {
		{ { .machine = "aarch64", .release = "6.12.117" }, true },
		{ { .machine = "aarch64", .release = "6.10-rc1" }, true },
		{ { .machine = "aarch64", .release = "7.2.0+deb13-arm64" }, true },
		{ { .machine = "riscv64", .release = "6.12.117" }, true },
		{ { .machine = "aarch64", .release = "6.9.12" }, false },
		{ { .machine = "aarch64", .release = "5.10.0-30-arm64" }, false },
		{ { .machine = "aarch64", .release = "" }, false },
		{ { .machine = "x86_64", .release = "6.12.117" }, false },
		{ { .machine = "s390x", .release = "6.12.117" }, false },
	};

	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		assert_int_equal(interpreter_crashes(&kernels[i].kernel), kernels[i].crashes);
}

TEST(test_read)
{
	struct load_error r;

	load_error_read(&r);
	assert_non_null(strstr(r.program, "test_load_error"));
	assert_true(r.root == !geteuid());
}
