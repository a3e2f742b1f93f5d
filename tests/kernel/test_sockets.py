# SPDX-License-Identifier: GPL-2.0-or-later
"""AF_XDP sockets compared with the kernel's statistics and with what the test put into their rings."""
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading

import pytest

from harness import FORGETFUL, XDPTOP, eventually, said
from namespaces import ip, run, veth
from xsk import AF_XDP, ByQueue, Xsk, inode, inside, sockets_of, statistics

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

COUNTED = ("rx_dropped", "rx_queue_full", "rx_fill_ring_empty", "tx_invalid", "tx_ring_empty")
PLACE = ("time", "seq", "interval_s", "inode", "ifindex", "netns", "netns_name")
SO_BUSY_POLL, SO_PREFER_BUSY_POLL = 46, 69
ARGS = ("-d", "0.2", "-t", "none")


def is_socket(number):
    return lambda r: r["type"] == "socket" and r["inode"] == number


def row(m, number):
    """Its newest record."""
    m.wait_snapshot()
    merged = {}
    for r in m.records:
        if is_socket(number)(r):
            merged.update(r)
    return merged


def fills(r):
    return {ring: (r[f"{ring}_size"], r[f"{ring}_fill"]) for ring in ("rx", "fill", "tx", "completion")}


@pytest.fixture
def xsk():
    """Sockets that are closed at the end."""
    made = []

    def make(*args, **kwargs):
        made.append(Xsk(*args, **kwargs))
        return made[-1]

    yield make
    for x in made:
        x.close()


@pytest.fixture
def device(netns):
    """A veth in a namespace to bind sockets to: the namespace and its ifindex."""
    ns = netns("xsk")
    veth(ns, "in0", ns, "out0")
    return ns, ns.ifindex("in0")


def test_counters(monitor, rig):
    """With redirects: a ring that nobody reads, one that nobody fills, one with bad addresses, and an unbound one."""
    r = rig("--hold", "-n", "500", "xskmap", "xskmap-enomem", "xskmap-fill-invalid", "xskmap-enxio")
    r.read_until("ready")
    m = monitor(*ARGS)
    m.wait_snapshot()
    r.go()
    r.read_until("done")
    sockets = sockets_of(r.process.pid)
    assert len(sockets) == 4
    rows = [row(m, inode(s)) for s in sockets]
    for s, has in zip(sockets, rows):
        assert {c: has[f"{c}_total"] for c in COUNTED} == {c: statistics(s)[c] for c in COUNTED}
        # this process holds a copy of each, since sockets_of()
        assert (has["pid"], has["comm"]) in ((r.process.pid, "rig"), (os.getpid(), "python3"))
        s.close()
    full, starved, invalid, unbound = sorted(rows, key=lambda x: (x["state"], x["received_total"] == 32,
                                                                  x["fill_invalid_total"]))
    assert (full["state"], full["received_total"], full["rx_queue_full_total"]) == ("bound", 64, 436)
    assert fills(full)["rx"] == (64, 64) and full["fill_taken_total"] == 64
    assert (starved["received_total"], starved["rx_fill_ring_empty_total"]) == (32, 468)
    assert fills(starved)["fill"] == (2048, 0) and fills(starved)["rx"] == (64, 32)
    # the kernel's own statistics lack the invalid ones
    assert invalid["fill_invalid_total"] == 2048 - 32 and starved["fill_invalid_total"] == 0
    assert {**invalid, **{k: starved[k] for k in starved if k.startswith("fill_invalid") or k in PLACE}} == starved
    assert unbound["state"] == "unbound" and unbound["ifindex"] is None and unbound["queue"] is None
    assert full["queues"] == 1 and full["zerocopy"] == 0
    assert (full["umem_size"], full["chunk_size"]) == (2048 * 4096, 4096)
    r.go()
    r.finish()


def test_rings(monitor, xsk, device):
    """Rings are as full as the test made them: unbound, bound, and sent from."""
    ns, ifindex = device
    with inside(ns):
        x = xsk(rx=32, tx=16, fill=128, completion=64)
    m = monitor(*ARGS)
    x.ring["fill"].put(*(i * 2048 for i in range(50)))
    has = row(m, x.inode)
    assert has["netns"] == ns.inode and has["netns_name"] == ns.name and has["state"] == "unbound"
    assert fills(has) == {"rx": (32, 0), "fill": (128, 50), "tx": (16, 0), "completion": (64, 0)}
    assert (has["umem_size"], has["chunk_size"]) == (64 * 2048, 2048)

    x.bind(ifindex)
    x.ring["tx"].put(*[(i * 2048, 60, 0) for i in range(5)])
    has = row(m, x.inode)
    assert (has["state"], has["ifindex"], has["ifname"], has["queue"]) == ("bound", ifindex, "in0", 0)
    assert (has["nic_ifindex"], has["nic_queue"]) == (None, None)  # not leased
    assert fills(has) == {"rx": (32, 0), "fill": (128, 50), "tx": (16, 5), "completion": (64, 0)}

    x.kick()
    has = row(m, x.inode)
    assert (has["transmitted_total"], fills(has)["tx"], fills(has)["completion"]) == (5, (16, 0), (64, 5))
    x.ring["completion"].take(3)
    x.ring["tx"].put(*[(1 << 40, 60, 0)] * 7)
    # a call ends at an invalid entry, and the kernel may advance its end of the ring with the next call
    eventually(lambda: x.kick() or not x.ring["tx"].fill(), "the TX ring is empty")
    has = row(m, x.inode)
    assert fills(has)["completion"] == (64, x.ring["completion"].fill())
    assert has["tx_invalid_total"] == statistics(x.socket)["tx_invalid"] == 7
    assert (has["transmitted_total"], fills(has)["tx"]) == (5, (16, 0))
    assert has["tx_ring_empty_total"] == statistics(x.socket)["tx_ring_empty"] > 0
    # a program can set its own end of a ring to anything
    x.ring["fill"].put(*[0] * 128)
    assert fills(row(m, x.inode))["fill"] == (128, 128)


def test_shared_umem(monitor, xsk, device):
    """Two sockets that share a umem and a queue have one fill ring: both rows show it."""
    ns, ifindex = device
    with inside(ns):
        first = xsk(rx=32, fill=64, completion=32).bind(ifindex)
        second = xsk(umem=False, rx=16).bind(ifindex, shared=first)
    first.ring["fill"].put(*range(0, 20 * 2048, 2048))
    m = monitor(*ARGS)
    has = [row(m, x.inode) for x in (first, second)]
    assert [fills(r)["fill"] for r in has] == [(64, 20)] * 2
    assert [fills(r)["rx"] for r in has] == [(32, 0), (16, 0)]
    assert [r["umem_size"] for r in has] == [64 * 2048] * 2


# more files than a process may have open
MANY = """
import os, socket, sys
told, tell = os.pipe()
for _ in range({processes}):
    if not os.fork():
        many = [socket.socket({family}, socket.SOCK_RAW) for _ in range({each})]
        os.write(tell, b"x")
        sys.stdin.read()
        os._exit(0)
for _ in range({processes}):
    assert os.read(told, 1)
print("ready", flush=True)
sys.stdin.read()
"""


def test_one_user_hides_nobody(monitor, xsk, netns, popen):
    """More sockets in a namespace than are listed: another namespace's are all listed, and the others are counted."""
    first, second = netns("many"), netns("few")
    many = popen(["ip", "netns", "exec", first.name, sys.executable, "-c",
                  MANY.format(family=AF_XDP, processes=33, each=500)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert many.stdout.readline() == b"ready\n"
    with inside(second):
        few = [xsk(rx=32), xsk(rx=32), xsk(rx=32)]
    m = monitor(*ARGS)
    assert all(row(m, x.inode)["state"] == "unbound" for x in few)
    left_out = [r for r in m.records if r["type"] == "sockets_left_out"]
    listed = {r["inode"] for r in m.records if r["type"] == "socket" and r["netns"] == first.inode}
    assert {(r["netns"], r["netns_name"]) for r in left_out} == {(first.inode, first.name)}
    assert len(listed) + left_out[-1]["left_out"] == 33 * 500 and len(listed) > 4096
    # after they are closed none is left out
    many.stdin.close()
    said(m, lambda r: r["type"] == "sockets_left_out" and r["state"] == "gone", "all are listed again")


def test_comes_and_goes(monitor, xsk, device):
    """Each within one interval; another socket in its place counts from 0."""
    ns, ifindex = device
    m = monitor(*ARGS)
    m.wait_snapshot()
    with inside(ns):
        x = xsk(rx=32, tx=16, fill=32, completion=32).bind(ifindex)
    x.ring["tx"].put(*[(i * 2048, 60, 0) for i in range(5)])
    x.kick()
    assert row(m, x.inode)["transmitted_total"] == 5
    x.close()
    with inside(ns):
        y = xsk(rx=32, tx=16, fill=32, completion=32).bind_when_free(ifindex)
    y.ring["tx"].put((0, 60, 0), (2048, 60, 0))
    y.kick()
    has = row(m, y.inode)
    assert (has["state"], has["transmitted_total"], has["pid"]) == ("bound", 2, os.getpid())
    assert [r["state"] for r in m.records if r["type"] == "socket" and r["inode"] == x.inode][-1] == "gone"


def test_device_gone(monitor, xsk, device):
    ns, ifindex = device
    with inside(ns):
        x = xsk(rx=32, fill=32, completion=32).bind(ifindex)
    m = monitor(*ARGS)
    assert row(m, x.inode)["state"] == "bound"
    ip(ns, "link", "del", "in0")
    has = row(m, x.inode)
    # its binding is still shown
    assert (has["state"], has["ifname"], has["queue"], has["queues"]) == ("device-gone", "in0", 0, None)


def comm(pid):
    with open(f"/proc/{pid}/comm") as f:
        return f.read().strip()


def test_owner(monitor, xsk, popen):
    """Threads of a process count once; of two processes the lower pid is shown."""
    ended = threading.Event()
    threads = [threading.Thread(target=ended.wait) for _ in range(4)]
    for t in threads:
        t.start()
    both, given = xsk(rx=32), xsk(rx=32)
    child = popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE,
                  pass_fds=(both.socket.fileno(), given.socket.fileno()))
    given.close()
    m = monitor(*ARGS)
    has = row(m, both.inode)
    lower = min(os.getpid(), child.pid)
    assert (has["pid"], has["comm"]) == (lower, comm(lower))
    has = row(m, given.inode)
    assert (has["pid"], has["comm"]) == (child.pid, comm(child.pid))
    # the new holder is found some time later
    both.close()
    child.stdin.close()
    child.wait()
    said(m, lambda r: is_socket(given.inode)(r) and r.get("state") == "gone", "gone with its last process")
    ended.set()


def test_without_capabilities(monitor, xsk):
    """A new socket is read without any privileges, after the drop."""
    m = monitor(*ARGS)
    m.wait_snapshot()
    x = xsk(rx=32, fill=32)
    assert row(m, x.inode)["pid"] == os.getpid()
    for task in os.listdir(f"/proc/{m.process.pid}/task"):
        with open(f"/proc/{m.process.pid}/task/{task}/status") as f:
            status = f.read()
        for which in ("Eff", "Prm", "Inh"):
            assert int(re.search(rf"Cap{which}:\s*(\w+)", status)[1], 16) == 0


def test_walk_refused(monitor, xsk):
    """As before 5.17: there are no rows, and the rest works."""
    x = xsk(rx=32)
    m = monitor(*ARGS, program=FORGETFUL)
    assert not row(m, x.inode)
    m.stop()


def waits(m, ns, code):
    """The finding, after which no other is active about this socket."""
    return said(m, lambda r: r["type"] == "finding" and r["code"] == code and r["netns"] == ns.inode and
                r["state"] == "active", code)


def cleared(m, ns, code):
    said(m, lambda r: r["type"] == "finding" and r["code"] == code and r["netns"] == ns.inode and
         r["state"] == "cleared", f"{code} cleared")


def test_cannot_send(monitor, xsk, device):
    """Nobody calls the kernel; then nobody takes sent frames back. Each is found alone, and ends."""
    ns, ifindex = device
    with inside(ns):
        x = xsk(tx=32, fill=8, completion=8)
        x.bind(ifindex)
    m = monitor(*ARGS)
    frames = [(i * 2048, 60, 0) for i in range(8)]
    x.ring["tx"].put(*frames)
    text = waits(m, ns, "xsk-tx-not-kicked")["text"]
    assert "8 frames wait in the TX ring of" in text and f"[{os.getpid()}] on queue 0" in text
    x.kick()
    cleared(m, ns, "xsk-tx-not-kicked")
    assert x.ring["completion"].fill() == 8
    x.ring["tx"].put(*frames[:4])
    with pytest.raises(BlockingIOError):
        x.kick()
    f = waits(m, ns, "xsk-completion-full")
    assert "the completion ring (8) of queue 0 is full, so the kernel sends none of the 4 frames" in f["text"]
    assert any(f"-p {os.getpid()}" in command for command in f["next"])
    x.ring["completion"].take(8)
    x.kick()
    cleared(m, ns, "xsk-completion-full")
    has = row(m, x.inode)
    assert (has["transmitted_total"], has["tx_queues"], has["tx_need_wakeup"]) == (12, 1, 1)
    codes = [r["code"] for r in m.records if r["type"] == "finding" and r["netns"] == ns.inode and
             r["state"] == "active"]
    assert list(dict.fromkeys(codes)) == ["xsk-tx-not-kicked", "xsk-completion-full"]


def test_sends_nothing_valid(monitor, xsk, device):
    """Its descriptors lead outside of the UMEM; then they are right."""
    ns, ifindex = device
    with inside(ns):
        x = xsk(tx=32, fill=8, completion=64)
        x.bind(ifindex)
    m = monitor(*ARGS)
    x.ring["tx"].put(*[(1 << 40, 60, 0)] * 7)
    eventually(lambda: x.kick() or not x.ring["tx"].fill(), "the TX ring is empty")
    f = waits(m, ns, "xsk-tx-invalid")
    assert f"[{os.getpid()}] puts invalid descriptors into the TX ring of queue 0" in f["text"]
    assert "the UMEM has 131072 bytes in chunks of 2048" in f["text"]
    assert (f["severity"], f["count_total"]) == ("critical", 7) and f["lost_per_s"] > 0
    x.ring["tx"].put(*[(1 << 40, 60, 0)] * 7)  # the overview knows the device now
    eventually(lambda: x.kick() or not x.ring["tx"].fill(), "the TX ring is empty again")
    with sending(x):
        cleared(m, ns, "xsk-tx-invalid")
    assert {r["code"] for r in m.records if r["type"] == "finding" and r["netns"] == ns.inode} == {"xsk-tx-invalid"}
    recording = "".join(json.dumps(r) + "\n" for r in m.stop())
    text = subprocess.run([XDPTOP, "-r", "-", "-b", "-f", f"netns={ns.name}"], input=recording, text=True,
                          capture_output=True, check=True).stdout
    assert re.search(r"XDP on no device that passes the filter, [\d.]+k?/s lost: worst in0", text), text


def test_sends_on_a_link_that_is_down(monitor, xsk, device):
    """The device is down, then without carrier; each time the finding's command mends it."""
    ns, ifindex = device
    with inside(ns):
        x = xsk(tx=32, fill=8, completion=64)
        x.bind(ifindex)
    m = monitor(*ARGS)
    ip(ns, "link", "set", "in0", "down")
    x.ring["tx"].put(*[(i * 2048, 60, 0) for i in range(8)])
    f = waits(m, ns, "xsk-tx-link-down")
    assert "cannot send on queue 0: the device is down; 8 frames wait in the TX ring" in f["text"]
    with pytest.raises(OSError, match="Network is down"):
        x.kick()
    run("sh", "-c", f["next"][-1])
    eventually(lambda: x.kick() or not x.ring["tx"].fill(), "they are sent")
    cleared(m, ns, "xsk-tx-link-down")
    ip(ns, "link", "set", "out0", "down")
    x.ring["tx"].put(*[(i * 2048, 60, 0) for i in range(8)])
    m.wait_for(lambda r: r["type"] == "finding" and r["code"] == "xsk-tx-link-down" and r["netns"] == ns.inode and
               "the device has no carrier; 8 frames" in r["text"], "no carrier")
    ip(ns, "link", "set", "out0", "up")
    eventually(lambda: x.kick() or not x.ring["tx"].fill(), "they are sent")
    cleared(m, ns, "xsk-tx-link-down")


@contextlib.contextmanager
def sending(x):
    """The socket always has frames in its rings, and sends them."""
    ending = threading.Event()

    def send():
        while not ending.is_set():
            x.ring["tx"].put(*[(i * 2048, 60, 0) for i in range(8)])
            eventually(lambda: x.kick() or not x.ring["tx"].fill(), "they are sent")
            x.ring["completion"].take(x.ring["completion"].fill())

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield
    finally:
        ending.set()
        sender.join()


def test_sends(monitor, xsk, device):
    """A socket that sends has no finding."""
    ns, ifindex = device
    with inside(ns):
        x = xsk(tx=32, fill=8, completion=64)
        x.bind(ifindex)
    with sending(x):
        m = monitor(*ARGS)
        for _ in range(6):
            m.wait_snapshot()
    assert row(m, x.inode)["transmitted_total"] > 8
    assert not [r for r in m.records if r["type"] == "finding" and r["netns"] == ns.inode]


def test_prefers_busy_polling(monitor, xsk, device, tmp_path_factory):
    """Without effect until the device defers interrupts: before the socket has received, and with its NAPI."""
    ns, ifindex = device

    def defer(irqs, ns_):
        ns.python(f"for name, n in ('napi_defer_hard_irqs', {irqs}), ('gro_flush_timeout', {ns_}):"
                  " open(f'/sys/class/net/in0/{name}', 'w').write(str(n))")

    with inside(ns):
        x = xsk(tx=32, rx=32, fill=32, completion=64)
        x.bind(ifindex)
    by_queue = ByQueue(tmp_path_factory, ns, "in0")
    try:
        by_queue.put(0, x)
        m = monitor(*ARGS)
        assert (row(m, x.inode)["prefers_busy_poll"], row(m, x.inode)["irqs_deferred"]) == (0, None)
        x.socket.setsockopt(socket.SOL_SOCKET, SO_PREFER_BUSY_POLL, 1)
        assert row(m, x.inode)["prefers_busy_poll"] == 0
        x.socket.setsockopt(socket.SOL_SOCKET, SO_BUSY_POLL, 20)
        assert (row(m, x.inode)["prefers_busy_poll"], row(m, x.inode)["irqs_deferred"]) == (1, 0)
        with sending(x):
            for received in 0, 4:
                x.ring["fill"].put(*[i * 2048 for i in range(32, 32 + received)])
                ns.send("out0", received)
                text = waits(m, ns, "busy-poll-alone")["text"]
                assert f"[{os.getpid()}] prefers busy polling on queue 0" in text
                defer(2, 0)
                assert row(m, x.inode)["irqs_deferred"] == 0
                defer(2, 200000)
                cleared(m, ns, "busy-poll-alone")
                has = row(m, x.inode)
                assert (has["irqs_deferred"], has["received_total"]) == (1, received)
                defer(0, 0)
        m.stop()
    finally:
        by_queue.close()


def test_sends_on_no_queue(monitor, xsk, netns):
    """Two receive queues, one transmit queue: bind() accepts queue 1."""
    ns = netns("xsk")
    ip(ns, "link", "add", "in0", "numrxqueues", "2", "numtxqueues", "1", "type", "veth", "peer", "name", "out0")
    for name in "in0", "out0":
        ip(ns, "link", "set", name, "up")
    run("ip", "netns", "exec", ns.name, "ethtool", "-L", "in0", "rx", "2")
    with inside(ns):
        x = xsk(tx=16, fill=8, completion=16)
        x.bind(ns.ifindex("in0"), 1)
    m = monitor(*ARGS)
    x.ring["tx"].put(*[(i * 2048, 60, 0) for i in range(3)])
    # it is never kicked: up to 6.18 the kernel would read beyond the device's array of queues
    assert "cannot send on queue 1: the device has 1 transmit queue, numbered from 0; 3 frames wait" in waits(
        m, ns, "xsk-tx-no-queue")["text"]


def test_in_no_map(monitor, xsk, device, tmp_path_factory):
    """A socket that waits for packets is in no xskmap; then it is in that of the device's program."""
    ns, ifindex = device
    with inside(ns):
        x = xsk(rx=32, fill=64, completion=32).bind(ifindex)
    x.ring["fill"].put(*range(0, 20 * 2048, 2048))
    m = monitor(*ARGS)
    assert row(m, x.inode)["in_map"] == 0
    f = waits(m, ns, "xsk-in-no-map")
    assert f["severity"] == "warning" and f["text"].endswith("in0 runs no XDP program"), f["text"]
    by_queue = ByQueue(tmp_path_factory, ns, "in0")
    try:
        f = said(m, lambda r: r["type"] == "finding" and r["code"] == "xsk-in-no-map" and r["netns"] == ns.inode
                 and r["map_id"] and "by_queue" in r["text"], "it names the map", len(m.records))
        assert f"[{os.getpid()}] waits for packets on queue 0" in f["text"]
        assert "in0 runs by_queue (id " in f["text"] and "redirects through xskmap xsks (id " in f["text"]
        assert f"bpftool map dump id {f['map_id']}" in f["next"] and "bpftool net show dev in0" in "".join(f["next"])
        by_queue.put(0, x)
        cleared(m, ns, "xsk-in-no-map")
        assert row(m, x.inode)["in_map"] == 1
        ns.send("out0", 5)
        assert row(m, x.inode)["received_total"] == 5
        begin = len(m.records)
        for _ in range(20):
            m.wait_snapshot()
        assert not [r for r in m.records[begin:] if r["type"] == "finding" and r["netns"] == ns.inode
                    and r["state"] == "active"]
    finally:
        by_queue.close()
