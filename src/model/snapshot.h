/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot: raw counts at one time, from the kernel or from a recording. No rates live here. They
 * exist between two snapshots (src/model/rates.h). All strings are already printable.
 */
#pragma once

#include "bpf/follow.h"
#include "model/kernel_names.h"
#include "model/change.h"
#include "model/data_sources.h"
#include "model/iter.h"
#include "model/netdev.h"

#define SNAPSHOT_NAME_LEN   65 /* 16 bytes, each at most \xNN, and the NUL */
#define SNAPSHOT_TEXT_LEN   513
#define SNAPSHOT_REASON_LEN 160
#define EVENT_HOLDER_LEN    96 /* a name, a pid, and how many more */

enum tp_state { TP_OFF, TP_ON, TP_MISSING, TP_FAILED, TP_SHED, TP_STATES };

/* One tracepoint at one time. Counts are since the start of the recording or run, over all CPUs. */
struct tp_count {
	enum tp_state state;
	bool pending;                     /* a toggle is under way */
	char name[48];                    /* the kernel's name; "" = an unused generic row */
	char reason[SNAPSHOT_REASON_LEN]; /* for missing, failed and shed; else "" */
	uint64_t events;
	uint64_t missed;          /* recursion misses: fired but not counted */
	uint64_t overflow;        /* events counted without identity, table full */
	uint64_t events_lost;     /* rare events counted but not listed: the ring was full */
	uint64_t on_ns;           /* how long it has been attached */
	uint64_t timed, timed_ns; /* timed events, time inside the program in them */
	double ns_per_event;      /* dispatch included; < 0 = unknown */
	double cpu_percent;       /* of its busiest CPU, last interval; < 0 = unknown */
	int cost_cpu;             /* that CPU, -1 = unknown */
};

struct cpu_count {
	uint32_t cpu; /* the kernel's CPU id, not a dense index */
	struct series_counters count;
};

/* One series; `id` is unique in a run and never reused, so two snapshots match by it. */
struct series {
	uint64_t id;
	uint32_t tracepoint;
	bool overflow; /* the tracepoint's "table full" series: no identity */
	struct series_key key;
	char ifname[SNAPSHOT_NAME_LEN];
	char to_ifname[SNAPSHOT_NAME_LEN];
	char prog_name[SNAPSHOT_NAME_LEN];
	struct series_counters total; /* over all CPUs */
	size_t cpu; /* first of n_cpu rows in snapshot.cpu, ascending by CPU, without rows of zeros
		     */
	size_t n_cpu;                     /* 0 in a recording made without -C */
	struct timespec last_seen;        /* CLOCK_REALTIME of the snapshot that saw it change */
	char map_name[SNAPSHOT_NAME_LEN]; /* of key.map_id; "" = none, or unknown */
	/*
	 * The program of the target's devmap entry, which runs on frames before they are sent. 0
	 * and "" = none, unknown, or entries with different programs. The name is truncated to save
	 * memory, because few series have one.
	 */
	char to_prog_name[24];
	uint32_t to_prog_id;
	uint32_t follow_lost; /* followed events that found the ring full since the last snapshot */
};

/* A rare event, a failure, or a change. */
struct event {
	struct timespec time;  /* CLOCK_REALTIME */
	uint32_t tracepoint;   /* TP_NONE if it is a change */
	enum change change;    /* CHANGE_NONE if it is not */
	int cpu;               /* -1 = unknown */
	struct series_key key; /* 0 = unknown */
	uint32_t pid;          /* who did it; 0 = unknown */
	uint64_t left_out; /* not listed, of this tracepoint and CPU, since the previous event */
	char comm[SNAPSHOT_NAME_LEN];
	char ifname[SNAPSHOT_NAME_LEN];
	char to_ifname[SNAPSHOT_NAME_LEN];
	char prog_name[SNAPSHOT_NAME_LEN];
	char text[SNAPSHOT_TEXT_LEN];
	/* of a change: the values before and after it; "" = none */
	char old_value[CHANGE_VALUE_LEN], new_value[CHANGE_VALUE_LEN];
	/*
	 * For a change: who holds the program or socket or, if it ended, held it, "agent[812]"; ""
	 * = nobody, or unknown. It need not be the process that did it.
	 */
	char holder[EVENT_HOLDER_LEN];
	bool has_queue; /* of a refused bind */
	uint32_t queue;
	uint32_t settings; /* of a program's change in an event_log: changes that it caused */
};

enum followed_kind {
	FOLLOWED_EVENT,
	FOLLOWED_LOST, /* not an event: event.left_out were lost on its CPU after the last one */
};

/*
 * A followed event. event.left_out counts events of its tracepoint and CPU that were lost before
 * it. event.text is the kernel's message, or the arguments of a tracepoint that the table does not
 * know, else "".
 */
struct followed {
	struct event event;
	uint64_t series; /* id of its series in this snapshot; 0 = unknown, as in a recording */
	enum followed_kind kind;
	uint32_t known;            /* bits 1 << index of arg */
	uint64_t arg[FOLLOW_ARGS]; /* by the enum of bpf/follow.h */
};

/*
 * The rows of a data source, in a struct type of its own. Two snapshots of one run are compared
 * row by row.
 */
struct snapshot_rows {
	void *row;
	size_t n, cap;
	size_t size; /* of a row; 0 = none was ever added */
};

struct snapshot {
	uint64_t seq;         /* 0 = the state at the start, before any interval */
	struct timespec wall; /* CLOCK_REALTIME */
	uint64_t mono_ns;     /* CLOCK_MONOTONIC, comparable within one run only */
	bool gap; /* sampling had stopped before it (^Z, SIGSTOP); rates are over the gap */
	uint32_t cpus_online;
	uint32_t page_size; /* of the machine that counted, in bytes; 0 = unknown */
	uint16_t kernel;    /* of that machine: KERNEL(); 0 = unknown */
	struct tp_count tp[TP_COUNT];
	struct series *series; /* ascending by id */
	size_t n_series, cap_series;
	struct cpu_count *cpu;
	size_t n_cpu, cap_cpu;
	struct event *event; /* since the previous snapshot */
	size_t n_event, cap_event;
	struct followed *followed; /* since the previous snapshot; not in `event` */
	size_t n_followed, cap_followed;
	struct snapshot_rows rows[DATA_SOURCE_COUNT];
	size_t netns_unreadable; /* network namespaces whose devices are unknown */
	size_t netdevs_left_out; /* devices beyond NETDEVS_MAX */
	size_t netdevs_known;    /* with and without XDP; 0 = unknown, as in a replay */
};

/* How many network namespaces have XDP programs on devices whose counters are not read. */
size_t snapshot_netns_uncounted(const struct snapshot *s);

enum snapshot_process_id {
	PROCESS_VERDICTS, /* traces programs: --verdicts */
	PROCESS_LATER,    /* opens sockets in later namespaces: --later-namespaces */
	PROCESSES
};

/* The machine and the program that made the snapshots. */
struct snapshot_host {
	char hostname[65], kernel[65], backend[16], version[48];
	uint32_t cpus_possible, cpus_online;
	uint32_t page_size; /* in bytes; 0 = unknown */
	struct timespec start;
	struct timespec read_from; /* a replay read nothing before this time; 0 = read from start */
	double delay_s;
	enum netdev_coverage devices;
	uint64_t netns_unreadable, netdevs_left_out; /* at the start, see struct snapshot */
	/* Why this machine lacks a data source; "" = it has it, or this is a recording. */
	char absent[DATA_SOURCE_COUNT][SNAPSHOT_REASON_LEN];
	struct refusal refused[ITER_COUNT]; /* BPF programs that the kernel refused */
	/* Processes beside the monitor, and the capabilities that they keep (bits 1 << CAP_*). */
	struct snapshot_process {
		uint32_t pid; /* 0 = none */
		uint64_t caps;
		char reason[SNAPSHOT_REASON_LEN]; /* why there is none; "" = not asked for */
	} process[PROCESSES];
	bool reads_packets; /* live: heads of packets are copied now */
	/* Only in segments of the recorder. Two headers with the same boot and start are one run.
	 */
	char boot_id[37];             /* "" = unknown */
	uint64_t mono_ns, started_ns; /* CLOCK_MONOTONIC of this header, and of the start */
	uint64_t snapshots_left_out;  /* of the run, before this header */
};

/* Never fails. An all-zero snapshot is also valid and empty. */
void snapshot_init(struct snapshot *s);
/* Frees the contents. s may be NULL or all-zero. */
void snapshot_free(struct snapshot *s);
/* Empties it, keeping its memory for the next sample. */
void snapshot_clear(struct snapshot *s);
/* Deep copy for pause and baseline. */
void snapshot_copy(struct snapshot *to, const struct snapshot *from);
/* The same for the rows of one data source. */
void snapshot_copy_rows(struct snapshot *to, const struct snapshot *from,
			enum data_source_id source);
/* Append one zeroed element. Invalidates earlier pointers. */
struct series *snapshot_add_series(struct snapshot *s);
struct cpu_count *snapshot_add_cpu(struct snapshot *s);
struct event *snapshot_add_event(struct snapshot *s);
struct followed *snapshot_add_followed(struct snapshot *s);
struct netdev *snapshot_add_netdev(struct snapshot *s);
void *snapshot_add_row(struct snapshot *s, enum data_source_id source, size_t size);
/* Replaces the rows of the source by copies of n rows. */
void snapshot_put_rows(struct snapshot *s, enum data_source_id source, const void *row, size_t n,
		       size_t size);
/*
 * Devices, ascending by netns, then ifindex: devices with XDP, devices that a series or a map entry
 * names, and the peers of all these.
 */
struct netdev *snapshot_netdevs(const struct snapshot *s);
size_t snapshot_n_netdevs(const struct snapshot *s);
/* The series with this id, or NULL: O(log n). */
const struct series *snapshot_find(const struct snapshot *s, uint64_t id);
/* A device, or NULL: O(log n). */
const struct netdev *snapshot_find_netdev(const struct snapshot *s, uint32_t netns,
					  uint32_t ifindex);
/* The counters of one CPU in a series; NULL = none on that CPU. */
const struct series_counters *snapshot_cpu(const struct snapshot *s, const struct series *series,
					   uint32_t cpu);

/* The name of a tracepoint; for a generic row the kernel's, "" = unused. */
const char *snapshot_tracepoint(const struct snapshot *s, uint32_t tracepoint);
/* Sum of a counter of struct tp_count over all tracepoints: snapshot_total(s, missed). */
#define snapshot_total(s, counter) snapshot_sum(s, offsetof(struct tp_count, counter))
uint64_t snapshot_sum(const struct snapshot *s, size_t counter);
/*
 * "verdicts on: pid 812 keeps CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN", shorter if `brief`, for narrow
 * screens; "" = there is no such process.
 */
const char *snapshot_process_text(const struct snapshot *s, const struct snapshot_host *host,
				  enum snapshot_process_id which, bool brief, char *buf,
				  size_t size);
/* "on", "off", "missing", "failed", "shed" */
const char *tp_state_name(enum tp_state state);
extern const char *const tp_states[TP_STATES];

/* Packets and drops as defined by struct tracepoint; false and 0 = it counts none (`-`, null). */
bool series_packets(uint32_t tracepoint, const struct series_counters *c, uint64_t *packets);
bool series_drops(uint32_t tracepoint, const struct series_counters *c, uint64_t *drops);
void series_counters_add(struct series_counters *to, const struct series_counters *add);
