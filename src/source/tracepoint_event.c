// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "base/clock.h"
#include "base/sanitize.h"
#include "model/kernel_names.h"
#include "model/target.h"
#include "model/tracepoint.h"
#include "source/tracepoint_event.h"

static const char *mem_type_name(uint32_t type)
{
	/* enum xdp_mem_type, include/net/xdp.h */
	static const char *const names[] = { "page_shared", "page_order0", "page_pool",
					     "xsk_buff_pool" };

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

/* What failed: "EOPNOTSUPP to eth1 (blue)", "drops to CPU 3 (map 5): 7 of 8 frames". */
static void failure_text(char *buf, size_t size, const struct series_event *e,
			 struct netns_names *names)
{
	const struct tracepoint *tp = &tracepoints[e->tracepoint];
	struct series s = { .tracepoint = e->tracepoint, .key = e->key };
	const char *error = e->key.code ? errno_name(e->key.code) : "drops";
	char target[SNAPSHOT_TEXT_LEN / 2] = "", number[24], frames[48] = "";
	struct id_span id;
	int all = tp->has & HAS_TO_CPU ? e->drops : e->sent + e->drops;

	snprintf(number, sizeof(number), "errno %d", -e->key.code);
	if (tp->has & HAS_ACT)
		error = act_name(e->key.code, number, sizeof(number));
	sanitize(s.to_ifname, sizeof(s.to_ifname), e->to_ifname, sizeof(e->to_ifname));
	/* for xdp_bulk_tx only the driver knows whether frames were sent back */
	if (e->tracepoint != TP_XDP_BULK_TX)
		target_text(&s, names, target, sizeof(target), &id);
	/*
	 * the cpumap includes its drops in `processed`, except in generic mode; devmap and TX do
	 * not
	 */
	if (tp->has & HAS_TO_CPU && e->sent > e->drops)
		all = e->sent;
	if (tp->bulk)
		snprintf(frames, sizeof(frames), ": %d of %d frames lost", e->drops, all);
	snprintf(buf, size, "%s%s%s%s", error ? error : number, *target ? " to " : "", target,
		 frames);
}

static void event_text(char *buf, size_t size, const struct series_event *e,
		       struct netns_names *names)
{
	switch (e->tracepoint) {
	case TP_MEM_CONNECT:
		if (e->queue != SERIES_QUEUE_UNKNOWN) {
			snprintf(buf, size, "%s id %u, rx queue %u", mem_type_name(e->mem_type),
				 e->mem_id, e->queue);
			break;
		}
		/* fall through */
	case TP_MEM_DISCONNECT:
		snprintf(buf, size, "%s id %u", mem_type_name(e->mem_type), e->mem_id);
		break;
	case TP_LINK_ATTACH_FAILED:
	case TP_NETLINK_EXTACK:
		/* the driver set no message: bpf_xdp_link_attach() passes extack._msg unchanged */
		if (!e->text[0])
			snprintf(buf, size, "(no message)");
		else
			sanitize(buf, size, e->text, sizeof(e->text));
		break;
	default:
		failure_text(buf, size, e, names);
	}
}

void tracepoint_event_set(struct event *to, const struct series_event *e, const struct snapshot *at,
			  struct netns_names *names)
{
	/* bpf_ktime_get_ns() is CLOCK_MONOTONIC */
	to->time = ns_to_timespec(timespec_to_ns(&at->wall) - (int64_t)(at->mono_ns - e->ktime_ns));
	to->tracepoint = e->tracepoint;
	to->cpu = e->cpu;
	to->key = e->key;
	to->pid = e->pid;
	sanitize(to->comm, sizeof(to->comm), e->comm, sizeof(e->comm));
	sanitize(to->ifname, sizeof(to->ifname), e->ifname, sizeof(e->ifname));
	sanitize(to->to_ifname, sizeof(to->to_ifname), e->to_ifname, sizeof(e->to_ifname));
	sanitize(to->prog_name, sizeof(to->prog_name), e->prog_name, sizeof(e->prog_name));
	to->left_out = e->left_out;
	event_text(to->text, sizeof(to->text), e, names);
}
