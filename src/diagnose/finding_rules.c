// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/kernel_names.h"
#include "diagnose/finding_rules.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "diagnose/cause.h"
#include "model/rates.h"
#include "model/tracepoint.h"

#define BIT(id)   (1u << (id))
#define EXCEPTION BIT(TP_XDP_EXCEPTION)
#define REDIRECT  (BIT(TP_XDP_REDIRECT_ERR) | BIT(TP_XDP_REDIRECT_MAP_ERR))
#define QUEUED    (BIT(TP_XDP_REDIRECT) | BIT(TP_XDP_REDIRECT_MAP))
#define XMIT      BIT(TP_XDP_DEVMAP_XMIT)
#define BULK_TX   BIT(TP_XDP_BULK_TX)
#define ENQUEUE   BIT(TP_XDP_CPUMAP_ENQUEUE)
#define KTHREAD   BIT(TP_XDP_CPUMAP_KTHREAD)
#define ATTACH    BIT(TP_LINK_ATTACH_FAILED)
#define EVERY     (BIT(TP_COUNT) - 1)
/* With a device of its own on which XDP runs. */
#define ON_DEVICE (EXCEPTION | REDIRECT | QUEUED | BULK_TX)

#define TO_DEVICE (THROUGH_IFINDEX | THROUGH_DEVMAP)
#define SENT      (LOCATION_DEVICE | LOCATION_TARGET)
#define FLOW      (LOCATION_DEVICE | LOCATION_TARGET | LOCATION_PROG)
#define PROGRAM   (LOCATION_DEVICE | LOCATION_PROG)
#define CPUMAP    (LOCATION_MAP | LOCATION_TARGET)

/* uapi/linux/bpf.h, enum xdp_action */
enum { ABORTED, TX = 3, REDIRECTED = 4 };

/* From where on a row is busy enough to judge how it is spread and bulked: packets a second. */
#define BUSY_PER_S 10000
#define BULK_POOR  2.0
/* A row's part on one CPU, and how many CPUs there must be to spread it over. */
#define SKEW_SHARE 0.8
#define SKEW_CPUS  4
/*
 * A cpumap thread that slept in fewer than this part of its polls has no time left, when it is busy
 * at all: a burst of some hundred packets also comes without a pause. `sched` is also set where it
 * gave way to another thread (kernel/bpf/cpumap.c, cpu_map_kthread_run()).
 */
#define BUSY_SLEEPS 0.1

const struct finding_code *finding_for_cause(const struct cause *m)
{
	for (size_t i = 0; i < n_rules; i++) {
		const struct rule *r = &rules[i];
		bool any = r->err == RULE_ANY || (r->err == RULE_ERRNO && m->code < 0);

		if (r->subject == RULE_LOSS && r->tracepoints & m->tracepoints &&
		    (!r->through || r->through & m->through) && (any || r->err == m->code))
			return finding_code_find(r->code);
	}
	return NULL;
}

static const struct series_counters *delta_of(const struct evidence *e, size_t i)
{
	return &e->rates->delta[i];
}

static const struct series *series_of(const struct evidence *e, size_t i)
{
	return &e->rates->to->series[i];
}

static double rate(const struct evidence *e, uint64_t count)
{
	return per_second(count, e->rates->tp_seconds[e->tracepoint]);
}

/* Packets that an event of this series spoke of, lost ones included. */
static uint64_t frames(uint32_t tracepoint, const struct series_counters *c)
{
	if (!tracepoints[tracepoint].bulk)
		return c->events;
	/* native cpumap counts drops in processed (kernel/bpf/cpumap.c, bq_flush_to_queue()) */
	if (BIT(tracepoint) & ENQUEUE)
		return c->packets < c->events ? c->packets + c->drops : c->packets;
	return c->packets + c->drops;
}

/* Rules. Each says in e->what what the general meaning cannot. */

static bool says_mtu(struct evidence *e)
{
	if (e->to && e->to->mtu)
		snprintf(e->what, sizeof(e->what),
			 "frames are longer than the target's MTU of %" PRIu32
			 " allows; XDP neither "
			 "fragments nor tells the sender",
			 e->to->mtu);
	return true;
}

static bool is_veth(const struct netdev *d)
{
	return d && !strcmp(d->kind, "veth");
}

/* drivers/net/veth.c, veth_set_xdp_features(): the flag follows the peer's program and GRO. */
static bool peer_lacks_xdp(struct evidence *e)
{
	return is_veth(e->to) && (!e->peer || (e->peer->mode == NETDEV_NONE && !e->peer->gone));
}

static bool peer_is_down(struct evidence *e)
{
	return is_veth(e->to) && e->peer && !e->peer->up;
}

/* XDP_TX of a veth: it has no target, but the other end. */
static bool own_peer_is_down(struct evidence *e)
{
	return e->peer && !e->peer->up && !e->peer->gone;
}

static bool target_is_veth(struct evidence *e)
{
	return is_veth(e->to);
}

/* Every driver with native XDP sets it, whatever is attached (xdp_set_features_flag()). */
static bool lacks_xdp(struct evidence *e)
{
	if (!e->to || !e->to->has_features ||
	    e->to->features & (NETDEV_XDP_BASIC | NETDEV_XDP_NDO_XMIT))
		return false;
	e->advice = "choose another target; what is for this host, or for a device without XDP, "
		    "the stack can send (XDP_PASS), or a program in generic mode";
	return true;
}

/* kernel/bpf/devmap.c, __xdp_enqueue(): with frags NDO_XMIT_SG is needed as well. */
static bool lacks_multi_buffer(struct evidence *e)
{
	return e->to && e->to->has_features && e->to->features & NETDEV_XDP_NDO_XMIT &&
	       !(e->to->features & NETDEV_XDP_NDO_XMIT_SG);
}

static bool is_ifindex_zero(struct evidence *e)
{
	return !e->series->key.target;
}

static bool says_errno(struct evidence *e)
{
	const char *name = errno_name(e->series->key.code);
	const struct cause *m = cause_find(e->tracepoint, &e->series->key);
	char number[24];

	snprintf(number, sizeof(number), "errno %d", -e->series->key.code);
	if (m)
		snprintf(e->what, sizeof(e->what), "%s: %s", name ? name : number, m->meaning);
	else
		snprintf(e->what, sizeof(e->what), "%s, which no kernel known here reports",
			 name ? name : number);
	return true;
}

static bool says_value(struct evidence *e)
{
	snprintf(e->what, sizeof(e->what), "the program returned %u, which is no XDP action",
		 (unsigned int)e->series->key.code);
	return true;
}

/*
 * About 20 drivers report a failed redirect twice (KERNEL facts, section 3): where xdp_redirect_err
 * has seen the device in the same interval, it tells the cause.
 */
static bool is_no_echo(struct evidence *e)
{
	const struct rates *r = e->rates;

	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series *s = series_of(e, i);

		if (BIT(s->tracepoint) & REDIRECT && delta_of(e, i)->events &&
		    s->key.netns == e->series->key.netns &&
		    s->key.ifindex == e->series->key.ifindex)
			return false;
	}
	snprintf(e->what, sizeof(e->what), "%s",
		 r->tp_seconds[TP_XDP_REDIRECT_ERR] > 0
			 ? "the driver reports failed redirects that xdp_redirect_err does not: it "
			   "has no "
			   "XDP_REDIRECT, or no memory to refill its ring"
			 : "the driver reports failed redirects; why, xdp_redirect_err would say, "
			   "which is off");
	return true;
}

/*
 * Frames that the target's devmap program aborted, or returned a bad value for, are dropped by it,
 * not by a full ring: kernel/bpf/devmap.c, dev_map_bpf_prog_run() reports them for the egress
 * device.
 */
static bool is_ring_or_program(struct evidence *e)
{
	uint64_t told = 0;

	for (size_t i = 0; i < e->rates->to->n_series; i++) {
		const struct series *s = series_of(e, i);

		if (s->tracepoint != TP_XDP_EXCEPTION || s->key.netns != e->series->key.to_netns ||
		    s->key.ifindex != e->series->key.target)
			continue;
		/* the program that is attached there handles what comes in, not this */
		if (e->to &&
		    (s->key.prog_id == e->to->prog_id || s->key.prog_id == e->to->skb_prog_id))
			continue;
		told += delta_of(e, i)->events;
	}
	return told < e->count;
}

static bool is_veth_ring(struct evidence *e)
{
	return is_veth(e->to) && is_ring_or_program(e);
}

/* The interval's polls of the thread that empties this queue. */
static bool is_cpu_busy(struct evidence *e)
{
	for (size_t i = 0; i < e->rates->to->n_series; i++) {
		const struct series *s = series_of(e, i);
		const struct series_counters *c = delta_of(e, i);

		if (s->tracepoint == TP_XDP_CPUMAP_KTHREAD &&
		    s->key.map_id == e->series->key.map_id &&
		    s->key.target == e->series->key.target)
			return rate(e, c->packets) > BUSY_PER_S &&
			       (double)c->sched < BUSY_SLEEPS * (double)c->events;
	}
	return false;
}

static bool is_poor_bulk(struct evidence *e)
{
	uint64_t n = frames(e->tracepoint, e->delta);
	double bulk = e->delta->events ? (double)n / (double)e->delta->events : 0;
	char text[24];

	/* generic cpumap knows no bulks: cpu_map_generic_redirect() reports each packet */
	if (rate(e, n) <= BUSY_PER_S || bulk >= BULK_POOR ||
	    (BIT(e->tracepoint) & ENQUEUE && e->delta->events == n))
		return false;
	e->count = n;
	format_average(text, sizeof(text), bulk, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "bulks of %s packets on average, of at most %d: each poll of the receive queue "
		 "finds hardly more than one packet for this target",
		 text, tracepoints[e->tracepoint].bulk);
	return true;
}

/* Rows of one tracepoint and device, or cpumap, belong together. */
static bool is_same_row(const struct series *a, const struct series *b)
{
	if (a->tracepoint != b->tracepoint || a->overflow != b->overflow)
		return false;
	if (BIT(a->tracepoint) & ENQUEUE)
		return a->key.map_id == b->key.map_id;
	return a->key.netns == b->key.netns && a->key.ifindex == b->key.ifindex;
}

#define CPUS_MAX 8192 /* NR_CPUS of the largest configuration */

static bool is_skewed(struct evidence *e)
{
	const struct rates *r = e->rates;
	uint64_t all = 0, most = 0, on[CPUS_MAX] = { 0 };
	uint32_t busiest = 0;
	char share[16];

	if (r->to->cpus_online < SKEW_CPUS ||
	    rate(e, r->tp_events[e->tracepoint] * (tracepoints[e->tracepoint].bulk + 1)) <=
		    BUSY_PER_S)
		return false;
	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series *s = series_of(e, i);

		if (!delta_of(e, i)->events || !is_same_row(s, e->series))
			continue;
		/* it has been looked at with the first of them */
		if (i < e->index)
			return false;
		for (size_t k = 0; k < s->n_cpu; k++) {
			uint32_t cpu = r->to->cpu[s->cpu + k].cpu;
			struct series_counters delta, since;

			if (cpu >= CPUS_MAX)
				continue;
			rates_cpu(r, i, cpu, &delta, &since);
			on[cpu] += frames(s->tracepoint, &delta);
			all += frames(s->tracepoint, &delta);
			if (on[cpu] > most) {
				most = on[cpu];
				busiest = cpu;
			}
		}
	}
	if (rate(e, all) <= BUSY_PER_S || (double)most <= SKEW_SHARE * (double)all)
		return false;
	e->count = most;
	format_percent(share, sizeof(share), 100.0 * (double)most / (double)all);
	snprintf(e->what, sizeof(e->what),
		 "CPU %" PRIu32 " handles %s %% of the packets, of %" PRIu32 " CPUs: they are one "
		 "flow, or are steered into one receive queue",
		 busiest, share, r->to->cpus_online);
	return true;
}

static bool is_generic(struct evidence *e)
{
	const struct netdev *d = e->dev;

	/* gone or not: it was so when it was seen last */
	return d && (d->mode == NETDEV_GENERIC || (d->mode == NETDEV_MULTI && d->skb_prog_id &&
						   tracepoints[e->tracepoint].has & HAS_PROG &&
						   d->skb_prog_id == e->series->key.prog_id));
}

static bool says_event(struct evidence *e)
{
	const struct event *event = e->event;

	snprintf(e->what, sizeof(e->what), "%s[%" PRIu32 "] could not attach an XDP program: %s",
		 event->comm[0] ? event->comm : "a process", event->pid, event->text);
	return true;
}

static bool is_shed(struct evidence *e)
{
	const struct tp_count *tp = &e->rates->to->tp[e->tracepoint];

	snprintf(e->what, sizeof(e->what), "%s is not counted: %s", tp->name, tp->reason);
	return tp->state == TP_SHED;
}

static uint64_t grown(const struct evidence *e, size_t member)
{
	const char *to = (const char *)&e->rates->to->tp[e->tracepoint] + member;
	const char *from = (const char *)&e->rates->from->tp[e->tracepoint] + member;
	uint64_t now = *(const uint64_t *)to, before = *(const uint64_t *)from;

	return now > before ? now - before : 0;
}

static bool is_missed(struct evidence *e)
{
	e->count = grown(e, offsetof(struct tp_count, missed));
	snprintf(e->what, sizeof(e->what),
		 "%s: the kernel skipped xdptop's program, which ran on that CPU already: events "
		 "are "
		 "missing in the counts",
		 e->rates->to->tp[e->tracepoint].name);
	return e->count > 0;
}

static bool is_overflow(struct evidence *e)
{
	e->count = grown(e, offsetof(struct tp_count, overflow));
	snprintf(e->what, sizeof(e->what),
		 "%s: the table of series is full: events are counted, but not whose they are",
		 e->rates->to->tp[e->tracepoint].name);
	return e->count > 0;
}

#define XSK (LOCATION_DEVICE | LOCATION_TARGET | LOCATION_MAP | LOCATION_PROG)

/* clang-format would pull the table apart. */
/* clang-format off */
const struct rule rules[] = {
	{ "target-down", RULE_LOSS, REDIRECT, TO_DEVICE, -ENETDOWN, FLOW, NULL, NULL, NULL },
	{ "target-down", RULE_LOSS, XMIT, 0, -ENETDOWN, SENT, NULL, NULL, NULL },
	{ "frame-too-big", RULE_LOSS, REDIRECT, TO_DEVICE, -EMSGSIZE, FLOW, says_mtu,
	  "{dev} -> {to}: {what}", NULL },
	{ "target-cannot-receive", RULE_LOSS, REDIRECT, TO_DEVICE, -EOPNOTSUPP, FLOW, peer_lacks_xdp,
	  "{dev} -> {to}: a veth takes redirected frames only while its peer has an XDP program or GRO; "
	  "{peer} has neither",
	  "{in_peer}ethtool -K {peer} gro on\n"
	  "{ip_peer} -d link show dev {peer}\n"
	  "{in_peer}bpftool net" },
	{ "target-cannot-receive", RULE_LOSS, REDIRECT, TO_DEVICE, -EOPNOTSUPP, FLOW, lacks_xdp,
	  "{dev} -> {to}: the target never transmits XDP frames: its driver has no native XDP",
	  "{ip_to} -d link show dev {to}\n"
	  "bpftool prog show id {prog}" },
	{ "target-cannot-receive", RULE_LOSS, REDIRECT, TO_DEVICE, -EOPNOTSUPP, FLOW,
	  lacks_multi_buffer,
	  "{dev} -> {to}: the target transmits XDP frames of one buffer only: these have several, or it "
	  "has begun to transmit just now",
	  "{ip} link show dev {dev}\n"
	  "{ip_to} -d link show dev {to}" },
	{ "target-cannot-receive", RULE_LOSS, REDIRECT, TO_DEVICE, -EOPNOTSUPP, FLOW, NULL, NULL, NULL },
	{ "no-such-ifindex", RULE_LOSS, REDIRECT, THROUGH_IFINDEX, -EINVAL, PROGRAM, is_ifindex_zero,
	  "{dev}, {prog}: it redirects to ifindex 0: it ignored that bpf_redirect_map() failed, or up to "
	  "Linux 5.10 called no helper",
	  "bpftool prog dump xlated id {prog}" },
	/* one finding, not one for each ifindex that a program makes up */
	{ "no-such-ifindex", RULE_LOSS, REDIRECT, THROUGH_IFINDEX, -EINVAL, PROGRAM, NULL,
	  "{dev}, {prog}: it redirects to {to}, which is not in the network namespace of the device",
	  NULL },
	{ "no-redirect-helper", RULE_LOSS, REDIRECT, THROUGH_NOTHING, -EBADRQC, PROGRAM, NULL, NULL,
	  NULL },
	{ "no-redirect-helper", RULE_LOSS, REDIRECT, THROUGH_NOTHING, -EINVAL, PROGRAM, NULL, NULL,
	  NULL },
	{ "xsk-ring-full", RULE_LOSS, REDIRECT, THROUGH_XSKMAP, -ENOBUFS, XSK, NULL, NULL, NULL },
	{ "xsk-fill-empty", RULE_LOSS, REDIRECT, THROUGH_XSKMAP, -ENOMEM, XSK, NULL, NULL, NULL },
	{ "xsk-unbound", RULE_LOSS, REDIRECT, THROUGH_XSKMAP, -ENXIO, XSK, NULL, NULL, NULL },
	{ "xsk-wrong-queue", RULE_LOSS, REDIRECT, THROUGH_XSKMAP, -EINVAL, XSK, NULL, NULL, NULL },
	{ "xsk-no-space", RULE_LOSS, REDIRECT, THROUGH_XSKMAP, -ENOSPC, XSK, NULL, NULL, NULL },
	/* generic mode reports it twice; the other time without the device (ENQUEUE below) */
	{ "cpumap-queue-full", RULE_LOSS, REDIRECT, THROUGH_CPUMAP, -ENOSPC, CPUMAP, NULL, NULL, NULL },
	{ "redirect-failed", RULE_LOSS, REDIRECT, 0, RULE_ERRNO, FLOW, says_errno,
	  "{dev} -> {to}: {what}", NULL },

	{ "aborted", RULE_LOSS, EXCEPTION, 0, ABORTED, PROGRAM, NULL, NULL, NULL },
	{ "bad-return-value", RULE_LOSS, EXCEPTION, 0, CAUSE_BAD_ACT, PROGRAM, says_value,
	  "{dev}, {prog}: {what}", NULL },
	{ "tx-failed", RULE_LOSS, EXCEPTION, 0, TX, PROGRAM, NULL, NULL, NULL },
	{ "redirect-failed", RULE_LOSS, EXCEPTION, 0, REDIRECTED, PROGRAM, is_no_echo,
	  "{dev}, {prog}: {what}", NULL },
	{ "tx-failed", RULE_LOSS, BULK_TX, 0, -ENXIO, LOCATION_DEVICE, own_peer_is_down,
	  "{dev}: what XDP_TX sends back is lost: {peer}, the veth's other end, is down",
	  "{ip_peer} link set dev {peer} up\n"
	  "{ip_peer} -d link show dev {peer}" },
	{ "tx-failed", RULE_LOSS, BULK_TX, 0, -ENXIO, LOCATION_DEVICE, NULL,
	  "{dev}: what XDP_TX sends back is lost: {peer}, the veth's other end, cannot receive XDP frames: "
	  "it has neither an XDP program nor GRO, or is down",
	  "{in_peer}ethtool -K {peer} gro on\n"
	  "{ip_peer} -d link show dev {peer}\n"
	  "{ip} -d link show dev {dev}" },
	{ "tx-failed", RULE_LOSS, BULK_TX, 0, 0, LOCATION_DEVICE, NULL,
	  "{dev}: what XDP_TX sends back is lost: the ring of {peer}, the veth's other end, was full, or "
	  "the frame longer than its MTU", NULL },
	{ "tx-failed", RULE_LOSS, BULK_TX, 0, RULE_ANY, LOCATION_DEVICE, NULL, NULL, NULL },

	{ "target-ring-full", RULE_LOSS, XMIT, 0, 0, SENT, is_veth_ring,
	  "{dev} -> {to}: frames are dropped without an errno: the ring of its peer {peer} is full or "
	  "its MTU too small, or a devmap program drops them",
	  "{ip_to} -d link show dev {to}\n"
	  "{ip_peer} -d link show dev {peer}\n"
	  "{in_to}ethtool -S {to}" },
	{ "target-ring-full", RULE_LOSS, XMIT, 0, 0, SENT, is_ring_or_program, NULL, NULL },
	{ "target-ring-full", RULE_LOSS, XMIT, 0, -EIO, SENT, NULL, NULL, NULL },
	{ "target-ring-full", RULE_LOSS, XMIT, 0, -ENOSPC, SENT, NULL, NULL, NULL },
	{ "target-not-ready", RULE_LOSS, XMIT, 0, -ENXIO, SENT, peer_is_down,
	  "{dev} -> {to}: the veth's peer {peer} is down",
	  "{ip_peer} link set dev {peer} up\n"
	  "{ip_peer} -d link show dev {peer}" },
	{ "target-not-ready", RULE_LOSS, XMIT, 0, -ENXIO, SENT, target_is_veth,
	  "{dev} -> {to}: the veth's peer {peer} does not poll for XDP frames: it is down, or has "
	  "neither an XDP program nor GRO",
	  "{ip_peer} -d link show dev {peer}\n"
	  "{in_peer}ethtool -K {peer} gro on" },
	{ "target-not-ready", RULE_LOSS, XMIT, 0, RULE_ERRNO, SENT, says_errno,
	  "{dev} -> {to}: {what}", NULL },

	{ "cpumap-cpu-busy", RULE_LOSS, ENQUEUE, 0, 0, CPUMAP, is_cpu_busy,
	  "{map} -> {to}: its queue is full, and its cpumap thread hardly ever sleeps: that CPU has no "
	  "time left for more packets",
	  "bpftool map dump id {map}\n"
	  "ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head" },
	{ "cpumap-queue-full", RULE_LOSS, ENQUEUE, 0, 0, CPUMAP, NULL, NULL, NULL },
	{ "cpumap-no-memory", RULE_LOSS, KTHREAD, 0, 0, CPUMAP, NULL, NULL, NULL },

	{ "poor-bulking", RULE_SERIES, XMIT | ENQUEUE, 0, RULE_ANY, SENT | LOCATION_MAP, is_poor_bulk,
	  "{dev} -> {to}: {what}",
	  "{in}ethtool -c {dev}\n"
	  "{in}ethtool -l {dev}" },
	{ "cpu-skew", RULE_SERIES, ON_DEVICE | XMIT, 0, RULE_ANY, LOCATION_DEVICE, is_skewed,
	  "{dev}: {what}",
	  "{in}ethtool -l {dev}\n"
	  "{in}ethtool -x {dev}\n"
	  "grep -F -e {dev} /proc/interrupts" },
	{ "cpu-skew", RULE_SERIES, ENQUEUE, 0, RULE_ANY, LOCATION_MAP, is_skewed,
	  "{map}: {what}", "bpftool map dump id {map}\ncat /proc/interrupts" },
	{ "generic-mode", RULE_SERIES, ON_DEVICE, 0, RULE_ANY, LOCATION_DEVICE, is_generic,
	  "{dev}: XDP runs in generic (skb) mode: every packet costs an skb, and xdp_devmap_xmit does not "
	  "fire for what is redirected",
	  "{ip} -d link show dev {dev}\n"
	  "{in}ethtool -i {dev}" },

	{ "attach-failed", RULE_EVENT, ATTACH, 0, RULE_ANY, LOCATION_DEVICE | LOCATION_PROCESS, says_event,
	  "{what}", "{ip} -d link show\n{in}bpftool net\ndmesg | tail" },
	{ "shed", RULE_TRACEPOINT, EVERY, 0, RULE_ANY, LOCATION_TRACEPOINT, is_shed, "{what}", NULL },
	{ "missed", RULE_TRACEPOINT, EVERY, 0, RULE_ANY, LOCATION_TRACEPOINT, is_missed, "{what}", NULL },
	{ "overflow", RULE_TRACEPOINT, EVERY, 0, RULE_ANY, LOCATION_TRACEPOINT, is_overflow, "{what}",
	  NULL },
};
/* clang-format on */

const size_t n_rules = sizeof(rules) / sizeof(rules[0]);
