// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about who holds attached programs. */
#include "diagnose/device_past.h"
#include "diagnose/finding_code.h"

#include <stdio.h>
#include "base/clock.h"
#include "base/format.h"
#include "base/memory.h"
#include "source/programs.h"

/* Two scans that saw all processes found no holder. */
static bool is_unheld(const struct program *p)
{
	return p && p->sight == PROGRAM_SIGHT_ALL && p->unheld > 1;
}

static void count_device(struct program_devices *of, const struct netdev *d)
{
	if (!of->n++)
		of->first = d;
}

struct program_devices *program_devices(const struct snapshot *s)
{
	size_t n;
	const struct program *row = programs(s, &n), *p, *skb;
	struct program_devices *of = memory_new(n + 1, sizeof(*of));

	for (size_t i = 0; n && i < snapshot_n_netdevs(s); i++) {
		const struct netdev *d = &snapshot_netdevs(s)[i];

		if (d->gone)
			continue;
		p = program_find(s, d->prog_id);
		skb = program_find(s, d->skb_prog_id);
		if (p)
			count_device(&of[p - row], d);
		if (skb && skb != p)
			count_device(&of[skb - row], d);
	}
	return of;
}

/*
 * ip link leaves programs without an owner on purpose, so this is information. A program of several
 * devices is reported once, for the first.
 */
static bool has_no_owner(struct evidence *e)
{
	const struct program *p = program_find(e->rates->to, e->dev->prog_id);
	const struct program_devices *on;
	char age[16], loaded[64] = "", others[48] = "";
	size_t n;

	if (!is_unheld(p))
		p = program_find(e->rates->to, e->dev->skb_prog_id);
	if (e->dev->gone || !is_unheld(p))
		return false;
	on = &e->devices[p - programs(e->rates->to, &n)];
	if (on->first != e->dev)
		return false;
	if (p->loaded_at.tv_sec) {
		format_age(age, sizeof(age),
			   ns_to_seconds(timespec_to_ns(&e->rates->to->wall) -
					 timespec_to_ns(&p->loaded_at)));
		snprintf(loaded, sizeof(loaded), "loaded %s ago by uid %u, and ", age, p->uid);
	}
	if (on->n > 1)
		snprintf(others, sizeof(others), "; it is attached to %zu more device%s", on->n - 1,
			 on->n > 2 ? "s" : "");
	e->program = p;
	snprintf(e->what, sizeof(e->what),
		 "no process, link or pin holds it. It was %sattached over netlink (as ip link "
		 "does), and stays until it is detached%s",
		 loaded, others);
	return true;
}

#define REPLACED_S 600 /* two owners replace DEVICE_REPLACED times in this time */
#define HAD_S      60

static void add_program(struct format_text *t, uint32_t id, const char *name)
{
	format_add(t, "%u%s%s", id, *name ? " " : "", name);
}

/* Two agents attach to one device: each resync or restart of one replaces the other's program. */
static bool is_replaced(struct evidence *e)
{
	const struct netdev *was = evidence_device_before(e), *d = e->dev;
	uint64_t now = e->rates->to->mono_ns, ns = REPLACED_S * (uint64_t)NSEC_PER_SEC;
	const uint64_t *at = e->past ? e->past->replaced_ns : NULL;
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	bool often;

	if (!at || at[0] != now || d->gone)
		return false;
	often = at[DEVICE_REPLACED - 1] && now - at[DEVICE_REPLACED - 1] <= ns;
	if (!often)
		e->severity = FINDING_INFO;
	format_add(&t, "its XDP program was replaced");
	if (often)
		format_add(&t, " at least %d times in the last %d minutes, now", DEVICE_REPLACED,
			   REPLACED_S / 60);
	format_add(&t, ": ");
	if (was && netdev_has_program(was)) {
		add_program(&t, netdev_program(was), was->prog_name);
		format_add(&t, " -> ");
	} else {
		format_add(&t, "after a detach, ");
	}
	add_program(&t, netdev_program(d), d->prog_name);
	e->count = 1;
	return true;
}

/* Whoever attached it may believe that it still filters. */
static bool is_detached(struct evidence *e)
{
	const struct netdev *was = evidence_device_before(e);
	const struct device_past *past = e->past;
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	char age[16];

	if (!past || e->dev->gone || netdev_has_program(e->dev) || !past->attached_ns ||
	    past->programs_ns - past->attached_ns < HAD_S * (uint64_t)NSEC_PER_SEC ||
	    !netdev_grew(was, e->dev, NETDEV_RX_PACKETS, &e->count) || !e->count)
		return false;
	format_age(age, sizeof(age), ns_to_seconds(past->programs_ns - past->attached_ns));
	e->had_program = true;
	format_add(&t, "its XDP program ");
	add_program(&t, past->prog_id, past->prog_name);
	format_add(&t,
		   " was detached after it had been attached for at least %s, and incoming packets "
		   "now go to the network stack unfiltered",
		   age);
	return true;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "program-detached", FINDING_WARNING,
	  "a device that ran XDP for more than a minute has lost its program, and packets still "
	  "come in",
	  { .text = "attach the program again, or start its owner again. The changes view (X) shows "
		    "when it was detached and, if known, by which process",
	    .commands = "{in}bpftool net show dev {dev}\n"
			"{in}bpftool net attach {xdp} id {number} dev {dev}\n"
			"{ip} link set dev {dev} {xdp} obj FILE sec SECTION" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE, .when = is_detached }) },
	{ "program-replaced", FINDING_WARNING,
	  "a device's XDP program was replaced by another. The severity is info unless that "
	  "happened three times in ten minutes, as when two agents attach there",
	  { .text = "find out who else attaches programs to this device, and have only one do so; "
		    "a program that is attached through a BPF link cannot be replaced over netlink",
	    .commands = "{in}bpftool net show dev {dev}\n"
			"xdptop -b -n 1 -v programs -i {dev}" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE, .is_event = true,
		  .when = is_replaced }) },
	{ "program-without-owner", FINDING_INFO,
	  "no process, link or pin holds an attached program, in two checks in a row. The loader "
	  "has ended or has closed the program",
	  { .text = "detach the program if its loader should be running, or if no other program "
		    "can be attached (device or resource busy). After ip link set ... xdp obj, a "
		    "program without an owner is normal",
	    .commands = "bpftool prog show id {prog}\n"
			"{ip} link set dev {dev} {xdp} off" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE | PER_PROG,
		  .when = has_no_owner }) },
};
/* clang-format on */

const struct finding_group program_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
