# SPDX-License-Identifier: GPL-2.0-or-later
"""All kinds of traffic without losses at once, and what a monitor reports about it."""
import collections

from harness import check, last_samples

# stimuli of the rig, with this name for their ingress device, and frames between checks whether to stop
KINDS = {"route": 200000, "broadcast": 50000, "cpumap": 20000, "cpumap-prog": 20000, "xskmap-read": 20000,
         "echo": 2000, "filter": 5000, "filter-egress": 50000}
# devices that drop packets on purpose, by the finding that they may cause; rig-peer and rig-feed take what is sent
LOSES = "filter-egress"
MAY_SAY = {"egress-program-drops": (LOSES,), "program-drops": ("filter", "rig-peer", "rig-feed")}
PLACE = ("netns", "ifindex", "to_netns", "to_ifindex", "to_cpu", "map_id", "prog_id")


class Healthy:
    """Counts while it runs; then faults() has the differences."""

    def __init__(self):
        self.records = []  # samples of all CPUs together; at the end also those of the last snapshot
        self.findings = {}  # code and location -> its last record
        self.snapshots = collections.defaultdict(set)  # kind -> snapshots in which its packets were counted
        self.expect = []

    def _take(self, records):
        for r in records:
            if r["type"] == "finding":
                key = tuple(r[k] for k in ("code", *PLACE))
                worse = ("info", "warning", "critical").index
                if key not in self.findings or worse(r["severity"]) >= worse(self.findings[key]["severity"]):
                    self.findings[key] = r
            elif r["type"] == "sample" and r["cpu"] is None:
                self.records.append(r)
                if r["ifname"] in KINDS and r["events"]:
                    self.snapshots[r["ifname"]].add(r["seq"])
            elif r["type"] == "end":
                self.records.append(r)
        records.clear()

    def run(self, monitor, rig, delay, is_enough):
        """Runs all kinds until is_enough() of the counts."""
        rigs = [rig("--hold", "--load", "--ifname", kind, f"{kind}={n}") for kind, n in KINDS.items()]
        for r in rigs:
            r.read_until("ready")
        m = monitor("-b", "-t", "all", "--budget", "0", "-d", str(delay))
        for r in rigs:
            r.go()
        while not is_enough(self):
            seq = m.wait_for(lambda r: r["type"] == "tracepoint", "a snapshot")["seq"]
            m.wait_for(lambda r, seq=seq: r.get("seq", 0) > seq, "the next snapshot")
            self._take(m.records)
        for r in rigs:
            r.go()
        for r in rigs:
            r.read_until("done")
            self.expect += r.expect
        m.wait_snapshot()
        self._take(m.stop())
        for r in rigs:
            r.go()
            r.finish()
        return self

    def packets(self):
        """Packets fired by the rig, by kind."""
        return {kind: next(e["packets"] for e in self.expect if e["stimulus"] == kind) for kind in KINDS}

    def _is_ours(self, f):
        mine = {e[k] for e in self.expect for k in ("netns", "to_netns") if e.get(k)}
        maps = {e["map_id"] for e in self.expect if e.get("map_id")}
        where = [f[k] for k in ("netns", "to_netns", "map_id")]
        return not any(where) or bool(mine & set(where[:2])) or where[2] in maps

    def said(self):
        """Number of findings by code and severity, without those about other traffic."""
        return collections.Counter((f["code"], f["severity"]) for f in self.findings.values() if self._is_ours(f))

    def faults(self):
        """Yields a text for each unexpected finding, loss or number."""
        for f in self.findings.values():
            if self._is_ours(f) and (f["severity"] != "info" or f["ifname"] not in MAY_SAY.get(f["code"], (f["ifname"],))):
                yield f"{f['severity']} {f['code']}: {f['text']}"
        samples = last_samples(self.records)
        for e in self.expect:
            try:
                check(e, samples)
            except AssertionError as error:
                yield f"{e['stimulus']}, {e['tracepoint']}: {error}"
        mine = {e["netns"] for e in self.expect if e.get("netns")}
        for s in samples:
            if s["netns"] in mine and s["drops_total"] and s["ifname"] != LOSES:
                yield f"{s['ifname']}, {s['tracepoint']}: {s['drops_total']} packets lost"
