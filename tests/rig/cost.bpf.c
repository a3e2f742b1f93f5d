// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can be attached to an XDP program to measure its cost: nothing at its end, and CPU counters
 * read at its start and end, as `bpftool prog profile` does.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
	__uint(max_entries, 1); /* number of CPUs */
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2); /* value at the start, sum */
	__type(key, __u32);
	__type(value, struct bpf_perf_event_value);
} readings SEC(".maps");

static __always_inline int read_counter(struct bpf_perf_event_value *to)
{
	return bpf_perf_event_read_value(&counters, bpf_get_smp_processor_id(), to, sizeof(*to));
}

SEC("fentry/rig_cost") /* the target is set before load */
int rig_profile_begin(void *ctx)
{
	__u32 key = 0;
	struct bpf_perf_event_value *begin = bpf_map_lookup_elem(&readings, &key);

	if (begin)
		read_counter(begin);
	return 0;
}

SEC("fexit/rig_cost")
int rig_profile_end(void *ctx)
{
	__u32 first = 0, second = 1;
	struct bpf_perf_event_value *begin = bpf_map_lookup_elem(&readings, &first);
	struct bpf_perf_event_value *sum = bpf_map_lookup_elem(&readings, &second), end;

	if (!begin || !sum || read_counter(&end))
		return 0;
	sum->counter += end.counter - begin->counter;
	sum->enabled += end.enabled - begin->enabled;
	sum->running += end.running - begin->running;
	return 0;
}

SEC("fexit/rig_cost")
int rig_empty(void *ctx)
{
	return 0;
}

SEC("xdp")
int rig_cost(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
