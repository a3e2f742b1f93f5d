// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/verdict_tracer.h"

#include <cap-ng.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/fd_pass.h"
#include "base/landlock.h"
#include "base/libc.h"
#include "base/syscall_filter.h"
#include "bpf/capture.h"
#include "bpf/timing.h"
#include "bpf/verdict.h"
#include "inventory/netlink_socket.h"
#include "model/kernel_names.h"
#include "tracing/verdict_traces.h"
#include "capture.skel.h"
#include "timing.skel.h"
#include "verdict.skel.h"

#define NOBODY       65534
#define SOCKET       0          /* the only descriptor that it inherits, */
#define RING         1          /* except the ring for captures */
#define OWN_NETNS    2          /* its network namespace, to return from another one */
#define ANSWER_FIRST UINT32_MAX /* announces that the process is confined; not a request */

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
	bool has_netns; /* OWN_NETNS is open */
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

/* What a request attaches: programs `first` to `last`, which share an array. */
static const struct tracer_kind {
	size_t element;  /* bytes */
	uint32_t others; /* elements that are not a CPU's */
	const char *map_name;
	bool frozen; /* the monitor only reads it */
	int first, last;
} kinds[] = {
	[VERDICT_TRACE] = { sizeof(struct verdict_cpu), 0, "verdicts", true, VERDICT_COUNT,
			    VERDICT_COUNT },
	/* the monitor writes which packets it wants; until then the program copies none */
	[VERDICT_CAPTURE] = { sizeof(union capture_element), CAPTURE_CPU, "capture", false,
			      VERDICT_COPY, VERDICT_COPY },
	[VERDICT_TIME] = { sizeof(struct timing_cpu), 0, "timing", true, VERDICT_TIME_BEGIN,
			   VERDICT_TIME_END },
};

static void kind_end(struct tracer_trace *of, const struct tracer_kind *kind)
{
	for (int i = kind->first; i <= kind->last; i++) {
		if (of->attached[i].program) {
			close(of->attached[i].link);
			close(of->attached[i].program);
		}
		of->attached[i] = (struct tracer_attached){ 0 };
	}
}

/* Returns a descriptor of the array, or -errno. */
static int kind_begin(struct tracer *t, struct tracer_trace *of, const struct tracer_kind *kind,
		      struct verdict_answer *answer)
{
	union bpf_attr attr = { .prog_id = of->prog_id };
	int program, map, err = 0;

	/* with one of these programs it has all */
	if (!t->programs.program[kind->first].n || of->attached[kind->first].program)
		return failed(answer, VERDICT_REQUEST, -EINVAL);
	program = call_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
	if (program < 0)
		return failed(answer, VERDICT_PROGRAM, program);
	map = create_map(kind->element, kind->others + t->cpus, kind->map_name, kind->frozen);
	if (map < 0)
		err = failed(answer, VERDICT_MAP, map);
	/* backwards: without the end of a timing its start has no effect */
	for (int i = kind->last; i >= kind->first && !err; i--)
		err = attach(&of->attached[i], &t->programs.program[i], map, program, answer);
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

/* Open the sockets that VERDICT_NETNS asks for in `netns`. 0 or -errno. */
static int open_sockets(const struct tracer *t, int netns, int opened[FD_PASS_MAX])
{
	int err = 0;

	if (!t->has_netns)
		return -ENOENT;
	if (setns(netns, CLONE_NEWNET))
		return -errno;
	opened[0] = netlink_socket_open(NETLINK_ROUTE, 0);
	opened[1] = netlink_socket_open(NETLINK_GENERIC, 0);
	for (int i = 0; i < FD_PASS_MAX; i++)
		err = opened[i] < 0 ? opened[i] : err;
	/* it would keep the namespace alive */
	if (setns(OWN_NETNS, CLONE_NEWNET))
		_exit(1);
	return err;
}

/* Serve a request that carries the descriptor `with`; `opened` are those of the answer. */
static void request_serve(struct tracer *t, struct verdict_answer *answer, int with,
			  int opened[FD_PASS_MAX])
{
	const struct verdict_request *r = &answer->request;
	struct tracer_trace *of = r->prog_id ? trace_find(t, r->prog_id) : NULL;
	struct bpf_prog_info info = { 0 };
	int err;

	if (r->op == VERDICT_NETNS) {
		err = open_sockets(t, with, opened);
		if (err)
			failed(answer, VERDICT_REQUEST, err);
		return;
	}
	if (!r->prog_id || r->op > VERDICT_UNTIME || !of == (r->op != VERDICT_TRACE)) {
		failed(answer, VERDICT_REQUEST, -EINVAL);
		return;
	}
	switch (r->op) {
	case VERDICT_TRACE:
		opened[0] = trace(t, answer);
		return;
	case VERDICT_CAPTURE:
	case VERDICT_TIME:
		opened[0] = kind_begin(t, of, &kinds[r->op], answer);
		return;
	case VERDICT_UNCAPTURE:
		kind_end(of, &kinds[VERDICT_CAPTURE]);
		return;
	case VERDICT_UNTIME:
		kind_end(of, &kinds[VERDICT_TIME]);
		return;
	}
	if (!get_info(of->attached[VERDICT_COUNT].program, &info))
		answer->number = info.recursion_misses;
	if (r->op == VERDICT_UNTRACE) {
		kind_end(of, &kinds[VERDICT_TIME]);
		kind_end(of, &kinds[VERDICT_CAPTURE]);
		kind_end(of, &kinds[VERDICT_TRACE]);
		of->prog_id = 0;
	}
}

#define ARGUMENT(name, arg, value)                                         \
	{                                                                  \
		.call = SYS_##name, .only = { { arg, UINT32_MAX, value } } \
	}
#define BPF(command) ARGUMENT(bpf, 0, command)
#define NETLINK(bus)                                   \
	{                                              \
		.call = SYS_socket, .only = {          \
			{ 0, UINT32_MAX, AF_NETLINK }, \
			{ 2, UINT32_MAX, bus }         \
		}                                      \
	}

static const struct syscall_rule rules[] = {
	{ .call = SYS_recvmsg },
	{ .call = SYS_sendmsg },
	{ .call = SYS_close },
	{ .call = SYS_exit_group },
	{ .call = SYS_rt_sigreturn },
	{ .call = SYS_restart_syscall },
	NETLINK(NETLINK_ROUTE),
	NETLINK(NETLINK_GENERIC),
	{ .call = SYS_bind },
	{ .call = SYS_connect },
	ARGUMENT(setns, 1, CLONE_NEWNET),
	BPF(BPF_PROG_GET_FD_BY_ID),
	BPF(BPF_OBJ_GET_INFO_BY_FD),
	BPF(BPF_MAP_CREATE),
	BPF(BPF_MAP_FREEZE),
	BPF(BPF_PROG_LOAD),
	BPF(BPF_RAW_TRACEPOINT_OPEN),
};

static const unsigned int keep[] = { CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN };

static void select_capabilities(uint64_t capabilities)
{
	capng_clear(CAPNG_SELECT_CAPS);
	for (int i = 0; i < 3; i++)
		if (capabilities & 1ULL << keep[i])
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE | CAPNG_PERMITTED, keep[i]);
}

/* Keep only the capabilities in `keep` that the process has. Drop root's uid if possible. */
static int drop(uint64_t *capabilities)
{
	if (capng_get_caps_process())
		return -EPERM;
	*capabilities = 0;
	for (int i = 0; i < 3; i++)
		if (capng_have_capability(CAPNG_PERMITTED, keep[i]))
			*capabilities |= 1ULL << keep[i];
	select_capabilities(*capabilities);
	if (!geteuid() && !capng_change_id(NOBODY, NOBODY, CAPNG_DROP_SUPP_GRP))
		return 0;
	/* on failure (no CAP_SETUID, a user namespace) it has changed the selection */
	select_capabilities(*capabilities);
	return capng_apply(CAPNG_SELECT_CAPS) ? -EPERM : 0;
}

int verdict_tracer_confine(uint64_t *capabilities)
{
	int err = drop(capabilities);

	/* the signal ends a stopped tracer, which would not notice that its socket was closed */
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
		     prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)))
		err = -errno;
	if (!err)
		err = landlock_confine(-1, -1);
	return err
		       ?: syscall_filter_load(rules, sizeof(rules) / sizeof(rules[0]), 0,
					      SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_PROCESS);
}

static void close_all(const int fd[FD_PASS_MAX])
{
	for (int i = 0; i < FD_PASS_MAX; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/*
 * Confine the process and announce that. Then answer requests until the socket is closed. 0 or
 * -errno.
 */
static int serve_all(struct tracer *t)
{
	struct verdict_answer answer = { .request.op = ANSWER_FIRST };
	int with[FD_PASS_MAX], opened[FD_PASS_MAX] = { -1, -1 }, err;
	ssize_t n;

	answer.err = verdict_tracer_confine(&answer.number);
	err = fd_pass_send(SOCKET, &answer, sizeof(answer), opened, 0) ?: answer.err;
	while (!err) {
		memset(&answer, 0, sizeof(answer));
		n = fd_pass_receive(SOCKET, &answer.request, sizeof(answer.request), with, 0);
		if (!n)
			break;
		if (n < 0) {
			err = n == -EINTR ? 0 : (int)n;
			continue;
		}
		opened[0] = opened[1] = -1;
		if (n == sizeof(answer.request))
			request_serve(t, &answer, with[0], opened);
		else
			failed(&answer, VERDICT_REQUEST, -EINVAL);
		err = fd_pass_send(SOCKET, &answer, sizeof(answer), opened, 0);
		close_all(with);
		close_all(opened);
	}
	return err;
}

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
	for (size_t i = 0; i < to->n; i++) {
		if (insn[i].code != (BPF_LD | BPF_IMM | BPF_DW) ||
		    insn[i].src_reg != BPF_PSEUDO_MAP_FD)
			continue;
		if (insn[i].imm == ring) {
			to->insn[i].imm = RING;
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
 * Trace a trial program with each program of an object, and keep them as libbpf has relocated them.
 * A refusal leaves them without instructions. *ring: a descriptor of its ring, if it has one.
 */
static int trace_trial(struct verdict_program *to, const char *name,
		       const void *(*elf)(size_t *size), const struct bpf_program *trial, int *ring)
{
	size_t size;
	const void *data = elf(&size);
	struct bpf_object *o = bpf_object__open_mem(data, size, NULL);
	struct bpf_program *p;
	int err = 0, map = -1, n = 0;

	if (!o)
		return -errno;
	bpf_object__for_each_program (p, o) {
		bool traces = bpf_program__type(p) == BPF_PROG_TYPE_TRACING;

		bpf_program__set_autoload(p, traces);
		if (traces && !err)
			err = bpf_program__set_attach_target(p, bpf_program__fd(trial),
							     "verdict_trial");
	}
	err = err ?: bpf_object__load(o);
	if (!err && ring)
		map = bpf_object__find_map_fd_by_name(o, "captured");
	bpf_object__for_each_program (p, o) {
		if (err || !bpf_program__autoload(p))
			continue;
		to[n].name = name;
		err = attach_once(p) ?: copy_program(&to[n++], p, map);
	}
	if (!err && ring) {
		*ring = fcntl(map, F_DUPFD_CLOEXEC, 0);
		err = *ring < 0 ? -errno : 0;
	}
	while (err && n)
		to[--n].n = 0;
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
		return "the BPF JIT is off; sysctl net.core.bpf_jit_enable=1";
	return errno_text(err);
}

static void prepare_capture(struct verdict_programs *p, const struct bpf_program *trial)
{
	int err = trace_trial(&p->program[VERDICT_COPY], "capture", capture_bpf__elf_bytes, trial,
			      &p->ring);

	if (err)
		error_set(&p->no_ring, err,
			  "this kernel refuses to copy packets at the end of XDP programs: %s",
			  err == -EINVAL ? "Linux 5.12 or later is needed (BPF_CMPXCHG)"
					 : why_refused(err));
}

int verdict_tracer_prepare(struct verdict_programs *p, bool capture, struct error *error)
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
		if (!err)
			trace_trial(&p->program[VERDICT_TIME_BEGIN], "timing",
				    timing_bpf__elf_bytes, skel->progs.verdict_trial, NULL);
		if (!err && capture)
			prepare_capture(p, skel->progs.verdict_trial);
		verdict_bpf__destroy(skel);
	}
	if (err)
		error_set(error, err, "this kernel refuses to trace XDP programs (fexit): %s",
			  why_refused(err));
	return err;
}

/* The child process. */
static int tracer_run(const struct verdict_programs *programs, uint32_t cpus)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int own;

	if (!t)
		return -ENOMEM;
	t->cpus = cpus;
	t->programs = *programs;
	/* the monitor does that for its own memory later */
	malloc_trim(0);
	/*
	 * do not end at keys like ^C and ^Z, nor at signals that systemd or killall sends to both
	 * processes: the monitor's last snapshot needs the traces
	 */
	setsid();
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	t->has_netns = own >= 0 && dup2(own, OWN_NETNS) == OWN_NETNS;
	if (programs->ring < 0)
		close(RING);
	closefrom(t->has_netns ? OWN_NETNS + 1 : OWN_NETNS);
	return serve_all(t);
}

int verdict_tracer_start(const struct verdict_programs *programs, uint32_t cpus, pid_t *pid,
			 uint64_t *capabilities, struct error *error)
{
	struct verdict_answer answer = { 0 };
	int pair[2], err = 0, room = 1 << 20;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		goto out;
	}
	/*
	 * room for two packets per trace, so that a stopped monitor does not block the answer to
	 * UNTRACE
	 */
	for (int i = 0; i < 2; i++)
		setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	*pid = fork();
	if (!*pid) {
		dup2(pair[1], SOCKET);
		if (programs->ring >= 0)
			dup2(programs->ring, RING);
		_exit(tracer_run(programs, cpus) ? 1 : 0);
	}
	if (*pid < 0)
		err = -errno;
	close(pair[1]);
	if (!err && read(pair[0], &answer, sizeof(answer)) != sizeof(answer))
		err = -ECHILD;
	err = err ?: answer.err;
	*capabilities = answer.number;
	if (err)
		close(pair[0]);
out:
	if (err)
		error_set(error, err, "the process that traces programs could not be started: %s",
			  errno_text(err));
	return err ?: pair[0];
}
