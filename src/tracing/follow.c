// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/follow.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include "base/clock.h"
#include "base/memory.h"
#include "tracing/backend.h"
#include "tracing/grace_period.h"

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
