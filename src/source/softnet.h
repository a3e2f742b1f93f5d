/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Data source softnet: the work of the receive softirq on each CPU (/proc/net/softnet_stat), and
 * events of the tracepoints on that path, since the start.
 */
#pragma once

#include "model/snapshot.h"
#include "model/tracepoint.h"

struct softnet_cpu {
	uint32_t cpu;
	bool counted[STAGE_COUNT]; /* by a tracepoint */
	/* softnet_seq_show(), net/core/net-procfs.c */
	uint64_t processed;    /* packets delivered by NAPI polls and the backlog */
	uint64_t dropped;      /* skbs dropped because the backlog was full: enqueue_to_backlog() */
	uint64_t time_squeeze; /* net_rx_action() stopped with work left: budget or time used up */
	uint64_t events[STAGE_COUNT];
};

/* Rows of the snapshot, ascending by CPU. None if the kernel or the recording has no data. */
const struct softnet_cpu *softnet_rows(const struct snapshot *s, size_t *n);
/* The row of a CPU; NULL = unknown. s may be NULL. */
const struct softnet_cpu *softnet_row(const struct snapshot *s, uint32_t cpu);
/*
 * Parse a line of softnet_stat: raw counters of 32 bits, and the CPU. False = the line is not
 * valid, or has no CPU (before Linux 5.10).
 */
bool softnet_parse(const char *line, uint32_t *cpu, uint32_t raw[3]);
