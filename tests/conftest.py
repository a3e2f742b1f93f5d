# SPDX-License-Identifier: GPL-2.0-or-later
"""Shared by all tests: which run beside others, the end of a test that hangs, and faults in the monitor's libc."""
import fcntl
import os
import pathlib
import signal
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[1]
LIVE = {"live", "demo"}  # fixtures of tests/screens
LOCKS = TOP / "build"
HANG = 1800 + int(float(os.environ.get("STORM_SECONDS", "0")))


def pytest_configure(config):
    config.addinivalue_line("markers", "release: what only a release has; make check-release runs it, make check the rest")
    config.addinivalue_line("markers", "alone: changes the machine for others, or looks at all of it; no other live test runs meanwhile")


def expire(*_):
    raise AssertionError(f"no end after {HANG} s")


def is_live(item):
    """Uses the running kernel."""
    return "kernel" in item.path.relative_to(TOP).parts or not LIVE.isdisjoint(item.fixturenames)


def is_alone(item):
    return item is not None and item.get_closest_marker("alone") is not None


class Machine:
    """Live tests run beside each other, and those with the mark `alone` without any other, one after the other."""

    held = None

    def enter(self, item):
        if self.held or not is_live(item):
            return
        LOCKS.mkdir(exist_ok=True)
        # the queue: whoever waits to be alone is the next one
        with open(LOCKS / ".next", "w", encoding="ascii") as queue:
            fcntl.flock(queue, fcntl.LOCK_EX)
            self.held = open(LOCKS / ".live", "w", encoding="ascii")
            fcntl.flock(self.held, fcntl.LOCK_EX if is_alone(item) else fcntl.LOCK_SH)

    def leave(self, item, nextitem):
        if self.held and not (is_alone(item) and is_alone(nextitem)):
            self.held.close()
            self.held = None


machine = Machine()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    """A test that hangs, even in a read without a deadline, fails under its name."""
    machine.enter(item)
    signal.signal(signal.SIGALRM, expire)
    signal.alarm(HANG)
    yield
    signal.alarm(0)
    machine.leave(item, nextitem)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """One process begins with those that run alone, the others with what does not use the running kernel."""
    items.sort(key=lambda item: (not is_alone(item), is_live(item)))
    if config.pluginmanager.hasplugin("rerunfailures"):
        # once more where others may have disturbed it; the closing lines name it and count it as "rerun"
        for item in filter(is_live, items):
            item.add_marker(pytest.mark.flaky(reruns=1))
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            group = "alone" if is_alone(item) else "fleet" if "fleet" in item.fixturenames else None
            if group:
                item.add_marker(pytest.mark.xdist_group(group))


def pytest_terminal_summary(terminalreporter):
    """What failed at first is not forgotten: its whole report."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.section(f"failed, then ran again: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)


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
