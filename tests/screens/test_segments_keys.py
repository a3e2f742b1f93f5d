# SPDX-License-Identifier: GPL-2.0-or-later
"""A directory of --record on the screen: opened at a time, and left by keys to other times."""
import os
import re
import shlex
import signal
import time

import pytest

from pane import XDPTOP, missing
from segments import FRAME, START, Recorder, block, lines

HOUR = 3600


@pytest.fixture(scope="module")
def recorder(tmp_path_factory):
    """Three hours, an hour of nothing, and one more; a change at 00:20:00, a loss from 02:10:05 to 02:20."""
    made = Recorder(tmp_path_factory.mktemp("segments") / "rec")
    made.run(START, 3 * HOUR, changes=(1200,), loss=(2 * HOUR + 600, 2 * HOUR + 1200))
    made.run(START + 4 * HOUR, HOUR, boot="99999999-2222-3333-4444-555555555555")
    return made


@pytest.fixture
def replay(terminal, recorder):
    def start(span="", *options, width=120):
        screen = terminal(width, 24)
        screen.type("clear; " + shlex.join([XDPTOP, "-r", str(recorder.directory) + span, *options]) + "; echo exit=$?")
        screen.wait(r"\? help")
        return screen

    return start


def is_at(screen, clock):
    return screen.wait(rf"2026-11-21 {clock}")


def test_newest(replay):
    """It opens at the newest snapshot. The title has the time and the span."""
    screen = replay()
    text = is_at(screen, "05:00:00")
    assert re.search(r"recording 11-21 00:00\.\.11-21 05:00, at its end", text)
    screen.keys(",")
    is_at(screen, "04:59:55")
    screen.keys(".")
    is_at(screen, "05:00:00")


@pytest.mark.parametrize("span,clock", [("@02:00", "02:00:00"), ("@-4h", "01:00:00"), ("@2026-11-21 00:30", "00:30:00"),
                                        ("@02:15..", "02:15:00")])
def test_opened_at(replay, span, clock):
    screen = replay(span, "--step")
    is_at(screen, clock)
    screen.keys("Space")
    is_at(screen, clock[:-1] + "5")


def test_findings_of_that_time(replay):
    """What was before is read as well, so a finding is there at once, and it began earlier."""
    screen = replay("@02:15", "--step", "-v", "findings")
    is_at(screen, "02:15:00")
    screen.wait("target-down")
    screen.keys("g")
    screen.wait(r"LOST/S  now 10  peak 10")


def test_verdict_findings_of_that_time(terminal, tmp_path):
    """The program dropped all packets for ten seconds before: that is known at once, and not known where it is not true."""
    made = Recorder(tmp_path / "rec")
    made.run(START, 1500, drops=(900, 1300))
    screen = terminal(120, 24)
    for clock, there in (("00:20:00", True), ("00:14:50", False)):
        screen.type(f"clear; {XDPTOP} -r {made.directory}@{clock} --step -v findings")
        is_at(screen, clock)
        screen.wait(lambda text, there=there: ("program-drops-all" in text) == there, f"the finding at {clock}")
        screen.keys("q")
        screen.wait(r"\$ *$")


def test_steps(replay):
    """The same numbers from either direction, across frames and segments."""
    screen = replay("@01:58:50", "--step", "-v", "flows")
    is_at(screen, "01:58:50")
    shown = {}
    clocks = [f"{1 + (58 * 60 + s) // 3600:02}:{(58 * 60 + s) // 60 % 60:02}:{s % 60:02}" for s in range(55, 135, 5)]
    for clock in clocks:
        screen.keys("Space")
        shown[clock] = re.sub(r"recording \S+ \S+ \S+ +\S+", "", screen.still(rf"stepping +2026-11-21 {clock}"))
    for clock in reversed(clocks[:-1]):
        screen.keys(",")
        now = re.sub(r"recording \S+ \S+ \S+ +\S+", "", screen.still(rf"stepping +2026-11-21 {clock}"))
        assert now.splitlines()[3:10] == shown[clock].splitlines()[3:10]


def test_minutes(replay):
    screen = replay("@01:58:50", "--step")
    for key, clock in (("]", "01:59:50"), ("]", "02:00:50"), ("[", "01:59:50"), ("[", "01:58:50")):
        screen.keys(key)
        is_at(screen, clock)


def test_across_a_gap(replay):
    """It is said: by a step, by a minute, and for a time in it."""
    screen = replay("@02:59:30", "--step")
    is_at(screen, "02:59:30")
    screen.keys("]")
    screen.wait(r"nothing was recorded at 2026-11-21 03:00:30; the nearest snapshot is from 2026-11-21 04:00:00")
    screen.keys("[")
    is_at(screen, "03:00:00")
    screen.keys(".")
    screen.wait(r"gap: nothing was recorded for 1h00m")
    screen.keys(".")
    screen.wait(lambda text: "04:00:05" in text and "gap:" not in text, "no gap after the next snapshot")
    screen.keys("d", "C-u")
    screen.type("03:30")
    screen.wait(r"nothing was recorded at 2026-11-21 03:30:00; the nearest snapshot is from 2026-11-21 04:00:00")


def test_incidents(replay):
    """Enter, a digit, { and } go to incidents, and say when there is none; Esc returns to the timeline."""
    screen = replay()
    screen.wait(r"(?s)\[timeline\].*1 incident from .*1 +C 11-21 02:10:05 02:20:00 target-down +eth0 +eth1 +6000 2s before: link-down")
    screen.keys("Enter")
    is_at(screen, "02:10:05")
    screen.wait(r"(?s)\[overview\].*1 of 1: target-down: eth0 -> eth1")
    screen.keys("{")
    screen.wait(r"no incident before this")
    screen.keys("}")
    screen.wait(r"no incident after this")
    screen.keys("[", "}")
    is_at(screen, "02:10:05")
    screen.keys("Escape")
    screen.wait(r"\[timeline\]")
    screen.keys("2")
    screen.wait(r"2 does nothing here")
    screen.keys("1")
    is_at(screen, "02:10:05")
    screen.wait(r"(?s)\[overview\].*1 of 1: target-down: eth0 -> eth1")
    screen.keys("Escape")
    screen.wait(r"\[timeline\]")
    screen.keys("q")
    screen.wait("exit=0")


@pytest.mark.parametrize("span,timeline", [("@02:00", False), ("@02:00..02:59", False), ("@01:00..02:30", True)])
def test_opens_on_the_timeline(replay, span, timeline):
    """A time, and a span of less than an hour, are looked at at once."""
    screen = replay(span)
    screen.wait(r"\[timeline\]" if timeline else r"\[overview\]")


def test_ends(replay):
    screen = replay("@00:00:20")
    for _ in range(4):
        screen.keys("[")
    screen.wait(r"this is the first snapshot|2026-11-21 00:00:0[05]")
    screen.keys("[")
    screen.wait(r"this is the first snapshot")
    screen.keys("d", "C-u")
    screen.type("2026-12-01 00:00")
    is_at(screen, "05:00:00")


def test_only_in_a_replay_of_a_file(terminal, recorded):
    """The same keys in a file. A pipe only goes forward, and has no timeline, which its view says; a terminal is refused."""
    screen = terminal(120, 24)
    screen.type(f"clear; {XDPTOP} -r {recorded} --step")
    screen.wait(r"09:15:00")
    screen.keys("]")
    screen.wait(r"09:15:06")
    screen.keys("[")
    screen.wait(r"09:15:0[01]")
    screen.keys("q")
    screen.wait(r"\$ *$")
    screen.type(f"clear; cat {recorded} | {XDPTOP} -r - --step")
    screen.wait(r"09:15:00")
    screen.keys("Space", "{")
    screen.wait(r"a timeline needs a file or a directory, not a pipe")
    screen.keys("q")
    screen.wait(r"\$ *$")
    screen.type(f"clear; cat {recorded} | {XDPTOP} -r - -v timeline")
    screen.wait(r"A timeline needs a file or a directory, not a pipe: write")
    screen.keys("q")
    screen.wait(r"\$ *$")
    screen.type(f"clear; {XDPTOP} -r - -v timeline; echo exit=$?")
    screen.wait(r"(?s)stdin: it is a terminal; give a file.*exit=5")


def test_of_a_running_recorder(terminal, tmp_path):
    """Snapshots appear as they are written, in the last segment and in later ones, until the run ends."""
    made = Recorder(tmp_path / "rec")
    start = int(time.time()) - 60
    (name,) = made.run(start, 60, end=False)

    def clock(second):
        return time.strftime("%H:%M:%S", time.gmtime(start + second))

    screen = terminal(120, 24)
    screen.type(f"clear; {XDPTOP} -r {made.directory} --speed 100; echo exit=$?")
    screen.wait(rf"recording .*, live .*{clock(60)}")
    rows = made.rows(13, start + 65, True, {"lost": 0, "lost_total": 0, "changes": [], "begins": False})
    head = made.header("11111111-2222-3333-4444-555555555555", start, start + 65, 0)
    with open(made.directory / name, "ab") as segment:
        segment.write(FRAME + block(lines(head)) + block(lines(*rows)))
    text = screen.wait(rf"recording .*, live .*{clock(65)}")
    assert "gap" not in text
    screen.keys("[")
    screen.wait(rf"stepping .*{clock(5)}")
    screen.keys("p")
    screen.wait(rf"recording .*, live .*{clock(65)}")
    made.run(start + 70, 10, boot="99999999-2222-3333-4444-555555555555")
    screen.wait(rf"recording .*, at its end .*{clock(80)}")
    screen.keys("q")
    screen.wait("exit=0")


def test_of_a_running_recorder_of_another_user(terminal, tmp_path):
    """Without privileges the next segment cannot be opened: that is not the recording's end."""
    if os.getuid():
        missing("root, who may begin to read this directory")
    made = Recorder(tmp_path / "rec")
    start = int(time.time()) - 60
    made.run(start, 60, end=False)
    os.chown(made.directory, 1234, 1234)
    made.directory.chmod(0o700)
    screen = terminal(120, 24)
    screen.type(f"clear; {XDPTOP} -r {made.directory} --speed 100; echo exit=$?")
    screen.wait("recording .*, live ")
    made.run(start + 65, 10)
    screen.wait("recording .*, reading failed: Permission denied")
    screen.keys("q")
    screen.wait("exit=0")


BLANK = ((1 << 1 | (1 << 17) << 3).to_bytes(3, "little") + b"\n") * (1 << 16)  # 8 GiB of lines in RLE blocks


@pytest.mark.parametrize("span", ["", "@00:03", "@00:01..", "@01:10"])
def test_ends_at_once(terminal, tmp_path, span):
    """By a signal, while it reads 400 GiB of blank lines in 50 segments."""
    made = Recorder(tmp_path / "rec")
    made.run(START, 300)
    for minute in range(50):
        (made.directory / f"xdptop-20261121T01{minute:02}00Z.jsonl.zst").write_bytes(FRAME + BLANK)
    screen = terminal(120, 24)
    for opened in (lambda text: screen.alternate(), r"recording"):  # before a head was found, and after it
        screen.type(f"clear; {XDPTOP} -r {made.directory}{span}; echo exit=$?")
        screen.wait(opened, "the screen")
        screen.kill(signal.SIGTERM)
        screen.wait("exit=0")


@pytest.mark.parametrize("end", ["q", "signal"])
def test_a_search_can_be_left(terminal, tmp_path, end):
    """Among 8 GiB of blank lines, by a key and by a signal."""
    made = Recorder(tmp_path / "rec")
    (name,) = made.run(START, 60, end=False)
    path = made.directory / name
    path.write_bytes(path.read_bytes()[:-3] + BLANK)
    screen = terminal(120, 24)
    screen.type(f"clear; {XDPTOP} -r {path}@00:00:30 --step; echo exit=$?")
    is_at(screen, "00:00:30")
    screen.keys("}")
    screen.wait("looking for the next incident")
    if end == "q":
        screen.keys("q")
    else:
        screen.kill(signal.SIGTERM)
    screen.wait("exit=0")
