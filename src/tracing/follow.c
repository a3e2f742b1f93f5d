// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/follow.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "inventory/bpf_iters.h"
#include "model/kernel_names.h"
#include "model/tracepoint.h"
#include "tracing/attach.h"
#include "tracing/backend.h"
#include "tracing/follow_rings.h"
#include "tracing/grace_period.h"
#include "tracing/load_error.h"

/* Longer than any program runs, even if its CPU is taken away for a while. */
#define GRACE_NS (100 * NSEC_PER_MSEC)

struct follow {
	const struct backend_ops *ops;
	struct backend *backend;
	struct backend_size size;
	uint32_t wanted;
	struct bpf_iters *after; /* load after these; NULL = at once */
	pthread_t thread;
	bool waited;
	struct follow_object object; /* all zero = not loaded */
	char reason[TP_COUNT][SNAPSHOT_REASON_LEN];
	struct follow_cpu *cpu;
	size_t cpu_bytes;
	uint32_t chosen;
	struct follow_rings rings; /* mapped while something is followed */

	bool preempted; /* a program may preempt another: PREEMPT_RT */

	struct bpf_link *link[TP_COUNT]; /* only the worker uses them */
};

static int programs_load(struct follow *f, uint32_t wanted)
{
	int err = f->ops->load_follow
			  ? f->ops->load_follow(f->backend, wanted, &f->size, &f->object)
			  : -ENOSYS;

	/* its maps and programs no longer exist */
	if (err)
		memset(&f->object, 0, sizeof(f->object));
	return err;
}

static void set_reason(struct follow *f, int id, int err)
{
	if (!f->ops->load_follow)
		snprintf(f->reason[id], sizeof(f->reason[id]),
			 "the %s backend only counts; following needs the kernel's BTF",
			 f->ops->name);
	else if (err == -ENOTSUPP || err == -EOPNOTSUPP)
		snprintf(f->reason[id], sizeof(f->reason[id]),
			 "the BPF JIT is off; sysctl net.core.bpf_jit_enable=1");
	else if (err == -EINVAL && lockdown_confidential())
		snprintf(f->reason[id], sizeof(f->reason[id]),
			 "before Linux 6.2 kernel lockdown (confidentiality) does not let BPF "
			 "programs read it");
	else
		snprintf(f->reason[id], sizeof(f->reason[id]),
			 "the kernel refused its program: %s (--verbose shows the log)",
			 errno_text(err));
}

/* As probe_load_best(): if they do not load together, load one by one all that load. */
static int load_best(struct follow *f)
{
	uint32_t wanted = f->wanted;
	int err = programs_load(f, wanted);

	if (!err || err == -EPERM || err == -ENOMEM)
		return err;
	for (int id = 0; id < TP_COUNT; id++) {
		if (!(wanted & BIT(id)))
			continue;
		err = programs_load(f, BIT(id));
		if (!err) {
			f->ops->unload_follow(f->backend);
			memset(&f->object, 0, sizeof(f->object));
			continue;
		}
		wanted &= ~BIT(id);
		set_reason(f, id, err);
	}
	return wanted ? programs_load(f, wanted) : 0;
}

static int open_memory(struct follow *f)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory;

	f->cpu_bytes = (f->size.cpus * sizeof(*f->cpu) + page - 1) / page * page;
	memory = mmap(NULL, f->cpu_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		      bpf_map__fd(f->object.cpus), 0);
	if (memory == MAP_FAILED)
		return -errno;
	f->cpu = memory;
	return 0;
}

static void *follow_work(void *arg)
{
	struct follow *f = arg;
	int err;

	bpf_iters_wait(f->after);
	err = load_best(f);
	if (!err && f->object.slots)
		err = open_memory(f);
	if (!err)
		return NULL;
	for (int id = 0; id < TP_COUNT; id++)
		set_reason(f, id, err);
	memset(&f->object, 0, sizeof(f->object));
	return NULL;
}

struct follow *follow_start(const struct backend_ops *ops, struct backend *backend, uint32_t wanted,
			    const struct backend_size *size, struct bpf_iters *iters)
{
	struct follow *f = calloc(1, sizeof(*f));
	sigset_t all, before;
	int err;

	if (!f)
		return NULL;
	f->ops = ops;
	f->backend = backend;
	f->wanted = wanted;
	f->size = *size;
	/*
	 * on few CPUs do not delay the thread that loads the counting programs, which takes longest
	 */
	if (sysconf(_SC_NPROCESSORS_ONLN) < 3)
		f->after = iters;
	/* signals belong to the main thread's signalfd */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&f->thread, NULL, follow_work, f);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return f;
	free(f);
	return NULL;
}

static void wait_loaded(struct follow *f)
{
	if (!f->waited)
		pthread_join(f->thread, NULL);
	f->waited = true;
}

void follow_close(struct follow *f)
{
	if (!f)
		return;
	wait_loaded(f);
	for (int id = 0; id < TP_COUNT; id++)
		bpf_link__destroy(f->link[id]);
	follow_rings_close(&f->rings);
	if (f->cpu)
		munmap(f->cpu, f->cpu_bytes);
	free(f);
}

uint32_t follow_tracepoints(const struct follow *f)
{
	uint32_t set = 0;

	for (int id = 0; id < TP_COUNT; id++)
		if (f->object.program[id])
			set |= BIT(id);
	return set;
}

const char *follow_reason(const struct follow *f, uint32_t tracepoint)
{
	return f->reason[tracepoint];
}

/* The bits that have the same value in all choices, and that all choices ask for. */
static void agree(const struct follow_choices *choices, size_t offset, __u32 *value, __u32 *mask)
{
	__u32 first[2], other[2];

	*value = *mask = 0;
	for (uint32_t i = 0; i < choices->n; i++) {
		const struct follow_choice *c = &choices->choice[i];

		memcpy(&other[0], (const char *)c->value + offset, sizeof(other[0]));
		memcpy(&other[1], (const char *)c->mask + offset, sizeof(other[1]));
		if (!i)
			memcpy(first, other, sizeof(first));
		if (memcmp(first, other, sizeof(first)))
			return;
	}
	if (!choices->n)
		return;
	*value = first[0];
	*mask = first[1];
}

static struct follow_first find_first(const struct follow_choices *choices)
{
	struct follow_first f;

	agree(choices, offsetof(struct series_key, ifindex), &f.ifindex, &f.ifindex_mask);
	agree(choices, offsetof(struct series_key, code), &f.code, &f.code_mask);
	return f;
}

int follow_choose(struct follow *f, uint32_t set, const struct follow_choices *choices)
{
	follow_rings_close(&f->rings);
	f->chosen = set;
	if (!set || !f->object.choices)
		return 0;
	*f->object.choices = *choices;
	*f->object.first = find_first(choices);
	return follow_rings_open(&f->rings, bpf_map__fd(f->object.slots),
				 bpf_map__max_entries(f->object.slots), f->cpu, f->size.cpus,
				 set & follow_tracepoints(f), f->preempted);
}

static void end_links(struct follow *f)
{
	const struct timespec pause = { .tv_nsec = GRACE_NS };

	for (int id = 0; id < TP_COUNT; id++) {
		bpf_link__destroy(f->link[id]);
		f->link[id] = NULL;
	}
	/* the rings are reused after this; on a kernel that does not wait, sleep instead */
	if (!grace_period())
		nanosleep(&pause, NULL);
}

int follow_switch(void *follow, bool on)
{
	struct follow *f = follow;
	int err = 0;

	for (int id = 0; id < TP_COUNT && on && !err; id++) {
		if (!(f->chosen & BIT(id)) || !f->object.program[id])
			continue;
		f->link[id] = f->ops->attach(f->backend, id, f->object.program[id]);
		err = f->link[id] ? 0 : -errno;
	}
	if (!on || err)
		end_links(f);
	return err;
}

void follow_ready(struct follow *f)
{
	struct utsname kernel;

	wait_loaded(f);
	f->preempted = uname(&kernel) || strstr(kernel.version, "PREEMPT_RT");
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

uint64_t follow_missed(const struct follow *f)
{
	uint64_t missed = 0;

	for (int id = 0; id < TP_COUNT; id++) {
		struct bpf_prog_info info = { 0 };
		__u32 size = sizeof(info);

		if (f->object.program[id] &&
		    !bpf_obj_get_info_by_fd(bpf_program__fd(f->object.program[id]), &info, &size))
			missed += info.recursion_misses;
	}
	return missed;
}

void follow_other_text(const struct follow *f, const struct follow_event *e, char *buf, size_t size)
{
	f->ops->other_text(f->backend, e, buf, size);
}
