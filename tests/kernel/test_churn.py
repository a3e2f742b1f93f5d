# SPDX-License-Identifier: GPL-2.0-or-later
"""
What happens all day and loses nothing has no finding: restarts, deployments, toggles. What does lose keeps its cause.
CHURN=20 repeats each so often.
"""
import os
import threading
import time

import pytest

from harness import said
from namespaces import ip, run, veth
from test_change_stories import world  # noqa: F401 pylint: disable=unused-import
from test_mended import check_lives
from xsk import ByQueue, Xsk, inside

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

ROUNDS = int(os.environ.get("CHURN", "3"))


def of(m, *spaces):
    """Findings about these namespaces, or about one of the same name before a restart."""
    names, inodes = {s.name for s in spaces}, {s.inode for s in spaces}
    found = [r for r in m.stop() if r["type"] == "finding" and
             (r["netns_name"] in names or {r["netns"], r["to_netns"]} & inodes)]
    check_lives(found)
    for r in found:
        states = [f["state"] for f in found if (f["id"], f["first_seen"]) == (r["id"], r["first_seen"])]
        # the last snapshot has those that ended, once more
        assert states == sorted(states, key=("active", "cleared").index), (r["code"], r["id"], states)
    return found


def serious(found, *expected):
    return [r for r in found if r["severity"] != "info" and r["code"] not in expected]


def attach(w, ifname, section, netns=None):
    ip(netns or w.ns, "-force", "link", "set", ifname, "xdpdrv", "obj", w.path, "sec", section)


def test_restarts(monitor, world, netns):  # noqa: F811
    """A container with XDP, created again with the same names."""
    m = monitor("-d", "0.3")
    for i in range(ROUNDS):
        box = netns("box")
        veth(world.ns, "boxfeed0", box, "eth0")
        attach(world, "eth0", "xdp", box)
        world.ns.send("boxfeed0", 100)
        if i % 2:
            m.wait_snapshot()
        box.delete()
    found = of(m, box)
    assert not serious(found), found


def test_deployments(monitor, world):  # noqa: F811
    """A program replaced by its next version while traffic flows; both hand on all packets."""
    attach(world, "sink0", "xdp", world.sink)
    attach(world, "in0", "xdp")
    world.send()
    m = monitor("-d", "0.3")
    m.wait_snapshot()
    for i in range(ROUNDS):
        attach(world, "in0", ("xdp.out", "xdp")[i % 2])
        time.sleep(.1)
        if i % 3 == 0:
            m.wait_snapshot()
    m.wait_snapshot()
    found = of(m, world.ns, world.sink)
    assert not serious(found, "program-replaced"), found


def test_toggles(monitor, world):  # noqa: F811
    """Settings that no packet of this traffic needs."""
    attach(world, "sink0", "xdp", world.sink)
    attach(world, "in0", "xdp.out")
    world.send()
    m = monitor("-d", "0.3")
    m.wait_snapshot()
    for i in range(ROUNDS):
        for ns, ifname in (world.sink, "sink0"), (world.ns, "out0"), (world.ns, "in0"):
            run("ip", "netns", "exec", ns.name, "ethtool", "-K", ifname, "gro", ("on", "off")[i % 2])
            ip(ns, "link", "set", ifname, "mtu", ("1400", "1500")[i % 2])
        m.wait_snapshot()
    found = of(m, world.ns, world.sink)
    assert not serious(found), found


def test_readers_that_pause(monitor, world, tmp_path_factory):  # noqa: F811
    """Loses packets in each pause: one story, told about this socket."""
    with inside(world.ns):
        x = Xsk(chunks=128, rx=64, fill=128, completion=64)
        x.bind(world.ns.ifindex("in0"))
    by_queue = ByQueue(tmp_path_factory, world.ns, "in0")
    ending = threading.Event()

    def read():
        turn = 0
        while not ending.wait(.002):
            turn += 1
            if turn % 150 == 0:
                time.sleep(.4)  # the pause
            n = x.ring["rx"].fill()
            x.ring["fill"].put(*[e[0] & ~2047 for e in x.ring["rx"].entries(n)])
            x.ring["rx"].take(n)

    x.ring["fill"].put(*[i * 2048 for i in range(128)])
    reader = threading.Thread(target=read)
    try:
        by_queue.put(0, x)
        reader.start()
        world.send()
        m = monitor("-d", "0.3")
        first = said(m, lambda r: r["type"] == "finding" and r["netns"] == world.ns.inode and
                     r["severity"] == "critical", "the loss")
        for _ in range(2 * ROUNDS):
            m.wait_snapshot()
        found = of(m, world.ns)
        assert {r["code"] for r in serious(found)} <= {"xsk-ring-full", "xsk-not-polled"}, found
        again = [r for r in found if r["id"] == first["id"]]
        assert {r["socket_inode"] for r in again} == {first["socket_inode"]}
    finally:
        ending.set()
        reader.join()
        by_queue.close()
        x.close()


def test_dropping_program_is_replaced(monitor, world):  # noqa: F811
    """Each program has only its own drops."""
    world.send()
    m = monitor("-d", "0.3")
    for i in range(ROUNDS):
        attach(world, "in0", ("xdp.abort", "xdp")[i % 2])
        m.wait_snapshot()
        m.wait_snapshot()
    found = of(m, world.ns)
    assert {(r["code"], r["prog_name"]) for r in serious(found, "program-replaced")} == {("aborted", "story_abort")}, found
