# SPDX-License-Identifier: GPL-2.0-or-later
"""Columns of text get the width that their content needs."""
import re

import pytest

import column_space
from batch import DEMO, output

# the demo has no rows of CPUs
VIEWS = ["overview", "flows", "errors", "devices", "programs", "cpumap", "stack", "events", "findings",
         "tracepoints"]


# below the rows: why there are none, and events with a text
NO_ROW = re.compile(r"\(|\d+ (more in|missing:?) |\d\d:\d\d:\d\d \w+( [^ ]+)?( [^ ]+\[\d+\])?: ")


def tables(text):
    """Titles and rows of each snapshot."""
    lines = re.sub(r"\n(XDP on .*|Tracepoints: .*)\n\n?", "\n", text).split("\n")
    for i, line in enumerate(lines):
        if line.startswith("xdptop - "):
            end = lines.index("", i)
            while end + 1 < len(lines) and re.match(r" ?[A-Z]+ ", lines[end + 1]):
                first, end = end + 1, lines.index("", end + 1)
                rows = [row for row in lines[first + 1:end] if not NO_ROW.match(row)]
                assert rows, lines[first]
                yield lines[first], rows


def output_at(width, *args):
    return output("-r", DEMO, "-b", *args, env={"COLUMNS": str(width), "LANG": "C.UTF-8"}).decode()


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_nothing_is_cut_beside_room(view, width):
    shown = list(tables(output_at(width, "-v", view)))
    assert len(shown) >= (1 if view == "events" else 3)  # at least one per snapshot, but an event is listed once
    for titles, rows in shown:
        column_space.check(titles, rows, width)


@pytest.mark.parametrize("width", [120, 200])
def test_who_loses_what_is_whole(width):
    """Names of devices, targets and programs, if the line is wide enough for all of them."""
    for view in ("flows", "devices", "programs"):
        for _, rows in tables(output_at(width, "-v", view, "-n", "1")):
            assert not [row for row in rows if column_space.CUT.search(row)], view


def test_what_is_sorted_by_is_placed():
    """Even a column that the view lacks, in the narrowest line, and only once beside those of CPUs."""
    for width in (40, 80, 200):
        for title, *args in (("LOST/S", "lost_per_s"), ("BYTES", "bytes_total"), ("SEEN", "last_seen"),
                             ("SHARE%", "share", "-C")):
            shown = [titles.rstrip(">").split() for titles, _ in tables(output_at(width, "-v", "flows", "-s", *args))]
            assert shown and all(titles.count(title) == 1 for titles in shown)


def test_columns_left_out_are_marked():
    assert next(tables(output_at(80, "-v", "flows")))[0].endswith(">")
    assert not next(tables(output_at(250, "-v", "flows")))[0].endswith(">")


@pytest.mark.parametrize("env,utf8", [({"LANG": "xx_XX.UTF-8"}, True), ({"LANG": "xx_XX.utf8"}, True),
                                      ({"LANG": "xx_XX.UTF-8", "LC_ALL": "xx_XX"}, False),
                                      ({"LANG": "xx_XX.UTF-8", "LC_CTYPE": "C"}, False)])
def test_locale_that_is_not_there(env, utf8):
    assert ("·" in output("-r", DEMO, "-b", env=env).decode()) == utf8
