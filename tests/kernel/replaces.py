# SPDX-License-Identifier: GPL-2.0-or-later
"""Changes of programs that `rig replaces` made, against those that the monitor reported."""
import collections


def by_device(records):
    """{(netns, ifindex): changes in order} of programs."""
    changes = collections.defaultdict(list)
    for r in records:
        if (r.get("change") or "").startswith("program-"):
            changes[r["netns"], r["ifindex"]].append(r)
    return changes


def program(value):
    """The id in a change's value: "31 fw native, link"."""
    return int(value.split()[0]) if value else 0


def reported(r):
    return r["change"], program(r.get("old")), program(r.get("new"))


def made(r):
    return r["change"], r["old"], r["new"]


def differences(rig, records):
    """What the monitor reports where the kernel reports each change: all of them, in order, with the process."""
    told = by_device(records)
    for device, changes in by_device(rig).items():
        expected, got = [made(r) for r in changes], [reported(r) for r in told[device]]
        if got != expected:
            yield f"device {device}: {len(expected)} changes made, {len(got)} reported: {got[:5]}"
        if {(r["pid"], r["comm"]) for r in told[device]} != {(changes[0]["pid"], "rig")}:
            yield f"device {device}: by {collections.Counter((r['pid'], r['comm']) for r in told[device])}"
        times = [r["time"] for r in told[device]]
        if times != sorted(times):
            yield f"device {device}: times out of order"
    if any(r.get("left_out") for changes in told.values() for r in changes):
        yield "changes were left out"


def contradictions(rig, records):
    """
    What the monitor reports where it compares snapshots: not every change, but each from what the last one led
    to, and none that the rig did not lead to.
    """
    told = by_device(records)
    for device, changes in by_device(rig).items():
        now, states = 0, [0] + [r["new"] for r in changes]
        for r in told[device]:
            change, old, new = reported(r)
            if old != now or new not in states or old == new:
                yield f"device {device}: {change} {old} -> {new} after {now}"
            now = new
        if now != states[-1]:
            yield f"device {device}: {now} at the end, and not {states[-1]}"
        if not told[device]:
            yield f"device {device}: nothing is reported"
