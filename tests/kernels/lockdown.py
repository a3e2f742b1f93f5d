# SPDX-License-Identifier: GPL-2.0-or-later
"""lockdown=confidentiality: which part of an expectation can be known, and what must be reported about the rest."""
import verdict
from classic import merged

CASTS = (6, 2)  # bpf_rdonly_cast() replaces withheld helpers; earlier only typed pointers can be followed
# facts reached through an untyped pointer: the target of a redirect, the program of a devmap entry
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
            row["packets"] = None  # segments follow the packet's data
        rows.append(row)
    return merged(rows)


def known(steps):
    return list if verdict.version(steps) >= CASTS else project


WITHHELD = "before Linux 6.2 kernel lockdown (confidentiality) refuses BPF program "


def judge_confidential(step, steps):
    """Everything is exact; before 6.2 facts reached through untyped pointers are unknown, and the views say why."""
    complete = verdict.version(steps) >= CASTS
    yield from verdict.judge_exact(step, steps, known=known(steps))
    yield from verdict.judge_traceable(step, steps, "confidential")
    yield from verdict.judge_refused(step, "--backend btf", 1)
    for view in ("maps", "sockets", "devices"):
        text = " ".join(step.lines[view])
        if (WITHHELD in text) == complete:
            yield f"-v {view} says: {text}"
    if step.lines["xdptop-rc"] != ["0"]:
        return
    records = step.json("xdptop")
    fired = sum(e["events"] for e in verdict.expectations(step) if e["stimulus"] == "attach-fail")
    told = [r for r in records if r["type"] == "event" and r["comm"] == "rig" and
            r["tracepoint"] in ("bpf_xdp_link_attach_failed", "netlink_extack")]
    if len(told) < fired or any(r["ifindex"] is not None or not r["text"] for r in told):
        yield f"{fired} attaches were refused, it tells of {told}"


def judge_maps(step, steps):
    if verdict.version(steps) >= CASTS:
        yield from verdict.judge_maps(step, steps)
        return
    yield from verdict.judge_run(step)
    if step.lines["xdptop-rc"] == ["0"]:
        rows = [r for r in step.json("xdptop") if r["type"] in ("map_entry", "socket", "program")]
        if rows:
            yield f"it cannot know of these: {rows[:2]}"


def judge_nojit(step, steps):
    """Memory is read by a kernel function that only the JIT can call; before 5.13 it does not exist."""
    if verdict.version(steps) < (5, 13):
        yield from verdict.judge_exact(step, steps, known=project)
    elif step.lines["xdptop-rc"] != ["4"] or "net.core.bpf_jit_enable=1" not in step.text("error"):
        yield f"with the JIT off it ended with {step.text('xdptop-rc')}: {step.text('error')}"
