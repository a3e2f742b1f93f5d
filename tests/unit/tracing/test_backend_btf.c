// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which programs are loaded, depending on what the kernel refuses. These replace libbpf's
 * functions.
 */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include "model/kernel_names.h"
#include "tracing/backend.h"
#include "unit/test.h"

static struct {
	int refuse_kfuncs, refuse_all; /* -errno, 0 = it loads */
	int loads;
	bool direct, reading; /* last state requested for net_dev_queue */
} kernel;

struct btf *btf__load_vmlinux_btf(void)
{
	return btf__new_empty();
}

/* bpf_prog_load(), whose prototype differs between versions of libbpf: refuses loads of tgt. */
int refuse_prog(void) __asm__("bpf_prog_load");
int refuse_prog(void)
{
	errno = EINVAL;
	return -1;
}

int bpf_object__load_skeleton(struct bpf_object_skeleton *s)
{
	struct bpf_object *o = *s->obj;

	kernel.loads++;
	kernel.direct = bpf_program__autoload(bpf_object__find_program_by_name(o, "net_dev_queue"));
	kernel.reading =
		bpf_program__autoload(bpf_object__find_program_by_name(o, "net_dev_queue_read"));
	return kernel.refuse_all ?: kernel.direct ? kernel.refuse_kfuncs : 0;
}

/* The shared map belongs to the fake kernel as well. */
int bpf_map__reuse_fd(struct bpf_map *map, int fd)
{
	return 0;
}

static struct backend *open_backend(void)
{
	struct tp_count tp[TP_COUNT] = { 0 };
	struct backend *b;
	struct error error = { 0 };

	assert_int_equal(backend_btf.open(&b, tp, &error), 0);
	kernel.refuse_kfuncs = kernel.refuse_all = kernel.loads = 0;
	return b;
}

static int load(struct backend *b, uint32_t wanted)
{
	struct backend_object to;
	const struct backend_size size = { .cpus = 2, .slots = TP_COUNT + 8 };
	int err = backend_btf.load(b, wanted, &size, &to);

	if (err)
		return err;
	for (int id = 0; id < TP_COUNT; id++)
		assert_int_equal(to.program[id] != NULL, (wanted & 1u << id) != 0);
	backend_btf.unload(b);
	return 0;
}

#define WANTED (1u << TP_NET_DEV_QUEUE | 1u << TP_XDP_EXCEPTION)

TEST(test_kfuncs)
{
	struct backend *b = open_backend();

	assert_int_equal(load(b, WANTED), 0);
	assert_int_equal(kernel.loads, 1);
	assert_true(kernel.direct && !kernel.reading);
	backend_btf.close(b);
}

/* Without the JIT: the other program counts the same, and is remembered. */
TEST(test_no_kfuncs)
{
	struct backend *b = open_backend();

	kernel.refuse_kfuncs = -ENOTSUPP;
	assert_int_equal(load(b, WANTED), 0);
	assert_int_equal(kernel.loads, 2);
	assert_true(!kernel.direct && kernel.reading);
	assert_int_equal(load(b, WANTED), 0);
	assert_int_equal(kernel.loads, 3);
	assert_true(!kernel.direct && kernel.reading);
	backend_btf.close(b);
}

/* A program refused for another reason, or in both variants, is not tried again and again. */
TEST(test_refused)
{
	struct backend *b = open_backend();

	kernel.refuse_kfuncs = -EINVAL;
	assert_int_equal(load(b, WANTED), -EINVAL);
	assert_int_equal(kernel.loads, 1);
	kernel.refuse_all = -ENOTSUPP;
	assert_int_equal(load(b, WANTED), -ENOTSUPP);
	assert_int_equal(kernel.loads, 3);
	assert_int_equal(load(b, WANTED), -ENOTSUPP);
	assert_int_equal(kernel.loads, 4);
	backend_btf.close(b);
}
