// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "base/suggest.h"
#include "model/tracepoint.h"

/* uapi/linux/bpf.h, enum xdp_action */
enum { ACT_NONE = -1, ACT_TX = 3, ACT_REDIRECT = 4 };

/* `packets` does not include the drops. */
static uint64_t offered_sum(const struct series_counters *c)
{
	return c->packets + c->drops;
}

/*
 * Native mode includes the drops in `processed`, and counts at least one packet per event. Generic
 * mode reports one packet per event, either processed or dropped (cpu_map_generic_redirect()).
 */
static uint64_t offered_enqueue(const struct series_counters *c)
{
	return c->packets < c->events ? c->packets + c->drops : c->packets;
}

/* `processed` includes the drops (kernel/bpf/cpumap.c, cpu_map_kthread_run()). */
static uint64_t offered_kthread(const struct series_counters *c)
{
	return c->packets;
}

/* The metrics of Prometheus, in the order of the output. */
#define METRICS(...) ((const struct tp_metric[]){ __VA_ARGS__, { 0 } })

static const struct tp_metric redirect_error_metrics[] = {
	{ "xdptop_redirect_errors_total",
	  "Redirects that failed before the frame was queued (xdp_redirect_err).", "events" },
	{ 0 },
};

static const struct tp_metric redirect_metrics[] = {
	{ "xdptop_redirects_total", "Frames queued for their target, not yet sent (xdp_redirect).",
	  "events" },
	{ 0 },
};

#define REDIRECT_HAS (HAS_DEVICE | HAS_TO_DEVICE | HAS_TO_CPU | HAS_PROG | HAS_MAP | HAS_ERR)

/* A tracepoint of the group `xdp` that this table does not know: counted, nothing else. */
#define OTHER                                                                                     \
	{                                                                                         \
		.name = "", .on = true, .act = ACT_NONE, .fires = "unknown",                      \
		.what = "an xdp tracepoint that this version does not know; only its events are " \
			"counted"                                                                 \
	}

/*
 * Prototypes: include/trace/events/xdp.h and net.h of 4.18 to 7.2. `args` counts them without the
 * leading void *__data, as the program's ctx[] has them.
 */
const struct tracepoint tracepoints[TP_COUNT + 1] = {
	[TP_XDP_EXCEPTION] = {
		.name = "xdp_exception",
		.key = '1',
		.on = true,
		.failure = true,
		.args = { 3 },
		.has = HAS_DEVICE | HAS_PROG | HAS_ACT,
		.stage = STAGE_VERDICT,
		.packets = COUNT_EVENTS,
		.drops = COUNT_EVENTS,
		.act = ACT_NONE,
		.path = { "exceptions",
			  "aborted or bad value. Many drivers also count failed redirects here, so "
			  "do not add this to other counts" },
		.metrics = METRICS(
			{ "xdptop_exceptions_total",
			  "Events of xdp_exception (XDP_ABORTED, bad return value, failed XDP_TX "
			  "or XDP_REDIRECT). Do not add them to "
			  "xdptop_redirect_errors_total.", "events" }),
		.metric_labels = HAS_DEVICE | HAS_PROG | HAS_ACT,
		.fires = "per packet, failures",
		.what = "a program aborted, returned a bad value, or its TX or redirect failed in "
			"the driver",
	},
	[TP_XDP_REDIRECT_ERR] = {
		.name = "xdp_redirect_err",
		.key = '2',
		.on = true,
		.failure = true,
		.args = { 6, 7 },
		.has = REDIRECT_HAS,
		.stage = STAGE_FAILED,
		.packets = COUNT_EVENTS,
		.drops = COUNT_EVENTS,
		.act = ACT_REDIRECT,
		.metrics = redirect_error_metrics,
		.metric_labels = HAS_DEVICE | HAS_TO_DEVICE | HAS_PROG | HAS_ERR,
		.path = { "not queued", "redirects that failed at once" },
		.fires = "per packet, failures",
		.what = "a redirect failed before the frame was queued, for the reason that the "
			"errno names",
	},
	[TP_XDP_REDIRECT] = {
		.name = "xdp_redirect",
		.key = '3',
		.per_packet = true,
		.args = { 6, 7 },
		.has = REDIRECT_HAS,
		.stage = STAGE_QUEUED,
		.packets = COUNT_EVENTS,
		.act = ACT_REDIRECT,
		.metrics = redirect_metrics,
		.metric_labels = HAS_DEVICE | HAS_TO_DEVICE | HAS_PROG | HAS_TO_CPU,
		.path = { "queued", "redirects queued for a target; a broadcast counts once" },
		.fires = "per packet",
		.what = "a frame has been queued for its target but not yet sent (devmap_xmit, "
			"cpumap or the socket counts what is sent)",
	},
	[TP_XDP_DEVMAP_XMIT] = {
		.name = "xdp_devmap_xmit",
		.key = '6',
		.on = true,
		.native_only = true,
		.args = { 5 },
		.has = HAS_DEVICE | HAS_TO_DEVICE | HAS_ERR,
		.stage = STAGE_SENT,
		.bulk = 16,
		.offered = offered_sum,
		.packets = COUNT_COUNTER,
		.drops = COUNT_COUNTER,
		.act = ACT_REDIRECT,
		.path = { "sent", "accepted by the target's driver; a broadcast counts once per target" },
		.path_drops = { "not sent",
				"rejected by the driver (ring full, or with an errno), or "
				"dropped by a devmap program" },
		.metrics = METRICS(
			{ "xdptop_devmap_xmit_packets_total",
			  "Frames sent by xdp_devmap_xmit.", "packets" },
			{ "xdptop_devmap_xmit_drops_total",
			  "Frames dropped at xdp_devmap_xmit.", "drops" },
			{ "xdptop_devmap_xmit_calls_total",
			  "Bulks handed to the target device.", "events" }),
		.metric_labels = HAS_DEVICE | HAS_TO_DEVICE,
		.fires = "per bulk of up to 16 frames",
		.what = "queued frames were handed to the target device, which sent or dropped "
			"them (native mode only)",
	},
	[TP_XDP_BULK_TX] = {
		.name = "xdp_bulk_tx",
		.key = '7',
		.on = true,
		.native_only = true,
		.args = { 4 },
		.has = HAS_DEVICE | HAS_TX_BACK | HAS_ERR,
		.stage = STAGE_SENT,
		.bulk = 16,
		.offered = offered_sum,
		.packets = COUNT_COUNTER,
		.drops = COUNT_COUNTER,
		.act = ACT_TX,
		.path = { "sent back", "XDP_TX" },
		.path_drops = { "not sent back", "XDP_TX" },
		.metrics = METRICS(
			{ "xdptop_bulk_tx_packets_total",
			  "XDP_TX frames sent, as counted at xdp_bulk_tx. Drivers that use libeth "
			  "also count redirected frames.",
			  "packets" },
			{ "xdptop_bulk_tx_drops_total",
			  "XDP_TX frames dropped, as counted at xdp_bulk_tx. Drivers that use "
			  "libeth also count redirected frames.",
			  "drops" },
			{ "xdptop_bulk_tx_calls_total", "Bulks of xdp_bulk_tx.", "events" }),
		.metric_labels = HAS_DEVICE,
		.fires = "per bulk of up to 16 frames",
		.what = "XDP_TX frames were sent back out of their device, or dropped (fired by "
			"veth and by drivers that use libeth, such as idpf, which also report "
			"redirected frames here)",
	},
	[TP_XDP_CPUMAP_ENQUEUE] = {
		.name = "xdp_cpumap_enqueue",
		.key = '8',
		.on = true,
		.args = { 4 },
		.has = HAS_TO_CPU | HAS_MAP,
		.stage = STAGE_SENT,
		.bulk = 8,
		.offered = offered_enqueue,
		.packets = COUNT_COUNTER,
		.drops = COUNT_COUNTER,
		.act = ACT_REDIRECT,
		.metrics = METRICS(
			{ "xdptop_cpumap_enqueue_packets_total",
			  "Frames for another CPU's queue (in native mode including dropped "
			  "ones).", "packets" },
			{ "xdptop_cpumap_enqueue_drops_total",
			  "Frames that the other CPU's queue did not take.", "drops" },
			{ "xdptop_cpumap_enqueue_calls_total",
			  "Bulks for another CPU's queue.", "events" }),
		.metric_labels = HAS_MAP | HAS_TO_CPU,
		.fires = "per bulk of up to 8 frames",
		.what = "frames were put into another CPU's queue (in native mode `processed` "
			"includes the drops)",
	},
	[TP_XDP_CPUMAP_KTHREAD] = {
		.name = "xdp_cpumap_kthread",
		.key = '9',
		.on = true,
		.args = { 4, 5 },
		.has = HAS_TO_CPU | HAS_MAP | HAS_KTHREAD,
		.stage = STAGE_TAKEN,
		.bulk = 8,
		.offered = offered_kthread,
		.packets = COUNT_COUNTER,
		.drops = COUNT_COUNTER,
		.act = ACT_REDIRECT,
		.metrics = METRICS(
			{ "xdptop_cpumap_kthread_packets_total",
			  "Frames taken from the CPU's queue.", "packets" },
			{ "xdptop_cpumap_kthread_drops_total",
			  "Frames lost on the way into the stack.", "drops" },
			{ "xdptop_cpumap_kthread_calls_total",
			  "Polls of the CPU's queue.", "events" },
			{ "xdptop_cpumap_kthread_sched_total",
			  "Times that the CPU's thread went to sleep.", "sched" },
			{ "xdptop_cpumap_kthread_xdp_pass_total",
			  "Frames that the map's program passed.", "xdp_pass" },
			{ "xdptop_cpumap_kthread_xdp_drop_total",
			  "Frames that the map's program dropped.", "xdp_drop" },
			{ "xdptop_cpumap_kthread_xdp_redirect_total",
			  "Frames that the map's program redirected.", "xdp_redirect" }),
		.metric_labels = HAS_MAP | HAS_TO_CPU,
		.fires = "per poll of the target CPU's thread",
		.what = "the target CPU took frames from its queue (the event also says whether "
			"it had time to sleep)",
	},
	[TP_NET_DEV_QUEUE] = {
		.name = "net_dev_queue",
		.key = '0',
		.on = true,
		.per_packet = true,
		.args = { 1 },
		.has = HAS_DEVICE | HAS_BYTES,
		.stage = STAGE_STACK,
		.packets = COUNT_SEGMENTS,
		.act = ACT_NONE,
		.metrics = METRICS(
			{ "xdptop_net_dev_queue_skbs_total",
			  "Socket buffers queued by the stack.", "events" },
			{ "xdptop_net_dev_queue_packets_total",
			  "Packets queued by the stack, counting each GSO segment.", "packets" },
			{ "xdptop_net_dev_queue_bytes_total",
			  "Bytes queued by the stack.", "bytes" }),
		.metric_labels = HAS_DEVICE,
		.fires = "per skb",
		.what = "the stack queued an skb for transmission (XDP_TX and redirected frames "
			"do not pass here)",
	},
	[TP_LINK_ATTACH_FAILED] = {
		.name = "bpf_xdp_link_attach_failed",
		.on = true,
		.failure = true,
		.args = { 1 },
		.has = HAS_NETNS | HAS_TEXT,
		.act = ACT_NONE,
		.metrics = METRICS(
			{ "xdptop_link_attach_failures_total",
			  "XDP links that could not be attached.", "events" }),
		.metric_labels = HAS_NETNS,
		.fires = "rare",
		.what = "attaching an XDP program through a BPF link failed (the event has the "
			"driver's message)",
	},
	[TP_NETLINK_EXTACK] = {
		.name = "netlink_extack",
		.on = true,
		.failure = true,
		.args = { 1 },
		.has = HAS_DEVICE | HAS_TEXT,
		.act = ACT_NONE,
		.metrics = METRICS(
			{ "xdptop_attach_refusals_total",
			  "Refused attempts to attach an XDP program over netlink.", "events" }),
		.metric_labels = HAS_DEVICE,
		.fires = "rare",
		.what = "attaching an XDP program over netlink (ip, bpftool, libbpf) was "
			"refused (the event has the kernel's message)",
	},
	[TP_MEM_CONNECT] = {
		.name = "mem_connect",
		.on = true,
		.args = { 2 },
		.has = HAS_DEVICE | HAS_TEXT,
		.act = ACT_NONE,
		.metrics = METRICS(
			{ "xdptop_mem_connects_total",
			  "RX queues that got a memory allocator.", "events" }),
		.metric_labels = HAS_DEVICE,
		.fires = "rare",
		.what = "an RX queue got its memory allocator (page pool or AF_XDP)",
	},
	[TP_MEM_DISCONNECT] = {
		.name = "mem_disconnect",
		.on = true,
		.args = { 1 },
		.has = HAS_DEVICE | HAS_TEXT,
		.act = ACT_NONE,
		.metrics = METRICS(
			{ "xdptop_mem_disconnects_total",
			  "RX queues that released a memory allocator.", "events" }),
		.metric_labels = HAS_DEVICE,
		.fires = "rare",
		.what = "an RX queue released its memory allocator",
	},
	/* without a name: -t, --list and the backends do not find it */
	[TP_VERDICTS] = {
		.name = "",
		.key = 'V',
		.on = true,
		.per_packet = true,
		.act = ACT_NONE,
		.fires = "per run of an XDP program",
		.what = "an XDP program returned: its verdict is counted by device, queue and CPU",
	},
	/* not `on` at start: following begins on request */
	[TP_FOLLOW] = {
		.name = "",
		.per_packet = true,
		.act = ACT_NONE,
		.fires = "per followed event",
		.what = "an event of the followed row, listed with its arguments",
	},
	[TP_OTHER] = OTHER,
	[TP_OTHER + 1] = OTHER,
	[TP_OTHER + 2] = OTHER,
	[TP_OTHER + 3] = OTHER,
	[TP_NONE] = {
		.name = "",
		.has = HAS_DEVICE | HAS_PROG | HAS_MAP,
		.act = ACT_NONE,
	},
};

_Static_assert(TP_OTHERS == 4, "one row above for each generic tracepoint");
_Static_assert(TP_COUNT <= 32, "a set of tracepoints is 32 bits");

int tracepoint_find(const char *name)
{
	if (!*name)
		return -1;
	for (int i = 0; i < TP_COUNT; i++)
		if (!strcmp(tracepoints[i].name, name))
			return i;
	return -1;
}

const struct silent_tracepoint silent_tracepoints[] = {
	{ "xdp_redirect_map", "xdp_redirect" },
	{ "xdp_redirect_map_err", "xdp_redirect_err" },
	{ 0 },
};

const char *tracepoint_instead(const char *name)
{
	const struct silent_tracepoint *s = silent_tracepoints;

	while (s->name && strcmp(s->name, name))
		s++;
	return s->instead;
}

/* The set of the rows `t` that meet a condition. */
#define SET_OF(t, condition)                                                                    \
	({                                                                                      \
		uint32_t set_ = 0;                                                              \
		for (const struct tracepoint *t = tracepoints; t < tracepoints + TP_COUNT; t++) \
			if (condition)                                                          \
				set_ |= BIT(t - tracepoints);                                   \
		set_;                                                                           \
	})

uint32_t tracepoints_at(uint32_t stages)
{
	return SET_OF(t, stages & BIT(t->stage));
}

uint32_t tracepoints_with(uint16_t has)
{
	return SET_OF(t, (t->has & has) == has);
}

uint32_t tracepoints_failing(void)
{
	return SET_OF(t, t->failure || t->drops != COUNT_NONE);
}

static uint32_t default_set(void)
{
	return SET_OF(t, t->on);
}

/* The header of the screen leaves out the prefix. */
static int find_short(const char *name)
{
	char full[64];
	int id = tracepoint_find(name);

	snprintf(full, sizeof(full), "xdp_%s", name);
	return id >= 0 || !*name ? id : tracepoint_find(full);
}

/* Apply one word of a list; false = not a valid word. */
static bool apply_word(const char *word, bool first, uint32_t *set)
{
	char sign = *word == '+' || *word == '-' ? *word : '\0';
	uint32_t bits;
	int id;

	if (!sign && !strcmp(word, "all")) {
		*set = BIT(TP_COUNT) - 1;
	} else if (!sign && !strcmp(word, "none")) {
		*set = 0;
	} else if (!sign && !strcmp(word, "default")) {
		*set = default_set();
	} else {
		id = find_short(sign ? word + 1 : word);
		if (id < 0)
			return false;
		bits = BIT(id);
		if (first)
			*set = sign ? default_set() : 0;
		*set = sign == '-' ? *set & ~bits : *set | bits;
	}
	return true;
}

int tracepoint_parse_set(const char *list, uint32_t *set, char **bad)
{
	uint32_t result = 0;

	*bad = NULL;
	for (bool first = true;; first = false) {
		size_t len = strcspn(list, ",");
		char *word = memory_text_part(list, len);

		if (!apply_word(word, first, &result)) {
			*bad = word;
			return -EINVAL;
		}
		free(word);
		if (!list[len])
			break;
		list += len + 1;
	}
	*set = result;
	return 0;
}

static const char *name_at(size_t i)
{
	return tracepoints[i].name;
}

void tracepoint_suggest(const char *name, char *buf, unsigned int size)
{
	if (*name == '+' || *name == '-')
		name++;
	suggest(name, name_at, TP_COUNT, buf, size);
}
