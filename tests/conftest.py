# SPDX-License-Identifier: GPL-2.0-or-later
"""All tests: one that hangs, also in a read without a deadline of its own, fails under its name."""
import os
import signal

import pytest

HANG = 1800 + int(float(os.environ.get("STORM_SECONDS", "0")))


def expire(*_):
    raise AssertionError(f"no end after {HANG} s")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol():
    signal.signal(signal.SIGALRM, expire)
    signal.alarm(HANG)
    yield
    signal.alarm(0)
