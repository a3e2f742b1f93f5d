// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about packet handling, refused attaches, and CPUs. */
#include "base/sanitize.h"
#include "diagnose/attach_cause.h"
#include "diagnose/driver.h"
#include "diagnose/verdict_past.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "source/maps.h"
#include "source/softnet.h"

/*
 * Minimum packets per second: for a CPU, to judge bulking (at this rate a poll that is 10 us late
 * finds more than one packet), and for a device, to judge spreading.
 */
#define BULK_PER_S 100000
#define BUSY_PER_S 10000
#define BULK_POOR  2.0
/* Share of one CPU that is too much, and the minimum number of CPUs to spread over. */
#define SKEW_SHARE 0.8
#define SKEW_CPUS  4
#define CPUS_MAX   8192 /* NR_CPUS of the largest configuration */

/* Tracepoints with the device on which XDP runs. */
#define AT_DEVICE (AT_EXCEPTION | AT_REDIRECT_ERR | AT_REDIRECT | AT_BULK_TX)

static double rate(const struct evidence *e, uint64_t count)
{
	return per_second(count, e->rates->tp_seconds[e->tracepoint]);
}

/* Packets that the events of this series handled, including lost ones. */
static uint64_t frames(uint32_t tracepoint, const struct series_counters *c)
{
	return tracepoints[tracepoint].offered ? tracepoints[tracepoint].offered(c) : c->events;
}

static bool flushes_each(const struct netdev *d)
{
	const struct driver *driver = driver_of(d);

	return driver && driver->reports & DRIVER_FLUSHES_EACH;
}

static uint64_t runs_and_flushes(const void *row, unsigned int i)
{
	return ((const struct netdev *)row)->prog_id && flushes_each(row) ? true : ROW_NO_NUMBER;
}

static const struct row_key flushing_netdevs = { DATA_SOURCE_NETDEVS, 1,
						 .number = runs_and_flushes };

/* The driver flushes each packet. A cpumap's events have no device, so any device counts. */
static bool is_flushed_each(const struct evidence *e)
{
	if (BIT(e->tracepoint) & AT_ENQUEUE)
		return row_walk_first(e->rates, e->rates->to, &flushing_netdevs, true);
	return flushes_each(e->dev);
}

/* Finds a busy CPU with small bulks. On idle CPUs bulks are small anyway. */
static bool is_poor_bulk(struct evidence *e)
{
	const struct rates *r = e->rates;
	const struct series *s = e->series;

	for (size_t k = 0; k < s->n_cpu; k++) {
		uint32_t cpu = r->to->cpu[s->cpu + k].cpu;
		struct series_counters delta, since;
		char text[24];
		uint64_t n;

		rates_cpu(r, (size_t)(s - r->to->series), cpu, &delta, &since);
		n = frames(e->tracepoint, &delta);
		/*
		 * generic mode has no bulks, because cpu_map_generic_redirect() reports each packet
		 */
		if (rate(e, n) < BULK_PER_S || (double)n >= BULK_POOR * (double)delta.events ||
		    (BIT(e->tracepoint) & AT_ENQUEUE && delta.events == n) || is_flushed_each(e))
			continue;
		e->count = n;
		format_average(text, sizeof(text), (double)n / (double)delta.events, NUMBER_SI);
		snprintf(e->what, sizeof(e->what),
			 "bulks have %s packets on average (maximum %d) on CPU %u: each poll of "
			 "the receive queue finds hardly more than one packet for this target",
			 text, tracepoints[e->tracepoint].bulk, cpu);
		return true;
	}
	return false;
}

/* All packets of the device's program are known, with their queues. The row has some of them. */
static bool has_verdicts(const struct evidence *e)
{
	return BIT(e->tracepoint) & AT_DEVICE && e->dev &&
	       netdev_runs(e->dev, e->series->key.prog_id) &&
	       verdicts_known_since(e->rates->to, e->rates->from, e->series->key.prog_id);
}

static bool is_skewed(struct evidence *e)
{
	const struct rates *r = e->rates;
	uint64_t all = 0, most = 0, *on;
	uint32_t busiest = 0;
	char share[16];

	if (r->to->cpus_online < SKEW_CPUS || has_verdicts(e))
		return false;
	for (size_t i = 0; i < e->n_row; i++)
		all += frames(e->tracepoint, &r->delta[e->row[i] - r->to->series]);
	if (rate(e, all) <= BUSY_PER_S)
		return false;
	/* not on the stack, which a user can limit */
	on = memory_new(CPUS_MAX, sizeof(*on));
	for (size_t i = 0; i < e->n_row; i++) {
		const struct series *s = e->row[i];

		for (size_t k = 0; k < s->n_cpu; k++) {
			uint32_t cpu = r->to->cpu[s->cpu + k].cpu;
			struct series_counters delta, since;

			if (cpu >= CPUS_MAX)
				continue;
			rates_cpu(r, (size_t)(s - r->to->series), cpu, &delta, &since);
			on[cpu] += frames(s->tracepoint, &delta);
			if (on[cpu] > most) {
				most = on[cpu];
				busiest = cpu;
			}
		}
	}
	free(on);
	if ((double)most <= SKEW_SHARE * (double)all)
		return false;
	e->count = most;
	format_percent(share, sizeof(share), 100.0 * (double)most / (double)all);
	snprintf(e->what, sizeof(e->what),
		 "CPU %u handles %s %% of the packets (%u CPUs in all): they are one flow, come in "
		 "on one receive queue, or the queues' interrupts share that CPU",
		 busiest, share, r->to->cpus_online);
	return true;
}

static bool any(const struct verdict_past *p)
{
	return verdict_total(p->act).packets;
}

/* The number of queues that a CPU serves, and the packets of the fullest one. */
struct served {
	uint32_t n, queue;
	uint64_t most;
};

static struct served serves(const struct evidence *e, uint32_t cpu)
{
	struct served s = { 0 };
	const struct verdict *row;
	struct verdict_walk w;
	uint64_t packets = 0;
	uint32_t queue = VERDICT_QUEUE_UNKNOWN;

	verdict_walk_device(&w, e->rates, e->program->prog_id, e->dev->netns, e->dev->ifindex);
	while ((row = verdict_walk_next(&w))) {
		if (row->cpu != cpu || !w.delta.packets)
			continue;
		packets = row->queue == queue ? packets + w.delta.packets : w.delta.packets;
		s.n += row->queue != queue;
		queue = row->queue;
		if (packets > s.most) {
			s.most = packets;
			s.queue = queue;
		}
	}
	return s;
}

/* As is_skewed(), but of all packets, and with the CPU's receive queues. */
static bool is_skewed_by_queues(struct evidence *e)
{
	uint64_t all, most = 0, *on;
	const struct verdict_past *p;
	const struct verdict *row;
	struct verdict_walk w;
	uint32_t busiest = 0, channels;
	struct served s;
	char share[16], of[24] = "";

	if (e->rates->to->cpus_online < SKEW_CPUS)
		return false;
	p = verdict_evidence(e, any);
	all = p ? verdict_total(p->act).packets : 0;
	if (per_second((double)all, e->rates->seconds) <= BUSY_PER_S)
		return false;
	on = memory_new(CPUS_MAX, sizeof(*on));
	verdict_walk_device(&w, e->rates, p->prog_id, p->netns, p->ifindex);
	while ((row = verdict_walk_next(&w))) {
		if (row->cpu >= CPUS_MAX)
			continue;
		on[row->cpu] += w.delta.packets;
		if (on[row->cpu] > most) {
			most = on[row->cpu];
			busiest = row->cpu;
		}
	}
	free(on);
	if ((double)most <= SKEW_SHARE * (double)all)
		return false;
	e->count = most;
	s = serves(e, busiest);
	if (netdev_setting(e->dev, NETDEV_CHANNELS, &channels))
		snprintf(of, sizeof(of), " of %u", channels);
	format_percent(share, sizeof(share), 100.0 * (double)most / (double)all);
	if ((double)s.most > SKEW_SHARE * (double)most)
		snprintf(e->what, sizeof(e->what),
			 "CPU %u handles %s %% of the packets (%u CPUs in all). They come in on "
			 "receive queue %u%s, because they belong to a few flows or the hash does "
			 "not spread them",
			 busiest, share, e->rates->to->cpus_online, s.queue, of);
	else
		snprintf(e->what, sizeof(e->what),
			 "CPU %u handles %s %% of the packets (%u CPUs in all): they come in on %u "
			 "receive queues%s, and that CPU serves all of these",
			 busiest, share, e->rates->to->cpus_online, s.n, of);
	return true;
}

static bool is_generic(struct evidence *e)
{
	const struct netdev *d = e->dev;

	/* a deleted device keeps its last state */
	return d && (d->mode == NETDEV_GENERIC ||
		     (d->mode == NETDEV_MULTI && d->skb_prog_id && e->series &&
		      tracepoints[e->tracepoint].has & HAS_PROG &&
		      d->skb_prog_id == e->series->key.prog_id));
}

/*
 * Its driver or feature flags have no native mode. A driver in driver_table.c always has one. With
 * a leased queue (7.1) a netkit has the flags but takes no program: netkit.c, netkit_xsk().
 */
static bool has_no_native(const struct netdev *d)
{
	if (driver_of(d))
		return false;
	if (!strcmp(d->kind, "netkit"))
		return true;
	return d->has_features ? !(d->features & NETDEV_XDP_BASIC) : *netdev_driver(d);
}

WHEN(is_generic_by_choice, is_generic(e) && !has_no_native(e->dev))

static bool is_generic_by_need(struct evidence *e)
{
	e->severity = FINDING_INFO;
	return is_generic(e) && has_no_native(e->dev);
}

/* The device's program has maps to redirect through, but xdp_redirect is off. */
static bool redirects_unseen(struct evidence *e)
{
	const struct map_entry *map[MAPS_OF_PROGRAM];
	const struct netdev *before = e->dev ? evidence_device_before(e) : NULL;

	return before && rates_uncounted(e->rates, TP_XDP_REDIRECT) &&
	       netdev_grew(before, e->dev, NETDEV_RX_PACKETS, &e->count) && e->count &&
	       maps_of_program(e->rates, netdev_program(e->dev), map) > 0;
}

WHEN(is_unseen_by_choice, is_generic_by_choice(e) && redirects_unseen(e))

WHEN(is_unseen_by_need, is_generic_by_need(e) && redirects_unseen(e))

/* Loaders try native mode first. If the device has a generic program since, that is settled. */
static bool is_generic_instead(const struct finding *f, const struct rates *r)
{
	const struct netdev *d = snapshot_netdevs(r->to);
	uint32_t ifindex = f->location.dev.ifindex; /* 0 = any device in the namespace */

	for (size_t i = 0; r->from && i < snapshot_n_netdevs(r->to); i++, d++) {
		const struct netdev *was = snapshot_find_netdev(r->from, d->netns, d->ifindex);

		if (d->netns == f->location.dev.netns && (!ifindex || d->ifindex == ifindex) &&
		    !d->gone && d->skb_prog_id && (!was || was->skb_prog_id != d->skb_prog_id))
			return true;
	}
	return false;
}

/* "; fw (id 12) is attached (owner: loader[812])", or "" */
static void say_attached(const struct event *e, const struct snapshot *s, char *buf, size_t size)
{
	const struct netdev *d = snapshot_find_netdev(s, e->key.netns, e->key.ifindex);
	uint32_t id = d ? netdev_program(d) : 0;
	const struct program *p = program_find(s, id);
	char owner[96];

	buf[0] = '\0';
	if (p)
		snprintf(buf, size, "; %s (id %u) is attached (owner: %s)", p->prog_name, id,
			 program_owner(p, owner, sizeof(owner)) ?: "unknown");
}

static bool says_event(struct evidence *e)
{
	const struct event *event = e->event;
	const struct cause *cause = attach_cause(event);
	bool unknown = event->tracepoint == TP_NETLINK_EXTACK && !event->key.ifindex;
	char attached[200] = "";

	if (attach_is_taken(event))
		return false;
	if (cause && cause->code == -EBUSY)
		say_attached(event, e->rates->to, attached, sizeof(attached));
	sanitize_format(e->what, sizeof(e->what),
			"%s[%u] could not attach an XDP program%s: %s%s%s%s",
			event->comm[0] ? event->comm : "a process", event->pid,
			unknown ? " to an unknown device" : "", event->text, cause ? ": " : "",
			cause ? cause->meaning : "", attached);
	return true;
}

static bool is_overrun(struct evidence *e)
{
	uint64_t dropped = e->cpu->dropped, before = e->cpu_before->dropped;

	e->count = dropped - before;
	e->lost_per_s = per_second((double)e->count, e->rates->seconds);
	snprintf(e->what, sizeof(e->what),
		 "its backlog is full: skbs are lost before generic XDP and the stack see them%s",
		 e->cpu->time_squeeze > e->cpu_before->time_squeeze
			 ? "; its softirq also stops before all work is done (time_squeeze)"
			 : "");
	return dropped > before;
}

#define SKEW_COMMANDS            \
	"{in}ethtool -l {dev}\n" \
	"{in}ethtool -x {dev}\n" \
	"grep -F -e {dev} /proc/interrupts"

/* clang-format off */
static const struct finding_code codes[] = {
	{ "poor-bulking", FINDING_INFO,
	  "a CPU redirects 100,000 packets a second or more in bulks of fewer than 2 on average",
	  { .text = "let one poll collect more packets: use interrupt coalescing (ethtool -C), "
		    "fewer receive queues (ethtool -L), or fewer targets for the packets of one "
		    "poll" },
	  RULES({ RULE_SERIES, AT_XMIT | AT_ENQUEUE, .code = RULE_ANY,
		  .per = PER_DEVICE | PER_TARGET | PER_MAP, .when = is_poor_bulk,
		  .remedy.commands = "{in}ethtool -c {dev}\n"
				     "{in}ethtool -l {dev}" }) },
	{ "cpu-skew", FINDING_INFO,
	  "a single CPU, of 4 or more, handles over 80 % of the packets of a device or cpumap",
	  { .text = "use more receive queues (ethtool -L), another hash (ethtool -N, -X), "
		    "interrupts on other CPUs (smp_affinity), or a cpumap to spread the flows; a "
		    "single flow stays on one CPU" },
	  RULES({ RULE_ROW, AT_DEVICE | AT_XMIT, .code = RULE_ANY, .per = PER_DEVICE,
		  .when = is_skewed, .remedy.commands = SKEW_COMMANDS },
		{ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE, .when = is_skewed_by_queues,
		  .remedy.commands = SKEW_COMMANDS },
		{ RULE_ROW, AT_ENQUEUE, .code = RULE_ANY, .per = PER_MAP,
		  .when = is_skewed,
		  .remedy.commands = "bpftool map dump id {map}\n"
				     "cat /proc/interrupts" }) },
	{ "generic-mode", FINDING_WARNING,
	  "a device with events runs XDP in generic mode, where each packet costs an skb. The "
	  "severity is info if the driver has no native mode",
	  { .text = "attach the program in native mode (ip link set dev DEVICE xdpdrv ...). If the "
		    "driver refuses, fewer queues, a lower MTU, or a newer kernel may help, and "
		    "its message says why" },
	  RULES({ RULE_SERIES, AT_DEVICE, .code = RULE_ANY, .per = PER_DEVICE,
		  .when = is_generic_by_need,
		  .text = "XDP runs in generic (skb) mode, the only mode of its driver: every "
			  "packet costs an skb, and xdp_devmap_xmit does not fire for redirected "
			  "packets",
		  .remedy = { "nothing, unless a device with native XDP can replace this one",
			      "{ip} -d link show dev {dev}\n"
			      "{in}ethtool -i {dev}" } },
		{ RULE_SERIES, AT_DEVICE, .code = RULE_ANY, .per = PER_DEVICE,
		  .when = is_generic_by_choice,
		  .text = "XDP runs in generic (skb) mode: every packet costs an skb, and "
			  "xdp_devmap_xmit does not fire for redirected packets",
		  .remedy.commands = "{ip} -d link show dev {dev}\n"
				     "{in}ethtool -i {dev}" },
		{ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE,
		  .when = is_unseen_by_need,
		  .text = "XDP runs in generic (skb) mode, the only mode of its driver: every "
			  "packet costs an skb, and xdp_devmap_xmit does not fire for redirected "
			  "packets",
		  .remedy = { "nothing, unless a device with native XDP can replace this one",
			      "{ip} -d link show dev {dev}\n"
			      "{in}ethtool -i {dev}" } },
		{ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE,
		  .when = is_unseen_by_choice,
		  .text = "XDP runs in generic (skb) mode: every packet costs an skb, and "
			  "xdp_devmap_xmit does not fire for redirected packets",
		  .remedy.commands = "{ip} -d link show dev {dev}\n"
				     "{in}ethtool -i {dev}" }) },
	{ "attach-failed", FINDING_WARNING,
	  "a process could not attach an XDP program. The severity is info if the device, or if "
	  "unknown any device in its namespace, has since run a program in generic mode", { 0 },
	  RULES({ RULE_EVENT, AT_ATTACH, .code = RULE_ANY, .per = PER_DEVICE | PER_REFUSAL,
		  .is_event = true, .when = says_event, .settled = is_generic_instead }) },
	{ "cpu-overrun", FINDING_CRITICAL,
	  "a CPU's backlog of received skbs is full (softnet_stat dropped)",
	  { .text = "spread the skbs over more CPUs (ethtool -X, or RPS). If only bursts are "
		    "dropped, raise net.core.netdev_max_backlog. XDP in native mode does not use "
		    "the backlog",
	    .commands = "cat /proc/net/softnet_stat\n"
			"ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head\n"
			"sysctl net.core.netdev_max_backlog" },
	  RULES({ RULE_CPU, .code = RULE_ANY, .per = PER_TARGET, .when = is_overrun }) },
};
/* clang-format on */

const struct finding_group traffic_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
