// SPDX-License-Identifier: GPL-2.0-only
/*
 * XDP programs of the traffic rig. Each does one thing, so that the number of frames determines
 * which tracepoints fire how often. Names stay below 16 bytes, where the kernel cuts them.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>

/* Time that slow() spends on a frame: far more than sending one takes. */
#define SLOW_NS     8000
#define SLOW_ROUNDS 2048 /* the verifier needs a limit */

const volatile __u32 target_ifindex;
const volatile __u32 target_cpu;

/* How many slots of the devmap rig_keys alternates between; the bench changes it at run time. */
__u32 keys = 1;
__u32 turn;

/*
 * Frames sent, once per receiver, and frames that receivers and egress programs have taken. No more
 * are under way than a ring holds, so none is lost.
 */
#define ROOM      192 /* of the 256 slots of a veth's ring */
#define RECEIVERS 3   /* of a broadcast */

__u64 sent;
__u64 taken;
__u64 filtered; /* by the egress program */

/* Frames that the cpumap program has seen: the rig waits for it, since the kthread lags behind. */
__u64 cpu_frames;

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} rig_devmap SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} rig_devhash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 1); /* set before load: not above the kernel's NR_CPUS */
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
} rig_cpumap SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} rig_xskmap SEC(".maps");

SEC("xdp")
int rig_to_devmap(struct xdp_md *ctx)
{
	return bpf_redirect_map(&rig_devmap, 0, 0);
}

SEC("xdp")
int rig_to_hash(struct xdp_md *ctx)
{
	return bpf_redirect_map(&rig_devhash, 4242, 0);
}

/* Another slot for each packet, which defeats a cache of the last series. */
SEC("xdp")
int rig_to_keys(struct xdp_md *ctx)
{
	__u32 key = turn;

	turn = key + 1 >= keys ? 0 : key + 1;
	return bpf_redirect_map(&rig_devmap, key, 0);
}

SEC("xdp")
int rig_to_ifindex(struct xdp_md *ctx)
{
	return bpf_redirect(target_ifindex, 0);
}

/* Another target for each frame, so a new series each. */
SEC("xdp")
int rig_to_many(struct xdp_md *ctx)
{
	return bpf_redirect(target_ifindex + turn++, 0);
}

SEC("xdp")
int rig_to_cpumap(struct xdp_md *ctx)
{
	return bpf_redirect_map(&rig_cpumap, target_cpu, 0);
}

SEC("xdp")
int rig_to_xskmap(struct xdp_md *ctx)
{
	return bpf_redirect_map(&rig_xskmap, 0, 0);
}

SEC("xdp")
int rig_to_empty(struct xdp_md *ctx)
{
	return bpf_redirect_map(&rig_devmap, 15, 0);
}

SEC("xdp")
int rig_to_nowhere(struct xdp_md *ctx)
{
	return XDP_REDIRECT;
}

static __always_inline bool has_room(__u32 receivers)
{
	if (sent + receivers - *(volatile __u64 *)&taken > ROOM)
		return false;
	sent += receivers;
	return true;
}

SEC("xdp")
int rig_route(struct xdp_md *ctx)
{
	return has_room(1) ? bpf_redirect_map(&rig_devmap, 0, 0) : XDP_DROP;
}

/* Drops every second incoming frame. */
SEC("xdp")
int rig_filter(struct xdp_md *ctx)
{
	return turn++ & 1 && has_room(1) ? bpf_redirect_map(&rig_devmap, 0, 0) : XDP_DROP;
}

SEC("xdp")
int rig_broadcast(struct xdp_md *ctx)
{
	if (!has_room(RECEIVERS))
		return XDP_DROP;
	return bpf_redirect_map(&rig_devmap, 0, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
}

/* For the peer of a target. */
SEC("xdp")
int rig_take(struct xdp_md *ctx)
{
	__sync_fetch_and_add(&taken, 1);
	return XDP_DROP;
}

SEC("xdp")
int rig_abort(struct xdp_md *ctx)
{
	return XDP_ABORTED;
}

SEC("xdp")
int rig_bad_act(struct xdp_md *ctx)
{
	return 77;
}

SEC("xdp")
int rig_tx(struct xdp_md *ctx)
{
	return XDP_TX;
}

SEC("xdp")
int rig_drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

/* Drops every second frame. A single kthread runs it, so a plain counter is exact. */
SEC("xdp/cpumap")
int rig_on_cpu(struct xdp_md *ctx)
{
	return cpu_frames++ & 1 ? XDP_DROP : XDP_PASS;
}

SEC("xdp/cpumap")
int rig_abort_cpu(struct xdp_md *ctx)
{
	return XDP_ABORTED;
}

/* Takes longer than sending a frame. */
static __always_inline int slow(void)
{
	__u64 end = bpf_ktime_get_ns() + SLOW_NS;

	for (int i = 0; i < SLOW_ROUNDS && bpf_ktime_get_ns() < end; i++)
		;
	return XDP_PASS;
}

SEC("xdp/cpumap")
int rig_on_slow_cpu(struct xdp_md *ctx)
{
	return slow();
}

SEC("xdp")
int rig_slow(struct xdp_md *ctx)
{
	return slow();
}

SEC("xdp")
int rig_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp/devmap")
int rig_on_dev(struct xdp_md *ctx)
{
	return XDP_DROP;
}

/* Drops every fourth outgoing frame. The sender runs it, so a plain counter is exact. */
SEC("xdp/devmap")
int rig_on_egress(struct xdp_md *ctx)
{
	if (bpf_get_prandom_u32() & 3)
		return XDP_PASS;
	filtered++;
	__sync_fetch_and_add(&taken, 1);
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
