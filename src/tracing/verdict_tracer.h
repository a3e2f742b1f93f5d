/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that traces XDP programs for --verdicts (base/side_process.h). It keeps CAP_BPF and
 * CAP_PERFMON to load and attach, and CAP_SYS_ADMIN to open a program by its id
 * (bpf_prog_get_fd_by_id(), kernel/bpf/syscall.c). It parses no names, opens no files, reads no
 * packets, and serves five requests. All traces end with it, because only it holds their links.
 */
#pragma once

#include <linux/bpf.h>
#include "base/side_process.h"
#include "model/capture.h"

enum verdict_op {
	VERDICT_TRACE,   /* the answer carries a descriptor of the trace's map */
	VERDICT_UNTRACE, /* answered when the trace has ended */
	VERDICT_MISSED,  /* how many runs the kernel's recursion guard has skipped */
	/* of a program that is traced; the answer carries a descriptor of the capture's array */
	VERDICT_CAPTURE,
	VERDICT_UNCAPTURE, /* answered when the capture has ended */
};

enum verdict_step {
	VERDICT_DONE,
	VERDICT_REQUEST, /* not a valid request, or no such trace */
	VERDICT_PROGRAM, /* opening the program by its id */
	VERDICT_BTF,     /* its BTF does not name a main function */
	VERDICT_MAP,
	VERDICT_LOAD,
	VERDICT_ATTACH,
};

/* Packets of a SOCK_SEQPACKET socket. Each request gets one answer, in order. */
struct verdict_request {
	uint32_t op; /* enum verdict_op */
	uint32_t prog_id;
	uint32_t insns; /* VERDICT_CAPTURE: at most so many of a filter; up to CAPTURE_INSNS */
	uint32_t spare;
};

struct verdict_answer {
	struct verdict_request request;
	uint32_t step;   /* enum verdict_step */
	int32_t err;     /* -errno of that step, or 0 */
	uint64_t number; /* VERDICT_MISSED, VERDICT_UNTRACE: runs that were skipped */
};

#define VERDICT_INSNS_MAX 1024
#define VERDICT_MAP_INSNS 16

/* A program, relocated for this kernel. */
struct verdict_program {
	const char *name;
	enum bpf_attach_type type;
	struct bpf_insn insn[VERDICT_INSNS_MAX];
	size_t n;
	size_t map_insn[VERDICT_MAP_INSNS]; /* instructions that load the address of its own map */
	size_t n_map_insns;
	size_t limit_insn; /* that loads CAPTURE_LIMIT; 0 = none */
};

enum {
	VERDICT_COUNT,  /* bpf/verdict.bpf.c */
	VERDICT_COPY,   /* bpf/capture.bpf.c */
	VERDICT_BEFORE, /* the same at the beginning of a program */
	VERDICT_PROGRAMS
};

struct verdict_programs {
	/* without instructions this kernel refuses it, or it was not asked for */
	struct verdict_program program[VERDICT_PROGRAMS];
	int ring;             /* that captures write to; -1 = no packet can be read */
	struct error no_ring; /* why not; no text = not asked for */
};

/*
 * Trace a trial program to see whether this kernel allows it, and with `captures` whether it allows
 * to read packets. 0, or -errno and *error. The caller closes p->ring.
 */
int verdict_tracer_prepare(struct verdict_programs *p, enum captures_config captures,
			   struct error *error);
/* Start the process: side_process_start(). `cpus` = possible CPU ids. */
int verdict_tracer_start(const struct verdict_programs *programs, uint32_t cpus, pid_t *pid,
			 uint64_t *capabilities, struct error *error);
extern const struct side_process verdict_tracer;
