// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings based on a device's own counters: packets lost before the program or after it. */
#include "diagnose/device_past.h"
#include "diagnose/device_path.h"
#include "diagnose/driver.h"
#include "diagnose/finding_code.h"

#include <inttypes.h>
#include <stdio.h>
#include "base/clock.h"
#include "source/sockets.h"

/*
 * With this share of the device's packets lost in the NIC, the finding is a warning, or critical.
 */
#define MISSED_SHARE     0.001
#define MISSED_SHARE_BAD 0.01
#define MISSED_PER_S     10
/*
 * Tracepoint counts may lag by an interval, but a counter this many times larger shows other
 * losses.
 */
#define UNTOLD 2
/* Redirected frames per second, and the share of them that the device must have sent. */
#define QUEUED_PER_S 1000
#define SENT_SHARE   0.5
/* Longest time (s) from a program change to the loss of the carrier, and until it returns. */
#define RESET_NEAR_S 3
#define RESET_MAX_S  60

static void set_lost(struct evidence *e, double per_s)
{
	e->lost_per_s = per_s;
	e->count = (uint64_t)llround(per_s * e->rates->seconds);
}

/* The driver may get no buffers from an AF_XDP socket, which has its own findings. */
static bool is_starved(const struct evidence *e)
{
	const struct xdp_socket *s;

	if (!xdp_sockets_complete(e->rates->to, e->dev->netns))
		return true;
	for_each_row (s, e->rates, e->rates->to, &xdp_sockets_by_device,
		      row_number(e->dev->netns, e->dev->ifindex))
		if (s->zerocopy && s->rx.size && !s->fill.fill)
			return true;
	return false;
}

/* Packets that the NIC lost and received: in this interval, or between the last two readings. */
static bool is_missing(const struct evidence *e, uint64_t *missed, uint64_t *received,
		       double *per_s)
{
	enum netdev_count which = netdev_missed(e->dev);

	if (which >= NETDEV_DRIVER_COUNT) {
		if (!device_past_grows(e->past, e->dev, which, missed, per_s))
			return false;
		*received = e->past->received;
		return true;
	}
	if (!netdev_grew(evidence_device_before(e), e->dev, which, missed) ||
	    !netdev_grew(evidence_device_before(e), e->dev, NETDEV_RX_PACKETS, received))
		return false;
	*per_s = per_second(*missed, e->rates->seconds);
	return *missed;
}

static bool is_overrun(struct evidence *e)
{
	const struct netdev *d = e->dev, *was = evidence_device_before(e);
	uint64_t missed, received;
	uint32_t ring, ring_max;
	char rate[16], share[16], size[96] = "";
	double part, per_s;

	if (!netdev_has_program(d) || !was || !netdev_has_program(was) ||
	    !is_missing(e, &missed, &received, &per_s))
		return false;
	part = (double)missed / (double)(missed + received);
	if (part < MISSED_SHARE || per_s < MISSED_PER_S || is_starved(e))
		return false;
	if (part < MISSED_SHARE_BAD)
		e->severity = FINDING_WARNING;
	set_lost(e, per_s);
	if (netdev_setting(d, NETDEV_RX_RING, &ring) &&
	    netdev_setting(d, NETDEV_RX_RING_MAX, &ring_max)) {
		if (ring < ring_max)
			e->number = ring_max;
		snprintf(size, sizeof(size),
			 ring < ring_max ? "; its RX rings have %u descriptors (maximum %u)"
					 : "; its RX rings have %u descriptors, the maximum",
			 ring, ring_max);
	}
	format_rate(rate, sizeof(rate), e->lost_per_s, NUMBER_SI);
	format_percent(share, sizeof(share), 100 * part);
	snprintf(e->what, sizeof(e->what),
		 "the NIC finds no free buffer in its receive ring for %s packets a second (%s %% "
		 "of the incoming packets): they are lost before the XDP program sees them%s",
		 rate, share, size);
	return true;
}

/* Counters of losses before the device's receive rings. */
static bool is_discarding(struct evidence *e)
{
	char rate[16], share[16];
	uint64_t n;
	double per_s, part;

	if (!netdev_has_program(e->dev) ||
	    !device_past_grows(e->past, e->dev, NETDEV_RX_DISCARDS, &n, &per_s))
		return false;
	part = (double)n / (double)(n + e->past->received);
	if (part < MISSED_SHARE || per_s < MISSED_PER_S)
		return false;
	if (part < MISSED_SHARE_BAD)
		e->severity = FINDING_WARNING;
	set_lost(e, per_s);
	format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	format_percent(share, sizeof(share), 100 * part);
	snprintf(e->what, sizeof(e->what),
		 "the NIC discards %s packets a second at its port (%s %% of the incoming "
		 "packets), before its receive rings and the XDP program: the host takes packets "
		 "from it too slowly",
		 rate, share);
	return true;
}

static bool is_limited(struct evidence *e)
{
	char rate[16];
	double per_s;

	if (!netdev_has_program(e->dev) ||
	    !device_past_grows(e->past, e->dev, NETDEV_LIMIT_EXCEEDED, NULL, &per_s) ||
	    per_s < MISSED_PER_S)
		return false;
	format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "the cloud's network delays or drops %s packets a second, because this machine "
		 "exceeds a limit on its bandwidth, packets or connections; XDP does not see them",
		 rate);
	return true;
}

/* Whether a counter grew by more than tracepoints reported. */
static bool is_untold(const struct evidence *e, enum netdev_count which, double *per_s)
{
	uint64_t grown;

	return device_past_grows(e->past, e->dev, which, &grown, per_s) &&
	       grown > UNTOLD * e->past->told;
}

static const char *counter_names(const struct driver *driver)
{
	return driver->counters ?: "ethtool -S";
}

/* Sets the size for the command; 0 = the ring is already at its maximum. */
static void set_tx_ring(struct evidence *e)
{
	uint32_t ring;

	netdev_setting(e->dev, NETDEV_TX_RING_MAX, &e->number);
	if (netdev_setting(e->dev, NETDEV_TX_RING, &ring) && ring >= e->number)
		e->number = 0;
}

/* Tracepoints report the redirected frames that the driver rejected, so the rest is XDP_TX. */
static bool is_one_path(const struct driver *driver)
{
	const struct driver_limits *limits = driver_limits_of(driver);

	return limits && limits->one_path;
}

static bool is_tx_full(struct evidence *e)
{
	const struct driver *driver = driver_has_program(e->dev) ? driver_of(e->dev) : NULL;
	enum netdev_count errors =
		is_one_path(driver) ? NETDEV_XDP_XMIT_ERRORS : NETDEV_XDP_TX_ERRORS;
	char rate[16];
	double per_s;

	if (!driver || driver->reports & (DRIVER_TX | DRIVER_BULK_TX) ||
	    !(driver->reports & DRIVER_REPORTS) || !is_untold(e, errors, &per_s))
		return false;
	set_lost(e, per_s);
	set_tx_ring(e);
	format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "%s XDP_TX packets a second are lost because the transmit ring is full; only the "
		 "counters of %s show them (%s)",
		 rate, driver->name, counter_names(driver));
	return true;
}

/* Driver counters of losses that no tracepoint reports unless `reports` has the bit. */
static const struct {
	enum netdev_count count;
	unsigned int reports;
} losses[] = {
	{ NETDEV_XDP_ABORTED, DRIVER_ABORTED },
	{ NETDEV_XDP_INVALID, DRIVER_INVALID },
	{ NETDEV_XDP_TX_ERRORS, DRIVER_TX },
	{ NETDEV_RX_ALLOC_FAIL, DRIVER_REPORTS },
};

/* Appends the unreported counters, "xdp_aborted 12 (3 a second)". Returns how many grow. */
static int list_losses(struct evidence *e, unsigned int reports, bool all, struct format_text *t)
{
	double sum = 0;
	int grow = 0;

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		char total[16], rate[16];
		uint64_t n;
		double per_s;
		bool grows;

		if (reports & losses[i].reports || !netdev_count(e->dev, losses[i].count, &n))
			continue;
		grows = device_past_grows(e->past, e->dev, losses[i].count, NULL, &per_s);
		if (!grows && !(all && n))
			continue;
		format_count(total, sizeof(total), n, NUMBER_SI);
		format_add(t, "%s %s %s", grow || all ? "," : ":", netdev_counts[losses[i].count],
			   total);
		if (!grows)
			continue;
		format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
		format_add(t, " (%s a second)", rate);
		sum += per_s;
		grow++;
	}
	if (grow)
		set_lost(e, sum);
	else
		e->severity = FINDING_INFO;
	return grow;
}

/* The driver runs a program and reports none of its failures. */
static bool is_silent(struct evidence *e)
{
	const struct driver *driver = driver_has_program(e->dev) ? driver_of(e->dev) : NULL;
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };

	if (!driver || driver->reports & DRIVER_REPORTS || driver->target == TARGET_SLAVES)
		return false;
	format_add(&t,
		   "the driver %s does not report failures as xdp_exception: its counters show "
		   "them (%s)",
		   driver->name, counter_names(driver));
	list_losses(e, 0, true, &t);
	return true;
}

/* The driver reports only some failures, and counts others itself. tx-full has unsent frames. */
static bool is_partly_silent(struct evidence *e)
{
	const struct driver *driver = driver_has_program(e->dev) ? driver_of(e->dev) : NULL;
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };

	if (!driver || !(driver->reports & DRIVER_REPORTS))
		return false;
	format_add(&t, "the driver %s counts losses that it does not report as xdp_exception",
		   driver->name);
	return list_losses(e, driver->reports | DRIVER_TX, false, &t) > 0;
}

/* Frames that xdp_devmap_xmit counted for this device in the interval: sent, and dropped. */
static uint64_t queued(const struct evidence *e, uint64_t *dropped)
{
	const struct rates *r = e->rates;
	const struct series *s;
	struct row_walk w;
	uint64_t n = 0;

	*dropped = 0;
	row_walk_begin(&w, r, r->to, &series_by_target, row_number(e->dev->netns, e->dev->ifindex));
	while (r->tp_events[TP_XDP_DEVMAP_XMIT] && (s = row_walk_next(&w))) {
		if (s->tracepoint != TP_XDP_DEVMAP_XMIT)
			continue;
		n += rates_delta(r, s)->packets;
		*dropped += rates_delta(r, s)->drops;
	}
	return n;
}

/* The driver accepted the frames, but later counted them as not sent. */
static bool has_xmit_errors(struct evidence *e)
{
	const struct driver *driver = e->dev->gone ? NULL : driver_of(e->dev);
	uint64_t dropped, n = driver ? queued(e, &dropped) : 0;
	char rate[16];
	double per_s;

	if (!n || is_one_path(driver) || !is_untold(e, NETDEV_XDP_XMIT_ERRORS, &per_s))
		return false;
	set_lost(e, per_s);
	set_tx_ring(e);
	format_rate(rate, sizeof(rate), per_s, NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "frames are redirected to it and count as sent (xdp_devmap_xmit), but its driver "
		 "%s could not send %s of them a second; only its counters show them (%s)",
		 driver->name, rate, counter_names(driver));
	return true;
}

/* tx_packets includes frames sent by XDP, but is far lower. */
static bool lags(struct evidence *e)
{
	const struct driver_limits *limits = driver_limits_of(driver_of(e->dev));
	uint64_t dropped, n, sent;
	char in[16], out[16];

	if (!limits || !limits->counts_sent || e->dev->gone || !e->dev->running)
		return false;
	n = queued(e, &dropped);
	if (per_second(n, e->rates->seconds) < QUEUED_PER_S ||
	    !netdev_grew(evidence_device_before(e), e->dev, NETDEV_TX_PACKETS, &sent) ||
	    (double)sent >= SENT_SHARE * (double)n)
		return false;
	set_lost(e, per_second(n - sent, e->rates->seconds));
	format_rate(in, sizeof(in), per_second(n, e->rates->seconds), NUMBER_SI);
	format_rate(out, sizeof(out), per_second(sent, e->rates->seconds), NUMBER_SI);
	snprintf(e->what, sizeof(e->what),
		 "%s frames a second are redirected to it and count as sent (xdp_devmap_xmit), but "
		 "it sent only %s packets a second in all; no tracepoint says why",
		 in, out);
	return true;
}

/* Whether something says that XDP_TX fails. Then another finding has the reason. */
static bool has_tx_failures(const struct device_past *p)
{
	return !p || p->told || p->told_since ||
	       p->grown[NETDEV_XDP_TX_ERRORS - NETDEV_DRIVER_COUNT] ||
	       p->grown[NETDEV_XDP_XMIT_ERRORS - NETDEV_DRIVER_COUNT];
}

/* XDP_TX and all sent packets per second, from verdicts in the interval, else from the driver. */
static bool tx_and_sent(const struct evidence *e, double *tx, double *sent)
{
	struct device_path path;
	uint64_t n;

	device_path_set(&path, e->rates, NULL, e->dev->netns, e->dev->ifindex);
	if (path.count[PATH_TX].source == PATH_VERDICTS && path.count[PATH_TX].now &&
	    netdev_grew(evidence_device_before(e), e->dev, NETDEV_TX_PACKETS, &n)) {
		*tx = path.count[PATH_TX].per_s;
		*sent = per_second((double)n, e->rates->seconds);
		return true;
	}
	if (!device_past_grows(e->past, e->dev, NETDEV_XDP_TX, &n, tx))
		return false;
	*sent = *tx * (double)e->past->sent / (double)n;
	return true;
}

/* The driver takes XDP_TX packets, but they never leave. */
static bool loses_tx(struct evidence *e)
{
	const struct driver *driver = driver_has_program(e->dev) ? driver_of(e->dev) : NULL;
	const struct driver_limits *limits = driver_limits_of(driver);
	char in[16], out[16], dropped[48] = "";
	double tx, sent;
	uint64_t n;

	if (!limits || !limits->counts_sent || !e->dev->running || has_tx_failures(e->past) ||
	    !tx_and_sent(e, &tx, &sent) || tx < QUEUED_PER_S || sent >= SENT_SHARE * tx)
		return false;
	set_lost(e, tx - sent);
	format_rate(in, sizeof(in), tx, NUMBER_SI);
	format_rate(out, sizeof(out), sent, NUMBER_SI);
	if (netdev_grew(evidence_device_before(e), e->dev, NETDEV_TX_DROPPED, &n) && n)
		snprintf(dropped, sizeof(dropped), "; tx_dropped grew by %" PRIu64, n);
	snprintf(e->what, sizeof(e->what),
		 "the program returns XDP_TX for %s packets a second, and no tracepoint or driver "
		 "counter counts them as failed, but the device sent only %s packets a second in "
		 "all%s",
		 in, out, dropped);
	return true;
}

static double seconds_between(uint64_t a, uint64_t b)
{
	return (double)(a > b ? a - b : b - a) / NSEC_PER_SEC;
}

/* On attach and detach the driver sets up its queues again, and the link goes down and up. */
static bool is_reset(struct evidence *e)
{
	const struct device_past *p = e->past;
	uint64_t now = e->rates->to->mono_ns;
	const char *what;
	double without;

	/* a virtual device takes its carrier from its peer or lower devices */
	if (!p || e->dev->gone || e->dev->kind[0] || !p->lost_ns || !p->programs_ns ||
	    seconds_between(p->lost_ns, p->programs_ns) > RESET_NEAR_S + e->rates->seconds ||
	    (p->back_ns ? p->back_ns != now : p->is_new))
		return false;
	without = seconds_between(p->back_ns ?: now, p->lost_ns);
	/* a user may have caused this; few drivers reset when a program is replaced */
	if (without > RESET_MAX_S ||
	    (p->had_program && netdev_has_program(e->dev) && p->back_ns == p->lost_ns))
		return false;
	what = !p->had_program              ? "was attached"
	       : netdev_has_program(e->dev) ? "was replaced"
					    : "was detached";
	if (!p->back_ns && p->lost_ns == now)
		snprintf(e->what, sizeof(e->what),
			 "an XDP program %s, and the driver reset the device, which has no "
			 "carrier now, and so receives and sends nothing",
			 what);
	else if (!p->back_ns)
		snprintf(e->what, sizeof(e->what),
			 "an XDP program %s, and the driver reset the device, which has had "
			 "no carrier for %.1f s, and so receives and sends nothing",
			 what, without);
	else if (p->back_ns == p->lost_ns)
		snprintf(e->what, sizeof(e->what),
			 "an XDP program %s, and the driver reset the device, which had no "
			 "carrier for up to %.1f s",
			 what, e->rates->seconds);
	else
		snprintf(e->what, sizeof(e->what),
			 "an XDP program %s, and the driver reset the device, which had no "
			 "carrier for %.1f s",
			 what, without);
	return true;
}

#define COUNTERS "{in}ethtool -S {dev}"
#define TX_RING                           \
	"{in}ethtool -g {dev}\n" COUNTERS \
	"\n{in}ethtool -l {dev}\n{ip} -s link show dev {dev}\n{in}ethtool -G {dev} tx {number}"
#define DEVICE RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE

/* clang-format off */
static const struct finding_code codes[] = {
	{ "rx-ring-overrun", FINDING_CRITICAL,
	  "a NIC with XDP loses 0.1 % of its packets or more because it has no free receive "
	  "buffer, in two intervals in a row or two readings of its driver's counter. The severity "
	  "is warning below 1 %",
	  { .text = "use larger RX rings (ethtool -G) to absorb bursts. If the loss lasts, the CPU "
		    "is too slow for its queue: use more channels (ethtool -L), spread packets "
		    "differently (ethtool -X), or shorten the program",
	    .commands = "{in}ethtool -g {dev}\n"
			COUNTERS "\n"
			"grep -F -e {dev} /proc/interrupts\n"
			"{in}ethtool -G {dev} rx {number}" },
	  RULES({ DEVICE, .intervals = 2, .when = is_overrun }) },
	{ "nic-discards", FINDING_CRITICAL,
	  "a NIC with XDP discards 0.1 % of its packets or more at its port, in two readings of "
	  "its driver's counter in a row. The severity is warning below 1 %",
	  { .text = "check in lspci -vv whether LnkSta is below LnkCap, and whether the queues run "
		    "on CPUs of the NIC's NUMA node. Larger RX rings do not help",
	    .commands = COUNTERS "\n"
			"lspci -vv\n"
			"{in}cat /sys/class/net/{dev}/device/numa_node\n"
			"{in}ethtool -a {dev}" },
	  RULES({ DEVICE, .when = is_discarding }) },
	{ "cloud-limit", FINDING_WARNING,
	  "a cloud's network delays or drops packets of a device with XDP, because the instance "
	  "exceeds a limit. The driver's counters grow in two readings in a row",
	  { .text = "send and receive less, spread the load over more instances, or use a larger "
		    "one. The *_allowance_exceeded counters in ethtool -S name the limit, which no "
		    "setting of this machine can raise",
	    .commands = COUNTERS },
	  RULES({ DEVICE, .when = is_limited }) },
	{ "tx-full", FINDING_CRITICAL,
	  "the transmit ring has no room for XDP_TX packets, and the driver fires no tracepoint "
	  "for them. The driver's counters grow in two readings in a row",
	  { .text = "use a larger TX ring (ethtool -G), more channels (ethtool -L), or send fewer "
		    "packets back",
	    .commands = TX_RING },
	  RULES({ DEVICE, .when = is_tx_full }) },
	{ "queued-not-sent", FINDING_CRITICAL,
	  "frames that are redirected to a device count as sent, but the device did not send them, "
	  "and no tracepoint says why",
	  { .text = "the target's driver or TX ring loses the frames, so use a larger TX ring "
		    "(ethtool -G) or more channels (ethtool -L), and check dmesg for resets",
	    .commands = TX_RING },
	  RULES({ DEVICE, .when = has_xmit_errors },
		{ DEVICE, .intervals = 3, .when = lags }) },
	{ "tx-not-sent", FINDING_CRITICAL,
	  "a program returns XDP_TX for 1,000 packets a second or more, its device sends less than "
	  "half of them, and no tracepoint or driver counter reports failures, in three intervals "
	  "in a row",
	  { .text = "for a tap, check that the program that reads it has not hung. For a NIC, check "
		    "dmesg for transmit timeouts and resets, then bring it down and up or change "
		    "its number of channels (ethtool -L)",
	    .commands = COUNTERS "\n"
			"{ip} -s link show dev {dev}\n"
			"{in}ethtool -l {dev}\n"
			"dmesg | grep -F -e {dev}" },
	  RULES({ DEVICE, .intervals = 3, .when = loses_tx }) },
	{ "driver-is-silent", FINDING_WARNING,
	  "a device runs XDP natively, but its driver reports no failures, or only some, as "
	  "xdp_exception. The severity is info while the driver's loss counters do not grow",
	  { .text = "watch the driver's counters, because these losses are shown nowhere else",
	    .commands = COUNTERS },
	  RULES({ DEVICE, .when = is_silent }, { DEVICE, .when = is_partly_silent }) },
	{ "device-reset", FINDING_WARNING,
	  "a device lost its carrier when an XDP program was attached, detached or replaced",
	  { .text = "attach the program once, after channels, rings and MTU are set and before "
		    "there is traffic. Most drivers replace a program without a reset (bpftool "
		    "link update, ip -force link set)",
	    .commands = "{ip} -s -d link show dev {dev}\n"
			"dmesg | grep -F -e {dev}" },
	  RULES({ DEVICE, .is_event = true, .when = is_reset }) },
};
/* clang-format on */

const struct finding_group driver_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
