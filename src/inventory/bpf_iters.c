// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/bpf_iters.h"

#include <bpf/libbpf.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include "iters.skel.h"

struct bpf_iters {
	struct iters_bpf *object;
	pthread_t thread;
	bool waited;
};

/* Programs to load. */
enum {
	PROGRAMS = 1 << 0,
	MAPS = 1 << 1,
	PROCESSES = 1 << 2,
	WALK = 1 << 3,
	ALL = (1 << 4) - 1,
};

static struct iters_bpf *load(int programs)
{
	struct iters_bpf *o = iters_bpf__open();

	if (!o)
		return NULL;
	bpf_program__set_autoload(o->progs.programs, programs & PROGRAMS);
	bpf_program__set_autoload(o->progs.maps, programs & MAPS);
	bpf_program__set_autoload(o->progs.processes, programs & PROCESSES);
	bpf_program__set_autoload(o->progs.walk, programs & WALK);
	if (!iters_bpf__load(o))
		return o;
	iters_bpf__destroy(o);
	return NULL;
}

/* Load all; else all but the walk, which needs 5.17; else those that load alone. */
static struct iters_bpf *load_best(void)
{
	struct iters_bpf *o = load(ALL);
	int programs = 0;

	if (!o)
		o = load(ALL & ~WALK);
	for (int one = 1; !o && one < ALL; one <<= 1) {
		struct iters_bpf *alone = load(one);

		if (alone)
			programs |= one;
		iters_bpf__destroy(alone);
	}
	return o || !programs ? o : load(programs);
}

static void *work(void *arg)
{
	struct bpf_iters *it = arg;

	it->object = load_best();
	return NULL;
}

struct bpf_iters *bpf_iters_start(void)
{
	struct bpf_iters *it = calloc(1, sizeof(*it));
	sigset_t all, before;
	int err;

	if (!it)
		return NULL;
	/* signals are for the thread that waits for them */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = pthread_create(&it->thread, NULL, work, it);
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

void bpf_iters_close(struct bpf_iters *it)
{
	if (!it)
		return;
	iters_bpf__destroy(bpf_iters_object(it));
	free(it);
}
