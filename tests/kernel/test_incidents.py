# SPDX-License-Identifier: GPL-2.0-or-later
"""Incidents with AF_XDP programs: each leads to its finding, and sockets beside it to none."""
import os
import socket
import struct
import threading

import pytest

from harness import eventually, said
from namespaces import ip
from xsk import ByQueue, Xsk, inside, statistics

QUEUES = 4
BAD = 1  # the queue with the faulty socket
BURST = 128  # flows, so that each queue gets several
CHUNK = 2048
CHUNKS = 256


def frame(flow):
    """UDP, whose flow determines the queue."""
    packet = struct.pack(">BBHHHBBH", 0x45, 0, 46, 0, 0, 64, 17, 0) + bytes((10, 0, 0, 1, 10, 0, 0, 2))
    return b"\xff" * 12 + b"\x08\x00" + packet + struct.pack(">4H", 1000 + flow, 9, 26, 0) + bytes(18)


class Program(Xsk):
    """A program's socket on a queue; differences from the defaults are its fault."""

    def __init__(self, ifindex, queue=0, rx=CHUNKS, fill=CHUNKS, reads=True, gives_back=True, off=0):
        super().__init__(chunks=CHUNKS, chunk_size=CHUNK, rx=rx, fill=CHUNKS, completion=64)
        self.queue, self.reads, self.gives_back, self.off = queue, reads, gives_back, off
        self.read = 0
        self.ring["fill"].put(*(i * CHUNK for i in range(fill)))
        self.bind(ifindex, queue)

    def came(self):
        """Frames for it so far, including losses."""
        lost = statistics(self.socket)
        return self.read + self.ring["rx"].fill() + lost["rx_dropped"] + lost["rx_queue_full"]

    def work(self):
        """Handles available frames."""
        if not self.reads:
            return
        frames = self.ring["rx"].entries(self.ring["rx"].fill())
        self.ring["rx"].take(len(frames))
        self.read += len(frames)
        if self.gives_back:
            self.ring["fill"].put(*(address + self.off for address, _, _ in frames))


class Traffic(threading.Thread):
    """
    Bursts to in0, each sent when the previous one has reached the sockets, as far as all queues have one;
    they work in between.
    """

    def __init__(self, ns, programs):
        super().__init__()
        self.programs = programs
        self.ended = threading.Event()
        self.sent = 0
        with inside(ns):
            self.feed = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
            self.feed.bind(("feed0", 0))

    def run(self):
        while not self.ended.wait(0.01):
            for flow in range(BURST):
                self.feed.send(frame(flow))
            self.sent += BURST
            if len(self.programs) == QUEUES:
                eventually(lambda: sum(p.came() for p in self.programs) == self.sent, "the frames have come")
            for p in self.programs:
                p.work()

    def close(self):
        if self.is_alive():
            self.ended.set()
            self.join()
        self.feed.close()


@pytest.fixture
def run(netns, tmp_path_factory):
    """feed0 -> in0: traffic to sockets on the queues, one with a fault; returns its namespace."""
    started = []

    def start(queues, **bad):
        ns = netns("incident")
        several = ("numrxqueues", str(QUEUES), "numtxqueues", str(QUEUES))
        ip(ns, "link", "add", "in0", *several, "type", "veth", "peer", "name", "feed0", *several)
        for name in "in0", "feed0":
            ip(ns, "link", "set", name, "up")
        started.append(by_queue := ByQueue(tmp_path_factory, ns, "in0"))
        programs = []
        for queue in queues:
            with inside(ns):
                programs.append(Program(ns.ifindex("in0"), queue, **(bad if queue == BAD else {})))
            started.append(programs[-1])
            by_queue.put(queue, programs[-1])
        started.append(traffic := Traffic(ns, programs))
        traffic.start()
        return ns, traffic

    yield start
    for s in reversed(started):
        s.close()


ALL = range(QUEUES)
OWNER = f"{open('/proc/self/comm').read().strip()}[{os.getpid()}]"
SOCKETS = "xdptop -b -n 1 -v sockets"
# the fault of one socket, queues with sockets; the finding, parts of its text and of its commands, and its
# consequences
INCIDENTS = {
    "rx-ring-too-small": (dict(rx=4), ALL, "xsk-ring-full",
                          ("receive ring is full", OWNER, "of 4 frames"), (SOCKETS,), set()),
    "fill-ring-starves": (dict(gives_back=False), ALL, "xsk-starved",
                          (f"queue {BAD} gets no buffers: the fill ring ({CHUNKS}) of {OWNER} is empty",
                           "frames were lost"),
                          (f"-p {os.getpid()}", SOCKETS, "ethtool -S in0"), {"xsk-fill-empty"}),
    "fill-ring-never-filled": (dict(fill=0), ALL, "xsk-starved",
                               (f"queue {BAD} gets no buffers", OWNER, "since the socket was created"),
                               (f"-p {os.getpid()}", SOCKETS, "ethtool -S in0"), {"xsk-fill-empty"}),
    "fill-addresses-invalid": (dict(off=CHUNKS * CHUNK), ALL, "xsk-fill-invalid",
                               (OWNER, f"queue {BAD}", "invalid", "empty"),
                               (f"-p {os.getpid()}", SOCKETS), {"xsk-fill-empty"}),
    "nobody-polls": (dict(rx=64, reads=False), ALL, "xsk-not-polled",
                     (f"{OWNER} does not read queue {BAD}: the RX ring (64 frames) is full",),
                     (f"wchan:20,args -p {os.getpid()}", SOCKETS), {"xsk-ring-full"}),
    "queues-without-socket": ({}, range(2), "xsk-queue-without-socket",
                              (f"queues 2-3 of {QUEUES} have no AF_XDP socket", "xskmap xsks", "XDP_ABORTED"),
                              ("ethtool -l in0", SOCKETS, "bpftool map dump id"), {"aborted"}),
}


@pytest.mark.parametrize("incident", INCIDENTS)
def test_incident(monitor, run, incident):
    """The finding names fault, place, owner and remedy; healthy sockets have none."""
    bad, queues, code, text, commands, beside = INCIDENTS[incident]
    m = monitor("-d", "0.3")
    ns, traffic = run(queues, **bad)
    f = said(m, lambda r: r["type"] == "finding" and r["code"] == code and r["netns"] == ns.inode and
             r["severity"] == "critical" and set(r["consequences"]) == beside, "the finding")
    assert (f["ifname"], f["ifindex"]) == ("in0", ns.ifindex("in0"))
    assert all(part in f["text"] for part in text), f["text"]
    assert all(any(part in command for command in f["next"]) for part in commands), f["next"]
    # long enough for findings that need two intervals
    for _ in range(4):
        m.wait_snapshot()
    well = [p for p in traffic.programs if not bad or p.queue != BAD]
    assert traffic.is_alive() and all(p.read for p in well)
    traffic.close()
    assert not any(any(statistics(p.socket).values()) for p in well)
    found = [r for r in m.stop() if r["type"] == "finding" and r["netns"] == ns.inode]
    assert {r["code"] for r in found} <= {code, *beside}, found
    if bad:
        assert all(f"queue {BAD}" in r["text"] or f"[{BAD}]" in r["text"] for r in found), found
