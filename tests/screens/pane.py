# SPDX-License-Identifier: GPL-2.0-or-later
"""A real terminal, tmux's, in which a shell starts the monitor.

Nothing sleeps: every wait is for what the pane shows, with a deadline. GENERATE=1 rewrites goldens.
"""
import contextlib
import fcntl
import os
import pathlib
import re
import shlex
import subprocess
import termios
import time

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
XDPTOP = os.environ.get("XDPTOP", str(TOP / "xdptop"))
RIG = os.environ.get("RIG", str(TOP / "build/rig/rig"))
GOLDEN = pathlib.Path(__file__).parent / "golden"
DEADLINE = 120  # seconds after which a wait fails; never a measure of speed
POLL = 0.02
SETTLED = 150  # looks at an idle monitor that has stopped drawing: longer than the pause after an Escape


def missing(reason):
    """Skip, or fail in CI, where nothing may be skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def asleep(pid):
    """Waiting for something to appear, or to end."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "S"


def visible(text):
    """
    With visible attributes: for a blank, underline and reverse. Its other attributes are left over from the
    previous content.
    """
    out, attributes, written = [], set(), set()
    for code, character in re.findall(r"\x1b\[([\d;]*)m|([^\x1b])", text):
        if character:
            shows = attributes if character != " " else attributes & {"4", "7"}
            if character != "\n" and shows != (written if character != " " else written & {"4", "7"}):
                out.append("\x1b[" + ";".join(["0", *sorted(shows)]) + "m")
                written = set(shows)
            out.append(character)
        for parameter in code.split(";") if not character else []:
            attributes -= {"3": {f"3{n}" for n in range(8)}}.get(parameter[:1], set())
            attributes -= {"22": {"1", "2"}, "24": {"4"}, "27": {"7"}}.get(parameter, set())
            if parameter in ("", "0"):
                attributes = set()
            elif parameter[0] not in "2" + "4" * (len(parameter) > 1) or parameter == "2":
                attributes |= {parameter} - {"39"}
    return re.sub(" +$", "", "".join(out), flags=re.MULTILINE)


class Screen:
    """A tmux server with one pane, in which a shell starts the monitor."""

    def __init__(self, socket, width, height, env):
        self.socket = socket
        clean = {k: v for k, v in os.environ.items()
                 if k not in ("NO_COLOR", "TMUX", "LC_ALL", "LC_CTYPE", "XDG_CONFIG_HOME")}
        # variables that tmux and the shells would otherwise change
        own = {"LANG": "C.UTF-8", "TZ": "UTC", "TERM": "tmux-256color", "PS1": "$ ",
               "HOME": "/nonexistent", **env}
        shell = shlex.join(["env", *(f"{k}={v}" for k, v in own.items()), "bash", "--norc", "--noprofile"])
        # -f /dev/null: ignore the settings of the user who runs the test
        settings = "start-server ; set -g status off ; set -sg escape-time 0 ; set -g remain-on-exit on ;".split()
        try:
            subprocess.run(["tmux", "-f", "/dev/null", "-S", socket, *settings, "new-session", "-d", "-x", str(width),
                            "-y", str(height), "exec " + shell], check=True, env=clean)
            self.resize(width, height)
            self.wait(r"^\$")
        except BaseException:
            self.close()
            raise

    def tmux(self, *arguments):
        return subprocess.run(["tmux", "-S", self.socket, *arguments], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def type(self, line):
        """Types a line for the shell, or for a prompt of the monitor."""
        self.tmux("send-keys", "-l", "--", line)
        self.tmux("send-keys", "Enter")

    def keys(self, *names):
        self.tmux("send-keys", *names)

    def text(self, style=False):
        lines = self.tmux("capture-pane", "-p", *(["-e"] if style else [])).split("\n")
        return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"

    def wait(self, condition, what=None):
        """Waits until the pane's text matches a regular expression, or a function of the text is true."""
        holds = condition if callable(condition) else lambda text: re.search(condition, text)
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            text = self.text()
            if holds(text):
                return text
            time.sleep(POLL)
        raise AssertionError(f"never: {what or condition}; the pane shows\n{text}")

    def still(self, condition, what=None):
        """
        Returns the matching text when all of it is drawn: the monitor sleeps, and two looks, between which
        tmux handles its output, show the same. For a monitor that draws when a key arrives.
        """
        before = None
        pid = self.pid()

        def settled(text):
            nonlocal before
            same, before = text == before, text
            return same and asleep(pid) and holds(text)

        holds = condition if callable(condition) else lambda text: re.search(condition, text)
        return self.wait(settled, what or condition)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def alternate(self):
        return self.tmux("display", "-p", "#{alternate_on}").strip() == "1"

    def cursor(self):
        return tuple(map(int, self.tmux("display", "-p", "#{cursor_x} #{cursor_y}").split()))

    def mouse(self):
        """Whether the mouse is reported, in the numeric format."""
        return self.tmux("display", "-p", "#{mouse_standard_flag}#{mouse_sgr_flag}").strip() == "11"

    def report(self, button, x, y):
        """Sends a mouse report as a terminal does: a button pressed and released at a cell, from 0."""
        for end in "Mm" if button < 64 else "M":
            self.keys("-H", *(f"{ord(c):x}" for c in f"\x1b[<{button};{x + 1};{y + 1}{end}"))

    def cell(self, word):
        """x, y of the first occurrence of a word, once everything is drawn."""
        lines = self.still(re.escape(word)).split("\n")
        y = next(i for i, line in enumerate(lines) if word in line)
        return lines[y].index(word), y

    def click(self, word):
        self.report(0, *self.cell(word))

    def pid(self):
        """Pid of the monitor: the foreground child of the pane's shell."""
        shell = self.tmux("display", "-p", "#{pane_pid}").strip()
        with open(f"/proc/{shell}/task/{shell}/children", encoding="ascii") as file:
            return int(file.read().split()[0])

    def idle(self):
        """The monitor sleeps, and has read everything typed."""
        with contextlib.suppress(OSError, IndexError):
            pid = self.pid()
            with open(f"/proc/{pid}/fd/0", "rb", buffering=0) as tty:
                typed = fcntl.ioctl(tty, termios.FIONREAD, bytes(4))
            return not any(typed) and asleep(pid)
        return True  # it has ended

    def kill(self, number):
        os.kill(self.pid(), number)

    def golden(self, name, style=False):
        """Wait until the pane equals the golden; GENERATE=1 writes the pane to it when it no longer changes.

        With style also its attributes and colours, escape sequences written as ^[. Three blank lines and more are one.
        """
        path = GOLDEN / f"{name}.txt"

        def shown():
            text = visible(self.text(style)).replace("\x1b", "^[")
            return re.sub("(?:^\n){3,}", lambda blank: f"~ {len(blank[0])} blank lines\n", text, flags=re.M)

        if os.environ.get("GENERATE"):
            self.still(r"\? help")
            path.write_text(shown(), encoding="utf-8")
            return
        want = path.read_text(encoding="utf-8")
        end, same, before = time.monotonic() + DEADLINE, 0, None
        while (now := shown()) != want and time.monotonic() < end and same < SETTLED:
            same, before = (same + 1 if now == before and self.idle() else 0), now
            time.sleep(POLL)
        assert now == want, name

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False,
                       stderr=subprocess.DEVNULL)
