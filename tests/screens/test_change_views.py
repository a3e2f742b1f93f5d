# SPDX-License-Identifier: GPL-2.0-or-later
"""What changed: its view and key, its objects, its marks in graphs."""
import json

import pytest

import recording
from recording import INIT, START

ETH0 = {"netns": INIT, "netns_name": "init", "ifindex": 3, "ifname": "eth0"}
WEB = {"netns": INIT, "netns_name": "init", "ifindex": 7, "ifname": "veth-web"}
OTHER = {"netns": INIT, "netns_name": "init", "ifindex": 99, "ifname": "other0"}
# snapshot, change
CHANGES = [
    (2, {**ETH0, "change": "mtu", "old": "1500", "new": "3000"}),
    (3, {**OTHER, "change": "mtu", "old": "1500", "new": "1400"}),
    (4, {**ETH0, "change": "program-replaced", "old": "41 old native", "new": "42 xdp_fwd native", "prog_id": 42,
         "prog_name": "xdp_fwd", "pid": 812, "comm": "agent"}),
    (4, {**WEB, "change": "link-down", "old": "up", "new": "down"}),
    (5, {**WEB, "change": "link-up", "old": "down", "new": "up"}),
    (5, {"change": "entry-changed", "old": "eth1", "new": "veth-web", "map_type": "devmap", "map_id": 5, "map_index": 1}),
    (6, {"netns": None, "ifname": None, "change": "cpu-off", "old": "CPU 7", "cpu": 7}),
]


@pytest.fixture
def changed(tmp_path):
    """The recording, with maps and CHANGES."""
    path = tmp_path / "changed.jsonl"
    recording.write(path, with_maps=True)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    out = []
    for i, row in enumerate(rows):
        out.append(row)
        seq = row.get("seq")
        if row["type"] in ("header", "end") or seq is None or rows[i + 1].get("seq") == seq and rows[i + 1]["type"] != "end":
            continue
        for at, change in CHANGES:
            if at == seq:
                old_new = f"{change.get('old', 'none')} -> {change.get('new', 'none')}"
                out.append({"type": "event", "time": START % seq, "tracepoint": None, "text": old_new, **change})
    path.write_text("".join(json.dumps(row) + "\n" for row in out))
    return path


def marks(text):
    """The axis below the graph, from the newest second back, and the legend."""
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("      └"))
    return [c for c in reversed(lines[at]) if c.isalpha() or c == "*"], [line for line in lines[at + 2:-3] if line]


def test_marks_of_a_flow(monitor, changed):
    """Of its device, target and map; the newest three in words."""
    screen = monitor("-v", "flows", "-s", "lost_per_s", path=changed, steps=6)
    screen.keys("g")
    screen.wait(r"LOST/S +now 1320 +peak 1320")
    screen.golden("graph-changes-80x24")
    letters, legend = marks(screen.text())
    # 5: link and map, 4: program and link, 2: the setting
    assert letters == ["*", "*", "S"]
    assert [line.split()[:3] for line in legend] == [
        ["M", "-1s", "entry-changed"], ["L", "-1s", "link-up"], ["L", "-2s", "link-down"]]


def test_marks_of_other_objects(monitor, changed):
    """Each has its own: a device, a program, a CPU, and a tracepoint none."""
    screen = monitor("-v", "devices", "-s", "packets_per_s", "-f", "ifname=veth-web", path=changed, width=100, steps=6)
    screen.keys("g")
    screen.wait(r"PKTS/S +now .* veth-web init")
    assert marks(screen.text()) == (["L", "L"], ["L   -1s link-up down -> up on veth-web",
                                                 "L   -2s link-down up -> down on veth-web"])
    screen.keys("6")
    screen.wait(r"\[programs\]")
    screen.keys("/", "C-u")
    screen.type("prog_id=42")
    screen.wait(r"filter: prog_id=42")
    screen.keys("g")
    screen.wait(r"now .* xdp_fwd")
    assert marks(screen.text()) == (["P"], [
        "P   -2s program-replaced 41 old native -> 42 xdp_fwd native on eth0, by agent[812]"])
    screen.keys("t", "/", "C-u")
    screen.type("xdp_exception")
    screen.wait(r"(?s)\[tracepoints\].*\n>.*xdp_exception on")
    screen.keys("g")
    screen.wait(r"now .* xdp_exception")
    assert marks(screen.text()) == ([], [])


def test_marks_of_the_past(monitor, changed):
    """A paused graph has those up to its time; one line of a small screen is not taken for the legend."""
    screen = monitor("-v", "flows", "-s", "lost_per_s", path=changed, steps=3)
    screen.keys("p", "Space", "Space", "Space", "g")
    screen.wait(r"LOST/S +now 660 +peak 660")
    assert marks(screen.text())[0] == ["S"]
    screen.resize(40, 10)
    screen.wait(r"(?m)^ +└─.*S")
    assert "mtu" not in screen.text()


def test_key_and_object(monitor, changed):
    """X shows the changes and returns; Enter leads to the object, Esc back; e explains the change itself."""
    screen = monitor(path=changed, steps=6)
    screen.keys("X")
    screen.wait(r"(?s)\[changes\].*\n> 09:15:06 cpu-off")
    screen.keys("Enter")
    screen.wait(r"(?s)\[cpus\].*\n CPU 7")
    screen.keys("Escape")
    screen.wait(r"(?s)\[changes\].*\n> 09:15:06 cpu-off")
    screen.keys("Down", "Enter")
    screen.wait(r"(?s)\[maps\].*\n map +.*id 5")
    screen.keys("Escape", "Down", "Enter")
    screen.wait(r"(?s)\[devices\].*\n veth-web init.*\n device ")
    screen.keys("Escape", "e")
    screen.wait(r"(?s)\[changes\].*\n *link-up.*\n *after +up\n")
    screen.keys("X")
    screen.wait(r"(?s)\[changes\].*\n> 09:15:05 link-up")
    screen.keys("/")
    screen.type("change=mtu|program-replaced")
    screen.wait(lambda t: "link-up" not in t and "program-replaced" in t, "the filter")
    # no view has a row of this device
    screen.keys("Home", "Down", "Enter")
    screen.wait(r"(?s)\[changes\].*\n *mtu  \(.*\n *after +1400\n")
    screen.keys("X", "X")
    screen.wait(r"\[overview\]")
