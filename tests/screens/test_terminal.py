# SPDX-License-Identifier: GPL-2.0-or-later
"""The terminal is given back on every path, and refused with a reason where it cannot be used."""
import contextlib
import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import termios
import threading
import time
import tty

import pytest

import noisy
from hostile import LINES, feed
from pane import DEADLINE, POLL, XDPTOP, asleep


WRITE = {"x86_64": 1}.get(os.uname().machine, 64)  # number of write(2): 64 in asm-generic


def started(terminal, recorded):
    """The monitor below an interactive shell; `before` has the settings of the terminal."""
    screen = terminal(100, 30)
    screen.type("clear; stty -g >before; " + shlex.join([XDPTOP, "--read", recorded, "--step"]))
    screen.wait(r"\? help")
    screen.wait(lambda _: screen.alternate() and screen.mouse(), "the screen's modes")
    return screen


def ended(screen, code):
    """Back in the shell, with its terminal as it was."""
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
    """The input never ends, nor does it pause, nor is its first snapshot complete."""
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


def test_ends_while_nobody_reads(recorded):
    """A stalled connection: the write blocks, the signal ends it all the same."""
    pid, fd = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm"
        os.execv(XDPTOP, [XDPTOP, "--read", recorded, "--step"])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 500, 0, 0))
    end = time.monotonic() + DEADLINE
    os.read(fd, 1)  # it has begun to draw; from now on nobody reads
    os.write(fd, b"?")  # the help fills the screen: more than a terminal takes at once
    while not blocked(pid) and time.monotonic() < end:
        os.write(fd, b"\x0c")
        time.sleep(POLL)
    assert blocked(pid)
    os.kill(pid, signal.SIGTERM)
    while (ended := os.waitpid(pid, os.WNOHANG))[0] != pid and time.monotonic() < end:
        time.sleep(POLL)
    os.close(fd)
    assert ended == (pid, 0)


@pytest.fixture
def on_a_pty(recorded):
    """A monitor whose terminal only the test reads: the process, and both ends of the terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    monitor = subprocess.Popen([XDPTOP, "--read", recorded, "--step"], stdin=slave, stdout=slave,
                               start_new_session=True, env={**os.environ, "TERM": "xterm"})
    yield monitor, master, slave
    monitor.kill()
    monitor.wait()
    os.close(master)
    os.close(slave)


def test_keys_while_nobody_reads(on_a_pty):
    """To look for a key draws nothing, where it would block with the signals."""
    monitor, master, slave = on_a_pty
    end = time.monotonic() + DEADLINE

    def idle():
        """It has taken all keys, and waits."""
        return not any(fcntl.ioctl(slave, termios.FIONREAD, bytes(4))) and asleep(monitor.pid)

    shown = b""
    while select.select([master], [], [], POLL)[0] or b"help" not in shown or not idle():
        assert time.monotonic() < end, shown
        shown += os.read(master, 1 << 16) if select.select([master], [], [], 0)[0] else b""
    # somebody else fills it while the monitor waits for a key
    full = os.open(os.ttyname(slave), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(full, b"." * 100)
    os.close(full)
    for key in b"\t", b"\t":
        os.write(master, key)
        while not idle():
            assert time.monotonic() < end, "it takes no keys"
            time.sleep(POLL)
    monitor.terminate()
    assert monitor.wait(DEADLINE) == 0


QUESTION, ANSWER = b"\x1b[5n", b"\x1b[0n"


class Conversation:
    """Reads what a monitor writes, and answers its questions when told to."""

    def __init__(self, monitor, master):
        self.monitor, self.master, self.end = monitor, master, time.monotonic() + DEADLINE
        self.written = b""

    def until(self, condition):
        """Reads until the monitor waits for something, and what it wrote since the last time satisfies."""
        self.written = b""
        while select.select([self.master], [], [], POLL)[0] or not condition(self.written) \
                or not asleep(self.monitor.pid):
            assert time.monotonic() < self.end, self.written
            if select.select([self.master], [], [], 0)[0]:
                self.written += os.read(self.master, 1 << 16)
        return self.written

    def say(self, data):
        os.write(self.master, data)

    def first(self):
        """The first frame, in pieces: all but the last are answered."""
        frame = self.until(lambda data: QUESTION in data)
        while b"help" not in frame:
            self.say(ANSWER)
            frame += self.until(lambda data: QUESTION in data)

    def ask(self):
        """The next frame, by a key; its question."""
        self.say(b"\t")
        self.until(lambda data: QUESTION in data)


def test_frame_waits_for_the_one_before(on_a_pty):
    """A terminal that answers gets a frame when it has taken the last; keys are taken meanwhile."""
    monitor, master, slave = on_a_pty
    terminal = Conversation(monitor, master)
    terminal.first()
    terminal.say(ANSWER)
    terminal.ask()
    # keys and the answer in one: the frame behind it has both
    terminal.say(b"\t\t" + ANSWER)
    terminal.until(lambda data: b"[devices]" in data)
    assert b"[errors]" not in terminal.written
    assert terminal.written.count(QUESTION) == 1
    # the answers are lost: it is drawn all the same
    terminal.ask()
    terminal.ask()
    # and late and doubled ones are no keys
    terminal.say(ANSWER * 3)
    terminal.ask()
    assert b"does nothing" not in terminal.written
    terminal.say(b"q" + ANSWER)
    assert monitor.wait(DEADLINE) == 0


def test_asked_once(on_a_pty):
    """Who never answers is not asked again, and gets all of it."""
    monitor, master, slave = on_a_pty
    terminal = Conversation(monitor, master)
    terminal.until(lambda data: QUESTION in data and b"help" in data)
    for view in b"[flows]", b"[errors]", b"[devices]":
        terminal.say(b"\t")
        assert QUESTION not in terminal.until(lambda data, view=view: view in data)


@pytest.mark.parametrize("pieces", [[ANSWER], [b"\x1b", b"[0n"], [b"\x1b[", b"0n"]], ids=len)
def test_no_answer_is_left_to_the_shell(on_a_pty, pieces):
    monitor, master, slave = on_a_pty
    terminal = Conversation(monitor, master)
    terminal.first()
    terminal.say(ANSWER)
    terminal.ask()
    terminal.say(b"q")
    for piece in pieces:
        terminal.say(piece)
    assert monitor.wait(DEADLINE) == 0
    assert not any(fcntl.ioctl(slave, termios.FIONREAD, bytes(4)))


def test_keys_behind_the_answer_are_the_shells(on_a_pty):
    monitor, master, slave = on_a_pty
    terminal = Conversation(monitor, master)
    terminal.first()
    terminal.say(ANSWER)
    terminal.ask()
    terminal.say(b"q" + ANSWER + b"ls\r")
    assert monitor.wait(DEADLINE) == 0
    tty.setraw(slave, termios.TCSANOW)
    os.set_blocking(slave, False)
    assert os.read(slave, 100) == b"ls\r"


def test_stop_takes_no_keys(on_a_pty):
    """^Z does not wait for an answer that may never come, and drop what is typed meanwhile."""
    monitor, master, slave = on_a_pty
    terminal = Conversation(monitor, master)
    terminal.until(lambda data: QUESTION in data and b"help" in data)
    monitor.send_signal(signal.SIGTSTP)
    terminal.say(b"\t")
    terminal.until(lambda data: b"[flows]" in data)


LATE = 3  # seconds: the least that the line takes for a frame, however slow this machine is
ROOM_LEAST = 512  # bytes (ui/terminal.c)


@pytest.fixture
def slow_line(on_a_pty):
    """A monitor whose terminal took its frame late, a frame, and the first piece of the same once more."""
    monitor, master, slave = on_a_pty
    terminal = Conversation(monitor, master)
    terminal.first()
    terminal.say(ANSWER + b"\x0c")
    frame = terminal.until(lambda data: QUESTION in data and b"help" in data)
    time.sleep(LATE)
    terminal.say(ANSWER + b"\x0c")
    return terminal, frame, terminal.until(lambda data: QUESTION in data)


@pytest.mark.parametrize("answered", [False, True])
def test_end_within_the_first_frame(on_a_pty, answered):
    """What fills the screen is held back until the terminal has shown that it takes it."""
    monitor, master, slave = on_a_pty
    terminal = Conversation(monitor, master)
    piece = terminal.until(lambda data: QUESTION in data)
    assert b"help" not in piece and len(piece) < 2 * ROOM_LEAST
    terminal.say(b"q" + ANSWER * answered)
    assert monitor.wait(DEADLINE) == 0
    end = os.read(master, 1 << 16)
    assert b"help" not in end and end.startswith(b"\x18")


def test_slow_line_gets_a_frame_in_pieces(slow_line):
    terminal, frame, piece = slow_line
    assert len(piece) <= max(len(frame) / LATE, ROOM_LEAST) + len(QUESTION) < len(frame)
    # it is as fast as this machine now
    terminal.say(ANSWER)
    rest = terminal.until(lambda data: b"help" in data)
    assert (piece + rest).replace(QUESTION, b"") == frame.replace(QUESTION, b"")
    terminal.say(ANSWER + b"\x0c")
    assert terminal.until(lambda data: b"help" in data) == frame


def test_end_drops_what_a_slow_line_did_not_get(slow_line):
    terminal, frame, _ = slow_line
    terminal.say(b"q" + ANSWER)
    assert terminal.monitor.wait(DEADLINE) == 0
    end = os.read(terminal.master, len(frame))
    assert b"help" not in end and end.startswith(b"\x18")
    # margins, within which lines were to be moved, are not left to the shell
    assert 0 < end.find(b"\x1b[r") < end.index(b"\x1b[?1049l")


def blocked(pid):
    """Within write() to the terminal."""
    with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
        return file.read().split()[:2] == [str(WRITE), "0x1"]


def test_given_back_while_a_prompt_is_open(terminal, recorded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    screen = started(terminal, recorded)
    screen.keys("/")
    screen.wait(r"Filter")
    screen.kill(signal.SIGTERM)
    ended(screen, 0)


def test_cursor_is_given_back_on_a_slow_line(on_a_pty):
    """What shows the prompt's cursor was not read yet, and is dropped at the end."""
    monitor, master, slave = on_a_pty
    end = time.monotonic() + DEADLINE
    shown = b""

    def written():
        """Bytes, once it waits again."""
        assert time.monotonic() < end, shown
        with open(f"/proc/{monitor.pid}/io", encoding="ascii") as file:
            return asleep(monitor.pid) and int(re.search(r"wchar: (\d+)", file.read())[1])

    def draw(key):
        before = written()
        os.write(master, key)
        while written() <= before:
            time.sleep(POLL)

    def read():
        return os.read(master, 1 << 16) if select.select([master], [], [], POLL)[0] else b""

    while b"help" not in shown or not written():
        shown += read()
    # the kernel keeps 4096 bytes for the reader (n_tty), the flush drops what is behind them
    while struct.unpack("i", fcntl.ioctl(master, termios.FIONREAD, bytes(4)))[0] < 4000:
        draw(b"\x0c")
    draw(b"/")
    monitor.terminate()
    assert monitor.wait(DEADLINE) == 0
    rest = b""
    while more := read():
        rest += more
    assert b"Filter" not in rest, "nothing was dropped"
    assert rest.rfind(b"\x1b[?25h") > rest.rfind(b"\x1b[?25l"), rest


def test_wide_characters(terminal, recorded, tmp_path, monkeypatch):
    """A character of two cells changes its own line only."""
    monkeypatch.chdir(tmp_path)
    screen = started(terminal, recorded)
    screen.keys("Space")
    before = screen.still(r"09:15:01").split("\n")
    for _ in range(2):
        screen.keys("w")
        screen.wait(r"Write this")
        for character in "\u6f22", "\u5b57":
            screen.tmux("send-keys", "-l", character)
        assert screen.still("\u6f22\u5b57").split("\n")[:-2] == before[:-2]
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
    screen.keys("Tab")
    screen.wait(r"\[flows\]")
    screen.keys("q")
    ended(screen, 0)


def test_no_stop_is_lost(terminal, recorded, tmp_path):
    """To ignore a signal discards it where it is pending: nobody may ignore SIGTSTP while it draws."""
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
    screen.keys("Tab")
    screen.wait(r"\[flows\]|exit=\d")
    screen.keys("q")
    screen.wait(r"exit=0\n")


def test_stopped_from_outside(terminal, recorded, tmp_path, monkeypatch):
    """SIGSTOP announces nothing; after SIGCONT the screen is drawn again."""
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
    """The SSH session dies: the monitor ends, it does not spin."""
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
    screen.keys("Tab")
    screen.wait(r"\[flows\]")
    screen.keys("q")
    screen.wait(r"exit=0\n")


@pytest.mark.parametrize("caller,shows", [
    ("", r"\? help"), ("SUDO_UID=1000 ", "TERM=xdptop-own: this machine has no such entry"),
])
def test_terminal_described_in_the_home(terminal, recorded, tmp_path, caller, shows):
    """The caller of sudo does not choose which file root reads."""
    source = tmp_path / "own.ti"
    source.write_text("xdptop-own|a terminal of one's own,\n\tuse=xterm,\n", encoding="ascii")
    subprocess.run(["tic", "-o", tmp_path / ".terminfo", source], check=True)
    screen = terminal(100, 30, HOME=str(tmp_path))
    screen.type(f"clear; {caller}TERM=xdptop-own " + shlex.join([XDPTOP, "--read", recorded, "--step"]))
    screen.wait(shows)


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    path = tmp_path_factory.mktemp("long") / "noisy.jsonl"
    noisy.write(path, 3000)
    return path


@pytest.mark.parametrize("key", [b"q", b"\x1b[21~"])
def test_ends_on_a_slow_line(long, key):
    """What was not sent is dropped, but for what the kernel holds for the reader: n_tty's 4096 bytes."""
    pid, fd = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm-256color"
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execv(XDPTOP, [XDPTOP, "--read", str(long), "--speed", "100", "-v", "errors"])
    end = time.monotonic() + DEADLINE
    for _ in range(400):
        # it is behind at each read: what it wrote fills the line
        while struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, bytes(4)))[0] < 3000:
            assert time.monotonic() < end
            time.sleep(POLL)
        assert os.read(fd, 50)
    os.write(fd, key)
    while not gone(pid):  # who reads on before it has taken the key gets more of it
        assert time.monotonic() < end, "it does not end"
        time.sleep(POLL)
    rest = b""
    with contextlib.suppress(OSError):
        while more := os.read(fd, 50):
            rest += more
    assert os.waitpid(pid, 0)[1] == 0
    os.close(fd)
    assert len(rest) < 4096 + 200, rest
    assert b"\x18" in rest and b"\x1b[?1049l" in rest.split(b"\x18")[-1], rest
