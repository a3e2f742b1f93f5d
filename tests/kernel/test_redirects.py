# SPDX-License-Identifier: GPL-2.0-or-later
"""Redirects with a misleading errno, and programs of map entries."""
import json
import shutil

import pytest

from harness import said
from mending import mend
from namespaces import PREFIX, compiled, ip, run, veth

# the frame determines its verdict
SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} targets SEC(".maps");
SEC("xdp") int by_frame(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 15 > end)
		return XDP_DROP;
	switch (data[14]) {
	case 1:
		return bpf_redirect_map(&targets, 15, 0);
	case 2:
		return bpf_redirect_map(&targets, 15, BPF_F_BROADCAST);
	case 3:
		bpf_redirect_map(&targets, 15, 0);
		bpf_redirect_map(&targets, 1, 0); /* fails */
		return XDP_REDIRECT;
	case 4:
		bpf_redirect(1, 1); /* no such flag */
		return XDP_REDIRECT;
	default:
		return XDP_DROP;
	}
}
SEC("xdp") int takes(struct xdp_md *ctx)
{
	return XDP_DROP;
}
SEC("xdp") int reflects(struct xdp_md *ctx)
{
	return XDP_TX;
}
SEC("xdp") int redirects_back(struct xdp_md *ctx)
{
	return bpf_redirect(ctx->ingress_ifindex, 0);
}
SEC("xdp/devmap") int sends_back(struct xdp_md *ctx)
{
	return XDP_TX;
}
SEC("xdp/devmap") int redirects(struct xdp_md *ctx)
{
	return XDP_REDIRECT;
}
char LICENSE[] SEC("license") = "GPL";
"""
DIRECTORY = f"/sys/fs/bpf/{PREFIX}-redirects"

# an entry needs its program's descriptor, which bpftool cannot provide
PUT = """
import ctypes, os, platform, struct
libc = ctypes.CDLL(None, use_errno=True)
NUMBER = {{"x86_64": 321, "aarch64": 280, "s390x": 351}}[platform.machine()]
def bpf(command, attr):
    attr = ctypes.create_string_buffer(attr, 128)
    result = libc.syscall(NUMBER, command, attr, 128)
    assert result >= 0, os.strerror(ctypes.get_errno())
    return result
def pinned(name):
    path = ctypes.create_string_buffer(name.encode())
    return bpf(7, struct.pack("Q", ctypes.addressof(path)))
program = {program!r}
value = struct.pack("Ii", {ifindex}, pinned(program) if program else -1)
key = ctypes.create_string_buffer(struct.pack("I", {key}), 4)
value = ctypes.create_string_buffer(value, 8)
bpf(2, struct.pack("IxxxxQQQ", pinned({map!r}), ctypes.addressof(key), ctypes.addressof(value), 0))
"""


def put(ns, key, ifname, program=None):
    """In the namespace of the device; ip netns exec would mount its own /sys."""
    code = PUT.format(key=key, ifindex=ns.ifindex(ifname), map=f"{DIRECTORY}/targets",
                      program=f"{DIRECTORY}/{program}" if program else None)
    run("nsenter", f"--net=/run/netns/{ns.name}", "python3", "-c", code)


SENDER = """
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("feed0", 0))
for i in range({n}):
    s.send(b"\\xff" * 12 + b"\\x88\\xb5" + bytes([{what}]) + bytes(49))
"""


def send(ns, what):
    ns.python(SENDER.format(what=what, n=20))


def attach(ns, ifname, mode, program="by_frame"):
    run("nsenter", f"--net=/run/netns/{ns.name}", "ip", "link", "set", ifname, mode, "pinned",
        f"{DIRECTORY}/{program}")


@pytest.fixture
def scene(netns, tmp_path_factory):
    """feed0 -> in0, whose program redirects to out0, whose peer receives."""
    src, dst, far = netns("src"), netns("dst"), netns("far")
    veth(src, "feed0", dst, "in0")
    veth(dst, "out0", far, "end0")
    try:
        run("bpftool", "prog", "loadall", compiled(tmp_path_factory, SOURCE), DIRECTORY, "pinmaps", DIRECTORY)
        attach(far, "end0", "xdpdrv", "takes")
        yield src, dst
    finally:
        shutil.rmtree(DIRECTORY, ignore_errors=True)


def found(records, ns):
    return {r["code"]: r for r in records if r["type"] == "finding" and r["netns"] == ns.inode}


def finding(ns, code):
    return lambda r: r["type"] == "finding" and r["netns"] == ns.inode and r["code"] == code


def test_broadcast(monitor, scene, popen, tmp_path):
    """A member is down, but the event has the member that the key names. The finding's command mends it."""
    src, dst = scene
    attach(dst, "in0", "xdpgeneric")
    veth(dst, "down0", src, "down1")
    ip(dst, "link", "set", "down0", "down")
    put(dst, 15, "out0")
    put(dst, 9, "down0")
    m = monitor("-d", "0.3")
    popen(["ip", "netns", "exec", src.name, "python3", "-c", SENDER.format(what=2, n=10**9)])
    mend(said(m, finding(dst, "broadcast-member"), "the finding"), tmp_path)
    said(m, lambda r: finding(dst, "broadcast-member")(r) and r["state"] == "cleared", "its end")
    f = found(m.stop(), dst)
    assert set(f) == {"broadcast-member", "generic-mode"}
    f = f["broadcast-member"]
    assert f["severity"] == "critical" and "is down, and out0, which the map key names, is up" in f["text"]
    assert (f["ifname"], f["to_ifindex"]) == ("in0", None)
    assert not any("out0" in command for command in f["next"])
    entries = json.loads(run("bpftool", "-j", "map", "dump", "id", str(f["map_id"])))
    assert len(entries) == 16


def test_broadcast_leaves_out(monitor, scene, netns, popen, tmp_path):
    """
    In native mode the others get the frames, and no event has the member that is down. No finding if all are up.
    """
    src, dst = scene
    far = netns("far2")
    veth(dst, "out1", far, "end1")
    veth(dst, "down0", far, "down1")
    for end in ("end1", "down1"):
        attach(far, end, "xdpdrv", "takes")
    attach(dst, "in0", "xdpdrv")
    ip(dst, "link", "set", "down0", "down")
    for key, ifname in ((3, "out0"), (4, "out1"), (5, "down0")):
        put(dst, key, ifname)
    # without redirects the finding has no reference: counters of another namespace are not read
    m = monitor("-t", "all", "--budget", "0", "-d", "0.5")
    popen(["ip", "netns", "exec", src.name, "python3", "-c", SENDER.format(what=2, n=10**9)])
    f = said(m, finding(dst, "broadcast-member"), "the finding")
    assert (f["severity"], f["ifname"], f["to_ifindex"]) == ("info", "in0", None)
    assert "skips down0, which is down" in f["text"]
    mend(f, tmp_path)
    said(m, lambda r: finding(dst, "broadcast-member")(r) and r["state"] == "cleared", "its end")
    said(m, lambda r: r["type"] == "sample" and r["to_ifname"] == "down0" and r["packets"], "frames to it")
    assert {f["severity"] for f in found(m.stop(), dst).values()} == {"info"}


@pytest.mark.parametrize("program,code,act", [("sends_back", "tx-failed", "XDP_TX"),
                                              ("redirects", "redirect-failed", "XDP_REDIRECT")])
def test_program_of_an_entry(monitor, scene, program, code, act):
    src, dst = scene
    attach(dst, "in0", "xdpdrv")
    put(dst, 15, "out0", program)
    m = monitor("-d", "0.3")
    send(src, 1)
    said(m, finding(dst, code), code)
    f = found(m.stop(), dst)[code]
    assert (f["ifname"], f["prog_name"]) == ("out0", program)
    targets = json.loads(run("bpftool", "-j", "map", "show", "pinned", f"{DIRECTORY}/targets"))["id"]
    assert (f"the program of devmap targets (id {targets}) key 15 returned {act}, which is not a valid action"
            in f["text"])
    assert f["map_id"] == targets
    assert f["count_total"] == 20


def test_loop(monitor, scene, popen):
    """64 frames circulate between the ends of a veth, until a program is detached; then only one end echoes."""
    src, dst = scene
    attach(src, "feed0", "xdpdrv", "redirects_back")
    attach(dst, "in0", "xdpdrv", "reflects")
    m = monitor("-d", "0.5")
    run("ip", "netns", "exec", src.name, "python3", "-c", SENDER.format(what=0, n=64))
    either = lambda r: r["type"] == "finding" and r["code"] == "redirect-loop" and r["netns"] in (src.inode, dst.inode)
    f = said(m, either, "the finding")
    ip(src, "link", "set", "feed0", "xdpdrv", "off")
    assert {f["ifname"], f["severity"]} in ({"feed0", "warning"}, {"in0", "warning"})
    assert "send the same frames back to each other: " in f["text"]
    said(m, lambda r: either(r) and r["state"] == "cleared", "its end")
    popen(["ip", "netns", "exec", src.name, "python3", "-c", SENDER.format(what=0, n=10**9)])
    seen = m.wait_snapshot()
    for _ in range(4):
        m.wait_snapshot()
    assert not [r for r in m.stop() if either(r) and r["state"] == "active" and r["first_seen"] != f["first_seen"]]


LOOPS = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int first(struct xdp_md *ctx) { return bpf_redirect(FIRST, 0); }
SEC("xdp") int second(struct xdp_md *ctx) { return bpf_redirect(SECOND, 0); }
char LICENSE[] SEC("license") = "GPL";
"""


@pytest.mark.parametrize("veths,text", [(1, "sends frames to its own peer p"),
                                        (2, "send the same frames in a loop over 2 veths: ")])
def test_longer_loop(monitor, netns, tmp_path_factory, veths, text):
    """64 frames go round through one veth in one namespace, or through two between two; then a program is detached."""
    one, two = netns("one"), netns("two")
    if veths == 1:
        veth(one, "in0", one, "p0")
        first, second, places = one.ifindex("p0"), one.ifindex("p0"), [(one, "in0", "first")]
    else:
        veth(one, "a0", two, "a1")
        veth(one, "b0", two, "b1")
        first, second = two.ifindex("b1"), one.ifindex("a0")
        places = [(two, "a1", "first"), (one, "b0", "second")]
    at = f"{DIRECTORY}-loop"
    source = LOOPS.replace("FIRST", str(first)).replace("SECOND", str(second))
    run("bpftool", "prog", "loadall", compiled(tmp_path_factory, source), at)
    try:
        for ns, ifname, program in places:
            run("nsenter", f"--net=/run/netns/{ns.name}", "ip", "link", "set", ifname, "xdpdrv", "pinned",
                f"{at}/{program}")
        m = monitor("-d", "0.5")
        one.send("p0" if veths == 1 else "a0", 64)
        mine = lambda r: (r["type"] == "finding" and r["code"] == "redirect-loop" and
                          r["netns"] in (one.inode, two.inode))
        f = said(m, mine, "the finding")
        ns, ifname, _ = places[0]
        ip(ns, "link", "set", ifname, "xdpdrv", "off")
        assert text in f["text"] and f["severity"] == "warning"
        said(m, lambda r: mine(r) and r["state"] == "cleared", "its end")
        assert len({(r["netns"], r["ifindex"]) for r in m.stop() if mine(r)}) == 1
    finally:
        shutil.rmtree(at)


def test_stale_number(monitor, scene):
    """The key of a successful lookup after a failed one."""
    src, dst = scene
    attach(dst, "in0", "xdpdrv")
    put(dst, 15, "out0")
    m = monitor("-d", "0.3")
    send(src, 3)
    f = said(m, finding(dst, "no-such-ifindex"), "the finding")
    m.stop()
    assert "the program redirects to ifindex 15, " in f["text"] and "map key of an earlier" in f["text"]


def test_number_of_elsewhere(monitor, rig, netns):
    """The number is that of a device in another namespace, which the finding names."""
    far = netns("elsewhere")
    ip(far, "link", "add", "far0", "index", "999999", "type", "veth", "peer", "name", "far1")
    r = rig("--hold", "--load", "--named", PREFIX, "einval=1000")
    r.read_until("ready")
    m = monitor("-d", "0.3")
    r.go()
    f = said(m, lambda x: x["type"] == "finding" and x["code"] == "no-such-ifindex" and
             x["netns_name"] == f"{PREFIX}-src", "the finding")
    r.halt()
    m.stop()
    assert f"redirects to ifindex 999999, which is not in the network namespace of the device, while far0 ({far.name}) " \
        "has that number" in f["text"]
    assert f"ip -n {far.name} link show dev far0" in f["next"]


def test_refused_flags(monitor, scene):
    src, dst = scene
    attach(dst, "in0", "xdpdrv")
    m = monitor("-d", "0.3")
    send(src, 4)
    f = said(m, finding(dst, "no-redirect-helper"), "the finding")
    m.stop()
    assert "flags" in f["text"]
