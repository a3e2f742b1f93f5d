# SPDX-License-Identifier: GPL-2.0-or-later
"""A monitor on a bare pseudo-terminal with keys, bytes and sizes that nobody sends on purpose."""
import fcntl
import functools
import os
import pty
import random
import select
import signal
import struct
import subprocess
import termios
import time

from pane import DEADLINE, TOP

TABLES = TOP / "build/tables/tables"

# as sent by xterm, and by tmux and the Linux console if they differ
NAMED = {
    "Space": [b" "], "Tab": [b"\t"], "Enter": [b"\r", b"\n"], "Esc": [b"\x1b"],
    "Backspace": [b"\x7f", b"\x08"], "Up": [b"\x1bOA", b"\x1b[A"], "Down": [b"\x1bOB", b"\x1b[B"],
    "Left": [b"\x1bOD", b"\x1b[D"], "Right": [b"\x1bOC", b"\x1b[C"], "PgUp": [b"\x1b[5~"],
    "PgDn": [b"\x1b[6~"], "Home": [b"\x1bOH", b"\x1b[1~"], "End": [b"\x1bOF", b"\x1b[4~"],
    "Del": [b"\x1b[3~"], "Shift-Tab": [b"\x1b[Z"], "F1": [b"\x1bOP", b"\x1b[[A"], "F2": [b"\x1bOQ"],
    "Click": [b"\x1b[<0;5;5M\x1b[<0;5;5m", b"\x1b[M %%"], "WheelUp": [b"\x1b[<64;5;5M"],
    "WheelDown": [b"\x1b[<65;5;5M"], "F4": [b"\x1bOS"], "F6": [b"\x1b[17~"], "F10": [b"\x1b[21~"],
}
# capabilities of terminfo that set a mode, and that reset it
MODES = [("smcup", "rmcup"), ("civis", "cnorm"), ("smkx", "rmkx")]
# the same for modes that some terminfo entries lack: bracketed paste, the mouse
MODES_OF_XTERM = [(f"\x1b[?{mode}h".encode(), f"\x1b[?{mode}l".encode()) for mode in (2004, 1000, 1006)]
# The terminal turns these into signals, and drops unread output, including sequences that restore it.
SIGNALS = {b"\x03": signal.SIGINT, b"\x1a": signal.SIGTSTP}
QUIT = {"q", "F10", "^C"}
OTHER = [b"\x1bOR", b"\x1b[15~", b"\x1b[24~", b"\x1b[1;5C", b"\x1b[200~paste\x1b[201~", b"\x1b[M !!",
         b"\x1b[<0;5;5M", b"\x1b[I", b"\x1b[", b"\x1bO", b"\x1b[99999999999~", b"\x01", b"\x15", b"\x17"]
TEXT = ["\u00e9", "\u7db2\u8def", "e\u0301", "\U0001f600", "\u200b", "\u202e", "\ufeff", "\u0085"]


@functools.cache
def modes(term):
    """[(sequence that sets a mode, sequence that resets it)] of this terminal, as far as it has them."""
    def capability(name):
        return subprocess.run(["tput", "-T", term, name], stdout=subprocess.PIPE, timeout=DEADLINE).stdout

    found = [(capability(begin), capability(back)) for begin, back in MODES]
    if capability("kmous"):
        found += MODES_OF_XTERM
    return [(begin, back) for begin, back in found if begin and back]


@functools.cache
def table_rows():
    """The program's own tables: kind, name, argument, help."""
    # even if it exists: it may be from older sources
    subprocess.run(["make", "-s", "-C", TOP, "build/tables/tables"], check=True, timeout=1200)
    return [line.split("\t") for line in subprocess.check_output([TABLES], text=True).splitlines()]


def table_keys():
    """Bytes of every key, {name: [bytes]}."""
    keys = {}
    for kind, names, *_ in table_rows():
        for name in names.split() if kind == "key" else []:
            if name == "1..9":
                keys.update({str(i): [str(i).encode()] for i in range(1, 10)})
            elif name in NAMED:
                keys[name] = NAMED[name]
            elif len(name) == 2 and name[0] == "^":
                keys[name] = [bytes([ord(name[1]) - ord("@")])]
            else:
                assert len(name) == 1, f"{name}: what does a terminal send for it?"
                keys[name] = [name.encode()]
    return keys


def size_pick(pick):
    edge = pick.random()
    if edge < 0.3:
        return pick.choice([(1, 1), (1, 200), (500, 1), (40, 10), (39, 10), (40, 9), (500, 200), (2, 2)])
    return pick.randint(1, 500 if edge < 0.5 else 130), pick.randint(1, 200 if edge < 0.5 else 50)


class Storm:
    """One monitor after the other: when a key ends one properly, the next starts."""

    def __init__(self, command, directory, seed, env=None):
        self.command = command
        self.directory = directory
        self.env = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", "TZ": "UTC",
                    "HOME": str(directory), "XDG_CONFIG_HOME": str(directory),
                    **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}, **(env or {})}
        self.pick = random.Random(seed)
        self.seed = seed
        self.keys = table_keys()
        self.calm = [k for name, codes in self.keys.items() if name not in QUIT for k in codes]
        self.ends = [k for name in sorted(QUIT) for k in self.keys[name]]
        self.sent = self.ended = 0
        self.last = []
        self.start()

    def start(self):
        ready, go = os.pipe()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.read(ready, 1)
            os.chdir(self.directory)
            os.execve(self.command[0], self.command, self.env)
        os.set_blocking(self.fd, False)
        self.written = b""
        self.before = termios.tcgetattr(self.fd)
        self.resize(80, 24)
        os.write(go, b".")
        os.close(ready)
        os.close(go)
        self.drain(lambda: b"help" in self.written)

    def fail(self, why):
        shown = b" ".join(self.last[-12:])
        report = self.written.find(b"ERROR: AddressSanitizer")
        text = self.written[-300:] if report < 0 else self.written[report:]
        return f"{why}; STORM_SEED={self.seed}, after {self.sent} keys; the last: {shown!r}; {text!r}"

    def resize(self, width, height):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def read(self):
        """Available output; an empty string means that the monitor has ended."""
        try:
            data = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return None
        except OSError:
            return b""
        self.written = (self.written + data)[-(1 << 20):]
        return data

    def drain(self, until):
        """Reads until a condition is true; False = the monitor has ended."""
        end = time.monotonic() + DEADLINE
        while not until():
            assert time.monotonic() < end, self.fail("it hangs")
            if select.select([self.fd], [], [], 0.05)[0] and self.read() == b"":
                return False
        return True

    def send(self, data):
        """Sends everything while reading; False = the monitor has ended."""
        self.last = self.last[-40:] + [data]
        if data in SIGNALS:
            os.kill(self.pid, SIGNALS[data])
            return True
        while data:
            try:
                data = data[os.write(self.fd, data):]
            except BlockingIOError:
                if not self.drain(lambda: select.select([], [self.fd], [], 0)[1]):
                    return False
            except OSError:
                return False
        return True

    def key(self):
        """Usually a key of the table; else text, other sequences, or garbage."""
        kind = self.pick.random()
        if kind < 0.80:
            return self.pick.choice(self.calm)
        if kind < 0.88:
            return self.pick.choice(TEXT).encode()
        if kind < 0.94:
            return self.pick.choice(OTHER)
        if kind < 0.997:
            # without ^C ^Q ^S ^Z ^\, which the terminal handles
            return bytes(b for b in self.pick.randbytes(self.pick.randint(1, 6))
                         if b not in b"\x03\x11\x13\x1a\x1c")
        return self.pick.choice(self.ends)

    def blow(self, seconds, keys):
        """Runs for this long, and until this many keys were sent."""
        end = time.monotonic() + seconds
        while time.monotonic() < end or self.sent < keys:
            burst = self.pick.randint(1, 40)
            for _ in range(burst):
                alive = self.send(self.key())
                self.sent += 1
                if self.pick.random() < 0.1:
                    self.resize(*size_pick(self.pick))
                if not alive:
                    break
            for _ in range(self.pick.choice([0, 0, 0, 30])):
                self.resize(*size_pick(self.pick))
            # read at once, or let it wait for a while
            if self.pick.random() < 0.05:
                time.sleep(0.1)
            while (data := self.read()):
                pass
            if data == b"" or not alive:
                self.check_end()
                self.ended += 1
                self.start()

    def leave(self):
        """Leaves every prompt and pane, and redraws; False = the monitor has ended."""
        self.written = b""
        return self.send(b"\x1b" * 12 + b"\x0c") and self.drain(lambda: b"help" in self.written)

    def quit(self):
        """It still answers, even after everything at once."""
        self.resize(80, 24)
        if self.leave() and self.send(b"q"):
            self.drain(lambda: False)
        self.check_end()

    def check_end(self):
        """Expects status 0, and the terminal as it was."""
        end = time.monotonic() + DEADLINE
        while not (ended := os.waitpid(self.pid, os.WNOHANG))[0] and time.monotonic() < end:
            time.sleep(0.01)
        assert ended[0], self.fail("it closed its terminal and did not end")
        self.pid = None
        # a second ^C arrives after it has restored the terminal
        assert ended[1] in (0, signal.SIGINT), self.fail(f"it ended with {ended[1]:#x}")
        assert termios.tcgetattr(self.fd) == self.before, self.fail("the modes of the terminal")
        for begin, back in modes(self.env["TERM"]):
            # or neither, if a prompt's cursor was shown before leave() dropped the output
            assert self.written.rfind(back) >= self.written.rfind(begin), self.fail(f"{begin} and no {back}")
        os.close(self.fd)

    def kill(self):
        if self.pid:
            os.kill(self.pid, 9)
            os.waitpid(self.pid, 0)
            os.close(self.fd)
