# SPDX-License-Identifier: GPL-2.0-or-later
"""Refused attaches: one event each for any tool, with device and process, and a finding with a working remedy."""
import os
import subprocess
import sys

import pytest

from harness import DEADLINE, missing, said
from namespaces import PREFIX, compiled, ip, run, veth

SOURCE = """
int pass(void *ctx) __attribute__((section("xdp"), used));
int pass(void *ctx) { return 2; }
char _license[] __attribute__((section("license"), used)) = "GPL";
"""
NETLINK, LINK = "netlink_extack", "bpf_xdp_link_attach_failed"
NATIVE = "Underlying driver does not support XDP in native mode"
# flags that iproute2 uses without -force
NO_REPLACE, GENERIC_MODE, NATIVE_MODE = 1, 2, 4

# arguments: pin of the program, ifindex, flags; holds a link until its stdin ends
LIBBPF = """
import ctypes, struct, sys
lib = ctypes.CDLL("libbpf.so.1")
fd = lib.bpf_obj_get(sys.argv[2].encode())
ifindex, flags = int(sys.argv[3]), int(sys.argv[4])
if sys.argv[1] == "netlink":
    sys.exit(lib.bpf_xdp_attach(ifindex, fd, flags, None) != 0)
link = lib.bpf_link_create(fd, ifindex, 37, struct.pack("QQ", 16, flags))
if link < 0:
    sys.exit(1)
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory, SOURCE)


@pytest.fixture
def pin(program):
    path = f"/sys/fs/bpf/{PREFIX}-refused"
    try:
        run("bpftool", "prog", "load", program, path, "type", "xdp")
        yield path
    finally:
        if os.path.exists(path):
            os.unlink(path)


@pytest.fixture
def pair(netns):
    ns = netns("refused")
    veth(ns, "near", ns, "far")
    return ns


def inside(ns, *command, **how):
    """A process in the namespace with its own pid."""
    return subprocess.Popen(["nsenter", f"--net=/run/netns/{ns.name}", *command],
                            **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **how})


def by_ip(ns, pin, ifname, mode="xdpdrv", *options):
    return inside(ns, "ip", *options, "link", "set", "dev", ifname, mode, "pinned", pin)


def by_bpftool(ns, pin, ifname):
    return inside(ns, "bpftool", "net", "attach", "xdpdrv", "pinned", pin, "dev", ifname)


def by_libbpf(ns, pin, ifname, way, flags=NATIVE_MODE, **how):
    return inside(ns, sys.executable, "-c", LIBBPF, way, pin, str(ns.ifindex(ifname)), str(flags), **how)


TOOLS = {
    "ip": by_ip,
    "bpftool": by_bpftool,
    "netlink": lambda *args: by_libbpf(*args, "netlink"),
    "link": lambda *args: by_libbpf(*args, "link", stdin=subprocess.DEVNULL),
}


def refused(process):
    assert process.wait(DEADLINE) != 0, "it was not refused"
    return process.pid


def states(m):
    """States of both tracepoints at the start."""
    found = {}
    for name in (NETLINK, LINK):
        found[name] = said(m, lambda r: r["type"] == "tracepoint" and r["tracepoint"] == name, name)["state"]
    if found[NETLINK] == "missing":
        missing("this kernel has no netlink_extack")
    return found


def told(m, ns):
    """Events of the namespace so far."""
    m.wait_snapshot()
    return [r for r in m.records if r["type"] == "event" and r["netns"] == ns.inode and r["tracepoint"] in
            (NETLINK, LINK)]


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool(monitor, pair, pin, tool):
    m = monitor("-d", "0.1")
    state = states(m)
    process = TOOLS[tool](pair, pin, "lo")
    pid = refused(process)
    (event,) = told(m, pair)
    assert event["tracepoint"] == (LINK if tool == "link" and state[LINK] == "on" else NETLINK)
    assert (event["ifindex"], event["ifname"], event["pid"], event["text"]) == (1, "lo", pid, NATIVE)
    assert event["comm"] == (tool if tool in ("ip", "bpftool") else os.path.basename(sys.executable))
    records = m.stop()
    found = [r for r in records if r["type"] == "finding" and r["netns"] == pair.inode]
    assert {f["code"] for f in found} == {"attach-failed"}
    assert {f["ifindex"] for f in found} == {1}
    assert f"[{pid}] could not attach an XDP program: {NATIVE}" in found[0]["text"]
    assert found[0]["text"].startswith(f"lo ({pair.name}): ")
    assert any("ip" in c and "-d link show dev lo" in c for c in found[0]["next"])


def jumbo(ns, pin):
    ip(ns, "link", "set", "near", "mtu", "9000")
    ip(ns, "link", "set", "far", "mtu", "9000")


def queues(ns, pin):
    ip(ns, "link", "del", "near")
    ip(ns, "link", "add", "near", "numrxqueues", "2", "numtxqueues", "2", "type", "veth", "peer", "name", "far",
       "numrxqueues", "4", "numtxqueues", "4")
    ip(ns, "link", "set", "near", "up")
    ip(ns, "link", "set", "far", "up")


def generic(ns, pin):
    assert by_ip(ns, pin, "near", "xdpgeneric").wait(DEADLINE) == 0


def native(ns, pin):
    assert by_ip(ns, pin, "near").wait(DEADLINE) == 0


def link(ns, pin):
    holder = by_libbpf(ns, pin, "near", "link", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout.readline()
    return holder


# state of the device, who attaches, the message, a command of the finding, whether the commands fix it
REFUSALS = [
    (jumbo, by_ip, "veth: Peer MTU is too large to set XDP", "link set dev far mtu 3506", True),
    (queues, by_ip, "veth: XDP expects number of rx queues not less than peer tx queues", "ethtool -L far tx $(", True),
    (generic, by_ip, "Native and generic XDP can't be active at the same time", "dev near xdpgeneric off", True),
    (native, lambda *a: by_ip(*a, "xdpgeneric"), "Native and generic XDP can't be active at the same time",
     "dev near xdpdrv off", True),
    (native, by_ip, "XDP program already attached", "dev near xdpdrv off", True),
    (native, lambda *a: by_libbpf(*a, "netlink", NATIVE_MODE | NO_REPLACE), "XDP program already attached",
     "dev near xdpdrv off", True),
    (link, lambda *a: by_ip(*a, "xdpdrv", "-force"), "Can't replace active BPF XDP link", "bpftool link show", False),
    (native, TOOLS["link"], "Can't replace active XDP program with BPF link", "dev near xdpdrv off", True),
]


@pytest.mark.parametrize("state,attach,text,command,mends", REFUSALS,
                         ids=[f"{r[0].__name__}-{i}" for i, r in enumerate(REFUSALS)])
def test_each_refusal(monitor, pair, pin, state, attach, text, command, mends):
    holder = state(pair, pin)
    try:
        m = monitor("-d", "0.1")
        states(m)
        pid = refused(attach(pair, pin, "near"))
        (event,) = told(m, pair)
        assert (event["ifindex"], event["ifname"], event["pid"]) == (pair.ifindex("near"), "near", pid)
        assert event["text"] == text
        found = [r for r in m.stop() if r["type"] == "finding" and r["code"] == "attach-failed" and
                 r["netns"] == pair.inode]
        assert {f["ifindex"] for f in found} == {event["ifindex"]}
        assert text in found[-1]["text"]
        assert any(command in c for c in found[-1]["next"]), found[-1]["next"]
        if not mends:
            return
        for c in found[-1]["next"]:
            run("bash", "-c", c)
        assert attach(pair, pin, "near").wait(DEADLINE) == 0, "its commands did not mend it"
    finally:
        if holder:
            holder.communicate(b"")


def test_each_message(monitor, pair, pin):
    """How often each, for one device and process name."""
    native(pair, pin)
    m = monitor("-d", "0.1")
    states(m)
    for mode in ("xdpdrv", "xdpgeneric", "xdpdrv"):
        refused(by_ip(pair, pin, "near", mode))
    m.wait_snapshot()
    found = {r["text"].split(": ")[2]: r["count_total"] for r in m.stop()
             if r["type"] == "finding" and r["netns"] == pair.inode}
    assert found == {"XDP program already attached": 2, "Native and generic XDP can't be active at the same time": 1}


def test_other_failures(monitor, pair, pin, tmp_path):
    """Four hundred commands that fail for other reasons cause no event; a refusal does."""
    m = monitor("-d", "0.1")
    states(m)
    lines = {
        "ip": ["link set dev near mtu 100000", "link set dev near master lo", "route add 10.9.9.0/24 via 192.0.2.1",
               "link add near type veth", "addr add 192.0.2.1/24 dev near scope 300"],
        "tc": ["qdisc add dev near root nosuch", "filter add dev near ingress bpf da obj /nowhere",
               "qdisc del dev near root", "class add dev near classid 1:1 htb rate 1mbit"],
    }
    for tool, commands in lines.items():
        batch = tmp_path / tool
        batch.write_text("".join(f"{c}\n" for c in commands * 60))
        refused(inside(pair, tool, "-force", "-batch", str(batch)))
    script = "for i in $(seq 40); do ethtool -L near combined 9; ethtool -G near rx 1; ethtool -K near nosuch on; done"
    refused(inside(pair, "bash", "-c", script + "; false"))
    assert told(m, pair) == []
    pid = refused(by_ip(pair, pin, "lo"))
    assert [(e["pid"], e["text"]) for e in told(m, pair)] == [(pid, NATIVE)]
