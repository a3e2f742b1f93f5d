# SPDX-License-Identifier: GPL-2.0-or-later
"""The static program as the only file of a root directory, and beside busybox only."""
import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import termios
import time
import urllib.error
import urllib.request

import pytest

from harness import DEADLINE, TOP, check, eventually, fire, last_samples, missing

pytestmark = pytest.mark.release

STATIC = os.environ.get("STATIC", str(TOP / "build/static/xdptop"))
ENTER = 'for d in proc sys dev; do mount --rbind "/$d" "$0/$d" || exit; done; exec chroot "$0" "$@"'


@pytest.fixture
def root(tmp_path):
    """Prefix of a command that has only this root."""
    if not os.access(STATIC, os.X_OK):
        missing(f"{STATIC} is not there: make static")
    for d in ("proc", "sys", "dev"):
        (tmp_path / d).mkdir()
    shutil.copy(STATIC, tmp_path / "xdptop")
    return ["unshare", "-m", "sh", "-c", ENTER, str(tmp_path)]


def test_exact(root, monitor, rig):
    m = monitor("-d", "0.5", "-t", "all", "--budget", "0", prefix=root, program="/xdptop")
    expect = fire(rig, "redirect=1000", "cpumap=1000")
    samples = last_samples(m.stop())
    for e in expect:
        check(e, samples)


# none of these has a file there; sudo's environment was cleaned
@pytest.mark.parametrize("env", [{"TERM": "xterm-256color"}, {"TERM": "tmux-256color", "SUDO_UID": "1", "TERMINFO": "/x"},
                                 {"TERM": "linux", "LANG": "en_US.UTF-8"}, {"TERM": "vt220"}], ids=str)
def test_screen(root, popen, env):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    p = popen([*root, "/xdptop"], stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
              preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env={"PATH": os.environ["PATH"], **env})
    os.close(slave)
    text, deadline, typed = b"", time.monotonic() + DEADLINE, False
    with open(master, "r+b", buffering=0) as terminal:
        while p.poll() is None:
            assert time.monotonic() < deadline, text
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    text += terminal.read(1 << 16)
                except OSError:  # its end
                    continue
            if b"help" in text and not typed:
                typed = terminal.write(b"q")
    assert p.returncode == 0 and b"findings" in text, text
    # no locale has a file there either
    assert text.isascii() == ("LANG" not in env), text
    assert not [name for name in os.listdir("/dev/shm") if name.startswith("xdptop-")]


def test_unknown_terminal(root):
    master, slave = pty.openpty()
    with open(master, "rb"), open(slave, "r+b", buffering=0) as tty:
        p = subprocess.run([*root, "/xdptop"], stdin=tty, stdout=tty, stderr=subprocess.PIPE, timeout=DEADLINE,
                           env={"PATH": os.environ["PATH"], "TERM": "nosuch"})
    assert p.returncode and b"TERM=nosuch: " in p.stderr and b"TERM=xterm xdptop" in p.stderr


def test_beside_busybox(root):
    busybox = shutil.which("busybox")
    if not busybox:
        missing("busybox (busybox-static) is not installed")
    shutil.copy(busybox, root[-1] + "/busybox")
    p = subprocess.run([*root, "/busybox", "sh", "-c", "/xdptop -b -n 1 -d 0.1 | /busybox head -n 1"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
    assert (p.returncode, p.stderr) == (0, b"") and p.stdout.startswith(b"xdptop - ")


def test_listen(root, popen):
    """Its HTTP library has no TLS."""
    p = popen([*root, "/xdptop", "--listen", "0", "-d", "0.1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    port = re.search(rb":(\d+)", p.stderr.readline())[1].decode()

    def answer():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=DEADLINE) as page:
                return page.read()
        except urllib.error.HTTPError:
            return None  # before the first snapshot

    assert b"xdptop_" in eventually(answer, "metrics")
