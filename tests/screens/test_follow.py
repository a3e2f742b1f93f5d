# SPDX-License-Identifier: GPL-2.0-or-later
"""Followed events: their list over a recording, and the key that follows a row."""
import os
import re
import signal
import time

import pytest

from pane import DEADLINE, POLL

SIZES = [(60, 15), (80, 24), (120, 40), (200, 60)]


@pytest.mark.parametrize("width,height", SIZES)
def test_list(monitor, recorded_follow, width, height):
    """The newest first; a sign marks missing events."""
    screen = monitor("-v", "follow", path=recorded_follow, width=width, height=height)
    screen.golden(f"follow-{width}x{height}")


def test_ascii(monitor, recorded_follow):
    text = monitor("-v", "follow", "--ascii", path=recorded_follow, width=200).still(r"1\.204us")
    assert text.isascii()


def test_details(monitor, recorded_follow):
    """All arguments, and the cause of a failure."""
    screen = monitor("-v", "follow", "-f", "tracepoint=xdp_redirect_err", path=recorded_follow, height=60)
    screen.keys("Enter")
    screen.wait(r"\(lines ")
    screen.golden("follow-details-80x60")
    screen.keys("m")  # its map
    screen.wait(r"no map is known")
    screen.keys("Escape")
    screen.wait(r"\[follow\]")


def test_tabs(monitor, recorded, recorded_follow):
    """The view exists after something was followed; otherwise nobody gets to an empty one."""
    screen = monitor(path=recorded_follow, width=120, steps=0)
    screen.keys("BTab")
    screen.wait(r"\[timeline\]")
    screen.keys("Tab", "Space")
    screen.wait(r"(?s)09:15:01.*\[overview\]")
    screen.keys("BTab")
    screen.wait(r"\[follow\]")
    screen.keys("Tab")
    screen.wait(r"\[overview\]")
    screen.keys("v")
    screen.wait(r"(?m)^ *follow +each followed event")
    screen = monitor(path=recorded, width=120)
    screen.keys("BTab")
    screen.wait(r"\[timeline\]")
    screen.keys("Tab")
    screen.wait(r"\[overview\]")
    screen.keys("v")
    assert "each event" not in screen.still(r"sockets +every AF_XDP")


def test_empty(monitor):
    """Requested by name although nothing was followed."""
    screen = monitor("-v", "follow")
    screen.wait(r"\[follow\]")
    screen.wait("This recording has no followed event so far")
    screen.keys("Tab")
    screen.wait(r"\[overview\]")


def test_replay(monitor, recorded, recorded_follow):
    """A recording has the events followed when it was made."""
    screen = monitor("-v", "flows", path=recorded)
    screen.keys("l")
    screen.wait("a recording cannot be followed: nothing was followed when it was made")
    screen = monitor("-v", "flows", path=recorded_follow)
    screen.keys("l")
    screen.wait("a recording cannot be followed: its events are in the follow view")


def rows(text):
    return re.findall(r"(?m)^[> ][! ]\d\d:\d\d:\d\d\.\d{9}.*$", text)


def test_filter_sort_pause(monitor, recorded_follow):
    """As in the events view; a gap refers to the previous event, listed or not."""
    screen = monitor("-v", "follow", path=recorded_follow, width=120, height=40)
    assert len(rows(screen.still(r"xdp_redirect_err"))) == 13
    screen.keys("/")
    screen.type("gap>0.1 tracepoint=xdp_exception")
    text = screen.still(r"filter: gap>0\.1")
    assert [re.search(r"\d+\.\dms", line)[0] for line in rows(text)] == ["865.0ms"] * 2
    screen.keys("Escape")
    screen.wait("filter cleared")
    screen.keys(">", "R")  # by time, the oldest first, then the newest
    text = screen.still(r"TIME[^ ]")
    times = [line[2:20] for line in rows(text)]
    assert times == sorted(times, reverse=True)
    screen.keys("p")
    screen.wait("PAUSED")
    screen.keys("Space")
    screen.wait("paused: p resumes")
    assert len(rows(screen.text())) == 13
    screen.keys("p")
    screen.wait(lambda text: "PAUSED" not in text)
    screen.keys("Space")
    screen.wait(lambda text: len(rows(text)) == 19)


def test_back_and_forth(monitor, recorded_follow):
    """A step back shows the events followed until then."""
    screen = monitor("-v", "follow", path=recorded_follow, height=40, steps=3)
    assert len(rows(screen.still("09:15:03"))) == 19
    screen.keys(",")
    screen.wait(lambda text: "stepping  09:15:02" in text and len(rows(text)) == 13)
    screen.keys(".")
    screen.wait(lambda text: "stepping  09:15:03" in text and len(rows(text)) == 19)


def title(text):
    return re.search(r"(?m)^  Following (.*?) +\S+ events, (\S+)/s, (\S+) lost$", text)


def followed_rate(text):
    """The rate in the title, once a second has passed."""
    found = title(text)
    return float(found[2].strip("kM<·") or 0) if found else 0


@pytest.fixture
def errors(live, demo):
    """The errors of the demo, with one of a redirect selected."""
    screen = live("-v", "errors", "-f", "tracepoint=xdp_redirect_err", "-d", "0.2", width=120, height=30)
    screen.wait(r"(?m)^>!?xdp_redirect_err")
    screen.keys("Down", "Up")
    screen.wait(r"1/\d+ \(")
    return screen


def selected(text):
    """Tracepoint, device and errno of the row."""
    return re.search(r"(?m)^>[! ](\S+ +\S+ +\S+)", text)[1].split()


def wait_for_follow(screen, state):
    """Clears the filter, waits in the view of tracepoints, and returns from there."""
    screen.keys("Escape")
    screen.wait(lambda text: "filter: " not in text)
    screen.keys("t")
    screen.wait(rf"(?m)\[tracepoints\](?s:.*)^.*\bfollow +{state}\b")
    screen.keys("t")
    screen.wait(lambda text: "[tracepoints]" not in text)


@pytest.mark.alone  # the first row is that of its own rig
def test_live(errors):
    """Events arrive while the view is shown; Esc returns to the row, and ends following."""
    row = selected(errors.text())
    errors.keys("l")
    text = errors.wait(lambda text: "[follow]" in text and followed_rate(text) > 0)
    assert title(text)[1].startswith("xdp_redirect_err on " + row[1]) and title(text)[1].endswith(": " + row[2])
    text = errors.wait(lambda text: len(rows(text)) > 5)
    assert "TRACEPOINT" not in text  # the title has it
    assert all("act=REDIRECT" in line for line in rows(text) if "lost:" not in line)
    errors.keys("p")
    before = rows(errors.wait("PAUSED"))
    errors.keys("Space")
    assert rows(errors.wait("paused: p resumes")) == before
    errors.keys("p")
    errors.wait(lambda text: "PAUSED" not in text and rows(text) and rows(text)[0] != before[0])
    errors.keys("Down", "Enter")
    errors.wait(r"Arguments\n prog_id +\d+\n act +REDIRECT\n")
    errors.keys("Escape")
    errors.wait(r"\[follow\]")
    errors.keys("Escape")
    assert selected(errors.wait(r"\[errors\]")) == row
    wait_for_follow(errors, "off")
    errors.keys("q")
    errors.wait(r"exit=0\n")


def test_left_by_tab(errors):
    """Another view ends it: the list and its view are gone."""
    errors.keys("l")
    errors.wait(lambda text: "[follow]" in text and rows(text))
    errors.keys("Tab")
    text = errors.wait(r"\[overview\]")
    assert "follow" not in text.split("\n")[1]
    wait_for_follow(errors, "off")


def test_from_the_details(errors):
    """Esc returns to them."""
    errors.keys("Enter")
    errors.wait(r"\(lines ")
    errors.keys("l")
    errors.wait(lambda text: "[follow]" in text and rows(text))
    errors.keys("/")
    errors.type("cpu>=0")
    errors.wait(r"filter: cpu>=0")
    errors.keys("Escape")
    errors.wait("filter cleared")
    errors.keys("Escape")
    errors.wait(r"\(lines ")
    errors.keys("Escape")
    errors.wait(r"\[errors\].*(?s:.*)filter: tracepoint=xdp_redirect_err|filter: tracepoint(?s:.*)\[errors\]")


def switches(pid):
    """How often a process has waited."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(r"(?m)^voluntary_ctxt_switches:\s+(\d+)", file.read())[1])


@pytest.mark.alone
def test_terminal_that_stands_still(errors):
    """The monitor takes events while nobody reads; the list continues with the newest."""
    errors.keys("l")
    before = rows(errors.wait(lambda text: "[follow]" in text and rows(text)))[0]
    server, monitor = int(errors.tmux("display", "-p", "#{pid}")), errors.pid()
    start, end = switches(monitor), time.monotonic() + DEADLINE
    os.kill(server, signal.SIGSTOP)
    try:
        while switches(monitor) < start + 50:
            assert time.monotonic() < end, "it waits for the terminal"
            time.sleep(POLL)
    finally:
        os.kill(server, signal.SIGCONT)
    text = errors.wait(lambda text: rows(text) and rows(text)[0] > before and followed_rate(text) > 0)
    assert title(text)
    errors.keys("Escape")
    errors.wait(r"\[errors\]")


@pytest.mark.usefixtures("demo")
def test_what_is_off(live):
    """It is on while it is followed."""
    screen = live("-v", "tracepoints", "-d", "0.2", width=100)
    screen.wait(r"(?m)xdp_redirect +off")
    screen.keys("/")
    screen.type("tracepoint=xdp_redirect")
    screen.wait(r"(?m)^>.*xdp_redirect +off")
    screen.keys("l")
    text = screen.wait(lambda text: "[follow]" in text and rows(text) and followed_rate(text) > 0)
    assert title(text)[1] == "xdp_redirect"
    screen.keys("Escape")
    screen.wait(r"(?m)^>.*xdp_redirect +off")


def test_what_cannot_be_followed(live):
    screen = live("-v", "cpus", width=100)
    screen.wait(r"(?m)^> *\d")
    screen.keys("l")
    screen.wait("l does nothing here")
