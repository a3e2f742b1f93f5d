# SPDX-License-Identifier: GPL-2.0-or-later
"""What of an expectation can be known in lockdown=confidentiality before 6.2: where typed pointers lead."""
from classic import merged

# of what a number points to: the target of a redirect, the program of a devmap entry
POINTED = {"to_netns", "to_ifindex", "to_ifname", "to_prog_id"}


def project(expect):
    rows = []
    for e in expect:
        row = {k: v for k, v in e.items() if k != "to_prog_id"}
        if e["tracepoint"].startswith("xdp_redirect"):
            if e.get("map_type") in ("devmap", "devmap_hash"):
                row = {k: v for k, v in e.items() if k not in POINTED}
                row["map_type"] = row["to_ifindex"] = None
            else:
                row.pop("to_ifname", None)
        if e["tracepoint"] == "net_dev_queue":
            row["packets"] = None  # segments are behind the packet's data
        rows.append(row)
    return merged(rows)
