# SPDX-License-Identifier: GPL-2.0-or-later
"""Contents of the maps that XDP redirects through, compared with what was put into them."""
import contextlib
import ctypes
import json
import os
import pathlib
import platform
import re
import struct

import pytest

from harness import said
from namespaces import PREFIX, ip, run, veth

QUICK = ("-d", "0.1", "-t", "none")


class Map:
    """A map created by bpftool, pinned alone in a bpffs."""

    def __init__(self, name, kind, entries, value=8):
        self.path = f"/sys/fs/bpf/{PREFIX}-{name}"
        run("bpftool", "map", "create", self.path, "type", kind, "key", "4", "value", str(value),
            "entries", str(entries), "name", name)
        self.id = json.loads(run("bpftool", "-j", "map", "show", "pinned", self.path))["id"]

    @staticmethod
    def bytes(*words):
        return [str(b) for b in struct.pack(f"={len(words)}I", *words)]

    def put(self, key, *value, ns=None):
        inside = ("ip", "netns", "exec", ns.name) if ns else ()
        run(*inside, "bpftool", "map", "update", "id", str(self.id), "key", *self.bytes(key),
            "value", *self.bytes(*value))

    def delete(self, key):
        run("bpftool", "map", "delete", "id", str(self.id), "key", *self.bytes(key))

    def end(self):
        if os.path.exists(self.path):
            os.unlink(self.path)


@pytest.fixture
def new_map():
    made = []

    def make(*args, **kwargs):
        made.append(Map(*args, **kwargs))
        return made[-1]

    yield make
    for m in made:
        m.end()


def is_row(map_id, key, **fields):
    """A row of the map (key None), or of one of its entries."""
    fields.setdefault("state", "used")
    return lambda r: (r["type"] == "map_entry" and r["map_id"] == map_id and r["key"] == key
                      and all(r[k] == v for k, v in fields.items()))


def test_all_types(monitor, rig):
    """The targets of the rig's frames are in the map that they went through."""
    r = rig("--hold", "-n", "50", "redirect", "redirect-hash", "devmap-prog", "cpumap-prog", "xskmap")
    r.read_until("ready")
    m = monitor(*QUICK)
    r.go()
    r.read_until("done")
    through = [e for e in r.expect if e.get("map_type")]
    assert {e["map_type"] for e in through} == {"devmap", "devmap_hash", "cpumap", "xskmap"}
    for e in through:
        said(m, lambda x: is_row(e["map_id"], None, map_type=e["map_type"])(x) and x["users"]
             and str(e["prog_id"]) in x["users"].split(","), f"the map of {e}, and its program")
        wanted = {k: e[k] for k in ("to_netns", "to_ifindex", "to_ifname", "to_cpu") if k in e}
        row = said(m, lambda x: x["type"] == "map_entry" and x["map_id"] == e["map_id"] and x["key"] is not None
                   and all(x[k] == v for k, v in wanted.items()), f"the entry of {e}")
        assert row["prog_id"] == e.get("to_prog_id") or e["map_type"] == "cpumap"
        assert bool(row["socket_inode"]) == (e["map_type"] == "xskmap")
        assert bool(row["qsize"]) == (e["map_type"] == "cpumap")
        named = {"devmap-prog": "rig_on_dev", "cpumap-prog": "rig_on_cpu"}
        assert row["prog_name"] == named.get(e["stimulus"])
    r.go()
    for e in through:
        said(m, is_row(e["map_id"], None, state="gone"), f"{e} is gone")
    m.stop()


def test_entries_come_and_go(monitor, netns, new_map):
    """Without privileges: an entry, a replacement, none; then the map."""
    a, b = netns("a"), netns("b")
    veth(a, "left0", b, "right0")
    veth(a, "left1", b, "right1")
    first, second = a.ifindex("left0"), a.ifindex("left1")
    m = monitor(*QUICK)
    with open(f"/proc/{m.process.pid}/status") as f:
        status = f.read()
    assert re.search(r"^CapEff:\s+0+$", status, re.M) and re.search(r"^CapPrm:\s+0+$", status, re.M)
    # created after the monitor dropped everything
    slots, buckets = new_map("slots", "devmap", 40), new_map("buckets", "devmap_hash", 33)
    for x, keys in ((slots, (3, 39)), (buckets, (70000, 5, 69))):
        assert said(m, is_row(x.id, None, used=0), "the map")["map_name"] in ("slots", "buckets")
        for key in keys:
            x.put(key, first, 0, ns=a)
            row = said(m, is_row(x.id, key, to_ifindex=first), f"key {key}")
            assert (row["to_netns"], row["to_ifname"], row["prog_id"]) == (a.inode, "left0", None)
        x.put(keys[0], second, 0, ns=a)
        said(m, is_row(x.id, keys[0], to_ifindex=second, to_ifname="left1"), "the new target")
        said(m, is_row(x.id, None, used=len(keys)), "all are counted")
        x.delete(keys[1])
        said(m, is_row(x.id, keys[1], state="gone"), "the deleted one")
        said(m, is_row(x.id, None, used=len(keys) - 1), "one less")
    since = len(m.records)
    ip(a, "link", "set", "left1", "name", "other1")
    said(m, is_row(slots.id, 3, to_ifname="other1"), "the new name", since)
    ip(a, "link", "del", "other1")
    said(m, is_row(slots.id, 3, state="gone"), "the entry of a device that is gone", since)
    buckets.end()
    said(m, is_row(buckets.id, None, state="gone"), "the map that is gone", since)
    last = m.stop()
    keys = [r["key"] for r in last if r["type"] == "map_entry" and r["map_id"] == slots.id
            and r["seq"] == last[-1]["seq"]]
    assert keys == [None]


@pytest.mark.alone  # it takes the first cpumap that it sees
def test_fill(monitor, rig):
    """A CPU slower than the sender: its queue fills."""
    r = rig("--load", "cpumap-slow=2000")
    r.read_until("ready")
    m = monitor(*QUICK)
    queue = said(m, lambda x: x["type"] == "map_entry" and x["map_type"] == "cpumap" and x["qsize"], "the queue")
    m.wait_for(lambda x: x["type"] == "map_entry" and x["map_id"] == queue["map_id"]
               and x["key"] == queue["key"] and x["fill"] > 0, "frames that wait")
    r.halt()
    fills = [x["fill"] for x in m.stop() if x["type"] == "map_entry"
             and x["map_id"] == queue["map_id"] and x["key"] == queue["key"]]
    assert 0 < max(fills) <= queue["qsize"]


def fill(tmp_path, keys, *maps):
    """Each of these keys of each map leads to a device."""
    batch = tmp_path / "batch"
    batch.write_text("".join(f"map update id {x.id} key {' '.join(x.bytes(k))} value 1 0 0 0 0 0 0 0\n"
                             for x in maps for k in keys))
    run("bpftool", "batch", "file", str(batch))


@pytest.mark.parametrize("kind,slots", [("devmap", 65536), ("devmap_hash", 65536)])
def test_large_map(monitor, new_map, tmp_path, kind, slots):
    """Read in parts, while a small one beside it is read completely each time. The unread part stays."""
    large = new_map("large", kind, slots)
    keys = range(0, slots, 16)
    fill(tmp_path, keys, large)
    small = new_map("small", "devmap", 1024)
    small.put(1, 1, 0)
    m = monitor(*QUICK)
    row = said(m, is_row(large.id, None), "the large one")
    assert row["slots_read"] < slots
    said(m, is_row(small.id, 1), "the small one's entry")
    m.wait_for(is_row(large.id, None, slots_read=slots, used=len(keys)), "all of it")
    parts = [r["slots_read"] for r in m.records if is_row(large.id, None)(r)]
    assert parts == sorted(parts) and len(parts) >= 4
    large.delete(keys[-1])
    m.wait_for(is_row(large.id, keys[-1], state="gone"), "the last one is gone")
    records = m.stop()
    assert [r["key"] for r in records if is_row(large.id, r.get("key"), state="gone")(r)] == [keys[-1]]
    last = [r["key"] for r in records if is_row(large.id, r.get("key"))(r) and r["seq"] == records[-1]["seq"]]
    assert last == [None, *keys[:-1]]


@pytest.mark.alone  # all maps of the machine share the steps of a walk
def test_many_large_maps(monitor, new_map, tmp_path):
    """Maps of similar size take turns; smaller ones do not wait for them; waiting ones have no count."""
    large = [new_map(f"large{i}", "devmap", 20000) for i in range(15)]
    full = new_map("full", "devmap", 40000)
    medium = new_map("medium", "devmap", 2000)
    fill(tmp_path, range(0, 20000, 200), *large)
    fill(tmp_path, range(40000), full)
    fill(tmp_path, range(0, 2000, 200), medium)
    m = monitor(*QUICK)
    m.wait_for(is_row(full.id, None, slots_read=40000, used=40000), "the last one")
    records = m.stop()

    def first(x, **fields):
        return next(r["seq"] for r in records if is_row(x.id, None, **fields)(r))

    assert first(medium, slots_read=2000, used=10) == 1
    assert first(full, slots_read=0, used=None) == 1
    assert max(first(x, slots_read=20000, used=100) for x in large) <= 3


def test_empty_large_map(monitor, new_map):
    large = new_map("large", "devmap", 65536)
    m = monitor(*QUICK)
    said(m, is_row(large.id, None, slots_read=65536, used=0), "all of it")
    m.stop()


def test_target_is_known(monitor, netns, new_map):
    """Facts about a device that only an entry names: its state changes."""
    a, b = netns("a"), netns("b")
    veth(a, "left", b, "right")
    x = new_map("slots", "devmap", 4)
    x.put(0, a.ifindex("left"), 0, ns=a)
    m = monitor(*QUICK)

    def is_device(state):
        return lambda r: (r["type"] == "device" and (r["netns"], r["ifname"]) == (a.inode, "left")
                          and r["state"] == state)

    said(m, is_device("up"), "the device")
    ip(a, "link", "set", "left", "down")
    m.wait_for(is_device("down"), "its state")
    m.stop()


@contextlib.contextmanager
def run_counts():
    """The kernel counts the runs of all programs, as long as this descriptor is open: BPF_ENABLE_STATS."""
    bpf = {"x86_64": 321, "aarch64": 280, "riscv64": 280}[platform.machine()]
    fd = ctypes.CDLL(None, use_errno=True).syscall(bpf, 32, struct.pack("=I", 0), 4)
    assert fd >= 0, os.strerror(ctypes.get_errno())
    yield
    os.close(fd)


def programs(m):
    """The programs that the monitor has open, by name."""
    ids = {i for fd in pathlib.Path(f"/proc/{m.process.pid}/fdinfo").iterdir()
           for i in re.findall(r"^prog_id:\t(\d+)$", fd.read_text(), re.M)}
    shows = [json.loads(run("bpftool", "-j", "prog", "show", "id", i)) for i in ids]
    return {p.get("name"): p for p in shows if p["type"] == "tracing"}


def test_walks_run_once(monitor, new_map):
    """The walks get a map that they ignore: what they cost does not grow with the number of maps."""
    made = [new_map(f"m{i}", "array", 1) for i in range(400)]
    with run_counts():
        m = monitor(*QUICK)
        said(m, lambda r: r.get("seq") == 4, "some snapshots")
        runs = {name: p.get("run_cnt", 0) for name, p in programs(m).items()}
        m.stop()
    assert runs["map_contents"] > len(made)
    assert 0 < runs["walk"] < len(made) and 0 < runs["xdp_sockets"] < len(made) and runs["bpffs_pins"] < len(made)
