// SPDX-License-Identifier: GPL-2.0-or-later
#include "source/program_runs.h"

#include "base/array.h"
#include "base/clock.h"
#include "bpf/iter_records.h"
#include "inventory/bpf_objects.h"

#define LOOK_NS (5 * (uint64_t)NSEC_PER_SEC)
/* A program that was not read for this long is gone. */
#define KEEP_NS (10 * 60 * (uint64_t)NSEC_PER_SEC)

struct look {
	struct program_runs *runs;
	uint64_t now_ns;
};

void program_runs_free(struct program_runs *r)
{
	free(r->run);
}

void program_runs_take(struct program_runs *r, uint32_t prog_id, uint64_t runs, uint64_t run_ns,
		       uint64_t now_ns)
{
	size_t at = array_lower_bound(r->run, r->n, e, e->prog_id < prog_id);
	struct program_run *to = at < r->n && r->run[at].prog_id == prog_id ? &r->run[at] : NULL;
	bool is_new = !to;

	if (is_new && r->n == PROGRAMS_MAX)
		return;
	if (is_new)
		to = array_insert(r->run, r->n, r->cap, at);
	/* a counter may be read while it changes, and a new program's counters start from 0 */
	to->new_runs = !is_new && runs > to->runs ? runs - to->runs : 0;
	to->new_ns = !is_new && run_ns > to->run_ns ? run_ns - to->run_ns : 0;
	to->ns = is_new ? 0 : now_ns - to->read_ns;
	to->has_before = !is_new;
	to->prog_id = prog_id;
	to->runs = runs;
	to->run_ns = run_ns;
	to->read_ns = now_ns;
}

void program_runs_end(struct program_runs *r)
{
	size_t kept = 0;

	r->is_on = false;
	for (size_t i = 0; i < r->n; i++) {
		if (r->look_ns - r->run[i].read_ns > KEEP_NS)
			continue;
		r->is_on |= r->run[i].new_runs;
		r->run[kept++] = r->run[i];
	}
	r->n = kept;
}

static void take_record(void *ctx, const void *record)
{
	const struct prog_run_record *from = record;
	struct look *l = ctx;

	program_runs_take(l->runs, from->prog_id, from->runs, from->run_ns, l->now_ns);
}

void program_runs_look(struct program_runs *r, uint64_t now_ns)
{
	struct look l = { .runs = r, .now_ns = now_ns };

	if (!r->objects || (r->look_ns && now_ns - r->look_ns < LOOK_NS))
		return;
	r->look_ns = now_ns;
	if (!bpf_objects_runs(r->objects, take_record, &l))
		program_runs_end(r);
}

void program_runs_set(const struct program_runs *r, struct program *p)
{
	const struct program_run *run =
		array_find(r->run, r->n, e, e->prog_id < p->prog_id, e->prog_id == p->prog_id);

	p->runs = PROGRAM_RUNS_UNKNOWN;
	p->runs_per_s = p->ns_per_run = 0;
	p->run_cnt = p->run_time_ns = 0;
	if (!run || !run->has_before || !run->ns)
		return;
	p->runs = r->is_on ? PROGRAM_RUNS_ON : PROGRAM_RUNS_OFF;
	p->run_cnt = run->runs;
	p->run_time_ns = run->run_ns;
	p->runs_per_s = (double)run->new_runs / ns_to_seconds((int64_t)run->ns);
	if (run->new_runs)
		p->ns_per_run = (double)run->new_ns / (double)run->new_runs;
}
