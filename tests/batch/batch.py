# SPDX-License-Identifier: GPL-2.0-or-later
"""The monitor over recordings, without kernel and terminal: shared code of the tests."""
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
DEADLINE = 300  # seconds after which a wait fails; never a measure of speed

# src/base/error.h
DONE, FAILED, USAGE, PRIVILEGE, NO_TRACEPOINT, FILE, FINDINGS = range(7)

# variables of a shell that would change the output
ENV = {k: v for k, v in os.environ.items()
       if not k.startswith("LC_") and k not in ("COLUMNS", "NO_COLOR", "LANGUAGE")}
ENV.update(LANG="C.UTF-8", TZ="UTC")


def missing(reason):
    """Skip, or fail in CI, where nothing may be skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def packaged(program):
    """An installed program, or one in a package that contrib/deps has only unpacked."""
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
    """Runs a command to its end; stdout and stderr are bytes."""
    kwargs.setdefault("stdout", subprocess.PIPE)
    kwargs.setdefault("stderr", subprocess.PIPE)
    kwargs.setdefault("timeout", DEADLINE)
    if "input" not in kwargs:
        kwargs.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([str(a) for a in args], env={**ENV, **(env or {})}, **kwargs)


def xdptop(*args, **kwargs):
    return run(XDPTOP, *args, **kwargs)


def output(*args, **kwargs):
    """The output of a run that must succeed without messages."""
    p = xdptop(*args, **kwargs)
    assert (p.returncode, p.stderr) == (DONE, b"")
    return p.stdout


def assert_hardened(program):
    """Expects a position-independent program with full RELRO and a stack protector; returns its dynamic symbols."""
    assert b"DYN (Position-Independent Executable" in run("readelf", "-h", program).stdout
    assert b"BIND_NOW" in run("readelf", "-d", program).stdout
    assert b"GNU_RELRO" in run("readelf", "-l", program).stdout
    symbols = run("readelf", "--dyn-syms", "-W", program).stdout
    assert b"__stack_chk_fail" in symbols
    return symbols


def assert_packaged(program):
    """Expects a monitor built with the distribution's flags, and runs it."""
    assert b"_chk@" in assert_hardened(program)
    assert run(program, "--version").returncode == DONE
    assert run(program, "-r", DEMO, "-o", "csv").returncode == DONE


def golden(name, got):
    """Compares with a golden file byte by byte; GENERATE=1 rewrites it."""
    path = GOLDEN / name
    if os.environ.get("GENERATE"):
        path.write_bytes(got)
    assert got == path.read_bytes(), f"{path} differs; if that is meant: GENERATE=1 make batch"
