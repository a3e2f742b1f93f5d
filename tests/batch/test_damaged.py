# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that are not recordings, or are damaged: named with the line, skipped, or exit 5."""
import csv
import io
import json
import re
import shutil
import subprocess

import pytest

from batch import DEADLINE, DEMO, DONE, ENV, FILE, XDPTOP, missing, output, run, xdptop


@pytest.fixture(scope="module")
def lines():
    with open(DEMO, "rb") as f:
        return f.read().splitlines(keepends=True)


@pytest.fixture(scope="module")
def whole():
    return output("-r", DEMO, "-o", "csv", "-C")


@pytest.fixture
def replay(tmp_path):
    """Replays these lines as CSV."""

    def start(lines_, *args):
        path = tmp_path / "r.jsonl"
        path.write_bytes(b"".join(lines_))
        return xdptop("-r", path, "-o", "csv", "-C", *args)

    return start


def edited(line, **values):
    return (json.dumps({**json.loads(line), **values}) + "\n").encode()


def find(lines_, seq, kind=b"sample"):
    """The index of the first line of this type and snapshot."""
    return next(i for i, line in enumerate(lines_)
                if line.startswith(b'{"type":"%s","seq":%d,' % (kind, seq)))


def check_skipped(p, whole_, line, cause):
    """All other rows are there, and one remark names the missing one."""
    assert p.returncode == DONE
    assert p.stdout == whole_
    assert re.fullmatch(rf"xdptop: \S+/r\.jsonl: line {line}: {cause}; it is skipped\n",
                        p.stderr.decode())


@pytest.mark.parametrize("damage,cause", [
    (b"\x00\xff\xfe\x80garbage\n", "it is not a JSON object"),
    (b"\x7fELF\x02\x01\x01" + bytes(1000) + b"\n", "it is not a JSON object"),
    (b'{"type":"sample","seq":\n', "it ends too early"),
    (b'{"type":"sample","seq":x\n', "unexpected character at byte 24"),
    (b'["type","sample"]\n', "it is not a JSON object"),
    (b'{"type":"sample","seq":1,"time":"yesterday","tracepoint":"xdp_redirect"}\n',
     "time cannot have that value"),
    (b'{"type":"sample","seq":-1,"tracepoint":"xdp_redirect"}\n', "seq cannot have that value"),
    (b'{"type":"sample","seq":1e99,"tracepoint":"xdp_redirect"}\n', "seq cannot have that value"),
    (b'{"type":"sample","seq":99999999999999999999999}\n', "a number is out of range"),
    (b'{"type":"sample","seq":1,"time":"2026-01-01T00:00:00.000000Z"}\n',
     "its tracepoint has no name"),
    (b"[" * 100000 + b"\n", ".*"),
    (b'{"a":' + b"[" * 60000 + b"\n", "nesting too deep at byte .*"),
])
def test_one_bad_line(replay, lines, whole, damage, cause):
    at = find(lines, 2)
    p = replay(lines[:at] + [damage] + lines[at:])
    check_skipped(p, whole, at + 1, cause)
    p = replay(lines[:at] + [damage] + lines[at:], "--quiet")
    assert (p.returncode, p.stdout, p.stderr) == (DONE, whole, b"")


def test_harmless_lines(replay, lines, whole):
    """Empty lines, lines with CR, objects and fields of later versions."""
    changed = []
    for line in lines:
        changed += [b"\n", edited(line, later=[1, {"a": None}], flag=True)[:-1] + b"\r\n",
                    b'{"type":"later","seq":1}\n']
    p = replay(changed)
    assert (p.returncode, p.stdout, p.stderr) == (DONE, whole, b"")


def test_many_bad_lines(replay, lines, whole):
    """Ten are named; the rest are counted."""
    p = replay(lines[:1] + [b"x\n"] * 1000 + lines[1:])
    assert (p.returncode, p.stdout) == (DONE, whole)
    assert p.stderr.count(b": line ") == 10
    assert p.stderr.endswith(b": 1000 lines were skipped\n")


def test_cut_last_line(replay, lines):
    """After a writer was killed: no remark, and all whole lines count."""
    at = find(lines, 3)
    want = replay(lines[:at])
    assert want.returncode == DONE and want.stdout
    for length in (1, 20, len(lines[at]) - 2):
        p = replay(lines[:at] + [lines[at][:length]])
        assert (p.returncode, p.stdout, p.stderr) == (DONE, want.stdout, b"")


def test_without_its_end(replay, lines, whole):
    p = replay(lines[:-1])
    assert (p.returncode, p.stderr) == (DONE, b"")
    assert p.stdout == whole


def test_line_of_10_mb(replay, lines, whole):
    at = find(lines, 2)
    long = b'{"type":"sample","junk":"' + b"x" * 10_000_000 + b'"}\n'
    check_skipped(replay(lines[:at] + [long] + lines[at:]), whole, at + 1,
                  r"it is longer than \d+ bytes")


def test_memory_is_bounded(tmp_path, lines):
    """100 MB in one line, then a million lines of garbage: neither is kept."""
    code = (
        "import resource, subprocess, sys\n"
        "p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL)\n"
        "head = open(%r, 'rb').readline()\n"
        "p.stdin.write(head)\n"
        "for i in range(100): p.stdin.write(b'x' * 1000000)\n"
        "for i in range(100): p.stdin.write(b'\\n' + b'[]\\n' * 10000)\n"
        "p.stdin.close(); p.wait()\n"
        "print(p.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n" % DEMO
    )
    out = run("/usr/bin/python3", "-c", code, XDPTOP, "-r", "-", "-o", "csv")
    returncode, kilobytes = out.stdout.split()
    assert int(returncode) == DONE
    assert int(kilobytes) < 64 << 10


def test_rows_out_of_order(replay, lines, whole):
    """A row of the first snapshot is after the second one, or within it."""
    old = lines[find(lines, 1)]
    first, second = find(lines, 2), find(lines, 3, b"tracepoint")
    for at in (first, first + 1, second):
        check_skipped(replay(lines[:at] + [old] + lines[at:]), whole, at + 1,
                      "it is out of order: a later snapshot came before it")


def test_snapshot_twice(replay, lines, whole):
    begin, end = find(lines, 2, b"tracepoint"), find(lines, 3, b"tracepoint")
    rows = [i for i in range(begin, end) if not lines[i].startswith((b'{"type":"event"', b'{"type":"device"'))]
    p = replay(lines[:end] + [lines[i] for i in rows] + lines[end:])
    assert (p.returncode, p.stdout) == (DONE, whole)
    assert b"line %d: its snapshot already has this row" % (end + 1) in p.stderr
    assert p.stderr.endswith(b"%d lines were skipped\n" % len(rows))


@pytest.mark.parametrize("kind", [b"sample", b"tracepoint"])
def test_row_twice(replay, lines, whole, kind):
    at = find(lines, 2, kind)
    check_skipped(replay(lines[:at + 3] + [lines[at]] + lines[at + 3:]), whole, at + 4,
                  "its snapshot already has this row")


def test_one_damaged_seq(replay, lines, whole):
    """A row with a wrong seq must not make the rest of the recording look old."""

    def totals(text):
        return [(row["tracepoint"], row["ifname"], row["cpu"], row["events_total"])
                for row in csv.DictReader(io.StringIO(text.decode())) if row["seq"] == "3"]

    at = find(lines, 2) + 4
    p = replay(lines[:at] + [edited(lines[at], seq=10**18)] + lines[at + 1:])
    assert p.returncode == DONE
    assert totals(p.stdout) == totals(whole)


def test_two_recordings_in_one(replay, lines, whole):
    p = replay(lines + lines)
    assert (p.returncode, p.stderr) == (DONE, b"")
    titles, rows = whole.split(b"\n", 1)
    assert p.stdout.startswith(titles) and p.stdout.count(b"\n") >= 2 * rows.count(b"\n")


def test_foreign_schema(replay, lines):
    p = replay([edited(lines[0], schema=2, version="9.9")] + lines[1:])
    assert (p.returncode, p.stdout) == (FILE, b"")
    assert b"schema 2 of xdptop 9.9 cannot be read, only schema 1" in p.stderr


def test_foreign_schema_behind(replay, lines, whole):
    """Rows before it are written; a script learns that there was more."""
    p = replay(lines + [edited(lines[0], schema=2)] + lines[1:])
    assert (p.returncode, p.stdout) == (FILE, whole)
    assert b"line %d: its schema is unknown" % (len(lines) + 1) in p.stderr
    p = replay(lines + [edited(lines[0], schema=2)] + lines[1:], "-o", "json")
    assert p.stdout.splitlines()[-1].startswith(b'{"type":"end","seq":3,')


@pytest.mark.parametrize("content", [b"", b"\n", b"hello\n", bytes(100000), b'{"type":"sample"}\n',
                                     b'{"type":"header"}\n', b"[]\n", b"x" * 5_000_000])
def test_no_recording(replay, content):
    p = replay([content])
    assert (p.returncode, p.stdout) == (FILE, b"")
    assert re.fullmatch(rb"xdptop: \S+/r\.jsonl: [^\n]+\n", p.stderr)


@pytest.mark.parametrize("program,reader", [("gzip", "zcat"), ("xz", "xzcat"), ("bzip2", "bzcat")])
def test_compressed(tmp_path, program, reader):
    """The message names a command that reads it, and that works."""
    if not shutil.which(program):
        missing(f"{program} is not installed")
    path = tmp_path / "r"
    with open(path, "wb") as packed:
        run(program, "-c", DEMO, stdout=packed)
    p = xdptop("-r", path, "-o", "csv")
    assert (p.returncode, p.stdout) == (FILE, b"")
    assert p.stderr.decode() == f"xdptop: {path}: it is compressed; use {reader} FILE | xdptop -r -\n"
    text = run("sh", "-c", f'{reader} "$1" | "$2" -r - -o csv', "sh", path, XDPTOP).stdout
    assert text == output("-r", DEMO, "-o", "csv")


@pytest.mark.parametrize("output_format", ["text", "json", "prometheus"])
def test_into_itself(tmp_path, output_format):
    """The evidence is neither overwritten nor read forever."""
    path = tmp_path / "r.jsonl"
    shutil.copy(DEMO, path)
    with open(DEMO, "rb") as f:
        whole_ = f.read()
    (tmp_path / "other").hardlink_to(path)
    for read, to in ((path, path), ("-", path), (path, tmp_path / "other"), (path, None), ("-", None)):
        with open(path, "rb") as stdin, open(path, "ab") as stdout:
            args = ["--to", to] if to else []
            p = xdptop("-r", read, "-o", output_format, *args, stdin=stdin, stdout=stdout)
        assert p.returncode == FILE
        name = "stdin" if read == "-" else path
        assert p.stderr.decode() == (f"xdptop: {name}: the output would overwrite the recording being read;"
                                     " give it another file\n")
        assert path.read_bytes() == whole_


def test_no_file(tmp_path):
    for path in (tmp_path / "none", tmp_path, tmp_path / "a" / "b"):
        p = xdptop("-r", path, "-o", "json")
        assert (p.returncode, p.stdout) == (FILE, b"")
        assert str(path).encode() in p.stderr and p.stderr.count(b"\n") == 1


def test_unreadable_file(nobody, public):
    path = public / "r.jsonl"
    path.write_text("x")
    path.chmod(0)
    p = nobody("-r", path, "-o", "json")
    assert (p.returncode, p.stdout) == (FILE, b"")
    assert b"Permission denied" in p.stderr


def test_writer_that_stops(lines, whole):
    """A pipe whose writer ends in the middle of a line is not an error: ssh was interrupted."""
    p = subprocess.Popen([XDPTOP, "-r", "-", "-o", "csv", "-C"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)
    out, err = p.communicate(b"".join(lines[:-1]) + lines[-1][:30], timeout=DEADLINE)
    assert (p.returncode, err) == (DONE, b"")
    assert out == whole


def counted(text):
    """For each series and CPU: the sum of its intervals, and its last total."""
    key = ("tracepoint", "netns", "ifindex", "to_netns", "to_ifindex", "to_cpu", "prog_id", "map_id", "map_index",
           "act", "err", "cpu")
    sums, totals = {}, {}
    for row in csv.DictReader(io.StringIO(text.decode(), newline="")):
        name = tuple(row[k] for k in key)
        sums[name] = sums.get(name, 0) + int(row["events"])
        totals[name] = int(row["events_total"])
    return sums, totals


@pytest.mark.parametrize("seq", [2, 3])
@pytest.mark.parametrize("part", [0.1, 0.6])
def test_network_that_stalls(lines, whole, seq, part):
    """A pause within a snapshot as long as one between snapshots: its other rows still count."""
    begin = find(lines, seq, b"tracepoint")
    rows = [i for i in range(begin, len(lines)) if b'"seq":%d,' % seq in lines[i][:60]]
    samples = [i for i in rows if lines[i].startswith(b'{"type":"sample"')]
    at = samples[int(part * len(samples))]
    p = subprocess.Popen([XDPTOP, "-r", "-", "-o", "csv", "-C"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env=ENV, bufsize=0)
    p.stdin.write(b"".join(lines[:at + 1]))
    p.stdin.flush()
    got = b""
    # until it has written the rows that it got of that snapshot
    while not got.splitlines() or not got.splitlines()[-1].startswith(b"sample,%d," % seq):
        line = p.stdout.readline()
        assert line, p.communicate(timeout=DEADLINE)
        got += line
    out, err = p.communicate(b"".join(lines[at + 1:]), timeout=DEADLINE)
    assert (p.returncode, err) == (DONE, b"")
    assert counted(got + out) == counted(whole)
