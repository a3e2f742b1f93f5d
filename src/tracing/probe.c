// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tracing/backend.h"
#include "base/cpu_set.h"
#include "base/memory.h"
#include "tracing/attach.h"
#include "tracing/follow.h"
#include "tracing/probe.h"
#include "tracing/load_error.h"

struct probe {
	const struct backend_ops *ops;
	struct backend *backend;
	struct backend_size size;
	struct backend_object object;
	struct attach *attach;
	struct follow *follow; /* NULL = nothing will be followed */
	struct ring_buffer *ring;
	struct tp_count tp[TP_COUNT]; /* name, state and reason as loading set them */
	struct probe_memory memory;
	size_t cpu_bytes, counter_bytes, info_bytes;
	void (*event_fn)(void *ctx, const struct series_event *e);
	void *event_ctx;
};

/*
 * Prefer BTF: it is cheaper, and only it provides names and namespaces. If both backends fail, say
 * why BTF failed.
 */
static int probe_backend(const struct backend_ops **ops, struct backend **b,
			 struct tp_count tp[TP_COUNT], const struct trace_config *config,
			 struct error *error)
{
	static const struct backend_ops *const backends[] = {
		[BACKEND_BTF] = &backend_btf,
		[BACKEND_CLASSIC] = &backend_classic,
	};
	unsigned int i = config->backend == BACKEND_AUTO ? BACKEND_BTF : config->backend;
	char btf[256] = "";
	int err;

	memset(tp, 0, TP_COUNT * sizeof(*tp));
	for (int id = 0; id < TP_COUNT; id++)
		tp[id].ns_per_event = tp[id].cpu_percent = tp[id].cost_cpu = -1;
	for (;; i++) {
		*ops = backends[i];
		err = (*ops)->open(b, tp, error);
		if (!err || config->backend != BACKEND_AUTO || err == -ENOMEM ||
		    i == BACKEND_CLASSIC)
			break;
		snprintf(btf, sizeof(btf), "%.*s", (int)strcspn(error->text, ";"), error->text);
	}
	if (err && err != -ENOMEM && *ops == &backend_classic && btf[0]) {
		size_t len = strlen(error->text);

		snprintf(error->text + len, sizeof(error->text) - len, " (no BTF: %s)", btf);
	}
	return err;
}

static int probe_load(struct probe *p, uint32_t wanted)
{
	return p->ops->load(p->backend, wanted, &p->size, &p->object);
}

/* The tracepoints that this kernel has. */
static uint32_t present(const struct probe *p)
{
	uint32_t set = 0;

	for (int id = 0; id < TP_COUNT; id++)
		if (p->tp[id].name[0] && p->tp[id].state == TP_OFF)
			set |= BIT(id);
	return set;
}

/* Load all programs or, if that fails, every program that loads alone. */
static int probe_load_best(struct probe *p)
{
	uint32_t wanted = present(p);
	int err;

	err = probe_load(p, wanted);
	if (!err || err == -EPERM || err == -ENOSYS || err == -ENOMEM || err == -ESTALE)
		return err;
	for (int id = 0; id < TP_COUNT; id++) {
		if (!(wanted & BIT(id)))
			continue;
		err = probe_load(p, BIT(id));
		if (!err) {
			p->ops->unload(p->backend);
			continue;
		}
		if (err == -ESTALE)
			return err;
		wanted &= ~BIT(id);
		p->tp[id].state = TP_FAILED;
		if ((err == -EINVAL || err == -ENOTSUPP) && lockdown_confidential())
			snprintf(p->tp[id].reason, sizeof(p->tp[id].reason), "%s",
				 err == -EINVAL ? LOCKDOWN_CONFIDENTIAL : LOCKDOWN_INTERPRETED);
		else
			snprintf(p->tp[id].reason, sizeof(p->tp[id].reason),
				 "the kernel refused its program: %s (--verbose shows the log)",
				 errno_text(err));
	}
	return probe_load(p, wanted);
}

static void *probe_map_memory(const struct bpf_map *map, size_t element, size_t n, size_t *bytes)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *memory;

	*bytes = (element * n + page - 1) / page * page;
	memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	return memory == MAP_FAILED ? NULL : memory;
}

static int probe_memory_open(struct probe *p)
{
	const struct backend_object *o = &p->object;
	struct probe_memory *m = &p->memory;

	m->cpu = probe_map_memory(o->cpus, sizeof(*m->cpu), m->cpus, &p->cpu_bytes);
	m->counter = probe_map_memory(o->counts, sizeof(*m->counter), (size_t)m->cpus * m->slots,
				      &p->counter_bytes);
	m->info = probe_map_memory(o->infos, sizeof(*m->info), m->slots, &p->info_bytes);
	if (!m->cpu || !m->counter || !m->info)
		return -errno;
	m->created = o->created;
	m->events_lost = o->events_lost;
	m->slot_of = bpf_map__fd(o->slot_of);
	m->free_slots = bpf_map__fd(o->free_slots);
	/* a stack: the last slot pushed is the first one used */
	for (uint32_t slot = m->slots; slot-- > TP_COUNT;) {
		int err = bpf_map_update_elem(m->free_slots, NULL, &slot, 0);

		if (err)
			return err;
	}
	return 0;
}

/* Why none of the requested tracepoints is attached: the first reason found is given for all. */
static int say_none_attached(const struct probe *p, uint32_t set, struct error *error)
{
	struct tp_count tp[TP_COUNT] = { 0 };
	const char *reason = "this kernel does not have any of them";

	attach_states(p->attach, 0, tp);
	for (int id = TP_COUNT; id-- > 0;)
		if (set & BIT(id) && tp[id].reason[0])
			reason = tp[id].reason;
	error->exit_code = EXIT_NO_TRACEPOINT;
	return error_set(error, -ENOENT,
			 "no tracepoint could be attached: %s; 'xdptop --list' shows the reason "
			 "for each",
			 reason);
}

static bool is_interpreted(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	/* without CAP_BPF the kernel reports both lengths as 0 */
	return program && !bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) &&
	       info.xlated_prog_len && !info.jited_prog_len;
}

static int probe_event(void *ctx, void *data, size_t size)
{
	struct probe *p = ctx;

	if (size >= sizeof(struct series_event))
		p->event_fn(p->event_ctx, data);
	return 0;
}

static int probe_fill(struct probe *p, const struct trace_config *config, struct error *error)
{
	LIBBPF_OPTS(bpf_map_create_opts, array, .map_flags = BPF_F_MMAPABLE);
	struct cpu_set possible;
	struct utsname kernel;
	int err = cpu_set_read(&possible, "possible");

	if (err)
		return error_set(error, err,
				 "/sys/devices/system/cpu/possible: %s; is /sys mounted?",
				 strerror(-err));
	p->memory.cpus = possible.end;
	p->memory.slots = TP_COUNT + (uint32_t)config->max_series;
	p->size = (struct backend_size){ .cpus = p->memory.cpus,
					 .slots = p->memory.slots,
					 .follow_events = config->follow_events };
	p->size.cpu_map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "cpus", sizeof(uint32_t),
					 sizeof(struct series_cpu), p->size.cpus, &array);
	err = p->size.cpu_map < 0 ? -errno : 0;
	if (!err)
		err = probe_load_best(p);
	/* no program has run yet: tracepoints are not attached, and iterators run later */
	if (!err && is_interpreted(p->object.program[BACKEND_CHECK]) && !uname(&kernel) &&
	    interpreter_crashes(&kernel)) {
		error->exit_code = EXIT_NO_TRACEPOINT;
		return error_set(error, -ENOTSUP, "%s", INTERPRETER_CRASHES);
	}
	if (!err)
		err = probe_memory_open(p);
	if (!err && config->follow_events) {
		p->follow = follow_open(p->ops, p->backend, &p->object, &p->memory);
		err = p->follow ? 0 : -errno;
	}
	if (!err) {
		p->ring = ring_buffer__new(bpf_map__fd(p->object.events), probe_event, p, NULL);
		err = p->ring ? 0 : -errno;
	}
	if (err == -EPERM || err == -ENOSYS) {
		struct load_error refusal;

		load_error_read(&refusal);
		load_error_set(&refusal, err, error);
	} else if (err) {
		error_set(error, err,
			  "loading the BPF programs: %s; --verbose shows the kernel's log%s",
			  errno_text(err),
			  err == -ENOMEM ? "; a smaller --max-series needs less" : "");
	}
	return err;
}

int probe_open(struct probe **out, const struct trace_config *config, struct error *error)
{
	struct probe *p = memory_new(1, sizeof(*p));
	int err;

	*out = NULL;
	p->size.cpu_map = -1;
	err = probe_backend(&p->ops, &p->backend, p->tp, config, error);
	if (!err)
		err = probe_fill(p, config, error);
	if (err)
		goto out;
	p->attach = attach_new(p->ops, p->backend, &p->object, p->tp, config->budget, p->memory.cpu,
			       p->memory.cpus);
	if (!attach_initial(p->attach, config->tracepoints) && config->tracepoints) {
		err = say_none_attached(p, config->tracepoints, error);
		goto out;
	}
	*out = p;
	p = NULL;
out:
	probe_close(p);
	return err;
}

int probe_list(struct tp_count tp[TP_COUNT], const struct trace_config *config, struct error *error)
{
	const struct backend_ops *ops;
	struct backend *backend = NULL;
	int err;

	err = probe_backend(&ops, &backend, tp, config, error);
	if (err)
		return err;
	for (int id = 0; id < TP_COUNT; id++)
		if (tp[id].name[0] && tp[id].state == TP_OFF && config->tracepoints & BIT(id))
			tp[id].state = TP_ON;
	ops->close(backend);
	return 0;
}

void probe_close(struct probe *p)
{
	if (!p)
		return;
	/* the worker uses them */
	attach_free(p->attach);
	follow_close(p->follow);
	ring_buffer__free(p->ring);
	if (p->memory.cpu)
		munmap(p->memory.cpu, p->cpu_bytes);
	if (p->memory.counter)
		munmap(p->memory.counter, p->counter_bytes);
	if (p->memory.info)
		munmap(p->memory.info, p->info_bytes);
	if (p->backend)
		p->ops->close(p->backend);
	if (p->size.cpu_map >= 0)
		close(p->size.cpu_map);
	free(p);
}

const struct probe_memory *probe_memory(const struct probe *p)
{
	return &p->memory;
}

/* Events that the kernel's recursion guard skipped. Counted for tp_btf since 6.1. */
static uint64_t program_missed(const struct bpf_program *program)
{
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
		return 0;
	return info.recursion_misses;
}

void probe_states(struct probe *p, uint64_t now_ns, struct tp_count tp[TP_COUNT])
{
	attach_states(p->attach, now_ns, tp);
	for (int id = 0; id < TP_COUNT; id++) {
		const struct bpf_program *program = p->object.program[id];

		tp[id].missed = program ? program_missed(program) : 0;
		tp[id].events_lost = p->memory.events_lost[id];
	}
}

int probe_capability_check(struct probe *p)
{
	struct bpf_program *program = p->object.program[BACKEND_CHECK];
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info), slot;
	struct series_index none = { 0 };
	struct bpf_link *link;

	/* up to 5.18 reading maps and program info needs CAP_BPF */
	if (bpf_map_lookup_elem(p->memory.slot_of, &none, &slot) && errno == EPERM)
		return -EPERM;
	if (!program)
		return -EPERM; /* cannot be tested: keep the capabilities that old kernels need */
	if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size))
		return -errno;
	link = p->ops->attach(p->backend, BACKEND_CHECK, program);
	return link ? bpf_link__destroy(link) : -errno;
}

const char *probe_backend_name(const struct probe *p)
{
	return p->ops->name;
}

struct attach *probe_attach(struct probe *p)
{
	return p->attach;
}

struct follow *probe_follow(struct probe *p)
{
	return p->follow;
}

int probe_events(struct probe *p, void (*fn)(void *ctx, const struct series_event *e), void *ctx)
{
	int n;

	p->event_fn = fn;
	p->event_ctx = ctx;
	n = ring_buffer__consume(p->ring);
	return n < 0 ? n : 0;
}
