# SPDX-License-Identifier: GPL-2.0-or-later
"""The documents compared with the tree and the program: fields of recordings, links, paths, width."""
import json
import re
import shlex
import subprocess

import pytest

from batch import DEMO, TOP, missing, output, xdptop

RECORDING = TOP / "doc/recording.md"
WIDTH = 120
FIELD = re.compile(r"^\* `(\w+)`, (text|integer|number|texts)(?: in \w+(?:/\w+)?)?( or null)?:\s+\S", re.M)
TYPES = {"text": str, "integer": int, "number": (int, float), "texts": list}
FOLDERS = "src|ui|bpf|tests|doc|man|completions|contrib"

# fields that no object of the demo has
POD = {
    "type": "pod", "seq": 1, "netns": 4026534080, "netns_name": "blue", "state": "used", "namespace": "shop",
    "pod": "web-0", "container": "nginx", "container_id": "4f3c" * 16, "pod_uid": "6b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0",
}
OF_POD = {"pod", "namespace", "container"}
# without a known pod: of a row, and of its target
OF_PODS = OF_POD | {f"to_{name}" for name in OF_POD}
LEFT_OUT = {"attached_by", "counters_read_at", "settings_read_at", "queues_read_at", "counted_at", "added", "like_id",
            "like_prog", "in_map", "lower_ifindex", "vlan_id", "master_ifindex", "link_type"}
HEADER = {"refused": "walk load EPERM", "verdicts_pid": 812, "verdicts_caps": "CAP_BPF,CAP_SYS_ADMIN,CAP_PERFMON",
          "later_namespaces_pid": 813, "later_namespaces_caps": "CAP_SYS_PTRACE,CAP_SYS_ADMIN",
          "boot_id": "b7ff0b6d-7a4c-4c0f-9f1e-0e5b0a4a5d11", "monotonic_ns": 90000000000, "started_ns": 30000000000,
          "snapshots_left_out": 3}
DEVICE = {
    "type": "device", "seq": 1, "netns": 4026534080, "netns_name": "blue", "ifindex": 3, "ifname": "veth-old",
    "kind": "veth", "state": "up", "mtu": 1500, "mode": "native", "prog_id": 41498, "prog_name": "rig_to_ifindex",
    "skb_prog_id": None, "xdp_features": "basic,redirect", "peer_netns": 4026531840, "peer_ifindex": 7,
    "lower_ifindex": 9, "vlan_id": 100, "master_ifindex": 11, "link_type": 1,
    "driver": "veth", "rx_packets_total": 123456, "rx_missed_total": 0, "rx_dropped_total": 3, "tx_packets_total": 17,
    "tx_dropped_total": 0, "tx_errors_total": 0, "carrier_changes_total": 2, "xdp_drop_total": 4,
    "xdp_drop_per_s": 0.2, "xdp_aborted_total": 0, "xdp_tx_total": 5, "xdp_tx_per_s": 1, "channels": 2,
    "channels_max": 2, "rx_ring": 256, "rx_ring_max": 4096, "tx_ring": 256, "tx_ring_max": 4096, "mtu_max": 65535,
    "promiscuity": 1, "offloads": "rx-gro,tx-generic-segmentation",
    "attached_by": "link", "counters_read_at": "2026-11-21T09:14:57.123456Z", "settings_read_at": "2026-11-21T09:14:52.000001Z",
    "queues_read_at": "2026-11-21T09:14:56.500000Z",
}
ETHTOOL_STAT = {
    "type": "ethtool_stat", "seq": 1, "netns": 4026534080, "ifindex": 3, "number": 2, "state": "used",
    "name": "rx_queue_0_drops", "total": 7, "per_s": 0.2, "left_out": 1,
}
QUEUE = {
    "type": "queue", "seq": 1, "netns": 4026534080, "netns_name": "blue", "ifindex": 3, "ifname": "veth-old", "queue": 1,
    "state": "used", "napi_id": 257, "irq": 38, "pid": 812, "cpu": 1, "cpus": "1", "cpu_node": 0, "device_node": 1,
    "xsk": 1, "rx_packets_total": 100, "rx_packets_per_s": 0.2, "rx_hw_drops_total": 3, "rx_hw_drops_per_s": 1.5,
    "left_out": 2,
}
CPU = {
    "type": "cpu", "seq": 1, "cpu": 3, "softnet_processed": 10, "softnet_processed_total": 100,
    "softnet_dropped": 1, "softnet_dropped_total": 2, "time_squeeze": 0, "time_squeeze_total": 7,
    "redirect_err_events": 2, "redirect_err_events_total": 5,
}
MAP_ENTRY = {
    "type": "map_entry", "seq": 1, "map_id": 7, "map_name": "to_cpu", "map_type": "cpumap", "key": 1, "state": "used",
    "prog_id": 12, "prog_name": "on_cpu", "qsize": 192, "fill": 3,
}
MAP = {"type": "map_entry", "seq": 1, "map_id": 7, "map_type": "cpumap", "key": None, "state": "used", "users": "9",
       "users_total": 1}
FILL = {
    "type": "map", "seq": 1, "map_id": 8, "map_name": "flows", "map_type": "lru_hash", "state": "used", "entries": 90,
    "max_entries": 100, "entries_per_s": 2.5, "full_in_s": 4.0, "rises": 2, "users": "9,12", "users_total": 2,
    "counted_at": "2026-11-21T09:14:55.250000Z", "added": 5, "like_id": 11, "like_prog": 12,
}
FILLS_LEFT_OUT = {"type": "map", "seq": 1, "map_id": None, "state": "used", "left_out": 3}
SOCKET = {
    "type": "socket", "seq": 1, "interval_s": 1, "inode": 4711, "netns": 4026534080, "netns_name": "blue",
    "state": "bound", "ifindex": 3, "ifname": "veth-old", "queue": 0,
    "nic_netns": 4026531840, "nic_ifindex": 2, "nic_ifname": "eth0", "nic_queue": 5, "queues": 4, "tx_queues": 2, "zerocopy": 0,
    "prefers_busy_poll": 1, "irqs_deferred": 0, "in_map": 1, "pid": 812, "comm": "xsk", "umem_size": 16777216,
    "chunk_size": 4096, "rx_size": 2048, "rx_fill": 7, "fill_size": 2048,
    "fill_fill": 0, "tx_size": 64, "tx_fill": 3, "tx_need_wakeup": 1, "received": 10,
    "received_total": 100, "rx_dropped": 1, "rx_dropped_total": 2,
    "rx_queue_full": 0, "rx_queue_full_total": 0, "rx_fill_ring_empty": 5, "rx_fill_ring_empty_total": 9,
}
SOCKETS_LEFT_OUT = {"type": "sockets_left_out", "seq": 1, "netns": 4026534080, "netns_name": "blue", "state": "counted",
                    "left_out": 9}

PROGRAM = {
    "type": "program", "seq": 1, "prog_id": 41498, "prog_name": "rig_to_ifindex", "state": "attached", "part_of": None,
    "attached_by": "link", "link_id": 7, "pinned": 0, "pid": 812, "comm": "loader", "holders": 1, "processes": "all",
    "unheld": 0, "loaded_at": "2026-11-21T09:15:00.123456Z", "uid": 0, "verdicts": "refused",
    "verdicts_reason": "it is offloaded", "verdicts_missed": 0, "maps": "7", "maps_total": 1, "newer_id": 41499,
    "newer_loaded_at": "2026-11-21T09:15:00.123456Z", "newer_pid": 813, "newer_comm": "agent", "prog_array": 9, "statistics": 1,
    "runs_per_s": 1200.5, "ns_per_run": 85.0, "run_cnt": 7000, "run_time_ns": 600000,
}
REPLACEMENT = {
    "type": "program", "seq": 1, "prog_id": 41500, "state": "attached", "verdicts": "on",
    "verdicts_unseen_from": "2026-11-21T09:15:00.123456Z", "verdicts_unseen_until": "2026-11-21T09:15:00.223456Z",
}
FOLLOWED = {
    "type": "event", "time": "2026-11-21T13:02:23.100000001Z", "cpu": 1, "netns": 4026531840, "netns_name": "init",
    "ifindex": 3, "ifname": "eth1", "follow": "event", "left_out": 0, "sent": 1, "drops": 0, "processed": 1,
    "sched": 0, "xdp_pass": 1, "xdp_drop": 0, "xdp_redirect": 0, "len": 98, "protocol": 2048, "queue_mapping": 1,
    "gso_segs": 1, "mem_id": 5, "mem_type": 2,
}
FOLLOWED_AT = ["xdp_devmap_xmit", "xdp_cpumap_kthread", "net_dev_queue", "mem_connect"]
CHANGE_FIELDS = {"change", "old", "new", "holder", "queue"}
FOLLOW_FIELDS = {"follow", "netns_name", "sent", "drops", "processed", "sched", "xdp_pass", "xdp_drop", "xdp_redirect",
                 "len", "protocol", "queue_mapping", "gso_segs", "mem_id", "mem_type"}
# of a program, without --verdicts
PROGRAM_FIELDS = {"verdicts", "verdicts_reason", "verdicts_missed", "verdicts_unseen_from",
                  "verdicts_unseen_until", "maps", "maps_total", "prog_array", "statistics", "runs_per_s", "ns_per_run",
                  "run_cnt", "run_time_ns", "newer_id", "newer_loaded_at", "newer_pid", "newer_comm"}
PAGE_POOL = {
    "type": "page_pool", "seq": 1, "netns": 4026534080, "netns_name": "blue", "id": 7, "state": "used", "ifindex": 3,
    "ifname": "veth-old", "napi_id": 8193, "inflight": 12, "inflight_mem": 49152,
    "detached_at": "2026-11-21T09:14:00.123456Z", "stuck": 2, "left_out": 0,
}
PACKET_KIND = {
    "type": "packet_kind", "seq": 1, "interval_s": 1, "prog_id": 41498, "prog_name": "xdp_fwd", "state": "counted",
    "act": "DROP", "ethertype": "IPv4", "protocol": "TCP", "length_to": 64, "packets": 10, "packets_total": 100,
}
FIB_LOOKUP = {
    "type": "fib_lookup", "seq": 1, "interval_s": 1, "netns": 4026534080, "netns_name": "blue", "ifindex": 3,
    "ifname": "veth-old", "result": "NO_NEIGH", "lookups": 10, "lookups_total": 100,
}
VERDICT = {
    "type": "verdict", "seq": 1, "interval_s": 1, "prog_id": 41498, "state": "counted", "netns": 4026534080,
    "netns_name": "blue", "ifindex": 3, "queue": 5, "act": "DROP", "cpu": 1, "trace": 3, "packets": 10,
    "packets_total": 100, "bytes": 640, "bytes_total": 6400, "unseen_from": "2026-11-21T09:15:00.123456Z",
    "unseen_until": "2026-11-21T09:15:00.223456Z",
}


def documents():
    """All documents of the tree, without copies in build directories."""
    return sorted(p for p in TOP.rglob("*.md")
                  if not any(part.startswith(".") or part == "build" for part in p.relative_to(TOP).parts))


def sections(text):
    """Title -> text of each section `## title`."""
    return {title: body for title, body in re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", text, re.M | re.S)}


def field_faults(text, objects):
    """Faults in the fields of a document; `objects` are the program's by type."""
    by_title = sections(text)
    for name, fields in objects.items():
        if name not in by_title:
            yield f"no section {name}"
            continue
        told = [match[0] for match in FIELD.findall(by_title[name])]
        yield from (f"{name}: {field} is not in the document" for field in fields if field not in told)
        yield from (f"{name}: {field} is not in the program" for field in told if field not in fields)
        yield from (f"{name}: {field} is there twice" for field in set(told) if told.count(field) > 1)
        lines = re.findall(r"^\* `\w+`", by_title[name], re.M)
        if len(lines) != len(told):
            yield f"{name}: {len(lines) - len(told)} items are not fields with a type"


def value_faults(text, records):
    """Values whose type differs from the document's."""
    types = {(title, name): (kind, null) for title, body in sections(text).items()
             for name, kind, null in FIELD.findall(body)}
    for title, record in records:
        for name, value in record.items():
            kind, null = types[title, name]
            if not (null if value is None else isinstance(value, TYPES[kind])):
                yield f"{title}: {name} is {value!r}, not {kind}{null}"


def anchor(heading):
    """As hosting platforms derive it from a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def link_faults(path, text):
    for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", target):
            continue
        name, _, part = target.partition("#")
        file = path.parent / name if name else path
        if not file.exists():
            yield f"{path.name}: no {target}"
        elif part and part not in map(anchor, re.findall(r"^#+ (.+)$", file.read_text(), re.M)):
            yield f"{path.name}: no heading for {target}"


def path_faults(text):
    """Paths of this tree, including wildcards; paths of the kernel's tree begin with other folders."""
    for name in re.findall(rf"(?<![\w/.-])(?:{FOLDERS})/[\w./*-]*", text):
        if not any(TOP.glob(name.rstrip("./"))):
            yield f"no {name}"


@pytest.fixture(scope="module")
def objects(tables):
    return {name: fields.split() for name, _, fields in tables["object"]}


@pytest.fixture(scope="module")
def text():
    return RECORDING.read_text()


def test_every_field_is_told(text, objects):
    assert len(objects) >= 7
    assert list(field_faults(text, objects)) == []


def test_every_field_has_its_help(tables):
    """Every field has a help, and every help a field; -e prints that text."""
    assert len(tables["field"]) > 200
    assert [name for name, _, help_ in tables["field"] if not help_] == []
    assert tables.get("unused", []) == []
    said = output("-e", "map_index").decode()
    for name, kind, help_ in tables["field"]:
        if name.endswith(" map_index"):
            assert kind in said and " ".join(help_.split()) in " ".join(said.split()), name
    assert xdptop("-e", "to_ifnam").stderr.endswith(b"; nearest: to_ifname\n")


def test_fields_of_list(text):
    p = xdptop("--list", "-o", "json")
    if p.returncode:
        missing("this kernel has neither BTF nor tracefs: " + p.stderr.decode())
    records = [json.loads(line) for line in p.stdout.splitlines()]
    assert list(field_faults(text, {"list": list(records[0])})) == []
    assert list(value_faults(text, [("list" if record["type"] == "tracepoint" else record["type"], record)
                                          for record in records])) == []


def test_values_have_their_type(text, objects, tmp_path):
    """Values of the program's output, in all rows that it can write."""
    with open(DEMO, encoding="utf-8") as demo:
        lines = demo.read().splitlines()
    for row in (POD, DEVICE, ETHTOOL_STAT, QUEUE, CPU, MAP, MAP_ENTRY, FILL, FILLS_LEFT_OUT, SOCKET, PROGRAM, REPLACEMENT,
                PAGE_POOL, FIB_LOOKUP, VERDICT, PACKET_KIND, SOCKETS_LEFT_OUT):
        first = next(i for i, line in enumerate(lines) if f'"type":"sample","seq":{row["seq"]},' in line)
        lines.insert(first, json.dumps({**row, "time": json.loads(lines[first])["time"]}))
    lines[0] = json.dumps({**json.loads(lines[0]), **HEADER})
    first = next(i for i, line in enumerate(lines) if '"type":"sample"' in line)
    lines[first:first] = [json.dumps({**FOLLOWED, "tracepoint": tracepoint}) for tracepoint in FOLLOWED_AT]
    out = output("-r", "-", "-o", "json", "-a", "-C", input="\n".join(lines).encode() + b"\n")
    records = [json.loads(line) for line in out.splitlines()]
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(out)
    records += [json.loads(line) for line in output("-r", whole, "-v", "timeline", "-o", "json").splitlines()]
    assert {record["type"] for record in records} == set(objects)
    assert f'`{records[0]["verdicts_caps"]}`' in text
    replacement = next(record for record in records if record.get("prog_id") == 41500)
    assert REPLACEMENT.items() <= replacement.items() and "verdicts_missed" not in replacement
    optional = {"program": PROGRAM_FIELDS, "map_entry": {"users_total"}, "pod": set(), "event": OF_PODS | FOLLOW_FIELDS | CHANGE_FIELDS}
    for record in records:
        left_out = optional.get(record["type"], OF_PODS | LEFT_OUT) - set(record)
        assert list(record) == [name for name in objects[record["type"]] if name not in left_out]
    for kind in ("sample", "device", "verdict", "socket"):
        assert OF_POD <= set().union(*(record for record in records if record["type"] == kind)), kind
    assert set.union(*(set(record) for record in records)) >= FOLLOW_FIELDS | PROGRAM_FIELDS | {"users_total"}
    assert list(value_faults(text, [(record["type"], record) for record in records])) == []


def drivers_told(text):
    """Driver -> what doc/drivers.md says about it, in the words of the program's table, and its counters."""
    told = {}

    def rows(title, columns):
        for line in sections(text)[title].splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("| ") and len(cells) == columns and cells[0] not in ("driver", "generic mode"):
                for name in re.sub(r" \([^)]*\)", "", cells[0]).split(", "):
                    yield name, cells[1:]

    for name, cells in rows("Which failures show as xdp_exception", 5):
        words = {word for word, cell in zip(("ABORTED", "invalid", "TX", "redirect"), cells) if cell.startswith("yes")}
        told[name] = [words, "none"]
    for name, (gate, errnos) in rows("When a device takes redirected frames", 3):
        first = re.split(r"[ ,]", gate)[0]
        told[name][0].add({"its": "peer"}.get(first, first))
        told[name][0].update(re.findall(r"\bE[A-Z]+\b", errnos))
    for name, (counters,) in rows("Where a loss is counted that no tracepoint shows", 2):
        told[name][1] = re.sub(r" (?:\[\d|\()[^])]*[])]", "", counters)
    flush = re.search(r"^\* ([\w, ]+?)(?: without [\w ]+)? flush after each", text, re.M)[1]
    for name in re.split(", | and ", flush):
        told[name][0].add("flushes")
    return told


def driver_faults(text, tables):
    """
    Differences between drivers.md and the program's table. An errno that is mentioned needs a text, at least
    the common one.
    """
    told = drivers_told(text)
    told.pop("tap")
    common = {name for name, _, _ in tables["code"]}
    yield from (f"{name} has no row" for name in set(told) - {name for name, _, _ in tables["driver"]})
    for name, words, counters in tables["driver"]:
        if name not in told:
            yield f"{name} is not told"
            continue
        want, own = told[name][0], set(words.split())
        errnos = {word for word in want if re.match("E[A-Z]", word)}
        yield from (f"{name}: {word}" for word in (own ^ want) - errnos)
        yield from (f"{name}: {word} has no text" for word in errnos - common)
        if re.sub(r" \([^)]*\)", "", counters) != told[name][1]:
            yield f"{name}: counters"


def test_drivers(tables):
    assert list(driver_faults((TOP / "doc/drivers.md").read_text(), tables)) == []


@pytest.mark.parametrize("change,fault", [
    (("| igb | follows |", "| igb | always |"), "igb: always"),
    (("| ionic | yes | yes |", "| ionic | yes | no |"), "ionic: invalid"),
    (("| vmxnet3 | xdp drops,", "| vmxnet3 | drops,"), "vmxnet3: counters"),
    (("EIO: full; EPERM", "EIO: full; EXDEV"), "ionic: EPERM"),
    (("| netsec | yes |", "| netsek | yes |"), "netsec is not told"),
])
def test_a_wrong_driver_is_found(tables, change, fault):
    text = (TOP / "doc/drivers.md").read_text()
    assert change[0] in text
    text = text.replace(*change)
    if "netsek" in change[1]:
        text = text.replace("am65-cpsw, icssg, netsec", "am65-cpsw, icssg, netsek").replace("bnxt, netsec,", "bnxt,")
    assert fault in list(driver_faults(text, tables))


def commands(text):
    """Commands of this program as a document prints them: on a line of their own, or in backquotes."""
    lines = re.findall(r"^    (.*)$", text.replace("\\\n", " "), re.M)
    for line in [*lines, *re.findall(r"`([^`\n]+)`", text)]:
        for part in re.split(r" [|>;]+ |&& ", re.sub(r"\s#\s.*", "", line)):
            found = re.search(r"(?:^|(?:sudo|/usr/bin/|/|\./) ?)xdptop( -.*)$", re.split(r" \d?>", part)[0].rstrip())
            if found:
                yield found[1]


@pytest.mark.parametrize("path", documents(), ids=lambda p: str(p.relative_to(TOP)))
def test_commands_are_accepted(path):
    """The program accepts each command of each document, with the arguments as printed."""
    for command in commands(path.read_text()):
        args = shlex.split(command)
        if "--diff" in args:  # its second file is not an argument of the option, and --version takes none
            del args[args.index("--diff") + 2]
        p = xdptop(*args, "--version")
        assert (p.returncode, p.stderr) == (0, b""), command


def test_commands_are_found():
    readme = list(commands((TOP / "README.md").read_text()))
    assert len(readme) >= 12 and " --explain ENOSPC" in readme and " -r -" in readme


def test_readme(tables):
    """Its views exist, the first screen says what it needs, and a stranger finds the rest."""
    readme = (TOP / "README.md").read_text()
    views = [name for name, _, _ in tables["view"]]
    assert [name for name in re.findall(r"\| `(\w{2,})`", readme) if name not in views] == []
    assert "git clone" in readme and readme.index("It needs Linux") < readme.index("git clone")
    titles = sections(readme)
    for title in ("Install", "Start", "Cost and safety", "Containers and Kubernetes", "Reporting"):
        assert titles[title].strip()
    trouble = (TOP / "doc/trouble.md").read_text()
    for title in ("Beside its neighbours", "Everything is zero", "The numbers look wrong"):
        assert sections(trouble)[title].strip()
    for word in ("xdp-monitor", "bpftop", "bpftrace", "perf", "make uninstall", "CHANGELOG.md", "SECURITY.md"):
        assert word in readme + trouble


def test_the_index_has_every_document():
    index = (TOP / "doc/index.md").read_text()
    linked = {(TOP / "doc" / name.split("#")[0]).resolve() for name in re.findall(r"\]\(([^)]+)\)", index)}
    wanted = {path for path in documents() if path.parent in (TOP, TOP / "doc")} - {TOP / "doc/index.md"}
    assert wanted - linked == set()
    assert [page.stem for page in (TOP / "man").glob("*.[1-8]") if f"{page.stem}(" not in index] == []


@pytest.mark.parametrize("name,most", [("README.md", 105), ("SECURITY.md", 95), ("CHANGELOG.md", 30),
                                       ("doc/index.md", 40), ("HACKING.md", 350)])
def test_a_stranger_reads_it_to_the_end(name, most):
    assert (TOP / name).read_text().count("\n") <= most


def test_a_report_comes_first():
    assert list(sections((TOP / "SECURITY.md").read_text()))[:2] == ["How to report", "What counts as a vulnerability"]


def test_trouble_begins_with_what_is_seen():
    """The messages at the head of an entry are the program's own."""
    literals = "".join(re.sub(r'"\s*\n\s*"', "", path.read_text()) for path in (TOP / "src").glob("*/*.[ch]"))
    seen = re.findall(r'^\* \*\*"(.+?)"', (TOP / "doc/trouble.md").read_text(), re.M)
    assert len(seen) >= 4
    assert [message for message in seen if message not in literals] == []


def test_incident():
    """The recording of README's incident leads to the command in README, and to a cleared finding."""
    recording = TOP / "tests/fixtures/incident.jsonl"
    found = [json.loads(line) for line in output("-r", recording, "-o", "json").splitlines()]
    found = [row for row in found if row["type"] == "finding"]
    assert {row["code"] for row in found} == {"target-down"}
    assert (found[0]["state"], found[-1]["state"]) == ("active", "cleared")
    command = found[0]["next"][-1]
    svg = (TOP / "doc/incident.svg").read_text()
    assert f"`{command}`" in (TOP / "README.md").read_text() and command in svg and " cleared: last " in svg


STATEMENTS = TOP / "doc/driver-statements.md"


def test_statements(tables):
    """The implementation and the test that a statement names exist, or it says that there is no test."""
    program = "".join(path.read_text() for path in (TOP / "src").glob("*/*.[ch]"))
    rows = [line for line in STATEMENTS.read_text().splitlines()
            if line.startswith("| ") and not line.startswith("| statement")]
    assert len(rows) > 40
    for row in rows:
        held = re.findall(r"`(?:(\w+)/)?(\w+):(\w+)`", row.split(" | ")[-1])
        assert held or row.endswith(" not yet |"), row
        for folder, file, name in held:
            source = (TOP / f"tests/unit/{folder or 'diagnose'}/test_{file}.c").read_text()
            assert re.search(rf"TEST(_WITH)?\(test_{name}\b", source), row
        for name in re.findall(r"`(?:struct \w+\.)?(\w+)(?:\(\)|\[\])?`", row.split(" | ")[1]):
            assert re.search(rf"\b{name}\b", program), row
        for name in re.findall(r"finding `([a-z-]+)`", row):
            assert name in [name for name, _, _ in tables["finding"]], row


def test_the_example_is_the_incident():
    """What the package replays is what the pictures show."""
    incident = (TOP / "tests/fixtures/incident.jsonl").read_bytes()
    example = subprocess.run(["zstd", "-dc", TOP / "doc/incident.jsonl.zst"], stdout=subprocess.PIPE, check=True)
    assert example.stdout == incident


@pytest.mark.parametrize("path", documents(), ids=lambda p: str(p.relative_to(TOP)))
def test_what_it_points_to_is_there(path):
    content = path.read_text()
    assert list(link_faults(path, content)) == []
    assert list(path_faults(content)) == []
    assert [line for line in content.splitlines() if len(line) > WIDTH] == []


@pytest.mark.parametrize("change,fault", [
    (("* `hostname`, text or null: name of the machine.\n", ""), "header: hostname is not in the document"),
    (("* `hostname`,", "* `host_name`,"), "header: host_name is not in the program"),
    (("* `hostname`, text", "* `hostname`, words"), "header: 1 items are not fields with a type"),
    (("## finding\n", "## findings\n"), "no section finding"),
])
def test_a_wrong_field_is_found(text, objects, change, fault):
    assert change[0] in text
    assert fault in list(field_faults(text.replace(*change), objects))


def test_a_wrong_value_is_found(text):
    assert list(value_faults(text, [("end", {"seq": None})])) == ["end: seq is None, not integer"]
    assert list(value_faults(text, [("end", {"reason": 1})])) == ["end: reason is 1, not text"]


@pytest.mark.parametrize("content", ["[a](nothing.md)", "[a](doc/recording.md#nothing)", "[two\nlines](#nothing)"])
def test_a_wrong_link_is_found(content):
    assert list(link_faults(TOP / "README.md", content))


@pytest.mark.parametrize("content", ["`src/nothing.c`", "see src/base/nothing_*.c.", "pytest tests/nothing"])
def test_a_wrong_path_is_found(content):
    assert list(path_faults(content))


def test_right_ones_are_not(text):
    assert list(link_faults(TOP / "README.md", "[a](doc/recording.md#sample) [b](https://example.org/nothing)")) == []
    assert list(path_faults("`src/main.c`, src/*/*.h, tests/batch/. kernel/bpf/devmap.c, /doc/nothing")) == []
