/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of XDP programs: when a program ends (fexit), bpf/verdict.bpf.c counts the verdict that it
 * returned. To load and attach a trace takes capabilities, even for programs that are attached
 * later. So a separate process keeps them (src/tracing/verdict_tracer.h) and serves requests from
 * here. A trace holds a reference to its program: the caller regularly lists the attached programs,
 * and traces of all others end.
 *
 * Only the main thread calls these functions, except verdict_traces_switch() and
 * verdict_traces_meter(), which any thread may call.
 */
#pragma once

#include <sys/types.h>
#include "base/error.h"
#include "bpf/verdict.h"
#include "tracing/captures.h"

#define VERDICT_TRACES_MAX 256 /* at a time; fewer with very many CPUs */
#define VERDICT_REASON_LEN 160

struct verdict_traces;

/* A program that is attached now. */
struct verdict_attached {
	uint32_t prog_id;
	struct timespec not_before; /* if the program is new: it was attached after this time */
	const struct capture_choices *capture; /* packets to copy; NULL = none */
};

enum verdict_state {
	VERDICT_ASKED, /* the process has not answered yet */
	VERDICT_ON,
	VERDICT_REFUSED, /* cannot be traced, for `reason` */
	VERDICT_OFF,     /* switched off, or no longer attached */
};

struct verdict_trace {
	uint32_t prog_id;
	uint32_t number; /* of the trace, ascending: each trace of a program has its own */
	enum verdict_state state;
	/* An element for each possible CPU, until the end of the trace is sampled; then NULL. */
	const struct verdict_cpu *cpu;
	uint64_t missed; /* runs that the kernel's recursion guard skipped */
	/*
	 * The program was attached after the first time and traced before the second; its runs in
	 * between were not counted. 0 = it was attached before it could be traced, or is not traced
	 * yet.
	 */
	struct timespec unseen_from, unseen_until;
	char reason[VERDICT_REASON_LEN];
	struct {
		bool refused; /* it cannot be */
		/* private to verdict_traces.c */
		bool asked, ending;
	} capturing;
	struct capture_array capture;
	bool asked, ending, ended, asked_missed, too_many;
	struct timespec again; /* attached again after this time, while its trace ends */
};

/*
 * Start the process, switched on. Call it before the drop of privileges, while there is one thread.
 * `cpus` = possible CPU ids. NULL and *error = programs cannot
 * be traced here, or it could not be started.
 */
struct verdict_traces *verdict_traces_open(uint32_t cpus, enum captures_config captures,
					   struct error *error);
/*
 * Why packets of all programs, or of the first program for which it failed, cannot be copied; NULL
 * = they can.
 */
const char *verdict_traces_no_capture(const struct verdict_traces *t);
/* Hand copied packets to fn, oldest first. Only if packets can be copied. */
void verdict_traces_packets(struct verdict_traces *t, capture_record_fn fn, void *ctx);
/* From now on no packet matches: wait for programs that run. The next follow() may choose again. */
void verdict_traces_end_captures(struct verdict_traces *t);
/* Packets of a program (0 = of all) that matched, and how many were not copied, since open. */
struct capture_counts verdict_traces_captured(const struct verdict_traces *t, uint32_t prog_id);
/* End the process and all traces. Takes NULL. */
void verdict_traces_close(struct verdict_traces *t);
/* Its pid, 0 = it has ended, and its capabilities: bits 1 << CAP_... */
pid_t verdict_traces_pid(const struct verdict_traces *t, uint64_t *capabilities);
/*
 * n programs, ascending by id, are attached now (CLOCK_REALTIME): begin and end traces and captures
 * accordingly, and take the answers of the process. 0, or -errno = the process has ended, and no
 * traces are left.
 */
int verdict_traces_follow(struct verdict_traces *t, const struct verdict_attached *attached,
			  size_t n, const struct timespec *now);
/* Wait until the process has answered for all programs, at most timeout_ms. */
void verdict_traces_wait(struct verdict_traces *t, int timeout_ms);
/*
 * The *n traces, ascending by prog_id; valid until the next follow(). A program that was detached
 * and attached again may have several: the last one is current.
 */
const struct verdict_trace *verdict_traces(const struct verdict_traces *t, size_t *n);
/* A snapshot has their counts: remove ended traces, and request the skipped runs of the others. */
void verdict_traces_sampled(struct verdict_traces *t);
/* Runs that the kernel's recursion guard skipped, in all traces including ended ones. */
uint64_t verdict_traces_missed(const struct verdict_traces *t);
/* Off: all traces end at once. On: the next follow() begins them. */
void verdict_traces_switch(struct verdict_traces *t, bool on);
/*
 * Store the sums of all traces, including ended ones, in cpu[].meter[tracepoint]: runs and time on
 * each CPU.
 */
void verdict_traces_meter(struct verdict_traces *t, struct series_cpu *cpu, uint32_t cpus,
			  int tracepoint);
