# SPDX-License-Identifier: GPL-2.0-or-later
"""Known packets, and filters with each primitive of pcap-filter(7)."""
import random
import struct

ETHERTYPES = {"ip": 0x0800, "ip6": 0x86dd, "arp": 0x0806, "vlan": 0x8100, "qinq": 0x88a8, "mpls": 0x8847, "pppoe": 0x8864,
              "pppoed": 0x8863}


def addresses(rng):
    return rng.choice((b"\xff" * 6, b"\x01\x00\x5e\x00\x00\x01", b"\x33\x33\x00\x00\x00\x01", b"\x02\0\0\0\0\x01",
                       b"\x02\0\0\0\0\x02")) + rng.choice((b"\x02\0\0\0\0\x01", b"\x02\0\0\0\0\x02"))


def transport(rng, protocol):
    ports = struct.pack(">HH", rng.choice((80, 443, 53, 1024, 6000)), rng.choice((80, 443, 53, 22, 4789, 65535)))
    data = rng.randbytes(rng.choice((0, 1, 8, 40, 300, 1200)))
    if protocol == 6:
        words = rng.choice((5, 5, 5, 8, 15))
        text = rng.choice((b"GET / HTTP/1.1\r\n", b"", b"\x16\x03\x01"))
        return ports + rng.randbytes(8) + bytes((words << 4, rng.choice((0x02, 0x12, 0x10, 0x04, 0x11, 0x18)))) + \
            rng.randbytes(6) + rng.randbytes((words - 5) * 4) + text + data
    if protocol == 17:
        if rng.random() < 0.2:
            return ports[:2] + struct.pack(">HHH", 4789, 8 + 8 + len(data), 0) + b"\x08\0\0\0\0\0\x2a\0" + ethernet(rng, 1)
        return ports + struct.pack(">HH", 8 + len(data), 0) + data
    if protocol in (1, 58):
        return bytes((rng.choice((0, 3, 8, 11, 128, 133, 135, 136)), rng.choice((0, 1, 3)))) + rng.randbytes(6) + data
    if protocol == 132:
        return ports + rng.randbytes(8) + bytes((rng.choice((0, 1, 3)), 0, 0, 4)) + data
    return rng.randbytes(8) + data


def ipv4(rng):
    words = rng.choice((5, 5, 5, 6, 15))
    protocol = rng.choice((6, 6, 17, 17, 1, 2, 47, 50, 51, 89, 112, 132, 103))
    fragment = rng.choice((0, 0, 0, 0x4000, 0x2000, 0x2001, 0x00b9))
    data = transport(rng, protocol)
    source, destination = (bytes((10, 0, rng.randrange(4), rng.randrange(8))) for _ in range(2))
    if rng.random() < 0.1:
        destination = rng.choice((b"\xe0\0\0\x01", b"\xff\xff\xff\xff", b"\x0a\0\0\xff"))
    head = struct.pack(">BBHHHBBH", 4 << 4 | words, rng.choice((0, 0x10, 0xb8)), words * 4 + len(data), rng.randrange(65536),
                       fragment, rng.choice((1, 64, 255)), protocol, 0)
    return head + source + destination + rng.randbytes((words - 5) * 4) + data


def ipv6(rng):
    protocol = rng.choice((6, 6, 17, 17, 58, 58, 132, 50, 89, 103))
    data = transport(rng, protocol)
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        header = rng.choice((0, 43, 44, 60))
        data = bytes((protocol, 0)) + (rng.choice((b"\0\0", b"\0\1", b"\1\0")) if header == 44 else rng.randbytes(2)) + \
            rng.randbytes(4) + data
        protocol = header
    source, destination = (bytes.fromhex("20010db8") + bytes((0, rng.randrange(3))) + bytes(9) + bytes((rng.randrange(4),))
                           for _ in range(2))
    if rng.random() < 0.2:
        destination = bytes.fromhex("ff020000000000000000000000000001")
    return struct.pack(">IHBB", 6 << 28 | rng.choice((0, 0xb8 << 20)) | rng.randrange(1 << 20), len(data), protocol, 64) + \
        source + destination + data


def arp(rng):
    return struct.pack(">HHBBH", 1, 0x0800, 6, 4, rng.choice((1, 2, 3))) + rng.randbytes(6) + bytes((10, 0, 0, rng.randrange(8))) + \
        bytes(6) + bytes((10, 0, 0, rng.randrange(8))) + bytes(rng.choice((0, 18)))


def network(rng, depth=0):
    """(EtherType, data)"""
    kind = rng.choice(("ip",) * 6 + ("ip6",) * 5 + ("arp",) * 2 + (("vlan", "vlan", "qinq", "mpls", "pppoe", "pppoed") if depth < 2 else ()) +
                      ("llc", "other"))
    if kind in ("vlan", "qinq"):
        inner, data = network(rng, depth + 1)
        data = struct.pack(">HH", rng.randrange(8) << 13 | rng.choice((1, 5, 10, 100, 4094)), inner) + data
    elif kind == "mpls":
        labels = rng.choice((1, 1, 2))
        data = b"".join(struct.pack(">I", rng.choice((16, 100, 1000)) << 12 | (i == labels - 1) << 8 | 64)
                        for i in range(labels)) + ipv4(rng)
    elif kind in ("pppoe", "pppoed"):
        protocol, payload = rng.choice(((0x0021, ipv4), (0x0057, ipv6), (0xc021, lambda r: r.randbytes(20))))
        data = payload(rng)
        data = struct.pack(">BBHHH", 0x11, 0, rng.choice((1, 7)), len(data) + 2, protocol) + data
    elif kind == "llc":
        data = rng.choice((b"\x42\x42\x03" + bytes(35), b"\xaa\xaa\x03\0\0\0\x08\x00" + ipv4(rng), b"\xe0\xe0\x03" + bytes(30),
                           b"\xaa\xaa\x03\x08\0\x07\x80\x9b" + bytes(30), b"\xfe\xfe\x03\x81" + bytes(30)))
        return min(len(data), 1500), data
    elif kind == "other":
        return rng.choice((0x88cc, 0x9000, 0x80f3, 0x6003, 0x0600, 0x8137)), rng.randbytes(46)
    else:
        data = {"ip": ipv4, "ip6": ipv6, "arp": arp}[kind](rng)
    return ETHERTYPES[kind], data


def ethernet(rng, depth=0):
    kind, data = network(rng, depth)
    frame = addresses(rng) + struct.pack(">H", kind) + data
    return frame[:rng.randrange(14, len(frame) + 1)] if rng.random() < 0.1 else frame


def write(path, n):
    """A pcap file of n packets; the time of a packet is its number."""
    rng = random.Random(n)
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHIIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i in range(n):
            frame = ethernet(rng)[:2000]
            f.write(struct.pack("<IIII", i, 0, len(frame), len(frame)) + frame)


def numbers(data):
    """The numbers of the packets in a pcap file of write()."""
    at = 24
    while at < len(data):
        number, _, n, _ = struct.unpack_from("<IIII", data, at)
        yield number
        at += 16 + n


QUALIFIED = [f"{direction}{kind}" for direction in ("", "src ", "dst ", "src or dst ", "src and dst ")
             for kind in ("host 10.0.1.2", "net 10.0.2.0/24", "net 10.0.0.0 mask 255.255.254.0", "host 2001:db8::1",
                          "net 2001:db8:1::/48", "port 443", "portrange 50-100")]
FILTERS = QUALIFIED + [
    # the link
    "ether host 02:00:00:00:00:01", "ether src 02:00:00:00:00:02", "ether dst ff:ff:ff:ff:ff:ff", "ether broadcast",
    "ether multicast", "broadcast", "multicast", "not broadcast", "not multicast", "ether proto 0x88cc", "ether proto \\ip",
    "ether proto \\ip6", "ether proto \\arp", "ip", "ip6", "arp", "rarp", "atalk", "aarp", "decnet", "iso", "stp", "ipx", "netbeui",
    "llc", "llc i", "llc s", "llc u", "llc rr", "llc ui", "ether proto 0x9000 or stp", "lat", "moprc", "mopdl",
    # tags
    "vlan", "vlan 10", "vlan 10 and tcp", "vlan and vlan", "vlan 100 and vlan 5 and ip", "not vlan", "vlan and ip6", "vlan and arp",
    "mpls", "mpls 100", "mpls 1000 and host 10.0.1.1", "mpls and tcp port 443", "pppoed", "pppoes", "pppoes 7", "pppoes and ip",
    "pppoes 1 and ip6", "pppoes and tcp port 80", "geneve", "vlan and pppoes",
    # the network
    "ip broadcast", "ip multicast", "ip6 multicast", "ip proto 6", "ip proto \\tcp", "ip6 proto 6", "ip6 proto \\udp", "proto 17",
    "proto \\ospf", "ip proto 89", "ip6 proto 44", "icmp", "icmp6", "igmp", "igrp", "pim", "ah", "esp", "vrrp", "carp", "sctp", "tcp",
    "udp", "proto 132", "arp host 10.0.0.3", "arp src host 10.0.0.1", "arp dst host 10.0.0.2", "arp net 10.0.0.0/30",
    "rarp host 10.0.0.1", "ip host 10.0.0.1", "ip src net 10.0.3.0/24", "ip6 host 2001:db8::2", "ip6 src host 2001:db8:1::3",
    "ip6 dst net ff02::/16", 
    # ports
    "tcp port 443", "udp port 53", "sctp port 80", "tcp src port 443", "udp dst port 4789", "tcp portrange 1-1024",
    "udp src portrange 1000-7000", "port https", "tcp dst port domain", "udp port domain or udp port 4789", "not port 53",
    "tcp port 80 or tcp port 443", "ip6 and tcp port 443", "ip and udp port 53", "src port 80 and dst port 22",
    "port 443 and host 10.0.1.2", "ip6 and dst port 65535", "sctp dst portrange 50-100",
    # lengths and bytes
    "less 64", "greater 1000", "len = 60", "len > 500", "len <= 100", "len != 42", "len % 2 = 1", "len / 64 = 3", "len & 1 = 0",
    "ether[0] & 1 = 0", "ether[12:2] = 0x0800", "ether[12:2] < 1536", "ip[0] & 0xf != 5", "ip[6:2] & 0x1fff = 0", "ip[6] & 0x20 != 0",
    "ip[8] < 5", "ip[1] = 0xb8", "ip[2:2] > 576", "ip[2:2] - ((ip[0] & 0xf) << 2) > 300", "ip6[6] = 58", "ip6[40] = 135",
    "ip6[6] = 44 and ip6[40] = 6", "ip6[4:2] > 200", "icmp[0] = 8", "icmp[icmptype] = icmp-echo", "icmp[icmptype] != icmp-echoreply",
    "icmp[icmpcode] = 3", "icmp6[0] = 135", "icmp6[icmp6type] = icmp6-neighborsolicit", "icmp6[icmp6type] == icmp6-routersolicit",
    "tcp[13] & 2 != 0", "tcp[tcpflags] & (tcp-syn|tcp-fin) != 0", "tcp[tcpflags] = tcp-syn", "tcp[tcpflags] & tcp-rst != 0",
    "tcp[((tcp[12] & 0xf0) >> 2):4] = 0x47455420", "tcp[12] >> 4 > 5", "udp[4:2] > 100", "udp[8:4] = 0x08000000", "udp[8] & 8 != 0",
    "arp[6:2] = 1", "arp[7] = 2", "arp[14:4] = 0x0a000003", "ether[100] = 7", "ether[1000:4] > 0x7fffffff", "ether[1999] = 0",
    "ip[ip[0] & 0x3f] = 3", "ip[9] ^ 6 = 0", "ip[8] * 2 > 128", "ip[8] % 3 = 1", "ip[8] / ip[1] = 4", "ip[8] % ip[1] = 0",
    "len << 2 > 4000", "len >> 3 = 8", "len | 1 = 61", "0 = ip[12] - 10", "ip[16] + ip[17] + ip[18] = 12", "ether[len - 1] = 0",
    "ip[4:2] & 0xff00 = 0x1200", "-1 != ip[0]", "link[0] = 0xff", "ether[14 + (ether[14] & 0xf) * 4] = 1",
    # combinations
    "tcp and not port 22", "not (tcp or udp)", "(tcp or udp) and (port 53 or port 443) and not host 10.0.1.2",
    "ip and not icmp and not net 10.0.0.0/23", "host 10.0.0.1 and (host 10.0.1.2 or host 10.0.2.3)",
    "src net 10.0.0.0/23 and dst net 10.0.2.0/23 and tcp", "udp and ip[6:2] & 0x3fff != 0", "arp or icmp or icmp6",
    "ip6 and not (icmp6 or tcp)", "not ip and not ip6 and not arp", "tcp or vlan and tcp", "port 80 or (vlan and port 80)",
    "host 10.0.0.1 or host 10.0.0.2 or host 10.0.0.3 or host 10.0.0.4 or host 10.0.0.5 or host 10.0.0.6 or host 10.0.0.7",
    " or ".join(f"(host 10.0.{i}.{j} and tcp port {p})" for i in range(2) for j in range(3) for p in (80, 443)),
]
