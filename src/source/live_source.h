/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel: its data sources, opened and sampled in order. */
#pragma once

#include "model/source.h"
#include "tracing/probe.h"

struct attach;
struct bpf_iters;
struct bpf_objects;
struct fib_lookups;
struct holders;
struct map_users;
struct live_follow;
struct netdev_monitor;
struct pods;
struct programs_look;
struct sockets;

/* What live data sources share. The first source that has it sets it. */
struct live {
	const struct trace_config *trace; /* valid while sources are opened */
	struct snapshot_host *host;       /* facts about the machine */
	struct netns_names *netns;
	struct bpf_iters *iters;           /* NULL = none */
	struct bpf_objects *objects;       /* NULL = no names by id */
	struct holders *holders;           /* of sockets and programs; NULL = unknown */
	struct attach *attach;             /* set by tracepoints: links of the programs */
	const struct probe_memory *memory; /* tracepoints: memory of the programs */
	struct live_follow *follow;        /* set by tracepoints; NULL = nothing can be followed */
	struct netdev_monitor *netdevs;    /* set by devices; NULL = devices are unknown */
	struct pods *pods;                 /* set by pods */
	struct programs_look *programs;    /* set by programs */
	struct sockets *sockets;           /* NULL = AF_XDP sockets are unknown */
	const struct map_users *map_users; /* set by maps; NULL = unknown */
	struct fib_lookups *fib_lookups;   /* NULL = not counted */
	struct packet_kinds *packet_kinds; /* NULL = not counted */
	const char *no_packets;  /* set by verdicts: why packets cannot be read; NULL = they can */
	struct netdev_ref *need; /* devices that the next snapshot needs beside the series' */
	size_t n_need, cap_need;
	uint64_t looked_ns;    /* verdicts: when the attached programs were last known */
	uint64_t refreshed_ns; /* when the sources were last refreshed */
	uint64_t owners_ns;    /* when the processes of namespaces were last read */
	bool has_new_series;   /* created since owners_ns */
};

/* Have the next snapshot include this device; to be repeated for each snapshot. ifindex 0 = none.
 */
void live_need_netdev(struct live *live, uint32_t netns, uint32_t ifindex);
/* Read the processes of network namespaces again if that is due. */
void live_refresh_owners(struct live *live);

/*
 * Load all programs and attach the tracepoints of trace->tracepoints that this kernel has. 0 and *s
 * set. On failure -errno and *error. A tracepoint that cannot be loaded or attached is not a
 * failure, unless none of the requested ones can (EXIT_NO_TRACEPOINT).
 */
int live_source_open(struct source **s, const struct trace_config *trace, double delay_s,
		     struct error *error);

/*
 * For --list: the state of every tracepoint without attaching any. Needs no privilege beyond BTF.
 * For root also host->refused: what the kernel refuses of the other BPF programs.
 */
int live_source_list(struct tp_count tp[TP_COUNT], struct snapshot_host *host,
		     const struct trace_config *trace, struct error *error);
