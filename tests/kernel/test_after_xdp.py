# SPDX-License-Identifier: GPL-2.0-or-later
"""What a stack drops because of a program, and programs and targets on devices that are not plain Ethernet devices."""
import json

import pytest

from harness import said
from namespaces import compiled, ip, run, veth

pytestmark = pytest.mark.alone  # others' programs and changes are reported, too

QUICK = ("-d", "0.2")
PROGRAMS = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} port SEC(".maps");
SEC("xdp.to") int to(struct xdp_md *ctx) { return bpf_redirect_map(&port, 0, 0); }
SEC("xdp.back") int back(struct xdp_md *ctx) { return XDP_TX; }
SEC("xdp.pass") int pass(struct xdp_md *ctx) { return XDP_PASS; }
SEC("xdp.abort") int abort_all(struct xdp_md *ctx) { return XDP_ABORTED; }
SEC("xdp.port") int port_changed(struct xdp_md *ctx)
{
	unsigned char *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 42 <= end)
		data[37] ^= 1;
	return XDP_PASS;
}
char LICENSE[] SEC("license") = "GPL";
"""
# IPv4 and UDP from 192.0.2.2 to 192.0.2.1, port 9, with the right checksums
UDP = "0800 4500001c 00000000 4011 f6cd c0000202 c0000201 00090009 0008 7bc8"


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    return str(compiled(tmp_path_factory, PROGRAMS))


def mac(ns, name):
    return json.loads(ip(ns, "-j", "link", "show", "dev", name))[0]["address"].replace(":", "")


def attach(ns, name, programs, which, mode="xdpdrv"):
    ip(ns, "-force", "link", "set", name, mode, "obj", programs, "sec", f"xdp.{which}")


@pytest.fixture
def flow(popen):
    """Starts about 500 frames a second; returns what ends them."""
    def start(ns, name, to):
        p = popen(["ip", "netns", "exec", ns.name, "python3", "-c",
                   "import socket, time\n"
                   "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
                   f"s.bind(({name!r}, 0))\n"
                   f"f = bytes.fromhex({to!r} + '020000000001' + {UDP!r})\n"
                   "while True: s.send(f); time.sleep(.002)"])

        def end():
            p.kill()
            p.wait()
        return end
    return start


def finding(code, **fields):
    return lambda r: r["type"] == "finding" and r["code"] == code and all(r[k] == v for k, v in fields.items())


def quiet(m, code):
    """No such finding for a while."""
    m.wait_snapshot()
    m.wait_after(m.records[-1], 5)
    assert not [r for r in m.records if finding(code)(r)]


@pytest.mark.parametrize("how", ["to", "back"])
def test_mac_not_rewritten(netns, monitor, programs, flow, how):
    """Frames that are redirected, or sent back, as they came; and the same to the right address."""
    a, b = netns("mac-a"), netns("mac-b")
    veth(a, "in0", b, "feed0")
    veth(a, "out0", b, "sink0")
    end, other = ("feed0", "sink0") if how == "back" else ("sink0", "feed0")
    attach(b, end, programs, "pass")
    attach(a, "in0", programs, how)
    if how == "to":
        prog = json.loads(ip(a, "-j", "link", "show", "dev", "in0"))[0]["xdp"]["prog"]["id"]
        port = json.loads(run("bpftool", "-j", "prog", "show", "id", str(prog)))["map_ids"][0]
        run("nsenter", f"--net=/run/netns/{a.name}", "bpftool", "map", "update", "id", str(port), "key", "0", "0", "0", "0",
            "value", str(a.ifindex("out0")), "0", "0", "0")
    m = monitor(*QUICK, "-t", "all")
    stop = flow(b, "feed0", mac(b, end))
    quiet(m, "mac-not-rewritten")
    stop()
    stop = flow(b, "feed0", mac(a, "in0"))
    r = said(m, finding("mac-not-rewritten"), "another address")
    assert (r["severity"], r["ifname"]) == ("warning", "in0")
    assert f"the stack of {end} drops " in r["text"] and "(otherhost)" in r["text"]
    assert any(f"link show dev {end}" in c for c in r["next"])
    stop()
    flow(b, "feed0", mac(b, end))
    said(m, finding("mac-not-rewritten", state="cleared"), "mended")


def test_checksum_broken(netns, monitor, programs, flow):
    """A program changes the port and not the checksum; another one changes nothing."""
    a, b = netns("sum-a"), netns("sum-b")
    veth(a, "in0", b, "feed0")
    ip(a, "addr", "add", "192.0.2.1/24", "dev", "in0")
    attach(a, "in0", programs, "pass")
    m = monitor(*QUICK)
    flow(b, "feed0", mac(a, "in0"))
    quiet(m, "checksum-broken")
    attach(a, "in0", programs, "port")
    r = said(m, finding("checksum-broken"), "it breaks the checksum")
    assert (r["severity"], r["ifname"], r["prog_name"]) == ("warning", "in0", "port_changed")
    assert "(InCsumErrors of the network namespace)" in r["text"]
    attach(a, "in0", programs, "pass")
    said(m, finding("checksum-broken", state="cleared"), "mended")


def test_no_ethernet_header(netns, monitor, programs, popen):
    """On a tun device; and not on a tap."""
    a = netns("tun")
    for name, mode in (("tun0", "tun"), ("tap0", "tap")):
        ip(a, "tuntap", "add", "dev", name, "mode", mode)
        ip(a, "link", "set", name, "up")
        attach(a, name, programs, "abort", "xdpgeneric")
    popen(["ip", "netns", "exec", a.name, "python3", "-c",
           "import fcntl, os, struct, time\n"
           "fd = os.open('/dev/net/tun', os.O_RDWR)\n"
           "fcntl.ioctl(fd, 0x400454ca, struct.pack('16sH22x', b'tun0', 0x1001))\n"
           f"packet = bytes.fromhex({UDP!r})[2:]\n"
           "time.sleep(3)\n"
           "while True: os.write(fd, packet); time.sleep(.002)"])
    m = monitor(*QUICK)
    r = said(m, finding("no-ethernet-header"), "no header")
    assert r["ifname"] == "tun0" and "begin with the IP header" in r["text"]
    r = said(m, finding("no-ethernet-header", severity="warning"), "its program aborts packets")
    assert "the program drops or aborts " in r["text"]
    assert {r["link_type"] for r in m.records if r["type"] == "device" and r["ifname"] == "tun0"} == {65534}
    attach(a, "tun0", programs, "pass", "xdpgeneric")
    said(m, finding("no-ethernet-header", severity="info"), "nothing is dropped")
    assert {r["ifname"] for r in m.stop() if finding("no-ethernet-header")(r)} == {"tun0"}


def test_bridge_as_target(netns, monitor, programs, flow):
    """bpf_fib_lookup() names the bridge; the port would do."""
    a, b = netns("bridge-a"), netns("bridge-b")
    veth(a, "in0", b, "feed0")
    veth(a, "port0", b, "host0")
    ip(a, "link", "add", "lan", "type", "bridge")
    ip(a, "link", "set", "lan", "up")
    ip(a, "link", "set", "port0", "master", "lan")
    attach(b, "host0", programs, "pass")
    attach(a, "in0", programs, "to")
    prog = json.loads(ip(a, "-j", "link", "show", "dev", "in0"))[0]["xdp"]["prog"]["id"]
    port = json.loads(run("bpftool", "-j", "prog", "show", "id", str(prog)))["map_ids"][0]

    def goes_to(name):
        run("nsenter", f"--net=/run/netns/{a.name}", "bpftool", "map", "update", "id", str(port), "key", "0", "0", "0", "0",
            "value", str(a.ifindex(name)), "0", "0", "0")
    goes_to("lan")
    m = monitor(*QUICK)
    flow(b, "feed0", mac(b, "host0"))
    r = said(m, finding("target-cannot-receive"), "to the bridge")
    assert r["severity"] == "critical" and "the target is a bridge, which cannot transmit XDP frames" in r["text"]
    assert any(c.endswith("link show master lan") for c in r["next"])
    port0 = said(m, lambda r: r["type"] == "device" and r["ifname"] == "port0", "its port")
    assert port0["master_ifindex"] == a.ifindex("lan")
    goes_to("port0")
    said(m, finding("target-cannot-receive", state="cleared"), "mended")
