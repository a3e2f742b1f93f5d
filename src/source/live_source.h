/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The running kernel: its data sources, opened and sampled one after the other. */
#ifndef XDPTOP_LIVE_SOURCE_H
#define XDPTOP_LIVE_SOURCE_H

#include "model/source.h"
#include "tracing/probe.h"

struct attach;
struct bpf_iters;
struct bpf_objects;
struct holders;
struct map_users;
struct live_follow;
struct netdev_monitor;
struct pods;
struct programs_look;
struct sockets;

/* What live data sources take from each other. Set by the first that has it, in their order. */
struct live {
	const struct trace_config *trace; /* while they are opened */
	struct snapshot_host *host;       /* what is told of the machine */
	struct netns_names *netns;
	struct bpf_iters *iters;           /* NULL = none */
	struct bpf_objects *objects;       /* NULL = no names by id */
	struct holders *holders;           /* of sockets and programs; NULL = none is known */
	struct attach *attach;             /* tracepoints: links of the programs */
	const struct probe_memory *memory; /* tracepoints: what the programs count in */
	struct live_follow *follow;        /* tracepoints; NULL = nothing can be followed */
	struct netdev_monitor *netdevs;    /* devices; NULL = nothing can be known of them */
	struct pods *pods;                 /* pods of namespaces */
	struct programs_look *programs;    /* programs: what is attached */
	struct sockets *sockets;           /* NULL = AF_XDP sockets cannot be known */
	const struct map_users *map_users; /* maps; NULL = not known */
	struct live_need {
		uint32_t netns, ifindex;
	} * need; /* devices that the next snapshot needs, because others than series name them */
	size_t n_need, cap_need;
	uint64_t looked_ns;    /* verdicts: which programs devices run is known up to then */
	uint64_t refreshed_ns; /* when the sources were last asked for news */
	uint64_t owners_ns;    /* when the processes of namespaces were last read */
	bool has_new_series;   /* created since */
};

/* From the next snapshot on this device is in it; to be said for each. 0 = none. 0 or -ENOMEM. */
int live_need_netdev(struct live *live, uint32_t netns, uint32_t ifindex);
/* Read again which processes live in network namespaces, where that is due. */
void live_refresh_owners(struct live *live);

/*
 * Load all programs, attach those of trace->tracepoints that this kernel has. On success *s is
 * set and 0 returned. On failure a negative errno, the exit code for main in *exit_code, and a
 * message for the user (name, cause, remedy) in why. A single tracepoint that cannot be loaded or
 * attached is not a failure; none at all of those asked for is (EXIT_NO_TRACEPOINT).
 */
int live_source_open(struct source **s, const struct trace_config *trace, double delay_s,
		     int *exit_code, char *why, size_t why_size);

/* For --list: the state of every tracepoint without attaching any; needs no privilege beyond BTF.
 */
int live_source_list(struct tp_count tp[TP_COUNT], const struct trace_config *trace, int *exit_code,
		     char *why, size_t why_size);

#endif
