// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs for kernels without BTF: perf-event tracepoints, which see a record of the event
 * instead of its arguments. No CO-RE here, or the kernel's BTF would be needed to load them. The
 * record has no namespaces, and hardly a name. Functions are named as in xdptop.bpf.c.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "perf.h"
#include "shared.h"

/* The device's name, where the record has it. */
struct who {
	const char *ifname;
};

static __always_inline void who_names(const struct who *w, char *ifname, char *to_ifname,
				      char *prog_name)
{
	if (w->ifname)
		bpf_probe_read_kernel(ifname, SERIES_NAME_LEN, w->ifname);
}

#include "event_ring.h"

char LICENSE[] SEC("license") = "GPL";

/* Set before load: where each field lies in each tracepoint's record; 0 = it has none. */
const volatile __u8 offsets[TP_COUNT][FIELD_COUNT] = {};

/*
 * A copy: an access to the record itself takes its offset from the instruction, and this one is
 * known only at start.
 */
struct record {
	__u8 byte[CLASSIC_RECORD] __attribute__((aligned(8)));
};

static __always_inline bool record_copy(struct record *r, const void *ctx)
{
	return !bpf_probe_read_kernel(r, sizeof(*r), ctx);
}

static __always_inline __u32 record_get(const struct record *r, __u32 tp, enum classic_field f)
{
	__u32 offset = offsets[tp][f];

	/* a known number to the verifier: rodata is frozen, and what is not there is pruned */
	return offset ? *(const __u32 *)&r->byte[offset] : 0;
}

/*
 * Where a __data_loc string lies. Up to 5.10 the verifier lets no unknown number be added to the
 * context; passed through memory it is a number itself.
 */
static __always_inline const void *record_text(const void *ctx, __u32 loc, __u32 tp,
					       const struct count *n)
{
	volatile __u64 *number = &n->here->meter[tp].spare;
	__u64 at;

	*number = (__u64)ctx;
	at = *number;
	*number = 0;
	return (const void *)(at + (loc & 0xffff));
}

/*
 * A record has no pointers: the key itself is what is compared, and ctx is the subject. The first
 * word, by which the set is chosen, has all of it: which fields are in use depends on the event.
 */
static __always_inline __u64 key_raw(void *ctx, int i)
{
	const struct packed_key *k = &((struct subject *)ctx)->key;

	return i ? k->q[i] : k->q[0] + k->q[1] * 3 + k->q[2] * 5 + k->q[3];
}

static __always_inline int key_describe(void *ctx, struct subject *s)
{
	*s = *(struct subject *)ctx;
	return 0;
}

KIND(key, 4, key_raw, key_describe)

#define FIELD(f) record_get(&r, tp, FIELD_##f)

static __always_inline void count_redirect(void *ctx, const struct count *n, const __u32 tp)
{
	__u32 map_type = SERIES_MAP_NONE, map_id, to_ifindex, target;
	struct series_counters *c;
	struct subject s = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	map_id = FIELD(MAP_ID);
	to_ifindex = target = FIELD(TO_IFINDEX);
	if (!map_id && to_ifindex)
		map_id = SERIES_MAP_ID_IFINDEX; /* as it is said from 5.13 on */
	if (map_id && map_id != SERIES_MAP_ID_IFINDEX) {
		map_type = to_ifindex ? SERIES_MAP_SOME_DEVMAP : SERIES_MAP_UNKNOWN;
		target = to_ifindex ?: FIELD(MAP_INDEX);
	}
	s.key = pack(0, FIELD(IFINDEX), 0, target, FIELD(PROG_ID), map_type, map_id, FIELD(ERR));
	c = series_counters(n, &key, &s, tp);
	if (c)
		c->events++;
	if (tp == TP_XDP_REDIRECT_ERR || tp == TP_XDP_REDIRECT_MAP_ERR)
		failure(n, &key, &s, tp, 0, 1);
}

COUNT_PROGRAM("tracepoint", xdp_redirect, TP_XDP_REDIRECT, count_redirect)
COUNT_PROGRAM("tracepoint", xdp_redirect_err, TP_XDP_REDIRECT_ERR, count_redirect)
COUNT_PROGRAM("tracepoint", xdp_redirect_map, TP_XDP_REDIRECT_MAP, count_redirect)
COUNT_PROGRAM("tracepoint", xdp_redirect_map_err, TP_XDP_REDIRECT_MAP_ERR, count_redirect)

static __always_inline void count_exception(void *ctx, const struct count *n, const __u32 tp)
{
	struct series_counters *c;
	struct subject s = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	s.key = pack(0, FIELD(IFINDEX), 0, 0, FIELD(PROG_ID), 0, 0, FIELD(ACT));
	c = series_counters(n, &key, &s, tp);
	if (c)
		c->events++;
	failure(n, &key, &s, tp, 0, 1);
}

COUNT_PROGRAM("tracepoint", xdp_exception, TP_XDP_EXCEPTION, count_exception)

/* devmap_xmit and bulk_tx: the latter has no FROM_IFINDEX and no target. */
static __always_inline void count_sent(void *ctx, const struct count *n, const __u32 tp)
{
	struct series_counters *c;
	struct subject s = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	s.key = pack(0, tp == TP_XDP_DEVMAP_XMIT ? FIELD(FROM_IFINDEX) : FIELD(IFINDEX), 0,
		     FIELD(TO_IFINDEX), 0, 0, 0, FIELD(ERR));
	c = series_counters(n, &key, &s, tp);
	if (c) {
		c->events++;
		c->packets += (__s32)FIELD(SENT);
		c->drops += (__s32)FIELD(DROPS);
	}
	if (unlikely((__s32)FIELD(DROPS) > 0 || FIELD(ERR)))
		failure(n, &key, &s, tp, FIELD(SENT), FIELD(DROPS));
}

COUNT_PROGRAM("tracepoint", xdp_devmap_xmit, TP_XDP_DEVMAP_XMIT, count_sent)
COUNT_PROGRAM("tracepoint", xdp_bulk_tx, TP_XDP_BULK_TX, count_sent)

static __always_inline void count_cpumap(void *ctx, const struct count *n, const __u32 tp)
{
	struct series_counters *c;
	struct subject s = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	/* the kthread is bound to the CPU it serves */
	s.key = pack(0, 0, 0,
		     tp == TP_XDP_CPUMAP_ENQUEUE ? FIELD(TO_CPU) : bpf_get_smp_processor_id(), 0,
		     SERIES_MAP_CPUMAP, FIELD(MAP_ID), 0);
	c = series_counters(n, &key, &s, tp);
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
		failure(n, &key, &s, tp, FIELD(PROCESSED), FIELD(DROPS));
}

COUNT_PROGRAM("tracepoint", xdp_cpumap_enqueue, TP_XDP_CPUMAP_ENQUEUE, count_cpumap)
COUNT_PROGRAM("tracepoint", xdp_cpumap_kthread, TP_XDP_CPUMAP_KTHREAD, count_cpumap)

/* splitmix64's finalizer */
static __always_inline __u64 mix(__u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/*
 * The record names the device, and nothing else of it: what tells one series from another is the
 * name. It does not fit into the key; 64 bits of it do, in fields that this tracepoint has no use
 * for. The number of segments is not in the record: packets stay 0, which means unknown.
 */
static __always_inline void count_queue(void *ctx, const struct count *n, const __u32 tp)
{
	struct series_counters *c;
	__u64 name[2] = {}, hash;
	struct subject s = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	bpf_probe_read_kernel_str(name, sizeof(name), record_text(ctx, FIELD(NAME), tp, n));
	hash = mix(mix(name[0] + 1) ^ name[1]);
	s.key = pack(0, 0, 0, 0, 0, 0, hash >> 32, hash);
	s.who.ifname = (const char *)name;
	c = series_counters(n, &key, &s, tp);
	if (c) {
		c->events++;
		c->bytes += FIELD(LEN);
	}
}

COUNT_PROGRAM("tracepoint", net_dev_queue, TP_NET_DEV_QUEUE, count_queue)

static __always_inline void count_attach_failed(void *ctx, const struct count *n, const __u32 tp)
{
	struct subject s = {};
	struct series_counters *c;
	struct series_event *e;
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	c = series_counters(n, &key, &s, tp);
	if (c)
		c->events++;
	e = event_new(tp, &s.key);
	if (e) {
		e->pid = bpf_get_current_pid_tgid() >> 32;
		bpf_get_current_comm(e->comm, sizeof(e->comm));
		bpf_probe_read_kernel_str(e->text, sizeof(e->text),
					  record_text(ctx, FIELD(MSG), tp, n));
		bpf_ringbuf_submit(e, 0);
	}
}

COUNT_PROGRAM("tracepoint", bpf_xdp_link_attach_failed, TP_LINK_ATTACH_FAILED, count_attach_failed)

/* mem_connect and mem_disconnect; the latter names no device. */
static __always_inline void count_mem(void *ctx, const struct count *n, const __u32 tp)
{
	struct series_counters *c;
	struct series_event *e;
	struct subject s = {};
	struct record r;

	if (!record_copy(&r, ctx))
		return;
	s.key = pack(0, FIELD(IFINDEX), 0, 0, 0, 0, 0, 0);
	c = series_counters(n, &key, &s, tp);
	if (c)
		c->events++;
	e = event_new(tp, &s.key);
	if (e) {
		e->queue = SERIES_QUEUE_UNKNOWN;
		e->mem_type = FIELD(MEM_TYPE);
		e->mem_id = FIELD(MEM_ID);
		bpf_ringbuf_submit(e, 0);
	}
}

COUNT_PROGRAM("tracepoint", mem_connect, TP_MEM_CONNECT, count_mem)
COUNT_PROGRAM("tracepoint", mem_disconnect, TP_MEM_DISCONNECT, count_mem)

/* Empty: attached for a moment to see whether attaching works with the privileges left. */
SEC("tracepoint")
int capability_check(void *ctx)
{
	return 0;
}
