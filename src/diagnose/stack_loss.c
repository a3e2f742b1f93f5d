// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/stack_loss.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "model/row_walk.h"
#include "model/tracepoint.h"

static void take_device(struct stack_loss *worst, const struct rates *r, uint32_t netns,
			uint32_t ifindex)
{
	const struct netdev *d = snapshot_find_netdev(r->to, netns, ifindex);
	const struct netdev *was = r->from ? snapshot_find_netdev(r->from, netns, ifindex) : NULL;
	double per_s, age;
	uint64_t n;

	if (!d || d->gone) {
		worst->unread = true;
		return;
	}
	for (int c = NETDEV_RX_OTHERHOST; c < NETDEV_COUNTS;
	     c = c < NETDEV_NETNS_COUNT ? NETDEV_NETNS_COUNT : c + 1) {
		enum netdev_count which = (enum netdev_count)c;

		if (!netdev_per_s(d, which, &per_s)) {
			/* equal values of a counter that is read less often tell nothing */
			if (!netdev_grew(was, d, which, &n) ||
			    (!n && which >= NETDEV_DRIVER_COUNT)) {
				worst->unread = true;
				continue;
			}
			per_s = per_second((double)n, r->seconds);
		}
		age = rates_count_age(r, d, which);
		worst->oldest = fmax(worst->oldest, age);
		if (per_s > worst->per_s) {
			worst->at = d;
			worst->count = which;
			worst->per_s = per_s;
			worst->age = age;
		}
	}
}

/* Takes the device at the other end of the link, which receives what this device sends. */
static void take_peer(struct stack_loss *worst, const struct rates *r, uint32_t netns,
		      uint32_t ifindex)
{
	const struct netdev *d = snapshot_find_netdev(r->to, netns, ifindex);

	if (d && d->peer_ifindex)
		take_device(worst, r, d->peer_netns, d->peer_ifindex);
	else if (d && (!strcmp(d->kind, "veth") || !strcmp(d->kind, "netkit")))
		worst->unread = true; /* the peer is in an unknown namespace */
}

void stack_loss_find(struct stack_loss *worst, const struct rates *r, uint32_t netns,
		     uint32_t ifindex, bool sends)
{
	const struct series *s;

	*worst = (struct stack_loss){ .at = NULL };
	take_device(worst, r, netns, ifindex);
	if (sends)
		take_peer(worst, r, netns, ifindex);
	for_each_row (s, r, r->to, &series_by_device, row_number(netns, ifindex)) {
		if (!(tracepoints[s->tracepoint].has & HAS_TO_DEVICE) || !r->delta ||
		    !rates_delta(r, s)->events)
			continue;
		take_device(worst, r, s->key.to_netns, s->key.target);
		take_peer(worst, r, s->key.to_netns, s->key.target);
	}
}

int stack_loss_text(const struct stack_loss *l, bool brief, char *buf, size_t size)
{
	bool of_netns = l->count >= NETDEV_NETNS_COUNT;
	const char *name =
		of_netns ? netdev_netns_counts[l->count - NETDEV_NETNS_COUNT] : "otherhost";
	char rate[16], ago[24];

	format_rate(rate, sizeof(rate), l->per_s, NUMBER_SI);
	format_ago(ago, sizeof(ago), l->age);
	if (brief)
		return snprintf(buf, size, "%s %s/s%s", name, rate, ago);
	return snprintf(buf, size, of_netns ? "%s %s/s in the netns of %s%s" : "%s %s/s on %s%s",
			name, rate, l->at->name, ago);
}
