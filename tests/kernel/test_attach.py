# SPDX-License-Identifier: GPL-2.0-or-later
"""Links, programs, and what remains of them."""
import json
import os
import signal
import subprocess

import pytest

from harness import FORGETFUL, RIG, XDPTOP, attached, check_total, fire, last_samples, others


def states(*args):
    out = subprocess.check_output([XDPTOP, "--list", "-o", "json", *args])
    rows = [json.loads(line) for line in out.splitlines()]
    return {r["tracepoint"]: r for r in rows if r["type"] == "tracepoint"}


def test_list_says_what_this_kernel_has():
    rows = states()
    assert rows["xdp_redirect"]["state"] == "off"
    assert rows["xdp_redirect_err"]["state"] == "on"
    btf = subprocess.check_output(
        ["bpftool", "btf", "dump", "file", "/sys/kernel/btf/vmlinux"],
        env=dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin"),
    ).decode()
    for name, row in rows.items():
        assert (f"'btf_trace_{name}'" in btf) == (row["state"] in ("on", "off")), row
        assert (row["reason"] is None) == (row["state"] in ("on", "off")), row


def test_every_program_loads_and_attaches(monitor):
    """No tracepoint in this kernel's BTF may fail."""
    m = monitor("-d", "0.2", "-t", "all", "--budget", "0", "-n", "1")
    m.wait_for(lambda r: r["type"] == "end", "the end")
    rows = [r for r in m.records if r["type"] == "tracepoint"]
    assert len(rows) >= 12
    for r in rows:
        assert r["state"] in ("on", "missing"), r
        assert r["state"] == "on" or r["reason"], r


def test_unknown_tracepoint_is_counted(monitor, rig):
    """A tracepoint in BTF that the registry does not know: its events are counted without identity."""
    known = monitor("-d", "0.5", "--budget", "0")
    m = monitor("-d", "0.5", "--budget", "0", program=FORGETFUL)
    expect = fire(rig, "bulk-tx=1000")
    unknown, records = m.stop(), known.stop()
    (row,) = [
        r
        for r in unknown
        if r["type"] == "tracepoint"
        and r["seq"] == unknown[-1]["seq"]
        and r["tracepoint"] == "xdp_bulk_tx"
        and r["state"] != "missing"
    ]
    # how many bulks the frames formed depends on timing
    (fired,) = [
        s["events_total"]
        for e in expect
        for s in last_samples(records)
        if e["tracepoint"] == s["tracepoint"] == "xdp_bulk_tx" and e["netns"] == s["netns"]
    ]
    assert fired > 0
    check_total("xdp_bulk_tx", row["events_total"], fired, others(records, expect, "xdp_bulk_tx"))


def test_only_what_was_asked_is_attached(monitor):
    m = monitor("-t", "xdp_exception,xdp_devmap_xmit")
    assert attached(m.process.pid) == 2


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_ends_with_last_snapshot(monitor, sig):
    m = monitor("-d", "3600", "-t", "default")
    records = m.stop(sig)
    assert records[-1]["reason"] == "signal"


def test_two_instances_do_not_disturb_each_other(monitor, rig):
    """Both count everything, and both report their cost."""
    both = [monitor("-d", d, "-t", "all", "--budget", "0") for d in ("0.3", "0.7")]
    (e,) = fire(rig, "einval=100000")
    for m in both:
        records = m.stop()
        rows = [s for s in last_samples(records) if s["prog_id"] == e["prog_id"]]
        assert [r["events_total"] for r in rows] == [100000]
        costs = [
            (r["ns_per_event"], r["cpu_percent"])
            for r in records
            if r["type"] == "tracepoint" and r["tracepoint"] == "xdp_redirect_err"
        ]
        assert max(percent or 0 for _, percent in costs) > 0 and costs[-1][0] > 0, costs


def test_overflow_keeps_totals_exact(monitor, rig):
    witness = monitor("-d", "0.5", "-t", "all", "--budget", "0")
    m = monitor("-d", "0.5", "-t", "all", "--max-series", "8", "--budget", "0")
    expect = fire(rig, "einval", "emsgsize", "enetdown", "aborted", "badact", "queue", "redirect")
    records, seen = m.stop(), witness.stop()
    rows = {
        r["tracepoint"]: r
        for r in records
        if r["type"] == "tracepoint" and r["seq"] == records[-1]["seq"]
    }
    assert records[-1]["overflow_total"] > 0
    for tracepoint in ("xdp_redirect_err", "xdp_exception", "xdp_redirect"):
        fired = sum(e["events"] for e in expect if e["tracepoint"] == tracepoint)
        check_total(tracepoint, rows[tracepoint]["events_total"], fired, others(seen, expect, tracepoint))


def test_works_without_tracefs(monitor, rig):
    """In a mount namespace with nothing mounted below /sys/kernel."""
    script = 'umount -R /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; exec "$@"'
    m = monitor(
        "-d", "0.5", "-t", "all", "--budget", "0",
        prefix=["unshare", "-m", "sh", "-c", script, "sh"],
    )
    with open("/proc/%d/mountinfo" % m.process.pid) as f:
        assert " - tracefs " not in f.read()
    (e,) = fire(rig, "einval=100")
    rows = [s for s in last_samples(m.stop()) if s["prog_id"] == e["prog_id"]]
    assert [r["events_total"] for r in rows] == [100]


def test_memlock_is_not_lowered_and_not_fatal(monitor):
    """A small RLIMIT_MEMLOCK that cannot be raised does not matter."""
    m = monitor(
        "-t", "all",
        prefix=["prlimit", "--memlock=65536:65536"],
    )
    with open(f"/proc/{m.process.pid}/limits") as f:
        (line,) = [x for x in f if x.startswith("Max locked memory")]
    soft = line.split()[3]
    assert soft == "unlimited" or int(soft) >= 65536


def test_namespaces_of_the_rig_end_with_it():
    def named():
        """Inodes of namespaces; other processes may create some meanwhile."""
        return {e.stat().st_ino for e in os.scandir("/run/netns")} if os.path.isdir("/run/netns") else set()

    p = subprocess.Popen([RIG, "--hold", "redirect"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    p.stdout.readline()
    own = os.stat(f"/proc/{p.pid}/ns/net").st_ino
    p.kill()
    p.wait()
    p.stdin.close()
    p.stdout.close()
    assert own not in named()
