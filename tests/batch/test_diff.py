# SPDX-License-Identifier: GPL-2.0-or-later
"""--diff: what is new, gone or changed between two recordings or two spans of one."""
import json

import pytest

from batch import DEMO, DONE, FILE, TOP, USAGE, xdptop
from test_documents import field_faults, value_faults

DIFFERENT = 6
START = 9 * 3600 + 15 * 60
DEVICE = {"type": "device", "netns": 4026531840, "netns_name": "init", "ifname": "eth0", "ifindex": 3, "state": "up",
          "mtu": 1500, "mode": "native", "prog_id": 42, "prog_name": "fwd", "driver": "ixgbe"}


def clock(second):
    return "2026-11-21T%02d:%02d:%02d.000000Z" % (second // 3600, second // 60 % 60, second % 60)


def flow(rate, to="eth1", **fields):
    return {"type": "sample", "tracepoint": "xdp_devmap_xmit", "netns": 4026531840, "netns_name": "init", "ifindex": 3,
            "ifname": "eth0", "to_netns": 4026531840, "to_ifindex": 4 if to == "eth1" else 5, "to_ifname": to,
            "act": "REDIRECT", "err": 0, "events": rate, "packets": rate, "drops": 0, **fields}


def recording(seconds):
    """One second for each list of rows; totals are summed up."""
    rows = [{"type": "header", "schema": 1, "hostname": "edge1", "time": clock(START), "delay_s": 1}]
    totals = {}
    for seq, now in enumerate(seconds, 1):
        at = {"seq": seq, "time": clock(START + seq)}
        rows.append({"type": "tracepoint", **at, "tracepoint": "xdp_devmap_xmit", "state": "on"})
        for row in sorted(now, key=lambda r: r["type"]):
            row = {**row, **at}
            if row["type"] == "sample":
                row["interval_s"] = 1
                for name in ("events", "packets", "drops"):
                    key = (row["to_ifname"], row["to_ifindex"], row["err"], name)
                    totals[key] = row[name + "_total"] = totals.get(key, 0) + row[name]
            rows.append(row)
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture()
def file(tmp_path):
    def make(name, seconds):
        path = tmp_path / name
        path.write_text(recording(seconds))
        return path

    return make


def diff(*args):
    p = xdptop("--diff", *args, "-o", "json")
    assert p.stderr == b""
    rows = [json.loads(line) for line in p.stdout.splitlines()]
    assert [row["type"] for row in rows[:2]] == ["span", "span"]
    assert p.returncode == (DIFFERENT if rows[2:] else DONE)
    return rows[:2], rows[2:]


def told(rows):
    return {(row["kind"], row["change"], row["target"] or row["device"], row["field"]): (
        row["text_before"] or row["before"], row["text_after"] or row["after"]) for row in rows}


def test_the_same(file):
    """A recording and itself; and one that differs by less than a fifth, or by chance."""
    a = file("a", [[flow(1000 + i % 3)] for i in range(10)])
    assert diff(a, a)[1] == []
    assert diff(a, file("b", [[flow(1030 - i % 5)] for i in range(10)]))[1] == []
    assert diff(a, file("c", [[flow(1150)]] * 10))[1] == []
    assert diff(file("d", [[flow(1)]] * 10), file("e", [[flow(2)]] * 10))[1] == []
    p = xdptop("--diff", a, a)
    assert p.returncode == DONE and p.stdout.endswith(b"\n\nno differences\n")


def test_new_gone_changed(file):
    a = file("a", [[DEVICE, flow(100), flow(50, "eth2")] for _ in range(10)])
    failing = flow(20, "eth3", err=-100, errname="ENETDOWN", drops=20, packets=0)
    b = file("b", [[{**DEVICE, "mode": "generic", "prog_id": 77}, flow(300), failing] for _ in range(10)])
    spans, rows = diff(a, b)
    assert [span["side"] for span in spans] == ["before", "after"]
    assert [span["seconds"] for span in spans] == [10, 10] and spans[0]["hostname"] == "edge1"
    found = told(rows)
    assert found[("flow", "changed", "eth1", "packets_per_s")] == (100, 300)
    assert found[("flow", "gone", "eth2", "packets_per_s")] == (50, None)
    assert found[("flow", "new", "eth3", "lost_per_s")] == (None, 20)
    assert found[("error", "new", "eth3", "errors_per_s")] == (None, 20)
    assert ("finding", "new", "eth3", "count_per_s") in found
    assert found[("device", "changed", "eth0", "mode")] == ("native", "generic")
    # a program that was loaded again counts as the same
    assert not any(row["field"] == "prog_name" for row in rows)
    # in the other direction
    back = told(diff(b, a)[1])
    assert back[("flow", "new", "eth2", "packets_per_s")] == (None, 50)
    text = xdptop("--diff", a, b).stdout.decode()
    assert "changed device  mode              native   generic  eth0 (init)" in text
    (line,) = [line for line in text.splitlines() if line.startswith("new     error")]
    assert "ENETDOWN" in line and "-> eth3" in line


def test_made_anew(file):
    """A device with the same name is the same: its flows are summed up."""
    a = file("a", [[flow(100)] for _ in range(10)])
    b = file("b", [[flow(100)] for _ in range(5)] + [[flow(100, to_ifindex=14)] for _ in range(5)])
    assert diff(a, b)[1] == [] and diff(b, a)[1] == []


def test_several_runs(file):
    """Only the last run of a file."""
    b = file("b", [[flow(400)]] * 9)
    both = b.parent / "both"
    both.write_text(recording([[flow(100)]] * 5) + b.read_text())
    spans, rows = diff(both, b)
    assert rows == [] and spans[0]["intervals"] == spans[1]["intervals"] == 9


def test_spans_of_one(file):
    """By wall clock, and from the start; an open end is the recording's."""
    path = file("a", [[flow(100 if second <= 10 else 400)] for second in range(1, 21)])
    for before, after in (("@..09:15:10", "@09:15:10.."), ("@+0..+10", "@+10..+20"),
                          ("@2026-11-21 09:15:02..2026-11-21 09:15:08", "@+15..")):
        spans, rows = diff(f"{path}{before}", f"{path}{after}")
        assert told(rows) == {("flow", "changed", "eth1", "packets_per_s"): (100, 400)}, before
        assert spans[0]["file"] == str(path)
    assert diff(f"{path}@+0..+5", f"{path}@+5..+10")[1] == []
    # a name with @ but without dots is a file
    (path.parent / "a@b").write_bytes(path.read_bytes())
    assert diff(path.parent / "a@b", path)[1] == []


def test_filter(file):
    a, b = file("a", [[flow(100), flow(100, "eth2")]] * 9), file("b", [[flow(300), flow(300, "eth2")]] * 9)
    assert {row["target"] for row in diff(a, b, "-f", "target=eth2")[1]} == {"eth2"}


@pytest.mark.parametrize("args,code,said", [
    ((DEMO,), USAGE, "needs a second recording"),
    ((DEMO, DEMO + "@x..y"), USAGE, "'x' is not a time"),
    ((DEMO, DEMO + "@+1h.."), FILE, "no interval"),
    ((DEMO, "/nonexistent"), FILE, "/nonexistent: No such file"),
    ((DEMO, "/dev/null"), FILE, "not an xdptop recording"),
    ((DEMO, DEMO, "-o", "csv"), USAGE, "text or json"),
])
def test_what_cannot_be_compared(args, code, said):
    p = xdptop("--diff", *args)
    assert (p.returncode, p.stdout) == (code, b"")
    assert said in p.stderr.decode() and p.stderr.count(b"\n") == 1


def test_fields(file):
    text = (TOP / "doc/recording.md").read_text()
    a = file("a", [[DEVICE, flow(100)]] * 3)
    spans, rows = diff(a, file("b", [[{**DEVICE, "mode": "generic"}, flow(300), flow(9, "eth2"),
                                       change("mtu", old="1500", new="1400")]] * 3))
    for record in spans[:1] + rows:
        assert list(field_faults(text, {record["type"]: list(record)})) == []
        assert list(value_faults(text, [(record["type"], record)])) == []


def change(kind, **fields):
    return {"type": "event", "tracepoint": None, "netns": 4026532777, "ifindex": 3, "ifname": "eth0", "text": "",
            "change": kind, **fields}


def test_changes(file):
    """Those within each span, newest first, also where nothing else differs; -f selects them."""
    quiet = [flow(100)]
    path = file("a", [quiet, quiet + [change("mtu", old="1500", new="1400")], quiet, quiet,
                      quiet + [change("link-down", old="up", new="down"),
                               change("entry-removed", netns=None, ifindex=None, ifname=None, map_id=9,
                                      map_type="devmap", map_index=2, old="eth1", left_out=7)],
                      quiet + [change("socket-bound", new="eth0 queue 1", pid=812, comm="app")], quiet])
    p = xdptop("--diff", f"{path}@+0..+4", f"{path}@+4..", "-o", "json")
    spans, rows = p.stdout.splitlines()[:2], [json.loads(line) for line in p.stdout.splitlines()[2:]]
    assert p.returncode == DONE and [json.loads(span)["changes"] for span in spans] == [1, 3 + 7]
    assert [(r["type"], r["side"], r["change"]) for r in rows] == [
        ("change", "before", "mtu"), ("change", "after", "socket-bound"), ("change", "after", "entry-removed"),
        ("change", "after", "link-down")]
    nothing = dict.fromkeys(("device", "netns", "program", "map", "key", "process", "old", "new"))
    where = {"device": "eth0", "netns": "ns:4026532777"}
    assert rows[0] == {**nothing, **where, "type": "change", "side": "before", "time": clock(START + 2), "change": "mtu",
                       "old": "1500", "new": "1400"}
    assert rows[1] == {**nothing, **where, "type": "change", "side": "after", "time": clock(START + 6),
                       "change": "socket-bound", "new": "eth0 queue 1", "process": "app[812]"}
    assert rows[2] == {**nothing, "type": "change", "side": "after", "time": clock(START + 5), "change": "entry-removed",
                       "map": "map 9", "key": "2", "old": "eth1"}
    text = xdptop("--diff", f"{path}@+0..+4", f"{path}@+4..").stdout.decode()
    assert text[text.index("no differences"):].splitlines() == [
        "no differences", "", "BEFORE: changes in this span, newest first",
        f"{clock(START + 2)} mtu              eth0 (ns:4026532777) 1500 -> 1400", "",
        "AFTER: changes in this span, newest first",
        f"{clock(START + 6)} socket-bound     eth0 (ns:4026532777) none -> eth0 queue 1, by app[812]",
        f"{clock(START + 5)} entry-removed    map 9[2] eth1 -> none",
        f"{clock(START + 5)} link-down        eth0 (ns:4026532777) up -> down",
        "7 more were counted, but not recorded or kept"]
    p = xdptop("--diff", path, path, "-o", "json", "-f", "change=mtu|link-down")
    assert [json.loads(line)["change"] for line in p.stdout.splitlines()[2:]] == ["link-down", "mtu"] * 2


def test_many_changes(file):
    """As text 20 of a span, as JSON the newest 4,096; the others are counted."""
    path = file("a", [[flow(100)]] + [[flow(100)] + [change("mtu", old=str(i), new=str(1000 * second + i))
                                                     for i in range(1000)] for second in range(1, 6)])
    rows = [json.loads(line) for line in xdptop("--diff", path, path, "-o", "json").stdout.splitlines()]
    assert [row["changes"] for row in rows[:2]] == [5000, 5000]
    assert [row["new"] for row in rows[2:] if row["side"] == "after"] == [str(5999 - i) for i in range(4096)]
    lines = xdptop("--diff", path, path).stdout.decode().split("AFTER: changes")[1].splitlines()
    assert len(lines) == 1 + 20 + 2 and lines[1].endswith("999 -> 5999")
    assert lines[-2:] == ["4076 earlier: -o json lists them", "904 more were counted, but not recorded or kept"]
