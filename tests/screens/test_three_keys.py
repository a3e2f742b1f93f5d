# SPDX-License-Identifier: GPL-2.0-or-later
"""In an incident: from the start screen to the cause and its command with at most three keys."""
import subprocess

import pytest

import recording
from pane import RIG
from recording import INIT

ETH0 = dict(netns=INIT, netns_name="init", ifindex=3, ifname="eth0", prog_id=42, prog_name="xdp_fwd")
TO_WEB = dict(to_netns=INIT, to_ifindex=7, to_ifname="veth-web", map_type="devmap", map_id=5)


def failed(errname, err, **to):
    return "xdp_redirect_err", dict(ETH0, act="REDIRECT", err=err, errname=errname, **to)


# stimulus, its finding, part of its cause, and of a command
STIMULI = [
    (failed("EINVAL", -22, to_netns=INIT, to_ifindex=999999), "no-such-ifindex", "ifindex 999999", "ip link show"),
    (failed("EMSGSIZE", -90, **TO_WEB), "frame-too-big", "MTU", "ip link show dev veth-web"),
    (failed("EOPNOTSUPP", -95, **TO_WEB), "target-cannot-receive", "cannot transmit XDP frames",
     "ip -d link show dev veth-web"),
    (failed("ENETDOWN", -100, **TO_WEB), "target-down", "down", "ip link set dev veth-web up"),
    (failed("EBADRQC", -56), "no-redirect-helper", "without calling a redirect helper", "bpftool prog"),
    (failed("ENOBUFS", -105, map_type="xskmap", map_id=6, map_index=0), "xsk-ring-full", "receive ring is full",
     "ss --xdp"),
    (("xdp_exception", dict(ETH0, act="ABORTED")), "aborted", "empty map slot", "bpftool prog show id 42"),
    (("xdp_bulk_tx", dict(ETH0, prog_id=None, prog_name=None, act="TX", err=0)), "tx-failed", "was full", "eth0"),
    (("xdp_devmap_xmit", dict(netns=INIT, netns_name="init", ifindex=3, ifname="eth0", to_netns=INIT, to_ifindex=7,
                              to_ifname="veth-web", act="REDIRECT", err=0)),
     "target-ring-full", "ring is full", "ethtool -S veth-web"),
    (("xdp_cpumap_enqueue", dict(to_cpu=2, map_type="cpumap", map_id=17)), "cpumap-queue-full",
     "the queue of the target CPU is full", "bpftool map"),
]


def enter_has_all(screen, code, cause, command):
    """The start screen begins with the largest loss; Enter there shows all of it."""
    # the cursor stays on what was read before the finding appeared above it
    screen.wait(rf"(?s)\[overview\].*\n[> ]![CW] {code} +(eth0|rig-in|-) ")
    screen.keys("Home")
    screen.wait(rf"(?s)\[overview\].*\n>![CW] {code} +(eth0|rig-in|-) ")
    screen.keys("Enter")
    screen.wait(rf"(?s)\n *{code}( +\(lines [^\n]*)?\n.*\n *Commands\n +\S")
    for part in cause, command:  # a page may be drawn in parts
        screen.wait(lambda text, part=part: part in " ".join(text.split()), part)


@pytest.mark.parametrize("fired,code,cause,command", STIMULI, ids=[s[1] for s in STIMULI])
def test_three_keys(monitor, tmp_path, fired, code, cause, command):
    """Two keys, over a recording."""
    tracepoint, identity = fired
    healthy = recording.SERIES[4]
    recording.write(tmp_path / "r.jsonl", [healthy, (tracepoint, identity, {0: (9, 9, 9, None)})])
    screen = monitor(path=tmp_path / "r.jsonl")
    enter_has_all(screen, code, cause, command)


# stimulus of the rig, and the expected text
FIRED = [
    ("einval", "no-such-ifindex", "ifindex 999999", "ip link show"),
    ("emsgsize", "frame-too-big", "MTU of 1500", "ip link show dev rig-out"),
    ("eopnotsupp", "target-cannot-receive", "its peer has a native XDP program or GRO", "ethtool -K rig-peer gro on"),
    ("enetdown", "target-down", "administratively down", "ip link set dev rig-out up"),
    ("ebadrqc", "no-redirect-helper", "without calling a redirect helper", "bpftool prog dump xlated id"),
    ("aborted", "aborted", "empty map slot", "bpftool prog show id"),
    ("badact", "bad-return-value", "returned 77", "bpftool prog dump xlated id"),
    ("bulk-tx-full", "tx-failed", "the receive ring of rig-feed", "ip -d link show dev rig-feed"),
    ("cpumap-full", "cpumap-queue-full", "the queue of the target CPU is full", "bpftool map dump id"),
    ("xskmap", "xsk-not-polled", "receive ring is full: rig[", "xdptop -b -n 1 -v sockets"),
    ("xskmap-enomem", "xsk-starved", "fill ring was empty: rig[", "xdptop -b -n 1 -v sockets"),
    ("xskmap-enxio", "xsk-unbound", "is not bound: bind() has not yet been called", "xdptop -b -n 1 -v sockets"),
    ("xskmap-einval", "xsk-wrong-queue", "bound it to rig-feed queue 0", "bpftool map dump id"),
]


@pytest.mark.alone  # the start screen begins with the largest loss of the machine
@pytest.mark.parametrize("stimulus,code,cause,command", FIRED, ids=[f[0] for f in FIRED])
def test_three_keys_live(live, stimulus, code, cause, command):
    """The same over the running kernel, while the rig fires."""
    screen = live("-d", "0.2")
    # the end of its stdin ends it
    with subprocess.Popen([RIG, "--load", f"{stimulus}=100"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL):
        enter_has_all(screen, code, cause, command)
