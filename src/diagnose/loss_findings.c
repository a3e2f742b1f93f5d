// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about lost packets by errno or action, except redirects to devices. */
#include "diagnose/driver.h"
#include "diagnose/map_evidence.h"
#include "diagnose/verdict_past.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#define SENT    (PER_DEVICE | PER_TARGET)
#define FLOW    (PER_DEVICE | PER_TARGET | PER_PROG)
#define PROGRAM (PER_DEVICE | PER_PROG)
#define XSK     (PER_DEVICE | PER_TARGET | PER_MAP | PER_PROG)

/*
 * Below this share of a device's packets XDP_ABORTED is information, because programs return it for
 * unknown packets, and for map entries that are briefly missing. If the share is unknown it is a
 * warning.
 */
#define ABORTED_SHARE 0.01
/* A device counter below this share of the aborted packets does not count all packets. */
#define COUNTED 0.9

static void walk_series(struct row_walk *w, const struct evidence *e, const struct row_key *key,
			uint32_t a, uint32_t b)
{
	row_walk_begin(w, e->rates, e->rates->to, key, row_number(a, b));
}

static bool is_veth(const struct netdev *d)
{
	return d && !strcmp(d->kind, "veth");
}

/*
 * A device as it was at the beginning of the interval or, if it was unknown then, at the end.
 * Packets may have been lost before a repair: a state that ended in the interval can be the cause.
 */
static const struct netdev *before(const struct evidence *e, const struct netdev *d)
{
	return snapshot_find_netdev(e->rates->from, d->netns, d->ifindex) ?: d;
}

static bool was_down(const struct evidence *e, const struct netdev *d)
{
	return d && !d->gone && (!d->up || !before(e, d)->up);
}

WHEN(peer_is_down, is_veth(e->to) && was_down(e, e->peer))

/* XDP_TX on a veth has no target: the peer receives. */
WHEN(own_peer_is_down, was_down(e, e->peer))

/*
 * Without a program the peer's queue accepts XDP_TX frames while GRO is on, but veth_xdp_flush() in
 * drivers/net/veth.c does not wake the queue's NAPI, so the frames stay in the queue.
 */
WHEN(own_peer_lacks_program,
     is_veth(e->dev) && e->peer && !e->peer->gone &&
	     (!driver_has_program(e->peer) || !driver_has_program(before(e, e->peer))))

/* Since 5.13 GRO suffices for redirects: drivers/net/veth.c, veth_xdp_xmit(). */
WHEN(peer_needs_program,
     is_veth(e->to) && e->rates->to->kernel && e->rates->to->kernel <= KERNEL(5, 12))

WHEN(target_is_veth, is_veth(e->to))

static bool says_errno(struct evidence *e)
{
	const char *name = errno_name(e->series->key.code);
	const struct cause *cause = cause_in(e->rates->to, e->tracepoint, &e->series->key);
	char number[24];

	/* a recording can contain INT_MIN */
	snprintf(number, sizeof(number), "errno %lld", -(long long)e->series->key.code);
	if (cause)
		snprintf(e->what, sizeof(e->what), "%s: %s", name ? name : number, cause->meaning);
	else
		snprintf(e->what, sizeof(e->what), "%s, which no known kernel reports",
			 name ? name : number);
	return true;
}

/* Whether the program returned other bad values on this device in the interval. */
static bool has_other_values(const struct evidence *e)
{
	const struct series_key *key = &e->series->key;
	const struct series *s;
	struct row_walk w;

	walk_series(&w, e, &series_by_device, key->netns, key->ifindex);
	while ((s = row_walk_next(&w)))
		if (s != e->series && s->tracepoint == TP_XDP_EXCEPTION &&
		    rates_delta(e->rates, s)->events && s->key.prog_id == key->prog_id &&
		    cause_code(TP_XDP_EXCEPTION, &s->key) == CAUSE_BAD_ACT)
			return true;
	return false;
}

/* Verdicts count all bad values together. */
static bool says_value(struct evidence *e)
{
	uint64_t bad, all;
	char of[48];

	if (!verdict_numbers(e, VERDICT_UNKNOWN, &bad, &all) || has_other_values(e))
		all = 0;
	snprintf(e->what, sizeof(e->what),
		 "%sthe program returned %d, which is not a valid XDP action",
		 verdict_share(bad, all, "", of, sizeof(of)), e->series->key.code);
	return true;
}

static bool is_attached(const struct rates *r, const struct snapshot *s, uint32_t prog_id)
{
	return row_walk_first(r, s, &netdevs_by_program, prog_id) ||
	       row_walk_first(r, s, &gone_netdevs_by_program, prog_id);
}

/* Whether a map entry runs the program: no device ran it at either end of the interval. */
static bool is_of_entry(const struct evidence *e)
{
	const struct rates *r = e->rates;
	uint32_t prog_id = e->series->key.prog_id;

	return prog_id && e->dev && !e->dev->gone && !r->to->netdevs_left_out &&
	       !is_attached(r, r->from, prog_id) && !is_attached(r, r->to, prog_id);
}

/* kernel/bpf/devmap.c, dev_map_bpf_prog_run(): the device is the sender. */
static bool is_of_devmap(struct evidence *e)
{
	const struct series *s;
	struct row_walk w;

	if (!is_of_entry(e))
		return false;
	walk_series(&w, e, &series_by_target, e->dev->netns, e->dev->ifindex);
	while ((s = row_walk_next(&w)))
		if (BIT(s->tracepoint) & (AT_XMIT | AT_REDIRECT) &&
		    rates_delta(e->rates, s)->events)
			return true;
	return false;
}

static void says_act_of_entry(struct evidence *e, bool is_devmap)
{
	const struct series_key *key = &e->series->key;
	struct entry_program p = { .prog_id = key->prog_id };
	char entry[160];

	if (is_devmap) {
		p.netns = key->netns;
		p.ifindex = key->ifindex;
	}
	if (!name_entry(e, &p, entry, sizeof(entry)))
		snprintf(entry, sizeof(entry), "a %s entry", is_devmap ? "devmap" : "cpumap");
	if (key->code == XDP_ABORTED)
		snprintf(e->what, sizeof(e->what),
			 "the program of %s returned XDP_ABORTED for frames that %s %s", entry,
			 e->dev->name, is_devmap ? "should have sent" : "received");
	else
		snprintf(e->what, sizeof(e->what),
			 "the program of %s returned %s, which is not a valid action there: the "
			 "packet is dropped",
			 entry, key->code == XDP_TX ? "XDP_TX" : "XDP_REDIRECT");
}

static bool is_of_devmap_entry(struct evidence *e)
{
	if (!is_of_devmap(e))
		return false;
	says_act_of_entry(e, true);
	return true;
}

static bool is_of_cpumap_entry(struct evidence *e)
{
	/* kernel/bpf/cpumap.c, cpu_map_bpf_prog_run(): the device is the receiver */
	if (!(is_of_entry(e) && !is_of_devmap(e) && e->rates->xdp_drop))
		return false;
	says_act_of_entry(e, false);
	return true;
}

/* Packets that a program aborted, and all its packets. */
struct share {
	uint64_t n, all;
	bool at_least; /* `all` is a minimum */
};

static bool is_rare(const struct share *s)
{
	return (double)s->n < ABORTED_SHARE * (double)s->all;
}

/* Packets that the device counted or, if a veth's counters are unknown, that its peer sent. */
static bool received(const struct evidence *e, uint64_t *n)
{
	const struct rates *r = e->rates;

	if (netdev_grew(evidence_device_before(e), e->dev, NETDEV_RX_PACKETS, n))
		return true;
	return is_veth(e->dev) && e->peer && r->from &&
	       netdev_grew(snapshot_find_netdev(r->from, e->peer->netns, e->peer->ifindex), e->peer,
			   NETDEV_TX_PACKETS, n);
}

/*
 * A minimum of the packets that the device received, from tracepoints. If xdp_redirect is counted,
 * each packet is in one event of it, of xdp_redirect_err, or in these exceptions. Otherwise each
 * packet went to one target at most once, even in a broadcast.
 */
static uint64_t packets_told(const struct evidence *e)
{
	const struct series_key *key = &e->series->key;
	uint64_t redirects = 0, sent = 0;
	const struct series *s;
	struct row_walk w;

	walk_series(&w, e, &series_by_device, key->netns, key->ifindex);
	while ((s = row_walk_next(&w))) {
		const struct series_counters *c = rates_delta(e->rates, s);

		if (BIT(s->tracepoint) & (AT_REDIRECT | AT_REDIRECT_ERR))
			redirects += c->events;
		else if (BIT(s->tracepoint) & AT_XMIT &&
			 tracepoints[s->tracepoint].offered(c) > sent)
			sent = tracepoints[s->tracepoint].offered(c);
	}
	return e->count + (redirects > sent ? redirects : sent);
}

static struct share share_of(const struct evidence *e)
{
	struct share s = { 0 };

	if (verdict_numbers(e, XDP_ABORTED, &s.n, &s.all))
		return s;
	s.n = e->count;
	/* a devmap's program handles packets that another device received */
	if (!is_of_entry(e) && received(e, &s.all) && (double)s.all >= COUNTED * (double)s.n) {
		s.all = s.all > s.n ? s.all : s.n;
		return s;
	}
	s.all = is_of_entry(e) ? 0 : packets_told(e);
	s.at_least = true;
	return s;
}

#define SLOT_COMMANDS                   \
	"bpftool map dump id {map}\n"   \
	"bpftool map dump id {map1}\n"  \
	"bpftool map dump id {map2}\n"  \
	"bpftool map dump id {map3}\n"  \
	"bpftool prog show id {prog}\n" \
	"{in}bpftool net"

/* Says why packets were XDP_ABORTED, if the maps in question are known. */
static const struct cause empty_slot = {
	.remedy = { "fill the slot (a deleted device leaves its slot empty), or set XDP_PASS or "
		    "XDP_DROP in the helper's flags, which it then returns for an empty slot",
		    SLOT_COMMANDS },
};

static const struct cause empty_map = {
	.remedy = { "add the entries to the map, or have its loader add them", SLOT_COMMANDS },
};

/* Every slot of the maps has an entry. */
static const struct cause no_empty_slot = {
	.remedy = { "find the packets for which the program returns XDP_ABORTED, or passes flags "
		    "or an index that the helper refuses",
		    "bpftool prog dump xlated id {prog}\n"
		    "bpftool prog show id {prog}" },
};

static const struct cause *cause_of_slots(const struct evidence *e)
{
	if (!e->map && !*e->maps)
		return &no_empty_slot;
	if (e->map && map_is_read(e->rates->to, e->map) && map_rows(e->rates->to, e->map) == 1)
		return &empty_map;
	return &empty_slot;
}

static void says_aborted(struct evidence *e, const struct series_key *key, const struct share *s)
{
	bool known = !s->at_least || is_rare(s);
	static const char unknown[] = "; the share of these packets is not known";
	char of[48];
	size_t len;

	verdict_share(s->n, known ? s->all : 0, s->at_least ? "at most " : "", of, sizeof(of));
	if (!says_slots(e, key, of))
		snprintf(e->what, sizeof(e->what), "%s%s", of,
			 cause_in(e->rates->to, TP_XDP_EXCEPTION, key)->meaning);
	else
		e->cause = cause_of_slots(e);
	len = strlen(e->what);
	if (!known && len + sizeof(unknown) <= sizeof(e->what))
		memcpy(e->what + len, unknown, sizeof(unknown));
	if (is_rare(s))
		e->severity = FINDING_INFO;
	else if (!known)
		e->severity = FINDING_WARNING;
}

/*
 * If verdicts are known and include no such packet, the exceptions belong to the previous interval.
 */
static bool is_abort(struct evidence *e)
{
	struct share s = share_of(e);

	if (!s.n)
		return false;
	says_aborted(e, &e->series->key, &s);
	return true;
}

/* XDP_ABORTED without exceptions: the driver reports none, or xdp_exception is off. */
static bool is_aborted(struct evidence *e)
{
	const struct verdict_past *p = verdict_evidence_act(e, XDP_ABORTED);
	struct series_key key = { .code = XDP_ABORTED };
	struct share s;

	if (!p)
		return false;
	key.netns = p->netns;
	key.ifindex = p->ifindex;
	key.prog_id = p->prog_id;
	s = (struct share){ .n = e->count, .all = verdict_total(p->act).packets };
	e->cause = cause_in(e->rates->to, TP_XDP_EXCEPTION, &key);
	says_aborted(e, &key, &s);
	return true;
}

/* About 20 drivers also report a failed redirect as an exception. Its errno says more. */
static bool not_double_reported(struct evidence *e)
{
	const struct rates *r = e->rates;
	const struct driver *own;
	const struct series *s;
	struct row_walk w;

	walk_series(&w, e, &series_by_device, e->series->key.netns, e->series->key.ifindex);
	while ((s = row_walk_next(&w)))
		if (BIT(s->tracepoint) & AT_REDIRECT_ERR && rates_delta(e->rates, s)->events)
			return false;
	own = driver_behind(r->to, e->tracepoint, &e->series->key);
	if (own && !(own->reports & DRIVER_ECHO))
		snprintf(e->what, sizeof(e->what), "%s",
			 cause_in(r->to, e->tracepoint, &e->series->key)->meaning);
	else
		snprintf(e->what, sizeof(e->what), "%s",
			 r->tp_seconds[TP_XDP_REDIRECT_ERR] > 0
				 ? "the driver reports failed redirects that xdp_redirect_err does "
				   "not: it does not support XDP_REDIRECT, has no memory to refill "
				   "its ring, or (around 6.1) refused frames of several buffers"
				 : "the driver reports failed redirects; xdp_redirect_err would "
				   "say why, but it is off");
	return true;
}

/*
 * Frames aborted by the target's devmap program are not lost to a full ring, because
 * kernel/bpf/devmap.c, dev_map_bpf_prog_run() reports them for the egress device.
 */
static bool is_ring_or_program(struct evidence *e)
{
	const struct series *s;
	struct row_walk w;
	uint64_t told = 0;

	walk_series(&w, e, &series_by_device, e->series->key.to_netns, e->series->key.target);
	while (e->rates->tp_events[TP_XDP_EXCEPTION] && (s = row_walk_next(&w))) {
		if (s->tracepoint != TP_XDP_EXCEPTION)
			continue;
		/* that device's own program handles packets that it receives, not this one */
		if (e->to &&
		    (s->key.prog_id == e->to->prog_id || s->key.prog_id == e->to->skb_prog_id))
			continue;
		told += rates_delta(e->rates, s)->events;
	}
	return told < e->count;
}

static bool says_full_ring(const struct evidence *e)
{
	const struct series *s;
	struct row_walk w;

	walk_series(&w, e, &series_by_target, e->series->key.to_netns, e->series->key.target);
	while ((s = row_walk_next(&w)))
		if (s->tracepoint == TP_XDP_DEVMAP_XMIT && rates_delta(e->rates, s)->events &&
		    (s->key.code == -ENOSPC || s->key.code == -EIO || s->key.code == -EBUSY))
			return true;
	return false;
}

static bool is_program(struct evidence *e)
{
	e->by_entry = e->series->to_prog_id && is_ring_or_program(e) && !says_full_ring(e);
	return e->by_entry;
}

WHEN(is_program_of_entry, is_program(e) && says_entry_of_program(e))

WHEN(is_ring, !is_program(e) && is_ring_or_program(e))

WHEN(is_veth_ring, is_veth(e->to) && is_ring(e))

/* Whether no entry for the target has a program. Such an entry, or all maps, must be known. */
static bool has_no_entry_program(const struct snapshot *s, const struct series_key *key)
{
	size_t n;
	const struct map_entry *row = map_entries(s, &n);
	bool leads = false, is_read = n;

	for (size_t i = 0; i < n; i++) {
		if (!row[i].is_entry)
			is_read &= map_is_read(s, &row[i]);
		if (!row[i].is_entry || row[i].to_ifindex != key->target ||
		    row[i].to_netns != key->to_netns)
			continue;
		if (row[i].prog_id)
			return false;
		leads = true;
	}
	return leads || is_read;
}

static uint32_t mtu_of(const struct snapshot *s, const struct netdev *d)
{
	const struct netdev *then = d ? snapshot_find_netdev(s, d->netns, d->ifindex) : NULL;

	return then ? then->mtu : 0;
}

/* The peer sends no frame above its own MTU, so only the program can have made them longer. */
static bool says_ring_of_peer(struct evidence *e)
{
	if (!is_veth(e->dev) || !e->peer || !e->peer->mtu)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "packets returned by XDP_TX are lost: the receive ring of %s, the veth's other "
		 "end, is full (256 frames), or the program made packets longer than its MTU of %u "
		 "allows",
		 e->peer->name, e->peer->mtu);
	return true;
}

/*
 * Frames above the target's MTU fail in xdp_ok_fwd_dev(), before they are queued.
 * drivers/net/veth.c, veth_xdp_xmit() drops frames above the peer's MTU.
 */
static bool fits_peer(const struct evidence *e)
{
	const struct rates *r = e->rates;
	const uint32_t to[] = { mtu_of(r->from, e->to), mtu_of(r->to, e->to) };
	const uint32_t peer[] = { mtu_of(r->from, e->peer), mtu_of(r->to, e->peer) };

	for (int i = 0; i < 4; i++)
		if (!to[i / 2] || peer[i % 2] < to[i / 2])
			return false;
	return true;
}

static bool is_veth_ring_or_mtu(struct evidence *e)
{
	const struct series *s = e->series;

	return is_veth_ring(e) && !s->to_prog_id && has_no_entry_program(e->rates->from, &s->key) &&
	       has_no_entry_program(e->rates->to, &s->key);
}

#define VETH_RING 256 /* drivers/net/veth.c, VETH_RING_SIZE */

/* Frames that the target accepted from all senders in the interval. */
static uint64_t accepted(const struct evidence *e)
{
	const struct series *s;
	struct row_walk w;
	uint64_t n = 0;

	walk_series(&w, e, &series_by_target, e->series->key.to_netns, e->series->key.target);
	while ((s = row_walk_next(&w)))
		if (BIT(s->tracepoint) & AT_XMIT)
			n += rates_delta(e->rates, s)->packets;
	return n;
}

/*
 * The peer's MTU is smaller, during the whole interval. A ring that hardly took a frame was not
 * full.
 */
static bool says_mtu_of_peer(struct evidence *e)
{
	uint32_t peer = mtu_of(e->rates->from, e->peer), to = mtu_of(e->rates->from, e->to);

	/* a target is unknown before its first series */
	if (!is_veth_ring_or_mtu(e) || !e->peer || !e->peer->mtu || e->peer->mtu >= e->to->mtu ||
	    (peer && peer != e->peer->mtu) || (to && to != e->to->mtu))
		return false;
	e->number = e->to->mtu;
	snprintf(e->what, sizeof(e->what),
		 "frames are longer than the MTU of %u of %s, the veth's other end%s; the veth's "
		 "own MTU is %u",
		 e->peer->mtu, e->peer->name,
		 accepted(e) < VETH_RING ? "" : ", or the receive ring there is full (256 frames)",
		 e->to->mtu);
	return true;
}

WHEN(is_mtu_of_peer, says_mtu_of_peer(e) && accepted(e) < VETH_RING)

WHEN(is_veth_ring_or_program, is_veth_ring(e) && fits_peer(e))

WHEN(is_veth_ring_alone, is_veth_ring_or_mtu(e) && fits_peer(e))

/* clang-format off */
#define ENTRY_COMMANDS \
	"bpftool prog dump xlated id {prog}\n" \
	"bpftool map dump id {map}\n" \
	"bpftool prog show id {prog}"
#define ENTRY_REMEDY \
	{ "have the entry's program pass or drop frames, and choose the target in the device's " \
	  "program", \
	  ENTRY_COMMANDS }
#define ABORT_OF_ENTRY \
	{ "find the packets for which the program returns XDP_ABORTED", ENTRY_COMMANDS }

#define PEER_UP \
	{ "bring the peer up", \
	  "{ip_peer} -d link show dev {peer}\n" \
	  "{ip_peer} link set dev {peer} up" }
#define PEER_PASS \
	{ "attach a program that returns XDP_PASS to the peer in native mode, and keep it " \
	  "attached; GRO alone does not help XDP_TX", \
	  ATTACH_PASS("{ip_peer}", "{peer}") }
#define VETH_COMMANDS \
	"{ip_to} -d link show dev {to}\n" \
	"{ip_peer} -d link show dev {peer}\n" \
	"{in_to}ethtool -S {to}"

#define MTU_OF_PEER \
	{ "raise the peer's MTU to that of the veth", \
	  "{ip_peer} link show dev {peer}\n" \
	  "{ip_peer} link set dev {peer} mtu {number}" }

#define EGRESS_REMEDY \
	{ "nothing, if the program should drop these frames. ethtool -S TARGET shows whether the " \
	  "target's ring is full", \
	  "bpftool prog show id {prog}\n" \
	  "bpftool prog dump xlated id {prog}\n" \
	  "{in_to}ethtool -S {to}" }

static const struct finding_code codes[] = {
	{ "no-redirect-helper", FINDING_CRITICAL,
	  "a program returns XDP_REDIRECT without calling a redirect helper, or although the "
	  "helper refused its flags (EBADRQC)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_NO_HELPER, -EBADRQC, .per = PROGRAM },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_NO_HELPER, -EINVAL, .per = PROGRAM }) },
	{ "redirect-failed", FINDING_CRITICAL,
	  "redirects fail for another reason, and the text has the errno and its meaning", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, .code = RULE_ERRNO, .per = FLOW, .when = says_errno },
		{ RULE_LOSS, AT_EXCEPTION, .code = XDP_REDIRECT, .per = PROGRAM,
		  .when = is_of_devmap_entry, .remedy = ENTRY_REMEDY },
		/* two counters are not read at once, so they may differ for an interval */
		{ RULE_LOSS, AT_EXCEPTION, .code = XDP_REDIRECT, .per = PROGRAM, .intervals = 2,
		  .when = not_double_reported }) },
	{ "aborted", FINDING_CRITICAL,
	  "a program returns XDP_ABORTED, or redirects into an empty map slot. The severity is "
	  "info below 1 % of the device's packets, and a warning if their number is not known",
	  { 0 },
	  RULES({ RULE_LOSS, AT_EXCEPTION, .code = XDP_ABORTED, .per = PROGRAM,
		  .when = is_of_devmap_entry, .remedy = ABORT_OF_ENTRY },
		{ RULE_LOSS, AT_EXCEPTION, .code = XDP_ABORTED, .per = PROGRAM,
		  .when = is_of_cpumap_entry, .remedy = ABORT_OF_ENTRY },
		{ RULE_LOSS, AT_EXCEPTION, .code = XDP_ABORTED, .per = PROGRAM, .when = is_abort },
		{ RULE_NETDEV, .code = RULE_ANY, .per = PROGRAM, .when = is_aborted }) },
	{ "bad-return-value", FINDING_CRITICAL,
	  "a program returns a value that is not a valid XDP action", { 0 },
	  RULES({ RULE_LOSS, AT_EXCEPTION, .code = CAUSE_BAD_ACT, .per = PROGRAM,
		  .when = says_value }) },
	{ "tx-failed", FINDING_CRITICAL, "XDP_TX could not send frames back", { 0 },
	  RULES({ RULE_LOSS, AT_EXCEPTION, .code = XDP_TX, .per = PROGRAM,
		  .when = is_of_devmap_entry, .remedy = ENTRY_REMEDY },
		{ RULE_LOSS, AT_EXCEPTION, .code = XDP_TX, .per = PROGRAM,
		  .when = is_of_cpumap_entry, .remedy = ENTRY_REMEDY },
		{ RULE_LOSS, AT_EXCEPTION, .code = XDP_TX, .per = PROGRAM },
		{ RULE_LOSS, AT_BULK_TX, .code = -ENXIO, .per = PER_DEVICE | PER_RULE,
		  .when = own_peer_is_down,
		  .text = "packets returned by XDP_TX are lost: {peer}, the veth's other end, is down",
		  .remedy = PEER_UP },
		{ RULE_LOSS, AT_BULK_TX, .code = -ENXIO, .per = PER_DEVICE,
		  .when = own_peer_lacks_program,
		  .text = "packets returned by XDP_TX are lost: {peer}, the veth's other end, has no "
			  "native XDP program to receive them",
		  .remedy = PEER_PASS },
		{ RULE_LOSS, AT_BULK_TX, .code = -ENXIO, .per = PER_DEVICE,
		  .text = "packets returned by XDP_TX are lost: {peer}, the veth's other end, has no "
			  "native XDP program to receive them, or is down",
		  .remedy = PEER_PASS },
		{ RULE_LOSS, AT_BULK_TX, .code = 0, .per = PER_DEVICE,
		  .when = own_peer_lacks_program,
		  .text = "packets returned by XDP_TX are lost because the receive ring of {peer}, "
			  "the veth's other end, is full (256 frames). {peer} has GRO but no "
			  "native XDP program, so nothing takes packets out of the ring",
		  .remedy = PEER_PASS },
		{ RULE_LOSS, AT_BULK_TX, .code = 0, .per = PER_DEVICE, .when = says_ring_of_peer,
		  .remedy = { "if the program makes packets longer, raise the MTU of the veth and "
			      "its peer by that much. Otherwise speed up the receiver (the CPU of "
			      "the peer's receive queue, or the program and the stack there)",
			      "{ip_peer} -d link show dev {peer}\n"
			      "{in_peer}ethtool -S {peer}\n"
			      "cat /proc/net/softnet_stat" } },
		{ RULE_LOSS, AT_BULK_TX, .code = RULE_ANY, .per = PER_DEVICE }) },
	{ "xsk-ring-full", FINDING_CRITICAL,
	  "an AF_XDP socket's receive ring is full in two intervals within 10 s, because its "
	  "program reads too slowly (ENOBUFS)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOBUFS, .per = XSK,
		  .bursts = 2, .when = says_full_ring_of_socket },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOBUFS, .per = XSK,
		  .bursts = 2 }) },
	{ "xsk-fill-empty", FINDING_CRITICAL,
	  "an AF_XDP socket's fill ring is empty in two intervals within 10 s, because its program "
	  "returns buffers too slowly (ENOMEM)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOMEM, .per = XSK,
		  .bursts = 2, .when = says_empty_ring_of_socket },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOMEM, .per = XSK,
		  .bursts = 2 }) },
	{ "xsk-unbound", FINDING_CRITICAL,
	  "an AF_XDP socket in the xskmap is not bound, in two intervals within 10 s (ENXIO)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENXIO, .per = XSK,
		  .bursts = 2, .when = says_unbound_socket },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENXIO, .per = XSK,
		  .bursts = 2 }) },
	{ "xsk-wrong-queue", FINDING_CRITICAL,
	  "packets came in on a device or queue that the AF_XDP socket is not bound to "
	  "(EINVAL)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -EINVAL, .per = XSK,
		  .when = says_place_of_socket },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -EINVAL, .per = XSK }) },
	{ "xsk-no-space", FINDING_CRITICAL,
	  "packets do not fit the AF_XDP socket's frames, or, up to Linux 5.15, its receive ring "
	  "is full or its fill ring empty (ENOSPC)", { 0 },
	  RULES({ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOSPC, .per = XSK,
		  .when = says_chunks_of_socket,
		  .remedy.text = "use larger UMEM frames or multi-buffer sockets (XDP_USE_SG), or "
				 "lower the MTU" },
		{ RULE_LOSS, AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOSPC, .per = XSK }) },
	{ "target-ring-full", FINDING_CRITICAL,
	  "the target drops queued frames without an errno, because its ring is full or a devmap "
	  "program drops them", { 0 },
	  RULES({ RULE_LOSS, AT_XMIT, .code = 0, .per = PER_TARGET | PER_RULE,
		  .when = is_veth_ring_alone,
		  .text = "the receive ring of {peer}, the veth's other end, is full (256 frames): "
			  "frames come faster than they are handled there",
		  .remedy = { "speed up the receiver (the CPU of the peer's receive queue, or the "
			      "program and the stack there), use more queues (ethtool -L), or send "
			      "less",
			      "{in_peer}ethtool -S {peer}\n"
			      "{in_peer}ethtool -l {peer}\n"
			      "cat /proc/net/softnet_stat" } },
		{ RULE_LOSS, AT_XMIT, .code = 0, .per = PER_TARGET | PER_RULE,
		  .when = is_mtu_of_peer, .remedy = MTU_OF_PEER },
		{ RULE_LOSS, AT_XMIT, .code = 0, .per = PER_TARGET, .when = says_mtu_of_peer,
		  .remedy = MTU_OF_PEER },
		{ RULE_LOSS, AT_XMIT, .code = 0, .per = PER_TARGET, .when = is_veth_ring_or_mtu,
		  .text = "the receive ring of {peer}, the veth's other end, is full (256 frames), or "
			  "frames are longer than its MTU",
		  .remedy = { "raise the peer's MTU if it is smaller than the veth's. If frames "
			      "are still lost, speed up the receiver behind the peer",
			      VETH_COMMANDS } },
		{ RULE_LOSS, AT_XMIT, .code = 0, .per = PER_TARGET,
		  .when = is_veth_ring_or_program,
		  .text = "frames are dropped without an errno: the ring of {peer}, the veth's "
			  "other end, is full, or a devmap program drops them",
		  .remedy = { "see the drops of the devmap program, if the map's entry has one; "
			      "otherwise speed up the receiver behind the peer",
			      VETH_COMMANDS } },
		{ RULE_LOSS, AT_XMIT, .code = 0, .per = PER_TARGET, .when = is_veth_ring,
		  .text = "frames are dropped without an errno: the ring of {peer}, the veth's "
			  "other end, is full, its MTU is too small, or a devmap program drops "
			  "them",
		  .remedy = { "compare the MTUs of the veth and its peer; then see the devmap "
			      "program's drops, or speed up the receiver behind the peer",
			      VETH_COMMANDS } },
		{ RULE_LOSS, AT_XMIT, .code = 0, .per = PER_TARGET, .when = is_ring },
		{ RULE_LOSS, AT_XMIT, .code = -EIO, .per = PER_TARGET },
		{ RULE_LOSS, AT_XMIT, .code = -EBUSY, .per = PER_TARGET },
		{ RULE_LOSS, AT_XMIT, .code = -ENOSPC, .per = PER_TARGET }) },
	{ "egress-program-drops", FINDING_INFO,
	  "a devmap program drops frames on the way out",
	  { 0 },
	  RULES({ RULE_LOSS, AT_XMIT, .code = 0, .per = SENT, .when = is_program_of_entry,
		  .remedy = EGRESS_REMEDY },
		{ RULE_LOSS, AT_XMIT, .code = 0, .per = SENT, .when = is_program,
		  .text = "the devmap program {prog} drops frames on the way out; this is normal "
			  "for a filter, unless the target's ring is full",
		  .remedy = EGRESS_REMEDY }) },
	{ "target-not-ready", FINDING_CRITICAL,
	  "the target's driver refuses queued frames (xdp_devmap_xmit with an errno)", { 0 },
	  RULES({ RULE_LOSS, AT_XMIT, .code = -ENXIO, .per = PER_TARGET | PER_RULE,
		  .when = peer_is_down, .text = "the veth's peer {peer} is down",
		  .remedy = PEER_UP },
		{ RULE_LOSS, AT_XMIT, .code = -ENXIO, .per = PER_TARGET, .when = peer_needs_program,
		  .text = "{peer}, the veth's other end, cannot receive XDP frames: it is down, or "
			  "has no native XDP program",
		  .remedy = { "bring the peer up, and attach a program that returns XDP_PASS to it "
			      "in native mode (before Linux 5.13 GRO does not help)",
			      ATTACH_PASS("{ip_peer}", "{peer}") } },
		{ RULE_LOSS, AT_XMIT, .code = -ENXIO, .per = PER_TARGET, .when = target_is_veth,
		  .text = "{peer}, the veth's other end, cannot receive XDP frames: it is down, or "
			  "has neither an XDP program nor GRO",
		  .remedy.commands = "{ip_peer} -d link show dev {peer}\n"
				     "{in_peer}ethtool -K {peer} gro on" },
		{ RULE_LOSS, AT_XMIT, .code = RULE_ERRNO, .per = PER_TARGET, .when = says_errno }) },
};
/* clang-format on */

const struct finding_group loss_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
