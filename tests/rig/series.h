/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Identity and counters of a series of events, shared by the witness's BPF programs and the
 * expectations, so that one loop over the fields compares them.
 */
#pragma once

#include <linux/types.h>

enum series_field {
	/* identity */
	FIELD_NETNS,
	FIELD_IFINDEX,
	FIELD_TO_NETNS,
	FIELD_TO_IFINDEX,
	FIELD_TO_CPU,
	FIELD_PROG_ID,
	FIELD_MAP_TYPE,
	FIELD_MAP_ID,
	FIELD_ACT,
	FIELD_ERR,
	FIELD_PID,
	FIELD_IDS,
	/* counters */
	FIELD_EVENTS = FIELD_IDS,
	FIELD_PACKETS,
	FIELD_DROPS,
	FIELD_BYTES,
	FIELD_XDP_PASS,
	FIELD_XDP_DROP,
	FIELD_XDP_REDIRECT,
	FIELD_MAX,
};

/* In the order of the witness's programs; series_tracepoints[] has the names. */
enum series_tracepoint {
	TP_XDP_EXCEPTION,
	TP_XDP_REDIRECT,
	TP_XDP_REDIRECT_ERR,
	TP_XDP_DEVMAP_XMIT,
	TP_XDP_BULK_TX,
	TP_XDP_CPUMAP_ENQUEUE,
	TP_XDP_CPUMAP_KTHREAD,
	TP_NET_DEV_QUEUE,
	TP_LINK_ATTACH_FAILED,
	TP_NETLINK_EXTACK,
	TP_MEM_CONNECT,
	TP_MEM_DISCONNECT,
	TP_MAX,
};

/* Value of a field that the event does not have. No kernel value is near it. */
#define SERIES_NULL (-(1LL << 62))

struct series_key {
	__s64 tracepoint;
	__s64 id[FIELD_IDS];
};

struct series_counts {
	__u64 count[FIELD_MAX - FIELD_IDS];
};
