/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces of XDP programs: at the end (fexit) of each runs bpf/verdict.bpf.c and counts what it
 * returned. To load and attach that takes capabilities, for programs that come later too: a process
 * of its own has them (src/tracing/verdict_tracer.h), and this asks it. A trace holds a reference
 * to its program: the caller says, often, which are attached, and the others are let go.
 *
 * The main thread calls these functions, but verdict_traces_switch() and _meter() any thread.
 */
#ifndef XDPTOP_VERDICT_TRACES_H
#define XDPTOP_VERDICT_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "bpf/shared.h"
#include "bpf/verdict.h"

#define VERDICT_TRACES_MAX 256 /* at a time; fewer on very many CPUs */
#define VERDICT_REASON_LEN 160

struct verdict_traces;

/* A program that is attached now. */
struct verdict_attached {
	uint32_t prog_id;
	struct timespec not_before; /* if it is new: what was read up to then did not have it */
};

enum verdict_state {
	VERDICT_ASKED, /* the process has not answered yet */
	VERDICT_ON,
	VERDICT_REFUSED, /* it cannot be traced: the reason */
	VERDICT_OFF,     /* switched off, or not attached any more */
};

struct verdict_trace {
	uint32_t prog_id;
	uint32_t number; /* of the trace, ascending: a program that is traced again has a new one */
	enum verdict_state state;
	/* An element for each possible CPU, until the end of a trace is sampled. Else NULL. */
	const struct verdict_cpu *cpu;
	uint64_t missed; /* runs that the kernel's recursion guard skipped */
	/*
	 * It was attached after the first, and traced before the second: nobody knows how often it
	 * ran in between. 0 = it was attached before it could be traced at all; not traced yet.
	 */
	struct timespec unseen_from, unseen_until;
	char reason[VERDICT_REASON_LEN];
	/* of verdict_traces.c */
	bool asked, ending, ended, asked_missed, too_many;
	struct timespec again; /* attached again, while its trace ends: after that time */
};

/*
 * Start the process; before the privileges go, and with one thread. `cpus` = possible CPU ids. NULL
 * and `why`: no program can be traced here, or it could not be started. It is switched on.
 */
struct verdict_traces *verdict_traces_open(uint32_t cpus, char *why, size_t size);
/* End the process, and with it all traces; takes NULL. */
void verdict_traces_close(struct verdict_traces *t);
/* Its pid, 0 = it has ended, and the capabilities that it has: bits 1 << CAP_... */
pid_t verdict_traces_pid(const struct verdict_traces *t, uint64_t *capabilities);
/*
 * These n programs, ascending by id, are attached now (CLOCK_REALTIME): begin and end traces, take
 * in what the process has answered. 0, or -errno = the process has ended, and no trace is left.
 */
int verdict_traces_follow(struct verdict_traces *t, const struct verdict_attached *attached,
			  size_t n, const struct timespec *now);
/* Wait until the process has answered for all programs, timeout_ms at most. */
void verdict_traces_wait(struct verdict_traces *t, int timeout_ms);
/*
 * The traces, ascending by prog_id, *n of them; until the next follow(). Of a program that was
 * taken off and attached again there may be several, the last one is of now.
 */
const struct verdict_trace *verdict_traces(const struct verdict_traces *t, size_t *n);
/* A snapshot has their counts: those that have ended go, the others are asked for missed runs. */
void verdict_traces_sampled(struct verdict_traces *t);
/* Runs that the kernel's recursion guard skipped, in all traces, ended ones too. */
uint64_t verdict_traces_missed(const struct verdict_traces *t);
/* Off: all traces end at once. On: the next follow() begins them. */
void verdict_traces_switch(struct verdict_traces *t, bool on);
/*
 * Add up what all traces, ended ones too, have counted on each CPU and what it took:
 * cpu[].meter[tracepoint].
 */
void verdict_traces_meter(struct verdict_traces *t, struct series_cpu *cpu, uint32_t cpus,
			  int tracepoint);

#endif
