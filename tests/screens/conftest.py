# SPDX-License-Identifier: GPL-2.0-or-later
"""The monitor in a real terminal, over a constant recording."""
import os
import shlex
import shutil
import subprocess
import sys

import pytest

import recording
from pane import RIG, TOP, XDPTOP, Screen, missing

sys.path.append(str(TOP / "tests/batch"))  # hostile
sys.path.append(str(TOP / "tests/kernel"))
from namespaces import netns  # pylint: disable=unused-import,wrong-import-position


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("recording") / "r.jsonl"
    recording.write(path)
    return str(path)


@pytest.fixture(scope="session")
def recorded_maps(tmp_path_factory):
    """The same, with maps and AF_XDP sockets."""
    path = tmp_path_factory.mktemp("recording") / "maps.jsonl"
    recording.write(path, with_maps=True)
    return str(path)


@pytest.fixture(scope="session")
def recorded_counts(tmp_path_factory):
    """The same, with counters of devices."""
    path = tmp_path_factory.mktemp("recording") / "counts.jsonl"
    recording.write(path, with_counts=True)
    return str(path)


@pytest.fixture(scope="session")
def recorded_verdicts(tmp_path_factory):
    """Verdicts of programs."""
    path = tmp_path_factory.mktemp("recording") / "verdicts.jsonl"
    recording.write(path, series=[], with_verdicts=True)
    return str(path)


@pytest.fixture(scope="session")
def recorded_follow(tmp_path_factory):
    """The same, made while rows were followed."""
    path = tmp_path_factory.mktemp("recording") / "follow.jsonl"
    recording.write(path, with_followed=True)
    return str(path)


@pytest.fixture
def terminal(tmp_path):
    """Start terminals: terminal(width, height, ENV=value)."""
    if not shutil.which("tmux"):
        missing("screen tests need tmux")
    screens = []

    def start(width=80, height=24, **env):
        screens.append(Screen(str(tmp_path / f"tmux{len(screens)}"), width, height, env))
        return screens[-1]

    yield start
    for screen in screens:
        screen.close()


@pytest.fixture
def monitor(terminal, recorded):
    """The monitor over the recording, or another one, after `steps` snapshots."""

    def start(*arguments, path=recorded, width=80, height=24, steps=2, env=None, prefix=()):
        screen = terminal(width, height, **(env or {}))
        command = [*prefix, XDPTOP, "--read", str(path), "--step", *arguments]
        screen.type("clear; " + shlex.join(command) + "; echo exit=$?")
        screen.wait(r"\? help|too small|needs 40x10")
        for step in range(steps):
            screen.keys("Space")
            screen.wait(r"09:\d\d:0%d" % (step + 1))
        return screen

    return start


@pytest.fixture
def live(terminal):
    """The monitor over the running kernel."""
    if os.geteuid() != 0:
        missing("the live screen needs root")

    def start(*arguments, width=100, height=30, env=None, prefix=()):
        screen = terminal(width, height, **(env or {}))
        screen.type("clear; " + shlex.join([*prefix, XDPTOP, *arguments]) + "; echo exit=$?")
        screen.wait(r"\? help")
        return screen

    return start


@pytest.fixture
def demo():
    """Traffic that fires everything, in separate namespaces."""
    if os.geteuid() != 0:
        missing("traffic needs root")
    if not os.path.exists(RIG):
        missing("no rig: make build/rig/rig")
    with subprocess.Popen([RIG, "demo"], stdout=subprocess.DEVNULL) as process:
        yield
        process.terminate()
