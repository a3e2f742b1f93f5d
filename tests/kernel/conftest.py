# SPDX-License-Identifier: GPL-2.0-or-later
import os
import subprocess

import pytest

import refusals
from harness import DEADLINE, Monitor, Rig, missing
from namespaces import netns  # pylint: disable=unused-import


@pytest.fixture(scope="session", autouse=True)
def machine():
    if os.geteuid() != 0:
        missing("kernel tests need root")
    if not os.path.exists("/sys/kernel/btf/vmlinux"):
        missing("this kernel has no BTF")


def pytest_configure(config):
    config.addinivalue_line("markers", "refused: the kernel refuses these BPF programs; what is then said is tested")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    refusals.replace(items)


def pytest_terminal_summary(terminalreporter):
    if refusals.replaced:
        terminalreporter.write_line(f"This kernel refuses {', '.join(refusals.refused())}: {len(refusals.replaced)} "
                                    "tests of what these read have tested what is said instead.")


@pytest.fixture
def monitor():
    running = []

    def start(*args, **kwargs):
        running.append(Monitor(*args, **kwargs))
        return running[-1]

    yield start
    for m in running:
        m.kill()


@pytest.fixture
def rig():
    running = []

    def start(*args):
        running.append(Rig(*args))
        return running[-1]

    yield start
    for r in running:
        if r.process.poll() is None:
            r.process.terminate()
            r.process.wait(DEADLINE)


@pytest.fixture
def popen():
    """Processes that end with the test."""
    running = []

    def start(*args, **kwargs):
        running.append(subprocess.Popen(*args, **kwargs))
        return running[-1]

    yield start
    for p in running:
        p.kill()
        p.wait()
