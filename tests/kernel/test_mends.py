# SPDX-License-Identifier: GPL-2.0-or-later
"""Each command of a finding that changes something mends what the finding says, under its traffic."""
import os

import pytest

from harness import said, turns
from mending import mend
from namespaces import PREFIX
from test_leaves import objects

QUIET = 3  # consecutive snapshots with traffic and without loss

# a scene of the rig, and its finding
SCENES = {
    "enetdown": "target-down",
    "eopnotsupp": "target-cannot-receive",
    "emsgsize": "frame-too-big",
    "devmap-enxio": "target-not-ready",
    "devmap-full": "target-ring-full",
    "bulk-tx-fail": "tx-failed",
    "bulk-tx-full": "tx-failed",
    "cpumap-full": "cpumap-queue-full",
}


def lost(row):
    if row["tracepoint"] in ("xdp_redirect_err", "xdp_exception"):
        return row["events"]
    return row["drops"] or (row["events"] if row["err"] else 0)


def until_nothing_is_lost(m, is_mine):
    """Waits for snapshots in which these series have traffic, and none of it is lost."""
    quiet = 0
    for _ in turns("an end of the loss"):
        m.wait_snapshot()
        seq = m.records[-1]["seq"] - 1
        rows = [r for r in m.records if r["type"] == "sample" and r["seq"] == seq and r["cpu"] is None and is_mine(r)]
        if not any(r["events"] for r in rows):
            continue
        quiet = 0 if any(lost(r) for r in rows) else quiet + 1
        if quiet == QUIET:
            return
    raise AssertionError


@pytest.mark.parametrize("scene", SCENES)
def test_scene(monitor, rig, tmp_path, scene):
    name = f"{PREFIX}-{scene}"
    r = rig("--hold", "--load", "--named", name, f"{scene}=1000")
    r.read_until("ready")
    mine = {os.stat(f"/run/netns/{name}-{end}").st_ino for end in ("src", "dst")
            if os.path.exists(f"/run/netns/{name}-{end}")}
    held = objects(r.process.pid)
    m = monitor("-d", "0.3")
    r.go()

    def is_it(x):
        return x["type"] == "finding" and x["code"] == SCENES[scene] and (
            x["netns"] in mine or (not x["netns"] and ("map", x["map_id"]) in held))

    f = said(m, is_it, "the finding")
    mend(f, tmp_path)
    until_nothing_is_lost(m, lambda x: x["tracepoint"] != "net_dev_queue" and (
        x["netns"] in mine or (f["map_id"] and x["map_id"] == f["map_id"])))
    r.halt()
