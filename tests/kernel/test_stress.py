# SPDX-License-Identifier: GPL-2.0-or-later
"""Exact and harmless under stress: overflow, recycling, toggling, stops, the budget, privileges."""
import itertools
import json
import os
import re
import signal
import subprocess
import time

import pytest

from harness import (DEADLINE, RIG, XDPTOP, attached, check, check_total, eventually, fire, last_samples, load,
                     others)

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

ONE = ("-t", "xdp_redirect_err", "--budget", "0")


def tracepoint(records, name):
    seq = records[-1]["seq"]
    (row,) = [
        r
        for r in records
        if r["type"] == "tracepoint" and r["tracepoint"] == name and r["seq"] == seq
    ]
    return row


def test_overflow_of_hundreds_of_keys(monitor, rig):
    """Beyond --max-series nothing is lost: events without a row are in the overflow row."""
    witness = monitor("-d", "0.3", *ONE)
    m = monitor("-d", "0.3", "--max-series", "8", *ONE)
    (e,) = fire(rig, "many=500")
    records = m.stop()
    foreign = others(witness.stop(), [e], "xdp_redirect_err")
    mine = [s for s in last_samples(records) if s["prog_id"] in (e["prog_id"], None)]
    row = tracepoint(records, "xdp_redirect_err")
    assert len([s for s in mine if s["prog_id"]]) <= 8
    check_total("xdp_redirect_err", row["events_total"], 500, foreign)
    assert row["overflow_total"] >= 500 - 8
    check_total("xdp_redirect_err", sum(s["events_total"] for s in mine), 500, foreign)
    assert records[-1]["overflow_total"] == row["overflow_total"]


@pytest.mark.alone  # it fills the table
def test_recycling(monitor, rig):
    """Ten times as many series as the table holds come and go: it never fills up, and totals are exact."""
    m = monitor("-d", "0.2", "-a", "--max-series", "2048", *ONE)
    fired, mine = 0, set()

    def in_table():
        """The number of series in the table, from a current snapshot."""
        m.wait_snapshot()
        seq = m.records[-1]["seq"] - 1
        return sum(r["type"] == "sample" and r["seq"] == seq for r in m.records)

    for _ in range(20):
        (e,) = fire(rig, "many=500")
        fired += e["events"]
        mine.add(e["prog_id"])
        # earlier series become idle, and each sample can recycle them
        eventually(lambda: in_table() <= 2048 - 500, "the table stays full")
    records = m.stop()
    row = tracepoint(records, "xdp_redirect_err")
    samples = [r for r in records if r["type"] == "sample"]
    foreign = {(s["netns"], s["ifindex"], s["prog_id"], s["to_ifindex"]) for s in samples if s["prog_id"] not in mine}
    assert row["overflow_total"] == 0, f"xdp_redirect_err: {len(foreign)} series of others on this machine meanwhile"
    # counts of every interval, including series that are gone; others may fire on this machine
    assert sum(s["events"] for s in samples) == row["events_total"]
    own = [s for s in samples if s["prog_id"] in mine]
    assert sum(s["events"] for s in own) == fired == 10000
    assert {s["ifname"] for s in own} == {"rig-in"}
    # the rest of the table belongs to the end of the run
    assert len([s for s in last_samples(records) if s["prog_id"] in mine]) <= 2048


class Tmux:
    """The screen in its own terminal; the server of the previous one may still be ending."""

    servers = itertools.count()

    def __init__(self, *command):
        self.name = f"xdptop-test-{os.getpid()}-{next(self.servers)}"
        self.run("new-session", "-d", "-x", "100", "-y", "30", *command)

    def run(self, *args):
        return subprocess.run(
            ["tmux", "-L", self.name, *args], check=True, stdout=subprocess.PIPE
        ).stdout.decode()

    def pid(self):
        return int(self.run("display-message", "-p", "#{pane_pid}"))

    def keys(self, *keys):
        self.run("send-keys", *keys)

    def wait(self, condition, what):
        eventually(condition, lambda: f"{what}\n{self.run('capture-pane', '-p')}")

    def close(self):
        subprocess.run(["tmux", "-L", self.name, "kill-server"], stderr=subprocess.DEVNULL)


@pytest.fixture
def tmux():
    running = []

    def start(*command):
        running.append(Tmux(*command))
        return running[-1]

    yield start
    for t in running:
        t.close()


def test_stop_and_continue(monitor, rig, tmux, tmp_path):
    """SIGSTOP for seconds: later rates cover the real time."""
    begin = time.monotonic()
    m = monitor("-d", "0.2", *ONE)
    screen = tmux(XDPTOP, "-d", "0.2", *ONE)
    screen.wait(lambda: "Tracepoints" in screen.run("capture-pane", "-p"), "the screen")
    text = open(tmp_path / "text", "w+")
    batch = subprocess.Popen([XDPTOP, "-b", "-d", "0.2", *ONE], stdout=text)
    shown = eventually(lambda: (tmp_path / "text").read_text(), "the first snapshot")
    assert "gap" not in shown and "gap" not in screen.run("capture-pane", "-p")
    stopped = [m.process.pid, screen.pid(), batch.pid]
    try:
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        stop = time.monotonic()
        (e,) = fire(rig, "einval=1000")
        time.sleep(3)  # the length of the gap, not a wait for something
        gap = time.monotonic() - stop
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        screen.wait(lambda: "gap" in screen.run("capture-pane", "-p"), "the gap")
        eventually(lambda: "gap" in (tmp_path / "text").read_text(), "the gap in text")
    finally:
        batch.kill()
        batch.wait()
        text.close()
    row = m.wait_for(
        lambda r: r["type"] == "sample" and r["prog_id"] == e["prog_id"], "the sample"
    )
    assert row["events"] == 1000
    assert row["interval_s"] >= gap
    assert row["events_per_s"] == pytest.approx(1000 / row["interval_s"], rel=1e-3)
    # the next interval is a normal one again: together they do not exceed the time that passed
    (e,) = fire(rig, "einval=10")
    after = m.wait_for(lambda r: r["type"] == "sample" and r["prog_id"] == e["prog_id"], "its sample")
    assert row["interval_s"] + after["interval_s"] <= time.monotonic() - begin
    m.stop()


@pytest.fixture(scope="session")
def stepped(tmp_path_factory):
    """Makes a program's wall clock jump an hour forward and back at each reading."""
    directory = tmp_path_factory.mktemp("clock")
    (directory / "clock.c").write_text("""
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
int clock_gettime(clockid_t id, struct timespec *t)
{
	static long looks;
	int rc = syscall(SYS_clock_gettime, id, t);

	if (id == CLOCK_REALTIME)
		t->tv_sec += __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED) % 2 ? 3600 : -3600;
	return rc;
}
""")
    library = directory / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, directory / "clock.c"], check=True)
    return library


def test_clock_steps(monitor, rig, stepped, tmp_path):
    """No interval, rate or total depends on the wall clock, and the recording can be replayed."""
    m = monitor("-d", "0.2", *ONE, prefix=["env", f"LD_PRELOAD={stepped}"])
    fired = []
    for _ in range(4):
        fired += fire(rig, "einval=1000")
        seq = m.records[-1].get("seq", 0)
        m.wait_for(lambda r: r.get("seq", 0) >= seq + 2, "a snapshot")
    records = m.stop()
    for e in fired:
        check(e, last_samples(records))
    rows = [r for r in records if r["type"] == "sample"]
    # samples are of changed series, and may all come at odd readings, or all at even ones
    hours = {r["time"][:13] for r in records if r["type"] == "tracepoint"}
    assert len(hours) > 1, "the clock was not stepped"
    for r in rows:
        assert 0 < r["interval_s"] < 1800
        assert r["events_per_s"] == pytest.approx(r["events"] / r["interval_s"], rel=1e-3)
    recording = tmp_path / "r.jsonl"
    recording.write_text("".join(json.dumps(r) + "\n" for r in records))
    p = subprocess.run([XDPTOP, "-r", recording, "--speed", "100", "-o", "json"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
    assert p.returncode == 0 and not p.stderr, p.stderr
    again = [json.loads(line) for line in p.stdout.splitlines()]
    for e in fired:
        check(e, last_samples(again))
    intervals = {(r["seq"], r["interval_s"]) for r in again if r["type"] == "sample"}
    assert intervals == {(r["seq"], r["interval_s"]) for r in rows}


def test_key_adds_and_removes_one_link(tmux):
    """The digit of xdp_redirect, without capabilities."""
    t = tmux(XDPTOP, "-v", "tracepoints")
    pid = t.pid()
    t.wait(lambda: "xdp_redirect_err" in t.run("capture-pane", "-p"), "the screen")
    status = open(f"/proc/{pid}/status").read()
    assert re.search(r"^CapEff:\s+0+$", status, re.M)
    assert re.search(r"^CapPrm:\s+0+$", status, re.M)
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.M)
    assert re.search(r"^Seccomp:\s+2$", status, re.M)
    before = attached(pid)
    for _ in range(3):
        t.keys("3")
        t.wait(lambda: attached(pid) == before + 1, "one more link")
        t.keys("3")
        t.wait(lambda: attached(pid) == before, "one link less")


def test_toggling_under_load(tmux, rig):
    """A thousand toggles while frames flow: the program survives, and counts again at the end."""
    t = tmux(XDPTOP, "-v", "tracepoints", "--budget", "0", "-t", "none")
    pid = t.pid()
    t.wait(lambda: "xdp_redirect_err" in t.run("capture-pane", "-p"), "the screen")
    demo = subprocess.Popen([RIG, "demo"], stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            t.keys(*"0123456789")
        t.keys("?")  # keys are handled in order: when the help is shown, all of them were
        t.wait(lambda: "Keys here" in t.run("capture-pane", "-p"), "the help")
        t.keys("Escape")
        t.wait(lambda: attached(pid) == 0, "all off again")
        t.keys("2")
        t.wait(lambda: attached(pid) == 1, "one on")
        t.wait(
            lambda: re.search(r"xdp_redirect_err +on +\S+ +\S+ +[1-9]", t.run("capture-pane", "-p")),
            "it counts",  # EVENTS/S, after CPU% and NS
        )
    finally:
        demo.terminate()
        demo.wait()


@pytest.mark.parametrize("name,stimulus", [
    ("xdp_redirect", "redirect=100000"),
    ("net_dev_queue", "queue=1000"),
])
def test_budget(monitor, rig, name, stimulus):
    """Above it, the per-packet tracepoint is switched off while the load runs, with the reason."""
    m = monitor("-d", "0.2", "-t", name, "--budget", "0.001")
    traffic = load(rig, stimulus)
    row = m.wait_for(
        lambda r: r["type"] == "tracepoint"
        and r["tracepoint"] == name
        and r["state"] != "on",
        "shed",
    )
    assert row["state"] == "shed"
    assert "budget is 0.001 %" in row["reason"]
    eventually(lambda: attached(m.process.pid) == 0, "a link is left")
    traffic.halt()
    m.stop()


def test_failures_are_never_shed(monitor, rig):
    m = monitor("-d", "0.2", "-t", "xdp_redirect_err", "--budget", "0.001")
    traffic = load(rig, "einval=100000")
    # far above the budget, for longer than another tracepoint would stay
    for _ in range(10):
        m.wait_for(lambda r: r["type"] == "tracepoint" and r["tracepoint"] == "xdp_redirect_err"
                   and (r["cpu_percent"] or 0) > 0.001, "an interval over the budget")
    (e,) = traffic.halt()
    records = m.stop()
    check(e, last_samples(records))
    assert all(
        r["state"] == "on"
        for r in records
        if r["type"] == "tracepoint" and r["tracepoint"] == "xdp_redirect_err"
    )


def test_not_dumpable(monitor):
    """Other processes of the same user cannot inspect it: its files in /proc belong to root."""
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
              "--inh-caps=+bpf,+perfmon", "--ambient-caps=+bpf,+perfmon"]
    other = subprocess.Popen([*nobody, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        other.stdin.write(b"started\n")
        other.stdin.flush()
        assert other.stdout.readline()
        assert os.stat(f"/proc/{other.pid}/environ").st_uid == 65534
    finally:
        other.kill()
        other.communicate()
    m = monitor("-d", "0.2", *ONE, prefix=nobody)
    status = open(f"/proc/{m.process.pid}/status").read()
    assert re.search(r"^Uid:\s+65534\s", status, re.M)
    assert os.stat(f"/proc/{m.process.pid}/environ").st_uid == 0
    m.stop()


def test_file_capabilities(tmp_path):
    """setcap instead of root; without it, exit 3 and the exact command."""
    binary = tmp_path / "xdptop"
    os.chmod(tmp_path, 0o755)
    subprocess.check_call(["cp", XDPTOP, binary])
    for parent in tmp_path.parents:
        if parent != parent.parent and not os.stat(parent).st_mode & 0o001:
            subprocess.check_call(["chmod", "o+x", parent])
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    run = [*nobody, binary, "-o", "json", "-n", "1", "-d", "0.1"]
    p = subprocess.run(run, capture_output=True, text=True)
    assert p.returncode == 3
    assert "setcap cap_bpf,cap_perfmon+ep" in p.stderr and p.stderr.count("\n") == 1
    subprocess.check_call(["setcap", "cap_bpf,cap_perfmon+ep", binary], env={
        "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})
    p = subprocess.run(run, capture_output=True, text=True)
    assert p.returncode == 0, p.stderr
    assert '"type":"end"' in p.stdout
