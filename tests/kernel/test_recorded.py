# SPDX-License-Identifier: GPL-2.0-or-later
"""A live recording, read again without privileges."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest

from harness import DEADLINE, XDPTOP, eventually, fire

pytestmark = pytest.mark.alone  # whole recordings are compared

STIMULI = [
    "redirect=20000", "redirect-ifindex=500", "redirect-hash=500", "einval=500", "emsgsize=500",
    "eopnotsupp=500", "enetdown=500", "ebadrqc=500", "aborted=500", "badact=300", "cpumap=2000",
    "cpumap-full=500", "cpumap-prog=500", "bulk-tx=500", "bulk-tx-fail=300", "devmap-prog=300",
    "devmap-full=300", "generic=300", "queue=500", "same-ifindex=300", "xskmap=50", "xskmap-enxio=50",
]
# so that nothing else prevents the use of a capability
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--no-new-privs"]


@pytest.fixture
def unprivileged():
    """The monitor as nobody: a copy of it, if nobody has no access."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        yield [*NOBODY, shutil.copy(XDPTOP, directory)]


def recorder(popen, path, delay):
    """A monitor that has recorded its first snapshot."""
    p = popen([XDPTOP, "-o", "json", "-C", "-t", "all", "-d", delay, "--budget", "0", "--to", path],
              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    eventually(lambda: p.poll() is not None or path.exists() and '"seq":1,' in path.read_text(), "the first snapshot")
    assert p.poll() is None, p.stderr.read().decode()
    return p


@pytest.fixture
def recorded(popen, rig, unprivileged):
    """A recording, who can read it, and its required content."""
    path = pathlib.Path(unprivileged[-1]).parent / "live.jsonl"
    p = recorder(popen, path, "0.3")
    r = rig(*STIMULI)
    r.read_until("done")
    # while its devices are there: a busy machine may have taken none yet
    eventually(lambda: '"seq":3,' in path.read_text(), "several snapshots")
    r.finish()
    expect = r.expect
    p.send_signal(signal.SIGINT)
    assert p.wait(DEADLINE) == 0, p.stderr.read().decode()
    return unprivileged, path, expect


def of(text, *kinds):
    begins = tuple(f'{{"type":"{kind}"' for kind in kinds)
    return [line for line in text.splitlines() if line.startswith(begins)]


OF_LIVE_ALONE = re.compile('"state":"gone"|"seq":1,')


def test_the_same_again(recorded):
    """Byte by byte: states, samples of all CPUs and of each, devices, events, the end."""
    nobody, path, expect = recorded
    live = path.read_text()
    assert len(of(live, "sample")) > 100
    for how in ([path], ["-"]):
        with open(path, "rb") as stdin:
            p = subprocess.run([*nobody, "-r", *how, "-o", "json", "-C"], stdin=stdin, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=DEADLINE)
        assert (p.returncode, p.stderr) == (0, b"")
        again = p.stdout.decode()
        for kind in ("header", "tracepoint", "sample", "event", "end"):
            assert of(again, kind) == of(live, kind), kind
        # a replay does not know when a deleted device is forgotten, nor what others' devices had at the start
        there = [line for line in of(live, "device") if not OF_LIVE_ALONE.search(line)]
        assert there and [line for line in of(again, "device") if not OF_LIVE_ALONE.search(line)] == there


def test_the_same_of_what_comes_and_goes(popen, rig, unprivileged):
    """Namespaces end and their inodes are reused: no row gets another one's name or counts."""
    path = pathlib.Path(unprivileged[-1]).parent / "live.jsonl"
    p = recorder(popen, path, "0.2")
    for _ in range(12):
        fire(rig, "redirect=50", "einval=20", "aborted=20", "queue=20")
    p.send_signal(signal.SIGINT)
    assert p.wait(DEADLINE) == 0, p.stderr.read().decode()
    live = path.read_text()
    assert len(of(live, "sample")) > 100
    again = subprocess.run([*unprivileged, "-r", path, "-o", "json", "-C"], stdout=subprocess.PIPE,
                           timeout=DEADLINE, check=True).stdout.decode()
    for kind in ("tracepoint", "event", "end"):
        assert of(again, kind) == of(live, kind), kind
    # within a snapshot, an inode's second series may have the position of the first
    assert sorted(of(again, "sample")) == sorted(of(live, "sample"))


def test_totals_of_a_replay(recorded):
    """The last snapshot of a replay of a replay still has what the kernel fired."""
    nobody, path, expect = recorded
    first = subprocess.run([*nobody, "-r", path, "-o", "json"], stdout=subprocess.PIPE, timeout=DEADLINE, check=True)
    second = subprocess.run([*nobody, "-r", "-", "-o", "json"], input=first.stdout, stdout=subprocess.PIPE,
                            timeout=DEADLINE, check=True)
    records = [json.loads(line) for line in second.stdout.splitlines()]
    last = records[-1]["seq"]
    for e in expect:
        if "events" not in e or e["tracepoint"] == "bpf_xdp_link_attach_failed":
            continue
        names = [k for k in ("tracepoint", "netns", "ifindex", "to_ifindex", "to_cpu", "prog_id", "map_id", "err", "act")
                 if k in e]
        rows = [r for r in records if r["type"] == "sample" and r["seq"] == last and all(r[k] == e[k] for k in names)]
        assert [r["events_total"] for r in rows] == [e["events"]], e


def test_live_through_a_pipe(popen, rig, unprivileged):
    """`xdptop -o json | xdptop -r - -o csv`: the reader ends with the writer, and has its totals."""
    writer = popen([XDPTOP, "-o", "json", "-t", "all", "-d", "0.3", "--budget", "0"],
                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    reader = popen([*unprivileged, "-r", "-", "-o", "csv"], stdin=writer.stdout, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, bufsize=0)  # communicate() returns everything after the titles
    writer.stdout.close()
    titles = reader.stdout.readline().decode().strip().split(",")
    (e,) = [e for e in fire(rig, "eopnotsupp=777") if e["tracepoint"] == "xdp_redirect_err"]
    writer.send_signal(signal.SIGINT)
    assert writer.wait(DEADLINE) == 0
    out, err = reader.communicate(timeout=DEADLINE)
    assert (reader.returncode, err) == (0, b"")
    rows = [dict(zip(titles, line.split(","))) for line in out.decode().splitlines()]
    mine = [r for r in rows if r["tracepoint"] == "xdp_redirect_err" and r["netns"] == str(e["netns"])]
    assert mine[-1]["events_total"] == "777"
    assert sum(int(r["events"]) for r in mine) == 777
