// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packet path of a flow, from the verdict to the wire, or of a device, from the NIC on. Each
 * stage has the count of one tracepoint or device counter. Differences between stages are described
 * but never computed, because a packet can be reported twice, and the stages are not one snapshot.
 */
#include <stdio.h>
#include "base/clock.h"
#include "diagnose/device_path.h"
#include "diagnose/driver.h"
#include "explain/explain.h"
#include "inventory/driver_counters.h"
#include "model/target.h"
#include "table/cell.h"

/* Whether a series counts packets that the row's device received, or packets of the row's flow. */
static bool is_of(const struct table *t, const struct row *row, const struct series *s)
{
	const struct series_key *k = &s->key;
	const struct series *of;
	struct target x, y;

	if (s->overflow)
		return false;
	if (t->options.view->group & GROUP_LOCATION)
		return k->netns == row->netns && k->ifindex == row->ifindex;
	if (!row->n_series)
		return false;
	of = row_series(t, row, 0);
	x = target_of(s);
	y = target_of(of);
	return k->netns == of->key.netns && k->ifindex == of->key.ifindex && x.kind == y.kind &&
	       x.netns == y.netns && x.index == y.index;
}

/* A line: the packets or drops of a tracepoint. */
struct line {
	uint32_t tracepoint;
	bool (*count)(uint32_t tracepoint, const struct series_counters *c, uint64_t *n);
	const struct tp_path *path;
};

struct sum {
	uint64_t since, delta;
	bool seen;    /* a series has it */
	bool repeats; /* other tracepoints report the same packets */
};

static struct sum sum_of(const struct table *t, const struct row *row, const struct line *line)
{
	const struct rates *r = t->rates;
	struct sum sum = { 0 };
	uint64_t n;

	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series *s = &r->to->series[i];

		if (s->tracepoint != line->tracepoint || !is_of(t, row, s))
			continue;
		sum.seen = true;
		sum.repeats = driver_repeats(r->to, s);
		line->count(s->tracepoint, &r->since[i], &n);
		sum.since += n;
		if (r->delta && line->count(s->tracepoint, &r->delta[i], &n))
			sum.delta += n;
	}
	return sum;
}

/* Why a line without a count is unknown, perhaps in buf; NULL = it is 0. */
static const char *unknown(const struct table *t, const struct row *row, const struct line *line,
			   const struct sum *sum, char *buf, size_t size)
{
	const struct rates *r = t->rates;

	if (sum->since)
		return NULL;
	if (tracepoints[line->tracepoint].native_only && row_is_generic(t, row)) {
		snprintf(buf, size, "n/a: generic mode has no %s",
			 tracepoints[line->tracepoint].name);
		return buf;
	}
	if (rates_watched(r, line->tracepoint, BASIS_BASELINE))
		return NULL;
	switch (r->to->tp[line->tracepoint].state) {
	case TP_MISSING:
		return "n/a: this kernel does not have the tracepoint";
	case TP_FAILED:
		return "unknown: the tracepoint could not be attached";
	case TP_SHED:
		return "unknown: the tracepoint cost more than --budget and was shed";
	default:
		return "unknown: the tracepoint is off";
	}
}

/* Left out without a count: XDP_TX is not on a redirect's path, and a flow has no exceptions. */
static bool is_aside(const struct table *t, uint32_t tracepoint)
{
	const struct tracepoint *tp = &tracepoints[tracepoint];

	return tp->has & HAS_TX_BACK ||
	       (tp->stage == STAGE_VERDICT && !(t->options.view->group & GROUP_LOCATION));
}

static void explain_line(const struct table *t, const struct row *row, const struct line *line,
			 const struct sum *sum, const struct explain_lines *lines)
{
	static const struct tp_path either[] = {
		{ "sent by XDP", "XDP_TX and frames redirected to it; do not add this to other "
				 "counts" },
		{ "not sent",
		  "XDP_TX and frames redirected to it, counted at each attempt; do not add this "
		  "to other counts" },
	};
	const struct tp_path *path =
		sum->repeats ? &either[line->count == series_drops] : line->path;
	const char *name = tracepoints[line->tracepoint].name, *why;
	double seconds = t->rates->tp_seconds[line->tracepoint];
	char text[400], since[16], rate[16], buf[80];

	why = unknown(t, row, line, sum, buf, sizeof(buf));
	format_count(since, sizeof(since), sum->since, NUMBER_SI);
	format_rate(rate, sizeof(rate), per_second(sum->delta, seconds), NUMBER_SI);
	if (why)
		snprintf(text, sizeof(text), "%s (%s)", why, name);
	else
		snprintf(text, sizeof(text), "%s%s%s%s (%s): %s", since,
			 seconds > 0 ? ", now " : "", seconds > 0 ? rate : "",
			 seconds > 0 ? "/s" : "", name, path->says);
	lines->line(lines->ctx, EXPLAIN_TEXT, path->label, text);
}

/* A line above those of tracepoints: packets that the device received, or a verdict. */
struct device_line {
	enum netdev_count count;
	const char *label, *says;
	bool always; /* even if it is unknown */
};

static const struct device_line received[] = {
	{ NETDEV_RX_PACKETS, "received", "by its driver", true },
	{ NETDEV_RX_MISSED, "missed", "lost in the NIC: its ring was full", true },
	{ NETDEV_RX_DROPPED, "dropped", "by driver or stack, may include XDP_DROP", true },
	{ NETDEV_RX_DISCARDS, "discarded", "lost at the NIC's port, before its ring", false },
	{ NETDEV_RX_ALLOC_FAIL, "no buffer", "its driver could not allocate a buffer", false },
};

static const struct device_line driver_verdicts[] = {
	{ NETDEV_XDP_DROP, "XDP_DROP", "may include failed redirects", true },
	{ NETDEV_XDP_ABORTED, "aborted", "XDP_ABORTED", false },
	{ NETDEV_XDP_INVALID, "invalid", "a value that is not an action", false },
	{ NETDEV_XDP_TX, "XDP_TX", "to be sent back", true },
	{ NETDEV_XDP_TX_ERRORS, "TX failed", "XDP_TX packets that were not sent", false },
	{ NETDEV_XDP_REDIRECTED, "redirected", "as the driver counts them", false },
	{ NETDEV_XDP_REDIRECT_ERRORS, "failed", "redirects, as the driver counts them", false },
};

static const struct device_line as_target = { NETDEV_XDP_XMIT_ERRORS, "as a target",
					      "redirected to it and not sent", false };

/* Packets that the namespace's stack dropped, from any device. */
static const struct device_line in_stack[] = {
	{ NETDEV_CSUM_ERRORS, "bad checksum",
	  "dropped by the stack of this namespace, from any device: a program that changes a "
	  "packet must also update its checksums",
	  true },
	{ NETDEV_ADDR_ERRORS, "not for us",
	  "dropped by the stack of this namespace, from any device: their address is not local, "
	  "and the namespace does not forward",
	  false },
	{ NETDEV_NO_ROUTES, "no route",
	  "dropped by the stack of this namespace, from any device: ip route get ADDRESS", false },
	{ NETDEV_RP_FILTERED, "rp_filter",
	  "packets from any device, dropped by this namespace's stack because the route to the "
	  "source goes through another device",
	  false },
	{ NETDEV_LISTEN_DROPS, "listen drops",
	  "connections that a listening socket of this namespace could not take: ss -lnt", false },
};

#define LINES(lines) lines, sizeof(lines) / sizeof((lines)[0])

struct device {
	const struct table *t;
	const struct netdev *to;
	const struct explain_lines *lines;
	enum program_verdicts verdicts;
	struct verdict_sum sum; /* if they are counted */
};

static struct device device_of(const struct table *t, const struct row *row,
			       const struct explain_lines *lines)
{
	const struct rates *r = t->rates;
	struct device d = {
		.t = t,
		.lines = lines,
		.to = snapshot_find_netdev(r->to, row->netns, row->ifindex),
	};

	if (d.to)
		d.verdicts = verdict_sum_device(r, d.to, &d.sum);
	return d;
}

static bool is_generic(const struct device *d)
{
	return d->to->mode == NETDEV_GENERIC;
}

static void say(const struct device *d, const char *label, const char *text)
{
	d->lines->line(d->lines->ctx, EXPLAIN_TEXT, label, text);
}

static const char *why_unknown(const struct device *d, enum netdev_count which)
{
	uint64_t n;

	if (netdev_count(d->to, which, &n))
		return "not counted at the baseline, or reset since";
	if (!netdev_is_asked(d->to))
		return NETDEV_NOT_ASKED;
	if (which >= NETDEV_NETNS_COUNT)
		return "its namespace's counters were not read";
	if (which >= NETDEV_DRIVER_COUNT && is_generic(d))
		return "generic mode does not count it";
	return which < NETDEV_DRIVER_COUNT ? "its counters could not be read"
					   : "its driver is not known to count it";
}

static void explain_count(const struct device *d, const struct device_line *line)
{
	enum netdev_count which =
		line->count == NETDEV_RX_MISSED ? netdev_missed(d->to) : line->count;
	bool of_netns = which >= NETDEV_NETNS_COUNT;
	bool of_driver = which >= NETDEV_DRIVER_COUNT && !of_netns;
	char text[384], since[16], rate[16], names[128] = "";
	uint64_t n;
	double per_s;

	if (!path_count_since(d->t->rates, d->to, which, &n)) {
		if (!line->always || (of_driver && d->verdicts == PROGRAM_VERDICTS_ON))
			return;
		snprintf(text, sizeof(text), "unknown: %s", why_unknown(d, which));
		say(d, line->label, text);
		return;
	}
	format_count(since, sizeof(since), n, NUMBER_SI);
	rate[0] = '\0';
	if (path_count_rate(d->t->rates, d->to, which, &per_s))
		format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	if (of_driver)
		driver_counters_names(netdev_driver(d->to), which, names, sizeof(names));
	else if (of_netns)
		snprintf(names, sizeof(names), "%s",
			 netdev_netns_counts[which - NETDEV_NETNS_COUNT]);
	snprintf(text, sizeof(text), "%s%s%s%s (%s%s%s): %s", since, *rate ? ", now " : "", rate,
		 *rate ? "/s" : "",
		 of_netns    ? "nstat"
		 : of_driver ? "ethtool -S"
			     : "ip -s link",
		 *names ? ": " : "", names, line->says);
	say(d, line->label, text);
}

static void explain_counts(const struct device *d, const struct device_line *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		explain_count(d, &line[i]);
}

static void say_packets(const struct device *d, const char *label,
			const struct verdict_counters *since, const struct verdict_counters *delta,
			const char *says)
{
	char text[160], total[16], rate[16];

	format_count(total, sizeof(total), since->packets, NUMBER_SI);
	format_rate(rate, sizeof(rate), per_second((double)delta->packets, d->t->rates->seconds),
		    NUMBER_SI);
	snprintf(text, sizeof(text), "%s%s%s%s (verdicts): %s", total, d->sum.known ? ", now " : "",
		 d->sum.known ? rate : "", d->sum.known ? "/s" : "", says);
	say(d, label, text);
}

static void explain_verdict_counts(const struct device *d)
{
	const struct verdict_counters since = verdict_total(d->sum.since),
				      delta = verdict_total(d->sum.delta);
	const struct rates *r = d->t->rates;
	uint32_t prog_id[2];
	int n = verdict_programs(d->to, prog_id);
	char unseen[64];

	say_packets(d, "seen by XDP", &since, &delta, "runs of its program");
	for (size_t i = 0; i < VERDICT_ACTS; i++) {
		const struct verdict_line *line = &verdict_lines[i];

		if (line->always || d->sum.since[line->act].packets)
			say_packets(d, line->label, &d->sum.since[line->act],
				    &d->sum.delta[line->act], line->says);
	}
	for (int i = 0; i < n; i++) {
		const struct program *p = program_find(r->to, prog_id[i]);

		if (p && program_unseen(p, r->base, unseen, sizeof(unseen)))
			say(d, "not counted", unseen);
	}
}

static const char *why_uncounted(const struct device *d)
{
	static const char *const why[PROGRAM_VERDICTS_STATES] = {
		[PROGRAM_VERDICTS_UNKNOWN] = "unknown: only --verdicts counts it",
		[PROGRAM_VERDICTS_OFF] = "unknown: verdicts are switched off",
		[PROGRAM_VERDICTS_ASKED] = "unknown: verdicts will be counted soon",
		[PROGRAM_VERDICTS_REFUSED] = "unknown: its program's verdicts cannot be counted",
	};

	return why[d->verdicts];
}

/* Without verdicts: what the overview shows as IN/S, and its source. */
static void explain_in(const struct device *d)
{
	struct device_path path;
	const struct path_count *in = &path.count[PATH_IN];
	char text[256], source[160], since[16], rate[16];

	device_path_set(&path, d->t->rates, NULL, d->to->netns, d->to->ifindex);
	if (!in->source) {
		say(d, "seen by XDP", "unknown: its driver does not count packets that XDP takes");
		return;
	}
	format_count(since, sizeof(since), in->since, NUMBER_SI);
	format_rate(rate, sizeof(rate), in->per_s, NUMBER_SI);
	snprintf(text, sizeof(text), "%s%s%s%s (%s): no verdicts are counted; this is %s", since,
		 in->now ? ", now " : "", in->now ? rate : "", in->now ? "/s" : "",
		 device_path_source(&path, PATH_IN, source, sizeof(source)),
		 is_generic(d)                ? "the skbs that the device received"
		 : in->source == PATH_COUNTER ? "what the driver received"
					      : "the sum of the counts below");
	say(d, "seen by XDP", text);
}

/* From the NIC to the verdict. */
static void explain_received(const struct device *d)
{
	d->lines->line(d->lines->ctx, EXPLAIN_HEAD, "", "Packet path");
	if (!d->t->rates->base)
		say(d, "",
		    "Counted since the device was created (ip -s link, ethtool -S) or the start.");
	explain_counts(d, LINES(received));
	if (d->to->mode == NETDEV_NONE)
		return;
	if (d->verdicts == PROGRAM_VERDICTS_ON) {
		explain_verdict_counts(d);
	} else {
		explain_in(d);
		say(d, "XDP_PASS", why_uncounted(d));
	}
	explain_counts(d, LINES(driver_verdicts));
}

/* Since the baseline, without one also since the device was created. */
static bool was_lost_before(const struct device *d)
{
	const enum netdev_count of[] = { netdev_missed(d->to), NETDEV_RX_ALLOC_FAIL,
					 NETDEV_RX_DISCARDS };
	uint64_t n;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (d->t->rates->base && path_count_since(d->t->rates, d->to, of[i], &n) && n)
			return true;
	return false;
}

static void explain_blame(const struct device *d)
{
	const struct rates *r = d->t->rates;
	struct cpumap_losses cpumaps;
	struct device_path path;
	const struct path_count *lost = &path.count[PATH_LOST], *drop = &path.count[PATH_DROP];
	const struct path_gap *gap;
	bool before, since;
	char text[320], age[16], after[160] = "";

	device_path_cpumaps(&cpumaps, r);
	device_path_set(&path, r, &cpumaps, d->to->netns, d->to->ifindex);
	before = path.before.per_s > 0 || was_lost_before(d);
	since = lost->since + drop->since;
	gap = path.drops.says ? &path.drops : &path.losses;
	format_age(age, sizeof(age),
		   ns_to_seconds(r->base ? r->to->mono_ns - r->base->mono_ns
					 : r->to->tp[TP_XDP_EXCEPTION].on_ns));
	if (path.after.per_s > 0)
		stack_loss_text(&path.after, false, after, sizeof(after));
	if (d->to->mode == NETDEV_NONE)
		snprintf(text, sizeof(text), "no XDP program is attached: XDP drops nothing here");
	else if (lost->per_s + drop->per_s > 0 || (since && !r->from))
		snprintf(text, sizeof(text), "XDP drops packets here, as counted above%s",
			 before ? "; others are lost before XDP" : "");
	else if (device_path_result(&path) < PATH_LOSES_BEFORE)
		device_path_text(&path, text, sizeof(text));
	else if (gap->says)
		snprintf(text, sizeof(text),
			 "it is not known whether XDP drops packets here: %s%s%s", gap->of,
			 gap->says, before ? "; missed packets are lost before XDP" : "");
	else if (!lost->now || !drop->now)
		snprintf(text, sizeof(text), "it is not yet known whether XDP drops packets here");
	else
		snprintf(text, sizeof(text), "XDP drops nothing here now; %s%s%s%s%s%s%s",
			 since ? "its earlier drops are counted above"
			       : "no drops have been "
				 "counted in the ",
			 since ? "" : age, since ? "" : " since the ",
			 since     ? ""
			 : r->base ? "baseline"
				   : "start",
			 before ? "; packets lost here are lost before XDP" : "",
			 path.after.per_s > 0 ? "; a network stack drops packets: "
			 : path.after.unread
				 ? "; whether a network stack drops packets is not known"
				 : "",
			 after);
	say(d, "result", text);
}

void packet_path_explain(const struct table *t, const struct row *row,
			 const struct explain_lines *lines)
{
	bool of_device = t->options.view->group & GROUP_LOCATION;
	const struct device d = device_of(t, row, lines);
	bool first = true;

	if (of_device && d.to) {
		explain_received(&d);
		first = false;
	}
	for (uint32_t i = 0; i < 2 * TP_COUNT; i++) {
		const struct tracepoint *tp = &tracepoints[i / 2];
		struct line line = { i / 2, i % 2 ? series_drops : series_packets,
				     i % 2 ? &tp->path_drops : &tp->path };
		struct sum sum;

		if (!line.path->label)
			continue;
		sum = sum_of(t, row, &line);
		if (!sum.seen && is_aside(t, line.tracepoint))
			continue;
		if (first)
			lines->line(lines->ctx, EXPLAIN_HEAD, "", "Packet path");
		first = false;
		explain_line(t, row, &line, &sum, lines);
	}
	if (of_device && d.to) {
		explain_count(&d, &as_target);
		if (d.to->mode != NETDEV_NONE)
			explain_counts(&d, LINES(in_stack));
		explain_blame(&d);
	}
}
