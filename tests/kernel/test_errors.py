# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input: one line with name, cause and remedy, the exit code, nothing of libbpf's."""
import os
import subprocess

import pytest

from harness import DEADLINE, XDPTOP

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all"]


def run(*args, prefix=(), **kwargs):
    return subprocess.run(
        [*prefix, XDPTOP, *args],
        stdin=subprocess.DEVNULL,
        stdout=kwargs.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        timeout=DEADLINE,
        **kwargs,
    )


def complains(p, code, *parts):
    assert p.returncode == code, p.stderr
    assert p.stderr.startswith("xdptop: ") and p.stderr.count("\n") == 1, p.stderr
    assert "libbpf" not in p.stderr
    for part in parts:
        assert part in p.stderr
    assert not p.stdout


@pytest.mark.parametrize("args,parts", [
    (["--bogus"], ["bogus", "--help"]),
    (["-v", "nosuch"], ["--view", "nosuch"]),
    (["-v", "flow"], ["flows"]),
    (["-d", "0"], ["--delay", "0.1"]),
    (["-d", "nan"], ["--delay"]),
    (["-d", "1e9"], ["--delay", "3600"]),
    (["-n", "junk"], ["--iterations", "junk"]),
    (["-t", "xdp_redirekt"], ["xdp_redirect"]),
    (["-s", "drop"], ["--sort", "drop"]),
    (["-f", "nosuch=1"], ["--filter", "nosuch"]),
    (["-o", "xml"], ["--output", "xml"]),
    (["--max-series", "0"], ["--max-series"]),
    (["--budget", "-1"], ["--budget"]),
    (["--backend", "magic"], ["--backend", "magic"]),
    (["-e", "NOSUCH"], ["NOSUCH"]),
    (["extra"], ["extra"]),
])
def test_usage(args, parts):
    complains(run(*args), 2, *parts)


@pytest.mark.parametrize("args,parts", [
    (["-r", "/nonexistent"], ["/nonexistent", "No such file"]),
    (["-r", "/dev/null"], ["/dev/null"]),
    (["-o", "json", "-n", "1", "--to", "/nonexistent/x"], ["/nonexistent/x", "No such file"]),
])
def test_files(args, parts):
    complains(run(*args), 5, *parts)


def test_full_disk():
    with open("/dev/full", "w") as full:
        p = run("-o", "json", "-n", "3", "-d", "0.1", stdout=full)
    assert p.returncode == 5
    assert "No space left" in p.stderr and p.stderr.count("\n") == 1


def test_closed_stdout():
    p = run("-o", "json", "-n", "1", "-d", "0.1", prefix=["sh", "-c", 'exec "$@" >&-', "sh"])
    complains(p, 5, "stdout")


def test_closed_pipe_is_quiet():
    read, write = os.pipe()
    p = subprocess.Popen(
        [XDPTOP, "-o", "json", "-d", "0.1"], stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    assert os.read(read, 10)
    os.close(read)
    assert p.wait(DEADLINE) == 0
    assert p.stderr.read() == ""
    p.stderr.close()


def test_no_privilege():
    complains(run("-b", "-n", "1", prefix=NOBODY), 3, "CAP_BPF", "CAP_PERFMON", "sudo", "setcap")


def test_list_and_explain_need_no_privilege():
    for args in (["-l"], ["-l", "-o", "json"], ["-e", "ENOBUFS"], ["-e", "xdp_exception"], ["-h"],
                 ["-V"]):
        p = run(*args, prefix=NOBODY)
        assert p.returncode == 0 and p.stdout and not p.stderr, (args, p.stderr)


def test_nothing_asked_for_is_there():
    complains(run("-b", "-t", "xdp_redirect_map", "-n", "1"), 4, "not in this kernel", "--list")


@pytest.mark.parametrize("term,parts", [("", ["TERM is not set"]), ("nosuchterm", ["nosuchterm"])])
def test_terminal(term, parts):
    """script(1) gives it a terminal; what it complains of, and that it does not draw."""
    env = {k: v for k, v in os.environ.items() if k != "TERM"}
    if term:
        env["TERM"] = term
    p = subprocess.run(
        ["script", "-qec", XDPTOP, "/dev/null"],
        env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=DEADLINE,
    )
    assert p.returncode == 1
    for part in (*parts, "xdptop -b"):
        assert part in p.stdout
    assert "\x1b" not in p.stdout
