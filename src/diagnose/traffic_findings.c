// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about how packets are handled, about programs that are not attached, and about CPUs. */
#include "base/sanitize.h"
#include "diagnose/finding_code.h"

#include <stdio.h>
#include "base/format.h"
#include "source/softnet.h"

/* Least packets per second to judge bulking and spreading. */
#define BUSY_PER_S 10000
#define BULK_POOR  2.0
/* Share of one CPU that is too much, and the least CPUs to spread over. */
#define SKEW_SHARE 0.8
#define SKEW_CPUS  4
#define CPUS_MAX   8192 /* NR_CPUS of the largest configuration */

/* Tracepoints that have the device on which XDP runs. */
#define AT_DEVICE (AT_EXCEPTION | AT_REDIRECT_ERR | AT_REDIRECT | AT_BULK_TX)

static double rate(const struct evidence *e, uint64_t count)
{
	return per_second(count, e->rates->tp_seconds[e->tracepoint]);
}

/* Packets that the events of this series handled, lost ones included. */
static uint64_t frames(uint32_t tracepoint, const struct series_counters *c)
{
	return tracepoints[tracepoint].offered ? tracepoints[tracepoint].offered(c) : c->events;
}

static bool is_poor_bulk(struct evidence *e)
{
	uint64_t n = frames(e->tracepoint, e->delta);
	double bulk = e->delta->events ? (double)n / (double)e->delta->events : 0;
	char text[24];

	/* generic cpumap has no bulking: cpu_map_generic_redirect() reports each packet */
	if (rate(e, n) <= BUSY_PER_S || bulk >= BULK_POOR ||
	    (1u << e->tracepoint & AT_ENQUEUE && e->delta->events == n))
		return false;
	e->count = n;
	format_average(text, sizeof(text), bulk, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "bulks of %s packets on average, of at most %d: each poll of the receive queue "
		 "finds hardly more than one packet for this target",
		 text, tracepoints[e->tracepoint].bulk);
	return true;
}

/* One row: a tracepoint's series of one device, or of one cpumap. */
static bool is_same_row(const struct series *a, const struct series *b)
{
	if (a->tracepoint != b->tracepoint || a->overflow != b->overflow)
		return false;
	if (1u << a->tracepoint & AT_ENQUEUE)
		return a->key.map_id == b->key.map_id;
	return a->key.netns == b->key.netns && a->key.ifindex == b->key.ifindex;
}

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
		const struct series *s = &r->to->series[i];

		if (!r->delta[i].events || !is_same_row(s, e->series))
			continue;
		/* the row was judged at its first series */
		if (s < e->series)
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
		 "CPU %u handles %s %% of the packets, of %u CPUs: they are one flow, or are "
		 "steered into one receive queue",
		 busiest, share, r->to->cpus_online);
	return true;
}

static bool is_generic(struct evidence *e)
{
	const struct netdev *d = e->dev;

	/* a deleted device keeps its last state */
	return d && (d->mode == NETDEV_GENERIC || (d->mode == NETDEV_MULTI && d->skb_prog_id &&
						   tracepoints[e->tracepoint].has & HAS_PROG &&
						   d->skb_prog_id == e->series->key.prog_id));
}

static bool says_event(struct evidence *e)
{
	const struct event *event = e->event;

	sanitize_format(e->what, sizeof(e->what), "%s[%u] could not attach an XDP program: %s",
			event->comm[0] ? event->comm : "a process", event->pid, event->text);
	return true;
}

static bool is_overrun(struct evidence *e)
{
	uint64_t dropped = e->cpu->dropped, before = e->cpu_before->dropped;

	e->count = dropped - before;
	snprintf(e->what, sizeof(e->what),
		 "its backlog is full: skbs are lost before generic XDP and the stack see them%s",
		 e->cpu->time_squeeze > e->cpu_before->time_squeeze
			 ? "; its softirq also stops with work left (time_squeeze)"
			 : "");
	return dropped > before;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "poor-bulking", FINDING_INFO,
	  "more than 10,000 packets a second in bulks of fewer than 2 on average",
	  { .text = "let more packets come together in one poll: interrupt coalescing (ethtool -C), "
		    "fewer receive queues (ethtool -L), or fewer targets for the packets of one poll" },
	  RULES({ RULE_SERIES, AT_XMIT | AT_ENQUEUE, .code = RULE_ANY,
		  .per = PER_DEVICE | PER_TARGET | PER_MAP, .when = is_poor_bulk,
		  .remedy.commands = "{in}ethtool -c {dev}\n"
				     "{in}ethtool -l {dev}" }) },
	{ "cpu-skew", FINDING_INFO,
	  "of 4 or more CPUs one takes over 80 % of what a device or cpumap handles",
	  { .text = "spread the flows: more receive queues (ethtool -L), another hash (ethtool -N, "
		    "-X), or a cpumap; a single flow stays on one CPU" },
	  RULES({ RULE_SERIES, AT_DEVICE | AT_XMIT, .code = RULE_ANY, .per = PER_DEVICE,
		  .when = is_skewed,
		  .remedy.commands = "{in}ethtool -l {dev}\n"
				     "{in}ethtool -x {dev}\n"
				     "grep -F -e {dev} /proc/interrupts" },
		{ RULE_SERIES, AT_ENQUEUE, .code = RULE_ANY, .per = PER_MAP,
		  .when = is_skewed,
		  .remedy.commands = "bpftool map dump id {map}\n"
				     "cat /proc/interrupts" }) },
	{ "generic-mode", FINDING_WARNING,
	  "a device with events runs XDP in generic mode: each packet costs an skb",
	  { .text = "attach the program in native mode (ip link set dev DEVICE xdpdrv ...); when the "
		    "driver refuses, its message says why: fewer queues, a lower MTU, or a newer "
		    "kernel may help" },
	  RULES({ RULE_SERIES, AT_DEVICE, .code = RULE_ANY, .per = PER_DEVICE, .when = is_generic,
		  .text = "XDP runs in generic (skb) mode: every packet costs an skb, and "
			  "xdp_devmap_xmit does not fire for what is redirected",
		  .remedy.commands = "{ip} -d link show dev {dev}\n"
				     "{in}ethtool -i {dev}" }) },
	{ "attach-failed", FINDING_WARNING, "a process could not attach an XDP program", { 0 },
	  RULES({ RULE_EVENT, AT_ATTACH, .code = RULE_ANY, .per = PER_DEVICE | PER_PROCESS,
		  .when = says_event,
		  .remedy.commands = "{ip} -d link show\n"
				     "{in}bpftool net\n"
				     "dmesg | tail" }) },
	{ "cpu-overrun", FINDING_CRITICAL,
	  "a CPU's backlog of received skbs is full (softnet_stat dropped)",
	  { .text = "the CPU gets more skbs than it handles: spread them (RSS: ethtool -X, or RPS), "
		    "take work from it (who runs there?), or, against bursts, raise "
		    "net.core.netdev_max_backlog; XDP in native mode does not pass the backlog",
	    .commands = "cat /proc/net/softnet_stat\n"
			"ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head\n"
			"sysctl net.core.netdev_max_backlog" },
	  RULES({ RULE_CPU, .code = RULE_ANY, .per = PER_TARGET, .when = is_overrun }) },
};
/* clang-format on */

const struct finding_group traffic_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
