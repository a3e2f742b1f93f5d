// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "table/column.h"
#include "base/suggest.h"

/* What most columns of a kind share. */
#define TEXT(column_width, column_grow) .width = (column_width), .grow = (column_grow), .unit = ""
#define NUMBER(column_width, column_unit) \
	.width = (column_width), .number = true, .descending = true, .unit = (column_unit)
#define RATE(column_width, column_unit) NUMBER(column_width, column_unit), .rate = true

const struct column columns[COLUMN_COUNT] = {
	[COL_KEY] = {
		.name = "key", .title = "KEY", TEXT(3, 0),
		.help = "the digit that switches the tracepoint on and off",
	},
	[COL_TRACEPOINT] = {
		.name = "tracepoint", .title = "TRACEPOINT", TEXT(18, 1),
		.help = "the kernel's tracepoint that counted this",
	},
	[COL_STATE] = {
		.name = "state", .title = "STATE", TEXT(7, 0),
		.help = "on, off, missing (not in this kernel), failed, or shed (cost more than "
			"--budget); ... = switching",
	},
	[COL_EVENTS_RATE] = {
		.name = "events_per_s", .title = "EVENTS/S", RATE(8, "1/s"),
		.help = "how often the tracepoint fired; one event may speak of a whole bulk of "
			"packets",
	},
	[COL_PACKETS_RATE] = {
		.name = "packets_per_s", .title = "PKTS/S", RATE(6, "1/s"),
		.help = "packets the events speak of: sent (devmap_xmit, bulk_tx), processed "
			"(cpumap), else one per event; in flows only what was sent or enqueued",
	},
	[COL_DROPS_RATE] = {
		.name = "drops_per_s", .title = "DROPS/S", RATE(7, "1/s"),
		.help = "packets lost at this tracepoint; in flows at devmap_xmit, bulk_tx and "
			"cpumap_enqueue, so failed redirects are not in it",
	},
	[COL_BYTES_RATE] = {
		.name = "bytes_per_s", .title = "BYTES/S", RATE(7, "B/s"),
		.help = "bytes queued by the stack (net_dev_queue); XDP tracepoints carry no length",
	},
	[COL_EVENTS] = {
		.name = "events_total", .title = "EVENTS", NUMBER(6, ""),
		.help = "events since the start, or since the baseline set with r",
	},
	[COL_PACKETS] = {
		.name = "packets_total", .title = "PKTS", NUMBER(6, ""),
		.help = "packets since the start or the baseline; counted as in PKTS/S",
	},
	[COL_DROPS] = {
		.name = "drops_total", .title = "DROPS", NUMBER(6, ""),
		.help = "packets lost since the start or the baseline; counted as in DROPS/S",
	},
	[COL_BYTES] = {
		.name = "bytes_total", .title = "BYTES", NUMBER(6, "B"),
		.help = "bytes queued by the stack since the start or the baseline (net_dev_queue)",
	},
	[COL_DROP_PERCENT] = {
		.name = "drop_percent", .title = "DROP%", NUMBER(5, "%"),
		.help = "of the packets handed to the target, those it did not take (devmap_xmit, "
			"bulk_tx, cpumap)",
	},
	[COL_BULK] = {
		.name = "bulk", .title = "BULK", NUMBER(5, ""),
		.help = "average packets in one bulk: best is 16 for devmap_xmit, 8 for cpumap; 1 "
			"means no bulking",
	},
	[COL_SIZE] = {
		.name = "size", .title = "SIZE", NUMBER(6, "B"),
		.help = "average bytes of a packet queued by the stack; a GSO packet counts as its "
			"segments",
	},
	[COL_NS] = {
		.name = "ns_per_event", .title = "NS", NUMBER(5, "ns"),
		.help = "what counting one event costs, measured here: the tracepoint's dispatch and "
			"xdptop's program",
	},
	[COL_CPU_PERCENT] = {
		.name = "cpu_percent", .title = "CPU%", NUMBER(5, "%"),
		.help = "what counting this tracepoint takes of its busiest CPU",
	},
	[COL_LAST_SEEN] = {
		.name = "last_seen", .title = "SEEN", .width = 6, .number = true, .unit = "s",
		.help = "how long ago it was last seen counting",
	},
	[COL_NETNS] = {
		.name = "netns", .title = "NETNS", TEXT(8, 1), .id = true,
		.help = "network namespace of the device: its name, or ns: and its inode",
	},
	[COL_DEVICE] = {
		.name = "ifname", .title = "DEVICE", TEXT(10, 1),
		.help = "the device the packet came in on; in queues, the one it leaves by",
	},
	[COL_TARGET] = {
		.name = "target", .title = "TARGET", TEXT(14, 2), .id = true,
		.help = "where to: a device (its namespace when it is another), a CPU (cpumap), an "
			"AF_XDP socket, or back out (TX)",
	},
	[COL_PROGRAM] = {
		.name = "prog_name", .title = "PROGRAM", TEXT(10, 1),
		.help = "the attached XDP program; of a dispatcher or tail calls, the first one",
	},
	[COL_ERROR] = {
		.name = "errname", .title = "ERROR", TEXT(10, 1),
		.help = "errno, action of an exception, or drops (packets lost without an errno)",
	},
	[COL_MEANING] = {
		.name = "meaning", .title = "MEANING", TEXT(20, 8),
		.help = "what the error means; e tells more",
	},
	[COL_REASON] = {
		.name = "reason", .title = "REASON", TEXT(8, 8),
		.help = "why the tracepoint is missing, failed or shed",
	},
	[COL_CPU] = {
		.name = "cpu", .title = "CPU", .width = 4, .number = true, .unit = "",
		.help = "the CPU that counted; - on the row of all CPUs",
	},
	[COL_SHARE] = {
		.name = "share", .title = "SHARE%", NUMBER(6, "%"),
		.help = "this CPU's part of the row's events",
	},
	[COL_SKEW] = {
		.name = "skew", .title = "SKEW", NUMBER(5, "x"),
		.help = "this CPU's events against the mean of the CPUs that saw any: 1.00 is even",
	},
	[COL_QUEUED_RATE] = {
		.name = "queued_per_s", .title = "QUEUED/S", RATE(8, "1/s"),
		.help = "packets queued for the target (xdp_redirect, xdp_redirect_map): not sent yet",
	},
	[COL_FAILED_RATE] = {
		.name = "failed_per_s", .title = "FAILED/S", RATE(8, "1/s"),
		.help = "redirects that failed before they were queued (xdp_redirect_err, "
			"xdp_redirect_map_err)",
	},
	[COL_ERRORS_RATE] = {
		.name = "errors_per_s", .title = "ERRORS/S", RATE(8, "1/s"),
		.help = "packets lost at this tracepoint; for those without packets, its events",
	},
	[COL_ERRORS] = {
		.name = "errors_total", .title = "ERRORS", NUMBER(6, ""),
		.help = "errors since the start or the baseline; counted as in ERRORS/S",
	},
	[COL_PROG_ID] = {
		.name = "prog_id", .title = "ID", TEXT(7, 0),
		.help = "the program's id, as bpftool prog show id takes it",
	},
	[COL_EXCEPTIONS_RATE] = {
		.name = "exceptions_per_s", .title = "EXCEPT/S", RATE(8, "1/s"),
		.help = "packets of xdp_exception: aborted, bad return value, or failed in the "
			"driver; many drivers report a failed redirect here as well",
	},
	[COL_MODE] = {
		.name = "mode", .title = "MODE", TEXT(7, 0),
		.help = "how XDP is attached: native, generic (an skb for each packet), offload, "
			"multi, or none",
	},
	[COL_LINK] = {
		.name = "link", .title = "LINK", TEXT(10, 0),
		.help = "state of the device: up, no-carrier, down, or gone (deleted)",
	},
	[COL_MTU] = {
		.name = "mtu", .title = "MTU", .width = 5, .number = true, .unit = "B",
		.help = "largest packet the device sends; redirected frames may be that plus its "
			"header",
	},
	[COL_PEER] = {
		.name = "peer", .title = "PEER", TEXT(10, 1),
		.help = "other end of a veth or netkit, with its namespace when it is another",
	},
	[COL_FEATURES] = {
		.name = "features", .title = "FEATURES", TEXT(12, 2),
		.help = "XDP features of the device now (6.3 and later): without ndo-xmit it takes no "
			"redirected frames",
	},
	[COL_WARNING] = {
		.name = "warning", .title = "WARNING", TEXT(12, 4),
		.help = "what is wrong with the device, by the findings of now",
	},
	[COL_DEVICES] = {
		.name = "devices", .title = "DEVICES", TEXT(12, 4), .id = true,
		.help = "devices that the program is attached to or was seen at",
	},
	[COL_FROM] = {
		.name = "from_cpu", .title = "FROM", TEXT(7, 0),
		.help = "the CPU that put packets into the queue; on the row of a queue, how many did",
	},
	[COL_MAP] = {
		.name = "map_name", .title = "MAP", TEXT(10, 1), .id = true,
		.help = "the map's name, or its type and id",
	},
	[COL_TAKEN_RATE] = {
		.name = "taken_per_s", .title = "TAKEN/S", RATE(7, "1/s"),
		.help = "packets that the CPU's thread took out of its queue (xdp_cpumap_kthread)",
	},
	[COL_TAKEN_DROPS_RATE] = {
		.name = "taken_drops_per_s", .title = "NOSKB/S", RATE(7, "1/s"),
		.help = "packets lost after the queue, no memory for an skb (xdp_cpumap_kthread drops)",
	},
	[COL_SLEEPS] = {
		.name = "sleep_percent", .title = "SLEEP%", NUMBER(6, "%"),
		.help = "polls of the CPU's thread in which it slept or gave way (sched); near 0 the "
			"CPU is saturated",
	},
	[COL_PASS_RATE] = {
		.name = "xdp_pass_per_s", .title = "PASS/S", RATE(6, "1/s"),
		.help = "packets that the cpumap's program passed to the stack; 0 without a program",
	},
	[COL_XDP_DROP_RATE] = {
		.name = "xdp_drop_per_s", .title = "XDROP/S", RATE(7, "1/s"),
		.help = "packets that the cpumap's program dropped, or could not redirect",
	},
	[COL_REDIRECT_RATE] = {
		.name = "xdp_redirect_per_s", .title = "REDIR/S", RATE(7, "1/s"),
		.help = "packets that the cpumap's program redirected again",
	},
	[COL_TIME] = {
		.name = "time", .title = "TIME", TEXT(8, 0),
		.help = "when it happened, local time",
	},
	[COL_ON_CPU] = {
		.name = "on_cpu", .title = "ON", .width = 5, .number = true, .unit = "",
		.help = "the CPU that it happened on",
	},
	[COL_PROCESS] = {
		.name = "process", .title = "PROCESS", TEXT(12, 1),
		.help = "the process that an attach failed for, with its pid",
	},
	[COL_LEFT_OUT] = {
		.name = "left_out", .title = "MORE", NUMBER(6, ""),
		.help = "failures of the same tracepoint and CPU before this one that are counted, "
			"but not listed",
	},
	[COL_TEXT] = {
		.name = "text", .title = "TEXT", TEXT(16, 8), .id = true,
		.help = "what happened, in words",
	},
	[COL_SEVERITY] = {
		.name = "severity", .title = "SEVERITY", TEXT(8, 0),
		.help = "critical (packets are lost), warning, info; cleared when its cause has not "
			"been seen for 10 s",
	},
	[COL_FINDING] = {
		.name = "code", .title = "FINDING", TEXT(21, 0),
		.help = "kind of finding; xdptop -e CODE tells what it means",
	},
	[COL_COUNT] = {
		.name = "count_total", .title = "COUNT", NUMBER(6, ""),
		.help = "packets or events that are the evidence, since the start",
	},
	[COL_SINCE] = {
		.name = "since", .title = "SINCE", .width = 6, .number = true, .unit = "s",
		.help = "how long ago it was first seen",
	},
};

int column_find(const char *name)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!strcmp(columns[i].name, name))
			return i;
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!strcasecmp(columns[i].title, name))
			return i;
	return -1;
}

static const char *name_at(size_t i)
{
	return columns[i].name;
}

void column_suggest(const char *name, char *buf, size_t size)
{
	suggest(name, name_at, COLUMN_COUNT, buf, size);
}

int column_title(enum column_id column, enum rate_unit unit, char *buf, size_t size)
{
	const struct column *c = &columns[column];
	int stem = (int)strlen(c->title);

	if (!c->rate || unit == UNIT_PER_SECOND)
		return snprintf(buf, size, "%s", c->title);
	stem -= 2; /* "/S" */
	return snprintf(buf, size, "%.*s%s", stem, c->title, unit == UNIT_PER_INTERVAL ? "/I" : "");
}
