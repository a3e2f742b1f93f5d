// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/fib_lookups.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "base/memory.h"
#include "model/kernel_names.h"
#include "fib.skel.h"

struct fib_lookups {
	struct fib_bpf *object;
	struct bpf_link *link; /* NULL = switched off */
	const struct fib_cpu *cpu;
	uint32_t cpus;
	size_t bytes;
};

static int lookups_load(struct fib_lookups *f)
{
	void *memory;
	int err;

	f->object = fib_bpf__open();
	if (!f->object)
		return -errno;
	err = bpf_map__set_max_entries(f->object->maps.fib_lookups, f->cpus)
		      ?: fib_bpf__load(f->object);
	if (err)
		return err;
	f->bytes = sizeof(*f->cpu) * f->cpus;
	memory = mmap(NULL, f->bytes, PROT_READ, MAP_SHARED,
		      bpf_map__fd(f->object->maps.fib_lookups), 0);
	if (memory == MAP_FAILED)
		return -errno;
	f->cpu = memory;
	return fib_lookups_switch(f, true);
}

struct fib_lookups *fib_lookups_open(uint32_t cpus, struct error *error)
{
	struct fib_lookups *f = memory_new(1, sizeof(*f));
	int err;

	f->cpus = cpus;
	err = lookups_load(f);
	if (!err)
		return f;
	error_set(error, err, "bpf_xdp_fib_lookup() cannot be traced: %s", errno_text(err));
	fib_lookups_close(f);
	return NULL;
}

void fib_lookups_close(struct fib_lookups *f)
{
	if (!f)
		return;
	fib_lookups_switch(f, false);
	if (f->cpu)
		munmap((void *)f->cpu, f->bytes);
	fib_bpf__destroy(f->object);
	free(f);
}

const struct fib_cpu *fib_lookups(const struct fib_lookups *f)
{
	return f->cpu;
}

int fib_lookups_switch(struct fib_lookups *f, bool on)
{
	if (!f || on == !!f->link)
		return 0;
	if (on) {
		f->link = bpf_program__attach(f->object->progs.fib_lookup);
		return f->link ? 0 : -errno;
	}
	bpf_link__destroy(f->link);
	f->link = NULL;
	return 0;
}

void fib_lookups_meter(const struct fib_lookups *f, struct series_cpu *cpu, uint32_t cpus,
		       int tracepoint)
{
	for (uint32_t i = 0; f && i < cpus && i < f->cpus; i++) {
		struct series_meter *to = &cpu[i].meter[tracepoint];

		to->events += f->cpu[i].events;
		to->timed += f->cpu[i].timed;
		to->timed_ns += f->cpu[i].timed_ns;
	}
}
