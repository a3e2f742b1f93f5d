# SPDX-License-Identifier: GPL-2.0-or-later
"""XDP_ABORTED because of an empty slot: the finding names the map, whoever else uses it and however it is reached."""
import json
import shutil

import pytest

from harness import said
from namespaces import PREFIX, compiled, run, veth
from test_maps import Map, is_row

HEAD = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#define DEVMAP(name_, slots)                     \\
	struct {                                 \\
		__uint(type, BPF_MAP_TYPE_DEVMAP); \\
		__uint(max_entries, slots);      \\
		__type(key, __u32);              \\
		__type(value, __u32);            \\
	} name_ SEC(".maps")
char LICENSE[] SEC("license") = "GPL";
"""
MANY = HEAD + """
DEVMAP(guilty, 4);
DEVMAP(full, 1);
SEC("xdp") int aborts(struct xdp_md *ctx)
{
	return bpf_redirect_map(ctx->ingress_ifindex ? (void *)&guilty : (void *)&full, 3, 0);
}
"""
REACHED = HEAD + """
DEVMAP(of_tail, 4);
struct inner {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u32);
} in_array SEC(".maps"), in_hash SEC(".maps");
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 40);
	__type(key, __u32);
	__array(values, struct inner);
} outer_array SEC(".maps") = { .values = { [33] = &in_array } };
struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 40);
	__type(key, __u32);
	__array(values, struct inner);
} outer_hash SEC(".maps") = { .values = { [33] = &in_hash } };
SEC("xdp") int tail(struct xdp_md *ctx);
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 40);
	__type(key, __u32);
	__array(values, int(void *));
} calls SEC(".maps") = { .values = { [33] = (void *)&tail } };
SEC("xdp") int by_array(struct xdp_md *ctx)
{
	__u32 key = 33;
	void *inner = bpf_map_lookup_elem(&outer_array, &key);

	return inner ? bpf_redirect_map(inner, 3, 0) : XDP_DROP;
}
SEC("xdp") int by_hash(struct xdp_md *ctx)
{
	__u32 key = 33;
	void *inner = bpf_map_lookup_elem(&outer_hash, &key);

	return inner ? bpf_redirect_map(inner, 3, 0) : XDP_DROP;
}
SEC("xdp") int by_tail(struct xdp_md *ctx)
{
	bpf_tail_call(ctx, &calls, 33);
	return XDP_DROP;
}
SEC("xdp") int tail(struct xdp_md *ctx)
{
	return bpf_redirect_map(&of_tail, 3, 0);
}
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
    """feed0 -> in0; loads the programs of a source, and pins them and their maps."""
    src, dst = netns("src"), netns("dst")
    veth(src, "feed0", dst, "in0")

    def load(source):
        path = compiled(tmp_path_factory, source)
        run("bpftool", "prog", "loadall", path, DIRECTORY, "pinmaps", DIRECTORY)
        return path

    try:
        yield load, src, dst
    finally:
        shutil.rmtree(DIRECTORY, ignore_errors=True)


def put(name, key, ns, ifname):
    run("nsenter", f"--net=/run/netns/{ns.name}", "bpftool", "map", "update", "pinned", f"{DIRECTORY}/{name}",
        "key", *Map.bytes(key), "value", *Map.bytes(ns.ifindex(ifname)))


def aborted(m, src, dst):
    """Sends frames, and returns the finding they cause."""
    src.send("feed0", 50)
    return said(m, lambda r: r["type"] == "finding" and r["code"] == "aborted" and r["netns"] == dst.inode,
                "the finding")


def test_many_users(monitor, scene):
    """Six programs use the map, and the attached one was loaded last."""
    load, src, dst = scene
    path = load(MANY)
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
    assert f["map_id"] == guilty and f["next"][0] == f"bpftool map dump id {guilty}"
    program = [r for r in m.records if r["type"] == "program" and r["prog_id"] == f["prog_id"]][-1]
    assert program["maps"].split(",") == [str(i) for i in sorted((guilty, map_id("full")))]
    assert program["maps_total"] == 2


@pytest.mark.parametrize("program,name,users", [
    ("by_array", "in_array", {"by_array"}),
    ("by_hash", "in_hash", {"by_hash"}),
    ("by_tail", "of_tail", {"by_tail", "tail"}),
])
def test_not_its_own(monitor, scene, program, name, users):
    """A map inside another, or of a program reached by a tail call; the row of the map names the attached program."""
    load, src, dst = scene
    load(REACHED)
    attach(dst, "in0", program)
    m = monitor("-d", "0.3")
    f = aborted(m, src, dst)
    m.stop()
    assert f["prog_id"] == prog_id(program)
    assert f"its devmap {name} (id {map_id(name)}) is empty (4 slots)" in f["text"]
    # the tail call may have found nothing, and then no other program ran
    calls = map_id("calls") if program == "by_tail" else None
    assert (f"a tail call of the program found an empty slot in prog_array {calls}" in f["text"]) == bool(calls)
    assert [r for r in m.records if r["type"] == "program" and r["prog_id"] == f["prog_id"]][-1].get("prog_array") == calls
    row = [r for r in m.records if is_row(map_id(name), None)(r)][-1]
    assert row["users"].split(",")[0] == str(f["prog_id"])
    assert {int(i) for i in row["users"].split(",")} == {prog_id(p) for p in users}
