# SPDX-License-Identifier: GPL-2.0-or-later
"""-f and -v for sample rows: the same rows as without them, except those that do not match."""
import json
import re

import pytest

from batch import DEMO, DONE, USAGE, output, xdptop
from hostile import csv_rows

FLOWING = {"xdp_redirect", "xdp_redirect_err", "xdp_devmap_xmit", "xdp_bulk_tx", "xdp_cpumap_enqueue"}


def samples(*args):
    rows = [json.loads(line) for line in output("-r", DEMO, "-o", "json", "-C", *args).splitlines()]
    return [row for row in rows if row["type"] == "sample"]


@pytest.mark.parametrize("expression,wanted", [
    ("ifname=eth7", lambda r: r["ifname"] == "eth7"),
    ("ETH7", lambda r: "eth7" in (r["ifname"] or "")),
    ("ifname=eth* tracepoint!=net_dev_queue",
     lambda r: (r["ifname"] or "").startswith("eth") and r["tracepoint"] != "net_dev_queue"),
    ("errname=EINVAL", lambda r: r["errname"] == "EINVAL"),
    ("events_per_s>=100", lambda r: r["events_per_s"] is not None and r["events_per_s"] >= 100),
    ("events_total<5", lambda r: r["events_total"] < 5),
    ("cpu=1", lambda r: r["cpu"] == 1),
    ("cpu=1 drops_total>0", lambda r: r["cpu"] == 1 and (r["drops_total"] or 0) > 0),
    ("prog_name=rig_to_devmap", lambda r: r["prog_name"] == "rig_to_devmap"),
    ("no-such-word", lambda r: False),
])
def test_filter(expression, wanted):
    for args in ([], ["-a"], ["-n", "1"]):
        want = [row for row in samples(*args) if wanted(row)]
        assert samples("-f", expression, *args) == want
        # CSV has the same rows
        rows = csv_rows(output("-r", DEMO, "-o", "csv", "-C", "-f", expression, *args))
        assert [row["events_total"] for row in rows] == [str(row["events_total"]) for row in want]
    assert bool(want) == (expression != "no-such-word")


def test_interface():
    """Short for ifname=NAME; a row must match it and every -f."""
    for name in ("eth7", "ETH7", "eth*", "no such"):
        assert samples("-i", name) == samples("-f", f'ifname="{name}"')
    assert samples("-i", "eth*", "-f", "cpu=1", "-i", "*7") == samples("-f", "ifname=eth7 cpu=1") != []


def others(*args):
    rows = [json.loads(line) for line in output("-r", DEMO, "-o", "json", *args).splitlines()]
    return [row for row in rows if row["type"] != "sample"]


def test_samples_devices_and_findings_are_filtered():
    """Each by the columns of its view. States, events and the end stay."""
    lists = ("device", "finding")
    assert [row for row in others() if row["type"] not in lists] == others("-f", "no-such-word")
    for name in ("eth9", "lo"):
        got = [(row["type"], row["ifname"]) for row in others("-i", name) if row["type"] in lists]
        assert got == [(row["type"], name) for row in others() if row["type"] in lists and row["ifname"] == name] != []


@pytest.mark.parametrize("view,wanted", [
    ("flows", lambda r: r["tracepoint"] in FLOWING),
    ("stack", lambda r: r["tracepoint"] == "net_dev_queue"),
    ("errors", lambda r: r["tracepoint"] in ("xdp_exception", "xdp_redirect_err",
                                             "bpf_xdp_link_attach_failed")
     or int(r["drops_total"] or 0) > 0),
])
def test_view_in_csv(view, wanted):
    rows = csv_rows(output("-r", DEMO, "-o", "csv", "-n", "1"))
    assert csv_rows(output("-r", DEMO, "-o", "csv", "-n", "1", "-v", view)) == list(filter(wanted, rows))


def own_rows(view, *args):
    return csv_rows(output("-r", DEMO, "-o", "csv", "-v", view, *args))


def test_rows_that_are_not_series():
    """Views without series have their own rows, as in the text, with the names of their columns."""
    findings = own_rows("findings", "-n", "1")
    text = output("-r", DEMO, "-b", "-v", "findings", "-n", "1").decode()
    assert [f"{row['severity'][0].upper()} {row['code']}" for row in findings] == \
        [" ".join(line.split()[:2]) for line in text.splitlines() if re.match("[CWI] [a-z]", line)] != []
    assert float(findings[0]["lost_per_s"]) > 100 and findings[0]["time"].endswith("Z")
    assert {row["code"] for row in own_rows("findings", "-n", "1", "-i", "eth9")} == {"target-cannot-receive"}
    programs = [row for row in others() if row["type"] == "program"]
    assert {row["prog_id"] for row in own_rows("programs", "-a")} >= {str(row["prog_id"]) for row in programs}
    # each event once, although the log keeps the events of earlier snapshots
    events = [row["time"] for row in others() if row["type"] == "event"]
    assert sorted(row["time"] for row in own_rows("events")) == sorted(events) != []


def test_rows_of_the_overview():
    """Its devices, not the findings above them; without -v samples."""
    rows = own_rows("overview", "-n", "1")
    text = output("-r", DEMO, "-b", "-v", "overview", "-n", "1").decode()
    devices = text[text.index("\nDEVICE "):text.index("\n\n", text.index("\nDEVICE "))].splitlines()[2:]
    assert [row["ifname"] for row in rows] == [line.split()[0] for line in devices if "Tracepoints" not in line] != []
    assert {row["result"] for row in rows} >= {"aborted", "drops not counted (--verdicts)"}
    assert csv_rows(output("-r", DEMO, "-o", "csv", "-n", "1"))[0]["type"] == "sample"


def test_recordings_hold_everything():
    """A view only selects what to show: recordings and counters stay complete."""
    for output_format in ("json", "prometheus"):
        args = ["-r", DEMO, "-o", output_format]
        assert output(*args, "-v", "stack") == output(*args)


def test_prometheus():
    text = output("-r", DEMO, "-o", "prometheus", "-f", "ifname=eth7").decode()
    lines = output("-r", DEMO, "-o", "prometheus").decode().split("\n")
    # it selects counts of tracepoints, not of devices
    want = [line for line in lines if "device=" not in line or 'device="eth7"' in line
            or line.startswith("xdptop_device_")]
    got = text.split("\n")
    # families without members have no header either
    assert [line for line in got if "device=" in line] == [line for line in want if "device=" in line]
    assert 'device="eth7"' in text and "map_id=" not in text


def test_counters_do_not_come_and_go():
    p = xdptop("-r", DEMO, "-o", "prometheus", "-f", "drops_per_s>1")
    assert (p.returncode, p.stdout) == (USAGE, b"")
    assert p.stderr == b"xdptop: for prometheus, cpu is the only number that --filter can compare\n"
    assert xdptop("-r", DEMO, "-o", "prometheus", "-C", "-f", "cpu=1").returncode == DONE


def test_a_device_that_the_recording_lacks():
    for view in "overview", "devices":
        text = " ".join(output("-b", "-r", DEMO, "-n", "1", "-v", view, "-i", "eth99").decode().split())
        assert "This recording has no device eth99 now; nearest: eth1." in text


def test_header_names_findings_that_pass():
    def heads(*args):
        return re.findall(r"(?m)^Overview .*(?:\n\S.*)*", output("-r", DEMO, "-b", *args).decode())

    assert all(re.search(r"  \d+ findings: ", head) for head in heads())
    for head in heads("-i", "eth9"):
        assert re.search(r"  1 of \d+ findings: target-cannot-receive eth9 ", head), head
    for head in heads("-i", "lan0"):
        assert re.search(r"  0 of \d+ findings$", head), head
