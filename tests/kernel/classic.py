# SPDX-License-Identifier: GPL-2.0-or-later
"""The part of an expectation that the classic backend can know: fields of the tracepoints' records."""
from harness import COUNTERS, NOT_IDENTITY

# in no record; names of programs come from elsewhere, if at all
NEVER = {"netns", "to_netns", "ifname", "to_ifname", "prog_name", "to_prog_id"}


def merged(expect):
    """Expectations for the same series, summed up."""
    rows = {}
    for e in expect:
        identity = tuple((k, v) for k, v in e.items() if k not in NOT_IDENTITY)
        if identity not in rows:
            rows[identity] = dict(e)
            continue
        row = rows[identity]
        for counter in (*COUNTERS, "sent_plus_drops"):
            if counter in row and counter in e:
                row[counter] += e[counter]
            else:
                row.pop(counter, None)
    return list(rows.values())


def project(expect):
    rows = []
    for e in expect:
        row = {k: v for k, v in e.items() if k not in NEVER}
        if "netns" in e:
            row["netns"] = None
        if e["tracepoint"].startswith("xdp_redirect"):
            # the record lacks the type of a map, and so the meaning of its index
            row.pop("map_type", None)
            row["to_cpu"] = None
        if e["tracepoint"] == "net_dev_queue":
            row["ifname"] = e["ifname"]
            row["ifindex"] = None
            row.pop("packets")  # the record lacks segments: null
        rows.append(row)
    return merged(rows)
