# SPDX-License-Identifier: GPL-2.0-or-later
"""
Runs in its own user and network namespace, and sends netlink datagrams there: to a group, and to each socket.
A line on stdin starts a round, "one" or "many SEED N"; then it prints how many were accepted.
"""
import random
import socket
import struct
import sys

NEWLINK, NLMSG_HEADER, LINK_GROUP = 16, "=IHHII", 1


def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def link(name, length=None):
    """RTM_NEWLINK of a device with a native program as from the kernel, possibly with another length."""
    xdp = attribute(2, b"\x01") + attribute(4, struct.pack("=I", 77))
    body = struct.pack("=BBHiII", 0, 0, 1, 4242, 1, 0) + attribute(3, name) + attribute(43 | 0x8000, xdp)
    return struct.pack(NLMSG_HEADER, length or 16 + len(body), NEWLINK, 0, 0, 0) + body


def portids():
    """The sockets of this namespace, except the kernel's."""
    with open("/proc/net/netlink", encoding="ascii") as sockets:
        rows = [line.split() for line in list(sockets)[1:]]
    return [int(r[2]) for r in rows if r[1] == "0" and int(r[2])]


def mutate(rng):
    data = bytearray(link(b"forged0\0"))
    for _ in range(rng.randrange(1, 9)):
        data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return bytes(data[: rng.choice((len(data), rng.randrange(len(data))))])


def main():
    s = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
    s.bind((0, 0))
    own = s.getsockname()[0]

    def send(data):
        n = 0
        for to in [(0, LINK_GROUP), *((p, 0) for p in portids() if p != own)]:
            try:
                n += s.sendto(data, to) > 0
            except OSError:  # refused, or its queue is full
                pass
        return n

    print("ready", flush=True)
    for line in sys.stdin:
        word, *args = line.split()
        left = 0
        if word == "one":
            left = send(link(b"forged0\0", 0xFFFFFFF0)) + send(link(b"forged0\0"))
        elif word == "many":
            rng = random.Random(int(args[0]))
            left = sum(send(mutate(rng)) for _ in range(int(args[1])))
        print(left, flush=True)


main()
