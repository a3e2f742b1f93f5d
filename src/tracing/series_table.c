// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/series_table.h"

#include <bpf/bpf.h>
#include <string.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/sanitize.h"
#include "tracing/grace_period.h"

/*
 * When the table is three quarters full, series idle for IDLE_NS are freed; at seven eighths,
 * series idle for IDLE_TIGHT_NS.
 */
#define IDLE_NS       (60 * NSEC_PER_SEC)
#define IDLE_TIGHT_NS (2 * NSEC_PER_SEC)
#define GRACE_NS      NSEC_PER_SEC /* replaces an RCU grace period if the kernel does not wait */
#define TICK_NS       (20 * NSEC_PER_MSEC) /* longer than a tick at HZ=100 */

void series_table_init(struct series_table *s, const struct probe_memory *m)
{
	memset(s, 0, sizeof(*s));
	s->known = memory_new(m->slots, 1);
}

void series_table_free(struct series_table *s)
{
	free(s->slot);
	free(s->known);
	memset(s, 0, sizeof(*s));
}

static struct slot *slots_add(struct series_table *s, uint32_t slot, uint32_t tracepoint)
{
	struct slot *new = array_append(s->slot, s->n, s->cap);

	new->slot = slot;
	new->series.tracepoint = tracepoint;
	new->series.id = ++s->next_id;
	s->known[slot] = 1;
	return new;
}

/* A key has one row in a snapshot, from its newest slot. */
static void slots_supersede(struct series_table *s, const struct slot *new)
{
	for (size_t i = 0; i < s->n; i++) {
		struct slot *old = &s->slot[i];

		if (old != new && old->unlinked &&
		    old->series.tracepoint == new->series.tracepoint &&
		    !memcmp(&old->series.key, &new->series.key, sizeof(old->series.key)))
			old->state = SLOT_SUPERSEDED;
	}
}

/* Scans the memory only if a series was created since the last scan. */
static void slots_find_new(struct series_table *s, const struct probe_memory *m)
{
	uint64_t created = *m->created;

	for (uint32_t slot = TP_COUNT; created != s->created && slot < m->slots; slot++) {
		const struct series_info *info = &m->info[slot];
		struct series *series;
		struct slot *new;

		if (s->known[slot] || !__atomic_load_n(&info->live, __ATOMIC_ACQUIRE))
			continue;
		new = slots_add(s, slot, info->tracepoint);
		series = &new->series;
		series->key = info->key;
		slots_supersede(s, new);
		sanitize(series->ifname, sizeof(series->ifname), info->ifname, SERIES_NAME_LEN);
		sanitize(series->to_ifname, sizeof(series->to_ifname), info->to_ifname,
			 SERIES_NAME_LEN);
		sanitize(series->prog_name, sizeof(series->prog_name), info->prog_name,
			 SERIES_NAME_LEN);
	}
	s->created = created;
}

/* Several changes at once count as one: entries that alternate between programs cause many. */
static void slots_follow_entries(struct series_table *s, const struct probe_memory *m)
{
	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = &s->slot[i];
		struct series *series = &slot->series;
		const struct series_info *info = &m->info[slot->slot];
		uint32_t changes = info->to_prog_changes - slot->to_prog_changes;
		uint32_t id = changes > 1 ? 0 : info->to_prog_id;

		slot->to_prog_changes += changes;
		if (series->to_prog_id == id)
			continue;
		series->to_prog_id = id;
		series->to_prog_name[0] = '\0';
		slot->has_objects = false;
	}
}

/*
 * The first TP_COUNT slots count events without identity: events that found the table full, and all
 * events of a generic tracepoint.
 */
static void slots_find_overflow(struct series_table *s, const struct probe_memory *m)
{
	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		for (uint32_t cpu = 0; cpu < s->cpus.end && !s->known[tp]; cpu++) {
			struct slot *new;

			if (!cpu_set_has(&s->cpus, cpu) ||
			    !m->counter[(size_t)cpu * m->slots + tp].events)
				continue;
			new = slots_add(s, tp, tp);
			new->series.overflow = tp < TP_OTHER;
		}
	}
}

/* Sum a slot over all CPUs and, unless `to` is NULL, append a row for each CPU that has counted. */
static void slot_read(const struct series_table *s, const struct probe_memory *m, uint32_t slot,
		      struct series_counters *sum, struct snapshot *to)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t cpu = 0; cpu < s->cpus.end; cpu++) {
		const struct series_counters *c = &m->counter[(size_t)cpu * m->slots + slot];
		struct cpu_count *row;

		if (!c->events || !cpu_set_has(&s->cpus, cpu))
			continue;
		if (to) {
			row = snapshot_add_cpu(to);
			row->cpu = cpu;
			row->count = *c;
			/* the slot is live, but the rows must add up to the sum */
			c = &row->count;
		}
		series_counters_add(sum, c);
	}
}

static void slot_snapshot(struct series_table *s, struct slot *slot, const struct probe_memory *m,
			  struct snapshot *to)
{
	struct series *series = &slot->series;
	struct tp_count *tp = &to->tp[series->tracepoint];
	bool shown = slot->state != SLOT_SUPERSEDED;
	uint64_t before = series->total.events;

	series->cpu = to->n_cpu;
	slot_read(s, m, slot->slot, &series->total, shown ? to : NULL);
	series->n_cpu = to->n_cpu - series->cpu;
	series->follow_lost = m->info[slot->slot].lost - slot->lost;
	slot->lost += series->follow_lost;
	if (series->total.events != before) {
		series->last_seen = to->wall;
		slot->changed_ns = to->mono_ns;
	}
	tp->events += series->total.events;
	if (series->overflow)
		tp->overflow += series->total.events;
	if (shown)
		*snapshot_add_series(to) = *series;
}

/*
 * Programs raise the meter before they count, so the meters tell which CPUs have counted. Online
 * CPUs would not do: since the last time a CPU may have come online, counted, and gone offline.
 * Switches have no series, and another thread may write their meters.
 */
static void find_cpus(struct series_table *s, const struct probe_memory *m)
{
	for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
		for (int tp = 0; tp < TP_COUNT && !cpu_set_has(&s->cpus, cpu); tp++)
			if (tp != TP_VERDICTS && tp != TP_FOLLOW && m->cpu[cpu].meter[tp].events)
				cpu_set_add(&s->cpus, cpu);
}

int series_table_find(struct series_table *s, const struct probe_memory *m)
{
	struct cpu_set online;
	int err = cpu_set_read(&online, "online");

	if (err)
		return err;
	s->cpus_online = online.count;
	find_cpus(s, m);
	slots_find_new(s, m);
	slots_follow_entries(s, m);
	slots_find_overflow(s, m);
	return 0;
}

void series_table_read(struct series_table *s, const struct probe_memory *m, struct snapshot *to)
{
	to->cpus_online = s->cpus_online;
	for (size_t i = 0; i < s->n; i++)
		slot_snapshot(s, &s->slot[i], m, to);
	for (int tp = 0; tp < TP_COUNT; tp++)
		to->tp[tp].events += s->retired[tp].events;
}

/*
 * Free slots that were unlinked an interval ago. No program can still hold one: its hash entry is
 * gone, cached entries are from an earlier tick, and an RCU grace period has passed. So its counts
 * are final. They move to the tracepoint's retired sum and stay in its total.
 */
static void series_table_reap(struct series_table *s, const struct probe_memory *m, uint64_t now_ns)
{
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < s->n; i++)
		any |= s->slot[i].state >= SLOT_FREEING;
	if (!any || now_ns - s->unlinked_ns < TICK_NS)
		return;
	/* where the kernel does not wait, let GRACE_NS pass */
	if (!grace_period() && now_ns - s->unlinked_ns < GRACE_NS)
		return;
	find_cpus(s, m);
	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = &s->slot[i];
		struct series_counters sum;

		if (slot->state < SLOT_FREEING) {
			s->slot[kept++] = *slot;
			continue;
		}
		slot_read(s, m, slot->slot, &sum, NULL);
		series_counters_add(&s->retired[slot->series.tracepoint], &sum);
		for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
			if (cpu_set_has(&s->cpus, cpu))
				memset(&m->counter[(size_t)cpu * m->slots + slot->slot], 0,
				       sizeof(*m->counter));
		m->info[slot->slot].live = 0;
		s->known[slot->slot] = 0;
		bpf_map_update_elem(m->free_slots, NULL, &slot->slot, 0);
	}
	s->n = kept;
}

void series_table_recycle(struct series_table *s, const struct probe_memory *m, uint64_t now_ns)
{
	uint32_t room = m->slots - TP_COUNT;
	uint64_t idle = s->n > room / 8 * 7 ? IDLE_TIGHT_NS : IDLE_NS;
	bool full = s->n > room / 4 * 3, any = false;

	series_table_reap(s, m, now_ns);
	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = &s->slot[i];
		struct series_index index;
		/* a deleted device causes no more events, and its last counts have been read */
		bool gone = slot->state >= SLOT_GONE;
		bool free_it = full && (gone || now_ns - slot->changed_ns >= idle);

		if (slot->state >= SLOT_FREEING || slot->slot < TP_COUNT || !(gone || free_it))
			continue;
		if (!slot->unlinked) {
			index = (struct series_index){ .key = slot->series.key,
						       .tracepoint = slot->series.tracepoint };
			slot->unlinked = !bpf_map_delete_elem(m->slot_of, &index);
			any |= slot->unlinked;
		}
		if (slot->unlinked && (free_it || slot->state == SLOT_IFINDEX_REUSED))
			slot->state = SLOT_FREEING;
	}
	if (any)
		s->unlinked_ns = now_ns;
}

/*
 * The device or target of a series: the captured name, and the generation of the device it names.
 */
struct end {
	uint32_t netns, ifindex;
	char *name;
	uint64_t *generation;
};

/*
 * If the name differs, either the ifindex was reused or the device was renamed. It counts as reused
 * if the device appeared after the last look, because this series may be older than that.
 */
static enum slot_state first_look(const struct series_table *s, const struct netdev_entry *e,
				  struct end *end)
{
	const char *name = e->link.device.name;

	if (e->link.device.gone)
		return SLOT_LIVE;
	if (end->name[0] && strcmp(end->name, name) && s->generations_seen &&
	    e->generation > s->generations_seen)
		return SLOT_GONE;
	memcpy(end->name, name, SNAPSHOT_NAME_LEN);
	*end->generation = e->generation;
	return SLOT_LIVE;
}

static enum slot_state netdev_follow(const struct series_table *s, const struct netdev_table *t,
				     bool first, struct end *end)
{
	const struct netdev_entry *e;
	const struct netdev *d;

	/* a target is a device only if its namespace is known */
	if (!end->netns || !end->ifindex)
		return SLOT_LIVE;
	e = netdev_table_find(t, end->netns, end->ifindex);
	if (!e)
		return SLOT_LIVE;
	d = &e->link.device;
	if (!*end->generation && first)
		return first_look(s, e, end);
	/* was not in the table at the first look: the same name means the same device */
	if (!*end->generation) {
		if (!d->gone && !strcmp(d->name, end->name))
			*end->generation = e->generation;
		return SLOT_LIVE;
	}
	if (e->generation != *end->generation)
		return d->gone ? SLOT_GONE : SLOT_IFINDEX_REUSED;
	if (d->gone)
		return SLOT_GONE;
	memcpy(end->name, d->name, SNAPSHOT_NAME_LEN);
	return SLOT_LIVE;
}

void series_names_update(struct series_table *s, const struct netdev_table *t, bool fresh)
{
	_Static_assert(SNAPSHOT_NAME_LEN == NETDEV_NAME_LEN, "names are copied whole");
	bool changed = s->names_seen != t->version;

	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = &s->slot[i];
		struct series *series = &slot->series;
		struct end from = { series->key.netns, series->key.ifindex, series->ifname,
				    &slot->generation };
		struct end to = { series->key.to_netns, series->key.target, series->to_ifname,
				  &slot->to_generation };
		enum slot_state state;

		if (series->overflow || (slot->looked_up ? !changed : !fresh))
			continue;
		state = netdev_follow(s, t, !slot->looked_up, &from);
		if (slot->state < state)
			slot->state = state;
		state = netdev_follow(s, t, !slot->looked_up, &to);
		if (slot->state < state)
			slot->state = state;
		slot->looked_up = true;
	}
	s->names_seen = t->version;
	if (fresh)
		s->generations_seen = t->last_generation;
}
