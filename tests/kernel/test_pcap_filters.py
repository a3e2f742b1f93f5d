# SPDX-License-Identifier: GPL-2.0-or-later
"""Filters of --capture choose the same packets as tcpdump, in the kernel and in user space (bpf/capture_filter.h)."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

import pcap_filters
from harness import RIG, XDPTOP, missing

PACKETS = 4000
CUT = 1900  # bytes at the end that cannot be read: most of a long packet, all of a short one


@pytest.fixture(scope="module")
def pcap(tmp_path_factory):
    if not shutil.which("tcpdump"):
        missing("tcpdump is not installed")
    path = tmp_path_factory.mktemp("pcap") / "all.pcap"
    pcap_filters.write(path, PACKETS)
    return path


def compiled(pcap, expression):
    return subprocess.run(["tcpdump", "-ddd", "-r", pcap, "--", expression], capture_output=True, text=True,
                          check=True).stdout


def selected(pcap, expression):
    p = subprocess.run(["tcpdump", "-Z", "root", "-r", pcap, "-w", "-", "--", expression], capture_output=True, check=True)
    return list(pcap_filters.numbers(p.stdout))


def rig(pcap, codes, unread=0):
    p = subprocess.run([RIG, "filter", pcap, str(unread)], input="".join(codes), capture_output=True, text=True)
    assert not p.returncode, p.stderr
    return [json.loads(line) for line in p.stdout.splitlines()]


def test_the_same_packets_as_tcpdump(pcap):
    """Each primitive of pcap-filter(7)."""
    expressions = list(dict.fromkeys(pcap_filters.FILTERS))
    results = rig(pcap, [compiled(pcap, expression) for expression in expressions])
    expected = [{"matches": selected(pcap, expression), "unread": 0} for expression in expressions]
    wrong = [e for e, result, right in zip(expressions, results, expected) if result != right]
    assert not wrong and len(results) == len(expected) >= 200, f"{len(results)} of {len(expected)} filters, wrong: {wrong}"
    # almost all of them choose some packets and not others
    assert sum(0 < len(right["matches"]) < PACKETS for right in expected) >= 200


def test_bytes_that_cannot_be_read(pcap):
    """A packet is then neither chosen nor left out without being counted."""
    for expression in ("tcp port 443", "ether[1000] >= 0", "len > 500"):
        whole = rig(pcap, [compiled(pcap, expression)])[0]
        cut = rig(pcap, [compiled(pcap, expression)], CUT)[0]
        assert set(cut["matches"]) <= set(whole["matches"])
        if expression.startswith("len"):
            assert cut == whole
        else:
            assert cut["unread"] and len(whole["matches"]) <= len(cut["matches"]) + cut["unread"]


def refused(expression, fake=None):
    """(exit status, message) with a tcpdump of these lines of shell; "" = without one, "closed" = where only root looks."""
    env = {**os.environ, "LC_ALL": "C"}
    with tempfile.TemporaryDirectory(dir="/tmp") as scratch:
        os.chmod(scratch, 0o777)
        if fake is not None:
            env["PATH"] = scratch
        if fake == "closed":
            os.chmod(scratch, 0o700)
        elif fake:
            path = pathlib.Path(scratch) / "tcpdump"
            path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin; cd {scratch}\n{fake}\n")
            path.chmod(0o755)
        p = subprocess.run([XDPTOP, "--verdicts", "-n", "1", "-d", "0.1", "--capture", f"{scratch}/a.pcapng", "--", expression],
                           env=env, capture_output=True, text=True)
        assert set(os.listdir(scratch)) <= {"tcpdump"}
    return p.returncode, p.stderr


@pytest.mark.parametrize("expression, fake, message", [
    ("tcp port", None, "--capture: filter 'tcp port': can't parse filter expression: syntax error"),
    ("-w /tmp/file", None, "can't parse filter expression"),
    ("port nosuchservice", None, "unknown port 'nosuchservice'"),
    ("ip6 protochain 6", None, "it loops (protochain)"),
    (" or ".join(f"host 10.1.{i // 200}.{i % 200}" for i in range(200)), None, "instructions, and the limit is 256"),
    ("tcp " * 1000, None, "it is longer than 3999 bytes"),
    ("tcp", "", "tcpdump, which compiles filters: No such file or directory; install it"),
    ("tcp", "closed", "tcpdump, which compiles filters: Permission denied; install it"),
    ("tcp", "exit 1", "tcpdump has not answered"),
    ("tcp", "yes 7", "is not allowed"),
    ("tcp", "printf 'tcpdump: why\\n' >&2", "filter 'tcp': why"),
    ("tcp", "head -c 100000 /dev/zero", "it has no instructions"),
    ("tcp", "printf '\\033[2J' >&2; exit 1", r"\\x1b\[2J"),
])
def test_says_what_is_wrong(expression, fake, message):
    code, said = refused(expression, fake)
    assert code == 2 and (message in said or re.search(message, said)), said


def test_tcpdump_has_no_privilege():
    """It is nobody without capabilities, has three descriptors, and can write no file, but gets the filter as it is."""
    shown = "grep -E '^(Uid|CapPrm|CapEff|NoNewPrivs):' /proc/self/status; ls /proc/$$/fd; echo x >file; echo \"$@\""
    _, said = refused("a 'b' $(id)", f"exec 1>&2; ({shown}) 2>&1 | tr '\\n\\t' '  '")
    assert re.search(r"Uid: 65534 65534 65534 65534 CapPrm: 0+ CapEff: 0+ NoNewPrivs: 1 ", said), said
    assert "denied" in said and re.search(r"-ddd -r - -- a 'b' \$\(id\)", said), said
