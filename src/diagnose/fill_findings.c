// SPDX-License-Identifier: GPL-2.0-or-later
/* Findings about hashes and LPM tries of running programs, which can become full. */
#include "diagnose/finding_code.h"

#include <linux/bpf.h>
#include <stdio.h>
#include "base/format.h"
#include "source/map_fill.h"

/* A map is nearly full if at least this part of max_entries is in use. */
#define NEAR 0.9

/* A map is soon full if it grew in this many counts in a row, and has this long left. */
#define RISES  3
#define SOON_S 300

/*
 * Each CPU keeps up to this many free entries of an LRU hash (LOCAL_FREE_TARGET,
 * kernel/bpf/bpf_lru_list.c), and evicts others before they are used up.
 */
#define LRU_FREE 128

/* A smaller map may be full on purpose, as a table whose size fits its content. */
#define TABLE_MAX 64

static bool can_fill(const struct map_fill *m)
{
	return m->state == MAP_FILL_COUNTED && m->max_entries >= TABLE_MAX;
}

static bool is_full(struct evidence *e)
{
	const struct map_fill *m = e->fill;

	if (!can_fill(m) || map_fill_evicts(m) || map_fill_part(m) < 1)
		return false;
	snprintf(e->what, sizeof(e->what),
		 "all its %ju entries are in use: the kernel refuses a new one with %s, which "
		 "only the program sees",
		 (uintmax_t)m->max_entries,
		 m->map_type == BPF_MAP_TYPE_LPM_TRIE ? "ENOSPC" : "E2BIG");
	return true;
}

static bool is_nearly_full(struct evidence *e)
{
	struct format_text t = { .buf = e->what, .size = sizeof(e->what) };
	const struct map_fill *m = e->fill;
	char share[16], growth[16], outlook[32];

	if (!can_fill(m) || map_fill_evicts(m) || map_fill_part(m) >= 1 ||
	    (map_fill_part(m) < NEAR && (m->rises < RISES || !(map_fill_full_in(m) <= SOON_S))))
		return false;
	e->severity = FINDING_INFO;
	format_percent(share, sizeof(share), 100 * map_fill_part(m));
	format_add(&t, "%s %% of its %ju entries are in use", share, (uintmax_t)m->max_entries);
	if (*map_fill_outlook(m, outlook, sizeof(outlook))) {
		format_rate(growth, sizeof(growth), m->growth, NUMBER_SI);
		format_add(&t, ", and it grows by %s a second: it is %s", growth, outlook);
	}
	return true;
}

static bool evicts(struct evidence *e)
{
	const struct map_fill *m = e->fill;
	char share[16];

	if (!can_fill(m) || !map_fill_evicts(m) ||
	    m->entries + LRU_FREE * (uint64_t)e->rates->to->cpus_online < m->max_entries)
		return false;
	e->severity = FINDING_INFO;
	format_percent(share, sizeof(share), 100 * map_fill_part(m));
	snprintf(e->what, sizeof(e->what),
		 "%s %% of its %ju entries are in use: an LRU hash evicts old entries for new ones "
		 "when hardly any are free",
		 share, (uintmax_t)m->max_entries);
	return true;
}

/* clang-format off */
static const struct finding_code codes[] = {
	{ "map-nearly-full", FINDING_WARNING,
	  "a hash or LPM trie (of 64 entries or more) of a running program is full, so new entries "
	  "are refused. The severity is info at 90 % or more, or at 75 % if the map grew in the "
	  "last 15 s and will be full within 5 minutes, and for an LRU hash, which evicts entries "
	  "instead",
	  { .text = "have the program's owner create the map with a larger max_entries, or delete "
		    "entries that are no longer needed. Check what the program does with a packet "
		    "whose entry is refused",
	    .commands = "bpftool map show id {map}\n"
			"bpftool map dump id {map} | grep -cw key\n"
			"bpftool prog show id {prog}" },
	  RULES({ RULE_MAP, .code = RULE_ANY, .per = PER_MAP, .when = is_full },
		{ RULE_MAP, .code = RULE_ANY, .per = PER_MAP, .when = is_nearly_full },
		{ RULE_MAP, .code = RULE_ANY, .per = PER_MAP, .when = evicts,
		  .remedy.text = "nothing, if old entries may be lost. Otherwise have the "
				 "program's owner create the map with a larger max_entries" }) },
};
/* clang-format on */

const struct finding_group fill_findings = { codes, sizeof(codes) / sizeof(codes[0]) };
