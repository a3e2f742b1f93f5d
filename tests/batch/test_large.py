# SPDX-License-Identifier: GPL-2.0-or-later
"""The cost of a snapshot grows linearly with its rows."""
import pytest

import large
from batch import DONE, TOP, run

COUNT = TOP / "build/count/xdptop"
ROWS = 1000
# blocks of code for each pair of rows; a loop over all rows for each row takes 4 or more
PAIR = 2

SHOWN = {
    "programs": ["programs", "json", "prometheus"],
    "parts": ["programs"],
    "targets": ["maps", "devices"],
    "sockets": ["maps", "sockets", "prometheus"],
    "refused": ["overview", "flows"],
    "aborted": ["findings"],
    "queues": ["cpumap"],
    "dropped": ["findings"],
}


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    """Three of a kind: the second difference of their costs is the cost per pair of rows."""
    directory = tmp_path_factory.mktemp("large")

    def write(kind):
        for times in (1, 2, 3):
            path = directory / f"{kind}.{times}"
            if not path.exists():
                large.write(path, kind, times * ROWS)
            yield path

    return write


@pytest.mark.parametrize("kind, shown", [(kind, shown) for kind in SHOWN for shown in SHOWN[kind]])
def test_linear(recordings, kind, shown):
    def count(path):
        args = ["-o", shown] if shown in ("json", "prometheus") else ["-b", "-v", shown]
        p = run(COUNT, "-r", path, "-q", *args)
        assert p.returncode == DONE
        return int(p.stderr)

    once, twice, thrice = map(count, recordings(kind))
    assert (thrice - 2 * twice + once) / (2 * ROWS * ROWS) < PAIR
