# SPDX-License-Identifier: GPL-2.0-or-later
"""Compressed recordings: written, read back, truncated, damaged, hostile."""
import json
import shutil
import subprocess

import pytest

from batch import DEADLINE, DEMO, DONE, ENV, FILE, XDPTOP, missing, output, run, xdptop
from test_unchanged import recording

MAGIC = b"\x28\xb5\x2f\xfd"
RAW_LAST = 1  # a block's header: the last one, uncompressed, of (header >> 3) bytes


@pytest.fixture(scope="module")
def zstd():
    """The program of this name, not our code: others must be able to read our output."""
    return shutil.which("zstd") or missing("zstd is not installed")


@pytest.fixture(scope="module")
def plain():
    return output("-r", DEMO, "-o", "json")


@pytest.fixture()
def packed(tmp_path):
    path = tmp_path / "r.zst"
    assert output("-r", DEMO, "-o", "json", "--to", path) == b""
    return path


def test_others_read_it(zstd, packed, plain):
    assert run(zstd, "-dc", packed).stdout == plain


def test_read_back(packed):
    csv = output("-r", DEMO, "-o", "csv")
    assert output("-r", packed, "-o", "csv") == csv
    with open(packed, "rb") as stdin:
        assert output("-r", "-", "-o", "csv", stdin=stdin) == csv
    # one byte at a time, so that even the magic number arrives in pieces
    cat = subprocess.Popen(["dd", f"if={packed}", "bs=1", "status=none"], stdout=subprocess.PIPE)
    assert output("-r", "-", "-o", "csv", stdin=cat.stdout) == csv
    cat.wait()


def test_of_others(zstd, tmp_path, plain):
    """From another program, several frames in sequence, at a level with a large window."""
    path = tmp_path / "several.zst"
    with open(path, "wb") as to:
        for level in ("-1", "-19"):
            run(zstd, level, "-c", DEMO, stdout=to)
    assert output("-r", path, "-o", "csv") == output("-r", "-", "-o", "csv", input=open(DEMO, "rb").read() * 2)


def read_until(path, wanted):
    """Replays the growing file until the output has this many snapshots."""
    while True:
        p = xdptop("-r", path, "-o", "json")
        seqs = {row["seq"] for row in map(json.loads, p.stdout.splitlines()) if row["type"] == "tracepoint"}
        if p.returncode == DONE and len(seqs) >= wanted:
            return p


def test_killed(tmp_path):
    """Each snapshot is in the file before the next one is taken."""
    path = tmp_path / "r.zst"
    with open(DEMO, "rb") as demo:
        lines = demo.read().splitlines(keepends=True)
    third = next(i for i, line in enumerate(lines) if b'"seq":3,' in line)
    p = subprocess.Popen([XDPTOP, "-r", "-", "-o", "json", "--to", path], env=ENV, stdin=subprocess.PIPE)
    p.stdin.write(b"".join(lines[:third + 1]))
    p.stdin.flush()
    while not path.exists() or not path.stat().st_size:
        assert p.poll() is None
    read_until(path, 2)
    p.kill()
    p.wait(DEADLINE)
    said = read_until(path, 2)
    assert said.stderr == b"" and json.loads(said.stdout.splitlines()[-1])["reason"] == "pipe"
    p.stdin.close()


@pytest.mark.parametrize("at", range(1, 7000, 699))
def test_cut(tmp_path, packed, at):
    """A truncated end does not affect earlier data."""
    path = tmp_path / "cut.zst"
    path.write_bytes(packed.read_bytes()[:at])
    p = xdptop("-r", path, "-o", "json")
    assert p.returncode == (DONE if p.stdout else FILE)
    assert not p.stdout or json.loads(p.stdout.splitlines()[-1])["reason"] == "pipe"


@pytest.mark.parametrize("at", [7, 40, 1000, 3000, 5000])
def test_damaged(tmp_path, packed, at):
    """A script learns that there was more."""
    path = tmp_path / "damaged.zst"
    whole = packed.read_bytes()
    path.write_bytes(whole[:at] + bytes(byte ^ 0x5a for byte in whole[at:at + 9]) + whole[at + 9:])
    p = xdptop("-r", path, "-o", "json")
    assert p.returncode == FILE and b"damaged" in p.stderr


def test_large_window():
    """A window that would take too much memory is refused; the message names the program that unpacks it."""
    frame = MAGIC + bytes([0, (31 - 10) << 3]) + (RAW_LAST | 2 << 3).to_bytes(3, "little") + b"{}"
    p = xdptop("-r", "-", "-o", "json", input=frame)
    assert (p.returncode, p.stdout) == (FILE, b"")
    assert b"zstdcat --long=31 FILE | xdptop -r -" in p.stderr


def test_memory_of_what_unpacks_without_end(zstd, tmp_path):
    """A few kB that expand to 400 MB, in one line and in short ones."""
    path = tmp_path / "bomb.zst"
    with open(DEMO, "rb") as demo, open(path, "wb") as to:
        header = demo.readline()
        run("sh", "-c", '{ printf %s\\\\n "$1"; head -c 200M /dev/zero; yes "" | head -c 200M; } | "$2" -c', "sh",
            header.decode().rstrip(), zstd, stdout=to)
    assert path.stat().st_size < 1 << 17
    assert run("prlimit", f"--data={64 << 20}", XDPTOP, "-r", path, "-o", "csv").returncode == DONE


def test_size(tmp_path):
    """A fifth at most."""
    crowded = recording(20, 24)
    path = tmp_path / "r.zst"
    output("-r", "-", "-o", "json", "--to", path, input=crowded)
    assert path.stat().st_size * 5 < len(crowded)
