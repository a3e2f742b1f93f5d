// SPDX-License-Identifier: GPL-2.0-or-later
#include "inventory/prog_runs.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include "inventory/bpf_iters.h"
#include "iters.skel.h"

/* Counters read at a time, as pairs: about a millisecond. */
#define STEPS 32768

struct prog_runs {
	const struct iters_bpf *iterators;
	struct bpf_link *link;
};

struct prog_runs *prog_runs_open(struct bpf_iters *iterators)
{
	const struct iters_bpf *object = bpf_iters_object(iterators);
	struct prog_runs *r = object ? calloc(1, sizeof(*r)) : NULL;
	int cpus = libbpf_num_possible_cpus();

	if (!r)
		return NULL;
	r->iterators = object;
	r->link = cpus > 0 ? bpf_iters_attach(object->progs.prog_runs) : NULL;
	object->bss->prog_run_cpus = cpus > 0 ? (__u32)cpus : 0;
	if (r->link)
		return r;
	prog_runs_close(r);
	return NULL;
}

void prog_runs_close(struct prog_runs *r)
{
	if (!r)
		return;
	bpf_link__destroy(r->link);
	free(r);
}

int prog_runs_read(struct prog_runs *r, void (*fn)(void *ctx, const void *record), void *ctx)
{
	struct iters_bpf__bss *bss = r->iterators->bss;

	bss->prog_run_steps = STEPS;
	bss->prog_run_begin = bss->prog_run_next;
	bss->prog_run_next = 0;
	return bpf_iters_read(r->link, sizeof(struct prog_run_record), fn, ctx);
}
