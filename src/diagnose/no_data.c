// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/no_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/memory.h"
#include "diagnose/location_text.h"
#include "model/target.h"
#include "model/tracepoint.h"
#include "source/verdicts.h"

#define NAMED       3
#define IDLE_PER_S  10 /* packets per second: a device that receives fewer may lack some */
#define COMMAND_LEN 80 /* length of a command prefix that enters a namespace, and of a name */

static uint64_t since(const struct rates *r, uint32_t tp)
{
	uint64_t before = r->base ? r->base->tp[tp].events : 0;

	return r->to->tp[tp].events > before ? r->to->tp[tp].events - before : 0;
}

/* The tracepoints of a set in any of these states (bits 1 << state). */
static uint32_t in_state(const struct snapshot *s, uint32_t set, uint32_t states)
{
	uint32_t found = 0;

	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (set & BIT(tp) && *snapshot_tracepoint(s, tp) && states & BIT(s->tp[tp].state))
			found |= BIT(tp);
	return found;
}

/* " (press t, 3)": the key 3 in the list of t switches it; or " (-t +NAME)". */
static void say_switch(struct format_text *t, uint32_t tp, enum switch_by by)
{
	if (by == SWITCH_KEY && tracepoints[tp].key)
		format_add(t, " (press t, %c)", tracepoints[tp].key);
	else if (by == SWITCH_OPTION && *tracepoints[tp].name)
		format_add(t, " (-t +%s)", tracepoints[tp].name);
}

/* "a is off (press t, 3), b is shed (press t, 0)", or without states "a (reason), b". */
static void tracepoints_list(struct format_text *t, const struct snapshot *s, uint32_t set,
			     bool states, enum switch_by by)
{
	bool first = true;

	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		if (!(set & BIT(tp)))
			continue;
		format_add(t, "%s%s", first ? "" : ", ", snapshot_tracepoint(s, tp));
		if (states)
			format_add(t, " is %s", tp_state_name(s->tp[tp].state));
		if (states)
			say_switch(t, tp, by);
		else if (s->tp[tp].reason[0])
			format_add(t, " (%s)", s->tp[tp].reason);
		first = false;
	}
}

/* Explains why no device with XDP was found, depending on which namespaces were read. */
static const char *const none_attached[NETDEVS_COVERAGES] = {
	[NETDEVS_UNKNOWN] =
		"No device is known to have an XDP program attached; `bpftool net` in a namespace "
		"shows the programs there.\n",
	[NETDEVS_NONE] =
		"It is not known whether any device has an XDP program attached, because no "
		"device could be read. `bpftool net` in a namespace shows the programs there.\n",
	[NETDEVS_AT_START] = "No device in the network namespaces that xdptop reads has an XDP "
			     "program attached.\n",
	[NETDEVS_ALL] = "No device has an XDP program attached, in any network namespace.\n",
};

static void say_unknown(struct format_text *t, const struct snapshot *s,
			const struct snapshot_host *host)
{
	const struct snapshot_process *p = &host->process[PROCESS_LATER];
	const char *why = host->absent[DATA_SOURCE_NETDEVS];
	uint64_t n = s->netns_unreadable;

	if (n)
		format_add(t, "%" PRIu64 " network namespace%s could not be read.\n", n,
			   n == 1 ? "" : "s");
	if (s->netdevs_left_out)
		format_add(t,
			   "%zu more device%s found but not read: xdptop reads at most %d at a "
			   "time. `bpftool net` in a namespace shows all of its programs.\n",
			   s->netdevs_left_out, s->netdevs_left_out == 1 ? " was" : "s were",
			   NETDEVS_MAX);
	n = host->devices == NETDEVS_ALL ? snapshot_netns_uncounted(s) : 0;
	if (n)
		format_add(
			t,
			"Counters and settings of devices in %" PRIu64
			" network namespace%s with XDP are unknown. If it has the privileges, "
			"xdptop enters those that a process is in or `ip netns` lists: at most %d "
			"at the start, and later ones only with --later-namespaces%s%s.\n",
			n, n == 1 ? "" : "s", NETNS_COUNTED_MAX, *p->reason ? ": " : "", p->reason);
	/* table_missing() says what is refused */
	if (host->devices == NETDEVS_AT_START && !host->refused[ITER_WALK].step)
		format_add(t,
			   "Nothing is known about network namespaces created after the "
			   "start%s%s.\n",
			   *why ? ": " : "", why);
}

int no_data_netdevs(const struct snapshot *s, const struct snapshot_host *host, char *buf,
		    size_t size)
{
	const char *why = host->absent[DATA_SOURCE_NETDEVS];
	struct format_text t = { .buf = buf, .size = size };

	buf[0] = '\0';
	if (host->devices == NETDEVS_NONE)
		format_add(&t,
			   "No device could be read%s%s: only devices that appear in events are "
			   "shown.\n",
			   *why ? ", " : "", why);
	say_unknown(&t, s, host);
	return (int)t.len;
}

static void say_device(struct format_text *t, const struct netdev *d, struct netns_names *names)
{
	char ns[SNAPSHOT_NAME_LEN * 2];

	if (netns_text(d->netns, names, ns, sizeof(ns)) && strcmp(ns, "init"))
		format_add(t, "%s (%s, %s)", d->name, ns, netdev_mode_name(d->mode));
	else
		format_add(t, "%s (%s)", d->name, netdev_mode_name(d->mode));
}

static void say_devices(struct format_text *t, const struct snapshot *s,
			enum netdev_coverage coverage, struct netns_names *names, enum switch_by by)
{
	bool unknown = s->netdevs_left_out || coverage != NETDEVS_ALL;
	size_t attached = 0;

	for (size_t i = 0; i < snapshot_n_netdevs(s); i++) {
		const struct netdev *d = &snapshot_netdevs(s)[i];

		if (d->gone || d->mode == NETDEV_NONE)
			continue;
		if (attached < NAMED) {
			format_add(t, "%s", attached ? ", " : "XDP is attached to ");
			say_device(t, d, names);
		}
		attached++;
	}
	if (attached > NAMED)
		format_add(t, " and %zu more", attached - NAMED);
	format_add(t, "%s",
		   attached ? ".\n"
			    : none_attached[s->netdevs_left_out ? NETDEVS_UNKNOWN : coverage]);
	if (!attached && !unknown && by != SWITCH_NOT)
		format_add(t, "The packets of a program are shown as soon as it is attached. `make "
			      "demo` in the source of xdptop generates traffic, and `xdptop -r "
			      "incident.jsonl.zst` replays an incident (man xdptop, FILES).\n");
}

static bool is_of_xdp(const struct series *s)
{
	const struct tracepoint *tp = &tracepoints[s->tracepoint];

	return tp->has & HAS_DEVICE && tp->stage != STAGE_STACK && tp->stage != STAGE_NONE;
}

static enum program_verdicts verdicts_of(const struct snapshot *s, const struct netdev *d)
{
	uint32_t prog_id[2];
	const struct program *p = NULL;

	if (verdict_programs(d, prog_id))
		p = program_find(s, prog_id[0]);
	return p ? p->verdicts : PROGRAM_VERDICTS_UNKNOWN;
}

/* Whether the device has a program whose verdicts are not counted. */
static bool has_uncounted(const struct snapshot *s, const struct netdev *d)
{
	return netdev_has_program(d) && verdicts_of(s, d) != PROGRAM_VERDICTS_ON;
}

bool no_data_is_silent(const struct rates *r, const struct netdev *d)
{
	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series_key *key = &r->to->series[i].key;

		if (key->ifindex == d->ifindex && key->netns == d->netns && r->since[i].events &&
		    is_of_xdp(&r->to->series[i]))
			return false;
	}
	return has_uncounted(r->to, d);
}

/* One byte per device: 1 = nothing was counted for its program. */
static char *find_silent(const struct rates *r)
{
	const struct netdev *dev = snapshot_netdevs(r->to);
	size_t n = snapshot_n_netdevs(r->to);
	char *silent = memory_new(n + 1, 1);

	for (size_t i = 0; i < n; i++)
		silent[i] = has_uncounted(r->to, &dev[i]);
	for (size_t i = 0; i < r->to->n_series; i++) {
		const struct series *s = &r->to->series[i];
		const struct netdev *d;

		if (!r->since[i].events || !is_of_xdp(s))
			continue;
		d = snapshot_find_netdev(r->to, s->key.netns, s->key.ifindex);
		if (d)
			silent[d - dev] = 0;
	}
	return silent;
}

/* Hardly any packets come in on the device, and its NIC has a filter. */
static bool may_filter(const struct rates *r, const struct netdev *d)
{
	const struct netdev *was =
		r->from ? snapshot_find_netdev(r->from, d->netns, d->ifindex) : NULL;
	uint64_t n;

	return netdev_filters_macs(d) && netdev_grew(was, d, NETDEV_RX_PACKETS, &n) &&
	       per_second((double)n, r->seconds) < IDLE_PER_S;
}

/* A namespace without a name or process takes a long command, which a sentence has no room for. */
static void say_commands(struct format_text *t, const struct snapshot *s, const struct netdev *d,
			 struct netns_names *names)
{
	struct location l;
	char in[COMMAND_LEN], name[COMMAND_LEN];
	bool short_enough;

	location_set_device(&l, d->netns, d->ifindex, s);
	short_enough = location_command("{in}", &l, names, in, sizeof(in)) >= 0;
	if (!short_enough)
		in[0] = '\0';
	if (location_command("{dev}", &l, names, name, sizeof(name)) < 0)
		return;
	format_add(t,
		   "`%sethtool -S %s` and `%sxdpdump -i %s --rx-capture exit`%s show what "
		   "happens to its packets.\n",
		   in, name, in, name, short_enough ? "" : " in its namespace");
}

int no_data_silent(const struct rates *r, struct netns_names *names, enum switch_by by, char *buf,
		   size_t size)
{
	uint32_t off = in_state(r->to, BIT(TP_XDP_REDIRECT), BIT(TP_OFF) | BIT(TP_SHED));
	struct format_text t = { .buf = buf, .size = size };
	char *silent = find_silent(r);
	const struct netdev *first = NULL, *filter = NULL;
	bool asked = false;
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; silent && i < snapshot_n_netdevs(r->to); i++) {
		const struct netdev *d = &snapshot_netdevs(r->to)[i];

		if (!silent[i] || n++ >= NAMED)
			continue;
		asked |= verdicts_of(r->to, d) != PROGRAM_VERDICTS_UNKNOWN;
		format_add(&t, "%s", n > 1 ? ", " : "No event was counted for ");
		if (d->prog_name[0])
			format_add(&t, "%s ", d->prog_name);
		format_add(&t, "(id %u) on ", netdev_program(d));
		say_device(&t, d, names);
		first = first ?: d;
		filter = filter || !may_filter(r, d) ? filter : d;
	}
	free(silent);
	if (!n)
		return 0;
	if (n > NAMED)
		format_add(&t, " and %zu more", n - NAMED);
	format_add(&t, ".\nXDP_DROP and XDP_PASS fire no tracepoint%s",
		   asked ? " (see the VERDICTS column of the programs view)"
			 : " (--verdicts counts them)");
	if (off) {
		format_add(&t, "; successful redirects fire only xdp_redirect, which is %s",
			   tp_state_name(r->to->tp[TP_XDP_REDIRECT].state));
		say_switch(&t, TP_XDP_REDIRECT, by);
	}
	format_add(&t, ".\n");
	if (filter)
		format_add(&t,
			   "%s is not promiscuous: its NIC may drop packets to other MAC addresses "
			   "before XDP.\n",
			   filter->name);
	say_commands(&t, r->to, first, names);
	return (int)t.len;
}

void no_data_since(const struct rates *r, const struct snapshot_host *host, char *buf, size_t size)
{
	bool is_read = host->read_from.tv_sec <= host->start.tv_sec;
	const struct timespec *from = r->base   ? &r->base->wall
				      : is_read ? &host->start
						: &host->read_from;
	char age[24], clock[24];

	format_age(age, sizeof(age), (double)(r->to->wall.tv_sec - from->tv_sec));
	format_date(clock, sizeof(clock), from);
	if (r->base || is_read)
		snprintf(buf, size, "in the %s since the %s", age, r->base ? "baseline" : "start");
	else
		snprintf(buf, size, "in the %s since %s (not read before that)", age, clock);
}

int no_data_text(const struct rates *r, uint32_t set, const struct snapshot_host *host,
		 struct netns_names *names, enum switch_by by, char *buf, size_t size)
{
	const struct snapshot *s = r->to;
	struct format_text t = { .buf = buf, .size = size };
	uint32_t on = in_state(s, set, BIT(TP_ON));
	uint32_t off = in_state(s, set, BIT(TP_OFF) | BIT(TP_SHED));
	uint64_t bulks = since(r, TP_XDP_DEVMAP_XMIT) + since(r, TP_XDP_CPUMAP_ENQUEUE);
	bool of_stack = false;
	char when[96];

	buf[0] = '\0';
	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		if (!(set & BIT(tp)) || !since(r, tp))
			continue;
		/* the stack queues packets on every machine */
		if (tp != TP_NET_DEV_QUEUE || set == BIT(tp))
			return 0;
		of_stack = true;
	}
	if (!on) {
		format_add(&t, "Nothing %s: ", off ? "is counted" : "can be attached");
		tracepoints_list(&t, s,
				 off ? off : in_state(s, set, BIT(TP_MISSING) | BIT(TP_FAILED)),
				 off, by);
		format_add(&t, ".\n");
		return (int)t.len;
	}
	no_data_since(r, host, when, sizeof(when));
	if (r->from)
		format_add(&t, "No %sevents %s.\n", of_stack ? "XDP " : "", when);
	else
		format_add(&t, "The first interval is not over yet.\n");
	if (bulks && off & BIT(TP_XDP_REDIRECT)) {
		format_add(&t,
			   "Packets are being redirected: %" PRIu64
			   " bulks of xdp_devmap_xmit and xdp_cpumap_enqueue. To see which program "
			   "redirects them, switch on xdp_redirect",
			   bulks);
		say_switch(&t, TP_XDP_REDIRECT, by);
		format_add(&t, ".\n");
	} else if (off) {
		tracepoints_list(&t, s, off, true, by);
		format_add(&t, ".\n");
	}
	if (!bulks && set != BIT(TP_NET_DEV_QUEUE)) {
		size_t before = t.len;

		t.len += (size_t)no_data_silent(r, names, by, buf + t.len, size - t.len);
		if (t.len == before)
			say_devices(&t, s, host->devices, names, by);
		say_unknown(&t, s, host);
	}
	return (int)t.len;
}
