# SPDX-License-Identifier: GPL-2.0-or-later
"""The monitor over recordings, without kernel and terminal: what the tests share."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
XDPTOP = os.environ.get("XDPTOP", str(TOP / "xdptop"))
FIXTURES = TOP / "tests/fixtures"
DEMO = str(FIXTURES / "demo.jsonl")
TABLES = TOP / "build/tables/tables"
RELEASE = re.search(r"^RELEASE := (\S+)$", (TOP / "Makefile").read_text(), re.M)[1]
VERSION = subprocess.run([TOP / "contrib/version", RELEASE], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
GOLDEN = pathlib.Path(__file__).parent / "golden"
DEADLINE = 300  # seconds after which a wait is a failure, never a measure of speed

# src/base/exit_code.h
DONE, FAILED, USAGE, PRIVILEGE, NO_TRACEPOINT, FILE, FINDINGS = range(7)

# what a shell would set, and would change what is printed
ENV = {k: v for k, v in os.environ.items()
       if not k.startswith("LC_") and k not in ("COLUMNS", "NO_COLOR", "LANGUAGE")}
ENV.update(LANG="C.UTF-8", TZ="UTC")


def missing(reason):
    """Skip, or fail where CI promises that nothing is skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def packaged(program):
    """A program that is installed, or lies in a package that contrib/deps has only unpacked."""
    for path in (shutil.which(program), TOP / "build/packages/usr/bin" / program):
        if path and os.access(path, os.X_OK):
            return str(path)
    return missing(f"{program} is not there; make deps gets it")


def tool(name):
    """A program that contrib/deps installs."""
    if not shutil.which(name):
        missing(f"{name} is not installed")
    return name


def run(*args, env=None, **kwargs):
    """A command to its end; stdout and stderr are bytes."""
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stderr", subprocess.PIPE)
    kwargs.setdefault("timeout", DEADLINE)
    if "input" not in kwargs:
        kwargs.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([str(a) for a in args], env={**ENV, **(env or {})}, **kwargs)


def xdptop(*args, **kwargs):
    return run(XDPTOP, *args, **kwargs)


def output(*args, **kwargs):
    """What a run that must succeed without a word prints."""
    p = xdptop(*args, **kwargs)
    assert (p.returncode, p.stderr) == (DONE, b"")
    return p.stdout


def assert_hardened(program):
    """A position-independent program with full RELRO and a stack protector; returns its dynamic symbols."""
    assert b"DYN (Position-Independent Executable" in run("readelf", "-h", program).stdout
    assert b"BIND_NOW" in run("readelf", "-d", program).stdout
    assert b"GNU_RELRO" in run("readelf", "-l", program).stdout
    symbols = run("readelf", "--dyn-syms", "-W", program).stdout
    assert b"__stack_chk_fail" in symbols
    return symbols


def assert_packaged(program):
    """The monitor as a package has it: with the flags of the distribution, and it runs."""
    assert b"_chk@" in assert_hardened(program)
    assert run(program, "--version").returncode == DONE
    assert run(program, "-r", DEMO, "-o", "csv").returncode == DONE


def golden(name, got):
    """Compare with a golden, byte by byte; GENERATE=1 rewrites it."""
    path = GOLDEN / name
    if os.environ.get("GENERATE"):
        path.write_bytes(got)
    assert got == path.read_bytes(), f"{path} differs; if that is meant: GENERATE=1 make batch"
