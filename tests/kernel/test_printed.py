# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands that README, the man pages and doc/ print, run as they are printed, on a terminal.

A command runs in a directory with the files that the documents name, with its own /var/log, /var/lib and eth1. sudo, ssh
and the names of other machines lead back to this machine. The screen gets the key q, and a command without an end gets
SIGINT as soon as it has written something.
"""
import contextlib
import fcntl
import gzip
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import stat
import struct
import subprocess
import sys
import termios
import time

import pytest

from harness import DEADLINE, TOP, XDPTOP

sys.path.append(str(TOP / "tests/batch"))
from segments import START, Recorder  # pylint: disable=wrong-import-position

INCIDENT = TOP / "doc/incident.jsonl.zst"
PROGRAMS = {"xdptop", "./xdptop", "/usr/bin/xdptop", "sudo", "ssh", "zcat", "zstdcat", "make", "git", "kubectl", "podman",
            "buildah", "rpmbuild", "makepkg", "abuild", "gpg", "apt", "systemctl", "*/5"}
# what needs hardware, a cluster, another machine, packages or the whole tree, and what tests it instead
NOT_RUN = {
    r"git clone https://xdptop\.example": "the address of a release",
    r"make (run|check)( |$)": "make check-bare (tests/bare) runs both in a bare Debian 12",
    r"make demo": "it builds; tests/kernel and tests/soak start the same traffic (rig demo)",
    r"make && sudo make install": "tests/batch/test_install.py installs into directories of its own",
    r"make (deb|dist|static|tables|picture|bench|kernel|kernels|drivers|soak|check-release)( |$)": "CI and make check-release build them",
    r"(sudo )?apt install": "tests/batch/test_debian.py installs the package",
    r"rpmbuild|makepkg|abuild": "packages: tests/batch/test_packages.py and test_recipes.py",
    r"gpg --verify": "the signature of a release",
    r"buildah build": "a registry; tests/kernel/test_container.py builds the image and starts it",
    r"podman |ctr ": "containers; tests/kernel/test_container.py starts the image with runc",
    r"kubectl ": "a cluster",
    r"(sudo )?systemctl enable": "a running systemd; tests/batch/test_install.py reads the unit",
    r"systemctl edit": "an editor; tests/batch/test_install.py reads the unit",
}
# words in the place of a name
EXAMPLES = {"NAME": "ENOSPC", "CODE": "aborted", "FIELD": "map_index", "zcat FILE": "zcat FILE.gz"}
SCREEN = b"\x1b[?1049h"  # a terminal's other screen
ENDS = r" (-n (?!60)\S+|--check|--list|-l|-e|--explain|--diff|-h|--help|-r|--version|-V)( |$)"


def in_markdown(text):
    """Lines of code, and code within a text."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S).replace("\\\n", " ")
    yield from re.findall(r"^    (\S.*)$", text, re.M)
    yield from (" ".join(code.split()) for code in re.findall(r"`([^`]+)`", re.sub(r"^    .*$", "", text, flags=re.M)))


def in_mdoc(text):
    """Displays, and code within a text."""
    yield from re.findall(r"^\.Dl (.*)$", text, re.M)
    for display in re.findall(r"^\.Bd -literal.*?\n(.*?)^\.Ed$", text, re.M | re.S):
        yield from re.split(r"\n(?! )", display.replace("\\e\n", " ").strip())
    yield from (re.sub(r"\b(Ar|Fl|Ns|Cm) ", "", code) for code in re.findall(r"\bQl (.*)$", text, re.M))


def printed():
    """The commands of all documents, each once."""
    found = {}
    for path in [TOP / "README.md", *sorted((TOP / "man").glob("*.[1-8]")), *sorted((TOP / "doc").glob("*.md"))]:
        lines = (in_markdown if path.suffix == ".md" else in_mdoc)(path.read_text())
        for line in lines:
            command = re.sub(r"\s+#\s.*| \.$", "", line.replace("\\e", "\\"))
            words = command.split()
            if len(words) > 1 and words[0] in PROGRAMS or command == "sudo xdptop":
                found.setdefault(command, path.name)
    return found


COMMANDS = printed()
RUN = [command for command in COMMANDS if not any(re.match(pattern, command) for pattern in NOT_RUN)]


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Files with the names that the documents use."""
    top = tmp_path_factory.mktemp("printed")
    plain = subprocess.run(["zstd", "-dc", INCIDENT], stdout=subprocess.PIPE, check=True).stdout
    for name in ("incident.json.gz", "FILE.gz"):
        (top / name).write_bytes(gzip.compress(plain))
    for name in ("FILE", "A", "B", "incident.jsonl.zst", "good.jsonl.zst"):
        shutil.copy(INCIDENT, top / name)
    (top / "doc").mkdir()
    shutil.copy(INCIDENT, top / "doc")
    recorder = Recorder(top / "DIR")
    recorder.run(START + 7000, 6000, loss=(3900, 4200), changes=(3890,))
    (top / "bin").mkdir()
    (top / "bin/xdptop").symlink_to(XDPTOP)
    (top / "xdptop").symlink_to(XDPTOP)
    for name, body in (("sudo", 'exec "$@"'), ("ssh", 'shift 2\nexec "$@"')):
        (top / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (top / "bin" / name).chmod(0o755)
    return top


def own_places(directory):
    """A script that runs its argument in the directory, in namespaces with the other places that the documents name."""
    return (f"mount -t tmpfs none /var/log && mount -t tmpfs none /var/lib && cp -r {directory}/DIR /var/log/xdptop &&"
            " mkdir -p /var/lib/prometheus/node-exporter && ip link set lo up && ip link add eth1 type veth &&"
            f" cd {directory} && exec bash -c \"$1\"")


def monitors(session):
    """The running xdptop of a session."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if os.getsid(int(entry.name)) == session and os.path.samefile(f"/proc/{entry.name}/exe", XDPTOP):
                    yield int(entry.name)
            except OSError:
                pass


def is_set_up(pid):
    """Whether it takes signals from its event loop."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"SigBlk:\s+(\w+)", status)[1], 16) >> (signal.SIGINT - 1) & 1


def contents(*directories):
    """Files that are not empty, with the times of their last change."""
    found = {}
    for path in (path for directory in directories for path in directory.rglob("*")):
        with contextlib.suppress(OSError):  # replaced meanwhile
            status = path.stat()
            if stat.S_ISREG(status.st_mode) and status.st_size:
                found[path] = status.st_mtime_ns
    return found


def run_printed(command, directory):
    """Its exit status and what it wrote to the terminal."""
    before, interrupted = None, False
    pid, terminal = pty.fork()
    if not pid:
        os.environ.update(PATH=f"{directory}/bin:{os.environ['PATH']}", TERM="xterm", LC_ALL="C.UTF-8")
        os.execvp("unshare", ["unshare", "-mn", "sh", "-c", own_places(directory), "sh", command])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 110, 0, 0))
    seen, end, status = b"", time.monotonic() + DEADLINE, None
    while status is None:
        assert time.monotonic() < end, (command, seen[-2000:])
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 1 << 16)
            except OSError:  # all ends of the terminal are closed
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                continue
        running = list(monitors(pid))
        if running and SCREEN in seen:
            os.write(terminal, b"q")
        elif running and not interrupted and not re.search(ENDS, command):
            var = pathlib.Path(f"/proc/{running[-1]}/root", "var")  # of its mount namespace
            now = contents(directory, var / "log/xdptop", var / "lib/prometheus")
            before = before or now
            if (seen or now != before) and is_set_up(running[-1]):
                os.kill(running[-1], signal.SIGINT)
                interrupted = True
    os.close(terminal)
    return status, seen.decode(errors="replace")


def as_typed(command):
    """Without the times of crontab, and with examples for names."""
    command = command.removeprefix("*/5 * * * * ").replace("/usr/bin/xdptop", "xdptop")
    return re.sub(r"\b(NAME|CODE|FIELD|zcat FILE)\b", lambda name: EXAMPLES[name[0]], command)


@pytest.mark.parametrize("command", RUN)
def test_it_runs(command, recordings, tmp_path):
    directory = tmp_path / "here"
    shutil.copytree(recordings, directory, symlinks=True)
    status, said = run_printed(as_typed(command), directory)
    allowed = (0, 6) if "--check" in command or "--diff" in command else (0,)
    refused = "--capture" in command and status == 4 and "packets cannot be read: this kernel refuses" in said
    assert status in allowed or refused, (COMMANDS[command], said)


def test_all_are_found():
    assert len(RUN) >= 40
    assert {"sudo xdptop", "xdptop -l", "xdptop -r incident.jsonl.zst"} <= set(RUN)


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_nothing_is_excluded_in_vain(pattern):
    assert any(re.match(pattern, command) for command in COMMANDS)
