# SPDX-License-Identifier: GPL-2.0-or-later
# fish completion for xdptop. The text between BEGIN and END comes from the program's tables: make tables

function __xdptop_formats
	# BEGIN fish formats
	printf '%s\t%s\n' \
		text 'tables as on the screen, one for each snapshot' \
		json 'JSON Lines, one object per line, which -r replays' \
		csv 'RFC 4180: rows of the view given with -v, or else the same samples as json' \
		prometheus 'counters since the start, and active findings (with --to, for node_exporter\'s textfile collector)'
	# END fish formats
end

function __xdptop_views
	# BEGIN fish views
	printf '%s\t%s\n' \
		overview 'whether XDP loses packets, with the worst findings, each device with XDP, its packets and the result, and the newest changes' \
		findings 'likely causes with the next commands (e), including past ones, marked cleared' \
		flows 'from which device to which target packets were queued, failed, sent and dropped, and how well they are bulked' \
		errors 'what failed, where, and why (a packet may be listed twice, as xdp_redirect_err and as xdp_exception)' \
		devices 'every device with XDP attached or with events, with packets that came in on it (queued, failed, exceptions) and packets that it was given to send (packets, drops)' \
		programs 'every XDP program that is attached or was seen, with its device, what it redirects, how much of that fails, who holds it, and what it drops and passes (--verdicts)' \
		maps 'every map that programs redirect through, with the device, CPU or AF_XDP socket of each entry, and how full the hashes and LPM tries of running programs are, problems first' \
		sockets 'every AF_XDP socket, with its owner, how full its rings are, and what it receives, sends and loses' \
		events 'all rare events, a sample of failures, and how many were left out, newest first' \
		cpumap 'frames that cpumaps queued, dropped and processed, by source and target CPU' \
		queues 'every receive queue of the devices with XDP, with its packets, the CPU, interrupt or thread that serves it, and its AF_XDP socket' \
		cpus 'what each CPU does, with XDP events by stage, polls of its cpumap threads, and its receive softirq (packets handed on, packets lost, stops with work left)' \
		stack 'packets queued by the network stack, by device (net_dev_queue), with skbs as EVENTS and GSO segments as PKTS' \
		packets 'a sample of what programs drop and pass, by protocol (--verdicts)' \
		tracepoints 'every tracepoint: its cost, and whether it is on, fires or reports losses (on the screen, Space or its digit switches it on or off)' \
		changes 'programs attached, replaced and detached, and links, settings, map entries, sockets and CPUs that changed, newest first' \
		timeline 'the incidents of a recording, and what changed before each' \
		follow 'each followed event (key l, --follow), newest first, with its arguments, and how many were lost'
	# END fish views
end

function __xdptop_columns
	# BEGIN fish columns
	printf '%s\t%s\n' \
		key 'the key that switches the tracepoint on or off. In the maps view, the key of the entry' \
		tracepoint 'the kernel\'s tracepoint that counted this' \
		state 'on, off, missing (not in this kernel), failed, shed (cost more than --budget), or switching (...). A socket is bound, unbound, or device-gone' \
		events_per_s 'how often the tracepoint fired. One event may cover a whole bulk of packets' \
		packets_per_s 'packets that the events cover (sent for devmap_xmit and bulk_tx, processed for cpumap, otherwise one for each event). The flows view counts only packets sent or enqueued' \
		drops_per_s 'packets lost at this tracepoint. In the flows view they are counted at devmap_xmit, bulk_tx and cpumap_enqueue, so failed redirects are not included' \
		bytes_per_s 'bytes queued by the stack (net_dev_queue). XDP tracepoints carry no length' \
		events_total 'events since the start, or since the baseline set with r' \
		packets_total 'packets since the start or the baseline, counted as in PKTS/S' \
		drops_total 'packets lost since the start or the baseline, counted as in DROPS/S' \
		bytes_total 'bytes queued by the stack since the start or the baseline (net_dev_queue)' \
		drop_percent 'share of the packets handed to the target that it did not take (devmap_xmit, bulk_tx, cpumap)' \
		bulk 'average number of packets in a bulk, at best 16 for devmap_xmit and 8 for cpumap. 1 means no bulking' \
		size 'average size of a packet queued by the stack, in bytes. Each GSO segment counts as a packet' \
		ns_per_event 'measured cost of one event: the tracepoint\'s dispatch and xdptop\'s program together' \
		cpu_percent 'share of its busiest CPU that counting this tracepoint takes' \
		last_seen 'how long ago the row last counted something, or - if never (in a replay, in the part that was read)' \
		netns 'network namespace of the device (its name, or + and the last six digits of its inode). Filters also take ns: and all digits' \
		pod 'pod that holds the device or its peer, as namespace/pod, or the name of a docker or podman container. The column is shown if any pod is known' \
		to_pod 'pod of the target, if the target is a device' \
		ifname 'the device that the packet came in on. In the stack view, the device that the packet leaves by. For a socket, the device that it is bound to' \
		target 'the destination: a device (with its namespace if that differs), a CPU (cpumap), an AF_XDP socket, or back out (TX). For a map, how many slots are in use' \
		prog_name 'the attached XDP program, or the first one of a dispatcher or of tail calls. For a map, the programs that use it. For its entry, the program that runs after the redirect' \
		errname 'errno, action of an exception, or drops (packets lost without an errno)' \
		meaning 'what the error means (press e for more)' \
		reason 'why the tracepoint is missing, failed or shed' \
		cpu 'the CPU that counted, or that an event happened on, or - for all CPUs. In the queues view, the CPU that the queue\'s interrupt goes to, that its thread last ran on, or with --verdicts that handled its packets' \
		share 'this CPU\'s share of the row\'s events' \
		queued_per_s 'packets queued for the target, not yet sent (xdp_redirect)' \
		failed_per_s 'redirects that failed before they were queued (xdp_redirect_err)' \
		lost_per_s 'FAILED/S plus DROPS/S: packets lost before or after they were queued. No packet is in both. For a finding, the lost packets that are its evidence. For a socket, the sum of RXDROP/S, RXFULL/S and TXINVAL/S. In the overview, packets lost in the program or after it, except by XDP_DROP, and frames that AF_XDP sockets could not send because of invalid descriptors' \
		errors_per_s 'packets lost at this tracepoint, or its events if it counts no packets' \
		errors_total 'errors since the start or the baseline, counted as in ERRORS/S' \
		prog_id 'the program\'s id, as bpftool prog show id takes it' \
		exceptions_per_s 'packets that xdp_exception reported (aborted, bad return value, or failed in the driver). Many drivers also report failed redirects here' \
		mode 'how XDP is attached (native, generic with an skb for each packet, offload, multi, or none). For a socket, zero-copy or copy' \
		link 'state of the device (up, no-carrier, down, or gone if deleted). For a socket in a map, bound, unbound, or device-gone' \
		mtu 'largest packet that the device sends, without the link-layer header' \
		peer 'the other end of a veth or netkit, with its namespace if that differs. For a VLAN or macvlan, the device below it' \
		master 'the bridge, bond or other device that the device is a member of' \
		features 'current XDP features of the device (since Linux 6.3). Without ndo-xmit it accepts no redirected frames' \
		driver 'driver of the device, as ethtool -i shows it, or the kind of a virtual device' \
		rx_missed_per_s 'packets that the NIC lost before XDP because its ring was full (rx_missed, or rx_out_of_buffer if the driver counts those separately). Only devices with XDP have a value. The total counts from the creation of the device, or from the baseline' \
		hw_drop_per_s 'received packets that the driver or the stack dropped (rx_dropped of ip -s link), counted like RX-MISS/S. Some drivers include XDP_DROP and failed redirects. For a queue, packets lost in the NIC (qstats)' \
		in_per_s 'packets that reached the XDP program, or - if nothing counts them. This and the next four come from --verdicts, else from the driver\'s counters, else from tracepoints. The details (Enter) name the source' \
		pass_per_s 'packets that the program passed to the stack (XDP_PASS). The column is shown if they are counted for a device' \
		drop_per_s 'packets that the program dropped by its verdict (XDP_DROP)' \
		tx_per_s 'packets that the program sent back out of the device (XDP_TX), shown like PASS/S' \
		redirect_per_s 'packets that the program redirected (XDP_REDIRECT)' \
		result 'what happens to the device\'s packets now: its worst finding, what is lost or dropped, or what is not counted. "nothing lost" also covers the network stacks that the packets reached. If the stacks\' counters are not known, the column says "no loss seen by XDP"' \
		verdict_aborted_per_s 'packets that the program lost with XDP_ABORTED, or n/a if this program cannot be traced. This and the other verdicts need --verdicts' \
		verdict_drop_per_s 'packets that the program dropped (XDP_DROP). A device shows those of the programs attached to it' \
		verdict_pass_per_s 'packets that the program passed to the stack, or to the next part of a dispatcher (XDP_PASS)' \
		verdict_tx_per_s 'packets for which the program returned XDP_TX. xdp_bulk_tx or the driver\'s counters show whether they were sent' \
		verdict_redirect_per_s 'packets that the program redirected (XDP_REDIRECT), including those in FAILED/S, which were not queued' \
		verdict_unknown_per_s 'packets lost because the program returned a value that is not an action' \
		verdict_bytes_per_s 'bytes of all packets that the program handled, measured after it ran' \
		verdicts 'on or off: whether the program\'s verdicts are counted; asked: counting will begin soon. Otherwise why they cannot be counted. Also says when the program ran without being counted' \
		warning 'problem of the device, or of a map\'s target, according to the active findings' \
		devices 'devices that the program is attached to, or was seen on' \
		owner 'who holds the program or, in the changes view, held it until then: a process (its pid, and +N for N more), a pin, the parts of a dispatcher, or a link that no visible process holds. The word none means that the program stays attached although nothing holds it' \
		held 'what keeps the program attached: netlink (until it is detached), a link (while someone holds the link), or a pin (while the program or the link is pinned)' \
		age 'how long ago the program was loaded' \
		runs_per_s 'how often the program ran, in the last 5 s, or off while BPF statistics are off (sysctl kernel.bpf_stats_enabled). The statistics cost time in every run of every BPF program, so xdptop does not switch them on' \
		ns_per_run 'nanoseconds that one run took on average, counted like RUNS/S' \
		from_cpu 'the CPU that put packets into the queue. The row of a queue shows how many CPUs did' \
		map_name 'the map\'s name, or its type and id, with the socket\'s slot in it' \
		taken_per_s 'packets that the CPU\'s thread took out of its queue (xdp_cpumap_kthread)' \
		taken_drops_per_s 'packets lost after the queue because there was no memory for an skb (xdp_cpumap_kthread drops)' \
		sleep_percent 'share of the polls in which the CPU\'s thread slept or yielded (sched). Near 0 the CPU is saturated' \
		xdp_pass_per_s 'packets that the cpumap\'s program passed to the stack, 0 without a program' \
		xdp_drop_per_s 'packets that the cpumap\'s program dropped, or could not redirect' \
		xdp_redirect_per_s 'packets that the cpumap\'s program redirected again' \
		time 'when the event happened, in local time (in the follow view, with nanoseconds)' \
		gap 'time since the previous followed event, on any CPU, or - if that event is not listed' \
		process 'the process (and its pid) whose attach failed, that made the change (if known), or that holds the socket. OWNER shows who holds the program or socket' \
		left_out 'earlier events of the same tracepoint and CPU that are counted but not listed: failures in the events view, and events that found the ring full in the follow view' \
		text 'what happened, in words' \
		change 'what changed: a program, a setting, or a map entry (-e NAME explains one)' \
		old 'the value before the change, or - if there was none' \
		new 'the value after the change, or - if there is none' \
		args 'the tracepoint\'s arguments, by the kernel\'s names' \
		severity 'C critical (packets are lost), W warning, I info, U unknown (its tracepoint is off), - cleared (its cause has not been seen for 10 s). In a filter, write the word' \
		number 'the digit that goes to the incident on the screen' \
		from 'when the incident began, in local time' \
		to 'when its cause was last seen, with + if it continues at the end of the recording' \
		lost 'packets lost in the incident, or - if its cause is not a loss' \
		changes 'changes in the 10 seconds before the incident, at its device, program or map, or - if none' \
		code 'kind of finding (xdptop -e CODE explains it)' \
		count_total 'packets or events that are the evidence, since the start' \
		since 'how long ago the finding was first seen' \
		xmit_events_per_s 'bulks handed to a device or another CPU\'s queue (xdp_devmap_xmit, xdp_bulk_tx, xdp_cpumap_enqueue)' \
		cpumap_kthread_events_per_s 'polls of the CPU\'s cpumap threads (xdp_cpumap_kthread)' \
		net_dev_queue_events_per_s 'skbs that the stack queued for transmission on the CPU (net_dev_queue)' \
		softnet_processed_per_s 'packets that the CPU\'s receive softirq passed on (/proc/net/softnet_stat). For native XDP these are the packets that the driver\'s poll counts' \
		softnet_dropped_per_s 'skbs lost before generic XDP and the stack see them, because the CPU\'s backlog was full (softnet_stat dropped)' \
		softnet_dropped_total 'skbs lost since the start or the baseline' \
		time_squeeze_per_s 'times that the softirq stopped with work left because its budget or time was used up. Many stops of a busy CPU mean that it is too slow for its packets' \
		map_id 'the map\'s id, as bpftool map dump id takes it' \
		map_type 'type of a map that packets are redirected through (devmap, devmap_hash, cpumap or xskmap), or of a map that can become full (hash, percpu_hash, lru_hash, lru_percpu_hash, rhash or lpm_trie)' \
		qsize 'packets that the queue of a cpumap entry can hold' \
		fill_percent 'share in use of a hash, an LPM trie, a cpumap entry\'s queue or a socket\'s fill ring. At 0 a fill ring has no buffer for the next packet, unless the driver still holds some' \
		entries 'entries of a hash or LPM trie, counted every 5 s, or n/a if this kernel does not count them' \
		entries_per_s 'entries a second that the map gained between the last two counts' \
		full_in_s 'time until the map is full, if it continues to grow at this rate' \
		used 'slots in use in a map that packets are redirected through' \
		max_entries 'slots of the map: the maximum number of its entries' \
		queue 'the receive queue and, after a slash, the number of queues of the device, or the queue that a socket is bound to. Filters compare the first number' \
		rx_packets_per_s 'packets received on the queue, including those that XDP took, as counted by its driver (qstats, every 5 s) or else by --verdicts, or n/a if neither counts them' \
		napi_id 'id of the NAPI that polls the receive queue (since Linux 6.8), or n/a if the driver does not report it' \
		irq 'the queue\'s interrupt, as in /proc/interrupts, or the thread of its NAPI, as thread PID, or - for a virtual device, whose packets are handled on the CPU that sends them' \
		node 'NUMA node of the queue\'s CPU. With 1/0, the CPU is on node 1 and the device on node 0' \
		socket 'the process with an AF_XDP socket on the queue, and its pid (+N for N more sockets), or bound if the driver has a socket whose process cannot be seen' \
		rx_percent 'how full the socket\'s RX ring is with packets that the program has not read yet' \
		tx_percent 'how full the socket\'s TX ring is with packets that the kernel has not taken yet' \
		completion_percent 'how full the socket\'s completion ring is with sent buffers that the program has not taken back' \
		received_per_s 'packets that the kernel put into the socket\'s RX ring' \
		transmitted_per_s 'packets that the kernel took from the socket\'s TX ring' \
		rx_dropped_per_s 'packets lost at the socket although its RX ring was not full, because no buffer was free (copy mode), or because the packet was too long for a buffer' \
		rx_queue_full_per_s 'packets lost because the RX ring was full: the program is too slow, or does not poll' \
		rx_fill_ring_empty_per_s 'times that the kernel found no buffer in the fill ring. In zero-copy mode the device can then lose packets that no other column counts. Sockets that share the ring show the same count' \
		fill_invalid_per_s 'invalid addresses that the program put into the fill ring, which the kernel discards. Sockets that share the ring show the same count' \
		tx_invalid_per_s 'invalid descriptors in the TX ring, whose packets were not sent' \
		tx_ring_empty_per_s 'times that the kernel found the TX ring empty, with nothing to send' \
		rx_size 'slots of the socket\'s RX ring' \
		fill_size 'slots of the socket\'s fill ring' \
		tx_size 'slots of the socket\'s TX ring' \
		completion_size 'slots of the socket\'s completion ring' \
		umem_size 'bytes of the socket\'s UMEM, the memory for its packets' \
		chunk_size 'bytes of one buffer in the UMEM' \
		inode 'inode of the socket, as ls -l /proc/PID/fd shows it' \
		act 'what the program returned for these packets' \
		frame_type 'type of the Ethernet frame, after VLAN tags. Kinds for which the table of 1024 has no room are counted together, most of them as other' \
		protocol 'protocol that IP carries. ICMPv6 ND is neighbour discovery, the ARP of IPv6' \
		length_to 'upper limit of the packets\' length in bytes (64, 128, 256, 512, 1024 or 1518), or "more" for longer packets' \
		packets_sampled 'sampled packets since the start or the baseline. The sample takes at most --capture-rate packets a second from each program, so a rare kind can be missing' \
		sample_percent 'share of the program\'s packets in the sample'
	# END fish columns
end

function __xdptop_tracepoints
	# BEGIN fish tracepoints
	printf '%s\t%s\n' \
		xdp_exception 'a program aborted, returned a bad value, or its TX or redirect failed in the driver' \
		xdp_redirect_err 'a redirect failed before the frame was queued, for the reason that the errno names' \
		xdp_redirect 'a frame has been queued for its target but not yet sent (devmap_xmit, cpumap or the socket counts what is sent)' \
		xdp_devmap_xmit 'queued frames were handed to the target device, which sent or dropped them (native mode only)' \
		xdp_bulk_tx 'XDP_TX frames were sent back out of their device, or dropped (fired by veth and by drivers that use libeth, such as idpf, which also report redirected frames here)' \
		xdp_cpumap_enqueue 'frames were put into another CPU\'s queue (in native mode `processed` includes the drops)' \
		xdp_cpumap_kthread 'the target CPU took frames from its queue (the event also says whether it had time to sleep)' \
		net_dev_queue 'the stack queued an skb for transmission (XDP_TX and redirected frames do not pass here)' \
		bpf_xdp_link_attach_failed 'attaching an XDP program through a BPF link failed (the event has the driver\'s message)' \
		netlink_extack 'attaching an XDP program over netlink (ip, bpftool, libbpf) was refused (the event has the kernel\'s message)' \
		mem_connect 'an RX queue got its memory allocator (page pool or AF_XDP)' \
		mem_disconnect 'an RX queue released its memory allocator'
	# END fish tracepoints
end

function __xdptop_findings
	# BEGIN fish findings
	printf '%s\t%s\n' \
		target-down 'frames are redirected to a device that is down (ENETDOWN)' \
		broadcast-member 'a redirect to all members of a devmap (BPF_F_BROADCAST) fails, but not because of the device that the key names. The severity is info if native mode only skips a member that is down' \
		frame-too-big 'redirected frames are longer than the target\'s MTU (EMSGSIZE)' \
		target-needs-program 'the target of a redirect sends XDP frames only while it has a native XDP program (EOPNOTSUPP, or ENXIO or EINVAL before Linux 6.3)' \
		target-cannot-receive 'the target of a redirect cannot transmit XDP frames now (EOPNOTSUPP)' \
		redirect-loop 'programs on both ends of a veth, or of several veths, send the same frames back and forth, 10,000 a second or more, in two intervals in a row' \
		no-such-ifindex 'a program redirects to an ifindex that is not in its device\'s namespace (EINVAL)' \
		no-redirect-helper 'a program returns XDP_REDIRECT without calling a redirect helper, or although the helper refused its flags (EBADRQC)' \
		redirect-failed 'redirects fail for another reason, and the text has the errno and its meaning' \
		aborted 'a program returns XDP_ABORTED, or redirects into an empty map slot. The severity is info below 1 % of the device\'s packets, and a warning if their number is not known' \
		bad-return-value 'a program returns a value that is not a valid XDP action' \
		tx-failed 'XDP_TX could not send frames back' \
		xsk-ring-full 'an AF_XDP socket\'s receive ring is full in two intervals within 10 s, because its program reads too slowly (ENOBUFS)' \
		xsk-fill-empty 'an AF_XDP socket\'s fill ring is empty in two intervals within 10 s, because its program returns buffers too slowly (ENOMEM)' \
		xsk-unbound 'an AF_XDP socket in the xskmap is not bound, in two intervals within 10 s (ENXIO)' \
		xsk-wrong-queue 'packets came in on a device or queue that the AF_XDP socket is not bound to (EINVAL)' \
		xsk-no-space 'packets do not fit the AF_XDP socket\'s frames, or, up to Linux 5.15, its receive ring is full or its fill ring empty (ENOSPC)' \
		target-ring-full 'the target drops queued frames without an errno, because its ring is full or a devmap program drops them' \
		egress-program-drops 'a devmap program drops frames on the way out' \
		target-not-ready 'the target\'s driver refuses queued frames (xdp_devmap_xmit with an errno)' \
		cpumap-queue-full 'the queue of a cpumap\'s target CPU is full in two intervals within 10 s, or loses half of the packets in one' \
		cpumap-cpu-busy 'the queue of a cpumap\'s target CPU is full, and its cpumap thread hardly ever sleeps, so it cannot do more' \
		cpumap-program-drops 'the program of a cpumap entry drops every frame, 100 a second or more, in two intervals in a row. The severity is info if the program drops only some' \
		cpumap-same-cpu 'a cpumap gets 10,000 packets a second or more, and hands 90 % of them or more to the CPU that received them, in three intervals in a row' \
		cpumap-no-memory 'a cpumap thread could not build skbs for frames. Up to Linux 5.10, packets that the stack refused are included' \
		xsk-starved 'an AF_XDP socket\'s fill ring is empty in two intervals in a row, and the kernel needs buffers. In zero-copy mode nothing else reports this. The severity is warning if the driver has no buffer left but does not ask for one' \
		xsk-fill-invalid 'an AF_XDP program puts invalid addresses into its fill ring, or has put in so many that no buffers are left. The severity is warning while the ring still has valid addresses' \
		xsk-need-wakeup 'a zero-copy AF_XDP socket\'s fill ring has buffers, but in two intervals in a row the driver has none left and takes none' \
		xsk-not-polled 'an AF_XDP socket\'s RX ring is full, and its program read nothing from it in two intervals in a row. The severity is warning while nothing is lost' \
		busy-poll-alone 'an AF_XDP socket in use prefers busy polling, but its queue\'s interrupts are not deferred, in three intervals in a row' \
		xsk-queue-without-socket 'some of a device\'s receive queues have an AF_XDP socket, others have none, and packets on the others are aborted. The severity is info if those packets reach the stack' \
		xsk-completion-full 'an AF_XDP socket cannot send, because in two intervals in a row its completion ring is full' \
		xsk-tx-not-kicked 'frames wait in an AF_XDP socket\'s TX ring, and in two intervals in a row the kernel took none of them' \
		xsk-tx-invalid 'an AF_XDP socket\'s program puts invalid descriptors into the TX ring, and the kernel drops these frames' \
		xsk-tx-link-down 'an AF_XDP socket has frames to send, in two intervals in a row, and its device is down or has no carrier' \
		xsk-tx-no-queue 'an AF_XDP socket with frames to send is bound to a queue that the device has for receiving only' \
		poor-bulking 'a CPU redirects 100,000 packets a second or more in bulks of fewer than 2 on average' \
		cpu-skew 'a single CPU, of 4 or more, handles over 80 % of the packets of a device or cpumap' \
		generic-mode 'a device with events runs XDP in generic mode, where each packet costs an skb. The severity is info if the driver has no native mode' \
		attach-failed 'a process could not attach an XDP program. The severity is info if the device, or if unknown any device in its namespace, has since run a program in generic mode' \
		cpu-overrun 'a CPU\'s backlog of received skbs is full (softnet_stat dropped)' \
		rx-ring-overrun 'a NIC with XDP loses 0.1 % of its packets or more because it has no free receive buffer, in two intervals in a row or two readings of its driver\'s counter. The severity is warning below 1 %' \
		nic-discards 'a NIC with XDP discards 0.1 % of its packets or more at its port, in two readings of its driver\'s counter in a row. The severity is warning below 1 %' \
		cloud-limit 'a cloud\'s network delays or drops packets of a device with XDP, because the instance exceeds a limit. The driver\'s counters grow in two readings in a row' \
		tx-full 'the transmit ring has no room for XDP_TX packets, and the driver fires no tracepoint for them. The driver\'s counters grow in two readings in a row' \
		queued-not-sent 'frames that are redirected to a device count as sent, but the device did not send them, and no tracepoint says why' \
		tx-not-sent 'a program returns XDP_TX for 1,000 packets a second or more, its device sends less than half of them, and no tracepoint or driver counter reports failures, in three intervals in a row' \
		driver-is-silent 'a device runs XDP natively, but its driver reports no failures, or only some, as xdp_exception. The severity is info while the driver\'s loss counters do not grow' \
		device-reset 'a device lost its carrier when an XDP program was attached, detached or replaced' \
		channels-below-cpus 'a device with XDP, or a redirect target, has too few channels for the XDP queues that its driver needs. The severity is info while no frames are refused' \
		mtu-above-limit 'the MTU is above what the driver allows for a native XDP program without frags' \
		offload-conflict 'an offload setting does not work with XDP (LRO, HW-GRO, rx-udp-gro-forwarding, rxvlan, checksum offload or TSO of a veth\'s peer). The severity is info while no packets are affected' \
		program-detached 'a device that ran XDP for more than a minute has lost its program, and packets still come in' \
		program-replaced 'a device\'s XDP program was replaced by another. The severity is info unless that happened three times in ten minutes, as when two agents attach there' \
		program-without-owner 'no process, link or pin holds an attached program, in two checks in a row. The loader has ended or has closed the program' \
		map-nearly-full 'a hash or LPM trie (of 64 entries or more) of a running program is full, so new entries are refused. The severity is info at 90 % or more, or at 75 % if the map grew in the last 15 s and will be full within 5 minutes, and for an LRU hash, which evicts entries instead' \
		page-pool-stalled 'a page pool that a driver gave up more than a minute ago, for example at an attach, a detach or a change of its rings, does not get its pages back. The severity is info below 1 MiB' \
		program-drops-all 'a program dropped every packet of a device for 10 s, 100 a second or more (--verdicts)' \
		program-drops 'a program drops 10 % of a device\'s packets or more with XDP_DROP, and 100 a second or more' \
		drops-arp 'a program drops 90 % or more of the ARP or neighbour discovery packets in the sample of the packets view (--verdicts)' \
		program-sees-nothing 'a device counts 100 received packets a second or more, but in 10 s its native program ran for none of them (--verdicts)' \
		verdict-unknown 'a program returns a value that is not a valid XDP action, and no xdp_exception reports it (--verdicts)' \
		queues-share-cpu 'one CPU serves several busy receive queues of a device with XDP and leaves work undone, while other CPUs serve no busy queue, in three intervals in a row' \
		irq-remote-numa 'busy receive queues of a device with XDP are served by CPUs of a NUMA node other than the device\'s, in three intervals in a row' \
		setup-refused 'the kernel refused to bind an AF_XDP socket, or to attach an XDP program, without giving a message (attach-failed reports refusals with one). The severity is warning unless the device lost its program' \
		xsk-in-no-map 'an AF_XDP socket has buffers for packets, but no xskmap has an entry for it, in three intervals in a row, so no program can redirect packets to it' \
		map-not-in-use 'a map that no program uses has entries, or they cannot be counted, while a running program uses another map of the same name and type. The severity is info unless entries have been added to the unused map, or the program\'s map is empty' \
		tail-calls-gone 'a running program\'s PROG_ARRAY is empty, because no process and no pin holds it, in two intervals in a row' \
		newer-program-idle 'a device runs a program although a newer one of the same name has been loaded for 30 s or more, and no device, link, program array or map entry runs the newer one' \
		no-ethernet-header 'a program runs on a device whose packets have no Ethernet header, such as a tun or WireGuard device. The severity is info unless the program is seen to drop packets' \
		mac-not-rewritten '90 % or more of the frames that XDP sends to the other end of a veth, at least 100 a second, have a destination MAC address other than its own, so the stack there drops them' \
		checksum-broken 'the stack drops 90 % or more of the packets that a device with XDP receives, at least 100 a second, for a wrong checksum, in two readings in a row' \
		shed 'xdptop does not count a tracepoint because it cost more than --budget' \
		missed 'the kernel skipped xdptop\'s program for some events' \
		overflow 'xdptop\'s table is full, so events are counted without their device'
	# END fish findings
end

function __xdptop_codes
	# BEGIN fish codes
	printf '%s\t%s\n' \
		ENETDOWN 'its meaning depends on tracepoint and target' \
		EMSGSIZE 'the frame is longer than the target\'s MTU; XDP neither fragments it nor tells the sender' \
		EOPNOTSUPP 'its meaning depends on tracepoint and target' \
		EINVAL 'its meaning depends on tracepoint and target' \
		ENXIO 'its meaning depends on tracepoint and target' \
		ENOBUFS 'the AF_XDP receive ring is full: its program reads too slowly' \
		ENOMEM 'its meaning depends on tracepoint and target' \
		ENOSPC 'its meaning depends on tracepoint and target' \
		EBADRQC 'its meaning depends on tracepoint and target' \
		EOVERFLOW 'the buffer could not become an XDP frame: too little headroom or tailroom, or AF_XDP zero-copy' \
		ENOENT 'the devmap is being destroyed while packets use it' \
		EFAULT 'another program set up the redirect (4.18 only)' \
		EIO 'the target\'s transmit queue is stopped or full (ionic, sfc)' \
		EBUSY 'the target\'s transmit ring is full (gve)' \
		EPERM 'the first frame of the bulk could not be mapped for DMA (ionic)' \
		ENODEV 'the target\'s backend is broken (xen-netfront)' \
		ABORTED 'the program returned XDP_ABORTED, redirected to an empty map slot, or passed invalid flags' \
		DROP 'no known kernel reports a drop as a failure' \
		PASS 'the driver could not build an skb for the packet (aquantia, fec)' \
		TX 'XDP_TX failed: the ring is full, the device has no XDP queue or, in generic mode, could not send' \
		REDIRECT 'the redirect failed in the driver; xdp_redirect_err counts the same packet with its errno'
	# END fish codes
end

function __xdptop_names
	__xdptop_codes
	__xdptop_tracepoints
	__xdptop_findings
	__xdptop_views
	__xdptop_columns
end

# FIELD=, for a filter
function __xdptop_fields
	__xdptop_columns | string replace \t =\t
end

# the last name of a comma separated list; it may begin with + or -
function __xdptop_tracepoint_list
	set -l before (commandline -ct | string match -r '^.*,[+-]?|^[+-]')
	printf '%s\n' all default none | string replace -r '^' -- "$before"
	__xdptop_tracepoints | string replace -r '^' -- "$before"
end

complete -c xdptop -f
# BEGIN fish options
complete -c xdptop -s b -l batch -d 'print to stdout; implied when it is not a terminal'
complete -c xdptop -s o -l output -x -a '(__xdptop_formats)' -d 'text, json, csv or prometheus; implies -b'
complete -c xdptop -l to -r -F -d 'print to this file, with zstd if it ends in .zst'
complete -c xdptop -l record -x -a '(__fish_complete_directories)' -d 'record into segments in this directory, without a screen'
complete -c xdptop -l keep -x -d 'with --record, remove older segments: 7d, 500M, or both'
complete -c xdptop -l listen -x -d 'serve /metrics over HTTP; PORT means 127.0.0.1:PORT'
complete -c xdptop -s n -l iterations -x -d 'stop after N snapshots or events, or after 10s, 2m'
complete -c xdptop -s d -l delay -x -d 'interval, 0.1 to 3600, default 1'
complete -c xdptop -s v -l view -x -a '(__xdptop_views)' -d 'view to start with; in batch, the view to print'
complete -c xdptop -s s -l sort -x -a '(__xdptop_columns)' -d 'sort the rows by this column'
complete -c xdptop -s f -l filter -x -a '(__xdptop_fields)' -d 'only rows that match; see --help filter'
complete -c xdptop -s i -l interface -x -d 'only this device: short for -f ifname=NAME'
complete -c xdptop -s C -l per-cpu -d 'add a row for each CPU'
complete -c xdptop -s a -l all -d 'also show rows without activity'
complete -c xdptop -s t -l tracepoints -x -a '(__xdptop_tracepoint_list)' -d 'switch on: all, default, none, NAME, +NAME, -NAME'
complete -c xdptop -s r -l read -r -F -d 'replay a FILE or DIR; FILE@TIME starts at that time'
complete -c xdptop -l speed -x -d 'replay X times as fast; in batch, keep the pauses'
complete -c xdptop -l step -d 'replay: wait for Space before each snapshot'
complete -c xdptop -l check -a 'info warning critical' -d 'exit 6 if a finding is a warning or worse'
complete -c xdptop -l diff -r -F -d 'compare with a second recording: new, gone, changed'
complete -c xdptop -l follow -x -d 'list each matching event: FIELD=VALUE ...'
complete -c xdptop -l verdicts -d 'count XDP return codes; a process keeps privileges'
complete -c xdptop -l later-namespaces -d 'keep privileges to read counters of new namespaces'
complete -c xdptop -l capture -r -F -d 'with --verdicts, copy heads of packets to FILE.pcapng'
complete -c xdptop -l capture-rate -x -d 'packets a second from each program, default 10'
complete -c xdptop -l capture-both -d 'also copy each packet as it was before the program'
complete -c xdptop -l budget -x -d 'limit on the cost of counting, % of a CPU; default 5'
complete -c xdptop -l max-series -x -d 'size of the table of series, default 4096'
complete -c xdptop -l backend -x -a 'auto btf classic' -d 'auto, btf or classic'
complete -c xdptop -s l -l list -d 'this kernel\'s tracepoints, and why one is missing'
complete -c xdptop -s e -l explain -x -a '(__xdptop_names)' -d 'meaning of an errno, action, finding, column, ...'
complete -c xdptop -l ascii -d 'print only ASCII characters'
complete -c xdptop -l no-color -d 'no colours (like the variable NO_COLOR)'
complete -c xdptop -s q -l quiet -d 'no remarks on stderr; errors are still printed'
complete -c xdptop -l verbose -d 'say more on stderr, including libbpf\'s messages'
complete -c xdptop -s h -l help -x -a 'views columns filter formats findings tracepoints exit all' -d 'this page, or one of the topics below'
complete -c xdptop -s V -l version -d 'print the version'
# END fish options
