# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the records of a guest with the table `expected`."""
import collections
import json
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "kernel"))

import verdict_counts  # noqa: E402

TABLE = pathlib.Path(__file__).resolve().parent / "expected"
# these also fire because of a test's own actions
BESIDE = {"net_dev_queue", "mem_connect", "mem_disconnect", "mem_return_failed"}
# these follow an attach after some time, depending on the order of scenarios: allowed where a row has them
BESIDE_FOUND = {"warning device-reset", "info channels-below-cpus", "info program-without-owner",
                "info program-replaced", "warning program-replaced", "warning program-detached"}
REFUSALS = ("netlink_extack", "bpf_xdp_link_attach_failed")
TAKEN = "vmxnet3: LRO is not supported with XDP"  # it has disabled LRO


def rows():
    """(guest, scenario, sent, counted, findings, counters); two blanks separate columns."""
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, scenario, sent, *rest = re.split(r"\s{2,}", line.strip())
            counted, findings, *counters = [set(text.split("; ")) - {"-"} for text in rest]
            yield name, scenario, int(sent), counted, findings, *(counters or [set()])


def of(guest):
    return [scenario for name, scenario, *_ in rows() if name == guest]


def counted(samples):
    """{"in xdp_exception ABORTED 200"}: packets in the window; bulks with losses have a row `lost`."""
    sums = collections.Counter()
    for r in samples:
        if r["cpu"] is not None or r["tracepoint"] in BESIDE:
            continue
        where = r["ifname"]
        if r["to_ifname"] or r["to_ifindex"]:
            where += f">{r['to_ifname'] or r['to_ifindex']}"
        # for others the tracepoint's name suffices
        what = r["errname"] or (r["act"] if r["tracepoint"] == "xdp_exception" else "")
        if what == "REDIRECT":
            what += " (echo)"  # of an xdp_redirect_err; no driver uses it otherwise
        key = " ".join(filter(None, (where, r["tracepoint"], what)))
        drops = r["drops"] or 0 if r["tracepoint"] in ("xdp_devmap_xmit", "xdp_bulk_tx") else 0
        packets = r["events"] if r["packets"] is None else r["packets"]
        sums[key] += packets
        if drops:
            sums[f"{key} lost"] += drops
    return {f"{key} {n}" for key, n in sums.items() if n}


def identity(finding):
    return tuple(finding[k] for k in ("code", "netns", "ifindex", "to_ifindex", "prog_id", "first_seen"))


def found(findings, monitor, expected):
    """
    {"critical aborted"}: the severity is the last one in the monitor's rows, because later traffic can lower it. If
    the finding's text or commands contain the expected parts, they follow after a colon, separated by slashes.
    """
    last = {identity(r): r["severity"] for r in monitor if r["type"] == "finding"}
    either = {f"{severity} {code}": f"{severities} {code}"
              for severities, code in (entry.split(": ")[0].split(" ", 1) for entry in expected if " " in entry)
              for severity in severities.split("|")}
    parts = dict(entry.split(": ") for entry in expected if ": " in entry)
    names = collections.defaultdict(list)
    for r in findings:
        name = f"{last[identity(r)]} {r['code']}"
        names[either.get(name, name)].append("\n".join([r["text"], *r["next"]]))
    return {f"{name}: {parts[name]}" if name in parts and any(
                all(part in text for part in parts[name].split(" / ")) for text in texts) else name
            for name, texts in names.items()}


def grown(step, expected):
    """
    {"in xdp_drop 200"}: growth of the driver's counters as in ethtool -S; + = any. Includes expected sums:
    "in xdp_drop+xdp_tx 200".
    """
    was, now = [{tuple(text.rsplit(" ", 1)[0].split()): int(text.rsplit(" ", 1)[1]) for text in step[what]}
                for what in ("before", "after")]
    for (ifname, name), n in now.items():
        if n != was[ifname, name]:
            some = f"{ifname} {name} +"
            yield some if some in expected else f"{ifname} {name} {n - was[ifname, name]}"
    for ifname, name, _ in map(str.split, expected):
        if "+" in name:
            yield f"{ifname} {name} {sum(now[ifname, part] - was[ifname, part] for part in name.split('+'))}"


def not_told(step, monitor, seq):
    """Where the monitor's last numbers before this snapshot differ from those of ethtool -S."""
    for text in step["after"]:
        ifname, name, n = text.split()
        device = {r["ifindex"] for r in monitor if r["type"] == "device" and r["ifname"] == ifname}
        told = [r[f"{name}_total"] for r in monitor if r["type"] == "device"
                and r["ifindex"] in device and r["seq"] <= seq][-1:]
        if told != [int(n)]:
            yield f"{ifname} has {name} {n}, xdptop says {told}"


def not_named(step, events):
    """
    A refused new link, or program over netlink, is one event with the process that tried it; a replaced
    program is none.
    """
    tried = [json.loads(text) for text in step["attach"] if text.startswith("{")]
    expected = [(a["ifname"], a["pid"]) for a in tried if a["err"]]
    actual = [(e["ifname"], e["pid"]) for e in events if e["tracepoint"] in REFUSALS and e["text"] != TAKEN]
    if expected != actual:
        yield f"refused were {expected}, events are of {actual}"


def received(monitor, seq):
    """Packets counted by `in` until this snapshot, as far as the monitor knows."""
    device = {(r["netns"], r["ifindex"]) for r in monitor if r["type"] == "device" and r["ifname"] == "in"}
    return max((r["rx_packets_total"] or 0 for r in monitor if r["type"] == "device"
                and (r["netns"], r["ifindex"]) in device and r["seq"] <= seq), default=0)


def other_queues(steps, monitor):
    """Where the view of queues differs from /proc/interrupts of the guest, whose interrupts do not move."""
    if not any(r["type"] == "device" and r["ifname"] == "in" and r["prog_id"] for r in monitor):
        return  # queues are of devices with XDP
    rows = {r["queue"]: r for r in monitor if r["type"] == "queue" and r["ifname"] == "in" and r["state"] == "used"}
    for text in steps["monitor"]["interrupt"]:
        queue, irq, cpu = text.split()
        row = rows.get(int(queue), {})
        if row.get("irq") != int(irq) or (cpu != "several" and row.get("cpu") != int(cpu)):
            yield f"queue {queue} has interrupt {irq} on CPU {cpu}, xdptop says {row.get('irq')} on {row.get('cpu')}"


def not_sent(step, window):
    """Where the monitor's sums of the sockets differ from the frames that came back, and from XDP_STATISTICS."""
    for want in (json.loads(text) for text in step["xsk"] if '"type":"sent"' in text):
        last = {r["inode"]: r for r in window if r["type"] == "socket" and r["transmitted_total"]}
        got = {"frames": sum(r["transmitted_total"] for r in last.values()),
               "invalid": sum(r["tx_invalid_total"] for r in last.values())}
        yield from (f"{want[what]} {what}, xdptop says {n}" for what, n in got.items() if n != want[what])


def differences(what, expected, actual):
    for entry in sorted(expected - actual):
        yield f"missing {what}: {entry}"
    for entry in sorted(actual - expected):
        yield f"unexpected {what}: {entry}"


def judge(guest, plan, records):
    """("ok" or "FAIL", scenario, text, faults) for each row of the guest."""
    steps = collections.defaultdict(lambda: collections.defaultdict(list))
    for step, what, text in records:
        steps[step][what].append(text)
    monitor = [json.loads(text) for text in steps["monitor"]["xdptop"]]
    seq = 0
    for r in monitor:
        seq = r.setdefault("seq", seq)  # an event belongs to the snapshot around it
    if steps["monitor"]["xdptop-rc"] != ["0"]:
        yield "FAIL", "", f"xdptop ended with {steps['monitor']['xdptop-rc']}", steps["monitor"]["error"]
    failed = {r["tracepoint"]: r["reason"] for r in monitor if r["type"] == "tracepoint" and r["state"] == "failed"}
    for text in steps["boot"]["error"] + steps["end"]["splat"] + [f"{t}: {why}" for t, why in failed.items()]:
        yield "FAIL", "", text, []
    drivers = {r["driver"] or r["kind"] for r in monitor if r["type"] == "device" and r["ifname"] == "in"}
    if drivers != {guest.driver}:
        yield "FAIL", "", f"the driver of in is {drivers}, not {guest.driver}", []
    if guest.queues > 1 and [int(n) > 1 for n in steps["monitor"]["active"]] != [True]:
        yield "FAIL", "", f"queues that received: {steps['monitor']['active']}", []
    for text in other_queues(steps, monitor):
        yield "FAIL", "", text, []
    for name, scenario, sent, want_counted, want_found, want_grown in rows():
        if name != guest.name or scenario not in plan:
            continue
        step = steps[scenario]
        faults = list(step["error"])
        if not step["begin"] or not step["end"]:
            yield "FAIL", scenario, "did not come to its end", faults
            continue
        first, last = int(step["begin"][-1]), int(step["end"][0])
        window = [r for r in monitor if first < r.get("seq", 0) <= last]
        fed = sum(json.loads(text)["frames"] for text in step["sent"] if text.startswith("{"))
        faults += [text for text in step["sent"] + step["attach"] + step["detach"] + step["xsk"]
                   if not text.startswith("{")]
        if fed != sent:
            faults.append(f"{fed} frames sent, not {sent}")
        rig = [json.loads(text) for text in step["rig"]]
        if rig:
            faults += verdict_counts.differences(rig, monitor)
        errors = [json.loads(text)["err"] for text in step["attach"] if text.startswith("{")]
        if not errors and not rig:
            faults.append("nothing was attached")
        faults += not_named(step, [r for r in window if r["type"] == "event"])
        got_counted = counted(r for r in window if r["type"] == "sample")
        # if nothing is expected, received packets prove that there was something to count
        came = received(monitor, last) - received(monitor, first)
        if not want_counted and scenario in ("aborted", "tx") and guest.mode == "native" and came < sent:
            faults.append(f"in has received {came} frames, not {sent}")
        findings = [r for r in window if r["type"] == "finding" and r["state"] == "active"
                    and (r["count"] or r["last_seen"] == r["time"])]
        got_found = found(findings, monitor, want_found)
        got_found -= {beside for beside in BESIDE_FOUND if scenario != "quiet" or beside.startswith("info")}
        faults += differences("count", want_counted, got_counted)
        want_found -= {may for may in want_found - got_found if "|- " in may}
        faults += differences("finding", want_found, got_found)
        got_grown = set(grown(step, want_grown))
        faults += differences("counter", want_grown, got_grown)
        faults += not_told(step, monitor, last)
        faults += not_sent(step, window)
        if faults:
            faults += sorted({f"{r['code']} says: {r['text']}" for r in findings})
        text = f"{fed} sent; {'; '.join(sorted(got_counted)) or 'nothing'}; " \
               f"{'; '.join(sorted(got_found)) or 'no finding'}"
        if got_grown:
            text += f"; ethtool -S: {', '.join(sorted(got_grown))}"
        yield "FAIL" if faults else "ok", scenario, text, faults
