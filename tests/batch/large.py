# SPDX-License-Identifier: GPL-2.0-or-later
"""
Recordings with many rows that lead to each other: devices to programs, map entries to devices and sockets, series to
all of them. `large.py KIND N FILE` writes a recording with N rows; KIND:
"""
import json
import sys

TIME = "2026-01-01T00:00:%02d.000000Z"
SNAPSHOTS = 3
MAP = 7  # id of the only map


def row(kind, seq, **fields):
    return {"type": kind, "seq": seq, "time": TIME % seq, **fields}


def name(i):
    """The name of a device: equally long names, not in the order of ifindexes."""
    return "eth%05d" % (i * 7919 % 100000)


def device(seq, i, prog):
    """A device whose driver has rules, with counters that show losses."""
    return row("device", seq, netns=1, ifindex=i + 1, ifname=name(i), state="up", mtu=1500, mode="native", prog_id=prog,
               prog_name="prog%05d" % prog, driver="ixgbe", rx_packets_total=1000 * seq, rx_missed_total=10 * seq,
               channels=2, channels_max=64)


def program(seq, i, **fields):
    return row("program", seq, prog_id=i + 1, prog_name="prog%05d" % (i + 1), state="attached", attached_by="netlink",
               pinned=0, holders=0, processes="all", unheld=2, **fields)


def one_map(seq, kind, n, users):
    return row("map_entry", seq, map_id=MAP, map_name="map", map_type=kind, state="used", max_entries=n, used=n,
               slots_read=n, users=users)


def entry(seq, kind, i, **fields):
    return row("map_entry", seq, map_id=MAP, map_name="map", map_type=kind, key=i, state="used", **fields)


def socket(seq, i):
    return row("socket", seq, inode=i + 1, netns=1, state="bound", ifindex=i + 1, ifname=name(i), queue=i, queues=1,
               zerocopy=0, pid=1, comm="reader", umem_size=4096, chunk_size=2048, rx_size=64, rx_fill=64, fill_size=64,
               fill_fill=0, received_total=seq, rx_queue_full_total=seq, rx_dropped_total=seq)


def verdict(seq, i):
    return row("verdict", seq, interval_s=1, prog_id=i + 1, state="counted", netns=1, ifindex=i + 1, queue=0, act="DROP",
               cpu=0, trace=i, packets=9, packets_total=9 * seq, bytes=9, bytes_total=9 * seq)


def sample(seq, tracepoint, **fields):
    return row("sample", seq, interval_s=1, tracepoint=tracepoint, events=10, packets=10, drops=10,
               events_total=10 * seq, packets_total=10 * seq, drops_total=10 * seq, **fields)


def programs(n, seq):
    """Each device runs its own program."""
    for i in range(n):
        yield device(seq, i, i + 1)
        yield program(seq, i)


def parts(n, seq):
    """All devices run one dispatcher with as many parts."""
    for i in range(n):
        yield device(seq, i, 1)
        yield program(seq, i, verdicts="on", verdicts_missed=0, **({"part_of": 1} if i else {"parts": n - 1}))
        yield verdict(seq, i)


def targets(n, seq):
    """A devmap leads to all devices, each of which runs one of its programs."""
    yield one_map(seq, "devmap", n, "1,2,3,4")
    for i in range(n):
        yield device(seq, i, 1 + i % 4)
        yield entry(seq, "devmap", i, to_netns=1, to_ifindex=i + 1, to_ifname=name(i), prog_id=n + i)


def sockets(n, seq):
    """An xskmap has a socket for each device; its programs run on other devices."""
    yield one_map(seq, "xskmap", n, "%d,%d" % (n + 1, n + 2))
    for i in range(n + 1):
        yield device(seq, i, i + 1)
    for i in range(n):
        yield entry(seq, "xskmap", i, socket_inode=n - i)
        yield socket(seq, i)


def refused(n, seq):
    """Redirects from each device to another fail."""
    for i in range(n):
        yield device(seq, i, i + 1)
        yield sample(seq, "xdp_redirect_err", netns=1, ifindex=i + 1, to_netns=1, to_ifindex=n - i, prog_id=i + 1,
                     map_type="devmap", map_id=MAP, err=-95)


def aborted(n, seq):
    """Programs that no device runs, and that use a map with empty slots, abort packets."""
    yield one_map(seq, "devmap", 3 * n, "1,2,3,4")
    for i in range(n):
        yield device(seq, i, n + i)
        yield entry(seq, "devmap", 2 * i, to_netns=1, to_ifindex=i + 1)
        yield sample(seq, "xdp_exception", netns=1, ifindex=i + 1, prog_id=1 + i % 4, act=("ABORTED", "REDIRECT")[i % 2])


def queues(n, seq):
    """A cpumap loses packets on each of its CPUs."""
    yield one_map(seq, "cpumap", n, "1")
    for i in range(n // 2):
        yield entry(seq, "cpumap", i, qsize=64, fill=64)
        yield sample(seq, "xdp_cpumap_enqueue", to_cpu=i, map_type="cpumap", map_id=MAP)
        yield sample(seq, "xdp_cpumap_kthread", to_cpu=i, map_type="cpumap", map_id=MAP, sched=10)


def dropped(n, seq):
    """Bulks from each device to another, whose entry has a program, lose packets without an errno."""
    for i in range(n):
        yield device(seq, i, i + 1)
        yield sample(seq, "xdp_devmap_xmit", netns=1, ifindex=i + 1, to_netns=1, to_ifindex=n - i, err=0,
                     to_prog_id=n + i, to_prog_name="egress")


KINDS = {f.__name__: f for f in (programs, parts, targets, sockets, refused, aborted, queues, dropped)}


def lines(kind, n):
    yield {"type": "header", "schema": 1, "version": "0", "hostname": "large", "kernel": "6.12", "time": TIME % 0,
           "cpus_possible": 128, "cpus_online": 128, "backend": "btf", "delay_s": 1, "devices": "all"}
    for seq in range(1, SNAPSHOTS + 1):
        for tracepoint in ("xdp_exception", "xdp_redirect_err", "xdp_redirect", "xdp_devmap_xmit", "xdp_cpumap_enqueue",
                           "xdp_cpumap_kthread"):
            yield row("tracepoint", seq, tracepoint=tracepoint, state="on", events=n, events_total=n * seq,
                      events_per_s=n, missed_total=0, overflow_total=0)
        yield from KINDS[kind](n, seq)


def write(path, kind, n):
    with open(path, "w", encoding="ascii") as f:
        f.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines(kind, n))


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__ + "".join("  %-10s%s\n" % (name, f.__doc__) for name, f in KINDS.items()))
    write(sys.argv[3], sys.argv[1], int(sys.argv[2]))
