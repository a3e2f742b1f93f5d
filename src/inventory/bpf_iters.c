// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/bpf_iters.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "inventory/kernel_read.h"
#include "iters.skel.h"
#include "iters_lockdown.skel.h"

struct bpf_iters {
	struct iters_bpf *object;
	pthread_t thread;
	sem_t loaded;
	bool waited;
	unsigned int programs; /* in the object */
	bool lacks_loop;       /* no bpf_loop(): before 5.17 */
	bool fexit_allowed;
	bool lacks_install; /* no dev_xdp_install() in the kernel's BTF, or loading it failed */
	enum kernel_read read;
};

#define ALL (~0U) /* bit mask of programs to load, in the object's order */

/* Programs that call bpf_loop() (5.17) or iterate over links (5.19). */
static const char *const loops[] = { "walk",       "xdp_sockets", "map_contents",
				     "bpffs_pins", "links",       "prog_runs" };

static bool has_loop(const struct bpf_program *p)
{
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		if (!strcmp(bpf_program__name(p), loops[i]))
			return true;
	return false;
}

/* Programs that read kernel memory through typed pointers only. */
static bool is_typed(const struct iters_bpf *o, const struct bpf_program *p)
{
	return p == o->progs.programs || p == o->progs.maps || p == o->progs.processes;
}

/*
 * Some machines refuse every fexit program with EPERM. Where they are allowed, a BTF id that no
 * kernel has is EINVAL: bpf_prog_load_check_attach() in kernel/bpf/syscall.c.
 */
bool bpf_iters_fexit_allowed(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FEXIT,
		    .attach_btf_id = 0x7fffffff);

	return bpf_prog_load(BPF_PROG_TYPE_TRACING, "xdptop_try", "GPL", insns,
			     sizeof(insns) / sizeof(insns[0]), &opts) < 0 &&
	       errno == EINVAL;
}

/* Both builds have the same maps, programs and variables, so one skeleton serves for them. */
static struct iters_bpf *open_build(const struct bpf_iters *it)
{
	struct iters_bpf *o = calloc(1, sizeof(*o));

	_Static_assert(sizeof(*o->bss) == sizeof(*((struct iters_lockdown_bpf *)0)->bss),
		       "same variables");
	if (!o)
		return NULL;
	if (iters_bpf__create_skeleton(o)) {
		free(o);
		return NULL;
	}
	if (it->read != KERNEL_READ_ALL)
		o->skeleton->data = (void *)iters_lockdown_bpf__elf_bytes(&o->skeleton->data_sz);
	if (!bpf_object__open_skeleton(o->skeleton, NULL))
		return o;
	iters_bpf__destroy(o);
	return NULL;
}

static struct iters_bpf *iters_load(struct bpf_iters *it, unsigned int programs)
{
	struct iters_bpf *o = open_build(it);
	struct bpf_program *p;
	bool install = it->fexit_allowed && !it->lacks_install;

	if (!o)
		return NULL;
	it->programs = 0;
	bpf_object__for_each_program (p, o->obj)
		bpf_program__set_autoload(
			p, (programs & 1U << it->programs++) && !(it->lacks_loop && has_loop(p)) &&
				   (it->read != KERNEL_READ_TYPED || is_typed(o, p)) &&
				   (install || p != o->progs.xdp_install));
	bpf_map__set_autocreate(o->maps.installs, bpf_program__autoload(o->progs.xdp_install));
	if (!iters_bpf__load(o))
		return o;
	iters_bpf__destroy(o);
	return NULL;
}

/* Load all programs. If the kernel refuses one, load each program that it accepts alone. */
static struct iters_bpf *load_best(struct bpf_iters *it)
{
	struct iters_bpf *o = iters_load(it, ALL);
	unsigned int programs = 0;

	if (o)
		return o;
	it->lacks_loop = !libbpf_probe_bpf_helper(BPF_PROG_TYPE_SOCKET_FILTER, BPF_FUNC_loop, NULL);
	o = it->lacks_loop ? iters_load(it, ALL) : NULL;
	if (!o && it->fexit_allowed) {
		it->lacks_install = true;
		o = iters_load(it, ALL);
	}
	for (unsigned int one = 1; !o && one < 1U << it->programs; one <<= 1) {
		struct iters_bpf *alone = iters_load(it, one);

		if (alone)
			programs |= one;
		iters_bpf__destroy(alone);
	}
	return o || !programs ? o : iters_load(it, programs);
}

static void *iters_work(void *arg)
{
	struct bpf_iters *it = arg;

	it->read = kernel_read_find();
	it->fexit_allowed = bpf_iters_fexit_allowed();
	it->object = load_best(it);
	sem_post(&it->loaded);
	return NULL;
}

struct bpf_iters *bpf_iters_start(void)
{
	struct bpf_iters *it = calloc(1, sizeof(*it));
	sigset_t all, before;
	int err;

	if (!it)
		return NULL;
	sem_init(&it->loaded, 0, 0);
	/* signals belong to the main thread's signalfd */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&it->thread, NULL, iters_work, it);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		return it;
	free(it);
	return NULL;
}

struct iters_bpf *bpf_iters_object(struct bpf_iters *it)
{
	if (!it)
		return NULL;
	if (!it->waited)
		pthread_join(it->thread, NULL);
	it->waited = true;
	return it->object;
}

const char *bpf_iters_withheld(const struct bpf_iters *it)
{
	return it && it->read == KERNEL_READ_TYPED
		       ? "before Linux 6.2 kernel lockdown (confidentiality) refuses this BPF "
			 "iterator"
		       : NULL;
}

void bpf_iters_wait(struct bpf_iters *it)
{
	if (!it)
		return;
	while (sem_wait(&it->loaded))
		;
	sem_post(&it->loaded);
}

const char *bpf_iters_why(const struct bpf_iters *it)
{
	if (bpf_iters_withheld(it))
		return bpf_iters_withheld(it);
	if (access("/sys/kernel/btf/vmlinux", F_OK))
		return "this kernel has no BTF (CONFIG_DEBUG_INFO_BTF), which BPF iterators need";
	return it && it->lacks_loop ? "needs Linux 5.17 or later, for bpf_loop()"
				    : "the kernel refused the BPF iterator; --verbose says why";
}

struct bpf_link *bpf_iters_attach(const struct bpf_program *program)
{
	return bpf_program__fd(program) < 0 ? NULL : bpf_program__attach_iter(program, NULL);
}

struct bpf_link *bpf_iters_attach_once(const struct iters_bpf *o, const struct bpf_program *program)
{
	union bpf_iter_link_info info = { .map.map_fd = (__u32)bpf_map__fd(o->maps.once) };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));

	return bpf_program__fd(program) < 0 ? NULL : bpf_program__attach_iter(program, &opts);
}

int bpf_iters_read(const struct bpf_link *link, size_t size,
		   void (*fn)(void *ctx, const void *record), void *ctx)
{
	char buf[8192] __attribute__((aligned(8)));
	size_t have = 0;
	ssize_t n;
	int fd = bpf_iter_create(bpf_link__fd(link));

	if (fd < 0)
		return -errno;
	/* read() may return part of a record */
	while ((n = read(fd, buf + have, sizeof(buf) - have)) > 0 || (n < 0 && errno == EINTR)) {
		size_t at = 0;

		have += n > 0 ? (size_t)n : 0;
		for (; have - at >= size; at += size)
			fn(ctx, buf + at);
		have -= at;
		memmove(buf, buf + at, have);
	}
	n = n < 0 ? -errno : 0;
	close(fd);
	return (int)n;
}

void bpf_iters_unmap(struct bpf_iters_array *a)
{
	if (a->record)
		munmap((void *)a->record, a->bytes);
}

/* No more than n records, because mmap() of a BPF array makes all its pages resident. */
int bpf_iters_map(struct bpf_iters_array *a, const struct bpf_map *map, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (n * bpf_map__value_size(map) + page - 1) / page * page;
	void *record;

	if (bytes <= a->bytes)
		return 0;
	record = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (record == MAP_FAILED)
		return -errno;
	bpf_iters_unmap(a);
	a->record = record;
	a->bytes = bytes;
	return 0;
}

int bpf_iters_fill(struct bpf_iters_array *a, const struct bpf_link *link,
		   const struct bpf_map *map, const __u32 *n)
{
	/* the read itself returns nothing; the program writes to the map */
	int err = bpf_iters_read(link, 1, NULL, NULL);

	return err ? err : bpf_iters_map(a, map, *n);
}

void bpf_iters_close(struct bpf_iters *it)
{
	if (!it)
		return;
	iters_bpf__destroy(bpf_iters_object(it));
	free(it);
}
