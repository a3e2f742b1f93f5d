# SPDX-License-Identifier: GPL-2.0-or-later
"""View changes in batch mode: each once, and filters."""
import json
import re

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


def listed(text):
    """Date, time and change of each row."""
    return [line.split()[:3] for line in text.splitlines() if re.match(r"2026-\S+ 09:15:", line)]


def test_each_once(recorded):
    """One list for all intervals, oldest first: a header, and titles whenever a column has become wider."""
    text = shown("-r", recorded, "-b", "-v", "changes")
    assert listed(text) == [["2026-11-21", f"09:15:0{second}", change["change"]] for second, _, change in CHANGES]
    assert text.count("snapshot ") == 1 and "Nothing changed" not in text
    titles = [line for line in text.splitlines() if line.startswith("TIME ")]
    assert len(titles) == len(set(titles)) and [line.split() for line in titles] == [titles[0].split()] * len(titles)


def test_none(recorded):
    """That nothing changed is said once, of the whole time, and not if a filter hides it."""
    text = shown("-r", recorded, "-b", "-v", "changes", "-n", "1")
    assert text.count("Nothing changed in the 1s since the start.") == 1 and not listed(text)
    text = shown("-r", recorded, "-b", "-v", "changes", "-f", "no-such-word")
    assert "Nothing changed" not in text and "All 5 rows are hidden by the filter." in text


def test_gap(recorded, tmp_path):
    """After a gap the header comes again: changes may be missing there."""
    rows = recorded.read_text().splitlines()
    path = tmp_path / "gap.jsonl"
    rows[-3:-3] = [rows[0].replace("edge1", "edge2")]
    path.write_text("".join(row + "\n" for row in rows))
    headers = [h.split("\n\n")[0] for h in shown("-r", path, "-b", "-v", "changes").split("xdptop - ")[1:]]
    assert len(headers) == 2 and "gap: " in headers[1]


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
    assert [row["time"] + row["change"] for row in rows] == [clock(CHANGES[i][0]) + CHANGES[i][2]["change"] for i in wanted]
    text = shown("-r", recorded, "-b", "-v", "changes", "-f", expression)
    assert [change for _, _, change in listed(text)] == [row["change"] for row in rows]


@pytest.mark.parametrize("field", ("change", "old", "new"))
def test_explained(field):
    text = shown("-e", field)
    assert f"{field} (" in text and f"{field} (field of recordings)" in text and "event" in text
