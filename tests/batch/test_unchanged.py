# SPDX-License-Identifier: GPL-2.0-or-later
"""Unchanged rows are not written again."""
import json

import pytest

from batch import DEMO, output


def crowd(snapshots, devices):
    """The demo's second snapshot repeatedly, on a machine with devices that receive."""
    with open(DEMO, encoding="utf-8") as demo:
        rows = [json.loads(line) for line in demo]
    second = [row for row in rows if row.get("seq") == 2]
    yield rows[0]
    for seq in range(1, snapshots + 1):
        now = {"seq": seq, "time": f"2026-11-21T13:{seq // 60:02}:{seq % 60:02}.000000Z"}
        for row in second:
            grown = {name: value and value * seq for name, value in row.items() if name.endswith("_total")}
            if row["type"] == "tracepoint":
                yield {**row, **grown, **now}
        for i in range(devices):
            yield {"type": "device", **now, "netns": 4026531840, "ifindex": i + 2, "ifname": f"eth{i}", "state": "up",
                   "mtu": 1500, "mode": "native", "prog_id": 40, "prog_name": "fw", "xdp_features": "basic,redirect",
                   "driver": "ixgbe", "rx_packets_total": 1000 * seq + i if i else 5}
        for row in second:
            if row["type"] == "sample" and row["cpu"] is None:
                grown = {name: value and value + (seq - 2) * (row[name[:-6]] or 0) for name, value in row.items()
                         if name.endswith("_total")}
                yield {**row, **grown, **now}
    yield {"type": "end", **now, "reason": "count"}


def recording(snapshots, devices):
    return "".join(json.dumps(row) + "\n" for row in crowd(snapshots, devices)).encode()


@pytest.fixture(scope="module")
def crowded():
    return recording(20, 24)


def kinds(rows, seq):
    return [row["type"] for row in rows if row.get("seq") == seq]


def test_what_does_not_change_is_not_written_again(crowded):
    """An unchanged device is not written, and a finding that stays causes no row."""
    rows = [json.loads(line) for line in output("-r", "-", "-o", "json", input=crowded).splitlines()]
    assert kinds(rows, 1).count("device") == kinds(rows, 20).count("device") == 24
    assert kinds(rows, 1).count("finding") and kinds(rows, 20).count("finding") >= kinds(rows, 1).count("finding")
    for seq in range(4, 20):
        assert kinds(rows, seq).count("device") == 23 and "finding" not in kinds(rows, seq)
    assert [row["rx_packets_total"] for row in rows if row.get("ifindex") == 5 and "rx_packets_total" in row] == [
        1000 * seq + 3 for seq in range(1, 21)]


def test_replay_of_what_is_not_written_again(crowded):
    """A replay is complete: writing it again changes nothing, and findings are the same."""
    once = output("-r", "-", "-o", "json", input=crowded)
    assert output("-r", "-", "-o", "json", input=once) == once
