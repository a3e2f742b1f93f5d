# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys at speed, in every view and prompt, and sizes that change all the time: nothing breaks.

STORM_SECONDS=60 for longer (make storm), STORM_SEED=N for the same keys again: it is printed.
"""
import os
import random

import pytest

import busy_recording
import recording
from pane import TOP, XDPTOP, missing
from storm import Storm, table_rows

SECONDS = float(os.environ.get("STORM_SECONDS", "3"))
# from ncurses-base and ncurses-term, if there is time
TERMS = [{"TERM": term} for term in """cons25 cygwin linux mach-color pcansi rxvt-unicode-256color screen-256color
         sun tmux-256color vt52 vt102 vt220 xterm-mono""".split() if "STORM_SECONDS" in os.environ]
SEED = int(os.environ.get("STORM_SEED", random.randrange(1 << 32)))


def view_names():
    return [name for kind, name, *_ in table_rows() if kind == "view"]


@pytest.fixture(params=["xdptop", pytest.param("build/asan/xdptop", marks=pytest.mark.release)])
def program(request):
    path = TOP / request.param
    if request.param == "xdptop":
        return XDPTOP
    if not os.access(path, os.X_OK):
        missing(f"{path} is not there: make asan")
    return path


@pytest.mark.parametrize("before", [b"", b"d\x1509:15:05\r"], ids=["here", "away"])
@pytest.mark.parametrize("series,events,maps", [
    (recording.SERIES, True, True), (recording.SERIES, False, False), ([], False, False)],
    ids=["all", "no-event", "nothing"])
def test_every_key_in_every_view(tmp_path, program, series, events, maps, before):
    """
    With the second row selected, or on the way to a time, where no snapshot has been read yet; leaves what the
    key opened, and shows the view again.
    """
    path = tmp_path / "recording.jsonl"
    recording.write(path, series, with_maps=maps)
    if not events:
        path.write_text("".join(x for x in open(path, encoding="utf-8") if '"type":"event"' not in x), "utf-8")
    storm = Storm([program, "-r", str(path), "--speed", "1000"], tmp_path, SEED)
    home, down = b"\x1bOH", b"\x1bOB"
    try:
        for i, view in enumerate(view_names()):
            for key in storm.calm:
                there = b"v" + home + down * i + b"\r" + home + down
                alive = storm.send(there) and storm.send(before + key) and storm.leave()
                assert alive, storm.fail(f"{key} ends it in view {view}") + str(storm.check_end())
        storm.quit()
    finally:
        storm.kill()


def blow(storm):
    print(f"STORM_SEED={storm.seed}")
    try:
        storm.blow(SECONDS, 200)
        storm.quit()
    finally:
        storm.kill()
    print(f"{storm.sent} keys, ended and started again {storm.ended} times")


@pytest.mark.parametrize("env", [{}, {"TERM": "vt100", "LANG": "C"}, {"NO_COLOR": "1"}, *TERMS], ids=str)
def test_replay(tmp_path, program, env):
    path = tmp_path / "busy.jsonl"
    busy_recording.write(path, 600)
    blow(Storm([program, "-r", str(path), "--speed", "20"], tmp_path, SEED, env))


def test_live(demo, tmp_path):
    """Over the running kernel, with traffic that fires everything."""
    blow(Storm([XDPTOP, "-d", "0.1", "-t", "all"], tmp_path, SEED))
