# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording whose numbers never change: what the screens are compared over.

Three CPUs (0, 1 and 7: ids have holes), six intervals of one second, names that are wide,
combining or hostile. The counts of interval n are the first one's times n.
"""
import json

CPUS = (0, 1, 7)
SNAPSHOTS = 6
START = "2026-11-21T09:15:%02d.000000Z"
INIT = 4026531840
OTHER = 4026532999

STATES = [
    # name, state, reason, ns per event, % CPU
    ("xdp_exception", "on", None, 41.2, 0.01),
    ("xdp_redirect_err", "on", None, 43.9, 0.2),
    ("xdp_redirect", "shed", "6.1 % of CPU 1 is over the budget of 5 %", 36.4, 6.1),
    ("xdp_devmap_xmit", "on", None, 55.0, 0.5),
    ("xdp_bulk_tx", "on", None, None, None),
    ("xdp_cpumap_enqueue", "on", None, 38.0, 0.1),
    ("xdp_cpumap_kthread", "off", None, None, None),
    ("net_dev_queue", "on", None, 61.0, 1.2),
    ("bpf_xdp_link_attach_failed", "on", None, None, None),
    ("netlink_extack", "on", None, None, None),
    ("mem_connect", "missing", "not in this kernel", None, None),
    ("mem_disconnect", "failed", "the kernel refused to attach it: EBUSY", None, None),
]

# tracepoint, identity, {cpu: (events, packets, drops, bytes)} in the first interval
SERIES = [
    ("xdp_redirect_err",
     dict(netns=INIT, netns_name="init", ifindex=3, ifname="eth0", to_netns=INIT, to_ifindex=7,
          to_ifname="veth-web", prog_id=42, prog_name="xdp_fwd", map_type="devmap", map_id=5,
          act="REDIRECT", err=-95, errname="EOPNOTSUPP"),
     {0: (20, 20, 20, None), 7: (100, 100, 100, None)}),
    ("xdp_redirect_err",
     dict(netns=OTHER, netns_name="blue", ifindex=3, ifname="eth0", prog_id=43, prog_name="xdp_lb",
          to_netns=OTHER, to_ifindex=999999, act="REDIRECT", err=-22, errname="EINVAL"),
     {1: (3, 3, 3, None)}),
    ("xdp_exception",
     dict(netns=INIT, netns_name="init", ifindex=4, ifname="n\\x1b[31m", prog_id=44,
          prog_name="xdp_abort", act="ABORTED"),
     {0: (7, 7, 7, None), 1: (7, 7, 7, None), 7: (7, 7, 7, None)}),
    ("xdp_devmap_xmit",
     dict(netns=INIT, netns_name="init", ifindex=3, ifname="eth0", to_netns=INIT, to_ifindex=7,
          to_ifname="veth-web", act="REDIRECT", err=0),
     {0: (1000, 15900, 100, None), 7: (250, 4000, 0, None)}),
    ("xdp_devmap_xmit",
     dict(netns=INIT, netns_name="init", ifindex=5, ifname="\u7db2\u8def0", to_netns=OTHER,
          to_ifindex=8, to_ifname="cafe\u0301", act="REDIRECT", err=0),
     {1: (500000, 1000000, 0, None)}),
    ("xdp_bulk_tx",
     dict(netns=INIT, netns_name="init", ifindex=9, ifname="veth-echo", act="TX", err=0),
     {0: (10, 90, 0, None)}),
    ("xdp_cpumap_enqueue",
     dict(to_cpu=2, map_type="cpumap", map_id=17),
     {0: (50, 400, 80, None), 1: (50, 400, 0, None)}),
    ("net_dev_queue",
     dict(netns=INIT, netns_name="init", ifindex=3, ifname="eth0"),
     {0: (1200, 2400, None, 1800000), 1: (30, 30, None, 1920)}),
]

# counts in a CPU's row, and their tracepoints
STAGES = {
    "exception_events": ("xdp_exception",),
    "redirect_err_events": ("xdp_redirect_err",),
    "xmit_events": ("xdp_devmap_xmit", "xdp_bulk_tx", "xdp_cpumap_enqueue"),
    "net_dev_queue_events": ("net_dev_queue",),
}
IDENTITY = ("netns", "netns_name", "ifindex", "ifname", "to_netns", "to_ifindex", "to_ifname", "to_cpu",
            "prog_id", "prog_name", "map_type", "map_id", "map_index", "act", "err", "errname")
COUNTERS = ("events", "packets", "drops", "bytes", "sched", "xdp_pass", "xdp_drop", "xdp_redirect")


def total(counts):
    """Counters summed over all CPUs; None stays None."""
    return tuple(None if c[0] is None else sum(c) for c in zip(*counts))


def times(counts, factor):
    return tuple(None if c is None else c * factor for c in counts)


def sample(seq, tracepoint, identity, cpu, counts):
    row = {"type": "sample", "seq": seq, "time": START % seq, "interval_s": 1.0, "tracepoint": tracepoint}
    row.update({name: identity.get(name) for name in IDENTITY})
    row["cpu"] = cpu
    now = dict(zip(COUNTERS, times(counts, seq)))
    since = dict(zip(COUNTERS, times(counts, seq * (seq + 1) // 2)))
    row.update({name: now.get(name) for name in COUNTERS})
    row.update({f"{name}_total": since.get(name) for name in COUNTERS[:4]})
    row.update({f"{name}_per_s": now.get(name) for name in COUNTERS[:4]})
    return row


def tracepoint_row(series, seq, name, state, reason, ns, percent):
    first = sum(c[0] for t, _, cpus in series if t == name for c in cpus.values())
    row = {"type": "tracepoint", "seq": seq, "time": START % seq, "tracepoint": name, "state": state,
           "reason": reason, "events": first * seq, "events_total": first * seq * (seq + 1) // 2,
           "events_per_s": float(first * seq), "missed_total": 3 if name == "net_dev_queue" else 0,
           "overflow_total": 0, "ns_per_event": ns, "cpu_percent": percent}
    if state != "on":
        row["events_per_s"] = None
    if state in ("missing", "failed"):
        row.update({name: None for name in ("events", "events_total", "missed_total", "overflow_total")})
    return row


def cpu_row(series, seq, cpu):
    """A row of data source softnet; its backlog is never full."""
    counts = {"softnet_processed": 2000 * (cpu + 1), "softnet_dropped": 0, "time_squeeze": cpu}
    for field, tracepoints in STAGES.items():
        counts[field] = sum(c[cpu][0] for t, _, c in series if t in tracepoints and cpu in c)
    row = {"type": "cpu", "seq": seq, "time": START % seq, "interval_s": 1.0, "cpu": cpu}
    for name, n in counts.items():
        row.update({name: n * seq, f"{name}_total": n * seq * (seq + 1) // 2, f"{name}_per_s": float(n * seq)})
    return row


def device(netns, ifindex, ifname, state="up", features="basic,redirect,ndo-xmit", **more):
    return {"netns": netns, "netns_name": "init" if netns == INIT else "blue", "ifindex": ifindex, "ifname": ifname,
            "kind": None, "state": state, "mtu": 1500, "mode": "none", "prog_id": None, "prog_name": None,
            "skb_prog_id": None, "xdp_features": features, "driver": "mlx5_core", **more}


def entry(map_id, map_name, map_type, key=None, **more):
    return {"map_id": map_id, "map_name": map_name, "map_type": map_type, "key": key, "state": "used", **more}


def socket(inode, number, seq, **more):
    """A socket whose counters grow by these values in each interval."""
    row = {"inode": inode, "netns": INIT, "netns_name": "init", "state": "bound", "ifindex": 3, "ifname": "eth0",
           "queue": number, "queues": 4, "zerocopy": 0, "pid": 4000 + number, "comm": "xdpsock", "umem_size": 16777216,
           "chunk_size": 4096, "rx_size": 2048, "rx_fill": 0, "fill_size": 2048, "fill_fill": 2048, "tx_size": None,
           "tx_fill": None, "completion_size": 2048, "completion_fill": 0, **more}
    for name in ("received", "transmitted", "rx_dropped", "rx_queue_full", "rx_fill_ring_empty", "tx_invalid",
                 "tx_ring_empty"):
        row[f"{name}_total"] = row.setdefault(name, 0) * (seq + 10)
    return row


def queue(number, seq):
    """A receive queue of eth0: two share CPU 7, which is on another node; the last has a thread."""
    cpu = 7 if number < 2 else number - 2
    return {"netns": INIT, "netns_name": "init", "ifindex": 3, "ifname": "eth0", "queue": number, "state": "used",
            "napi_id": 8193 + number, "irq": 120 + number, "pid": 913 if number == 3 else None, "cpu": cpu,
            "cpus": str(cpu), "cpu_node": 1 if cpu == 7 else 0, "device_node": 0, "xsk": int(number == 0),
            "rx_packets_total": 5000 * (4 - number) * (seq + 10), "rx_packets_per_s": 5000.0 * (4 - number),
            "rx_hw_drops_total": 0, "rx_hw_drops_per_s": 0.0, "left_out": 0}


DEVICES = [
    device(INIT, 3, "eth0", mode="native", prog_id=42, prog_name="xdp_fwd"),
    device(INIT, 7, "veth-web", "up", "basic", kind="veth", driver="veth"),
    device(INIT, 10, "eth1", "down"),
    device(INIT, 11, "eth2", "no-carrier"),
    device(OTHER, 8, "cafe\u0301"),
]
MAPS = [
    entry(5, "tx_port", "devmap", max_entries=64, used=4, slots_read=64, users="42,43"),
    entry(5, "tx_port", "devmap", 0, to_netns=INIT, to_ifindex=7, to_ifname="veth-web"),
    entry(5, "tx_port", "devmap", 1, to_netns=OTHER, to_ifindex=8, to_ifname="cafe\u0301", prog_id=77,
          prog_name="xdp_egress"),
    entry(5, "tx_port", "devmap", 9, to_netns=INIT, to_ifindex=10, to_ifname="eth1"),
    entry(5, "tx_port", "devmap", 10, to_netns=INIT, to_ifindex=11, to_ifname="eth2"),
    entry(17, "cpu_map", "cpumap", max_entries=8, used=2, slots_read=8, users="42"),
    entry(17, "cpu_map", "cpumap", 2, to_cpu=2, qsize=192, fill=192),
    entry(17, "cpu_map", "cpumap", 7, to_cpu=7, qsize=2048, fill=205, prog_id=78, prog_name="xdp_cpu"),
    entry(23, "xsks_map", "xskmap", max_entries=4, used=3, slots_read=4, users="42"),
    entry(23, "xsks_map", "xskmap", 0, socket_inode=9001),
    entry(23, "xsks_map", "xskmap", 1, socket_inode=9002),
    entry(23, "xsks_map", "xskmap", 3, socket_inode=9004),
    entry(31, None, "devmap_hash", max_entries=65536, used=1, slots_read=4096),
    entry(31, None, "devmap_hash", 4000000000, to_netns=INIT, to_ifindex=3, to_ifname="eth0"),
]


def redirects(seq):
    """Maps of all types; sockets that starve, are not polled, are in no map, or are unbound."""
    common = {"seq": seq, "time": START % seq}
    for row in DEVICES if seq == 1 else ():
        yield {"type": "device", **common, **row}
    for row in MAPS if seq == 1 else ():
        yield {"type": "map_entry", **common, **row}
    for row in (socket(9001, 0, seq, zerocopy=1, received=5000, rx_fill_ring_empty=4000, fill_fill=0),
                socket(9002, 1, seq, rx_fill=2048, received=100, rx_queue_full=900),
                socket(9003, 2, seq, received=0, rx_size=None, rx_fill=None, tx_size=512, tx_fill=128,
                       transmitted=12000, tx_invalid=3, tx_ring_empty=40, completion_fill=1024),
                socket(9004, 3, seq, state="unbound", ifindex=None, ifname=None, queue=None, queues=None,
                       zerocopy=None, pid=None, comm=None)):
        yield {"type": "socket", **common, "interval_s": 1.0, **row}
    for number in range(4):
        yield {"type": "queue", **common, **queue(number, seq)}


# per interval: a device whose driver counts verdicts, one that loses packets before XDP, one in generic mode
COUNTS = [
    (3, "eth0", dict(rx_packets=20000, rx_missed=30, rx_dropped=0, tx_packets=500), dict(
        xdp_drop=9000, xdp_aborted=0, xdp_invalid=0, xdp_tx=10, xdp_tx_errors=2, xdp_xmit_errors=0)),
    (12, "eth3", dict(rx_packets=50000, rx_missed=250, rx_dropped=4, tx_packets=100), dict(
        xdp_drop=0, xdp_aborted=0, xdp_invalid=0, xdp_tx_errors=0, rx_alloc_fail=0)),
    (13, "eth4", dict(rx_packets=700, rx_missed=0, rx_dropped=0, tx_packets=0), {}),
]
SETTINGS = dict(channels=4, channels_max=8, rx_ring=512, rx_ring_max=4096, tx_ring=512, tx_ring_max=4096,
                mtu_max=3498, promiscuity=0, offloads="rx-gro,rx-checksum,tx-scatter-gather")


def counts(seq):
    """Devices with counters."""
    for ifindex, ifname, kernel, driver in COUNTS:
        row = {"type": "device", "seq": seq, "time": START % seq, "netns": INIT, "ifindex": ifindex,
               **device(INIT, ifindex, ifname, mode="generic" if ifname == "eth4" else "native", **SETTINGS),
               "prog_id": 42, "prog_name": "xdp_fwd", "skb_prog_id": 42 if ifname == "eth4" else None}
        row.update({f"{name}_total": n * (seq + 10) for name, n in kernel.items()})
        for name, n in driver.items():
            row.update({f"{name}_total": n * (seq + 10), f"{name}_per_s": float(n)})
        yield row


# A forwarder, a dispatcher with two parts, a program in generic mode, one without packets, and a refused one.
PROGRAMS = [
    dict(prog_id=42, prog_name="xdp_fwd", pid=812, comm="fwd", attached_by="link", link_id=7, holders=1),
    dict(prog_id=43, prog_name="xdp_lb", attached_by="netlink"),
    dict(prog_id=50, prog_name="xdp_dispatcher", parts=2, attached_by="link", link_id=9, pinned=1),
    dict(prog_id=51, prog_name="xdp_firewall", part_of=50, attached_by="link", link_id=10, pinned=1),
    dict(prog_id=52, prog_name="xdp_counter", part_of=50, attached_by="link", link_id=11, pinned=1),
    dict(prog_id=60, prog_name="xdp_in_nic", attached_by="netlink", verdicts="refused",
         verdicts_reason="it is offloaded: the NIC runs it"),
    dict(prog_id=61, prog_name="xdp_quiet", attached_by="netlink"),
]
VERDICT_DEVICES = [
    device(INIT, 3, "eth0", mode="native", prog_id=42, prog_name="xdp_fwd"),
    device(INIT, 20, "lan0", mode="native", prog_id=50, prog_name="xdp_dispatcher"),
    device(INIT, 21, "nic0", mode="offload", prog_id=60, prog_name="xdp_in_nic"),
    device(INIT, 22, "wlan0", mode="generic", prog_id=43, prog_name="xdp_lb", skb_prog_id=43),
    device(INIT, 23, "eth9", mode="native", prog_id=61, prog_name="xdp_quiet"),
]
# program, ifindex, queue, verdict, CPU, packets and bytes in the first interval
VERDICTS = [
    (42, 3, 0, "DROP", 0, 30, 3000), (42, 3, 0, "PASS", 0, 1000, 1200000), (42, 3, 0, "TX", 0, 90, 5760),
    (42, 3, 1, "ABORTED", 7, 5, 320), (42, 3, 1, "REDIRECT", 7, 20000, 1280000), (42, 3, 2, "REDIRECT", 1, 7, 448),
    (43, 22, 0, "PASS", 1, 12, 1800), (43, 22, 0, "UNKNOWN", 1, 3, 192),
    (50, 20, 0, "DROP", 0, 400, 24000), (50, 20, 0, "PASS", 0, 600, 900000),
    (51, 20, 0, "DROP", 0, 400, 24000), (51, 20, 0, "PASS", 0, 600, 900000),
    (52, 20, 0, "PASS", 0, 600, 900000),
]


KINDS = [
    (42, "xdp_fwd", "REDIRECT", "IPv4", "UDP", 64, 7), (42, "xdp_fwd", "PASS", "IPv4", "TCP", 1518, 2),
    (42, "xdp_fwd", "DROP", "0x88cc", None, 128, 1), (51, "xdp_firewall", "DROP", "ARP", None, 64, 3),
    (51, "xdp_firewall", "DROP", "IPv6", "ICMPv6 ND", 128, 1), (51, "xdp_firewall", "PASS", "IPv4", "TCP", None, 6),
]


def verdicts(seq):
    """Programs and their verdicts: a part returns PASS for packets that the next part sees."""
    common = {"seq": seq, "time": START % seq}
    for row in VERDICT_DEVICES if seq == 1 else ():
        yield {"type": "device", **common, **row}
    for row in PROGRAMS if seq == 1 else ():
        yield {"type": "program", **common, "state": "attached", "pinned": 0, "processes": "all", "unheld": 0,
               "verdicts": "on", "verdicts_missed": 2 if row["prog_id"] == 43 else 0, **row}
    for prog_id, ifindex, queue, act, cpu, packets, size in VERDICTS:
        row = {"type": "verdict", **common, "interval_s": 1.0, "prog_id": prog_id, "netns": INIT, "netns_name": "init",
               "ifindex": ifindex, "queue": queue, "act": act, "cpu": cpu, "trace": prog_id}
        for name, n in ("packets", packets), ("bytes", size):
            row.update({name: n * seq, f"{name}_total": n * seq * (seq + 1) // 2})
        yield row
    for prog_id, prog_name, act, ethertype, protocol, length_to, packets in KINDS:
        yield {"type": "packet_kind", **common, "interval_s": 1.0, "prog_id": prog_id, "prog_name": prog_name,
               "state": "counted", "act": act, "ethertype": ethertype, "protocol": protocol, "length_to": length_to,
               "packets": packets, "packets_total": packets * seq}


NETNS_COUNTERS = "csum_errors", "addr_errors", "no_routes", "rp_filtered", "listen_drops"


def router(ifindex, ifname, prog_name="xdp_router", seq=1, drops=0, sent=0, aborted=0, **more):
    """A veth with a native program (None: without), and what its driver counts of 20,000 packets a second."""
    program = dict(mode="native", prog_id=ifindex, prog_name=prog_name) if prog_name else {}
    row = {"type": "device", "seq": seq, "time": START % seq,
           **device(INIT, ifindex, ifname, kind="veth", **program, **more)}
    row["driver"] = "veth"
    for name, n in (("rx_packets", 20000), ("rx_missed", 0), ("rx_dropped", 0), ("rx_otherhost", 0), ("tx_packets", 0)):
        row[f"{name}_total"] = n * (seq + 10)
    for name, n in (("xdp_drop", drops + aborted), ("xdp_tx", 0), ("xdp_tx_errors", 0), ("xdp_redirect", sent),
                    *((f"netns_{name}", 0) for name in NETNS_COUNTERS)):
        row.update({f"{name}_total": n * (seq + 10), f"{name}_per_s": float(n)})
    return row


def steady(tracepoint, ifindex, ifname, to, counts, **more):
    identity = dict(netns=INIT, netns_name="init", ifindex=ifindex, ifname=ifname, to_netns=INIT, to_ifindex=to,
                    to_ifname=f"lan{to}", act="REDIRECT", err=0)
    return tracepoint, {**identity, **more}, {0: counts}


# What the overview is for: series and devices by situation.
SITUATIONS = {
    "nothing": ([], [dict(device(INIT, 3, "eth0"), type="device")]),
    "healthy": ([steady("xdp_devmap_xmit", 3, "wan0", 4, (1250, 20000, 0, None))],
                [dict(ifindex=3, ifname="wan0", sent=20000), dict(ifindex=4, ifname="lan4", prog_name="xdp_pass", peer_netns=INIT, peer_ifindex=9),
                 dict(ifindex=9, ifname="host9", prog_name=None, peer_netns=INIT, peer_ifindex=4)]),
    "firewall": ([], [dict(ifindex=3, ifname="wan0", prog_name="xdp_fw", drops=5000)]),
    "faults": ([steady("xdp_redirect_err", 3, "wan0", 5, (300, 300, 300, None), prog_id=3, prog_name="xdp_router",
                       map_type="devmap", map_id=5, err=-100, errname="ENETDOWN"),
                steady("xdp_devmap_xmit", 4, "lan4", 6, (1250, 20000, 2000, None)),
                ("xdp_exception", dict(netns=INIT, netns_name="init", ifindex=7, ifname="dmz7", prog_id=7,
                                       prog_name="xdp_acl", act="ABORTED"), {0: (40, 40, 40, None)})],
               [dict(ifindex=3, ifname="wan0", sent=19700), dict(ifindex=4, ifname="lan4", sent=22000),
                dict(ifindex=5, ifname="lan5", state="down"),
                dict(ifindex=6, ifname="lan6", prog_name="xdp_pass"),
                dict(ifindex=7, ifname="dmz7", prog_name="xdp_acl", aborted=40)]),
}


def write_situation(path, name):
    series, devices = SITUATIONS[name]
    states = [("xdp_redirect", "off", None, None, None) if state[0] == "xdp_redirect" else
              (*state[:1], "on", None, *state[3:]) for state in STATES if state[1] != "missing"]
    start = dict(type="header", schema=1, version="0", hostname="edge1", kernel="6.18.0", time=START % 0,
                 cpus_possible=8, cpus_online=3, backend="btf", delay_s=1, devices="all")
    with open(path, "w", encoding="utf-8") as file:
        def put(row):
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")

        put(start)
        for seq in range(1, SNAPSHOTS + 1):
            for state in states:
                put({**tracepoint_row(series, 1, *state), "seq": seq, "time": START % seq, "missed_total": 0,
                     "events_total": seq * sum(c[0][0] for t, _, c in series if t == state[0])})
            for tracepoint, identity, cpus in series:
                row = sample(1, tracepoint, identity, None, total(list(cpus.values())))
                row.update(seq=seq, time=START % seq)
                row.update({f"{name}_total": None if row[name] is None else row[name] * seq
                            for name in COUNTERS[:4]})
                put(row)
            for more in devices:
                put({**more, "seq": seq, "time": START % seq} if "type" in more else router(seq=seq, **more))
        put({"type": "end", "seq": SNAPSHOTS, "time": START % SNAPSHOTS, "reason": "count", "missed_total": 0,
             "overflow_total": 0})


# Followed events: nanoseconds into the interval, CPU, series of SERIES, events lost before it, arguments
FOLLOWED = [
    (1000, 0, 0, 0, dict(map_index=9)),
    (2204, 7, 3, 0, dict(sent=14, drops=2)),
    (804000, 1, 4, 0, dict(sent=16, drops=0)),
    (35000000, 0, 6, 120, dict(processed=8, drops=8)),
    (35000000, 0, 7, 0, dict(len=1514, protocol=0x0800, queue_mapping=2, gso_segs=0, pid=812, comm="curl")),
    (900000000, 7, 2, 0, {}),
]


def followed(seq):
    for ns, cpu, series, lost, arguments in FOLLOWED:
        tracepoint, identity, _ = SERIES[series]
        yield {"type": "event", "time": "2026-11-21T09:15:%02d.%09dZ" % (seq - 1, ns), "tracepoint": tracepoint,
               "cpu": cpu, **identity, "left_out": lost, "follow": "event", **arguments}
    if seq == 2:
        yield {"type": "event", "time": "2026-11-21T09:15:01.950000000Z", "tracepoint": "xdp_devmap_xmit", "cpu": 1,
               "left_out": 3456, "follow": "lost"}


# from a machine that supports them: fields of the header, and another tracepoint
TRACED = {"verdicts_pid": 812, "verdicts_caps": "CAP_SYS_ADMIN,CAP_PERFMON,CAP_BPF"}
VERDICTS_STATE = ("verdicts", "on", None, 75.0, 0.3)


def rows(series, header, with_maps=False, with_counts=False, with_verdicts=False, with_followed=False):
    yield {"type": "header", "schema": 1, "version": "0", "hostname": "edge1", "kernel": "6.18.0",
           "time": START % 0, "cpus_possible": 8, "cpus_online": 3, "backend": "btf", "delay_s": 1,
           **header}
    for seq in range(1, SNAPSHOTS + 1):
        for state in STATES + [VERDICTS_STATE] * ("verdicts_pid" in header):
            yield tracepoint_row(series, seq, *state)
        for cpu in CPUS if series else ():
            yield cpu_row(series, seq, cpu)
        for tracepoint, identity, cpus in series:
            yield sample(seq, tracepoint, identity, None, total(list(cpus.values())))
            for cpu in CPUS:
                if cpu in cpus:
                    yield sample(seq, tracepoint, identity, cpu, cpus[cpu])
        if with_maps:
            yield from redirects(seq)
        if with_counts:
            yield from counts(seq)
        if with_verdicts:
            yield from verdicts(seq)
        if with_followed:
            yield from followed(seq)
        if seq == 2 and series:
            yield {"type": "event", "time": START % seq, "tracepoint": "bpf_xdp_link_attach_failed",
                   "cpu": 0, "netns": INIT, "ifindex": None, "ifname": None, "prog_id": None,
                   "prog_name": None, "pid": 812, "comm": "myxdp",
                   "text": "Underlying driver does not support XDP in native mode"}
    yield {"type": "end", "seq": SNAPSHOTS, "time": START % SNAPSHOTS, "reason": "count",
           "missed_total": 3, "overflow_total": 0}


def write(path, series=SERIES, with_maps=False, with_counts=False, with_verdicts=False, with_followed=False, **header):
    """Without series nothing has fired. `header` has additional fields."""
    with open(path, "w", encoding="utf-8") as file:
        for row in rows(series, header, with_maps, with_counts, with_verdicts, with_followed):
            file.write(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n")


def write_cpus(path, cpus, busy):
    """One device: in the first interval all CPUs have sent, then only some, each more than the previous one."""
    identity = dict(netns=INIT, netns_name="init", ifindex=3, ifname="eth0")
    since = dict.fromkeys(range(cpus), 0)
    with open(path, "w", encoding="utf-8") as file:
        for row in rows([], {}):
            if row["type"] == "tracepoint" and row["tracepoint"] == STATES[0][0]:
                seq = row["seq"]
                now = {cpu: 10 if seq == 1 else 0 for cpu in range(cpus)}
                now.update({cpu: 100 * (i + 1) for i, cpu in enumerate(busy)})
                for cpu in (None, *range(cpus)):
                    n = sum(now.values()) if cpu is None else now[cpu]
                    if cpu is not None:
                        since[cpu] += n
                    total_ = sum(since.values()) + n if cpu is None else since[cpu]
                    file.write(json.dumps(counted(seq, identity, cpu, n, total_)) + "\n")
            file.write(json.dumps(row) + "\n")


def counted(seq, identity, cpu, now, since):
    row = sample(seq, "net_dev_queue", identity, cpu, (0, 0, None, 0))
    for name in ("events", "packets", "bytes"):
        each = 100 if name == "bytes" else 1
        row.update({name: each * now, f"{name}_total": each * since, f"{name}_per_s": float(each * now)})
    return row
