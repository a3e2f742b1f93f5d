# SPDX-License-Identifier: GPL-2.0-or-later
"""A change, then a loss: the finding names the change. A loss without one, or a change elsewhere: it names none."""
import json
import re
import signal
import subprocess

import pytest

from harness import said
from namespaces import compiled, ip, run
from test_maps import Map
from test_programs import LOADER
from xsk import ByQueue, Xsk, inside

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

FORWARD = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#define MAP(name, kind, size) \\
	struct { \\
		__uint(type, kind); \\
		__uint(max_entries, 4); \\
		__uint(key_size, 4); \\
		__uint(value_size, size); \\
	} name SEC(".maps")
MAP(story_tx, BPF_MAP_TYPE_DEVMAP, 4);
MAP(story_cpus, BPF_MAP_TYPE_CPUMAP, 4);
SEC("xdp") int pass(struct xdp_md *ctx) { return XDP_PASS; }
SEC("xdp.out") int story_out(struct xdp_md *ctx) { return bpf_redirect(TARGET, 0); }
SEC("xdp.bad") int story_bad(struct xdp_md *ctx) { return 77; }
SEC("xdp.abort") int story_abort(struct xdp_md *ctx) { return XDP_ABORTED; }
SEC("xdp.nohelper") int story_nohelper(struct xdp_md *ctx) { return XDP_REDIRECT; }
SEC("xdp.nowhere") int story_nowhere(struct xdp_md *ctx) { return bpf_redirect(999999, 0); }
SEC("xdp.dev") int story_dev(struct xdp_md *ctx) { return bpf_redirect_map(&story_tx, 0, 0); }
SEC("xdp.cpu") int story_cpu(struct xdp_md *ctx) { return bpf_redirect_map(&story_cpus, 0, 0); }
char _license[] SEC("license") = "GPL";
"""
TRAFFIC = """
import socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(("feed0", 0))
end = time.monotonic() + 120
while time.monotonic() < end:
    for i in range(20): s.send(b"\\xff" * 12 + b"\\x88\\xb5" + bytes(400))
    time.sleep(0.01)
"""


class World:
    """feed0 -> in0, which redirects to out0 -> sink0; other0 and otherfeed0 are beside them, idle0 is down."""

    def __init__(self, ns, sink, popen, tmp_path_factory):
        self.ns, self.sink, self.popen, self.tmp = ns, sink, popen, tmp_path_factory
        for a, b, there in ("in0", "feed0", ns), ("out0", "sink0", sink), ("other0", "otherfeed0", ns):
            ip(ns, "link", "add", a, "type", "veth", "peer", "name", b, "netns", there.name)
            ip(ns, "link", "set", a, "up")
            ip(there, "link", "set", b, "up")
        ip(ns, "link", "add", "idle0", "type", "veth", "peer", "name", "idlefeed0")
        self.path = compiled(tmp_path_factory, FORWARD.replace("TARGET", str(ns.ifindex("out0"))))
        self.closing, self.maps = [], []

    def attach(self, device, section, mode="xdpdrv", flags=(), ns=None):
        ip(ns or self.ns, *flags, "link", "set", "dev", device, mode, "obj", self.path, "sec", section)

    def ready(self, section="xdp.out", receiver="xdp"):
        """What is attached at the start of the monitor."""
        if section:
            self.attach("in0", section)
        if receiver:
            self.attach("sink0", receiver, ns=self.sink)
        self.attach("other0", "xdp")

    def replace(self, section):
        self.attach("in0", section, flags=("-force",))

    def map(self, name):
        """The map of the program on in0."""
        info = json.loads(ip(self.ns, "-j", "link", "show", "dev", "in0"))[0]["xdp"]["prog"]["id"]
        ids = json.loads(run("bpftool", "-j", "prog", "show", "id", str(info)))["map_ids"]
        m = Map.__new__(Map)
        self.maps.append(m)
        m.id = next(i for i in ids if json.loads(run("bpftool", "-j", "map", "show", "id", str(i)))["name"] == name)
        return m

    def has(self, r):
        """Whether a finding is at one of its devices or maps."""
        return {r["netns"], r["to_netns"]} & {self.ns.inode, self.sink.inode} or (
            not r["netns"] and r["map_id"] in [m.id for m in self.maps])

    def send(self):
        self.popen(["ip", "netns", "exec", self.ns.name, "python3", "-c", TRAFFIC])

    def ethtool(self, *args):
        run("ip", "netns", "exec", self.sink.name, "ethtool", *args)


@pytest.fixture
def world(netns, popen, tmp_path_factory):
    w = World(netns("story"), netns("sink"), popen, tmp_path_factory)
    yield w
    for close in w.closing:
        close()


def with_devmap(w):
    w.ready("xdp.dev")
    w.tx = w.map("story_tx")
    w.tx.put(0, w.ns.ifindex("out0"), ns=w.ns)


def with_down(w):
    """idle0 could send, if it were up."""
    with_devmap(w)
    w.attach("idlefeed0", "xdp")


def with_no_receiver(w):
    with_devmap(w)
    for name in "idle0", "idlefeed0":
        ip(w.ns, "link", "set", name, "up")


def with_cpumap(w):
    w.ready("xdp.cpu")
    w.cpus = w.map("story_cpus")
    w.cpus.put(0, 2048)


def with_gro(w):
    w.ethtool("-K", "sink0", "gro", "on")
    w.ready(receiver=None)


def with_loader(w):
    w.ready(receiver=None)
    w.loader = w.popen(["ip", "netns", "exec", w.sink.name, "python3", LOADER, "held", str(w.sink.ifindex("sink0")),
                        "link"], stdout=subprocess.PIPE, text=True)
    assert w.loader.stdout.readline() == "ready\n"


def with_socket(w):
    w.ready(None)
    program = ByQueue(w.tmp, w.ns, "in0")
    w.closing.append(program.close)
    with inside(w.ns):
        w.socket = Xsk(rx=64, fill=64, completion=64)
        w.socket.bind(w.ns.ifindex("in0"))
    program.put(0, w.socket)


def receiver_generic(w):
    ip(w.sink, "link", "set", "dev", "sink0", "xdp", "off")
    w.attach("sink0", "xdp", mode="xdpgeneric", ns=w.sink)


def loader_dies(w):
    # ip became python
    w.loader.send_signal(signal.SIGKILL)
    w.loader.wait()


# what is there at the start, what is then done, the finding of the loss, and kinds and place of the change that it names
STORIES = {
    "target down": (World.ready, lambda w: ip(w.ns, "link", "set", "out0", "down"), "target-down", "link-down", "out0"),
    "peer down": (World.ready, lambda w: ip(w.sink, "link", "set", "sink0", "down"), "target-not-ready", "link-down",
                  "sink0"),
    "receiver detached": (World.ready, lambda w: ip(w.sink, "link", "set", "dev", "sink0", "xdp", "off"),
                          "target-cannot-receive", "program-detached", "sink0"),
    "receiver generic": (World.ready, receiver_generic, "target-cannot-receive", "program-(replaced|detached)", "sink0"),
    "GRO off": (with_gro, lambda w: w.ethtool("-K", "sink0", "gro", "off"), "target-cannot-receive",
                "offloads|xdp-features", "(sink0|out0)"),
    "MTU of the target": (World.ready, lambda w: ip(w.ns, "link", "set", "out0", "mtu", "200"), "frame-too-big", "mtu",
                          "out0"),
    "replaced, bad value": (World.ready, lambda w: w.replace("xdp.bad"), "bad-return-value", "program-replaced", "in0"),
    "replaced, aborts": (World.ready, lambda w: w.replace("xdp.abort"), "aborted", "program-replaced", "in0"),
    "replaced, no helper": (World.ready, lambda w: w.replace("xdp.nohelper"), "no-redirect-helper", "program-replaced",
                            "in0"),
    "replaced, no such device": (World.ready, lambda w: w.replace("xdp.nowhere"), "no-such-ifindex",
                                 "program-replaced", "in0"),
    "attached, bad value": (lambda w: w.ready(None), lambda w: w.attach("in0", "xdp.bad"), "bad-return-value",
                            "program-attached", "in0"),
    "target deleted": (World.ready, lambda w: ip(w.ns, "link", "del", "out0"), "no-such-ifindex", "device-gone", "out0"),
    # whether it moved or is gone, only the next walk may tell; its peer lost the carrier
    "target moved": (World.ready, lambda w: ip(w.ns, "link", "set", "out0", "netns", w.sink.name), "no-such-ifindex",
                     "moved|device-gone|link-down", "(out0|sink0)"),
    "namespace of the receiver ends": (World.ready, lambda w: w.sink.delete(), "no-such-ifindex", "device-gone", "out0"),
    "entry deleted": (with_devmap, lambda w: w.tx.delete(0), "aborted", "entry-removed", None),
    "entry leads to no receiver": (with_no_receiver, lambda w: w.tx.put(0, w.ns.ifindex("idle0"), ns=w.ns),
                                   "target-cannot-receive", "entry-changed", None),
    "entry leads to a device that is down": (with_down, lambda w: w.tx.put(0, w.ns.ifindex("idle0"), ns=w.ns),
                                             "target-down", "entry-changed", None),
    "cpumap entry deleted": (with_cpumap, lambda w: w.cpus.delete(0), "aborted", "entry-removed", None),
    "cpumap queue of 1": (with_cpumap, lambda w: w.cpus.put(0, 1), "cpumap-queue-full", "entry-changed", None),
    "loader dies": (with_loader, loader_dies, "target-cannot-receive", "program-detached", "sink0"),
    "AF_XDP socket closed": (with_socket, lambda w: w.socket.close(), "aborted", "socket-closed|entry-removed", None),
}


def begins(m, w, code):
    return said(m, lambda r: r["type"] == "finding" and r["code"] == code and w.has(r), code)


@pytest.mark.parametrize("story", STORIES)
def test_change_then_loss(monitor, world, story):
    prepare, do, code, kind, place = STORIES[story]
    prepare(world)
    world.send()
    m = monitor("-d", "0.2")
    for _ in range(4):
        m.wait_snapshot()
    do(world)
    f = begins(m, world, code)
    named = re.compile(rf"^(in the same interval|[0-9.]+m?s before): ({kind}) .*" + (rf" on {place}\b" if place else ""))
    assert any(named.match(line) for line in f["changes"]), f
    assert len(f["changes"]) <= 3 and not any("other0" in line for line in f["changes"]), f["changes"]


BEFORE = ["target down", "MTU of the target", "receiver detached", "replaced, bad value", "entry deleted"]
ELSEWHERE = {
    "MTU": lambda w: ip(w.ns, "link", "set", "other0", "mtu", "1400"),
    "replaced": lambda w: w.attach("other0", "xdp.abort", flags=("-force",)),
}


@pytest.mark.parametrize("elsewhere", ELSEWHERE)
@pytest.mark.parametrize("story", BEFORE)
def test_loss_without_change(monitor, world, story, elsewhere):
    """The cause was there at the start; then something changed elsewhere, and the loss began."""
    prepare, do, code, _, _ = STORIES[story]
    prepare(world)
    do(world)
    m = monitor("-d", "0.2")
    for _ in range(3):
        m.wait_snapshot()
    ELSEWHERE[elsewhere](world)
    said(m, lambda r: r["type"] == "event" and r.get("change") and r["ifname"] == "other0", "the change elsewhere")
    world.send()
    assert begins(m, world, code)["changes"] == []
