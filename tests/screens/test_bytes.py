# SPDX-License-Identifier: GPL-2.0-or-later
"""Output on the line: only changes are written, and rows do not jump."""
import fcntl
import os
import pty
import select
import struct
import termios
import time

import pytest

import busy_recording
from pane import DEADLINE, TOP, XDPTOP, asleep

SECONDS = 40


class Line:
    """The monitor on a pseudo-terminal of 80x24, step by step."""

    def __init__(self, *arguments, size=(24, 80)):
        env = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": "/nonexistent"}
        self.pid, self.fd = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            os.execve(XDPTOP, [XDPTOP, *arguments], env)
        assert b"help" in self.drawn()

    def drawn(self):
        """Its output until it sleeps and everything is read."""
        assert select.select([self.fd], [], [], DEADLINE)[0], "nothing is drawn"
        data, end = os.read(self.fd, 1 << 16), time.monotonic() + DEADLINE
        while not asleep(self.pid) or select.select([self.fd], [], [], 0)[0]:
            assert time.monotonic() < end, "it does not sleep"
            if select.select([self.fd], [], [], 0.001)[0]:
                data += os.read(self.fd, 1 << 16)
        return data

    def resize(self, height, width):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        return self.drawn()

    def step(self):
        os.write(self.fd, b" ")
        return self.drawn()

    def close(self):
        os.write(self.fd, b"\x03")
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

    def start(*arguments, still=None):
        path = tmp_path / "busy.jsonl"
        busy_recording.write(path, SECONDS, still)
        lines.append(Line("-r", str(path), "--step", *arguments))
        return lines[-1]

    yield start
    for each in lines:
        each.close()


@pytest.mark.parametrize("view", [
    ["overview"], ["flows"], ["errors", "-f", "tracepoint=xdp_redirect_err"], ["devices"], ["programs"], ["stack"],
], ids=lambda view: view[0])
def test_ten_changing_rows(line, view):
    """Fewer bytes per second than htop, which writes 640 on an idle machine."""
    screen = line("-v", *view)
    for _ in range(10):
        screen.step()
    written = [len(screen.step()) for _ in range(20)]
    assert sum(written) / len(written) < 600, written


def test_text_moves(line):
    """A text that scrolls by a line is moved, not written again."""
    screen = line()
    os.write(screen.fd, b"?")
    screen.drawn()
    written = []
    for _ in range(10):
        os.write(screen.fd, b"j")
        written.append(len(screen.drawn()))
    assert max(written) < 300, written


def test_nothing_changed(line):
    """In a second without events only the clock and the ages change, and every five the trends move."""
    screen = line("-v", "flows", still=2)
    for _ in range(5):
        screen.step()
    written = [len(screen.step()) for _ in range(5)]
    assert sorted(written)[-2] < 60 and max(written) < 300, written


@pytest.mark.parametrize("size", [(65535, 65535), (40000, 80), (24, 32768)])
def test_sizes_beyond_curses(size):
    """curses has shorts for sizes: at the start and later, as large as it can be and small again."""
    line = Line("-r", str(TOP / "tests/fixtures/demo.jsonl"), "--step", size=size)
    line.resize(24, 80)
    line.resize(*size)
    assert b"help" in line.resize(30, 100)
    line.close()
