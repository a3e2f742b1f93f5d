// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bpf/perf.h"
#include "tracing/backend.h"
#include "perf.skel.h"
#include "base/cpu_set.h"
#include "base/memory.h"
#include "tracing/load_error.h"
#include "tracing/tracefs.h"

struct backend {
	uint64_t event[TP_COUNT]; /* perf_event_attr.config; 0 = not in this kernel */
	uint8_t offset[TP_COUNT][FIELD_COUNT];
	struct perf_bpf *skeleton;
};

static const char *const field_names[FIELD_COUNT] = {
	[FIELD_PROG_ID] = "prog_id",
	[FIELD_ACT] = "act",
	[FIELD_IFINDEX] = "ifindex",
	[FIELD_FROM_IFINDEX] = "from_ifindex",
	[FIELD_TO_IFINDEX] = "to_ifindex",
	[FIELD_ERR] = "err",
	[FIELD_MAP_ID] = "map_id",
	[FIELD_MAP_INDEX] = "map_index",
	[FIELD_SENT] = "sent",
	[FIELD_DROPS] = "drops",
	[FIELD_PROCESSED] = "processed",
	[FIELD_TO_CPU] = "to_cpu",
	[FIELD_SCHED] = "sched",
	[FIELD_XDP_PASS] = "xdp_pass",
	[FIELD_XDP_DROP] = "xdp_drop",
	[FIELD_XDP_REDIRECT] = "xdp_redirect",
	[FIELD_LEN] = "len",
	[FIELD_NAME] = "name",
	[FIELD_MSG] = "msg",
	[FIELD_MEM_ID] = "mem_id",
	[FIELD_MEM_TYPE] = "mem_type",
};

#define HAS(f) (1U << FIELD_##f)
#define REDIRECT_FIELDS \
	(HAS(PROG_ID) | HAS(IFINDEX) | HAS(ERR) | HAS(TO_IFINDEX) | HAS(MAP_ID) | HAS(MAP_INDEX))

_Static_assert(FIELD_COUNT <= 32, "a set of fields is 32 bits");

/*
 * Fields that each program needs, and fields that it takes if present. Without a group a tracepoint
 * has no program.
 */
static const struct {
	const char *group;
	uint32_t needs, takes;
} records[TP_VERDICTS] = {
	[TP_XDP_EXCEPTION] = { "xdp", HAS(PROG_ID) | HAS(IFINDEX) | HAS(ACT), 0 },
	[TP_XDP_REDIRECT_ERR] = { "xdp", REDIRECT_FIELDS, 0 },
	[TP_XDP_REDIRECT] = { "xdp", REDIRECT_FIELDS, 0 },
	[TP_XDP_DEVMAP_XMIT] = { "xdp",
				 HAS(FROM_IFINDEX) | HAS(TO_IFINDEX) | HAS(SENT) | HAS(DROPS) |
					 HAS(ERR),
				 0 },
	[TP_XDP_BULK_TX] = { "xdp", HAS(IFINDEX) | HAS(SENT) | HAS(DROPS) | HAS(ERR), 0 },
	[TP_XDP_CPUMAP_ENQUEUE] = { "xdp", HAS(MAP_ID) | HAS(PROCESSED) | HAS(DROPS) | HAS(TO_CPU),
				    0 },
	[TP_XDP_CPUMAP_KTHREAD] = { "xdp", HAS(MAP_ID) | HAS(PROCESSED) | HAS(DROPS) | HAS(SCHED),
				    HAS(XDP_PASS) | HAS(XDP_DROP) | HAS(XDP_REDIRECT) },
	[TP_NET_DEV_QUEUE] = { "net", HAS(LEN) | HAS(NAME), 0 },
	[TP_LINK_ATTACH_FAILED] = { "xdp", HAS(MSG), 0 },
	[TP_MEM_CONNECT] = { "xdp", HAS(MEM_ID) | HAS(MEM_TYPE) | HAS(IFINDEX), 0 },
	[TP_MEM_DISCONNECT] = { "xdp", HAS(MEM_ID) | HAS(MEM_TYPE), 0 },
};

/* Set the offsets of the fields. 0, or -EPROTO with the reason in tp. */
static int read_offsets(struct backend *b, int id, const struct tracefs_format *f,
			struct tp_count *tp)
{
	for (int i = 0; i < FIELD_COUNT; i++) {
		const struct tracefs_field *field;

		if (!((records[id].needs | records[id].takes) & 1U << i))
			continue;
		field = tracefs_field(f, field_names[i]);
		if (!field && records[id].takes & 1U << i)
			continue;
		/* offset 0 is common_type */
		if (!field || field->size != 4 || !field->offset || field->offset % 4 ||
		    field->offset + 4 > PERF_RECORD_SIZE) {
			snprintf(tp->reason, sizeof(tp->reason),
				 field ? "the field '%s' of its record is not as expected"
				       : "its record does not have a field '%s'",
				 field_names[i]);
			return -EPROTO;
		}
		b->offset[id][i] = field->offset;
	}
	return 0;
}

static void find_event(struct backend *b, int id, const char *tracefs, struct tp_count *tp)
{
	struct tracefs_format f;
	int err;

	snprintf(tp->name, sizeof(tp->name), "%s", tracepoints[id].name);
	if (!records[id].group) {
		tp->state = TP_MISSING;
		snprintf(tp->reason, sizeof(tp->reason),
			 "only with the btf backend, which can tell refused attaches from other "
			 "failing commands");
		return;
	}
	err = tracefs_read(&f, tracefs, records[id].group, tracepoints[id].name);
	if (err == -ENOENT) {
		tp->state = TP_MISSING;
		snprintf(tp->reason, sizeof(tp->reason), "not in this kernel");
		return;
	}
	if (err)
		snprintf(tp->reason, sizeof(tp->reason), "its format in tracefs: %s",
			 err == -EPERM && lockdown_confidential() ? LOCKDOWN_CONFIDENTIAL
								  : strerror(-err));
	else
		err = read_offsets(b, id, &f, tp);
	if (err)
		tp->state = TP_FAILED;
	else
		b->event[id] = f.id;
}

static int say_no_tracefs(int cause, struct error *error)
{
	if (cause == EACCES) {
		error->exit_code = EXIT_PRIVILEGE;
		return error_set(
			error, -EACCES,
			"tracefs: %s; the classic backend needs root to read it; run 'sudo xdptop'",
			strerror(EACCES));
	}
	error->exit_code = EXIT_NO_TRACEPOINT;
	if (lockdown_confidential())
		return error_set(error, -ENOENT,
				 "tracefs is not available, but the classic backend needs it; %s",
				 LOCKDOWN_CONFIDENTIAL);
	return error_set(error, -ENOENT,
			 "tracefs is mounted neither at /sys/kernel/tracing nor at "
			 "/sys/kernel/debug/tracing; the classic backend needs it: sudo mount -t "
			 "tracefs tracefs /sys/kernel/tracing");
}

static int classic_open(struct backend **out, struct tp_count tp[TP_COUNT], struct error *error)
{
	const char *tracefs = tracefs_find();
	struct backend *b;

	if (!tracefs)
		return say_no_tracefs(errno, error);
	b = memory_new(1, sizeof(*b));
	for (int id = 0; id < TP_VERDICTS; id++)
		find_event(b, id, tracefs, &tp[id]);
	*out = b;
	return 0;
}

static int classic_load(struct backend *b, uint32_t wanted, const struct backend_size *size,
			struct backend_object *to)
{
	struct perf_bpf *s = perf_bpf__open();
	int err;

	_Static_assert(sizeof(s->rodata->offsets) == sizeof(b->offset), "one table");
	if (!s)
		return -errno;
	s->rodata->slots = size->slots;
	memcpy((void *)s->rodata->offsets, b->offset, sizeof(b->offset));
	err = backend_object_size(to, s->obj, size);
	for (int id = 0; id < TP_VERDICTS && !err; id++) {
		struct bpf_program *program = backend_object_program(s->obj, id);

		if (!program)
			continue;
		err = bpf_program__set_autoload(program, wanted & BIT(id));
		to->program[id] = wanted & BIT(id) ? program : NULL;
	}
	to->program[BACKEND_CHECK] = s->progs.capability_check;
	if (!err)
		err = perf_bpf__load(s);
	if (err) {
		perf_bpf__destroy(s);
		return err;
	}
	to->created = &s->bss->series_created;
	to->events_lost = s->bss->events_lost;
	b->skeleton = s;
	return 0;
}

static void classic_unload(struct backend *b)
{
	perf_bpf__destroy(b->skeleton);
	b->skeleton = NULL;
}

/* Programs run on every CPU, but perf_event_open() takes an online one (doc/kernel.md). */
static int online_cpu(void)
{
	struct cpu_set online;
	uint32_t cpu = 0;

	if (cpu_set_read(&online, "online"))
		return 0;
	while (cpu < online.end && !cpu_set_has(&online, cpu))
		cpu++;
	return (int)cpu;
}

static struct bpf_link *classic_attach(struct backend *b, int id, struct bpf_program *program)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = b->event[id == BACKEND_CHECK ? TP_XDP_EXCEPTION : id],
	};
	struct bpf_link *link;
	int fd, err;

	if (!attr.config) {
		errno = ENOENT;
		return NULL;
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, online_cpu(), -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;
	/* the link owns fd and closes it in bpf_link__destroy(), which detaches */
	link = bpf_program__attach_perf_event(program, fd);
	if (!link) {
		err = errno;
		close(fd);
		errno = err;
	}
	return link;
}

static void classic_close(struct backend *b)
{
	if (!b)
		return;
	perf_bpf__destroy(b->skeleton);
	free(b);
}

const struct backend_ops backend_classic = {
	.name = "classic",
	.open = classic_open,
	.load = classic_load,
	.unload = classic_unload,
	.attach = classic_attach,
	.close = classic_close,
};
