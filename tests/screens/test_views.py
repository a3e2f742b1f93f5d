# SPDX-License-Identifier: GPL-2.0-or-later
"""The look of the screens in several sizes and terminals."""
import re

import pytest

import recording

SIZES = [(40, 10), (80, 24), (200, 60)]
VIEWS = ["overview", "findings", "flows", "errors", "devices", "programs", "maps", "sockets", "events", "cpumap",
         "queues", "cpus", "stack", "packets", "tracepoints"]


@pytest.mark.parametrize("width,height", [*SIZES, (60, 15), (120, 40)])
@pytest.mark.parametrize("view", VIEWS)
def test_view(monitor, view, width, height):
    screen = monitor("-v", view, width=width, height=height)
    screen.golden(f"{view}-{width}x{height}")


@pytest.mark.parametrize("width,height", [(80, 24), (100, 30), (200, 50)])
@pytest.mark.parametrize("situation", list(recording.SITUATIONS))
def test_situation(monitor, tmp_path, situation, width, height):
    """What the overview says of it."""
    path = tmp_path / "r.jsonl"
    recording.write_situation(path, situation)
    monitor(path=path, steps=4, width=width, height=height).golden(f"situation-{situation}-{width}x{height}")


@pytest.mark.parametrize("width,height", [*SIZES, (60, 15), (120, 40)])
def test_maps_and_sockets(monitor, recorded_maps, width, height):
    screen = monitor("-v", "maps", path=recorded_maps, width=width, height=height)
    for view in ("maps", "sockets"):
        screen.wait(rf"\[{view}\]")
        screen.golden(f"{view}-there-{width}x{height}")
        screen.keys("Tab")


@pytest.mark.parametrize("width,height", [(60, 15), (80, 24), (100, 30), (200, 60)])
def test_queues(monitor, recorded_maps, width, height):
    monitor("-v", "queues", path=recorded_maps, width=width, height=height).golden(f"queues-there-{width}x{height}")


def test_details_of_a_queue(monitor, recorded_maps):
    """What its columns say; c leads to its CPU, m to the map entry of its socket."""
    screen = monitor("-v", "queues", path=recorded_maps, height=60)
    screen.keys("Enter")
    screen.golden("queue-80x60")
    screen.keys("Escape", "m")
    screen.wait(r"(?s)\[maps\].*\n>.*xsks_map")
    screen.keys("Escape", "c")
    screen.wait(r"(?s)\[cpus\].*\n>\W*7 ")
    screen.keys("Escape")
    screen.wait(r"\[queues\]")


@pytest.mark.parametrize("width", [80, 120, 200])
def test_counters_of_devices(monitor, recorded_counts, width):
    """Their columns; `n/a` for devices whose counters are unknown."""
    monitor("-v", "devices", "-s", "rx_missed_per_s", path=recorded_counts, width=width).golden(
        f"devices-counts-{width}x24")


def test_graph_of_a_counter(monitor, recorded_counts):
    screen = monitor("-v", "devices", "-f", "ifname=eth3", "-s", "rx_missed_per_s", path=recorded_counts, steps=4)
    screen.keys("g")
    screen.wait(r"RX-MISS/S +now 250 +peak 250 .* mean ")


@pytest.mark.parametrize("device", ["eth0", "eth3", "eth4"])
def test_way_of_packets(monitor, recorded_counts, device):
    """Verdicts that the driver counts, a device that loses before XDP, generic mode."""
    screen = monitor("-v", "devices", "-f", f"ifname={device} netns=init", path=recorded_counts, height=100)
    screen.keys("Enter")
    screen.wait(r"Packet path")
    screen.golden(f"way-{device}-80x100")


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("view", ["programs", "devices"])
def test_verdicts(monitor, recorded_verdicts, view, width):
    monitor("-v", view, path=recorded_verdicts, width=width).golden(f"{view}-verdicts-{width}x24")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_packets(monitor, recorded_verdicts, width):
    monitor("-v", "packets", path=recorded_verdicts, width=width).golden(f"packets-there-{width}x24")


@pytest.mark.parametrize("prog_id", [42, 51, 60])
def test_verdicts_of_a_program(monitor, recorded_verdicts, prog_id):
    """Its queues; a part of a dispatcher; a refused program. Its CPUs come last."""
    screen = monitor("-v", "programs", "-f", f"prog_id={prog_id}", path=recorded_verdicts, width=120, height=40)
    screen.keys("Enter")
    screen.wait(r"\(lines ")
    screen.golden(f"verdicts-of-{prog_id}-120x40")


def test_cpus_of_verdicts(monitor, recorded_verdicts):
    screen = monitor("-v", "programs", "-f", "prog_id=42", path=recorded_verdicts, width=120)
    screen.keys("c")
    screen.wait(r"(?s)\n>!xdp_fwd +- .*\n +xdp_fwd +1 .*\n !xdp_fwd +7 +\S* +94\.7 ")
    screen.keys("c", "Enter")
    screen.wait(r"\(lines ")
    screen.keys("c")
    screen.wait(r"(?s)CPUs of xdp_fwd.*\n +1 .*\n !? *7 ")
    screen.golden("cpus-of-verdicts-120x24")


def test_way_of_verdicts(monitor, recorded_verdicts):
    """With counted verdicts, and refused."""
    for device in "lan0", "nic0":
        screen = monitor("-v", "devices", "-f", f"ifname={device}", path=recorded_verdicts, height=60)
        screen.keys("Enter")
        screen.wait(r"Packet path")
        screen.golden(f"way-{device}-80x60")


@pytest.mark.parametrize("name,arguments", [("color", []), ("mono", ["--no-color"])])
@pytest.mark.parametrize("view", ["overview", "errors"])
@pytest.mark.parametrize("width,height", SIZES)
def test_styles(monitor, view, width, height, name, arguments):
    """Highlights with and without colours."""
    screen = monitor("-v", view, *arguments, width=width, height=height)
    screen.keys("Down")
    screen.wait(r"\n !.*\n>")
    screen.golden(f"{view}-{name}-{width}x{height}", style=True)


@pytest.mark.parametrize("width,height", SIZES)
def test_ascii(monitor, width, height):
    monitor("-v", "flows", "--ascii", width=width, height=height).golden(f"flows-ascii-{width}x{height}")


BARS = re.compile("[\u2588-\u258f]")


@pytest.mark.parametrize("width", [80, 120])
def test_bars(monitor, width):
    """A percentage also has a bar, after which the number is shown as without one."""
    screen = monitor("-v", "cpumap", "--no-color", width=width)
    text = screen.still(BARS.search)
    plain = monitor("-v", "cpumap", "--ascii", width=width).still(r"CPU 2")
    assert [re.sub(BARS, " ", line).split() for line in text.split("\n")[4:10]] == [
        line.split() for line in plain.split("\n")[4:10]]


@pytest.mark.parametrize("arguments,env", [(["--ascii"], {}), ([], {"LANG": "C"}), ([], {"TERM": "linux"})])
def test_no_bars(monitor, arguments, env):
    assert not BARS.search(monitor("-v", "cpumap", *arguments, env=env).still(r"CPU 2"))


def test_before_the_first_interval(monitor):
    """Nothing is known yet: no cell shows 0."""
    monitor(steps=0).golden("first-80x24")


@pytest.mark.parametrize("name,env,arguments", [
    ("locale-c", {"LANG": "C"}, []),
    ("vt100", {"TERM": "vt100", "LANG": "C"}, []),
    ("linux", {"TERM": "linux"}, []),
])
def test_terminals(monitor, name, env, arguments):
    screen = monitor("-v", "flows", *arguments, env=env)
    screen.golden(f"flows-{name}")


def test_ascii_is_ascii(monitor):
    screen = monitor("--ascii", steps=0)
    for key, shown in (("3", r"\[flows\]"), ("4", r"\[errors\]"), ("5", r"\[devices\]"), ("t", r"\[tracepoints\]"),
                       ("Escape", r"\[devices\]"), ("?", "lines 1-"), ("End", r"lines \d+-(\d+) of \1\b")):
        screen.keys(key)
        # the only exception is text about the sign itself
        assert screen.still(shown).replace("\u00b7", "").isascii()


@pytest.mark.parametrize("view,column", [("cpus", "SOFTNET/S"), ("sockets", "LOST/S")])
def test_ascii_details(monitor, recorded_maps, view, column):
    """Before the first interval a cell has no value; a non-ASCII sign would become a question mark."""
    screen = monitor("-v", view, "--ascii", path=recorded_maps, steps=0, height=50)
    screen.keys("Enter")
    assert re.search(rf"\n {column} +\.: ", screen.still(r"\(lines "))


@pytest.mark.parametrize("arguments,env", [(["--no-color"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "vt100"})])
def test_mono(monitor, arguments, env):
    """Without colours, signs mark drops and the selection."""
    screen = monitor(*arguments, env=env)
    screen.still(r"(?m)^>!")
    text = screen.text(style=True)
    assert "\x1b[3" not in text.replace("\x1b[39m", "").replace("\x1b[3m", "")


def test_color(monitor):
    screen = monitor()
    screen.wait(lambda _: "\x1b[31m" in screen.text(style=True), "red")


def test_resize(monitor):
    """A new size measures the columns again: in a constant size they may have had wider rows before."""
    screen = monitor(width=80, height=24)
    screen.resize(20, 5)
    screen.wait(r"needs 40x10")
    for width, height in ((200, 60), (40, 10), (80, 24)):
        screen.resize(width, height)
        screen.wait(lambda text, height=height: "[overview]" in text and text.count("\n") == height)
        screen.golden(f"resized-{width}x{height}")


def test_resize_storm(monitor):
    screen = monitor()
    for width, height in [(w, h) for w in (1, 13, 40, 77, 300) for h in (1, 2, 9, 10, 14, 100)]:
        screen.resize(width, height)
    screen.resize(80, 24)
    screen.golden("resized-80x24")


def test_prompts_on_a_narrow_screen(monitor):
    """The cursor and the text get the room, not the label."""
    screen = monitor("-v", "flows", width=40, height=10)
    for key, label in (("/", "Filter:"), ("d", "Go to: 09:15:02"), ("w", "Write to: xdptop-20261121-091502.jsonl")):
        screen.keys(key)
        screen.wait(lambda text, label=label: label[:40] in text)
        screen.keys("Escape")
        screen.wait(r"\? help")


def test_cpus_on_a_narrow_screen(monitor):
    """The sort column comes right after the share, even if it is not the first rate."""
    for sort, head in (("lost_per_s", "LOST/S"), ("drops_per_s", "DROPS/S")):
        screen = monitor("-v", "flows", "-s", sort, width=40, height=10)
        screen.keys("Enter", "c")
        screen.wait(rf"CPU\u25b2 +SHARE% {head}")


def test_the_largest_screen(monitor):
    """500x200: every view reaches both edges, and none goes beyond."""
    screen = monitor(width=500, height=200)
    for view in VIEWS:
        text = screen.still(rf"\[{view}\]")
        lines = text.rstrip("\n").split("\n")
        assert len(lines) == 200 and lines[-1].startswith("? help")
        assert lines[0].endswith("stepping  09:15:02") and len(lines[0]) == 500
        screen.keys("Tab")
