# SPDX-License-Identifier: GPL-2.0-or-later
"""Totals equal what the kernel fired, to the frame, each with the right identity."""
import json
import subprocess

import pytest

from harness import DEADLINE, IDENTITY, RIG, check, fire, last_samples, load

# stimulus, frames
STIMULI = [
    ("redirect", 100000),
    ("redirect-ifindex", 1000),
    ("einval", 1000),
    ("emsgsize", 1000),
    ("eopnotsupp", 1000),
    ("eopnotsupp-lo", 1000),
    ("enetdown", 1000),
    ("ebadrqc", 1000),
    ("aborted-empty", 1000),
    ("aborted", 1000),
    ("aborted-generic", 1000),
    ("badact", 1000),
    ("cpumap", 10000),
    ("cpumap-full", 1000),
    ("cpumap-prog", 1000),
    ("bulk-tx", 1000),
    ("bulk-tx-fail", 1000),
    ("generic", 1000),
    ("queue", 1000),
    ("same-ifindex", 1000),
    ("redirect-hash", 1000),
    ("bulk-tx-full", 5000),
    ("devmap-full", 1000),
    ("devmap-prog", 1000),
    ("devmap-enxio", 1000),
    ("xskmap", 100),
    ("xskmap-enomem", 100),
    ("xskmap-fill-invalid", 100),
    ("xskmap-enxio", 100),
    ("xskmap-einval", 100),
    ("xskmap-enospc", 100),
]


@pytest.mark.parametrize("stimulus,frames", STIMULI)
def test_exact(monitor, rig, stimulus, frames):
    m = monitor("-d", "0.5", "-t", "all", "--budget", "0")
    expect = fire(rig, f"{stimulus}={frames}")
    samples = last_samples(m.stop())
    for e in expect:
        if e["tracepoint"] != "bpf_xdp_link_attach_failed":
            check(e, samples)


def test_all_at_once(monitor, rig):
    """Everything in one run: no stimulus affects another's series, and rows add up to totals."""
    m = monitor("-d", "0.5", "-t", "all", "--budget", "0")
    expect = fire(rig, *(s for s, _ in STIMULI))
    records = m.stop()
    samples = last_samples(records)
    for e in expect:
        check(e, samples)
    seq = records[-1]["seq"]
    for t in (r for r in records if r["type"] == "tracepoint" and r["seq"] == seq):
        rows = [s["events_total"] for s in samples if s["tracepoint"] == t["tracepoint"]]
        if t["state"] == "missing":
            assert t["events_total"] is None and not rows
            continue
        assert sum(rows) == t["events_total"], t
        assert t["missed_total"] == 0 and t["overflow_total"] == 0


def test_deltas_add_up(monitor, rig):
    """The counts of a series' intervals add up to its total, and rates equal counts over time."""
    m = monitor("-d", "0.1", "-t", "all", "--budget", "0")
    traffic = load(rig, "redirect=100000")
    for _ in range(3):
        m.wait_for(lambda r: r["type"] == "sample" and r["prog_name"] == "rig_to_devmap", "an interval with frames")
    (e,) = [x for x in traffic.halt() if x["tracepoint"] == "xdp_redirect"]
    records = m.stop()
    rows = [
        r
        for r in records
        if r["type"] == "sample"
        and r["cpu"] is None
        and r["tracepoint"] == "xdp_redirect"
        and r["prog_id"] == e["prog_id"]
    ]
    assert sum(r["events"] for r in rows) == e["events"] == rows[-1]["events_total"]
    for r in rows:
        assert r["events_per_s"] == pytest.approx(r["events"] / r["interval_s"], rel=1e-3, abs=0.01)


def test_per_cpu_rows(monitor, rig):
    """With -C the CPUs of a row add up to it."""
    m = monitor("-d", "0.5", "-t", "all", "-C", "--budget", "0")
    expect = fire(rig, "cpumap=10000", "redirect=10000")
    records = m.stop()
    samples = last_samples(records)
    per_cpu = last_samples(records, all_cpus=False)
    for e in expect:
        row = check(e, samples)
        cpus = [c for c in per_cpu if all(c[k] == row[k] for k in IDENTITY if k != "cpu")]
        assert cpus
        for total in ("events_total", "packets_total"):
            assert sum(c[total] for c in cpus) == row[total]


@pytest.mark.parametrize("stimulus", ["attach-fail", "attach-refused"])
def test_attach_failure(monitor, rig, stimulus):
    """Text, process and namespace of a refused native attach."""
    m = monitor("-d", "0.5", "-t", "all")
    expect = fire(rig, f"{stimulus}=3")
    records = m.stop()
    samples = last_samples(records)
    for e in expect:
        check(e, samples)
        events = [
            r
            for r in records
            if r["type"] == "event"
            and r["tracepoint"] == e["tracepoint"]
            and r["netns"] == e["netns"]
        ]
        assert len(events) == e["events"]
        for event in events:
            assert event["text"] == e["text"]
            assert event["comm"] == e["comm"]
            assert event["pid"] == e["pid"]


def test_memory_allocators(monitor, rig):
    """mem_disconnect names no device: others' events may be included, but none may be missing."""
    m = monitor("-d", "0.5", "-t", "all")
    (e,) = fire(rig, "mem=10")
    records = m.stop()
    total = sum(
        s["events_total"] for s in last_samples(records) if s["tracepoint"] == e["tracepoint"]
    )
    texts = [
        r["text"] for r in records if r["type"] == "event" and r["tracepoint"] == e["tracepoint"]
    ]
    assert len(texts) == len(set(texts)) == total >= e["events"]


def test_hostile_names(monitor, rig):
    """An interface name consists of bytes that a container chooses; it stays on one line, and readable."""
    name = b'e\x1b[7m",\xff'
    m = monitor("-d", "0.5", "-t", "all", "--budget", "0")
    r = rig("--ifname", name, "einval=100")
    r.read_until("done")
    r.finish()
    (row,) = [
        s for s in last_samples(m.stop())
        if s["tracepoint"] == "xdp_redirect_err" and s["events_total"] == 100
    ]
    assert row["ifname"] == r'e\x1b[7m",\xff'


def bench(*commands):
    """Runs the rig's bench to fire frames."""
    p = subprocess.run(
        [RIG, "bench"], input="\n".join([*commands, "quit"]) + "\n", stdout=subprocess.PIPE,
        text=True, timeout=DEADLINE, check=True,
    )
    return [json.loads(line) for line in p.stdout.splitlines()]


@pytest.mark.alone  # millions, from devices whose numbers others have too
@pytest.mark.parametrize("keys", [1, 2, 4, 8])
def test_millions_with_alternating_keys(monitor, keys):
    """Live frames at full speed, each to a different target than the previous one."""
    m = monitor("-d", "0.5", "-t", "all", "--budget", "0")
    answers = bench(f"keys {keys}", "run 2000000")
    assert any(a["type"] == "run" for a in answers), answers
    records = m.stop()
    samples = [s for s in last_samples(records) if s["prog_name"] == "rig_to_keys"]
    redirects = [s["events_total"] for s in samples if s["tracepoint"] == "xdp_redirect"]
    assert sum(redirects) == 2000000
    assert len(redirects) == keys and max(redirects) - min(redirects) <= 1
    names = {s["ifname"] for s in samples}
    sent = [
        s
        for s in last_samples(records)
        if s["tracepoint"] == "xdp_devmap_xmit" and s["ifname"] in names
        and s["netns"] == samples[0]["netns"]
    ]
    assert sum(s["packets_total"] + s["drops_total"] for s in sent) == 2000000
