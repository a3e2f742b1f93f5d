// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/no_data.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/format.h"
#include "model/target.h"
#include "model/tracepoint.h"

/* Names at most this many devices. */
#define NAMED 3

struct text {
	char *buf;
	size_t size, len;
};

static void __attribute__((format(printf, 2, 3))) say(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	if (t->len >= t->size)
		return;
	va_start(args, format);
	n = vsnprintf(t->buf + t->len, t->size - t->len, format, args);
	va_end(args);
	t->len += n < 0 ? 0 : (size_t)n;
}

static uint64_t since(const struct rates *r, uint32_t tp)
{
	uint64_t before = r->base ? r->base->tp[tp].events : 0;

	return r->to->tp[tp].events > before ? r->to->tp[tp].events - before : 0;
}

/* Tracepoints of a set in one of these states (bits 1 << state). */
static uint32_t in_state(const struct snapshot *s, uint32_t set, uint32_t states)
{
	uint32_t found = 0;

	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (set & BIT(tp) && *snapshot_tracepoint(s, tp) && states & BIT(s->tp[tp].state))
			found |= BIT(tp);
	return found;
}

/* "a is off (press 3), b is shed (press 0)", or without keys "a (reason), b". */
static void list(struct text *t, const struct snapshot *s, uint32_t set, bool keys)
{
	bool first = true;

	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		if (!(set & BIT(tp)))
			continue;
		say(t, "%s%s", first ? "" : ", ", snapshot_tracepoint(s, tp));
		if (keys)
			say(t, " is %s", tp_state_name(s->tp[tp].state));
		if (keys && tracepoints[tp].key)
			say(t, " (press %c)", tracepoints[tp].key);
		else if (!keys && s->tp[tp].reason[0])
			say(t, " (%s)", s->tp[tp].reason);
		first = false;
	}
}

/* No device with XDP was found, by coverage. */
static const char *const none_attached[NETDEVS_COVERAGES] = {
	[NETDEVS_UNKNOWN] =
		"No device is known to have an XDP program attached; `bpftool net` in a "
		"namespace shows what is.\n",
	[NETDEVS_NONE] = "Whether any device has an XDP program attached is not known: no device "
			 "could be read. `bpftool net` in a namespace shows what is.\n",
	[NETDEVS_AT_START] = "No device of the network namespaces that are looked into has an XDP "
			     "program attached.\n",
	[NETDEVS_ALL] = "No device has an XDP program attached, in any network namespace.\n",
};

static void say_unknown(struct text *t, const struct snapshot *s, enum netdev_coverage coverage)
{
	uint64_t n = s->netns_unreadable;

	if (n)
		say(t, "%" PRIu64 " network namespace%s could not be looked into.\n", n,
		    n == 1 ? "" : "s");
	if (s->netdevs_left_out)
		say(t,
		    "%zu more device%s found, but not looked at: at most %d are known at a time. "
		    "`bpftool net` in a namespace shows all that it has.\n",
		    s->netdevs_left_out, s->netdevs_left_out == 1 ? " was" : "s were", NETDEVS_MAX);
	if (coverage == NETDEVS_AT_START)
		say(t, "Of network namespaces that came after the start nothing is known: to walk "
		       "through all of them takes Linux 5.17 with BTF.\n");
}

int no_data_netdevs(const struct snapshot *s, const struct snapshot_host *host, char *buf,
		    size_t size)
{
	const char *why = host->absent[DATA_SOURCE_NETDEVS];
	struct text t = { .buf = buf, .size = size };

	buf[0] = '\0';
	if (host->devices == NETDEVS_NONE)
		say(&t, "No device could be read%s%s: only what events name is here.\n",
		    *why ? ", " : "", why);
	say_unknown(&t, s, host->devices);
	return (int)t.len;
}

static void say_device(struct text *t, const struct netdev *d, struct netns_names *names)
{
	char ns[SNAPSHOT_NAME_LEN * 2];

	/* init is not printed */
	if (netns_text(d->netns, names, ns, sizeof(ns)) && strcmp(ns, "init"))
		say(t, "%s (%s, %s)", d->name, ns, netdev_mode_name(d->mode));
	else
		say(t, "%s (%s)", d->name, netdev_mode_name(d->mode));
}

static void say_devices(struct text *t, const struct snapshot *s, enum netdev_coverage coverage,
			struct netns_names *names)
{
	size_t attached = 0;

	for (size_t i = 0; i < snapshot_n_netdevs(s); i++) {
		const struct netdev *d = &snapshot_netdevs(s)[i];

		if (d->gone || d->mode == NETDEV_NONE)
			continue;
		if (attached < NAMED) {
			say(t, "%s", attached ? ", " : "XDP is attached to ");
			say_device(t, d, names);
		}
		attached++;
	}
	if (attached > NAMED)
		say(t, " and %zu more", attached - NAMED);
	if (attached)
		say(t, "; a program that only passes or drops packets fires none of these "
		       "tracepoints.\n");
	else
		say(t, "%s", none_attached[s->netdevs_left_out ? NETDEVS_UNKNOWN : coverage]);
	say_unknown(t, s, coverage);
}

int no_data_text(const struct rates *r, uint32_t set, const struct snapshot_host *host,
		 struct netns_names *names, char *buf, size_t size)
{
	const struct snapshot *s = r->to;
	const struct timespec *from = r->base ? &r->base->wall : &host->start;
	struct text t = { .buf = buf, .size = size };
	uint32_t on = in_state(s, set, BIT(TP_ON));
	uint32_t off = in_state(s, set, BIT(TP_OFF) | BIT(TP_SHED));
	uint64_t bulks = since(r, TP_XDP_DEVMAP_XMIT) + since(r, TP_XDP_CPUMAP_ENQUEUE);
	char age[24];

	buf[0] = '\0';
	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (set & BIT(tp) && since(r, tp))
			return 0;
	if (!on) {
		say(&t, "Nothing %s: ", off ? "is counted" : "can be attached");
		list(&t, s, off ? off : in_state(s, set, BIT(TP_MISSING) | BIT(TP_FAILED)), off);
		say(&t, ".\n");
		return (int)t.len;
	}
	format_age(age, sizeof(age), (double)(s->wall.tv_sec - from->tv_sec));
	if (r->from)
		say(&t, "No event since the %s %s ago: all counts are zero.\n",
		    r->base ? "baseline" : "start", age);
	else
		say(&t, "The first interval is not over yet.\n");
	if (bulks && off & BIT(TP_XDP_REDIRECT))
		say(&t,
		    "Packets are being redirected (%" PRIu64 " bulks of xdp_devmap_xmit and "
		    "xdp_cpumap_enqueue): which program does it, xdp_redirect tells, which is %s "
		    "(press %c).\n",
		    bulks, tp_state_name(s->tp[TP_XDP_REDIRECT].state),
		    tracepoints[TP_XDP_REDIRECT].key);
	else if (off) {
		list(&t, s, off, true);
		say(&t, ".\n");
	}
	if (!bulks)
		say_devices(&t, s, host->devices, names);
	return (int)t.len;
}
