# SPDX-License-Identifier: GPL-2.0-or-later
"""--record on the running kernel: what is written, by whom, and where it refuses to write."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import pytest

from harness import DEADLINE, XDPTOP, eventually, fire

DONE, USAGE, FILE = 0, 2, 5


@pytest.fixture
def top():
    """A directory of root that everybody may enter."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        yield pathlib.Path(directory)


def record(*args, **kwargs):
    return subprocess.run([XDPTOP, "--record", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, timeout=DEADLINE, **kwargs)


def rows(directory):
    return [json.loads(line) for path in sorted(directory.iterdir())
            for line in subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE).stdout.splitlines()]


def test_recorded(popen, rig, top):
    """All events are there when the run ends by a signal, and nothing is printed."""
    directory = top / "made"
    p = popen([XDPTOP, "--record", directory, "-d", "0.2", "-C", "-t", "all", "--budget", "0"], stdin=subprocess.DEVNULL,
              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    eventually(lambda: directory.exists() and any(row["type"] == "tracepoint" for row in rows(directory)), "a snapshot")
    expect = fire(rig, "redirect=5000", "einval=500")
    p.send_signal(signal.SIGTERM)
    assert p.wait(DEADLINE) == DONE and p.stderr.read() == p.stdout.read() == b""
    got = rows(directory)
    assert got[0]["type"] == "header" and got[-1]["type"] == "end" and got[-1]["reason"] == "signal"
    boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert got[0]["boot_id"] == boot and got[0]["started_ns"] <= got[0]["monotonic_ns"]
    (einval,) = [e for e in expect if e["tracepoint"] == "xdp_redirect_err"]
    last = [r for r in got if r["type"] == "sample" and r["tracepoint"] == "xdp_redirect_err" and r["cpu"] is None
            and r["ifindex"] == einval["ifindex"] and r["netns"] == einval["netns"]][-1]
    assert last["events_total"] == einval["events"]


def test_privileges(popen, top):
    """It runs as nobody without capabilities, and only its files belong to root."""
    p = popen([XDPTOP, "--record", top / "made", "-d", "0.1"], stdin=subprocess.DEVNULL)
    eventually(lambda: (top / "made").exists() and any(f.stat().st_size for f in (top / "made").iterdir()), "a header")
    status = pathlib.Path(f"/proc/{p.pid}/status").read_text()
    assert re.search(r"^Uid:\s+65534\s+65534\s+\d+\s+0$", status, re.M), status
    assert re.search(r"^CapEff:\s+0+$", status, re.M) and re.search(r"^CapPrm:\s+0+$", status, re.M)
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.M) and re.search(r"^Seccomp:\s+2$", status, re.M)
    (segment,) = (top / "made").iterdir()
    assert segment.stat().st_uid == 0 and segment.stat().st_mode & 0o7777 == 0o644
    p.terminate()
    assert p.wait(DEADLINE) == DONE


def test_two_writers(popen, top):
    p = popen([XDPTOP, "--record", top, "-d", "0.1"], stdin=subprocess.DEVNULL)
    eventually(lambda: any(f.stat().st_size for f in top.iterdir()), "a header")
    second = record(top, "-n", "1")
    assert second.returncode == FILE and "another xdptop --record is writing to this directory" in second.stderr
    assert len(list(top.iterdir())) == 1
    # the lock goes with the process, however it ends
    p.send_signal(signal.SIGKILL)
    p.wait(DEADLINE)
    assert record(top, "-d", "0.1", "-n", "2").returncode == DONE
    assert len(list(top.iterdir())) == 2


def of_other(top):
    (top / "bad").mkdir()
    os.chown(top / "bad", 1234, 1234)


def link_of_other(top):
    (top / "real").mkdir()
    (top / "bad").symlink_to(top / "real")
    os.lchown(top / "bad", 1234, 1234)


def writable_by_all(top):
    (top / "bad").mkdir()
    (top / "bad").chmod(0o777)


def sticky(top):
    (top / "bad").mkdir()
    (top / "bad").chmod(0o1777)



REFUSED = {
    of_other: ("bad", "others can write"),
    link_of_other: ("bad", "symbolic link owned by user 1234"),
    writable_by_all: ("bad", "anyone could replace"),
    sticky: ("bad", "others can write"),
    lambda top: (top / "bad").write_text(""): ("bad", "Not a directory"),
    lambda top: None: ("no/bad", "No such file or directory"),
}


@pytest.mark.parametrize("prepare", REFUSED, ids=lambda f: f.__name__)
def test_refused(top, prepare):
    """A message with the path and the cause, exit 5, and nothing is written."""
    name, cause = REFUSED[prepare]
    prepare(top)
    p = record(top / name, "-n", "1")
    assert p.returncode == FILE and p.stderr.startswith(f"xdptop: --record {top / name}: ") and cause in p.stderr
    assert [path for path in top.rglob("xdptop-*")] == []


def test_unwritable(top):
    """Also for root, whose capabilities do not count here: a directory on a read-only file system."""
    script = 'mount -t tmpfs -o ro,mode=755 none "$1" && exec "$2" --record "$1" -n 1'
    p = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", top, XDPTOP], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
    assert p.returncode == FILE and "Read-only file system" in p.stderr


def test_link_of_root(top):
    """systemd's LogsDirectory is a link of root's for a service with DynamicUser."""
    (top / "real").mkdir()
    (top / "link").symlink_to("real")
    assert record(top / "link", "-d", "0.1", "-n", "2").returncode == DONE
    assert len(list((top / "real").iterdir())) == 1


def test_links_inside(top):
    """A link with the name of a segment is neither followed, written nor removed."""
    target = top / "target"
    target.write_text("x" * 2000000)
    directory = top / "made"
    directory.mkdir()
    link = directory / "xdptop-20200101T000000Z.jsonl.zst"
    link.symlink_to(target)
    old = directory / "xdptop-20200101T000001Z.jsonl.zst"
    shutil.copy(target, old)
    assert record(directory, "-d", "0.1", "-n", "2", "--keep", "1M").returncode == DONE
    assert link.is_symlink() and target.stat().st_size == 2000000 and not old.exists()


FULL = """
mount -t tmpfs -o size=1m,mode=755 none "$1" && mkdir "$1/made" || exit 77
head -c 2m /dev/zero >"$1/other" 2>/dev/null
"$2" --record "$1/made" -d 0.1 -n 5; echo "exit $?"
stat -c %s "$1/other"
"""


def test_full_disk_of_others(top):
    """Nothing to remove: it says that snapshots wait, and at its end that they are lost."""
    p = subprocess.run(["unshare", "--mount", "sh", "-c", FULL, "sh", top, XDPTOP], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
    if p.returncode == 77:
        pytest.fail(p.stderr)
    assert p.stdout == f"exit {FILE}\n{1 << 20}\n"
    assert "the disk is full; snapshots wait in memory" in p.stderr and "No space left on device" in p.stderr
