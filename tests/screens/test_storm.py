# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys at speed, in every view and prompt, and sizes that change all the time: nothing breaks.

STORM_SECONDS=60 for longer (make storm), STORM_SEED=N for the same keys again: it is printed.
"""
import os
import random

import pytest

import noisy
from storm import Storm

SECONDS = float(os.environ.get("STORM_SECONDS", "3"))
SEED = int(os.environ.get("STORM_SEED", random.randrange(1 << 32)))


def blow(storm):
    print(f"STORM_SEED={storm.seed}")
    try:
        storm.blow(SECONDS, 200)
        storm.quit()
    finally:
        storm.kill()
    print(f"{storm.sent} keys, ended and started again {storm.ended} times")


@pytest.mark.parametrize("env", [{}, {"TERM": "vt100", "LANG": "C"}, {"NO_COLOR": "1"}], ids=str)
def test_replay(tmp_path, env):
    path = tmp_path / "noisy.jsonl"
    noisy.write(path, 600)
    blow(Storm(["-r", str(path), "--speed", "20"], tmp_path, SEED, env))


def test_live(demo, tmp_path):
    """Over the running kernel, with traffic in which everything fires."""
    blow(Storm(["-d", "0.1", "-t", "all"], tmp_path, SEED))
