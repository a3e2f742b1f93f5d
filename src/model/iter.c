// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/iter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "model/snapshot.h"
#include "model/tracepoint.h"

#define LOOP_SINCE KERNEL(5, 17)

const struct iter iter_rows[ITER_COUNT] = {
	[ITER_WALK] = { "walk", "iter/bpf_map",
			"Nothing is known about network namespaces created after the start, nor "
			"about receive queues",
			.loops = true },
	[ITER_SOCKETS] = { "xdp_sockets", "iter/bpf_map", "No AF_XDP socket is known",
			   .loops = true },
	[ITER_MAP_CONTENTS] = { "map_contents", "iter/bpf_map",
				"No map that XDP programs use is known", .loops = true },
	[ITER_MAP_USERS] = { .program = "map_users",
			     .section = "iter/bpf_prog",
			     .unknown = "It is not known which program uses which map" },
	[ITER_MAP_COUNTS] = { .program = "map_counts",
			      .section = "iter/bpf_map",
			      .unknown = "It is not known how full hashes and LPM tries are" },
	[ITER_PROGRAM_NAMES] = { "programs", "iter/bpf_prog",
				 "The names and load times of some programs are not known",
				 .typed = true },
	[ITER_MAP_NAMES] = { "maps", "iter/bpf_map", "Some names of maps are not known",
			     .typed = true },
	[ITER_PROCESSES] = { "processes", "iter/task",
			     "The processes and pods of some network namespaces are not known",
			     .typed = true },
	[ITER_FILES] = { .program = "file_holders",
			 .section = "iter/task_file",
			 .unknown = "It is not known which process has a program or AF_XDP socket "
				    "open" },
	[ITER_LINKS] = { "links", "iter/bpf_link",
			 "It is not known which program is attached by a link",
			 .since = KERNEL(5, 19) },
	[ITER_PINS] = { "bpffs_pins", "iter/bpf_map", "Pins of programs are not known",
			.loops = true },
	[ITER_RUNS] = { "prog_runs", "iter/bpf_prog", "It is not known how often programs run",
			.loops = true },
	[ITER_INSTALLS] = { .program = "xdp_install",
			    .section = "fexit/dev_xdp_install",
			    .unknown = "The process that changes a device's program is known only "
				       "if it holds the program or its link, and a refused attach "
				       "is seen only if the kernel has a message for it" },
	[ITER_BINDS] = { .program = "bind_refused",
			 .section = "fexit/xsk_bind",
			 .unknown = "Refused binds of AF_XDP sockets are not seen" },
};

static const char *const steps[] = {
	[REFUSED_NOTHING] = "",          [REFUSED_UNTRIED] = "untried", [REFUSED_BTF] = "btf",
	[REFUSED_LOCKDOWN] = "lockdown", [REFUSED_TARGET] = "target",   [REFUSED_LOAD] = "load",
	[REFUSED_ATTACH] = "attach",
};

#define STEPS (sizeof(steps) / sizeof(steps[0]))

static const char *err_name(const struct refusal *r)
{
	return errno_name(r->err) ?: "EINVAL";
}

/* Whether no program that calls bpf_loop() could be loaded: it may be what is refused. */
static bool no_loop(const struct refusal *refused)
{
	for (int id = 0; id < ITER_COUNT; id++)
		if (iter_rows[id].loops && refused[id].step != REFUSED_LOAD)
			return false;
	return true;
}

const char *refusal_text(const struct refusal *refused, enum iter_id id, const char *kernel,
			 char *buf, size_t size)
{
	const struct iter *row = &iter_rows[id];
	uint16_t version = kernel_version(kernel);
	const char *name = err_name(&refused[id]);

	buf[0] = '\0';
	switch (refused[id].step) {
	case REFUSED_UNTRIED:
		snprintf(buf, size, "BPF program %s (%s) was not tried, because that needs root",
			 row->program, row->section);
		break;
	case REFUSED_BTF:
		snprintf(buf, size,
			 "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF), which BPF "
			 "program %s (%s) needs",
			 row->program, row->section);
		break;
	case REFUSED_LOCKDOWN:
		snprintf(buf, size,
			 "before Linux 6.2 kernel lockdown (confidentiality) refuses BPF "
			 "program %s (%s)",
			 row->program, row->section);
		break;
	case REFUSED_TARGET:
		kernel_lacks(kernel, row->section, row->since, buf, size);
		break;
	case REFUSED_LOAD:
	case REFUSED_ATTACH:
		if (row->loops && refused[id].err == EINVAL && version && version < LOOP_SINCE)
			kernel_lacks(kernel, "bpf_loop()", LOOP_SINCE, buf, size);
		else
			snprintf(buf, size, "the kernel refuses to %s BPF program %s (%s)%s: %s",
				 steps[refused[id].step], row->program, row->section,
				 row->loops && no_loop(refused) ? ", which calls bpf_loop()" : "",
				 name);
		break;
	}
	return buf;
}

int refusals_text(const struct refusal *refused, uint32_t set, const char *kernel, char *buf,
		  size_t size)
{
	struct format_text t = { .buf = buf, .size = size };
	char why[SNAPSHOT_REASON_LEN];

	buf[0] = '\0';
	for (enum iter_id id = 0; id < ITER_COUNT; id++)
		if (set & BIT(id) && *refusal_text(refused, id, kernel, why, sizeof(why)))
			format_add(&t, "%s: %s.\n", iter_rows[id].unknown, why);
	return (int)t.len;
}

size_t refusals_count(const struct refusal *refused, uint32_t set)
{
	size_t n = 0;

	for (int id = 0; id < ITER_COUNT; id++)
		n += set & BIT(id) && refused[id].step;
	return n;
}

const char *refusals_give(const struct refusal *refused, char *buf, size_t size)
{
	struct format_text t = { .buf = buf, .size = size };

	for (int id = 0; id < ITER_COUNT; id++)
		if (refused[id].step)
			format_add(&t, "%s%s %s %s", t.len ? "," : "", iter_rows[id].program,
				   steps[refused[id].step], err_name(&refused[id]));
	return t.len ? buf : NULL;
}

static void take_one(struct refusal *refused, const char *program, const char *step,
		     const char *err)
{
	for (int id = 0; id < ITER_COUNT; id++)
		for (size_t i = 1; i < STEPS; i++)
			if (!strcmp(program, iter_rows[id].program) && !strcmp(step, steps[i]))
				refused[id] =
					(struct refusal){ (uint8_t)i, (uint16_t)errno_find(err) };
}

void refusals_take(struct refusal *refused, const char *text)
{
	char program[32], step[16], err[24];

	for (; text; text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL)
		if (sscanf(text, "%31[^ ,] %15[^ ,] %23[^ ,]", program, step, err) == 3)
			take_one(refused, program, step, err);
}
