# SPDX-License-Identifier: GPL-2.0-or-later
"""-r DIR: the segments of --record as one recording, from any time, and what is damaged, missing or hostile in them."""
import csv
import io
import json
import os
import signal
import subprocess
import time

import pytest

from batch import DEADLINE, DEMO, DONE, ENV, FAILED, FILE, FINDINGS, USAGE, XDPTOP, output, run, xdptop
from segments import FRAME, INTERVAL, RATE, START, Recorder, block, lines, stamp

HOUR = 3600
OTHER_BOOT = "99999999-2222-3333-4444-555555555555"


@pytest.fixture()
def recorder(tmp_path):
    return Recorder(tmp_path / "rec")


@pytest.fixture()
def three_hours(recorder):
    recorder.run(START, 3 * HOUR, changes=(4000,), loss=(7300, 7400))
    return recorder.directory


def rows(*args, code=DONE):
    p = xdptop(*args, "-o", "json")
    assert p.returncode == code, p.stderr
    return [json.loads(line) for line in p.stdout.splitlines()]


def seqs(found):
    return sorted({row["seq"] for row in found if row["type"] == "tracepoint"})


def flows(found):
    return [row for row in found if row["type"] == "sample" and row["tracepoint"] == "xdp_devmap_xmit"]


def test_as_one_recording(recorder, tmp_path):
    """Frames and segments change nothing: the same bytes as from one recording of the same run."""
    recorder.run(START, 2 * HOUR + 600, changes=(4000,), loss=(3500, 3700))
    one = tmp_path / "one.jsonl"
    one.write_bytes(lines(*recorder.plain))
    for form in ("json", "csv", "text"):
        assert output("-b", "-r", recorder.directory, "-o", form) == output("-b", "-r", one, "-o", form)
    assert seqs(rows("-r", recorder.directory)) == list(range(1, (2 * HOUR + 600) // INTERVAL + 1))


@pytest.mark.parametrize("span,first,last", [
    ("@..", 5, 3 * HOUR),
    ("@+1h..+2h", HOUR + 5, 2 * HOUR + 5),  # from the first snapshot
    ("@01:00..01:00:30", HOUR, HOUR + 30),
    ("@01:00:00Z..01:00:30Z", HOUR, HOUR + 30),
    ("@-10m..", 3 * HOUR - 600, 3 * HOUR),
    ("@..-10m", 5, 3 * HOUR - 600),
    ("@01:00:02..01:00:13", HOUR + 5, HOUR + 10),
    ("@2026-11-21 02:30..2026-11-21T02:31:00Z", 2 * HOUR + 1800, 2 * HOUR + 1860),
    ("@2026-11-21T02:30:00.123456Z..+2d", 2 * HOUR + 1800, 3 * HOUR),
    ("@02:59:59", 3 * HOUR, 3 * HOUR),
    ("@-1d..00:00:20", 5, 20),
    ("", 5, 3 * HOUR),
])
def test_spans(three_hours, span, first, last):
    found = rows("-r", f"{three_hours}{span}")
    times = [row["time"] for row in found if row["type"] == "tracepoint"]
    assert (times[0], times[-1]) == (stamp(START + first), stamp(START + last))
    # totals are since the start of the run, wherever it is opened
    assert flows(found)[-1]["packets_total"] == last * RATE and flows(found)[0]["packets"] == INTERVAL * RATE
    assert found[-1]["type"] == "end"


def test_the_last_night(recorder):
    """A time of day is the last one; the end of a span is the first one after its start."""
    recorder.run(START + 22 * HOUR, 4 * HOUR)
    for span, first, last in (("@23:00..01:00", 23 * HOUR, 25 * HOUR), ("@01:00..01:00:10", 25 * HOUR, 25 * HOUR + 10),
                              ("@2026-11-21 23:00..23:30", 23 * HOUR, 23 * HOUR + 1800)):
        times = [row["time"] for row in rows("-r", f"{recorder.directory}{span}") if row["type"] == "tracepoint"]
        assert (times[0], times[-1]) == (stamp(START + first), stamp(START + last)), span


def test_of_a_file(tmp_path, recorder):
    """The same spans of one recording, plain, compressed, and of one segment."""
    (name,) = recorder.run(START, 600)
    plain = tmp_path / "one@2.jsonl"
    plain.write_bytes(lines(*recorder.plain))
    for path in (plain, recorder.directory / name):
        for span, first, last in (("@00:05..00:06", 300, 360), ("@+5m..", 300, 600), ("@-1m..", 540, 600), ("@..00:01", 5, 60)):
            times = [row["time"] for row in rows("-r", f"{path}{span}") if row["type"] == "tracepoint"]
            assert (times[0], times[-1]) == (stamp(START + first), stamp(START + last)), (path, span)
    # the whole name is a file
    assert seqs(rows("-r", plain)) == list(range(1, 121))
    p = xdptop("-r", "/dev/stdin@00:05..00:06", "-o", "json", input=plain.read_bytes())
    assert p.returncode == DONE and seqs(map(json.loads, p.stdout.splitlines())) == list(range(60, 73))


def test_check_diff_csv(three_hours):
    assert xdptop("--check", "-r", f"{three_hours}@..01:30").returncode == DONE
    p = xdptop("--check", "-r", f"{three_hours}@02:01:30..02:04")
    assert p.returncode == FINDINGS and b"target-down" in p.stdout
    p = xdptop("--diff", f"{three_hours}@00:30..01:00", f"{three_hours}@02:01..02:05")
    assert p.returncode == FINDINGS and b"ENETDOWN" in p.stdout
    p = xdptop("--diff", f"{three_hours}@00:30..01:00", f"{three_hours}@01:00..01:30", "-o", "json")
    spans = [json.loads(line) for line in p.stdout.splitlines()[:2]]
    assert [span["seconds"] for span in spans] == [1800, 1800] and [span["changes"] for span in spans] == [0, 1]
    assert spans[0]["file"] == str(three_hours)
    table = list(csv.DictReader(io.StringIO(output("-o", "csv", "-r", f"{three_hours}@01:00..01:01").decode())))
    assert [row["seq"] for row in table] == [str(i) for i in range(720, 733)]


def test_gap_between_runs(recorder):
    """No rate is computed across it, and it is said."""
    recorder.run(START, 600)
    recorder.run(START + 2 * HOUR, 600, boot=OTHER_BOOT)
    text = output("-b", "-r", recorder.directory, "-v", "flows").decode()
    (gap,) = [line for line in text.splitlines() if "gap:" in line]
    assert "gap: nothing was recorded for 1h50m" in gap
    found = flows(rows("-r", recorder.directory))
    assert {row["packets_per_s"] for row in found if row["packets"]} == {RATE}
    assert found[-1]["packets_total"] == 600 * RATE


def test_missing_segment(three_hours):
    """Its packets are counted over the gap, whose length is known; totals do not change."""
    whole = flows(rows("-r", three_hours))
    for gone in [name for name in os.listdir(three_hours) if "T01" in name]:
        os.unlink(three_hours / gone)
    text = output("-b", "-r", three_hours, "-v", "flows").decode()
    (gap,) = [line for line in text.splitlines() if "gap:" in line]
    assert "gap: nothing was recorded for 1h00m" in gap
    found = flows(rows("-r", three_hours))
    assert found[-1]["packets_total"] == whole[-1]["packets_total"]
    assert sum(row["packets"] for row in found) == whole[-1]["packets_total"]
    assert {row["packets_per_s"] for row in found} == {RATE}
    # in the gap, the next snapshot
    assert rows("-r", f"{three_hours}@01:30")[1]["time"] == stamp(START + 2 * HOUR + 5)


def test_left_out_snapshots(recorder):
    """The writer had no room: the header says how many are missing, and the interval is longer. That is not a gap."""
    (name,) = recorder.run(START, 60)
    path = recorder.directory / name
    more = list(recorder.rows(17, START + 85, True, {"lost": 0, "lost_total": 0, "changes": [], "begins": False}))
    more[2 + 1].update(interval_s=25, events=25, packets=25 * RATE)
    head = recorder.header("11111111-2222-3333-4444-555555555555", START, START + 85, 4)
    whole = path.read_bytes()
    path.write_bytes(whole[:whole.index(b'{"type":"end"') - 3] + block(lines(head, *more), True))
    text = output("-b", "-r", recorder.directory, "-v", "flows").decode()
    assert "gap" not in text and text.count("interval 25.000 s") == 1
    assert {row["packets_per_s"] for row in flows(rows("-r", recorder.directory))} == {RATE}


@pytest.mark.parametrize("at", range(1, 60001, 4111))
def test_cut(recorder, at):
    """Anywhere in the last segment: all snapshots before are read, and the next run is read after it."""
    recorder.run(START, 600)
    (name,) = recorder.run(START + HOUR, 600, end=False)
    recorder.run(START + 2 * HOUR, 60, boot=OTHER_BOOT)
    path = recorder.directory / name
    whole = path.read_bytes()
    ends = [i for i in range(1, 121) if whole.index(b'"seq":%d,' % i) < at]
    path.write_bytes(whole[:at])
    for tail in (b"", bytes(4096)):  # after a power loss, zeros
        path.write_bytes(whole[:at] + tail)
        found = rows("-r", recorder.directory)
        counted = [row["seq"] for row in found if row["type"] == "tracepoint" and row["tracepoint"] == "xdp_devmap_xmit"]
        n = len(ends)
        middle = [seq for seq in counted[120:-12] if seq]
        assert middle[:n - 1] == list(range(1, n)) and len(middle) in (n - 1, n), (n, middle)
        assert counted[-12:] == list(range(1, 13))


def test_damage(three_hours):
    """The rest of the segment is skipped, that is said, and a gap; the next one is read. Nobody takes it as complete."""
    (name,) = [name for name in os.listdir(three_hours) if "T0110" in name]
    path = three_hours / name
    data = bytearray(path.read_bytes())
    at = len(FRAME)
    for _ in range(1 + 100):  # the header, and snapshots
        at += 3 + (int.from_bytes(data[at:at + 3], "little") >> 3)
    data[at] |= 6  # a block of a type that does not exist
    path.write_bytes(data)
    p = xdptop("-r", three_hours, "-o", "json")
    assert p.returncode == FILE and b"damaged" in p.stderr and name.encode() in p.stderr
    found = [json.loads(line) for line in p.stdout.splitlines()]
    times = {seq * INTERVAL for seq in seqs(found)}
    # 16 KiB before the damage may be lost with it
    assert HOUR + 600 + 5 * 70 in times and HOUR + 600 + 5 * 101 not in times and HOUR + 1200 + 5 in times
    assert flows(found)[-1]["packets_total"] == 3 * HOUR * RATE
    assert sum(row["packets"] for row in flows(found)) == 3 * HOUR * RATE
    # a span that does not touch it is whole
    assert xdptop("-r", f"{three_hours}@02:30..", "-o", "json").returncode == DONE


def test_reads_only_what_it_shows(three_hours):
    """After the first snapshots of the other segments there may be anything."""
    names = sorted(os.listdir(three_hours))
    for name in names[:12]:
        data = (three_hours / name).read_bytes()
        second = data.index(b'"seq":%d,' % (int(json.loads(data[data.index(b'{"type":"tracepoint"'):].split(b"\n")[0])["seq"]) + 1))
        (three_hours / name).write_bytes(data[:second] + bytes([255]) * (len(data) - second))
    p = xdptop("-r", f"{three_hours}@02:30..", "-o", "json")
    assert (p.returncode, p.stderr) == (DONE, b"")


def test_clock_was_set(recorder):
    """Back by an hour after two hours: the clock that nobody sets gives the order, and no snapshot is taken twice."""
    recorder.run(START, 4 * HOUR, clock=lambda second: -HOUR - 60 if second >= 2 * HOUR else 0)
    found = flows(rows("-r", recorder.directory))
    assert [row["seq"] for row in found] == list(range(1, 4 * HOUR // INTERVAL + 1))
    assert {row["packets_per_s"] for row in found} == {RATE}
    # a boot whose clock was wrong at first
    recorder.run(START + 5 * HOUR, 2 * HOUR, boot=OTHER_BOOT, clock=lambda second: -10**9 if second < HOUR else 0)
    assert [row["seq"] for row in flows(rows("-r", recorder.directory)) if row["packets"]][-1440:] == list(range(1, 1441))


def test_others_files(three_hours, tmp_path):
    """Ignored: links, FIFOs, directories, other names, empty segments; nothing is waited for."""
    whole = output("-r", three_hours, "-o", "csv")
    first = sorted(os.listdir(three_hours))[0]
    os.mkfifo(three_hours / "xdptop-20261121T030000Z.jsonl.zst")
    os.symlink(three_hours / first, three_hours / "xdptop-20261121T040000Z.jsonl.zst")
    os.symlink("/dev/zero", three_hours / "xdptop-20261121T050000Z.jsonl.zst")
    (three_hours / "xdptop-20261121T060000Z.jsonl.zst").mkdir()
    (three_hours / "xdptop-20261121T070000Z.jsonl.zst").touch()
    for name in ("notes", "xdptop-20261121T000000Z.jsonl", "xdptop-20261399T000000Z.jsonl.zst", "xdptop-\xff.jsonl.zst", "x" * 255):
        (three_hours / name).write_bytes(b"x")
    p = xdptop("-r", three_hours, "-o", "csv")
    assert (p.returncode, p.stdout, p.stderr) == (DONE, whole, b"")


def test_many_names(three_hours):
    """100,000 others, and 20,000 segments, of which the newest are read, in the memory of a small recording."""
    for i in range(100000):
        os.close(os.open(three_hours / f"f{i}", os.O_CREAT, 0o600))
    old = lines({"type": "header", "schema": 1})
    for i in range(20000):
        name = time.strftime("xdptop-%Y%m%dT%H%M%SZ.jsonl.zst", time.gmtime(START - HOUR * (i + 1)))
        (three_hours / name).write_bytes(old)
    p = run("prlimit", f"--data={64 << 20}", XDPTOP, "-r", f"{three_hours}@02:00..", "-o", "csv")
    assert p.returncode == DONE and b"only the newest 16384 segments are read; 3634 are older" in p.stderr
    assert p.stdout.count(b"\n") == 1 + HOUR // INTERVAL + 1 + 20


BLANK = FRAME + ((1 << 1 | (1 << 17) << 3).to_bytes(3, "little") + b"\n") * (1 << 16)  # 8 GiB of lines in RLE blocks


def test_memory_of_what_unpacks_without_end(three_hours):
    """Blank lines, in place of the heads of two segments."""
    for name in ("xdptop-20261121T030000Z.jsonl.zst", "xdptop-20261121T040000Z.jsonl.zst"):
        (three_hours / name).write_bytes(BLANK)
    p = run("prlimit", f"--data={64 << 20}", XDPTOP, "-r", f"{three_hours}@00:30", "-n", "3", "-o", "csv")
    assert p.returncode == DONE and p.stdout.count(b"2026-11-21T00:30:") == 3


@pytest.mark.parametrize("args,number", [(("-o", "csv", "-r"), signal.SIGTERM), (("--check", "-r"), signal.SIGINT),
                                         (("--diff",), signal.SIGTERM),
                                         (("--follow", "xdp_exception", "-b", "-r"), signal.SIGTERM)], ids=str)
def test_signal(recorder, args, number):
    """Ends at once, in whichever segment: a deaf one would read 400 GiB."""
    recorder.run(START, 300)
    for minute in range(50):
        (recorder.directory / f"xdptop-20261121T01{minute:02}00Z.jsonl.zst").write_bytes(BLANK)
    directories = [recorder.directory] * (2 if args == ("--diff",) else 1)
    with subprocess.Popen([XDPTOP, *args, *directories], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        deadline = time.monotonic() + DEADLINE
        # three seconds of CPU: it has the heads, and reads blank lines
        while int(open(f"/proc/{p.pid}/stat").read().split()[13]) < 3 * os.sysconf("SC_CLK_TCK"):
            assert time.monotonic() < deadline and p.poll() is None
            time.sleep(0.05)
        p.send_signal(number)
        p.communicate(timeout=DEADLINE)


def blocks(pid, number):
    """Whether the process has begun to take signals itself."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        (blocked,) = [line.split()[1] for line in status if line.startswith("SigBlk")]
    return int(blocked, 16) >> (number - 1) & 1


@pytest.mark.parametrize("args,code", [(("-o", "csv"), DONE), (("-b", "-n", "1"), DONE), (("--check",), FAILED),
                                       (("-v", "timeline", "-o", "csv"), FAILED)], ids=str)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("span", ["", "@01:10"])
def test_signal_while_it_is_opened(recorder, args, code, number, span):
    """It ends at once, before a head was found, with success; but nothing says that there is no finding."""
    recorder.run(START, 300)
    for minute in range(50):
        (recorder.directory / f"xdptop-20261121T01{minute:02}00Z.jsonl.zst").write_bytes(BLANK)
    with subprocess.Popen([XDPTOP, *args, "-r", f"{recorder.directory}{span}"], env=ENV, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as p:
        deadline = time.monotonic() + DEADLINE
        while not blocks(p.pid, number):
            assert time.monotonic() < deadline and p.poll() is None
        p.send_signal(number)
        out, err = p.communicate(timeout=DEADLINE)
    said = f"{recorder.directory}: a signal came before it was read\n" if code else ""
    assert (p.returncode, out, err.decode().removeprefix("xdptop: ")) == (code, b"", said)


@pytest.mark.parametrize("blank", [False, True])
def test_signal_before_a_line_comes(tmp_path, blank):
    """Of a pipe whose writer writes nothing, and of a file that begins with 8 GiB of blank lines."""
    path = tmp_path / "blank.jsonl.zst"
    path.write_bytes(BLANK)
    with subprocess.Popen([XDPTOP, "-b", "-r", path if blank else "-"], env=ENV, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
        deadline = time.monotonic() + DEADLINE
        while not blocks(p.pid, signal.SIGTERM):
            assert time.monotonic() < deadline and p.poll() is None
        p.send_signal(signal.SIGTERM)
        assert (p.wait(timeout=DEADLINE), p.stdout.read(), p.stderr.read()) == (DONE, b"", b"")


@pytest.mark.parametrize("arg,code,said", [
    ("DIR@soon", USAGE, "'soon' is not a time; give 09:15"),
    ("DIR@", USAGE, "'' is not a time"),
    ("DIR@1..x", USAGE, "'1' is not a time"),
    ("DIR@02:00..x", USAGE, "'x' is not a time"),
    ("DIR@2026-11-21 02:00..2026-11-21 01:00", USAGE, "2026-11-21 02:00 is after 2026-11-21 01:00"),
    ("DIR@" + "+1" * 50, USAGE, "is not a time"),
    ("DIR@2026-11-22 00:00", FILE, "nothing was recorded after 2026-11-22 00:00:00; give a time from 2026-11-21 00:00:05 to "
                                   "2026-11-21 03:00:00"),
    ("DIR@..2026-11-20 00:00", FILE, "nothing was recorded before 2026-11-21 00:00:05"),
    ("DIR/none@02:00", FILE, "none: No such file or directory"),
    ("EMPTY", FILE, "no recording in this directory; xdptop --record EMPTY makes one"),
    ("EMPTY@02:00", FILE, "no recording in this directory"),
    (DEMO + "@+1h..+2h", FILE, "nothing was recorded from that time on; the replay ends here"),
    ("/dev/stdin@-1h", FILE, "a pipe has no end yet to count from"),
])
def test_errors(three_hours, tmp_path, arg, code, said):
    empty = tmp_path / "empty"
    empty.mkdir()
    arg, said = (text.replace("DIR", str(three_hours)).replace("EMPTY", str(empty)) for text in (arg, said))
    p = xdptop("-r", arg, "-o", "csv", input=b"".join(open(DEMO, "rb").readlines()))
    assert (p.returncode, p.stdout) == (code, b"")
    assert said in p.stderr.decode() and p.stderr.count(b"\n") == 1


def test_before_the_first(three_hours):
    """The nearest, and that is said."""
    p = xdptop("-r", f"{three_hours}@-7d", "-n", "1", "-o", "csv")
    assert p.returncode == DONE and b"2026-11-21T00:00:05" in p.stdout
    assert b"nothing was recorded at -7d; the first snapshot is from 2026-11-21 00:00:05" in p.stderr
    assert xdptop("-q", "-r", f"{three_hours}@-7d", "-n", "1", "-o", "csv").stderr == b""


def test_no_snapshot(tmp_path):
    directory = tmp_path / "rec"
    directory.mkdir()
    for i, data in enumerate((b"x", bytes(10000), FRAME, FRAME + block(lines({"type": "header", "schema": 2}), True))):
        (directory / f"xdptop-2026112{i}T000000Z.jsonl.zst").write_bytes(data)
    p = xdptop("-r", directory, "-o", "csv")
    assert (p.returncode, p.stdout) == (FILE, b"") and b"no segment has a whole snapshot" in p.stderr


def test_output_is_not_input(three_hours):
    name = sorted(os.listdir(three_hours))[1]
    p = xdptop("-r", three_hours, "-o", "json", "--to", three_hours / name)
    assert p.returncode == FILE and b"would overwrite the recording" in p.stderr
    assert (three_hours / name).stat().st_size > 1000
