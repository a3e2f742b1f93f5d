# SPDX-License-Identifier: GPL-2.0-or-later
"""A few scenarios of `make drivers`, if it has run before: nothing is downloaded here."""
import pathlib
import re
import subprocess
import tempfile

import pytest

import scenarios

RUN = pathlib.Path(__file__).resolve().parent / "run"


def test_each_row_has_its_guest():
    listed = subprocess.run([RUN, "--list"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert sorted(listed) == sorted(f"{name}/{scenario}" for name, scenario, *_ in scenarios.rows())


def test_wait_ends_by_the_clock():
    """A condition may take longer than the pause between two attempts."""
    waits = re.search(r"^waits\(\) {\n.*?^}\n", (RUN.parent / "init").read_text(), re.M | re.S)[0]
    stubs = """
sleep() { :; }
say() { echo "$*"; }
date() { cat clock; }
fails() { echo $(($(cat clock) + 50)) >clock; echo try; false; }
"""
    with tempfile.TemporaryDirectory() as cwd:
        (pathlib.Path(cwd) / "clock").write_text("1000\n")
        p = subprocess.run(["sh", "-c", f"{stubs}{waits}waits counters fails in"], cwd=cwd, capture_output=True,
                           text=True, check=True)
    assert p.stdout.splitlines() == ["try", "try", "try", "error never: counters of fails in"], p.stderr


@pytest.mark.release
def test_virtio_net_counts_and_findings():
    """Skipping is not a failure, unlike elsewhere in CI: these kernels are megabytes."""
    p = subprocess.run([RUN, "--cached", "virtio_net/aborted", "virtio_net/tx", "virtio_net/program"],
                       capture_output=True, text=True)
    if p.stdout.startswith("skip"):
        pytest.skip(p.stdout.splitlines()[0])
    assert p.returncode == 0, p.stdout + p.stderr
