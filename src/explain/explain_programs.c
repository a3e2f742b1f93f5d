// SPDX-License-Identifier: GPL-2.0-or-later
/* Who holds an attached program, and since when. */
#include <stdio.h>
#include "base/clock.h"
#include "explain/explanation.h"
#include "source/map_fill.h"
#include "source/programs.h"

static const char *unheld_text(const struct program *p)
{
	if (!p->sight)
		return "unknown; see the note below the programs view";
	if (!p->attach)
		return "no process; links are unknown (see the note below the programs view)";
	if (!p->pinned)
		return "no process; pins are unknown (see the note below the programs view)";
	return p->attach == PROGRAM_NETLINK ? "no process, link or pin"
					    : "no process is seen, and the link is not pinned";
}

static void explain_owner(const struct explanation *x, const struct program *p)
{
	char text[SNAPSHOT_NAME_LEN * 2];
	const char *what = p->pinned == PROGRAM_PINNED ? "" : unheld_text(p);

	if (p->pid)
		what = " has it open";
	else if (p->parts && p->pinned != PROGRAM_PINNED)
		what = " hold it: programs that are attached to this dispatcher";
	say(x, EXPLAIN_TEXT, "owner", "%s%s%s%s",
	    *what && *what != ' ' ? "" : program_owner(p, text, sizeof(text)), what,
	    p->pid && p->pinned == PROGRAM_PINNED ? "; pinned" : "",
	    p->sight == PROGRAM_SIGHT_NAMESPACE
		    ? "; only processes of xdptop's pid namespace are seen"
		    : "");
}

static void say_runs(const struct explanation *x, const struct program *p)
{
	char rate[16], share[16];

	format_rate(rate, sizeof(rate), p->runs_per_s, NUMBER_SI);
	format_percent(share, sizeof(share), p->runs_per_s * p->ns_per_run / 1e7);
	say(x, EXPLAIN_TEXT, "runs",
	    "%s a second, %.0f ns each: %s %% of a CPU (BPF statistics are on)", rate,
	    p->ns_per_run, share);
}

#define MAPS_TOLD 16

static void say_map(const struct explanation *x, uint32_t map_id, uint32_t map_type,
		    const char *name, const char *what)
{
	const char *type = map_type_name(map_type);

	say(x, EXPLAIN_TEXT, "map", "%s%s%s %u%s%s", name, *name ? ", " : "", type ?: "id", map_id,
	    *what ? ": " : "", what);
}

static void say_fill(const struct explanation *x, const struct map_fill *m)
{
	char what[96] = "", share[16], outlook[32];

	if (m->state == MAP_FILL_COUNTED && m->max_entries) {
		format_percent(share, sizeof(share),
			       100.0 * (double)m->entries / (double)m->max_entries);
		map_fill_outlook(m, outlook, sizeof(outlook));
		snprintf(what, sizeof(what), "%ju of %ju entries, %s %%%s%s", (uintmax_t)m->entries,
			 (uintmax_t)m->max_entries, share, *outlook ? ", " : "", outlook);
	} else if (m->state == MAP_FILL_UNCOUNTED) {
		snprintf(what, sizeof(what), "at most %ju entries", (uintmax_t)m->max_entries);
	}
	say_map(x, m->map_id, m->map_type, m->map_name, what);
}

/* Prints maps after n other ones. Returns how many. A map names only its first programs. */
static int say_fills(const struct explanation *x, uint32_t prog_id, int n)
{
	const struct map_fill *m;
	struct row_walk w;

	row_walk_begin(&w, x->t->rates, x->to, &map_fills_by_user, prog_id);
	for (; (m = row_walk_next(&w)); n++)
		if (n < MAPS_TOLD)
			say_fill(x, m);
	return n;
}

void explain_maps(const struct explanation *x, uint32_t prog_id)
{
	const struct rates *r = x->t->rates;
	const struct map_entry *map[MAPS_OF_PROGRAM];
	int n = say_fills(x, prog_id, 0), told;
	const struct program *part;
	char what[64];

	for_each_row (part, r, x->to, &parts_by_program, prog_id)
		n = say_fills(x, part->prog_id, n);
	told = maps_of_program(r, prog_id, map);
	for (int i = 0; i < told; i++, n++) {
		snprintf(what, sizeof(what), "%u of %u slots in use", map[i]->used,
			 map[i]->max_entries);
		if (n < MAPS_TOLD)
			say_map(x, map[i]->map_id, map[i]->map_type, map[i]->map_name,
				map_is_unread(map[i]) ? "" : what);
	}
	if (n > MAPS_TOLD)
		say(x, EXPLAIN_TEXT, "map", "%d more are in the maps view", n - MAPS_TOLD);
}

void explain_holders(const struct explanation *x, uint32_t prog_id)
{
	const struct program *p = program_find(x->to, prog_id), *part;
	uint32_t more;
	char age[16];

	if (!p)
		return;
	explain_owner(x, p);
	if (p->attach == PROGRAM_LINK || p->attach == PROGRAM_LINK_NETLINK)
		say(x, EXPLAIN_TEXT, "kept by", "link %u: it stays attached while the link is held",
		    p->link_id);
	if (p->attach == PROGRAM_NETLINK || p->attach == PROGRAM_LINK_NETLINK)
		say(x, EXPLAIN_TEXT, "kept by",
		    "netlink (as ip link does): it stays attached until it is detached%s",
		    p->attach == PROGRAM_LINK_NETLINK ? ", on other devices" : "");
	if (p->loaded_at.tv_sec) {
		format_age(age, sizeof(age),
			   ns_to_seconds(timespec_to_ns(&x->to->wall) -
					 timespec_to_ns(&p->loaded_at)));
		say(x, EXPLAIN_TEXT, "loaded", "%s ago by uid %u", age, p->uid);
	}
	if (p->runs == PROGRAM_RUNS_ON)
		say_runs(x, p);
	more = p->parts;
	for_each_row (part, x->t->rates, x->to, &parts_by_program, prog_id) {
		more -= more > 0;
		say(x, EXPLAIN_TEXT, "part", "%s%sid %u, link %u%s", part->prog_name,
		    *part->prog_name ? ", " : "", part->prog_id, part->link_id,
		    part->pinned == PROGRAM_PINNED ? ", pinned" : "");
	}
	/* a part's row names only its lowest dispatcher */
	if (more)
		say(x, EXPLAIN_TEXT, "part",
		    "%u more: a part of several dispatchers is listed only under the dispatcher "
		    "with the lowest id",
		    more);
}
