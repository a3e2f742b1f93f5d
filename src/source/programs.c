// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/programs.h"

#include <errno.h>
#include <stdio.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/sanitize.h"
#include "inventory/bpf_objects.h"
#include "inventory/holders.h"
#include "schema/record_field.h"
#include "source/attached.h"
#include "source/data_source.h"
#include "source/live_source.h"
#include "source/map_users.h"
#include "source/program_runs.h"

/*
 * Programs that were loaded as a newer version of a running one, by their name, but that nothing
 * runs. Nothing is concluded from what was not read in full.
 */
#define IDLE_MAX 64 /* programs that are looked at */
#define IDLE_S   30 /* a loader attaches what it has loaded within this time */

/* All zero = nothing is known. */
struct idle_programs {
	uint32_t *used; /* ids of programs that something may run */
	size_t n_used, cap_used;
	struct idle_program {
		uint32_t id;
		uint64_t load_time; /* ns since boot */
		char name[SNAPSHOT_NAME_LEN];
	} idle[IDLE_MAX];
	size_t n;
	uint64_t now; /* ns since boot */
	bool known;
};

static void idle_programs_free(struct idle_programs *p)
{
	free(p->used);
}

static void idle_programs_use(struct idle_programs *p, uint32_t prog_id)
{
	*array_append(p->used, p->n_used, p->cap_used) = prog_id;
}

/* Begin a pass: programs of devices, map entries and program arrays count as used. */
static void idle_programs_begin(struct idle_programs *p, const struct live *live,
				const struct attached_programs *attached)
{
	const struct map_users *u = live->map_users;
	struct timespec boot = { 0 };

	clock_gettime(CLOCK_BOOTTIME, &boot);
	p->now = (uint64_t)timespec_to_ns(&boot);
	p->n_used = p->n = 0;
	p->known = u && u->run_known && live->netdevs && attached->n < PROGRAMS_MAX / 2 &&
		   !live->host->netdevs_left_out &&
		   netdev_monitor_coverage(live->netdevs) == NETDEVS_ALL;
	for (size_t i = 0; i < attached->n; i++)
		idle_programs_use(p, attached->id[i]);
	for (size_t i = 0; u && i < u->n_run; i++)
		idle_programs_use(p, u->run[i]);
}

static void add_program(void *ctx, uint32_t id, const char *name, uint64_t load_time)
{
	struct idle_programs *p = ctx;
	struct idle_program *to;

	if (array_find(p->used, p->n_used, e, *e < id, *e == id) || !*name || !load_time ||
	    p->now < load_time + IDLE_S * (uint64_t)NSEC_PER_SEC || p->n == IDLE_MAX)
		return;
	to = &p->idle[p->n++];
	to->id = id;
	to->load_time = load_time;
	snprintf(to->name, sizeof(to->name), "%s", name);
}

/* Find the programs that are not used. */
static void idle_programs_end(struct idle_programs *p, const struct live *live)
{
	array_sort(p->used, p->n_used, sizeof(*p->used), compare_u32);
	if (p->known)
		p->known = !bpf_objects_xdp(live->objects, add_program, p);
}

/* The newest program of the same name that was loaded after it; NULL = none. */
static const struct idle_program *idle_find(const struct idle_programs *p, const char *name,
					    uint64_t load_time)
{
	const struct idle_program *found = NULL;

	for (size_t i = 0; i < p->n; i++)
		if (p->idle[i].load_time > load_time && !strcmp(p->idle[i].name, name) &&
		    (!found || p->idle[i].load_time > found->load_time))
			found = &p->idle[i];
	return found;
}

/* Set the newer_* of a running program's row. */
static void idle_programs_set(const struct idle_programs *p, const struct live *live,
			      struct program *row, const struct snapshot *to)
{
	const struct idle_program *newer = NULL;
	const struct holder_record *o;
	uint64_t load_time;
	uint32_t uid;
	size_t n;

	if (p->known && p->n && !row->part_of && *row->prog_name &&
	    bpf_objects_loaded(live->objects, row->prog_id, &load_time, &uid))
		newer = idle_find(p, row->prog_name, load_time);
	row->newer_id = row->newer_pid = 0;
	row->newer_loaded_at = (struct timespec){ 0 };
	memset(row->newer_comm, 0, sizeof(row->newer_comm));
	if (!newer)
		return;
	row->newer_id = newer->id;
	row->newer_loaded_at = clock_since_boot(&to->wall, newer->load_time);
	o = holders_of(live->holders, HELD_PROG, newer->id, &n);
	if (!n)
		return;
	row->newer_pid = o->pid;
	sanitize(row->newer_comm, sizeof(row->newer_comm), o->comm, sizeof(o->comm));
}

static const char *const attaches[PROGRAM_ATTACHES] = {
	[PROGRAM_NETLINK] = "netlink",
	[PROGRAM_LINK] = "link",
	[PROGRAM_LINK_NETLINK] = "link+netlink",
};

static const char *const sights[PROGRAM_SIGHTS] = {
	[PROGRAM_SIGHT_NAMESPACE] = "namespace",
	[PROGRAM_SIGHT_ALL] = "all",
};

static const char *const verdict_states[PROGRAM_VERDICTS_STATES] = {
	[PROGRAM_VERDICTS_OFF] = "off",
	[PROGRAM_VERDICTS_ASKED] = "asked",
	[PROGRAM_VERDICTS_ON] = "on",
	[PROGRAM_VERDICTS_REFUSED] = "refused",
};

const char *program_verdicts_name(enum program_verdicts state)
{
	return verdict_states[state];
}

const char *program_owner(const struct program *p, char *buf, size_t size)
{
	int len;

	if (p->pid) {
		len = snprintf(buf, size, "%s[%u]", p->comm, p->pid);
		if (p->holders > 1 && len > 0 && (size_t)len < size)
			snprintf(buf + len, size - (size_t)len, " +%u", p->holders - 1);
		return buf;
	}
	if (p->pinned == PROGRAM_PINNED)
		return "pinned";
	if (p->parts)
		return "parts";
	if (p->link_id) {
		snprintf(buf, size, "link %u", p->link_id);
		return buf;
	}
	return p->sight && p->attach && p->pinned ? "none" : NULL;
}

const char *program_unseen(const struct program *p, const struct snapshot *base, char *buf,
			   size_t size)
{
	int64_t until = timespec_to_ns(&p->unseen_until),
		ns = until - timespec_to_ns(&p->unseen_from);
	char clock[16], gap[16];

	if (!p->unseen_from.tv_sec || (until && base && until < timespec_to_ns(&base->wall)))
		return NULL;
	format_clock(clock, sizeof(clock), &p->unseen_from);
	format_gap(gap, sizeof(gap), ns > 0 ? ns_to_seconds(ns) : 0);
	if (until)
		snprintf(buf, size, "up to %s, from %s", gap, clock);
	else
		snprintf(buf, size, "since %s", clock);
	return buf;
}

const char *program_held(const struct program *p, char *buf, size_t size)
{
	if (!p->attach)
		return p->pinned == PROGRAM_PINNED ? "pin" : NULL;
	snprintf(buf, size, "%s%s", attaches[p->attach],
		 p->pinned == PROGRAM_PINNED ? ", pin" : "");
	return buf;
}

DATA_SOURCE_ROWS(programs, struct program, DATA_SOURCE_PROGRAMS)

const struct program *program_find(const struct snapshot *s, uint32_t prog_id)
{
	return prog_id ? data_source_row(s, DATA_SOURCE_PROGRAMS,
					 &(struct program){ .prog_id = prog_id })
		       : NULL;
}

const struct row_key parts_by_program = ROW_KEY_IDS(DATA_SOURCE_PROGRAMS, struct program, part_of);

#define program_of(r) ROW_OF(struct program, r)

/* Known only if verdicts are counted, and all runs are included. */
GET_IF(get_missed, program_of(r)->verdicts && !program_of(r)->unseen_from.tv_sec, field_get_u64)
GET_IF(get_runs, program_of(r)->runs == PROGRAM_RUNS_ON, field_get_real)

static FIELD_SET(set_runs)
{
	program_of(r)->runs = PROGRAM_RUNS_ON;
	return field_set_real(f, r, v);
}

GET_IF(get_run_total, program_of(r)->runs == PROGRAM_RUNS_ON, field_get_u64)

#define KNOWN(m) KNOWN_BY(struct program, m)

/* clang-format off */
static const struct record_field fields[] = {
	FIELDS_OF_SNAPSHOT,
	ROW_FIELD_ID("prog_id", struct program, prog_id),
	ROW_FIELD_TEXT("prog_name", struct program, prog_name),
	ROW_FIELD_GONE("attached", struct program, gone),
	ROW_FIELD_ID("part_of", struct program, part_of),
	ROW_FIELD_NUMBER("parts", struct program, parts),
	ROW_FIELD_NAME("attached_by", struct program, attach, attaches),
	ROW_FIELD_ID("link_id", struct program, link_id),
	ROW_FIELD_ANSWER("pinned", struct program, pinned),
	ROW_FIELD_ID("pid", struct program, pid),
	ROW_FIELD_TEXT("comm", struct program, comm),
	ROW_FIELD_NUMBER("holders", struct program, holders, KNOWN(sight)),
	ROW_FIELD_NAME("processes", struct program, sight, sights),
	ROW_FIELD_NUMBER("unheld", struct program, unheld, KNOWN(sight)),
	ROW_FIELD_KNOWN_TIME("loaded_at", struct program, loaded_at),
	ROW_FIELD_NUMBER("uid", struct program, uid, KNOWN(loaded_at.tv_sec)),
	ROW_FIELD_IDS("maps", struct program, map, OPTIONAL),
	ROW_FIELD_NUMBER("maps_total", struct program, maps_total, KNOWN(maps_known), OPTIONAL),
	ROW_FIELD_ID("newer_id", struct program, newer_id, OPTIONAL),
	ROW_FIELD_KNOWN_TIME("newer_loaded_at", struct program, newer_loaded_at, OPTIONAL),
	ROW_FIELD_ID("newer_pid", struct program, newer_pid, OPTIONAL),
	ROW_FIELD_TEXT("newer_comm", struct program, newer_comm, OPTIONAL),
	ROW_FIELD_ID("prog_array", struct program, prog_array, OPTIONAL),
	ROW_FIELD_ANSWER("statistics", struct program, runs, OPTIONAL),
	FIELD("runs_per_s", REAL, 0, get_runs, set_runs, ROW_MEMBER(struct program, runs_per_s), OPTIONAL),
	ROW_FIELD_REAL("ns_per_run", struct program, ns_per_run, KNOWN(ns_per_run), OPTIONAL),
	FIELD("run_cnt", COUNT, 0, get_run_total, field_set_u64, ROW_MEMBER(struct program, run_cnt), OPTIONAL),
	FIELD("run_time_ns", COUNT, 0, get_run_total, field_set_u64,
	      ROW_MEMBER(struct program, run_time_ns), OPTIONAL),
	ROW_FIELD_NAME("verdicts", struct program, verdicts, verdict_states, OPTIONAL),
	ROW_FIELD_CUT_TEXT("verdicts_reason", struct program, verdicts_reason, OPTIONAL),
	FIELD("verdicts_missed", COUNT, 0, get_missed, field_set_u64,
	      ROW_MEMBER(struct program, verdicts_missed), OPTIONAL),
	ROW_FIELD_KNOWN_TIME("verdicts_unseen_from", struct program, unseen_from, OPTIONAL),
	ROW_FIELD_KNOWN_TIME("verdicts_unseen_until", struct program, unseen_until, OPTIONAL),
};
/* clang-format on */

static const struct record_object object = RECORD_OBJECT("program", fields);

_Static_assert(sizeof(struct program) <= RECORD_ROW_SIZE, "a recording has room for a row");

/* A trace may have begun within the interval. */
static void program_forget(void *row)
{
	((struct program *)row)->verdicts = PROGRAM_VERDICTS_UNKNOWN;
}

/* How often links are read if processes cannot be read or are not due. */
#define LOOK_NS (10 * NSEC_PER_SEC)

struct programs_look {
	struct live *live;
	struct program *row; /* ascending by id */
	size_t n, cap;
	struct program *before; /* as of the last look */
	size_t n_before, cap_before;
	struct link_record *link; /* sorted by_program() */
	size_t n_links, cap_links;
	struct attached_programs attached;
	struct holder_record *holder; /* of one program, sorted by_pid() */
	size_t n_holders, cap_holders;
	struct program_runs runs;
	struct idle_programs idle;
	bool knows_links;   /* as of the last look */
	uint64_t look_ns;   /* time of the last look */
	uint64_t links_ns;  /* when links were read */
	uint64_t moving_ns; /* since when a part has links only to programs that no device runs; 0 =
			       it has others */
	bool again; /* some programs are new, or nothing seems to hold them: look again soon */
	/* Read links in each interval, because a trace must not outlive the link of a part. */
	bool follow_links;
};

COMPARE(by_program, struct link_record,
	ORDER(x->prog_id, y->prog_id) ?: ORDER(x->link_id, y->link_id))

COMPARE(by_pid, struct holder_record, ORDER(x->pid, y->pid))

COMPARE(by_whole, struct program, ORDER(x->prog_id, y->prog_id) ?: ORDER(x->part_of, y->part_of))

/* Find a row of a look; NULL = none. */
static struct program *find_row(struct program *row, size_t n, uint32_t prog_id)
{
	size_t at = array_lower_bound(row, n, e, e->prog_id < prog_id);

	return at < n && row[at].prog_id == prog_id ? &row[at] : NULL;
}

static bool is_attached(const struct programs_look *l, const struct program *p)
{
	return attached_programs_has(&l->attached, p->part_of ?: p->prog_id);
}

/*
 * Whether a program was attached, or one with parts was detached: its parts may also belong to
 * others.
 */
static bool is_changed(const struct programs_look *l)
{
	size_t known = 0;
	bool lost = false;

	for (size_t i = 0; i < l->n; i++) {
		bool is_part = l->row[i].part_of, attached = is_attached(l, &l->row[i]);

		known += attached && !is_part;
		lost |= !attached && is_part;
	}
	return lost || known < l->attached.n;
}

static void forget_detached(struct programs_look *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		if (is_attached(l, &l->row[i]))
			l->row[kept++] = l->row[i];
	l->n = kept;
}

static void add_link(void *ctx, const void *record)
{
	struct programs_look *l = ctx;

	*array_append(l->link, l->n_links, l->cap_links) = *(const struct link_record *)record;
}

static const struct link_record *links_of(const struct programs_look *l, uint32_t prog_id,
					  size_t *n)
{
	size_t from = array_lower_bound(l->link, l->n_links, e, e->prog_id < prog_id);

	*n = array_lower_bound(l->link, l->n_links, e, e->prog_id <= prog_id) - from;
	return l->link + from;
}

static void add_row(struct programs_look *l, uint32_t prog_id, uint32_t part_of)
{
	struct program *p;

	if (l->n == PROGRAMS_MAX)
		return;
	p = array_append(l->row, l->n, l->cap);
	p->prog_id = prog_id;
	p->part_of = part_of;
}

static void add_holders(struct programs_look *l, enum held_kind kind, uint32_t id)
{
	size_t n;
	const struct holder_record *o = holders_of(l->live->holders, kind, id, &n);

	for (size_t i = 0; i < n; i++)
		*array_append(l->holder, l->n_holders, l->cap_holders) = o[i];
}

static void set_loaded(struct programs_look *l, struct program *p, const struct snapshot *to)
{
	uint64_t load_time;

	if (bpf_objects_loaded(l->live->objects, p->prog_id, &load_time, &p->uid))
		p->loaded_at = clock_since_boot(&to->wall, load_time);
}

/* Set how it is attached and whether it is pinned. */
static void set_links(struct programs_look *l, struct program *p, bool knows_links, int pins_err)
{
	const struct holders *h = l->live->holders;
	bool known = !pins_err || pins_err == -E2BIG;
	bool pinned = known && holders_is_pinned(h, HELD_PROG, p->prog_id);
	size_t n;
	const struct link_record *link = links_of(l, p->prog_id, &n);

	if (knows_links) {
		p->attach = n ? PROGRAM_LINK : PROGRAM_NETLINK;
		p->link_id = n ? link->link_id : 0;
	}
	for (size_t i = 0; i < n && known; i++)
		pinned |= holders_is_pinned(h, HELD_LINK, link[i].link_id);
	/* an interrupted walk does not prove that a pin is gone */
	if (pinned || !pins_err)
		p->pinned = pinned ? PROGRAM_PINNED : PROGRAM_NOT_PINNED;
	else if (pins_err != -EAGAIN)
		p->pinned = PROGRAM_PINNED_UNKNOWN;
}

static void set_holders(struct programs_look *l, struct program *p)
{
	size_t n;
	const struct link_record *link = links_of(l, p->prog_id, &n);

	p->sight = holders_see_all(l->live->holders) ? PROGRAM_SIGHT_ALL : PROGRAM_SIGHT_NAMESPACE;
	l->n_holders = 0;
	add_holders(l, HELD_PROG, p->prog_id);
	for (size_t i = 0; i < n; i++)
		add_holders(l, HELD_LINK, link[i].link_id);
	array_sort(l->holder, l->n_holders, sizeof(*l->holder), by_pid);
	p->holders = 0;
	/* a loader holds the program and its links, one per device */
	for (size_t i = 0; i < l->n_holders; i++)
		p->holders += !i || l->holder[i - 1].pid != l->holder[i].pid;
	p->pid = p->holders ? l->holder->pid : 0;
	memset(p->comm, 0, sizeof(p->comm));
	if (p->holders)
		sanitize(p->comm, sizeof(p->comm), l->holder->comm, sizeof(l->holder->comm));
	if (p->attach == PROGRAM_NETLINK && p->pinned == PROGRAM_NOT_PINNED && !p->holders &&
	    !p->parts && !p->part_of)
		p->unheld += p->unheld < 2;
	else
		p->unheld = 0;
	l->again |= p->unheld == 1;
}

/*
 * A part may have moved to another dispatcher that a device began to run after devices were last
 * read. Until they are read again, the part stays where it was.
 */
static void keep_moving(struct programs_look *l)
{
	bool moving = false;

	for (size_t i = 0; i < l->n_before; i++) {
		const struct program *p = &l->before[i];
		size_t n, other = 0;
		const struct link_record *link = links_of(l, p->prog_id, &n);

		for (size_t k = 0; k < n; k++)
			other += link[k].part_of &&
				 !attached_programs_has(&l->attached, link[k].part_of);
		if (!p->part_of || other < n || !n || !is_attached(l, p))
			continue;
		l->moving_ns = l->moving_ns ?: clock_ns();
		moving = true;
		if (l->live->netdevs && netdev_monitor_known_ns(l->live->netdevs) < l->moving_ns)
			add_row(l, p->prog_id, p->part_of);
	}
	if (!moving)
		l->moving_ns = 0;
	else if (l->live->netdevs)
		netdev_monitor_news(l->live->netdevs, l->moving_ns);
}

/* Rebuild all rows. `seen` = files of processes were read. */
static void programs_rebuild(struct programs_look *l, bool seen)
{
	struct program *before = l->row;
	size_t n_before = l->n, cap_before = l->cap, kept = 0;
	uint64_t links_ns = l->links_ns;
	int pins_err;

	l->row = l->before;
	l->cap = l->cap_before;
	l->before = before;
	l->n_before = n_before;
	l->cap_before = cap_before;
	l->n = l->n_links = 0;
	l->look_ns = l->live->refreshed_ns;
	l->again &= !seen;
	l->links_ns = clock_ns();
	l->knows_links = !holders_read_links(l->live->holders, add_link, l);
	array_sort(l->link, l->n_links, sizeof(*l->link), by_program);
	pins_err = holders_read_pins(l->live->holders);
	for (size_t i = 0; i < l->attached.n; i++)
		add_row(l, l->attached.id[i], 0);
	for (size_t i = 0; i < l->n_links; i++)
		if (l->link[i].part_of && attached_programs_has(&l->attached, l->link[i].part_of))
			add_row(l, l->link[i].prog_id, l->link[i].part_of);
	keep_moving(l);
	array_sort(l->row, l->n, sizeof(*l->row), by_whole);
	/* a part of several programs belongs to the first of them */
	for (size_t i = 0; i < l->n; i++)
		if (!kept || l->row[kept - 1].prog_id != l->row[i].prog_id)
			l->row[kept++] = l->row[i];
	l->n = kept;
	for (size_t i = 0; i < l->n; i++) {
		struct program *p = &l->row[i];
		const struct program *was = find_row(l->before, l->n_before, p->prog_id);
		uint32_t part_of = p->part_of;

		/* a part runs when its dispatcher does */
		p->not_before_ns = part_of && find_row(l->before, l->n_before, part_of)
					   ? links_ns
					   : l->live->looked_ns;
		if (was)
			*p = *was;
		p->part_of = part_of;
		p->parts = 0;
	}
	for (size_t i = 0; i < l->n_links; i++) {
		struct program *whole = find_row(l->row, l->n, l->link[i].part_of);

		if (whole)
			whole->parts++;
	}
	for (size_t i = 0; i < l->n; i++) {
		struct program *p = &l->row[i];

		set_links(l, p, l->knows_links, pins_err);
		if (seen)
			set_holders(l, p);
	}
}

static void set_maps(struct program *p, const struct map_users *u)
{
	size_t n = 0;
	const struct map_user *pair = u ? map_users_of(u, p->prog_id, &n) : NULL;

	p->maps_known = u && u->known && !(n && !pair->map_id);
	if (n && !pair->map_id) {
		pair++;
		n--;
	}
	memset(p->map, 0, sizeof(p->map));
	for (size_t i = 0; i < n && i < PROGRAM_MAPS; i++)
		p->map[i] = pair[i].map_id;
	p->maps_total = (uint32_t)n;
	p->prog_array = n ? pair->calls : 0;
}

/* Take the programs attached now. True = some are new. */
static bool take_attached(struct programs_look *l)
{
	bool changed;

	if (l->attached.n > PROGRAMS_MAX / 2)
		l->attached.n = PROGRAMS_MAX / 2;
	changed = is_changed(l);
	if (!changed)
		forget_detached(l);
	l->again |= changed;
	return changed;
}

/* The links are known, but not their devices. */
static void set_ways(struct programs_look *l, const struct snapshot *to)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->row[i].attach == PROGRAM_LINK_NETLINK)
			l->row[i].attach = PROGRAM_LINK;
	for (size_t i = 0; i < snapshot_n_netdevs(to); i++) {
		const struct netdev *d = &snapshot_netdevs(to)[i];
		struct program *p = d->attach == NETDEV_BY_NETLINK && !d->gone
					    ? find_row(l->row, l->n, d->prog_id)
					    : NULL;

		if (p && p->attach == PROGRAM_LINK)
			p->attach = PROGRAM_LINK_NETLINK;
	}
}

void programs_look(struct live *live, const struct program **row, size_t *n)
{
	struct programs_look *l = live->programs;

	attached_programs_read_now(&l->attached, live->netdevs, false);
	if (take_attached(l))
		programs_rebuild(l, false);
	*row = l->row;
	*n = l->n;
}

/* Programs that nothing runs; none if something that could run one is unknown. */
static void find_newer(struct programs_look *l, const struct snapshot *to)
{
	idle_programs_begin(&l->idle, l->live, &l->attached);
	for (size_t i = 0; i < l->n_links; i++)
		idle_programs_use(&l->idle, l->link[i].prog_id);
	if (!l->knows_links)
		l->idle.known = false;
	idle_programs_end(&l->idle, l->live);
	for (size_t i = 0; i < l->n; i++)
		idle_programs_set(&l->idle, l->live, &l->row[i], to);
}

static int programs_sample(void *state, struct snapshot *to)
{
	struct programs_look *l = state;
	bool changed, seen;

	attached_programs_read(&l->attached, to);
	changed = take_attached(l);
	if (!l->attached.n)
		return 0;
	seen = holders_read_files(l->live->holders, l->live->refreshed_ns, l->again);
	if (seen || changed || l->follow_links || l->live->refreshed_ns - l->look_ns >= LOOK_NS)
		programs_rebuild(l, seen);
	if (seen)
		find_newer(l, to);
	set_ways(l, to);
	program_runs_look(&l->runs, l->live->refreshed_ns);
	for (size_t i = 0; i < l->n; i++) {
		program_runs_set(&l->runs, &l->row[i]);
		if (!l->row[i].loaded_at.tv_sec)
			set_loaded(l, &l->row[i], to);
		bpf_objects_full_name(l->live->objects, l->row[i].prog_id, l->row[i].prog_name);
		set_maps(&l->row[i], l->live->map_users);
	}
	snapshot_put_rows(to, DATA_SOURCE_PROGRAMS, l->row, l->n, sizeof(*l->row));
	return 0;
}

static void programs_close(void *state)
{
	struct programs_look *l = state;

	free(l->row);
	free(l->before);
	free(l->link);
	attached_programs_free(&l->attached);
	free(l->holder);
	program_runs_free(&l->runs);
	idle_programs_free(&l->idle);
}

static int programs_open(void *state, struct live *live, struct error *error)
{
	struct programs_look *l = state;

	l->live = live;
	l->follow_links = live->trace->verdicts;
	live->programs = l;
	l->runs.objects = live->objects;
	return 0;
}

const struct data_source programs_source = {
	.name = "programs",
	.help = "who holds the attached XDP programs, from BPF iterators",
	ROW_TYPE(struct program, gone, PROGRAMS_MAX),
	ROW_GONE(struct program),
	.forget = program_forget,
	.record = &object,
	.state_size = sizeof(struct programs_look),
	.open = programs_open,
	.sample = programs_sample,
	.close = programs_close,
};
