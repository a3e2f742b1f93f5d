# SPDX-License-Identifier: GPL-2.0-or-later
"""Netlink datagrams that the kernel did not send: the owner of a network namespace can send them to sockets in it."""
import os
import pathlib
import subprocess

import pytest

from harness import FORGETFUL
from namespaces import run

SENDER = str(pathlib.Path(__file__).with_name("netlink_sender.py"))
NOBODY = 65534


class Sender:
    """A process of nobody in its own namespaces."""

    def __init__(self, popen):
        self.process = popen(
            ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "unshare", "--user",
             "--map-root-user", "--net", "/usr/bin/python3", "-c", pathlib.Path(SENDER).read_text()],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.line() == "ready"
        self.inode = os.stat(f"/proc/{self.process.pid}/ns/net").st_ino

    def line(self):
        return self.process.stdout.readline().decode().strip()

    def send(self, *words):
        self.process.stdin.write(" ".join(map(str, words)).encode() + b"\n")
        self.process.stdin.flush()
        return int(self.line())


@pytest.fixture
def sender(popen):
    return Sender(popen)


def test_forged_datagrams(sender, monitor):
    """Sockets in the sender's namespace, as used without the walk: none of its messages is believed."""
    m = monitor("-d", "0.2", "-a", "-t", "+net_dev_queue", program=FORGETFUL)
    with open(f"/proc/{sender.process.pid}/net/netlink", encoding="ascii") as sockets:
        assert len(sockets.readlines()) > 2, "the monitor has no socket there"
    assert sender.send("one")
    assert sender.send("many", 1, 10000)
    m.wait_snapshot()
    # its own address requests are events
    run("nsenter", "-t", str(sender.process.pid), "-U", "-n", "sh", "-c",
        "ip link add real0 type veth peer name real1; ip link set real0 up; ip link set real1 up")
    m.wait_for(lambda r: r["type"] == "device" and r["ifname"] == "real0", "the kernel's own notification")
    names = {r["ifname"] for r in m.stop() if r["type"] == "device" and r["netns"] == sender.inode}
    assert names <= {"lo", "real0", "real1"}
