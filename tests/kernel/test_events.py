# SPDX-License-Identifier: GPL-2.0-or-later
"""Individual events: all rare ones, a few failures per second, and omitted ones are counted."""
import pytest

from harness import fire, last_samples, turns

pytestmark = pytest.mark.alone  # all changes, events and findings of the machine are looked at

# stimulus, tracepoint, beginning of its text
FAILURES = [
    ("enetdown", "xdp_redirect_err", "ENETDOWN to rig-out"),
    ("einval", "xdp_redirect_err", "EINVAL to ifindex 999999"),
    ("aborted", "xdp_exception", "ABORTED"),
    ("badact", "xdp_exception", "UNKNOWN(77)"),
    ("devmap-full", "xdp_devmap_xmit", "drops to rig-out"),
    ("bulk-tx-fail", "xdp_bulk_tx", "ENXIO: "),
]


@pytest.mark.parametrize("stimulus,tracepoint,text", FAILURES, ids=[f[0] for f in FAILURES])
def test_failures(monitor, rig, stimulus, tracepoint, text):
    m = monitor("-d", "0.1")
    row, fired = None, 0

    def mine(record):
        return (record["type"] == "event" and record["tracepoint"] == tracepoint
                and record["netns"] == row["netns"])

    # only some are listed, and other failures of the machine compete
    for _ in turns("an event of ours"):
        (row,) = [x for x in fire(rig, f"{stimulus}=1000") if x["tracepoint"] == tracepoint]
        fired += 1000
        m.wait_snapshot()
        if any(mine(r) for r in m.records):
            break
    events = [r for r in m.stop() if mine(r)]
    assert events
    for e in events:
        assert e["text"].startswith(text), e
        assert e["ifindex"] == row["ifindex"] and e["ifname"] == row["ifname"]
        if row.get("prog_id"):
            assert (e["prog_id"], e["prog_name"]) == (row["prog_id"], row["prog_name"])
    # not individually
    assert len(events) < fired


def test_nothing_is_counted_twice(monitor, rig):
    """Each failure was either listed or omitted, never both."""
    m = monitor("-d", "0.3", "-t", "xdp_redirect_err")
    for _ in range(3):
        since = len(m.records)
        # only some are listed, not from every burst
        for _ in turns("an event"):
            fire(rig, "enetdown=20000")
            m.wait_snapshot()
            if any(r["type"] == "event" for r in m.records[since:]):
                break
    records = m.stop()
    events = [r for r in records if r["type"] == "event"]
    total = sum(s["events_total"] for s in last_samples(records))
    known = sum(1 + e["left_out"] for e in events)
    # failures after the last listed one are not reported yet
    assert 0 < known <= total
    assert max(e["left_out"] for e in events) < total


def test_successes_are_not_listed(monitor, rig):
    m = monitor("-d", "0.3", "-t", "all", "--budget", "0")
    expect = fire(rig, "redirect=1000", "cpumap=1000", "bulk-tx=1000")
    devices = {(x["netns"], x["ifindex"]) for x in expect if x.get("ifindex")}
    # a snapshot may see that the rig's programs come and go
    for e in (r for r in m.stop() if r["type"] == "event" and not r.get("change")):
        assert (e["netns"], e["ifindex"]) not in devices, e
