# SPDX-License-Identifier: GPL-2.0-or-later
"""--verdicts: the key V, and that the process with privileges is shown. Not every kernel can trace."""
import json
import os
import re
import subprocess

import pytest

import recording
from pane import XDPTOP, missing


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    path = tmp_path_factory.mktemp("recording") / "verdicts.jsonl"
    recording.write(path, with_verdicts=True, **recording.TRACED)
    return path


@pytest.mark.parametrize("width,height,text", [
    (80, 24, "pid 812 keeps SYS_ADMIN,PERFMON,BPF"),
    (80, 10, "pid 812 keeps SYS_ADMIN,PERFMON,BPF"),
    (200, 50, "verdicts on: pid 812 keeps CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF"),
])
def test_who_keeps_what(monitor, traced, width, height, text):
    screen = monitor(path=traced, width=width, height=height)
    assert text in screen.wait(r"pid 812")


def test_key_in_a_recording(monitor, recorded, traced):
    """It shows the recorded state, or that there is none."""
    for path, said in ((traced, r"verdicts: cannot switch tracepoints in a recording \(it was on\)"),
                       (recorded, r"this recording has no verdicts; it was made without --verdicts")):
        screen = monitor(path=path)
        screen.keys("V")
        screen.wait(said)
        screen.keys("t")
        text = screen.wait(r"\[tracepoints\]")
        assert bool(re.search(r"(?m)^..V +verdicts +on", text)) == (path == traced)
        screen.keys("Home", "V")
        screen.wait(said)


def test_key_without_the_option(live):
    screen = live("-d", "0.2")
    screen.wait(r"  XDP on ")
    screen.keys("V")
    screen.wait(r"start with --verdicts to count ")
    assert not re.search(r"(?m)^.V +verdicts", screen.text())


def test_key_with_it(live):
    screen = live("-d", "0.2", "--verdicts", width=200)
    if "failed: verdicts(V)" in screen.wait(r"failed: verdicts\(V\)|verdicts on: pid \d+ keeps CAP_"):
        screen.keys("V")
        screen.wait(r"verdicts is failed: \w+")
        return
    screen.keys("V")
    screen.wait(r"verdicts off, V switches it on again; not counted now: an XDP program returned")
    screen.wait(r"verdicts off: pid \d+ keeps CAP_")
    screen.keys("V")
    screen.wait(r"verdicts on: pid \d+ keeps CAP_")


@pytest.mark.parametrize("quiet", [False, True])
def test_batch_says_who(quiet):
    """Once, on stderr, and in the header of a recording; or why nothing is counted."""
    if os.geteuid() != 0:
        missing("tracing needs root")
    p = subprocess.run([XDPTOP, "--verdicts", "-o", "json", "-n", "1", "-d", "0.1", *["-q"] * quiet], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows = [json.loads(line) for line in p.stdout.splitlines()]
    header, = [row for row in rows if row["type"] == "header"]
    state, = [row for row in rows if row["type"] == "tracepoint" and row["tracepoint"] == "verdicts"]
    if "verdicts_pid" in header:
        caps = header["verdicts_caps"].replace(",", ", ")
        said = f"--verdicts: process {header['verdicts_pid']} keeps {caps} while xdptop runs"
        assert state["state"] == "on"
    else:
        said = f"--verdicts: programs cannot be traced: {state['reason']}"
        assert state["state"] == "failed"
    if "later_namespaces_pid" in header:
        said += (f"\n--later-namespaces: process {header['later_namespaces_pid']} keeps "
                 f"{header['later_namespaces_caps']} while xdptop runs")
    assert re.sub(r"^xdptop: |\n$", "", p.stderr, flags=re.M).rstrip() == ("" if quiet else said)
