# SPDX-License-Identifier: GPL-2.0-or-later
"""Keys at speed, in every view and prompt, and sizes that change all the time: nothing breaks.

STORM_SECONDS=60 for longer (make storm), STORM_SEED=N for the same keys again: it is printed.
"""
import os
import random

import pytest

import busy_recording
import recording
from storm import Storm, table_rows

SECONDS = float(os.environ.get("STORM_SECONDS", "3"))
# from ncurses-base and ncurses-term, if there is time
TERMS = [{"TERM": term} for term in """cons25 cygwin linux mach-color pcansi rxvt-unicode-256color screen-256color
         sun tmux-256color vt52 vt102 vt220 xterm-mono""".split() if "STORM_SECONDS" in os.environ]
SEED = int(os.environ.get("STORM_SEED", random.randrange(1 << 32)))


def view_names():
    return [name for kind, name, *_ in table_rows() if kind == "view"]


@pytest.mark.parametrize("series,events,maps", [
    (recording.SERIES, True, True), (recording.SERIES, False, False), ([], False, False)],
    ids=["all", "no-event", "nothing"])
def test_every_key_in_every_view(tmp_path, series, events, maps):
    """With the second row selected; leaves what the key opened, and shows the view again."""
    path = tmp_path / "recording.jsonl"
    recording.write(path, series, with_maps=maps)
    if not events:
        path.write_text("".join(x for x in open(path, encoding="utf-8") if '"type":"event"' not in x), "utf-8")
    storm = Storm(["-r", str(path), "--speed", "1000"], tmp_path, SEED)
    home, down = b"\x1bOH", b"\x1bOB"
    try:
        for i, view in enumerate(view_names()):
            for key in storm.calm:
                alive = storm.send(b"v" + home + down * i + b"\r" + home + down) and storm.send(key) and storm.leave()
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
def test_replay(tmp_path, env):
    path = tmp_path / "busy.jsonl"
    busy_recording.write(path, 600)
    blow(Storm(["-r", str(path), "--speed", "20"], tmp_path, SEED, env))


def test_live(demo, tmp_path):
    """Over the running kernel, with traffic that fires everything."""
    blow(Storm(["-d", "0.1", "-t", "all"], tmp_path, SEED))
