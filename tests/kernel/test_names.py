# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and devices: the right one for an ifindex in every namespace, across renames and deletions."""
import json
import os
import re
import signal
import struct
import subprocess
import time

import pytest

from harness import DEADLINE, FORGETFUL, XDPTOP, eventually, missing, said, turns
from namespaces import FRAME, PREFIX, compiled, ip, run, veth

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

LONG_NAME = "a_program_with_a_name_that_is_cut"
LONG = f"""
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct {{
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
}} map_of_cpus SEC(".maps");
SEC("xdp") int {LONG_NAME}(struct xdp_md *ctx)
{{
	return bpf_redirect_map(&map_of_cpus, 0, 0); /* an empty slot: XDP_ABORTED */
}}
char LICENSE[] SEC("license") = "GPL";
"""


def test_devmap_program(monitor, rig):
    """A devmap entry has its program's id and name; after replacement by one without a program it has none."""
    r = rig("--hold", "--load", "--named", PREFIX, "devmap-prog=1000")
    r.read_until("ready")
    m = monitor("-d", "0.2", "-t", "+xdp_redirect", "--budget", "0")
    r.go()

    def is_redirect(**fields):
        return lambda x: (x["type"] == "sample" and x["tracepoint"] == "xdp_redirect" and x["events"]
                          and x["prog_name"] == "rig_to_devmap" and all(x[k] == v for k, v in fields.items()))

    row = m.wait_for(is_redirect(to_prog_name="rig_on_dev"), "its name")
    programs = json.loads(run("bpftool", "-j", "prog", "show", "name", "rig_on_dev"))
    assert row["to_prog_id"] in [p["id"] for p in (programs if isinstance(programs, list) else [programs])]
    value = struct.pack("=II", row["to_ifindex"], 0)  # struct bpf_devmap_val
    run("ip", "netns", "exec", f"{PREFIX}-dst", "bpftool", "map", "update", "id", str(row["map_id"]),
        "key", "0", "0", "0", "0", "value", *map(str, value))
    m.wait_for(is_redirect(to_prog_id=None, to_prog_name=None), "the entry without a program")
    r.go()
    r.read_until("done")
    r.go()
    r.finish()


@pytest.fixture(params=["walk", "sockets"])
def monitor(request, monitor):
    """Both ways to find devices in other namespaces."""

    def start(*args, **kwargs):
        return monitor(*args, program=start.program, **kwargs)

    start.program = XDPTOP if request.param == "walk" else FORGETFUL
    return start


@pytest.fixture(scope="session")
def long_program(tmp_path_factory):
    return compiled(tmp_path_factory, LONG)


def devices(records):
    """The last record of each device."""
    return {(r["netns"], r["ifindex"]): r for r in records if r["type"] == "device"}


def is_device(ns, ifindex, **fields):
    def condition(r):
        return (
            r["type"] == "device"
            and (r["netns"], r["ifindex"]) == (ns.inode, ifindex)
            and all(r[k] == v for k, v in fields.items())
        )

    return condition


def names(records, ns):
    """ifnames of the rows of a namespace with their counts, newest row of each."""
    return {
        (r["ifindex"], r["ifname"]): r["events_total"]
        for r in records
        if r["type"] == "sample" and r["netns"] == ns.inode and r["tracepoint"] == "net_dev_queue"
    }


def test_same_ifindex_in_two_namespaces(monitor, netns):
    a, b = netns("a"), netns("b")
    veth(a, "left0", b, "right0")
    assert a.ifindex("left0") == b.ifindex("right0")
    m = monitor("-d", "0.2", "-t", "net_dev_queue")
    a.send("left0", 7)
    b.send("right0", 5)
    records = m.stop()
    ifindex = a.ifindex("left0")
    assert names(records, a) == {(ifindex, "left0"): 7}
    assert names(records, b) == {(ifindex, "right0"): 5}
    rows = {r["netns"]: r["netns_name"] for r in records if r["type"] == "sample" and r["netns"]}
    assert rows[a.inode] == a.name and rows[b.inode] == b.name
    known = devices(records)
    assert known[a.inode, ifindex]["ifname"] == "left0"
    assert known[b.inode, ifindex]["ifname"] == "right0"
    assert known[a.inode, ifindex]["peer_netns"] == b.inode
    assert known[b.inode, ifindex]["peer_netns"] == a.inode
    assert known[a.inode, ifindex]["netns_name"] == a.name


def test_rename_while_events_flow(monitor, netns):
    a, b = netns("a"), netns("b")
    veth(a, "old0", b, "peer0")
    m = monitor("-d", "0.2", "-t", "net_dev_queue", "-a")
    a.send("old0", 10)
    m.wait_for(lambda r: r["type"] == "sample" and r["ifname"] == "old0", "its row")
    for args in (("down",), ("name", "new0"), ("up",)):
        ip(a, "link", "set", "old0" if args[0] != "up" else "new0", *args)
    a.send("new0", 10)
    m.wait_for(lambda r: r["type"] == "sample" and r["ifname"] == "new0", "its new name")
    records = m.stop()
    last = [r for r in records if r.get("seq") == records[-1]["seq"]]
    # one series under its new name, with all its counts
    assert names(last, a) == {(a.ifindex("new0"), "new0"): 20}


def test_deletion_and_reuse_while_events_flow(monitor, netns):
    a, b = netns("a"), netns("b")
    veth(a, "dead0", b, "peer0", "index", "77")
    m = monitor("-d", "0.2", "-t", "net_dev_queue")
    a.send("dead0", 10)
    m.wait_for(is_device(a, 77, state="up"), "the device")
    # to its device's own end
    sender = subprocess.Popen(
        ["ip", "netns", "exec", a.name, "python3", "-c",
         "import socket, time\n"
         "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(('dead0', 0))\n"
         f"while True: s.send({FRAME!r}); time.sleep(0.002)"],
        stderr=subprocess.DEVNULL,
    )
    try:
        m.wait_for(lambda r: r["type"] == "sample" and r["netns"] == a.inode and r["ifname"] == "dead0"
                       and r["events_total"] > 10, "more frames")
        ip(a, "link", "del", "dead0")
        assert sender.wait(DEADLINE)
    finally:
        sender.kill()
    gone = m.wait_for(is_device(a, 77, state="gone"), "its end")
    assert gone["ifname"] == "dead0"
    # still named after the next lookup of names, which happens once a second
    m.wait_after(gone, 1)
    before = names(m.records, a)
    assert before[77, "dead0"] > 10
    veth(a, "born0", b, "peer1", "index", "77")
    a.send("born0", 5)
    m.wait_for(lambda r: r["type"] == "sample" and r["ifname"] == "born0", "the new one's row")
    records = m.stop()
    last = [r for r in records if r.get("seq") == records[-1]["seq"]]
    assert names(last, a) == {(77, "born0"): 5}
    # counts of the old one are still in the tracepoint's total
    row = [r for r in last if r["type"] == "tracepoint" and r["tracepoint"] == "net_dev_queue"][0]
    assert row["events_total"] >= before[77, "dead0"] + 5


def test_modes_programs_and_features(monitor, netns, long_program):
    a, b = netns("a"), netns("b")
    veth(a, "in0", b, "out0")
    ifindex = b.ifindex("out0")
    m = monitor("-d", "0.2")
    ip(b, "link", "set", "out0", "xdpdrv", "obj", long_program, "sec", "xdp")
    native = m.wait_for(is_device(b, ifindex, mode="native"), "native mode")
    assert native["prog_id"]
    # the kernel cuts it after 15 characters; names are read once a second
    said(m, is_device(b, ifindex, prog_name=LONG_NAME), "its program's name")
    assert native["kind"] == "veth" and native["state"] == "up" and native["mtu"] == 1500
    assert native["netns_name"] == b.name
    a.send("in0", 10)
    row = m.wait_for(
        lambda r: r["type"] == "sample" and r["tracepoint"] == "xdp_exception"
        and r["netns"] == b.inode, "the exception",
    )
    assert row["prog_name"] == LONG_NAME
    peer = said(m, is_device(a, a.ifindex("in0"), peer_netns=b.inode), "the peer")
    if peer["xdp_features"] is None:
        missing("this kernel does not tell XDP features")
    # a veth accepts redirected frames while its peer runs XDP
    said(
        m, lambda r: is_device(a, a.ifindex("in0"))(r) and "ndo-xmit," in r["xdp_features"],
        "ndo-xmit",
    )
    since = len(m.records)
    ip(b, "link", "set", "out0", "xdpdrv", "off")
    said(m, is_device(b, ifindex, mode="none"), "no mode", since)
    said(
        m, lambda r: is_device(a, a.ifindex("in0"))(r) and "ndo-xmit" not in r["xdp_features"],
        "no ndo-xmit", since,
    )
    ip(b, "link", "set", "out0", "xdpgeneric", "obj", long_program, "sec", "xdp")
    generic = m.wait_for(is_device(b, ifindex, mode="generic"), "generic mode")
    assert generic["prog_id"] == generic["skb_prog_id"]
    ip(b, "link", "set", "out0", "mtu", "1400")
    m.wait_for(is_device(b, ifindex, mtu=1400), "the MTU")
    ip(a, "link", "set", "in0", "down")
    m.wait_for(is_device(b, ifindex, state="no-carrier"), "no carrier")
    ip(b, "link", "set", "out0", "down")
    m.wait_for(is_device(b, ifindex, state="down"), "down")
    m.stop()


def test_namespace_named_after_a_process(monitor, netns):
    sleeper = subprocess.Popen(["unshare", "--net", "sleep", "1000"])
    try:
        path = f"/proc/{sleeper.pid}/ns/net"
        own = os.stat("/proc/self/ns/net").st_ino
        eventually(lambda: os.stat(path).st_ino != own
                   and "sleep" in open(f"/proc/{sleeper.pid}/comm").read(), "the process")
        inode = os.stat(path).st_ino
        m = monitor("-d", "0.2", "-t", "net_dev_queue")
        run(
            "nsenter", "-t", str(sleeper.pid), "-n", "sh", "-c",
            "ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up",
        )
        row = m.wait_for(lambda r: r["type"] == "sample" and r["netns"] == inode, "a row")
        assert row["netns_name"].startswith(f"sleep/{sleeper.pid}")
        m.stop()
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.parametrize("monitor", ["walk"], indirect=True)  # otherwise it is unknown
def test_late_namespace_named_after_a_process(monitor):
    """A namespace that appears when no privilege is left to look into /proc."""
    m = monitor("-d", "0.2", "-t", "net_dev_queue")
    sleeper = subprocess.Popen([
        "unshare", "--net", "sh", "-c",
        "ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up;"
        "exec sleep 1000",
    ])
    try:
        # a name found later is only in the last snapshot; processes are read once a second
        m.wait_after(m.wait_for(lambda r: r["type"] == "device" and r["ifname"] == "v0", "the device"), 1.5)
        last = devices(m.stop()).values()
        # sleep, or still sh or unshare: its name at the time of reading
        name = re.compile(rf"\w+/{sleeper.pid}\b")
        assert [r["ifname"] for r in last if name.match(r["netns_name"] or "")]
    finally:
        sleeper.kill()
        sleeper.wait()


def test_namespace_that_appears_later(monitor, netns):
    m = monitor("-d", "0.2", "-t", "net_dev_queue")
    a, b = netns("late"), netns("later")
    veth(a, "v0", b, "v1")
    a.send("v0", 3)
    row = m.wait_for(lambda r: r["type"] == "sample" and r["netns"] == a.inode, "a row")
    assert row["ifname"] == "v0"
    # the directory is read once a second
    sent = 3
    for _ in turns("its name"):
        a.send("v0", 1)
        sent += 1
        row = m.wait_for(lambda r: r["type"] == "sample" and r["netns"] == a.inode, "a row")
        if row["netns_name"] == a.name:
            break
    rows = [r for r in m.stop() if r["type"] == "sample" and r["netns"] == a.inode]
    assert (rows[-1]["netns_name"], rows[-1]["events_total"]) == (a.name, sent)


def namespace_in_place_of(netns, b, a):
    """Deletes namespace b, whose peer is in a; returns a new one with its inode, or None if others got it."""
    b.delete()
    eventually(lambda: "eth0" not in ip(a, "-br", "link").decode(), "the veth outlives its peer's namespace")
    for i in range(8):
        ns = netns(f"{b.name[len(PREFIX) + 1:]}{i}")
        if ns.inode == b.inode:
            return ns
    return None


@pytest.mark.alone
@pytest.mark.parametrize("monitor", ["walk"], indirect=True)  # otherwise the second one is unknown
def test_inode_of_a_namespace_given_to_another(monitor, netns):
    """The next namespace usually gets the inode of the last deleted one, and the same ifindexes."""
    m = monitor("-d", "0.2", "-t", "net_dev_queue")
    a, c, attempt = netns("a"), None, 0
    end = time.monotonic() + DEADLINE
    while not c and time.monotonic() < end:
        attempt += 1
        b = netns(f"b{attempt}")
        veth(a, "eth0", b, "left0")
        b.send("left0", 7)
        m.wait_for(lambda r: r["type"] == "sample" and r["netns"] == b.inode, "the first")
        c = namespace_in_place_of(netns, b, a)
    if not c:
        missing(f"of {attempt} namespaces that ended none gave its inode to the next one")
    veth(a, "eth1", c, "left0")
    sent = 0
    # names are looked up once a second
    for _ in turns("its name"):
        c.send("left0", 5)
        sent += 5
        m.wait_snapshot()
        row = [r for r in m.records if r["type"] == "sample" and r["netns"] == c.inode and r["events"] > 0][-1]
        if row["netns_name"] == c.name:
            break
    # events before the monitor saw the new device were counted for the old one, and went with it
    c.send("left0", 5)
    records = m.stop()
    last = [r for r in records if r.get("seq") == records[-1]["seq"]]
    ((device, total),) = names(last, c).items()
    assert device == (c.ifindex("left0"), "left0")
    assert 5 <= total <= sent + 5 and total % 5 == 0, "the first one's 7 are not among them"
    assert {r["netns_name"] for r in last if r.get("netns") == c.inode} == {c.name}


def sockets(pid):
    n = 0
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            n += os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:")
        except FileNotFoundError:
            pass
    return n


@pytest.mark.alone
def test_namespaces_are_let_go(monitor, netns):
    """A socket keeps a namespace and its devices alive, so it must be closed when others release it."""
    walks = monitor.program == XDPTOP
    held = []
    for _ in range(2):  # without these namespaces, and with them
        # an interval longer than the test
        m = monitor("-d", "3600", "-t", "xdp_exception")
        pid = m.process.pid
        eventually(lambda: len(os.listdir(f"/proc/{pid}/task")) >= 3, "the workers")
        held.append(sockets(pid))
        if len(held) == 1:
            m.stop()
            a, b = netns("a"), netns("b")
            veth(a, "v0", b, "v1")
    # a walk needs none in a namespace without XDP
    assert held[1] == held[0] if walks else held[1] >= held[0] + 4
    b.delete()
    eventually(lambda: "v0" not in ip(a, "-br", "link").decode(), "the veth outlives its peer's namespace")
    assert walks or sockets(pid) < held[1]
    m.stop()


def test_no_privilege_is_left(monitor, netns):
    a, b = netns("a"), netns("b")
    veth(a, "v0", b, "v1")
    m = monitor("-d", "0.2", "-t", "net_dev_queue")
    a.send("v0", 3)
    said(m, is_device(a, a.ifindex("v0"), peer_netns=b.inode), "the device")
    for task in os.listdir(f"/proc/{m.process.pid}/task"):
        with open(f"/proc/{m.process.pid}/task/{task}/status") as f:
            status = f.read()
        assert re.search(r"^CapEff:\s+0+$", status, re.M), status
        assert re.search(r"^CapPrm:\s+0+$", status, re.M), status
        assert re.search(r"^NoNewPrivs:\s+1$", status, re.M), status
        assert re.search(r"^Seccomp:\s+2$", status, re.M), status
    # and it still gets notifications
    ip(a, "link", "set", "v0", "mtu", "1300")
    m.wait_for(is_device(a, a.ifindex("v0"), mtu=1300), "the MTU")
    m.stop()


def test_what_is_known_of_devices_is_said(monitor, netns):
    """Sockets in namespaces need descriptors: without enough of them it reports what it skipped."""
    netns("a"), netns("b"), netns("c")
    m = monitor("-d", "0.2")
    walks = monitor.program == XDPTOP
    assert m.records[0]["devices"] == ("all" if walks else "start")
    m.stop()
    few = monitor("-d", "0.2", prefix=("prlimit", "--nofile=140:140"))
    left_out = few.records[0]["namespaces_left_out"]
    assert left_out == 0 if walks else left_out >= 1
    few.stop()


@pytest.mark.parametrize("monitor", ["walk"], indirect=True)
def test_walk_in_parts(monitor, netns):
    """More devices than one reading of the iterator holds: all are known, and a deleted one is gone."""
    monitor.program = FORGETFUL
    a, b = netns("a"), netns("b")
    for i in range(5):
        veth(a, f"v{i}", b, f"w{i}")
    m = monitor("-d", "0.2", "-t", "net_dev_queue", prefix=("env", "WALK_MAX=3"))
    assert m.records[0]["devices"] == "all"
    indexes = [a.ifindex(f"v{i}") for i in range(5)]
    for i, ifindex in enumerate(indexes):
        a.send(f"v{i}", 3)
        said(m, is_device(a, ifindex, state="up"), f"v{i}")
    ip(a, "link", "del", "v1")
    said(m, is_device(a, indexes[1], state="gone"), "v1 is gone")
    known = devices(m.stop())
    assert [known[(a.inode, i)]["state"] for i in indexes] == ["up", "gone", "up", "up", "up"]


def test_own_namespace_is_back(monitor):
    m = monitor("-d", "0.2")
    assert os.stat(f"/proc/{m.process.pid}/ns/net").st_ino == os.stat("/proc/self/ns/net").st_ino
    for task in os.listdir(f"/proc/{m.process.pid}/task"):
        own = os.stat(f"/proc/{m.process.pid}/task/{task}/ns/net").st_ino
        assert own == os.stat("/proc/self/ns/net").st_ino
    m.stop(signal.SIGTERM)
