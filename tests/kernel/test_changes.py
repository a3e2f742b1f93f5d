# SPDX-License-Identifier: GPL-2.0-or-later
"""What changed: each change is one event with device, old and new value; nothing else is."""
import json
import os
import pathlib
import re
import signal

import pytest

from harness import XDPTOP, check, last_samples, load, missing, said
from namespaces import compiled, ip, run
from replaces import contradictions
from test_maps import new_map  # pylint: disable=unused-import
from xsk import Xsk, inside

pytestmark = pytest.mark.alone  # all changes, events and findings of the machine are looked at

PROGRAMS = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int pass(struct xdp_md *ctx) { return XDP_PASS; }
SEC("xdp.next") int next(struct xdp_md *ctx) { return XDP_DROP; }
char _license[] SEC("license") = "GPL";
"""


def is_change(kind, **fields):
    return lambda r: r["type"] == "event" and r.get("change") == kind and all(r.get(k) == v for k, v in fields.items())


class Changes:
    """A monitor, and how many of its records were taken before each change."""

    def __init__(self, monitor):
        self.m = monitor("-d", "0.1", "-t", "none")
        self.m.wait_snapshot()
        self.listed = []

    def expect(self, kind, **fields):
        """The change, once; returns it."""
        change = said(self.m, is_change(kind, **fields), f"{kind} {fields}")
        assert change["tracepoint"] is None and change["left_out"] == 0
        self.m.wait_snapshot()
        assert sum(is_change(kind, **fields)(r) for r in self.m.records) == 1
        self.listed.append(kind)
        return change

    def kinds(self, **fields):
        """All kinds so far, in order."""
        return [r["change"] for r in self.m.records
                if r["type"] == "event" and r.get("change") and all(r[k] == v for k, v in fields.items())]


@pytest.fixture
def device(netns, tmp_path_factory):
    ns = netns("changes")
    ip(ns, "link", "add", "in0", "type", "veth", "peer", "name", "feed0")
    for name in "in0", "feed0":
        ip(ns, "link", "set", name, "up")
    ns.path = compiled(tmp_path_factory, PROGRAMS)
    return ns


def attach(ns, section, *how):
    ip(ns, *how, "link", "set", "dev", "in0", "xdpdrv", "obj", ns.path, "sec", section)


def test_program(monitor, device):
    """Attached, replaced, detached: ids and mode before and after, and the name if it is known by then."""
    changes = Changes(monitor)
    at = {"netns": device.inode, "ifname": "in0"}
    attach(device, "xdp")
    first = changes.expect("program-attached", **at)
    assert "old" not in first and re.fullmatch(rf"{first['prog_id']} (pass )?native, netlink", first["new"])
    attach(device, "xdp.next", "-force")
    second = changes.expect("program-replaced", **at)
    assert second["old"] == first["new"] and re.fullmatch(rf"{second['prog_id']} (next )?native, netlink", second["new"])
    assert second["prog_id"] > first["prog_id"]
    ip(device, "link", "set", "dev", "in0", "xdp", "off")
    last = changes.expect("program-detached", **at)
    assert last["old"] == second["new"] and "new" not in last and last["prog_id"] == second["prog_id"]
    assert [k for k in changes.kinds(**at) if k.startswith("program")] == changes.listed
    assert {r["code"] for r in changes.m.records if r["type"] == "finding" and r["netns"] == device.inode} <= {
        "program-replaced", "program-without-owner"}


def test_device(monitor, netns, device):
    """MTU, link, name and namespace of a device with XDP, and its end."""
    other = netns("changes-to")
    attach(device, "xdp")
    changes = Changes(monitor)
    at = {"netns": device.inode, "ifname": "in0"}
    ip(device, "link", "set", "in0", "mtu", "1400")
    changes.expect("mtu", old="1500", new="1400", **at)
    ip(device, "link", "set", "in0", "down")
    changes.expect("link-down", old="up", new="down", **at)
    ip(device, "link", "set", "in0", "name", "in1")
    changes.expect("renamed", old="in0", new="in1", netns=device.inode)
    ip(device, "link", "set", "in1", "up")
    changes.expect("link-up", new="up", netns=device.inode, ifname="in1")
    ip(device, "link", "set", "in1", "netns", other.name)
    changes.expect("moved", old=device.name, new=other.name, netns=other.inode, ifname="in1")
    ip(other, "link", "del", "in1")
    changes.expect("device-gone", old="in1", netns=other.inode)
    assert not [k for ns in (device, other) for k in changes.kinds(netns=ns.inode) if k.startswith("program")]


def test_settings(monitor, netns, tmp_path_factory):
    """Channels and offloads of a device in a namespace that does not notify the monitor."""
    ns = netns("changes-set")
    queues = ("numrxqueues", "4", "numtxqueues", "4")
    ip(ns, "link", "add", "in0", *queues, "type", "veth", "peer", "name", "feed0", *queues)
    for name in "in0", "feed0":
        ip(ns, "link", "set", name, "up")
    ns.path = compiled(tmp_path_factory, PROGRAMS)
    # a device with XDP needs as many receive queues as its peer has transmit queues
    run("ip", "netns", "exec", ns.name, "ethtool", "-L", "feed0", "tx", "2")
    attach(ns, "xdp")
    changes = Changes(monitor)
    at = {"netns": ns.inode, "ifname": "in0"}
    said(changes.m, lambda r: r["type"] == "device" and r["ifname"] == "in0" and r["channels"] == 4, "its channels")
    before = changes.m.records[-1]
    run("ip", "netns", "exec", ns.name, "ethtool", "-L", "in0", "rx", "2")
    changed = changes.expect("channels", old="4", new="2", **at)
    run("ip", "netns", "exec", ns.name, "ethtool", "-K", "in0", "gro", "on")
    changes.expect("offloads", **at)
    assert changed["time"] > before["time"]


def test_flap(monitor, device):
    """The carrier is lost and comes back between two snapshots."""
    changes = Changes(monitor)
    attach(device, "xdp")
    changes.expect("program-attached", ifname="in0")
    changes.m.process.send_signal(signal.SIGSTOP)
    ip(device, "link", "set", "feed0", "down")
    ip(device, "link", "set", "feed0", "up")
    changes.m.process.send_signal(signal.SIGCONT)
    changes.expect("link-flapped", netns=device.inode, ifname="in0", old="up", new="up after 2 carrier changes")
    assert not [k for k in changes.kinds(ifname="in0") if k in ("link-up", "link-down")]


def test_there_before(monitor, device):
    """What the monitor found at its start did not change."""
    attach(device, "xdp")
    changes = Changes(monitor)
    for _ in range(5):
        changes.m.wait_snapshot()
    assert not changes.kinds(netns=device.inode)


def test_entry(monitor, new_map):
    """Entries of a cpumap: added, changed, removed; beyond 16 in an interval they are counted."""
    m = new_map("changes", "cpumap", 64)
    m.put(0, 64, 0)
    changes = Changes(monitor)
    at = {"map_id": m.id, "map_type": "cpumap"}
    said(changes.m, lambda r: r["type"] == "map_entry" and r["map_id"] == m.id and r["key"] == 0, "its entry")
    m.put(0, 128, 0)
    changes.expect("entry-changed", old="CPU 0, qsize 64", new="CPU 0, qsize 128", map_index=0, **at)
    m.delete(0)
    changes.expect("entry-removed", old="CPU 0, qsize 128", map_index=0, **at)
    m.put(0, 32, 0)
    added = changes.expect("entry-added", new="CPU 0, qsize 32", map_index=0, **at)
    assert "old" not in added
    assert changes.kinds(**at) == changes.listed


def test_socket(monitor, device):
    """Bound by this process, and closed."""
    changes = Changes(monitor)
    with inside(device):
        socket = Xsk(rx=64, fill=64, completion=64)
        socket.bind(device.ifindex("in0"))
    name = pathlib.Path("/proc/self/comm").read_text(encoding="utf-8").strip()
    at = {"netns": device.inode, "ifname": "in0", "pid": None, "holder": f"{name}[{os.getpid()}]"}
    changes.expect("socket-bound", new="in0 queue 0", **at)
    socket.close()
    changes.expect("socket-closed", old="in0 queue 0", **at)


def test_cpu(monitor):
    cpu = max(os.sched_getaffinity(0))
    file = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/online")
    if cpu == 0:
        missing("there is one CPU only")
    changes = Changes(monitor)
    try:
        try:
            file.write_text("0")
        except OSError as e:
            missing(f"CPU {cpu} cannot be switched off: {e}")
        changes.expect("cpu-off", old=f"CPU {cpu}", cpu=cpu)
    finally:
        file.write_text("1")
    changes.expect("cpu-on", new=f"CPU {cpu}", cpu=cpu)


def test_many(monitor, rig):
    """Programs of two devices change as fast as the kernel lets them, beside traffic: no change is invented."""
    changing = rig("replaces", "20")
    changing.read_until("ready")
    m = monitor("-d", "0.1", "-t", "xdp_redirect", "--budget", "0")
    m.wait_snapshot()
    traffic = load(rig, "redirect")
    changing.go()
    changing.read_until("done")
    m.wait_snapshot()
    expected = [e for e in traffic.halt() if e["tracepoint"] == "xdp_redirect"]
    records = m.stop()
    assert len(changing.changes) == 20 * 21 * 2
    assert not list(contradictions(changing.changes, records))
    for e in expected:
        check(e, last_samples(records))
    changing.finish()
