// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/bpf_iters.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/error.h"
#include "inventory/kernel_read.h"
#include "iters.skel.h"
#include "iters_lockdown.skel.h"

#define LOG_BYTES (1 << 16)

struct bpf_iters {
	struct iters_bpf *object;
	pthread_t thread;
	bool waited, verbose;
	int handler[1 + ITER_COUNT - ITER_INSTALLS]; /* of libbpf: how the programs are loaded */
	int fd[ITER_COUNT];                          /* program; -1 = refused */
	int link[ITER_COUNT];
	struct refusal refused[ITER_COUNT];
	struct {
		void *record;
		size_t bytes;
	} mapped[ITERS_ARRAYS];
};

static enum iter_id id_of(const struct bpf_program *p)
{
	enum iter_id id = 0;

	while (id < ITER_COUNT && strcmp(iter_rows[id].program, bpf_program__name(p)))
		id++;
	return id;
}

static void refuse(struct bpf_iters *it, enum iter_id id, enum refusal_step step, int err)
{
	it->refused[id] = (struct refusal){ (uint8_t)step, (uint16_t)abs(err) };
}

/* Load it again to get the verifier's log. */
static void print_log(const struct bpf_program *p, struct bpf_prog_load_opts opts)
{
	char *log = memory_new(1, LOG_BYTES), *rest, *line;

	opts.log_buf = log;
	opts.log_size = LOG_BYTES;
	opts.log_level = 1;
	if (bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(p), "GPL", bpf_program__insns(p),
			  bpf_program__insn_cnt(p), &opts) < 0) {
		message("%s: %s", bpf_program__name(p), strerror(errno));
		for (line = strtok_r(log, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			message("%s", line);
	}
	free(log);
}

/*
 * libbpf calls it with the finished instructions of each program before it loads that program. If
 * libbpf loaded it, one refused program would fail the whole object without saying which, and
 * everything would have to be parsed and verified again. So the program is loaded here, and libbpf
 * gets one that no kernel refuses.
 */
static int load_program(struct bpf_program *p, struct bpf_prog_load_opts *opts, long cookie)
{
	struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_iters *it = (struct bpf_iters *)cookie;
	enum iter_id id = id_of(p);

	it->fd[id] = bpf_prog_load(BPF_PROG_TYPE_TRACING, bpf_program__name(p), "GPL",
				   bpf_program__insns(p), bpf_program__insn_cnt(p), opts);
	if (it->fd[id] < 0) {
		refuse(it, id, REFUSED_LOAD, errno);
		if (it->verbose)
			print_log(p, *opts);
	} else {
		it->refused[id] = (struct refusal){ 0 };
	}
	opts->expected_attach_type = 0;
	opts->attach_btf_id = opts->attach_btf_obj_fd = 0;
	opts->prog_btf_fd = 0;
	opts->func_info = opts->line_info = NULL;
	opts->func_info_cnt = opts->line_info_cnt = 0;
	return bpf_program__set_type(p, BPF_PROG_TYPE_SOCKET_FILTER)
		       ?: bpf_program__set_insns(p, nothing, sizeof(nothing) / sizeof(*nothing));
}

/* Both builds have the same maps, programs and variables, so one skeleton serves for them. */
static struct iters_bpf *open_build(enum kernel_read read)
{
	struct iters_bpf *o = memory_new(1, sizeof(*o));

	_Static_assert(sizeof(*o->bss) == sizeof(*((struct iters_lockdown_bpf *)0)->bss),
		       "same variables");
	if (iters_bpf__create_skeleton(o)) {
		free(o);
		return NULL;
	}
	if (read != KERNEL_READ_ALL)
		o->skeleton->data = (void *)iters_lockdown_bpf__elf_bytes(&o->skeleton->data_sz);
	if (!bpf_object__open_skeleton(o->skeleton, NULL))
		return o;
	iters_bpf__destroy(o);
	return NULL;
}

/* Decide which programs are loaded, and find what they are attached to in the kernel's BTF. */
static void choose(struct bpf_iters *it, struct iters_bpf *o, enum kernel_read read)
{
	struct bpf_program *p;

	bpf_object__for_each_program (p, o->obj) {
		enum iter_id id = id_of(p);
		const char *target = strchr(iter_rows[id].section, '/') + 1;

		if (read == KERNEL_READ_TYPED && !iter_rows[id].typed)
			refuse(it, id, REFUSED_LOCKDOWN, EPERM);
		else if (bpf_program__set_attach_target(p, 0, target))
			refuse(it, id, REFUSED_TARGET, ENOENT);
		else
			continue;
		bpf_program__set_autoload(p, false);
	}
	bpf_map__set_autocreate(o->maps.installs,
				bpf_program__autoload(o->progs.xdp_install) ||
					bpf_program__autoload(o->progs.bind_refused));
}

static void attach_program(struct bpf_iters *it, enum iter_id id, enum bpf_attach_type type)
{
	if (it->fd[id] < 0 || it->link[id] >= 0)
		return;
	it->link[id] = bpf_link_create(it->fd[id], 0, type, NULL);
	if (it->link[id] < 0)
		refuse(it, id, REFUSED_ATTACH, errno);
}

static int load_object(struct bpf_iters *it)
{
	enum kernel_read read = kernel_read_find();
	struct iters_bpf *o = open_build(read);
	int err;

	if (!o)
		return -ENOMEM;
	choose(it, o, read);
	err = iters_bpf__load(o);
	if (err) {
		iters_bpf__destroy(o);
		return err;
	}
	it->object = o;
	return 0;
}

static void *iters_work(void *arg)
{
	bool has_btf = !access("/sys/kernel/btf/vmlinux", F_OK);
	struct bpf_iters *it = arg;
	int err = has_btf ? load_object(it) : -ENOENT;

	for (int id = 0; id < ITER_COUNT; id++) {
		if (err && !it->refused[id].step)
			refuse(it, id, has_btf ? REFUSED_LOAD : REFUSED_BTF, err);
		if (!err && id < ITER_INSTALLS)
			attach_program(it, id, BPF_TRACE_ITER);
	}
	return NULL;
}

struct bpf_iters *bpf_iters_start(bool verbose)
{
	struct bpf_iters *it = memory_new(1, sizeof(*it));
	LIBBPF_OPTS(libbpf_prog_handler_opts, how, .cookie = (long)it,
		    .prog_prepare_load_fn = load_program);
	sigset_t all, before;
	int err;

	it->verbose = verbose;
	for (int id = 0; id < ITER_COUNT; id++)
		it->fd[id] = it->link[id] = -1;
	/* before there is a second thread: libbpf does not lock its list */
	it->handler[0] =
		libbpf_register_prog_handler("iter+", BPF_PROG_TYPE_TRACING, BPF_TRACE_ITER, &how);
	/* not "fexit+": that would load the programs of --verdicts, too */
	for (int id = ITER_INSTALLS, i = 1; id < ITER_COUNT; id++, i++)
		it->handler[i] = libbpf_register_prog_handler(
			iter_rows[id].section, BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, &how);
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

void bpf_iters_refused(struct bpf_iters *it, struct refusal to[ITER_COUNT])
{
	bpf_iters_object(it);
	for (enum iter_id id = 0; id < ITER_COUNT; id++)
		to[id] = it ? it->refused[id] : (struct refusal){ REFUSED_LOAD, ENOMEM };
}

bool bpf_iters_has(const struct bpf_iters *it, enum iter_id id)
{
	return it && it->link[id] >= 0;
}

int bpf_iters_trace(struct bpf_iters *it, enum iter_id id)
{
	if (!bpf_iters_object(it))
		return -EOPNOTSUPP;
	attach_program(it, id, BPF_TRACE_FEXIT);
	return it->link[id] < 0 ? -EOPNOTSUPP : 0;
}

int bpf_iters_read(const struct bpf_iters *it, enum iter_id id, size_t size,
		   void (*fn)(void *ctx, const void *record), void *ctx)
{
	char buf[8192] __attribute__((aligned(8)));
	size_t have = 0;
	ssize_t n;
	int fd;

	if (!bpf_iters_has(it, id))
		return -EOPNOTSUPP;
	fd = bpf_iter_create(it->link[id]);
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

/* EAGAIN = the program returned ITER_ONCE. */
int bpf_iters_once(const struct bpf_iters *it, enum iter_id id)
{
	int err = bpf_iters_read(it, id, 1, NULL, NULL);

	return err == -EAGAIN ? 0 : err;
}

/* No more than n records, because mmap() of a BPF array makes all its pages resident. */
int bpf_iters_map(struct bpf_iters *it, enum bpf_iters_array array, size_t n, const void **record)
{
	const struct bpf_map *const maps[ITERS_ARRAYS] = {
		[ITERS_DEVICES] = it->object->maps.found,
		[ITERS_SOCKETS] = it->object->maps.sockets_found,
		[ITERS_MAPS] = it->object->maps.map_records,
		[ITERS_MAP_LINKS] = it->object->maps.map_links,
		[ITERS_MAP_FILLS] = it->object->maps.map_fills,
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = (n * bpf_map__value_size(maps[array]) + page - 1) / page * page;
	void *memory;

	if (bytes > it->mapped[array].bytes) {
		memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, bpf_map__fd(maps[array]), 0);
		if (memory == MAP_FAILED)
			return -errno;
		if (it->mapped[array].record)
			munmap(it->mapped[array].record, it->mapped[array].bytes);
		it->mapped[array].record = memory;
		it->mapped[array].bytes = bytes;
	}
	*record = it->mapped[array].record;
	return 0;
}

void bpf_iters_close(struct bpf_iters *it)
{
	if (!it)
		return;
	iters_bpf__destroy(bpf_iters_object(it));
	for (int id = 0; id < ITER_COUNT; id++) {
		if (it->link[id] >= 0)
			close(it->link[id]);
		if (it->fd[id] >= 0)
			close(it->fd[id]);
	}
	for (int i = 0; i < ITERS_ARRAYS; i++)
		if (it->mapped[i].record)
			munmap(it->mapped[i].record, it->mapped[i].bytes);
	for (size_t i = 0; i < sizeof(it->handler) / sizeof(it->handler[0]); i++)
		if (it->handler[i] > 0)
			libbpf_unregister_prog_handler(it->handler[i]);
	free(it);
}
