# SPDX-License-Identifier: GPL-2.0-or-later
"""The monitor beside the rig, on the running kernel: what the tests share.

Nothing is skipped silently: with CI=true a missing feature of the kernel is a failure.
"""
import collections
import datetime
import json
import os
import pathlib
import selectors
import signal
import subprocess
import time
import warnings

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
XDPTOP = os.environ.get("XDPTOP", str(TOP / "xdptop"))
FORGETFUL = os.environ.get("FORGETFUL", str(TOP / "build/forget/xdptop"))
RIG = os.environ.get("RIG", str(TOP / "build/rig/rig"))
DEADLINE = 120  # seconds after which a wait fails; never a measure of speed
POLL = 0.02
TIME = "%Y-%m-%dT%H:%M:%S.%fZ"

# counter fields of an expectation, and where the last sample row has the total; None = the schema has only counts per
# interval, which are summed up
COUNTERS = {
    "events": "events_total",
    "packets": "packets_total",
    "drops": "drops_total",
    "bytes": "bytes_total",
    "sched": None,
    "xdp_pass": None,
    "xdp_drop": None,
    "xdp_redirect": None,
}
# fields that distinguish the sample rows of a tracepoint
IDENTITY = (
    "tracepoint", "netns", "ifindex", "to_netns", "to_ifindex", "to_cpu", "prog_id", "map_type",
    "map_id", "map_index", "act", "err", "cpu",
)
NOT_IDENTITY = {"type", "stimulus", "sent_plus_drops", "pid", "comm", "text", *COUNTERS}


def missing(reason):
    """Skip, or fail in CI, where nothing may be skipped."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def eventually(condition, what):
    """Waits until it is true; returns the result. `what` may be a function that describes the current state."""
    deadline = time.monotonic() + DEADLINE
    while not (value := condition()):
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(POLL)
    return value


def turns(what):
    """For a loop that ends with a break: as many rounds as time permits."""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        yield
    raise AssertionError(f"never: {what}")


class Lines:
    """JSON objects from a process's stdout, line by line, with a deadline."""

    def __init__(self, pipe):
        self.pipe = pipe
        self.buffer = b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(pipe, selectors.EVENT_READ)

    def next(self, deadline, what):
        while b"\n" not in self.buffer:
            assert self.selector.select(max(0, deadline - time.monotonic())), f"never: {what}"
            data = os.read(self.pipe.fileno(), 1 << 16)
            if not data:
                return None
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)


class Monitor:
    """`xdptop -o json` while it runs; attached once the header was read."""

    def __init__(self, *args, prefix=(), program=XDPTOP):
        self.process = subprocess.Popen(
            [*prefix, program, "-o", "json", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.lines = Lines(self.process.stdout)
        self.records = []
        try:
            header = self.lines.next(time.monotonic() + DEADLINE, "the header")
            assert header is not None, self.ended()
            assert header["type"] == "header"
        except BaseException:
            self.kill()
            raise
        self.records.append(header)

    def ended(self):
        status = self.process.wait(DEADLINE)
        return f"xdptop ended with {status}: {self.process.stderr.read().decode()}"

    def wait_for(self, condition, what):
        """Reads until a record meets the condition; returns it."""
        deadline = time.monotonic() + DEADLINE
        while True:
            record = self.lines.next(deadline, what)
            assert record is not None, f"before {what}: {self.ended()}"
            self.records.append(record)
            if condition(record):
                return record
            assert time.monotonic() < deadline, f"never: {what}"

    def wait_snapshot(self):
        """Waits for a complete snapshot made after this call; earlier ones may still be unread."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime(TIME)
        seq = self.wait_for(lambda r: r["type"] == "tracepoint" and r["time"] > now, "a snapshot")["seq"]
        self.wait_for(lambda r: r.get("seq", 0) > seq, "the next snapshot")

    def wait_after(self, record, seconds):
        """Waits for a snapshot made this much later, by the monitor's own clock."""
        later = datetime.datetime.strptime(record["time"], TIME) + datetime.timedelta(seconds=seconds)
        self.wait_for(lambda r: r["type"] == "tracepoint" and r["time"] > later.strftime(TIME), "a later snapshot")

    def stop(self, sig=signal.SIGINT):
        """Ends it; returns its records. The last snapshot has every series."""
        self.process.send_signal(sig)
        deadline = time.monotonic() + DEADLINE
        while (record := self.lines.next(deadline, "its end")) is not None:
            self.records.append(record)
        assert self.process.wait(DEADLINE) == 0, self.process.stderr.read().decode()
        assert self.records[-1]["type"] == "end"
        return self.records

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


class Rig:
    def __init__(self, *args):
        self.process = subprocess.Popen([RIG, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = Lines(self.process.stdout)
        self.expect = []
        self.changes = []  # by `rig replaces`

    def read_until(self, kind):
        deadline = time.monotonic() + DEADLINE
        while (record := self.lines.next(deadline, f"the rig's '{kind}'")) is not None:
            if record["type"] == "skip":
                missing(f"rig cannot do {record['stimulus']}: {record['reason']}")
            if record["type"] == "expect":
                self.expect.append(record)
            if record["type"] == "change":
                self.changes.append(record)
            if record["type"] == kind:
                return record
        raise AssertionError(f"the rig ended before '{kind}'")

    def go(self):
        """For --hold: lets it pass the next gate."""
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def halt(self):
        """Ends a --load; returns what should have been counted."""
        self.go()
        self.read_until("done")
        self.finish()
        return self.expect

    def finish(self):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(DEADLINE) == 0


def load(rig, *stimuli):
    """Stimuli that fire until halt(), this many frames at a time."""
    r = rig("--load", *stimuli)
    r.read_until("ready")
    return r


def fire(rig, *stimuli):
    """Runs stimuli to the end; returns what should have been counted."""
    r = rig(*stimuli)
    r.read_until("done")
    r.finish()
    assert r.expect
    return r.expect


def said(m, condition, what, since=0):
    """A record that meets the condition, read already or still to come: it comes only once."""
    for r in m.records[since:]:
        if condition(r):
            return r
    return m.wait_for(condition, what)


def attached(pid):
    """Number of tracepoints that a process has attached: its BPF links without iterators."""
    n = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            if "bpf_link" not in os.readlink(f"/proc/{pid}/fd/{fd}"):
                continue
            with open(f"/proc/{pid}/fdinfo/{fd}") as info:
                n += "link_type:\titer" not in info.read()
        except FileNotFoundError:
            pass
    return n


def last_samples(records, all_cpus=True):
    """Rows of the last snapshot, for all CPUs together or for each, with the sums of their intervals."""
    sums = collections.defaultdict(collections.Counter)
    last = {}
    for r in records:
        if r["type"] != "sample" or (r["cpu"] is None) != all_cpus:
            continue
        # the classic backend knows some devices by name only
        key = (*(r[k] for k in IDENTITY), r["ifname"] if r["ifindex"] is None else None)
        for counter, total in COUNTERS.items():
            if total is None and r[counter] is not None:
                sums[key][counter] += r[counter]
        if r["seq"] == records[-1]["seq"]:
            assert key not in last, f"two rows for {key}"
            last[key] = r
    return [{**r, **sums[key]} for key, r in last.items()]


def others(records, expect, tracepoint):
    """
    Events of a tracepoint outside these expectations, as seen by one monitor with room for all series. A
    monitor that ran at the same time may count that many more than was fired; prints this.
    """
    programs = {e.get("prog_id") for e in expect} - {None}
    spaces = {e.get("netns") for e in expect} - {None}
    n = sum(s["events_total"] for s in last_samples(records) if s["tracepoint"] == tracepoint
            and s["prog_id"] not in programs and s["netns"] not in spaces)
    if n:
        warnings.warn(f"{tracepoint}: {n} events of others on this machine; its totals are held against a range")
    return n


def check_total(tracepoint, total, fired, foreign):
    """A machine-wide total, which may include this many events of others."""
    assert fired <= total <= fired + foreign, (
        f"{tracepoint}: {total} counted, {fired} fired; {foreign} events of others on this machine meanwhile")


def find_row(expect, samples):
    identity = {k: v for k, v in expect.items() if k not in NOT_IDENTITY}
    rows = [s for s in samples if all(s[k] == v for k, v in identity.items())]
    assert len(rows) == 1, f"{len(rows)} rows for {identity}"
    return rows[0]


def check(expect, samples):
    """Compares an expectation with the last snapshot, to the frame."""
    row = find_row(expect, samples)
    for counter, total in COUNTERS.items():
        if counter in expect:
            assert row[total or counter] == expect[counter], (counter, row, expect)
    if "sent_plus_drops" in expect:
        assert row["packets_total"] + row["drops_total"] == expect["sent_plus_drops"], row
    return row
