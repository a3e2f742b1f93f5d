/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source softnet: what the receive softirq did on each CPU (/proc/net/softnet_stat), and the
 * events of the tracepoints there. The counts are since the start.
 */
#ifndef XDPTOP_SOFTNET_H
#define XDPTOP_SOFTNET_H

#include "model/snapshot.h"
#include "model/tracepoint.h"

struct softnet_cpu {
	uint32_t cpu;
	uint32_t stages; /* BIT(enum tp_stage): of which a tracepoint has counted */
	/* softnet_seq_show(), net/core/net-procfs.c */
	uint64_t processed;    /* packets that NAPI polls and the backlog handed on */
	uint64_t dropped;      /* skbs that found the CPU's backlog full: enqueue_to_backlog() */
	uint64_t time_squeeze; /* net_rx_action() stopped with work left: budget or time used up */
	uint64_t events[STAGE_COUNT];
};

/* Rows of the snapshot, ascending by CPU; 0 where the kernel or the recording tells nothing. */
const struct softnet_cpu *softnet_rows(const struct snapshot *s, size_t *n);
/* One CPU; NULL = unknown. s may be NULL. */
const struct softnet_cpu *softnet_row(const struct snapshot *s, uint32_t cpu);
/*
 * One line of softnet_stat: raw counters of 32 bits, and the CPU. False when it has no CPU (before
 * Linux 5.10) or is none.
 */
bool softnet_parse(const char *line, uint32_t *cpu, uint32_t raw[3]);

#endif
