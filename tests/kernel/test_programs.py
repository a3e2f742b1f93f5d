# SPDX-License-Identifier: GPL-2.0-or-later
"""Holders of attached programs: processes, links, pins and parts that the test creates."""
import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from harness import XDPTOP, said
from namespaces import PREFIX, compiled, ip, run, veth

pytestmark = pytest.mark.alone  # its names of programs are also those of its other tests

CODE = "program-without-owner"
LOADER = os.path.join(os.path.dirname(__file__), "loader.py")
SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
__attribute__((noinline)) int slot(struct xdp_md *ctx) { volatile int ret = XDP_PASS; return ret; }
SEC("xdp") int whole(struct xdp_md *ctx) { return slot(ctx); }
%s
char gpl[] SEC("license") = "GPL";
"""
PART = 'SEC("freplace/slot") int part(struct xdp_md *ctx) { return XDP_PASS; }'


@pytest.fixture
def device(netns):
    """A veth in a namespace, for programs in native mode; returns the namespace."""
    ns = netns("own")
    veth(ns, "own0", ns, "own1")
    return ns


@pytest.fixture
def bpffs(tmp_path):
    path = tmp_path / "bpf"
    path.mkdir()
    run("mount", "-t", "bpf", "bpf", str(path))
    yield path
    run("umount", str(path))


@pytest.fixture
def load(device, popen):
    """Starts a loader in the device's namespace, and waits until it has done everything."""
    def start(name, *todo, refusable=False):
        p = popen(["nsenter", f"--net=/run/netns/{device.name}", sys.executable, LOADER, name,
                   str(device.ifindex("own0")), *map(str, todo)], stdout=subprocess.PIPE)
        answer = p.stdout.readline()
        if refusable and answer == b"Operation not permitted\n":
            pytest.skip("this machine lets not even root load a program of type EXT")
        assert answer == b"ready\n", answer
        return p

    return start


def end(p):
    p.send_signal(signal.SIGKILL)
    p.wait()


def row(m, name, **want):
    """The newest object of the program, once it has these values."""
    return m.wait_for(lambda r: r["type"] == "program" and r["prog_name"] == name
                      and all(r[k] == v for k, v in want.items()), f"{name} {want}")


def is_finding(state=None):
    """About a device of this test: others may leave programs, too."""
    return lambda r: r["type"] == "finding" and r["code"] == CODE and r["state"] == (state or r["state"]) and \
        (r["netns_name"] or "").startswith(PREFIX)


def findings(records):
    return list(filter(is_finding(), records))


ARGS = ("-d", "0.2", "-t", "none")
NOBODY = {"pid": None, "comm": None, "holders": 0}


def test_held_by_process(monitor, load):
    p = load("held", "netlink")
    m = monitor(*ARGS)
    has = row(m, "held", holders=1)
    assert (has["pid"], has["processes"], has["pinned"], has["link_id"]) == (p.pid, "all", 0, None)
    assert (has["attached_by"], has["unheld"], has["uid"], has["parts"]) == ("netlink", 0, os.getuid(), 0)
    assert has["loaded_at"] < has["time"] and has["comm"].startswith("python")
    # the loader ends: in two scans nothing holds the program
    end(p)
    told = m.wait_for(is_finding("active"), "the finding")
    assert (told["severity"], told["prog_name"], told["ifname"]) == ("info", "held", "own0")
    assert f"by uid {os.getuid()}" in told["text"] and told["lost_per_s"] is None
    # the suggested command detaches it
    (off,) = [c for c in told["next"] if "link set" in c]
    subprocess.run(off, shell=True, check=True)
    row(m, "held", state="gone")
    m.wait_for(is_finding("cleared"), "the finding is cleared")


def test_held_by_link(monitor, device, load):
    """A process holds links to two devices, but not the program; without it nothing is attached."""
    p = load("linked", "link", device.ifindex("own1"), "link", "close")
    m = monitor(*ARGS)
    has = row(m, "linked", holders=1)
    assert (has["pid"], has["attached_by"], has["pinned"]) == (p.pid, "link", 0) and has["link_id"]
    end(p)
    row(m, "linked", state="gone")
    assert not findings(m.stop())


@pytest.mark.parametrize("how", ["link", "netlink"])
def test_pinned(monitor, load, bpffs, how):
    p = load("pinned", how, bpffs / "it")
    m = monitor(*ARGS)
    has = row(m, "pinned", pinned=1, holders=1)
    assert (has["attached_by"], has["pid"]) == (how, p.pid)
    end(p)
    has = row(m, "pinned", pinned=1, **NOBODY)
    assert has["unheld"] == 0 and bool(has["link_id"]) == (how == "link")
    assert not findings(m.records)
    os.unlink(bpffs / "it")
    if how == "link":
        row(m, "pinned", state="gone")
        assert not findings(m.stop())
    else:
        m.wait_for(is_finding("active"), "the finding")


def test_more_pins_than_are_known(monitor, load, bpffs):
    """A program that is not among the known pins may still be pinned."""
    load("held", "netlink")
    m = monitor(*ARGS)
    row(m, "held", pinned=0)
    pins = [bpffs / str(i) for i in range(600)]
    load("other", *pins)
    row(m, "held", pinned=None)
    for pin in pins:
        os.unlink(pin)
    row(m, "held", pinned=0)


@pytest.mark.parametrize("mode,word", [("xdp", "xdpdrv"), ("xdpgeneric", "xdpgeneric")])
def test_attached_by_ip(monitor, device, tmp_path_factory, tmp_path, mode, word):
    """ip leaves it without an owner; the command needs the mode, since otherwise it would detach nothing."""
    ip(device, "link", "set", "dev", "own0", mode, "obj", compiled(tmp_path_factory, SOURCE % ""), "sec", "xdp")
    m = monitor(*ARGS)
    has = row(m, "whole", unheld=2)
    assert (has["attached_by"], has["pinned"], has["pid"]) == ("netlink", 0, None)
    told = m.wait_for(is_finding("active"), "the finding")
    assert told["next"][-1] == f"ip -n {device.name} link set dev own0 {word} off"
    # a replay has the same rows and findings
    records = m.stop()
    recording = tmp_path / "recording"
    recording.write_text("".join(json.dumps(r) + "\n" for r in records))
    out = subprocess.check_output([XDPTOP, "-r", recording, "-o", "json"])
    again = [json.loads(line) for line in out.splitlines()]
    mine = [[r for r in rs if r["type"] == "program" and r["prog_id"] == has["prog_id"]] for rs in (again, records)]
    assert mine[0] == mine[1]
    assert findings(again) == findings(records)
    out = subprocess.check_output([XDPTOP, "-r", recording, "-b", "-v", "programs", "-f", f"prog_id={has['prog_id']}"],
                                  env={"COLUMNS": "120"}).decode()
    assert out.count(" none  netlink ") == len([r for r in records if r["type"] == "tracepoint"
                                                and r["tracepoint"] == "xdp_exception"])


def test_parts(monitor, load, tmp_path_factory):
    """A dispatcher that its loader closed is held by its part, whatever holds that."""
    # guests of tests/kernels test it on kernels that allow it
    p = load(compiled(tmp_path_factory, SOURCE % PART), "netlink", "close", refusable=True)
    m = monitor(*ARGS)
    has = row(m, "whole", parts=1, unheld=0, **NOBODY)
    part = row(m, "part", part_of=has["prog_id"])
    assert (part["attached_by"], part["pid"], part["unheld"]) == ("link", p.pid, 0) and part["link_id"]
    end(p)
    # without its loader the part is gone, and the dispatcher no longer held
    row(m, "whole", parts=0)
    m.wait_for(is_finding("active"), "the finding")


def test_attached_twice(monitor, device, load):
    """By a link to one device and over netlink to another: each change tells its device's, and never the holder as
    the one who did it."""
    def change(kind, ifname):
        e = said(m, lambda r: r["type"] == "event" and r.get("change") == kind and r["netns"] == device.inode
                 and r["ifname"] == ifname, f"{kind} {ifname}")
        assert kind == "program-attached" or (e["holder"] == holder and e["pid"] != p.pid)
        return e.get("old", "none").split(", ")[-1], e.get("new", "none").split(", ")[-1]

    m = monitor(*ARGS)
    m.wait_snapshot()
    p = load("both", "link", device.ifindex("own1"), "netlink")
    row(m, "both", attached_by="link+netlink", holders=1)
    holder = f"{pathlib.Path(f'/proc/{p.pid}/comm').read_text().strip()}[{p.pid}]"
    assert change("program-attached", "own0") == ("none", "link")
    assert change("program-attached", "own1") == ("none", "netlink")
    assert {r["ifname"]: r["attached_by"] for r in m.records if r["type"] == "device" and r["prog_id"]
            and r["netns"] == device.inode} == {"own0": "link", "own1": "netlink"}
    ip(device, "link", "set", "own1", "xdp", "off")
    assert change("program-detached", "own1") == ("netlink", "none")
    row(m, "both", attached_by="link")
    end(p)
    row(m, "both", state="gone")


def test_attached_nowhere(monitor, load):
    """A program that is only loaded is not listed."""
    load("loaded")
    load("held", "netlink")
    m = monitor(*ARGS)
    row(m, "held")
    m.wait_snapshot()
    assert not [r for r in m.stop() if r["type"] == "program" and r["prog_name"] == "loaded"]
