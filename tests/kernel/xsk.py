# SPDX-License-Identifier: GPL-2.0-or-later
"""AF_XDP sockets made with plain system calls, so that a test controls their rings."""
import contextlib
import ctypes
import errno
import mmap
import os
import platform
import shutil
import socket
import struct

from harness import eventually
from namespaces import PREFIX, compiled, run

AF_XDP, SOL_XDP = 44, 283
RX_RING, TX_RING, UMEM_REG, FILL_RING, COMPLETION_RING, STATISTICS = 2, 3, 4, 5, 6, 7
MMAP_OFFSETS = 1
SHARED_UMEM, COPY = 1 << 0, 1 << 1
# from struct xdp_mmap_offsets: option, position in it, bytes per entry, offset for mmap()
RINGS = {
    "rx": (RX_RING, 0, 16, 0),
    "tx": (TX_RING, 1, 16, 0x80000000),
    "fill": (FILL_RING, 2, 8, 0x100000000),
    "completion": (COMPLETION_RING, 3, 8, 0x180000000),
}
COUNTERS = ("rx_dropped", "rx_invalid", "tx_invalid", "rx_queue_full", "rx_fill_ring_empty", "tx_ring_empty")
SYS_PIDFD_OPEN, SYS_PIDFD_GETFD = 434, 438
CLONE_NEWNET = 0x40000000
SO_DOMAIN = 39
SYS_BPF = {"x86_64": 321, "aarch64": 280, "s390x": 351}
MAP_UPDATE_ELEM, OBJ_GET = 2, 7
libc = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


@contextlib.contextmanager
def inside(ns):
    """Makes what this thread opens belong to that namespace."""
    with open("/proc/thread-self/ns/net") as own, open(f"/run/netns/{ns.name}") as other:
        checked(libc.setns(other.fileno(), CLONE_NEWNET))
        try:
            yield
        finally:
            checked(libc.setns(own.fileno(), CLONE_NEWNET))


def statistics(sock):
    """XDP_STATISTICS from the kernel."""
    return dict(zip(COUNTERS, struct.unpack("6Q", sock.getsockopt(SOL_XDP, STATISTICS, 48))))


def inode(sock):
    return os.fstat(sock.fileno()).st_ino


def sockets_of(pid):
    """Opens AF_XDP sockets that another process has open."""
    pidfd = checked(libc.syscall(SYS_PIDFD_OPEN, pid, 0))
    found = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        if not os.readlink(f"/proc/{pid}/fd/{fd}").startswith("socket:"):
            continue
        s = socket.socket(AF_XDP, socket.SOCK_RAW, 0, checked(libc.syscall(SYS_PIDFD_GETFD, pidfd, int(fd), 0)))
        if s.getsockopt(socket.SOL_SOCKET, SO_DOMAIN) == AF_XDP:
            found.append(s)
        else:
            s.close()
    os.close(pidfd)
    return found


class Ring:
    def __init__(self, sock, name, size):
        option, place, entry, offset = RINGS[name]
        sock.setsockopt(SOL_XDP, option, size)
        offsets = struct.unpack("16Q", sock.getsockopt(SOL_XDP, MMAP_OFFSETS, 128))
        self.size, self.entry = size, entry
        self.producer_at, self.consumer_at, self.entries_at, _ = offsets[4 * place:4 * place + 4]
        self.memory = mmap.mmap(sock.fileno(), self.entries_at + size * entry, offset=offset)

    def put(self, *entries):
        """Gives entries to the kernel, without checking for room."""
        at, = struct.unpack_from("I", self.memory, self.producer_at)
        for i, e in enumerate(entries):
            e = struct.pack("Q", e) if self.entry == 8 else struct.pack("QII", *e)
            place = self.entries_at + (at + i) % self.size * self.entry
            self.memory[place:place + self.entry] = e
        struct.pack_into("I", self.memory, self.producer_at, at + len(entries))

    def entries(self, n):
        """The kernel's next entries."""
        at, = struct.unpack_from("I", self.memory, self.consumer_at)
        return [struct.unpack_from("Q" if self.entry == 8 else "QII", self.memory,
                                   self.entries_at + (at + i) % self.size * self.entry) for i in range(n)]

    def fill(self):
        """Number of waiting entries, from the ring's pages."""
        ends = (struct.unpack_from("I", self.memory, at)[0] for at in (self.producer_at, self.consumer_at))
        return (next(ends) - next(ends)) % (1 << 32)

    def take(self, n):
        """Releases this many of the kernel's entries."""
        at, = struct.unpack_from("I", self.memory, self.consumer_at)
        struct.pack_into("I", self.memory, self.consumer_at, at + n)


class Xsk:
    """A socket with the named rings and this many slots; with a umem unless it shares one."""

    def __init__(self, chunks=64, chunk_size=2048, umem=True, **rings):
        self.socket = socket.socket(AF_XDP, socket.SOCK_RAW)
        self.inode = inode(self.socket)
        if umem:
            self.umem = mmap.mmap(-1, chunks * chunk_size)
            address = ctypes.addressof(ctypes.c_char.from_buffer(self.umem))
            self.socket.setsockopt(SOL_XDP, UMEM_REG, struct.pack("QQIIII", address, chunks * chunk_size,
                                                                  chunk_size, 0, 0, 0))
        self.ring = {name: Ring(self.socket, name, size) for name, size in rings.items()}

    def bind(self, ifindex, queue=0, shared=None):
        flags, fd = (SHARED_UMEM, shared.socket.fileno()) if shared else (COPY, 0)
        address = struct.pack("HHIII", AF_XDP, flags, ifindex, queue, fd)
        checked(libc.bind(self.socket.fileno(), address, len(address)))
        return self

    def bind_when_free(self, ifindex):
        """The kernel releases a closed socket's queue some time later."""
        def bound():
            try:
                return self.bind(ifindex)
            except OSError as e:
                if e.errno != errno.EBUSY:
                    raise
        return eventually(bound, "the queue is free")

    def kick(self):
        """Makes the kernel send the TX ring."""
        checked(libc.sendto(self.socket.fileno(), None, 0, socket.MSG_DONTWAIT, None, 0))

    def close(self):
        for ring in self.ring.values():
            ring.memory.close()
        self.socket.close()


def bpf(command, *words):
    """The system call, with 64-bit fields."""
    attr = ctypes.create_string_buffer(struct.pack(f"{len(words)}Q", *words), 128)
    return checked(libc.syscall(SYS_BPF[platform.machine()], command, attr, 128))


BY_QUEUE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");
SEC("xdp") int by_queue(struct xdp_md *ctx)
{
	return bpf_redirect_map(&xsks, ctx->rx_queue_index, 0);
}
char LICENSE[] SEC("license") = "GPL";
"""


class ByQueue:
    """A program on a device that redirects each queue's packets to the socket with its number."""

    def __init__(self, tmp_path_factory, ns, ifname):
        self.at = f"/sys/fs/bpf/{PREFIX}-{ifname}"
        run("bpftool", "prog", "loadall", compiled(tmp_path_factory, BY_QUEUE), self.at, "pinmaps", self.at)
        run("nsenter", f"--net=/run/netns/{ns.name}", "ip", "link", "set", ifname, "xdpdrv", "pinned",
            f"{self.at}/by_queue")
        path = ctypes.create_string_buffer(f"{self.at}/xsks".encode())
        self.map = bpf(OBJ_GET, ctypes.addressof(path))

    def put(self, queue, xsk):
        key, value = ctypes.c_uint32(queue), ctypes.c_uint32(xsk.socket.fileno())
        bpf(MAP_UPDATE_ELEM, self.map, ctypes.addressof(key), ctypes.addressof(value), 0)

    def close(self):
        os.close(self.map)
        shutil.rmtree(self.at)
