# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces, devices and programs that a test creates."""
import json
import os
import subprocess

import pytest

PREFIX = f"xdptop{os.getpid()}"
FRAME = b"\xff" * 12 + b"\x88\xb5" + bytes(50)  # broadcast, with an ethertype for experiments


def run(*args):
    env = dict(os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
    p = subprocess.run(args, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert p.returncode == 0, (args, p.stderr.decode())
    return p.stdout


def ip(ns, *args):
    return run("ip", "-n", ns.name, *args)


class Namespace:
    def __init__(self, name):
        self.name = name
        run("ip", "netns", "add", name)
        try:
            self.inode = os.stat(f"/run/netns/{name}").st_ino
            # neighbour discovery would add events
            self.python(
                "for i in ('all', 'default'):"
                " open(f'/proc/sys/net/ipv6/conf/{i}/disable_ipv6', 'w').write('1')"
            )
        except BaseException:
            self.delete()
            raise

    def python(self, code, **kwargs):
        run("ip", "netns", "exec", self.name, "python3", "-c", code)

    def send(self, ifname, n):
        self.python(
            "import socket\n"
            "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
            f"s.bind(({ifname!r}, 0))\n"
            f"for i in range({n}): s.send({FRAME!r})"
        )

    def ifindex(self, ifname):
        return json.loads(ip(self, "-j", "link", "show", "dev", ifname))[0]["ifindex"]

    def delete(self):
        if os.path.exists(f"/run/netns/{self.name}"):
            run("ip", "netns", "del", self.name)


@pytest.fixture
def netns():
    """Creates namespaces, which are deleted at the end."""
    made = []

    def make(name):
        made.append(Namespace(f"{PREFIX}-{name}"))
        return made[-1]

    yield make
    for ns in made:
        ns.delete()


def veth(a, ifname, b, peer, *args):
    ip(a, "link", "add", ifname, *args, "type", "veth", "peer", "name", peer, "netns", b.name)
    for ns, name in ((a, ifname), (b, peer)):
        ip(ns, "link", "set", name, "up")


OBJECTS = {}  # of each source, in this process


def compiled(tmp_path_factory, source):
    """An object file compiled from BPF source."""
    if source in OBJECTS:
        return OBJECTS[source]
    path = tmp_path_factory.mktemp("bpf")
    (path / "program.bpf.c").write_text(source)
    run("clang", "-target", "bpf", "-O2", "-g", f"-I/usr/include/{os.uname().machine}-linux-gnu",
        "-c", str(path / "program.bpf.c"), "-o", str(path / "program.o"))
    OBJECTS[source] = str(path / "program.o")
    return OBJECTS[source]
