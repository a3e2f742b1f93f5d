// SPDX-License-Identifier: GPL-2.0-or-later
#include "tracing/captures.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <sys/mman.h>
#include "base/array.h"
#include "tracing/overhead.h"

struct ended_capture {
	uint32_t prog_id;
	struct capture_counts counts;
};

struct captures {
	struct ring_buffer *ring;
	uint32_t cpus;
	bool both;
	size_t bytes; /* memory of an array */
	capture_record_fn fn;
	void *ctx;
	struct ended_capture *ended;
	size_t n, cap;
};

static int take_record(void *ctx, void *data, size_t size)
{
	struct captures *c = ctx;
	const struct capture_record *r = data;

	/* the kernel wrote it; the check keeps a wrong program from being read beyond its end */
	if (size >= sizeof(*r) && r->n <= CAPTURE_BYTES)
		c->fn(c->ctx, r);
	return 0;
}

struct captures *captures_open(int ring, uint32_t cpus, bool both)
{
	struct captures *c = memory_new(1, sizeof(*c));

	c->cpus = cpus;
	c->both = both;
	c->bytes = sizeof(union capture_element) * capture_size(cpus, both);
	c->ring = ring_buffer__new(ring, take_record, c, NULL);
	if (c->ring)
		return c;
	captures_close(c);
	return NULL;
}

void captures_close(struct captures *c)
{
	if (!c)
		return;
	ring_buffer__free(c->ring);
	free(c->ended);
	free(c);
}

void captures_read(struct captures *c, capture_record_fn fn, void *ctx)
{
	c->fn = fn;
	c->ctx = ctx;
	ring_buffer__consume(c->ring);
}

int capture_begin(struct captures *c, struct capture_array *a, int map)
{
	void *memory = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

	if (memory == MAP_FAILED)
		return -errno;
	*a = (struct capture_array){ .element = memory, .both = c->both };
	a->element[CAPTURE_CONTROL].control.heads = c->both ? CAPTURE_CPU + c->cpus : 0;
	return 0;
}

/* The verdicts are cleared first and set last: only a program that runs now may compare a mix. */
void capture_choose(struct capture_array *a, uint32_t prog_id,
		    const struct capture_choices *choices)
{
	static const struct capture_choices none;
	struct capture_control *control = &a->element[CAPTURE_CONTROL].control;

	choices = choices ?: &none;
	if (!memcmp(&a->choices, choices, sizeof(*choices)))
		return;
	__atomic_store_n(&control->acts, 0, __ATOMIC_SEQ_CST);
	control->prog_id = prog_id;
	control->rate = choices->rate;
	control->choices = choices->n;
	for (uint32_t i = 0; i < choices->n; i++)
		a->element[CAPTURE_CHOICE + i].choice = choices->choice[i];
	control->insns = choices->code.n;
	for (uint32_t i = 0; i < choices->code.n; i++)
		a->element[CAPTURE_INSN + i / CAPTURE_CODE].insn[i % CAPTURE_CODE] =
			choices->code.insn[i];
	__atomic_store_n(&control->acts, choices->acts, __ATOMIC_SEQ_CST);
	a->choices = *choices;
}

void capture_count(const struct captures *c, const struct capture_array *a,
		   struct capture_counts *to)
{
	for (uint32_t i = 0; i < c->cpus; i++) {
		const volatile struct capture_cpu *cpu = &a->element[CAPTURE_CPU + i].cpu;

		to->matched += cpu->matched;
		to->refused += cpu->refused;
		to->lost += cpu->lost;
		to->unread += cpu->unread;
	}
}

/* With the calls, which the program cannot measure. */
uint64_t capture_ns(const struct capture_array *a, uint32_t cpu)
{
	const struct capture_cpu *c = &a->element[CAPTURE_CPU + cpu].cpu;

	return c->timed_ns + c->timed * (a->both ? 2 : 1) * OVERHEAD_FEXIT_NS;
}

void capture_end(struct captures *c, struct capture_array *a, uint32_t prog_id)
{
	struct ended_capture *ended = array_append(c->ended, c->n, c->cap);

	ended->prog_id = prog_id;
	capture_count(c, a, &ended->counts);
	munmap(a->element, c->bytes);
	a->element = NULL;
}

void captures_count_ended(const struct captures *c, uint32_t prog_id, struct capture_counts *to)
{
	for (size_t i = 0; i < c->n; i++)
		if (!prog_id || c->ended[i].prog_id == prog_id)
			capture_counts_add(to, &c->ended[i].counts);
}
