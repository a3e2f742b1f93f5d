// SPDX-License-Identifier: GPL-2.0-only
/*
 * A firewall whose maps fill up: each frame adds an entry with the number in its first 4 bytes
 * after the Ethernet header to one map of each type, also to a map in a map of maps.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define FILLS(map, kind, flags)                    \
	struct {                                   \
		__uint(type, BPF_MAP_TYPE_##kind); \
		__uint(map_flags, flags);          \
		__uint(max_entries, 1000);         \
		__type(key, __u32);                \
		__type(value, __u64);              \
	} map SEC(".maps")

FILLS(blocked, HASH, 0);
FILLS(blocked_alloc, HASH, BPF_F_NO_PREALLOC);
FILLS(blocked_cpu, PERCPU_HASH, 0);
FILLS(recent, LRU_HASH, 0);
FILLS(recent_cpu, LRU_PERCPU_HASH, 0);

struct trie_key {
	__u32 prefixlen, address;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1000);
	__type(key, struct trie_key);
	__type(value, __u64);
} nets SEC(".maps");

struct inner {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1000);
	__type(key, __u32);
	__type(value, __u64);
} tenant SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 4);
	__type(key, __u32);
	__array(values, struct inner);
} tenants SEC(".maps") = { .values = { [2] = &tenant } };

/* a table of a fixed content, as a configuration is */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} config SEC(".maps");

SEC("xdp")
int rig_firewall(struct xdp_md *ctx)
{
	const __u32 *data = (void *)(long)ctx->data + 14;
	struct trie_key prefix = { 32, 0 };
	__u32 at = 2, zero = 0;
	__u64 one = 1;
	__u32 key;
	void *inner;

	if ((void *)(data + 1) > (void *)(long)ctx->data_end)
		return XDP_PASS;
	key = prefix.address = *data;
	bpf_map_update_elem(&config, &zero, &one, BPF_ANY);
	bpf_map_update_elem(&blocked_alloc, &key, &one, BPF_ANY);
	bpf_map_update_elem(&blocked_cpu, &key, &one, BPF_ANY);
	bpf_map_update_elem(&recent, &key, &one, BPF_ANY);
	bpf_map_update_elem(&recent_cpu, &key, &one, BPF_ANY);
	bpf_map_update_elem(&nets, &prefix, &one, BPF_ANY);
	inner = bpf_map_lookup_elem(&tenants, &at);
	if (inner)
		bpf_map_update_elem(inner, &key, &one, BPF_ANY);
	return bpf_map_update_elem(&blocked, &key, &one, BPF_ANY) ? XDP_PASS : XDP_DROP;
}

char _license[] SEC("license") = "GPL";
