# SPDX-License-Identifier: GPL-2.0-or-later
"""The incidents of a recording: view timeline, and --check of a directory. build/week/week knows when they were."""
import calendar
import csv
import io
import json
import os
import random
import signal
import subprocess
import time

import pytest

from batch import DEADLINE, DONE, FILE, FINDINGS, TOP, USAGE, XDPTOP, output, xdptop
from segments import START, Recorder, lines, stamp

WEEK = TOP / "build/week/week"
INTERVAL = 20


@pytest.fixture(scope="module")
def week(tmp_path_factory):
    """Seven days of two devices, and its incidents: from, to, code, device."""
    directory = tmp_path_factory.mktemp("week") / "rec"
    known = subprocess.run([WEEK, directory, "2", str(INTERVAL)], stdout=subprocess.PIPE, check=True, timeout=DEADLINE).stdout
    return directory, [(int(a), int(b), c, d) for a, b, c, d in (line.split() for line in known.decode().splitlines())]


@pytest.fixture()
def recorder(tmp_path):
    return Recorder(tmp_path / "rec")


def incidents(*args):
    return [row for row in map(json.loads, output("-v", "timeline", "-o", "json", *args).splitlines()) if row["type"] == "incident"]


def losses(directory, begin, end):
    """What the samples say was lost in that time."""
    rows = map(json.loads, output("-o", "json", "-r", f"{directory}@{stamp(begin)}..{stamp(end)}").splitlines())
    return sum(r["drops"] or 0 for r in rows if r["type"] == "sample" and r["tracepoint"] == "xdp_redirect_err")


def test_a_week(week):
    """Each known incident is one row, with its times and what was lost; there is nothing else but its change."""
    directory, known = week
    found = incidents("-r", directory)
    assert [row["from"] for row in found] == sorted((row["from"] for row in found), reverse=True)
    for begin, end, code, device in known:
        (row,) = [r for r in found if r["code"] == code and r["ifname"] == device and r["from"] == stamp(begin)]
        assert stamp(begin) <= row["to"] <= stamp(end) and row["state"] == "cleared"
        if code != "program-replaced":
            assert row["to"] >= stamp(end - INTERVAL)
            assert row["lost"] == losses(directory, begin, end) > 0
    assert {r["code"] for r in found} == {code for _, _, code, _ in known}
    down = [r for r in found if r["code"] == "target-down"]
    assert all("link-down" in "".join(r["changes"]) for r in down)
    table = list(csv.DictReader(io.StringIO(output("-v", "timeline", "-o", "csv", "-r", directory).decode())))
    assert [(r["from"], r["to"], r["code"], r["lost"]) for r in table] == [
        (r["from"], r["to"], r["code"], "" if r["lost"] is None else str(r["lost"])) for r in found]


def test_check(week):
    """The same incidents, one line each, with times, and exit 6."""
    directory, known = week
    p = xdptop("--check", "-r", directory)
    lines = p.stdout.decode().splitlines()
    bad = [k for k in known if k[2] != "program-replaced"]
    assert p.returncode == FINDINGS and len(lines) == len(bad)
    for (begin, _, code, _), line in zip(reversed(bad), lines):
        clock = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(begin))
        assert line.startswith(f"critical {code}: ") and f"(from {clock} to " in line and ", lost " in line
    assert "; in the same interval: link-down" in lines[0]
    begin = bad[0][0]
    assert xdptop("--check", "-r", f"{directory}@{stamp(begin - 7200)}..{stamp(begin - 60)}").returncode == DONE
    assert xdptop("--check", "-r", f"{directory}@{stamp(begin + 60)}..{stamp(begin + 120)}").returncode == FINDINGS
    assert xdptop("--check", "-f", "ifname=nothing", "-r", directory).returncode == DONE


def test_findings_as_csv(week):
    """A row when a finding appears and one when it has cleared; with -a, one in each snapshot."""
    directory, known = week
    begin, end, code, device = known[-1]
    args = ("-v", "findings", "-o", "csv", "-r", f"{directory}@{stamp(begin - 600)}..{stamp(end + 600)}")
    rows = list(csv.DictReader(io.StringIO(output(*args).decode())))
    assert [r["time"] for r in rows] == sorted(r["time"] for r in rows)
    found = [r for r in rows if (r["code"], r["ifname"]) == (code, device)]
    assert [r["severity"] for r in found] == ["critical", "cleared"]
    assert stamp(begin) <= found[0]["time"] <= stamp(begin + 2 * INTERVAL) and found[1]["time"] >= stamp(end)
    assert int(found[1]["count_total"]) == losses(directory, begin, end)
    every = list(csv.DictReader(io.StringIO(output("-a", *args).decode())))
    times = sorted({r["time"] for r in every})
    assert [r["time"] for r in every if (r["code"], r["ifname"]) == (code, device)] == times[times.index(found[0]["time"]):]
    # what a filter of numbers lets in later appears then
    half = int(found[1]["count_total"]) // 2
    later = list(csv.DictReader(io.StringIO(output("-f", f"count_total>={half}", *args).decode())))
    assert [r["severity"] for r in later] == ["critical", "cleared"] and later[0]["time"] > found[0]["time"]


def test_any_span_has_the_same(week):
    """Parts of the time have the rows of the whole that touch them."""
    directory, known = week
    found = incidents("-r", directory)
    last = max(end for _, end, _, _ in known) + 600
    for back in (3600, 86400, 3 * 86400):
        begin = stamp(last - back)
        assert incidents("-r", f"{directory}@{begin}..") == [r for r in found if r["to"] >= begin]


def test_a_jump_is_as_if_it_had_come_there(week):
    """All cells, findings, changes and graphs are those of a replay that came there by itself. JUMPS=200 tries more."""
    directory, known = week
    begins = [calendar.timegm(time.strptime(name.name[7:23], "%Y%m%dT%H%M%SZ")) for name in sorted(directory.glob("*.zst"))]
    first, last = begins[0] + 600, begins[-1]
    # when much happens: incidents, and the starts of runs
    busy = [begin for begin, _, _, _ in known] + [begin for begin in begins if begin % 600 >= INTERVAL]
    n, draw = int(os.environ.get("JUMPS", 8)), random.Random(50)
    times = sorted(min(last, max(first, draw.choice(busy) + draw.randint(-900, 1200) if i % 2 else draw.randint(first, last)))
                   for i in range(n))
    p = subprocess.run([TOP / "build/week/jump", directory, *map(str, times)], stdout=subprocess.PIPE, timeout=10 * DEADLINE)
    assert (p.returncode, p.stdout.decode()) == (0, f"{n} of {n} the same\n")


def test_a_jump_judges_verdicts(recorder):
    """Findings of --verdicts need ten seconds of packets: a jump has them, in, before and after a time of drops."""
    recorder.run(START, 2400, drops=(900, 1500))
    times = [START + second for second in (890, 905, 910, 915, 920, 1300, 1500, 1505, 1515, 2300)]
    p = subprocess.run([TOP / "build/week/jump", recorder.directory, *map(str, times)], stdout=subprocess.PIPE, timeout=DEADLINE)
    assert (p.returncode, p.stdout.decode()) == (0, f"{len(times)} of {len(times)} the same\n")


def test_goes_on(recorder):
    """What has not cleared continues until the last snapshot: after a kill, too, as far as is known."""
    recorder.run(START, 1500, loss=(600, 1500), end=False)
    (row,) = incidents("-r", recorder.directory)
    assert (row["from"], row["to"], row["state"]) == (stamp(START + 605), stamp(START + 1500), "active")
    (row,) = incidents("-r", f"{recorder.directory}@..00:15")
    assert (row["to"], row["state"]) == (stamp(START + 900), "active")
    assert ", and continues" in xdptop("--check", "-r", recorder.directory).stdout.decode()


def test_joined(recorder):
    """Gaps of less than a minute do not end an incident, not even those between two runs; longer ones do."""
    for at, pause in ((0, 30), (630, 300), (1530, 0)):
        recorder.run(START + at, 600, loss=(400, 600) if not at else (0, 590), boot=f"{at:08}-2222-3333-4444-555555555555")
    found = incidents("-r", recorder.directory)
    assert [(r["from"], r["to"]) for r in found] == [(stamp(START + 1535), stamp(START + 2120)),
                                                     (stamp(START + 405), stamp(START + 1220))]
    assert [r["lost"] for r in found] == [590 * 10, 200 * 10 + 590 * 10]


def test_what_was_not_read(recorder):
    """Damage is said, and neither exit 0 nor "no incident" hides it."""
    names = recorder.run(START, 1800)
    whole = xdptop("-b", "-v", "timeline", "-r", recorder.directory)
    assert whole.returncode == DONE and b"No incident: " in whole.stdout and b"not read" not in whole.stdout + whole.stderr
    path = recorder.directory / names[1]
    data = bytearray(path.read_bytes())
    data[len(data) // 2:] = b"\xff" * (len(data) - len(data) // 2)
    path.write_bytes(data)
    for args in (("-b", "-v", "timeline"), ("--check",)):
        p = xdptop(*args, "-r", recorder.directory)
        assert p.returncode == FILE and b"not read: the rest of 1 damaged file" in p.stderr, args
    text = xdptop("-b", "-v", "timeline", "-r", recorder.directory).stdout
    assert b"not read: the rest of 1 damaged file" in text and b"No incident: " not in text


def test_stopped(recorder):
    """A signal stops the reading: what was read is printed, said to be incomplete, and the status is not 0."""
    recorder.run(START, 1500, loss=(1000, 1100))
    for name in sorted(os.listdir(recorder.directory))[:1]:
        with open(recorder.directory / name, "r+b") as segment:
            # the zstd block of a gigabyte of blank lines that are read for long: a raw file of holes
            segment.truncate(0)
            segment.truncate(1 << 38)
    with subprocess.Popen([XDPTOP, "-v", "timeline", "-o", "csv", "-r", recorder.directory], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        time.sleep(1)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=DEADLINE)
    assert p.returncode != DONE and b"not read: " in err
    assert out.count(b"target-down") == 1


def test_other_order(tmp_path, recorder):
    """A program that writes the fields in another order, or with blanks, changes nothing; half a line is said."""
    recorder.run(START, 600, loss=(100, 200))
    path = tmp_path / "sorted.jsonl"
    path.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in map(json.loads, lines(*recorder.plain).splitlines())))
    assert incidents("-r", path) == incidents("-r", recorder.directory) != []
    path.write_text(path.read_text() + '{"type":"finding","seq"\n')
    assert b"not read: 1 damaged line" in xdptop("-b", "-v", "timeline", "-r", path).stderr


def test_refused():
    for args, why in (((), "needs a recording"), (("-r", "x", "-o", "prometheus"), "text, csv or json")):
        p = xdptop("-b", "-v", "timeline", *args)
        assert p.returncode == USAGE and why in p.stderr.decode()
    p = xdptop("-b", "-v", "timeline", "-r", "-", input=b'{"type":"header","schema":1,"hostname":"a","kernel":"6.1","time":"2026-11-21T00:00:00.000000Z","delay_s":1}\n')
    assert p.returncode == FILE and b"not a pipe" in p.stderr
