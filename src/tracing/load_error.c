// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/load_error.h"

#include <cap-ng.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOCKDOWN "/sys/kernel/security/lockdown"

/* Whether a line of a file begins with `start`; false if the file cannot be read. */
static bool file_says(const char *path, const char *start)
{
	FILE *f = fopen(path, "re");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		found = !strncmp(line, start, strlen(start));
	if (f)
		fclose(f);
	return found;
}

/* The initial user namespace maps all ids to themselves (init_user_ns in kernel/user.c). */
static bool in_user_namespace(void)
{
	FILE *f = fopen("/proc/self/uid_map", "re");
	unsigned long inside, outside, count;
	bool found = f && fscanf(f, "%lu %lu %lu", &inside, &outside, &count) == 3 &&
		     (inside || outside || count != 4294967295ul);

	if (f)
		fclose(f);
	return found;
}

void load_error_read(struct load_error *r)
{
	ssize_t n = readlink("/proc/self/exe", r->program, sizeof(r->program) - 1);
	bool all;

	r->program[n > 0 ? n : 0] = '\0';
	r->root = !geteuid();
	/* do not report capabilities as missing if they cannot be read */
	all = capng_get_caps_process() || capng_have_capability(CAPNG_EFFECTIVE, CAP_SYS_ADMIN);
	r->bpf = all || capng_have_capability(CAPNG_EFFECTIVE, CAP_BPF);
	r->perfmon = all || capng_have_capability(CAPNG_EFFECTIVE, CAP_PERFMON);
	r->in_user_namespace = in_user_namespace();
	r->filtered = file_says("/proc/self/status", "Seccomp:\t2");
}

static void say_missing(const struct load_error *r, int err, struct error *error)
{
	const char *names = r->bpf       ? "CAP_PERFMON is"
			    : r->perfmon ? "CAP_BPF is"
					 : "CAP_BPF and CAP_PERFMON are";

	if (r->root)
		error_set(error, err,
			  "even root may not load BPF programs: %s missing; in a container "
			  "add:%s%s",
			  names, r->bpf ? "" : " --cap-add=BPF",
			  r->perfmon ? "" : " --cap-add=PERFMON");
	else /* setcap lets everybody who may run the file see the counts of all namespaces */
		error_set(
			error, err,
			"loading BPF programs is not permitted: %s missing; run 'sudo xdptop', or "
			"give the file to a group once (chgrp, then chmod 0750), and then: sudo "
			"setcap cap_bpf,cap_perfmon+ep %s",
			names, r->program);
}

void load_error_set(const struct load_error *r, int err, struct error *error)
{
	bool is_absent = err == -ENOSYS && !r->filtered;

	error->exit_code = is_absent ? EXIT_NO_TRACEPOINT : EXIT_PRIVILEGE;
	if (is_absent)
		error_set(error, err, "this kernel has no bpf(): %s; it needs CONFIG_BPF_SYSCALL=y",
			  strerror(ENOSYS));
	else if (r->in_user_namespace)
		error_set(error, err,
			  "loading BPF programs is not permitted in a user namespace (a rootless "
			  "container): run xdptop outside, as the host's root");
	else if (!r->bpf || !r->perfmon)
		say_missing(r, err, error);
	else if (r->filtered)
		error_set(error, err,
			  "a seccomp filter refuses bpf(): %s; allow it: for a container "
			  "--security-opt seccomp=unconfined, for a service SystemCallFilter=bpf",
			  strerror(-err));
	else
		error_set(error, err,
			  "loading BPF programs is not permitted despite CAP_BPF and CAP_PERFMON. "
			  "Either a security module refuses it (see dmesg) or, before Linux 5.11, "
			  "the locked-memory limit is too low: run ulimit -l unlimited");
}

bool interpreter_crashes(const struct utsname *kernel)
{
	int version = 0, patchlevel = 0;

	sscanf(kernel->release, "%d.%d", &version, &patchlevel);
	return (!strcmp(kernel->machine, "aarch64") || !strcmp(kernel->machine, "riscv64")) &&
	       (version > 6 || (version == 6 && patchlevel >= 10));
}

bool lockdown_confidential(void)
{
	FILE *f = fopen(LOCKDOWN, "re");
	char modes[128] = "";
	bool found = f && fgets(modes, sizeof(modes), f) && strstr(modes, "[confidentiality]");

	if (f)
		fclose(f);
	return found;
}
