# SPDX-License-Identifier: GPL-2.0-or-later
"""
Injects faults into the running monitor one at a time: it ends by itself, with snapshots or an error, and the
kernel keeps nothing of it. FAULTS=all (make soak) tries all of them.
"""
import os
import re
import select
import signal
import subprocess

import pytest

from harness import DEADLINE, XDPTOP, eventually
from test_leaves import Footprint, Terminal, all_goes, kept, there, traffic  # noqa: F401

STEP = 1 if os.environ.get("FAULTS") == "all" else 16  # every nth
WRITE = {"x86_64": 1}.get(os.uname().machine, 64)  # number of write(2): 64 in asm-generic
# src/base/error.h
DONE, FAILED, USAGE, _, _, FILE = range(6)


@pytest.fixture
def nothing_left():
    objects, pins = there(), kept()
    yield
    all_goes(there, objects)
    all_goes(kept, pins)


@pytest.mark.parametrize("args", [("-b", "-t", "all"), ("-o", "json", "-C", "-t", "all")], ids=lambda a: a[1])
def test_failing_allocation(nothing_left, failing, args):
    def run(env, fd):
        return subprocess.run([XDPTOP, *args, "-n", "2", "-d", "0.1"], env={**os.environ, **env}, pass_fds=[fd],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE)

    for n, p in failing(run, STEP):
        assert p.returncode in (DONE, FAILED, USAGE, FILE), (n, p.returncode, p.stderr)
        if p.returncode == DONE:
            assert p.stdout, n
        else:
            assert re.fullmatch(rb"(xdptop: [^\n]+\n)+", p.stderr), (n, p.stderr)


def test_failing_allocation_at_the_screen(nothing_left, failing):
    def run(env, fd):
        t = Terminal("-t", "all", "-n", "2", "-d", "0.1", env=env, inherit=[fd])
        try:
            t.drain()
            return t.process.wait(DEADLINE), t.text
        finally:
            t.close()

    for n, (status, text) in failing(run, STEP):
        assert status in (DONE, FAILED, USAGE, FILE), (n, status, text[-500:])
        assert text.rfind(b"\x1b[?1049l") >= text.rfind(b"\x1b[?1049h"), n
        assert status == DONE or b"xdptop: " in text, (n, text[-500:])


def is_full(t):
    """The terminal takes no more: the monitor is inside write(), or does not start one."""
    return not select.select([], [t.slave], [], 0)[1]


def is_writing(t):
    """Inside write(), which may or may not return."""
    with open(f"/proc/{t.process.pid}/syscall", encoding="ascii") as file:
        return file.read().split()[:2] == [str(WRITE), "0x1"] or is_full(t)


@pytest.mark.parametrize("when", [is_full, is_writing])
@pytest.mark.parametrize("sig", [signal.SIGTERM, signal.SIGHUP])
def test_blocked_terminal(traffic, sig, when):  # noqa: F811
    """Nobody reads its output, and it is asked to end: inside a write, or just before one that blocks."""
    before = kept()
    t = Terminal("-t", "all", "-d", "0.1")
    try:
        t.read_until(b"RESULT")
        left = Footprint(before, t.process.pid)
        eventually(lambda: os.write(t.master, b"\x0c") and when(t), "it never blocks")
        t.process.send_signal(sig)
        assert t.process.wait(DEADLINE) == 0
        left.gone()
    finally:
        t.close()
