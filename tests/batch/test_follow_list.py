# SPDX-License-Identifier: GPL-2.0-or-later
"""--follow over a recording: which events are listed, as text and JSON, and what is refused."""
import json

import pytest

from batch import DEMO, DONE, USAGE, output, xdptop

HEADER = {"type": "header", "schema": 1, "version": "0.1.0", "hostname": "edge1", "kernel": "6.18.0",
          "time": "2026-11-21T13:02:22.000000Z", "cpus_possible": 2, "backend": "btf", "delay_s": 0.1}


def snapshot(seq):
    """The objects of a snapshot, 0.1 s after the previous one."""
    return [{"type": "tracepoint", "seq": seq, "time": f"2026-11-21T13:02:22.{seq}00000Z",
             "tracepoint": name, "state": "on", "events": 0, "events_total": 0}
            for name in ("xdp_redirect", "xdp_devmap_xmit", "net_dev_queue")]


def event(ns, cpu=0, **fields):
    return {"type": "event", "time": f"2026-11-21T13:02:22.{ns:09}Z", "tracepoint": "xdp_redirect",
            "cpu": cpu, "left_out": 0, "follow": "event", "netns_name": "init", **fields}


REDIRECT = {"netns": 4026531840, "ifindex": 2, "ifname": "eth0", "prog_id": 42, "prog_name": "fw",
            "to_netns": 4026531840, "to_ifindex": 3, "to_ifname": "lan0", "map_type": "devmap",
            "map_id": 7, "map_index": 1, "err": 0}
TO_CPU = {**REDIRECT, "to_netns": None, "to_ifindex": None, "to_ifname": None, "to_cpu": 1,
          "map_type": "cpumap", "map_id": 8}
XMIT = {"tracepoint": "xdp_devmap_xmit", "netns": 4026531840, "ifindex": 2, "ifname": "eth0",
        "to_netns": 4026532001, "to_ifindex": 3, "to_ifname": "lan0", "err": -6, "sent": 0,
        "drops": 16}
SKB = {"tracepoint": "net_dev_queue", "netns": 4026531840, "ifindex": 2, "ifname": "eth0",
       "pid": 812, "comm": "ping", "len": 98, "protocol": 2048, "queue_mapping": 0, "gso_segs": 1}
RECORDING = [
    HEADER, *snapshot(1), event(50_000_001, **REDIRECT), event(50_001_205, **TO_CPU), *snapshot(2),
    event(150_000_000, 1, **{**XMIT, "left_out": 512}), event(149_999_700, **SKB),
    event(160_000_000, 1, follow="lost", left_out=3, tracepoint="xdp_devmap_xmit",
          netns_name=None),
    *snapshot(3),
]
LINES = """\
TIME                    GAP CPU TRACEPOINT         DEVICE       NETNS    TARGET         ARGUMENTS
13:02:22.050000001        -   0 xdp_redirect       eth0         init     lan0           prog_id=42 \
act=REDIRECT ifindex=2 err=0 to_ifindex=3 map_id=7 map_index=1
13:02:22.050001205  1.204us   0 xdp_redirect       eth0         init     CPU 1 (map 8)  prog_id=42 \
act=REDIRECT ifindex=2 err=0 to_ifindex=0 map_id=8 map_index=1
lost 512 of xdp_devmap_xmit on CPU 1: the ring was full
13:02:22.150000000        -   1 xdp_devmap_xmit    eth0         init     lan0 (+532001) \
from_ifindex=2 act=REDIRECT to_ifindex=3 drops=16 sent=0 err=-6
13:02:22.149999700   -300ns   0 net_dev_queue      eth0         init     -              len=98 \
name=eth0 protocol=0x0800 queue_mapping=0 gso_segs=1 ping[812]
lost 3 of xdp_devmap_xmit on CPU 1: the ring was full
"""


@pytest.fixture()
def recording(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(o) + "\n" for o in RECORDING))
    return path


def lines(*args):
    return output(*args).decode().splitlines()


def test_text(recording):
    assert output("-r", recording, "--follow", "").decode() == LINES


@pytest.mark.parametrize("expr, kept", [
    ("xdp_redirect", [1, 2]),
    ("tracepoint=xdp_devmap_xmit", [3, 4, 6]),
    ("target=lan0", [1, 3, 4, 6]),
    ('target="CPU 1"', [2]),
    ("netns=init prog_name=fw map_id=7", [1]),
    ("errname=ENXIO", [3, 4, 6]),
    ("ifname=lan*", [3, 6]),
    ("net_dev_queue", [5]),
])
def test_choice(recording, expr, kept):
    """Losses have no names, only a tracepoint."""
    def rest(line):
        return line if line.startswith("lost") else line.split(None, 2)[2]

    wanted = [rest(LINES.splitlines()[i]) for i in kept]
    assert [rest(line) for line in lines("-r", recording, "--follow", expr)[1:]] == wanted


def test_count(recording):
    """Counts events, not snapshots or losses."""
    assert lines("-r", recording, "--follow", "", "-n", "3") == LINES.splitlines()[:5]
    assert lines("-r", recording, "--follow", "", "-n", "0.1s") == LINES.splitlines()[:3]


def test_json(recording, tmp_path):
    """Its JSON is a recording, with the arguments as fields."""
    written = output("-r", recording, "--follow", "", "-o", "json")
    events = [o for o in map(json.loads, written.splitlines()) if o["type"] == "event"]
    given = [o for o in RECORDING if o["type"] == "event"]
    assert len(events) == len(given)
    for wrote, gave in zip(events, given):
        assert {k: wrote.get(k) for k in gave} == gave
    again = tmp_path / "again.jsonl"
    again.write_bytes(written)
    assert output("-r", again, "--follow", "").decode() == LINES
    assert output("-r", again, "--follow", "", "-o", "json") == written


def test_without(recording):
    """JSON of other runs lacks these fields."""
    assert b"follow" not in output("-r", DEMO, "-o", "json")
    assert lines("-r", DEMO, "--follow", "") == LINES.splitlines()[:1]


@pytest.mark.parametrize("args, says", [
    (["--follow", "lost_per_s=1"], "lost_per_s is not a field of an event"),
    (["--follow", "xdp_redirct"], "'xdp_redirct' is not a tracepoint"),
    (["--follow", "", "-o", "csv"], "--follow prints only text or json"),
    (["--follow", "", "--check"], "cannot be used with --check"),
    (["--follow", "", "--listen", "9999"], "cannot be used with --listen"),
    (["--follow", "", "-f", "eth0"], "cannot be used with --filter"),
    (["--follow"], "its argument is missing"),
])
def test_refused(recording, args, says):
    p = xdptop("-r", recording, *args)
    assert (p.returncode, p.stdout) == (USAGE, b"")
    assert says in p.stderr.decode()
    assert p.stderr.count(b"\n") == 1
