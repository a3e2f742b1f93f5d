# SPDX-License-Identifier: GPL-2.0-or-later
"""--check: an exit status and a line per finding, for cron, Nagios and tests."""
import json
import re

import pytest

from batch import DEMO, DONE, FILE, FINDINGS, USAGE, output, run, xdptop, XDPTOP

SEVERITIES = ["info", "warning", "critical"]
LINE = re.compile(r"(info|warning|critical) ([a-z-]+): (.+?)(?: \([\d.]+ lost/s now, (\d+) since the start\))?")


def seen(least, snapshots=None):
    """The findings of a recording in JSON: each once, with its last severity."""
    last = {}
    for line in output("-r", DEMO, "-o", "json", *(["-n", str(snapshots)] if snapshots else [])).splitlines():
        row = json.loads(line)
        if row["type"] == "finding":
            last[row["code"], row["ifindex"], row["netns"], row["to_ifindex"], row["map_id"]] = row
    return [(r["severity"], r["code"], r["text"], None if r["lost_per_s"] is None else str(r["count_total"]))
                  for r in last.values()
                  if SEVERITIES.index(r["severity"]) >= SEVERITIES.index(least)]


def check(*args, **kwargs):
    p = xdptop("--check", *args, **kwargs)
    assert p.stderr == b""
    return p.returncode, [LINE.fullmatch(line).groups() for line in p.stdout.decode().splitlines()]


@pytest.mark.parametrize("severity", SEVERITIES)
def test_all_of_that_severity_or_worse(severity):
    code, lines = check(severity, "-r", DEMO)
    assert code == FINDINGS
    assert sorted(lines, key=str) == sorted(seen(severity), key=str) != []


def test_warning_is_the_default():
    assert check("-r", DEMO) == check("warning", "-r", DEMO)
    assert check("info", "-n", "1", "-r", DEMO)[1] == seen("info", 1)


def test_nothing_is_silent(tmp_path):
    """Findings that -f excludes do not count."""
    assert check("-r", DEMO, "-f", "ifname=nothing") == (DONE, [])
    code, lines = check("info", "-r", DEMO, "-i", "eth9")
    assert code == FINDINGS and lines and all(line[2].startswith("eth9 ") for line in lines)
    empty = tmp_path / "empty"
    empty.write_bytes(output("-r", DEMO, "-o", "json", "-n", "1").split(b"\n")[0] + b"\n")
    assert check("-q", "-r", empty) == (DONE, [])


def test_its_status_needs_no_reader():
    """Even if its output is closed, the status stays."""
    p = run("bash", "-c", f"{XDPTOP} --check -r {DEMO} | true; echo ${{PIPESTATUS[0]}}")
    assert (p.stdout, p.stderr) == (b"%d\n" % FINDINGS, b"")


def test_into_a_file(tmp_path):
    assert xdptop("--check", "-r", DEMO, "--to", tmp_path / "out").returncode == FINDINGS
    assert (tmp_path / "out").read_bytes() == xdptop("--check", "-r", DEMO).stdout
    assert xdptop("--check", "-r", DEMO, "--to", "/dev/full").returncode == FILE


def test_failures_are_no_findings(tmp_path):
    assert xdptop("--check", "-r", tmp_path / "none").returncode == FILE
    assert xdptop("--check", "-o", "json", "-r", DEMO).returncode == USAGE


def test_nagios(tmp_path):
    """A line with performance data, and a status of 0 to 3: a device's name cannot add data."""
    p = xdptop("--check=nagios", "-r", DEMO)
    found = [severity for severity, *_ in seen("info")]
    (text, data) = p.stdout.decode().rstrip("\n").split(" | ")
    assert (p.returncode, p.stderr) == (2, b"")
    assert text.startswith("XDPTOP CRITICAL: ") and text.endswith(f"; {len(found) - 1} more")
    data = dict(word.split("=") for word in data.split())
    assert {name: int(data[name]) for name in SEVERITIES} == {name: found.count(name) for name in SEVERITIES}
    assert float(data["lost_per_s"]) > 0
    p = xdptop("--check", "nagios", "-r", DEMO, "-f", "severity=info")
    assert (p.returncode, p.stdout[:11]) == (0, b"XDPTOP OK: ")
    p = xdptop("--check", "nagios", "-r", DEMO, "-f", "severity=warning")
    assert (p.returncode, p.stdout[:16]) == (1, b"XDPTOP WARNING: ")
    named = tmp_path / "named"
    with open(DEMO, "rb") as demo:
        named.write_bytes(demo.read().replace(b'"eth9"', b'"e|x=1"'))
    p = xdptop("--check=nagios", "-r", named, "-i", "e|x=1")
    assert p.returncode == 2 and p.stdout.count(b"|") == 1 and b"e\\x7cx=1" in p.stdout
    for args in (["-r", tmp_path / "none"], ["-r", DEMO, "--to", "/dev/full"], ["-o", "json", "-r", DEMO]):
        p = xdptop("--check=nagios", *args)
        assert (p.returncode, p.stdout[:16]) == (3, b"XDPTOP UNKNOWN: ") and p.stderr
