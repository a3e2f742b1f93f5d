// SPDX-License-Identifier: GPL-2.0-or-later
#include "schema/field_help.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct field_help rows[] = {
	{ NULL, "_per_s", "in 1/s or null", "per second, in the interval" },
	{ "socket", "_total", "", "since the socket was created" },
	{ "socket", "rx_dropped_total", "", "since the socket was created" },
	{ "cpu", "_events_total", "or null", "since the start" },
	{ "cpu", "_total", "", "since the start" },
	{ NULL, "type", "", "the name of this kind of object" },
	{ NULL, "schema", "", "1" },
	{ NULL, "version", "or null", "of xdptop" },
	{ NULL, "hostname", "or null", "of the machine" },
	{ NULL, "kernel", "or null", "its release, as `uname -r` prints it" },
	{ NULL, "time", "", "of the snapshot" },
	{ NULL, "cpus_possible", "",
	  "largest possible CPU number plus one. Numbers can have holes" },
	{ NULL, "cpus_online", "", "how many CPUs were online at the start" },
	{ NULL, "backend", "or null",
	  "`btf` or `classic`. Classic knows no namespaces and no types of maps" },
	{ NULL, "delay_s", "in s", "the interval that was asked for" },
	{ NULL, "devices", "or null",
	  "of which namespaces devices are known: `all`; `start`, those that were there at "
	  "the start; `none`" },
	{ NULL, "namespaces_left_out", "",
	  "namespaces at the start whose devices could not be read" },
	{ NULL, "devices_left_out", "",
	  "devices at the start that are not known, because 32768 are at most" },
	{ NULL, "page_size", "in bytes or null",
	  "of the machine's memory. Drivers limit the MTU for XDP by it" },
	{ NULL, "verdicts_pid", "",
	  "only with `--verdicts`, and where programs can be traced: the process that does" },
	{ NULL, "verdicts_caps", "",
	  "only with `verdicts_pid`: the capabilities that it keeps, "
	  "`CAP_SYS_ADMIN,CAP_PERFMON,CAP_BPF`" },
	{ NULL, "seq", "", "number of the snapshot" },
	{ NULL, "tracepoint", "", "the kernel's name" },
	{ NULL, "state", "",
	  "`on`; `off`; `missing`, not in this kernel; `failed`, the kernel refused; `shed`, "
	  "it cost more than the budget" },
	{ NULL, "reason", "or null", "why, for the last three states" },
	{ NULL, "events", "or null",
	  "how often it fired in the interval. Null when it is missing or failed and never "
	  "counted" },
	{ NULL, "events_total", "or null",
	  "since the start, also of series that are not in the table any more" },
	{ NULL, "events_per_s", "in 1/s or null",
	  "by the time that it was attached in the interval. 0 when somebody switched it off, "
	  "null when nobody knows" },
	{ NULL, "missed_total", "or null",
	  "events that were not counted because the program interrupted itself. Kernels "
	  "before 6.1 do not count that: 0 says nothing there" },
	{ NULL, "overflow_total", "or null",
	  "events that were counted without device and program, because the table of series "
	  "was full" },
	{ NULL, "ns_per_event", "in ns or null",
	  "measured cost of one event, with the kernel's dispatch. Null while too few were "
	  "timed" },
	{ NULL, "cpu_percent", "in percent or null",
	  "of its busiest CPU, in the interval. Null while it is not on" },
	{ NULL, "events_lost_total", "or null",
	  "rare events that were counted, but are in no `event`: the kernel's ring buffer was "
	  "full" },
	{ NULL, "interval_s", "in s", "since the snapshot before" },
	{ NULL, "netns", "or null", "network namespace of the device" },
	{ NULL, "netns_name", "or null",
	  "name of the network namespace: `init`, a name of `ip netns`, or a process in it "
	  "(`nginx/812`)" },
	{ NULL, "ifindex", "or null", "the device" },
	{ NULL, "ifname", "or null", "name of the device" },
	{ NULL, "to_netns", "or null", "namespace of the target device" },
	{ NULL, "to_ifindex", "or null", "the target device" },
	{ NULL, "to_ifname", "or null", "name of the target device" },
	{ NULL, "to_cpu", "or null", "the target CPU, where the target is a cpumap" },
	{ NULL, "prog_id", "or null", "id of the program" },
	{ NULL, "prog_name", "or null", "name of the program" },
	{ NULL, "map_type", "or null",
	  "`devmap`, `devmap_hash`, `cpumap`, `xskmap` and others, as bpftool names them. "
	  "Null for a redirect without a map" },
	{ NULL, "map_id", "or null", "id of the map" },
	{ NULL, "map_index", "or null", "the key in an xskmap, or in a map of unknown type" },
	{ NULL, "act", "or null",
	  "what the program returned (ABORTED, DROP, PASS, TX, REDIRECT, `UNKNOWN(n)`); for "
	  "tracepoints of one action that action" },
	{ NULL, "err", "or null", "0, or minus the errno. Null where the tracepoint has none" },
	{ NULL, "errname", "or null",
	  "the errno's name. Null when `err` is 0. It counts when a recording is read, "
	  "because numbers differ between architectures" },
	{ NULL, "cpu", "or null",
	  "null is all CPUs together, a number is the share of that CPU, up to 65,535. Add up "
	  "one or the other" },
	{ NULL, "packets", "or null",
	  "frames that the events cover: 1 for each xdp_exception and redirect; sent for "
	  "xdp_devmap_xmit and xdp_bulk_tx; processed for the cpumap, in native mode with the "
	  "drops; GSO segments for net_dev_queue" },
	{ NULL, "drops", "or null",
	  "frames lost at this event. For xdp_exception and the redirect errors each event is "
	  "one. One packet can be in two tracepoints" },
	{ NULL, "bytes", "or null", "net_dev_queue only" },
	{ NULL, "sched", "or null",
	  "xdp_cpumap_kthread only: how often the thread slept or yielded" },
	{ NULL, "xdp_pass", "or null",
	  "xdp_cpumap_kthread only: frames that the map's program passed" },
	{ NULL, "xdp_drop", "or null",
	  "xdp_cpumap_kthread only: frames that the map's program dropped" },
	{ NULL, "xdp_redirect", "or null",
	  "xdp_cpumap_kthread only: frames that the map's program redirected" },
	{ NULL, "packets_total", "or null", "since the start" },
	{ NULL, "drops_total", "or null", "since the start" },
	{ NULL, "bytes_total", "or null", "since the start" },
	{ NULL, "packets_per_s", "in 1/s or null", "in the interval" },
	{ NULL, "drops_per_s", "in 1/s or null", "in the interval" },
	{ NULL, "bytes_per_s", "in B/s or null", "in the interval" },
	{ NULL, "map_name", "or null", "name of `map_id`" },
	{ NULL, "to_prog_id", "or null",
	  "of a redirect or a bulk by a devmap: the program of its entry, which runs on the "
	  "frames before they are sent. Null where there is none, before 5.8 (bulks: 5.13), "
	  "and where entries with several programs lead there" },
	{ NULL, "to_prog_name", "or null", "name of that program" },
	{ NULL, "pod", "",
	  "pod of Kubernetes that the device leads to; left out where none is known" },
	{ NULL, "namespace", "", "of Kubernetes, that the pod is in" },
	{ NULL, "container", "",
	  "the container in that pod that the namespace is named after, the one with the "
	  "oldest process. Of docker and podman the container's name, without the other two" },
	{ NULL, "to_pod", "", "of the target, as in a sample; left out where none is known" },
	{ NULL, "to_namespace", "", "namespace of Kubernetes that this pod is in" },
	{ NULL, "to_container", "",
	  "container that the target device leads to, as in `container`" },
	{ NULL, "container_id", "or null",
	  "of the runtime, as `crictl inspect` takes it; 64 digits" },
	{ NULL, "pod_uid", "or null", "of the pod" },
	{ NULL, "kind", "or null",
	  "`veth`, `bond` and so on, as `ip -d link` shows it. Null for a NIC and for "
	  "loopback" },
	{ NULL, "mtu", "in bytes", "of the device" },
	{ NULL, "mode", "",
	  "where XDP is attached: `none`, `native`, `generic`, `offload`, or `multi` for more "
	  "than one" },
	{ NULL, "skb_prog_id", "or null", "the program in generic mode, also beside another one" },
	{ NULL, "xdp_features", "or null",
	  "what the driver can do now, comma separated: `basic`, `redirect`, `ndo-xmit` "
	  "(takes redirected frames), `xsk-zerocopy`, `hw-offload`, `rx-sg`, `ndo-xmit-sg`; "
	  "bits without a name in hex; `none` for none. Null where the kernel does not tell "
	  "(before 6.3)" },
	{ NULL, "peer_netns", "or null", "the other end of a veth or netkit" },
	{ NULL, "peer_ifindex", "or null", "ifindex of the other end of a veth or netkit" },
	{ NULL, "driver", "or null",
	  "its driver, as `ethtool -i` shows it; of a virtual device its kind" },
	{ NULL, "rx_packets_total", "or null",
	  "packets that it received since it exists, as its driver counts them (`ip -s "
	  "link`). Of this and the others up to `tx_errors`: for devices with XDP attached, "
	  "and targets of redirects, in the namespace of xdptop; null for others, and when "
	  "the kernel did not answer in time. A counter that goes back was reset" },
	{ NULL, "rx_packets_per_s", "in 1/s or null",
	  "in the interval; 0 in those in which the device is not written. Null where the "
	  "snapshot before did not have the counter, and where it went back" },
	{ NULL, "rx_missed_total", "or null",
	  "lost in the NIC, for want of a free buffer in its ring (`missed`)" },
	{ NULL, "rx_dropped_total", "or null",
	  "dropped by the driver or by the stack; what exactly differs between "
	  "drivers" },
	{ NULL, "tx_packets_total", "or null", "sent" },
	{ NULL, "tx_dropped_total", "or null", "dropped on their way out" },
	{ NULL, "tx_errors_total", "or null", "that could not be sent" },
	{ NULL, "carrier_changes_total", "or null",
	  "how often the carrier came or went; of all devices in that namespace" },
	{ NULL, "xdp_drop_total", "or null",
	  "what the driver counts of XDP (`ethtool -S`), all queues together, where xdptop "
	  "knows the driver's names of it. Of this and the others up to `rx_out_of_buffer`: "
	  "for devices with XDP attached in the namespace of xdptop, read every 5 seconds; "
	  "null where the driver does not count it. This one: packets that XDP dropped; with "
	  "some drivers those of XDP_ABORTED, too" },
	{ NULL, "xdp_drop_per_s", "in 1/s or null", "between the last two readings" },
	{ NULL, "xdp_aborted_total", "or null", "packets of XDP_ABORTED" },
	{ NULL, "xdp_invalid_total", "or null",
	  "packets for which the program returned no valid action" },
	{ NULL, "xdp_tx_total", "or null", "packets of XDP_TX" },
	{ NULL, "xdp_tx_errors_total", "or null", "packets of XDP_TX that were not sent" },
	{ NULL, "xdp_xmit_errors_total", "or null",
	  "frames that the device was given to send, by redirects or, with some drivers, also "
	  "by XDP_TX, and did not send" },
	{ NULL, "xdp_redirect_total", "or null", "packets that were redirected" },
	{ NULL, "xdp_redirect_errors_total", "or null", "packets whose redirect failed" },
	{ NULL, "rx_alloc_fail_total", "or null", "receive buffers that could not be allocated" },
	{ NULL, "rx_out_of_buffer_total", "or null",
	  "lost in the NIC, for want of a free buffer in its ring, where `rx_missed_total` "
	  "does not have all of them: vmxnet3, dpaa2; igb, igc and ixgbe, with those of "
	  "`rx_missed_total`" },
	{ NULL, "channels", "or null",
	  "those that receive (`ethtool -l`: combined and RX). Of this and the others up to "
	  "`offloads`: for the same devices as `rx_packets_total`, read every 10 seconds and "
	  "when the kernel says that something has changed; null where the driver does not "
	  "tell" },
	{ NULL, "channels_max", "or null", "the most that there can be" },
	{ NULL, "rx_ring", "or null", "descriptors of a receive ring (`ethtool -g`)" },
	{ NULL, "rx_ring_max", "or null", "the most that there can be" },
	{ NULL, "tx_ring", "or null", "descriptors of a transmit ring" },
	{ NULL, "tx_ring_max", "or null", "the most that there can be" },
	{ NULL, "mtu_max", "in bytes or null",
	  "the largest MTU that the driver takes, as the kernel tells it" },
	{ NULL, "offloads", "or null",
	  "what is on of the features that matter to XDP, comma separated, by the kernel's "
	  "names: `rx-lro`, `rx-gro-hw`, `rx-gro`, `rx-udp-gro-forwarding`, "
	  "`rx-vlan-hw-parse`, `rx-checksum`, `tx-checksum-ipv4`, `tx-checksum-ip-generic`, "
	  "`tx-checksum-ipv6`, `tx-scatter-gather`, `tx-tcp-segmentation`, "
	  "`tx-generic-segmentation`; `none` for none" },
	{ NULL, "number", "", "its place in `ethtool -S`, from 0 on" },
	{ NULL, "name", "or null", "as `ethtool -S` shows it" },
	{ NULL, "total", "", "what the driver says that it is" },
	{ NULL, "per_s", "in 1/s or null", "between the last two readings" },
	{ NULL, "left_out", "", "others of the device that are not 0" },
	{ NULL, "softnet_processed", "or null",
	  "packets that the receive softirq handed on; in the interval. Null in the first "
	  "snapshot of a CPU" },
	{ NULL, "softnet_dropped", "or null",
	  "packets that found the backlog of this CPU full; in the interval. Null in the "
	  "first snapshot of a CPU" },
	{ NULL, "time_squeeze", "or null",
	  "times that the softirq stopped with work left; in the interval. Null in the first "
	  "snapshot of a CPU" },
	{ NULL, "exception_events", "or null",
	  "events of xdp_exception. Null where none of them was on" },
	{ NULL, "redirect_err_events", "or null",
	  "events of xdp_redirect_err. Null where it was not on" },
	{ NULL, "redirect_events", "or null", "events of xdp_redirect. Null where it was not on" },
	{ NULL, "xmit_events", "or null",
	  "events of xdp_devmap_xmit, xdp_bulk_tx, xdp_cpumap_enqueue: bulks. Null where none "
	  "of them was on" },
	{ NULL, "cpumap_kthread_events", "or null",
	  "events of xdp_cpumap_kthread: polls. Null where none of them was on" },
	{ NULL, "net_dev_queue_events", "or null",
	  "events of net_dev_queue: skbs. Null where none of them was on" },
	{ NULL, "key", "or null", "of the entry; null is the map itself" },
	{ NULL, "qsize", "or null", "frames that the queue of a cpumap's entry can hold" },
	{ NULL, "fill", "or null", "frames that wait in it now" },
	{ NULL, "socket_inode", "or null",
	  "the AF_XDP socket of an xskmap's entry, `inode` of a `socket`" },
	{ NULL, "max_entries", "or null",
	  "slots of the map. These and the next are null in an entry" },
	{ NULL, "used", "or null",
	  "slots in use, of those read so far; null before the first one "
	  "was" },
	{ NULL, "slots_read", "or null",
	  "slots that were looked at so far: large maps are read in parts" },
	{ NULL, "users", "or null",
	  "ids of the programs that use the map, comma separated; the first four, attached "
	  "ones first" },
	{ NULL, "value_size", "in bytes or null", "of a value of the map" },
	{ NULL, "users_total", "",
	  "how many programs use the map; left out where not all are known, and in an entry" },
	{ NULL, "inode", "or null", "names the socket; as `ls -l /proc/PID/fd` shows it" },
	{ NULL, "queue", "or null", "the receive queue that it is bound to" },
	{ NULL, "queues", "or null", "receive queues that the device has now" },
	{ NULL, "zerocopy", "or null", "1 = zero-copy, 0 = copy" },
	{ NULL, "pid", "or null", "the process that holds it. Null where none can be seen" },
	{ NULL, "comm", "or null", "name of the process" },
	{ NULL, "umem_size", "in bytes or null", "of the memory for frames" },
	{ NULL, "chunk_size", "in bytes or null", "of one frame's" },
	{ NULL, "rx_size", "or null", "slots of the RX ring" },
	{ NULL, "rx_fill", "or null", "frames in it that the program has not taken" },
	{ NULL, "fill_size", "or null", "slots of the fill ring" },
	{ NULL, "fill_fill", "or null", "buffers in it that the kernel has not taken" },
	{ NULL, "tx_size", "or null", "slots of the TX ring" },
	{ NULL, "tx_fill", "or null", "frames in it that the kernel has not sent" },
	{ NULL, "completion_size", "or null", "slots of the completion ring" },
	{ NULL, "completion_fill", "or null",
	  "sent buffers in it that the program has not taken back" },
	{ NULL, "received", "or null",
	  "frames that the kernel put into the RX ring; in the interval. Null in the first "
	  "snapshot of it" },
	{ NULL, "transmitted", "or null",
	  "frames that it took from the TX ring, without invalid descriptors; in the "
	  "interval. Null in the first snapshot of it" },
	{ NULL, "rx_dropped", "or null",
	  "frames lost for another reason than the next two; in the interval. Null in the "
	  "first snapshot of it" },
	{ NULL, "rx_queue_full", "or null",
	  "frames lost because the RX ring was full; in the interval. Null in the first "
	  "snapshot of it" },
	{ NULL, "rx_fill_ring_empty", "or null",
	  "times that the kernel found no buffer in the fill ring; in the interval. Null in "
	  "the first snapshot of it. Sockets of one queue share the ring and this count" },
	{ NULL, "tx_invalid", "or null",
	  "descriptors in the TX ring that were no valid frame; in the interval. Null in the "
	  "first snapshot of it" },
	{ NULL, "tx_ring_empty", "or null",
	  "times that the kernel found the TX ring empty; in the interval. Null in the first "
	  "snapshot of it" },
	{ NULL, "fill_taken", "or null",
	  "buffers that the kernel took from the fill ring, without invalid addresses; in the "
	  "interval. Null in the first snapshot of it" },
	{ NULL, "fill_taken_total", "",
	  "since the socket was created. What exceeds `received_total`, of all sockets of the "
	  "queue, waits in the driver" },
	{ NULL, "fill_invalid", "or null",
	  "addresses in the fill ring that are outside of the UMEM; in the interval. Null in "
	  "the first snapshot of it. Sockets of one queue share the ring and this count" },
	{ NULL, "part_of", "or null",
	  "id of the dispatcher that this program is a part of, of several the lowest; null "
	  "is attached itself" },
	{ NULL, "parts", "", "programs that are a part of it" },
	{ NULL, "attached_by", "or null",
	  "`netlink`, as ip(8) does it, where it stays until it is taken off; `link`, where "
	  "it stays while the link is held" },
	{ NULL, "link_id", "or null", "the BPF link; of several the one with the lowest id" },
	{ NULL, "pinned", "or null", "1 = the program or its link is pinned in a BPF file system" },
	{ NULL, "holders", "or null", "how many processes have" },
	{ NULL, "processes", "or null",
	  "whose files were looked at: `all`, or `namespace`, those of the monitor's own pid "
	  "namespace, and others may hold it too" },
	{ NULL, "unheld", "or null",
	  "looks in a row in which no process, link, pin or part held it; 2 means two or more" },
	{ NULL, "loaded_at", "or null", "when it was loaded" },
	{ NULL, "uid", "or null", "of the user who loaded it" },
	{ NULL, "maps", "",
	  "ids of the maps that it redirects through, comma separated, the first twenty; left "
	  "out where there is none" },
	{ NULL, "maps_total", "",
	  "how many it redirects through; left out where not all are known" },
	{ NULL, "verdicts", "or null",
	  "whether its verdicts are counted: `on`; `off`, it was switched off; `asked`, it "
	  "will be soon; `refused`, it cannot be. This and the next four are left out without "
	  "`--verdicts`" },
	{ NULL, "verdicts_reason", "or null", "why it was refused" },
	{ NULL, "verdicts_missed", "",
	  "runs of the program that the kernel did not show, as `missed_total` of a "
	  "tracepoint. Left out where the number is not known, because the program ran before "
	  "it was counted: the next two say when" },
	{ NULL, "verdicts_unseen_from", "",
	  "a program that is attached while xdptop runs can run before it is counted. It was "
	  "not attached at this time. Left out where all its runs are counted, or it was "
	  "attached before xdptop began" },
	{ NULL, "verdicts_unseen_until", "",
	  "from this time on all its runs are counted. Left out until they are" },
	{ NULL, "trace", "",
	  "a program that is counted again after it was switched off has a higher one, and "
	  "counts from 0" },
	{ NULL, "unseen_from", "",
	  "as `verdicts_unseen_from` of its program: what it returned from then to "
	  "`unseen_until` is in no object. Left out where nothing is missing" },
	{ NULL, "unseen_until", "", "when the trace began" },
	{ NULL, "text", "or null",
	  "what happened: the kernel's message, or errno, target and frames" },
	{ NULL, "follow", "",
	  "of what `--follow` or the key `l` asked for: `event`; or `lost`: no event, but "
	  "`left_out` of them found the ring full, and no event followed on their CPU. "
	  "Left out of all other objects, as are the fields from `sent` on; an event with it "
	  "has nanoseconds in `time`" },
	{ NULL, "sent", "",
	  "this field and those below are the tracepoint's arguments by the kernel's names, "
	  "where it has them" },
	{ NULL, "processed", "", "frames" },
	{ NULL, "len", "", "bytes of the skb" },
	{ NULL, "protocol", "", "of the skb, an ethertype in host byte order" },
	{ NULL, "queue_mapping", "", "its TX queue" },
	{ NULL, "gso_segs", "", "its GSO segments" },
	{ NULL, "mem_id", "", "of the allocator" },
	{ NULL, "mem_type", "", "`enum xdp_mem_type`" },
	{ NULL, "code", "", "`target-down`, `aborted` and so on. `xdptop -e CODE` explains it" },
	{ NULL, "severity", "", "`info`, `warning` or `critical`" },
	{ NULL, "first_seen", "", "a time" },
	{ NULL, "last_seen", "", "a time" },
	{ NULL, "count", "",
	  "events or packets of evidence in this interval; 0 when it was not seen in it" },
	{ NULL, "count_total", "", "as `count`, in all intervals together" },
	{ NULL, "next", "",
	  "commands to look and to mend, each ready for a shell. Empty when there is none" },
	{ NULL, "lost_per_s", "or null",
	  "packets lost in this interval, per second that the tracepoint was attached, by it "
	  "or by its consequences. Null when the evidence is not a loss. The objects of a "
	  "snapshot come with the largest loss first, those of severity `info` last" },
	{ NULL, "consequences", "",
	  "codes of findings that this one explains, at the same place. These have no objects "
	  "of their own as long as it does. Empty when there is none" },
	{ "header", "time", "", "when counting began" },
	{ "tracepoint", "seq", "", "number of the snapshot, from 1 on" },
	{ "sample", "events", "", "how often it fired" },
	{ "sample", "events_total", "",
	  "since the start. A series that was idle for long is forgotten when the table "
	  "fills: when it comes back it counts from 0. So does one whose device was replaced "
	  "by another with the same numbers. A replay keeps the 16,384 that changed last" },
	{ "sample", "events_per_s", "in 1/s or null",
	  "in the interval. Null when `interval_s` is 0" },
	{ "sample", "interval_s", "in s",
	  "how long the tracepoint was attached in the interval; 0 when it was not" },
	{ "sample", "netns", "or null",
	  "namespace of the device; for bpf_xdp_link_attach_failed that of the process; for "
	  "netlink_extack that of its socket" },
	{ "sample", "ifindex", "or null",
	  "the device that the event names: mostly where the packet came in; for "
	  "net_dev_queue where it goes out" },
	{ "sample", "ifname", "or null", "name of the device. It follows a rename" },
	{ "sample", "prog_id", "or null", "the XDP program" },
	{ "sample", "pod", "",
	  "the pod of Kubernetes that the device leads to: it, or its peer, is in the network "
	  "namespace of that pod. This and the next five are left out where nothing is known, "
	  "also in other objects; CSV has empty cells. They tell what the objects `pod` say, "
	  "so a replay takes them from there" },
	{ "sample", "to_pod", "", "pod of Kubernetes that the target device leads to" },
	{ "pod", "state", "",
	  "`used`, or `gone` when no process of it is left there: this is its last object" },
	{ "pod", "netns", "or null", "the network namespace" },
	{ "pod", "pod", "or null", "name of the pod" },
	{ "pod", "namespace", "or null", "of Kubernetes, that the pod is in" },
	{ "pod", "container", "or null",
	  "the container in that pod that the namespace is named after, the one with the "
	  "oldest process. Of docker and podman the container's name, without the other two" },
	{ "device", "state", "",
	  "`up`; `no-carrier`; `down`; `gone`, deleted: the values are the last ones seen" },
	{ "device", "ifindex", "or null", "with netns it names the device" },
	{ "device", "ifname", "or null", "name of the device now" },
	{ "device", "prog_id", "or null",
	  "the program; of several the native one, else the offloaded one, else the generic "
	  "one" },
	{ "ethtool_stat", "state", "",
	  "`used`, or `gone` when it is none of those any more: this is its last object" },
	{ "ethtool_stat", "netns", "or null", "with ifindex it names the device" },
	{ "cpu", "cpu", "", "its number" },
	{ "map_entry", "state", "",
	  "`used`, or `gone` when there is none any more: this is its last object" },
	{ "map_entry", "to_netns", "or null", "namespace of the device of a devmap's entry" },
	{ "map_entry", "to_ifindex", "or null", "that device" },
	{ "map_entry", "to_cpu", "or null", "the CPU of a cpumap's entry" },
	{ "map_entry", "prog_id", "or null",
	  "the entry's program, which runs after the redirect" },
	{ "map_entry", "map_type", "or null", "`devmap`, `devmap_hash`, `cpumap` or `xskmap`" },
	{ "map_entry", "map_name", "or null", "name of the map" },
	{ "socket", "state", "",
	  "`bound`; `unbound`, bind() was not called or failed; `device-gone`; `gone`, "
	  "closed, or no longer listed because others got its place (`sockets_left_out`): its "
	  "last object" },
	{ "socket", "ifindex", "or null", "the device that it is bound to" },
	{ "sockets_left_out", "state", "",
	  "`counted`, or `gone` when all its sockets are listed again: this is its last "
	  "object" },
	{ "sockets_left_out", "netns", "or null",
	  "the network namespace. Null for all others, where more than 4,095 have such "
	  "sockets, or where the kernel's lists changed while they were read" },
	{ "sockets_left_out", "left_out", "",
	  "sockets in no `socket`. Of one namespace 65,536 sockets are counted at most" },
	{ "program", "state", "",
	  "`attached`, or `gone` when it no longer is: this is its last object" },
	{ "program", "pid", "or null",
	  "a process that has the program or its link open; of several the one with the "
	  "lowest pid" },
	{ "verdict", "state", "",
	  "`counted`, or `gone` when its trace has ended: this is its last object" },
	{ "verdict", "interval_s", "in s", "length of the interval" },
	{ "verdict", "netns", "or null",
	  "namespace of the device that the packets came in on. Null with `ifindex` and "
	  "`queue` is what found no place: of more queues than fit" },
	{ "verdict", "act", "",
	  "`ABORTED`, `DROP`, `PASS`, `TX`, `REDIRECT`, or `UNKNOWN` for a value that is not an action" },
	{ "verdict", "cpu", "", "the CPU that the program ran on. There is no object of all CPUs" },
	{ "verdict", "packets", "or null",
	  "in the interval. Null where it was not counted all the time" },
	{ "verdict", "bytes", "or null",
	  "their length as the program left them, all fragments together" },
	{ "verdict", "packets_total", "", "since the trace began" },
	{ "verdict", "bytes_total", "", "since the trace began" },
	{ "verdict", "queue", "or null", "the receive queue" },
	{ "event", "time", "", "when it happened" },
	{ "event", "netns_name", "",
	  "name of the network namespace; only of followed events, and left out where it is "
	  "not known" },
	{ "event", "ifname", "or null", "as it was then" },
	{ "event", "to_netns", "or null",
	  "namespace of the target device. With the fields below it names the series that "
	  "counted the event" },
	{ "event", "to_ifname", "or null", "as it was then" },
	{ "event", "map_index", "or null",
	  "the key in an xskmap, or in a map of unknown type; of a followed event the key of "
	  "any map" },
	{ "event", "cpu", "or null", "where it happened" },
	{ "event", "drops", "", "frames" },
	{ "event", "sched", "", "1 = the CPU's thread has slept before" },
	{ "event", "xdp_pass", "", "verdicts of the cpumap's program" },
	{ "event", "xdp_drop", "", "frames that the map's program dropped" },
	{ "event", "xdp_redirect", "", "frames that the map's program redirected" },
	{ "event", "left_out", "",
	  "failures of this tracepoint on this CPU that were counted since its event before, "
	  "and not listed" },
	{ "event", "pid", "or null", "the process, where the event happened in one" },
	{ "finding", "tracepoint", "or null", "whose counts are the evidence" },
	{ "finding", "state", "",
	  "`active`, or `cleared` when its cause was not seen for 10 seconds, or when it is a "
	  "consequence of another finding from now on" },
	{ "finding", "netns", "or null", "namespace of the device" },
	{ "finding", "netns_name", "or null", "its name" },
	{ "finding", "to_netns", "or null", "namespace of the target" },
	{ "finding", "to_cpu", "or null", "the target CPU" },
	{ "finding", "socket_inode", "or null", "the socket, as in `socket`" },
	{ "finding", "queue", "or null", "of the device, that the AF_XDP socket is bound to" },
	{ "finding", "text", "", "place and cause in words" },
	{ "end", "time", "", "of the last snapshot" },
	{ "end", "seq", "", "number of the last snapshot; 0 when there was none" },
	{ "end", "reason", "",
	  "`count`, as many as were asked for; `signal`; `terminal`, which went away; "
	  "`failed`, and the message is on stderr; `pipe`, of a replay whose recording had no "
	  "end; `user`, who ended what the key `o` began" },
	{ "end", "missed_total", "", "the sum over all tracepoints" },
	{ "end", "overflow_total", "", "the sum over all tracepoints" },
	{ "end", "events_lost_total", "", "the sum over all tracepoints" },
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
