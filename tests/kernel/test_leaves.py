# SPDX-License-Identifier: GPL-2.0-or-later
"""However the monitor ended, nothing of it is left."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import pytest

from harness import DEADLINE, POLL, RIG, XDPTOP, eventually

OBJECTS = ("prog", "map", "link")


def objects(pid):
    """{(kind, id)} of the BPF objects held by a process."""
    held = set()
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}") as info:
                held |= {(k, int(n)) for k, n in re.findall(r"^(\w+)_id:\s+(\d+)$", info.read(), re.M)}
        except FileNotFoundError:
            pass
    return {(kind, n) for kind, n in held if kind in OBJECTS}


def there():
    """The same for all objects of the kernel."""
    env = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
    found = set()
    for kind in OBJECTS:
        p = subprocess.run(["bpftool", "-j", kind, "show"], env=env, stdout=subprocess.PIPE)
        if p.returncode:
            return there()  # an object ended between its id and its descriptor
        found |= {(kind, x["id"]) for x in json.loads(p.stdout)}
    return found


def mounts():
    with open("/proc/self/mountinfo") as file:
        return [line.split(" - ")[0].split()[4] + " " + line.split(" - ")[1] for line in file]


def kept():
    """What the kernel keeps without a process: pins, and mounted namespaces."""
    pins = set()
    for mount in mounts():
        where, kind = mount.split()[:2]
        if kind == "bpf":
            pins |= {os.path.join(top, f) for top, _, files in os.walk(where) for f in files}
    return pins | {m for m in mounts() if m.split()[1] == "nsfs"}


def all_goes(found, before):
    """What appeared meanwhile disappears, whoever made it: others remove theirs, and what they make later is theirs."""
    new = found() - before

    def none():
        new.intersection_update(found())
        return not new

    eventually(none, lambda: f"left, unless somebody else made it meanwhile: {new}")


def session(leader):
    """The processes of a session."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.add(int(pid))
    return found


class Footprint:
    """Everything that a running monitor, a session leader, holds in the kernel."""

    def __init__(self, before, pid):
        self.before, self.pid = before, pid
        self.own = objects(pid)
        assert {kind for kind, _ in self.own} == set(OBJECTS)
        assert self.own <= there()

    def gone(self):
        eventually(lambda: not self.own & there(), "BPF objects are left")
        all_goes(kept, self.before)
        eventually(lambda: not session(self.pid), "processes are left")


class Terminal:
    """The monitor in a terminal that a test can remove."""

    def __init__(self, *args, ignore=None, env=None, inherit=()):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.modes = termios.tcgetattr(self.slave)
        self.text = b""

        def child():
            if ignore:
                signal.signal(ignore, signal.SIG_IGN)
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [XDPTOP, *args], stdin=self.slave, stdout=self.slave, stderr=self.slave,
            start_new_session=True, preexec_fn=child, env={**os.environ, **(env or {}), "TERM": "xterm"}, pass_fds=inherit,
        )

    def read_until(self, text):
        deadline = time.monotonic() + DEADLINE
        while text not in self.text:
            assert select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0], self.text
            self.text += os.read(self.master, 1 << 16)

    def drain(self):
        """Reads like a terminal until the monitor ends."""
        deadline = time.monotonic() + DEADLINE
        while self.process.poll() is None or select.select([self.master], [], [], 0)[0]:
            assert time.monotonic() < deadline, self.text[-1000:]
            if select.select([self.master], [], [], POLL)[0]:
                self.text += os.read(self.master, 1 << 16)

    def hang_up(self):
        os.close(self.slave)
        os.close(self.master)
        self.master = self.slave = None

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for fd in (self.master, self.slave):
            if fd is not None:
                os.close(fd)


@pytest.fixture
def terminal():
    running = []

    def start(*args, **kwargs):
        running.append(Terminal(*args, **kwargs))
        running[-1].read_until(b"details")
        return running[-1]

    yield start
    for t in running:
        t.close()


@pytest.fixture
def start():
    """The monitor in its own session, writing JSON to `out`."""
    running = []

    def started(*args, out=subprocess.DEVNULL, prefix=()):
        running.append(subprocess.Popen(
            [*prefix, XDPTOP, "-o", "json", "-t", "all", *args],
            stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, start_new_session=True,
        ))
        return running[-1]

    yield started
    for p in running:
        if p.poll() is None:
            p.kill()
        p.wait()
        p.stderr.close()


@pytest.fixture
def traffic():
    """Events of every kind in separate namespaces, so that it has names, devices and sockets to hold."""
    p = subprocess.Popen([RIG, "demo"], stdout=subprocess.DEVNULL)
    yield p
    p.terminate()
    p.wait()


@pytest.mark.parametrize("how,code", [
    (b"q", 0), (b"\x03", 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGQUIT, 0),
    (signal.SIGSEGV, -signal.SIGSEGV), (signal.SIGABRT, -signal.SIGABRT),
])
def test_screen(terminal, traffic, how, code):
    before = kept()
    t = terminal("-t", "all", "-d", "0.2")
    left = Footprint(before, t.process.pid)
    assert termios.tcgetattr(t.slave) != t.modes
    if isinstance(how, bytes):
        os.write(t.master, how)
    else:
        t.process.send_signal(how)
    t.drain()
    assert t.process.wait(DEADLINE) == code
    assert termios.tcgetattr(t.slave) == t.modes
    assert t.text.rindex(b"\x1b[?1049l") > t.text.rindex(b"\x1b[?1049h"), "the alternate screen"
    left.gone()


def test_screen_killed(terminal, traffic):
    """After SIGKILL nobody restores the modes of the terminal; everything else is gone."""
    before = kept()
    t = terminal("-t", "all", "-d", "0.2")
    left = Footprint(before, t.process.pid)
    t.process.kill()
    t.process.wait(DEADLINE)
    left.gone()


@pytest.mark.parametrize("args", [("-t", "all", "-d", "0.2"), ("-t", "all", "-d", "3600")])
@pytest.mark.parametrize("ignore", [None, signal.SIGHUP])
def test_dead_terminal(terminal, traffic, args, ignore):
    """Whether or not it gets the kernel's SIGHUP, and even if no interval is due for an hour."""
    before = kept()
    t = terminal(*args, ignore=ignore)
    left = Footprint(before, t.process.pid)
    t.hang_up()
    assert t.process.wait(DEADLINE) == 0
    left.gone()


def test_dead_terminal_while_stopped(terminal, traffic):
    """After ^Z nothing is attached, and loaded objects go with the terminal."""
    before = kept()
    t = terminal("-t", "all", "-d", "0.2")
    left = Footprint(before, t.process.pid)
    t.process.send_signal(signal.SIGSTOP)
    t.hang_up()
    t.process.send_signal(signal.SIGCONT)
    assert t.process.wait(DEADLINE) == 0
    left.gone()


def test_dead_terminal_of_a_batch(traffic):
    before = kept()
    master, slave = pty.openpty()
    p = subprocess.Popen(
        [XDPTOP, "-b", "-t", "all", "-d", "0.2"], stdin=subprocess.DEVNULL, stdout=slave,
        stderr=subprocess.PIPE, start_new_session=True,
    )
    try:
        assert os.read(master, 1)  # the first snapshot
        left = Footprint(before, p.pid)
        os.close(slave)
        os.close(master)
        assert p.wait(DEADLINE) == 0
        left.gone()
    finally:
        p.kill()
        p.wait()
        p.stderr.close()


@pytest.mark.parametrize("sig,code", [
    (signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGKILL, -signal.SIGKILL),
    (signal.SIGSEGV, -signal.SIGSEGV),
])
def test_batch(start, traffic, sig, code):
    before = kept()
    p = start("-d", "0.2", out=subprocess.PIPE)
    assert p.stdout.readline()
    left = Footprint(before, p.pid)
    p.send_signal(sig)
    p.stdout.read()
    p.stdout.close()
    assert p.wait(DEADLINE) == code
    left.gone()


def test_closed_pipe(start, traffic):
    before = kept()
    p = start("-d", "0.2", out=subprocess.PIPE)
    assert p.stdout.readline()
    left = Footprint(before, p.pid)
    p.stdout.close()
    assert p.wait(DEADLINE) == 0
    left.gone()


def test_full_disk(start, traffic, tmp_path):
    """--to on a disk that fills up: one line, exit 5."""
    before = kept()
    script = 'mount -t tmpfs -o size=64m none "$1" && shift && exec "$@"'
    disk = tmp_path / "disk"
    disk.mkdir()
    p = start("-a", "-C", "-d", "0.2", "--to", disk / "out.json",
              prefix=["unshare", "-m", "sh", "-c", script, "sh", disk])
    own = f"/proc/{p.pid}/root{disk}"  # seen from its mount namespace
    eventually(lambda: os.path.exists(f"{own}/out.json") and os.path.getsize(f"{own}/out.json"), "the header")
    left = Footprint(before, p.pid)
    with open(f"{own}/fill", "wb", buffering=0) as fill, pytest.raises(OSError, match="No space left"):
        while True:
            fill.write(bytes(1 << 16))
    assert p.wait(DEADLINE) == 5
    text = p.stderr.read().decode()
    assert "No space left" in text and text.count("\n") == 1, text
    left.gone()
