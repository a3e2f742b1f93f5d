# SPDX-License-Identifier: GPL-2.0-or-later
"""Privileges that are dropped before the first byte of a foreign file is read."""
import pathlib
import subprocess
import time

from batch import DEADLINE, DEMO, XDPTOP


def status(pid, field):
    with open(f"/proc/{pid}/status") as file:
        return next(line.split()[1] for line in file if line.startswith(field + ":"))


def test_recording_is_read_behind_the_filter():
    """Not even its first line was read: the pipe is still empty."""
    p = subprocess.Popen([XDPTOP, "-b", "-r", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        end = time.monotonic() + DEADLINE
        while status(p.pid, "Seccomp") != "2":
            assert time.monotonic() < end, "it waits for the first line without a filter"
            time.sleep(0.01)
        out, _ = p.communicate(pathlib.Path(DEMO).read_bytes(), DEADLINE)
        assert p.returncode == 0 and out
    finally:
        p.kill()
        p.wait()
