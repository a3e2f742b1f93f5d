# SPDX-License-Identifier: GPL-2.0-or-later
"""Recordings to text, JSON, CSV and Prometheus, byte by byte."""
import json
import re
import sys

import pytest

from batch import DEMO, TOP, golden, output, xdptop

sys.path.append(str(TOP / "tests/screens"))
import recording  # pylint: disable=wrong-import-position

ACTS = ["ABORTED", "DROP", "PASS", "TX", "REDIRECT", "UNKNOWN"]

# Findings change with their rules; this checks that nothing else changes.
DERIVED = re.compile(rb'^(?:\{"type":"finding"|(# \w+ )?xdptop_finding_active)[^\n]*\n', re.M)


def without_derived(text):
    return DERIVED.sub(b"", text)


def test_json_is_the_recording():
    """A replay writes the same JSON: nothing is lost."""
    with open(DEMO, "rb") as f:
        assert without_derived(output("-r", DEMO, "-o", "json", "-C")) == f.read()


@pytest.mark.parametrize("name,args", [
    ("all.json", ["-o", "json", "-a"]),
    ("one.json", ["-o", "json", "-n", "1"]),
    ("all.csv", ["-o", "csv"]),
    ("cpus.csv", ["-o", "csv", "-C", "-n", "1"]),
    ("all.prom", ["-o", "prometheus", "-n", "3"]),
    ("cpus.prom", ["-o", "prometheus", "-C", "-n", "1"]),
])
def test_formats(name, args):
    golden(name, without_derived(output("-r", DEMO, *args)))


@pytest.mark.parametrize("view", ["overview", "flows", "errors", "devices", "programs", "cpumap", "stack",
                                  "events", "findings", "tracepoints"])
def test_text(view):
    golden(f"{view}.txt", output("-r", DEMO, "-b", "-v", view, env={"COLUMNS": "80"}))


@pytest.mark.parametrize("columns", [80, 200])
@pytest.mark.parametrize("view", ["maps", "sockets", "queues"])
def test_maps_and_sockets(tmp_path, view, columns):
    """Maps of all four types; sockets that starve, are not polled, are in no map, or are unbound."""
    path = tmp_path / "maps.jsonl"
    recording.write(path, with_maps=True)
    golden(f"{view}-{columns}.txt", output("-r", path, "-b", "-v", view, "-n", "2", env={"COLUMNS": str(columns)}))


@pytest.mark.parametrize("name,args,columns", [
    ("verdicts-programs.txt", ["-v", "programs", "-n", "2"], 250),
    ("verdicts-programs-80.txt", ["-v", "programs", "-n", "2"], 80),
    ("verdicts-cpus.txt", ["-v", "programs", "-n", "1", "-C"], 120),
    ("verdicts-devices.txt", ["-v", "devices", "-n", "2"], 250),
    ("verdicts.prom", ["-o", "prometheus", "-n", "3"], 80),
    ("verdicts-cpus.prom", ["-o", "prometheus", "-n", "1", "-C"], 80),
])
def test_verdicts(tmp_path, name, args, columns):
    """A forwarder, a dispatcher with parts, generic mode, a silent program and a refused one."""
    path = tmp_path / "verdicts.jsonl"
    recording.write(path, series=recording.SERIES[:1], with_verdicts=True)
    text = output("-r", path, "-b", *args, env={"COLUMNS": str(columns)})
    if name.endswith("prom"):
        text = b"".join(line for line in text.splitlines(True) if b"xdptop_verdict" in line)
    golden(name, text)


def test_verdicts_are_recorded(tmp_path):
    """A replay has the rows and states of programs again; CSV has only samples."""
    path, again = tmp_path / "verdicts.jsonl", tmp_path / "again.jsonl"
    recording.write(path, with_verdicts=True)
    again.write_bytes(output("-r", path, "-o", "json", "-C"))
    assert output("-r", again, "-o", "json", "-C") == again.read_bytes()
    rows = [json.loads(line) for line in again.read_bytes().splitlines()]
    of = [row for row in rows if row["type"] == "verdict" and row["seq"] == 6]
    assert [(v["prog_id"], v["ifindex"], v["queue"], v["act"], v["cpu"], v["packets"], v["bytes"]) for v in of] == [
        (*v[:5], 6 * v[5], 6 * v[6]) for v in sorted(recording.VERDICTS, key=lambda v: (v[:3], ACTS.index(v[3])))]
    assert [v["packets_total"] for v in of if v["act"] == "TX"] == [21 * 90]
    assert {(v["prog_name"], v["ifname"]) for v in of if v["prog_id"] == 51} == {("xdp_firewall", "lan0")}
    refused, = [row for row in rows if row["type"] == "program" and row["seq"] == 1 and row["verdicts"] == "refused"]
    assert refused["verdicts_reason"] == "it is offloaded: the NIC runs it"
    csv = output("-r", path, "-o", "csv")
    assert b"xdp_firewall" not in csv
    # fields that were not requested are not written
    recording.write(path)
    assert b"verdict" not in output("-r", path, "-o", "json", "-C")


def test_findings_about_sockets(tmp_path):
    """They name the socket: two findings of a device are two objects, and two gauges."""
    path = tmp_path / "starved.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        for row in recording.rows([], {}, with_maps=True):
            if row["type"] == "socket" and row["inode"] < 9003:
                row.update(zerocopy=1, received_total=0, rx_fill_ring_empty_total=10 * row["seq"], rx_fill=0,
                           fill_fill=0)
            file.write(json.dumps(row) + "\n")
    found = [json.loads(line) for line in output("-r", path, "-o", "json").splitlines() if b'"xsk-starved"' in line]
    assert {(f["ifname"], f["queue"], f["socket_inode"]) for f in found} == {("eth0", 0, 9001), ("eth0", 1, 9002)}
    text = output("-r", path, "-o", "prometheus", "-n", "3").decode()
    assert set(re.findall(r'^xdptop_finding_active\{code="xsk-starved",.*(queue="\d")', text, re.M)) == {
        'queue="0"', 'queue="1"'}


def test_consequences(tmp_path):
    """A socket that nobody reads and its full ring: one finding, which includes the other."""
    path = tmp_path / "unread.jsonl"
    full = ("xdp_redirect_err", dict(netns=recording.INIT, netns_name="init", ifindex=3, ifname="eth0", prog_id=42,
                                     prog_name="xdp_fwd", map_type="xskmap", map_id=23, map_index=1, act="REDIRECT",
                                     err=-105, errname="ENOBUFS"), {0: (900, 900, 900, None)})
    with open(path, "w", encoding="utf-8") as file:
        for row in recording.rows([full], {}, with_maps=True):
            if row["type"] == "socket" and row["inode"] == 9002:
                row["received_total"] = 0
            if row["type"] == "socket":
                row["tx_invalid"] = row["tx_invalid_total"] = 0
            file.write(json.dumps(row) + "\n")
    one = ["-f", "finding=xsk*"]
    lines = output("-r", path, "-o", "json")
    found = [json.loads(line) for line in lines.splitlines() if b'"finding"' in line and b'"code":"xsk' in line]
    assert {(f["code"], f["queue"], f["lost_per_s"] > 0, *f["consequences"]) for f in found} == {
        ("xsk-not-polled", 1, True, "xsk-ring-full")}
    again = tmp_path / "again.jsonl"
    again.write_bytes(lines)
    assert output("-r", again, "-o", "json") == lines
    check = xdptop("--check", "-r", path, *one)
    assert re.fullmatch(rb"critical xsk-not-polled: eth0: .*, and continues, lost 18900 since the start\)\n", check.stdout)
    assert set(re.findall(rb'^xdptop_finding_active\{code="(xsk.*?)"', output("-r", path, "-o", "prometheus"), re.M)) == {
        b"xsk-not-polled"}
    text = output("-r", path, "-b", "-v", "findings").decode().split("snapshot ")[-1]
    assert re.findall(r"^\S+ +(xsk\S+) ", text, re.M) == ["xsk-not-polled"]
    assert "\n  leads to xsk-ring-full: eth0 -> xsk map 23 [1]: the AF_XDP receive ring is full" in text


def test_one_slow_target(tmp_path):
    """Two devices send to it: one finding, which the filter finds by each of them."""
    path = tmp_path / "slow.jsonl"
    recording.write(path, [("xdp_devmap_xmit", dict(
        netns=recording.INIT, netns_name="init", ifindex=ifindex, ifname=ifname, to_netns=recording.INIT, to_ifindex=7,
        to_ifname="veth-web", act="REDIRECT", err=0), {0: (10, 100, 50, None)}) for ifindex, ifname in (
            (3, "eth0"), (5, "eth2"))])
    for args in (), ("-i", "eth0"), ("-i", "eth2"):
        assert [line for line in xdptop("--check", "-r", path, *args).stdout.splitlines() if b"target-" in line] == [
            b"critical target-ring-full: eth0, eth2 -> veth-web: the target accepted fewer frames than it got: "
            b"its ring is full, or a devmap program dropped some (from 2026-11-21 09:15:01 to "
                b"2026-11-21 09:15:06, and continues, lost 2100 since the start)"]
    assert b"target-" not in xdptop("--check", "-r", path, "-i", "eth1").stdout


def test_sockets_not_listed(tmp_path):
    """How many, in every view, and by namespace in the output of a replay."""
    path = tmp_path / "many.jsonl"
    unlisted = {"type": "sockets_left_out", "seq": 2, "time": recording.START % 2, "netns": recording.OTHER,
                "netns_name": "blue", "state": "counted", "left_out": 8808}
    with open(path, "w", encoding="utf-8") as file:
        for row in recording.rows([], {}, with_maps=True):
            if row["type"] == "socket" and row["seq"] == 2:
                file.write(json.dumps(unlisted) + "\n")
            file.write(json.dumps(row) + "\n")
    for view in ("sockets", "flows"):
        text = output("-r", path, "-b", "-v", view, "-n", "2").decode()
        assert re.findall(r"(snapshot \d)|(sockets not listed: 8808)", text) == [
            ("snapshot 1", ""), ("snapshot 2", ""), ("", "sockets not listed: 8808")]
    again = [json.loads(line) for line in output("-r", path, "-o", "json").splitlines()]
    assert [row for row in again if row["type"] == "sockets_left_out" and row["seq"] == 2] == [unlisted]


@pytest.mark.parametrize("name,args,columns", [
    ("flows-wide.txt", ["-v", "flows", "-n", "1"], 160),
    ("flows-cpus.txt", ["-v", "flows", "-n", "1", "-C"], 100),
    ("flows-narrow.txt", ["-v", "flows", "-n", "1"], 40),
    ("flows-sorted.txt", ["-v", "flows", "-n", "1", "-s", "bulk:asc"], 80),
    ("errors-filtered.txt", ["-v", "errors", "-n", "1", "-f", "ifname=eth* errors_per_s>50"], 120),
    ("overview-ascii.txt", ["-n", "1", "--ascii"], 120),
])
def test_text_options(name, args, columns):
    golden(name, output("-r", DEMO, "-b", *args, env={"COLUMNS": str(columns)}))


def test_the_terminal_has_no_part():
    """Neither locale nor width change output for programs."""
    for output_format in ("json", "csv", "prometheus"):
        args = ["-r", DEMO, "-o", output_format]
        for env in ({"LANG": "C", "COLUMNS": "40"}, {"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"}):
            assert output(*args, env=env) == output(*args)


@pytest.mark.parametrize("output_format", ["text", "json", "csv", "prometheus"])
def test_to_is_stdout(tmp_path, output_format):
    """--to writes the same as stdout; prometheus keeps the last snapshot."""
    file = tmp_path / "out"
    assert output("-r", DEMO, "-o", output_format, "--to", file) == b""
    got = file.read_bytes()
    if output_format == "prometheus":
        assert output("-r", DEMO, "-o", output_format).endswith(got)
    else:
        assert got == output("-r", DEMO, "-o", output_format)
    assert file.stat().st_mode & 0o777 == 0o644


def test_stdin():
    with open(DEMO, "rb") as f:
        piped = output("-r", "-", "-o", "json", "-C", stdin=f)
    assert piped == output("-r", DEMO, "-o", "json", "-C")
