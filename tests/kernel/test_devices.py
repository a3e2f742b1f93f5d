# SPDX-License-Identifier: GPL-2.0-or-later
"""Facts about devices besides their names: current features, received packets."""
import pytest

from harness import FORGETFUL, XDPTOP, said
from namespaces import compiled, ip, veth

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

TARGET = 77  # ifindex
PROGRAM = f"""
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int to_target(struct xdp_md *ctx)
{{
	return bpf_redirect({TARGET}, 0);
}}
SEC("pass") int pass_all(struct xdp_md *ctx)
{{
	return XDP_PASS;
}}
char LICENSE[] SEC("license") = "GPL";
"""


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    return compiled(tmp_path_factory, PROGRAM)


@pytest.fixture(params=["walk", "sockets"])
def monitor_in(request, monitor):
    """A monitor in a test's namespace."""

    def start(ns, *args):
        m = monitor(*args, program=XDPTOP if request.param == "walk" else FORGETFUL,
                    prefix=("ip", "netns", "exec", ns.name))
        m.walks = request.param == "walk"
        return m

    return start


def is_device(ns, ifindex, condition=lambda r: True):
    return lambda r: (r["type"] == "device" and (r["netns"], r["ifindex"]) == (ns.inode, ifindex) and condition(r))


def last_device(m, ns, ifindex):
    return [r for r in m.records if is_device(ns, ifindex)(r)][-1]


@pytest.mark.alone
def test_features_as_of_now(monitor_in, netns, program):
    """A device becomes a target between two snapshots: the next one, in which it first sends, knows it."""
    a, b = netns("a"), netns("b")
    veth(a, "target", b, "peer", "index", str(TARGET))
    veth(a, "source", b, "sender")
    ip(a, "link", "set", "source", "xdpdrv", "obj", program, "sec", "xdp")
    m = monitor_in(a, "-d", "0.2", "-t", "xdp_redirect_err,xdp_devmap_xmit")
    b.send("sender", 5)
    m.wait_for(lambda r: r["type"] == "sample" and r["err"] == -95, "the failure")
    said(m, is_device(a, TARGET), "the target")
    assert "ndo-xmit" not in last_device(m, a, TARGET)["xdp_features"]
    ip(b, "link", "set", "peer", "xdpdrv", "obj", program, "sec", "pass")
    b.send("sender", 5)
    m.wait_for(lambda r: r["type"] == "sample" and r["tracepoint"] == "xdp_devmap_xmit", "the first that is sent")
    if not m.walks:  # over a socket the answer may come late
        said(m, is_device(a, TARGET, lambda r: "ndo-xmit" in r["xdp_features"]), "what it can do")
    assert "ndo-xmit" in last_device(m, a, TARGET)["xdp_features"]


def test_packets_received(monitor_in, netns, program):
    """For a device with XDP, also in a namespace that the monitor enters."""
    a, b = netns("a"), netns("b")
    veth(a, "in0", b, "out0")
    for ns, name in ((a, "in0"), (b, "out0")):
        ip(ns, "link", "set", name, "xdpdrv", "obj", program, "sec", "pass")
    m = monitor_in(a, "-d", "0.2")
    m.wait_for(is_device(a, a.ifindex("in0"), lambda r: r["rx_packets_total"] == 0), "none")
    b.send("out0", 1234)
    m.wait_for(is_device(a, a.ifindex("in0"), lambda r: r["rx_packets_total"] == 1234),
               "all of them")
    said(m, is_device(b, b.ifindex("out0"), lambda r: r["rx_packets_total"] is not None), "of the other namespace")
    m.stop()
