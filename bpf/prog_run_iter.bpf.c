// SPDX-License-Identifier: GPL-2.0-only
/*
 * How often XDP programs ran, and for how long: what the kernel counts while BPF statistics are on.
 * The counters are in each CPU's memory.
 */
#include "core_types.h"
#include "iter_records.h"

/* User space sets these: CPU numbers are below the first; counters to read, as pairs. */
__u32 prog_run_cpus = 0, prog_run_steps = 0;
/* Where this reading begins, and where the next one resumes; 0 = at the first program. */
__u32 prog_run_begin = 0, prog_run_next = 0;

/* Turns pointers into numbers: to the verifier, a value loaded from a map is a scalar. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} cpu_number SEC(".maps");

static __u64 here; /* the per-CPU pointer to the value of cpu_number */
static const struct bpf_prog_stats *stats;
static __u64 runs, run_ns;

static long add_cpu(__u32 cpu, void *ctx)
{
	__u32 zero = 0;
	volatile __u64 *value = bpf_map_lookup_percpu_elem(&cpu_number, &zero, cpu);
	const struct bpf_prog_stats *of;
	__u64 n = 0;

	if (!value)
		return 0;
	*value = (__u64)value;
	of = (const void *)stats + (*value - here);
	bpf_core_read(&n, sizeof(n), &of->cnt);
	runs += n;
	n = 0;
	bpf_core_read(&n, sizeof(n), &of->nsecs);
	run_ns += n;
	return 0;
}

static __always_inline bool find_here(void)
{
	__u32 zero = 0;
	volatile __u64 *value = bpf_map_lookup_elem(&cpu_number, &zero);
	const struct bpf_array *array;

	if (!value)
		return false;
	*value = (__u64)&cpu_number;
	array = (const void *)*value;
	here = (__u64)BPF_CORE_READ(array, pptrs[0]);
	return here;
}

SEC("iter/bpf_prog")
int prog_runs(struct bpf_iter__bpf_prog *ctx)
{
	const struct bpf_prog *prog = ctx->prog;
	struct prog_run_record record = {};

	if (!prog || (prog->type != BPF_PROG_TYPE_XDP && prog->type != BPF_PROG_TYPE_EXT) ||
	    !bpf_core_field_exists(prog->stats) || !bpf_core_field_exists(stats->cnt))
		return 0;
	record.prog_id = prog->aux->id;
	if (record.prog_id < prog_run_begin || prog_run_next)
		return 0;
	if (prog_run_steps < prog_run_cpus) {
		prog_run_next = record.prog_id;
		return 0;
	}
	prog_run_steps -= prog_run_cpus;
	stats = BPF_CORE_READ(prog, stats);
	runs = run_ns = 0;
	if (!stats || !find_here())
		return 0;
	bpf_loop(prog_run_cpus, add_cpu, NULL, 0);
	record.runs = runs;
	record.run_ns = run_ns;
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}
