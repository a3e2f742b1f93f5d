# SPDX-License-Identifier: GPL-2.0-or-later
"""Verdicts counted by the monitor, compared with those of `rig verdicts`."""
import collections

IDENTITY = ("prog_id", "netns", "ifindex", "queue", "act")


def counted(records):
    """{IDENTITY: (packets, bytes)} of each row of a program, from its last record; its CPUs and traces summed up."""
    last = {}
    for r in records:
        if r["type"] == "verdict":
            last[tuple(r[k] for k in (*IDENTITY, "cpu", "trace"))] = r
    sums = collections.defaultdict(lambda: (0, 0))
    for (*key, _, _), r in last.items():
        packets, size = sums[tuple(key)]
        sums[tuple(key)] = packets + r["packets_total"], size + r["bytes_total"]
    return sums


def expected(rig):
    """{IDENTITY: what must have been counted} from the rig's last line."""
    return {tuple(r[k] for k in IDENTITY): r for r in rig if r["type"] == "verdict"}


def differences(rig, records):
    """Rows of its programs that differ from what the rig fired."""
    fired = expected(rig)
    ours = {prog_id for prog_id, *_ in fired}
    rows = counted(records)
    told = {r["prog_id"] for r in records if r["type"] == "verdict" and "unseen_from" in r}
    if not fired:
        yield "the rig fired nothing"
    for key, r in fired.items():
        packets, size = rows.pop(key, (0, 0))
        more = packets - r["packets"], size - r["bytes"]
        # packets before the monitor had to know the program: all, the last of them, or none
        early = 0 < more[0] <= r["before_packets"] and 0 < more[1] <= r["before_bytes"]
        # on a slow machine a part that moves is not traced in time, and reports that
        unseen = "part" in r["prog_name"] and key[0] in told and more[0] <= 0 and more[1] <= 0
        if more != (0, 0) and not early and not unseen:
            yield f"{r['prog_name']} on {r['ifname']} {key}: {packets} packets, {size} bytes; " \
                  f"fired {r['packets']}, {r['bytes']}"
    for key, n in rows.items():
        if key[0] in ours:
            yield f"nobody fired {key}: {n}"
