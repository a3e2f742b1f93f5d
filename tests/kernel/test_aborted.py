# SPDX-License-Identifier: GPL-2.0-or-later
"""XDP_ABORTED by an empty slot: the map is named, whoever else uses it and however it is reached."""
import json
import shutil

import pytest

from harness import said
from namespaces import PREFIX, compiled, run, veth
from test_maps import Map, is_row

SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#define DEVMAP(name_, slots)                     \\
	struct {                                 \\
		__uint(type, BPF_MAP_TYPE_DEVMAP); \\
		__uint(max_entries, slots);      \\
		__type(key, __u32);              \\
		__type(value, __u32);            \\
	} name_ SEC(".maps")
DEVMAP(guilty, 4);
DEVMAP(full, 1);
SEC("xdp") int aborts(struct xdp_md *ctx)
{
	return bpf_redirect_map(ctx->ingress_ifindex ? (void *)&guilty : (void *)&full, 3, 0);
}
char LICENSE[] SEC("license") = "GPL";
"""
DIRECTORY = f"/sys/fs/bpf/{PREFIX}-aborted"


def map_id(name):
    return json.loads(run("bpftool", "-j", "map", "show", "pinned", f"{DIRECTORY}/{name}"))["id"]


def prog_id(name):
    return json.loads(run("bpftool", "-j", "prog", "show", "pinned", f"{DIRECTORY}/{name}"))["id"]


def attach(ns, ifname, program):
    run("nsenter", f"--net=/run/netns/{ns.name}", "ip", "link", "set", ifname, "xdpdrv", "pinned",
        f"{DIRECTORY}/{program}")


@pytest.fixture
def scene(netns, tmp_path_factory):
    """feed0 -> in0; every program and map is pinned. The object file, the two namespaces."""
    src, dst = netns("src"), netns("dst")
    veth(src, "feed0", dst, "in0")
    path = compiled(tmp_path_factory, SOURCE)
    try:
        run("bpftool", "prog", "loadall", path, DIRECTORY, "pinmaps", DIRECTORY)
        yield path, src, dst
    finally:
        shutil.rmtree(DIRECTORY, ignore_errors=True)


def put(name, key, ns, ifname):
    run("nsenter", f"--net=/run/netns/{ns.name}", "bpftool", "map", "update", "pinned", f"{DIRECTORY}/{name}",
        "key", *Map.bytes(key), "value", *Map.bytes(ns.ifindex(ifname)))


def aborted(m, src, dst):
    """The finding that frames lead to."""
    src.send("feed0", 50)
    return said(m, lambda r: r["type"] == "finding" and r["code"] == "aborted" and r["netns"] == dst.inode,
                "the finding")


def test_many_users(monitor, scene):
    """Six programs have the map, and the attached one was loaded last."""
    path, src, dst = scene
    put("full", 0, dst, "in0")
    for i in range(5):
        run("bpftool", "prog", "load", path, f"{DIRECTORY}/user{i}", "map", "name", "guilty", "pinned",
            f"{DIRECTORY}/guilty", "map", "name", "full", "pinned", f"{DIRECTORY}/full")
    attach(dst, "in0", "user4")
    m = monitor("-d", "0.3")
    guilty = map_id("guilty")
    row = said(m, lambda r: is_row(guilty, None)(r) and r["users_total"], "the map")
    assert row["users_total"] == 6
    users = row["users"].split(",")
    assert users[0] == str(prog_id("user4")) and len(users) == 4
    f = aborted(m, src, dst)
    m.stop()
    assert f"its devmap guilty (id {guilty}) is empty (4 slots)" in f["text"]
    assert "full" not in f["text"]
    program = [r for r in m.records if r["type"] == "program" and r["prog_id"] == f["prog_id"]][-1]
    assert program["maps"].split(",") == [str(i) for i in sorted((guilty, map_id("full")))]
    assert program["maps_total"] == 2
