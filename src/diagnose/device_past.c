// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/device_past.h"

#include <linux/bpf.h>
#include <stdio.h>
#include "base/array.h"
#include "diagnose/driver.h"
#include "source/programs.h"

/* A device first seen with this many carrier changes has lost its carrier at least once. */
#define CARRIER_CHANGES_MIN 2

static struct device_past *device_pasts_search(const struct device_pasts *p, uint32_t netns,
					       uint32_t ifindex)
{
	const uint32_t key[] = { netns, ifindex };

	return array_find(p->past, p->n, e, compare_words(e, key, 2) < 0,
			  !compare_words(e, key, 2));
}

static void take_carrier(struct device_past *p, const struct netdev *was, const struct netdev *d,
			 uint64_t now)
{
	uint64_t changes;

	if (d->gone || !d->up || (was && !was->up)) {
		p->lost_ns = 0;
	} else if (!was) {
		p->lost_ns = !d->running && netdev_has_program(d) &&
					     netdev_count(d, NETDEV_CARRIER_CHANGES, &changes) &&
					     changes >= CARRIER_CHANGES_MIN
				     ? now
				     : 0;
		p->back_ns = 0;
	} else if (was->running && !d->running) {
		p->lost_ns = now;
		p->back_ns = 0;
	} else if (!was->running && d->running) {
		p->back_ns = p->lost_ns ? now : 0;
	} else if (d->running && netdev_grew(was, d, NETDEV_CARRIER_CHANGES, &changes) &&
		   changes > 1) {
		p->lost_ns = p->back_ns = now;
	}
}

static void take_replaced(struct device_past *p, uint64_t now)
{
	memmove(p->replaced_ns + 1, p->replaced_ns,
		(DEVICE_REPLACED - 1) * sizeof(*p->replaced_ns));
	p->replaced_ns[0] = now;
}

static void take_programs(struct device_past *p, const struct netdev *was, const struct netdev *d,
			  uint64_t now)
{
	bool has = netdev_has_program(d);

	if (has && (!p->attached_ns || (was && !netdev_has_program(was)))) {
		/* a program attached after a detach replaces the detached one */
		if (p->attached_ns)
			take_replaced(p, now);
		p->attached_ns = now;
	}
	if (was ? was->prog_id == d->prog_id && was->skb_prog_id == d->skb_prog_id
		: !netdev_has_program(d))
		return;
	p->programs_ns = now;
	p->had_program = was && netdev_has_program(was);
	if (p->had_program && has)
		take_replaced(p, now);
	p->is_new = !was;
}

static void take_last(struct device_past *p, const struct netdev *d, const struct snapshot *s)
{
	const struct program *program = program_find(s, netdev_program(d));
	bool by_netlink = program && program->attach == PROGRAM_NETLINK && !program->parts;

	if (d->gone || !netdev_has_program(d))
		return;
	p->prog_id = netdev_program(d);
	p->mode = by_netlink ? d->mode : NETDEV_NONE;
	snprintf(p->prog_name, sizeof(p->prog_name), "%s", d->prog_name);
	p->outlives = by_netlink && (program->pinned == PROGRAM_PINNED || program->holders);
}

/* If no counter changed, a new reading looks like no reading. Skipping it does no harm. */
static bool is_reading(const struct device_past *p, const struct netdev *d)
{
	for (int i = 0; i < NETDEV_DRIVER_COUNTS; i++) {
		uint64_t n;

		if (netdev_count(d, NETDEV_DRIVER_COUNT + i, &n) &&
		    (!(p->known & BIT(i)) || n != p->count[i] || d->per_s[i] != p->per_s[i]))
			return true;
	}
	return false;
}

_Static_assert(NETDEV_DRIVER_COUNTS <= 8 * sizeof(((struct device_past *)0)->known), "a bit each");

#define UNKNOWN UINT64_MAX

/* How much a counter of the link has grown since *last, its value at the last reading; 0 = unknown.
 */
static uint64_t take_link(const struct netdev *d, enum netdev_count which, uint64_t *last)
{
	uint64_t n, was = *last;

	if (!netdev_count(d, which, &n))
		n = UNKNOWN;
	*last = n;
	if (n == UNKNOWN)
		return 0;
	return n > was ? n - was : 0;
}

static void take_counters(struct device_past *p, const struct netdev *d, uint64_t now)
{
	if (!is_reading(p, d))
		return;
	p->read_before_ns = p->read_ns;
	p->read_ns = now;
	for (int i = 0; i < NETDEV_DRIVER_COUNTS; i++) {
		uint64_t n;

		p->grown[i] = 0;
		if (!netdev_count(d, NETDEV_DRIVER_COUNT + i, &n)) {
			p->known &= ~BIT(i);
			p->times[i] = 0;
			continue;
		}
		if (p->known & BIT(i) && n > p->count[i])
			p->grown[i] = n - p->count[i];
		p->times[i] = p->grown[i] ? p->times[i] + (p->times[i] < UINT8_MAX) : 0;
		p->known |= BIT(i);
		p->count[i] = n;
		p->per_s[i] = d->per_s[i];
	}
	p->received = take_link(d, NETDEV_RX_PACKETS, &p->packets);
	p->sent = take_link(d, NETDEV_TX_PACKETS, &p->tx_packets);
	p->told = p->told_since;
	p->failed = p->failed_since;
	p->told_since = p->failed_since = 0;
}

/* The device that should have sent the packets that this series lost. */
static struct device_past *sender(const struct device_pasts *p, const struct series *s)
{
	const struct series_key *k = &s->key;
	uint32_t at = BIT(s->tracepoint);

	if (at & AT_XMIT)
		return device_pasts_search(p, k->to_netns, k->target);
	if (at & AT_BULK_TX || (at & AT_EXCEPTION && k->code == XDP_TX))
		return device_pasts_search(p, k->netns, k->ifindex);
	return NULL;
}

/* Whether the driver's counter of drops has the packets of this series. */
static bool is_in_drops(const struct snapshot *to, const struct series *s)
{
	const struct netdev *d = snapshot_find_netdev(to, s->key.netns, s->key.ifindex);
	const struct driver *driver = d ? driver_of(d) : NULL;
	unsigned int counts = driver ? driver->reports : 0;

	if (BIT(s->tracepoint) & AT_REDIRECT_ERR)
		return counts & DRIVER_DROP_FAILED;
	/* xdp_redirect_err has the failed redirects */
	if (!(BIT(s->tracepoint) & AT_EXCEPTION) || s->key.code == XDP_REDIRECT)
		return false;
	return counts & (s->key.code == XDP_TX ? DRIVER_DROP_FAILED : DRIVER_DROP_ABORTED);
}

static void take_failed(struct device_pasts *p, const struct rates *r, const struct series *s)
{
	struct device_past *past = device_pasts_search(p, s->key.netns, s->key.ifindex);

	if (past && is_in_drops(r->to, s))
		past->failed_since += rates_delta(r, s)->events;
}

static void take_told(struct device_pasts *p, const struct rates *r)
{
	for (size_t i = 0; r->delta && i < r->to->n_series; i++) {
		const struct series *s = &r->to->series[i];
		struct device_past *past = r->delta[i].events ? sender(p, s) : NULL;
		uint64_t drops;

		if (r->delta[i].events)
			take_failed(p, r, s);
		if (!past || driver_repeats(r->to, s))
			continue;
		if (!series_drops(s->tracepoint, &r->delta[i], &drops) || !drops)
			drops = BIT(s->tracepoint) & AT_EXCEPTION || s->key.code < 0
					? r->delta[i].events
					: 0;
		past->told_since += drops;
	}
}

void device_pasts_update(struct device_pasts *p, const struct rates *r)
{
	size_t n = snapshot_n_netdevs(r->to);
	struct device_pasts was;

	array_reserve(p->before, p->cap_before, n);
	was = *p;
	*p = (struct device_pasts){ was.before, n, was.cap_before, was.past, was.cap };
	for (size_t i = 0; i < n; i++) {
		const struct netdev *d = &snapshot_netdevs(r->to)[i];
		const struct device_past *old = device_pasts_search(&was, d->netns, d->ifindex);
		const struct netdev *from =
			r->from ? snapshot_find_netdev(r->from, d->netns, d->ifindex) : d;

		if (from && !netdev_is_still(from, d))
			from = NULL;
		p->past[i] = old && from ? *old
					 : (struct device_past){ .netns = d->netns,
								 .ifindex = d->ifindex };
		if (d->gone)
			continue;
		if (!old && r->from && from)
			take_counters(&p->past[i], from, r->from->mono_ns);
		take_carrier(&p->past[i], from, d, r->to->mono_ns);
		take_programs(&p->past[i], from, d, r->to->mono_ns);
		take_last(&p->past[i], d, r->to);
	}
	take_told(p, r);
	for (size_t i = 0; i < n; i++)
		if (!snapshot_netdevs(r->to)[i].gone)
			take_counters(&p->past[i], &snapshot_netdevs(r->to)[i], r->to->mono_ns);
}

const struct device_past *device_past_find(const struct device_pasts *p, const struct netdev *d)
{
	return device_pasts_search(p, d->netns, d->ifindex);
}

bool device_past_grows(const struct device_past *past, const struct netdev *d,
		       enum netdev_count which, uint64_t *grown, double *per_s)
{
	int i = (int)which - NETDEV_DRIVER_COUNT;
	double rate;

	if (!past || past->times[i] < 2 || !netdev_per_s(d, which, &rate) || !(rate > 0))
		return false;
	if (grown)
		*grown = past->grown[i];
	if (per_s)
		*per_s = rate;
	return true;
}

void device_pasts_free(struct device_pasts *p)
{
	free(p->past);
	free(p->before);
	memset(p, 0, sizeof(*p));
}
