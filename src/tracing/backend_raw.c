// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw tracepoints, for kernels without BTF of which a file has it: they need none to load, and give
 * the same arguments as tp_btf. All that these lead to is read by a helper, at the file's offsets.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/exit_code.h"
#include "inventory/kernel_read.h"
#include "tracing/backend.h"
#include "tracing/btf_file.h"
#include "tracing/btf_tracepoints.h"
#include "tracing/load_error.h"
#include "xdptop_raw.skel.h"

struct backend {
	struct btf_prototype prototype[TP_COUNT];
	struct btf_file file;
	struct xdptop_raw_bpf *skeleton;
};

static int raw_open(struct backend **out, const char *btf, struct tp_count tp[TP_COUNT],
		    int *exit_code, char *why, size_t size)
{
	struct backend *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return -ENOMEM;
	*exit_code = EXIT_NO_TRACEPOINT;
	if (lockdown_confidential()) {
		snprintf(why, size, "%s", LOCKDOWN_CONFIDENTIAL);
		err = -ENOENT;
	} else {
		err = btf_file_open(&b->file, btf, exit_code, why, size);
	}
	if (err) {
		free(b);
		return err;
	}
	btf_tracepoints_read(b->file.btf, b->prototype, tp);
	*out = b;
	return 0;
}

/* Whether the file's offsets lead to what the kernel says otherwise, too. */
static bool is_this_kernel(const struct xdptop_raw_bpf *s)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	struct stat netns;

	/* 5.10+: before, it is not known */
	if (bpf_prog_test_run_opts(bpf_program__fd(s->progs.offsets_check), &run))
		return true;
	return s->bss->offsets_right &&
	       (stat("/proc/self/ns/net", &netns) || netns.st_ino == s->bss->offsets_netns);
}

static int raw_load(struct backend *b, uint32_t wanted, const struct backend_size *size,
		    struct backend_object *to)
{
	LIBBPF_OPTS(bpf_object_open_opts, opts,
		    .btf_custom_path = b->file.path[0] ? b->file.path : NULL);
	struct xdptop_raw_bpf *s = xdptop_raw_bpf__open_opts(&opts);
	bool least = !wanted; /* only what every kernel loads */
	struct bpf_program *program;
	int err;

	if (!s)
		return -errno;
	s->rodata->slots = size->slots;
	s->rodata->has_link_tracepoint = b->prototype[TP_LINK_ATTACH_FAILED].btf_id;
	err = backend_object_size(to, s->obj, size);
	bpf_object__for_each_program (program, s->obj)
		bpf_program__set_autoload(program, program == s->progs.offsets_check);
	wanted |= b->prototype[TP_XDP_EXCEPTION].btf_id ? 1U << BACKEND_CHECK : 0;
	for (int id = 0; id <= BACKEND_CHECK && !err; id++) {
		if (!(wanted & 1U << id))
			continue;
		to->program[id] = backend_object_program(s->obj, id);
		err = to->program[id] ? bpf_program__set_autoload(to->program[id], true) : -ENOENT;
	}
	err = err ?: xdptop_raw_bpf__load(s);
	if (err == -EINVAL && least && kernel_read_find() == KERNEL_READ_ALL)
		err = -ESTALE; /* members that are read are not in the file */
	if (!err && !is_this_kernel(s))
		err = -ESTALE;
	if (err) {
		xdptop_raw_bpf__destroy(s);
		return err;
	}
	to->created = &s->bss->series_created;
	to->events_lost = s->bss->events_lost;
	b->skeleton = s;
	return 0;
}

static void raw_unload(struct backend *b)
{
	xdptop_raw_bpf__destroy(b->skeleton);
	b->skeleton = NULL;
}

static struct bpf_link *raw_attach(struct backend *b, int id, struct bpf_program *program)
{
	return bpf_program__attach_raw_tracepoint(
		program, b->prototype[id == BACKEND_CHECK ? TP_XDP_EXCEPTION : id].name);
}

static void raw_close(struct backend *b)
{
	if (!b)
		return;
	xdptop_raw_bpf__destroy(b->skeleton);
	btf_file_close(&b->file);
	free(b);
}

const struct backend_ops backend_raw = {
	.name = "raw",
	.open = raw_open,
	.load = raw_load,
	.unload = raw_unload,
	.attach = raw_attach,
	.close = raw_close,
};
