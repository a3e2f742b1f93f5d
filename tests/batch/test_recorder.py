# SPDX-License-Identifier: GPL-2.0-or-later
"""
What --record leaves on disk after it was killed, after a power failure, and on a full disk. The program
build/week/week runs the recorder with snapshots of its own, thousands a second.
"""
import json
import os
import random
import signal
import struct
import subprocess
import time

import pytest

from batch import DEADLINE, ENV, TOP, missing, run, tool

WEEK = TOP / "build/week/week"
END = 1795252500
INTERVAL = 30  # so that a segment ends every few snapshots
KEEP = 200000
BLOCK = 4096


def decompress(path):
    """All whole lines before the place where the data ends or is damaged, by a program that is not ours."""
    out = run(tool("zstd"), "-dcq", path).stdout
    return [json.loads(line) for line in out[:out.rfind(b"\n") + 1].splitlines()]


def segments(directory):
    return sorted(p for p in directory.iterdir() if p.name.startswith("xdptop-"))


def snapshots(directory, known=()):
    """The runs in a directory, without known segments: for each a list of snapshots, which are lists of objects."""
    runs = {}
    for path in segments(directory):
        if path in known:
            continue
        rows = decompress(path)
        assert not rows or rows[0]["type"] == "header", path
        for row in rows:
            if row["type"] == "header":
                of_run = runs.setdefault((row["boot_id"], row["started_ns"]), [])
            elif "seq" in row and row["type"] != "end":
                if not of_run or of_run[-1][0]["seq"] != row["seq"]:
                    of_run.append([])
                of_run[-1].append(row)
    return list(runs.values())


def check_run(of_run):
    """No snapshot is missing, and each total is the one before it and what was counted meanwhile."""
    before = {}
    first = of_run[0][0]["seq"]
    assert [s[0]["seq"] for s in of_run] == list(range(first, first + len(of_run)))
    for snapshot in of_run:
        for row in snapshot:
            if row["type"] != "sample":
                continue
            key = (row["tracepoint"], row["ifindex"], row["prog_id"], row["err"])
            total = before.get(key, row["packets_total"] - row["packets"] if snapshot is of_run[0] else 0)
            assert total + row["packets"] == row["packets_total"], row
            before[key] = row["packets_total"]


class Writer:
    def __init__(self, directory, progress, keep=KEEP, days=7, end=END):
        self.progress = progress
        progress.write_bytes(bytes(32))
        self.process = subprocess.Popen(
            [str(a) for a in (WEEK, directory, 2, INTERVAL, days, end, keep, progress)],
            env=ENV, stdout=subprocess.DEVNULL)

    def state(self):
        """Snapshots made, snapshots on disk, size and inode of the segment with the last of these."""
        return struct.unpack("4Q", self.progress.read_bytes())

    def kill_after(self, made):
        """Kills it once this many snapshots were made."""
        deadline = time.monotonic() + DEADLINE
        while self.state()[0] < made and self.process.poll() is None:
            assert time.monotonic() < deadline
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        return self.state()


def test_killed(tmp_path):
    """SIGKILL at 100 random times: at most the last snapshot is lost, and the next start continues."""
    choose = random.Random(1)
    lost = 0
    for n in range(100):
        directory = tmp_path / str(n // 5)  # 5 runs write into each
        known = segments(directory) if n % 5 else ()
        made, synced, _, _ = Writer(directory, tmp_path / "progress",
                                     end=END + n % 5 * 8 * 86400).kill_after(choose.randrange(1, 700))
        of_run = snapshots(directory, known)[-1]
        check_run(of_run)
        last = of_run[-1][0]["seq"] if of_run else 0
        assert synced <= last <= made, (synced, last, made)
        lost += made - last
        assert sum(p.stat().st_size for p in segments(directory)) <= KEEP
    assert lost <= 100


@pytest.mark.parametrize("how", ["absent", "zeroed"])
def test_power_failure(tmp_path, how):
    """What was written after the last sync is lost: all snapshots up to the sync are read."""
    choose = random.Random(2)
    for n in range(30):
        directory = tmp_path / str(n)
        # one segment, whose size at the last sync is known
        _, synced, size, inode = Writer(directory, tmp_path / "progress", keep=0, days=1).kill_after(choose.randrange(2, 700))
        last = next(p for p in segments(directory) if p.stat().st_ino == inode)
        for newer in segments(directory)[segments(directory).index(last) + 1:]:
            os.truncate(newer, 0)
        with open(last, "r+b") as f:
            # the file system writes whole blocks, and the last one of them may be new
            end = max(size, last.stat().st_size)
            if how == "absent":
                f.truncate(size + choose.randrange(end - size + 1))
            else:
                f.truncate(size)
                f.seek(size)
                rest = BLOCK - size % BLOCK
                f.write(bytes(rest))
        of_run = snapshots(directory)[-1]
        assert len(of_run) >= synced, (how, n)
        check_run(of_run[:synced])


SMALL = """
mkdir "$1/disk" && mount -t tmpfs -o size=4m,mode=755 none "$1/disk" || exit 77
echo other >"$1/disk/other" && cp "$1/disk/other" "$1/disk/xdptop-20200101T000000Z.jsonl" &&
cp "$1/disk/other" "$1/disk/xdptop-20200199T000000Z.jsonl.zst"
[ "$4" ] && head -c "$4" /dev/zero >"$1/disk/large"
"$2" "$1/disk" 50 5 "$3" 0 >/dev/null; echo "exit $?"
cp -r "$1/disk" "$1/copy"
"""


def small_disk(tmp_path, days, large=""):
    p = run("unshare", "--mount", "--map-root-user", "sh", "-c", SMALL.replace(" 0 >", f" {END} >"), "sh", tmp_path,
            WEEK, days, large)
    if p.returncode == 77 or b"unshare" in p.stderr:
        missing("this kernel does not let a user mount a tmpfs")
    for name in ("other", "xdptop-20200101T000000Z.jsonl", "xdptop-20200199T000000Z.jsonl.zst"):
        assert (tmp_path / "copy" / name).read_text() == "other\n"
        (tmp_path / "copy" / name).unlink()
    return p, snapshots(tmp_path / "copy")


def test_full_disk(tmp_path):
    """On a disk of 4 MB the oldest segments are removed, and nothing else. The newest snapshots are there."""
    p, runs = small_disk(tmp_path, 3)
    assert b"exit 0" in p.stdout and b"the disk is full; removed xdptop-2" in p.stderr
    check_run(runs[-1])
    assert runs[-1][-1][0]["time"].startswith("2026-11-21T09:1")
