// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times one XDP program, from its start (fentry) to its end (fexit), one run in TIMING_EVERY on
 * each CPU. Only while a user asks for it, because both programs cost time in every run.
 * src/tracing/verdict_tracer.c loads and attaches them. Of several programs at the end the kernel
 * runs the last one attached first (bpf_trampoline_link_prog()), so the time of --verdicts is not
 * in the figure if its trace is older.
 */
#include "core_types.h"
#include "meter.h"
#include "timing.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* possible CPU ids */
	__type(key, __u32);
	__type(value, struct timing_cpu);
} timings SEC(".maps");

static __always_inline struct timing_cpu *this_cpu(void)
{
	__u32 id = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&timings, &id);
}

/*
 * User space sets the attach target of both. With PREEMPT_RT another run can begin on this CPU
 * before a timed one has ended: then the timed run is not counted.
 */
SEC("fentry/verdict_trial")
int timing_begin(__u64 *ctx)
{
	struct timing_cpu *cpu = this_cpu();

	if (!cpu)
		return 0;
	cpu->began = unlikely(!(++cpu->runs % TIMING_EVERY)) ? bpf_ktime_get_ns() : 0;
	return 0;
}

SEC("fexit/verdict_trial")
int timing_end(__u64 *ctx)
{
	struct timing_cpu *cpu = this_cpu();
	__u32 bucket;

	if (!cpu || likely(!cpu->began))
		return 0;
	bucket = timing_bucket(bpf_ktime_get_ns() - cpu->began);
	cpu->began = 0;
	if (bucket < TIMING_BUCKETS)
		cpu->bucket[bucket]++;
	return 0;
}
