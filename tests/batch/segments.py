# SPDX-License-Identifier: GPL-2.0-or-later
"""Directories of segments as --record writes them, in zstd streams whose blocks are not compressed: exact places to cut."""
import calendar
import json
import time

MAGIC = b"\x28\xb5\x2f\xfd"
FRAME = MAGIC + b"\x00" + bytes([(17 - 10) << 3])  # no checksum, no size, a window of 128 KiB
START = calendar.timegm((2026, 11, 21, 0, 0, 0))
INTERVAL = 5
SEGMENT = 600
RATE = 100
INIT = 4026531840
FLOW = {"tracepoint": "xdp_devmap_xmit", "netns": INIT, "netns_name": "init", "ifindex": 3, "ifname": "eth0",
        "to_netns": INIT, "to_ifindex": 4, "to_ifname": "eth1", "act": "REDIRECT", "err": 0}
LOSS = {**FLOW, "tracepoint": "xdp_redirect_err", "err": -100, "errname": "ENETDOWN", "prog_id": 42, "prog_name": "fwd",
        "map_type": "devmap", "map_id": 5}
DEVICE = {"netns": INIT, "netns_name": "init", "ifname": "eth0", "ifindex": 3, "state": "up", "mtu": 1500,
          "mode": "native", "prog_id": 42, "prog_name": "fwd"}

PROGRAM = {"prog_id": 42, "prog_name": "fwd", "state": "attached", "attached_by": "netlink", "pinned": 0, "holders": 1,
           "pid": 812, "comm": "fwd", "processes": "all", "unheld": 0, "verdicts": "on", "verdicts_missed": 0}


def stamp(wall):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(wall)) + ".000000Z"


def block(data, last=False):
    return (last | len(data) << 3).to_bytes(3, "little") + data


FINDING = {"code": "target-down", "severity": "critical", "netns": INIT, "ifindex": 3, "ifname": "eth0", "to_netns": INIT,
           "to_ifindex": 4, "to_ifname": "eth1", "text": "eth0 -> eth1: it is down", "lost_per_s": 10,
           "changes": ["2s before: link-down up -> down on eth1"], "id": "00000000000000aa"}


def lines(*rows):
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows).encode()


class Recorder:
    """`clock` is what CLOCK_REALTIME is ahead of the true time; it may be set while recording."""

    def __init__(self, directory):
        self.directory = directory
        directory.mkdir(exist_ok=True)
        self.plain = []  # all of it as one recording: the rows of each run
        self.last = START

    def header(self, boot, started, now, left_out):
        return {"type": "header", "schema": 1, "hostname": "edge1", "kernel": "6.18.0", "time": stamp(started),
                "backend": "btf", "delay_s": INTERVAL, "boot_id": boot, "monotonic_ns": (now - START + 1000) * 10**9,
                "started_ns": (started - START + 1000) * 10**9, **({"snapshots_left_out": left_out} if left_out else {})}

    def rows(self, seq, wall, full, state):
        at = {"seq": seq, "time": stamp(wall)}
        yield {"type": "tracepoint", **at, "tracepoint": "xdp_devmap_xmit", "state": "on", "events": INTERVAL,
               "events_total": seq * INTERVAL, "events_per_s": 1}
        yield {"type": "tracepoint", **at, "tracepoint": "xdp_redirect_err", "state": "on", "events": state["lost"],
               "events_total": state["lost_total"], "events_per_s": state["lost"] / INTERVAL}
        if full:
            yield {"type": "device", **at, **DEVICE}
        packets = INTERVAL * RATE
        yield {"type": "sample", **at, "interval_s": INTERVAL, **FLOW, "events": INTERVAL, "packets": packets, "drops": 0,
               "events_total": seq * INTERVAL, "packets_total": seq * packets, "drops_total": 0}
        if state["lost"] or (full and state["lost_total"]):
            yield {"type": "sample", **at, "interval_s": INTERVAL, **LOSS,
                   **{name: state["lost"] for name in ("events", "packets", "drops")},
                   **{name + "_total": state["lost_total"] for name in ("events", "packets", "drops")}}
        if state.get("verdicts"):
            if full:
                yield {"type": "program", **at, **PROGRAM}
            for act, (packets, total) in state["verdicts"].items():
                yield {"type": "verdict", **at, "interval_s": INTERVAL, "prog_id": 42, "netns": INIT, "ifindex": 3, "queue": 0,
                       "act": act, "cpu": 1, "trace": 1, "packets": packets, "packets_total": total, "bytes": 0,
                       "bytes_total": 0}
        for change in state["changes"]:
            yield {"type": "event", "time": stamp(wall), "tracepoint": None, "netns": INIT, "ifindex": 3, "ifname": "eth0",
                   "text": "", "change": change, "old": "1500", "new": "1400"}
        if state["lost"] and (full or state["begins"] or wall % 60 < INTERVAL or state.get("last")):
            yield {"type": "finding", **at, **FINDING, "state": "active", "first_seen": state["since"], "last_seen": at["time"],
                   "count_total": state["lost_total"], "count_since": state["lost_total"]}
        if state.get("ends"):
            yield {"type": "finding", **at, **FINDING, "state": "cleared", "first_seen": state["since"],
                   "last_seen": state["ended"], "count_total": state["lost_total"], "count_since": state["lost_total"]}

    def run(self, start, seconds, boot="11111111-2222-3333-4444-555555555555", changes=(), loss=(0, 0), clock=lambda s: 0,
            end=True, drops=None):
        """
        `changes` are seconds of the run, like the spans of `loss` and of `drops`, in which the program drops all packets
        (--verdicts; None = without). Returns the names of the segments.
        """
        names, segment, lost_total, plain, verdicts = [], None, 0, [], {}
        for seq in range(1, seconds // INTERVAL + 1):
            second = seq * INTERVAL
            wall = start + second + clock(second)
            full = segment is None or (second - 1) // SEGMENT != (second - INTERVAL - 1) // SEGMENT
            if full:
                if segment:
                    segment.write(block(b"", True))
                    segment.close()
                names.append(time.strftime("xdptop-%Y%m%dT%H%M%SZ.jsonl.zst", time.gmtime(wall)))
                segment = open(self.directory / names[-1], "xb")
            lost = INTERVAL * 10 if loss[0] < second <= loss[1] else 0
            lost_total += lost
            state = {"lost": lost, "lost_total": lost_total, "begins": second - INTERVAL <= loss[0],
                     "since": stamp(start + loss[0] + INTERVAL + clock(second)),
                     "last": seq == seconds // INTERVAL,
                     "ends": second == loss[1] + INTERVAL * 2, "ended": stamp(start + loss[1] + clock(second)),
                     "changes": ["mtu"] if second in changes else [], "verdicts": verdicts}
            for act in ("DROP", "PASS") if drops else ():
                n = INTERVAL * RATE if (act == "DROP") == (drops[0] < second <= drops[1]) else 0
                verdicts[act] = (n, verdicts.get(act, (0, 0))[1] + n)
            if full:
                head = self.header(boot, start, start + second, 0)
                segment.write(FRAME + block(lines(head)))
                plain += [] if plain else [head]
            rows = list(self.rows(seq, wall, full, state))
            plain += rows
            segment.write(block(lines(*rows)))
            self.last = wall
        if end:
            row = {"type": "end", "seq": seconds // INTERVAL, "time": stamp(self.last), "reason": "signal"}
            segment.write(block(lines(row)))
            plain.append(row)
        segment.write(block(b"", True))
        segment.close()
        self.plain += plain
        return names
