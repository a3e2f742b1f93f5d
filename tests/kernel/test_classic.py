# SPDX-License-Identifier: GPL-2.0-or-later
"""The classic backend beside btf: the same totals, and no data that it cannot have."""
import subprocess

import pytest

from classic import project
from harness import COUNTERS, XDPTOP, check, fire, last_samples
from test_counts import STIMULI

MOUNT = 'mount -t tracefs none /sys/kernel/tracing && exec "$@"'
# tracefs for the monitor alone, which never mounts anything
TRACEFS = ["unshare", "-m", "sh", "-c", MOUNT, "sh"]
NO_TRACEFS = [
    "unshare", "-m", "sh", "-c",
    'umount -R /sys/kernel/tracing /sys/kernel/debug 2>/dev/null; exec "$@"', "sh",
]
NO_BTF = [
    "unshare", "-m", "sh", "-c", f"mount -t tmpfs none /sys/kernel/btf && {MOUNT}", "sh",
]


def is_ours(e):
    """Whether the series excludes other traffic: its program or map is the rig's."""
    return e.get("prog_id") is not None or e.get("map_id") is not None


def test_same_totals_as_btf(monitor, rig):
    btf = monitor("-d", "0.5", "-t", "all", "--budget", "0")
    classic = monitor(
        "-d", "0.5", "-t", "all", "--budget", "0", "--backend", "classic", prefix=TRACEFS
    )
    assert btf.records[0]["backend"] == "btf"
    assert classic.records[0]["backend"] == "classic"
    expect = fire(rig, *(s for s, _ in STIMULI), "attach-fail=3")
    exact = last_samples(btf.stop())
    known = last_samples(classic.stop())
    for e in expect:
        check(e, exact)
    for e in project(expect):
        if is_ours(e):
            check(e, known)
            continue
        # a row sums up equal ifindexes of all namespaces: it may have more events, but not fewer
        identity = {k: e[k] for k in ("tracepoint", "ifindex", "err") if k in e}
        rows = [s for s in known if all(s[k] == v for k, v in identity.items())]
        for counter, total in COUNTERS.items():
            if counter in e and total:
                assert sum(r[total] or 0 for r in rows) >= e[counter], (counter, e)


def test_unknown_is_null(monitor, rig):
    m = monitor("-d", "0.5", "-t", "all", "--budget", "0", "--backend", "classic", prefix=TRACEFS)
    fire(rig, "redirect", "queue", "cpumap", "aborted")
    rows = last_samples(m.stop())
    assert {r["tracepoint"] for r in rows} >= {"xdp_redirect", "net_dev_queue", "xdp_exception"}
    for r in rows:
        assert r["netns"] is None and r["to_netns"] is None, r
        if r["tracepoint"] == "net_dev_queue":
            assert r["ifname"] and r["ifindex"] is None and r["packets_total"] is None, r
            assert r["bytes_total"] > 0
        elif r["tracepoint"].startswith("xdp_redirect"):
            assert r["ifindex"] and r["ifname"] is None and r["map_type"] is None, r


def test_auto_takes_classic_without_btf(monitor, rig):
    m = monitor("-d", "0.5", "-t", "all", "--budget", "0", prefix=NO_BTF)
    assert m.records[0]["backend"] == "classic"
    (e,) = fire(rig, "einval=100")
    (row,) = [s for s in last_samples(m.stop()) if s["prog_id"] == e["prog_id"]]
    assert row["events_total"] == 100


@pytest.mark.parametrize("run", [["-o", "json", "-n", "1"], ["--list"]])
def test_without_tracefs(run):
    """It reports this with the command, and mounts nothing."""
    p = subprocess.run(
        [*NO_TRACEFS, XDPTOP, "--backend", "classic", *run], capture_output=True, text=True
    )
    assert p.returncode == 4
    assert "sudo mount -t tracefs tracefs /sys/kernel/tracing" in p.stderr
    assert p.stderr.count("\n") == 1 and not p.stdout


def test_list(monitor):
    p = subprocess.run(
        [*TRACEFS, XDPTOP, "--backend", "classic", "--list"], capture_output=True, text=True
    )
    assert p.returncode == 0, p.stderr
    assert "xdp_redirect_err" in p.stdout


def test_where_debugfs_has_it(monitor, rig):
    """The older mount point below debugfs, and nothing at the other."""
    mount = ('umount -R /sys/kernel/tracing 2>/dev/null; '
             'mount -t debugfs none /sys/kernel/debug && exec "$@"')
    m = monitor("-d", "0.5", "--budget", "0", "--backend", "classic",
                prefix=["unshare", "-m", "sh", "-c", mount, "sh"])
    with open(f"/proc/{m.process.pid}/mountinfo") as f:
        assert " /sys/kernel/tracing " not in f.read()
    (e,) = fire(rig, "einval=100")
    (row,) = [s for s in last_samples(m.stop()) if s["prog_id"] == e["prog_id"]]
    assert row["events_total"] == 100
