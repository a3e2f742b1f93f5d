// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies the heads of packets that match: --capture. src/tracing/verdict_tracer.c loads it once for
 * each program, with an array of its own, and attaches it at the end (fexit) of that program and,
 * for --capture-both, at its beginning (fentry). It runs only while packets are captured.
 *
 * The rate is exact for the program on all CPUs together, so one word is shared, and changed by
 * compare and exchange. This costs only packets that are copied: others at most read it. The
 * kernel's ring buffer keeps the order of packets from different CPUs.
 */
#include "verdict_packet.h"
#include "capture.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, CAPTURE_CPU + 1); /* CAPTURE_CPU + possible CPU ids */
	__type(key, __u32);
	__type(value, union capture_element);
} capture_elements SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, CAPTURE_RING);
} captured SEC(".maps");

static __always_inline void *element(__u32 index)
{
	return bpf_map_lookup_elem(&capture_elements, &index);
}

static __always_inline bool choices_match(const struct xdp_buff *xdp, __u32 n)
{
	const struct xdp_rxq_info *rxq = xdp->rxq;
	const struct net_device *dev = rxq->dev;
	const __u64 *name = (const __u64 *)dev->name;
	__u64 word[CAPTURE_WORDS] = {
		[CAPTURE_NETNS] = dev->nd_net.net->ns.inum | (__u64)dev->ifindex << 32,
		[CAPTURE_QUEUE] = rxq->queue_index,
		[CAPTURE_IFNAME] = name[0],
		[CAPTURE_IFNAME + 1] = name[1],
	};

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < CAPTURE_CHOICES && i < n; i++) {
		const struct capture_choice *c = element(CAPTURE_CHOICE + i);
		__u64 differs = 0;

		if (!c)
			return false;
#pragma unroll
		for (int k = 0; k < CAPTURE_WORDS; k++)
			differs |= (word[k] & c->mask[k]) ^ c->value[k];
		if (!differs)
			return true;
	}
	return false;
}

static __always_inline __u64 *time_of(__u32 slot)
{
	union capture_element *e = element(CAPTURE_SLOT + slot / CAPTURE_SLOTS);

	return e ? &e->slot[slot % CAPTURE_SLOTS] : NULL;
}

#include "capture_rate.h"

static __always_inline const struct sock_filter *insn_at(__u32 i)
{
	const union capture_element *e =
		i < CAPTURE_INSNS ? element(CAPTURE_INSN + i / CAPTURE_CODE) : NULL;

	return e ? &e->insn[i % CAPTURE_CODE] : NULL;
}

#define packet_read(to, size, from) bpf_probe_read_kernel(to, size, from)
#include "capture_filter.h"

/*
 * The tracing process puts the number of instructions here when it loads the program: the verifier
 * takes 0.1 s for the highest one.
 */
static __always_inline __u32 insns_max(void)
{
	__u64 limit;

	asm volatile("%0 = %1" : "=r"(limit) : "i"(CAPTURE_LIMIT));
	return limit - CAPTURE_LIMIT;
}

static __always_inline bool filter_matches(struct capture_cpu *cpu, const struct xdp_buff *xdp)
{
	struct filter_packet p = {
		.data = xdp->data,
		.n = (__u64)xdp->data_end - (__u64)xdp->data,
		.length = packet_length(xdp),
		.r = &cpu->registers,
	};
	enum filter_result result = filter_run(&p, insns_max());

	cpu->unread += result == FILTER_UNREAD;
	return result == FILTER_YES;
}

/* Returns the number of bytes. */
static __always_inline __u32 copy_head(__u8 *bytes, const struct xdp_buff *xdp)
{
	__u64 n = (__u64)xdp->data_end - (__u64)xdp->data;

	if (n > CAPTURE_BYTES)
		n = CAPTURE_BYTES;
	/* barrier: the verifier has to see the bounds of this register */
	asm volatile("" : "+r"(n));
	if (n > CAPTURE_BYTES || bpf_probe_read_kernel(bytes, n, xdp->data))
		n = 0;
	return n;
}

static __always_inline struct capture_head *head_of(const struct capture_control *control,
						    __u8 **bytes)
{
	__u32 at = control->heads + 2 * bpf_get_smp_processor_id();

	if (!control->heads)
		return NULL;
	*bytes = element(at + 1);
	return *bytes ? element(at) : NULL;
}

static __always_inline struct capture_record *record_begin(const struct capture_control *control,
							   const struct xdp_buff *xdp,
							   __u64 returned, __u64 now)
{
	struct capture_record *to = bpf_ringbuf_reserve(&captured, sizeof(*to), 0);
	const struct xdp_rxq_info *rxq = xdp->rxq;
	const struct net_device *dev = rxq->dev;
	const __u64 *name = (const __u64 *)dev->name;

	if (!to)
		return NULL;
	to->ktime_ns = now;
	to->prog_id = control->prog_id;
	to->netns = dev->nd_net.net->ns.inum;
	to->ifindex = dev->ifindex;
	to->queue = rxq->queue_index;
	to->cpu = bpf_get_smp_processor_id();
	to->act = low(returned);
	((__u64 *)to->ifname)[0] = name[0];
	((__u64 *)to->ifname)[1] = name[1];
	return to;
}

static __always_inline void copy(struct capture_cpu *cpu, const struct capture_control *control,
				 const struct xdp_buff *xdp, __u64 returned, __u64 now)
{
	struct capture_record *before = NULL, *to;
	const struct capture_head *head;
	__u8 *bytes;

	head = head_of(control, &bytes);
	/* the recursion guard may have skipped the beginning of this packet */
	if (head && head->of == (__u64)xdp) {
		before = record_begin(control, xdp, returned, now);
		if (!before) {
			cpu->lost++;
			return;
		}
		before->stage = CAPTURE_PAIR_BEFORE;
		before->length = head->length;
		before->n = head->n;
		__builtin_memcpy(before->bytes, bytes, sizeof(before->bytes));
	}
	to = record_begin(control, xdp, returned, now);
	if (!to) {
		if (before)
			bpf_ringbuf_discard(before, BPF_RB_NO_WAKEUP);
		cpu->lost++;
		return;
	}
	to->stage = before ? CAPTURE_PAIR_AFTER : CAPTURE_AFTER;
	to->length = packet_length(xdp);
	to->n = copy_head(to->bytes, xdp);
	/* user space polls: a wakeup would cost more than the rest */
	if (before)
		bpf_ringbuf_submit(before, BPF_RB_NO_WAKEUP);
	bpf_ringbuf_submit(to, BPF_RB_NO_WAKEUP);
}

static __always_inline void consider(struct capture_cpu *cpu, struct capture_control *control,
				     const struct xdp_buff *xdp, __u64 returned)
{
	__u32 act = verdict_act(returned);
	__u64 now;

	if (!(control->acts >> act & 1))
		return;
	if (control->choices && !choices_match(xdp, control->choices))
		return;
	if (control->insns && !filter_matches(cpu, xdp))
		return;
	cpu->matched++;
	now = bpf_ktime_get_ns();
	if (rate_take(control, now))
		copy(cpu, control, xdp, returned, now);
	else
		cpu->refused++;
}

static __always_inline void note_head(const struct xdp_buff *xdp)
{
	const struct capture_control *control = element(CAPTURE_CONTROL);
	struct capture_head *head;
	__u8 *bytes;

	if (!control || !control->acts)
		return;
	head = head_of(control, &bytes);
	if (!head)
		return;
	head->length = packet_length(xdp);
	head->n = copy_head(bytes, xdp);
	head->of = (__u64)xdp;
}

/* User space sets the attach targets. Its time is part of what capture() measures. */
SEC("fentry/capture_trial")
int before(__u64 *ctx)
{
	struct capture_cpu *cpu = element(CAPTURE_CPU + bpf_get_smp_processor_id());
	__u64 started = 0;

	if (!cpu)
		return 0;
	if (unlikely(((cpu->events + 1) & (TIMED_EVERY - 1)) == TIMED_FIRST))
		started = bpf_ktime_get_ns();
	note_head((struct xdp_buff *)ctx[0]);
	if (unlikely(started))
		cpu->timed_ns += bpf_ktime_get_ns() - started;
	return 0;
}

SEC("fexit/capture_trial")
int capture(__u64 *ctx)
{
	struct capture_cpu *cpu = element(CAPTURE_CPU + bpf_get_smp_processor_id());
	struct capture_control *control = element(CAPTURE_CONTROL);
	struct capture_head *head;
	__u64 started = 0;
	__u8 *bytes;

	if (!cpu || !control)
		return 0;
	if (unlikely((++cpu->events & (TIMED_EVERY - 1)) == TIMED_FIRST))
		started = bpf_ktime_get_ns();
	consider(cpu, control, (struct xdp_buff *)ctx[0], ctx[1]);
	head = head_of(control, &bytes);
	if (head)
		head->of = 0;
	if (unlikely(started)) {
		cpu->timed_ns += bpf_ktime_get_ns() - started;
		cpu->timed++;
	}
	return 0;
}
