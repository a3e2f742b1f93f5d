// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>
#include "model/followed.h"
#include "model/tracepoint.h"

#define PRINT(fn) static bool fn(const struct followed *e, char *buf, size_t size)
#define KEY(fn, format, member)                                   \
	PRINT(fn)                                                 \
	{                                                         \
		snprintf(buf, size, format, e->event.key.member); \
		return true;                                      \
	}
/* A known element of arg[]: a signed or unsigned 32-bit number. */
#define ARG(fn, format, type, index)                              \
	PRINT(fn)                                                 \
	{                                                         \
		snprintf(buf, size, format, (type)e->arg[index]); \
		return e->known & BIT(index);                     \
	}

KEY(prog_id, "%u", prog_id)
KEY(ifindex, "%u", ifindex)
KEY(err, "%d", code)
KEY(cpu_target, "%u", target)
ARG(sent, "%d", int32_t, FOLLOW_SENT)
ARG(drops, "%u", uint32_t, FOLLOW_DROPS)
ARG(processed, "%u", uint32_t, FOLLOW_PROCESSED)
ARG(sched, "%d", int32_t, FOLLOW_SCHED)
ARG(xdp_pass, "%u", uint32_t, FOLLOW_XDP_PASS)
ARG(xdp_drop, "%u", uint32_t, FOLLOW_XDP_DROP)
ARG(xdp_redirect, "%u", uint32_t, FOLLOW_XDP_REDIRECT)
ARG(len, "%u", uint32_t, FOLLOW_LEN)
ARG(protocol, "0x%04x", uint16_t, FOLLOW_PROTOCOL)
ARG(queue_mapping, "%u", uint16_t, FOLLOW_QUEUE_MAPPING)
ARG(gso_segs, "%u", uint16_t, FOLLOW_GSO_SEGS)
ARG(mem_id, "%u", uint32_t, FOLLOW_MEM_ID)
ARG(mem_type, "%u", uint32_t, FOLLOW_MEM_TYPE)

PRINT(act)
{
	const struct tracepoint *tp = &tracepoints[e->event.tracepoint];
	char number[24];

	snprintf(buf, size, "%s",
		 act_name(tp->act >= 0 ? tp->act : e->event.key.code, number, sizeof(number)));
	return true;
}

PRINT(cpu)
{
	snprintf(buf, size, "%d", e->event.cpu);
	return e->event.cpu >= 0;
}

PRINT(name)
{
	snprintf(buf, size, "%s", e->event.ifname);
	return e->event.ifname[0];
}

PRINT(msg)
{
	snprintf(buf, size, "%s", e->event.text);
	return e->event.text[0];
}

/* As in TP_fast_assign() of xdp_redirect_template: 0 for a map without devices. */
PRINT(to_ifindex)
{
	const struct series_key *key = &e->event.key;
	bool device = key->map_type == SERIES_MAP_NONE || key->map_type == SERIES_MAP_DEVMAP ||
		      key->map_type == SERIES_MAP_DEVMAP_HASH ||
		      key->map_type == SERIES_MAP_SOME_DEVMAP;

	snprintf(buf, size, "%u", device ? key->target : 0);
	return true;
}

/* Also as there: 0 without a map. */
PRINT(map_index)
{
	bool map = e->event.key.map_id != SERIES_MAP_ID_IFINDEX;

	snprintf(buf, size, "%u", map ? (uint32_t)e->arg[FOLLOW_MAP_INDEX] : 0);
	return !map || e->known & BIT(FOLLOW_MAP_INDEX);
}

PRINT(map_id)
{
	snprintf(buf, size, "%d", (int)e->event.key.map_id);
	return true;
}

/* An argument that is not in the key. */
#define ARGUMENT(name, index)                   \
	{                                       \
#name, name, FOLLOW_##index + 1 \
	}

#define FIELDS(...) ((const struct followed_field[]){ __VA_ARGS__, { 0 } })

static const struct followed_field redirect[] = {
	{ "prog_id", prog_id, 0 },       { "act", act, 0 },
	{ "ifindex", ifindex, 0 },       { "err", err, 0 },
	{ "to_ifindex", to_ifindex, 0 }, { "map_id", map_id, 0 },
	ARGUMENT(map_index, MAP_INDEX),  { 0 },
};

static const struct followed_field *const fields[TP_NONE + 1] = {
	[TP_XDP_EXCEPTION] =
		FIELDS({ "prog_id", prog_id, 0 }, { "act", act, 0 }, { "ifindex", ifindex, 0 }),
	[TP_XDP_REDIRECT_ERR] = redirect,
	[TP_XDP_REDIRECT] = redirect,
	[TP_XDP_DEVMAP_XMIT] = FIELDS({ "from_ifindex", ifindex, 0 }, { "act", act, 0 },
				      { "to_ifindex", cpu_target, 0 }, ARGUMENT(drops, DROPS),
				      ARGUMENT(sent, SENT), { "err", err, 0 }),
	[TP_XDP_BULK_TX] = FIELDS({ "ifindex", ifindex, 0 }, { "act", act, 0 },
				  ARGUMENT(drops, DROPS), ARGUMENT(sent, SENT), { "err", err, 0 }),
	[TP_XDP_CPUMAP_ENQUEUE] =
		FIELDS({ "map_id", map_id, 0 }, { "act", act, 0 }, { "cpu", cpu, 0 },
		       ARGUMENT(drops, DROPS), ARGUMENT(processed, PROCESSED),
		       { "to_cpu", cpu_target, 0 }),
	[TP_XDP_CPUMAP_KTHREAD] =
		FIELDS({ "map_id", map_id, 0 }, { "act", act, 0 }, { "cpu", cpu, 0 },
		       ARGUMENT(drops, DROPS), ARGUMENT(processed, PROCESSED),
		       ARGUMENT(sched, SCHED), ARGUMENT(xdp_pass, XDP_PASS),
		       ARGUMENT(xdp_drop, XDP_DROP), ARGUMENT(xdp_redirect, XDP_REDIRECT)),
	/* the fields after `name` are from net_dev_start_xmit, which has the same skb */
	[TP_NET_DEV_QUEUE] =
		FIELDS(ARGUMENT(len, LEN), { "name", name, 0 }, ARGUMENT(protocol, PROTOCOL),
		       ARGUMENT(queue_mapping, QUEUE_MAPPING), ARGUMENT(gso_segs, GSO_SEGS)),
	[TP_LINK_ATTACH_FAILED] = FIELDS({ "msg", msg, 0 }),
	[TP_NETLINK_EXTACK] = FIELDS({ "msg", msg, 0 }),
	[TP_MEM_CONNECT] = FIELDS(ARGUMENT(mem_id, MEM_ID), ARGUMENT(mem_type, MEM_TYPE),
				  { "ifindex", ifindex, 0 }),
	[TP_MEM_DISCONNECT] = FIELDS(ARGUMENT(mem_id, MEM_ID), ARGUMENT(mem_type, MEM_TYPE)),
};

const struct followed_field *followed_fields(uint32_t tracepoint)
{
	static const struct followed_field none;

	return fields[tracepoint] ? fields[tracepoint] : &none;
}

int followed_args_text(const struct followed *e, char *buf, size_t size)
{
	char value[SNAPSHOT_TEXT_LEN];
	size_t len = 0;

	buf[0] = '\0';
	if (e->kind == FOLLOWED_LOST)
		return snprintf(buf, size, "%s", "lost: the ring was full");
	/* BTF named the arguments of a tracepoint without a row */
	if (e->event.tracepoint >= TP_OTHER)
		return snprintf(buf, size, "%s", e->event.text);
	for (const struct followed_field *f = followed_fields(e->event.tracepoint); f->name; f++)
		if (f->print(e, value, sizeof(value)) && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s=%s", len ? " " : "",
						f->name, value);
	return (int)(len < size ? len : size - 1);
}
