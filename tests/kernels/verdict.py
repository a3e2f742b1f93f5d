# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges the records of a guest: the monitor's totals compared with what the rig fired there."""
import collections
import datetime
import itertools
import json
import re

import captured
import lockdown
import replaces
import verdict_counts
from classic import merged, project
from harness import COUNTERS, IDENTITY, check, last_samples

# CAP_PERFMON and CAP_BPF: up to 5.18 any bpf() call needs them
KEPT = 1 << 38 | 1 << 39
TRACER = KEPT | 1 << 21  # and CAP_SYS_ADMIN, for the process that traces programs
LINKS = (5, 19)  # from here links can be read, and parts are known by theirs
COMPLETE = (6, 6)  # from here a kernel has everything that stimuli need
STEP = 3600  # seconds: less than the jump of the clock in `clock`, more than a run takes


class Step:
    def __init__(self):
        self.lines = collections.defaultdict(list)

    def json(self, what):
        return [json.loads(text) for text in self.lines[what]]

    def text(self, what):
        return "; ".join(self.lines[what])


def version(steps):
    found = re.match(r"(\d+)\.(\d+)", steps["end"].text("release"))
    return tuple(int(x) for x in found.groups())


def expectations(step):
    """
    Expectations of all the rig's runs in a step. A namespace's number is soon reused, so two runs may have
    the same series: their frames are summed up.
    """
    return merged(r for r in step.json("rig") if r["type"] == "expect")


def last_tracepoints(records):
    seq = records[-1]["seq"]
    return [r for r in records if r["type"] == "tracepoint" and r["seq"] == seq]


def judge_run(step):
    """Faults of any run of monitor and rig: statuses, states, sums."""
    if step.lines["xdptop-rc"] != ["0"]:
        yield f"xdptop ended with {step.text('xdptop-rc')}: {step.text('error')}"
        return
    for status in step.lines["rig-rc"]:
        if status != "0":
            yield f"the rig ended with {status}: {step.text('rig-error')}"
    records = step.json("xdptop")
    if records[-1]["type"] != "end":
        yield "no end record"
        return
    samples = last_samples(records)
    for row in last_tracepoints(records):
        name = row["tracepoint"]
        if row["state"] == "failed":
            yield f"{name}: {row['reason']}"
        if row["missed_total"]:
            yield f"{name}: {row['missed_total']} events missed"
        rows = [s["events_total"] for s in samples if s["tracepoint"] == name]
        # rows of another kind
        if name != "verdicts" and sum(rows) != (row["events_total"] or 0):
            yield f"{name}: rows add up to {sum(rows)}, the total is {row['events_total']}"


def one_kthread(samples):
    """Rows of a map's kthreads as one: a kthread whose CPU goes offline continues on another one."""
    rows = {}
    for i, row in enumerate(samples):
        kthread = row["tracepoint"] == "xdp_cpumap_kthread"
        key = row["map_id"] if kthread else (i,)
        if key not in rows:
            rows[key] = dict(row)
            continue
        for counter, total in COUNTERS.items():
            field = total or counter
            if rows[key].get(field) is not None:
                rows[key][field] += row[field]
        rows[key]["to_cpu"] = None
    return list(rows.values())


def judge_exact(step, steps, together=list, known=list):
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    records = step.json("xdptop")
    samples = together(last_samples(records))
    per_cpu = [] if together == one_kthread else last_samples(records, all_cpus=False)
    expect = known(expectations(step))
    if not expect:
        yield "the rig fired nothing"
    for e in expect:
        try:
            row = check(e, samples)
        except AssertionError as wrong:
            yield f"{e['stimulus']}: {str(wrong).splitlines()[0]}"
            continue
        same = [k for k in (*IDENTITY, "ifname") if k != "cpu"]
        cpus = [c for c in per_cpu if all(c[k] == row[k] for k in same)]
        if per_cpu and sum(c["events_total"] for c in cpus) != row["events_total"]:
            yield f"{e['stimulus']}: CPUs do not add up to {row}"
    if any(r["overflow_total"] for r in last_tracepoints(records)):
        yield "events in an overflow row"


def judge_hotplug(step, steps):
    yield from judge_exact(step, steps, one_kthread)
    if step.lines["cpu"] != ["3 1", "1 0", "1 1", "3 0"]:
        yield f"CPUs did not come and go: {step.text('cpu')}"


def judge_skew(step, steps):
    """One of four CPUs handles everything: a finding, if there are enough packets."""
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    if step.lines["cpu"] != ["2 1", "3 1", "2 0", "3 0"]:
        yield f"there were no four CPUs: {step.text('cpu')}"
    records = step.json("xdptop")
    found = {r["netns"]: r for r in records
             if r["type"] == "finding" and r["code"] == "cpu-skew"}
    busy = {e["netns"] for e in step.json("rig")
            if e["type"] == "expect" and e["stimulus"] == "einval"
            and e["tracepoint"] == "xdp_redirect_err"}
    if not busy:
        yield "the rig fired nothing"
    # AF_PACKET, which replaces live frames before 5.18, may be too slow, and not all of it stays on one CPU
    live_frames = version(steps) >= (5, 18)
    if set(found) - busy or (busy - set(found) and live_frames):
        yield f"cpu-skew in {sorted(found)}, not {sorted(busy)}"
    for r in found.values():
        share = "100" if live_frames else r"(100|[89]\d(\.\d)?)"
        if not re.search(rf"CPU 2 handles {share} %", r["text"]) or r["ifname"] != "rig-in":
            yield f"cpu-skew says: {r['text']}"


def judge_classic(step, steps):
    """BTF was hidden at the start: the same totals, as far as the records have the fields."""
    yield from judge_exact(step, steps, known=project)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    records = step.json("xdptop")
    if records[0]["backend"] != "classic":
        yield f"header.backend is {records[0]['backend']}"
    for row in last_samples(records):
        if row["netns"] is not None or row["to_netns"] is not None:
            yield f"it cannot know a namespace: {row}"
        if row["tracepoint"] == "net_dev_queue" and row["packets_total"] is not None:
            yield f"it cannot know segments: {row}"


def judge_follow(step, steps):
    """For matching, then for other events: lines plus losses = fired, and the counters are exact."""
    answers, all_sums = step.json("answer"), step.json("sums")
    fired = [r for r in step.json("rig") if r["type"] == "expect" and r["tracepoint"] == "xdp_redirect"]
    if (step.lines["follower-rc"] != ["0", "0"] or step.lines["rig-rc"] != ["0", "0"]
            or not len(answers) == len(all_sums) == len(fired) == 2):
        yield f"follower {step.text('follower-rc')}, rig {step.text('rig-rc')}: {step.text('error')}"
        return
    for answer, sums, e, matches in zip(answers, all_sums, fired, (True, False)):
        if answer["follow"]:
            yield f"it cannot be followed: {answer['why']}"
        elif sums["lines"] + sums["lost"] != (e["events"] if matches else 0) or bool(sums["lines"]) != matches:
            yield f"{sums['lines']} lines and {sums['lost']} lost of {e['events']}"
        if sums["reason"]:
            yield f"it follows {sums['reason']}"
        if sums["events"]["xdp_redirect"] != e["events"] or sums["missed"]:
            yield f"counted {sums['events']['xdp_redirect']} of {e['events']}, {sums['missed']} missed"


def judge_nojit(step, steps):
    """The JIT was off: the same totals, including segments of sent packets."""
    yield from judge_exact(step, steps)
    if step.lines["jit"] != ["0"]:
        yield f"the JIT is not off: {step.text('jit')}"


def judge_mem(step, steps):
    """Its events have no device, so others may be included, but none may be missing."""
    yield from judge_run(step)
    skipped = any(r["type"] == "skip" for r in step.json("rig"))
    if step.lines["xdptop-rc"] != ["0"] or skipped:
        return
    (e,) = expectations(step)
    samples = last_samples(step.json("xdptop"))
    total = sum(s["events_total"] for s in samples if s["tracepoint"] == e["tracepoint"])
    if total < e["events"]:
        yield f"{total} of {e['events']} mem_disconnect"


def judge_overflow(step, steps):
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    (e,) = [x for x in expectations(step) if x["tracepoint"] == "xdp_redirect_err"]
    (row,) = [
        r for r in last_tracepoints(step.json("xdptop")) if r["tracepoint"] == e["tracepoint"]
    ]
    if row["events_total"] != e["events"] or row["overflow_total"] < e["events"] - 8:
        yield f"fired {e['events']}, counted {row['events_total']}, overflow {row['overflow_total']}"


# counts of the rig's sockets, for 100 frames each
SOCKETS = {
    "xskmap": {"state": "bound", "received_total": 64, "rx_queue_full_total": 36, "rx_fill": 64, "rx_dropped_total": 0},
    "xskmap-enomem": {"state": "bound", "received_total": 32, "rx_fill_ring_empty_total": 68, "fill_fill": 0},
    "xskmap-fill-invalid": {"state": "bound", "received_total": 32, "fill_invalid_total": 2016, "fill_taken_total": 32},
    "xskmap-enxio": {"state": "unbound", "received_total": 0, "rx_size": 64, "fill_fill": 2048, "ifindex": None},
}


def judge_sockets(step, records):
    """Each socket of the rig, in the namespace of its stimulus."""
    rows = {}
    for r in records:
        if r["type"] == "socket":
            rows.setdefault(r["inode"], {}).update(r)
    for e in expectations(step):
        if e["stimulus"] not in SOCKETS:
            continue
        wanted = dict(SOCKETS[e["stimulus"]], comm="rig")
        found = [r for r in rows.values() if r["netns"] == e["netns"] and r["state"] != "gone"]
        if len(found) != 1 or any(found[0][k] != v for k, v in wanted.items()):
            yield f"{e['stimulus']}: no socket {wanted} in {found}"


def judge_maps(step, steps):
    """Every map of the rig, with the entry that frames were redirected to."""
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    records = step.json("xdptop")
    rows = [r for r in records if r["type"] == "map_entry" and r["seq"] == records[-1]["seq"]]
    if version(steps) < (5, 17):
        rows += [r for r in records if r["type"] == "socket"]
        if rows:
            yield f"maps and sockets cannot be read before 5.17: {rows}"
        return
    for e in expectations(step):
        if "map_type" not in e:
            continue
        found = [r for r in rows if r["map_id"] == e["map_id"] and r["map_type"] == e["map_type"]]
        users = {u for r in found if r["key"] is None for u in (r["users"] or "").split(",")}
        if str(e["prog_id"]) not in users:
            yield f"{e['stimulus']}: {e['prog_id']} is not among the users in {found}"
        wanted = {k: e[k] for k in ("to_netns", "to_ifindex", "to_ifname", "to_cpu") if k in e}
        if e.get("to_prog_id"):
            wanted["prog_id"] = e["to_prog_id"]
        entries = [r for r in found if r["key"] is not None and all(r[k] == v for k, v in wanted.items())]
        if len(entries) != 1 or (e["map_type"] == "xskmap" and not entries[0]["socket_inode"]):
            yield f"{e['stimulus']}: no entry {wanted} in {found}"
        if e["map_type"] == "cpumap" and not all(r["qsize"] and r["fill"] == 0 for r in entries):
            yield f"{e['stimulus']}: the queue is not empty: {entries}"
    yield from judge_sockets(step, records)


def judge_fill(step, steps, jit=True, lowest=(5, 17)):
    """Every hash and trie of the rig, and its entries as far as this kernel counts them."""
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"] or step.lines["rig-rc"] != ["0"]:
        return
    rows = {r["map_id"]: r for r in step.json("xdptop") if r["type"] == "map"}
    if not jit or version(steps) < lowest:
        if rows:
            yield f"maps cannot be read without the JIT or before {lowest}: {rows}"
        return
    for e in step.json("rig"):
        if e["type"] != "map":
            continue
        row = rows.get(e["map_id"], {})
        is_counted = e["map_name"] == "nets" or version(steps) >= (6, 6)
        wanted = {"map_name": e["map_name"], "users": str(e["prog_id"]), "uncounted": None if is_counted else 1,
                  "entries": e["entries"] if is_counted else None}
        if any(row.get(k) != v for k, v in wanted.items()):
            yield f"not {wanted}: {row}"


def judge_fill_without_jit(step, steps):
    yield from judge_fill(step, steps, jit=False)


def judge_fill_confidential(step, steps):
    """Before 6.2 the kernel withholds what maps are read with."""
    yield from judge_fill(step, steps, lowest=(6, 2))


def judge_parts(step, steps):
    """Parts are shown with the dispatchers that they hold; a program without a holder has a finding."""
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"] or step.lines["rig-rc"] != ["0"]:
        return
    records = step.json("xdptop")
    rig = {r["prog_name"] + r.get("ifname", ""): r for r in step.json("rig") if r["type"] == "program"}
    whole, sharing, linked = (rig[f"rig_dispatcher{ifname}"]["prog_id"] for ifname in ("rig-in", "rig-feed", "lo"))
    pinned, shared = rig["rig_pinned"]["prog_id"], rig["rig_shared"]["prog_id"]
    pid = rig["rig_shared"]["pid"]
    knows_links = version(steps) >= LINKS
    nobody = {"prog_name": "rig_dispatcher", "part_of": None, "pid": None, "holders": 0, "pinned": 0}
    by_netlink = {"attached_by": "netlink", "link_id": None}
    by_link = {"attached_by": "link", "pid": pid, "comm": "rig", "holders": 1}
    of_link = {"attached_by": "link", "part_of": whole, "parts": 0, "unheld": 0}
    wanted = [  # program, and an earlier record of it
        (whole, {**nobody, **by_netlink, "parts": 2, "unheld": 0}),
        (sharing, {**nobody, **by_netlink, "parts": 1, "unheld": 0}),
        (linked, {**nobody, **by_link, "parts": 1, "unheld": 0}),
        (pinned, {**of_link, "prog_name": "rig_pinned", "pid": None, "comm": None, "holders": 0, "pinned": 1}),
        (shared, {**of_link, **by_link, "prog_name": "rig_shared", "pinned": 0}),
        # that it no longer holds
        (whole, {**nobody, **by_netlink, "parts": 1, "unheld": 0}),
        (sharing, {**nobody, **by_netlink, "parts": 0, "unheld": 2}),
        (linked, {**nobody, **by_link, "parts": 0, "unheld": 0}),
        (shared, {"state": "gone"}),
    ] if knows_links else [(i, {"attached_by": None, "parts": 0}) for i in (whole, sharing)]
    rows = [r for r in records if r["type"] == "program"]
    for prog_id, want in wanted:
        found = [r for r in rows if r["prog_id"] == prog_id]
        if not any(all(r[k] == v for k, v in want.items()) for r in found):
            yield f"{prog_id}: no {want} in {found}"
    told = {r["prog_id"] for r in records if r["type"] == "finding" and r["code"] == "program-without-owner"}
    if told != ({sharing} if knows_links else set()):
        yield f"program-without-owner of {told}, not of {sharing}"


def judge_list(step, steps):
    if step.lines["xdptop-rc"] != ["0"]:
        yield f"--list ended with {step.text('xdptop-rc')}: {step.text('error')}"
    rows = step.json("list")
    if not rows:
        yield "--list lists nothing"
    for row in rows:
        if row["type"] == "tracepoint" and row["state"] not in ("on", "off", "missing"):
            yield f"--list: {row['tracepoint']} is {row['state']}: {row['reason']}"


def judge_toggle(step, steps):
    want = ["1 reached", "0 reached"] * 2
    if step.lines["links"] != want or step.lines["xdptop-rc"] != ["0"]:
        yield f"links {step.text('links')}, ended with {step.text('xdptop-rc')}"


def judge_toggle_classic(step, steps):
    said = step.lines["xdptop-rc"].pop() if len(step.lines["xdptop-rc"]) == 2 else None
    yield from judge_toggle(step, steps)
    if said != "0" or step.lines["paranoid"] != ["said"]:
        yield f"refused by perf_event_paranoid=3 it ended with {said}, {step.text('paranoid')}"


def judge_nobtf(step, steps):
    """With btf requested it names the cause; without a choice, and without tracefs, both causes."""
    if step.lines["xdptop-rc"] != ["4", "4"]:
        yield f"without BTF and tracefs it ended with {step.text('xdptop-rc')}"
    lines = step.lines["error"]
    if len(lines) != 2 or "/sys/kernel/btf/vmlinux" not in lines[0] or \
            "mount -t tracefs" not in lines[1]:
        yield f"without BTF and tracefs it says: {lines}"


def judge_clock(step, steps):
    """Jumps of the wall clock affect times of day, but no interval or rate."""
    yield from judge_exact(step, steps)
    if len(step.lines["stepped"]) != 2:
        yield "the clock was not set"
    if step.lines["xdptop-rc"] != ["0"]:
        return
    rows = [r for r in step.json("xdptop") if r["type"] == "sample"]
    times = [datetime.datetime.fromisoformat(r["time"].replace("Z", "+00:00")) for r in rows]
    jumps = [(b - a).total_seconds() for a, b in zip(times, times[1:])]
    if not jumps or max(jumps) < STEP or min(jumps) > -STEP:
        yield f"the times of day jump by {min(jumps, default=0)} and {max(jumps, default=0)} s"
    for r in rows:
        if not 0 < r["interval_s"] < STEP:
            yield f"an interval of {r['interval_s']} s"
        elif abs(r["events_per_s"] * r["interval_s"] - r["events"]) > 0.01 * r["events"]:
            yield f"{r['events_per_s']}/s is not {r['events']} in {r['interval_s']} s"


def judge_refused(step, remedy, times):
    """It ends each time, with one line that has the remedy."""
    lines = step.lines["refused"]
    if step.lines["refused-rc"] != ["4"] * times or len(lines) != times or \
            not all(remedy in line for line in lines):
        yield f"it ended with {step.text('refused-rc')} and says: {lines}"


def judge_refusenojit(step, steps):
    yield from judge_refused(step, "net.core.bpf_jit_enable=1", 2)


def judge_lockdown(step, steps):
    yield from judge_exact(step, steps)
    if "[confidentiality]" not in step.text("mode"):
        yield f"lockdown is {step.text('mode')}"
        return
    yield from judge_traceable(step, steps, "integrity")


def judge_traceable(step, steps, what):
    states = [r["state"] for r in step.json(what)]
    if states != ["on"]:
        yield f"--verdicts in {what}: {step.text(what)}"


def judge_privilege(step, steps):
    yield from judge_confined(step.lines["status"], KEPT if version(steps) < (5, 19) else 0)


def judge_confined(status, caps):
    status = dict(line.replace("\t", " ").split(": ") for line in status)
    for field in ("CapEff", "CapPrm"):
        if int(status.get(field, "-1"), 16) != caps:
            yield f"{field} is {status.get(field)}, not {caps:x}"
    if status.get("NoNewPrivs") != "1" or status.get("Seccomp") != "2":
        yield f"not confined: {status}"


def known_programs(step, steps):
    """Programs reported by the rig, without parts if the monitor cannot know them."""
    return [r for r in step.json("rig") if version(steps) >= LINKS or "part" not in r.get("prog_name", "")]


def judge_gone(step, rig, until):
    """The rig's programs up to a step are gone now, and no trace is left."""
    gone = {r["prog_id"]: r["seconds"] for r in rig if r["type"] == "gone"}
    for p in itertools.takewhile(lambda r: r["type"] != until, rig):
        if p["type"] == "program" and gone.get(p["prog_id"]) is None:
            yield f"{p['prog_name']} {p['prog_id']}: its owner is gone, and it is not"
    if not step.json("loaded"):
        yield "nothing traced, by the list of programs"
    yield from (f"left: {text}" for text in step.lines["left"])


def judge_traced(step, records, rig, until):
    """The rig's programs up to a step were traced, and are gone now."""
    states = collections.defaultdict(list)
    for r in records:
        if r["type"] == "program":
            states[r["prog_id"]].append(r)
    for p in itertools.takewhile(lambda r: r["type"] != until, rig):
        if p["type"] != "program":
            continue
        name = f"{p['prog_name']} {p['prog_id']}"
        if "on" not in [r["verdicts"] for r in states[p["prog_id"]]]:
            yield f"{name} is not traced: {states[p['prog_id']][-1:]}"
        if any(r.get("verdicts_missed") for r in states[p["prog_id"]]):
            yield f"{name}: verdicts missed"
    yield from judge_gone(step, rig, until)


def judge_unseen(rig, records):
    """
    A program that ran before it was counted reports that; one attached before the monitor started does not.
    Alternating dispatchers and their parts may: on a slow guest the current dispatcher is not known in time.
    The counts show whether each run was counted.
    """
    early = {r["prog_id"] for r in itertools.takewhile(lambda r: r["type"] != "ready", rig) if r["type"] == "program"}
    turns = {r["prog_id"] for r in rig if r["type"] == "program" and ("main" in r["prog_name"] or "part" in r["prog_name"])}
    turns &= early
    for r in records:
        if r["type"] == "verdict" and r["prog_id"] not in turns and ("unseen_from" in r) == (r["prog_id"] in early):
            yield f"it says of its runs that were not counted: {r}"
    if {r["prog_id"] for r in rig if r["type"] == "program"} <= early:
        yield "the rig has replaced no program"


def judge_untraced(step, steps):
    """Without BTF and with the JIT off it runs, and says why it traces nothing."""
    if step.lines["untraced-rc"] != ["0", "0"] or len(step.lines["untraced-error"]) != 2:
        yield f"ended with {step.text('untraced-rc')}: {step.text('untraced-error')}"
        return
    for what, why, error in zip(("nobtf", "nojit"), ("no BTF", "JIT is off"), step.lines["untraced-error"]):
        for row in step.json(what):
            if row["state"] != "failed" or why not in row["reason"] or row["reason"] not in error:
                yield f"{what}: {row['state']}, {row['reason']}; {error}"
        if len(step.lines[what]) != 1:
            yield f"{what}: it says {step.text(what)}"


FIB_RESULTS = ("SUCCESS", "BLACKHOLE", "UNREACHABLE", "PROHIBIT", "NOT_FWDED", "FWD_DISABLED", "UNSUPP_LWT",
               "NO_NEIGH", "FRAG_NEEDED", "NO_SRC_ADDR")


def judge_fiblookup(step, steps):
    """The results as the program saw them; none before bpf_get_func_ret() (5.17)."""
    if version(steps) < (5, 17):  # test runs for a device came with 5.14
        yield from (f"it counted {r}" for r in step.json("xdptop") if r["type"] == "fib_lookup")
        return
    yield from judge_run(step)
    seen = collections.Counter()
    for r in step.json("rig"):
        if r["type"] == "fib":
            seen["ERROR" if r["result"] < 0 else FIB_RESULTS[r["result"]]] += r["lookups"]
    if not {"SUCCESS", "NO_NEIGH", "BLACKHOLE", "UNREACHABLE", "PROHIBIT", "NOT_FWDED", "ERROR"} <= set(seen):
        yield f"not each result: {seen}"
    counted = {r["result"]: r["lookups_total"] for r in step.json("xdptop")
               if r["type"] == "fib_lookup" and r["ifname"] == "fib"}
    if counted != dict(seen):
        yield f"counted {counted}, seen {dict(seen)}"


def judge_changes(step, steps):
    """Each change of a device's program, in order, with its process; and each of another device, once."""
    yield from judge_run(step)
    yield from step.lines["failed"]
    if step.lines["xdptop-rc"] != ["0"]:
        return
    yield from replaces.differences([r for r in step.json("rig") if r["type"] == "change"], step.json("xdptop"))
    kinds = ("mtu", "link-down", "renamed", "link-up", "device-gone")
    seen = [(r["change"], r.get("old"), r.get("new")) for r in step.json("xdptop")
            if r.get("change") in kinds and r["ifname"] in ("rig0", "rig1")]
    if seen != [("mtu", "3400", "1400"), ("link-down", "up", "down"), ("renamed", "rig0", "rig1"),
                ("link-up", "down", "up"), ("device-gone", "rig1", None)]:
        yield f"changes of a device: {seen}"


def judge_setups(step, steps):
    """500 binds and 500 attaches are refused: one event each, listed or left out, with errno, process and holder."""
    if version(steps) not in ((6, 1), (6, 12)):
        return
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    ready = step.json("rig")[0]
    who = f"rig[{ready['pid']}]"
    events = [r for r in step.json("xdptop") if r["type"] == "event"]
    refused = [r for r in events if r.get("change") == "setup-refused"]
    binds = [r for r in refused if "queue" in r]
    if any((r["netns"], r["errname"], r["queue"], r["pid"], r["old"], r["holder"]) !=
           (ready["netns"], "EBUSY", 0, ready["pid"], "bind to queue 0, copy", who) for r in binds):
        yield f"a refused bind is {binds[0]}"
    left_out = sum(r["left_out"] for r in events if r.get("change"))
    if len(binds) + left_out != 500 or not binds:
        yield f"{len(binds)} binds are listed, {left_out} left out, of 500; {len(refused)} refusals"
    told = [r for r in events if r["tracepoint"] == "netlink_extack"]
    if told and {r.get("errname") for r in told} == {None}:
        yield f"no attach has its errno: {told[0]}"
    counted = [r["events_total"] for r in step.json("xdptop")
               if r["type"] == "tracepoint" and r["tracepoint"] == "netlink_extack"]
    attaches = (counted[-1] or 0) + len(refused) - len(binds)
    if attaches != 500:
        yield f"{attaches} attaches were refused, of 500"
    found = [r for r in step.json("xdptop") if r["type"] == "finding" and r["code"] == "setup-refused"]
    if not found or found[0]["severity"] != "warning" or f"{who} has the queue" not in found[0]["text"]:
        yield f"finding {found[:1]}"


def judge_later(step, steps):
    """Devices in namespaces that came later have the kernel's and the driver's counters; nothing holds the namespaces."""
    if version(steps) < (5, 17):  # no walk of all namespaces
        return
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    for device in ("later1", "later2"):
        rows = [r for r in step.json("xdptop") if r["type"] == "device" and r["ifname"] == device]
        packets = int(step.text(device).split()[2])
        for name in ("rx_packets_total", "xdp_drop_total"):
            seen = {r[name] for r in rows}
            if not packets or not {packets} <= seen <= {None, 0, packets}:
                yield f"{device}: {name} {seen}, of {packets}"
        if not [r for r in step.json("xdptop") if r.get("change") == "device-gone" and r["ifname"] == device]:
            yield f"{device}: its end was not seen"
    for own, guests in map(str.split, step.lines["opener"]):
        if own != guests:
            yield f"the process is in {own}, not in {guests}"
    for before, after in map(str.split, step.lines["open"]):
        if int(after) > int(before):
            yield f"{after} descriptors, {before} before"


def judge_verdicts(step, steps):
    """Each verdict of each program on each device, in packets and bytes; programs come and go."""
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    records = step.json("xdptop")
    rig = known_programs(step, steps)
    yield from judge_traced(step, records, rig, "done")
    yield from judge_unseen(rig, records)
    yield from (f"the tracer: {fault}" for fault in judge_confined(step.lines["tracer"], TRACER))
    yield from judge_privilege(step, steps)
    yield from verdict_counts.differences(rig, records)


def judge_verdictswap(step, steps):
    """Without snapshots between its first and last one: the same, and programs are released at once."""
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    records = step.json("xdptop")
    rig = known_programs(step, steps)
    yield from judge_gone(step, rig, "done")
    yield from judge_unseen(rig, records)
    yield from verdict_counts.differences(rig, records)
    rates = [line.split()[2:6] for line in step.lines["programs"] if line.startswith("rig_verdict ")]
    if len(rates) != 2 or not all(re.match(r"\d", rate) for row in rates for rate in row):
        yield f"one interval shows no verdicts: {step.text('programs')}"
    seqs = {r["seq"] for r in records if r["type"] == "verdict"}
    if len(seqs) > 1:
        yield f"snapshots {seqs} have verdicts, and not the last one alone"


def judge_capture(step, steps):
    """Packets in the files of --capture, those left out, and the verdicts, which stay exact."""
    flood = steps["captureflood"]
    yield from (f"left: {text}" for text in step.lines["left"])
    if version(steps) < captured.LOWEST:
        if step.lines["xdptop-rc"] != ["4"] or "Linux 5.12" not in step.text("error"):
            yield f"it ended with {step.text('xdptop-rc')}: {step.text('error')}"
        return
    for part in (step, flood):
        yield from judge_run(part)
        if part.lines["xdptop-rc"] != ["0"]:
            return
        yield from captured.judge_file(part, captured.file_of(part))
        if part.text("mode") != "600 0":
            yield f"mode and owner of the file: {part.text('mode')}"
    rig = flood.json("rig")
    yield from captured.judge_contents(step, rig)
    yield from captured.judge_rate(flood, rig)
    yield from (f"the tracer: {fault}" for fault in judge_confined(step.lines["tracer"], TRACER))
    for part, fired in ((step, "fired"), (flood, "flooded")):
        counted = sum(packets for packets, _ in verdict_counts.counted(part.json("xdptop")).values())
        if counted != next(r["packets"] for r in rig if r["type"] == fired):
            yield f"{fired}: {counted} verdicts counted"


def judge_capturefilter(step, steps):
    """Packets that a pcap filter chooses, all of them, and no others; and the verdicts, which stay exact."""
    if version(steps) < captured.LOWEST:
        return
    parts = {what: steps[f"capturefilter{what}"] for what in ("", "flood", "other", "fragments", "long")}
    for what, part in parts.items():
        yield from judge_run(part)
        if part.lines["xdptop-rc"] != ["0"]:
            return
        if what in ("", "flood", "long"):  # tcpdump refuses a file without a device
            yield from captured.judge_file(part, captured.file_of(part))
    for what, chosen in (("", captured.chosen), ("long", captured.chosen_long), ("fragments", None)):
        yield from captured.judge_filter(parts[what], parts[what].json("rig"), chosen)
    yield from captured.judge_rate(parts["flood"], parts["flood"].json("rig"))
    if captured.matched(parts["other"]):
        yield f"other packets match: {parts['other'].text('error')}"
    counted = sum(packets for packets, _ in verdict_counts.counted(parts["flood"].json("xdptop")).values())
    if counted != 400000:
        yield f"{counted} verdicts of the flood counted"


def judge_captureboth(step, steps):
    """Packets before and after their program, in pairs."""
    if version(steps) < captured.LOWEST:
        return
    yield from judge_run(step)
    if step.lines["xdptop-rc"] == ["0"]:
        yield from captured.judge_file(step, captured.file_of(step))
        yield from captured.judge_pairs(step, step.json("rig"))


def judge_captureshed(step, steps):
    """Over the budget no more packets are read: the file is whole, and both JSON and stderr say so."""
    if version(steps) < captured.LOWEST:
        return
    yield from captured.judge_file(step, captured.file_of(step))
    error, shed = step.text("error"), [r for r in last_tracepoints(step.json("xdptop")) if r["state"] == "shed"]
    if step.lines["xdptop-rc"] != ["1"] or len(shed) != 1 or f"not read: verdicts are shed: {shed[0]['reason']}" not in error:
        yield f"xdptop ended with {step.text('xdptop-rc')}, {shed}: {error}"
    counted = sum(packets for packets, _ in verdict_counts.counted(step.json("xdptop")).values())
    flooded = next(r["packets"] for r in step.json("rig") if r["type"] == "flooded")
    # its end is attached last and detached first
    if not 0 < captured.matched(step) <= counted < flooded:
        yield f"{captured.matched(step)} packets matched, {counted} counted of {flooded}"


def judge_kinds(step, steps):
    """The kinds of each program and verdict add up to its packets; ARP that is dropped is named, and nothing before it."""
    if version(steps) < captured.LOWEST:
        return
    yield from judge_run(step)
    if step.lines["xdptop-rc"] != ["0"]:
        return
    records, quiet = step.json("xdptop"), int(step.text("quiet"))
    kinds, counted = {}, collections.Counter()
    for r in records:
        if r["type"] == "packet_kind" and r["seq"] <= quiet:
            kinds[r["prog_id"], r["act"], r["ethertype"], r["protocol"], r["length_to"]] = r["packets_total"]
    for (prog_id, _, _, _, act), (packets, _) in verdict_counts.counted(r for r in records if r.get("seq", 0) <= quiet).items():
        counted[prog_id, act] += packets
    sums = collections.Counter()
    for (prog_id, act, *_), packets in kinds.items():
        sums[prog_id, act] += packets
    if sums != counted or sum(sums.values()) != next(r["packets"] for r in step.json("rig") if r["type"] == "fired"):
        yield f"kinds {sums}, verdicts {counted}"
    if {length for *_, length in kinds} != {64, 128, 256, 512, 1024, 1518, None}:
        yield f"lengths: {sorted(kinds)[:20]}"
    found = [r for r in records if r["type"] == "finding" and r["code"] == "drops-arp"]
    if any(r["seq"] <= quiet for r in found):
        yield f"before any ARP: {found[0]['text']}"
    if not found or "it drops ARP (" not in found[0]["text"] or found[0]["ifname"] != "rig-cap0":
        yield f"dropped ARP: {[r['text'] for r in found]}"
    arp = [r for r in records if r["type"] == "packet_kind" and r["ethertype"] == "ARP"]
    if {(r["act"], r["protocol"]) for r in arp} != {("DROP", None)} or arp[-1]["packets_total"] < 5:
        yield f"kinds of ARP: {arp[-1:]}"


def judge_packets(step, steps):
    """The screen shows where a dropped flood comes from, and copies packets only meanwhile."""
    if version(steps) < captured.LOWEST:
        return
    if step.lines["xdptop-rc"] != ["0"]:
        yield f"xdptop ended with {step.text('xdptop-rc')}"
    seen = {what: step.text(what) for what in ("before", "during", "after", "said")}
    for what in ("filtered", "refused"):
        if int(step.text(what) or 300) >= 300:
            yield f"a pcap filter is not {what}: {step.text('screen')[-3000:]}"
    if int(step.text("off") or 300) >= 300:
        yield "it does not say that verdicts are off"
    if seen != {"before": "0", "during": "1", "after": "0", "said": "sampled at 10/s per program"}:
        yield f"programs that copy packets, and the title: {seen}"
    if step.text("found") in ("", "0"):
        yield f"the flood is not on the screen: {step.text('screen')[-3000:]}"


def judge_cost(step, steps):
    """Each could be measured, and all runs meanwhile were counted."""
    costs = [r for r in step.json("rig") if r["type"] == "cost"]
    if len(costs) != 12 or min(r["runs"] for r in costs[1:]) <= 0:
        yield f"{step.text('rig')} {step.text('rig-error')}"
        return
    counted = {r["act"]: r["packets_total"] for r in step.json("xdptop") if r["type"] == "verdict"}
    if counted != {"PASS": next(r["runs"] for r in costs if r["with"] == "verdicts")}:
        yield f"counted {counted}"
    copied = costs[-4]["runs"]
    for what, n in ((":DROP", " 0 of 0"), (":PASS", f" of {costs[-5]['runs']}"), ("", f" {copied} of {copied}"), ("filter", " 0 of 0"), ("both", " 0 of 0")):
        if f"{n} packets written" not in steps[f"costs{what}"].text("error"):
            yield f"capture{what}: {steps[f'costs{what}'].text('error')}"


def note_cost(step):
    nothing, *others = [r for r in step.json("rig") if r["type"] == "cost"][1:-1]
    return "instructions of a run: " + ", ".join(
        [str(nothing["ns"])] + [f"{r['with']} {r['ns'] - nothing['ns']:+}" for r in others])


def judge_verdictskill(step, steps):
    """A killed monitor ends its tracer; without its tracer the monitor continues and reports it."""
    if step.lines["xdptop-rc"] != ["0"] or step.lines["rig-rc"] != ["0"]:
        yield f"ended with {step.text('xdptop-rc')}, the rig with {step.text('rig-rc')}: {step.text('error')}"
        return
    records = step.json("xdptop")
    yield from judge_traced(step, records, known_programs(step, steps), "ready")
    seq = int(step.text("killed"))
    before = [r for r in records if r["type"] == "verdict" and r["seq"] <= seq]
    after = [r for r in records if r["type"] == "verdict" and r["seq"] > seq + 2 and r.get("state") != "gone"]
    if not before or after:
        yield f"{len(before)} rows before the tracer was killed, after it {after[:1]}"
    said = [(r["state"], r["reason"]) for r in last_tracepoints(records) if r["tracepoint"] == "verdicts"]
    if records[-1]["seq"] < seq + 4 or len(said) != 1 or said[0][0] != "failed" or "was killed" not in said[0][1]:
        yield f"without the tracer it says: {said}"
    elif sum(said[0][1] in line for line in step.lines["error"]) != 1:
        yield f"on stderr it says: {step.text('error')}"


JUDGES = {
    "list": judge_list,
    "exact": judge_exact,
    "nojit": judge_nojit,
    "refusenojit": judge_refusenojit,
    "mem": judge_mem,
    "fiblookup": judge_fiblookup,
    "size": judge_exact,
    "overflow": judge_overflow,
    "maps": judge_maps,
    "fill": judge_fill,
    "fillnojit": judge_fill_without_jit,
    "confidentialfill": judge_fill_confidential,
    "parts": judge_parts,
    "hotplug": judge_hotplug,
    "skew": judge_skew,
    "clock": judge_clock,
    "toggle": judge_toggle,
    "nobtf": judge_nobtf,
    "classic": judge_classic,
    "follow": judge_follow,
    "toggleclassic": judge_toggle_classic,
    "lockdown": judge_lockdown,
    "confidential": lockdown.judge_confidential,
    "confidentialmaps": lockdown.judge_maps,
    "confidentialfollow": judge_follow,
    "confidentialnojit": lockdown.judge_nojit,
    "untraced": judge_untraced,
    "cost": judge_cost,
    "capture": judge_capture,
    "capturefilter": judge_capturefilter,
    "captureboth": judge_captureboth,
    "captureshed": judge_captureshed,
    "kinds": judge_kinds,
    "changes": judge_changes,
    "setups": judge_setups,
    "later": judge_later,
    "packets": judge_packets,
    "verdicts": judge_verdicts,
    "verdictskill": judge_verdictskill,
    "verdictswap": judge_verdictswap,
}


def judge(records, plan):
    """("pass" or "FAIL", notes) of all steps of a plan."""
    steps = collections.defaultdict(Step)
    for step, what, text in records:
        steps[step].lines[what].append(text)
    faults, notes = [], []
    for name in plan:
        step = steps[name]
        found = list(JUDGES[name](step, steps))
        if name == "exact":
            found += judge_privilege(step, steps)
            notes.append(f"{len(expectations(step))} series exact, CPUs {steps['end'].text('cpus')}")
        if name == "maps":
            entries = {(r["map_id"], r["key"]) for r in step.json("xdptop") if r["type"] == "map_entry"}
            notes.append(f"{len(entries)} maps and entries")
        if name == "confidential":
            notes.append(f"in lockdown=confidentiality {len(lockdown.known(steps)(expectations(step)))} series exact")
        if name == "nojit":
            notes.append(f"with the JIT off {len(expectations(step))} series exact")
        if name == "classic":
            notes.append(f"without BTF {len(project(expectations(step)))} series exact")
        if name == "follow" and not found:
            sums = step.json("sums")[0]
            notes.append(f"{sums['lines']} followed + {sums['lost']} lost, exact")
        if name == "verdicts":
            took = [r["seconds"] or 0 for r in step.json("rig") if r["type"] == "gone"]
            fired = verdict_counts.expected(known_programs(step, steps))
            notes.append(f"{len(fired)} verdicts exact; programs gone {max(took):.1f} s after their owner")
        if name == "capture" and not found and version(steps) >= captured.LOWEST:
            notes.append(captured.note(step, steps["captureflood"]))
        if name == "cost" and not found:
            notes.append(note_cost(step))
        if name == "size":
            kib, ticks = map(int, step.text("size").split())
            notes.append(f"{kib / 1024:.1f} MB resident, {ticks / 2:.1f} ms a tick, emulated")
        faults += [f"{name}: {f}" for f in found]
        skipped = [
            f"{name}: the rig cannot do {r['stimulus']}: {r['reason']}"
            for r in step.json("rig")
            if r["type"] == "skip"
        ]
        if version(steps) < COMPLETE:
            notes += skipped
        else:
            faults += skipped
    faults += [f"boot: {text}" for text in steps["boot"].lines["error"]]
    if steps["end"].lines["splat"]:
        faults.append("dmesg:")
        faults += steps["end"].lines["splat"]
    return ("FAIL", faults) if faults else ("pass", notes)
