// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Findings about settings of devices that run XDP or receive redirected frames. They are
 * information unless packets are lost because of the setting.
 */
#include "diagnose/device_past.h"
#include "diagnose/driver.h"
#include "diagnose/finding_code.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include "source/maps.h"
#include "source/sockets.h"

#define XDP_QUEUES 64 /* limit of ixgbe */
/* Packets per second from which bulks of one packet matter. */
#define ALONE_PER_S 10000

static bool is_generic(const struct netdev *d)
{
	return !d->gone && d->skb_prog_id;
}

static enum driver_channels channels_of(const struct netdev *d)
{
	const struct driver_limits *l = driver_limits_of(driver_of(d));

	return l ? l->channels : CHANNELS_ANY;
}

static void device_walk(struct row_walk *w, const struct rates *r, const struct row_key *key,
			const struct netdev *d)
{
	row_walk_begin(w, r, r->to, key, row_number(d->netns, d->ifindex));
}

/* The next series that counted a redirect in the interval; NULL = no more. */
static const struct series *next_redirect(struct row_walk *w, const struct rates *r)
{
	const uint32_t to_device = AT_XMIT | AT_REDIRECT | AT_REDIRECT_ERR;
	const struct series *s;

	while (r->delta && (s = row_walk_next(w)))
		if (BIT(s->tracepoint) & to_device && rates_delta(r, s)->events)
			return s;
	return NULL;
}

/* Whether frames are redirected to the device. Counts the redirects that failed with this errno. */
static bool is_target(const struct evidence *e, int err, uint64_t *failed)
{
	const struct series *s;
	bool found = false;
	struct row_walk w;

	*failed = 0;
	device_walk(&w, e->rates, &series_by_target, e->dev);
	while ((s = next_redirect(&w, e->rates))) {
		found = true;
		if (s->key.code == err)
			*failed += rates_delta(e->rates, s)->events;
	}
	return found;
}

/* As is_target(), or an entry of a map points to the device. */
static bool is_named(const struct evidence *e, int err, uint64_t *failed)
{
	struct row_walk w;

	if (is_target(e, err, failed))
		return true;
	device_walk(&w, e->rates, &map_entries_by_target, e->dev);
	return row_walk_next(&w);
}

/* Whether any of these tracepoints counted an event for the device in the interval. */
static bool is_source(const struct evidence *e, uint32_t at)
{
	const struct series *s;
	struct row_walk w;

	device_walk(&w, e->rates, &series_by_device, e->dev);
	while (e->rates->delta && (s = row_walk_next(&w)))
		if (BIT(s->tracepoint) & at && rates_delta(e->rates, s)->events && !s->overflow)
			return true;
	return false;
}

static void set_suffering(struct evidence *e, uint64_t packets)
{
	e->count = packets;
	if (!packets)
		e->severity = FINDING_INFO;
}

static bool has_channels(const struct evidence *e, uint32_t *now, uint32_t *max)
{
	return !e->dev->gone && netdev_setting(e->dev, NETDEV_CHANNELS, now) &&
	       netdev_setting(e->dev, NETDEV_CHANNELS_MAX, max);
}

static bool lacks_channels(struct evidence *e)
{
	uint32_t now, max, cpus = e->rates->to->cpus_online;
	uint64_t failed;

	if (channels_of(e->dev) != CHANNELS_PER_CPU || !has_channels(e, &now, &max) ||
	    now >= cpus || !is_target(e, -ENXIO, &failed))
		return false;
	e->number = cpus < max ? cpus : max;
	if (e->number == now)
		e->number = 0;
	set_suffering(e, failed);
	snprintf(e->what, sizeof(e->what),
		 "it has %u channels (maximum %u), and there are %u CPUs: %s sends a redirected "
		 "frame on the channel with the CPU's number, and refuses frames from CPU %u and "
		 "above (ENXIO)",
		 now, max, cpus, driver_of(e->dev)->name, now);
	return true;
}

static bool uses_queues(const struct evidence *e)
{
	double per_s = 0;
	uint64_t failed;

	if (is_target(e, 0, &failed))
		return true;
	return netdev_per_s(e->dev, NETDEV_XDP_TX, &per_s) && per_s > 0;
}

static bool lacks_spare_channels(struct evidence *e)
{
	uint32_t now, max, cpus = e->rates->to->cpus_online;

	if (channels_of(e->dev) != CHANNELS_SPARE || !driver_has_program(e->dev) ||
	    !has_channels(e, &now, &max) || now + cpus <= max || !uses_queues(e))
		return false;
	e->number = max > cpus ? max - cpus : 0;
	set_suffering(e, 0);
	snprintf(e->what, sizeof(e->what),
		 "its %u channels plus an XDP queue for each of %u CPUs exceed its maximum of %u "
		 "queues, so XDP_TX and redirects share queues under a lock, which is slower",
		 now, cpus, max);
	return true;
}

static bool lacks_half(struct evidence *e)
{
	uint32_t now, max;
	uint64_t failed;

	if (channels_of(e->dev) != CHANNELS_HALF || driver_has_program(e->dev) ||
	    !has_channels(e, &now, &max) || 2 * now <= max ||
	    !(is_named(e, -EOPNOTSUPP, &failed) || is_generic(e->dev)))
		return false;
	e->number = max / 2;
	set_suffering(e, failed);
	snprintf(e->what, sizeof(e->what),
		 "its %u channels (maximum %u) leave no room for XDP's queues, one more for each "
		 "channel: it accepts no native program and no redirected frames",
		 now, max);
	return true;
}

static bool shares_queues(struct evidence *e)
{
	uint32_t cpus = e->rates->to->cpus_online;
	uint64_t failed;

	if (channels_of(e->dev) != CHANNELS_OF_64 || cpus <= XDP_QUEUES ||
	    !driver_has_program(e->dev) ||
	    !(is_target(e, -ENXIO, &failed) || is_source(e, AT_BULK_TX)))
		return false;
	set_suffering(e, 0);
	snprintf(e->what, sizeof(e->what),
		 "%s has %u XDP queues for %u CPUs: some CPUs share a queue under a lock, which is "
		 "slower",
		 driver_of(e->dev)->name, XDP_QUEUES, cpus);
	return true;
}

static const struct netdev *peer_of(const struct evidence *e)
{
	const struct netdev *peer =
		snapshot_find_netdev(e->rates->to, e->dev->peer_netns, e->dev->peer_ifindex);

	return e->dev->peer_ifindex && peer && !peer->gone ? peer : NULL;
}

/* drivers/net/veth.c, veth_set_xdp_features(): all flags depend on the queues of both ends. */
static bool has_fewer_than_peer(struct evidence *e)
{
	const struct netdev *peer = peer_of(e);
	uint32_t now, max;
	uint64_t failed;

	if (channels_of(e->dev) != CHANNELS_OF_PEER || !peer || !e->dev->has_features ||
	    e->dev->features || !has_channels(e, &now, &max) ||
	    !(is_named(e, -EOPNOTSUPP, &failed) || is_generic(e->dev)))
		return false;
	e->number = now;
	set_suffering(e, failed);
	snprintf(e->what, sizeof(e->what),
		 "it has %u receive %s (maximum %u), fewer than its peer %s has transmit queues: "
		 "it accepts no native program and no redirected frames",
		 now, now == 1 ? "queue" : "queues", max, peer->name);
	return true;
}

/* The MTU of the sender matters: for a veth, the peer's. */
static const struct netdev *mtu_of(const struct evidence *e)
{
	return channels_of(e->dev) == CHANNELS_OF_PEER ? peer_of(e) : e->dev;
}

static bool is_above_driver(struct evidence *e)
{
	uint32_t limit = driver_mtu_max(driver_of(e->dev), e->rates->to);
	const struct netdev *d = mtu_of(e);

	if (!limit || !d || d->mtu <= limit || driver_has_program(e->dev) || !is_generic(e->dev))
		return false;
	e->number = limit;
	snprintf(
		e->what, sizeof(e->what),
		"%s%s MTU of %u is above the %u that %s allows for a native program without frags: "
		"only generic mode works",
		d == e->dev ? "its" : d->name, d == e->dev ? "" : "'s", d->mtu, limit,
		driver_of(e->dev)->name);
	return true;
}

WHEN(is_above_driver_of_peer, mtu_of(e) != e->dev && is_above_driver(e))

/*
 * Such an attach is refused, unless the program has frags. If the MTU was raised afterwards, which
 * virtio_net does not forbid, longer packets are lost before the program.
 */
static bool is_raised(struct evidence *e)
{
	const struct netdev *was =
		snapshot_find_netdev(e->rates->from, e->dev->netns, e->dev->ifindex);
	const struct driver *driver = driver_of(e->dev);
	uint32_t limit = driver_mtu_max(driver, e->rates->to), max;
	char rate[16];
	double per_s;
	int n;
	bool above = netdev_setting(e->dev, NETDEV_MTU_MAX, &max) && max && e->dev->mtu > max;

	if (!was || !driver_has_program(e->dev) || !driver_has_program(was) ||
	    mtu_of(e) != e->dev || !(above || (limit && e->dev->mtu > limit)))
		return false;
	if (above && (!limit || max < limit))
		limit = max;
	e->number = limit;
	n = snprintf(
		e->what, sizeof(e->what),
		"its MTU of %u is above the %u that %s allows for a program without frags. Unless "
		"the program has frags, the MTU was raised after the attach, and longer packets "
		"are lost before the program sees them",
		e->dev->mtu, limit, driver ? driver->name : "its driver");
	/* virtio_net counts these packets and the program's drops in the same counter */
	if (driver && driver->counters &&
	    device_past_grows(e->past, e->dev, NETDEV_XDP_DROP, NULL, &per_s)) {
		format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
		snprintf(e->what + n, sizeof(e->what) - (size_t)n,
			 "; its driver counts %s more XDP drops a second (%s)", rate,
			 driver->counters);
	}
	return true;
}

static bool is_excluded_by(struct evidence *e, uint16_t offload, const char *name)
{
	const struct driver_limits *l = driver_limits_of(driver_of(e->dev));
	uint64_t failed;

	if (e->dev->gone || !e->dev->has_offloads || !l ||
	    !(e->dev->offloads & l->excludes & offload) || driver_has_program(e->dev) ||
	    !e->dev->has_features || e->dev->features ||
	    !(is_named(e, -EOPNOTSUPP, &failed) || is_generic(e->dev)))
		return false;
	set_suffering(e, failed);
	snprintf(e->what, sizeof(e->what),
		 "%s is on, and this driver (%s) does not run XDP with it: the device accepts no "
		 "native program and no redirected frames",
		 name, l->driver);
	return true;
}

WHEN(is_excluded_by_lro, is_excluded_by(e, NETDEV_LRO, "LRO"))

WHEN(is_excluded_by_gro_hw, is_excluded_by(e, NETDEV_GRO_HW, "HW-GRO"))

/*
 * Generic XDP runs after GRO (net/core/dev.c, __netif_receive_skb_core()). An AF_XDP socket then
 * gets merged packets, and loses any that are larger than its frames.
 */
static bool is_merged(struct evidence *e)
{
	const uint16_t merges = NETDEV_GRO | NETDEV_GRO_UDP_FWD;
	const struct xdp_socket *s;
	struct row_walk w;
	uint64_t lost = 0;
	bool bound = false;

	if (!is_generic(e->dev) || !e->dev->has_offloads || (e->dev->offloads & merges) != merges)
		return false;
	device_walk(&w, e->rates, &xdp_sockets_by_device, e->dev);
	while ((s = row_walk_next(&w))) {
		const struct xdp_socket *was = xdp_socket_find(e->rates->from, s->inode);

		bound = true;
		if (was && s->rx_dropped > was->rx_dropped)
			lost += s->rx_dropped - was->rx_dropped;
	}
	set_suffering(e, lost);
	snprintf(e->what, sizeof(e->what),
		 "rx-udp-gro-forwarding is on, and XDP in generic mode runs after GRO: %s several "
		 "UDP datagrams of a flow as one packet, which breaks QUIC and similar protocols",
		 bound ? "its AF_XDP sockets get" : "the program gets");
	return true;
}

/* Virtual devices keep tags outside the frame in any case. It matters only if there are VLANs. */
static bool is_untagged(struct evidence *e)
{
	if (!driver_has_program(e->dev) || e->dev->kind[0] || !driver_of(e->dev) ||
	    !e->dev->has_offloads || !(e->dev->offloads & NETDEV_RXVLAN))
		return false;
	set_suffering(e, 0);
	return row_walk_first(e->rates, e->rates->to, &vlans_by_netns, e->dev->netns);
}

/*
 * The peer's stack leaves the checksum to the device, which passes this on in the skb
 * (CHECKSUM_PARTIAL). struct xdp_frame has no place for it, so native redirects lose it.
 */
static bool has_open_checksums(struct evidence *e)
{
	const struct netdev *peer = peer_of(e);

	if (strcmp(e->dev->kind, "veth") || !driver_has_program(e->dev) || !peer ||
	    !peer->has_offloads || !(peer->offloads & NETDEV_TX_CSUM) ||
	    !is_source(e, AT_REDIRECT | AT_XMIT))
		return false;
	set_suffering(e, 0);
	snprintf(e->what, sizeof(e->what),
		 "it redirects packets that its peer %s sends with TX checksum offload on. TCP and "
		 "UDP packets of the peer's own stack leave without a checksum, and the receiver "
		 "drops them, while ping works",
		 peer->name);
	return true;
}

static bool is_sent_by_xdp(const struct evidence *e, const struct netdev *d)
{
	struct row_walk w;

	device_walk(&w, e->rates, &series_by_target, d);
	return next_redirect(&w, e->rates);
}

/* drivers/net/veth.c, veth_xdp_set() clears NETIF_F_GSO_SOFTWARE on the peer. */
static bool has_lost_gso(struct evidence *e)
{
	const struct netdev *peer = peer_of(e);
	const struct netdev *was =
		snapshot_find_netdev(e->rates->from, e->dev->netns, e->dev->ifindex);
	uint64_t packets;

	if (strcmp(e->dev->kind, "veth") || !driver_has_program(e->dev) || !peer ||
	    !peer->has_offloads || peer->offloads & NETDEV_TSO || !(peer->offloads & NETDEV_GSO) ||
	    !netdev_grew(was, e->dev, NETDEV_RX_PACKETS, &packets) ||
	    per_second(packets, e->rates->seconds) < ALONE_PER_S || is_sent_by_xdp(e, peer))
		return false;
	set_suffering(e, 0);
	e->count = packets;
	snprintf(e->what, sizeof(e->what),
		 "native XDP on a veth disables TSO on its peer %s: TCP packets arrive one by one "
		 "instead of merged into up to 64 KB, so throughput falls",
		 peer->name);
	return true;
}

#define LASTING       RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE, .intervals = 2
#define OF_EACH       RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE | PER_RULE, .intervals = 2
#define SHOW_CHANNELS "{in}ethtool -l {dev}"
#define SET_CHANNELS  SHOW_CHANNELS "\n{in}ethtool -L {dev} combined {number}"

/* clang-format off */
static const struct finding_code codes[] = {
	{ "channels-below-cpus", FINDING_WARNING,
	  "a device with XDP, or a redirect target, has too few channels for the XDP queues that "
	  "its driver needs. The severity is info while no frames are refused",
	  { 0 },
	  RULES({ LASTING, .when = lacks_channels,
		  .remedy = { "use as many channels as CPUs. If the device cannot have that many, "
			      "receive on the CPUs with the lowest numbers (smp_affinity of the "
			      "ingress device, or fewer channels there)", SET_CHANNELS } },
		{ LASTING, .when = lacks_spare_channels,
		  .remedy = { "use fewer channels and attach the program again, or have the host "
			      "offer more queues, twice as many as CPUs", SET_CHANNELS } },
		{ LASTING, .when = lacks_half,
		  .remedy = { "use at most half of the device's channels, then attach the program "
			      "in native mode",
			      SET_CHANNELS } },
		{ LASTING, .when = shares_queues,
		  .remedy = { "nothing is lost; to avoid the lock, receive on at most 64 CPUs with "
			      "different numbers modulo 64", SHOW_CHANNELS } },
		{ LASTING, .when = has_fewer_than_peer,
		  .remedy = { "give the device as many receive queues as its peer has transmit "
			      "queues, or give the peer fewer",
			      SHOW_CHANNELS "\n"
			      "{in_peer}ethtool -l {peer}\n"
			      "{in_peer}ethtool -L {peer} tx {number}" } }) },
	{ "mtu-above-limit", FINDING_INFO,
	  "the MTU is above what the driver allows for a native XDP program without frags",
	  { .text = "lower the MTU, or load the program with frags (section \"xdp.frags\") if the "
		    "driver supports them; then attach it in native mode",
	    .commands = "{ip} -d link show dev {dev}\n"
			"{ip} link set dev {dev} mtu {number}" },
	  RULES({ LASTING, .when = is_raised, .leads_to = "program-drops" },
		{ LASTING, .when = is_above_driver_of_peer,
		  .remedy.commands = "{ip_peer} -d link show dev {peer}\n"
				     "{ip_peer} link set dev {peer} mtu {number}" },
		{ LASTING, .when = is_above_driver }) },
	{ "offload-conflict", FINDING_WARNING,
	  "an offload setting does not work with XDP (LRO, HW-GRO, rx-udp-gro-forwarding, rxvlan, "
	  "checksum offload or TSO of a veth's peer). The severity is info while no packets are "
	  "affected",
	  { 0 },
	  RULES({ OF_EACH, .when = is_excluded_by_lro,
		  .remedy = { "switch LRO off, then attach the program in native mode",
			      "{in}ethtool -K {dev} lro off" } },
		{ OF_EACH, .when = is_excluded_by_gro_hw,
		  .remedy = { "switch HW-GRO off, then attach the program in native mode",
			      "{in}ethtool -K {dev} rx-gro-hw off" } },
		{ OF_EACH, .when = is_merged,
		  .remedy = { "switch rx-udp-gro-forwarding off, or attach the program in native "
			      "mode, which runs before "
			      "GRO", "{in}ethtool -K {dev} rx-udp-gro-forwarding off" } },
		{ OF_EACH, .when = is_untagged,
		  .text = "rxvlan is on: the NIC removes the VLAN tag from a frame before the "
			  "program sees it, which matters if the program looks at VLANs",
		  .remedy = { "switch rxvlan off if the program needs the tags, or have the "
			      "program call bpf_xdp_metadata_rx_vlan_tag() (6.8+)",
			      "{in}ethtool -K {dev} rxvlan off" } },
		{ OF_EACH, .when = has_open_checksums,
		  .remedy = { "switch TX checksum offload off at the peer, or have the program "
			      "compute the checksum",
			      "{in_peer}ethtool -K {peer} tx off" } },
		{ OF_EACH, .when = has_lost_gso,
		  .remedy = { "no setting restores TSO while the program is attached in native "
			      "mode: attach it in generic mode, or at the NIC, or use tc BPF",
			      "{in_peer}ethtool -k {peer}\n"
			      "{ip} -d link show dev {dev}" } }) },
};
/* clang-format on */

const struct finding_group device_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
