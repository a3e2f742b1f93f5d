// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about who holds attached programs. */
#include "diagnose/finding_code.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/clock.h"
#include "base/format.h"
#include "source/programs.h"

/* Two scans found no holder, and saw all processes. */
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
	struct program_devices *of = calloc(n + 1, sizeof(*of));

	for (size_t i = 0; of && n && i < snapshot_n_netdevs(s); i++) {
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
		snprintf(others, sizeof(others), "; it is on %zu more device%s", on->n - 1,
			 on->n > 2 ? "s" : "");
	e->program = p;
	snprintf(e->what, sizeof(e->what),
		 "no process, link or pin holds it: it was %sattached over netlink (as by ip "
		 "link), and stays until detached%s",
		 loaded, others);
	return true;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "program-without-owner", FINDING_INFO,
	  "no process, link or pin holds an attached program, in two checks in a row: its loader "
	  "has ended or closed it",
	  { .text = "this is normal after ip link set ... xdp obj; detach it if its loader should "
		    "be running, or if another program cannot be attached (device or resource "
		    "busy); a loader that attaches with a link leaves no program attached",
	    .commands = "bpftool prog show id {prog}\n"
			"{ip} link set dev {dev} {xdp} off" },
	  RULES({ RULE_NETDEV, .code = RULE_ANY, .per = PER_DEVICE | PER_PROG,
		  .when = has_no_owner }) },
};
/* clang-format on */

const struct finding_group program_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
