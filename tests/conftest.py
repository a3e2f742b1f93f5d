# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by all tests: the end of a test that hangs, and faults in the monitor's libc."""
import os
import pathlib
import signal
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[1]
LIVE = {"live", "demo"}  # fixtures of tests/screens
HANG = 1800 + int(float(os.environ.get("STORM_SECONDS", "0")))


def pytest_configure(config):
    config.addinivalue_line("markers", "release: what only a release has; make check-release runs it, make check the rest")


def expire(*_):
    raise AssertionError(f"no end after {HANG} s")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol():
    """A test that hangs, even in a read without a deadline, fails under its name."""
    signal.signal(signal.SIGALRM, expire)
    signal.alarm(HANG)
    yield
    signal.alarm(0)


def is_live(item):
    """Uses the running kernel, where only one such test can run at a time."""
    return "kernel" in item.path.relative_to(TOP).parts or not LIVE.isdisjoint(item.fixturenames)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """With -n 2 --dist loadgroup one process runs all live tests, the other begins with the rest."""
    if config.pluginmanager.hasplugin("xdist"):
        items.sort(key=is_live, reverse=True)
        for item in filter(is_live, items):
            item.add_marker(pytest.mark.xdist_group("live"))


@pytest.fixture(scope="session")
def faults():
    """The library of tests/faults.c, for LD_PRELOAD."""
    subprocess.run(["make", "-s", "-C", TOP, "build/faults.so"], check=True, stdout=subprocess.DEVNULL)
    return str(TOP / "build/faults.so")


@pytest.fixture
def failing(faults):
    """
    Runs something repeatedly with its Nth allocation failing, until it has no more: failing(run, step) yields
    N and what run(environment, inherited file descriptor) returned.
    """

    def runs(run, step=1):
        read, write = os.pipe()
        n = 1
        try:
            while True:
                result = run({"LD_PRELOAD": faults, "FAULTS_ALLOC": str(n), "FAULTS_FD": str(write)}, write)
                os.set_blocking(read, False)
                try:
                    os.read(read, 1)
                except BlockingIOError:
                    break  # it had fewer
                yield n, result
                n += step
        finally:
            os.close(read)
            os.close(write)
        assert n > 20, "nothing has failed"

    return runs
