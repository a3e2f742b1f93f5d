# SPDX-License-Identifier: GPL-2.0-or-later
"""What the keys do."""
import json
import random
import re

import pytest

import busy_recording
import recording
from pane import TOP, XDPTOP
from storm import table_rows


def selected(text):
    return next(line for line in text.split("\n") if line.startswith(">"))


def test_views_in_turn(monitor):
    screen = monitor()
    for view in ("findings", "flows", "errors", "devices", "programs", "maps", "sockets", "events", "cpumap", "queues",
                 "cpus", "stack", "packets", "tracepoints", "changes", "timeline", "overview"):
        screen.keys("Tab")
        screen.wait(rf"\[{view}\]")
    screen.keys("BTab")
    screen.wait(r"\[timeline\]")
    screen.keys("v")
    screen.wait(r">   timeline")
    screen.keys("Home", "Down", "Enter")
    screen.wait(r"\[findings\]")


@pytest.mark.parametrize("menu", ["0", "v"])
def test_menu_of_views(monitor, menu):
    """It has every view, with the digit of those that have one; `follow` once something was followed."""
    views = [name for kind, name, *_ in table_rows() if kind == "view" and name != "follow"]
    assert len(views) > 9
    screen = monitor(width=100, height=60)
    screen.keys(menu)
    text = screen.still(r"> 1 overview")
    for digit, view in enumerate(views, 1):
        assert re.search(rf"(?m)^[> ] {digit if digit < 10 else ' '} {view} ", text), text
    screen.keys("9")
    screen.wait(r"\[events\]")
    # also over a text
    screen.keys("?", menu)
    assert "the CPUs of all rows, below each row" in screen.still(r"> 9 events")
    screen.keys("Escape")
    screen.wait(r"(?m)^ Keys here$")


def test_bar_of_views(monitor):
    """At 80 columns no name is cut, whichever view is shown."""
    screen = monitor()
    nine = "overview findings flows errors devices programs maps sockets events".split()
    for digit, view in enumerate(nine, 1):
        screen.keys(str(digit))
        bar = screen.still(rf"\[{view}\]").split("\n")[1]
        assert bar.replace("[", "").replace("]", "").split() == [*nine, "more"]
    for view in ("cpumap", "queues", "cpus", "stack", "packets"):
        screen.keys("Tab")
        assert screen.still(rf"\[{view}\]").split("\n")[1].split() == [*nine, f"[{view}]"]
    screen.keys("Tab")
    # all of it would take 81
    assert screen.still(r"\[tracepoints\]").split("\n")[1].split() == ["<findings", *nine[2:], "[tracepoints]"]
    # there digits switch: none of them looks like that of a view
    screen.resize(200, 24)
    assert screen.still(r"overview .* \[tracepoints\]").split("\n")[1].split() == [*nine, "[tracepoints]"]
    screen.resize(80, 24)
    screen.still(r"<findings")
    screen.keys("Tab", "1")
    screen.click("more")
    screen.wait(r"> 1 overview")


def test_selection_follows_its_row(monitor):
    screen = monitor("-v", "errors")
    screen.keys("End")
    row = selected(screen.still(r" (\d+)/\1\b"))
    device = row.split()[1]
    screen.keys("R")
    text = screen.still(r"(smallest|largest) first|A to Z|Z to A")
    assert selected(text).split()[1] == device
    screen.keys("Space")
    assert selected(screen.still(r"09:15:03")).split()[1] == device


def test_sort(monitor):
    screen = monitor("-v", "flows")
    screen.keys(">", ">")
    screen.wait(r"sorted by queued_per_s")
    screen.keys("<", "<", "<")
    screen.wait(r"sorted by target")
    screen.keys("F6")
    screen.wait(r"(?s)Sort by.*LOST/S +lost_per_s ")
    screen.keys("Home", "Enter")
    screen.wait(lambda text: "Sort by" not in text)


def test_what_is_sorted_by_is_in_sight(monitor):
    screen = monitor("-v", "flows")
    screen.wait(r"LOST/S\u25bc")
    screen.keys("<", "<", "<")
    screen.wait(r"DEVICE\u25b2")
    screen.keys("<")
    text = screen.still(r"sorted by last_seen")
    assert "SEEN\u25b2" in text.split("\n")[3] and "DEVICE" in text.split("\n")[3]
    screen.keys(">", ">", ">")
    screen.wait(r"DEVICE.*TARGET\u25b2")


def rows(text):
    """The words of each row, from top to bottom."""
    return [line[2:].split() for line in text.split("\n")[4:14]]


def test_sort_by_peak_and_last_minute(monitor, tmp_path):
    """Columns of the screen only; they refer to the last rate sorted by."""
    path = tmp_path / "busy.jsonl"
    busy_recording.write(path, 9, still=6)
    (tmp_path / "xdptop").mkdir()
    (tmp_path / "xdptop" / "config").write_text("errors.columns = ifname,peak,trend\n", encoding="ascii")
    screen = monitor("-v", "errors", "-f", "tracepoint=xdp_redirect_err", "--ascii", path=path, steps=9,
                     env={"XDG_CONFIG_HOME": str(tmp_path)})
    screen.keys(">")
    screen.wait(r"sorted by ifname \(A to Z\)")
    screen.keys(">")
    text = screen.still(r"sorted by peak \(largest first\)")
    assert "PEAK/Sv" in text
    peaks = [int(words[1]) for words in rows(text)]
    assert peaks == sorted(peaks, reverse=True) and peaks[0] > 600 and 0 < peaks[-1] < 30
    screen.keys("R")
    text = screen.still(r"sorted by peak \(smallest first\)")
    assert "PEAK/S^" in text
    assert [int(words[1]) for words in rows(text)] == peaks[::-1]
    screen.keys(">")
    text = screen.still(r"sorted by trend \(largest first\)")
    by_mean = [words[0] for words in rows(text)]
    assert by_mean[:2] == ["eth9", "eth8"] and by_mean[-2:] == ["eth1", "eth0"]
    screen.keys("R")
    screen.wait(lambda text: [words[0] for words in rows(text)] == by_mean[::-1])


def test_details_and_cpus(monitor):
    """Enter shows details, which end with the CPUs; `c` shows only these, and Esc returns."""
    screen = monitor("-v", "errors")
    screen.keys("Enter")
    screen.wait(r"target-cannot-receive: eth0 -> veth-web: the target cannot transmit XDP")
    screen.keys("End")
    text = screen.still(r"\n CPUs\n")
    assert re.search(r"\n +CPU +SHARE% +ERRORS/S .*\n +\d+ +16\.7 .*\n +7 +83\.3 ", text), text
    screen.keys("c")
    text = screen.still(r"CPUs of xdp_redirect_err")
    assert "SHARE%" in text
    screen.golden("row-cpus-80x24")
    screen.keys("Enter")
    screen.wait(r"target-cannot-receive: eth0 -> veth-web: the target cannot transmit XDP")
    screen.keys("q")
    screen.wait(r"CPUs of xdp_redirect_err")
    screen.keys("Escape")
    screen.wait(r"\n CPUs\n")
    screen.keys("Escape")
    screen.wait(lambda t: "CPUs" not in t and "[errors]" in t)
    screen.keys("c")
    screen.wait(r"the CPUs of all rows")
    screen.golden("all-cpus-80x24")


def test_hundreds_of_cpus(monitor, tmp_path):
    """In order with idle ones folded, all with a key; searched by number exactly."""
    path = tmp_path / "cpus.jsonl"
    recording.write_cpus(path, 512, busy=(7, 300, 511))
    screen = monitor("-v", "stack", path=path, steps=3)
    screen.keys("Enter")
    screen.wait(r"509 more CPUs counted none of this row's events in the last interval")
    screen.keys("c")
    text = screen.still(r"509 more CPUs had no event of this row in the last interval: a shows them")
    assert [line[2:].split()[0] for line in text.split("\n")[5:8]] == ["7", "300", "511"]
    screen.keys(">")
    text = screen.still(r"sorted by share \(largest first\)")
    assert [line[2:].split()[0] for line in text.split("\n")[5:8]] == ["511", "300", "7"]
    screen.keys("a")
    screen.wait(r"all CPUs, including idle ones")
    screen.keys("End")
    screen.wait(r"(?m)^> +510 .*\n.*512/512")
    screen.keys("a", "Escape", "Escape", "c", "Up")
    screen.wait(r"1/4 \(509 idle CPUs folded\)")


def test_filter_while_typing(monitor):
    screen = monitor("-v", "errors")
    screen.keys("/")
    screen.wait(r"Filter .*:")
    screen.keys("-l", "EINVAL")
    screen.wait(lambda t: "EINVAL" in t and "EOPNOTSUPP" not in t)
    screen.keys("Enter")
    screen.wait(r"filter: EINVAL")
    screen.keys("F4", "End")
    screen.keys("-l", " nosuch=1")
    screen.wait(r"Filter .*: EINVAL nosuch=1")
    # the prompt shows the error, and the previous filter applies
    text = screen.still(r"no column 'nosuch'")
    assert "EOPNOTSUPP" not in text
    screen.keys("Enter")
    screen.wait(r"no column 'nosuch'")
    screen.keys("Escape")
    screen.wait(lambda t: "filter: EINVAL" in t and "nosuch" not in t)
    screen.keys("/")
    screen.keys("-l", "EOPNOTSUPP")
    screen.wait(r"Filter .*: EOPNOTSUPP$")
    screen.keys("C-u", "Enter")
    screen.wait(lambda t: "EINVAL" in t and "EOPNOTSUPP" in t and "filter:" not in t)


def test_harmful_text_is_printable(monitor):
    """At a prompt, in the header and in a message; the cursor follows it."""
    screen = monitor("-v", "errors", "-f", "!\u202ec", width=120)
    screen.wait(r"filter: !\\xe2\\x80\\xaec")
    screen.keys("/", "C-u")
    screen.keys("-l", "a\u202eb\\")
    text = screen.still(r"(?m)^Filter .*: a\\xe2\\x80\\xaeb\\$")
    line = next(line for line in text.split("\n") if "Filter" in line)
    assert screen.cursor()[0] == len(line)
    screen.keys("Left", "BSpace", "BSpace", "BSpace")
    screen.wait(r"(?m)^Filter .*: \\$")
    screen.keys("C-e", "C-u", "Enter", "p", "w", "C-u")
    screen.type("/nowhere/\u202e/c")
    screen.wait(r"\\xe2\\x80\\xae")


def test_esc_clears_the_filter(monitor):
    """In a list it only returns if there is no filter."""
    screen = monitor("-f", "EINVAL", "-v", "errors")
    screen.wait(r"filter: EINVAL")
    screen.keys("Escape")
    screen.wait(lambda t: "filter cleared; it was: EINVAL" in t and "EOPNOTSUPP" in t and "filter:" not in t)
    screen.keys("x", "/")
    screen.type("EINVAL")
    screen.wait(r"(?s)filter: EINVAL.*\[findings\]|\[findings\].*filter: EINVAL")
    screen.keys("Escape")
    screen.wait(r"filter cleared")
    screen.keys("Escape")
    screen.wait(r"\[errors\]")


def test_what_was_opened_stays_with_its_row(monitor, tmp_path):
    """The top row is selected until the user moves; opening it counts as a choice."""
    path = tmp_path / "busy.jsonl"
    busy_recording.write(path, 6, turn=3)
    screen = monitor("-v", "errors", "-f", "tracepoint=xdp_redirect_err", path=path, steps=3, width=100)
    screen.wait(r"\n>!xdp_redirect_err +eth9")
    screen.keys("g")
    screen.wait(r"ERRORS/S +now 6\d\d .* eth9 ")
    screen.keys("Space")
    screen.wait(r"(?s)stepping +09:00:04.*ERRORS/S +now [\d.]{1,3} .* eth9 ")
    screen.keys("Escape")
    text = screen.still(r"\n>!xdp_redirect_err +eth9")
    assert text.split("\n")[4].startswith(" !xdp_redirect_err eth0")


def test_an_untouched_cursor_stays_on_the_row_that_was_read(monitor, tmp_path):
    """Rows that move under it do not change what Enter opens; a key that sorts moves it to the first row again."""
    path = tmp_path / "busy.jsonl"
    busy_recording.write(path, 9, turn=3)
    screen = monitor("-v", "errors", "-f", "tracepoint=xdp_redirect_err", path=path, steps=3, width=100)
    screen.wait(r"\n>!xdp_redirect_err +eth9")
    screen.keys("Space", "Space", "Space")
    text = screen.still(r"09:00:06")
    assert [words[1] for words in rows(text)][0] == "eth0"
    assert selected(text).split()[1] == "eth9"
    screen.keys("Enter")
    screen.wait(r"xdp_redirect_err eth9 .*\(lines 1-")
    screen = monitor("-v", "errors", "-f", "tracepoint=xdp_redirect_err", path=path, steps=6, width=100)
    screen.keys("R", "R")
    assert screen.still(r"largest first").split("\n")[4].startswith(">!xdp_redirect_err eth0")


@pytest.mark.parametrize("view", ["overview", "findings"])
def test_details_stay_with_their_finding(monitor, tmp_path, view):
    """Also when it clears, and is no longer among the worst of the overview; Esc returns there."""
    path = tmp_path / "busy.jsonl"
    busy_recording.write(path, 40, still=3)
    screen = monitor("-v", view, path=path, steps=3, width=100)
    screen.wait(r"\n>!C target-cannot-receive eth9")
    screen.keys("Enter")
    screen.wait(r"(?s)eth9 -> veth9: .*seen +active")
    screen.keys(*["."] * 37, "Home")
    screen.wait(r"(?s)eth9 -> veth9: .*seen +cleared")
    screen.keys("Escape")
    screen.wait(rf"\[{view}\]")


def test_rows_are_sorted_every_three_seconds(monitor, tmp_path):
    """In between they keep their places, unless a key sorts."""
    path = tmp_path / "busy.jsonl"
    busy_recording.write(path, 9, turn=4)
    screen = monitor("-v", "errors", "-f", "tracepoint=xdp_redirect_err", path=path, steps=4, width=100)
    order = [words[1] for words in rows(screen.still(r"09:00:04"))]
    assert order[0] == "eth9"
    for second in 5, 6:
        screen.keys("Space")
        assert [words[1] for words in rows(screen.still(rf"09:00:0{second}"))] == order
    screen.keys("Space")
    assert rows(screen.still(r"09:00:07"))[0][1] == "eth0"


def test_a_key_sorts_at_once(monitor, tmp_path):
    path = tmp_path / "busy.jsonl"
    busy_recording.write(path, 9, turn=4)
    screen = monitor("-v", "errors", "-f", "tracepoint=xdp_redirect_err", path=path, steps=5, width=100)
    assert rows(screen.still(r"09:00:05"))[0][1] == "eth9"
    screen.keys("R", "R")
    screen.wait(lambda text: "largest first" in text and rows(text)[0][1] == "eth0")


def test_selection_comes_back_when_the_filter_goes(monitor):
    screen = monitor("-v", "errors")
    screen.keys("Down", "Down")
    screen.wait(r"\n>!xdp_cpumap_enqueue")
    screen.keys("/")
    screen.keys("-l", "EINVAL")
    screen.wait(r"(?s)\n>!xdp_redirect_err[^\n]*EINVAL.*Filter")
    screen.keys("Escape")
    screen.wait(r"\n>!xdp_cpumap_enqueue")


def test_the_cursor_is_where_one_types(monitor):
    """Red numbers above the prompt are written separately."""
    screen = monitor("-v", "errors")
    screen.wait(r"\n>!xdp_redirect_err[^\n]*EOPNOTSUPP")
    screen.keys("/")
    screen.keys("-l", "ab")
    line = screen.still(r"\nFilter [^\n]*: ab\n").split("\n")[-2]
    screen.wait(lambda text: screen.cursor() == (len(line), text.count("\n") - 1), "the cursor after the text")


def test_filter_keeps_its_rows_while_a_field_is_typed(monitor):
    """Neither a field without a value nor an incomplete one hides the rows."""
    screen = monitor("-v", "errors")
    screen.wait(r"\n>!xdp_redirect_err[^\n]*EOPNOTSUPP")
    screen.keys("/")
    for typed, shown in (("errname", r"errname"), (" ~ ", r"no value for"), ("EINV", r"errname ~ EINV")):
        screen.keys("-l", typed)
        screen.wait(rf"(?s)\n>!xdp_\w+.*{shown}")
    screen.wait(r"(?s)\n>!xdp_redirect_err[^\n]*EINVAL.*Filter")
    screen.keys("-l", " |")
    screen.wait(r"(?s)\n>!xdp_redirect_err[^\n]*EINVAL.*a term is missing")
    screen.keys("Escape")
    screen.wait(r"\n>!xdp_redirect_err[^\n]*EOPNOTSUPP")


def test_filter_that_hides_all(monitor):
    screen = monitor("-v", "errors", "-f", "nothing-like-this")
    screen.wait(r"rows are hidden by the filter; press / to change it")


def test_recording_cannot_be_switched(monitor):
    screen = monitor()
    screen.keys("t", "6")
    screen.wait(r"xdp_devmap_xmit: cannot switch tracepoints in a recording")


def test_view_of_tracepoints(monitor):
    """`t` leads there from any view and back, as Esc does; it is a table like any other."""
    screen = monitor("-v", "flows")
    for back in ("t", "Escape", "BSpace"):
        screen.keys("t")
        screen.wait(r"\[tracepoints\]")
        screen.keys(back)
        screen.wait(r"\[flows\]")
    screen.keys("t", "End", "Enter")
    screen.wait(r"state +failed: the kernel refused to attach it: EBUSY")
    screen.keys("q", ">")
    screen.wait(r"sorted by key")
    screen.keys("Home", "g")
    screen.wait(r"EVENTS/S +now")
    screen.keys("q", "Space")
    screen.wait(r"09:15:03")


def test_pause(monitor):
    screen = monitor("-v", "stack")
    screen.keys("p")
    screen.wait(r"PAUSED")
    screen.keys("Z")
    screen.wait(lambda t: "PAUSED" not in t)


def test_baseline(monitor):
    screen = monitor("-v", "stack")
    screen.keys("r")
    screen.wait(r"count from here")
    screen.keys("Space")
    # interval 3 of 1, 2, 3: only its own count since the baseline
    text = screen.still(r"09:15:03")
    assert "3690" in text and "7380" not in text


def test_explain(monitor):
    screen = monitor("-v", "errors")
    screen.keys("e")
    screen.wait(r"target-cannot-receive: eth0 -> veth-web: the target cannot transmit XDP")
    screen.golden("explain-80x24")
    screen.keys("Escape")
    screen.wait(r"\[errors\]")


def test_findings(monitor):
    screen = monitor()
    screen.wait(r"critical, 3 warnings: press x")
    screen.keys("x")
    screen.wait(r"\[findings\]")
    screen.golden("findings-by-key-80x24")
    screen.keys("End", "Enter")
    screen.wait(r"seen +")
    screen.keys("Escape", "Escape")
    screen.wait(r"\[overview\]")


def test_the_finding_of_a_row(monitor):
    """`x` selects the finding about the selected row, also from its details; from there back it keeps the row."""
    screen = monitor("-v", "devices")
    screen.keys("End", "Up")
    screen.wait(r"\n>!eth0 +blue ")
    for keys in ["x"], ["Enter", "x"]:
        screen.keys(*keys)
        screen.wait(r"(?s)\[findings\].*\n>!C no-such-ifindex +eth0 ")
        screen.keys("x")
        screen.wait(r"(?s)\[devices\]")
    screen.keys("Escape")
    screen.wait(r"\n>!eth0 +blue ")
    screen.keys("Up", "Up", "x")
    screen.wait(r"no finding is about veth-echo init")
    screen.keys("x", "1", "End", "Up", "Up", "Up", "x")
    screen.wait(r"(?s)\[findings\].*\n>!C no-such-ifindex +eth0 ")


def test_header_with_a_filter(monitor):
    """It counts the findings that pass the filter."""
    screen = monitor("-v", "errors", width=120)
    screen.wait(r"(?m)^4 critical, 3 warnings: press x  shed")
    screen.keys("/")
    screen.type("attach")
    screen.wait(r"(?m)^1 warning: press x  shed")
    screen.resize(80, 12)
    screen.wait(r" 1w \(x\)")
    screen.keys("/")
    screen.type("nothing-like-this")
    screen.wait(lambda text: "warning" not in text and "(x)" not in text)


def test_from_a_finding_to_its_cpus(monitor):
    screen = monitor("-f", "code=no-such-ifindex")
    screen.keys("x")
    screen.wait(r">!C no-such-ifindex +eth0")
    screen.keys("c")
    screen.wait(r"(?s)\[errors\].*CPUs of xdp_redirect_err eth0 EINVAL .*\n>! +1 [\u2588 ]+100 ")
    # back to the finding, not to the view with its row; then to the previous view
    screen.keys("Escape")
    screen.wait(r"(?s)\[findings\].*no-such-ifindex")
    screen.keys("x")
    screen.wait(r"\[overview\]")
    screen.keys("x")
    screen.wait(r"(?s)\[findings\].*no-such-ifindex")
    screen.keys("Enter", "c")
    screen.wait(r"CPUs of xdp_redirect_err eth0 EINVAL")
    screen.keys("q")
    screen.wait(r"lines 1-")
    screen.keys("Escape", "/", "C-u")
    screen.type("code=shed")
    screen.wait(r"> W shed")
    screen.keys("c")
    # without counts there are no CPUs, but there is a row
    screen.wait(r"(?s)\[tracepoints\].*CPUs of xdp_redirect\n")
    screen.keys("Escape")
    screen.wait(r"(?s)\[findings\].*shed")
    screen.keys("Escape", "Escape")
    screen.wait(r"\[overview\]")


def test_from_a_finding_with_an_inferred_program(terminal):
    """A bulk has no program: the finding infers it from redirects."""
    screen = terminal(100, 30)
    screen.type(f"clear; {XDPTOP} -r {TOP}/tests/fixtures/demo.jsonl --step -v findings -f egress-program-drops")
    screen.wait(r"\? help")
    screen.keys("Space", "Space", "Space")
    screen.wait(r">.*egress-program-drops")
    screen.keys("c")
    screen.wait(r"CPUs of xdp_devmap_xmit eth7")


def test_from_a_finding_to_a_cpu(monitor, tmp_path):
    """The filter of the findings does not apply to CPUs, and is restored on return."""
    path = tmp_path / "overrun.jsonl"
    recording.write(path)
    lost = {"softnet_dropped": 5, "softnet_dropped_per_s": 5.0}
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        if line["type"] == "cpu" and line["cpu"] == 1:
            line.update({**lost, "softnet_dropped_total": 5 * line["seq"]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    screen = monitor("-v", "findings", "-f", "cpu-overrun", path=path, steps=3, width=100, height=30)
    screen.wait(r">!.*cpu-overrun")
    screen.keys("c")
    screen.wait(r"(?s)\[cpus\].*\n>! +\d+ ")
    assert "filter:" not in screen.text()
    screen.keys("Escape")
    screen.wait(r"(?s)\[findings\].*>!.*cpu-overrun")
    assert "filter: cpu-overrun" in screen.text()


def test_digits_choose_views(monitor):
    """Wherever they are pressed, but in the view of tracepoints, where they switch."""
    screen = monitor()
    for keys, digit, view in (([], "4", "errors"), (["Enter"], "2", "findings"), (["?"], "5", "devices"),
                              (["c"], "6", "programs"), (["g"], "7", "maps"), (["f"], "3", "flows"),
                              (["F6"], "8", "sockets"), (["t", "Enter"], "1", "overview"),
                              (["3", "Enter", "c"], "9", "events")):
        screen.keys(*keys, digit)
        assert "switch" not in screen.still(rf"\[{view}\]")
    screen.keys("t", "6")
    screen.wait(r"(?s)\[tracepoints\].*xdp_devmap_xmit: cannot switch tracepoints in a recording")
    screen.keys("t")
    screen.wait(r"\[events\]")


def test_findings_and_back(monitor):
    """`x` leads to the findings from wherever it is pressed; x, q and Esc return, with everything as it was."""
    for keys, shown in (([], r"(?s)\[flows\].*Tab view"), (["Enter"], r"(?s)\[flows\].*\(lines 1-"),
                        (["Enter", "?"], r"Keys here"), (["g"], r"(?s)\[flows\].*LOST/S +now"),
                        (["Enter", "c"], r"(?s)\[flows\].*CPUs of eth0"), (["t"], r"\[tracepoints\]")):
        screen = monitor("-v", "flows")
        screen.keys(*keys)
        screen.wait(shown)
        for back in "x", "q", "Escape":
            screen.keys("x")
            assert "q back" in screen.still(r"\[findings\]")
            screen.keys(back)
            screen.wait(shown)
        # what is open on the findings is closed first
        screen.keys("x", "Enter", "q")
        screen.wait(r"(?s)\[findings\].*q back")
        screen.keys("t", "q", "q")
        screen.wait(shown)
        screen.keys("F10")
        screen.wait(r"exit=0")
    screen = monitor("-v", "findings")
    assert "q quit" in screen.text()
    screen.keys("q")
    screen.wait(r"exit=0")


def test_events(monitor):
    screen = monitor(width=120, steps=3)
    screen.keys("9")
    screen.wait(r"\[events\]")
    screen.golden("events-120x24")
    screen.keys("Enter")
    screen.wait(r"process +myxdp, pid 812")
    screen.wait(r"text +Underlying driver does not support XDP in native mode")
    screen.keys("Escape", "Escape")
    screen.wait(r"\[overview\]")


@pytest.mark.parametrize("arguments,width,height", [
    ([], 100, 20), (["--ascii"], 100, 20), ([], 60, 15), (["--ascii"], 60, 15), ([], 200, 60), ([], 40, 10)])
def test_graph(monitor, arguments, width, height):
    """The sort column with scale, times and legend; below it the sent packets of the same time."""
    screen = monitor("-v", "flows", "-s", "lost_per_s", *arguments, width=width, height=height, steps=6)
    screen.keys("g")
    screen.wait(r"LOST/S +now 1320 +peak 1320")
    screen.golden(f"graph{''.join(arguments)[1:]}-{width}x{height}")


# after three findings and three flows, in 20 lines
TO_REDIRECT_ERR = ["Down"]


def test_graph_of_other_rates(monitor):
    screen = monitor("-v", "tracepoints", width=100, height=20, steps=6)
    screen.keys(*TO_REDIRECT_ERR, "g")
    # one event is one packet: there is no second, equal graph
    assert "PKTS/S" not in screen.still(r"EVENTS/S +now 738 +peak 738")
    screen.keys("Tab")
    screen.wait(r"PKTS/S")
    screen.keys("Up")
    screen.wait(r"now 126 .*xdp_exception")
    screen.keys("Escape")
    screen.wait(r"\[tracepoints\]")


def test_graph_of_a_total_is_of_its_rate(monitor):
    """A column that is not a rate names one; CPUs have graphs too, and a view without rates reports that."""
    screen = monitor("-v", "stack", "-s", "bytes_total", steps=6)
    screen.keys("g")
    screen.wait(r"BYTES/S +now 10\.8M +.*eth0")
    screen.keys("Escape", "BTab", "g")
    screen.wait(r"SOFTNET/S +now 12\.0k .*CPU 0")
    screen.keys("Escape", "9", "g")
    screen.wait(r"this view has no rate to graph")


def test_console_graph_has_no_braille(monitor):
    """The Linux console's fonts lack braille and eighth blocks."""
    screen = monitor("-v", "flows", width=100, height=20, steps=6, env={"TERM": "linux"})
    assert "_" in screen.still(r"LAST MIN")
    screen.keys("t", *TO_REDIRECT_ERR, "g")
    assert "#" in screen.still(r"peak 738")


def test_columns(monitor):
    screen = monitor("-v", "stack")
    screen.keys("f")
    screen.wait(r"Columns of stack \(its own\)")
    screen.golden("columns-80x24")
    screen.keys("Down", "Space")  # removes the namespace
    screen.keys("Home", ">", ">", "+", "+")
    screen.keys("Escape")
    screen.wait(lambda t: "NETNS" not in t and 0 < t.find("PKTS/S") < t.find("DEVICE"))
    screen.keys("f", "x")
    screen.wait(r"\(its own\)")
    screen.keys("Escape")
    screen.wait(r"DEVICE +NETNS")


def test_help_is_the_tables(monitor):
    """All keys, views and columns of the program's tables, and the meaning of numbers."""
    screen = monitor(width=200, height=60)
    text, last = "", "none yet"
    screen.keys("?")
    while not re.search(r"lines \d+-(\d+) of \1\)", last):
        page = screen.still(lambda text, seen=last: "(lines" in text and seen not in text, "the next page")
        last = re.search(r"\(lines .*\)", page)[0]
        text += page
        screen.keys("PgDn")
    for kind, name, _, help_ in table_rows():
        if kind == "key":
            assert re.search(rf"(?m)^ {re.escape(name)} +{re.escape(help_[:60])}", text), name
        if kind in ("view", "column"):
            assert re.search(rf"(?m)^ {re.escape(name)} +{re.escape(help_[:60])}", text), name
    for word in ("queued, not sent", "xdp_cpumap_kthread", "never shown as 0"):
        assert word in " ".join(text.split())
    screen.keys("?")
    screen.wait(r"\[overview\]")


def test_footer_is_the_table(monitor):
    """On a wide screen every key in the footer works, and its label is right."""
    screen = monitor(width=200)
    footer = screen.still(r"\? help").rstrip("\n").split("\n")[-1]
    keys = {name for kind, names, _, _ in table_rows() if kind == "key" for name in names.split()}
    shown = re.findall(r"(\S+) \S+(?: \S+)*?(?=  |$)", footer)
    assert len(shown) > 10 and set(shown) <= keys


def test_a_cpu(monitor):
    """A row that is a CPU: Enter shows all of it and returns; `c` does nothing."""
    screen = monitor("-v", "cpus")
    assert "c its CPUs" not in screen.text()
    screen.keys("Down", "c")
    screen.wait(r"c does nothing here")
    screen.keys("Enter")
    screen.wait(r"Details[^$]*\n CPU 1\n SOFTNET/S +8000: packets that")
    assert "c its CPUs" not in screen.text() and "m its map" in screen.text()
    screen.keys("c")
    screen.wait(r"Details[^$]*c does nothing here")
    screen.keys("End")
    screen.wait(r"ps -eLo .*== 1")
    screen.keys("Escape")
    screen.wait(r"\n>! +1 ")


def test_details_without_cpus(monitor, recorded_maps):
    """`c` is not offered for a socket or a CPU of a row, but for a flow."""
    def is_alone(text):
        return "(lines " in text and "m its map" in text and "c its CPUs" not in text
    screen = monitor("-v", "sockets", path=recorded_maps, width=120)
    screen.keys("Enter")
    screen.wait(is_alone)
    screen = monitor("-v", "flows", width=120)
    screen.keys("Enter")
    screen.wait(r"\(lines [^$]*c its CPUs")
    screen.keys("c")
    screen.wait("CPUs of eth0")
    screen.keys("Enter")
    screen.wait(is_alone)


@pytest.mark.parametrize("key,shown", [
    ("?", "Help +.lines"), ("e", "Commands"), ("v", "> 1 overview"), ("f", "Columns of"), ("g", "LOST/S +now"),
])
def test_q_closes_what_lies_on_top(monitor, key, shown):
    """Returns to where the key was pressed; it quits from a view, F10 from everywhere."""
    screen = monitor()
    screen.keys(key)
    screen.wait(shown)
    screen.keys("q")
    screen.wait(lambda text: not re.search(shown, text) and "[overview]" in text)
    screen.keys("q")
    screen.wait(r"exit=0")
    screen = monitor()
    screen.keys(key)
    screen.wait(shown)
    screen.keys("F10")
    screen.wait(r"exit=0")


@pytest.mark.parametrize("key", ["F10", "C-c"])
def test_out_of_a_prompt(monitor, key):
    screen = monitor()
    screen.keys("/")
    screen.wait(r"Filter .*:")
    screen.keys(key)
    screen.wait(r"exit=0")


def test_space_pages_through_text(monitor):
    screen = monitor()
    screen.keys("?")
    screen.wait(r"lines 1-")
    screen.keys("Space")
    screen.wait(r"lines 18-")
    screen.keys("PgUp")
    screen.wait(r"lines 1-")


def test_the_overview_says_what_is_lost(monitor):
    """A summary, findings, devices, a line on tracepoints. Enter explains, or shows what a line summarizes."""
    screen = monitor(height=20)
    screen.wait(r"(?s)\n  XDP on 5 devices: .* 648/s lost: worst eth0\n.*\n>!C target-cannot-receive .*\n"
                r"  \d more in findings.*\n !eth0 +init .* target cannot .*\n  Tracepoints \(t\): 8 on, xdp_cpumap")
    screen.keys("Enter")
    screen.wait(r"(?s)the target cannot transmit XDP.*Commands\n +ip -d link show dev veth-web\n")
    screen.keys("Escape", "Down", "Down", "Down", "Down", "Enter")
    screen.wait(r"(?s)\[findings\].*attach-failed")
    screen.keys("Escape")
    screen.wait(r"\[overview\]")
    screen.keys("Down", "Enter")
    screen.wait(r" eth0 init .*lines 1-")
    screen.keys("Escape", "c")
    screen.wait(r"(?s)\[overview\].*\n !eth0 +7 .* 83.3 ")
    screen.keys("c")
    screen.keys("End")
    screen.wait(r"\n> Tracepoints \(t\): ")
    screen.keys("Enter")
    screen.wait(r"(?s)\[tracepoints\].*mem_connect +missing +n/a")
    screen.keys("Escape")
    screen.wait(r"\n> Tracepoints \(t\): ")


def test_click_in_the_overview(monitor):
    """Each line selects its row; the header of a block shows its view."""
    screen = monitor()
    screen.click("cpumap-queue-full")
    screen.wait(r"\n>!C cpumap-queue-full")
    screen.click("eth0      blue")
    screen.wait(r"\n>!eth0 +blue")
    screen.click("eth0      blue")
    screen.wait(r" eth0 blue .*lines 1-")
    screen.keys("Escape")
    screen.wait(r"\n>!eth0 +blue")
    screen.click("FINDING ")
    screen.wait(r"\[findings\]")


def test_half_pages(monitor):
    """Half of the visible part, down and up, in rows and in text; not beyond the ends."""
    screen = monitor("-v", "tracepoints")
    screen.wait(r" 1/12")
    for key, place in (("C-d", " 10/12"), ("C-d", " 12/12"), ("C-u", " 3/12"), ("C-u", " 1/12")):
        screen.keys(key)
        screen.wait(place)
    screen.keys("?")
    screen.wait(r"lines 1-")
    screen.keys("C-d")
    screen.wait(r"lines 10-")
    screen.keys("C-u")
    screen.wait(r"lines 1-")


def test_too_small_for_a_pane(monitor):
    """It says that q quits, whatever is open."""
    for key, shown in (("?", "Help +.lines"), ("v", "> 1 overview"), ("/", "Filter .*:")):
        screen = monitor()
        screen.keys(key)
        screen.wait(shown)
        screen.resize(30, 9)
        screen.wait(r"needs 40x10; q quits")
        screen.keys("q")
        screen.wait(r"exit=0")


def test_keys_of_a_prompt(monitor):
    """Keys of readline; a key without meaning is reported."""
    screen = monitor("-v", "errors")
    screen.keys("/")
    screen.wait(r"Filter .*:")
    screen.keys("-l", "EINVALxyz ABORTED")
    screen.keys("C-a", "C-k")
    screen.wait(lambda text: "ABORTED" in text and "EINVALxyz" not in text)
    screen.keys("-l", "EINVALx")
    screen.keys("C-b", "C-d")
    screen.wait(lambda text: "EINVAL" in text and "EOPNOTSUPP" not in text)
    screen.keys("Up")
    screen.wait(r"Up does nothing here; Enter accepts, Esc cancels")
    screen.keys("Enter")
    screen.wait(r"filter: EINVAL")


def test_a_key_without_meaning_says_so(monitor):
    screen = monitor()
    screen.keys("Y")
    screen.wait(r"Y does nothing here")
    screen.keys("Escape")
    screen.wait(r"Esc does nothing here")


def test_rubbish_takes_no_key_with_it(monitor):
    """An invalid byte, and a key after it that leaves the prompt and quits."""
    screen = monitor()
    screen.keys("/")
    screen.wait(r"Filter .*:")
    screen.keys("-H", "ff", "1b", "71")
    screen.wait(r"exit=0")


@pytest.mark.parametrize("sequence", ["1b 5b 36 3b 39 51", "1b 5b 3c 36 3b 35 4d", "1b 4f 36 78"])
def test_unknown_sequence_is_one_key(monitor, sequence):
    """A function key with modifiers, a mouse, a keypad: their digits switch nothing."""
    screen = monitor()
    screen.keys("-H", *sequence.split())
    screen.wait(r"that key does nothing here")


@pytest.mark.parametrize("term", ["tmux-256color", "xterm", "vt100"])
def test_keys_of_other_terminals(monitor, term):
    """End, Down, F1 and F4 of PuTTY, rxvt, the Linux console and xterm, whatever TERM is."""
    screen = monitor("-v", "errors", env={"TERM": term})
    for sequence, shown, back in (
            ("1b 5b 34 7e", r" (\d+)/\1\b", "Home"), ("1b 5b 38 7e", r" (\d+)/\1\b", "Home"),
            ("1b 5b 46", r" (\d+)/\1\b", "Home"), ("1b 5b 42", r" 2/", "Home"), ("1b 5b 31 3b 35 42", r" 2/", "Home"),
            ("1b 5b 62", r" 2/", "Home"), ("1b 5b 31 31 7e", "Help +.lines", "q"), ("1b 5b 5b 41", "Help +.lines", "q"),
            ("1b 5b 31 34 7e", "Filter .*:", "Escape")):
        screen.keys("-H", *sequence.split())
        screen.wait(shown)
        screen.keys(back)
        screen.wait(lambda text, shown=shown: re.search(r" 1/\d", text) and not re.search(shown, text), "the first row")


@pytest.mark.parametrize("term", ["tmux-256color", "xterm"])
def test_a_mouse_types_nothing(monitor, term):
    """Reports in all formats are recognized to their end."""
    screen = monitor(env={"TERM": term})
    screen.keys("/")
    screen.wait(r"Filter .*:")
    for report in ("1b 5b 3c 36 34 3b 31 30 3b 31 30 4d", "1b 5b 4d 60 31 31", "1b 5b 39 36 3b 31 3b 31 4d"):
        screen.keys("-H", *report.split())
    screen.keys("x")
    screen.wait(r"Filter [^\n]*: x\n")


def test_click_on_a_row(monitor):
    """It selects a row; on the selected row it acts like Enter."""
    screen = monitor("-v", "errors")
    screen.click("xdp_devmap_xmit")
    screen.wait(r"\n>!xdp_devmap_xmit")
    screen.click("xdp_devmap_xmit")
    screen.wait(r"lines 1-\d+ of")
    screen.click("Esc")
    screen.wait(r"\n>!xdp_devmap_xmit")
    screen.keys("v")
    screen.wait(r"> 4 errors")
    screen.click("the worst findings")
    screen.wait(r"> 1 overview")
    screen.click("the worst findings")
    screen.wait(r"\[overview\]")


def test_click_on_a_head(monitor):
    """It sorts; a second click reverses."""
    screen = monitor("-v", "errors")
    screen.click("SEEN")
    screen.wait(r"sorted by last_seen \(smallest first\)")
    screen.click("SEEN")
    screen.wait(r"sorted by last_seen \(largest first\)")
    head = screen.cell("MEANING") if "MEANING" in screen.text() else screen.cell("TARGET")
    titles = screen.text().split("\n")[3]
    screen.keys("v")
    screen.wait(r"> 4 errors")
    # a header below a menu does not react
    screen.report(0, *head)
    screen.keys("Escape")
    text = screen.wait(lambda text: "> 4 errors" not in text and "sorted by" not in text)
    assert text.split("\n")[3] == titles


def test_click_on_a_view_a_finding_and_a_key(monitor):
    screen = monitor(width=120)
    screen.click("devices")
    screen.wait(r"\[devices\]")
    screen.click("warnings: press x")
    screen.wait(r"\[findings\]")
    screen.click("? help")
    screen.wait(r"Help.*lines 1-")
    screen.click("flows")
    screen.wait(r"\[flows\]")


def test_the_wheel(monitor):
    """Three rows, or three lines of text."""
    screen = monitor("-v", "tracepoints")
    screen.wait(r" 1/12")
    for button, place in ((65, " 4/12"), (65, " 7/12"), (64, " 4/12")):
        screen.report(button, 10, 10)
        screen.wait(place)
    screen.keys("?")
    screen.wait(r"lines 1-")
    screen.report(65, 10, 10)
    screen.wait(r"lines 4-")


@pytest.mark.parametrize("setting,on", [("yes", True), ("no", False)])
def test_a_setting_turns_the_mouse_off(monitor, tmp_path, setting, on):
    (tmp_path / "xdptop").mkdir()
    (tmp_path / "xdptop" / "config").write_text(f"mouse = {setting}\n", encoding="ascii")
    screen = monitor(steps=0, width=120, env={"XDG_CONFIG_HOME": str(tmp_path)})
    assert screen.mouse() == on
    screen.click("devices")
    screen.keys("F5")
    screen.wait(r"(?s)\[devices\].*F5 does" if on else r"(?s)\[overview\].*F5 does")
    # W saves it
    screen.keys("W")
    screen.wait(r"settings saved")
    assert f"\nmouse = {setting}\n" in (tmp_path / "xdptop" / "config").read_text(encoding="ascii")


def test_search_typed_ahead(monitor):
    """In a text that has not yet been drawn when the keys arrived."""
    screen = monitor()
    screen.keys("?", "/", *"kthread", "Enter")
    screen.wait(lambda text: "kthread" in text and "Search" not in text, "kthread without the prompt")


def test_search_in_a_text(monitor):
    """As in less: while typing, next and previous, with wrap-around, and the ends with g and G."""
    screen = monitor()
    screen.keys("?")
    screen.wait(r"lines 1-")
    screen.keys("/")
    screen.keys("-l", "zz")
    screen.wait(r"no line has 'zz'")
    screen.keys("C-u")
    screen.keys("-l", "xdp_cpumap_kthread (")
    text = screen.still(r"(?s)xdp_cpumap_kthread \(.*Search: ")
    screen.keys("Enter")
    screen.wait(r"\? help")
    screen.keys("g", "/")
    screen.type("a cell without a value")
    text = screen.still(r"A cell without a value")
    first = re.search(r"lines (\d+)-", text)[1]
    assert first != "1"
    screen.keys("g")
    screen.wait(r"lines 1-")
    screen.keys("n")
    screen.wait(rf"lines {first}-")
    screen.keys("G")
    screen.wait(r"lines \d+-(\d+) of \1\)")
    screen.keys("N")
    screen.wait(rf"lines {first}-")
    for key, line in (("g", 1), ("C-f", 18), ("C-d", 27), ("C-u", 18), ("C-b", 1)):
        screen.keys(key)
        screen.wait(rf"lines {line}-")
    screen.keys("/")
    screen.keys("Escape", "n")
    screen.wait(r"press / to search first")


def test_the_keys_of_the_place_come_first(monitor):
    """On one page of 80x24, each with its label; another place has other keys."""
    screen = monitor()
    for keys, context, other in ((["?"], ("1..9", "nth view"), ("1..9 0", "by number")),
                                 (["Escape", "t", "?"], ("1..9 0", "by number"), ("1..9", "nth view")),
                                 (["Escape", "t", "Tab", "?"], ("1..9", "nth view"), ("n", "next")),
                                 (["Escape", "Enter", "?"], ("n", "next"), ("1..9 0", "by number"))):
        screen.keys(*keys)
        text = screen.still(r"(?s)Keys here\n.*Below: ")
        page = text[text.index("Keys here"):text.index("Below: ")]
        assert re.search(rf"(^ ?|  ){re.escape(context[0])} +{context[1]}( |$)", page, re.M), page
        assert not re.search(rf"(^ ?|  ){re.escape(other[0])} +{other[1]}( |$)", page, re.M), page
    screen.keys("q")
    screen.wait(r"lines 1-")
    screen.keys("q")
    screen.wait(r"\[findings\]")


def test_pasted_text_is_no_keys(monitor):
    """In a prompt it is text, and its newline does not accept it."""
    screen = monitor("-v", "errors")
    screen.tmux("set-buffer", "q6/EINVAL\n")
    screen.tmux("paste-buffer", "-p")
    screen.wait(r"paste ignored")
    screen.keys("/")
    screen.wait(r"Filter .*:")
    screen.tmux("set-buffer", "EINVAL\n")
    screen.tmux("paste-buffer", "-p")
    screen.wait(r"(?s)\n>![^\n]*EINVAL.*Filter [^\n]*: EINVAL\n")


def test_before_the_first_interval_is_explained(monitor):
    screen = monitor(steps=0)
    screen.wait(r"The first interval is not over yet")
    screen.wait(r"xdp_redirect is shed")


def test_all_zero_is_explained(monitor, tmp_path):
    path = tmp_path / "quiet.jsonl"
    recording.write(path, series=[])
    screen = monitor(path=path, width=100, height=30)
    for digit, view, off in (("1", "overview", "xdp_redirect is shed"),
                             ("3", "flows", "xdp_redirect is shed"),
                             ("4", "errors", "xdp_cpumap_kthread is off")):
        screen.keys(digit)
        text = screen.still(rf"(?s)\[{view}\].*No events in the 2s since the start")
        assert off in text


@pytest.mark.parametrize("missing,width,head", [
    ("namespaces_left_out", 160, "namespaces not read: 2"), ("namespaces_left_out", 80, "unread:2"),
    ("devices_left_out", 160, "devices not known: 2"), ("devices_left_out", 80, "unknown:2"),
])
def test_what_is_not_known_of_devices_is_said(monitor, tmp_path, missing, width, head):
    path = tmp_path / "start.jsonl"
    recording.write(path, devices="start", **{missing: 2})
    screen = monitor("-v", "devices", path=path, width=width, height=40)
    text = screen.still({"namespaces_left_out": r"2 network namespaces could not be read",
                         "devices_left_out": r"2 more devices were found but not read"}[missing])
    assert "created after the start" in text
    screen.wait(head)


@pytest.mark.parametrize("width,head", [(160, "sockets not listed: 17"), (80, "unlisted:17")])
def test_sockets_that_are_not_listed_are_counted(monitor, tmp_path, width, head):
    path = tmp_path / "many.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for row in recording.rows([], {}, with_maps=True):
            if row["type"] == "socket" and row["seq"] == 1:
                for netns, n in ((recording.INIT, 10), (recording.OTHER, 7)):
                    file.write(json.dumps({"type": "sockets_left_out", "seq": 1, "time": row["time"], "netns": netns,
                                           "state": "counted", "left_out": n}) + "\n")
            file.write(json.dumps(row) + "\n")
    monitor("-v", "sockets", path=path, width=width, height=24).wait(head)


def test_end_of_recording(monitor):
    screen = monitor(steps=6)
    screen.keys("Space")
    screen.wait(r"ends here")
    screen.wait(r"at its end")


@pytest.mark.parametrize("seed", range(3))
def test_random_keys(monitor, tmp_path, seed):
    """Random keys at full speed break nothing; without q, ^C and ^Z."""
    names = [chr(c) for c in range(33, 127) if chr(c) not in "q;"] + [
        "Up", "Down", "Left", "Right", "PgUp", "PgDn", "Home", "End", "Enter", "Escape", "Tab", "BTab",
        "Space", "BSpace", "DC", "C-l", "C-u", "C-w", "C-a", "F1", "F2", "F3", "F4", "F5", "F6", "F9"]
    screen = monitor(steps=0, prefix=("env", "-C", str(tmp_path)))  # w and o write files
    pid = screen.pid()
    pick = random.Random(seed)
    for _ in range(40):
        screen.keys(*pick.choices(names, k=50))
        assert screen.pid() == pid
    for _ in range(10):
        screen.keys("Escape")
    screen.keys("q")
    screen.wait(r"exit=0")


def test_funnel(monitor):
    """The packet path of a device, and what is unknown."""
    screen = monitor("-v", "devices", "-f", "ifname=eth0", height=60)
    screen.keys("e")
    screen.wait(r"not queued +360")
    screen.wait(r"queued +unknown: the tracepoint cost more than --budget")
    screen.wait(r"not sent +300")


def test_starts_with_a_list(monitor):
    monitor("-v", "findings").wait(r"\[findings\]")


def test_packets_of_a_recording(monitor):
    """A recording never has packets; the live pane is tried in guests (tests/kernels, step packets)."""
    screen = monitor()
    screen.keys("y")
    screen.wait("a recording has no packets")
