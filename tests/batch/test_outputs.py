# SPDX-License-Identifier: GPL-2.0-or-later
"""Outputs that cannot be written, readers that disappear, strict consumers."""
import json
import os
import re
import shutil
import select
import signal
import subprocess
import time

import pytest

from batch import DEADLINE, DEMO, DONE, ENV, FILE, XDPTOP, missing, output, run, xdptop
from hostile import NAMES, block, csv_rows, jq, shown, unquoted

FORMATS = ["text", "json", "csv", "prometheus"]


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """About 20 MB: more than pipes hold."""
    path = tmp_path_factory.mktemp("long") / "r.jsonl"
    with open(DEMO, "rb") as f:
        path.write_bytes(f.read() * 160)
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A recording with all hostile names, as the monitor writes them."""
    path = tmp_path_factory.mktemp("hostile") / "r.jsonl"
    with open(DEMO, encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    sample = next(r for r in rows if r["type"] == "sample" and r["tracepoint"] == "xdp_redirect"
                  and r["to_ifname"])
    with open(path, "w", encoding="utf-8") as f:
        print(json.dumps(rows[0]), file=f)
        for i, name in enumerate(NAMES):
            name = shown(name)
            print(json.dumps({**sample, "cpu": None, "netns": 4026540000 + i, "ifname": name,
                              "to_ifname": name, "prog_name": name, "netns_name": name}), file=f)
    return path


@pytest.mark.parametrize("output_format", FORMATS)
def test_head(output_format, long):
    """`| head -1` ends it immediately and silently."""
    p = run("bash", "-c", '"$0" "$@" | head -n 1; exit ${PIPESTATUS[0]}', XDPTOP, "-r", long, "-o", output_format)
    assert (p.returncode, p.stderr) == (DONE, b"")
    assert p.stdout.count(b"\n") == 1


@pytest.mark.parametrize("to", [[], ["--to", "/dev/full"]])
@pytest.mark.parametrize("output_format", FORMATS)
def test_full(output_format, to):
    with open("/dev/full", "wb") as full:
        p = xdptop("-r", DEMO, "-o", output_format, *to, stdout=full)
    assert p.returncode == FILE
    name = to[1] if to else "stdout"
    assert p.stderr.decode() == f"xdptop: {name}: No space left on device; no more can be written to it\n"


def locale(directory, language, charset):
    """The environment for this locale, which is created in the directory."""
    name = f"{language}.{charset}"
    localedef = shutil.which("localedef")
    if localedef:
        run(localedef, "-i", language, "-f", charset, directory / name)
    if not (directory / name).exists():
        missing(f"no localedef, or not with {name}")
    return {"LOCPATH": str(directory), "LC_ALL": name}


def test_case_of_names(tmp_path):
    """In Turkish I is not the capital of i."""
    turkish = locale(tmp_path, "tr_TR", "UTF-8")
    assert output("-e", "einval", env=turkish) == output("-e", "EINVAL")


def test_other_encodings(tmp_path):
    """ASCII, and libc loads no code for it, which a static program could not load from another libc."""
    latin = {**locale(tmp_path, "de_DE", "ISO-8859-1"), "LD_DEBUG": "files"}
    p = xdptop("-r", DEMO, "-b", env=latin)
    assert p.returncode == 0 and p.stdout.isascii()
    assert b"libc.so.6" in p.stderr and b"gconv" not in p.stderr


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["-e", "ENOSPC"]])
def test_full_once(args):
    with open("/dev/full", "wb") as full:
        p = xdptop(*args, stdout=full)
    assert p.returncode == FILE
    assert b"No space left on device" in p.stderr


@pytest.mark.parametrize("output_format", FORMATS)
def test_to_unwritable(tmp_path, nobody, public, output_format):
    for path in (tmp_path / "no" / "such", tmp_path):
        p = xdptop("-r", DEMO, "-o", output_format, "--to", path)
        assert (p.returncode, p.stdout) == (FILE, b"")
        assert str(path).encode() in p.stderr and p.stderr.count(b"\n") == 1
    target = public / "out"
    with open(DEMO, "rb") as demo:
        p = nobody("-r", "-", "-o", output_format, "--to", target, stdin=demo)
    if os.geteuid() == 0:
        assert p.returncode == FILE
        assert f"{target}: Permission denied".encode() in p.stderr
        assert not target.exists()


@pytest.mark.parametrize("name,shown_as", [
    ("a\x1b[2Jb", "a\\x1b[2Jb"), ("bell\a", "bell\\x07"), ("two\nlines", "two\\x0alines"),
    ("\u202egnp.exe", "\\xe2\\x80\\xaegnp.exe"), ("caf\u00e9", "caf\u00e9"),
])
def test_messages_are_printable(tmp_path, name, shown_as):
    """File names and arguments in a message cannot control the terminal."""
    broken = tmp_path / name
    with open(DEMO, "rb") as f:
        broken.write_bytes(f.readline() + b"{\n")
    runs = [["-r", tmp_path / "none" / name], ["-r", DEMO, "-o", "csv", "--to", tmp_path / "none" / name],
            ["-r", broken, "-o", "csv"], ["-r", DEMO, "-s", name], ["-e", name], ["-v", name], [name],
            [f"--{name}"]]
    for args in runs:
        p = xdptop(*args)
        said = p.stderr.decode()
        assert said.startswith("xdptop: ") and said.count("\n") == 1, args
        assert shown_as in said, args
        assert all(c.isprintable() for c in said[:-1]), args


def test_full_disk(tmp_path):
    """A full disk keeps what was written; a file for the textfile collector stays whole."""
    script = """
mount -t tmpfs -o size=64k none "$1" || exit 77
cd "$1" || exit 77
"$2" -r "$3" -o json --to out.json; echo "json $?"
cut=$(wc -c <out.json); head -c "$cut" "$4" | cmp - out.json && echo same
rm out.json; echo old >m.prom; head -c 58000 /dev/zero >fill
"$2" -r "$3" -o prometheus -C --to m.prom; echo "prom $?"
cat m.prom; ls
"""
    whole = tmp_path / "whole"
    whole.write_bytes(output("-r", DEMO, "-o", "json"))
    disk = tmp_path / "disk"
    disk.mkdir()
    p = run("unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", disk, XDPTOP, DEMO, whole)
    if p.returncode == 77 or b"unshare" in p.stderr:
        missing("no mount namespace here: " + p.stderr.decode())
    assert p.stdout.decode().split("\n") == ["json 5", "same", "prom 5", "old", "fill", "m.prom", ""]
    assert p.stderr.count(b"No space left on device") == 2


def test_full_disk_for_a_while(tmp_path):
    """A file for the textfile collector is written again once there is room; its counters are complete."""
    script = """
mount -t tmpfs -o size=64k none "$1" || exit 77
cd "$1" || exit 77
echo old >m.prom; head -c 60000 /dev/zero >fill
"$2" -r - -o prometheus -C --to m.prom <"$3/fifo" 2>"$3/said" &
exec 9>"$3/fifo"
cat "$3/begin" >&9
until [ -s "$3/said" ]; do sleep 0.05; done
cat m.prom; rm fill
cat "$3/rest" >&9; exec 9>&-
wait $!; echo "exit $?"; ls; cp m.prom "$3/got"
"""
    with open(DEMO, "rb") as f:
        lines = f.readlines()
    cut = max(i for i, line in enumerate(lines) if b'"seq":2,' in line)
    (tmp_path / "begin").write_bytes(b"".join(lines[:cut]))
    (tmp_path / "rest").write_bytes(b"".join(lines[cut:]))
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "disk").mkdir()
    p = run("unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", tmp_path / "disk", XDPTOP, tmp_path)
    if p.returncode == 77 or b"unshare" in p.stderr:
        missing("no mount namespace here: " + p.stderr.decode())
    assert p.stdout.decode().split("\n") == ["old", "exit 0", "m.prom", ""]
    first, again = (tmp_path / "said").read_text().splitlines()
    assert first == ("xdptop: m.prom: No space left on device; snapshots are skipped until it can be written")
    assert re.fullmatch(r"xdptop: m\.prom: writing resumed; \d+ snapshots were skipped", again)
    output("-r", DEMO, "-o", "prometheus", "-C", "--to", tmp_path / "want")
    assert (tmp_path / "got").read_bytes() == (tmp_path / "want").read_bytes()


def test_prometheus_replaces(tmp_path):
    """Mode 0644 whatever the umask, no other files, never an incomplete one."""
    target = tmp_path / "xdptop.prom"
    p = subprocess.Popen([XDPTOP, "-r", DEMO, "-o", "prometheus", "--speed", "20", "--to", target],
                         env=ENV, umask=0o077, stderr=subprocess.PIPE)
    seen = set()
    end = time.monotonic() + DEADLINE
    running = True
    while running and time.monotonic() < end:
        running = p.poll() is None  # once more after it has ended
        try:
            seen.add(target.read_bytes())
        except FileNotFoundError:
            pass
    assert (p.wait(DEADLINE), p.stderr.read()) == (DONE, b"")
    whole = output("-r", DEMO, "-o", "prometheus")
    assert seen and all(text and text in whole and text.endswith(b"\n") for text in seen)
    assert os.listdir(tmp_path) == ["xdptop.prom"]
    assert target.stat().st_mode & 0o7777 == 0o644
    assert target.stat().st_uid == os.geteuid()


def test_prometheus_behind_a_link(tmp_path):
    """The target of the link is replaced; the link stays. A target that cannot be replaced is written to."""
    want = output("-r", DEMO, "-o", "prometheus", "--to", tmp_path / "want", "-n", "2") or (tmp_path / "want").read_bytes()
    (tmp_path / "there").mkdir()
    link = tmp_path / "link.prom"
    link.symlink_to("there/real.prom")
    for _ in range(2):  # a dangling link, then a link to a file
        assert output("-r", DEMO, "-o", "prometheus", "--to", link, "-n", "2") == b""
        assert link.is_symlink() and (tmp_path / "there/real.prom").read_bytes() == want
        assert os.listdir(tmp_path / "there") == ["real.prom"]
    with open(tmp_path / "out", "wb") as out:
        assert xdptop("-r", DEMO, "-o", "prometheus", "--to", "/dev/stdout", "-n", "2", stdout=out).returncode == DONE
    assert (tmp_path / "out").read_bytes() == output("-r", DEMO, "-o", "prometheus", "-n", "2")
    assert os.path.islink("/dev/stdout")


@pytest.mark.parametrize("output_format", FORMATS)
def test_traps_of_others(tmp_path, output_format):
    """Links in a directory that others can write never lead root to its own files."""
    if os.geteuid() != 0:
        missing("only root has files that others want to be written")
    tmp_path.chmod(0o755)
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    secret = tmp_path / "secret"
    secret.write_text("secret\n")
    secret.chmod(0o600)
    (shared / "link").symlink_to(secret)
    (shared / "door").symlink_to(tmp_path)
    (shared / "other").hardlink_to(secret)
    for name in ("link", "door"):
        os.chown(shared / name, 65534, 65534, follow_symlinks=False)
    why = {"link": "'link' is a symbolic link owned by user 65534", "door/secret": "'door' is a symbolic link owned by user 65534"}
    if output_format != "prometheus":
        why["other"] = "has another name (a hard link) elsewhere"
    for name, text in why.items():
        p = xdptop("-r", DEMO, "-o", output_format, "--to", shared / name)
        assert (p.returncode, p.stdout) == (FILE, b"")
        assert text in p.stderr.decode() and p.stderr.count(b"\n") == 1
    # not sticky: a file may become a link before it is opened
    shared.chmod(0o777)
    p = xdptop("-r", DEMO, "-o", output_format, "--to", shared / "new")
    assert p.returncode == FILE and b"anyone could replace 'new' with a link" in p.stderr
    # the name is replaced, not the file that had it
    shared.chmod(0o1777)
    assert output("-r", DEMO, "-o", "prometheus", "--to", shared / "other") == b""
    assert (secret.read_text(), secret.stat().st_mode & 0o7777) == ("secret\n", 0o600)
    assert sorted(os.listdir(shared)) == ["door", "link", "other"]


@pytest.mark.parametrize("output_format", FORMATS)
def test_fifo(tmp_path, output_format):
    """A FIFO without a reader is an immediate error; with one it gets the same as stdout."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    p = xdptop("-r", DEMO, "-o", output_format, "--to", fifo)
    assert p.returncode == FILE
    assert f"{fifo}: a FIFO without a reader; start its reader first" in p.stderr.decode()
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    p = subprocess.Popen([XDPTOP, "-r", DEMO, "-o", output_format, "--to", fifo], env=ENV, stderr=subprocess.PIPE)
    # the first read may come before it is opened: a FIFO has no end before it had a writer
    select.select([reader], [], [], DEADLINE)
    with open(reader, "rb") as f:
        got = f.read()
    assert (p.wait(DEADLINE), p.stderr.read()) == (DONE, b"")
    assert got == output("-r", DEMO, "-o", output_format)


def ended_unread(p):
    """SIGTERM ends the wait for a reader that does not read, and says that the output is cut."""
    p.send_signal(signal.SIGTERM)
    assert p.wait(DEADLINE) == FILE
    _, said = p.communicate(timeout=DEADLINE)
    assert said == b"xdptop: stdout: the reader stopped reading; the output ends within a snapshot\n"


@pytest.mark.parametrize("output_format", FORMATS)
def test_reader_that_sleeps(long, output_format):
    """A reader that stops reading does not cost unlimited memory."""
    p = subprocess.Popen([XDPTOP, "-r", long, "-o", output_format], env=ENV,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.read(1000)
    end = time.monotonic() + DEADLINE
    # asleep in poll() once the pipe is full and enough is queued
    while open(f"/proc/{p.pid}/stat").read().rsplit(")", 1)[1].split()[0] != "S":
        assert time.monotonic() < end
        time.sleep(0.01)
    with open(f"/proc/{p.pid}/status") as f:
        (peak,) = [int(line.split()[1]) for line in f if line.startswith("VmHWM")]
    assert peak < 64 << 10
    ended_unread(p)


@pytest.mark.parametrize("output_format", ["json", "csv", "prometheus"])
def test_signal_within_a_snapshot(tmp_path, output_format):
    """A snapshot many times larger than a pipe, with almost the maximum number of series."""
    path = tmp_path / "r.jsonl"
    with open(DEMO, "rb") as f:
        path.write_bytes(f.readline() + block("series", 2 * 10**6))
    p = subprocess.Popen([XDPTOP, "-r", path, "-o", output_format], env=ENV,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    p.stdout.read(1000)
    ended_unread(p)


def test_jq_reads_hostile_names(hostile):
    text = output("-r", hostile, "-o", "json", "-a")
    for field in ("ifname", "to_ifname", "prog_name", "netns_name"):
        got = jq(text, f'select(.type == "sample") | .{field}')
        assert got == [shown(name) for name in NAMES]
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", text)


def test_csv_reads_hostile_names(hostile):
    rows = csv_rows(output("-r", hostile, "-o", "csv", "-a"))
    assert [unquoted(row["ifname"]) for row in rows] == [shown(name) for name in NAMES]


def test_text_shows_hostile_names(hostile):
    text = output("-r", hostile, "-b", "-v", "flows", "-a", env={"COLUMNS": "300"})
    assert not re.search(rb"[\x00-\x09\x0b-\x1f\x7f]", text)
    text.decode()
    for name in NAMES:
        assert shown(name).encode() in text


@pytest.mark.release
def test_promtool_reads_hostile_names(hostile, promtool):
    text = output("-r", hostile, "-o", "prometheus")
    p = run(promtool, "check", "metrics", input=text)
    assert (p.returncode, p.stdout, p.stderr) == (0, b"", b"")
    for name in NAMES:
        label = shown(name).replace("\\", "\\\\").replace('"', '\\"')
        assert f'device="{label}",'.encode() in text


@pytest.mark.release
@pytest.mark.parametrize("args", [[], ["-C"], ["-t", "none"]])
def test_promtool_reads_the_demo(promtool, args):
    p = run(promtool, "check", "metrics", input=output("-r", DEMO, "-n", "1", "-o", "prometheus", *args))
    assert (p.returncode, p.stdout, p.stderr) == (0, b"", b"")


def test_finding_metric():
    """Each active finding is a gauge with its names; labels with names have no numbers."""
    args = ["-r", DEMO, "-n", "1"]
    want = set()
    for f in jq(output(*args, "-o", "json"), 'select(.type == "finding" and .state == "active")'):
        labels = {"code": f["code"], "severity": f["severity"], "device": f["ifname"]}
        if f["to_ifindex"]:
            labels["to_device" if f["to_ifname"] else "to_ifindex"] = f["to_ifname"] or str(f["to_ifindex"])
        labels["netns"] = f["netns_name"] or str(f["netns"])
        want.add(tuple(labels.items()))
    text = output(*args, "-o", "prometheus").decode()
    got = re.findall(r"^xdptop_finding_active\{(.*)\} 1$", text, re.M)
    assert {tuple(re.findall(r'(\w+)="([^"]*)"', labels)) for labels in got} == want and len(got) == len(want) > 5
    assert 'to_ifindex="999999"' in text and not re.search(r'to_device="\d+"', text)
    # -f selects findings as well
    selected = output(*args, "-o", "prometheus", "-i", "eth9").decode()
    assert re.findall(r"^xdptop_finding_active\{(.*)\} 1$", selected, re.M) == [g for g in got if 'device="eth9"' in g]


def test_formats_agree():
    """JSON and CSV have the same rows; Prometheus has the sums of their totals."""
    rows = jq(output("-r", DEMO, "-o", "json"), 'select(.type == "sample")')
    table = csv_rows(output("-r", DEMO, "-o", "csv"))
    assert len(rows) == len(table)
    for row, cells in zip(rows, table):
        assert list(row) == [name for name in cells if name in row or cells[name]]
        for name, value in row.items():
            want = "" if value is None else value
            got = unquoted(cells[name])
            assert got == want if isinstance(want, str) else float(got) == want
    sent = sum(r["packets_total"] for r in rows
               if r["tracepoint"] == "xdp_devmap_xmit" and r["seq"] == rows[-1]["seq"])
    text = output("-r", DEMO, "-o", "prometheus", "--to", "/dev/stdout").decode().split("# HELP xdptop_build_info")[-1]
    assert sent == sum(int(line.split()[-1]) for line in text.split("\n")
                       if line.startswith("xdptop_devmap_xmit_packets_total{"))


def replay_of(pieces, output_format, *args):
    """Feeds a replay; returns its output and its peak memory in kB."""
    p = subprocess.Popen([XDPTOP, "-r", "-", "-C", "-o", output_format, *args], env=ENV, stdin=subprocess.PIPE,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for text in pieces:
        p.stdin.write(text)
    p.stdin.flush()
    # while it runs, since wait4() includes a child's memory before exec()
    with open(f"/proc/{p.pid}/status") as f:
        (kilobytes,) = [int(line.split()[1]) for line in f if line.startswith("VmHWM")]
    _, said = p.communicate(timeout=DEADLINE)
    assert p.returncode == DONE
    return said, kilobytes


@pytest.mark.parametrize("output_format", FORMATS)
def test_memory_of_long_recordings(output_format):
    """It does not grow with the length: 100,000 rows need as much as 5,000. make bench has a million."""
    with open(DEMO, "rb") as f:
        text = f.read()
    _, short = replay_of([text] * 31, output_format)
    _, long_ = replay_of([text] * 620, output_format)
    assert long_ < short + (1 << 10)


def coming_and_going(snapshots, series, devices):
    """A recording of one run in which everything is new in each snapshot, and gone in the next."""
    with open(DEMO, "rb") as f:
        lines = f.read().splitlines()
    row = next(row for row in map(json.loads, reversed(lines)) if row["type"] == "sample")
    now = {"seq": "%(seq)d", "time": "2026-11-21T%(time)s.000000Z", "netns": 4026531840, "ifindex": "%(ifindex)d"}

    def template(row):
        """A template that is filled in, since creating each row would take longer than the replay."""
        return re.sub(r'"(%\(\w+\)d)"', r"\1", json.dumps({**row, **now})) + "\n"

    sample = template({**row, "cpu": None, "events": 3, "events_total": 3})
    there = template({"type": "device", "ifname": "veth", "netns_name": "run%(seq)d", "mode": "native", "state": "up"})
    gone = there.replace('"up"', '"gone"')
    yield lines[0] + b"\n"
    for seq in range(1, snapshots + 1):
        is_now = {"seq": seq, "time": f"{seq // 3600:02}:{seq // 60 % 60:02}:{seq % 60:02}"}
        out = []
        for i in range(seq * devices, (seq + 1) * devices):
            out += [there % {**is_now, "ifindex": i}, gone % {**is_now, "ifindex": i - devices}]
        out += [sample % {**is_now, "ifindex": i} for i in range(seq * series, (seq + 1) * series)]
        yield "".join(out).encode()


@pytest.fixture(scope="module")
def comings(tmp_path_factory):
    path = tmp_path_factory.mktemp("comings") / "r.jsonl"
    with open(path, "wb") as file:
        file.writelines(coming_and_going(60, 2500, 400))
    return path


@pytest.mark.parametrize("output_format", ["json", "csv"])
def test_long_recording_of_what_comes_and_goes(comings, output_format):
    """More series and devices than are kept at a time: no row is refused, and memory is bounded."""
    with open(comings, "rb") as recording:
        said, kilobytes = replay_of(recording, output_format)
    assert said == b""
    assert kilobytes < 256 << 10


def test_events_lost(tmp_path):
    """A replay reports how many rare events are not listed, as the monitor did."""
    path = tmp_path / "r.jsonl"
    with open(DEMO, "rb") as f:
        rows = [json.loads(line) for line in f]
    for row in rows:
        if row["type"] == "tracepoint" and row["tracepoint"] in ("mem_connect", "bpf_xdp_link_attach_failed"):
            row["events_lost_total"] = 1000 * row["seq"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for seq in (1, 2, 3):
        assert b"events lost: %d000" % (2 * seq) in output("-r", path)
    again = [json.loads(line) for line in output("-r", path, "-o", "json").splitlines()]
    lost = [row["events_lost_total"] for row in again if row.get("tracepoint") == "mem_connect" and row["type"] == "tracepoint"]
    assert lost == [1000, 2000, 3000] and again[-1]["events_lost_total"] == 6000


def test_what_drops_silently_is_named(tmp_path):
    """XDP_DROP fires no tracepoint: empty views name the program, and how to see its verdicts."""
    with open(DEMO, encoding="utf-8") as demo:
        rows = [json.loads(line) for line in demo]
    rows = [{**row, "events": 0, "events_total": 0} if row["type"] == "tracepoint" else row
            for row in rows if row["type"] in ("header", "tracepoint", "end")]
    first = next(i for i, row in enumerate(rows) if row["type"] == "tracepoint")
    rows.insert(first, {
        "type": "device", "seq": rows[first]["seq"], "time": rows[first]["time"], "netns": 4026531840, "ifindex": 9,
        "netns_name": "init", "ifname": "eth0", "mode": "native", "state": "up", "prog_id": 42, "prog_name": "xdp_fw"})
    (tmp_path / "silent").write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = " ".join(output("-r", tmp_path / "silent", "-b", "-n", "1").decode().split())
    assert "XDP on 1 device: incoming packets are not counted, drops not counted on 1 (--verdicts), losses not counted " in said
    assert "RESULT PROGRAM ID eth0 init native - - - off drops not counted (--verdicts) xdp_fw 42 " in said
    for view in ("flows", "errors", "devices", "programs", "findings"):
        said = " ".join(output("-r", tmp_path / "silent", "-b", "-n", "1", "-v", view).decode().split())
        assert "No event was counted for xdp_fw (id 42) on eth0 (native). XDP_DROP and XDP_PASS fire no trace" in said
        assert "`ethtool -S eth0` and `xdpdump -i eth0 --rx-capture exit` show what happens to its packets." in said
    for act in ("DROP", "pass", "XDP_DROP"):
        said = " ".join(output("-e", act).decode().split())
        assert "No tracepoint fires for that, so only --verdicts counts it" in said
        assert "xdpdump -i DEVICE --rx-capture exit" in said


@pytest.mark.parametrize("kind,name,says", [
    ("view", "flows", "DEVICE NETNS TARGET LOST/S"),
    ("view", "devices", "devices that the program is attached to"),  # it is also a column
    ("driver", "veth", "veth.c, veth_xdp_xmit()"),
    ("driver", "mlx5_core", "accepts redirected frames"),  # as ethtool -i has it
])
def test_explain_views_and_drivers(kind, name, says):
    said = " ".join(output("-e", name).decode().split())
    assert f"({kind})" in said.split(" ", 2)[1] and says in said


def test_header_has_the_worst_findings():
    """Three findings with device and loss, in the order of the view, and the number of the others."""
    args = ["-r", DEMO, "-n", "1"]
    all_of_it = jq(output(*args, "-o", "json"), 'select(.type == "finding" and .state == "active")')
    text = output(*args, "-b", env={"COLUMNS": "300"}).decode()
    said = re.search(r"(\d+) findings: (\S+) (\S+) (\S+)/s  (\S+) (\S+) (\S+)/s  (\S+) (\S+) (\S+)/s  (\d+) more$",
                     text.split("\n\n", maxsplit=1)[0], re.M)
    assert int(said[1]) == len(all_of_it) == int(said[11]) + 3
    for i, finding in enumerate(all_of_it[:3]):
        code, device, rate = said.groups()[1 + 3 * i:4 + 3 * i]
        assert (code, device) == (finding["code"], finding["ifname"])
        assert abs(float(rate) - finding["lost_per_s"]) <= 0.5


def test_texts_of_the_kernel_that_counted(tmp_path):
    """A recording uses its own kernel's texts, not those of the kernel that replays it."""
    path = tmp_path / "zero.jsonl"
    for kernel, helper in ("6.18.0", False), ("5.10.223", True):
        text = open(DEMO).read().replace('"kernel":"6.18.0"', f'"kernel":"{kernel}"')
        path.write_text(text.replace('"to_ifindex":999999', '"to_ifindex":0'))
        said = output("-r", path, "-b", "-v", "findings").decode()
        assert "redirects to ifindex 0" in said
        assert ("or called no helper" in said) == helper
