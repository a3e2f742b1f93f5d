# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording on the screen: position, speed, forward and back to a time."""
import errno
import os
import re
import shlex
import subprocess
import time

import pytest

import busy_recording
from pane import DEADLINE, POLL, TOP, XDPTOP


@pytest.fixture
def replay(terminal, recorded):
    def start(*arguments, pipe=False, path=recorded):
        screen = terminal(100, 24)
        command = shlex.join([XDPTOP, "--read", "-" if pipe else path, *arguments])
        screen.type("clear; " + (f"cat {recorded} | " if pipe else "") + command + "; echo exit=$?")
        screen.wait(r"\? help")  # not in the typed command, which has the recording's path
        return screen

    return start


def go_to(screen, text):
    screen.keys("d")
    screen.wait(r"Go to \(")
    screen.keys("C-u")
    screen.type(text)


def events_of(screen, tracepoint):
    (line,) = [line for line in screen.text().splitlines() if re.search(rf"\d +{tracepoint} ", line)]
    return line.split()


def test_position(replay):
    """The part of the file read so far, from start to end."""
    screen = replay("--step")
    seen = []
    for second in range(1, 7):
        screen.keys("Space")
        text = screen.wait(rf"09:15:0{second}")
        seen += [int(n) for n in re.findall(r"recording (\d+)%", text)]
    assert seen == sorted(seen) and len(set(seen)) == 5
    screen.wait("recording, at its end")


# A program that reads the terminal, like ssh without -n, takes keys from the screen.
SSH = """#!/bin/sh
exec 3<&0
if [ "$1" = -n ]; then shift; exec </dev/null; else cat >/dev/null <&3 & fi
shift
exec "$@"
"""


def open_read(path):
    """Opens a FIFO to write, once somebody reads it."""
    end = time.monotonic() + DEADLINE
    while True:
        try:
            fd = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as e:
            assert e.errno == errno.ENXIO and time.monotonic() < end, f"nobody reads {path}: {e}"
            time.sleep(POLL)
        else:
            os.set_blocking(fd, True)
            return open(fd, "wb", buffering=0)


def test_from_an_alert(terminal, recorded, tmp_path):
    """The command of the alert rules: the screen follows the host's output, and handles every key."""
    (command,) = re.findall(r'screen: "(.*)"', (TOP / "contrib/prometheus/xdptop.rules.yml").read_text())
    os.mkfifo(tmp_path / "sent")
    for name, text in (("ssh", SSH), ("sudo", f"#!/bin/sh\nexec cat {tmp_path}/sent\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "xdptop").symlink_to(XDPTOP)
    screen = terminal(100, 24, PATH=f"{tmp_path}:{os.environ['PATH']}")
    screen.type("clear; " + re.sub("{{.*}}", "edge1", command) + "; echo exit=$?")
    with open(recorded, "rb") as file, open_read(tmp_path / "sent") as sent:
        second = 0
        for line in file:
            if line.startswith(b'{"type":"tracepoint"') and f'"seq":{second + 1},'.encode() in line:
                second += 1
                if second > 2:
                    screen.wait(f"09:15:0{second - 1}")
                    for key, shown in (("?", "Keys here"), ("Escape", r"FINDING")) * 5:
                        screen.keys(key)
                        screen.wait(shown)
            sent.write(line)
    screen.wait("09:15:06")
    screen.keys("q")
    screen.wait("^exit=0")


@pytest.mark.parametrize("limit,shown", [("3", 3), ("3s", 2)])
def test_so_many(replay, limit, shown):
    """-n: all snapshots are shown, the last one until the next is due; seconds count from the first, as in batch."""
    screen = replay("--step", "-n", limit)
    for second in range(1, shown + 1):
        screen.keys("Space")
        screen.wait(rf"09:15:0{second}")
    screen.keys("Space")
    screen.wait(r"exit=0")


@pytest.fixture
def two_runs(replay, recorded, tmp_path):
    path = tmp_path / "both.jsonl"
    with open(recorded, encoding="utf-8") as f:
        path.write_text(2 * f.read())
    return replay("--step", path=str(path))


def test_two_runs_in_one_file(two_runs):
    """The end of the first run is not the end of the file."""
    screen = two_runs
    for second in range(1, 7):
        screen.keys("Space")
        text = screen.wait(rf"09:15:0{second}")
    assert re.search(r"recording \d+%", text), text
    for second in range(7):  # including the second run's state before its first interval
        screen.keys("Space")
        screen.wait(rf"09:15:0{second}")
    screen.wait("recording, at its end")


def test_forward_and_back(replay):
    """The numbers at a time are the same from either direction."""
    screen = replay("--step", "-v", "tracepoints")
    shown = {}
    for second in range(1, 7):
        screen.keys("Space")
        screen.still(rf"09:15:0{second}")
        shown[second] = events_of(screen, "xdp_exception")[:8]
    for text, second in (("09:15:02", 2), ("+3", 5), ("-4s", 1), ("2026-11-21 09:15:03", 3), ("9:15:4", 4)):
        go_to(screen, text)
        screen.still(rf"09:15:0{second}\b")
        assert events_of(screen, "xdp_exception")[:8] == shown[second], text
    # beyond the end is the last snapshot, from where it goes back
    go_to(screen, "+1h")
    screen.wait(r"09:15:06")
    screen.wait("recording, at its end")
    go_to(screen, "-5")
    screen.wait(r"09:15:01")
    screen.keys("Space")
    screen.wait(r"09:15:02")


@pytest.fixture
def packed(recorded, tmp_path):
    """The same, compressed."""
    path = tmp_path / "r.jsonl.zst"
    subprocess.run([XDPTOP, "-r", recorded, "-o", "json", "-C", "--to", path], check=True)
    return str(path)


def shown_at(screen, second):
    """The screen without its position in the file."""
    return re.sub(r"recording(, at its end| \d+%) *", "", screen.still(rf"09:15:0{second}"))


@pytest.mark.parametrize("view,compressed", [("overview", False), ("flows", True), ("findings", False), ("devices", True)])
def test_one_snapshot_back(replay, recorded, packed, view, compressed):
    """The screen is as before: totals, rates, trend, findings. Then forward again."""
    screen = replay("--step", "-v", view, path=packed if compressed else recorded)
    shown = {}
    for second in range(1, 7):
        screen.keys("Space")
        shown[second] = shown_at(screen, second)
    for second in (5, 4, 3, 2, 1):
        screen.keys(",")
        assert shown_at(screen, second) == shown[second]
    screen.keys(",")
    screen.wait(r"this is the first snapshot")
    for second in (2, 3):
        screen.keys(".")
        assert shown_at(screen, second) == shown[second]


def test_back_behind_a_baseline(replay):
    screen = replay("--step", "-v", "errors")
    shown = {}
    for second in range(1, 5):
        screen.keys("Space")
        screen.wait(rf"09:15:0{second}")
        if second == 2:
            screen.keys("r")
            screen.wait("baseline: ")
        if second > 2:
            shown[second] = shown_at(screen, second)
    screen.keys(",")
    assert shown_at(screen, 3) == shown[3]
    screen.keys(".")
    assert shown_at(screen, 4) == shown[4]
    # before it, then across it
    for key, second in zip(",,,..", (3, 2, 1, 2, 3)):
        screen.keys(key)
        screen.wait(rf"09:15:0{second}")
    assert shown_at(screen, 3) == shown[3]
    # a time that was jumped to has none, nor do the snapshots after it
    for key, second in zip(",,", (2, 1)):
        screen.keys(key)
        screen.wait(rf"09:15:0{second}")
    go_to(screen, "09:15:02")
    screen.wait(r"stepping +09:15:02")
    screen.keys(".")
    screen.wait(r"stepping +09:15:03")
    assert shown_at(screen, 3) != shown[3]


def test_back_stops_the_replay(replay):
    """Like a film; p resumes, as fast as before."""
    screen = replay("--speed", "1000")
    screen.wait(r"recording, at its end")
    screen.keys(",", ",")
    screen.wait(r"09:15:04 +stepping|stepping +09:15:04")
    screen.keys(".")
    screen.wait(r"09:15:05")
    screen.keys("p")
    screen.wait(r"recording, at its end")


def test_no_way_back_in_a_pipe(replay):
    screen = replay("--step", pipe=True)
    for second in (1, 2):
        screen.keys("Space")
        screen.wait(rf"09:15:0{second}")
    screen.keys(",")
    screen.wait(r"is read from a pipe cannot be rewound")
    screen.keys(".")
    screen.wait(r"09:15:03")


def test_back_into_the_run_before(two_runs):
    screen = two_runs
    for second in (1, 2, 3, 4, 5, 6, 0, 1):
        screen.keys("Space")
        screen.wait(rf"09:15:0{second}")
    for second in (6, 5):
        screen.keys(",")
        screen.wait(rf"09:15:0{second}")
    for second in (6, 0):
        screen.keys(".")
        screen.wait(rf"09:15:0{second}")
    screen.keys(",")
    screen.wait(r"09:15:06")


def test_steps_ahead_of_the_recording(terminal, recorded, tmp_path):
    """A step is not lost if its snapshot is missing or incomplete when Space is pressed."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with open(recorded, "rb") as file:
        lines = file.readlines()
    begin = next(i for i, line in enumerate(lines) if b'"seq":2,' in line)
    screen = terminal(100, 24)
    screen.type(f"clear; {XDPTOP} -r {fifo} --step")
    with open(fifo, "wb", buffering=0) as writer:
        writer.writelines(lines[:begin])
        screen.wait(r"\? help")
        screen.keys("Space", "Space", "Space", "t")
        screen.wait(r"\[tracepoints\]")
        screen.keys("Escape")
        for line in lines[begin:]:
            writer.write(line)
        screen.wait(r"stepping +09:15:03")
        screen.keys("Space")
        screen.wait(r"stepping +09:15:04")


def test_while_paused(replay):
    screen = replay("--step")
    screen.keys("Space")
    screen.wait(r"09:15:01")
    screen.keys("p")
    screen.wait("PAUSED")
    go_to(screen, "09:15:05")
    # the prompt shows it earlier, as typed
    text = screen.wait(lambda text: "09:15:05" in text and "Go to" not in text, "09:15:05 without the prompt")
    assert "PAUSED" not in text


def test_suspended(replay):
    """The next snapshot waits for Space, not for `fg`."""
    screen = replay("--step")
    screen.keys("C-z")
    screen.wait(r"Stopped")
    screen.type("clear; fg")
    screen.wait(r"\? help")
    screen.keys("R")
    assert "09:15:00" in screen.wait("sorted by|▲")  # drawn because of `fg`


def test_no_time(replay):
    screen = replay("--step")
    for text in "soon", "+9223372036854775807h", "-999999999999m":
        go_to(screen, text)
        screen.wait(r"'%s' is not a time; give 09:15" % re.escape(text))
        screen.keys("Escape")
        screen.wait(lambda text: "Go to" not in text, "no prompt")


def test_a_pipe_goes_forward_only(replay):
    screen = replay("--step", pipe=True)
    screen.keys("Space")
    screen.wait(r"09:15:01")
    go_to(screen, "09:15:04")
    screen.wait(r"stepping +09:15:04")  # shown, not just typed
    go_to(screen, "09:15:02")
    screen.wait("cannot be rewound")


def test_rows_are_sorted_at_the_end(replay):
    """No later sample sorts them; until then they are sorted every three seconds."""
    screen = replay("-v", "findings", path=str(TOP / "tests/fixtures/demo.jsonl"))
    screen.wait("the recording ends here")
    lines = screen.still(r"at its end").split("\n")
    end = lines[3].index("LOST/S▼") + len("LOST/S▼")
    lost = [float(line[:end].split()[-1]) for line in lines[4:lines.index("", 4)]]
    assert len(lost) > 8 and lost == sorted(lost, reverse=True)
