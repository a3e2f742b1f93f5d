# SPDX-License-Identifier: GPL-2.0-or-later
"""Counters and settings of a device compared with ip -s link and ethtool."""
import json
import os
import re
import subprocess

import pytest

from harness import FORGETFUL, XDPTOP, eventually, said, turns
from namespaces import FRAME, compiled, ip, run, veth

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

SENT = 4000
PROGRAM = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int some_of_each(struct xdp_md *ctx)
{
	return bpf_get_prandom_u32() & XDP_TX;
}
char LICENSE[] SEC("license") = "GPL";
"""
# of veth, by names in recordings
DRIVER = {
    "xdp_drop_total": "rx_queue_0_xdp_drops", "xdp_tx_total": "rx_queue_0_xdp_tx",
    "xdp_tx_errors_total": "rx_queue_0_xdp_tx_errors", "xdp_redirect_total": "rx_queue_0_xdp_redirect",
    "xdp_xmit_errors_total": "tx_queue_0_xdp_xmit_errors",
}
LINK = {
    "rx_packets_total": ("rx", "packets"), "rx_dropped_total": ("rx", "dropped"),
    "rx_missed_total": ("rx", "missed_errors"),
    "tx_packets_total": ("tx", "packets"), "tx_dropped_total": ("tx", "dropped"), "tx_errors_total": ("tx", "errors"),
}


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    return compiled(tmp_path_factory, PROGRAM)


@pytest.fixture(params=["walk", "sockets", "outside"])
def monitor_in(request, monitor):
    """A monitor in a test's namespace, or outside, so that it has to enter it."""

    def start(ns, *args):
        return monitor(*args, program=FORGETFUL if request.param == "sockets" else XDPTOP,
                       prefix=() if request.param == "outside" else ("ip", "netns", "exec", ns.name))

    return start


def ethtool(ns, *args):
    return run("ip", "netns", "exec", ns.name, "ethtool", *args).decode()


def driver_counters(ns, name):
    told = dict(re.findall(r"^ *(\S+): (\d+)$", ethtool(ns, "-S", name), re.M))
    return {ours: int(told[theirs]) for ours, theirs in DRIVER.items()}


def link_counters(ns, name):
    told = json.loads(ip(ns, "-s", "-s", "-j", "link", "show", "dev", name))[0]["stats64"]
    return {ours: told[side][theirs] for ours, (side, theirs) in LINK.items() if theirs in told[side]}


def of_device(ns, ifindex, condition):
    return lambda r: (r["type"] == "device" and (r["netns"], r["ifindex"]) == (ns.inode, ifindex) and
                      condition(r))


def has(want):
    return lambda r: all(r[name] == n for name, n in want.items())


def test_counters_are_the_kernels_and_the_drivers(monitor_in, netns, program):
    a, b = netns("a"), netns("b")
    veth(a, "in0", b, "out0")
    ip(a, "link", "set", "in0", "xdpdrv", "obj", program, "sec", "xdp")
    ifindex = a.ifindex("in0")
    m = monitor_in(a, "-d", "0.2")
    m.wait_for(of_device(a, ifindex, has({"xdp_drop_total": 0, "xdp_redirect_errors_total": None,
                                        "rx_alloc_fail_total": None})), "none")
    b.send("out0", SENT)
    eventually(lambda: link_counters(a, "in0")["rx_packets_total"] >= SENT, "ip does not have all of them")
    link, driver = link_counters(a, "in0"), driver_counters(a, "in0")
    assert driver["xdp_drop_total"] > SENT / 4 and driver["xdp_tx_total"] + driver["xdp_tx_errors_total"] > 0
    said(m, of_device(a, ifindex, has(link)), f"what ip has, {link}")
    r = said(m, of_device(a, ifindex, has(driver)), f"what ethtool has, {driver}")
    assert r["xdp_drop_per_s"] > 0
    # counters without another name, by the driver's own names
    said(m, lambda r: r["type"] == "ethtool_stat" and (r["ifindex"], r["name"]) == (ifindex, "rx_queue_0_xdp_packets") and
         r["total"] >= SENT, "what it received")
    assert "rx_queue_0_xdp_drops" not in {r.get("name") for r in m.records}
    # they are no longer read
    ip(a, "link", "set", "in0", "xdpdrv", "off")
    said(m, of_device(a, ifindex, has({"xdp_drop_total": None, "rx_packets_total": SENT})), "that it is not known now")
    said(m, lambda r: r["type"] == "ethtool_stat" and r["state"] == "gone", "that the others are not, too")
    m.stop()


PASS = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int pass(struct xdp_md *ctx) { return XDP_PASS; }
SEC("xdp.to") int to(struct xdp_md *ctx) { return bpf_redirect(77, 0); }
char LICENSE[] SEC("license") = "GPL";
"""


def udp4(ip_checksum=0xf6cd, checksum=0, to="c0000201"):
    """To 192.0.2.1; the default checksums are right: 0 is none."""
    return bytes.fromhex("0800 4500001c 00000000 4011 %04x c0000202 %s 00090009 0008 %04x" % (ip_checksum, to, checksum))


def udp6(checksum):
    return bytes.fromhex("86dd 60000000 0008 11 40 20010db8000000000000000000000002 20010db8000000000000000000000001"
                         "00090009 0008 %04x" % checksum)


def test_losses_of_the_namespace(monitor_in, netns, tmp_path_factory):
    """Checksums: each protocol's are in the sum, once; packets with right checksums are not. And no route."""
    a, b = netns("csum-a"), netns("csum-b")
    veth(a, "in0", b, "out0")
    a.python("open('/proc/sys/net/ipv6/conf/in0/disable_ipv6', 'w').write('0')")
    ip(a, "addr", "add", "192.0.2.1/24", "dev", "in0")
    ip(a, "addr", "add", "2001:db8::1/64", "dev", "in0", "nodad")
    ip(a, "link", "set", "in0", "xdpdrv", "obj", compiled(tmp_path_factory, PASS), "sec", "xdp")
    mac, ifindex = json.loads(ip(a, "-j", "link", "show", "dev", "in0"))[0]["address"], a.ifindex("in0")
    m = monitor_in(a, "-d", "0.2")
    m.wait_for(of_device(a, ifindex, has({"netns_csum_errors_total": 0})), "none")
    frames = [udp4()] * 4 + [udp4(checksum=0xdead)] * 7 + [udp4(ip_checksum=0x1234)] * 5 + [udp6(0xdead)] * 3
    elsewhere = udp4(0x7cc5, to="cb007109")  # to 203.0.113.9

    def send(frames):
        b.python("import socket\n"
                 "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
                 "s.bind(('out0', 0))\n"
                 f"for f in {frames!r}: s.send(bytes.fromhex({mac.replace(':', '')!r}) + bytes(6) + f)")
    send(frames + [elsewhere] * 6)
    a.python("open('/proc/sys/net/ipv4/conf/in0/forwarding', 'w').write('1')")
    send([elsewhere] * 4)
    said(m, of_device(a, ifindex, has({"netns_csum_errors_total": 15, "netns_no_routes_total": 4})), "all of them")
    m.wait_snapshot()
    last = [r for r in m.records if of_device(a, ifindex, has({}))(r)][-1]
    assert [last[f"netns_{name}_total"] for name in ("csum_errors", "addr_errors", "no_routes", "rp_filtered",
                                                      "listen_drops")] == [15, 6, 4, 0, 0]
    told = run("ip", "netns", "exec", a.name, "nstat", "-as").decode()
    assert sum(int(n) for n in re.findall(r"\w+InCsumErrors +(\d+)", told)) == 15
    m.stop()


def test_losses_of_the_peers_namespace(monitor_in, netns, popen, tmp_path_factory):
    """The stack after the target of a redirect, on a device without XDP: nothing is lost until it drops."""
    a, b = netns("to-a"), netns("to-b")
    veth(a, "in0", b, "out0")
    ip(a, "link", "add", "in1", "index", "77", "type", "veth", "peer", "name", "out1", "netns", b.name)
    ip(a, "link", "set", "in1", "up")
    ip(b, "link", "set", "out1", "up")
    run("ip", "netns", "exec", b.name, "ethtool", "-K", "out1", "gro", "on")
    ip(a, "link", "set", "in0", "xdpdrv", "obj", compiled(tmp_path_factory, PASS), "sec", "xdp.to")
    mac, ifindex = json.loads(ip(b, "-j", "link", "show", "dev", "out1"))[0]["address"], b.ifindex("out1")
    frame = bytes.fromhex(mac.replace(":", "")) + bytes(6) + udp4()
    sender = ("import sys, socket\ns = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\ns.bind(('out0', 0))\n"
              f"for i in range(int(sys.argv[1])): s.send({frame!r})")

    def status():
        last = run(XDPTOP, "-b", "-d", "1", "-n", "4", "-f", f"netns={a.name}").decode().split("xdptop - ")[-1]
        return re.search(r"^XDP on 1 device: .*$", last, re.M)[0]

    assert re.search("/s in, nothing lost$", status())
    m = monitor_in(a, "-d", "0.2")

    def dropped(r):
        return sum(r[f"netns_{name}_total"] or 0 for name in ("no_routes", "addr_errors"))

    def send(n):
        b.python(f"import sys\nsys.argv[1:] = ['{n}']\n" + sender)

    send(1)  # so that it is listed
    before = dropped(m.wait_for(of_device(b, ifindex, lambda r: r["netns_no_routes_total"] is not None), "its counters"))
    send(40)
    said(m, of_device(b, ifindex, lambda r: dropped(r) >= before + 40), "all")
    m.stop()
    popen(["ip", "netns", "exec", b.name, "python3", "-c", sender, "100000000"])
    assert re.search(r"/s in, no loss seen by XDP; In(AddrErrors|NoRoutes) \S+/s$", status())


def test_promiscuity(monitor_in, netns, program):
    """As ip says: of a device that was promiscuous before, is set so, and is not."""
    a, b = netns("promisc-a"), netns("promisc-b")
    veth(a, "in0", b, "out0")
    ip(a, "link", "set", "in0", "xdpdrv", "obj", program, "sec", "xdp")
    ifindex = a.ifindex("in0")
    m = monitor_in(a, "-d", "0.2")
    for switch, users in (("off", 0), ("on", 1), ("off", 0)):
        ip(a, "link", "set", "in0", "promisc", switch)
        assert json.loads(ip(a, "-d", "-j", "link", "show", "dev", "in0"))[0]["promiscuity"] == users
        said(m, of_device(a, ifindex, has({"promiscuity": users})), f"promiscuity {users}")
    m.stop()


DROPS = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp.every") int every(struct xdp_md *ctx) { return XDP_DROP; }
SEC("xdp.few") int few(struct xdp_md *ctx) { return bpf_get_prandom_u32() & 31 ? XDP_PASS : XDP_DROP; }
char LICENSE[] SEC("license") = "GPL";
"""


@pytest.fixture(scope="session")
def drops(tmp_path_factory):
    return compiled(tmp_path_factory, DROPS)


def test_a_program_that_drops(monitor, netns, popen, drops):
    """In another namespace, without --verdicts: it is information, and quiet for a firewall that drops little."""
    a, b = netns("a"), netns("b")
    for name in "every", "few":
        veth(a, name, b, f"to-{name}")
        ip(a, "link", "set", name, "xdpdrv", "obj", drops, "sec", f"xdp.{name}")
        popen(["ip", "netns", "exec", b.name, "python3", "-c",
               "import socket\n"
               "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
               f"s.bind(('to-{name}', 0))\n"
               f"while True: s.send({FRAME!r})"])
    m = monitor("-d", "1")

    def is_it(r):
        return r["type"] == "finding" and (r["code"], r["netns"]) == ("program-drops", a.inode)

    f = m.wait_for(is_it, "the finding")
    assert (f["ifname"], f["severity"], f["lost_per_s"]) == ("every", "info", None)
    assert "by XDP_DROP, " in f["text"] and "(counted by ethtool -S: rx_queue_*_xdp_drops)" in f["text"]
    assert f["next"][0] == f"ip netns exec {a.name} ethtool -S every"
    r = said(m, of_device(a, a.ifindex("few"), lambda r: r["xdp_drop_per_s"] and r["rx_packets_per_s"]), "few are dropped")
    assert r["xdp_drop_per_s"] < r["rx_packets_per_s"] / 10
    m.wait_snapshot()
    assert {r["ifname"] for r in m.stop() if is_it(r)} == {"every"}
    mine = ["-i", "every", "-f", f"netns={a.name}"]
    check = [XDPTOP, "--check", "info", "-d", "1", "-n", "12", *mine]
    p = subprocess.run(check, stdout=subprocess.PIPE)
    assert p.returncode == 6 and b"info program-drops: every" in p.stdout
    assert subprocess.run(check[:2] + check[3:]).returncode == 0
    last = run(XDPTOP, "-b", "-d", "1", "-n", "3", *mine).decode().split("xdptop - ")[-1]
    status = re.search(r"^XDP on 1 device: \S+/s in, (\S+)/s dropped by programs, nothing lost$", last, re.M)
    assert status, last
    columns = dict(zip(*(re.search(rf"^{begin} .*$", last, re.M).group().split() for begin in ("DEVICE", "every"))))
    assert columns["DROP/S"] == status[1] and columns["LOST/S"] == columns["REDIR/S"] == "0" and "PASS/S" not in columns
    assert f"program drops {status[1]}/s" in last


def test_a_device_without_xdp(netns, popen):
    """-i names it: its row, and that XDP loses none of its packets. A name that no device has is an error."""
    a, b = netns("a"), netns("b")
    veth(a, "noxdp0", b, "out0")
    popen(["ip", "netns", "exec", b.name, "python3", "-c",
           "import socket\n"
           "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
           "s.bind(('out0', 0))\n"
           f"while True: s.send({FRAME!r})"])

    def said_of(name, *args):
        return subprocess.run([XDPTOP, "-b", "-d", "0.5", "-n", "2", "-i", name, *args], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)

    for view in "overview", "devices":
        for _ in turns("packets that come in"):
            text = " ".join(said_of("noxdp0", "-v", view).stdout.split())
            assert "noxdp0 has no XDP program: XDP loses none of " in text
            if re.search(r"loses none of the [1-9]\S* packets a second that come in\.", text):
                break
    assert re.search(fr"^noxdp0 +{a.name} +none ", said_of("noxdp0", "-v", "devices").stdout, re.M)
    p = said_of("noxdp1")
    assert p.returncode == 2 and p.stderr.startswith("xdptop: no device 'noxdp1' in any network namespace; nearest: noxdp0")


def test_later_namespaces_are_not_asked(monitor, netns, program):
    """Values that the walk lacks are null: not 0, and no counters from a message."""
    m = monitor("-d", "0.2")
    a = netns("a")
    veth(a, "in0", a, "out0")
    ip(a, "link", "set", "in0", "xdpdrv", "obj", program, "sec", "xdp")
    rows = []
    while len(rows) < 3:
        rows.append(m.wait_for(of_device(a, a.ifindex("in0"), lambda r: r["type"] == "device"), "it"))
        ip(a, "link", "set", "in0", "mtu", str(1400 + len(rows)))
    for r in rows:
        assert {r[name] for name in [*LINK, *DRIVER, "channels", "offloads"]} == {None}
        assert r["mtu_max"] == 65535 and r["carrier_changes_total"] > 0
    m.stop()


def test_an_entered_namespace_can_end(monitor, netns, program):
    """The socket there would keep it: it is closed when no process and no file holds the namespace."""
    a, b = netns("a"), netns("b")
    veth(a, "in0", b, "out0")
    ip(a, "link", "set", "in0", "xdpdrv", "obj", program, "sec", "xdp")
    m = monitor("-d", "0.2")
    ifindex = a.ifindex("in0")
    said(m, of_device(a, ifindex, lambda r: r["channels"]), "its settings")
    a.delete()
    m.wait_for(of_device(a, ifindex, lambda r: r["state"] == "gone"), "its end")
    m.stop()


def test_the_namespace_of_a_target(monitor, netns):
    """It has no program: it is entered because a devmap leads there."""
    a, b = netns("a"), netns("b")
    veth(a, "in0", b, "out0")
    path = "/sys/fs/bpf/xdptop-test-target"
    run("bpftool", "map", "create", path, "type", "devmap", "key", "4", "value", "4", "entries", "1", "name", "to_in0")
    try:
        run("nsenter", f"--net=/run/netns/{a.name}", "bpftool", "map", "update", "pinned", path, "key", "0", "0", "0", "0",
            "value", *map(str, a.ifindex("in0").to_bytes(4, "little")))
        m = monitor("-d", "0.2")
        b.send("out0", 5)
        said(m, of_device(a, a.ifindex("in0"), lambda r: r["channels"] and r["rx_packets_total"]), "its counters")
        m.stop()
    finally:
        os.unlink(path)


def test_settings_as_of_now(monitor_in, netns, program):
    """A message of the kernel announces the change, so it does not wait for the next reading."""
    a, b = netns("a"), netns("b")
    veth(a, "in0", b, "out0")
    ip(a, "link", "set", "in0", "xdpdrv", "obj", program, "sec", "xdp")
    ifindex = a.ifindex("in0")
    m = monitor_in(a, "-d", "0.2")
    r = m.wait_for(of_device(a, ifindex, lambda r: r["type"] == "device" and r["channels"]), "settings")
    most, now = (int(re.search(rf"{part}.*?^RX:\s+(\d+)", ethtool(a, "-l", "in0"), re.M | re.S)[1])
                 for part in ("maximums", "Current"))
    assert (r["channels_max"], r["channels"], r["rx_ring"]) == (most, now, None)
    assert r["mtu_max"] == 65535 and r["carrier_changes_total"] > 0
    gro = "rx-gro" in r["offloads"].split(",")
    for on in (not gro, gro):
        ethtool(a, "-K", "in0", "gro", "on" if on else "off")
        m.wait_for(of_device(a, ifindex, lambda r: r["type"] == "device" and
                             ("rx-gro" in r["offloads"].split(",")) == on), f"gro {on}")
    m.stop()
