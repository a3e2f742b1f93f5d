# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of receive queues, compared with devices whose number of queues is known."""
import pytest

from harness import said
from namespaces import compiled, ip, run

PROGRAM = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int pass(struct xdp_md *ctx) { return XDP_PASS; }
char LICENSE[] SEC("license") = "GPL";
"""
ROWS = 256  # of a device


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return compiled(tmp_path_factory, PROGRAM)


def device(ns, program, queues):
    """in0, with XDP and this many receive queues."""
    ip(ns, "link", "add", "in0", "numrxqueues", str(queues), "numtxqueues", "1", "type", "veth", "peer", "name", "feed0",
       "numrxqueues", "1", "numtxqueues", "1")
    for name in "in0", "feed0":
        ip(ns, "link", "set", name, "up")
    ip(ns, "link", "set", "in0", "xdpdrv", "obj", program, "sec", "xdp")


def rows(m, ns):
    """The last row of each queue that exists."""
    told = {r["queue"]: r for r in m.records if r["type"] == "queue" and r["netns"] == ns.inode}
    return {queue: r for queue, r in told.items() if r["state"] == "used"}


def last(ns, queue, state="used"):
    return lambda r: r["type"] == "queue" and (r["netns"], r["queue"], r["state"]) == (ns.inode, queue, state)


def test_of_another_namespace(monitor, netns, program):
    """A change of the number is shown without a restart; a veth has no interrupts."""
    ns = netns("queues")
    device(ns, program, 4)
    m = monitor("-d", "0.2")
    r = said(m, last(ns, 3), "its last queue")
    assert (r["ifname"], r["left_out"]) == ("in0", 0)
    assert [r[name] for name in ("irq", "pid", "cpu", "cpus", "cpu_node", "rx_packets_total")] == [None] * 6
    assert sorted(rows(m, ns)) == [0, 1, 2, 3]
    run("ip", "netns", "exec", ns.name, "ethtool", "-L", "in0", "rx", "2")
    said(m, last(ns, 3, "gone"), "that there are fewer")
    assert sorted(rows(m, ns)) == [0, 1]
    run("ip", "netns", "exec", ns.name, "ethtool", "-L", "in0", "rx", "3")
    said(m, last(ns, 2), "that there are more")
    ip(ns, "link", "set", "in0", "xdpdrv", "off")
    said(m, last(ns, 2, "gone"), "that they are not read without XDP")
    m.stop()


def test_number_of_rows_is_limited(monitor, netns, program):
    ns = netns("queues-many")
    device(ns, program, ROWS + 44)
    m = monitor("-d", "0.2")
    r = said(m, last(ns, ROWS - 1), "its last row")
    assert r["left_out"] == 44
    assert len(rows(m, ns)) == ROWS
    m.stop()
