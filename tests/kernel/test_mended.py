# SPDX-License-Identifier: GPL-2.0-or-later
"""Somebody mends the cause of a loss: the finding ends with the words that it had, and no other one appears."""
import pytest

from harness import said
from namespaces import ip
from test_change_stories import STORIES, World, begins, world  # noqa: F401

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

MENDS = {
    "target down": lambda w: ip(w.ns, "link", "set", "out0", "up"),
    "peer down": lambda w: ip(w.sink, "link", "set", "sink0", "up"),
    "receiver detached": lambda w: w.attach("sink0", "xdp", ns=w.sink),
    "GRO off": lambda w: w.ethtool("-K", "sink0", "gro", "on"),
    "MTU of the target": lambda w: ip(w.ns, "link", "set", "out0", "mtu", "1500"),
    "replaced, bad value": lambda w: w.replace("xdp.out"),
    "replaced, no helper": lambda w: w.replace("xdp.out"),
    "replaced, no such device": lambda w: w.replace("xdp.out"),
    "entry deleted": lambda w: w.tx.put(0, w.ns.ifindex("out0"), ns=w.ns),
    "cpumap queue of 1": lambda w: w.cpus.put(0, 2048),
}
PLACE = ("code", "first_seen", "netns", "ifindex", "to_netns", "to_ifindex", "to_cpu", "prog_id", "map_id", "queue",
         "socket_inode")


def findings(m, w):
    return [r for r in m.records if r["type"] == "finding" and w.has(r)]


def check_lives(found):
    """What is known of a finding stays, and after its cause nothing changes."""
    lives = {}
    for r in found:
        was = lives.setdefault((r["id"], r["first_seen"]), r)
        for field in PLACE:
            assert was[field] in (None, r[field]), (field, was, r)
        if was["clears"] or was["state"] == "cleared":
            if r["clears"] or r["state"] == "cleared":
                assert (was["text"], was["next"]) == (r["text"], r["next"]), (was, r)
        lives[r["id"], r["first_seen"]] = r


@pytest.mark.parametrize("story", MENDS)
def test_mended(monitor, world, story):  # noqa: F811
    prepare, do, code, _, _ = STORIES[story]
    prepare(world)
    world.send()
    m = monitor("-d", "0.3")
    for _ in range(2):
        m.wait_snapshot()
    do(world)
    first = begins(m, world, code)
    for _ in range(4):
        m.wait_snapshot()
    before = {r["code"] for r in findings(m, world)}
    MENDS[story](world)
    said(m, lambda r: r["type"] == "finding" and r["id"] == first["id"] and r["state"] == "cleared", "cleared")
    found = findings(m, world)
    check_lives(found)
    # the mend itself can be a replacement, or make a veth's peer lose offloads
    after = {r["code"] for r in found if r["severity"] != "info"} - before
    assert not after, [r for r in found if r["code"] in after]
    ended = [r for r in found if r["id"] == first["id"] and r["clears"]]
    assert ended, found
