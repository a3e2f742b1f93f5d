# SPDX-License-Identifier: GPL-2.0-or-later
"""The terminal is restored on every path, and refused with a reason if it cannot be used."""
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time

import pytest

import busy_recording
from hostile import LINES, feed
from pane import DEADLINE, POLL, XDPTOP, asleep


def started(terminal, recorded):
    """The monitor in an interactive shell; `before` has the settings of the terminal."""
    screen = terminal(100, 30)
    screen.type("clear; stty -g >before; " + shlex.join([XDPTOP, "--read", recorded, "--step"]))
    screen.wait(r"\? help")
    screen.wait(lambda _: screen.alternate() and screen.mouse(), "the screen's modes")
    return screen


def ended(screen, code):
    """Back in the shell, with the terminal as it was."""
    screen.wait(lambda text: not screen.mouse(), "no mouse")
    screen.wait(lambda text: not screen.alternate() and text.rstrip().endswith("$"), "the prompt")
    screen.type("echo exit=$?; stty -g >after; cmp before after && echo same")
    screen.wait(rf"exit={code}\n")
    screen.wait(r"\nsame\n")


@pytest.mark.parametrize("how,code", [
    ("q", 0), ("F10", 0), ("C-c", 0), (signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGQUIT, 0),
    (signal.SIGSEGV, 139), (signal.SIGABRT, 134), (signal.SIGBUS, 135),
])
def test_given_back(terminal, recorded, tmp_path, monkeypatch, how, code):
    monkeypatch.chdir(tmp_path)
    screen = started(terminal, recorded)
    if isinstance(how, str):
        screen.keys(how)
    else:
        screen.kill(how)
    screen.wait(lambda text: not screen.alternate(), "the screen before")
    ended(screen, code)


@pytest.mark.parametrize("how", ["q", signal.SIGTERM])
@pytest.mark.parametrize("kind", LINES)
def test_given_back_while_it_reads(terminal, tmp_path, monkeypatch, kind, how):
    """The input never ends or pauses, and its first snapshot is never complete."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    reading = threading.Event()

    def write():
        with open("fifo", "wb", buffering=0) as fifo:
            feed(fifo, kind, reading)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    screen = started(terminal, "fifo")
    assert reading.wait(DEADLINE) and writer.is_alive()
    if isinstance(how, str):
        screen.keys(how)
    else:
        screen.kill(how)
    ended(screen, 0)


def test_crash_writes_no_padding(terminal, recorded):
    """terminfo's $<2> is a delay, not text."""
    screen = terminal(100, 30, TERM="vt100")
    screen.type("clear; " + shlex.join([XDPTOP, "--read", recorded, "--step"]))
    screen.wait(r"\? help")
    screen.kill(signal.SIGSEGV)
    screen.wait(r"Segmentation fault")
    assert "$<" not in screen.text()


@pytest.fixture
def on_a_pty(recorded):
    """A monitor whose terminal only the test reads: its process, and both ends of the terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    monitor = subprocess.Popen([XDPTOP, "--read", recorded, "--step"], stdin=slave, stdout=slave,
                               start_new_session=True, env={**os.environ, "TERM": "xterm"})
    yield monitor, master, slave
    monitor.kill()
    monitor.wait()
    os.close(master)
    os.close(slave)


class Reader:
    """Reads the output of a monitor on request."""

    def __init__(self, monitor, master, slave):
        self.monitor, self.master, self.slave = monitor, master, slave
        self.end = time.monotonic() + DEADLINE

    def reads(self):
        """How often it has checked for input."""
        with open(f"/proc/{self.monitor.pid}/io", encoding="ascii") as file:
            return int(re.search(r"syscr: (\d+)", file.read())[1])

    def idle(self):
        """It has handled all keys, and waits."""
        assert time.monotonic() < self.end, "it does not wait"
        return not any(fcntl.ioctl(self.slave, termios.FIONREAD, bytes(4))) and asleep(self.monitor.pid)

    def until(self, condition):
        """Its output until it waits and the condition is met."""
        written = b""
        while select.select([self.master], [], [], POLL)[0] or not condition(written) or not self.idle():
            assert time.monotonic() < self.end, written
            if select.select([self.master], [], [], 0)[0]:
                written += os.read(self.master, 1 << 16)
        return written

    def key(self, key):
        """Sends a key and waits until it is handled."""
        before = self.reads()
        os.write(self.master, key)
        while self.reads() == before or not self.idle():
            time.sleep(POLL)

    def rest(self):
        """Its remaining output after it has ended."""
        assert self.monitor.wait(DEADLINE) == 0
        written = b""
        while select.select([self.master], [], [], POLL)[0]:
            written += os.read(self.master, 1 << 16)
        return written


@pytest.fixture
def reader(on_a_pty):
    return Reader(*on_a_pty)


def test_first_frame_waits_for_nothing(reader):
    """The terminal is not queried (CSI n, CSI c), so a silent one does not matter."""
    written = reader.until(lambda data: b"help" in data)
    assert not re.search(rb"\x1b\[[?>\d;]*[nc]", written), written


def test_ends_while_nobody_reads(reader):
    """A stalled connection blocks it; at a signal unsent output is dropped, and the modes are restored."""
    reader.until(lambda data: b"help" in data)
    while select.select([], [reader.slave], [], POLL)[1]:
        reader.key(b"\x0c")
    reader.monitor.terminate()
    end = reader.rest().split(b"\x18")[-1]
    # margins for moved lines are reset for the shell
    assert b"help" not in end and 0 <= end.find(b"\x1b[r") < end.index(b"\x1b[?1049l"), end


def test_given_back_while_a_prompt_is_open(terminal, recorded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    screen = started(terminal, recorded)
    screen.keys("/")
    screen.wait(r"Filter")
    screen.kill(signal.SIGTERM)
    ended(screen, 0)


def test_cursor_is_given_back_on_a_slow_line(reader):
    """The sequence that shows the prompt's cursor has not yet been read, and is dropped at the end."""
    reader.until(lambda data: b"help" in data)
    # the kernel keeps 4096 bytes for the reader (n_tty), and the flush drops the rest
    while struct.unpack("i", fcntl.ioctl(reader.master, termios.FIONREAD, bytes(4)))[0] < 4000:
        reader.key(b"\x0c")
    reader.key(b"/")
    reader.monitor.terminate()
    rest = reader.rest()
    assert b"Filter" not in rest, "nothing was dropped"
    assert rest.rfind(b"\x1b[?25h") > rest.rfind(b"\x1b[?25l"), rest


def test_wide_characters(terminal, recorded, tmp_path, monkeypatch):
    """A wide character affects only its own line."""
    monkeypatch.chdir(tmp_path)
    screen = started(terminal, recorded)
    screen.keys("Space")
    before = screen.still(r"09:15:01").split("\n")
    for _ in range(2):
        screen.keys("w")
        screen.wait(r"Write this")
        for character in "\u6f22", "\u5b57":
            screen.tmux("send-keys", "-l", character)
        # the line above the prompt says where the file can be
        assert screen.still("\u6f22\u5b57").split("\n")[:-3] == before[:-3]
        screen.keys("BSpace", "BSpace", "Escape")
        assert screen.still(r"\? help").split("\n") == before


def test_suspended_and_back(terminal, recorded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    screen = started(terminal, recorded)
    for _ in range(2):
        screen.keys("C-z")
        screen.wait(r"Stopped")
        assert not screen.alternate() and not screen.mouse()
        screen.type("stty -g >during; cmp before during && echo as-before")
        screen.wait(r"\nas-before\n")
        screen.type("clear; fg")
        screen.wait(r"\? help")
        screen.wait(lambda _: screen.alternate() and screen.mouse(), "the screen's modes")
    screen.keys("3")
    screen.wait(r"\[flows\]")
    screen.keys("q")
    ended(screen, 0)


def test_no_stop_is_lost(terminal, recorded, tmp_path):
    """Ignoring a signal discards a pending one, so SIGTSTP must not be ignored while drawing."""
    (tmp_path / "watch.c").write_text("""
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>
int sigaction(int signal, const struct sigaction *to, struct sigaction *old)
{
	int (*real)(int, const struct sigaction *, struct sigaction *) = dlsym(RTLD_NEXT, "sigaction");

	if (signal == SIGTSTP && to && to->sa_handler == SIG_IGN)
		_exit(99);
	return real(signal, to, old);
}
""")
    watch = tmp_path / "watch.so"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", watch, tmp_path / "watch.c"], check=True)
    screen = terminal(100, 30)
    screen.type("clear; " + shlex.join(["env", f"LD_PRELOAD={watch}", XDPTOP, "--read", recorded, "--step"])
                + "; echo exit=$?")
    screen.wait(r"\? help|exit=\d")
    screen.keys("3")
    screen.wait(r"\[flows\]|exit=\d")
    screen.keys("q")
    screen.wait(r"exit=0\n")


def test_stopped_from_outside(terminal, recorded, tmp_path, monkeypatch):
    """SIGSTOP comes without notice; after SIGCONT the screen is drawn again."""
    monkeypatch.chdir(tmp_path)
    screen = started(terminal, recorded)
    pid = screen.pid()
    os.kill(pid, signal.SIGSTOP)
    screen.wait(r"Stopped")
    screen.type("fg")
    screen.wait(r"\? help")
    screen.keys("q")
    ended(screen, 0)


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_lost_terminal(monitor):
    """The SSH session is lost: the monitor ends without spinning."""
    screen = monitor()
    pid = screen.pid()
    screen.close()
    end = time.monotonic() + DEADLINE
    while not gone(pid):
        assert time.monotonic() < end, "it does not end"
        time.sleep(POLL)


@pytest.mark.parametrize("term,words", [
    ("", "TERM is not set"),
    ("nosuch", "TERM=nosuch: this machine has no such entry"),
    ("$(printf x%.0s {1..5000})", f"TERM={'x' * 40}: this machine has no such entry"),
    ("dumb", "TERM=dumb: this terminal cannot place its cursor"),
])
def test_unusable_terminal(terminal, recorded, term, words):
    screen = terminal(200, 24)
    screen.type(f"clear; TERM={term} {XDPTOP} --read {recorded}; echo exit=$?")
    text = screen.wait(r"exit=1\n")
    assert words in text and "xdptop -b" in text
    assert not screen.alternate()


def test_keys_while_the_recording_is_stdin(terminal, recorded):
    screen = terminal(80, 24)
    screen.type(f"clear; cat {recorded} | {XDPTOP} --read - --step; echo exit=$?")
    screen.wait(r"\? help")
    screen.keys("3")
    screen.wait(r"\[flows\]")
    screen.keys("q")
    screen.wait(r"exit=0\n")


@pytest.mark.parametrize("caller,shows", [
    ("", r"\? help"), ("SUDO_UID=1000 ", "TERM=xdptop-own: this machine has no such entry"),
])
def test_terminal_described_in_the_home(terminal, recorded, caller, shows):
    """The caller of sudo cannot choose a file for root to read."""
    # closed to others, like root's home: it is read before root becomes nobody
    home = pathlib.Path(tempfile.mkdtemp())
    source = home / "own.ti"
    source.write_text("xdptop-own|a terminal of one's own,\n\tuse=xterm,\n", encoding="ascii")
    subprocess.run(["tic", "-o", home / ".terminfo", source], check=True)
    screen = terminal(100, 30, HOME=str(home))
    screen.type(f"clear; {caller}TERM=xdptop-own " + shlex.join([XDPTOP, "--read", recorded, "--step"]))
    screen.wait(shows)
    shutil.rmtree(home)


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "busy.jsonl"
    busy_recording.write(path, 3000)
    return path


@pytest.mark.parametrize("key", [b"q", b"\x1b[21~"])
def test_ends_on_a_slow_line(long, key):
    """Keys do not wait for frames that the line has no time for."""
    pid, fd = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm-256color"
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execv(XDPTOP, [XDPTOP, "--read", str(long), "--speed", "100", "-v", "errors"])
    end = time.monotonic() + DEADLINE
    for _ in range(400):
        # it lags at each read, since its output fills the line
        while struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, bytes(4)))[0] < 3000:
            assert time.monotonic() < end
            time.sleep(POLL)
        assert os.read(fd, 50)
    os.write(fd, key)
    rest = b""
    with contextlib.suppress(OSError):
        while more := os.read(fd, 50):
            rest += more
    assert os.waitpid(pid, 0)[1] == 0
    os.close(fd)
    assert b"\x1b[?1049l" in rest.split(b"\x18")[-1], rest[-4096:]
