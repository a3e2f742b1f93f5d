// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "tracing/backend.h"
#include "tracing/btf_tracepoints.h"
#include "inventory/kernel_read.h"
#include "xdptop.skel.h"
#include "xdptop_lockdown.skel.h"

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

struct backend {
	struct btf_prototype prototype[TP_COUNT];
	struct xdptop_bpf *skeleton;
	int direct_tgt; /* a program can load tgt; -1 = not tested yet */
	bool no_kfuncs; /* kernel functions cannot be called: the JIT is off */
	enum kernel_read read;
};

/* The errno of reading the kernel's BTF. libbpf returns ESRCH for every cause. */
static int btf_cause(void)
{
	if (access(KERNEL_BTF, R_OK))
		return errno;
	errno = EINVAL;
	btf__free(btf__parse(KERNEL_BTF, NULL));
	return errno;
}

static int btf_open(struct backend **out, struct tp_count tp[TP_COUNT], struct error *error)
{
	/* libbpf also looks elsewhere, but programs are checked against the kernel's own BTF */
	struct btf *btf = access(KERNEL_BTF, R_OK) ? NULL : btf__load_vmlinux_btf();
	struct backend *b;

	if (!btf) {
		int cause = btf_cause();

		if (cause == ENOMEM)
			return error_set(error, -ENOMEM,
					 KERNEL_BTF
					 ": not enough memory to read it; raise the address space "
					 "limit (ulimit -v) if there is one");
		error->exit_code = EXIT_NO_TRACEPOINT;
		return error_set(
			error, -ENOENT,
			KERNEL_BTF
			": %s; the kernel needs CONFIG_DEBUG_INFO_BTF=y, and in a container /sys "
			"must be mounted; --backend classic needs no BTF",
			strerror(cause));
	}
	b = memory_new(1, sizeof(*b));
	b->direct_tgt = -1;
	btf_tracepoints_read(btf, b->prototype, tp);
	btf__free(btf);
	*out = b;
	return 0;
}

/*
 * Whether the verifier lets a program load xdp_redirect's `const void *tgt` (6.16+). Tested with a
 * program of three instructions rather than by version, because distributions backport it. 1, 0, or
 * -EPERM.
 */
static int test_direct_tgt(const struct backend *b)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 0, .src_reg = 1, .off = 16 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP,
		    .attach_btf_id = b->prototype[TP_XDP_REDIRECT].btf_id);
	int fd;

	if (!opts.attach_btf_id)
		opts.attach_btf_id = b->prototype[TP_XDP_EXCEPTION].btf_id;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "xdptop_try", "GPL", insns,
			   sizeof(insns) / sizeof(insns[0]), &opts);
	if (fd < 0)
		return errno == EPERM ? -EPERM : 0;
	close(fd);
	return 1;
}

/*
 * NAME_read: the program that replaces NAME if this kernel refuses the way NAME reads memory; or
 * NULL.
 */
static struct bpf_program *reading_program(const struct bpf_object *object, int id)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_read", id < TP_OTHER ? tracepoints[id].name : "");
	return bpf_object__find_program_by_name(object, name);
}

static int choose_other(const struct backend *b, const struct xdptop_bpf *s, int id,
			struct bpf_program *program)
{
	for (int i = 0; i < FOLLOW_OTHER_ARGS; i++)
		s->rodata->follow_words[id - TP_OTHER][i] = b->prototype[id].arg[i].kind;
	return bpf_program__set_attach_target(program, 0, b->prototype[id].name);
}

static int choose_programs(const struct backend *b, const struct xdptop_bpf *s, uint32_t wanted,
			   struct backend_object *to)
{
	struct bpf_program *program;
	int err;

	bpf_object__for_each_program (program, s->obj)
		bpf_program__set_autoload(program, false);
	for (int id = 0; id < TP_COUNT; id++) {
		if (!(wanted & BIT(id)))
			continue;
		program = NULL;
		if (id == TP_NET_DEV_QUEUE ? b->no_kfuncs : !b->direct_tgt)
			program = reading_program(s->obj, id);
		if (!program)
			program = backend_object_program(s->obj, id);
		err = program ? bpf_program__set_autoload(program, true) : -ENOENT;
		if (!err && id >= TP_OTHER)
			err = choose_other(b, s, id, program);
		if (err)
			return err;
		to->program[id] = program;
	}
	/* it is attached to xdp_exception */
	if (!b->prototype[TP_XDP_EXCEPTION].btf_id)
		return 0;
	to->program[BACKEND_CHECK] = s->progs.capability_check;
	return bpf_program__set_autoload(s->progs.capability_check, true);
}

/* Both builds have the same maps, programs and variables, so one skeleton serves for them. */
static int open_build(const struct backend *b, struct xdptop_bpf **out)
{
	struct xdptop_bpf *s = memory_new(1, sizeof(*s));
	int err;

	_Static_assert(sizeof(*s->bss) == sizeof(*((struct xdptop_lockdown_bpf *)0)->bss) &&
			       sizeof(*s->rodata) ==
				       sizeof(*((struct xdptop_lockdown_bpf *)0)->rodata),
		       "same variables");
	err = xdptop_bpf__create_skeleton(s);
	if (err) {
		free(s);
		return err;
	}
	if (b->read != KERNEL_READ_ALL)
		s->skeleton->data = (void *)xdptop_lockdown_bpf__elf_bytes(&s->skeleton->data_sz);
	err = bpf_object__open_skeleton(s->skeleton, NULL);
	if (err)
		xdptop_bpf__destroy(s);
	else
		*out = s;
	return err;
}

static int load_object(struct backend *b, uint32_t wanted, const struct backend_size *size,
		       struct backend_object *to)
{
	struct xdptop_bpf *s = NULL;
	int err = open_build(b, &s);

	if (err)
		return err;
	s->rodata->slots = size->slots;
#ifdef __x86_64__
	s->rodata->has_softirq_stack = true;
#endif
	s->rodata->has_link_tracepoint = b->prototype[TP_LINK_ATTACH_FAILED].btf_id;
	err = backend_object_size(to, s->obj, size);
	if (!err)
		err = choose_programs(b, s, wanted, to);
	if (!err)
		err = xdptop_bpf__load(s);
	if (err) {
		xdptop_bpf__destroy(s);
		return err;
	}
	to->created = &s->bss->series_created;
	to->events_lost = s->bss->events_lost;
	to->follow_now = &s->bss->follow_now;
	to->follow_default = s->bss->follow_default;
	b->skeleton = s;
	return 0;
}

static int btf_load(struct backend *b, uint32_t wanted, const struct backend_size *size,
		    struct backend_object *to)
{
	int err;

	if (b->direct_tgt < 0) {
		b->direct_tgt = test_direct_tgt(b);
		b->read = kernel_read_find();
	}
	if (b->direct_tgt < 0)
		return b->direct_tgt;
	err = load_object(b, wanted, size, to);
	if (err != -ENOTSUPP || b->no_kfuncs)
		return err;
	b->no_kfuncs = true;
	return load_object(b, wanted, size, to);
}

static void btf_unload(struct backend *b)
{
	xdptop_bpf__destroy(b->skeleton);
	b->skeleton = NULL;
}

static void btf_other_text(const struct backend *b, const struct follow_event *e, char *buf,
			   size_t size)
{
	const struct btf_argument *arg = b->prototype[e->tracepoint].arg;
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; i < FOLLOW_OTHER_ARGS && len < size; i++) {
		unsigned int unused = arg[i].kind == FOLLOW_WORD_NUMBER ? 64u - arg[i].bits : 32;
		uint64_t word = e->word[i] << unused;

		if (!(e->known & BIT(i)))
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s=", len ? " " : "",
					arg[i].name);
		if (len < size && arg[i].is_signed)
			len += (size_t)snprintf(buf + len, size - len, "%" PRId64,
						(int64_t)word >> unused);
		else if (len < size)
			len += (size_t)snprintf(buf + len, size - len, "%" PRIu64, word >> unused);
	}
}

static struct bpf_link *btf_attach(struct backend *b, int id, struct bpf_program *program)
{
	return bpf_program__attach(program);
}

static void btf_close(struct backend *b)
{
	if (!b)
		return;
	xdptop_bpf__destroy(b->skeleton);
	free(b);
}

const struct backend_ops backend_btf = {
	.name = "btf",
	.open = btf_open,
	.load = btf_load,
	.unload = btf_unload,
	.other_text = btf_other_text,
	.attach = btf_attach,
	.close = btf_close,
};
