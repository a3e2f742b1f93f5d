# SPDX-License-Identifier: GPL-2.0-or-later
"""What of an expectation the classic backend can know: the fields of the tracepoints' records."""
from harness import COUNTERS, NOT_IDENTITY

# in no record; names of programs come from elsewhere, or not
NEVER = {"netns", "to_netns", "ifname", "to_ifname", "prog_name", "to_prog_id"}


def merged(expect):
    """Expectations that speak of one series, added up."""
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
            # the type of a map is not in the record, so neither is what its index means
            row.pop("map_type", None)
            row["to_cpu"] = None
        if e["tracepoint"] == "net_dev_queue":
            row["ifname"] = e["ifname"]
            row["ifindex"] = None
            row.pop("packets")  # segments are not in the record: null
        rows.append(row)
    return merged(rows)
