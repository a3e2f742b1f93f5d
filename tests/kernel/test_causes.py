# SPDX-License-Identifier: GPL-2.0-or-later
"""Causes on devices that share a device, a program or a name, and so could be confused."""
import os
import subprocess

import pytest

from harness import DEADLINE, said
from namespaces import PREFIX, compiled, ip, run, veth

# the frame determines its verdict
SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int by_frame(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 15 > end)
		return XDP_DROP;
	switch (data[14]) {
	case 1:
		return XDP_ABORTED;
	case 2:
		return 77;
	case 3:
		return bpf_redirect(999999, 0);
	default:
		return XDP_DROP;
	}
}
char LICENSE[] SEC("license") = "GPL";
"""
CAUSES = {1: "aborted", 2: "bad-return-value", 3: "no-such-ifindex"}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory, SOURCE)


def send(ns, ifname, cause, n=20):
    ns.python(
        "import socket\n"
        "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
        f"s.bind(({ifname!r}, 0))\n"
        f"frame = b'\\xff' * 12 + b'\\x88\\xb5' + bytes([{cause}]) + bytes(49)\n"
        f"for i in range({n}): s.send(frame)"
    )


def is_finding(ns, code=None):
    """Any finding about traffic: programs attached by ip have no owner, which is reported after a while."""
    def holds(r):
        return r["type"] == "finding" and r["netns"] == ns.inode and \
            (r["code"] == code if code else r["code"] != "program-without-owner")
    return holds


def findings(records, ns):
    """The newest record of each finding."""
    return {(r["code"], r["ifindex"]): r for r in records if is_finding(ns)(r)}


def test_several_on_one_device(monitor, netns, program):
    src, dst = netns("src"), netns("dst")
    veth(src, "feed0", dst, "in0")
    ip(dst, "link", "set", "in0", "xdpdrv", "obj", program, "sec", "xdp")
    m = monitor("-d", "0.2")
    for cause in CAUSES:
        send(src, "feed0", cause, 20 + cause)
    for code in CAUSES.values():
        said(m, is_finding(dst, code), code)
    found = findings(m.stop(), dst)
    ifindex = dst.ifindex("in0")
    assert set(found) == {(code, ifindex) for code in CAUSES.values()}
    assert not findings(m.records, src)
    for cause, code in CAUSES.items():
        f = found[code, ifindex]
        assert f["count_total"] == 20 + cause
        assert (f["ifname"], f["prog_name"]) == ("in0", "by_frame")
        assert f["text"].startswith(f"in0 ({dst.name}), by_frame (id {f['prog_id']})")


def test_one_program_on_devices_of_two_namespaces(monitor, netns, program):
    src, a, b = netns("src"), netns("a"), netns("b")
    for ns, feed in ((a, "feed1"), (b, "feed2")):
        veth(src, feed, ns, "in0")
    pin = f"/sys/fs/bpf/{PREFIX}"
    run("bpftool", "prog", "load", program, pin)
    try:
        for ns in (a, b):
            # ip -n would mount its own /sys, without the pin
            run("nsenter", f"--net=/run/netns/{ns.name}", "ip", "link", "set", "in0", "xdpdrv",
                "pinned", pin)
    finally:
        os.unlink(pin)
    m = monitor("-d", "0.2")
    send(src, "feed1", 1, 30)
    send(src, "feed2", 2, 40)
    said(m, is_finding(a, "aborted"), "the first")
    said(m, is_finding(b, "bad-return-value"), "the second")
    records = m.stop()
    assert {code for code, _ in findings(records, a)} == {"aborted"}
    assert {code for code, _ in findings(records, b)} == {"bad-return-value"}
    assert len({f["prog_id"] for ns in (a, b) for f in findings(records, ns).values()}) == 1
    for ns in (a, b):
        (f,) = findings(records, ns).values()
        assert f["netns_name"] == ns.name and ns.name in f["text"]
        assert f["next"][-1].startswith(("bpftool", f"ip netns exec {ns.name} ", f"ip -n {ns.name} ", "dmesg"))


UNTIL_TOLD = """
import select, socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("feed0", 0))
n = 0
while not select.select([sys.stdin], [], [], 0.01)[0]:
    s.send(b"\\xff" * 12 + b"\\x88\\xb5" + bytes([1]) + bytes(49))
    n += 1
print(n)
"""


def test_renamed_and_deleted_meanwhile(monitor, netns, program, popen):
    """A finding belongs to the device, whatever its name; a deleted device keeps its last name."""
    src, dst = netns("src"), netns("dst")
    veth(src, "feed0", dst, "old0")
    ip(dst, "link", "set", "old0", "xdpdrv", "obj", program, "sec", "xdp")
    m = monitor("-d", "0.2", "-a")  # without -a the name is written at once, but its counts only at the end
    send(src, "feed0", 1)
    first = said(m, is_finding(dst, "aborted"), "the finding")
    assert first["ifname"] == "old0"
    ip(dst, "link", "set", "old0", "down")
    ip(dst, "link", "set", "old0", "name", "new0")
    ip(dst, "link", "set", "new0", "up")
    since = len(m.records)
    send(src, "feed0", 1)
    sender = popen(["ip", "netns", "exec", src.name, "python3", "-c", UNTIL_TOLD], stdin=subprocess.PIPE,
                   stdout=subprocess.PIPE)
    # the words of an interval are told when the next one has evidence, too
    again = said(m, lambda r: is_finding(dst, "aborted")(r) and r["ifname"] == "new0"
                 and r["count_total"] > first["count_total"], "its new name", since)
    sent = 40 + int(sender.communicate(b"\n", timeout=DEADLINE)[0])
    assert again["text"].startswith(f"new0 ({dst.name})")
    # if this took longer than a finding is held, it clears and begins again
    cleared = [r for r in m.records[since:] if is_finding(dst, "aborted")(r) and r["state"] == "cleared"]
    assert again["first_seen"] == first["first_seen"] or cleared
    # an interval may end between the frames
    assert again["count_total"] <= sent
    ip(dst, "link", "del", "new0")
    gone = m.wait_for(lambda r: r["type"] == "device" and r["netns"] == dst.inode
                      and r["state"] == "gone" and r["ifname"] == "new0", "its end")
    assert gone["ifindex"] == first["ifindex"]
    records = m.stop()
    (last,) = findings(records, dst).values()
    assert (last["ifname"], last["count_total"]) == ("new0", sent)
    assert "aborted" == last["code"]
