// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/suggest.h"
#include "model/tracepoint.h"

/* uapi/linux/bpf.h, enum xdp_action */
enum { ACT_NONE = -1, ACT_TX = 3, ACT_REDIRECT = 4 };

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
const struct tracepoint tracepoints[TP_COUNT] = {
	[TP_XDP_EXCEPTION] = {
		.name = "xdp_exception",
		.key = '1',
		.on = true,
		.failure = true,
		.args = { 3 },
		.has = HAS_DEVICE | HAS_PROG | HAS_ACT,
		.packets = COUNT_EVENTS,
		.drops = COUNT_EVENTS,
		.act = ACT_NONE,
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
		.packets = COUNT_EVENTS,
		.drops = COUNT_EVENTS,
		.act = ACT_REDIRECT,
		.fires = "per packet, failures",
		.what = "a redirect failed before the frame was queued; the errno says why",
	},
	[TP_XDP_REDIRECT] = {
		.name = "xdp_redirect",
		.key = '3',
		.per_packet = true,
		.args = { 6, 7 },
		.has = REDIRECT_HAS,
		.packets = COUNT_EVENTS,
		.drops = COUNT_NONE,
		.act = ACT_REDIRECT,
		.fires = "per packet",
		.what = "a frame was queued for its target: not sent yet, that is devmap_xmit, cpumap "
			"or the socket",
	},
	[TP_XDP_REDIRECT_MAP_ERR] = {
		.name = "xdp_redirect_map_err",
		.key = '4',
		.on = true,
		.failure = true,
		.args = { 6, 7 },
		.has = REDIRECT_HAS,
		.packets = COUNT_EVENTS,
		.drops = COUNT_EVENTS,
		.act = ACT_REDIRECT,
		.fires = "per packet, failures, kernels before 5.6",
		.what = "xdp_redirect_err for maps on kernels before 5.6; silent since, gone by 6.18",
	},
	[TP_XDP_REDIRECT_MAP] = {
		.name = "xdp_redirect_map",
		.key = '5',
		.per_packet = true,
		.args = { 6, 7 },
		.has = REDIRECT_HAS,
		.packets = COUNT_EVENTS,
		.drops = COUNT_NONE,
		.act = ACT_REDIRECT,
		.fires = "per packet, kernels before 5.6",
		.what = "xdp_redirect for maps on kernels before 5.6; silent since, gone by 6.18",
	},
	[TP_XDP_DEVMAP_XMIT] = {
		.name = "xdp_devmap_xmit",
		.key = '6',
		.on = true,
		.args = { 5 },
		.has = HAS_DEVICE | HAS_TO_DEVICE | HAS_ERR,
		.bulk = 16,
		.packets = COUNT_COUNTER,
		.drops = COUNT_COUNTER,
		.act = ACT_REDIRECT,
		.fires = "per bulk of up to 16 frames",
		.what = "queued frames were handed to the target device: sent and dropped; native mode "
			"only",
	},
	[TP_XDP_BULK_TX] = {
		.name = "xdp_bulk_tx",
		.key = '7',
		.on = true,
		.args = { 4 },
		.has = HAS_DEVICE | HAS_ERR,
		.bulk = 16,
		.packets = COUNT_COUNTER,
		.drops = COUNT_COUNTER,
		.act = ACT_TX,
		.fires = "per bulk of up to 16 frames",
		.what = "XDP_TX sent frames back out of the device they came from: sent and dropped; "
			"veth only",
	},
	[TP_XDP_CPUMAP_ENQUEUE] = {
		.name = "xdp_cpumap_enqueue",
		.key = '8',
		.on = true,
		.args = { 4 },
		.has = HAS_TO_CPU | HAS_MAP,
		.bulk = 8,
		.packets = COUNT_COUNTER,
		.drops = COUNT_COUNTER,
		.act = ACT_REDIRECT,
		.fires = "per bulk of up to 8 frames",
		.what = "frames were put into another CPU's queue; in native mode processed includes "
			"the drops",
	},
	[TP_XDP_CPUMAP_KTHREAD] = {
		.name = "xdp_cpumap_kthread",
		.key = '9',
		.on = true,
		.args = { 4, 5 },
		.has = HAS_TO_CPU | HAS_MAP | HAS_KTHREAD,
		.bulk = 8,
		.packets = COUNT_COUNTER,
		.drops = COUNT_COUNTER,
		.act = ACT_REDIRECT,
		.fires = "per poll of the target CPU's thread",
		.what = "the target CPU took frames from its queue, and whether it had time to sleep",
	},
	[TP_NET_DEV_QUEUE] = {
		.name = "net_dev_queue",
		.key = '0',
		.on = true,
		.per_packet = true,
		.args = { 1 },
		.has = HAS_DEVICE | HAS_BYTES,
		.packets = COUNT_COUNTER,
		.drops = COUNT_NONE,
		.act = ACT_NONE,
		.fires = "per skb",
		.what = "the stack queued an skb for transmission; XDP_TX and redirected frames do not "
			"pass here",
	},
	[TP_LINK_ATTACH_FAILED] = {
		.name = "bpf_xdp_link_attach_failed",
		.on = true,
		.args = { 1 },
		.has = HAS_NETNS | HAS_TEXT,
		.packets = COUNT_NONE,
		.drops = COUNT_NONE,
		.act = ACT_NONE,
		.fires = "rare",
		.what = "attaching an XDP program through a BPF link failed; the event has the driver's "
			"message",
	},
	[TP_MEM_CONNECT] = {
		.name = "mem_connect",
		.on = true,
		.args = { 2 },
		.has = HAS_DEVICE | HAS_TEXT,
		.packets = COUNT_NONE,
		.drops = COUNT_NONE,
		.act = ACT_NONE,
		.fires = "rare",
		.what = "an RX queue got its memory allocator (page pool or AF_XDP)",
	},
	[TP_MEM_DISCONNECT] = {
		.name = "mem_disconnect",
		.on = true,
		.args = { 1 },
		.has = HAS_DEVICE | HAS_TEXT,
		.packets = COUNT_NONE,
		.drops = COUNT_NONE,
		.act = ACT_NONE,
		.fires = "rare",
		.what = "an RX queue gave up its memory allocator",
	},
	[TP_OTHER] = OTHER,
	[TP_OTHER + 1] = OTHER,
	[TP_OTHER + 2] = OTHER,
	[TP_OTHER + 3] = OTHER,
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

static uint32_t default_set(void)
{
	uint32_t set = 0;

	for (int i = 0; i < TP_COUNT; i++)
		set |= (uint32_t)tracepoints[i].on << i;
	return set;
}

/* Apply one word of a list; false when it is none. */
static bool apply_word(const char *word, bool first, uint32_t *set)
{
	char sign = *word == '+' || *word == '-' ? *word : '\0';
	uint32_t bits;
	int id;

	if (!sign && !strcmp(word, "all")) {
		*set = (1u << TP_COUNT) - 1;
	} else if (!sign && !strcmp(word, "none")) {
		*set = 0;
	} else if (!sign && !strcmp(word, "default")) {
		*set = default_set();
	} else {
		id = tracepoint_find(sign ? word + 1 : word);
		if (id < 0)
			return false;
		bits = 1u << id;
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
		char *word = strndup(list, len);

		if (!word)
			return -ENOMEM;
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
