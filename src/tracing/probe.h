/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel side of the live source: the tracepoints of this kernel, the BPF programs, their links
 * (src/tracing/attach.h), and the memory they count in.
 */
#pragma once

#include "base/error.h"
#include "model/capture.h"

struct attach;
struct follow;
struct probe;

struct trace_config {
	uint32_t tracepoints; /* to attach at start: bits 1 << id */
	uint64_t max_series;
	double budget; /* percent of one CPU; 0 = no limit */
	enum { BACKEND_AUTO, BACKEND_BTF, BACKEND_CLASSIC } backend;
	bool verbose;          /* libbpf's messages on stderr */
	bool verdicts;         /* count verdicts of XDP programs */
	bool later_namespaces; /* a process enters network namespaces that come later */
	enum captures_config captures;
	bool needs_captures;    /* it is an error if packets cannot be copied */
	uint32_t follow_events; /* events that all rings hold together; 0 = nothing will be followed
				 */
	const char *ifname; /* device listed in each snapshot, even without XDP; NULL, "" = none */
};

/* Memory shared with the programs; see bpf/shared.h. Sizes in elements. */
struct probe_memory {
	struct series_cpu *cpu;          /* [cpus] */
	struct series_counters *counter; /* [cpus][slots], a CPU's slots adjacent */
	struct series_info *info;      /* [slots]; the first TP_COUNT are overflow slots, unused */
	const volatile __u64 *created; /* number of series ever created */
	const volatile __u64 *events_lost; /* [TP_COUNT] */
	uint32_t cpus, slots;
	int slot_of, free_slots; /* fds of the maps */
};

/*
 * Load every program that this kernel accepts and attach the tracepoints of config->tracepoints.
 * Returns as live_source_open() does (src/source/live_source.h).
 */
int probe_open(struct probe **p, const struct trace_config *config, struct error *error);
/* Detach, unload and free. Takes NULL and a half-open probe. */
void probe_close(struct probe *p);
/* "btf" or "classic" */
const char *probe_backend_name(const struct probe *p);
const struct probe_memory *probe_memory(const struct probe *p);
/*
 * Fill in state, pending, name, reason, missed and on_ns of each tracepoint at `now_ns`
 * (monotonic).
 */
void probe_states(struct probe *p, uint64_t now_ns, struct tp_count tp[TP_COUNT]);
/* To switch tracepoints (src/tracing/attach.h). Its worker is not started yet. */
struct attach *probe_attach(struct probe *p);
/* To follow events (src/tracing/follow.h). NULL = not asked for. */
struct follow *probe_follow(struct probe *p);
/* As struct source_ops.capability_check. */
int probe_capability_check(struct probe *p);
/* Hand all rare events in the ring to fn. 0 or -errno. */
int probe_events(struct probe *p, void (*fn)(void *ctx, const struct series_event *e), void *ctx);

/*
 * Determine states from BTF or tracefs alone, without loading anything: on and off mean "would be",
 * by config->tracepoints. 0, or as probe_open().
 */
int probe_list(struct tp_count tp[TP_COUNT], const struct trace_config *config,
	       struct error *error);
