// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/follow.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include "base/clock.h"
#include "base/cpu_set.h"
#include "base/memory.h"
#include "model/tracepoint.h"
#include "tracing/backend.h"
#include "tracing/grace_period.h"

/* On x86 and s390x other CPUs see stores in program order. */
#if defined(KEEPS_STORES_IN_ORDER)
/* set by the unit test */
#elif defined(__x86_64__) || defined(__s390x__)
#define KEEPS_STORES_IN_ORDER true
#else
#define KEEPS_STORES_IN_ORDER false
#endif

/* Reading position in a ring with slots. */
struct follow_reader {
	struct follow_ring *ring;
	uint32_t cpu;
	uint32_t at;      /* slot of the next event */
	uint64_t seen;    /* ring->written at the last look */
	uint64_t written; /* events before this one are complete */
};

void follow_rings_close(struct follow_rings *rings)
{
	if (rings->slot)
		munmap((void *)rings->slot, rings->bytes);
	free(rings->reader);
	memset(rings, 0, sizeof(*rings));
}

/*
 * Assign a ring to each program. A softirq, or code with softirqs off, is not interrupted by
 * another on its CPU, so all such programs share one ring. PREEMPT_RT does not guarantee this, and
 * for unknown tracepoints it is not known.
 */
static void bind_rings(struct follow_cpu *cpu, bool preempted)
{
	for (uint32_t tp = 0; tp < TP_COUNT; tp++) {
		struct follow_ring *r = &cpu->ring[tp];

		cpu->count[tp].ring = preempted || tp >= TP_OTHER ? tp : 0;
		r->taken = r->written;
		r->at = r->slots = 0;
	}
}

static void add_readers(struct follow_rings *rings, struct follow_cpu *cpu, uint32_t id,
			uint32_t set)
{
	uint32_t used = 0;

	for (uint32_t tp = 0; tp < TP_COUNT; tp++)
		if (set & BIT(tp))
			used |= BIT(cpu[id].count[tp].ring);
	for (uint32_t ring = 0; ring < TP_COUNT; ring++)
		if (used & BIT(ring))
			rings->reader[rings->n++] = (struct follow_reader){
				.ring = &cpu[id].ring[ring],
				.cpu = id,
				.seen = cpu[id].ring[ring].taken,
			};
}

int follow_rings_open(struct follow_rings *rings, int fd, uint32_t slots, struct follow_cpu *cpu,
		      uint32_t cpus, uint32_t set, bool preempted)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct cpu_set online;
	void *memory;

	memset(rings, 0, sizeof(*rings));
	rings->reader = memory_new((size_t)cpus * FOLLOW_RINGS, sizeof(*rings->reader));
	rings->bytes = (slots * sizeof(*rings->slot) + page - 1) / page * page;
	memory = mmap(NULL, rings->bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED) {
		int err = -errno;

		follow_rings_close(rings);
		return err;
	}
	rings->slot = memory;
	if (cpu_set_read(&online, "online"))
		memset(&online, 0xff, sizeof(online));
	for (uint32_t id = 0; id < cpus; id++) {
		bind_rings(&cpu[id], preempted);
		if (cpu_set_has(&online, id))
			add_readers(rings, cpu, id, set);
	}
	for (size_t i = 0; i < rings->n; i++) {
		struct follow_ring *r = rings->reader[i].ring;

		r->slots = slots / (uint32_t)rings->n;
		r->first = (uint32_t)i * r->slots;
	}
	return 0;
}

/*
 * Find out which events are complete. BPF has no store-release before 6.15, so `written` may be
 * visible before the events are. If the kernel does not wait (nohz_full), events of the previous
 * look are taken as complete: their stores are old enough.
 */
static void rings_look(struct follow_rings *rings)
{
	bool some = false, whole;

	for (size_t i = 0; i < rings->n; i++) {
		struct follow_reader *r = &rings->reader[i];

		r->written = r->seen;
		r->seen = __atomic_load_n(&r->ring->written, __ATOMIC_ACQUIRE);
		some = some || r->seen != r->ring->taken;
	}
	whole = KEEPS_STORES_IN_ORDER || (some && grace_period());
	for (size_t i = 0; whole && i < rings->n; i++)
		rings->reader[i].written = rings->reader[i].seen;
}

/* The next event of a ring that is not later than `until`; NULL = none. */
static const struct follow_event *event_next(const struct follow_rings *rings,
					     const struct follow_reader *r, uint64_t until)
{
	const struct follow_event *e = &rings->slot[r->ring->first + r->at];

	return r->written != r->ring->taken && e->ktime_ns <= until ? e : NULL;
}

static void event_take(struct follow_reader *r)
{
	r->at = r->at + 1 < r->ring->slots ? r->at + 1 : 0;
	/* from now on the program may reuse the slot */
	__atomic_store_n(&r->ring->taken, r->ring->taken + 1, __ATOMIC_RELEASE);
}

/* The ring with the earliest event, which remains the earliest up to *until. NULL = no events. */
static struct follow_reader *reader_earliest(const struct follow_rings *rings, uint64_t *until)
{
	struct follow_reader *first = NULL;
	uint64_t time = *until;

	for (size_t i = 0; i < rings->n; i++) {
		const struct follow_event *e = event_next(rings, &rings->reader[i], *until);

		if (!e)
			continue;
		if (first && e->ktime_ns >= time) {
			*until = e->ktime_ns;
			continue;
		}
		if (first)
			*until = time;
		first = &rings->reader[i];
		time = e->ktime_ns;
	}
	return first;
}

bool follow_rings_read(struct follow_rings *rings, follow_event_fn fn, void *ctx, size_t max)
{
	uint64_t now = clock_ns(), until = now;
	const struct follow_event *e;
	struct follow_reader *r;

	rings_look(rings);
	for (; (r = reader_earliest(rings, &until)); until = now) {
		for (; (e = event_next(rings, r, until)); event_take(r), max--) {
			if (!max)
				return false;
			fn(ctx, r->cpu, e);
		}
	}
	return true;
}

/* Longer than any program runs, even if its CPU is taken away for a while. */
#define GRACE_NS (100 * NSEC_PER_MSEC)
/* Longer than a tick at HZ=100, in which programs may still have a series in their cache. */
#define TICK_NS (20 * NSEC_PER_MSEC)

struct follow {
	const struct backend_ops *ops;
	struct backend *backend;
	const struct backend_object *object;
	const struct probe_memory *memory;
	struct follow_cpu *cpu;
	size_t cpu_bytes;
	uint32_t choice;           /* the last number of follow_now; main thread */
	struct follow_rings rings; /* mapped while something is followed */
	bool preempted;            /* a program may preempt another: PREEMPT_RT */
};

struct follow *follow_open(const struct backend_ops *ops, struct backend *backend,
			   const struct backend_object *object, const struct probe_memory *memory)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct follow *f = memory_new(1, sizeof(*f));
	struct utsname kernel;
	void *map;

	f->ops = ops;
	f->backend = backend;
	f->object = object;
	f->memory = memory;
	f->preempted = uname(&kernel) || strstr(kernel.version, "PREEMPT_RT");
	if (!object->follow_cpus)
		return f;
	f->cpu_bytes = (memory->cpus * sizeof(*f->cpu) + page - 1) / page * page;
	map = mmap(NULL, f->cpu_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		   bpf_map__fd(object->follow_cpus), 0);
	if (map != MAP_FAILED) {
		f->cpu = map;
		return f;
	}
	free(f);
	return NULL;
}

void follow_close(struct follow *f)
{
	if (!f)
		return;
	follow_rings_close(&f->rings);
	if (f->cpu)
		munmap(f->cpu, f->cpu_bytes);
	free(f);
}

bool follow_available(const struct follow *f)
{
	return f->cpu;
}

int follow_choose(struct follow *f, uint32_t set)
{
	follow_rings_close(&f->rings);
	if (!set || !f->cpu)
		return 0;
	f->choice++;
	for (uint32_t id = 0; id < TP_COUNT; id++) {
		f->object->follow_default[id] = set & BIT(id) ? f->choice : 0;
		/* events that find the table full, and those of TP_OTHER */
		follow_mark(f, id, set & BIT(id));
	}
	return follow_rings_open(&f->rings, bpf_map__fd(f->object->followed),
				 bpf_map__max_entries(f->object->followed), f->cpu, f->memory->cpus,
				 set, f->preempted);
}

void follow_mark(struct follow *f, uint32_t slot, bool followed)
{
	f->memory->info[slot].followed = followed ? f->choice : 0;
}

int follow_switch(void *follow, bool on)
{
	const struct follow *f = follow;
	const struct timespec tick = { .tv_nsec = TICK_NS }, grace = { .tv_nsec = GRACE_NS };

	if (!f->cpu)
		return 0;
	*(volatile __u32 *)f->object->follow_now = on ? f->choice : 0;
	if (on)
		nanosleep(&tick, NULL);
	/* the rings are reused after this; on a kernel that does not wait, sleep instead */
	else if (!grace_period())
		nanosleep(&grace, NULL);
	return 0;
}

void follow_meter(void *follow, struct series_cpu *cpu, uint32_t cpus, int tracepoint)
{
	const struct follow *f = follow;

	for (uint32_t i = 0; f->cpu && i < cpus; i++) {
		struct series_meter sum = { 0 };

		for (int id = 0; id < TP_COUNT; id++) {
			const struct follow_count *c = &f->cpu[i].count[id];

			sum.events += c->events;
			sum.timed += c->timed;
			sum.timed_ns += c->timed_ns;
		}
		cpu[i].meter[tracepoint] = sum;
	}
}

bool follow_events(struct follow *f, follow_event_fn fn, void *ctx, size_t max)
{
	return follow_rings_read(&f->rings, fn, ctx, max);
}

const struct follow_cpu *follow_counts(const struct follow *f)
{
	return f->cpu;
}

void follow_other_text(const struct follow *f, const struct follow_event *e, char *buf, size_t size)
{
	f->ops->other_text(f->backend, e, buf, size);
}
