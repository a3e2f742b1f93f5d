# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs and maps that do not belong together, made with bpftool; and the same when they do."""
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from harness import TOP, said
from namespaces import PREFIX, compiled, ip, run, veth

pytestmark = pytest.mark.alone  # bpftool's walk of all maps is another user of each

QUICK = ("-d", "0.2", "-t", "none")
FIREWALL = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#define MAP(name, kind, n, size) \\
	struct { \\
		__uint(type, BPF_MAP_TYPE_##kind); \\
		__uint(max_entries, n); \\
		__uint(key_size, 4); \\
		__uint(value_size, size); \\
	} name SEC(".maps")
MAP(blocked, HASH, 100, 4);
MAP(stats, PERCPU_ARRAY, 4, 8);
MAP(calls, PROG_ARRAY, 4, 4);
MAP(tx_port, DEVMAP, 8, 4);
SEC("xdp") int fw(struct xdp_md *ctx)
{
	__u32 key = 0;
	__u64 *n = bpf_map_lookup_elem(&stats, &key);

	if (n)
		*n += 1;
	if (bpf_map_lookup_elem(&blocked, &key))
		return bpf_redirect_map(&tx_port, 1, XDP_DROP);
	bpf_tail_call(ctx, &calls, 0);
	return XDP_PASS;
}
char LICENSE[] SEC("license") = "GPL";
"""


class Firewall:
    """The program on a device, and the pins of an older one's maps, which was unloaded."""

    def __init__(self, ns, path):
        self.ns = ns
        self.pins = f"/sys/fs/bpf/{PREFIX}-setups"
        veth(ns, "in0", ns, "feed0")
        os.mkdir(self.pins)
        for which in "old", "new":
            run("bpftool", "prog", "loadall", path, f"{self.pins}/{which}", "pinmaps", f"{self.pins}/{which}")
        os.unlink(f"{self.pins}/old/fw")
        run("nsenter", f"--net=/run/netns/{ns.name}", "ip", "link", "set", "in0", "xdpdrv", "pinned",
            f"{self.pins}/new/fw")

    def map_id(self, which, name):
        return json.loads(run("bpftool", "-j", "map", "show", "pinned", f"{self.pins}/{which}/{name}"))["id"]

    def put(self, which, name, key, value):
        run("bpftool", "map", "update", "pinned", f"{self.pins}/{which}/{name}",
            "key", *str(key), "0", "0", "0", "value", *str(value), "0", "0", "0")

    def end(self):
        shutil.rmtree(self.pins, ignore_errors=True)


@pytest.fixture
def firewall(netns, tmp_path_factory):
    f = None
    try:
        f = Firewall(netns("setups"), compiled(tmp_path_factory, FIREWALL))
        yield f
    finally:
        if f:
            f.end()


def finding(code, **fields):
    return lambda r: r["type"] == "finding" and r["code"] == code and all(r[k] == v for k, v in fields.items())


def test_map_not_in_use(firewall, monitor):
    """A tool fills the old map; the program's own maps, filled as well, are not reported."""
    f = firewall
    m = monitor(*QUICK)
    old, new = f.map_id("old", "blocked"), f.map_id("new", "blocked")
    said(m, lambda r: r["type"] == "map" and r["map_id"] == old and r.get("like_id") == new, "the old map")
    f.put("old", "blocked", 1, 1)
    r = said(m, finding("map-not-in-use", map_id=old), "it is filled")
    assert r["severity"] == "warning" and (r["prog_name"], r["ifname"]) == ("fw", "in0")
    assert f"uses another map of the same name, type and sizes, id {new}. It has 1 entry" in r["text"]
    assert "and the program's map is empty" in r["text"]
    assert [f"bpftool -f map show id {i}" for i in (old, new)] == r["next"][:2]
    f.put("new", "blocked", 1, 1)
    f.put("old", "blocked", 2, 1)
    r = said(m, lambda r: finding("map-not-in-use", map_id=old)(r) and "It has 2 entries, 2 added" in r["text"], "it grows")
    assert r["severity"] == "warning" and "is empty" not in r["text"]
    # an array, of which nobody knows who fills it
    r = said(m, finding("map-not-in-use", map_id=f.map_id("old", "stats")), "the old counters")
    assert r["severity"] == "info"
    # a map for redirects
    f.put("old", "tx_port", 1, f.ns.ifindex("in0"))
    r = said(m, finding("map-not-in-use", map_id=f.map_id("old", "tx_port")), "the old devmap")
    assert r["severity"] == "warning" and "which is empty" in r["text"]
    new = {f.map_id("new", name) for name in ("blocked", "stats", "tx_port", "calls")}
    shutil.rmtree(f"{f.pins}/old")
    said(m, finding("map-not-in-use", map_id=old, state="cleared"), "mended")
    assert not [r for r in m.stop() if r["type"] == "finding" and r["map_id"] in new]


def test_tail_calls_gone(firewall, monitor):
    """The program array loses its pin; while it is pinned, an empty one is none of our business."""
    f = firewall
    m = monitor(*QUICK)
    calls = f.map_id("new", "calls")
    said(m, lambda r: r["type"] == "map" and r["map_id"] == f.map_id("new", "blocked"), "the maps")
    m.wait_after(m.records[-1], 6)
    assert not [r for r in m.records if r["type"] == "finding" and r["map_id"] == calls]
    os.unlink(f"{f.pins}/new/calls")
    r = said(m, finding("tail-calls-gone", map_id=calls), "it is empty")
    assert r["severity"] == "info" and (r["prog_name"], r["ifname"]) == ("fw", "in0")
    assert "no process or pin holds it" in r["text"] and f"bpftool map show id {calls}" in r["next"]
    row = said(m, lambda r: r["type"] == "map" and r["map_id"] == calls, "its row")
    assert (row["map_type"], row["entries"]) == ("prog_array", 0)


def loader(*args):
    p = subprocess.Popen([sys.executable, str(TOP / "tests/kernel/loader.py"), *args], stdout=subprocess.PIPE)
    assert p.stdout.readline() == b"ready\n"
    return p


def test_newer_program_idle(netns, monitor):
    """A newer program of the name is attached nowhere; one in a program array, and one of another name, are not it."""
    ns = netns("newer")
    veth(ns, "in0", ns, "feed0")
    inside = ["nsenter", f"--net=/run/netns/{ns.name}"]
    names = {"same": f"idle{os.getpid()}", "other": f"other{os.getpid()}"}
    first = subprocess.Popen([*inside, sys.executable, str(TOP / "tests/kernel/loader.py"), names["same"],
                              str(ns.ifindex("in0")), "netlink"], stdout=subprocess.PIPE)
    loaders = [first]
    try:
        assert first.stdout.readline() == b"ready\n"
        loaders += [loader(names["other"], "0"), loader(names["same"], "0")]
        m = monitor(*QUICK)
        programs = json.loads(run("bpftool", "-j", "prog", "show"))
        old, new = (p["id"] for p in programs if p.get("name") == names["same"])
        r = said(m, finding("newer-program-idle", prog_id=old), "the newer one")
        assert (r["severity"], r["ifname"]) == ("info", "in0")
        assert f"a newer program of the same name, id {new}, is attached to no device" in r["text"]
        assert f"is held by python3[{loaders[2].pid}]" in r["text"]
        assert r["next"][:2] == [f"bpftool prog show id {i}" for i in (new, old)]
        row = said(m, lambda r: r["type"] == "program" and r["prog_id"] == old and r.get("newer_id") == new, "its row")
        assert row["newer_pid"] == loaders[2].pid
        # it takes the place of the old one
        ip(ns, "link", "set", "dev", "in0", "xdpdrv", "off")
        run("bpftool", "prog", "pin", "id", str(new), f"/sys/fs/bpf/{names['same']}")
        run(*inside, "ip", "link", "set", "in0", "xdpdrv", "pinned", f"/sys/fs/bpf/{names['same']}")
        said(m, finding("newer-program-idle", prog_id=old, state="cleared"), "mended")
        begin = len(m.records)
        m.wait_after(m.records[-1], 12)
        assert not [r for r in m.records[begin:] if finding("newer-program-idle", netns=ns.inode, state="active")(r)]
    finally:
        for p in loaders:
            p.send_signal(signal.SIGKILL)
            p.wait()
        if os.path.exists(f"/sys/fs/bpf/{names['same']}"):
            os.unlink(f"/sys/fs/bpf/{names['same']}")
