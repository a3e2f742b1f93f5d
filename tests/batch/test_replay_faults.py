# SPDX-License-Identifier: GPL-2.0-or-later
"""
Injects faults into a replay one at a time: it ends by itself with the correct output, or with an error that
says why not. FAULTS=all (make soak) tries all of them.
"""
import contextlib
import os
import pty
import re
import select
import subprocess
import time

import pytest

from batch import DEADLINE, DEMO, DONE, ENV, FAILED, FILE, USAGE, XDPTOP, missing, output, run, xdptop
from test_listen import ask

FORMATS = ["text", "json", "csv", "prometheus"]
LONG = os.environ.get("FAULTS") == "all"
STEP = 1 if LONG else 4  # every nth


def said(text):
    return re.fullmatch(rb"(xdptop: [^\n]+\n)+", text)


def at_screen(program, args, env, report):
    """On a terminal that is read to the end: returns the status and the output."""
    pid, fd = pty.fork()
    if not pid:
        os.set_inheritable(report, True)
        os.execve(program, [program, *args], {**ENV, **env, "TERM": "xterm", "HOME": "/nonexistent"})
    text, end = b"", time.monotonic() + DEADLINE
    try:
        while True:
            assert select.select([fd], [], [], max(0, end - time.monotonic()))[0], "it hangs"
            text += os.read(fd, 1 << 16)
    except OSError:
        pass  # it has ended
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), text


@pytest.mark.parametrize("output_format", FORMATS)
def test_failing_allocation(failing, output_format):
    whole = output("-r", DEMO, "-o", output_format)
    for n, p in failing(lambda env, fd: xdptop("-r", DEMO, "-o", output_format, env=env, pass_fds=[fd]), STEP):
        if p.returncode == DONE:
            assert p.stdout == whole or said(p.stderr), n
        else:
            assert p.returncode in (FAILED, USAGE, FILE) and said(p.stderr), (n, p.returncode, p.stderr)


def test_little_memory():
    """If memory is short, json-c calls the line invalid, or crashes."""
    with open(DEMO, "rb") as f:
        recording = f.readline()
    recording += b'{"type":"later",' + b",".join(b'"k%d":{"a%d":1,"bb":[1,2,{"c":2}]}' % (i, i) for i in range(1200)) + b"}\n"
    seen = set()
    for kib in range(6000, 64000, 128):
        p = subprocess.run(["prlimit", f"--as={kib << 10}", XDPTOP, "-r", "-", "-o", "json"], input=recording, env=ENV,
                           capture_output=True, timeout=DEADLINE, check=False)
        if p.stderr.startswith(b"xdptop: ") or p.returncode != 127:  # otherwise it was not even loaded
            assert p.returncode == DONE and not p.stderr or \
                p.returncode in (FILE, FAILED) and b"memory" in p.stderr, (kib, p.returncode, p.stderr)
            seen.add(p.returncode)
        if p.returncode == DONE and kib > 32000:
            break
    assert seen >= {DONE, FAILED}


def served(env, fd):
    """The status and the messages of a server after two requests."""
    p = subprocess.Popen([XDPTOP, "-r", DEMO, "--listen", "0"], env={**ENV, **env}, pass_fds=[fd], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line, answers = p.stderr.readline(), 0
    for address in 2 * re.findall(rb"--listen: http://(.*)/metrics\n", line):
        with contextlib.suppress(ConnectionError):
            answers += bool(ask(address.decode()))
    if answers:  # otherwise it ends by itself
        p.terminate()
    text = line + p.communicate(timeout=DEADLINE)[1]
    return p.returncode, text


def test_failing_allocation_with_clients(failing):
    for n, (status, text) in failing(served, STEP):
        assert status in (DONE, FAILED, FILE) and said(text), (n, status, text)


def test_failing_allocation_at_the_screen(failing):
    """The terminal is restored, and shows the error."""
    args = ["-r", DEMO, "--speed", "1000", "-n", "2"]
    for n, (status, text) in failing(lambda env, fd: at_screen(XDPTOP, args, env, fd), STEP):
        assert status in (DONE, FAILED, FILE), (n, status, text[-500:])
        assert text.rfind(b"\x1b[?1049l") >= text.rfind(b"\x1b[?1049h"), n
        assert status == DONE or b"xdptop: " in text[text.rfind(b"\x1b[?1049l") + 1:], (n, text[-500:])


@pytest.mark.parametrize("output_format", FORMATS)
def test_short_reads(faults, output_format):
    """A file and a pipe: short reads and interrupts change nothing."""
    whole = output("-r", DEMO, "-o", output_format)
    env = {"LD_PRELOAD": faults, "FAULTS_READ": "1"}
    assert output("-r", DEMO, "-o", output_format, env=env) == whole
    with open(DEMO, "rb") as f:
        assert output("-r", "-", "-o", output_format, env=env, input=f.read()) == whole


@pytest.mark.parametrize("output_format", ["text", "json", "csv"])
def test_disks_of_many_sizes(tmp_path, output_format):
    """Everything that fits is written, to the byte; the rest is reported."""
    whole = tmp_path / "whole"
    whole.write_bytes(output("-r", DEMO, "-o", output_format))
    script = """
mount -t tmpfs -o size="$1" none "$2" || exit 77
"$3" -r "$4" -o "$5" --to "$2/out"; rc=$?
head -c "$(wc -c <"$2/out")" "$6" | cmp - "$2/out" || exit 78
exit $rc
"""
    disk = tmp_path / "disk"
    disk.mkdir()
    for pages in range(1, 65, 3 if LONG else 21):
        size = 4096 * pages
        p = run("unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", size, disk, XDPTOP, DEMO,
                output_format, whole)
        if p.returncode == 77 or b"unshare" in p.stderr:
            missing("no mount namespace here: " + p.stderr.decode())
        if whole.stat().st_size > size:
            assert p.returncode == FILE and b"No space left on device" in p.stderr, (size, p)
        else:
            assert (p.returncode, p.stderr) == (DONE, b""), size


@pytest.mark.parametrize("output_format", FORMATS)
def test_pipe_closed_anywhere(output_format):
    for length in range(0, 1 << 16, 1 << 10 if LONG else 1 << 14):
        p = subprocess.Popen([XDPTOP, "-r", DEMO, "-o", output_format], env=ENV, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, bufsize=0)
        while length and (got := p.stdout.read(length)):
            length -= len(got)
        p.stdout.close()
        assert (p.wait(DEADLINE), p.stderr.read()) == (DONE, b"")
        p.stderr.close()
