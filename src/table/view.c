// SPDX-License-Identifier: GPL-2.0-or-later
#include "table/view.h"

#include <string.h>

#define COLUMNS(...)                                       \
	.column = (const enum column_id[]){ __VA_ARGS__ }, \
	.n_columns = sizeof((enum column_id[]){ __VA_ARGS__ }) / sizeof(enum column_id)

/* The most important columns come first, because 80 screen columns cut the others. */
const struct view views[VIEW_COUNT] = {
	[VIEW_OVERVIEW] = {
		.name = "overview",
		.title = "Overview",
		.help = "whether XDP loses packets, with the worst findings, each device with "
			"XDP, its packets and the result, and the newest changes",
		.rows = &rows_paths,
		.iters = BIT(ITER_WALK) | BIT(ITER_PROGRAM_NAMES),
		.stages = BIT(STAGE_VERDICT) | BIT(STAGE_FAILED) | BIT(STAGE_QUEUED) | BIT(STAGE_SENT),
		.has = HAS_DEVICE,
		.group = GROUP_LOCATION,
		COLUMNS(COL_DEVICE, COL_NETNS, COL_MODE, COL_PATH_IN, COL_PATH_PASS, COL_PATH_DROP,
			COL_PATH_REDIRECT, COL_PATH_TX, COL_LOST_RATE, COL_RESULT, COL_PROGRAM,
			COL_PROG_ID, COL_POD),
		.sort = COL_LOST_RATE,
		.trend = COL_RESULT,
		.block = (const enum view_id[]){ VIEW_FINDINGS, VIEW_CHANGES },
		.n_blocks = 2,
		.n_tails = 1,
	},
	[VIEW_FINDINGS] = {
		.name = "findings",
		.title = "Findings",
		.help = "likely causes with the next commands (e), including past ones, marked "
			"cleared",
		.rows = &rows_findings,
		.iters = BIT(ITER_INSTALLS) - 1,
		COLUMNS(COL_SEVERITY, COL_FINDING, COL_DEVICE, COL_TARGET, COL_LOST_RATE,
			COL_TEXT, COL_LAST_SEEN, COL_TO_POD, COL_POD, COL_COUNT, COL_SINCE,
			COL_NETNS, COL_PROGRAM, COL_PROG_ID, COL_TRACEPOINT),
		.sort = COL_LOST_RATE,
		.trend = COL_TEXT,
	},
	[VIEW_FLOWS] = {
		.name = "flows",
		.title = "Flows",
		.help = "from which device to which target packets were queued, failed, sent "
			"and dropped, and how well they are bulked",
		.rows = &rows_series,
		.iters = BIT(ITER_WALK) | BIT(ITER_PROGRAM_NAMES) | BIT(ITER_PROCESSES),
		.stages = BIT(STAGE_FAILED) | BIT(STAGE_QUEUED) | BIT(STAGE_SENT),
		.group = GROUP_DEVICE | GROUP_TARGET,
		COLUMNS(COL_DEVICE, COL_NETNS, COL_TARGET, COL_LOST_RATE, COL_TO_POD, COL_POD,
			COL_QUEUED_RATE, COL_FAILED_RATE, COL_PACKETS_RATE, COL_DROPS_RATE,
			COL_DROP_PERCENT, COL_BULK, COL_PROGRAM, COL_PROG_ID, COL_PACKETS,
			COL_DROPS, COL_LAST_SEEN),
		.sort = COL_LOST_RATE,
		.trend = COL_TO_POD,
	},
	[VIEW_ERRORS] = {
		.name = "errors",
		.title = "Errors",
		.help = "what failed, where, and why (a packet may be listed twice, as "
			"xdp_redirect_err and as xdp_exception)",
		.rows = &rows_series,
		.iters = BIT(ITER_WALK) | BIT(ITER_PROGRAM_NAMES) | BIT(ITER_MAP_CONTENTS),
		.group = GROUP_TRACEPOINT | GROUP_DEVICE | GROUP_TARGET | GROUP_PROG | GROUP_CODE,
		.failures_only = true,
		COLUMNS(COL_TRACEPOINT, COL_DEVICE, COL_ERROR, COL_ERRORS_RATE, COL_ERRORS,
			COL_LAST_SEEN, COL_TARGET, COL_TO_POD, COL_POD, COL_MEANING, COL_NETNS,
			COL_PROGRAM, COL_PROG_ID),
		.sort = COL_ERRORS_RATE,
	},
	[VIEW_DEVICES] = {
		.name = "devices",
		.title = "Devices",
		.help = "every device with XDP attached or with events, with packets that came "
			"in on it (queued, failed, exceptions) and packets that it was given to "
			"send (packets, drops)",
		.rows = &rows_devices,
		.iters = BIT(ITER_WALK) | BIT(ITER_PROGRAM_NAMES) | BIT(ITER_PROCESSES),
		.stages = BIT(STAGE_VERDICT) | BIT(STAGE_FAILED) | BIT(STAGE_QUEUED) | BIT(STAGE_SENT),
		.has = HAS_DEVICE,
		.group = GROUP_LOCATION,
		COLUMNS(COL_DEVICE, COL_NETNS, COL_MODE, COL_QUEUED_RATE, COL_FAILED_RATE,
			COL_EXCEPTIONS_RATE, COL_PACKETS_RATE, COL_DROPS_RATE, COL_POD,
			COL_VERDICT_PASS_RATE, COL_VERDICT_DROP_RATE, COL_VERDICT_TX_RATE,
			COL_VERDICT_REDIRECT_RATE, COL_VERDICT_ABORTED_RATE,
			COL_VERDICT_UNKNOWN_RATE, COL_VERDICT_BYTES_RATE, COL_LINK, COL_WARNING,
			COL_PROGRAM, COL_PROG_ID, COL_RX_MISSED_RATE, COL_HW_DROP_RATE, COL_MTU,
			COL_PEER, COL_MASTER, COL_FEATURES, COL_DRIVER, COL_LAST_SEEN),
		.sort = COL_DROPS_RATE,
	},
	[VIEW_PROGRAMS] = {
		.name = "programs",
		.title = "Programs",
		.help = "every XDP program that is attached or was seen, with its device, what "
			"it redirects, how much of that fails, who holds it, and what it drops "
			"and passes (--verdicts)",
		.rows = &rows_programs,
		.iters = BIT(ITER_WALK) | BIT(ITER_PROGRAM_NAMES) | BIT(ITER_FILES) |
			 BIT(ITER_LINKS) | BIT(ITER_PINS) | BIT(ITER_RUNS) |
			 BIT(ITER_MAP_CONTENTS) | BIT(ITER_MAP_USERS),
		.has = HAS_PROG,
		.group = GROUP_PROG,
		COLUMNS(COL_PROGRAM, COL_PROG_ID, COL_VERDICT_PASS_RATE, COL_VERDICT_DROP_RATE,
			COL_VERDICT_TX_RATE, COL_VERDICT_REDIRECT_RATE, COL_QUEUED_RATE,
			COL_FAILED_RATE, COL_EXCEPTIONS_RATE, COL_VERDICT_ABORTED_RATE,
			COL_VERDICT_UNKNOWN_RATE, COL_VERDICT_BYTES_RATE, COL_LAST_SEEN,
			COL_DEVICES, COL_VERDICTS, COL_OWNER, COL_HELD, COL_AGE,
			COL_RUN_NS, COL_RUNS_RATE),
		.sort = COL_FAILED_RATE,
	},
	[VIEW_MAPS] = {
		.name = "maps",
		.title = "Maps",
		.help = "every map that programs redirect through, with the device, CPU or "
			"AF_XDP socket of each entry, and how full the hashes and LPM tries of "
			"running programs are, problems first",
		.rows = &rows_maps,
		.iters = BIT(ITER_MAP_CONTENTS) | BIT(ITER_MAP_USERS) | BIT(ITER_MAP_COUNTS) |
			 BIT(ITER_MAP_NAMES) | BIT(ITER_PROGRAM_NAMES),
		.needs = BIT(ITER_MAP_CONTENTS) | BIT(ITER_MAP_USERS) | BIT(ITER_MAP_COUNTS),
		COLUMNS(COL_MAP, COL_KEY, COL_TARGET, COL_TO_POD, COL_LINK, COL_FILL_PERCENT,
			COL_WARNING, COL_QSIZE, COL_PROGRAM, COL_PROG_ID, COL_MAP_TYPE, COL_MAP_ID,
			COL_USED, COL_ENTRIES, COL_SLOTS, COL_GROWTH, COL_FULL_IN, COL_INODE),
		.sort = -1,
	},
	[VIEW_SOCKETS] = {
		.name = "sockets",
		.title = "Sockets",
		.help = "every AF_XDP socket, with its owner, how full its rings are, and what "
			"it receives, sends and loses",
		.rows = &rows_sockets,
		.iters = BIT(ITER_SOCKETS) | BIT(ITER_FILES) | BIT(ITER_MAP_CONTENTS),
		.needs = BIT(ITER_SOCKETS),
		COLUMNS(COL_DEVICE, COL_QUEUE, COL_POD, COL_PROCESS, COL_LOST_RATE,
			COL_RECEIVED_RATE, COL_RX_PERCENT, COL_FILL_PERCENT, COL_NO_FILL_RATE,
			COL_MAP, COL_STATE, COL_MODE, COL_TX_PERCENT, COL_COMPLETION_PERCENT,
			COL_TRANSMITTED_RATE, COL_RX_DROPPED_RATE, COL_RX_FULL_RATE,
			COL_TX_INVALID_RATE, COL_TX_EMPTY_RATE, COL_NETNS, COL_WARNING,
			COL_RX_SIZE, COL_FILL_SIZE, COL_TX_SIZE, COL_COMPLETION_SIZE, COL_UMEM,
			COL_CHUNK, COL_INODE, COL_FILL_INVALID_RATE),
		.sort = COL_LOST_RATE,
	},
	[VIEW_EVENTS] = {
		.name = "events",
		.title = "Events",
		.help = "all rare events, a sample of failures, and how many were left out, "
			"newest first",
		.rows = &rows_events,
		.iters = BIT(ITER_PROGRAM_NAMES) | BIT(ITER_MAP_NAMES) | BIT(ITER_INSTALLS) |
			 BIT(ITER_BINDS),
		COLUMNS(COL_TIME, COL_TRACEPOINT, COL_DEVICE, COL_TEXT, COL_CPU, COL_LEFT_OUT,
			COL_NETNS, COL_POD, COL_PROGRAM, COL_PROG_ID, COL_PROCESS),
		.sort = -1,
	},
	[VIEW_CPUMAP] = {
		.name = "cpumap",
		.title = "CPU maps",
		.help = "frames that cpumaps queued, dropped and processed, by source and "
			"target CPU",
		.rows = &rows_series,
		.iters = BIT(ITER_MAP_CONTENTS) | BIT(ITER_PROGRAM_NAMES),
		.stages = BIT(STAGE_SENT) | BIT(STAGE_TAKEN),
		.has = HAS_TO_CPU,
		.group = GROUP_TARGET,
		.from_cpus = true,
		COLUMNS(COL_TARGET, COL_FROM, COL_PACKETS_RATE, COL_DROPS_RATE, COL_DROP_PERCENT,
			COL_BULK, COL_TAKEN_RATE, COL_TAKEN_DROPS_RATE, COL_SLEEP_PERCENT, COL_PASS_RATE,
			COL_XDP_DROP_RATE, COL_REDIRECT_RATE, COL_MAP, COL_LAST_SEEN),
		.sort = COL_DROPS_RATE,
	},
	[VIEW_QUEUES] = {
		.name = "queues",
		.title = "Queues",
		.help = "every receive queue of the devices with XDP, with its packets, the "
			"CPU, interrupt or thread that serves it, and its AF_XDP socket",
		.rows = &rows_queues,
		.iters = BIT(ITER_WALK),
		.needs = BIT(ITER_WALK),
		COLUMNS(COL_DEVICE, COL_QUEUE, COL_POD, COL_QUEUE_RATE, COL_CPU, COL_IRQ, COL_NAPI,
			COL_NUMA, COL_QUEUE_SOCKET, COL_HW_DROP_RATE, COL_NETNS, COL_DRIVER,
			COL_WARNING),
		.sort = -1,
	},
	[VIEW_CPUS] = {
		.name = "cpus",
		.title = "CPUs",
		.help = "what each CPU does, with XDP events by stage, polls of its cpumap "
			"threads, and its receive softirq (packets handed on, packets lost, "
			"stops with work left)",
		.rows = &rows_cpus,
		COLUMNS(COL_CPU, COL_SOFTNET_RATE, COL_BACKLOG_DROPS_RATE, COL_SQUEEZE_RATE,
			COL_EXCEPTIONS_RATE, COL_FAILED_RATE, COL_QUEUED_RATE, COL_BULKS_RATE,
			COL_POLLS_RATE, COL_SKBS_RATE, COL_BACKLOG_DROPS),
		.sort = -1,
	},
	[VIEW_STACK] = {
		.name = "stack",
		.title = "Stack",
		.help = "packets queued by the network stack, by device (net_dev_queue), with "
			"skbs as EVENTS and GSO segments as PKTS",
		.rows = &rows_series,
		.iters = BIT(ITER_WALK),
		.stages = BIT(STAGE_STACK),
		.group = GROUP_DEVICE,
		COLUMNS(COL_DEVICE, COL_NETNS, COL_EVENTS_RATE, COL_PACKETS_RATE, COL_BYTES_RATE,
			COL_POD, COL_SIZE, COL_BYTES, COL_LAST_SEEN),
		.sort = COL_BYTES_RATE,
	},
	[VIEW_PACKETS] = {
		.name = "packets",
		.title = "Packets",
		.help = "a sample of what programs drop and pass, by protocol (--verdicts)",
		.rows = &rows_packets,
		.iters = BIT(ITER_PROGRAM_NAMES),
		COLUMNS(COL_PROGRAM, COL_PROG_ID, COL_VERDICT, COL_ETHERTYPE, COL_PROTOCOL,
			COL_LENGTH_TO, COL_SAMPLED, COL_SAMPLE_SHARE),
		.sort = COL_SAMPLED,
	},
	[VIEW_TRACEPOINTS] = {
		.name = "tracepoints",
		.title = "Tracepoints",
		.help = "every tracepoint: its cost, and whether it is on, fires or reports losses "
			"(on the screen, Space or its digit switches it on or off)",
		.rows = &rows_series,
		.group = GROUP_TRACEPOINT,
		.always = true,
		COLUMNS(COL_KEY, COL_TRACEPOINT, COL_STATE, COL_CPU_PERCENT, COL_NS,
			COL_EVENTS_RATE, COL_PACKETS_RATE, COL_DROPS_RATE, COL_EVENTS,
			COL_LAST_SEEN, COL_REASON),
		.sort = -1,
	},
	[VIEW_CHANGES] = {
		.name = "changes",
		.title = "Changes",
		.help = "programs attached, replaced and detached, and links, settings, map "
			"entries, sockets and CPUs that changed, newest first",
		.rows = &rows_changes,
		.iters = BIT(ITER_WALK) | BIT(ITER_SOCKETS) | BIT(ITER_MAP_CONTENTS) |
			 BIT(ITER_FILES) | BIT(ITER_INSTALLS) | BIT(ITER_BINDS),
		COLUMNS(COL_TIME, COL_CHANGE, COL_DEVICE, COL_OLD, COL_NEW, COL_NETNS, COL_PROCESS,
			COL_OWNER, COL_MAP, COL_POD, COL_PROGRAM, COL_PROG_ID, COL_LEFT_OUT),
		.sort = -1,
	},
	[VIEW_TIMELINE] = {
		.name = "timeline",
		.title = "Timeline",
		.help = "the incidents of a recording, and what changed before each",
		.rows = &rows_timeline,
		COLUMNS(COL_NUMBER, COL_SEVERITY, COL_BEGIN, COL_END, COL_FINDING, COL_DEVICE, COL_TARGET,
			COL_LOST, COL_BEFORE, COL_NETNS, COL_PROGRAM, COL_PROG_ID, COL_TEXT),
		.sort = -1,
	},
	[VIEW_FOLLOW] = {
		.name = "follow",
		.title = "Follow",
		.help = "each followed event (key l, --follow), newest first, with its arguments, "
			"and how many were lost",
		.rows = &rows_followed,
		.iters = BIT(ITER_PROGRAM_NAMES) | BIT(ITER_MAP_NAMES),
		COLUMNS(COL_TIME, COL_GAP, COL_CPU, COL_TRACEPOINT, COL_ARGS, COL_DEVICE, COL_TARGET,
			COL_LEFT_OUT, COL_NETNS, COL_PROGRAM, COL_PROG_ID, COL_PROCESS),
		.sort = -1,
	},
};

const enum column_id cpu_columns[CPU_COLUMNS] = { COL_CPU, COL_SHARE };

uint32_t view_tracepoints(const struct view *view)
{
	uint32_t set = tracepoints_with(view->has);

	if (view->stages)
		set &= tracepoints_at(view->stages);
	return view->failures_only ? set & tracepoints_failing() : set;
}

int view_sort(const struct view *view, int column)
{
	for (int i = 0; i < view->n_columns; i++)
		if (!strcmp(columns[view->column[i]].title, columns[column].title))
			return view->column[i];
	return column;
}

int view_find(const char *name)
{
	for (int i = 0; i < VIEW_COUNT; i++)
		if (!strcmp(views[i].name, name))
			return i;
	return -1;
}

const char *view_name(size_t i)
{
	return i < VIEW_COUNT ? views[i].name : NULL;
}
