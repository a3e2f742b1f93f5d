/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each tracepoint costs while it runs: events per CPU times nanoseconds per event. The time
 * inside a program is sampled by the program itself (bpf/series_cache.h); what the kernel spends to
 * get there cannot be, and is a constant measured on this project's machines.
 */
#ifndef XDPTOP_COST_H
#define XDPTOP_COST_H

#include <stdint.h>
#include "bpf/shared.h"

/* An empty tp_btf program adds 34.6 ns to a redirected packet (`make bench`, "empty"). */
#define COST_DISPATCH_NS 35.0

struct cost {
	uint32_t cpus;         /* length of the array that cost_update() reads */
	uint64_t *events;      /* [cpus][TP_COUNT] at the last update */
	double *percent;       /* [cpus][TP_COUNT] since the one before */
	double ns[TP_COUNT];   /* per event, dispatch included; < 0 = no event was timed yet */
	int busiest[TP_COUNT]; /* CPU, -1 = no event */
};

/* 0 or -ENOMEM */
int cost_init(struct cost *c, uint32_t cpus);
void cost_free(struct cost *c);
/* Figures for the `seconds` since the last update; live counters, so read without a lock. */
void cost_update(struct cost *c, const struct series_cpu *cpu, double seconds);
/* Percent of one CPU that a tracepoint took there; tracepoint < 0 = all of them together. */
double cost_percent(const struct cost *c, uint32_t cpu, int tracepoint);
/* The CPU where all tracepoints together cost most. */
uint32_t cost_busiest(const struct cost *c);

#endif
