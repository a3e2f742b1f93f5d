# SPDX-License-Identifier: GPL-2.0-or-later
"""Columns of the screen get the width that their content needs, and keep it."""
import re

import pytest

import column_space
from pane import TOP, XDPTOP

DEMO = TOP / "tests/fixtures/demo.jsonl"
VIEWS = ["overview", "findings", "flows", "errors", "devices", "programs", "maps", "sockets", "events", "cpumap",
         "queues", "cpus", "stack", "packets", "tracepoints"]


@pytest.fixture
def demo_screen(terminal):
    def start(*arguments, width, height=24):
        screen = terminal(width, height)
        screen.type(f"clear; {XDPTOP} -r {DEMO} --step " + " ".join(arguments))
        screen.wait(r"\? help")
        screen.keys("Space", "Space")
        screen.wait(r"13:02:23")
        return screen

    return start


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_nothing_is_cut_beside_room(demo_screen, width):
    screen = demo_screen(width=width)
    for view in VIEWS:
        lines = screen.still(rf"\[{view}\]").split("\n")
        rows = lines[4:lines.index("", 4)]
        column_space.check(lines[3], [row for row in rows if row[2:3].strip()], width)
        screen.keys("Tab")


def test_a_column_widens_at_once_and_does_not_jump(demo_screen):
    """It narrows when the view changes."""
    screen = demo_screen("-v", "flows", "-s", "ifname:asc", width=80, height=10)
    narrow = screen.still(r"\[flows\]").split("\n")[2]
    screen.keys("End")
    wide = screen.still(lambda text: text.split("\n")[2] != narrow).split("\n")[2]
    screen.keys("Home")
    assert screen.still(r"\n>!eth0 ").split("\n")[2] == wide
    screen.keys("Tab", "BTab")
    screen.still(lambda text: text.split("\n")[2] == narrow, "as narrow as before")


def test_columns_left_out_are_marked_at_both_ends(demo_screen):
    screen = demo_screen("-v", "flows", width=80)
    assert re.match(r"  DEVICE.*>$", screen.still(r"\[flows\]").split("\n")[3])
    screen.keys("Right")
    screen.wait(r"\n< DEVICE.*>\n")
    screen.keys(*["Right"] * 20)
    screen.wait(r"\n< DEVICE.*[^>]\n")


@pytest.mark.parametrize("height", [11, 24])
def test_the_overview_scrolls_as_far_as_its_widest_block(demo_screen, height):
    """A scroll back from there shows at once; a low screen has blocks only."""
    screen = demo_screen(width=80, height=height)
    screen.keys(*["Right"] * 20)
    screen.still(r"(?s)\n< S FINDING[^\n]* TRACEPOINT\n.*\n< DEVICE[^\n]*[^>\n]\n")
    screen.keys("Left")
    screen.wait(r"\n< DEVICE.*>\n")


def test_equal_names_keep_their_namespace(demo_screen):
    """Two devices named eth0 are told apart at 80 columns; with one of them there is no need."""
    screen = demo_screen("-v", "findings", width=80, height=40)
    text = screen.still(r"\[findings\].*")
    assert re.search(r"LAST MIN +NETNS +>", text)
    assert len(set(re.findall(r"(?m)^.{4}no-such-ifindex +eth0 .* (\+\d+)$", text))) == 2
    screen.keys("/", *"ifname=eth9", "Enter")
    assert "NETNS" not in screen.still(r"filter: ifname=eth9").split("\n")[3]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_all_views_are_in_the_bar(demo_screen, width):
    """The line above them has the state, however long it is; the last ones go where they have no room."""
    screen = demo_screen(width=width)
    screen.keys("/", *"ifname=eth* errors_per_s>0 prog_name=rig*", "Enter", "p")
    lines = screen.still(r"PAUSED").split("\n")
    assert "filter: ifname=eth*" in lines[0] and "PAUSED" in lines[0]
    bar = [name for name in re.findall(r"\w+", lines[1]) if not name.isdigit()]
    assert bar == [*VIEWS[:9], "more"][:len(bar)] and (width < 80 or len(bar) == 10)
    assert "[overview]" in lines[1]


def test_selected_row_is_one_bar(demo_screen):
    """From edge to edge, in the colours of its cells."""
    screen = demo_screen("-v", "flows", width=80)
    screen.keys("R", "R")  # sorts by this sample
    screen.still(r"(?s)\n>!eth7.*largest first")
    row = screen.text(style=True).split("\n")[4]
    # whatever ends a colour begins the reverse again
    assert re.fullmatch(r"\x1b\[0;7m(\x1b\[(0;7|[1-9][0-9;]*)m|[^\x1b])*(\x1b\[0?m)?", row), repr(row)
    assert "\x1b[31m" in row
