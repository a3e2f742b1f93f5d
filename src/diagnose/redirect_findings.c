// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about redirects to devices: which devices cannot accept the frames, and why. */
#include "diagnose/driver.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "diagnose/map_evidence.h"

#define SENT    (PER_DEVICE | PER_TARGET)
#define FLOW    (PER_DEVICE | PER_TARGET | PER_PROG)
#define PROGRAM (PER_DEVICE | PER_PROG)
#define MEMBERS (PER_DEVICE | PER_PROG | PER_MAP | PER_RULE)

static bool is_driver(const struct netdev *d, enum driver_target target)
{
	const struct driver *driver = driver_of(d);

	return driver && driver->target == target;
}

static bool is_peer_driver(const struct netdev *d)
{
	return is_driver(d, TARGET_PEER);
}

/* The redirecting program runs in the stack, on skbs. */
static bool is_generic(const struct evidence *e)
{
	const struct netdev *d = e->dev;

	return d && d->skb_prog_id && d->skb_prog_id == e->series->key.prog_id;
}

/*
 * The device at the beginning of the interval. A target is known only once a series names it: if it
 * was unknown, its current state is used, and rules for several intervals check the next.
 */
static const struct netdev *target_before(const struct evidence *e, const struct netdev *d)
{
	return snapshot_find_netdev(e->rates->from, d->netns, d->ifindex) ?: d;
}

static bool is_down(const struct evidence *e, const struct netdev *d)
{
	return !d->up && !target_before(e, d)->up;
}

static bool is_short(const struct evidence *e, const struct netdev *d)
{
	return d->mtu && d->mtu < e->dev->mtu;
}

/* The first member of the series' map for which this holds; NULL = none, or not read. */
static const struct netdev *find_member(const struct evidence *e,
					bool (*holds)(const struct evidence *e,
						      const struct netdev *d))
{
	const struct snapshot *to = e->rates->to;
	const struct map_entry *map = map_find(to, e->series->key.map_id);
	size_t n = map ? map_rows(to, map) : 0;

	for (size_t i = 1; i < n; i++) {
		const struct netdev *d =
			snapshot_find_netdev(to, map[i].to_netns, map[i].to_ifindex);

		if (d && !d->gone && holds(e, d))
			return d;
	}
	return NULL;
}

/*
 * A broadcast fails with the errno of the last member that refused, whichever device the key names.
 * Generic mode does not check members in advance: kernel/bpf/devmap.c, dev_map_redirect_multi().
 * Device states are read after the event, so both ends of the interval must agree.
 */
static bool is_other_down(struct evidence *e)
{
	const struct netdev *to = e->to;

	if (!is_generic(e) || !to || to->gone || !to->up || !target_before(e, to)->up)
		return false;
	e->other = find_member(e, is_down);
	snprintf(e->what, sizeof(e->what),
		 "%s, a member of the map, is down, and %s, which the map key names, is up: a "
		 "broadcast (BPF_F_BROADCAST) fails with the errno of any member",
		 e->other ? e->other->name : "a device", to->name);
	return true;
}

/* A TSO packet counts as one frame. Only these two drivers pass it to generic XDP. */
static bool may_be_tso(const struct netdev *dev)
{
	const struct driver *driver = driver_of(dev);

	return driver && (driver->target == TARGET_PEER || driver == driver_find("tun"));
}

static bool is_longer_than_ingress(const struct evidence *e)
{
	return is_generic(e) && e->to && e->dev->mtu && e->to->mtu >= e->dev->mtu;
}

static bool is_tso(struct evidence *e)
{
	const struct netdev *peer;

	if (!is_longer_than_ingress(e) || !may_be_tso(e->dev))
		return false;
	peer = snapshot_find_netdev(e->rates->to, e->dev->peer_netns, e->dev->peer_ifindex);
	e->other = peer;
	snprintf(
		e->what, sizeof(e->what),
		"the target's MTU of %u is not below the device's MTU. In generic mode, the "
		"refused packets are TSO packets from %s, each counted as one frame, or packets of "
		"a broadcast that another member of the map refuses",
		e->to->mtu,
		peer                     ? peer->name
		: is_peer_driver(e->dev) ? "its peer"
					 : "the guest");
	return true;
}

static bool is_other_short(struct evidence *e)
{
	if (!is_longer_than_ingress(e) || target_before(e, e->to)->mtu != e->to->mtu ||
	    may_be_tso(e->dev) || !driver_of(e->dev))
		return false;
	e->other = find_member(e, is_short);
	e->number = e->dev->mtu;
	snprintf(e->what, sizeof(e->what),
		 "the frames are too long for %s, a member of the map, but not for %s, which the "
		 "map key names: a broadcast (BPF_F_BROADCAST) fails with the errno of any member",
		 e->other ? e->other->name : "a device", e->to->name);
	return true;
}

static bool has_no_native_program(const struct netdev *d)
{
	return !d->gone && (d->mode == NETDEV_NONE || d->mode == NETDEV_GENERIC);
}

/* The driver cannot send without a program, and has none. The feature flags may be late. */
static bool lacks_program(const struct netdev *d)
{
	return d && has_no_native_program(d) && is_driver(d, TARGET_FOLLOWS);
}

/* Whatever the members support, frames of several buffers cannot be cloned. */
static bool is_broadcast_of_frags(struct evidence *e)
{
	const uint64_t all = NETDEV_XDP_NDO_XMIT | NETDEV_XDP_NDO_XMIT_SG;

	if (is_generic(e))
		return true;
	return e->to && e->to->has_features && !lacks_program(e->to) &&
	       (target_before(e, e->to)->features & e->to->features & all) == all;
}

#define BROADCAST_MIN     100 /* minimum frames to each member */
#define BROADCAST_MEMBERS 64  /* with more members, do not look for a broadcast */

/*
 * The program sent about as many frames to each target, and in total far more than it redirected;
 * or, if redirects are not counted, than came in. If neither is known, *sure is false.
 */
static bool is_broadcast(const struct evidence *e, bool *sure)
{
	const uint64_t place = row_number(e->series->key.netns, e->series->key.ifindex);
	uint64_t all = 0, least = UINT64_MAX, most = 0, in = 0;
	const struct series *s;

	for (size_t i = 0; i < e->n_row; i++) {
		const struct series_counters *c = rates_delta(e->rates, e->row[i]);
		uint64_t n = c->packets + c->drops;

		all += n;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	if (e->n_row < 2 || e->n_row > BROADCAST_MEMBERS || least < BROADCAST_MIN ||
	    most - least > most / 100)
		return false;
	for_each_row (s, e->rates, e->rates->to, &series_by_device, place)
		if (BIT(s->tracepoint) & AT_REDIRECT)
			in += rates_delta(e->rates, s)->events;
	*sure = e->rates->tp_seconds[TP_XDP_REDIRECT] > 0 ||
		netdev_grew(target_before(e, e->dev), e->dev, NETDEV_RX_PACKETS, &in);
	return !*sure || (in && all > in + in / 2);
}

/* Whether single redirects to the device failed: then a broadcast does not skip its member. */
static bool was_refused(const struct evidence *e, const struct netdev *d)
{
	const struct series *s;

	for_each_row (s, e->rates, e->rates->to, &series_by_target,
		      row_number(d->netns, d->ifindex))
		if (BIT(s->tracepoint) & AT_REDIRECT_ERR && rates_delta(e->rates, s)->events)
			return true;
	return !(e->rates->tp_seconds[TP_XDP_REDIRECT_ERR] > 0);
}

static bool is_in_row(const struct evidence *e, const struct map_entry *entry)
{
	for (size_t i = 0; i < e->n_row; i++)
		if (e->row[i]->key.target == entry->to_ifindex &&
		    e->row[i]->key.to_netns == entry->to_netns)
			return true;
	return false;
}

/* Whether the row has all members of the map that are up. Counts members that are down. */
static bool are_members(const struct evidence *e, const struct map_entry *map,
			const struct netdev **down, size_t *n_down)
{
	const struct snapshot *to = e->rates->to;
	size_t n = map_is_read(to, map) ? map_rows(to, map) : 0, up = 0;

	*n_down = 0;
	for (size_t i = 1; i < n; i++) {
		const struct netdev *d =
			snapshot_find_netdev(to, map[i].to_netns, map[i].to_ifindex);

		if (!d || d->gone)
			return false;
		if (is_in_row(e, &map[i]))
			up++;
		else if (!d->up && !target_before(e, d)->up && !(*n_down)++)
			*down = d;
		else if (d->up && d != e->dev) /* BPF_F_EXCLUDE_INGRESS */
			return false;
	}
	return up == e->n_row;
}

/* A native broadcast skips members that are down: kernel/bpf/devmap.c, is_valid_dst(). */
static bool leaves_out(struct evidence *e)
{
	const struct map_entry *map[MAPS_OF_PROGRAM];
	const struct netdev *down = NULL, *first = NULL;
	size_t n_down, others = 0;
	bool sure;
	int n = e->dev && e->dev->prog_id && is_broadcast(e, &sure)
			? maps_of_program(e->rates, e->dev->prog_id, map)
			: 0;

	for (int i = 0; i < n; i++) {
		if (!are_members(e, map[i], &down, &n_down))
			continue;
		if (e->map) /* a second map fits: the broadcast may be through either */
			return false;
		e->map = map[i];
		first = n_down ? down : NULL;
		others = n_down;
	}
	/* without the reference it may be a balancer, whose redirects to the device would fail */
	if (!first || (!sure && was_refused(e, first)))
		return false;
	e->severity = FINDING_INFO;
	e->other = first;
	snprintf(e->what, sizeof(e->what),
		 sure ? "a broadcast (BPF_F_BROADCAST) to all members of the map skips %s%s, which "
			"%s down. The kernel does not report it"
		      : "the same number of frames goes to every member of the map except %s%s, "
			"which %s down. A broadcast (BPF_F_BROADCAST) skips members that are down, "
			"and the kernel does not report it",
		 first->name, others > 1 ? " and others" : "", others > 1 ? "are" : "is");
	return true;
}

#define LOOP_PER_S 10000 /* minimum frames per second of a loop */
#define LOOP_VETHS 8     /* longer loops are not looked for */
/* A frame passes each end of a veth once, but in a loop at least this often. */
#define LOOP_ROUNDS 4

/* The target of most frames that XDP on a device sends; the device itself means XDP_TX. */
static const struct netdev *sends_to(const struct evidence *e, const struct netdev *d)
{
	const struct netdev *to = NULL;
	const struct series *s;
	uint64_t most = 0;

	for_each_row (s, e->rates, e->rates->to, &series_by_device,
		      row_number(d->netns, d->ifindex)) {
		uint64_t n = rates_delta(e->rates, s)->packets;

		if (!(BIT(s->tracepoint) & (AT_BULK_TX | AT_XMIT)) || n <= most)
			continue;
		most = n;
		to = BIT(s->tracepoint) & AT_BULK_TX
			     ? d
			     : snapshot_find_netdev(e->rates->to, s->key.to_netns, s->key.target);
	}
	return to;
}

/* Frames that XDP on `from` sent out of `to`. Adds other frames sent there to *others. */
static uint64_t sent(const struct evidence *e, const struct netdev *from, const struct netdev *to,
		     uint64_t *others)
{
	const uint64_t place = row_number(to->netns, to->ifindex);
	const uint64_t sender = row_number(from->netns, from->ifindex);
	const struct series *s;
	uint64_t n = 0;

	for_each_row (s, e->rates, e->rates->to, &series_by_device, place)
		if (BIT(s->tracepoint) & AT_BULK_TX)
			*(from == to ? &n : others) += rates_delta(e->rates, s)->packets;
		else if (s->tracepoint == TP_NET_DEV_QUEUE)
			*others += rates_delta(e->rates, s)->packets;
	for_each_row (s, e->rates, e->rates->to, &series_by_target, place)
		if (BIT(s->tracepoint) & AT_XMIT)
			*(row_number(s->key.netns, s->key.ifindex) == sender ? &n : others) +=
				rates_delta(e->rates, s)->packets;
	return n;
}

/*
 * Follows the frames from veth to veth until they come back. On each veth the frames are equally
 * many, and many times more than others send there, so they can only be the same frames.
 */
static bool is_loop(struct evidence *e)
{
	const struct netdev *d = e->dev, *at = d, *to;
	double seconds = e->rates->tp_seconds[e->tracepoint];
	uint64_t least = UINT64_MAX, most = 0, others = 0;
	int veths = 0;
	char rate[16];

	if (!d || !(e->rates->tp_seconds[TP_NET_DEV_QUEUE] > 0))
		return false;
	do {
		uint64_t n;

		to = veths < LOOP_VETHS ? sends_to(e, at) : NULL;
		if (!to)
			return false;
		n = sent(e, at, to, &others);
		least = n < least ? n : least;
		most = n > most ? n : most;
		at = snapshot_find_netdev(e->rates->to, to->peer_netns, to->peer_ifindex);
		/* report it once, for the device that comes first */
		if (!at || at < d)
			return false;
		if (!veths++)
			e->other = at == d ? to : at;
	} while (at != d);
	e->count = least;
	if (per_second((double)least, seconds) < LOOP_PER_S || most - least > least / 100 ||
	    least < LOOP_ROUNDS * others)
		return false;
	format_rate(rate, sizeof(rate), per_second((double)least, seconds), NUMBER_SI);
	if (veths == 1)
		snprintf(e->what, sizeof(e->what),
			 "its XDP program sends frames to its own peer %s, from which they come "
			 "back: %s a second",
			 e->other->name, rate);
	else if (e->other->netns == d->peer_netns && e->other->ifindex == d->peer_ifindex)
		snprintf(e->what, sizeof(e->what),
			 "XDP programs on it and on its peer %s send the same frames back to each "
			 "other: %s a second",
			 e->other->name, rate);
	else
		snprintf(e->what, sizeof(e->what),
			 "XDP programs on it%s %s%s send the same frames in a loop over %d veths: "
			 "%s a second",
			 veths > 2 ? "," : " and on", e->other->name,
			 veths > 2 ? " and other devices" : "", veths, rate);
	return true;
}

/* More than the header that a tunnel adds (70 for VXLAN over IPv6), for programs that add one. */
#define ADDED_HEADER 100

static bool says_mtu(struct evidence *e)
{
	uint32_t in = e->dev ? e->dev->mtu : 0, most;

	if (!e->to || !e->to->mtu)
		return true;
	e->number = in > e->to->mtu ? in : e->to->mtu + ADDED_HEADER;
	if (netdev_setting(e->to, NETDEV_MTU_MAX, &most) && most && most < e->number)
		e->number = 0;
	snprintf(e->what, sizeof(e->what),
		 "frames are longer than the target's MTU of %u allows; XDP neither fragments them "
		 "nor tells the sender",
		 e->to->mtu);
	return true;
}

/* TSO packets exist only in generic mode. */
WHEN(says_mtu_of_native, e->dev && !is_generic(e) && says_mtu(e))

/* A device receives frames of its own MTU, unless the program makes them longer. */
static bool is_below_ingress(struct evidence *e)
{
	return says_mtu_of_native(e) && e->number && e->number == e->dev->mtu;
}

/* A veth's peer also drops longer frames, but without an errno: veth_xdp_xmit(). */
WHEN(are_both_below_ingress,
     is_below_ingress(e) && is_peer_driver(e->to) && e->peer && e->peer->mtu < e->number)

/* The device has native XDP, but cannot transmit XDP frames now. */
static bool is_idle(const struct netdev *d)
{
	return d && d->has_features && d->features & NETDEV_XDP_BASIC &&
	       !(d->features & NETDEV_XDP_NDO_XMIT) && has_no_native_program(d);
}

/* Feature flags also show it for TARGET_ALWAYS: since 7.2 mlx5 needs a program to transmit. */
WHEN(needs_program, e->to && e->to->has_features &&
			    ((lacks_program(e->to) && e->to->features & NETDEV_XDP_BASIC) ||
			     (is_idle(e->to) && is_driver(e->to, TARGET_ALWAYS))))

WHEN(slaves_need_program, is_idle(e->to) && is_driver(e->to, TARGET_SLAVES))

/* Before 6.3 the kernel has no feature flags, so the driver itself refuses. */
WHEN(needed_program, lacks_program(e->to) && !e->to->has_features && e->to->up)

/* The lower device of the target, which transmits its frames; NULL = none, or unknown. */
static const struct netdev *lower_of(const struct evidence *e)
{
	const struct netdev *to = e->to;

	return to && to->lower_ifindex && !(to->features & NETDEV_XDP_NDO_XMIT)
		       ? snapshot_find_netdev(e->rates->to, to->netns, to->lower_ifindex)
		       : NULL;
}

/* A macvlan, macvtap, ipvlan or ipvtap. */
static bool is_upper(struct evidence *e)
{
	const struct netdev *lower = lower_of(e);

	/* not for tunnels, whose frames leave through the lower device with other headers */
	if (!lower || (strncmp(e->to->kind, "macv", 4) && strncmp(e->to->kind, "ipv", 3)))
		return false;
	e->other = lower;
	snprintf(e->what, sizeof(e->what),
		 "the target's kind is %s, on %s, and such a device cannot transmit XDP frames",
		 e->to->kind, lower->name);
	return true;
}

static bool is_vlan(struct evidence *e)
{
	const struct netdev *lower = lower_of(e);

	if (!lower || !e->to->vlan_id)
		return false;
	e->other = lower;
	snprintf(e->what, sizeof(e->what),
		 "the target is VLAN %u on %s, and a VLAN device cannot transmit XDP frames",
		 e->to->vlan_id, lower->name);
	return true;
}

WHEN(is_bridge, e->to && !strcmp(e->to->kind, "bridge"))

static bool is_never(struct evidence *e)
{
	if (!is_driver(e->to, TARGET_NEVER) || e->to->features & NETDEV_XDP_NDO_XMIT)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "the target never accepts redirected frames: %s has no ndo_xdp_xmit, and a "
		 "program on the target does not help",
		 driver_of(e->to)->name);
	return true;
}

/* drivers/net/veth.c, veth_set_xdp_features(): all flags depend on the queues of both ends. */
WHEN(has_few_queues, is_peer_driver(e->to) && e->to->has_features && !e->to->features)

/* The same function: the flag depends on the peer's program and GRO. */
WHEN(peer_lacks_xdp, is_peer_driver(e->to) && (!e->peer || has_no_native_program(e->peer)))

static bool has_no_flags(const struct netdev *d)
{
	return d && d->has_features && !(d->features & (NETDEV_XDP_BASIC | NETDEV_XDP_NDO_XMIT));
}

/* The driver has native XDP, but clears all flags because of a setting. */
static bool is_switched_off(struct evidence *e)
{
	const struct driver *driver = driver_of(e->to);

	if (!driver || !has_no_flags(e->to))
		return false;
	snprintf(e->what, sizeof(e->what),
		 "the target does not support XDP with its current settings: %s",
		 driver_no_xdp(driver) ?: "its driver does, but reports no XDP feature now");
	return true;
}

static bool lacks_xdp(struct evidence *e)
{
	if (driver_of(e->to) || !has_no_flags(e->to))
		return false;
	snprintf(e->what, sizeof(e->what), "the target never transmits XDP frames: %s",
		 *netdev_driver(e->to)
			 ? "its driver does not support native XDP"
			 : "it does not support native XDP, or one of its settings forbids it");
	return true;
}

/* Up to 6.2 __xdp_enqueue() (kernel/bpf/devmap.c) only checks that ndo_xdp_xmit exists. */
static bool lacks_ndo(struct evidence *e)
{
	const struct netdev *to = e->to;

	if (!to || to->has_features || !*netdev_driver(to) || is_driver(to, TARGET_PEER) ||
	    is_driver(to, TARGET_SLAVES))
		return false;
	snprintf(e->what, sizeof(e->what),
		 "%s has no ndo_xdp_xmit in this kernel (before Linux 6.3), and a program on the "
		 "target does not help%s",
		 netdev_driver(to),
		 is_driver(to, TARGET_FOLLOWS)
			 ? "; with a later kernel it sends XDP frames while it has a native program"
			 : "");
	return true;
}

/* kernel/bpf/devmap.c, __xdp_enqueue(): frames with frags also need NDO_XMIT_SG. */
WHEN(lacks_multi_buffer, e->to && e->to->has_features && e->to->features & NETDEV_XDP_NDO_XMIT &&
				 !(e->to->features & NETDEV_XDP_NDO_XMIT_SG))

static const struct row_key netdevs_by_ifindex =
	ROW_KEY_IDS(DATA_SOURCE_NETDEVS, struct netdev, ifindex);

/* Finds the device in another namespace, if exactly one there is known to have the ifindex. */
static bool is_elsewhere(struct evidence *e)
{
	const struct series_key *key = &e->series->key;
	const struct netdev *d;

	for_each_row (d, e->rates, e->rates->to, &netdevs_by_ifindex, key->target) {
		if (d->gone || d->netns == key->netns)
			continue;
		if (e->other)
			return false;
		e->other = d;
	}
	return e->other;
}

static bool is_ifindex_zero(struct evidence *e)
{
	if (e->series->key.target)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "the program redirects to ifindex 0: it ignored that bpf_redirect_map() failed%s",
		 e->rates->to->kernel <= KERNEL(5, 14) ? ", or called no helper" : "");
	return true;
}

#define NEEDS_PROGRAM                                                                        \
	"{to} sends XDP frames only while it has a native program; attach one that returns " \
	"XDP_PASS"
#define SHOW_MTUS                    \
	"{ip} link show dev {dev}\n" \
	"{ip_to} link show dev {to}"
#define SHOW_BOTH                         \
	"{ip_to} -d link show dev {to}\n" \
	"{ip_peer} -d link show dev {peer}"
#define RAISE_MTU  "{ip_to} link set dev {to} mtu {number}"
#define MEMBERS_OF "bpftool map dump id {map}\n{ip} link show\n"
#define REFUSED    RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EOPNOTSUPP, .per = FLOW

/* clang-format off */
static const struct finding_code codes[] = {
	{ "target-down", FINDING_CRITICAL,
	  "frames are redirected to a device that is down (ENETDOWN)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -ENETDOWN, .per = FLOW },
		{ RULE_LOSS, AT_XMIT, .code = -ENETDOWN, .per = SENT }) },
	{ "broadcast-member", FINDING_CRITICAL,
	  "a redirect to all members of a devmap (BPF_F_BROADCAST) fails, but not because of the "
	  "device that the key names. The severity is info if native mode only skips a member that "
	  "is down", { 0 },
	  RULES({ RULE_ROW, AT_XMIT, .code = RULE_ANY, .per = MEMBERS, .intervals = 2,
		  .when = leaves_out,
		  .remedy = { "bring up the member that is down, or remove it from the map",
			      MEMBERS_OF "{ip_peer} link set dev {peer} up" } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_DEVMAP, -ENETDOWN, .per = MEMBERS,
		  .intervals = 2, .when = is_other_down,
		  .remedy = { "bring up the member that is down, or remove it from the map",
			      MEMBERS_OF "{ip_peer} link set dev {peer} up" } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_DEVMAP, -EMSGSIZE, .per = MEMBERS,
		  .intervals = 2, .when = is_other_short,
		  .remedy = { "raise the MTU of the member whose MTU is smaller, or remove it from "
			      "the map",
			      MEMBERS_OF "{ip_peer} link set dev {peer} mtu {number}" } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_DEVMAP, -EOPNOTSUPP, .per = MEMBERS,
		  .intervals = 3, .when = is_broadcast_of_frags,
		  .text = "frames of several buffers cannot be broadcast (BPF_F_BROADCAST), "
			  "whatever the members of the map support",
		  .remedy = { "lower the MTU of the device so that a frame fits in one buffer; in "
			      "generic mode, switch TSO and GSO off at the peer that sends "
			      "(ethtool -K)",
			      "bpftool map dump id {map}\n{ip} link show" } }) },
	{ "frame-too-big", FINDING_CRITICAL,
	  "redirected frames are longer than the target's MTU (EMSGSIZE)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EMSGSIZE, .per = FLOW,
		  .when = is_tso,
		  .remedy = { "on the veth's peer, or in the tap's guest: ethtool -K PEER tso off gso "
			      "off",
			      SHOW_MTUS "\n{in_peer}ethtool -K {peer} tso off gso off" } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EMSGSIZE, .per = FLOW,
		  .when = are_both_below_ingress,
		  .remedy = { "raise the MTU of the target and its peer to the ingress MTU, lower the "
			      "ingress MTU, or have the program call bpf_check_mtu() and pass long "
			      "frames to the stack",
			      SHOW_MTUS "\n"
			      "{ip_peer} link set dev {peer} mtu {number}\n" RAISE_MTU } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EMSGSIZE, .per = FLOW,
		  .when = is_below_ingress,
		  .remedy = { "raise the target's MTU to the ingress MTU, lower the ingress MTU, or "
			      "have the program call bpf_check_mtu() and pass long frames to the "
			      "stack",
			      SHOW_MTUS "\n" RAISE_MTU } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EMSGSIZE, .per = FLOW,
		  .when = says_mtu_of_native,
		  .remedy = { "raise the target's MTU, lower the ingress MTU, or have the program "
			      "call bpf_check_mtu() and pass long frames to the stack",
			      SHOW_MTUS "\n" RAISE_MTU } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EMSGSIZE, .per = FLOW,
		  .when = says_mtu, .remedy.commands = SHOW_MTUS "\n" RAISE_MTU }) },
	{ "target-needs-program", FINDING_CRITICAL,
	  "the target of a redirect sends XDP frames only while it has a native XDP program "
	  "(EOPNOTSUPP, or ENXIO or EINVAL before Linux 6.3)",
	  { .text = "attach a program that returns XDP_PASS to the target in native mode, and keep "
		    "it attached. A bond runs it on its slaves, but not on slaves whose driver "
		    "never accepts redirected frames (" DRIVERS_NEVER ")",
	    .commands = ATTACH_PASS("{ip_to}", "{to}") },
	  RULES({ REFUSED, .when = needs_program, .text = NEEDS_PROGRAM },
		{ REFUSED, .when = slaves_need_program,
		  .text = "{to} sends XDP frames only while each of its slaves has a native program; "
			  "attach one that returns XDP_PASS to the bond" },
		{ RULE_LOSS, AT_XMIT, .code = -ENXIO, .per = SENT, .when = needed_program,
		  .text = NEEDS_PROGRAM },
		{ RULE_LOSS, AT_XMIT, .code = -EINVAL, .per = SENT, .when = needed_program,
		  .text = NEEDS_PROGRAM }) },
	{ "target-cannot-receive", FINDING_CRITICAL,
	  "the target of a redirect cannot transmit XDP frames now (EOPNOTSUPP)", { 0 },
	  RULES({ REFUSED | PER_RULE, .when = is_vlan,
		  .remedy = { "redirect to the lower device, after the program has inserted the "
			      "VLAN tag. bpf_fib_lookup() returns the VLAN device",
			      SHOW_BOTH } },
		{ REFUSED | PER_RULE, .when = is_upper,
		  .remedy = { "redirect to the lower device, or return XDP_PASS for packets to the "
			      "target's own addresses",
			      SHOW_BOTH } },
		{ REFUSED | PER_RULE, .when = is_bridge,
		  .text = "the target is a bridge, which cannot transmit XDP frames",
		  .remedy = { "redirect to the bridge port of the packet's destination, or return "
			      "XDP_PASS. bpf_fib_lookup() does not help, because it returns the "
			      "bridge",
			      "{in_to}bridge fdb show br {to}\n"
			      "{ip_to} -d link show master {to}" } },
		{ REFUSED | PER_RULE, .when = is_never },
		{ REFUSED | PER_RULE, .when = has_few_queues,
		  .text = "a veth accepts redirected frames only while its peer has no more TX "
			  "queues than the veth has RX queues; {peer} has more",
		  .remedy = { "use more RX queues on the veth, or fewer TX queues on its peer "
			      "(ethtool -L); the peer also needs an XDP program or GRO",
			      "{in_to}ethtool -l {to}\n"
			      "{in_peer}ethtool -l {peer}" } },
		{ REFUSED | PER_RULE, .when = peer_lacks_xdp,
		  .text = "a veth accepts redirected frames only while its peer has a native XDP "
			  "program or GRO; {peer} has neither",
		  .remedy = { "attach a program that returns XDP_PASS to the peer, or switch GRO "
			      "on there (ethtool -K PEER gro on)",
			      "{ip_peer} -d link show dev {peer}\n"
			      "{in_peer}bpftool net\n"
			      "{in_peer}ethtool -K {peer} gro on" } },
		{ REFUSED | PER_RULE, .when = is_switched_off,
		  .remedy = { "change the setting that forbids XDP, or choose another target",
			      "{ip_to} -d link show dev {to}\n"
			      "{in_to}ethtool -l {to}\n"
			      "{in_to}ethtool -k {to}" } },
		{ REFUSED | PER_RULE, .when = lacks_xdp,
		  .remedy = { "choose another target; for packets to this host or to a device "
			      "without XDP, return XDP_PASS or run the program in generic mode",
			      "{ip_to} -d link show dev {to}\n"
			      "bpftool prog show id {prog}" } },
		{ REFUSED | PER_RULE, .when = lacks_ndo,
		  .remedy = { "choose another target, use a newer kernel, or let the stack send "
			      "(XDP_PASS)",
			      "{in_to}ethtool -i {to}\n"
			      "{ip_to} -d link show dev {to}" } },
		{ REFUSED, .when = lacks_multi_buffer,
		  .text = "the target transmits only XDP frames of one buffer, and these frames "
			  "have several; or it transmitted no XDP frames at all until just now",
		  .remedy = { "lower the MTU of the device so that a frame fits in one buffer, or "
			      "choose a target that transmits frames of several buffers",
			      "{ip} link show dev {dev}\n"
			      "{ip_to} -d link show dev {to}" } },
		{ REFUSED }) },
	{ "redirect-loop", FINDING_WARNING,
	  "programs on both ends of a veth, or of several veths, send the same frames back and "
	  "forth, 10,000 a second or more, in two intervals in a row",
	  { "have one of the programs pass or drop frames that it has already seen, or detach it",
	    "{in}bpftool net show dev {dev}\n"
	    "{in_peer}bpftool net show dev {peer}\n"
	    "{ip} -s link show dev {dev}" },
	  RULES({ RULE_ROW, AT_XMIT | AT_BULK_TX, .code = RULE_ANY, .per = PER_DEVICE, .intervals = 2,
		  .when = is_loop }) },
	{ "no-such-ifindex", FINDING_CRITICAL,
	  "a program redirects to an ifindex that is not in its device's namespace (EINVAL)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_IFINDEX, -EINVAL, .per = PROGRAM,
		  .when = is_ifindex_zero,
		  .remedy = { "have the program return the result of bpf_redirect_map() unchanged",
			      "bpftool prog dump xlated id {prog}" } },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_IFINDEX, -EINVAL, .per = PROGRAM,
		  .when = is_elsewhere,
		  .text = "the program redirects to {to}, which is not in the network namespace of "
			  "the device, while {peer} has that number. Or the program ignores that "
			  "bpf_redirect_map() failed, and the number is the map key of an earlier "
			  "packet",
		  .remedy = { "to reach another namespace, use bpf_redirect_map() with a devmap that "
			      "is filled inside that namespace",
			      "{ip} link show\n"
			      "{ip_peer} link show dev {peer}\n"
			      "bpftool prog show id {prog}" } },
		/*
		 * Per program, not per ifindex, because a program may use any number of wrong ones.
		 * A failed lookup leaves the key of the CPU's previous lookup:
		 * __bpf_xdp_redirect_map().
		 */
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_IFINDEX, -EINVAL, .per = PROGRAM,
		  .text = "the program redirects to {to}, which is not in the network namespace of "
			  "the device. If the program ignores that bpf_redirect_map() failed, the "
			  "number is the map key of an earlier packet" }) },
};
/* clang-format on */

const struct finding_group redirect_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
