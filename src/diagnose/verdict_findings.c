// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about what programs return, if that is counted (--verdicts). */
#include "diagnose/device_past.h"
#include "diagnose/device_path.h"
#include "diagnose/driver.h"
#include "diagnose/verdict_past.h"

#include <linux/bpf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "model/packet_header.h"
#include "source/packet_kinds.h"

#define PROGRAM (PER_DEVICE | PER_PROG)
/*
 * Dropped packets: the share of the incoming ones, and their number per second. Every firewall
 * drops scans and the like, which are a small part of the packets. On a quiet device they, and
 * broadcasts, can be most of them.
 */
#define DROPS_SHARE 0.1
#define DROPS_PER_S 100

static bool drops_all(const struct verdict_past *p)
{
	/* the finding `aborted` is for XDP_ABORTED alone, verdict-unknown for bad values */
	return p->dropped.holds && p->dropped.last_drop.packets;
}

/* Adds the part of a dispatcher that returned this action most on the device in the interval. */
static void add_part(struct evidence *e, uint32_t act, struct format_text *t)
{
	const struct program *part, *most = NULL;
	uint64_t n, n_most = 0;

	for_each_row (part, e->rates, e->rates->to, &parts_by_program, e->program->prog_id) {
		const struct verdict *row;
		struct verdict_walk w;

		verdict_walk_device(&w, e->rates, part->prog_id, e->dev->netns, e->dev->ifindex);
		for (n = 0; (row = verdict_walk_next(&w));)
			n += row->act == act ? w.delta.packets : 0;
		most = n > n_most ? part : most;
		n_most = n > n_most ? n : n_most;
	}
	if (!most)
		return;
	e->part_id = most->prog_id;
	format_add(t, "; its part %s (id %u) returns %s", most->prog_name, most->prog_id,
		   act == XDP_DROP ? "XDP_DROP" : "such a value");
}

/* The evidence is a whole window. If the window ends with this interval, its earlier packets count
 * too. */
static void set_window(struct evidence *e, const struct verdict_window *w)
{
	e->since_ns = w->last_since_ns;
	e->first_ns = w->last_first_ns;
	e->count_before = w->intervals ? 0 : w->last.packets - e->count;
}

static bool is_blackhole(struct evidence *e)
{
	const struct verdict_past *p = verdict_evidence(e, drops_all);
	const struct verdict_window *w = p ? &p->dropped : NULL;
	char packets[16], bytes[16], share[16];
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };

	if (!p)
		return false;
	if (!e->program->parts)
		e->number = e->program->link_id;
	e->count = verdict_total(p->act).packets;
	set_window(e, w);
	e->lost_per_s = per_second((double)e->count, e->rates->seconds);
	format_rate(packets, sizeof(packets), per_second((double)w->last.packets, w->seconds),
		    NUMBER_SI);
	format_rate(bytes, sizeof(bytes), per_second((double)w->last.bytes, w->seconds), NUMBER_SI);
	format_add(&t,
		   "it drops every packet: %s a second, %s bytes, for %.0f s or longer; no other "
		   "packets came in",
		   packets, bytes, w->seconds);
	if (w->last_drop.packets < w->last.packets) {
		format_percent(share, sizeof(share),
			       100.0 * (double)w->last_drop.packets / (double)w->last.packets);
		format_add(&t,
			   "; %s %% with XDP_DROP, the others with XDP_ABORTED or an invalid "
			   "action",
			   share);
	}
	add_part(e, XDP_DROP, &t);
	return true;
}

static bool is_unseen(const struct verdict_past *p)
{
	return p->unseen.holds;
}

/* Packets per second with XDP_DROP, and incoming ones. */
struct drops {
	double per_s, in_per_s;
	const char *act;
};

/*
 * Drops that the driver counted between its last two readings, without failures that have findings.
 * These failures may be counted in another interval, so the drops must outnumber them. The drops
 * must grow in two readings, because packets may come between the readings of both counters.
 */
static bool driver_drops(struct evidence *e, struct drops *drops)
{
	const struct device_past *p = e->past;
	const struct driver *driver = driver_of(e->dev);
	unsigned int counts = driver ? driver->reports : 0;
	uint64_t grown, received;
	double per_s, seconds;

	if (counts & DRIVER_RX_LESS ||
	    !device_past_grows(p, e->dev, NETDEV_XDP_DROP, &grown, &per_s) ||
	    grown <= 2 * p->failed ||
	    /* the previous program may have dropped them */
	    (p->programs_ns && p->programs_ns >= p->read_before_ns))
		return false;
	e->since_ns = e->first_ns = p->read_before_ns;
	received = p->received;
	if (counts & DRIVER_RX_PASSED)
		received += grown + p->grown[NETDEV_XDP_TX - NETDEV_DRIVER_COUNT] +
			    p->grown[NETDEV_XDP_REDIRECTED - NETDEV_DRIVER_COUNT];
	if (received < grown)
		return false;
	seconds = (double)grown / per_s;
	drops->per_s = (double)(grown - p->failed) / seconds;
	drops->in_per_s = (double)received / seconds;
	if (counts & DRIVER_DROP_ABORTED && !(e->rates->tp_seconds[TP_XDP_EXCEPTION] > 0))
		drops->act = "XDP_DROP or XDP_ABORTED (xdp_exception is not counted)";
	return true;
}

/* Drops that the program asked for are not losses. --verdicts or the driver counts them. */
static bool drops_many(struct evidence *e)
{
	struct device_path path;
	const struct path_count *drop = &path.count[PATH_DROP];
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	struct drops drops = { .act = "XDP_DROP" };
	char rate[16], share[16], source[160];

	if (e->dev->gone || !netdev_has_program(e->dev))
		return false;
	/* part of the interval belongs to the previous program */
	if (e->past && e->past->programs_ns == e->rates->to->mono_ns)
		return false;
	device_path_set(&path, e->rates, NULL, e->dev->netns, e->dev->ifindex);
	e->first_ns = e->rates->to->mono_ns;
	if (drop->source == PATH_VERDICTS && drop->now)
		drops = (struct drops){ drop->per_s, path.count[PATH_IN].per_s, drops.act };
	else if (drop->source != PATH_COUNTER || !driver_drops(e, &drops))
		return false;
	if (drops.per_s < DROPS_PER_S || drops.per_s < DROPS_SHARE * drops.in_per_s)
		return false;
	e->program = program_find(e->rates->to, netdev_program(e->dev));
	e->count = (uint64_t)llround(drops.per_s * e->rates->seconds);
	format_rate(rate, sizeof(rate), drops.per_s, NUMBER_SI);
	format_percent(share, sizeof(share), 100 * drops.per_s / drops.in_per_s);
	format_add(&t,
		   "it drops %s packets a second by %s, %s %% of the incoming ones (counted by %s)",
		   rate, drops.act, share,
		   device_path_source(&path, PATH_DROP, source, sizeof(source)));
	if (e->program && drop->source == PATH_VERDICTS)
		add_part(e, XDP_DROP, &t);
	return true;
}

/* Packets that the device counts may not have reached its queues, so the text names both causes. */
static bool sees_nothing(struct evidence *e)
{
	const struct verdict_past *p = verdict_evidence(e, is_unseen);
	char packets[16];

	if (!p)
		return false;
	e->count = p->received;
	set_window(e, &p->unseen);
	format_rate(packets, sizeof(packets),
		    per_second((double)p->unseen.last.packets, p->unseen.seconds), NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "the device received %s packets a second for %.0f s or longer (rx_packets), but "
		 "the program ran for none of them. The device's driver does not run the program, "
		 "or these packets do not reach the device's own queues",
		 packets, p->unseen.seconds);
	return true;
}

/* Whether a bad value of this program was ever reported, even on a device below a bond. */
static bool is_reported(const struct evidence *e, uint32_t prog_id)
{
	const struct series *s;

	for_each_row (s, e->rates, e->rates->to, &series_by_program, prog_id)
		if (s->tracepoint == TP_XDP_EXCEPTION &&
		    cause_code(TP_XDP_EXCEPTION, &s->key) == CAUSE_BAD_ACT)
			return true;
	return false;
}

static bool says_unknown(struct evidence *e, const struct verdict_past *p, const char *untold)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	char of[48], rate[16];

	verdict_share(e->count, verdict_total(p->act).packets, "", of, sizeof(of));
	format_rate(rate, sizeof(rate), e->lost_per_s, NUMBER_SI);
	format_add(
		&t,
		"%s(%s a second) the program returned a value that is not a valid XDP action, so "
		"the kernel drops these packets, as with XDP_ABORTED; %s",
		of, rate, untold);
	add_part(e, VERDICT_UNKNOWN, &t);
	return true;
}

/* The driver that runs the program; NULL = unknown, or the kernel runs it (generic mode). */
static const struct driver *driver_that_runs(const struct evidence *e)
{
	const struct driver *d =
		e->program->prog_id == e->dev->prog_id && driver_has_program(e->dev)
			? driver_of(e->dev)
			: NULL;

	return d && d->target != TARGET_SLAVES ? d : NULL;
}

/* If xdp_exception reports these packets, bad-return-value has the value. */
static bool is_unknown(struct evidence *e)
{
	const struct verdict_past *p = verdict_evidence_act(e, VERDICT_UNKNOWN);
	const struct driver *driver = p ? driver_that_runs(e) : NULL;
	char untold[96];

	if (!p)
		return false;
	if (!(e->rates->tp_seconds[TP_XDP_EXCEPTION] > 0))
		return says_unknown(e, p, "xdp_exception, which reports the value, is not counted");
	if (!driver || driver->reports & DRIVER_INVALID)
		return false;
	snprintf(untold, sizeof(untold), "the driver %s does not report them as xdp_exception",
		 driver->name);
	return says_unknown(e, p, untold);
}

/* For unknown drivers, after several intervals: a report may be counted later. */
static bool is_unknown_of_any(struct evidence *e)
{
	const struct verdict_past *p = verdict_evidence_act(e, VERDICT_UNKNOWN);

	if (!p || !(e->rates->tp_seconds[TP_XDP_EXCEPTION] > 0) ||
	    e->program->prog_id == e->dev->skb_prog_id || e->dev->mode == NETDEV_GENERIC ||
	    driver_that_runs(e) || is_reported(e, p->prog_id))
		return false;
	return says_unknown(e, p, "its driver did not report them as xdp_exception");
}

#define ARP_DROPS 5   /* in the sample, before anything is said */
#define ARP_SHARE 0.9 /* sampled packets that are dropped */

static bool is_arp(const struct packet_kind *k)
{
	return !strcmp(k->ethertype, PACKET_ARP) || !strcmp(k->protocol, PACKET_ND);
}

/* A program of several devices is reported once, for the first. */
static bool drops_arp_of(struct evidence *e, const struct program *p)
{
	const struct packet_kind *k;
	uint64_t all = 0, dropped = 0, arp = 0, now = 0;
	size_t n;

	if (!p || e->devices[p - programs(e->rates->to, &n)].first != e->dev)
		return false;
	for_each_row (k, e->rates, e->rates->to, &packet_kinds_by_program, p->prog_id) {
		bool is_drop =
			k->act == XDP_DROP || k->act == XDP_ABORTED || k->act == VERDICT_UNKNOWN;

		if (k->gone || !is_arp(k))
			continue;
		all += k->packets;
		dropped += is_drop ? k->packets : 0;
		arp += is_drop && !strcmp(k->ethertype, PACKET_ARP) ? k->packets : 0;
		now += is_drop ? packet_kind_grew(e->rates, k) : 0;
	}
	if (!now || dropped < ARP_DROPS || (double)dropped < ARP_SHARE * (double)all)
		return false;
	e->program = p;
	e->count = now;
	snprintf(e->what, sizeof(e->what),
		 "it drops %s (%ju of %ju in a sample of its packets), so this machine and its "
		 "neighbours may not find each other's MAC address once old entries expire",
		 !arp             ? "IPv6 neighbour discovery"
		 : arp == dropped ? "ARP"
				  : "ARP and IPv6 neighbour discovery",
		 (uintmax_t)dropped, (uintmax_t)all);
	return true;
}

static bool drops_arp(struct evidence *e)
{
	return !e->dev->gone && (drops_arp_of(e, program_find(e->rates->to, e->dev->prog_id)) ||
				 drops_arp_of(e, program_find(e->rates->to, e->dev->skb_prog_id)));
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "program-drops-all", FINDING_WARNING,
	  "a program dropped every packet of a device for 10 s, 100 a second or more (--verdicts)",
	  { .text = "nothing, if the program is meant to drop all packets. Otherwise check its "
		    "rules, for example for an empty allow list. The program's details list its "
		    "queues and CPUs",
	    .commands = "bpftool prog show id {prog}\n"
			"bpftool prog dump xlated id {part}\n"
			"bpftool map show\n"
			"{ip} link set dev {dev} {xdp} off\n"
			"bpftool link detach id {number}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PROGRAM, .when = is_blackhole,
		  .window_s = VERDICT_WINDOW_S, .leads_to = "program-drops" }) },
	{ "program-drops", FINDING_INFO,
	  "a program drops 10 % of a device's packets or more with XDP_DROP, and 100 a second or "
	  "more",
	  { .text = "nothing, if the program is meant to drop these packets, as in a firewall. "
		    "Otherwise look at them with xdpdump, which shows the verdict of each, or "
		    "count them by queue and CPU with --verdicts",
	    .commands = "{in}ethtool -S {dev}\n"
			"{in}xdpdump -i {dev} --rx-capture exit\n"
			"xdptop --verdicts -b -n 3 -v devices -i {dev}\n"
			"bpftool prog dump xlated id {part}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PROGRAM, .when = drops_many }) },
	{ "drops-arp", FINDING_WARNING,
	  "a program drops 90 % or more of the ARP or neighbour discovery packets in the sample of "
	  "the packets view (--verdicts)",
	  { .text = "have the program return XDP_PASS for ARP (ethertype 0x0806) and for ICMPv6 "
		    "types 133 to 137. No change is needed if the hosts on the device's network "
		    "have static neighbour entries",
	    .commands = "{ip} neigh show dev {dev}\n"
			"xdptop --verdicts --capture arp.pcapng:DROP arp\n"
			"bpftool prog dump xlated id {prog}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PROGRAM, .when = drops_arp }) },
	{ "program-sees-nothing", FINDING_WARNING,
	  "a device counts 100 received packets a second or more, but in 10 s its native program "
	  "ran for none of them (--verdicts)",
	  { .text = "attach the program again if the device was brought down and up, or if its MTU "
		    "was changed. Nothing is wrong if these packets belong to VFs, or to flows "
		    "that the NIC drops or steers past its queues (ethtool -n)",
	    .commands = "{in}ethtool -S {dev}\n"
			"{in}ethtool -n {dev}\n"
			"{ip} -s -d link show dev {dev}\n"
			"bpftool prog show id {prog}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PROGRAM, .when = sees_nothing,
		  .window_s = VERDICT_WINDOW_S }) },
	{ "verdict-unknown", FINDING_CRITICAL,
	  "a program returns a value that is not a valid XDP action, and no xdp_exception reports it "
	  "(--verdicts)",
	  { .text = "fix the program. A common mistake is to return an errno or a helper's result. "
		    "dmesg may show the first such value since boot "
		    "(bpf_warn_invalid_xdp_action())",
	    .commands = "bpftool prog dump xlated id {part}\n"
			"dmesg | grep -F 'XDP return value'" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PROGRAM, .when = is_unknown },
		{ RULE_NETDEV, .code = RULE_ANY, .per = PROGRAM, .intervals = 2,
		  .when = is_unknown_of_any }) },
};
/* clang-format on */

const struct finding_group verdict_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
