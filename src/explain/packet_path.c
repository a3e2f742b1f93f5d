// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The packet path of a flow, from the verdict to the wire, or of a device, from the NIC on. Each
 * stage has the count of one tracepoint or device counter. Differences between stages are described
 * but never computed: a packet can be reported twice, and the stages are not one snapshot.
 */
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include "base/clock.h"
#include "diagnose/driver.h"
#include "explain/explain.h"
#include "model/target.h"
#include "source/verdicts.h"
#include "table/value.h"

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
	if (value_watched(r, line->tracepoint, BASIS_BASELINE))
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

/* A device's lines before those of tracepoints: received packets, and verdicts. */
struct device_line {
	enum netdev_count count;
	const char *label, *says;
	bool always; /* even if it is unknown */
};

static const struct device_line received[] = {
	{ NETDEV_RX_PACKETS, "received", "by its driver", true },
	{ NETDEV_RX_MISSED, "missed", "lost in the NIC: its ring was full", true },
	{ NETDEV_RX_DROPPED, "dropped", "by driver or stack, maybe XDP_DROP", true },
	{ NETDEV_RX_ALLOC_FAIL, "no buffer", "its driver got no memory for them", false },
};

static const struct device_line driver_verdicts[] = {
	{ NETDEV_XDP_DROP, "XDP_DROP", "may include failed redirects", true },
	{ NETDEV_XDP_ABORTED, "aborted", "XDP_ABORTED", false },
	{ NETDEV_XDP_INVALID, "invalid", "a value that is not an action", false },
	{ NETDEV_XDP_TX, "XDP_TX", "to be sent back", true },
	{ NETDEV_XDP_TX_ERRORS, "TX failed", "packets of XDP_TX that were not sent", false },
	{ NETDEV_XDP_REDIRECTED, "redirected", "as the driver counts them", false },
	{ NETDEV_XDP_REDIRECT_ERRORS, "failed", "redirects, as the driver counts them", false },
};

static const struct device_line as_target = { NETDEV_XDP_XMIT_ERRORS, "as a target",
					      "redirected to it and not sent", false };

#define LINES(lines) lines, sizeof(lines) / sizeof((lines)[0])

/* A device, at the ends of the interval and at the baseline. */
struct device {
	const struct table *t;
	const struct netdev *to, *from, *base;
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
		.from = r->from ? snapshot_find_netdev(r->from, row->netns, row->ifindex) : NULL,
		.base = r->base ? snapshot_find_netdev(r->base, row->netns, row->ifindex) : NULL,
	};

	if (d.to)
		d.verdicts = verdict_sum_device(r, d.to, &d.sum);
	return d;
}

/* Since the baseline, else since the device was created; false = unknown. */
static bool count_since(const struct device *d, enum netdev_count which, uint64_t *n)
{
	return d->t->rates->base ? netdev_grew(d->base, d->to, which, n)
				 : netdev_count(d->to, which, n);
}

/* The current rate per second; false = unknown. */
static bool count_rate(const struct device *d, enum netdev_count which, double *rate)
{
	uint64_t n;

	if (which >= NETDEV_DRIVER_COUNT)
		return netdev_per_s(d->to, which, rate);
	if (!netdev_grew(d->from, d->to, which, &n) || d->t->rates->seconds <= 0)
		return false;
	*rate = per_second((double)n, d->t->rates->seconds);
	return true;
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
	if (which >= NETDEV_DRIVER_COUNT && is_generic(d))
		return "generic mode does not count it";
	if (!netdev_is_asked(d->to))
		return "counters are read only in xdptop's network namespace";
	return which < NETDEV_DRIVER_COUNT ? "its counters could not be read"
					   : "its driver is not known to count it";
}

static void explain_count(const struct device *d, const struct device_line *line)
{
	enum netdev_count which =
		line->count == NETDEV_RX_MISSED ? netdev_missed(d->to) : line->count;
	bool of_driver = which >= NETDEV_DRIVER_COUNT;
	char text[256], since[16], rate[16];
	uint64_t n;
	double per_s;

	if (!count_since(d, which, &n)) {
		if (!line->always || (of_driver && d->verdicts == PROGRAM_VERDICTS_ON))
			return;
		snprintf(text, sizeof(text), "unknown: %s", why_unknown(d, which));
		say(d, line->label, text);
		return;
	}
	format_count(since, sizeof(since), n, NUMBER_SI);
	rate[0] = '\0';
	if (count_rate(d, which, &per_s))
		format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	snprintf(text, sizeof(text), "%s%s%s%s (%s): %s", since, *rate ? ", now " : "", rate,
		 *rate ? "/s" : "", of_driver ? "ethtool -S" : "ip -s link", line->says);
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

/* From the NIC to the verdict. */
static void explain_received(const struct device *d)
{
	d->lines->line(d->lines->ctx, EXPLAIN_HEAD, "", "Packet path");
	if (!d->t->rates->base)
		say(d, "",
		    "Counted since the device exists (ip -s link, ethtool -S) or since the start.");
	explain_counts(d, LINES(received));
	if (d->to->mode == NETDEV_NONE)
		return;
	if (d->verdicts == PROGRAM_VERDICTS_ON) {
		explain_verdict_counts(d);
	} else {
		say(d, "seen by XDP",
		    is_generic(d) ? "unknown: there is no counter; XDP sees the skbs of the "
				    "received packets"
				  : "unknown: there is no counter; XDP sees what its driver "
				    "received");
		say(d, "XDP_PASS", why_uncounted(d));
	}
	explain_counts(d, LINES(driver_verdicts));
}

/* What XDP lost on a device, as far as it is counted. */
struct loss {
	uint64_t since;
	double now;        /* per second */
	bool now_known;    /* an interval is over */
	char unknown[128]; /* which losses are unknown; "" = none */
};

static void __attribute__((format(printf, 2, 3)))
set_unknown(struct loss *loss, const char *format, ...)
{
	va_list args;

	if (loss->unknown[0])
		return;
	va_start(args, format);
	vsnprintf(loss->unknown, sizeof(loss->unknown), format, args);
	va_end(args);
}

/* False = unknown. */
static bool add_count(const struct device *d, enum netdev_count which, struct loss *loss)
{
	uint64_t n;
	double rate;

	if (!count_since(d, which, &n))
		return false;
	loss->since += n;
	if (count_rate(d, which, &rate))
		loss->now += rate;
	return true;
}

static void add_tracepoints(const struct device *d, const struct row *row, struct loss *loss)
{
	static const uint32_t of[] = { TP_XDP_EXCEPTION, TP_XDP_REDIRECT_ERR, TP_XDP_DEVMAP_XMIT,
				       TP_XDP_BULK_TX };

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		const struct line line = { of[i], series_drops, NULL };
		struct sum sum = sum_of(d->t, row, &line);

		if (!sum.repeats) {
			loss->since += sum.since;
			loss->now += per_second(sum.delta, d->t->rates->tp_seconds[of[i]]);
		}
		if (!sum.since && !(tracepoints[of[i]].native_only && is_generic(d)) &&
		    !value_watched(d->t->rates, of[i], BASIS_BASELINE))
			set_unknown(loss, "%s is not counted", tracepoints[of[i]].name);
	}
}

static void add_verdicts(const struct device *d, struct loss *loss)
{
	static const uint32_t of[] = { XDP_DROP, XDP_ABORTED, VERDICT_UNKNOWN };

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		loss->since += d->sum.since[of[i]].packets;
		loss->now += per_second((double)d->sum.delta[of[i]].packets, d->t->rates->seconds);
	}
	loss->now_known = loss->now_known && d->sum.known;
}

/* Verdicts and failures that tracepoints may not report: from the driver. */
static void add_driver(const struct device *d, struct loss *loss)
{
	const struct driver *driver = driver_of(d->to);
	unsigned int reports = driver ? driver->reports : 0;
	bool counted = d->verdicts == PROGRAM_VERDICTS_ON;

	/* the driver's counters may include the same packets: add only one of the two */
	if (counted)
		add_verdicts(d, loss);
	else if (!add_count(d, NETDEV_XDP_DROP, loss))
		set_unknown(loss, "%s",
			    is_generic(d) ? "generic mode counts no XDP_DROP"
			    : netdev_is_asked(d->to)
				    ? "its driver is not known to count XDP_DROP"
				    : "its network namespace is not that of xdptop");
	/* the stack reports all other failures */
	if (is_generic(d))
		return;
	if (!counted && !add_count(d, NETDEV_XDP_ABORTED, loss) && !(reports & DRIVER_ABORTED))
		set_unknown(loss, "its driver is not known to report XDP_ABORTED");
	if (!counted && !add_count(d, NETDEV_XDP_INVALID, loss) && !(reports & DRIVER_INVALID))
		set_unknown(loss, "its driver is not known to report invalid values");
	if (!add_count(d, NETDEV_XDP_TX_ERRORS, loss) &&
	    !(reports & (DRIVER_TX | DRIVER_BULK_TX)) &&
	    !(counted && !d->sum.since[XDP_TX].packets))
		set_unknown(loss, "its driver is not known to report XDP_TX that failed");
	add_count(d, NETDEV_XDP_REDIRECT_ERRORS, loss);
}

/* Whether packets are lost before the program. */
static bool is_lost_before(const struct device *d)
{
	const enum netdev_count of[] = { netdev_missed(d->to), NETDEV_RX_ALLOC_FAIL };
	bool lost = false;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		uint64_t n;
		double rate;

		lost = lost || (count_rate(d, of[i], &rate) && rate > 0) ||
		       (d->t->rates->base && count_since(d, of[i], &n) && n);
	}
	return lost;
}

static void explain_blame(const struct device *d, const struct row *row)
{
	const struct rates *r = d->t->rates;
	struct loss loss = { .now_known = r->from };
	bool before = is_lost_before(d);
	char text[320], age[16];

	if (d->to->mode == NETDEV_NONE) {
		say(d, "result", "no XDP program is attached: XDP drops nothing here");
		return;
	}
	add_tracepoints(d, row, &loss);
	add_driver(d, &loss);
	format_age(age, sizeof(age),
		   ns_to_seconds(r->base ? r->to->mono_ns - r->base->mono_ns
					 : r->to->tp[TP_XDP_EXCEPTION].on_ns));
	if (loss.now > 0 || (loss.since && !loss.now_known))
		snprintf(text, sizeof(text), "XDP drops packets here, as counted above%s",
			 before ? "; others are lost before XDP" : "");
	else if (loss.unknown[0])
		snprintf(text, sizeof(text), "it is not known whether XDP drops packets here: %s%s",
			 loss.unknown, before ? "; missed packets are lost before XDP" : "");
	else if (loss.since)
		snprintf(text, sizeof(text),
			 "XDP drops nothing here now; its earlier drops are counted above%s",
			 before ? "; packets lost here are lost before XDP" : "");
	else if (d->verdicts == PROGRAM_VERDICTS_ON)
		snprintf(text, sizeof(text),
			 "XDP dropped nothing on this device since %sits verdicts have been "
			 "counted%s",
			 r->base ? "the baseline, as far as " : "",
			 before ? ": packets lost here are lost before XDP" : "");
	else
		snprintf(text, sizeof(text),
			 "XDP dropped nothing on this device in the %s since the %s%s", age,
			 r->base ? "baseline" : "start",
			 before ? ": packets lost here are lost before XDP" : "");
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
		explain_blame(&d, row);
	}
}
