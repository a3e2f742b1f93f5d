// SPDX-License-Identifier: GPL-2.0-only
/* One program per tracepoint that reports each event that is meant, for kernels without BTF. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

/* Where names are; NULL = the record has none. */
struct name_sources {
	const __u64 *ifname;
};

#include "follow_ring.h"
#include "perf_record.h"

char LICENSE[] SEC("license") = "GPL";

static __always_inline void load_names(struct follow_names *to, const struct name_sources *from,
				       bool cast)
{
	if (!from->ifname)
		return;
	to->word[0] = from->ifname[0];
	to->word[1] = from->ifname[1];
}

/* An argument that this kernel's record may not have. */
static __always_inline void add_arg(struct follow_event *e, __u32 index, const struct record *r,
				    __u32 tp, enum perf_field f)
{
	if (!offsets[tp][f])
		return;
	e->arg[index] = record_get(r, tp, f);
	e->known |= 1 << index;
}

#define ADD(index, f) add_arg(e, FOLLOW_##index, &r, tp, FIELD_##f)

#define PROGRAM(name, tp, follow)                                        \
	SEC("tracepoint")                                                \
	int name(void *ctx)                                              \
	{                                                                \
		struct follow_count *count = follow_count(tp);           \
                                                                         \
		return count ? follow_event(ctx, count, tp, follow) : 0; \
	}

static __always_inline void follow_redirect(void *ctx, struct follow_count *count, __u32 tp)
{
	struct series_identity id = {};
	struct follow_event *e;
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	redirect_key(&id, &r, tp);
	e = follow_new(count, tp, &id, false);
	if (!e)
		return;
	e->known = 0;
	ADD(MAP_INDEX, MAP_INDEX);
	follow_submit(count, tp);
}

PROGRAM(xdp_redirect, TP_XDP_REDIRECT, follow_redirect)
PROGRAM(xdp_redirect_err, TP_XDP_REDIRECT_ERR, follow_redirect)
PROGRAM(xdp_redirect_map, TP_XDP_REDIRECT_MAP, follow_redirect)
PROGRAM(xdp_redirect_map_err, TP_XDP_REDIRECT_MAP_ERR, follow_redirect)

static __always_inline void follow_exception(void *ctx, struct follow_count *count, __u32 tp)
{
	struct series_identity id = {};
	struct follow_event *e;
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	exception_key(&id, &r, tp);
	e = follow_new(count, tp, &id, false);
	if (!e)
		return;
	e->known = 0;
	follow_submit(count, tp);
}

PROGRAM(xdp_exception, TP_XDP_EXCEPTION, follow_exception)

static __always_inline void follow_sent(void *ctx, struct follow_count *count, __u32 tp)
{
	struct series_identity id = {};
	struct follow_event *e;
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	sent_key(&id, &r, tp);
	e = follow_new(count, tp, &id, false);
	if (!e)
		return;
	e->known = 0;
	ADD(SENT, SENT);
	ADD(DROPS, DROPS);
	follow_submit(count, tp);
}

PROGRAM(xdp_devmap_xmit, TP_XDP_DEVMAP_XMIT, follow_sent)
PROGRAM(xdp_bulk_tx, TP_XDP_BULK_TX, follow_sent)

static __always_inline void follow_cpumap(void *ctx, struct follow_count *count, __u32 tp)
{
	struct series_identity id = {};
	struct follow_event *e;
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	cpumap_key(&id, &r, tp);
	e = follow_new(count, tp, &id, false);
	if (!e)
		return;
	e->known = 0;
	ADD(PROCESSED, PROCESSED);
	ADD(DROPS, DROPS);
	ADD(SCHED, SCHED);
	ADD(XDP_PASS, XDP_PASS);
	ADD(XDP_DROP, XDP_DROP);
	ADD(XDP_REDIRECT, XDP_REDIRECT);
	follow_submit(count, tp);
}

PROGRAM(xdp_cpumap_enqueue, TP_XDP_CPUMAP_ENQUEUE, follow_cpumap)
PROGRAM(xdp_cpumap_kthread, TP_XDP_CPUMAP_KTHREAD, follow_cpumap)

/* Whose process it is, is not known here: the record is on no task's stack. */
static __always_inline void follow_queue(void *ctx, struct follow_count *count, __u32 tp)
{
	struct series_identity id = {};
	struct follow_event *e;
	__u64 name[2] = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	bpf_probe_read_kernel_str(name, sizeof(name), record_text(ctx, FIELD(NAME), &count->zero));
	queue_key(&id, name);
	id.names.ifname = name;
	e = follow_new(count, tp, &id, false);
	if (!e)
		return;
	e->known = 0;
	ADD(LEN, LEN);
	follow_submit(count, tp);
}

PROGRAM(net_dev_queue, TP_NET_DEV_QUEUE, follow_queue)
