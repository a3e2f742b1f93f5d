# SPDX-License-Identifier: GPL-2.0-or-later
"""Malicious recordings."""
import csv
import io
import json
import os
import re
import signal
import subprocess
import threading

import pytest

from batch import DEADLINE, DEMO, DONE, ENV, XDPTOP, output, run
from hostile import LINES, NAMES, TEXTS, TIME, block, feed, raw, shown

PROGRAMS = ("awk", "bpftool", "cat", "dmesg", "ethtool", "find", "grep", "head", "ip", "nsenter", "ps", "ss", "tail", "touch")


def named(text, netns_name=None, **fields):
    """The demo with each name replaced, and with these fields."""
    with open(DEMO, "rb") as f:
        for line in map(json.loads, f):
            line.update({k: text for k in line if k.endswith("ifname") or k in ("prog_name", "map_name", "comm")})
            if line.get("netns_name", "init") != "init":
                line["netns_name"] = netns_name or text
            line.update({k: fields[k] for k in fields if k in line})
            yield json.dumps(line).encode() + b"\n"


def commands(text):
    """Even if the program of a devmap entry is unknown: the ring may be full."""
    replayed = [output("-r", "-", "-o", "json", input=b"".join(named(text, **fields)))
                for fields in ({}, {"to_prog_id": None})]
    return {command for line in map(json.loads, b"".join(replayed).splitlines()) for command in line.get("next", [])}


@pytest.fixture(params=["/bin/bash", "/bin/dash"])
def words(request, tmp_path):
    """The arguments of each program that a shell would run, without running it."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / PROGRAMS[0]).write_text("#!/bin/sh\nprintf '%s\\0' ran \"$0\" \"$@\" >&3\n")
    (programs / PROGRAMS[0]).chmod(0o755)
    for name in PROGRAMS[1:]:
        os.link(programs / PROGRAMS[0], programs / name)
    directory = tmp_path / "directory"
    directory.mkdir()

    def parse(text):
        script = "\n".join(commands(text)).encode()
        p = run(request.param, input=b"set -f; exec 3>&1 >/dev/null\n" + script, cwd=directory, env={"PATH": str(programs)})
        assert p.stderr == b"" and not list(directory.iterdir()), script
        return sorted(p.stdout.split(b"ran\0"))

    return parse


def test_commands(words):
    """A pasted command has the name as one word, whatever it contains."""
    plain = words("IFNAME")
    assert sum(b"IFNAME\0" in w for w in plain) >= 10
    for text in TEXTS + [shown(name) for name in NAMES]:
        if raw(text).endswith(b"\n"):  # which $() drops, and a device cannot have
            assert set(words(text)) <= {w for w in plain if b"IFNAME\0" not in w}
            continue
        assert words(text) == sorted(re.sub(rb"IFNAME\0", lambda m: raw(text) + b"\0", w) for w in plain), text


@pytest.mark.parametrize("kind", LINES)
def test_signal(kind):
    """The input never ends or pauses: SIGTERM ends the replay."""
    p = subprocess.Popen([XDPTOP, "-r", "-", "-o", "json", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV)
    reading = threading.Event()
    writer = threading.Thread(target=feed, args=(p.stdin, kind, reading))
    writer.start()
    assert reading.wait(DEADLINE)
    p.send_signal(signal.SIGTERM)
    try:
        assert p.wait(DEADLINE) == DONE
    finally:
        p.kill()
        writer.join()
    assert json.loads(p.stdout.read().splitlines()[-1])["reason"] == "signal"


@pytest.mark.parametrize("args", [["-o", "json"], ["-o", "text", "-v", "flows"]], ids=["json", "flows"])
@pytest.mark.parametrize("kind", LINES)
def test_memory(tmp_path, kind, args):
    """Memory is bounded, however much there is to keep."""
    path = tmp_path / "r.jsonl"
    with open(DEMO, "rb") as f:
        path.write_bytes(f.readline() + block(kind, (24 if "name" in kind else 12) << 20))
    # a small process forks it, because its parent's memory would count as well
    code = ("import os, subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL);"
            "_, status, usage = os.wait4(p.pid, 0); print(status, usage.ru_maxrss)")
    status, kilobytes = map(int, run("/usr/bin/python3", "-c", code, XDPTOP, "-r", path, *args,
                                     "-q").stdout.split())
    assert status == 0
    # as many devices as a snapshot can have, in each of its snapshots
    assert kilobytes < 88 << 10


@pytest.mark.parametrize("character", ["\u00e9", "\u7db2", "\U0001f600", "\x1b"])
def test_whole_characters(character):
    """Long names are truncated between characters and escapes: in every output, and JSON is strictly UTF-8."""
    for odd in range(4):
        rows = b"".join(named("x" * odd + character * (12 // len(character.encode())), "x" * odd + character * 120))
        for args in (["-o", "json"], ["-o", "csv"], ["-o", "text", "-v", "flows"], ["-o", "text", "-v", "findings"],
                     ["-o", "prometheus"]):
            text = output("-r", "-", *args, input=rows).decode("utf-8", "strict")
            # a column of text is as wide as its text
            for word in re.findall(r"\\+(?:x.{0,2})?", text) if "csv" in args else []:
                assert word.startswith("\\\\") or re.fullmatch(r"\\x[0-9a-f]{2}", word), word
        for line in output("-r", "-", "-o", "json", input=rows).splitlines():
            json.loads(line.decode("utf-8", "strict"))


def test_order():
    """Rows are shown in order, in whatever order they came."""
    with open(DEMO, "rb") as f:
        header = f.readline()
    rows = [LINES["device"](i).encode() for i in range(999)]
    rows += [b'{"type":"cpu","seq":1,%s,"cpu":%d,"softnet_processed":1,"softnet_processed_total":%d}\n' % (
        TIME.encode(), 999 - i, i + 1) for i in range(999)]
    want = output("-r", "-", "-o", "json", input=header + b"".join(rows))
    cpus = [line for line in map(json.loads, want.splitlines()) if line["type"] == "cpu"]
    assert [(c["cpu"], c["softnet_processed"], c["softnet_processed_total"]) for c in cpus] == \
        [(999 - i, 1, i + 1) for i in reversed(range(999))]
    for mixed in (rows[::-1], rows[::2] + rows[1::2], rows[777:] + rows[:777]):
        assert output("-r", "-", "-o", "json", input=header + b"".join(mixed)) == want


HARMFUL = "\x1b[31m\u202e\\d"


@pytest.mark.parametrize("output_format", ["text", "json", "csv", "prometheus"])
def test_options(tmp_path, output_format):
    """Filters and paths from the command line are printed like names; a backslash stays single."""
    path = tmp_path / f"r{HARMFUL}.jsonl"
    path.symlink_to(DEMO)
    printed = [output("-r", path, "-o", output_format, "-f", f"ifname!={HARMFUL}", "-i", f"!{HARMFUL}*")]
    if output_format in ("text", "json"):
        printed.append(output("--diff", path, path, "-o", output_format))
    for text in printed:
        assert not re.search("[\x00-\x09\x0b\x0c\x0e-\x1f\u202e]", text.decode())
    if output_format == "text":
        assert rb"filter: ifname!=\x1b[31m\xe2\x80\xae\d " in printed[0]
        assert rb"r\x1b[31m\xe2\x80\xae\d.jsonl: " in printed[1]


@pytest.mark.parametrize("name", ["=1+1", "a;=1+1", "a;-1;@x", 'a;"=1+1;b', "a; +1", "a;b", '";=1'])
def test_cells_of_other_locales(name):
    """No cell is a formula, even if `;` ends a cell and a comma does not."""
    text = output("-r", "-", "-o", "csv", input=b"".join(named(name))).decode()
    for separator in ",;":
        cells = [c for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) for c in row]
        assert not [c for c in cells if c.lstrip(' "')[:1] in ("=", "+", "@")], separator
    assert any(c.replace("'", "") == name for row in csv.reader(io.StringIO(text, newline="")) for c in row)
