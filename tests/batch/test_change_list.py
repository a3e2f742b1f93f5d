# SPDX-License-Identifier: GPL-2.0-or-later
"""View changes in batch mode: the new ones of each interval, and filters."""
import json

import pytest

from batch import output
from hostile import csv_rows

INIT = 4026531840
START = 9 * 3600 + 15 * 60
FWD, BAD = "42 fwd native, netlink", "77 bad native, netlink"
# second, device, and the rest of the change
CHANGES = [
    (2, "eth0", {"change": "mtu", "old": "1500", "new": "1400"}),
    (4, "eth0", {"change": "program-replaced", "old": FWD, "new": BAD, "prog_id": 77, "prog_name": "bad"}),
    (4, "eth1", {"change": "link-down", "old": "up", "new": "down"}),
    (5, None, {"change": "entry-removed", "old": "eth1", "map_id": 9, "map_type": "devmap", "map_index": 2}),
    (7, "eth1", {"change": "socket-bound", "new": "eth1 queue 3", "pid": 812, "comm": "app"}),
]
SECONDS = 8


def clock(second):
    return "2026-11-21T09:15:%02d.000000Z" % second


def shown(*args):
    return output(*args).decode()


@pytest.fixture
def recorded(tmp_path):
    rows = [{"type": "header", "schema": 1, "hostname": "edge1", "time": clock(0), "delay_s": 1}]
    for seq in range(1, SECONDS + 1):
        at = {"seq": seq, "time": clock(seq)}
        rows.append({"type": "tracepoint", **at, "tracepoint": "xdp_redirect_err", "state": "on"})
        for second, device, change in CHANGES:
            where = {"netns": INIT, "netns_name": "init", "ifindex": 3 + int(device[-1]), "ifname": device} if device else {}
            if second == seq:
                rows.append({"type": "event", "time": clock(seq), "tracepoint": None, "text": "", **where, **change})
    path = tmp_path / "changes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_each_once(recorded):
    """An interval lists what is new in it, with its time; one without a change does not deny the earlier ones."""
    intervals = shown("-r", recorded, "-b", "-v", "changes").split("snapshot ")[1:]
    assert len(intervals) == SECONDS
    for second, text in enumerate(intervals, 1):
        lines = [line.split()[:2] for line in text.splitlines() if line.startswith("09:15:")]
        assert lines == [[f"09:15:0{second}", c["change"]] for s, _, c in reversed(CHANGES) if s == second]
        quiet = "since the start" if second == 1 else "in this interval"
        assert ("Nothing changed" in text) == (not lines) and (bool(lines) or f"{quiet}." in text)


@pytest.mark.parametrize("expression,wanted", [
    ("change=mtu", [0]),
    ("change=link-down|mtu", [0, 2]),
    ("change~program", [1]),
    ("change!=mtu", [1, 2, 3, 4]),
    ("old=1500", [0]),
    ("old~fwd", [1]),
    ("new=1400", [0]),
    (f'new="{BAD}"', [1]),
    ("before=up after=down", [2]),
    ("device=eth1", [2, 4]),
    ("ifname=eth0 netns=init", [0, 1]),
    ("prog_id=77", [1]),
    ("program=bad", [1]),
    ("map_id=9", [3]),
    ("map_id=9 key=2", [3]),
    ("key=3", []),
    ("process=app*", [4]),
    ("down", [2]),
    ("new=*", [0, 1, 2, 4]),
    ("no-such-word", []),
])
def test_filter(recorded, expression, wanted):
    rows = csv_rows(output("-r", recorded, "-o", "csv", "-v", "changes", "-f", expression))
    # newest first in each interval
    assert sorted(row["time"] + row["change"] for row in rows) == sorted(
        clock(CHANGES[i][0]) + CHANGES[i][2]["change"] for i in wanted)
    text = shown("-r", recorded, "-b", "-v", "changes", "-f", expression)
    assert [line.split()[1] for line in text.splitlines() if line.startswith("09:15:")] == [row["change"] for row in rows]


@pytest.mark.parametrize("field", ("change", "old", "new"))
def test_explained(field):
    text = shown("-e", field)
    assert f"{field} (" in text and f"{field} (field of recordings)" in text and "event" in text
