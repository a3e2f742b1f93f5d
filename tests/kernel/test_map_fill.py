# SPDX-License-Identifier: GPL-2.0-or-later
"""How full the hashes and tries of a running program are, compared with bpftool, while packets fill them."""
import json
import os
import re

import pytest

from harness import TOP, XDPTOP, said
from namespaces import PREFIX, ip, run, veth

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

OBJECT = TOP / "build/rig/fill.bpf.o"
QUICK = ("-d", "0.1", "-t", "none")
HASHES = {"blocked": "hash", "blocked_alloc": "hash", "blocked_cpu": "percpu_hash", "nets": "lpm_trie",
          "tenant": "hash"}
LRU = {"recent": "lru_hash", "recent_cpu": "lru_percpu_hash"}
SIZE = 1000


class Firewall:
    """A veth with the program whose maps its frames fill; the frames come from the peer."""

    def __init__(self, ns):
        self.ns = ns
        self.pin = f"/sys/fs/bpf/{PREFIX}-firewall"
        self.sent = 0
        veth(ns, "in", ns, "feed")
        run("bpftool", "prog", "load", str(OBJECT), self.pin, "type", "xdp")
        run("nsenter", f"--net=/run/netns/{ns.name}", "ip", "link", "set", "in", "xdpdrv", "pinned", self.pin)
        prog = json.loads(run("bpftool", "-j", "prog", "show", "pinned", self.pin))
        self.prog_id = prog["id"]
        self.maps = {m["name"]: m for m in json.loads(run("bpftool", "-j", "map", "show"))
                     if m["id"] in prog["map_ids"]}
        inner = json.loads(run("bpftool", "-j", "map", "dump", "id", str(self.maps["tenants"]["id"])))
        self.maps["tenant"] = {"id": next(int(e["value"][0], 16) | int(e["value"][1], 16) << 8
                                          | int(e["value"][2], 16) << 16 for e in inner if "value" in e
                                          and len(e["value"]) == 4)}

    def fill(self, n):
        """Sends n frames, each of which adds an entry."""
        self.ns.python(
            "import socket, struct\n"
            "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
            "s.bind(('feed', 0))\n"
            f"for i in range({self.sent}, {self.sent + n}):\n"
            "  s.send(b'\\xff' * 12 + b'\\x88\\xb5' + struct.pack('>I', i) + bytes(46))\n"
        )
        self.sent += n

    def count(self, name):
        """Entries by bpftool."""
        dump = json.loads(run("bpftool", "-j", "map", "dump", "id", str(self.maps[name]["id"])))
        return len(dump)

    def end(self):
        if os.path.exists(self.pin):
            os.unlink(self.pin)


@pytest.fixture
def firewall(netns):
    f = None
    try:
        f = Firewall(netns("fill"))
        yield f
    finally:
        if f:
            f.end()


def row(f, name, **fields):
    return lambda r: (r["type"] == "map" and r["map_id"] == f.maps[name]["id"]
                      and all(r[k] == v for k, v in fields.items()))


def finding(f, name):
    return lambda r: (r["type"] == "finding" and r["code"] == "map-nearly-full"
                      and r["map_id"] == f.maps[name]["id"])


@pytest.mark.alone
def test_numbers(firewall, monitor):
    """Every type, inner maps as well, has as many entries as bpftool finds."""
    f = firewall
    m = monitor(*QUICK)
    for n in (0, 5, 300):
        f.fill(n)
        for name, kind in (HASHES | LRU).items():
            entries = f.count(name)
            assert entries == f.sent
            r = said(m, row(f, name, entries=entries), f"{name} has {entries} entries")
            assert (r["map_type"], r["max_entries"], r["users"]) == (kind, SIZE, str(f.prog_id)), r
    text = run(XDPTOP, "-b", "-o", "prometheus", "-d", "0.1", "-n", "1", "-t", "none").decode()
    assert "# TYPE xdptop_map_entries gauge\n" in text
    labels = f'map_id="{f.maps["blocked"]["id"]}",map="blocked",map_type="hash"'
    assert f"xdptop_map_entries{{{labels}}} 305\n" in text and f"xdptop_map_max_entries{{{labels}}} {SIZE}\n" in text
    # an array is always full, and has no row
    records = m.stop()
    assert f.maps["tenants"]["id"] not in {r["map_id"] for r in records if r["type"] == "map"}
    # healthy: a third full, and a configuration of one entry, which is full
    assert said(m, row(f, "config", entries=1, max_entries=1), "the configuration")
    assert [r for r in records if r["type"] == "finding" and r["code"] == "map-nearly-full"] == []


def test_story(firewall, monitor):
    """A map fills: it is named before it is full, with the command, and when it is full."""
    f = firewall
    f.fill(760)
    m = monitor(*QUICK, "-o", "json")
    said(m, row(f, "blocked", entries=760), "the first count")
    for n in range(3):
        f.fill(20)
        said(m, row(f, "blocked", entries=780 + n * 20), "a rise")
    soon = said(m, finding(f, "blocked"), "it is full soon")
    assert soon["severity"] == "info" and soon["prog_name"] == "rig_firewall" and soon["ifname"] == "in"
    assert re.search(r"82.0 % of its 1000 entries are in use, and it grows by .* a second: it is full in \d+ ",
                     soon["text"])
    assert f"bpftool map show id {soon['map_id']}" in soon["next"]
    # the screen that a user sees first has it, too
    text = run(XDPTOP, "-b", "-d", "0.2", "-n", "40", "-t", "none", "-v", "maps").decode()
    assert re.search(r"blocked .*820 of 1000 used", text)
    f.fill(SIZE)
    full = said(m, lambda r: finding(f, "blocked")(r) and r["severity"] == "warning", "it is full")
    assert "refuses a new one with E2BIG" in full["text"]
    trie = said(m, lambda r: finding(f, "nets")(r) and r["severity"] == "warning", "the trie is full")
    assert "ENOSPC" in trie["text"]
    for name in LRU:
        said(m, lambda r: finding(f, name)(r) and "evicts old entries" in r["text"], f"{name} evicts")
    assert {r["severity"] for r in m.records if r["type"] == "finding"
            and r["map_id"] in {f.maps[name]["id"] for name in LRU}} == {"info"}


def test_unused(firewall, monitor):
    """Maps of a program that no device runs are not counted."""
    f = firewall
    ip(f.ns, "link", "set", "dev", "in", "xdpdrv", "off")
    m = monitor(*QUICK)
    said(m, lambda r: r["type"] == "tracepoint" and r["seq"] == 3, "some snapshots")
    assert [r for r in m.stop() if r["type"] == "map" and r["map_id"] in {x["id"] for x in f.maps.values()}] == []


@pytest.mark.alone
def test_runs(firewall, monitor):
    """RUNNS and RUNS/S are off until somebody switches BPF statistics on; then they are bpftool's numbers."""
    f = firewall
    path = "/proc/sys/kernel/bpf_stats_enabled"
    with open(path, encoding="ascii") as file:
        before = file.read()
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write("0")
        m = monitor(*QUICK)
        f.fill(10)
        off = said(m, lambda r: r["type"] == "program" and r["prog_id"] == f.prog_id and "statistics" in r, "it is off")
        assert off["statistics"] == 0 and "runs_per_s" not in off
        with open(path, "w", encoding="ascii") as file:
            file.write("1")
        f.fill(500)
        on = said(m, lambda r: r["type"] == "program" and r["prog_id"] == f.prog_id and r.get("run_cnt") == 500,
                  "all runs are counted")
        show = json.loads(run("bpftool", "-j", "prog", "show", "id", str(f.prog_id)))
        assert (show["run_cnt"], show["run_time_ns"]) == (on["run_cnt"], on["run_time_ns"])
        assert on["runs_per_s"] > 0 and on["ns_per_run"] > 0
        f.fill(1)
        said(m, lambda r: r["type"] == "program" and r["prog_id"] == f.prog_id and r.get("run_cnt") == 501, "one more")
        m.stop()
        # xdptop leaves it as it was
        with open(path, encoding="ascii") as file:
            assert file.read().strip() == "1"
    finally:
        with open(path, "w", encoding="ascii") as file:
            file.write(before)
