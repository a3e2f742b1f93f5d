// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cpus.h"
#include "links.h"
#include "probe.h"
#include "probe_btf.h"
#include "tracepoint.h"
#include "xdptop.skel.h"

struct probe {
	struct xdptop_bpf *skeleton;
	struct links *links;
	struct ring_buffer *ring;
	struct probe_prototype prototype[TP_COUNT];
	struct tp_count tp[TP_COUNT];          /* state and reason as loading left them */
	struct bpf_program *program[TP_COUNT]; /* NULL = not loaded */
	struct probe_memory memory;
	size_t cpu_bytes, counter_bytes, info_bytes;
	void (*event_fn)(void *ctx, const struct series_event *e);
	void *event_ctx;
};

static int print_quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	return 0;
}

static int print_verbose(enum libbpf_print_level level, const char *format, va_list args)
{
	return vfprintf(stderr, format, args);
}

__attribute__((format(printf, 3, 4))) static void say(char *why, size_t size, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
}

static struct btf *probe_kernel_btf(int *exit_code, char *why, size_t size)
{
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf) {
		int cause = access("/sys/kernel/btf/vmlinux", R_OK) ? errno : EINVAL;

		*exit_code = EXIT_NO_TRACEPOINT;
		say(why, size,
		    "/sys/kernel/btf/vmlinux: %s; the kernel needs CONFIG_DEBUG_INFO_BTF=y, and "
		    "in a container /sys must be mounted",
		    strerror(cause));
	}
	return btf;
}

static void say_no_privilege(int *exit_code, char *why, size_t size)
{
	char self[512];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	*exit_code = EXIT_PRIVILEGE;
	if (geteuid())
		say(why, size,
		    "loading BPF programs is not permitted: CAP_BPF and CAP_PERFMON are missing; "
		    "run "
		    "'sudo xdptop', or once: sudo setcap cap_bpf,cap_perfmon+ep %s",
		    self);
	else
		say(why, size,
		    "loading BPF programs is not permitted, even to root: CAP_BPF and CAP_PERFMON "
		    "are missing (in a container add them: --cap-add=BPF --cap-add=PERFMON), or "
		    "kernel lockdown forbids it (/sys/kernel/security/lockdown)");
}

/*
 * Whether the verifier lets tp_btf load xdp_redirect's `const void *tgt` (6.16+). Asked by loading
 * three instructions, not by version: distributions backport. 1, 0, or -EPERM.
 */
static int probe_direct_tgt(const struct probe *p)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 0, .src_reg = 1, .off = 16 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id = p->prototype[TP_XDP_REDIRECT].btf_id);
	int fd;

	if (!opts.attach_btf_id)
		opts.attach_btf_id = p->prototype[TP_XDP_EXCEPTION].btf_id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "xdptop_try", "GPL", insns,
			   sizeof(insns) / sizeof(insns[0]), &opts);
	if (fd < 0)
		return errno == EPERM ? -EPERM : 0;
	close(fd);
	return 1;
}

static struct bpf_program *probe_program(const struct xdptop_bpf *skeleton, int id)
{
	char name[64];

	if (id < TP_OTHER)
		return bpf_object__find_program_by_name(skeleton->obj, tracepoints[id].name);
	snprintf(name, sizeof(name), "other_%d", id - TP_OTHER);
	return bpf_object__find_program_by_name(skeleton->obj, name);
}

/*
 * Open and load the programs of `wanted` (bits). All or nothing, as libbpf does it: 0 and
 * p->skeleton set, or -errno.
 */
static int probe_load(struct probe *p, uint32_t wanted, int direct_tgt)
{
	struct xdptop_bpf *s = xdptop_bpf__open();
	int err = 0;

	if (!s)
		return -errno;
	s->rodata->slots = p->memory.slots;
	s->rodata->direct_tgt = direct_tgt;
	bpf_map__set_max_entries(s->maps.cpus, p->memory.cpus);
	bpf_map__set_max_entries(s->maps.counts, p->memory.cpus * p->memory.slots);
	bpf_map__set_max_entries(s->maps.infos, p->memory.slots);
	bpf_map__set_max_entries(s->maps.slot_of, p->memory.slots - TP_COUNT);
	bpf_map__set_max_entries(s->maps.free_slots, p->memory.slots - TP_COUNT);
	for (int id = 0; id < TP_COUNT && !err; id++) {
		struct bpf_program *program = probe_program(s, id);
		bool load = wanted & 1U << id;

		if (!program)
			err = -ENOENT;
		else
			err = bpf_program__set_autoload(program, load);
		if (!err && load && id >= TP_OTHER)
			err = bpf_program__set_attach_target(program, 0, p->prototype[id].name);
	}
	if (!err)
		err = bpf_program__set_autoload(s->progs.attach_trial,
						p->prototype[TP_XDP_EXCEPTION].btf_id);
	if (!err)
		err = xdptop_bpf__load(s);
	if (err) {
		xdptop_bpf__destroy(s);
		return err;
	}
	p->skeleton = s;
	return 0;
}

/* Load what loads: when the whole does not, find the programs at fault one by one. */
static int probe_load_best(struct probe *p, int direct_tgt)
{
	uint32_t wanted = 0;
	int err;

	for (int id = 0; id < TP_COUNT; id++)
		if (p->prototype[id].btf_id)
			wanted |= 1U << id;
	err = probe_load(p, wanted, direct_tgt);
	if (!err || err == -EPERM || err == -ENOMEM)
		return err;
	for (int id = 0; id < TP_COUNT; id++) {
		if (!(wanted & 1U << id))
			continue;
		err = probe_load(p, 1U << id, direct_tgt);
		if (!err) {
			xdptop_bpf__destroy(p->skeleton);
			p->skeleton = NULL;
			continue;
		}
		wanted &= ~(1U << id);
		p->tp[id].state = TP_FAILED;
		snprintf(p->tp[id].reason, sizeof(p->tp[id].reason),
			 "the kernel refused its program: %s (--verbose shows the log)",
			 strerror(-err));
	}
	return probe_load(p, wanted, direct_tgt);
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
	struct xdptop_bpf *s = p->skeleton;
	struct probe_memory *m = &p->memory;

	m->cpu = probe_map_memory(s->maps.cpus, sizeof(*m->cpu), m->cpus, &p->cpu_bytes);
	m->counter = probe_map_memory(s->maps.counts, sizeof(*m->counter),
				      (size_t)m->cpus * m->slots, &p->counter_bytes);
	m->info = probe_map_memory(s->maps.infos, sizeof(*m->info), m->slots, &p->info_bytes);
	if (!m->cpu || !m->counter || !m->info)
		return -errno;
	m->born = &s->bss->series_born;
	m->events_lost = &s->bss->events_lost;
	/* a stack: pushed from the top, the first series get the lowest slots */
	for (uint32_t slot = m->slots; slot-- > TP_COUNT;) {
		int err = bpf_map_update_elem(bpf_map__fd(s->maps.free_slots), NULL, &slot, 0);

		if (err)
			return err;
	}
	return 0;
}

/* Why none of the tracepoints asked for is attached: the first one's reason stands for all. */
static void say_none_attached(const struct probe *p, uint32_t set, char *why, size_t size)
{
	struct tp_count tp[TP_COUNT] = { 0 };
	const char *reason = "this kernel has none of them";

	links_states(p->links, 0, tp);
	for (int id = TP_COUNT; id-- > 0;)
		if (set & 1U << id && tp[id].reason[0])
			reason = tp[id].reason;
	say(why, size, "no tracepoint could be attached: %s; 'xdptop --list' shows each one's",
	    reason);
}

static int probe_event(void *ctx, void *data, size_t size)
{
	struct probe *p = ctx;

	if (size >= sizeof(struct series_event))
		p->event_fn(p->event_ctx, data);
	return 0;
}

static int probe_fill(struct probe *p, const struct options *options, int *exit_code, char *why,
		      size_t size)
{
	struct cpus possible;
	int err = cpus_read(&possible, "possible"), direct_tgt;

	if (err) {
		say(why, size, "/sys/devices/system/cpu/possible: %s; is /sys mounted?",
		    strerror(-err));
		return err;
	}
	p->memory.cpus = possible.end;
	p->memory.slots = TP_COUNT + options->max_series;
	cpus_free(&possible);
	direct_tgt = probe_direct_tgt(p);
	err = direct_tgt < 0 ? direct_tgt : probe_load_best(p, direct_tgt);
	if (!err)
		err = probe_memory_open(p);
	if (!err) {
		p->ring = ring_buffer__new(bpf_map__fd(p->skeleton->maps.events), probe_event, p,
					   NULL);
		err = p->ring ? 0 : -errno;
	}
	if (err == -EPERM)
		say_no_privilege(exit_code, why, size);
	else if (err)
		say(why, size, "loading the BPF programs: %s; --verbose shows the kernel's log%s",
		    strerror(-err), err == -ENOMEM ? ", a smaller --max-series takes less" : "");
	return err;
}

int probe_open(struct probe **out, const struct options *options, int *exit_code, char *why,
	       size_t size)
{
	struct probe *p = calloc(1, sizeof(*p));
	struct btf *btf = NULL;
	int err = -ENOMEM;

	*exit_code = EXIT_FAILED;
	*out = NULL;
	say(why, size, "out of memory");
	if (!p)
		return err;
	libbpf_set_print(options->verbose ? print_verbose : print_quiet);
	btf = probe_kernel_btf(exit_code, why, size);
	if (!btf) {
		err = -ENOENT;
		goto out;
	}
	probe_btf_read(btf, p->prototype, p->tp);
	err = probe_fill(p, options, exit_code, why, size);
	if (err)
		goto out;
	for (int id = 0; id < TP_COUNT; id++)
		if (p->prototype[id].btf_id && p->tp[id].state == TP_OFF)
			p->program[id] = probe_program(p->skeleton, id);
	p->links = links_new(p->program, p->tp, options->budget, p->memory.cpu, p->memory.cpus);
	if (!p->links) {
		err = -ENOMEM;
		goto out;
	}
	if (!links_attach(p->links, options->tracepoints) && options->tracepoints) {
		*exit_code = EXIT_NO_TRACEPOINT;
		say_none_attached(p, options->tracepoints, why, size);
		err = -ENOENT;
		goto out;
	}
	*out = p;
	p = NULL;
out:
	btf__free(btf);
	probe_close(p);
	return err;
}

int probe_list(struct tp_count tp[TP_COUNT], const struct options *options, int *exit_code,
	       char *why, size_t size)
{
	struct probe_prototype prototype[TP_COUNT];
	struct btf *btf;

	libbpf_set_print(options->verbose ? print_verbose : print_quiet);
	btf = probe_kernel_btf(exit_code, why, size);
	if (!btf)
		return -ENOENT;
	probe_btf_read(btf, prototype, tp);
	for (int id = 0; id < TP_COUNT; id++)
		if (prototype[id].btf_id && options->tracepoints & 1U << id)
			tp[id].state = TP_ON;
	btf__free(btf);
	return 0;
}

void probe_close(struct probe *p)
{
	if (!p)
		return;
	links_free(p->links);
	ring_buffer__free(p->ring);
	if (p->memory.cpu)
		munmap((void *)p->memory.cpu, p->cpu_bytes);
	if (p->memory.counter)
		munmap(p->memory.counter, p->counter_bytes);
	if (p->memory.info)
		munmap(p->memory.info, p->info_bytes);
	xdptop_bpf__destroy(p->skeleton);
	free(p);
}

const struct probe_memory *probe_memory(const struct probe *p)
{
	return &p->memory;
}

/* Events that the kernel's recursion guard skipped; counted since 6.1 for tp_btf. */
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
	links_states(p->links, now_ns, tp);
	for (int id = 0; id < TP_COUNT; id++) {
		memcpy(tp[id].name, p->prototype[id].name, sizeof(tp[id].name));
		tp[id].missed = p->program[id] ? program_missed(p->program[id]) : 0;
	}
}

int probe_slot_forget(struct probe *p, uint32_t tracepoint, const struct series_key *key)
{
	/* struct index_key of bpf/count.h */
	struct {
		struct series_key key;
		__u32 tracepoint, zero;
	} index = { .key = *key, .tracepoint = tracepoint };

	return bpf_map_delete_elem(bpf_map__fd(p->skeleton->maps.slot_of), &index);
}

void probe_epoch(struct probe *p)
{
	__atomic_add_fetch(&p->skeleton->data->epoch, 1, __ATOMIC_SEQ_CST);
}

int probe_slot_give(struct probe *p, uint32_t slot)
{
	return bpf_map_update_elem(bpf_map__fd(p->skeleton->maps.free_slots), NULL, &slot, 0);
}

int probe_trial(struct probe *p)
{
	struct bpf_map *map = p->skeleton->maps.slot_of;
	struct bpf_prog_info info = { 0 };
	__u32 size = sizeof(info);
	char key[64] = { 0 };
	struct bpf_link *link;
	__u32 slot;
	int fd;

	/* reading maps and program info needed CAP_BPF up to 5.18 */
	if (bpf_map_lookup_elem(bpf_map__fd(map), key, &slot) && errno == EPERM)
		return -EPERM;
	fd = bpf_program__fd(p->skeleton->progs.attach_trial);
	if (fd < 0)
		return -EPERM; /* nothing to try it with: keep what is needed on old kernels */
	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return -errno;
	link = bpf_program__attach(p->skeleton->progs.attach_trial);
	if (!link)
		return -errno;
	return bpf_link__destroy(link);
}

struct links *probe_links(struct probe *p)
{
	return p->links;
}

int probe_events(struct probe *p, void (*fn)(void *ctx, const struct series_event *e), void *ctx)
{
	int n;

	p->event_fn = fn;
	p->event_ctx = ctx;
	n = ring_buffer__consume(p->ring);
	return n < 0 ? n : 0;
}
