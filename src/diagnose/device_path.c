// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/device_path.h"

#include <linux/bpf.h>
#include <math.h>
#include <stdio.h>
#include "diagnose/driver.h"
#include "inventory/driver_counters.h"
#include "source/sockets.h"

/* Packets of a device that tracepoints report. */
enum tally_id {
	TALLY_ABORTED,
	TALLY_INVALID,
	TALLY_TX_FAILED,
	TALLY_REDIRECT_ERR,
	TALLY_REDIRECT_FAILED, /* failed in the driver; may be the same packets as in REDIRECT_ERR
				*/
	TALLY_QUEUED,
	TALLY_XMIT,      /* sent or not */
	TALLY_XMIT_LOST, /* not sent */
	TALLY_TX,        /* XDP_TX, sent or not */
	TALLIES,
};

struct tally {
	uint64_t since, delta;
};

struct reading {
	const struct rates *r;
	const struct netdev *d, *before; /* before the interval; NULL = unknown */
	unsigned int reports;            /* of its driver: DRIVER_* */
	bool generic, counted;
	struct verdict_sum verdicts;
	struct tally tally[TALLIES];
};

bool path_count_since(const struct rates *r, const struct netdev *d, enum netdev_count which,
		      uint64_t *n)
{
	return r->base ? netdev_grew(snapshot_find_netdev(r->base, d->netns, d->ifindex), d, which,
				     n)
		       : netdev_count(d, which, n);
}

bool path_count_rate(const struct rates *r, const struct netdev *d, enum netdev_count which,
		     double *rate)
{
	uint64_t n;

	if (which >= NETDEV_DRIVER_COUNT)
		return netdev_per_s(d, which, rate);
	if (!r->from || r->seconds <= 0 ||
	    !netdev_grew(snapshot_find_netdev(r->from, d->netns, d->ifindex), d, which, &n))
		return false;
	*rate = per_second((double)n, r->seconds);
	return true;
}

static enum tally_id tally_of(const struct series *s)
{
	switch (s->tracepoint) {
	case TP_XDP_EXCEPTION:
		if (s->key.code == XDP_ABORTED)
			return TALLY_ABORTED;
		if (s->key.code == XDP_TX)
			return TALLY_TX_FAILED;
		if (s->key.code == XDP_REDIRECT)
			return TALLY_REDIRECT_FAILED;
		return TALLY_INVALID;
	case TP_XDP_REDIRECT_ERR:
		return TALLY_REDIRECT_ERR;
	case TP_XDP_REDIRECT:
		return TALLY_QUEUED;
	case TP_XDP_DEVMAP_XMIT:
		return TALLY_XMIT;
	case TP_XDP_BULK_TX:
		return TALLY_TX;
	default:
		return TALLIES;
	}
}

/*
 * kernel/bpf/devmap.c, bq_xmit_all(): an exception of an entry's program names the target, and
 * xdp_devmap_xmit has the same packet among the drops on its way there. Before 5.13 the program ran
 * earlier, and only the exception has it.
 */
static void take_away_repeated(const struct reading *v, const struct series *s,
			       struct series_counters *since, struct series_counters *delta)
{
	const struct series *xmit;
	uint64_t drops;

	if (s->tracepoint != TP_XDP_EXCEPTION || !s->key.prog_id ||
	    (v->d && netdev_runs(v->d, s->key.prog_id)) ||
	    (v->before && netdev_runs(v->before, s->key.prog_id)))
		return;
	for_each_row (xmit, v->r, v->r->to, &series_by_target,
		      row_number(s->key.netns, s->key.ifindex)) {
		if (xmit->tracepoint != TP_XDP_DEVMAP_XMIT || xmit->overflow ||
		    (xmit->to_prog_id && xmit->to_prog_id != s->key.prog_id))
			continue;
		series_drops(xmit->tracepoint, &v->r->since[xmit - v->r->to->series], &drops);
		since->events -= drops < since->events ? drops : since->events;
		if (v->r->delta) {
			series_drops(xmit->tracepoint, rates_delta(v->r, xmit), &drops);
			delta->events -= drops < delta->events ? drops : delta->events;
		}
	}
}

static void tally_add(struct reading *v, const struct series *s)
{
	struct series_counters counts[2] = { v->r->since[s - v->r->to->series] };
	enum tally_id id = tally_of(s), lost = id == TALLY_XMIT ? TALLY_XMIT_LOST : TALLY_TX_FAILED;

	/* frames redirected to the device are not its own */
	if (id == TALLIES || s->overflow || driver_repeats(v->r->to, s))
		return;
	if (v->r->delta)
		counts[1] = *rates_delta(v->r, s);
	take_away_repeated(v, s, &counts[0], &counts[1]);
	for (int i = 0; i < 2; i++) {
		uint64_t packets, drops, *to = i ? &v->tally[id].delta : &v->tally[id].since;

		series_packets(s->tracepoint, &counts[i], &packets);
		*to += packets;
		if (id != TALLY_XMIT && id != TALLY_TX)
			continue;
		series_drops(s->tracepoint, &counts[i], &drops);
		*to += drops;
		*(i ? &v->tally[lost].delta : &v->tally[lost].since) += drops;
	}
}

/* Why a count of 0 would not be reliable; NULL = the count would be reliable. */
static const char *tally_gap(const struct reading *v, uint32_t tp)
{
	return v->generic && tracepoints[tp].native_only ? NULL : rates_uncounted(v->r, tp);
}

/* Unknown if the tracepoint was not attached and counted nothing. */
static struct path_count from_tally(const struct reading *v, enum tally_id id, uint32_t tp)
{
	const struct tally *t = &v->tally[id];
	bool known = t->delta || !tally_gap(v, tp);

	if (!t->since && !known)
		return (struct path_count){ 0 };
	return (struct path_count){ .source = PATH_TRACEPOINT,
				    .counter = (uint8_t)tp,
				    .now = v->r->from && known,
				    .since = t->since,
				    .per_s = per_second((double)t->delta, v->r->tp_seconds[tp]) };
}

static struct path_count from_counter(const struct reading *v, enum netdev_count which)
{
	struct path_count c = { .source = PATH_COUNTER, .counter = which };

	if (!v->d || !path_count_since(v->r, v->d, which, &c.since))
		return (struct path_count){ 0 };
	c.now = path_count_rate(v->r, v->d, which, &c.per_s);
	c.age = rates_count_age(v->r, v->d, which);
	return c;
}

static struct path_count from_verdict(const struct reading *v, uint32_t act)
{
	return (struct path_count){ .source = PATH_VERDICTS,
				    .now = v->verdicts.known,
				    .since = v->verdicts.since[act].packets,
				    .per_s = per_second((double)v->verdicts.delta[act].packets,
							v->r->seconds) };
}

static void add(struct path_count *to, struct path_count c)
{
	if (!c.source)
		return;
	if (!to->source) {
		*to = c;
		return;
	}
	to->since += c.since;
	to->per_s += c.per_s;
	to->age = fmax(to->age, c.age);
	to->now = to->now && c.now;
	if (to->source != c.source || to->counter != c.counter) {
		to->source = PATH_SUM;
		to->counter = 0;
	}
}

static void take_away(struct path_count *from, struct path_count c)
{
	from->since -= c.since < from->since ? c.since : from->since;
	from->per_s -= c.per_s < from->per_s ? c.per_s : from->per_s;
}

static void gap(struct path_gap *gap, const char *of, const char *says)
{
	if (!gap->says)
		*gap = (struct path_gap){ of, says };
}

/* A kind of failure that a tracepoint reports for some drivers, and other drivers count. */
struct failure {
	unsigned int reports; /* DRIVER_* of these drivers; 0 = the kernel reports for all */
	enum tally_id tally;
	uint32_t tracepoint;
	enum netdev_count counter; /* NETDEV_COUNTS = none */
	const char *unknown;
};

static const struct failure aborted = { DRIVER_ABORTED, TALLY_ABORTED, TP_XDP_EXCEPTION,
					NETDEV_XDP_ABORTED,
					"its driver is not known to report XDP_ABORTED" };
static const struct failure invalid = { DRIVER_INVALID, TALLY_INVALID, TP_XDP_EXCEPTION,
					NETDEV_XDP_INVALID,
					"its driver is not known to report invalid values" };
static const struct failure tx_failed = { DRIVER_TX, TALLY_TX_FAILED, TP_XDP_EXCEPTION,
					  NETDEV_XDP_TX_ERRORS,
					  "its driver is not known to report XDP_TX that failed" };
static const struct failure bulk_tx_failed = { DRIVER_BULK_TX, TALLY_TX_FAILED, TP_XDP_BULK_TX,
					       NETDEV_XDP_TX_ERRORS, NULL };
static const struct failure redirect_failed = { 0, TALLY_REDIRECT_ERR, TP_XDP_REDIRECT_ERR,
						NETDEV_XDP_REDIRECT_ERRORS, NULL };
static const struct failure not_sent = { 0, TALLY_XMIT_LOST, TP_XDP_DEVMAP_XMIT, NETDEV_COUNTS,
					 NULL };

/*
 * The same packets are in the tracepoint and in the counter, which is read less often. What the
 * counter counted before the interval was not lost in the interval.
 */
static struct path_count add_failure(const struct reading *v, struct device_path *p,
				     const struct failure *f)
{
	bool reported = v->generic || !f->reports || v->reports & f->reports;
	const char *says = reported ? tally_gap(v, f->tracepoint) : f->unknown;
	struct path_count c = from_tally(v, f->tally, f->tracepoint), counted = { 0 };

	if (f->counter < NETDEV_COUNTS && !v->generic)
		counted = from_counter(v, f->counter);
	if (!reported && !v->tally[f->tally].since)
		c.source = PATH_UNKNOWN;
	if (counted.source &&
	    (!c.source || says || (c.per_s <= 0 && counted.per_s > 0 && counted.age <= 0)))
		c = counted;
	if (says && !counted.source)
		gap(&p->losses, reported ? tracepoints[f->tracepoint].name : "", says);
	add(&p->count[PATH_LOST], c);
	return c;
}

static void tracepoint_gap(const struct rates *r, struct device_path *p, uint32_t tp)
{
	const char *says = rates_uncounted(r, tp);

	if (says)
		gap(&p->losses, tracepoints[tp].name, says);
}

/* Whether the device may redirect packets now. */
static bool may_redirect(const struct device_path *p)
{
	const struct path_count *c = &p->count[PATH_REDIRECT];

	return device_path_has_xdp(p) && (!c->source || !c->now || c->per_s > 0);
}

/* A loss of a cpumap belongs to the device only if no other device uses the map. */
static void set_cpumaps(const struct reading *v, struct device_path *p,
			const struct cpumap_losses *l)
{
	struct path_count own = { .source = PATH_TRACEPOINT,
				  .counter = TP_XDP_CPUMAP_ENQUEUE,
				  .now = v->r->from };
	struct cpumap_use use = { 0 };

	if (!may_redirect(p))
		return;
	if (!l)
		gap(&p->losses, "", "the losses of cpumaps are not known");
	else if (l->more)
		gap(&p->losses, "", "too many cpumaps have losses");
	else
		use = cpumap_use(l, v->r, v->d);
	p->own_cpumaps = use.own;
	p->shared_cpumaps = use.may & ~use.own;
	for (size_t i = 0; i < CPUMAP_LOSSES && use.may >> i; i++) {
		const struct cpumap_loss *loss = &l->map[i];

		if (use.uses & 1ull << i)
			p->cpumaps_drop_per_s += loss->dropped_per_s;
		if (p->shared_cpumaps & 1ull << i)
			p->shared_lost_per_s += loss->per_s;
		if (!(use.own & 1ull << i))
			continue;
		own.since += loss->since;
		own.per_s += loss->per_s;
	}
	if (own.since)
		add(&p->count[PATH_LOST], own);
	if (may_redirect_to(v->r, v->d, BPF_MAP_TYPE_CPUMAP)) {
		tracepoint_gap(v->r, p, TP_XDP_CPUMAP_ENQUEUE);
		tracepoint_gap(v->r, p, TP_XDP_CPUMAP_KTHREAD);
	}
}

/* Frames of AF_XDP sockets with invalid descriptors. No tracepoint reports these frames. */
static void add_sockets(const struct rates *r, struct device_path *p, uint32_t netns,
			uint32_t ifindex)
{
	struct path_count sum = { .source = PATH_SOCKETS, .now = r->from };
	const struct xdp_socket *s, *was;

	for_each_row (s, r, r->to, &xdp_sockets_by_device, row_number(netns, ifindex)) {
		was = xdp_socket_find(r->base, s->inode);
		sum.since += s->tx_invalid;
		if (was && was->tx_invalid <= s->tx_invalid)
			sum.since -= was->tx_invalid;
		was = xdp_socket_find(r->from, s->inode);
		if (was && was->tx_invalid < s->tx_invalid)
			sum.per_s +=
				per_second((double)(s->tx_invalid - was->tx_invalid), r->seconds);
	}
	if (sum.since)
		add(&p->count[PATH_LOST], sum);
	if (xdp_sockets_complete(r->to, netns))
		return;
	if (xdp_sockets_left_out(r->to))
		gap(&p->losses, "", "too many AF_XDP sockets");
	else if (may_redirect_to(r, snapshot_find_netdev(r->to, netns, ifindex),
				 BPF_MAP_TYPE_XSKMAP))
		gap(&p->losses, "", "AF_XDP sockets cannot be read");
}

static void set_lost(const struct reading *v, struct device_path *p, struct path_count *aborts,
		     struct path_count *failures)
{
	struct path_count *lost = &p->count[PATH_LOST];
	struct reading driver = *v;

	*failures = (struct path_count){ 0 };
	/* a driver without support for redirects reports redirects only here */
	if (driver.tally[TALLY_REDIRECT_FAILED].since > driver.tally[TALLY_REDIRECT_ERR].since)
		driver.tally[TALLY_REDIRECT_ERR] = driver.tally[TALLY_REDIRECT_FAILED];
	add(failures, add_failure(&driver, p, &redirect_failed));
	add_failure(v, p, &not_sent);
	if (v->counted) {
		add(lost, from_verdict(v, XDP_ABORTED));
		add(lost, from_verdict(v, VERDICT_UNKNOWN));
	} else {
		*aborts = add_failure(v, p, &aborted);
		add(aborts, add_failure(v, p, &invalid));
	}
	/* generic XDP_TX sends skbs, and reports each that fails */
	if (!v->counted || v->verdicts.since[XDP_TX].packets)
		add(failures,
		    add_failure(v, p,
				v->reports & DRIVER_BULK_TX && !v->generic ? &bulk_tx_failed
									   : &tx_failed));
}

/* A sum with an unknown part is at least the known part, but never 0. */
static void set_unknown(const struct rates *r, struct device_path *p)
{
	struct path_count *lost = &p->count[PATH_LOST];

	if (!p->losses.says || lost->per_s > 0)
		return;
	lost->now = false;
	if (!lost->since)
		lost->source = PATH_UNKNOWN;
}

static void set_verdicts(const struct reading *v, struct device_path *p)
{
	static const uint32_t act[] = { [PATH_PASS] = XDP_PASS,
					[PATH_DROP] = XDP_DROP,
					[PATH_TX] = XDP_TX,
					[PATH_REDIRECT] = XDP_REDIRECT };

	for (int i = PATH_PASS; i <= PATH_REDIRECT; i++)
		p->count[i] = from_verdict(v, act[i]);
	for (uint32_t i = 0; i < VERDICT_ACTS; i++)
		add(&p->count[PATH_IN], from_verdict(v, i));
}

/* Not in generic mode, where only verdicts tell what the program decided. */
static void set_driver(const struct reading *v, struct device_path *p, struct path_count aborts,
		       struct path_count failures)
{
	struct path_count *count = p->count;

	count[PATH_DROP] = from_counter(v, NETDEV_XDP_DROP);
	if (v->reports & DRIVER_DROP_ABORTED)
		take_away(&count[PATH_DROP], aborts);
	if (v->reports & DRIVER_DROP_FAILED)
		take_away(&count[PATH_DROP], failures);
	count[PATH_TX] = from_counter(v, NETDEV_XDP_TX);
	if (!count[PATH_TX].source && v->reports & DRIVER_BULK_TX)
		count[PATH_TX] = from_tally(v, TALLY_TX, TP_XDP_BULK_TX);
	count[PATH_REDIRECT] = from_counter(v, NETDEV_XDP_REDIRECTED);
	if (v->reports & DRIVER_RX_PASSED)
		count[PATH_PASS] = from_counter(v, NETDEV_RX_PACKETS);
}

static void set_in(const struct reading *v, struct device_path *p)
{
	struct path_count *in = &p->count[PATH_IN], sum = { 0 };
	bool all = true;

	for (int i = PATH_PASS; i <= PATH_REDIRECT; i++) {
		add(&sum, p->count[i]);
		all = all && p->count[i].source;
	}
	if (!v->generic && v->reports & (DRIVER_RX_PASSED | DRIVER_RX_LESS)) {
		*in = all ? sum : (struct path_count){ 0 };
		return;
	}
	*in = from_counter(v, NETDEV_RX_PACKETS);
	if (in->now && sum.now && sum.age <= 0 && sum.per_s > in->per_s)
		*in = sum;
}

static const char *why_uncounted(const struct reading *v)
{
	if (v->generic)
		return "generic mode does not count XDP_DROP";
	if (!v->d)
		return "netlink does not list it";
	return netdev_is_asked(v->d) ? "its driver is not known to count XDP_DROP"
				     : NETDEV_NOT_ASKED;
}

/* Whether packets were redirected to the device in the interval. The sources count the losses. */
static bool is_target(const struct rates *r, uint32_t netns, uint32_t ifindex)
{
	const struct series *s;
	struct row_walk w;

	row_walk_begin(&w, r, r->to, &series_by_target, row_number(netns, ifindex));
	while (r->delta && (s = row_walk_next(&w)))
		if (tracepoints[s->tracepoint].has & HAS_TO_DEVICE && rates_delta(r, s)->events)
			return true;
	return false;
}

void device_path_set(struct device_path *p, const struct rates *r,
		     const struct cpumap_losses *cpumaps, uint32_t netns, uint32_t ifindex)
{
	const struct netdev *d = snapshot_find_netdev(r->to, netns, ifindex);
	const struct driver *driver = driver_of(d);
	struct reading v = { .r = r,
			     .d = d,
			     .before =
				     r->from ? snapshot_find_netdev(r->from, netns, ifindex) : NULL,
			     .reports = driver ? driver->reports : 0,
			     .generic = d && d->mode == NETDEV_GENERIC };
	struct path_count *redirect = &p->count[PATH_REDIRECT], aborts = { 0 }, failures = { 0 };
	const struct path_count *tx = &p->count[PATH_TX];
	const struct series *s;

	*p = (struct device_path){ .dev = d };
	if (d)
		p->verdicts = verdict_sum_device(r, d, &v.verdicts);
	v.counted = p->verdicts == PROGRAM_VERDICTS_ON;
	add(&p->before, from_counter(&v, netdev_missed(d)));
	add(&p->before, from_counter(&v, NETDEV_RX_ALLOC_FAIL));
	add(&p->before, from_counter(&v, NETDEV_RX_DISCARDS));
	for_each_row (s, r, r->to, &series_by_device, row_number(netns, ifindex)) {
		tally_add(&v, s);
		p->seen = p->seen || (tally_of(s) < TALLIES && !s->overflow);
	}
	set_lost(&v, p, &aborts, &failures);
	add_sockets(r, p, netns, ifindex);
	p->target = is_target(r, netns, ifindex);
	if (!device_path_has_xdp(p)) {
		/* in the interval its last program may have lost packets */
		if (p->count[PATH_LOST].per_s <= 0)
			p->count[PATH_LOST].source = PATH_UNKNOWN;
		p->losses = (struct path_gap){ 0 };
		p->count[PATH_IN] = from_counter(&v, NETDEV_RX_PACKETS);
		return;
	}
	if (v.counted) {
		set_verdicts(&v, p);
	} else {
		if (!v.generic)
			set_driver(&v, p, aborts, failures);
		if (!redirect->source)
			*redirect = from_tally(&v, TALLY_QUEUED, TP_XDP_REDIRECT);
		if (!redirect->source && v.tally[TALLY_XMIT].since)
			*redirect = from_tally(&v, TALLY_XMIT, TP_XDP_DEVMAP_XMIT);
		if (!p->count[PATH_DROP].source)
			gap(&p->drops, "", why_uncounted(&v));
		set_in(&v, p);
	}
	if (d && d->mode == NETDEV_OFFLOAD)
		gap(&p->losses, "", "its program runs on the NIC");
	set_cpumaps(&v, p, cpumaps);
	set_unknown(r, p);
	stack_loss_find(&p->after, r, netns, ifindex, !tx->now || tx->per_s > 0);
}

void device_path_cpumaps(struct cpumap_losses *l, const struct rates *r)
{
	const struct netdev *d = snapshot_netdevs(r->to);
	struct device_path p;

	cpumap_losses_set(l, r);
	for (size_t i = 0; l->n && i < snapshot_n_netdevs(r->to); i++, d++) {
		if (!netdev_has_program(d) || rates_cancelled(r))
			continue;
		device_path_set(&p, r, NULL, d->netns, d->ifindex);
		if (may_redirect(&p))
			cpumap_losses_add_user(l, r, d);
	}
}

bool device_path_has_xdp(const struct device_path *p)
{
	return p->dev ? !p->dev->gone && p->dev->mode != NETDEV_NONE : p->seen;
}

static bool grows(const struct path_count *c)
{
	return c->source && c->per_s > 0;
}

enum path_result device_path_result(const struct device_path *p)
{
	if (grows(&p->count[PATH_LOST]))
		return PATH_LOSES;
	if (!device_path_has_xdp(p))
		return PATH_NO_XDP;
	if (p->shared_lost_per_s > 0)
		return PATH_MAY_LOSE;
	if (grows(&p->count[PATH_DROP]))
		return PATH_DROPS;
	if (p->cpumaps_drop_per_s > 0)
		return PATH_CPUMAP_DROPS;
	if (p->before.now && p->before.per_s > 0)
		return PATH_LOSES_BEFORE;
	if (p->drops.says)
		return PATH_DROPS_UNCOUNTED;
	if (p->losses.says)
		return PATH_LOSSES_UNCOUNTED;
	if (!p->count[PATH_LOST].now || !p->count[PATH_DROP].now)
		return PATH_NOT_YET;
	if (p->after.per_s > 0)
		return PATH_LOSES_AFTER;
	return p->after.unread ? PATH_LOSES_NOT_BY_XDP : PATH_LOSES_NOTHING;
}

const char *device_path_hint(const struct device_path *p)
{
	return p->verdicts == PROGRAM_VERDICTS_UNKNOWN ? " (--verdicts)" : "";
}

double device_path_age(const struct device_path *p)
{
	return fmax(fmax(p->before.age, p->after.oldest),
		    fmax(p->count[PATH_DROP].age, p->count[PATH_LOST].age));
}

int device_path_text(const struct device_path *p, char *buf, size_t size)
{
	const struct path_count *drop = &p->count[PATH_DROP];
	char rate[16], ago[24];
	int len;

	switch (device_path_result(p)) {
	case PATH_NO_XDP:
		return snprintf(buf, size,
				p->target ? "no XDP; a target of redirects"
					  : "no XDP, so XDP loses nothing");
	case PATH_LOSES:
		format_rate(rate, sizeof(rate), p->count[PATH_LOST].per_s, NUMBER_SI);
		return snprintf(buf, size, "%s/s lost%s", rate,
				format_ago(ago, sizeof(ago), p->count[PATH_LOST].age));
	case PATH_MAY_LOSE:
		format_rate(rate, sizeof(rate), p->shared_lost_per_s, NUMBER_SI);
		return snprintf(buf, size, "up to %s/s lost in a cpumap", rate);
	case PATH_CPUMAP_DROPS:
		format_rate(rate, sizeof(rate), p->cpumaps_drop_per_s, NUMBER_SI);
		return snprintf(buf, size, "program of a cpumap drops %s/s", rate);
	case PATH_DROPS:
		format_rate(rate, sizeof(rate), drop->per_s, NUMBER_SI);
		return snprintf(buf, size, "program %s %s/s%s", drop->age > 0 ? "dropped" : "drops",
				rate, format_ago(ago, sizeof(ago), drop->age));
	case PATH_LOSES_BEFORE:
		format_rate(rate, sizeof(rate), p->before.per_s, NUMBER_SI);
		return snprintf(buf, size, "%s/s lost before XDP%s", rate,
				format_ago(ago, sizeof(ago), p->before.age));
	case PATH_DROPS_UNCOUNTED:
		return snprintf(buf, size, "drops not counted%s", device_path_hint(p));
	case PATH_LOSSES_UNCOUNTED:
		return snprintf(buf, size, "not counted: %s%s", p->losses.of, p->losses.says);
	case PATH_LOSES_AFTER:
		len = snprintf(buf, size, "no loss seen by XDP; ");
		return len + stack_loss_text(&p->after, false, buf + len, size - (size_t)len);
	case PATH_LOSES_NOT_BY_XDP:
	case PATH_LOSES_NOTHING:
		return snprintf(buf, size, "%s%s",
				p->after.unread ? "no loss seen by XDP" : "nothing lost",
				format_ago(ago, sizeof(ago), device_path_age(p)));
	default:
		return snprintf(buf, size, "no interval yet");
	}
}

const char *device_path_source(const struct device_path *p, enum path_stage stage, char *buf,
			       size_t size)
{
	const struct path_count *c = &p->count[stage];
	char names[128];

	buf[0] = '\0';
	switch (c->source) {
	case PATH_VERDICTS:
		snprintf(buf, size, "verdicts");
		break;
	case PATH_TRACEPOINT:
		snprintf(buf, size, "%s", tracepoints[c->counter].name);
		break;
	case PATH_COUNTER:
		if (c->counter < NETDEV_DRIVER_COUNT)
			snprintf(buf, size, "ip -s link");
		else
			snprintf(buf, size, "ethtool -S: %s",
				 driver_counters_names(netdev_driver(p->dev), c->counter, names,
						       sizeof(names)));
		break;
	case PATH_SOCKETS:
		snprintf(buf, size, "tx_invalid of AF_XDP sockets");
		break;
	case PATH_SUM:
		snprintf(buf, size, "several counters");
		break;
	default:
		break;
	}
	return buf;
}
