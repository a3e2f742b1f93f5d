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
#include <unistd.h>
#include "model/kernel_names.h"
#include "model/tracepoint.h"
#include "tracing/backend.h"
#include "tracing/load_error.h"

struct follow {
	const struct backend_ops *ops;
	struct backend *backend;
	uint32_t wanted, cpus, ring_bytes;
	pthread_t thread;
	bool waited;
	struct follow_object object; /* all zero = none is loaded */
	char reason[TP_COUNT][SNAPSHOT_REASON_LEN];
	struct follow_cpu *cpu;
	size_t cpu_bytes;
	struct ring_buffer *ring;
	uint32_t chosen;
	struct bpf_link *link[TP_COUNT];

	/* while the ring is read */
	void (*fn)(void *ctx, const struct follow_event *e);
	void *ctx;
	size_t left;
};

static int load(struct follow *f, uint32_t wanted)
{
	return f->ops->load_follow(f->backend, wanted, f->cpus, f->ring_bytes, &f->object);
}

static void set_reason(struct follow *f, int id, int err)
{
	if (err == -ENOTSUPP || err == -EOPNOTSUPP)
		snprintf(f->reason[id], sizeof(f->reason[id]),
			 "the BPF JIT is off; sysctl net.core.bpf_jit_enable=1");
	else if (err == -EINVAL && lockdown_confidential())
		snprintf(f->reason[id], sizeof(f->reason[id]), "%s", LOCKDOWN_CONFIDENTIAL);
	else
		snprintf(f->reason[id], sizeof(f->reason[id]),
			 "the kernel refused its program: %s (--verbose shows the log)",
			 errno_text(err));
}

/* As probe_load_best(): when the whole does not load, all that do one by one. */
static int load_best(struct follow *f)
{
	uint32_t wanted = f->wanted;
	int err = load(f, wanted);

	if (!err || err == -EPERM || err == -ENOMEM)
		return err;
	for (int id = 0; id < TP_COUNT; id++) {
		if (!(wanted & BIT(id)))
			continue;
		err = load(f, BIT(id));
		if (!err) {
			f->ops->unload_follow(f->backend);
			continue;
		}
		wanted &= ~BIT(id);
		set_reason(f, id, err);
	}
	return wanted ? load(f, wanted) : 0;
}

static int take_event(void *ctx, void *data, size_t size)
{
	struct follow *f = ctx;

	if (size >= sizeof(struct follow_event))
		f->fn(f->ctx, data);
	return --f->left ? 0 : -EXFULL;
}

static int open_memory(struct follow *f)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory;

	f->cpu_bytes = (f->cpus * sizeof(*f->cpu) + page - 1) / page * page;
	memory = mmap(NULL, f->cpu_bytes, PROT_READ, MAP_SHARED, bpf_map__fd(f->object.cpus), 0);
	if (memory == MAP_FAILED)
		return -errno;
	f->cpu = memory;
	f->ring = ring_buffer__new(bpf_map__fd(f->object.ring), take_event, f, NULL);
	return f->ring ? 0 : -errno;
}

static void *work(void *arg)
{
	struct follow *f = arg;
	int err;

	memset(&f->object, 0, sizeof(f->object));
	err = load_best(f);
	if (!err && f->object.ring)
		err = open_memory(f);
	if (!err)
		return NULL;
	for (int id = 0; id < TP_COUNT; id++)
		set_reason(f, id, err);
	memset(&f->object, 0, sizeof(f->object));
	return NULL;
}

struct follow *follow_start(const struct backend_ops *ops, struct backend *backend, uint32_t wanted,
			    uint32_t cpus, uint32_t ring)
{
	struct follow *f = calloc(1, sizeof(*f));
	sigset_t all, before;
	int err;

	if (!f)
		return NULL;
	f->ops = ops;
	f->backend = backend;
	f->wanted = wanted;
	f->cpus = cpus;
	f->ring_bytes = ring;
	/* signals are for the thread that waits for them */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&f->thread, NULL, work, f);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return f;
	free(f);
	return NULL;
}

void follow_wait(struct follow *f)
{
	if (!f->waited)
		pthread_join(f->thread, NULL);
	f->waited = true;
}

void follow_close(struct follow *f)
{
	if (!f)
		return;
	follow_wait(f);
	follow_switch(f, false);
	ring_buffer__free(f->ring);
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

void follow_choose(struct follow *f, uint32_t set, const struct follow_choices *choices)
{
	f->chosen = set;
	if (f->object.choices)
		*f->object.choices = *choices;
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
	if (on && !err)
		return 0;
	for (int id = 0; id < TP_COUNT; id++) {
		bpf_link__destroy(f->link[id]);
		f->link[id] = NULL;
	}
	return err;
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

bool follow_events(struct follow *f, void (*fn)(void *ctx, const struct follow_event *e), void *ctx,
		   size_t max)
{
	f->fn = fn;
	f->ctx = ctx;
	f->left = max;
	return !f->ring || ring_buffer__consume(f->ring) >= 0;
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
