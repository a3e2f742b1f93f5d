// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets that a network stack drops because of what an XDP program did, or did not do, to them. */
#include "diagnose/device_past.h"
#include "diagnose/finding_code.h"

#include <stdio.h>
#include "base/format.h"
#include "model/row_walk.h"
#include "source/programs.h"

/* The share of the packets handed on by XDP that the stack dropped, and how many per second. */
#define BAD_SHARE 0.9
#define BAD_PER_S 100

static bool are_bad(double bad_per_s, double handed_on_per_s)
{
	return bad_per_s >= BAD_PER_S && bad_per_s >= BAD_SHARE * handed_on_per_s;
}

/* Frames that XDP sent out of the device in the interval, by redirects or by XDP_TX. */
static uint64_t frames_sent(const struct rates *r, const struct netdev *out)
{
	const uint64_t place = row_number(out->netns, out->ifindex);
	const struct series *s;
	uint64_t n = 0;

	for_each_row (s, r, r->to, &series_by_target, place)
		if (BIT(s->tracepoint) & AT_XMIT)
			n += rates_delta(r, s)->packets;
	for_each_row (s, r, r->to, &series_by_device, place)
		if (BIT(s->tracepoint) & AT_BULK_TX)
			n += rates_delta(r, s)->packets;
	return n;
}

/*
 * net/ipv4/ip_input.c, ip_rcv_core(): the other end of the link drops what is not sent to its MAC
 * address, and counts it. Another host's counter is not known.
 */
static bool has_wrong_mac(struct evidence *e)
{
	const struct netdev *out = BIT(e->tracepoint) & AT_BULK_TX ? e->dev : e->to, *peer;
	double per_s, sent_per_s;
	char rate[16];
	uint64_t n;

	peer = out ? snapshot_find_netdev(e->rates->to, out->peer_netns, out->peer_ifindex) : NULL;
	if (!peer || !netdev_grew(snapshot_find_netdev(e->rates->from, peer->netns, peer->ifindex),
				  peer, NETDEV_RX_OTHERHOST, &n))
		return false;
	per_s = per_second((double)n, e->rates->seconds);
	sent_per_s = per_second((double)frames_sent(e->rates, out), e->rates->seconds);
	if (!are_bad(per_s, sent_per_s))
		return false;
	e->count = n;
	e->other = peer;
	format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	snprintf(
		e->what, sizeof(e->what),
		"the stack of %s drops %s packets a second (otherhost), about as many as XDP sends "
		"there: their destination MAC address is not that of %s",
		peer->name, rate, peer->name);
	return true;
}

/* Packets that came in with a wrong checksum are also counted, so the text names both causes. */
static bool has_wrong_checksum(struct evidence *e)
{
	const struct device_past *p = e->past;
	uint64_t grown;
	double per_s;
	char rate[16];

	if (e->dev->gone || !netdev_has_program(e->dev) ||
	    !device_past_grows(p, e->dev, NETDEV_CSUM_ERRORS, &grown, &per_s) ||
	    (p->programs_ns && p->programs_ns >= p->read_before_ns) ||
	    !are_bad(per_s, per_s * (double)p->received / (double)grown))
		return false;
	e->count = grown;
	e->program = program_find(e->rates->to, netdev_program(e->dev));
	e->since_ns = e->first_ns = p->read_before_ns;
	format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "the stack drops %s packets a second for a wrong checksum (InCsumErrors of the "
		 "network namespace), about as many as the device receives: the program changes "
		 "packets without their checksums, or they come in with wrong ones",
		 rate);
	return true;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "mac-not-rewritten", FINDING_WARNING,
	  "90 % or more of the frames that XDP sends to the other end of a veth, at least 100 a "
	  "second, have a destination MAC address other than its own, so the stack there drops "
	  "them",
	  { .text = "before XDP_REDIRECT, have the program write the MAC addresses that "
		    "bpf_fib_lookup() returns. Before XDP_TX, have it swap the frame's source and "
		    "destination MAC addresses",
	    .commands = "{ip_peer} -s -s link show dev {peer}\n"
			"{ip} neigh show\n"
			"{in}bpftool net show dev {dev}" },
	  RULES({ RULE_SERIES, AT_XMIT | AT_BULK_TX, .code = RULE_ANY,
		  .per = PER_DEVICE | PER_TARGET, .intervals = 2, .when = has_wrong_mac }) },
	{ "checksum-broken", FINDING_WARNING,
	  "the stack drops 90 % or more of the packets that a device with XDP receives, at least "
	  "100 a second, for a wrong checksum, in two readings in a row",
	  { .text = "have the program update the checksums of the headers that it changes "
		    "(bpf_csum_diff()). If detaching the program does not help, check the sender",
	    .commands = "{in}nstat -as\n"
			"{in}bpftool net show dev {dev}\n"
			"bpftool prog dump xlated id {prog}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE | PER_PROG,
		  .when = has_wrong_checksum }) },
};
/* clang-format on */

const struct finding_group stack_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
