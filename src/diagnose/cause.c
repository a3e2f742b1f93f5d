// SPDX-License-Identifier: GPL-2.0-or-later
#include "diagnose/cause.h"

#include <errno.h>
#include <linux/bpf.h>

/* The first matching row is used. Checked in kernels 4.18 to 7.2; texts name their differences. */
/* clang-format off */
#define WRONG_QUEUE \
	"bpftool map dump id {map}\n" \
	"{sockets}\n" \
	"{in}ethtool -l {dev}\n" \
	"{in}ethtool -n {dev}"
#define NOT_READY \
	"for a veth, bring up its peer; for a tap, start its reader; for a bond, check its " \
	"slaves. A NIC needs as many channels as CPUs (ethtool -L)"
#define STACK \
	"check memory pressure, nstat and /proc/net/softnet_stat", \
	"nstat -az | grep -i drop\n" \
	"cat /proc/net/softnet_stat"

const struct cause causes[] = {
	/* xdp_redirect_err */
	{ AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -ENETDOWN,
	  "the target interface is administratively down",
	  { "bring it up (ip link set TARGET up), or remove it from the map",
	    "{ip_to} -d link show dev {to}\n"
	    "{ip_to} link set dev {to} up" },
	  "include/linux/filter.h, xdp_ok_fwd_dev()" },
	{ AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EMSGSIZE,
	  "the frame is longer than the target's MTU; XDP neither fragments it nor tells the "
	  "sender",
	  { "raise the target's MTU, or have the program pass long frames to the stack "
	    "(bpf_check_mtu()). In generic mode, also switch TSO off at a veth's peer or in a "
	    "tap's guest (ethtool -K PEER tso off gso off)",
	    "{ip} link show dev {dev}\n"
	    "{ip_to} link show dev {to}" },
	  "include/linux/filter.h, xdp_ok_fwd_dev()" },
	{ AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -EOPNOTSUPP,
	  "the target cannot transmit XDP frames now",
	  { "load an XDP program that returns XDP_PASS on the target, or on a veth's peer (or "
	    "switch the peer's GRO on). " DRIVERS_NEVER
	    " never accept redirected frames; frames of several buffers need a target that "
	    "supports them, and cannot be broadcast",
	    "{ip_to} -d link show dev {to}\n"
	    "{in_to}bpftool net\n"
	    "{in_to}ethtool -i {to}" },
	  "kernel/bpf/devmap.c, __xdp_enqueue()" },
	{ AT_REDIRECT_ERR, REDIRECT_IFINDEX, -EINVAL,
	  "no such ifindex in the network namespace of the ingress device",
	  { "compare the ifindex with ip -n NETNS link, and use a devmap to reach another "
	    "namespace. The ifindex is 0, or the map key of an earlier packet, if the program "
	    "ignores that bpf_redirect_map() failed",
	    "{ip} link show\n"
	    "bpftool prog show id {prog}" },
	  "net/core/filter.c, __xdp_do_redirect_frame()" },
	{ AT_REDIRECT_ERR, REDIRECT_XSKMAP | UP_TO(6, 0), -EINVAL,
	  "the AF_XDP socket is not bound, or not to the device and queue that received the packet",
	  { "index the xskmap by ctx->rx_queue_index, bind one socket to each queue, and remove "
	    "dead sockets from the map; check the steering (ethtool -l, -x, -n)",
	    WRONG_QUEUE },
	  "net/xdp/xsk.c, xsk_rcv_check()" },
	{ AT_REDIRECT_ERR, REDIRECT_XSKMAP, -EINVAL,
	  "the AF_XDP socket is bound to a device or queue other than the packet's",
	  { "index the xskmap by ctx->rx_queue_index and bind one socket to each queue; check "
	    "the steering (ethtool -l, -x, -n)",
	    WRONG_QUEUE },
	  "net/xdp/xsk.c, xsk_rcv_check()" },
	{ AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENXIO,
	  "the AF_XDP socket is not bound: its program is starting or ending, or the socket has "
	  "lost its device",
	  { "restart the program that owns the socket; remove dead sockets from the xskmap",
	    "{sockets}\n"
	    "bpftool map dump id {map}" },
	  "net/xdp/xsk.c, xsk_rcv_check()" },
	{ AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOBUFS,
	  "the AF_XDP receive ring is full: its program reads too slowly",
	  { "make the program read faster: use busy polling or a dedicated CPU. A larger RX ring "
	    "only absorbs bursts",
	    "{sockets}" },
	  "net/xdp/xsk_queue.h, xskq_prod_reserve_desc()" },
	{ AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOMEM,
	  "the AF_XDP fill ring is empty (copy mode): its program returns buffers too slowly",
	  { "refill the fill ring earlier, or give the UMEM more frames. In copy mode, "
	    "XDP_STATISTICS counts these packets as rx_dropped",
	    "{sockets}" },
	  "net/xdp/xsk.c, __xsk_rcv()" },
	{ AT_REDIRECT_ERR, REDIRECT_XSKMAP | UP_TO(6, 0), -ENOSPC,
	  "the packet is larger than a UMEM frame, the RX ring is full, or the fill ring is empty",
	  { "see XDP_STATISTICS for the cause; then use larger UMEM frames or a lower MTU, read "
	    "faster, or return buffers earlier",
	    "{sockets}\n"
	    "{ip} link show dev {dev}" },
	  "net/xdp/xsk.c, xsk_rcv_check() and __xsk_rcv()" },
	{ AT_REDIRECT_ERR, REDIRECT_XSKMAP, -ENOSPC,
	  "the packet is larger than a UMEM frame",
	  { "use larger UMEM frames or multi-buffer sockets (XDP_USE_SG), or lower the MTU",
	    "{sockets}\n"
	    "{ip} link show dev {dev}" },
	  "net/xdp/xsk.c, xsk_rcv_check() and __xsk_rcv()" },
	{ AT_REDIRECT_ERR, REDIRECT_CPUMAP, -ENOSPC,
	  "the queue of the target CPU is full (generic XDP; xdp_cpumap_enqueue also counts it)",
	  { "use a larger queue (up to 16384) or more CPUs, or do less work for each packet",
	    "bpftool map dump id {map}" },
	  "kernel/bpf/cpumap.c, cpu_map_generic_redirect()" },
	{ AT_REDIRECT_ERR, REDIRECT_NO_HELPER, -EBADRQC,
	  "the program returned XDP_REDIRECT without calling a redirect helper, or the helper "
	  "refused its flags",
	  { "have the program return the result of bpf_redirect() or bpf_redirect_map()",
	    "bpftool prog dump xlated id {prog}" },
	  "net/core/filter.c, __xdp_do_redirect_frame()" },
	{ AT_REDIRECT_ERR, REDIRECT_CPUMAP, -EBADRQC,
	  "generic XDP cannot redirect to a CPU before 5.15",
	  { "attach the program in native mode, or use a newer kernel",
	    "{ip} -d link show dev {dev}\n"
	    "{in}ethtool -i {dev}" },
	  "net/core/filter.c, xdp_do_generic_redirect_map()" },
	{ AT_REDIRECT_ERR, REDIRECT_TO_DEVICE | REDIRECT_CPUMAP, -EOVERFLOW,
	  "the buffer could not become an XDP frame: too little headroom or tailroom, or AF_XDP "
	  "zero-copy",
	  { "for a broadcast with BPF_F_EXCLUDE_INGRESS use at most 8 upper devices; otherwise "
	    "look for \"Driver BUG: missing reserved tailroom\" in dmesg; on a zero-copy queue, "
	    "free memory or make frames fit in a page",
	    "dmesg | grep -F 'Driver BUG'\n"
	    "{sockets}\n"
	    "{ip} link show dev {dev}" },
	  "net/core/filter.c, __xdp_do_redirect_frame(), after xdp_convert_buff_to_frame()" },
	{ AT_REDIRECT_ERR, REDIRECT_DEVMAP, -ENOENT,
	  "the devmap is being destroyed while packets use it",
	  { "nothing, if a program is just being reloaded; otherwise keep the map open or pinned",
	    "bpftool map show id {map}\n"
	    "bpftool prog show id {prog}" },
	  "net/core/filter.c, __xdp_do_redirect_frame()" },
	{ AT_REDIRECT_ERR, REDIRECT_DEVMAP, -ENOMEM,
	  "no memory to copy the frame for every device of a broadcast",
	  { "check memory pressure; a higher vm.min_free_kbytes keeps more memory for such "
	    "allocations",
	    "free -m\n"
	    "sysctl vm.min_free_kbytes" },
	  "kernel/bpf/devmap.c, dev_map_enqueue_clone()" },
	{ AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -ENXIO,
	  "the target's driver is not ready for XDP transmit (kernels up to 5.4 send each frame "
	  "immediately)",
	  { "see xdp_devmap_xmit ENXIO", "{ip_to} -d link show dev {to}" },
	  "net/core/filter.c, __bpf_tx_xdp()" },
	{ AT_REDIRECT_ERR, REDIRECT_TO_DEVICE, -ENOSPC,
	  "the target's transmit ring is full (kernels up to 5.4 send each frame immediately)",
	  { "use a larger TX ring (ethtool -G), more TX queues, or a slower sender",
	    "{in_to}ethtool -g {to}\n"
	    "{in_to}ethtool -S {to}" },
	  "net/core/filter.c, __bpf_tx_xdp()" },
	{ AT_REDIRECT_ERR, REDIRECT_ANY, -EFAULT,
	  "another program set up the redirect (4.18 only)",
	  { "use a newer kernel, or call the helper in the program that returns XDP_REDIRECT",
	    "bpftool prog show id {prog}" },
	  "net/core/filter.c, xdp_do_redirect_map()" },
	{ AT_REDIRECT_ERR, REDIRECT_DEVMAP | REDIRECT_CPUMAP | REDIRECT_OTHER, -EINVAL,
	  "the map has no entry at that key (4.18; later kernels report xdp_exception ABORTED)",
	  { "add the entry to the map", "bpftool map dump id {map}" },
	  "net/core/filter.c, xdp_do_redirect_map()" },
	{ AT_REDIRECT_ERR, REDIRECT_NO_HELPER, -EINVAL,
	  "the program returned XDP_REDIRECT without calling a redirect helper (up to 5.10)",
	  { "have the program return the result of bpf_redirect() or bpf_redirect_map()",
	    "bpftool prog dump xlated id {prog}" },
	  "net/core/filter.c, xdp_do_redirect_slow()" },
	/* xdp_devmap_xmit: if err < 0 the whole bulk is lost */
	{ AT_XMIT, REDIRECT_ANY, 0,
	  "the target accepted fewer frames than it got: its ring is full, or a devmap program "
	  "dropped some",
	  { "for a full ring, use a larger TX ring (ethtool -G), more queues, or a slower sender. "
	    "Since 6.1, the first frame that the driver refuses ends its bulk. If a devmap "
	    "program aborts, xdp_exception counts that on the target",
	    "{in_to}ethtool -g {to}\n"
	    "{in_to}ethtool -S {to}\n"
	    "{ip_to} -d link show dev {to}" },
	  "kernel/bpf/devmap.c, bq_xmit_all()" },
	{ AT_XMIT, REDIRECT_ANY | UP_TO(6, 2), -ENXIO,
	  "the target has no XDP program or no TX queue for this CPU, or is not ready",
	  { "load an XDP program on the target (for a veth, on its peer); " NOT_READY,
	    "{ip_to} -d link show dev {to}\n"
	    "{in_to}bpftool net\n"
	    "{in_to}ethtool -l {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -ENXIO,
	  "the target has no TX queue for this CPU, or is not ready",
	  { NOT_READY,
	    "{ip_to} -d link show dev {to}\n"
	    "{in_to}bpftool net\n"
	    "{in_to}ethtool -l {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -ENETDOWN,
	  "the target's port is down, resetting, being configured, or without carrier",
	  { "check ip link, the cable, and dmesg for resets",
	    "{ip_to} -d link show dev {to}\n"
	    "{in_to}ethtool {to}\n"
	    "dmesg | grep -F -e {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -EINVAL,
	  "the target is down or resetting, or has no XDP program or no queue for this CPU",
	  { "bring it up (ip link set TARGET up), load an XDP program on the target (bnxt, gve), "
	    "or use as many channels as CPUs (sfc, ethtool -L)",
	    "{in_to}bpftool net\n"
	    "{ip_to} link set dev {to} up" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -EOPNOTSUPP,
	  "the target's queue format cannot transmit XDP frames (gve)",
	  { "choose another queue format or target", "{in_to}ethtool -i {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -EIO,
	  "the target's transmit queue is stopped or full (ionic, sfc)",
	  { "use a larger TX ring (ethtool -G), more queues, or a slower sender",
	    "{in_to}ethtool -S {to}\n"
	    "{in_to}ethtool -g {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -EBUSY,
	  "the target's transmit ring is full (gve)",
	  { "use a larger TX ring (ethtool -G), more queues, or a slower sender",
	    "{in_to}ethtool -S {to}\n"
	    "{in_to}ethtool -g {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -ENOMEM,
	  "the target's driver had no memory for the frame (gve)",
	  { "check memory pressure", "free -m\n{in_to}ethtool -S {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -EPERM,
	  "the first frame of the bulk could not be mapped for DMA (ionic)",
	  { "check dmesg, the IOMMU, and swiotlb", "dmesg | grep -F -e {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -ENODEV,
	  "the target's backend is broken (xen-netfront)",
	  { "attach the device again, or restart the guest", "dmesg | grep -F -e {to}" },
	  "the driver's ndo_xdp_xmit()" },
	{ AT_XMIT, REDIRECT_ANY, -ENOSPC,
	  "the target's transmit ring is full",
	  { "use a larger TX ring (ethtool -G), more queues, or a slower sender",
	    "{in_to}ethtool -g {to}\n"
	    "{in_to}ethtool -S {to}" },
	  "the driver's ndo_xdp_xmit()" },
	/* xdp_bulk_tx: veth and libeth's drivers; only veth drops without an errno */
	{ AT_BULK_TX, REDIRECT_ANY, 0,
	  "the veth peer's ring was full, or the frame was longer than the peer's MTU",
	  { "load an XDP program on the peer if it has none (GRO alone does not help). Otherwise "
	    "speed up the receiver, or raise both MTUs if the program makes packets longer",
	    "{ip} -d link show dev {dev}\n"
	    "{ip_peer} -d link show dev {peer}" },
	  "drivers/net/veth.c, veth_xdp_xmit()" },
	{ AT_BULK_TX, REDIRECT_ANY, -ENXIO,
	  "a veth's peer is down or has no XDP program, or a NIC's transmit ring is full",
	  { "bring up a veth's peer, and load an XDP program on it (GRO alone does not help). For "
	    "a NIC, use a larger TX ring (ethtool -G)",
	    "{ip} -d link show dev {dev}\n"
	    "{ip_peer} -d link show dev {peer}\n"
	    "{ip_peer} link set dev {peer} up" },
	  "drivers/net/veth.c, veth_xdp_xmit(); include/net/libeth/xdp.h" },
	/* cpumap */
	{ AT_ENQUEUE, REDIRECT_ANY, 0,
	  "the queue of the target CPU is full: too small for bursts, or its thread is saturated",
	  { "if SLEEP% in the cpumap view is near 0, the thread is saturated: add CPUs to the map, "
	    "or take load off that CPU. Otherwise enlarge the queue (up to 16384)",
	    "bpftool map dump id {map}\n"
	    "ps -eLo psr,pcpu,comm --sort=-pcpu | awk '$1 == {cpu}' | head" },
	  "kernel/bpf/cpumap.c, bq_flush_to_queue()" },
	{ AT_KTHREAD, REDIRECT_ANY | UP_TO(5, 14), 0,
	  "the stack refused the packets, or there was no memory for their skbs",
	  { STACK }, "kernel/bpf/cpumap.c, cpu_map_kthread_run()" },
	{ AT_KTHREAD, REDIRECT_ANY, 0,
	  "no memory for the packets' skbs",
	  { STACK }, "kernel/bpf/cpumap.c, cpu_map_kthread_run()" },
	/* xdp_exception */
	{ AT_EXCEPTION, REDIRECT_ANY, XDP_ABORTED,
	  "the program returned XDP_ABORTED, redirected to an empty map slot, or passed invalid "
	  "flags",
	  { "look for empty map slots (bpftool map dump), for which the helper returns the action "
	    "in its flags (XDP_PASS is possible). For a devmap program, the device shown is the "
	    "sender",
	    "bpftool prog show id {prog}\n"
	    "bpftool map show\n"
	    "{in}bpftool net" },
	  "the driver, and net/core/dev.c, bpf_prog_run_generic_xdp()" },
	{ AT_EXCEPTION, REDIRECT_ANY, XDP_DROP,
	  "no known kernel reports a drop as a failure",
	  { "compare with the driver's source", "{in}ethtool -i {dev}" },
	  "the driver" },
	{ AT_EXCEPTION, REDIRECT_ANY, XDP_PASS,
	  "the driver could not build an skb for the packet (aquantia, fec)",
	  { "check memory pressure", "free -m" },
	  "the driver" },
	{ AT_EXCEPTION, REDIRECT_ANY, XDP_TX,
	  "XDP_TX failed: the ring is full, the device has no XDP queue or, in generic mode, could "
	  "not send",
	  { "check the ring size, the link and ethtool -S; in generic mode, the device shown is "
	    "the sender, and the count includes redirects",
	    "{in}ethtool -g {dev}\n"
	    "{in}ethtool -S {dev}\n"
	    "{ip} -s link show dev {dev}" },
	  "the driver, and net/core/dev.c, generic_xdp_tx()" },
	{ AT_EXCEPTION, REDIRECT_ANY, XDP_REDIRECT,
	  "the redirect failed in the driver; xdp_redirect_err counts the same packet with its "
	  "errno",
	  { "check xdp_redirect_err for the same device. If it did not fire, the driver does not "
	    "support XDP_REDIRECT, has no memory to refill its ring, or (up to 6.1) refused a "
	    "frame of several buffers",
	    "{in}ethtool -i {dev}\n"
	    "{in}ethtool -S {dev}" },
	  "the driver, after xdp_do_redirect()" },
	{ AT_EXCEPTION, REDIRECT_ANY, CAUSE_BAD_ACT,
	  "the program returned a value that is not a valid XDP action",
	  { "fix the program. A common mistake is to return an errno or a helper's result",
	    "bpftool prog dump xlated id {prog}\n"
	    "dmesg | grep -F 'XDP return value'" },
	  "net/core/filter.c, bpf_warn_invalid_xdp_action()" },
	{ AT_ATTACH, REDIRECT_ANY, 0,
	  "the kernel refused to attach a program; the event has its message",
	  { "do what the message asks for, which is usually another mode, fewer queues or a lower "
	    "MTU; dmesg may say more",
	    "{ip} -d link show\n"
	    "{in}bpftool net\n"
	    "dmesg | tail" },
	  "net/core/dev.c, dev_xdp_attach()" },
};
/* clang-format on */

const size_t n_causes = sizeof(causes) / sizeof(causes[0]);

uint8_t redirect_kind(const struct series_key *key)
{
	switch (key->map_type) {
	case SERIES_MAP_NONE:
		return key->map_id == SERIES_MAP_ID_IFINDEX ? REDIRECT_IFINDEX : REDIRECT_NO_HELPER;
	case SERIES_MAP_DEVMAP:
	case SERIES_MAP_DEVMAP_HASH:
	case SERIES_MAP_SOME_DEVMAP:
		return REDIRECT_DEVMAP;
	case SERIES_MAP_CPUMAP:
		return REDIRECT_CPUMAP;
	case SERIES_MAP_XSKMAP:
		return REDIRECT_XSKMAP;
	default:
		return REDIRECT_OTHER;
	}
}

int cause_code(uint32_t tracepoint, const struct series_key *key)
{
	/* the kernel's value is a u32: -1 is above XDP_REDIRECT */
	if (tracepoints[tracepoint].has & HAS_ACT && (key->code < 0 || key->code > CAUSE_BAD_ACT))
		return CAUSE_BAD_ACT;
	return key->code;
}

uint16_t cause_up_to(const struct cause *cause)
{
	return (uint16_t)(cause->redirect >> 16);
}

bool cause_fits(const struct cause *cause, uint16_t kernel, uint32_t tracepoint,
		const struct series_key *key)
{
	uint32_t at = BIT(tracepoint);
	uint8_t redirect = at & AT_REDIRECT_ERR ? redirect_kind(key) : REDIRECT_ANY;

	return cause->tracepoints & at && cause->redirect & redirect &&
	       cause->code == cause_code(tracepoint, key) &&
	       (!cause_up_to(cause) || kernel <= cause_up_to(cause));
}

const struct cause *cause_find(uint16_t kernel, uint32_t tracepoint, const struct series_key *key)
{
	for (size_t i = 0; i < n_causes; i++)
		if (cause_fits(&causes[i], kernel, tracepoint, key))
			return &causes[i];
	return NULL;
}
