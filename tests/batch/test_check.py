# SPDX-License-Identifier: GPL-2.0-or-later
"""--check: an exit status and a line per finding, for cron and tests."""
import json
import re

import pytest

from batch import DEMO, DONE, FILE, FINDINGS, USAGE, output, run, xdptop, XDPTOP

SEVERITIES = ["info", "warning", "critical"]
LINE = re.compile(r"(info|warning|critical) ([a-z-]+): (.+?) "
                  r"\(from \S+ \S+ to \S+ \S+(?:, and continues)?(?:, lost (\d+) since the start)?\)(?:; .*)?")


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
