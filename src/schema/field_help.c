// SPDX-License-Identifier: GPL-2.0-or-later
#include "schema/field_help.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct field_help rows[] = {
	{ NULL, "_per_s", "in 1/s or null", "how fast the total grew between its last two readings" },
	{ "socket", "_total", "", "since the socket was created" },
	{ "socket", "rx_dropped_total", "", "since the socket was created" },
	{ "cpu", "_events_total", "or null", "since the start" },
	{ "cpu", "_total", "", "since the start" },
	{ NULL, "type", "", "the name of this kind of object" },
	{ NULL, "schema", "", "1" },
	{ NULL, "version", "or null", "version of xdptop" },
	{ NULL, "hostname", "or null", "name of the machine" },
	{ NULL, "kernel", "or null", "kernel release, as `uname -r` prints it" },
	{ NULL, "time", "", "when the snapshot was taken" },
	{ NULL, "cpus_possible", "",
	  "largest possible CPU number plus one. CPU numbers can have gaps" },
	{ NULL, "cpus_online", "", "number of CPUs online at the start" },
	{ NULL, "backend", "or null",
	  "`btf` or `classic`. The classic backend does not know network namespaces or map types" },
	{ NULL, "delay_s", "in s", "the requested interval" },
	{ NULL, "devices", "or null",
	  "the network namespaces whose devices are known: `all`, `start` (only namespaces that "
	  "existed at the start) or `none`" },
	{ NULL, "namespaces_left_out", "",
	  "network namespaces whose devices could not be read at the start" },
	{ NULL, "devices_left_out", "",
	  "devices left out at the start because there were more than 32768" },
	{ NULL, "page_size", "in bytes or null",
	  "page size of the machine, from which drivers derive their MTU limit for XDP" },
	{ NULL, "verdicts_pid", "",
	  "the process that traces programs. Only with `--verdicts`, and where programs can be "
	  "traced" },
	{ NULL, "verdicts_caps", "",
	  "the capabilities that this process keeps (`CAP_SYS_ADMIN,CAP_PERFMON,CAP_BPF`). Only "
	  "with `verdicts_pid`" },
	{ NULL, "later_namespaces_pid", "",
	  "the process that opens sockets in network namespaces that appear later. Only with "
	  "`--later-namespaces` or `--verdicts`" },
	{ NULL, "later_namespaces_caps", "",
	  "the capabilities that this process keeps. Only with `later_namespaces_pid`" },
	{ NULL, "refused", "",
	  "BPF programs (except those of tracepoints) that the kernel refused, with the failed "
	  "step and the errno (`walk load EPERM,links attach EPERM`). Left out if there are none" },
	{ NULL, "boot_id", "",
	  "the boot that `monotonic_ns` belongs to, from /proc/sys/kernel/random/boot_id. This and "
	  "the next three fields are only in segments of `--record`" },
	{ NULL, "monotonic_ns", "in ns",
	  "CLOCK_MONOTONIC when this header was written. Setting the clock does not change it" },
	{ NULL, "started_ns", "in ns",
	  "CLOCK_MONOTONIC when xdptop started. Headers with the same `boot_id` and `started_ns` "
	  "belong to one run" },
	{ NULL, "snapshots_left_out", "",
	  "snapshots that this run had left out when it wrote this header, because the disk was "
	  "full. Left out if 0" },
	{ NULL, "seq", "", "number of the snapshot" },
	{ NULL, "tracepoint", "", "the kernel's name of the tracepoint" },
	{ NULL, "state", "",
	  "`on`, `off`, `missing` (not in this kernel), `failed` (refused by the kernel), or "
	  "`shed` (switched off because it cost more than the budget)" },
	{ NULL, "reason", "or null", "why the state is `missing`, `failed` or `shed`" },
	{ NULL, "events", "or null",
	  "how often the tracepoint fired in the interval. Null if it is missing or failed and has "
	  "never counted" },
	{ NULL, "events_total", "or null",
	  "since the start, including series that have left the table" },
	{ NULL, "events_per_s", "in 1/s or null",
	  "events for each second that the tracepoint was attached in the interval. 0 if it was "
	  "switched off, null if unknown" },
	{ NULL, "missed_total", "or null",
	  "events that were not counted because the counting program interrupted itself. Kernels "
	  "before 6.1 do not report them and always show 0" },
	{ NULL, "overflow_total", "or null",
	  "events counted without device and program because the table of series was full" },
	{ NULL, "ns_per_event", "in ns or null",
	  "measured cost of one event, including the kernel's dispatch. Null until enough events "
	  "were timed" },
	{ NULL, "cpu_percent", "in percent or null",
	  "share of the busiest CPU that counting took in the interval. Null unless the tracepoint "
	  "is on" },
	{ NULL, "events_lost_total", "or null",
	  "rare events that were counted but have no `event` object because the ring buffer was "
	  "full" },
	{ NULL, "interval_s", "in s", "time since the previous snapshot" },
	{ NULL, "netns", "or null", "network namespace of the device" },
	{ NULL, "netns_name", "or null",
	  "the network namespace: `init`, its name in `ip netns`, or a process in it "
	  "(`nginx/812`)" },
	{ NULL, "ifindex", "or null", "ifindex of the device" },
	{ NULL, "ifname", "or null", "name of the device" },
	{ NULL, "to_netns", "or null", "namespace of the target device" },
	{ NULL, "to_ifindex", "or null", "ifindex of the target device" },
	{ NULL, "to_ifname", "or null", "name of the target device" },
	{ NULL, "to_cpu", "or null", "the target CPU, if the target is a cpumap" },
	{ NULL, "prog_id", "or null", "id of the program" },
	{ NULL, "prog_name", "or null", "name of the program" },
	{ NULL, "map_type", "or null",
	  "`devmap`, `devmap_hash`, `cpumap`, `xskmap` and others, as bpftool names them. Null for "
	  "a redirect without a map" },
	{ NULL, "map_id", "or null", "id of the map" },
	{ NULL, "map_index", "or null", "the key in an xskmap or in a map of unknown type" },
	{ NULL, "act", "or null",
	  "what the program returned (ABORTED, DROP, PASS, TX, REDIRECT, `UNKNOWN(n)`), or the "
	  "action that a tracepoint belongs to" },
	{ NULL, "err", "or null", "0 or the negative errno. Null if the tracepoint has no errno" },
	{ NULL, "errname", "or null",
	  "the errno's name. Null if `err` is 0. A replay uses the name because the numbers differ "
	  "between architectures" },
	{ NULL, "cpu", "or null",
	  "null for all CPUs together, a number (up to 65,535) for one CPU. Never add the two kinds" },
	{ NULL, "packets", "or null",
	  "frames that the events cover. Each xdp_exception and redirect is one frame. "
	  "xdp_devmap_xmit and xdp_bulk_tx count sent frames, the cpumap tracepoints count "
	  "processed frames (including drops in native mode), and net_dev_queue counts GSO "
	  "segments" },
	{ NULL, "drops", "or null",
	  "frames lost at this event. Each xdp_exception and each redirect error is one lost "
	  "frame. Two tracepoints can report the same packet" },
	{ NULL, "bytes", "or null", "bytes of the packets (net_dev_queue only)" },
	{ NULL, "sched", "or null",
	  "how often the thread slept or yielded (xdp_cpumap_kthread only)" },
	{ NULL, "xdp_pass", "or null",
	  "frames that the map's program passed (xdp_cpumap_kthread only)" },
	{ NULL, "xdp_drop", "or null",
	  "frames that the map's program dropped (xdp_cpumap_kthread only)" },
	{ NULL, "xdp_redirect", "or null",
	  "frames that the map's program redirected (xdp_cpumap_kthread only)" },
	{ NULL, "packets_total", "or null", "since the start" },
	{ NULL, "drops_total", "or null", "since the start" },
	{ NULL, "bytes_total", "or null", "since the start" },
	{ NULL, "packets_per_s", "in 1/s or null", "`packets` divided by `interval_s`" },
	{ NULL, "drops_per_s", "in 1/s or null", "`drops` divided by `interval_s`" },
	{ NULL, "bytes_per_s", "in B/s or null", "`bytes` divided by `interval_s`" },
	{ NULL, "map_name", "or null", "name of `map_id`" },
	{ NULL, "to_prog_id", "or null",
	  "for a redirect or a bulk through a devmap, the program of the map's entry, which runs "
	  "on frames before they are sent. Null if the entry has no program, if entries with "
	  "different programs lead there, and before Linux 5.8 (bulks: 5.13)" },
	{ NULL, "to_prog_name", "or null", "name of the entry's program" },
	{ NULL, "pod", "",
	  "Kubernetes pod that the device belongs to. Left out if unknown" },
	{ NULL, "namespace", "", "Kubernetes namespace of the pod" },
	{ NULL, "container", "",
	  "the container in that pod whose process is the oldest. For docker and podman this is "
	  "the container's name, and the other two fields are left out" },
	{ NULL, "to_pod", "", "pod of the target, as in a sample. Left out if unknown" },
	{ NULL, "to_namespace", "", "Kubernetes namespace of the target's pod" },
	{ NULL, "to_container", "",
	  "container that the target device belongs to, as in `container`" },
	{ NULL, "container_id", "or null",
	  "the runtime's container id (64 digits), as `crictl inspect` takes it" },
	{ NULL, "pod_uid", "or null", "UID of the pod" },
	{ NULL, "kind", "or null",
	  "kind of the device (`veth`, `bond`), as `ip -d link` shows it. Null for a NIC and for "
	  "loopback" },
	{ NULL, "mtu", "in bytes", "MTU of the device" },
	{ NULL, "mode", "",
	  "XDP mode (`none`, `native`, `generic`, `offload`, or `multi` for more than one)" },
	{ NULL, "skb_prog_id", "or null", "the program in generic mode, even if another one is "
					  "attached as well" },
	{ NULL, "xdp_features", "or null",
	  "the driver's current XDP features, comma separated (`basic`, `redirect`, `ndo-xmit`, "
	  "`xsk-zerocopy`, `hw-offload`, `rx-sg`, `ndo-xmit-sg`, or `none`). With `ndo-xmit` the "
	  "device accepts redirected frames. A bit without a name is shown in hex. Null if the "
	  "kernel does not report them (before 6.3)" },
	{ NULL, "peer_netns", "or null", "network namespace of the other end of a veth or netkit" },
	{ NULL, "peer_ifindex", "or null", "ifindex of the other end of a veth or netkit" },
	{ NULL, "lower_ifindex", "",
	  "ifindex of the device below a VLAN or macvlan, in the same network namespace. Left out "
	  "if there is none, or if it is unknown, like the next three" },
	{ NULL, "vlan_id", "", "VLAN ID of a VLAN device" },
	{ NULL, "master_ifindex", "",
	  "ifindex of the bridge, bond or other device that the device is a member of" },
	{ NULL, "link_type", "",
	  "type of the device's link (ARPHRD_* of the kernel). 1 is Ethernet, and 65534 is a "
	  "device without a link header, such as tun" },
	{ NULL, "driver", "or null",
	  "the driver, as `ethtool -i` shows it, or the kind of a virtual device" },
	{ NULL, "rx_packets_total", "or null",
	  "packets received since the device was created, as its driver counts them (`ip -s "
	  "link`). This and the counters up to `tx_errors` are known for devices with XDP and for "
	  "redirect targets in the network namespaces that xdptop entered: its own and, at the "
	  "start, up to 256 that have XDP programs, AF_XDP sockets or devices in devmaps. With "
	  "`--later-namespaces` xdptop also enters namespaces that get a program later. The "
	  "counters are null for other devices and if the kernel did not answer in time. A counter "
	  "that decreases has been reset" },
	{ NULL, "rx_packets_per_s", "in 1/s or null",
	  "in the interval. 0 if the device has no object in the interval. Null if the previous "
	  "snapshot did not have the counter or the counter decreased" },
	{ NULL, "rx_missed_total", "or null",
	  "packets lost in the NIC because its ring had no free buffer (`missed`)" },
	{ NULL, "rx_dropped_total", "or null",
	  "packets dropped by the driver or the stack. Drivers differ in what they count here" },
	{ NULL, "rx_otherhost_total", "or null",
	  "IP packets that the stack dropped because they were sent to another MAC address (Linux "
	  "5.19)" },
	{ NULL, "tx_packets_total", "or null", "packets sent" },
	{ NULL, "tx_dropped_total", "or null", "outgoing packets that were dropped" },
	{ NULL, "tx_errors_total", "or null", "packets that could not be sent" },
	{ NULL, "carrier_changes_total", "or null",
	  "how often the carrier was gained or lost" },
	{ NULL, "xdp_drop_total", "or null",
	  "packets that XDP dropped. Some drivers include XDP_ABORTED. This and the fields up to "
	  "`limit_exceeded_per_s` are the driver's own (`ethtool -S`), summed over queues, if xdptop "
	  "knows the driver's names for them. For devices with XDP in the namespaces that xdptop "
	  "entered, they are read every 5 seconds, or in each interval if the device is virtual. "
	  "They are null if the driver does not count them. See `counters_read_at`" },
	{ NULL, "xdp_aborted_total", "or null",
	  "packets dropped by XDP_ABORTED" },
	{ NULL, "xdp_invalid_total", "or null",
	  "packets for which the program returned an invalid action" },
	{ NULL, "xdp_tx_total", "or null", "packets for which the program returned XDP_TX" },
	{ NULL, "xdp_tx_errors_total", "or null", "XDP_TX packets that were not sent" },
	{ NULL, "xdp_xmit_errors_total", "or null",
	  "frames redirected to the device that it did not send. Some drivers include XDP_TX" },
	{ NULL, "xdp_redirect_total", "or null", "packets that were redirected" },
	{ NULL, "xdp_redirect_errors_total", "or null", "packets whose redirect failed" },
	{ NULL, "rx_alloc_fail_total", "or null", "receive buffers that could not be allocated" },
	{ NULL, "rx_out_of_buffer_total", "or null",
	  "packets lost in the NIC because its ring had no free buffer, for drivers whose "
	  "`rx_missed_total` is incomplete (vmxnet3, dpaa2, igb, igc, ixgbe, i40e and mana). For "
	  "all but the first two it includes the packets of `rx_missed_total`" },
	{ NULL, "rx_discards_total", "or null",
	  "packets that the NIC discarded at its port, before its receive rings (`rx_discards_phy` "
	  "of mlx5)" },
	{ NULL, "limit_exceeded_total", "or null",
	  "packets that the cloud's network delayed or dropped because the instance exceeded a "
	  "limit (the sum of ena's `*_allowance_exceeded`)" },
	{ NULL, "netns_csum_errors_total", "or null",
	  "packets that the stack of the device's network namespace dropped because of a wrong "
	  "checksum, from any device: the sum of the `InCsumErrors` counters (`nstat`), read "
	  "together with the driver's. Also known for redirect targets and for peers" },
	{ NULL, "netns_addr_errors_total", "or null",
	  "packets that the namespace's stack dropped, from any device, because the destination "
	  "address is not local and the namespace does not forward (`InAddrErrors`)" },
	{ NULL, "netns_no_routes_total", "or null",
	  "packets to forward that the namespace's stack dropped, from any device, because the "
	  "namespace had no route (`InNoRoutes`)" },
	{ NULL, "netns_rp_filtered_total", "or null",
	  "packets that the namespace's reverse path filter dropped, from any device "
	  "(`IPReversePathFilter`)" },
	{ NULL, "netns_listen_drops_total", "or null",
	  "connections that listening sockets of the namespace could not take, from any device "
	  "(`ListenDrops`)" },
	{ NULL, "channels", "or null",
	  "receive channels (combined and RX of `ethtool -l`). This and the settings up to "
	  "`offloads` are read for the same devices as `rx_packets_total`, every 10 seconds and "
	  "when the link, offloads or the number of queues have changed. They are null if the "
	  "driver does not report them" },
	{ NULL, "channels_max", "or null", "maximum of `channels`" },
	{ NULL, "rx_ring", "or null", "descriptors of a receive ring (`ethtool -g`)" },
	{ NULL, "rx_ring_max", "or null", "maximum of `rx_ring`" },
	{ NULL, "tx_ring", "or null", "descriptors of a transmit ring" },
	{ NULL, "tx_ring_max", "or null", "maximum of `tx_ring`" },
	{ NULL, "mtu_max", "in bytes or null",
	  "the largest MTU that the driver accepts, as the kernel reports it" },
	{ NULL, "promiscuity", "or null",
	  "how many users (such as tcpdump, a bridge, or `ip link set dev DEVICE promisc on`) have "
	  "made the device promiscuous. At 0, a NIC discards packets for other MAC addresses "
	  "before XDP can see them" },
	{ NULL, "offloads", "or null",
	  "enabled offloads that matter to XDP, comma separated, by the kernel's names (`rx-lro`, "
	  "`rx-gro-hw`, `rx-gro`, `rx-udp-gro-forwarding`, `rx-vlan-hw-parse`, `rx-checksum`, "
	  "`tx-checksum-ipv4`, `tx-checksum-ip-generic`, `tx-checksum-ipv6`, `tx-scatter-gather`, "
	  "`tx-tcp-segmentation`, `tx-generic-segmentation`), or `none`" },
	{ NULL, "counters_read_at", "",
	  "when the driver's counters and the values of its `ethtool_stat` objects were read. Left "
	  "out if that was in this interval. Otherwise their rates are from an earlier time" },
	{ NULL, "settings_read_at", "",
	  "when the settings from `channels` to `tx_ring_max` and `offloads` were read, as in "
	  "`counters_read_at`" },
	{ NULL, "queues_read_at", "", "when the values of its `queue` objects were read, as in "
				      "`counters_read_at`" },
	{ NULL, "napi_id", "or null",
	  "id of the NAPI that polls the queue. Null if the driver does not report it (none before "
	  "6.8)" },
	{ NULL, "irq", "or null",
	  "interrupt of the queue, as in `/proc/interrupts`. The number comes from the kernel "
	  "(since 6.8) or else from the name that the driver gave the interrupt. Null for a "
	  "virtual device, or if the interrupt is not known" },
	{ NULL, "cpus", "or null",
	  "the CPUs that its interrupt goes to (`/proc/irq/N/effective_affinity_list`), or the CPU "
	  "that the thread of its NAPI last ran on" },
	{ NULL, "cpu_node", "or null", "NUMA node of `cpu`" },
	{ NULL, "device_node", "or null", "NUMA node of the device" },
	{ NULL, "xsk", "",
	  "1 = an AF_XDP socket is bound to the queue, as the driver reports (since 6.14)" },
	{ NULL, "rx_hw_drops_total", "or null",
	  "packets lost in the NIC on their way to the queue, as its driver counts them (qstats)" },
	{ NULL, "number", "", "position of the counter in `ethtool -S`, counted from 0" },
	{ NULL, "name", "or null", "name of the counter, as `ethtool -S` shows it" },
	{ NULL, "total", "", "value of the counter, as the driver reports it" },
	{ NULL, "per_s", "in 1/s or null", "how fast the total grew between its last two readings" },
	{ NULL, "left_out", "", "further counters of the device that are not 0" },
	{ NULL, "softnet_processed", "or null",
	  "packets that the receive softirq passed on in the interval. Null in the first snapshot "
	  "of a CPU" },
	{ NULL, "softnet_dropped", "or null",
	  "packets dropped in the interval because the backlog of this CPU was full. Null in the "
	  "first snapshot of a CPU" },
	{ NULL, "time_squeeze", "or null",
	  "times that the softirq stopped with work left in the interval. Null in the first "
	  "snapshot of a CPU" },
	{ NULL, "exception_events", "or null",
	  "events of xdp_exception. Null if the tracepoint was not on" },
	{ NULL, "redirect_err_events", "or null",
	  "events of xdp_redirect_err. Null if the tracepoint was not on" },
	{ NULL, "redirect_events", "or null",
	  "events of xdp_redirect. Null if that was not on" },
	{ NULL, "xmit_events", "or null",
	  "events (bulks) of xdp_devmap_xmit, xdp_bulk_tx and xdp_cpumap_enqueue. Null if none of "
	  "them was on" },
	{ NULL, "cpumap_kthread_events", "or null",
	  "events (polls) of xdp_cpumap_kthread. Null if the tracepoint was not on" },
	{ NULL, "net_dev_queue_events", "or null",
	  "events (skbs) of net_dev_queue. Null if the tracepoint was not on" },
	{ NULL, "key", "or null", "key of the entry. Null for the map itself" },
	{ NULL, "qsize", "or null", "frames that the queue of a cpumap entry can hold" },
	{ NULL, "fill", "or null", "frames waiting in the queue of a cpumap entry" },
	{ NULL, "socket_inode", "or null",
	  "inode of the AF_XDP socket in an xskmap entry, the same number as `inode` in a `socket` "
	  "object" },
	{ NULL, "max_entries", "or null",
	  "slots of the map. This and the next field are null in an entry" },
	{ NULL, "used", "or null",
	  "slots in use among those read so far. Null until the first one has been read" },
	{ NULL, "slots_read", "or null",
	  "slots read so far (large maps are read in parts)" },
	{ NULL, "users", "or null",
	  "ids of at most four programs that use the map, attached ones first, comma separated" },
	{ NULL, "value_size", "in bytes or null", "size of a value of the map" },
	{ NULL, "users_total", "",
	  "number of programs that use the map. Left out in an entry, and if not all are known" },
	{ NULL, "inode", "or null", "inode of the socket, as `ls -l /proc/PID/fd` shows it" },
	{ NULL, "queue", "or null", "the receive queue that the socket is bound to" },
	{ NULL, "queues", "or null", "receive queues that the device has now" },
	{ NULL, "nic_netns", "or null",
	  "network namespace of the NIC that the socket's queue is leased from (netkit, Linux "
	  "7.1). This and the next three are null if the queue is not leased" },
	{ NULL, "nic_ifindex", "or null", "ifindex of the NIC that the socket's packets arrive on" },
	{ NULL, "nic_ifname", "or null", "name of the NIC that the socket's packets arrive on" },
	{ NULL, "nic_queue", "or null", "the NIC's receive queue that the socket's packets arrive on" },
	{ NULL, "tx_queues", "or null", "transmit queues that the device has now" },
	{ NULL, "tx_need_wakeup", "or null",
	  "1 = the kernel sends only after sendto() or poll(), which the flag of the TX ring asks "
	  "for. Null without a TX ring" },
	{ NULL, "zerocopy", "or null", "1 = zero-copy, 0 = copy" },
	{ NULL, "prefers_busy_poll", "or null",
	  "1 = SO_PREFER_BUSY_POLL and SO_BUSY_POLL are set" },
	{ NULL, "irqs_deferred", "or null",
	  "1 = napi_defer_hard_irqs and gro_flush_timeout are set for the NAPI, so that interrupts "
	  "wait while the program polls. Null without SO_PREFER_BUSY_POLL" },
	{ NULL, "in_map", "", "1 = an xskmap has an entry for the socket, 0 = none has" },
	{ NULL, "pid", "or null", "the process that holds the socket. Null if none can be seen" },
	{ NULL, "comm", "or null", "name of the process" },
	{ NULL, "umem_size", "in bytes or null", "size of the memory for frames" },
	{ NULL, "chunk_size", "in bytes or null", "size of one buffer for a frame" },
	{ NULL, "rx_size", "or null", "slots of the RX ring" },
	{ NULL, "rx_fill", "or null", "frames in the RX ring that the program has not taken" },
	{ NULL, "fill_size", "or null", "slots of the fill ring" },
	{ NULL, "fill_fill", "or null", "buffers in the fill ring that the kernel has not taken" },
	{ NULL, "tx_size", "or null", "slots of the TX ring" },
	{ NULL, "tx_fill", "or null", "frames in the TX ring that the kernel has not sent" },
	{ NULL, "completion_size", "or null", "slots of the completion ring" },
	{ NULL, "completion_fill", "or null",
	  "sent buffers in the completion ring that the program has not taken back" },
	{ NULL, "received", "or null",
	  "frames that the kernel put into the RX ring in the interval. Null in the first snapshot "
	  "of the socket" },
	{ NULL, "transmitted", "or null",
	  "frames that the kernel took from the TX ring in the interval, not counting invalid "
	  "descriptors. Null in the first snapshot of the socket" },
	{ NULL, "rx_dropped", "or null",
	  "frames lost in the interval for reasons that the next two fields do not count. Null in "
	  "the first snapshot of the socket" },
	{ NULL, "rx_queue_full", "or null",
	  "frames lost in the interval because the RX ring was full. Null in the first snapshot of "
	  "the socket" },
	{ NULL, "rx_fill_ring_empty", "or null",
	  "times in the interval that the kernel found the fill ring empty. Null in the first "
	  "snapshot of the socket. Sockets of one queue share the ring and this count" },
	{ NULL, "tx_invalid", "or null",
	  "invalid descriptors in the TX ring in the interval. Null in the first snapshot of the "
	  "socket" },
	{ NULL, "tx_ring_empty", "or null",
	  "times in the interval that the kernel found the TX ring empty. Null in the first "
	  "snapshot of the socket" },
	{ NULL, "fill_taken", "or null",
	  "buffers that the kernel took from the fill ring in the interval, not counting invalid "
	  "addresses. Null in the first snapshot of the socket" },
	{ NULL, "fill_taken_total", "",
	  "since the socket was created. This minus the sum of `received_total` of all sockets of "
	  "the queue is the number of buffers that the driver holds" },
	{ NULL, "fill_invalid", "or null",
	  "invalid addresses in the fill ring, in the interval. Null in the first snapshot of the "
	  "socket. Sockets of one queue share the ring and this count" },
	{ NULL, "part_of", "or null",
	  "id of the dispatcher that this program is a part of, the lowest if there are several. "
	  "Null if the program itself is attached" },
	{ NULL, "parts", "", "number of programs that are parts of this one" },
	{ "device", "attached_by", "",
	  "how its program is attached: `netlink` (as by ip(8); stays until detached) or `link` "
	  "(stays while the BPF link is held). Left out if unknown (before 5.17)" },
	{ NULL, "attached_by", "or null",
	  "how the program is attached: `netlink` or `link`, as in a `device`, or `link+netlink` "
	  "(to some devices by a link and to others over netlink)" },
	{ NULL, "link_id", "or null", "id of the BPF link, the lowest if there are several" },
	{ NULL, "pinned", "or null", "1 = the program or its link is pinned in a BPF file system" },
	{ NULL, "holders", "or null", "number of processes that hold the program" },
	{ NULL, "processes", "or null",
	  "whose files were searched: those of `all` processes, or with `namespace` only those of "
	  "processes in xdptop's pid namespace, so other processes may also hold the program" },
	{ NULL, "unheld", "or null",
	  "consecutive searches that found no process, link, pin or part that holds the program. 2 "
	  "means two or more" },
	{ NULL, "loaded_at", "or null", "when the program was loaded" },
	{ NULL, "uid", "or null", "id of the user who loaded the program" },
	{ NULL, "maps", "",
	  "ids of the maps that the program redirects through, comma separated, at most twenty. "
	  "Left out if there are none" },
	{ NULL, "maps_total", "",
	  "number of maps that the program redirects through. Left out if not all are known" },
	{ NULL, "newer_id", "",
	  "id of the newest program with the same name, loaded later, that no device, link, "
	  "program array or map entry runs. Left out if there is none, or if not all of these are "
	  "known" },
	{ NULL, "newer_loaded_at", "", "when the newer program was loaded" },
	{ NULL, "newer_pid", "",
	  "the process that holds the newer program. Left out if none can be seen" },
	{ NULL, "newer_comm", "", "name of the process that holds the newer program" },
	{ NULL, "prog_array", "",
	  "id of the program array for its tail calls, the lowest if there are several. Left out "
	  "if there is none, or if the program does not redirect through a map" },
	{ NULL, "verdicts", "or null",
	  "whether the program's verdicts are counted: `on`, `off` (switched off), `asked` "
	  "(counting will begin soon) or `refused` (not possible). This and the next four fields "
	  "are left out without `--verdicts`" },
	{ NULL, "verdicts_reason", "or null", "the reason for `refused`" },
	{ NULL, "verdicts_missed", "",
	  "runs of the program that were not counted, like `missed_total` of a tracepoint. Left "
	  "out if the number is unknown because the program may have run before counting began. "
	  "The next two fields then show when" },
	{ NULL, "verdicts_unseen_from", "",
	  "a time at which the program had not yet been attached. A program that is attached while "
	  "xdptop runs can run before it is counted. Left out if all its runs are counted, or if "
	  "it was attached before xdptop started" },
	{ NULL, "verdicts_unseen_until", "",
	  "the time after which all runs of the program are counted. Left out until then" },
	{ NULL, "trace", "",
	  "number of the trace. When counting is switched off and on again, a trace with a higher "
	  "number starts from 0" },
	{ NULL, "unseen_from", "",
	  "as the program's `verdicts_unseen_from`. No object includes the verdicts between this "
	  "time and `unseen_until`. Left out if none are missing" },
	{ NULL, "unseen_until", "", "when the trace began" },
	{ NULL, "text", "or null",
	  "what happened, as the kernel's message or as the errno, target and frames" },
	{ NULL, "follow", "",
	  "`event` for an event followed by `--follow` or key `l`, or `lost` for `left_out` events "
	  "that found the ring full, which no later event on their CPU could report. Other objects "
	  "have neither this field nor those after `sent`. The `time` of a followed event has "
	  "nanoseconds" },
	{ NULL, "sent", "",
	  "this field and those below are the arguments that the tracepoint has, by the kernel's "
	  "names" },
	{ NULL, "processed", "", "frames processed" },
	{ NULL, "len", "", "length of the skb" },
	{ NULL, "protocol", "", "protocol of the skb, an ethertype in host byte order" },
	{ NULL, "queue_mapping", "", "TX queue of the skb" },
	{ NULL, "gso_segs", "", "GSO segments of the skb" },
	{ NULL, "mem_id", "", "id of the allocator" },
	{ NULL, "mem_type", "", "`enum xdp_mem_type`" },
	{ NULL, "code", "", "code of the finding (`target-down`, `aborted`). `xdptop -e CODE` "
			    "explains it" },
	{ NULL, "severity", "", "`info`, `warning` or `critical`" },
	{ NULL, "first_seen", "", "when the cause was first seen" },
	{ NULL, "last_seen", "", "when the cause was last seen" },
	{ NULL, "count", "",
	  "events or packets that are evidence in this interval, 0 if there were none" },
	{ NULL, "count_total", "", "as `count`, summed over all intervals" },
	{ NULL, "next", "",
	  "commands to check and fix the cause, each ready for a shell. Empty if there are none" },
	{ NULL, "lost_per_s", "or null",
	  "packets lost in this interval to this finding and its consequences, per second that the "
	  "tracepoint was attached. Null if the evidence is not a loss. In a snapshot the finding "
	  "with the largest loss comes first, and findings with severity `info` come last" },
	{ "finding", "changes", "",
	  "at most 3 changes at the finding's device, program or map in the 10 seconds before it "
	  "began, the latest first. They are evidence, not proof" },
	{ NULL, "consequences", "",
	  "codes of other findings at the same place that this one explains. They have no objects "
	  "of their own while this one is active. Empty if there are none" },
	{ "header", "time", "", "when counting began" },
	{ "tracepoint", "seq", "", "number of the snapshot, counted from 1" },
	{ "sample", "events", "", "how often the tracepoint fired" },
	{ "sample", "events_total", "",
	  "since the start. When the table is full, a series that was idle for a long time is "
	  "dropped and later counts from 0 again. A series also restarts from 0 when its device is "
	  "replaced by another with the same numbers. A replay keeps the 16,384 series that "
	  "changed last" },
	{ "sample", "events_per_s", "in 1/s or null",
	  "`events` divided by `interval_s`. Null if `interval_s` is 0" },
	{ "sample", "interval_s", "in s",
	  "how long the tracepoint was attached in the interval, 0 if it was not" },
	{ "sample", "netns", "or null",
	  "network namespace of the device, of the process (bpf_xdp_link_attach_failed), or of the "
	  "socket (netlink_extack)" },
	{ "sample", "ifindex", "or null",
	  "the device that the event names, usually the packet's receiver (for net_dev_queue, its "
	  "sender)" },
	{ "sample", "ifname", "or null", "current name of the device, even after a rename" },
	{ "sample", "prog_id", "or null", "id of the XDP program" },
	{ "sample", "pod", "",
	  "the Kubernetes pod that the device belongs to, because the device or its peer is in "
	  "the pod's network namespace. In every object, this and the next five fields are left "
	  "out if unknown (CSV has empty cells). They repeat the `pod` objects, and a replay "
	  "reads them from there" },
	{ "sample", "to_pod", "", "Kubernetes pod that the target device belongs to" },
	{ "pod", "state", "",
	  "`used`, then `gone` once its last process has left" },
	{ "pod", "netns", "or null", "the network namespace" },
	{ "pod", "pod", "or null", "name of the pod" },
	{ "pod", "namespace", "or null", "Kubernetes namespace of the pod" },
	{ "pod", "container", "or null",
	  "the container in that pod whose process is the oldest. For docker and podman this is "
	  "the container's name, and the other two fields are left out" },
	{ "device", "state", "",
	  "`up`, `no-carrier`, `down`, or `gone` if the device was deleted. The values of such a "
	  "device are the last ones seen" },
	{ "device", "ifindex", "or null", "with `netns` it identifies the device" },
	{ "device", "ifname", "or null", "current name of the device" },
	{ "device", "prog_id", "or null",
	  "id of the program. If there are several, the native one, else the offloaded one, else "
	  "the generic one" },
	{ "ethtool_stat", "state", "",
	  "`used`, then `gone` after the counter has left the list" },
	{ "ethtool_stat", "netns", "or null", "with `ifindex` it identifies the device" },
	{ "queue", "netns", "or null", "with `ifindex` and `queue` it identifies the queue" },
	{ "queue", "ifname", "or null", "current name of the device" },
	{ "queue", "queue", "", "number of the queue, from 0" },
	{ "queue", "state", "", "`used`, then `gone` after the queue has left the list" },
	{ "queue", "pid", "or null",
	  "thread that polls the queue, if its NAPI is threaded "
	  "(`/sys/class/net/DEVICE/threaded`)" },
	{ "queue", "cpu", "or null", "the CPU, if there is only one in `cpus`" },
	{ "queue", "rx_packets_total", "or null",
	  "packets that the queue received, including those that XDP took, as the driver counts "
	  "them (qstats, 6.9 and later). Null if the driver does not" },
	{ "queue", "rx_packets_per_s", "in 1/s or null", "how fast the total grew between its last two readings" },
	{ "queue", "left_out", "",
	  "number of further receive queues of the device, which have no object because xdptop "
	  "lists at most 256 queues of a device" },
	{ "cpu", "cpu", "", "number of the CPU" },
	{ "map_entry", "state", "", "`used`, then `gone`" },
	{ "map_entry", "to_netns", "or null", "network namespace of the device in a devmap entry" },
	{ "map_entry", "to_ifindex", "or null", "ifindex of the device in a devmap entry" },
	{ "map_entry", "to_cpu", "or null", "the CPU of a cpumap entry" },
	{ "map_entry", "prog_id", "or null",
	  "the entry's program, which runs after the redirect" },
	{ "map_entry", "map_type", "or null", "`devmap`, `devmap_hash`, `cpumap` or `xskmap`" },
	{ "map_entry", "map_name", "or null", "name of the map" },
	{ "map", "map_id", "or null",
	  "id of the map. Null in one object, which has `left_out` instead of a map" },
	{ "map", "map_type", "or null",
	  "`hash`, `percpu_hash`, `lru_hash`, `lru_percpu_hash`, `rhash` or `lpm_trie`. Null until "
	  "the map has been counted. An emptied `prog_array` also has an object, and so does an "
	  "`array` or `percpu_array` with `like_id`" },
	{ "map", "map_name", "or null", "name of the map" },
	{ "map", "state", "", "`used`, then `gone`" },
	{ "map", "entries", "or null",
	  "entries of the map when it was last counted, every 5 s. Null if it has not yet been "
	  "counted, or if the kernel does not count them (`uncounted`)" },
	{ "map", "max_entries", "or null", "entries that the map can hold" },
	{ "map", "entries_per_s", "in 1/s or null",
	  "entries a second that the map gained between the last two counts, 0 if it shrank" },
	{ "map", "full_in_s", "in s or null",
	  "time until the map is full if it continues to grow at this rate. Null if it does not "
	  "grow" },
	{ "map", "rises", "or null", "how many counts in a row found more entries" },
	{ "map", "uncounted", "or null",
	  "1 if this kernel does not count the entries of the map (a hash before Linux 6.6, an "
	  "rhash, or an array)" },
	{ "map", "counted_at", "",
	  "when its entries were counted. Left out if they were counted in this interval" },
	{ "map", "users", "or null",
	  "ids of at most four running programs that use the map, comma separated. Programs "
	  "attached to devices, programs in devmap and cpumap entries, and parts of libxdp "
	  "dispatchers count as running" },
	{ "map", "users_total", "or null", "number of running programs that use the map" },
	{ "map", "added", "",
	  "entries that the map has gained since it was first counted. Left out until it has been "
	  "counted twice" },
	{ "map", "like_id", "",
	  "id of a map of the same name, type and sizes that a running program uses, while no "
	  "program uses this one. Left out if a program uses it" },
	{ "map", "like_prog", "", "the program that uses the map `like_id`" },
	{ "map", "left_out", "or null",
	  "number of hashes and tries of running programs that have no object. Null if the number "
	  "is not known because the programs' tail calls and maps of maps were not read in full" },
	{ "page_pool", "id", "", "id of the pool, as netlink reports it" },
	{ "page_pool", "state", "", "`used`, then `gone` once all pages have come back" },
	{ "page_pool", "ifindex", "or null",
	  "last known ifindex of the device. Null if none was known" },
	{ "page_pool", "ifname", "or null", "last known name of the device" },
	{ "page_pool", "napi_id", "or null", "id of the NAPI instance that uses the pool" },
	{ "page_pool", "inflight", "", "pages that have not come back to the pool" },
	{ "page_pool", "inflight_mem", "in bytes", "memory of the pages in `inflight`" },
	{ "page_pool", "detached_at", "or null",
	  "when the driver gave the pool up. Null while the driver still uses it" },
	{ "page_pool", "stuck", "or null",
	  "readings in a row, 5 s or more apart, in which a pool that was given up got no page "
	  "back. Null while it is in use" },
	{ "page_pool", "left_out", "",
	  "further pools in the network namespace, without an object" },
	{ "socket", "state", "",
	  "`bound`, `unbound` (bind() was not called or failed), `device-gone`, then `gone` after "
	  "it was closed, or after others took its place in the list (`sockets_left_out`)" },
	{ "socket", "ifindex", "or null", "the device that the socket is bound to" },
	{ "sockets_left_out", "state", "",
	  "`counted`, then `gone` once all its sockets are listed "
	  "again" },
	{ "sockets_left_out", "netns", "or null",
	  "the network namespace. Null means all other namespaces together, if more than 4,095 "
	  "have such sockets or the kernel's lists changed while they were read" },
	{ "sockets_left_out", "left_out", "",
	  "sockets without a `socket` object. At most 65,536 sockets of a namespace are counted. 0 "
	  "means that the kernel refuses to list any" },
	{ "program", "state", "",
	  "`attached`, then `gone` once it has been detached" },
	{ "program", "statistics", "",
	  "1 while BPF statistics are on, else 0. Left out if unknown: before Linux 5.19, and "
	  "until the counters have been read twice" },
	{ "program", "runs_per_s", "in 1/s",
	  "runs between the last two readings, 5 s apart. Left out while statistics are off" },
	{ "program", "ns_per_run", "in ns", "average time of the runs between the last two "
					    "readings. Left out if there were none" },
	{ "program", "run_cnt", "",
	  "all runs that were counted since the program was loaded, as bpftool prog shows them. "
	  "Left out while statistics are off" },
	{ "program", "run_time_ns", "in ns", "total time of the runs in `run_cnt`" },
	{ "program", "pid", "or null",
	  "a process that has the program or its link open, the one with the lowest pid if there "
	  "are several" },
	{ "fib_lookup", "netns", "or null",
	  "network namespace of the device that a program ran for. Null for devices that the table "
	  "had no room for" },
	{ "fib_lookup", "result", "",
	  "what bpf_fib_lookup() returned, without BPF_FIB_LKUP_RET_, or `ERROR` (an errno), or "
	  "`UNKNOWN` (a result that is newer than xdptop)" },
	{ "fib_lookup", "lookups", "or null",
	  "calls in the interval. Null in the first object" },
	{ "fib_lookup", "lookups_total", "", "since xdptop started" },
	{ "packet_kind", "prog_id", "", "id of the program that the packets were given to" },
	{ "packet_kind", "state", "",
	  "`counted`, then `gone` once the program has ended" },
	{ "packet_kind", "act", "",
	  "what the program returned: `ABORTED`, `DROP`, `PASS`, `TX`, `REDIRECT`, or `UNKNOWN` for a "
	  "value that is not an action" },
	{ "packet_kind", "ethertype", "",
	  "`ARP`, `IPv4`, `IPv6`, `802.3` or a number, after VLAN tags. Kinds for which the table "
	  "of 1024 has no room are counted together, in one row each for ARP, IPv4, IPv6, "
	  "neighbour discovery and `other`" },
	{ "packet_kind", "protocol", "or null",
	  "what IP carries: `TCP`, `UDP`, `ICMP`, `ICMPv6`, `ICMPv6 ND` (neighbour discovery), "
	  "`SCTP`, `GRE` or a number" },
	{ "packet_kind", "length_to", "in bytes or null",
	  "upper limit of the packets' length in bytes (64, 128, 256, 512, 1024 or 1518). The "
	  "packets are longer than the next smaller limit. Null if they are longer than 1518" },
	{ "packet_kind", "packets", "or null", "sampled packets in the interval" },
	{ "packet_kind", "packets_total", "",
	  "sampled packets since xdptop started. The sample takes at most `--capture-rate` packets "
	  "a second from each program" },
	{ "verdict", "state", "",
	  "`counted`, then `gone` once its trace has ended" },
	{ "verdict", "interval_s", "in s", "length of the interval" },
	{ "verdict", "netns", "or null",
	  "network namespace of the device that received the packets. If it is null together with "
	  "`ifindex` and `queue`, the object sums the queues that the table had no room for" },
	{ "verdict", "act", "",
	  "`ABORTED`, `DROP`, `PASS`, `TX`, `REDIRECT`, or `UNKNOWN` for a value that is not an "
	  "action" },
	{ "verdict", "cpu", "", "the CPU that the program ran on. No object sums all CPUs" },
	{ "verdict", "packets", "or null",
	  "packets in the interval. Null if they were not counted during the whole interval" },
	{ "verdict", "bytes", "or null",
	  "length of the packets after the program ran, including all fragments" },
	{ "verdict", "packets_total", "", "since the trace began" },
	{ "verdict", "bytes_total", "", "since the trace began" },
	{ "verdict", "queue", "or null", "the receive queue" },
	{ "event", "time", "", "when it happened" },
	{ "event", "netns_name", "",
	  "name of the network namespace. Only for followed events, and left out if unknown" },
	{ "event", "ifname", "or null", "name of the device at that time" },
	{ "event", "to_netns", "or null",
	  "network namespace of the target device. With the fields below it identifies the series "
	  "that counted the event" },
	{ "event", "to_ifname", "or null", "name of the target device at that time" },
	{ "event", "map_index", "or null",
	  "the key in an xskmap or in a map of unknown type. In a followed event, the key in any "
	  "map" },
	{ "event", "cpu", "or null", "the CPU that the event happened on" },
	{ "event", "drops", "", "frames lost" },
	{ "event", "sched", "", "1 if the CPU's thread had slept before" },
	{ "event", "xdp_pass", "", "frames that the map's program passed" },
	{ "event", "xdp_drop", "", "frames that the map's program dropped" },
	{ "event", "xdp_redirect", "", "frames that the map's program redirected" },
	{ "event", "left_out", "",
	  "failures that this tracepoint has reported on this CPU since its previous event, and "
	  "that were counted but not listed" },
	{ "event", "pid", "or null",
	  "the process, if the event happened in one. For a change, the process that made it, if "
	  "known (`--list` says whether the kernel reports it)" },
	{ "event", "tracepoint", "or null",
	  "the tracepoint's name. Null for a change" },
	{ "event", "change", "", "what changed. Only for a change, whose `tracepoint` is null" },
	{ "event", "old", "", "the value before the change. Left out if there was none" },
	{ "event", "new", "", "the value after the change. Left out if there is none" },
	{ "event", "queue", "", "the queue of a refused bind. Only for `setup-refused`" },
	{ "event", "err", "or null",
	  "0 or the negative errno. Null if the event has none, or if it is not known" },
	{ "event", "holder", "",
	  "a process that holds the program or socket that changed or, if it was detached or "
	  "closed, held it. The text has the process' name, its pid in brackets, and +N for N more "
	  "processes. That process need not have made the change: `pid` and `comm` say which one "
	  "did" },
	{ "refused", "bpf_program", "", "name of the program" },
	{ "refused", "section", "", "what the program is attached to" },
	{ "refused", "consequence", "", "what is unknown without the program" },
	{ "refused", "reason", "", "what the kernel refused, and the errno" },
	{ "finding", "tracepoint", "or null", "the tracepoint whose counts are the evidence" },
	{ "finding", "state", "",
	  "`active`, or `cleared` once its cause has not been seen for 10 seconds, or once the "
	  "finding has become a consequence of another one" },
	{ "finding", "uncounted", "or null",
	  "`is off` while an active finding cannot be seen to clear, because the tracepoint of its "
	  "evidence is off" },
	{ "finding", "netns", "or null", "namespace of the device" },
	{ "finding", "netns_name", "or null", "name of the device's namespace" },
	{ "finding", "to_netns", "or null", "namespace of the target" },
	{ "finding", "to_cpu", "or null", "the target CPU" },
	{ "finding", "socket_inode", "or null", "inode of the socket, as in the `socket` object" },
	{ "finding", "queue", "or null", "queue of the device that the AF_XDP socket is bound to" },
	{ "finding", "text", "", "the place and the cause, in words" },
	{ "finding", "id", "",
	  "16 hex digits that identify the finding in its run, and are the same in a replay. If "
	  "the cause returns after the finding has cleared, the id is the same and first_seen is "
	  "new" },
	{ "finding", "clears", "or null",
	  "when the finding clears unless its cause is seen again. Until then nothing else in the "
	  "finding changes. Null while the cause is seen, and after the finding has cleared" },
	{ "finding", "count_since", "", "as `count`, summed since `first_seen`" },
	{ "incident", "from", "", "when its finding began, which is the earliest first_seen" },
	{ "incident", "to", "", "when its cause was last seen, as far as is known" },
	{ "incident", "state", "",
	  "`active` if it continues at the end of the requested span, else `cleared`" },
	{ "incident", "lost", "or null",
	  "packets lost in the incident. Null if the evidence is not a loss" },
	{ "incident", "count", "", "events or packets that are evidence of the incident" },
	{ "incident", "text", "", "the place and the cause, in words" },
	{ "incident", "id", "", "as in its finding" },
	{ "incident", "changes", "", "as in its finding when that first began" },
	{ "incident", "code", "", "as in its finding" },
	{ "incident", "netns", "or null", "namespace of the device" },
	{ "incident", "netns_name", "or null", "name of the device's namespace" },
	{ "incident", "to_netns", "or null", "namespace of the target" },
	{ "incident", "to_cpu", "or null", "the target CPU" },
	{ "end", "time", "", "when the last snapshot was taken" },
	{ "end", "seq", "", "number of the last snapshot, 0 if there was none" },
	{ "end", "reason", "",
	  "why the recording ended: `count` (the requested number is complete), `signal`, "
	  "`terminal` (the terminal went away), `failed` (the message is on stderr), `pipe` (a "
	  "replayed recording had no end) or `user` (key `o` stopped the recording)" },
	{ "end", "missed_total", "", "sum over all tracepoints" },
	{ "end", "overflow_total", "", "sum over all tracepoints" },
	{ "end", "events_lost_total", "", "sum over all tracepoints" },
};
/* clang-format on */

const struct field_help *field_help_at(size_t i)
{
	return i < sizeof(rows) / sizeof(rows[0]) ? &rows[i] : NULL;
}

/* How close a row is to a field; 0 = no match. */
static int closeness(const struct field_help *row, const char *object, const char *name)
{
	size_t len = strlen(name), end = strlen(row->name);

	if (row->object && strcmp(row->object, object))
		return 0;
	if (!strcmp(row->name, name))
		return row->object ? 4 : 3;
	if (row->name[0] != '_' || len < end || strcmp(name + len - end, row->name))
		return 0;
	return row->object ? 2 : 1;
}

const struct field_help *field_help_find(const struct record_object *object,
					 const struct record_field *field)
{
	const struct field_help *found = NULL;
	int best = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int close = closeness(&rows[i], object->type, field->name);

		if (close > best) {
			best = close;
			found = &rows[i];
		}
	}
	return found;
}

void field_help_kind(const struct field_help *help, const struct record_field *field, char *buf,
		     size_t size)
{
	static const char *const kinds[] = { [VALUE_COUNT] = "integer",
					     [VALUE_INTEGER] = "integer",
					     [VALUE_REAL] = "number",
					     [VALUE_TEXT] = "text",
					     [VALUE_LINES] = "texts" };

	snprintf(buf, size, "%s%s%s", kinds[field->type], *help->kind ? " " : "", help->kind);
}
