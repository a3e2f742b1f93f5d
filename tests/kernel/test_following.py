# SPDX-License-Identifier: GPL-2.0-or-later
"""
Following on the running kernel: each matching event is a line or a counted loss, with the same arguments as
in ftrace and perf, and counters stay exact.
"""
import itertools
import json
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import pytest

from harness import DEADLINE, RIG, TOP, Lines, fire, load, missing, turns
from test_classic import TRACEFS

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

FOLLOWER = os.environ.get("FOLLOWER", str(TOP / "build/follow/follower"))
FORGETFUL = os.environ.get("FORGETFUL_FOLLOWER", str(TOP / "build/follow/forgetful"))


class Follower:
    """tests/kernel/follower.c"""

    def __init__(self, *args, prefix=(), program=FOLLOWER):
        self.process = subprocess.Popen([*prefix, program, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = Lines(self.process.stdout)
        self.events = []
        self.answer("sample")

    def answer(self, kind):
        for _ in turns(f"an answer to {kind}"):
            line = self.lines.next(time.monotonic() + DEADLINE, "an answer")
            assert line is not None and "error" not in line, line
            if kind in line:
                assert not line.get("sample"), line
                return line
            self.events.append(line)
        return None

    def ask(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        return self.answer(command.split()[0])

    def settled(self):
        """A sample in which all requests are applied."""
        for _ in turns("that it is on, or off"):
            sample = self.ask("sample")
            if not sample["pending"]:
                return sample
        return None

    def follow(self, what):
        """Starts to follow; drops the events until then."""
        answer = self.ask(f"follow {what}")
        assert answer["follow"] == 0, answer
        sample = self.settled()
        assert sample["state"] == "on", sample
        self.events.clear()

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(DEADLINE) == 0


@pytest.fixture
def follower():
    running = []

    def start(*args, **kwargs):
        running.append(Follower(*args, **kwargs))
        return running[-1]

    yield start
    for f in running:
        f.process.kill()
        f.process.wait()
        f.process.stdout.close()


def of(expect, tracepoint):
    (e,) = [e for e in expect if e["tracepoint"] == tracepoint]
    return e


def held(rig, stimulus):
    """A waiting rig, and what distinguishes events of its programs from others on this machine."""
    r = rig("--hold", stimulus)
    r.read_until("ready")
    ids = set()
    for fd in os.listdir(f"/proc/{r.process.pid}/fdinfo"):
        with open(f"/proc/{r.process.pid}/fdinfo/{fd}") as f:
            ids.update(re.findall(r"^prog_id:\t(\d+)", f.read(), re.M))
    return r, "prog_id=" + "|".join(ids)


def sample_until_done(f, rig):
    """Reads the ring while it fires, as fast as possible."""
    rig.go()
    while rig.lines.selector.select(0) == [] and not rig.lines.buffer:
        f.ask("sample")
    rig.read_until("done")
    rig.finish()
    return f.ask("sample")


def counted(f, e):
    """Counts of the series of an expectation."""
    words = ("prog_id",) if "prog_id" in e else ("netns", "ifindex", "to_netns")
    return f.ask(f"count {e['tracepoint']} " + " ".join(f"{w}={e[w]}" for w in words))["count"]


@pytest.mark.parametrize("words, fired, matches", [
    ("", 1000000, True), ("prog_name=rig_to_devmap ifname=rig-in target=rig-out*", 1000000, True),
    # the ring holds the events of a new series until it is known not to match
    ("errname=ENXIO", 10000, False), ("prog_name=rig_to_cpu", 10000, False),
])
def test_all_or_lost(follower, rig, words, fired, matches):
    f = follower("-q")
    r, programs = held(rig, f"redirect={fired}")
    f.follow(f"xdp_redirect {programs} {words}")
    sample = sample_until_done(f, r)
    e = of(r.expect, "xdp_redirect")
    assert e["events"] == fired == counted(f, e), sample
    assert sample["seen"] >= sample["lines"] + sample["lost"], sample
    assert sample["lines"] + sample["lost"] == (e["events"] if matches else 0), sample
    assert bool(sample["lines"]) == matches, sample
    assert sample["events_lost"] >= sample["lost"], sample
    e = of(r.expect, "xdp_devmap_xmit")
    assert counted(f, e) == e["events"]
    f.end()


@pytest.mark.parametrize("options", [[], ["-t", "xdp_redirect"]], ids=["all", "one"])
def test_counts_while_it_comes_and_goes(follower, rig, options):
    """Under full load, following begins and ends: no count is lost."""
    for _ in range(10):
        f = follower("-q", *options)
        traffic = load(rig, "redirect=20000")
        for what in ("tracepoint=xdp_redirect|xdp_devmap_xmit", "xdp_redirect errname=ENXIO", "tracepoint=xdp_*"):
            f.follow(what)
            f.ask("sample")
            f.ask("follow")
        expect = traffic.halt()
        sample = f.ask("sample")
        e = of(expect, "xdp_redirect")
        assert counted(f, e) == e["events"], sample
        e = of(expect, "xdp_devmap_xmit")
        # with -t it is counted only while it is followed
        assert counted(f, e) <= e["events"] if options else counted(f, e) == e["events"], sample
        f.end()


def test_what_is_off(follower, rig):
    """It is on while it is followed."""
    f = follower("-q", "-t", "xdp_devmap_xmit")
    r, programs = held(rig, "redirect=100000")
    f.follow(f"xdp_redirect {programs}")
    sample = sample_until_done(f, r)
    e = of(r.expect, "xdp_redirect")
    assert sample["lines"] and sample["lines"] + sample["lost"] == e["events"] == counted(f, e), sample
    f.ask("follow")
    f.settled()
    e = of(fire(rig, "redirect=1000"), "xdp_redirect")
    f.ask("sample")
    assert counted(f, e) == 0
    f.end()


@pytest.fixture
def one_cpu():
    """For the rigs: one finds what the previous one left on the CPU."""
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cpus)})
    yield
    os.sched_setaffinity(0, cpus)


@pytest.mark.usefixtures("one_cpu")
def test_counting_begins_and_ends_while_followed(follower, rig):
    """What is counted is followed, and nothing else."""
    f = follower("-q")
    f.follow("xdp_redirect ifname=follow-off")
    events = 0
    for count in (True, False, True):
        e = of(fire(rig, "--ifname", "follow-off", "redirect=5001"), "xdp_redirect")
        sample = f.ask("sample")
        assert counted(f, e) == (e["events"] if count else 0), sample
        events += e["events"] if count else 0
        assert f.ask("toggle xdp_redirect")["toggle"] == (not count)
        sample = f.settled()
        assert sample["reason"] == ("without xdp_redirect: it is off" if count else ""), sample
    assert sample["lines"] == events, sample
    f.end()


def test_stopped_reader(follower, rig):
    f = follower("-q")
    r, programs = held(rig, "redirect=300000")
    f.follow(f"xdp_redirect {programs}")
    os.kill(f.process.pid, signal.SIGSTOP)
    r.go()
    r.read_until("done")
    r.finish()
    os.kill(f.process.pid, signal.SIGCONT)
    sample = f.ask("sample")
    e = of(r.expect, "xdp_redirect")
    assert sample["lost"] and sample["lines"] and sample["lines"] + sample["lost"] == e["events"], sample
    assert counted(f, e) == e["events"]
    f.end()


def test_budget(follower, rig):
    f = follower("-q", "-b", "0.0001")
    f.follow("xdp_redirect")
    traffic = load(rig, "redirect=20000")
    for _ in turns("that it is shed"):
        sample = f.ask("sample")
        if sample["state"] == "shed":
            break
    assert "the budget is 0.0001 %" in sample["reason"], sample
    traffic.halt()
    f.end()


def test_unknown_tracepoint(follower, rig):
    """Its arguments from BTF; pointers are omitted except for devices and programs."""
    f = follower(program=FORGETFUL)
    f.follow("xdp_bulk_tx")
    e = of(fire(rig, "bulk-tx=3"), "xdp_bulk_tx")
    f.ask("sample")
    texts = [x["args"] for x in f.events]
    assert texts.count(f"dev={e['ifindex']} sent=1 drops=0 err=0") >= 3, texts
    assert all(re.fullmatch(r"dev=\d+ sent=\d+ drops=\d+ err=(0|-\d+)", t) for t in texts), texts
    f.end()


def test_refused(follower):
    f = follower("-q", "-c", prefix=TRACEFS)
    answer = f.ask("follow xdp_redirect ifname=eth0")
    assert answer == {"follow": -2, "why": "xdp_redirect: the classic backend only counts; "
                                           "following needs the kernel's BTF"}
    assert f.ask("sample")["state"] == "off"
    f.end()


# net_dev_queue of these devices only, since it includes all other traffic of the machine
IN, LOOPBACK = "follow-in", "follow-lo"
DEVICES = (IN, LOOPBACK, "rig-feed")
# also packets queued by softirqs: TCP's answers
TALK = r"""
set -e
PATH=$PATH:/usr/sbin:/sbin
ip link set lo name "$1"
ip link set "$1" up
exec python3 -c '
import socket, sys
with open("/proc/self/comm", "w") as f:
    f.write(sys.argv[1])
with socket.create_server(("127.0.0.1", 0)) as s, socket.create_connection(s.getsockname()) as a, s.accept()[0] as b:
    for _ in range(10):
        a.sendall(b"?")
        b.recv(1)
        b.sendall(b"!")
        a.recv(1)
' "$0"
"""


def talk(comm):
    return ["unshare", "-n", "sh", "-c", TALK, comm, LOOPBACK]


def of_devices(form, between):
    return between.join(form.format(name) for name in DEVICES)


TRACE = r"""
set -e
mount -t tracefs none /sys/kernel/tracing
cd /sys/kernel/tracing/instances
mkdir "$0" && cd "$0"
echo mono >trace_clock
echo 0 >tracing_on
for e in net/net_dev_queue net/net_dev_start_xmit; do echo "$1" >events/$e/filter; done
for e in xdp net/net_dev_queue net/net_dev_start_xmit; do echo 1 >events/$e/enable; done
echo 1 >tracing_on
echo ready
read line
echo 0 >tracing_on
cat trace
cd .. && rmdir "$0"
"""
INSTANCE = f"xdptop-test-{os.getpid()}"
OF_DEVICES = of_devices('name == "{}"', " || ")


@pytest.fixture
def ftrace():
    """Records the same events; its instance is removed even if the test ends early."""
    p = subprocess.Popen(["unshare", "-m", "sh", "-c", TRACE, INSTANCE, OF_DEVICES], text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    yield p
    p.kill()
    p.wait()
    p.stdin.close()
    p.stdout.close()
    subprocess.run([*TRACEFS, "rmdir", f"/sys/kernel/tracing/instances/{INSTANCE}"], stderr=subprocess.DEVNULL, check=False)


TRACED = re.compile(r" *\S.*?-(\d+) +\[(\d+)\] (.)(.)(.)\S* +([\d.]+): (\w+): (.*)")
NAMES = {"action": "act", "dev": "name"}
# of net_dev_start_xmit, which has the same skb; fields that only ftrace has
OTHERS = {"skbaddr", "allocator"}


def add_traced(events, name, cpu, pid, args, **more):
    fields = {NAMES.get(k, k): v for k, v in re.findall(r"(\w+)=(\S+)", args)}
    if name != "net_dev_start_xmit":
        events.append({"name": name, "cpu": int(cpu), "pid": int(pid), "fields": fields, **more})
        return
    # of the last skb queued on that CPU with this address that has not yet been sent
    for e in reversed(events):
        if e["name"] == "net_dev_queue" and e["fields"]["skbaddr"] == fields["skbaddr"]:
            e["fields"].update({k: fields[k] for k in ("protocol", "queue_mapping", "gso_segs")})
            return


def traced(text):
    """Events of ftrace."""
    events = []
    for m in map(TRACED.match, text.splitlines()):
        if m:
            pid, cpu, _, _, context, _, name, args = m.groups()
            add_traced(events, name, cpu, pid, args, in_task=context == ".")
    return events


KNOWN = ("xdp_exception", "xdp_redirect_err", "xdp_redirect", "xdp_devmap_xmit", "xdp_bulk_tx",
         "xdp_cpumap_enqueue", "xdp_cpumap_kthread", "net_dev_queue")
MEM_TYPES = {"PAGE_SHARED": "0", "PAGE_ORDER0": "1", "PAGE_POOL": "2", "XSK_BUFF_POOL": "3"}


@pytest.mark.alone
def test_fields_as_ftrace_has_them(follower, ftrace, rig):
    xdp, queued = follower(), follower()
    rare = ("mem_connect", "mem_disconnect")
    xdp.follow("tracepoint=" + "|".join((*set(KNOWN) - {"net_dev_queue"}, *rare)))
    queued.follow("net_dev_queue ifname=" + "|".join(DEVICES))
    if ftrace.stdout.readline() != "ready\n":
        missing("tracefs has no instances")
    fire(rig, "--ifname", IN, "redirect=40", "redirect-ifindex=3", "einval=3", "enetdown=2", "aborted=3", "badact=2",
         "cpumap=20", "cpumap-prog=20", "bulk-tx=3", "bulk-tx-fail=2", "generic=3", "queue=4", "devmap-full=20")
    subprocess.run(talk("talk"), check=True)
    theirs = traced(ftrace.communicate("\n", timeout=DEADLINE)[0])
    for f in (xdp, queued):
        f.ask("sample")
        f.end()
    compared = dict.fromkeys((*KNOWN, *rare), 0)
    for name, count in compared.items():
        for cpu in range(os.cpu_count()):
            they = [e for e in theirs if e["name"] == name and e["cpu"] == cpu]
            ours = [e for e in xdp.events + queued.events
                    if e["tracepoint"] == name and e["cpu"] == cpu and not e["kind"]]
            # ftrace started after it and ended before it
            assert any(all(same(a, b) for a, b in zip(ours[i:], they))
                       for i in range(len(ours) - len(they) + 1)), (name, cpu, ours, they)
            count += len(they)
        compared[name] = count
    assert all(compared[name] for name in (*KNOWN, "mem_disconnect")), compared
    assert {e["in_task"] for e in theirs if e["name"] == "net_dev_queue"} == {True, False}


def arguments(ours):
    return dict(re.findall(r"(\w+)=(\S+)", ours["args"]))


def same(ours, theirs):
    want = {k: MEM_TYPES.get(v, v) if k == "mem_type" else v
            for k, v in theirs["fields"].items() if k not in OTHERS}
    if want.get("act", "").startswith("0x"):
        want["act"] = f"UNKNOWN({int(want['act'], 16)})"
    have = arguments(ours)
    if ours["tracepoint"] == "net_dev_queue" and "in_task" in theirs:
        if ours["pid"] != (theirs["pid"] if theirs["in_task"] else 0):
            return False
    if "protocol" in want:
        want["protocol"] = f"0x{int(want['protocol'], 16):04x}"
    return ours["tracepoint"] == theirs["name"] and have == want


PERF = re.compile(r" *(.+?) +(\d+)/\d+ +\[(\d+)\] +(\d+)\.(\d{9}): +\w+:(\w+): (.*)")


# fields that identify the source of an event, the best first: an argument, and its name in the rig's expectations
MARKS = {"prog_id": "prog_id", "map_id": "map_id", "from_ifindex": "ifindex", "ifindex": "ifindex"}


def is_of(expect, fields):
    """Whether an event is from the rig, or from DEVICES."""
    for word, known in MARKS.items():
        if word in fields:
            return int(fields[word]) in {e.get(known) for e in expect}
    return fields["name"] in DEVICES


def recorded(path, workload, expect):
    """What perf recorded by CPU, from the workload's first event there to its last, when everything is on."""
    text = subprocess.run(["perf", "script", "-i", path, "--ns", "-F", "comm,pid,tid,cpu,time,event,trace"],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    events = []
    for m in map(PERF.match, text.splitlines()):
        comm, pid, cpu, s, ns, name, args = m.groups()
        add_traced(events, name, cpu, pid, args, comm=comm, ns=int(s) * 10**9 + int(ns))
    for cpu in range(os.cpu_count()):
        there = [e for e in events if e["cpu"] == cpu and is_of(expect, e["fields"])]
        of_it = [i for i, e in enumerate(there) if e["comm"] == workload]
        if of_it:
            yield cpu, there[of_it[0]:of_it[-1] + 1]


def same_process(ours, theirs):
    """perf has the current process even if a softirq interrupted it."""
    return not ours["pid"] or (ours["pid"], ours["comm"]) == (theirs["pid"], theirs["comm"])


def apart(ours, theirs):
    """The offsets of the two clocks that place each of our events after perf's previous one and before its next."""
    return (max((a["time_ns"] - b["ns"] for a, b in zip(ours, theirs[1:])), default=-math.inf),
            min((a["time_ns"] - b["ns"] for a, b in zip(ours[1:], theirs)), default=math.inf))


@pytest.mark.release
def test_events_as_perf_records_them(follower, tmp_path):
    """The same events in the same order, with the same arguments, times and processes."""
    if not shutil.which("perf"):
        missing("perf is not installed")
    workload, data = tmp_path / f"perf{os.getpid()}", tmp_path / "perf.data"
    workload.symlink_to(RIG)
    f = follower()
    # cpumap events have no device
    f.follow("tracepoint=" + "|".join(KNOWN) + " tracepoint=xdp_cpumap_*|ifname=" + "|ifname=".join(DEVICES))
    events = [("-e", f"xdp:{name}") for name in KNOWN if name != "net_dev_queue"]
    events += [("-e", f"net:{name}", "--filter", OF_DEVICES) for name in ("net_dev_queue", "net_dev_start_xmit")]
    both = '"$@" && exec ' + shlex.join(talk(workload.name))
    fired = subprocess.run([*TRACEFS, "perf", "record", "-q", "-a", "-k", "CLOCK_MONOTONIC", "-o", data,
                            *itertools.chain(*events), "--", "sh", "-c", both, "sh", workload,
                            "--ifname", IN, "redirect=40", "redirect-ifindex=3", "einval=3", "enetdown=2", "aborted=3",
                            "badact=2", "cpumap=20", "bulk-tx=3", "generic=3", "queue=4", "devmap-full=20"],
                           check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout
    expect = [json.loads(line) for line in fired.splitlines()]
    f.ask("sample")
    f.end()
    assert not any(e["lost"] for e in f.events)
    compared, processes, least, most = set(), 0, -math.inf, math.inf
    for cpu, theirs in recorded(data, workload.name, expect):
        ours = [e for e in f.events if e["cpu"] == cpu and is_of(expect, arguments(e))]
        ours = next((part for part in (ours[i:i + len(theirs)] for i in range(len(ours) - len(theirs) + 1))
                     if all(same(a, b) and same_process(a, b) for a, b in zip(part, theirs))), None)
        assert ours, (cpu, theirs, f.events)
        low, high = apart(ours, theirs)
        least, most = max(least, low), min(most, high)
        compared.update(e["name"] for e in theirs)
        processes += sum(bool(e["pid"]) for e in ours)
    # the kthread's CPU need not be one of the workload's
    assert compared >= set(KNOWN) - {"xdp_cpumap_kthread"}
    assert processes
    assert least < most, "no difference between the clocks explains the times"
