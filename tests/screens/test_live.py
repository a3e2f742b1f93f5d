# SPDX-License-Identifier: GPL-2.0-or-later
"""The screen over the running kernel: switching, suspending, and how fast it appears."""
import json
import os
import re
import subprocess
import time

import pytest

import namespaces
from pane import DEADLINE, XDPTOP

VERDICTS = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("drop") int drop_all(struct xdp_md *ctx)
{
	return XDP_DROP;
}
SEC("pass") int pass_all(struct xdp_md *ctx)
{
	return XDP_PASS;
}
char LICENSE[] SEC("license") = "GPL";
"""


def state(text, tracepoint):
    match = re.search(rf"{tracepoint} +(\w+)", text)
    return match and match[1]


def test_switch_and_back(live):
    screen = live("-d", "0.2")
    screen.wait(r"XDP on ")
    screen.keys("t")
    screen.wait(r"\[tracepoints\]")
    screen.keys("3")
    screen.wait(lambda t: state(t, "xdp_redirect ") == "on")
    screen.keys("Home", "Down", "Down", "Space")
    screen.wait(r"xdp_redirect is off")
    screen.wait(lambda t: state(t, "xdp_redirect ") == "off")
    screen.keys("q")
    screen.wait(r"\[overview\]")
    screen.keys("q")
    screen.wait(r"exit=0\n")


def test_moments_in_the_graph(live):
    """A switch and a gap are marked below it, as T and G."""
    screen = live("-d", "0.2", "-v", "tracepoints")
    screen.wait(lambda t: state(t, "xdp_redirect ") == "off")
    screen.keys("Home", "g")
    screen.wait(r"EVENTS/S +now")
    screen.keys("Escape", "3")
    screen.wait(lambda t: state(t, "xdp_redirect ") == "on")
    screen.keys("g")
    screen.wait(r"(?m)^ +└.*T[─┴]*$")
    screen.keys("C-z")
    screen.wait(lambda t: not screen.alternate() and "Stopped" in t, "the shell")
    screen.type("clear; fg")
    screen.wait(r"(?m)^ +└.*G[─┴]*$")


def rows(text):
    """The body of the table, without the selection."""
    return [line[1:] for line in text.split("\n")[4:27]]


@pytest.mark.alone
def test_paused_stands_still(live, demo):
    """Sorting, filtering and drilling still work, over constant numbers."""
    screen = live("-d", "0.2", "-v", "errors")
    screen.wait(r"(?s)\n>!xdp_.*EOPNOTSUPP.*EINVAL")
    end = time.monotonic() + DEADLINE
    while True:
        screen.keys("p")
        before = rows(screen.still(r"PAUSED \d"))
        # without an event in the interval all values are equal
        if any(row.startswith("!") for row in before):
            break
        assert time.monotonic() < end, before
        screen.keys("p")
        screen.wait(lambda text: "PAUSED" not in text)
    assert rows(screen.wait(r"PAUSED ([2-9]|\d\d)")) == before
    screen.keys("R")
    backward = rows(screen.still(r"smallest first"))
    assert backward != before
    screen.keys("R")
    screen.wait(lambda text: rows(text) == before)
    screen.keys("/")
    screen.type("EINVAL")
    filtered = rows(screen.still(r"filter: EINVAL"))
    assert all("EINVAL" in row for row in filtered if row.strip())
    screen.keys("Enter", "c")
    cpus = rows(screen.still(r"CPUs of .*EINVAL"))
    screen.wait(r"PAUSED ([3-9]|\d\d)")
    assert rows(screen.text()) == cpus
    screen.keys("Escape", "Escape", "/", "C-u", "Enter")
    screen.wait(lambda text: rows(text) == before)
    screen.keys("p")
    screen.wait(lambda text: "PAUSED" not in text and rows(text) != before)


def test_interval(live):
    screen = live()
    screen.keys("d")
    screen.wait(r"Interval in seconds")
    # the first character replaces the suggestion
    screen.type("0")
    screen.wait(r"'0' is not a number of seconds from 0.1 to 3600")
    screen.keys("C-u")
    screen.type("0,25")
    screen.wait(r"every 0.25s")


def links(pid):
    """BPF links held by the monitor."""
    held = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            held += "bpf_link" in os.readlink(f"/proc/{pid}/fd/{fd}").replace("-", "_")
        except FileNotFoundError:
            pass
    return held


def test_suspend_detaches(live):
    screen = live("-d", "0.2")
    pid = screen.pid()
    attached = links(pid)
    assert attached > 5
    screen.keys("C-z")
    screen.wait(lambda t: not screen.alternate() and "Stopped" in t, "the shell")
    # iterators for names stay, tracepoints do not
    assert links(pid) < attached - 5
    screen.type("clear; fg")
    screen.wait(r"gap")
    screen.wait(lambda _: links(pid) == attached, "the links")
    screen.keys("q")
    screen.wait(lambda t: not screen.alternate(), "the shell")


def test_first_screen_is_soon(live):
    """It does not wait for an interval, whatever its length."""
    live("-d", "3600").wait(r"  XDP on ")


def ip(*args):
    subprocess.run(["ip", *args], check=True, stdin=subprocess.DEVNULL)


@pytest.fixture
def namespace():
    name = f"xdptop{os.getpid()}"
    ip("netns", "add", name)
    yield name
    ip("netns", "del", name)


def test_renamed_and_deleted_while_it_is_shown(live, namespace):
    ip("-n", namespace, "link", "add", "old0", "type", "veth", "peer", "name", "peer0")
    for name in ("old0", "peer0"):
        ip("-n", namespace, "link", "set", name, "up")

    def send(ifname):
        code = ("import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW);"
                f"s.bind(({ifname!r}, 0)); s.send(bytes(60))")
        ip("netns", "exec", namespace, "/usr/bin/python3", "-c", code)

    screen = live("-d", "0.2", "-v", "stack", "-f", f"netns={namespace}")
    send("old0")
    screen.wait(rf"old0 +{namespace}")
    for change in (("old0", "down"), ("old0", "name", "new0"), ("new0", "up")):
        ip("-n", namespace, "link", "set", *change)
    screen.wait(lambda t: re.search(rf"new0 +{namespace}", t) and "old0" not in t)
    screen.keys("/", "C-u")
    screen.type("ifname=new0")
    screen.wait(r"filter: ifname=new0")
    screen.keys("e")
    screen.wait(rf"ip -n {namespace} -d link show dev new0")
    ip("-n", namespace, "link", "del", "new0")
    # its counts stay under its last name, in the explanation and in the row
    screen.wait(rf"(?s)^(?!.*This row no longer exists).*new0 {namespace}")
    screen.keys("Escape")
    screen.wait(rf"new0 +{namespace}")


def test_from_the_start_screen_to_the_cpu_in_two_keys(live, demo):
    """Finds the error, its explanation and its CPU."""
    screen = live("-d", "0.5")
    screen.wait(r"\d+ (critical|warning).*: press x")
    screen.keys("x")
    text = screen.wait(r"(?s)\n>[ !][CWI] (\S+) .*\n  \1\n  what +\S+.*  Commands\n +\S+")
    device = next(line for line in text.split("\n") if line.startswith(">"))[2:].split()[2]
    # a cpumap's queue has no device; for a slow target of several devices it shows its tracepoint's CPUs
    place = rf"({'CPU [0-9]' if device == '-' else re.escape(device)}|xdp_\w+)"
    screen.keys("c")
    screen.wait(rf"(?s)CPUs of [^\n]*{place}.*SHARE%.*\n>!? *\d+ +[\u2588-\u258f]* *[\d.-]+ ")


def test_from_the_start_screen_to_the_cpu_by_the_views(live, demo):
    """4: the largest error with its meaning; Enter: what to do; c: its CPUs."""
    screen = live("-d", "0.5")
    screen.wait(r"\d+ (critical|warning).*: press x")
    screen.keys("4")
    screen.wait(r"(?s)\[errors\].*\n>!\S+ ")
    screen.keys("Enter")
    screen.wait(r"meaning +\S+")
    screen.keys("c")
    screen.wait(r"(?s)CPUs of .*SHARE%.*\n>!? *\d+ +[\u2588-\u258f]* *[\d.-]+ ")


def test_way_of_packets(live, netns, tmp_path_factory):
    """Frames sent equal frames received and dropped by the program; a program without drops is not blamed."""
    program = namespaces.compiled(tmp_path_factory, VERDICTS)
    a, b = netns("a"), netns("b")
    for i, section in enumerate(("drop", "pass")):
        namespaces.veth(a, f"in{i}", b, f"out{i}")
        namespaces.ip(a, "link", "set", f"in{i}", "xdpdrv", "obj", program, "sec", section)
    screen = live("-d", "0.2", "-v", "devices", "-s", "ifname", "-f", f"netns={a.name}", height=60,
                  prefix=("ip", "netns", "exec", a.name))
    screen.wait(r"(?s)\n>.in0 .*\n..in1 ")
    b.send("out0", 1234)
    b.send("out1", 567)
    screen.keys("Enter")
    screen.wait(r"(?s)received +1234.* \(ip -s link\).*XDP_DROP +1234.* \(ethtool -S")
    screen.wait(r"result +XDP drops (packets here, as|nothing here now; its earlier drops are) counted above")
    screen.keys("Escape", "Down", "Enter")
    screen.wait(r"(?s)received +567.* \(ip -s link\).*XDP_PASS +unknown: .*XDP_DROP +0.* \(ethtool -S")
    screen.wait(r"result +XDP drops nothing here now; no drops have been counted in the \d+s since the start\n")


def test_recorded_before_the_key(live, tmp_path, monkeypatch):
    """o also writes what was shown before it was pressed, and everything until it is pressed again."""
    monkeypatch.chdir(tmp_path)
    screen = live("-d", "0.2")
    clocks = set()
    screen.wait(lambda text: clocks.update(re.findall(r"\d\d:\d\d:\d\d", text)) or len(clocks) > 2, "two seconds later")
    screen.keys("o")
    screen.wait(r"Record to: xdptop-")
    screen.keys("C-u")
    screen.type("r.jsonl.zst")
    screen.wait(r"recording from \d\d:\d\d:\d\d on")
    screen.keys("Space", "o")
    screen.wait(r"recorded \S+, \S+B; replay it with xdptop -r ")
    listing = subprocess.run([XDPTOP, "-r", "r.jsonl.zst", "-o", "json"], check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in listing.splitlines()]
    seqs = sorted({row["seq"] for row in rows if row["type"] == "tracepoint"})
    assert seqs == list(range(1, len(seqs) + 1)) and len(seqs) > 5 and rows[-1]["reason"] == "user"
