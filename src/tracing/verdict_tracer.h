/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that traces XDP programs for --verdicts. It is the one that keeps capabilities after
 * the start: CAP_BPF and CAP_PERFMON to load and attach, CAP_SYS_ADMIN for a program by its id
 * (bpf_prog_get_fd_by_id(), kernel/bpf/syscall.c). It parses no names, opens no files, and knows
 * three requests; a seccomp filter of its own allows the system calls of those, any other kills it.
 * It ends when its socket is closed, and with it all traces: it alone has their links.
 */
#ifndef XDPTOP_VERDICT_TRACER_H
#define XDPTOP_VERDICT_TRACER_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum verdict_op {
	VERDICT_TRACE,   /* the answer carries the descriptor of the trace's map */
	VERDICT_UNTRACE, /* its answer comes when the trace has ended */
	VERDICT_MISSED,  /* runs that the kernel's recursion guard has skipped */
};

/* Where a request failed. */
enum verdict_step {
	VERDICT_DONE,
	VERDICT_REQUEST, /* it is none, or there is no such trace */
	VERDICT_PROGRAM, /* to get the program by its id */
	VERDICT_BTF,     /* it has no BTF that names its main function */
	VERDICT_MAP,
	VERDICT_LOAD,
	VERDICT_ATTACH,
};

/* Packets of a SOCK_SEQPACKET socket, one answer for each request, in their order. */
struct verdict_request {
	uint32_t op; /* enum verdict_op */
	uint32_t prog_id;
};

struct verdict_answer {
	struct verdict_request request;
	uint32_t step; /* enum verdict_step */
	int32_t err;   /* -errno of that step, or 0 */
	/* VERDICT_MISSED, VERDICT_UNTRACE: runs that were missed. Of the first one, to no request:
	 * the capabilities that are kept, bits 1 << CAP_... */
	uint64_t number;
};

#define VERDICT_INSNS_MAX 512
#define VERDICT_MAP_INSNS 4

/* bpf/verdict.bpf.c, relocated for this kernel. */
struct verdict_program {
	struct bpf_insn insn[VERDICT_INSNS_MAX];
	size_t n;
	size_t map_insn[VERDICT_MAP_INSNS]; /* places of those that load the map's address */
	size_t n_map_insns;
};

/* Try on a program of its own whether this kernel allows it. 0, or -errno and `why`. */
int verdict_tracer_prepare(struct verdict_program *program, char *why, size_t size);
/*
 * Start the process. `cpus` = possible CPU ids. Returns its socket, with *pid and the capabilities
 * that it keeps (1 << CAP_...) set, or -errno and `why`. Call it with one thread: a lock that
 * another one holds would stay locked there.
 */
int verdict_tracer_start(const struct verdict_program *program, uint32_t cpus, pid_t *pid,
			 uint64_t *capabilities, char *why, size_t size);
/* What the process does first: all but its capabilities and calls goes, for good. 0 or -errno. */
int verdict_tracer_confine(uint64_t *capabilities);

#endif
