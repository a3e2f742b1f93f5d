# SPDX-License-Identifier: GPL-2.0-or-later
"""What goes over the line: only what changed is written, and rows do not jump about."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

import pytest

import noisy
from pane import DEADLINE, XDPTOP, asleep

SECONDS = 40


class Line:
    """The monitor on a pseudo-terminal of 80x24, step by step."""

    def __init__(self, *arguments):
        env = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
        self.pid, self.fd = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            os.execve(XDPTOP, [XDPTOP, *arguments], env)
        while b"help" not in self.drawn():  # it gives up to wait for an answer
            pass

    def drawn(self):
        """What it writes until it sleeps, and all is read."""
        assert select.select([self.fd], [], [], DEADLINE)[0], "nothing is drawn"
        data, end = os.read(self.fd, 1 << 16), time.monotonic() + DEADLINE
        while not asleep(self.pid) or select.select([self.fd], [], [], 0)[0]:
            assert time.monotonic() < end, "it does not sleep"
            if select.select([self.fd], [], [], 0.001)[0]:
                data += os.read(self.fd, 1 << 16)
        return data

    def step(self):
        os.write(self.fd, b" ")
        return self.drawn()

    def close(self):
        os.write(self.fd, b"q")
        try:
            while os.read(self.fd, 1 << 16):
                pass
        except OSError:
            pass
        os.close(self.fd)
        assert os.waitpid(self.pid, 0)[1] == 0


@pytest.fixture
def line(tmp_path):
    lines = []

    def start(*arguments, still=None, events=False):
        path = tmp_path / "noisy.jsonl"
        noisy.write(path, SECONDS, still, each=events)
        lines.append(Line("-r", str(path), "--step", *arguments))
        return lines[-1]

    yield start
    for each in lines:
        each.close()


@pytest.mark.parametrize("view", [
    ["overview"], ["flows"], ["errors", "-f", "tracepoint=xdp_redirect_err"], ["devices"], ["programs"], ["queues"],
], ids=lambda view: view[0])
def test_ten_changing_rows(line, view):
    """Below 320 bytes a second: htop writes 550 on a machine at rest. LOST/S is a fifth rate in each row of flows."""
    screen = line("-v", *view)
    for _ in range(10):
        screen.step()
    written = [len(screen.step()) for _ in range(20)]
    assert sum(written) / len(written) < 320, written


def test_red_numbers(line):
    """Their column is one run: the colour is set once in a frame, not once a row."""
    screen = line("-v", "errors", "-f", "tracepoint=xdp_redirect_err")
    for _ in range(10):
        screen.step()
    written = [screen.step() for _ in range(20)]
    assert all(len(re.findall(rb"\x1b\[31m", data)) < 5 for data in written), written


def test_events_that_come_again(line):
    """The same ones each second, and up to two more: the others move, and change only their time."""
    screen = line("-v", "events", events=True)
    for _ in range(10):
        screen.step()
    written = [screen.step() for _ in range(20)]
    assert all(b"\x1b[r" in data for data in written), "nothing is scrolled"
    assert sum(map(len, written)) / len(written) < 500, list(map(len, written))


def test_nothing_changed(line):
    """Of a second in which nothing fired, the clock and the ages."""
    screen = line("-v", "flows", still=2)
    for _ in range(5):
        screen.step()
    written = [len(screen.step()) for _ in range(5)]
    assert max(written) < 60, written
