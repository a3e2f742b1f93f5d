# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys at speed, in every view and prompt, and sizes that change all the time: nothing breaks.

STORM_SECONDS=60 for longer (make storm), STORM_SEED=N for the same keys again: it is printed.
"""
import os
import pathlib
import random
import subprocess

import pytest

import noisy
from pane import TOP, missing
from storm import Storm

SECONDS = float(os.environ.get("STORM_SECONDS", "5"))
SEED = int(os.environ.get("STORM_SEED", random.randrange(1 << 32)))
RIG = os.environ.get("RIG", str(TOP / "build/rig/rig"))


def blow(storm):
    print(f"STORM_SEED={storm.seed}")
    try:
        storm.blow(SECONDS)
        storm.quit()
    finally:
        storm.kill()
    print(f"{storm.sent} keys, ended and started again {storm.ended} times")
    assert storm.sent > 100


@pytest.mark.parametrize("env", [{}, {"TERM": "vt100", "LANG": "C"}, {"NO_COLOR": "1"}], ids=str)
def test_replay(tmp_path, env):
    path = tmp_path / "noisy.jsonl"
    noisy.write(path, 600)
    blow(Storm(["-r", str(path), "--speed", "20"], tmp_path, SEED, env))


def test_live(tmp_path):
    """Over the running kernel, with traffic in which everything fires."""
    if os.geteuid() != 0:
        missing("the live screen needs root")
    if not pathlib.Path(RIG).exists():
        missing("no rig: make build/rig/rig")
    with subprocess.Popen([RIG, "demo"], stdout=subprocess.DEVNULL) as demo:
        try:
            blow(Storm(["-d", "0.1", "-t", "all"], tmp_path, SEED))
        finally:
            demo.terminate()
