// SPDX-License-Identifier: GPL-2.0-or-later
/* Devices and their attached programs, according to netlink. */
#include <stdio.h>
#include "diagnose/location_text.h"
#include "explain/explanation.h"
#include "model/ethtool_stat.h"
#include "model/target.h"
#include "source/page_pools.h"
#include "source/verdicts.h"

void explain_gone(const struct explanation *x, const struct location *location)
{
	const struct netdev_ref *const devices[] = { &location->dev, &location->to,
						     &location->peer };

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++) {
		const struct netdev *of =
			snapshot_find_netdev(x->to, devices[i]->netns, devices[i]->ifindex);

		if (of && of->gone && !(i && is_netdev(devices[i], &location->dev)))
			say(x, EXPLAIN_TEXT, "gone", "%s or its network namespace was deleted",
			    of->name);
	}
}

/* "channels 4 of 8, RX ring 512 of 4096, ...", as far as is known, and the offloads that are on. */
static void explain_settings(const struct explanation *x, const struct netdev *of)
{
	static const struct {
		const char *name;
		enum netdev_setting now, max;
	} settings[] = {
		{ "channels", NETDEV_CHANNELS, NETDEV_CHANNELS_MAX },
		{ "RX ring", NETDEV_RX_RING, NETDEV_RX_RING_MAX },
		{ "TX ring", NETDEV_TX_RING, NETDEV_TX_RING_MAX },
	};
	char text[160] = "", offloads[NETDEV_OFFLOADS_LEN], ago[24];
	struct format_text t = { .buf = text, .size = sizeof(text) };
	uint32_t n;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (!netdev_setting(of, settings[i].now, &n))
			continue;
		format_add(&t, "%s%s %u", t.len ? ", " : "", settings[i].name, n);
		if (netdev_setting(of, settings[i].max, &n))
			format_add(&t, " of %u", n);
	}
	format_ago(ago, sizeof(ago), rates_age(x->t->rates, &of->settings_read_at));
	if (netdev_setting(of, NETDEV_MTU_MAX, &n))
		format_add(&t, "%sMTU %u of %u", t.len ? ", " : "", of->mtu, n);
	if (!netdev_is_asked(of))
		say(x, EXPLAIN_TEXT, "settings", "unknown: " NETDEV_NOT_ASKED);
	else if (t.len)
		say(x, EXPLAIN_TEXT, "settings", "%s%s%s", text, *ago ? ", read" : "", ago);
	if (of->has_offloads)
		say(x, EXPLAIN_TEXT, "offloads", "%s%s%s",
		    netdev_offloads_text(of->offloads, offloads, sizeof(offloads)),
		    *ago ? ", read" : "", ago);
}

static void say_pools(const struct explanation *x, const char *label, uint32_t n, uint64_t pages,
		      uint64_t bytes)
{
	char many[16], size[16];

	format_count(many, sizeof(many), pages, NUMBER_SI);
	format_count(size, sizeof(size), bytes, NUMBER_SI);
	if (n)
		say(x, EXPLAIN_TEXT, "page pools",
		    "%u %s; %s pages outside, %s bytes (read every 5 s or less often)", n, label,
		    many, size);
}

static void explain_pools(const struct explanation *x, const struct netdev *of)
{
	uint64_t pages[2] = { 0 }, bytes[2] = { 0 };
	uint32_t n[2] = { 0 };
	const struct page_pool *p;

	for_each_row (p, x->t->rates, x->to, &page_pools_by_device,
		      row_number(of->netns, of->ifindex)) {
		bool is_given_up = p->detached_at.tv_sec;

		n[is_given_up]++;
		pages[is_given_up] += p->inflight;
		bytes[is_given_up] += p->inflight_mem;
	}
	say_pools(x, "in use", n[0], pages[0], bytes[0]);
	say_pools(x, "given up by the driver", n[1], pages[1], bytes[1]);
	if (!netdev_is_asked(of))
		say(x, EXPLAIN_TEXT, "page pools", "unknown: " NETDEV_NOT_ASKED);
	if (page_pools_left_out(x->to, of->netns))
		say(x, EXPLAIN_TEXT, "page pools", "%u more in its namespace are not listed",
		    page_pools_left_out(x->to, of->netns));
}

static const char *name_of(const struct explanation *x, const struct netdev *d, uint32_t ifindex,
			   char *buf, size_t size)
{
	const struct netdev *of = snapshot_find_netdev(x->to, d->netns, ifindex);

	if (of)
		return of->name;
	snprintf(buf, size, "ifindex %u", ifindex);
	return buf;
}

/* Prints the device's lower device, its master, and its members. */
static void explain_stack(const struct explanation *x, const struct netdev *of)
{
	char name[SNAPSHOT_NAME_LEN], text[160] = "";
	struct format_text t = { .buf = text, .size = sizeof(text) };
	size_t n = 0;

	if (of->lower_ifindex && of->vlan_id)
		say(x, EXPLAIN_TEXT, "lower device", "%s, VLAN %u on it",
		    name_of(x, of, of->lower_ifindex, name, sizeof(name)), of->vlan_id);
	else if (of->lower_ifindex)
		say(x, EXPLAIN_TEXT, "lower device", "%s",
		    name_of(x, of, of->lower_ifindex, name, sizeof(name)));
	if (of->master_ifindex)
		say(x, EXPLAIN_TEXT, "member of", "%s",
		    name_of(x, of, of->master_ifindex, name, sizeof(name)));
	for (size_t i = 0; i < snapshot_n_netdevs(x->to); i++) {
		const struct netdev *d = &snapshot_netdevs(x->to)[i];

		if (d->gone || d->netns != of->netns || d->master_ifindex != of->ifindex)
			continue;
		if (n++ < CAUSES_MAX)
			format_add(&t, "%s%s", t.len ? ", " : "", d->name);
	}
	if (n)
		say(x, EXPLAIN_TEXT, "members", "%s%s", text, n > CAUSES_MAX ? ", ..." : "");
	if (netdev_lacks_ethernet(of))
		say(x, EXPLAIN_TEXT, "link",
		    "no Ethernet header: a program gets packets that begin with the IP header");
}

void explain_device(struct explanation *x)
{
	const struct netdev *of = snapshot_find_netdev(x->to, x->row->netns, x->row->ifindex);
	const struct netdev *peer;
	char ns[SNAPSHOT_NAME_LEN * 2], name[SNAPSHOT_NAME_LEN];
	uint64_t drops;
	struct location location;
	uint32_t prog_id[2];
	bool here;

	if (!of) {
		say(x, EXPLAIN_TEXT, "device", "known only from its events");
		return;
	}
	explain_netns(x, of->netns);
	row_locate(x->t, x->row, &location);
	explain_pods(x, &location);
	say(x, EXPLAIN_TEXT, "device", "%s%s%s, MTU %u%s", netdev_driver(of),
	    *netdev_driver(of) ? ", " : "", netdev_state_name(of), of->mtu,
	    of->gone ? "; this is its last known state" : "");
	say(x, EXPLAIN_TEXT, "XDP", "%s", netdev_mode_name(of->mode));
	explain_prog(x, of->prog_name, of->prog_id);
	if (of->has_features)
		say(x, EXPLAIN_TEXT, "redirect target", "%s redirected frames%s",
		    of->features & NETDEV_XDP_NDO_XMIT ? "accepts" : "does not accept",
		    of->features & NETDEV_XDP_NDO_XMIT ? "" : " now (XDP feature ndo-xmit is off)");
	explain_stack(x, of);
	explain_settings(x, of);
	if (netdev_filters_macs(of) && of->mode != NETDEV_NONE)
		say(x, EXPLAIN_TEXT, "MAC filter",
		    "on, so the NIC may drop packets to other MAC addresses before XDP; "
		    "promiscuous mode lets them in (ip link set, promisc on)");
	explain_pools(x, of);
	if (no_data_is_silent(x->t->rates, of) && !netdev_count(of, NETDEV_XDP_DROP, &drops) &&
	    verdict_programs(of, prog_id))
		explain_verdicts(x, prog_id[0], of);
	if (!of->peer_ifindex)
		return;
	peer = snapshot_find_netdev(x->to, of->peer_netns, of->peer_ifindex);
	here = of->peer_netns == of->netns;
	snprintf(name, sizeof(name), "ifindex %u", of->peer_ifindex);
	netns_text(of->peer_netns, x->t->options.netns, ns, sizeof(ns));
	say(x, EXPLAIN_TEXT, "peer", "%s%s%s%s", peer ? peer->name : name, here ? "" : " (",
	    here ? "" : ns, here ? "" : ")");
}

static void explain_stat(const struct explanation *x, const struct ethtool_stat *s)
{
	char total[16], rate[16];

	format_count(total, sizeof(total), s->total, NUMBER_SI);
	format_rate(rate, sizeof(rate), (double)s->per_s, NUMBER_SI);
	say(x, EXPLAIN_TEXT, "", "%s: %s%s%s%s", s->name, total, s->per_s >= 0 ? ", now " : "",
	    s->per_s >= 0 ? rate : "", s->per_s >= 0 ? "/s" : "");
}

void explain_stats(const struct explanation *x)
{
	size_t n;
	const struct ethtool_stat *s = ethtool_stats_of(x->to, x->row->netns, x->row->ifindex, &n);

	if (!n)
		return;
	say(x, EXPLAIN_HEAD, "", "Other driver counters, as ethtool -S names them");
	for (int grows = 1; grows >= 0; grows--)
		for (size_t i = 0; i < n; i++)
			if ((s[i].per_s > 0) == grows)
				explain_stat(x, &s[i]);
	if (s->left_out)
		say(x, EXPLAIN_TEXT, "", "%u more %s not 0", s->left_out,
		    s->left_out == 1 ? "is" : "are");
}

static void explain_whole(const struct explanation *x, uint32_t prog_id)
{
	const struct program *p = program_find(x->to, prog_id);

	say(x, EXPLAIN_TEXT, "part of", "%s%sid %u", p ? p->prog_name : "",
	    p && *p->prog_name ? ", " : "", prog_id);
}

void explain_program(struct explanation *x)
{
	const struct program *p = program_find(x->to, x->row->prog_id);
	const struct netdev *first = NULL;
	struct location location;
	bool silent = !x->row->n_series;
	size_t n = 0;

	for (size_t i = 0; i < snapshot_n_netdevs(x->to); i++) {
		const struct netdev *of = &snapshot_netdevs(x->to)[i];
		char name[SNAPSHOT_NAME_LEN * 3];

		if (!netdev_runs(of, x->row->prog_id) || n++ >= CAUSES_MAX)
			continue;
		first = first ?: of;
		silent = silent && no_data_is_silent(x->t->rates, of);
		location_set_device(&location, of->netns, of->ifindex, x->to);
		location_text("{dev}", &location, x->t->options.netns, name, sizeof(name));
		say(x, EXPLAIN_TEXT, n == 1 ? "attached" : "", "to %s, %s", name,
		    netdev_mode_name(of->mode));
	}
	if (!n && p && p->part_of)
		explain_whole(x, p->part_of);
	else if (!n)
		say(x, EXPLAIN_TEXT, "attached", "not to any known device");
	else if (n > CAUSES_MAX)
		say(x, EXPLAIN_TEXT, "", "and to %zu more", n - CAUSES_MAX);
	explain_holders(x, x->row->prog_id);
	explain_maps(x, x->row->prog_id);
	if (n || (p && p->verdicts))
		explain_verdicts(x, x->row->prog_id, silent ? first : NULL);
}
