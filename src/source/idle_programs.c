// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/idle_programs.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/sanitize.h"
#include "inventory/bpf_objects.h"
#include "inventory/holders.h"
#include "source/live_source.h"
#include "source/map_users.h"

/* A loader attaches what it has loaded within this time. */
#define IDLE_S 30

void idle_programs_free(struct idle_programs *p)
{
	free(p->used);
}

void idle_programs_use(struct idle_programs *p, uint32_t prog_id)
{
	*array_append(p->used, p->n_used, p->cap_used) = prog_id;
}

void idle_programs_begin(struct idle_programs *p, const struct live *live,
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

void idle_programs_end(struct idle_programs *p, const struct live *live)
{
	array_sort(p->used, p->n_used, sizeof(*p->used), compare_u32);
	if (p->known)
		p->known = !bpf_objects_xdp(live->objects, add_program, p);
}

/* The newest program of the same name that was loaded after it; NULL = none. */
static const struct idle_program *find_newer(const struct idle_programs *p, const char *name,
					     uint64_t load_time)
{
	const struct idle_program *found = NULL;

	for (size_t i = 0; i < p->n; i++)
		if (p->idle[i].load_time > load_time && !strcmp(p->idle[i].name, name) &&
		    (!found || p->idle[i].load_time > found->load_time))
			found = &p->idle[i];
	return found;
}

void idle_programs_set(const struct idle_programs *p, const struct live *live, struct program *row,
		       const struct snapshot *to)
{
	const struct idle_program *newer = NULL;
	const struct holder_record *o;
	uint64_t load_time;
	uint32_t uid;
	size_t n;

	if (p->known && p->n && !row->part_of && *row->prog_name &&
	    bpf_objects_loaded(live->objects, row->prog_id, &load_time, &uid))
		newer = find_newer(p, row->prog_name, load_time);
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
