// SPDX-License-Identifier: GPL-2.0-only
/*
 * One program per perf-event tracepoint, for kernels without BTF. A program gets the record of the
 * event, not its arguments. It has no network namespace, and a device name only in net_dev_queue.
 * No CO-RE here, because it needs the kernel's BTF.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "shared.h"

/* As in capture_names.h; NULL = the record has no name. */
struct name_sources {
	const char *ifname;
};

static __always_inline void capture_names(const struct name_sources *from, char *ifname,
					  char *to_ifname, char *prog_name)
{
	if (from->ifname)
		bpf_probe_read_kernel(ifname, SERIES_NAME_LEN, from->ifname);
}

static __always_inline bool capture_to_prog(const struct name_sources *from, __u32 *prog_id)
{
	return false;
}

#include "event_ring.h"
#include "perf.h"
#include "series_identity.h"

/* Offset of each field in the record of each tracepoint, set before load; 0 = no such field. */
const volatile __u8 offsets[TP_COUNT][FIELD_COUNT] = {};

/*
 * A copy of the record. Access to the context needs an offset in the instruction, but the offsets
 * are known only at start.
 */
struct record {
	__u8 byte[PERF_RECORD_SIZE] __attribute__((aligned(8)));
};

static __always_inline bool record_copy(struct record *r, const void *ctx)
{
	return !bpf_probe_read_kernel(r, sizeof(*r), ctx);
}

static __always_inline __u32 record_get(const struct record *r, __u32 tp, enum perf_field f)
{
	__u32 offset = offsets[tp][f];

	/* constant to the verifier, because .rodata is frozen, so it prunes the dead branch */
	return offset ? *(const __u32 *)&r->byte[offset] : 0;
}

/*
 * Address of a __data_loc string. Up to 5.10 the verifier refuses to add a variable to the context
 * pointer. Stored to `scalar` (any memory) and loaded again, it is a number.
 */
static __always_inline const void *record_text(const void *ctx, __u32 loc, volatile __u64 *scalar)
{
	__u64 at;

	*scalar = (__u64)ctx;
	at = *scalar;
	*scalar = 0;
	return (const void *)(at + (loc & 0xffff));
}

/* A field of the record `r` of tracepoint `tp`. OF() is for a pointer `r`. */
#define FIELD(f) record_get(&r, tp, FIELD_##f)
#define OF(f)    record_get(r, tp, FIELD_##f)

static __always_inline void redirect_key(struct series_identity *id, const struct record *r,
					 const __u32 tp)
{
	__u32 map_type = SERIES_MAP_NONE, map_id, to_ifindex, target;

	map_id = OF(MAP_ID);
	to_ifindex = target = OF(TO_IFINDEX);
	if (!map_id && to_ifindex)
		map_id = SERIES_MAP_ID_IFINDEX; /* as the kernel sets it since 5.13 */
	if (map_id && map_id != SERIES_MAP_ID_IFINDEX) {
		map_type = to_ifindex ? SERIES_MAP_SOME_DEVMAP : SERIES_MAP_UNKNOWN;
		target = to_ifindex ?: OF(MAP_INDEX);
	}
	id->key = pack(0, OF(IFINDEX), 0, target, OF(PROG_ID), map_type, map_id, OF(ERR));
}

static __always_inline void exception_key(struct series_identity *id, const struct record *r,
					  const __u32 tp)
{
	id->key = pack(0, OF(IFINDEX), 0, 0, OF(PROG_ID), 0, 0, OF(ACT));
}

/* xdp_devmap_xmit, and xdp_bulk_tx, which has neither FROM_IFINDEX nor TO_IFINDEX. */
static __always_inline void sent_key(struct series_identity *id, const struct record *r,
				     const __u32 tp)
{
	id->key = pack(0, tp == TP_XDP_DEVMAP_XMIT ? OF(FROM_IFINDEX) : OF(IFINDEX), 0,
		       OF(TO_IFINDEX), 0, 0, 0, OF(ERR));
}

/* The kthread is bound to the CPU that it serves. */
static __always_inline void cpumap_key(struct series_identity *id, const struct record *r,
				       const __u32 tp)
{
	id->key =
		pack(0, 0, 0, tp == TP_XDP_CPUMAP_ENQUEUE ? OF(TO_CPU) : bpf_get_smp_processor_id(),
		     0, SERIES_MAP_CPUMAP, OF(MAP_ID), 0);
}

/* splitmix64's finalizer */
static __always_inline __u64 mix(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/*
 * The record has only the name of the device, which does not fit into the key, so a 64-bit hash of
 * it is in map_id and code, which this tracepoint does not use.
 */
static __always_inline void queue_key(struct series_identity *id, const __u64 name[2])
{
	__u64 hash = mix(mix(name[0] + 1) ^ name[1]);

	id->key = pack(0, 0, 0, 0, 0, 0, hash >> 32, hash);
}

char LICENSE[] SEC("license") = "GPL";

/*
 * The full key is the cache tag, because a record has no pointers, and ctx is the identity. Word 0,
 * which chooses the set, depends on all fields, because each tracepoint uses different ones.
 */
static __always_inline __u64 record_tag(void *ctx, int i)
{
	const struct packed_key *k = &((struct series_identity *)ctx)->key;

	return i ? k->q[i] : k->q[0] + k->q[1] * 3 + k->q[2] * 5 + k->q[3];
}

static __always_inline int record_describe(void *ctx, struct series_identity *id)
{
	*id = *(struct series_identity *)ctx;
	return 0;
}

DEFINE_KEY_OPS(record_ops, 4, record_tag, record_describe, NULL)

/* ops is NULL: every count_fn here uses record_ops. */
#define PROGRAM(name, tracepoint, count) PROGRAM_AT("tracepoint", name, tracepoint, count, NULL)

static __always_inline void count_redirect(void *ctx, const struct cpu_ctx *cc, const __u32 tp,
					   const struct key_ops *ops)
{
	struct series_counters *c;
	struct series_identity id = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	redirect_key(&id, &r, tp);
	c = series_counters(cc, &record_ops, &id, tp);
	if (c)
		c->events++;
	if (tp == TP_XDP_REDIRECT_ERR)
		failure(cc, &record_ops, &id, tp, 0, 1);
}

PROGRAM(xdp_redirect, TP_XDP_REDIRECT, count_redirect)
PROGRAM(xdp_redirect_err, TP_XDP_REDIRECT_ERR, count_redirect)

static __always_inline void count_exception(void *ctx, const struct cpu_ctx *cc, const __u32 tp,
					    const struct key_ops *ops)
{
	struct series_identity id = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	exception_key(&id, &r, tp);
	count_plain(&id, cc, tp, &record_ops);
	failure(cc, &record_ops, &id, tp, 0, 1);
}

PROGRAM(xdp_exception, TP_XDP_EXCEPTION, count_exception)

static __always_inline void count_sent(void *ctx, const struct cpu_ctx *cc, const __u32 tp,
				       const struct key_ops *ops)
{
	struct series_counters *c;
	struct series_identity id = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	sent_key(&id, &r, tp);
	c = series_counters(cc, &record_ops, &id, tp);
	if (c) {
		c->events++;
		c->packets += (__s32)FIELD(SENT);
		c->drops += (__s32)FIELD(DROPS);
	}
	if (unlikely((__s32)FIELD(DROPS) > 0 || FIELD(ERR)))
		failure(cc, &record_ops, &id, tp, FIELD(SENT), FIELD(DROPS));
}

PROGRAM(xdp_devmap_xmit, TP_XDP_DEVMAP_XMIT, count_sent)
PROGRAM(xdp_bulk_tx, TP_XDP_BULK_TX, count_sent)

static __always_inline void count_cpumap(void *ctx, const struct cpu_ctx *cc, const __u32 tp,
					 const struct key_ops *ops)
{
	struct series_counters *c;
	struct series_identity id = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	cpumap_key(&id, &r, tp);
	c = series_counters(cc, &record_ops, &id, tp);
	if (c) {
		c->events++;
		c->packets += FIELD(PROCESSED);
		c->drops += FIELD(DROPS);
		if (tp == TP_XDP_CPUMAP_KTHREAD) {
			c->sched += !!FIELD(SCHED);
			c->xdp_pass += FIELD(XDP_PASS);
			c->xdp_drop += FIELD(XDP_DROP);
			c->xdp_redirect += FIELD(XDP_REDIRECT);
		}
	}
	if (unlikely(FIELD(DROPS)))
		failure(cc, &record_ops, &id, tp, FIELD(PROCESSED), FIELD(DROPS));
}

PROGRAM(xdp_cpumap_enqueue, TP_XDP_CPUMAP_ENQUEUE, count_cpumap)
PROGRAM(xdp_cpumap_kthread, TP_XDP_CPUMAP_KTHREAD, count_cpumap)

/* The record has no number of segments, so packets stay 0, which means unknown. */
static __always_inline void count_queue(void *ctx, const struct cpu_ctx *cc, const __u32 tp,
					const struct key_ops *ops)
{
	struct series_counters *c;
	__u64 name[2] = {};
	struct series_identity id = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	bpf_probe_read_kernel_str(name, sizeof(name),
				  record_text(ctx, FIELD(NAME), &cc->cpu->meter[tp].spare));
	queue_key(&id, name);
	id.names.ifname = (const char *)name;
	c = series_counters(cc, &record_ops, &id, tp);
	if (c) {
		c->events++;
		c->bytes += FIELD(LEN);
	}
}

PROGRAM(net_dev_queue, TP_NET_DEV_QUEUE, count_queue)

static __always_inline void count_attach_failed(void *ctx, const struct cpu_ctx *cc, const __u32 tp,
						const struct key_ops *ops)
{
	struct series_identity id = {};
	struct series_event *e;
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	count_plain(&id, cc, tp, &record_ops);
	e = event_new(tp, &id.key);
	if (e) {
		e->pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(e->comm, sizeof(e->comm));
		bpf_probe_read_kernel_str(e->text, sizeof(e->text),
					  record_text(ctx, FIELD(MSG), &cc->cpu->meter[tp].spare));
		bpf_ringbuf_submit(e, 0);
	}
}

PROGRAM(bpf_xdp_link_attach_failed, TP_LINK_ATTACH_FAILED, count_attach_failed)

/* mem_connect, and mem_disconnect, whose record has no device. */
static __always_inline void count_mem(void *ctx, const struct cpu_ctx *cc, const __u32 tp,
				      const struct key_ops *ops)
{
	struct series_event *e;
	struct series_identity id = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	id.key = pack(0, FIELD(IFINDEX), 0, 0, 0, 0, 0, 0);
	count_plain(&id, cc, tp, &record_ops);
	e = event_new(tp, &id.key);
	if (e) {
		e->queue = SERIES_QUEUE_UNKNOWN;
		e->mem_type = FIELD(MEM_TYPE);
		e->mem_id = FIELD(MEM_ID);
		bpf_ringbuf_submit(e, 0);
	}
}

PROGRAM(mem_connect, TP_MEM_CONNECT, count_mem)
PROGRAM(mem_disconnect, TP_MEM_DISCONNECT, count_mem)

/* Attached and detached at start, to test whether the remaining privileges allow it. */
SEC("tracepoint")
int capability_check(void *ctx)
{
	return 0;
}
