// SPDX-License-Identifier: GPL-2.0-or-later
#include "expect.h"

#include <linux/bpf.h>
#include <string.h>

#include "json.h"

const char *const series_tracepoints[TP_MAX] = {
	[TP_XDP_EXCEPTION] = "xdp_exception",
	[TP_XDP_REDIRECT] = "xdp_redirect",
	[TP_XDP_REDIRECT_ERR] = "xdp_redirect_err",
	[TP_XDP_DEVMAP_XMIT] = "xdp_devmap_xmit",
	[TP_XDP_BULK_TX] = "xdp_bulk_tx",
	[TP_XDP_CPUMAP_ENQUEUE] = "xdp_cpumap_enqueue",
	[TP_XDP_CPUMAP_KTHREAD] = "xdp_cpumap_kthread",
	[TP_NET_DEV_QUEUE] = "net_dev_queue",
	[TP_LINK_ATTACH_FAILED] = "bpf_xdp_link_attach_failed",
	[TP_NETLINK_EXTACK] = "netlink_extack",
	[TP_MEM_CONNECT] = "mem_connect",
	[TP_MEM_DISCONNECT] = "mem_disconnect",
};

const char *const series_fields[FIELD_MAX] = {
	[FIELD_NETNS] = "netns",       [FIELD_IFINDEX] = "ifindex",
	[FIELD_TO_NETNS] = "to_netns", [FIELD_TO_IFINDEX] = "to_ifindex",
	[FIELD_TO_CPU] = "to_cpu",     [FIELD_PROG_ID] = "prog_id",
	[FIELD_MAP_TYPE] = "map_type", [FIELD_MAP_ID] = "map_id",
	[FIELD_ACT] = "act",           [FIELD_ERR] = "err",
	[FIELD_PID] = "pid",           [FIELD_EVENTS] = "events",
	[FIELD_PACKETS] = "packets",   [FIELD_DROPS] = "drops",
	[FIELD_BYTES] = "bytes",       [FIELD_XDP_PASS] = "xdp_pass",
	[FIELD_XDP_DROP] = "xdp_drop", [FIELD_XDP_REDIRECT] = "xdp_redirect",
};

void expect_init(struct expect *row, enum series_tracepoint tracepoint)
{
	memset(row, 0, sizeof(*row));
	row->tracepoint = tracepoint;
	row->sent_plus_drops = EXPECT_ABSENT;
	row->to_prog_id = EXPECT_ABSENT;
	for (int i = 0; i < FIELD_MAX; i++)
		row->field[i] = EXPECT_ABSENT;
}

void expect_set_from(struct expect *row, const struct link *link)
{
	row->field[FIELD_NETNS] = link->ns->inum;
	row->field[FIELD_IFINDEX] = link->ifindex;
	memcpy(row->ifname, link->name, sizeof(row->ifname));
}

void expect_set_to(struct expect *row, const struct link *link)
{
	row->field[FIELD_TO_NETNS] = link->ns->inum;
	row->field[FIELD_TO_IFINDEX] = link->ifindex;
	memcpy(row->to_ifname, link->name, sizeof(row->to_ifname));
}

void expect_set_frames(struct expect *row, uint64_t frames)
{
	row->field[FIELD_EVENTS] = frames;
	row->field[FIELD_PACKETS] = frames;
	/* a success has no drops: the queued frame may still be lost later */
	if (row->tracepoint != TP_XDP_REDIRECT)
		row->field[FIELD_DROPS] = frames;
}

/*
 * Tests check how hostile names are made printable, so do not do it here: give the raw bytes of
 * such a name.
 */
static void name_print(struct json *json, const char *key, const char *key_hex, const char *name)
{
	const char *p = name;

	if (!*name)
		return;
	while (*p > ' ' && *p < 0x7f && *p != '\\')
		p++;
	if (*p)
		json_bytes(json, key_hex, name, strlen(name));
	else
		json_string(json, key, name);
}

static void map_type_print(struct json *json, int64_t type)
{
	static const char *const names[] = {
		[BPF_MAP_TYPE_DEVMAP] = "devmap",
		[BPF_MAP_TYPE_DEVMAP_HASH] = "devmap_hash",
		[BPF_MAP_TYPE_CPUMAP] = "cpumap",
		[BPF_MAP_TYPE_XSKMAP] = "xskmap",
	};

	json_string(json, "map_type", names[type]);
}

static void act_print(struct json *json, int64_t act)
{
	static const char *const names[] = { "ABORTED", "DROP", "PASS", "TX", "REDIRECT" };
	char unknown[32];

	if (act >= 0 && act < 5) {
		json_string(json, "act", names[act]);
	} else {
		snprintf(unknown, sizeof(unknown), "UNKNOWN(%lld)", (long long)act);
		json_string(json, "act", unknown);
	}
}

static void err_print(struct json *json, int64_t err)
{
	json_number(json, "err", err);
	if (err)
		json_string(json, "errname", strerrorname_np(-err));
	else
		json_null(json, "errname");
}

void expect_print(const struct expect *row, const char *stimulus, FILE *out)
{
	static void (*const printers[FIELD_MAX])(struct json *, int64_t) = {
		[FIELD_MAP_TYPE] = map_type_print,
		[FIELD_ACT] = act_print,
		[FIELD_ERR] = err_print,
	};
	struct json json;

	json_begin(&json, out, "expect");
	json_string(&json, "stimulus", stimulus);
	json_string(&json, "tracepoint", series_tracepoints[row->tracepoint]);
	name_print(&json, "ifname", "ifname_hex", row->ifname);
	name_print(&json, "to_ifname", "to_ifname_hex", row->to_ifname);
	name_print(&json, "prog_name", "prog_name_hex", row->prog_name);
	for (int i = 0; i < FIELD_MAX; i++) {
		if (row->field[i] == EXPECT_ABSENT)
			continue;
		if (row->field[i] == SERIES_NULL)
			json_null(&json, series_fields[i]);
		else if (printers[i])
			printers[i](&json, row->field[i]);
		else
			json_number(&json, series_fields[i], row->field[i]);
	}
	if (row->to_prog_id == SERIES_NULL)
		json_null(&json, "to_prog_id");
	else if (row->to_prog_id != EXPECT_ABSENT)
		json_number(&json, "to_prog_id", row->to_prog_id);
	if (row->sent_plus_drops != EXPECT_ABSENT)
		json_number(&json, "sent_plus_drops", row->sent_plus_drops);
	if (row->comm[0])
		json_string(&json, "comm", row->comm);
	if (row->text[0])
		json_string(&json, "text", row->text);
	json_end(&json);
}
