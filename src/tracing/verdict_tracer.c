// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/verdict_tracer.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/memory.h"
#include "tracing/verdict_traces.h"
#include "capture.skel.h"
#include "verdict.skel.h"

/* A tracing program that is loaded and attached. */
struct tracer_attached {
	int program, link;
};

struct tracer_trace {
	uint32_t prog_id; /* 0 = unused */
	struct tracer_attached attached[VERDICT_PROGRAMS];
};

struct tracer {
	uint32_t cpus;
	struct verdict_programs programs;
	struct tracer_trace trace[VERDICT_TRACES_MAX];
};

/*
 * Not libbpf's calls: it probes features of the kernel with calls that the filter does not allow.
 */
static int call_bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	long ret = syscall(__NR_bpf, command, attr, sizeof(*attr));

	return ret < 0 ? -errno : (int)ret;
}

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static int get_info(int program, struct bpf_prog_info *info)
{
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)program,
					  .info_len = sizeof(*info),
					  .info = address(info) } };

	return call_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr);
}

/* The BTF id of the program's main function, which is first in func_info. 0 = it has none. */
static int main_function(int program, uint32_t *btf_id)
{
	struct bpf_func_info first = { 0 };
	struct bpf_prog_info info = {
		.nr_func_info = 1,
		.func_info_rec_size = sizeof(first),
		.func_info = address(&first),
	};
	int err = get_info(program, &info);

	*btf_id = first.type_id;
	return err;
}

/* An array that the monitor maps. With `frozen` only the program writes to it. */
static int create_map(size_t value, uint32_t n, const char *name, bool frozen)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(uint32_t),
		.value_size = (uint32_t)value,
		.max_entries = n,
		.map_flags = BPF_F_MMAPABLE,
	};
	int map, err;

	snprintf(attr.map_name, sizeof(attr.map_name), "%s", name);
	map = call_bpf(BPF_MAP_CREATE, &attr);
	if (map < 0 || !frozen)
		return map;
	/* BPF_F_RDONLY would forbid mmap() as well */
	attr = (union bpf_attr){ .map_fd = (uint32_t)map };
	err = call_bpf(BPF_MAP_FREEZE, &attr);
	if (!err)
		return map;
	close(map);
	return err;
}

static int trace_load(struct verdict_program *p, int map, int program, uint32_t btf_id)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = p->type,
		.insns = address(p->insn),
		.insn_cnt = (uint32_t)p->n,
		.license = address("GPL"),
		.attach_prog_fd = (uint32_t)program,
		.attach_btf_id = btf_id,
	};

	snprintf(attr.prog_name, sizeof(attr.prog_name), "%s", p->name);
	for (size_t i = 0; i < p->n_map_insns; i++)
		p->insn[p->map_insn[i]].imm = map;
	return call_bpf(BPF_PROG_LOAD, &attr);
}

static struct tracer_trace *trace_find(struct tracer *t, uint32_t prog_id)
{
	for (size_t i = 0; i < VERDICT_TRACES_MAX; i++)
		if (t->trace[i].prog_id == prog_id)
			return &t->trace[i];
	return NULL;
}

static int failed(struct verdict_answer *answer, enum verdict_step step, int err)
{
	answer->step = step;
	answer->err = err;
	return err;
}

/* Load and attach. 0 or -errno. */
static int attach(struct tracer_attached *to, struct verdict_program *p, int map, int program,
		  struct verdict_answer *answer)
{
	union bpf_attr attr = { 0 };
	uint32_t btf_id;
	int err = main_function(program, &btf_id), loaded, link;

	if (err || !btf_id)
		return failed(answer, VERDICT_BTF, err ?: -ENOENT);
	loaded = trace_load(p, map, program, btf_id);
	if (loaded < 0)
		return failed(answer, VERDICT_LOAD, loaded);
	attr.raw_tracepoint.prog_fd = (uint32_t)loaded;
	link = call_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
	if (link < 0) {
		close(loaded);
		return failed(answer, VERDICT_ATTACH, link);
	}
	*to = (struct tracer_attached){ loaded, link };
	return 0;
}

/* What a request attaches, and its array. */
static const struct tracer_kind {
	size_t element; /* bytes */
	const char *map_name;
	bool frozen;     /* the monitor only reads it */
	int first, last; /* programs */
} kinds[] = {
	[VERDICT_TRACE] = { sizeof(struct verdict_cpu), "verdicts", true, VERDICT_COUNT,
			    VERDICT_COUNT },
	/* the monitor writes which packets it wants; until then the programs copy none */
	[VERDICT_CAPTURE] = { sizeof(union capture_element), "capture", false, VERDICT_COPY,
			      VERDICT_BEFORE },
};

static void kind_end(struct tracer_trace *of, const struct tracer_kind *kind)
{
	for (int i = kind->first; i <= kind->last; i++) {
		struct tracer_attached *attached = &of->attached[i];

		if (attached->program) {
			close(attached->link);
			close(attached->program);
		}
		*attached = (struct tracer_attached){ 0 };
	}
}

/* Returns a descriptor of the array, or -errno. */
static int kind_begin(struct tracer *t, struct tracer_trace *of, const struct tracer_kind *kind,
		      struct verdict_answer *answer)
{
	union bpf_attr attr = { .prog_id = of->prog_id };
	struct verdict_program *p = t->programs.program;
	uint32_t n = t->cpus;
	int program, map, err = 0;

	if (!p[kind->first].n || of->attached[kind->first].program ||
	    answer->request.insns > CAPTURE_INSNS)
		return failed(answer, VERDICT_REQUEST, -EINVAL);
	program = call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
	if (program < 0)
		return failed(answer, VERDICT_PROGRAM, program);
	if (kind->first == VERDICT_COPY)
		n = capture_size(t->cpus, p[VERDICT_BEFORE].n);
	map = create_map(kind->element, n, kind->map_name, kind->frozen);
	if (map < 0)
		err = failed(answer, VERDICT_MAP, map);
	for (int i = kind->first; i <= kind->last && !err; i++) {
		if (p[i].limit_insn)
			p[i].insn[p[i].limit_insn].imm = CAPTURE_LIMIT + (int)answer->request.insns;
		if (p[i].n)
			err = attach(&of->attached[i], &p[i], map, program, answer);
	}
	/* a trace holds its own reference */
	close(program);
	if (!err)
		return map;
	kind_end(of, kind);
	if (map >= 0)
		close(map);
	return err;
}

static int trace(struct tracer *t, struct verdict_answer *answer)
{
	struct tracer_trace *to = trace_find(t, 0);
	int map;

	if (!to)
		return failed(answer, VERDICT_REQUEST, -EINVAL);
	to->prog_id = answer->request.prog_id;
	map = kind_begin(t, to, &kinds[VERDICT_TRACE], answer);
	if (map < 0)
		to->prog_id = 0;
	return map;
}

static void serve_trace(void *ctx, void *packet, int with, int opened[FD_PASS_MAX])
{
	struct verdict_answer *answer = packet;
	const struct verdict_request *r = &answer->request;
	struct tracer *t = ctx;
	struct tracer_trace *of = r->prog_id ? trace_find(t, r->prog_id) : NULL;
	struct bpf_prog_info info = { 0 };

	(void)with;
	if (!r->prog_id || r->op > VERDICT_UNCAPTURE || !of == (r->op != VERDICT_TRACE)) {
		failed(answer, VERDICT_REQUEST, -EINVAL);
		return;
	}
	switch (r->op) {
	case VERDICT_TRACE:
		opened[0] = trace(t, answer);
		return;
	case VERDICT_CAPTURE:
		opened[0] = kind_begin(t, of, &kinds[r->op], answer);
		return;
	case VERDICT_UNCAPTURE:
		kind_end(of, &kinds[VERDICT_CAPTURE]);
		return;
	}
	if (!get_info(of->attached[VERDICT_COUNT].program, &info))
		answer->number = info.recursion_misses;
	if (r->op == VERDICT_UNTRACE) {
		kind_end(of, &kinds[VERDICT_CAPTURE]);
		kind_end(of, &kinds[VERDICT_TRACE]);
		of->prog_id = 0;
	}
}

#define BPF(command) SIDE_PROCESS_CALL(bpf, 0, command)

static const struct syscall_rule rules[] = {
	SIDE_PROCESS_RULES,           BPF(BPF_PROG_GET_FD_BY_ID), BPF(BPF_OBJ_GET_INFO_BY_FD),
	BPF(BPF_MAP_CREATE),          BPF(BPF_MAP_FREEZE),        BPF(BPF_PROG_LOAD),
	BPF(BPF_RAW_TRACEPOINT_OPEN),
};

static const unsigned int keep[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN };

const struct side_process verdict_tracer = {
	.task = "traces programs",
	.keep = keep,
	.n_keep = sizeof(keep) / sizeof(keep[0]),
	.rules = rules,
	.n_rules = sizeof(rules) / sizeof(rules[0]),
	.request = sizeof(struct verdict_request),
	.answer = sizeof(struct verdict_answer),
	.serve = serve_trace,
};

/* `ring`: the descriptor of the map that all programs share, -1 = none. */
static int copy_program(struct verdict_program *to, const struct bpf_program *from, int ring)
{
	const struct bpf_insn *insn = bpf_program__insns(from);

	to->type = bpf_program__expected_attach_type(from);
	to->n = bpf_program__insn_cnt(from);
	if (to->n > VERDICT_INSNS_MAX)
		return -E2BIG;
	memcpy(to->insn, insn, to->n * sizeof(*insn));
	to->n_map_insns = 0;
	to->limit_insn = 0;
	for (size_t i = 0; i < to->n; i++) {
		if (insn[i].code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn[i].imm == CAPTURE_LIMIT)
			to->limit_insn = i;
		if (insn[i].code != (BPF_LD | BPF_IMM | BPF_DW) ||
		    insn[i].src_reg != BPF_PSEUDO_MAP_FD)
			continue;
		if (insn[i].imm == ring) {
			to->insn[i].imm = SIDE_PROCESS_GIVEN;
			continue;
		}
		if (to->n_map_insns == VERDICT_MAP_INSNS)
			return -E2BIG;
		to->map_insn[to->n_map_insns++] = i;
	}
	return 0;
}

static int attach_once(const struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach(program);

	return link ? bpf_link__destroy(link) : -errno;
}

/*
 * Attach an object's tracing program to a trial program, and keep its instructions in *to as libbpf
 * has relocated them; none if it is refused. *ring: a descriptor of its ring; NULL = it has none.
 */
static int trace_trial(struct verdict_program *to, const char *name,
		       const void *(*elf)(size_t *size), const struct bpf_program *trial, int *ring)
{
	size_t size;
	const void *data = elf(&size);
	struct bpf_object *o = bpf_object__open_mem(data, size, NULL);
	struct bpf_program *each, *p;
	int err, map = -1;

	if (!o)
		return -errno;
	bpf_object__for_each_program (each, o)
		bpf_program__set_autoload(each, !strcmp(bpf_program__name(each), name));
	p = bpf_object__find_program_by_name(o, name);
	err = bpf_program__set_attach_target(p, bpf_program__fd(trial), "verdict_trial");
	err = err ?: bpf_object__load(o);
	if (!err && ring)
		map = bpf_object__find_map_fd_by_name(o, "captured");
	to->name = name;
	err = err ?: attach_once(p) ?: copy_program(to, p, map);
	if (!err && ring) {
		*ring = fcntl(map, F_DUPFD_CLOEXEC, 0);
		err = *ring < 0 ? -errno : 0;
	}
	if (err)
		to->n = 0;
	bpf_object__close(o);
	return err;
}

/* Whether programs are interpreted: those cannot be traced. */
static bool is_jit_off(void)
{
	int fd = open("/proc/sys/net/core/bpf_jit_enable", O_RDONLY | O_CLOEXEC);
	char value = '1';

	if (fd >= 0) {
		(void)!read(fd, &value, 1);
		close(fd);
	}
	return value == '0';
}

static const char *why_refused(int err)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)";
	if (is_jit_off())
		return "the BPF JIT is off; run sysctl net.core.bpf_jit_enable=1";
	return errno_text(err);
}

static void prepare_capture(struct verdict_programs *p, const struct bpf_program *trial, bool both)
{
	struct utsname kernel = { .release = "" };
	int err = trace_trial(&p->program[VERDICT_COPY], "capture", capture_bpf__elf_bytes, trial,
			      &p->ring);
	uint16_t version = uname(&kernel) ? 0 : kernel_version(kernel.release);

	if (!err && both)
		err = trace_trial(&p->program[VERDICT_BEFORE], "before", capture_bpf__elf_bytes,
				  trial, NULL);
	if (err)
		error_set(&p->no_ring, err,
			  "this kernel refuses to copy packets of XDP programs: %s",
			  err == -EINVAL && version && version < KERNEL(5, 12)
				  ? "BPF_CMPXCHG needs Linux 5.12 or later"
				  : why_refused(err));
}

int verdict_tracer_prepare(struct verdict_programs *p, enum captures_config captures,
			   struct error *error)
{
	struct verdict_bpf *skel;
	int err;

	p->ring = -1;
	if (capng_get_caps_process() || !capng_have_capability(CAPNG_PERMITTED, CAP_SYS_ADMIN))
		return error_set(error, -EPERM,
				 "CAP_SYS_ADMIN is missing: opening programs by id needs it");
	skel = verdict_bpf__open();
	err = skel ? 0 : -errno;
	if (skel) {
		bpf_program__set_autoload(skel->progs.verdict, false);
		bpf_map__set_autocreate(skel->maps.verdicts, false);
		err = verdict_bpf__load(skel);
		err = err
			      ?: trace_trial(&p->program[VERDICT_COUNT], "verdict",
					     verdict_bpf__elf_bytes, skel->progs.verdict_trial,
					     NULL);
		if (!err && captures)
			prepare_capture(p, skel->progs.verdict_trial, captures == CAPTURES_BOTH);
		verdict_bpf__destroy(skel);
	}
	if (err)
		error_set(error, err, "this kernel refuses to trace XDP programs (fexit): %s",
			  why_refused(err));
	return err;
}

int verdict_tracer_start(const struct verdict_programs *programs, uint32_t cpus, pid_t *pid,
			 uint64_t *capabilities, struct error *error)
{
	struct tracer *t = memory_new(1, sizeof(*t));
	int ret;

	t->cpus = cpus;
	t->programs = *programs;
	ret = side_process_start(&verdict_tracer, programs->ring, t, pid, capabilities, error);
	/* the child process has its own copy */
	free(t);
	return ret;
}
