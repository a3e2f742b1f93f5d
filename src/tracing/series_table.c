// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/array.h"
#include "base/clock.h"
#include "base/sanitize.h"
#include "tracing/series_table.h"

/* From three quarters full on, what was idle for so long is taken back; later, sooner. */
#define IDLE_NS       (60 * NSEC_PER_SEC)
#define IDLE_TIGHT_NS (2 * NSEC_PER_SEC)
#define GRACE_NS      NSEC_PER_SEC
#define LOOP_NS       (20 * NSEC_PER_MSEC) /* more than a tick at HZ=100 */

int series_table_init(struct series_table *s, const struct probe_memory *m)
{
	memset(s, 0, sizeof(*s));
	s->known = calloc(m->slots, 1);
	return s->known ? 0 : -ENOMEM;
}

void series_table_free(struct series_table *s)
{
	free(s->slot);
	free(s->known);
	cpu_set_free(&s->cpus);
	memset(s, 0, sizeof(*s));
}

static struct slot *slots_add(struct series_table *s, uint32_t slot, uint32_t tracepoint)
{
	struct slot *new = array_append(s->slot, s->n, s->cap);

	if (!new)
		return NULL;
	new->slot = slot;
	new->tracepoint = tracepoint;
	new->id = ++s->next_id;
	s->known[slot] = 1;
	return new;
}

static bool is_same(const struct slot *a, const struct slot *b)
{
	return a->tracepoint == b->tracepoint && !memcmp(&a->key, &b->key, sizeof(a->key));
}

/* A forgotten series of the same key makes room: a key has one row in a snapshot. */
static void slots_replace(struct series_table *s, const struct slot *new)
{
	for (size_t i = 0; i < s->n; i++) {
		struct slot *old = &s->slot[i];

		if (old == new || !old->forgotten || !is_same(old, new))
			continue;
		old->replaced = true;
		old->dying = true;
	}
}

/* Look for series that were born since the last time; scans the table only then. */
static int slots_find_new(struct series_table *s, const struct probe_memory *m)
{
	uint64_t born = *m->born;

	for (uint32_t slot = TP_COUNT; born != s->born && slot < m->slots; slot++) {
		const struct series_info *info = &m->info[slot];
		struct slot *new;

		if (s->known[slot] || !__atomic_load_n(&info->live, __ATOMIC_ACQUIRE))
			continue;
		new = slots_add(s, slot, info->tracepoint);
		if (!new)
			return -ENOMEM;
		new->key = info->key;
		slots_replace(s, new);
		sanitize(new->ifname, sizeof(new->ifname), info->ifname, SERIES_NAME_LEN);
		sanitize(new->to_ifname, sizeof(new->to_ifname), info->to_ifname, SERIES_NAME_LEN);
		sanitize(new->prog_name, sizeof(new->prog_name), info->prog_name, SERIES_NAME_LEN);
	}
	s->born = born;
	return 0;
}

/*
 * The first TP_COUNT slots count what found the table full; those of the generic rows are all that
 * these ever count in.
 */
static int slots_find_overflow(struct series_table *s, const struct probe_memory *m)
{
	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		for (uint32_t cpu = 0; cpu < s->cpus.end && !s->known[tp]; cpu++) {
			struct slot *new;

			if (!cpu_set_has(&s->cpus, cpu) ||
			    !m->counter[(size_t)cpu * m->slots + tp].events)
				continue;
			new = slots_add(s, tp, tp);
			if (!new)
				return -ENOMEM;
			new->overflow = tp < TP_OTHER;
		}
	}
	return 0;
}

/* All CPUs of one slot: the sum, and in `to` (may be NULL) a row for each CPU that has counted. */
static int slot_read(const struct series_table *s, const struct probe_memory *m, uint32_t slot,
		     struct series_counters *sum, struct snapshot *to)
{
	memset(sum, 0, sizeof(*sum));
	for (uint32_t cpu = 0; cpu < s->cpus.end; cpu++) {
		const struct series_counters *c = &m->counter[(size_t)cpu * m->slots + slot];
		struct cpu_count *row;

		if (!c->events || !cpu_set_has(&s->cpus, cpu))
			continue;
		series_counters_add(sum, c);
		if (!to)
			continue;
		row = snapshot_add_cpu(to);
		if (!row)
			return -ENOMEM;
		row->cpu = cpu;
		row->count = *c;
	}
	return 0;
}

static int slot_snapshot(struct series_table *s, struct slot *slot, const struct probe_memory *m,
			 struct snapshot *to)
{
	struct tp_count *tp = &to->tp[slot->tracepoint];
	struct series_counters sum;
	struct series *series;
	int err;

	if (slot->replaced) {
		slot_read(s, m, slot->slot, &sum, NULL);
		tp->events += sum.events;
		return 0;
	}
	series = snapshot_add_series(to);
	if (!series)
		return -ENOMEM;
	series->id = slot->id;
	series->tracepoint = slot->tracepoint;
	series->overflow = slot->overflow;
	series->key = slot->key;
	memcpy(series->ifname, slot->ifname, sizeof(slot->ifname));
	memcpy(series->to_ifname, slot->to_ifname, sizeof(slot->to_ifname));
	memcpy(series->prog_name, slot->prog_name, sizeof(slot->prog_name));
	memcpy(series->map_name, slot->map_name, sizeof(slot->map_name));
	series->cpu = to->n_cpu;
	err = slot_read(s, m, slot->slot, &series->total, to);
	if (err)
		return err;
	series->n_cpu = to->n_cpu - series->cpu;
	if (series->total.events != slot->events) {
		slot->events = series->total.events;
		slot->last_seen = to->wall;
		slot->changed_ns = to->mono_ns;
	}
	series->last_seen = slot->last_seen;
	tp->events += series->total.events;
	if (slot->overflow)
		tp->overflow += series->total.events;
	return 0;
}

int series_table_find(struct series_table *s, struct probe *p)
{
	const struct probe_memory *m = probe_memory(p);
	struct cpu_set online;
	int err = cpu_set_read(&online, "online");

	if (!err) {
		s->cpus_online = online.count;
		err = cpu_set_add(&s->cpus, &online);
		cpu_set_free(&online);
	}
	if (!err)
		err = slots_find_new(s, m);
	return err ? err : slots_find_overflow(s, m);
}

int series_table_read(struct series_table *s, struct probe *p, struct snapshot *to)
{
	const struct probe_memory *m = probe_memory(p);
	int err = 0;

	to->cpus_online = s->cpus_online;
	for (size_t i = 0; i < s->n && !err; i++)
		err = slot_snapshot(s, &s->slot[i], m, to);
	for (int tp = 0; tp < TP_COUNT; tp++)
		to->tp[tp].events += s->retired[tp].events;
	return err;
}

/*
 * The second half of taking slots back, an interval after the first: no program can still hold a
 * dying slot (its index entry is gone, what was cached before that is from an earlier tick of the
 * clock, and an RCU grace period has passed), so its last counts are final. They go to the
 * tracepoint's retired sum and stay in its totals.
 */
static void series_table_reap(struct series_table *s, struct probe *p, uint64_t now_ns)
{
	const struct probe_memory *m = probe_memory(p);
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < s->n; i++)
		any |= s->slot[i].dying;
	if (!any || now_ns - s->forgotten_ns < LOOP_NS)
		return;
	/* MEMBARRIER_CMD_GLOBAL is synchronize_rcu(); refused with nohz_full, where time must do */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) &&
	    now_ns - s->forgotten_ns < GRACE_NS)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = &s->slot[i];
		struct series_counters sum;

		if (!slot->dying) {
			s->slot[kept++] = *slot;
			continue;
		}
		slot_read(s, m, slot->slot, &sum, NULL);
		series_counters_add(&s->retired[slot->tracepoint], &sum);
		for (uint32_t cpu = 0; cpu < m->cpus; cpu++)
			if (cpu_set_has(&s->cpus, cpu))
				memset(&m->counter[(size_t)cpu * m->slots + slot->slot], 0,
				       sizeof(*m->counter));
		m->info[slot->slot].live = 0;
		s->known[slot->slot] = 0;
		probe_slot_give(p, slot->slot);
	}
	s->n = kept;
}

void series_table_recycle(struct series_table *s, struct probe *p, uint64_t now_ns)
{
	uint32_t room = probe_memory(p)->slots - TP_COUNT;
	uint64_t idle = s->n > room / 8 * 7 ? IDLE_TIGHT_NS : IDLE_NS;
	bool full = s->n > room / 4 * 3, any = false;

	series_table_reap(s, p, now_ns);
	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = &s->slot[i];
		/* nothing counts for a device that is gone: its last counts have been read */
		bool idle_long = full && (slot->ended || now_ns - slot->changed_ns >= idle);

		if (slot->dying || slot->slot < TP_COUNT || !(slot->ended || idle_long))
			continue;
		if (!slot->forgotten) {
			slot->forgotten = !probe_slot_forget(p, slot->tracepoint, &slot->key);
			any |= slot->forgotten;
		}
		slot->dying = slot->forgotten && (idle_long || slot->another);
	}
	if (any)
		s->forgotten_ns = now_ns;
}
