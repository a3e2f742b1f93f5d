# SPDX-License-Identifier: GPL-2.0-or-later
"""Namespaces that get XDP after the start: --later-namespaces."""
import contextlib
import os
import re
import signal
import subprocess

import pytest

from harness import XDPTOP, eventually, said, turns
from namespaces import PREFIX, compiled, run
from test_driver_counters import DRIVER

SENT = 500
DROP = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int drop_all(struct xdp_md *ctx)
{
	return XDP_DROP;
}
char LICENSE[] SEC("license") = "GPL";
"""
SEND = """
import socket, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind(('out0', 0))
for i in range(%d):
    s.send(b"\\xff" * 12 + b"\\x88\\xb5" + bytes(50))
    time.sleep(%g)
"""


@pytest.fixture(scope="session")
def drop(tmp_path_factory):
    return compiled(tmp_path_factory, DROP)


class Named:
    def __init__(self, name):
        self.name = f"{PREFIX}-{name}"
        run("ip", "netns", "add", self.name)
        self.inode = os.stat(f"/run/netns/{self.name}").st_ino

    def command(self, *args):
        return ["ip", "netns", "exec", self.name, *args]

    def end(self):
        run("ip", "netns", "del", self.name)


class Unnamed:
    """Of a process only, as a container is for somebody who cannot read its files."""

    def __init__(self, name):
        del name
        self.process = subprocess.Popen(["unshare", "-n", "sleep", "infinity"])
        path = f"/proc/{self.process.pid}/ns/net"
        self.inode = eventually(lambda: os.stat(path).st_ino - os.stat("/proc/self/ns/net").st_ino and
                                os.stat(path).st_ino, "its namespace")

    def command(self, *args):
        return ["nsenter", f"--net=/proc/{self.process.pid}/ns/net", *args]

    def end(self):
        self.process.kill()
        self.process.wait()


class Held(Named):
    """Of a descriptor only: it has lost its name, and its processes are gone."""

    def __init__(self, name):
        super().__init__(name)
        self.fd = os.open(f"/run/netns/{self.name}", os.O_RDONLY)
        run("ip", "netns", "del", self.name)

    def command(self, *args):
        return ["nsenter", f"--net=/proc/{os.getpid()}/fd/{self.fd}", *args]

    def end(self):
        os.close(self.fd)


@contextlib.contextmanager
def with_xdp(kind, name, program):
    """A namespace with a device whose program drops what its peer sends."""
    ns = kind(name)
    try:
        run(*ns.command("sh", "-ec",
                        "for i in all default; do echo 1 >/proc/sys/net/ipv6/conf/$i/disable_ipv6; done; "
                        "ip link add in0 type veth peer name out0; ip link set in0 up; ip link set out0 up; "
                        f"ip link set in0 xdpdrv obj {program} sec xdp"))
        yield ns
    finally:
        ns.end()


def held(pid):
    """The descriptors of a process that keep namespaces alive, or watch them."""
    links = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
    return [link for link in links if re.match(r"socket:|net:|anon_inode:\[pidfd\]|pidfd:", link)]


def of(ns, condition=lambda r: True):
    return lambda r: r["type"] == "device" and (r["netns"], r["ifname"]) == (ns.inode, "in0") and condition(r)


@pytest.mark.parametrize("kind", [Named, Unnamed])
def test_counters_settings_and_findings(monitor, popen, drop, kind):
    m = monitor("-d", "0.2", "--later-namespaces")
    with with_xdp(kind, "later", drop) as ns:
        said(m, of(ns, lambda r: r["xdp_drop_total"] == 0), "the driver's counters")
        run(*ns.command("python3", "-c", SEND % (SENT, 0)))
        r = said(m, of(ns, lambda r: r["xdp_drop_total"] == SENT), "the driver's drops")
        told = dict(re.findall(r"^ *(\S+): (\d+)$", run(*ns.command("ethtool", "-S", "in0")).decode(), re.M))
        assert {ours: r[ours] for ours in DRIVER} == {ours: int(told[theirs]) for ours, theirs in DRIVER.items()}
        assert (r["driver"], r["channels"]) == ("veth", 1)
        said(m, of(ns, lambda r: r["rx_packets_total"] == SENT), "the kernel's counters")
        sender = popen(ns.command("python3", "-c", SEND % (20000, 0.005)))
        said(m, lambda r: r["type"] == "finding" and (r["netns"], r["code"]) == (ns.inode, "program-drops"),
             "a finding that rests on the driver's drops")
        sender.kill()
        sender.wait()
    said(m, of(ns, lambda r: r["state"] == "gone"), "its end: nothing keeps it alive")
    # and others' namespaces come and go meanwhile
    eventually(lambda: f"net:[{ns.inode}]" not in held(m.process.pid), "its descriptor is closed")


def test_without_the_option_the_reason_is_said(drop):
    p = subprocess.Popen([XDPTOP, "-b", "-v", "overview", "-d", "0.5", "-n", "40", "-a"], stdout=subprocess.PIPE, text=True)
    try:
        p.stdout.readline()
        with with_xdp(Named, "later", drop):
            for line in p.stdout:
                if "--later-namespaces" in line:
                    break
            else:
                pytest.fail("it is not said")
    finally:
        p.kill()
        p.communicate()


def test_descriptors_do_not_grow(monitor, drop):
    m = monitor("-d", "0.1", "--later-namespaces")
    at_start = len(held(m.process.pid))
    for i in range(20):
        with with_xdp((Named, Unnamed)[i % 2], f"later{i}", drop) as ns:
            said(m, of(ns, lambda r: r["rx_packets_total"] is not None), "counters", since=len(m.records))
    # two sockets for each would be 40 more, and others' namespaces come and go
    eventually(lambda: len(held(m.process.pid)) < at_start + 20, "what it held is closed")


def test_its_end_is_said(monitor, drop):
    m = monitor("-d", "0.2", "--later-namespaces")
    pid = m.records[0]["later_namespaces_pid"]
    assert m.records[0]["later_namespaces_caps"] == "CAP_SYS_PTRACE,CAP_SYS_ADMIN"
    os.kill(pid, signal.SIGKILL)
    with with_xdp(Named, "later", drop) as ns:
        said(m, of(ns, lambda r: r["rx_packets_total"] is None), "a device without counters")
        os.set_blocking(m.process.stderr.fileno(), False)
        said_so = b""
        for _ in turns("its end is said"):
            m.wait_snapshot()
            said_so += m.process.stderr.read() or b""
            if b"process %d, which entered later network namespaces, was killed" % pid in said_so:
                break


def test_a_namespace_without_process_and_file(drop):
    """Only a descriptor holds it, so nothing leads there: that is said, and no option that would not help."""
    with with_xdp(Held, "held", drop):
        p = subprocess.run([XDPTOP, "-b", "-v", "overview", "-d", "0.3", "-n", "2", "-a", "--later-namespaces"],
                           capture_output=True, check=True, text=True)
    said = " ".join(p.stdout.split())
    assert "xdptop enters those that a process is in or `ip netns` lists" in said
    assert "without a reason" not in said + p.stderr and "(--later-namespaces)" not in said
