# SPDX-License-Identifier: GPL-2.0-or-later
"""Settings of a veth that conflict with XDP, as in real incidents: the finding, and that it clears after the remedy."""
import pytest

from harness import said
from mending import mend
from namespaces import FRAME, compiled, ip, run

PROGRAMS = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int pass(struct xdp_md *ctx) { return XDP_PASS; }
SEC("xdp.out") int out(struct xdp_md *ctx) { return bpf_redirect(TARGET, 0); }
char _license[] SEC("license") = "GPL";
"""
QUEUES = ("numrxqueues", "4", "numtxqueues", "4")
LONG = FRAME + bytes(1200)
# in0 runs a program, feed0 is its peer: the mode, the wrong setting, the finding, parts of its text and of its
# commands, the setting that fixes it if no command does
SETTINGS = {
    "checksum": ("out", "xdpdrv", (), "offload-conflict", "with TX checksum offload on", "ethtool -K feed0 tx off",
                 None),
    "gso": ("pass", "xdpdrv", (), "offload-conflict", "disables TSO on its peer feed0", "ethtool -k feed0",
            ("ip", "link", "set", "in0", "xdpdrv", "off")),
    "mtu": ("pass", "xdpgeneric", ("ip", "link", "set", "feed0", "mtu", "9000"), "mtu-above-limit",
            "feed0's MTU of 9000 is above", "ip -n {ns} link set dev feed0 mtu", None),
    "channels": ("pass", "xdpgeneric", ("ethtool", "-L", "in0", "rx", "1"), "channels-below-cpus",
                 "it has 1 receive queue (maximum 4), fewer than its peer feed0", "ethtool -L feed0 tx 1",
                 None),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_setting(monitor, netns, popen, tmp_path, tmp_path_factory, setting):
    program, mode, wrong, code, text, command, right = SETTINGS[setting]
    ns = netns("settings")
    inside = ("ip", "netns", "exec", ns.name)
    for a, b in ("in0", "feed0"), ("out0", "sink0"):
        ip(ns, "link", "add", a, *QUEUES, "type", "veth", "peer", "name", b, *QUEUES)
        for name in a, b:
            ip(ns, "link", "set", name, "up")
    if wrong:
        run(*inside, *wrong)
    path = compiled(tmp_path_factory, PROGRAMS.replace("TARGET", str(ns.ifindex("out0"))))
    ip(ns, "link", "set", "dev", "in0", mode, "obj", path, "sec", "xdp" if program == "pass" else "xdp.out")
    ip(ns, "link", "set", "dev", "sink0", "xdpgeneric" if setting == "gso" else "xdpdrv", "obj", path, "sec", "xdp")
    # the kernel reports settings only inside the namespace
    m = monitor("-d", "0.3", prefix=inside)
    popen([*inside, "python3", "-c",
           "import socket\n"
           "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
           "s.bind(('feed0', 0))\n"
           f"while True: s.send({LONG!r})"])

    def is_it(r):
        return r["type"] == "finding" and r["code"] == code and text in r["text"] and r["ifname"] == "in0"

    f = said(m, is_it, "the finding")
    assert (f["severity"], f["state"], f["ifindex"]) == ("info", "active", ns.ifindex("in0"))
    assert any(command.format(ns=ns.name) in line for line in f["next"]), f["next"]
    if right:
        run(*inside, *right)
    else:
        mend(f, tmp_path)
    m.wait_for(lambda r: is_it(r) and r["state"] == "cleared", "its end")
