# SPDX-License-Identifier: GPL-2.0-or-later
"""
Incidents that verdicts reveal (--verdicts), in handmade recordings: each leads to its finding, and a healthy
program to none.
"""
import json

import pytest

from batch import DONE, FINDINGS, xdptop
from test_device_incidents import NETNS, NIC, findings

SECONDS = 15
PROGRAM = {"prog_id": 42, "prog_name": "fw", "state": "attached", "attached_by": "netlink", "pinned": 0, "holders": 1,
           "pid": 812, "comm": "fw", "processes": "all", "unheld": 0, "verdicts": "on", "verdicts_missed": 0}


def recording(path, returns, driver="ice", received=0, exceptions="on", program=(), once=()):
    """A NIC and its program: packets per second by verdict, single packets, and the NIC's own count."""
    lines = [{"type": "header", "schema": 1, "version": "0.1.0", "hostname": "h", "kernel": "6.12.0",
              "time": "2026-11-21T13:00:00.000000Z", "cpus_possible": 2, "cpus_online": 2, "backend": "btf",
              "delay_s": 1, "page_size": 4096}]
    for seq in range(1, SECONDS + 1):
        at = {"seq": seq, "time": f"2026-11-21T13:00:{seq:02}.000000Z"}
        lines.append({"type": "tracepoint", **at, "tracepoint": "xdp_exception", "state": exceptions, "reason": None,
                      "events": 0, "events_total": 0, "events_per_s": 0, "missed_total": 0, "overflow_total": 0,
                      "ns_per_event": None, "cpu_percent": None, "events_lost_total": 0})
        lines.append({"type": "device", **at, **NIC, "driver": driver, "rx_packets_total": received * seq})
        lines.append({"type": "program", **at, **PROGRAM, **dict(program)})
        for act, n in {**dict.fromkeys(dict(once), 0), **returns}.items():
            since = n * seq + (dict(once).get(act, 0) if seq > 7 else 0)
            lines.append({"type": "verdict", **at, "interval_s": 1, "prog_id": 42, "netns": NETNS, "ifindex": 3,
                          "queue": 0, "act": act, "cpu": 1, "trace": 1, "packets": n, "packets_total": since,
                          "bytes": 100 * n, "bytes_total": 100 * since})
    lines.append({"type": "end", "seq": SECONDS, "time": f"2026-11-21T13:00:{SECONDS:02}.000000Z", "reason": "signal"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


OFF = {"verdicts": "off"}
# what the program does, the change that makes it healthy; the finding, its severity, part of its text, a command
INCIDENTS = {
    "blackhole": (dict(returns={"DROP": 5000}), dict(once={"PASS": 1}), "program-drops-all", "warning",
                  "it drops every packet: 5000 a second, 500k bytes, for 10 s or longer", "ip link set dev eth0 xdpdrv off"),
    "broadcasts": (dict(returns={"DROP": 200}), dict(returns={"DROP": 90}), "program-drops-all", "warning",
                   "it drops every packet", "bpftool prog show id 42"),
    "blackhole-of-a-link": (dict(returns={"DROP": 5000}, program={"attached_by": "link", "link_id": 7}),
                            dict(program=OFF), "program-drops-all", "warning", "it drops every packet",
                            "bpftool link detach id 7"),
    "drops-many": (dict(returns={"DROP": 500, "PASS": 4500}), dict(returns={"DROP": 400, "PASS": 4600}), "program-drops",
                   "info", "it drops 500 packets a second by XDP_DROP, 10.0 % of the incoming ones (counted by verdicts)",
                   "xdpdump -i eth0 --rx-capture exit"),
    # "0 packets": did packets reach XDP?
    "not-run": (dict(returns={}, driver="vmxnet3", received=1000), dict(once={"PASS": 1}), "program-sees-nothing",
                "warning", "received 1000 packets a second for 10 s or longer (rx_packets), but the program ran for none",
                "ethtool -S eth0"),
    "not-counted": (dict(returns={}, driver="vmxnet3", received=1000), dict(program=OFF), "program-sees-nothing",
                    "warning", "The device's driver does not run the program, or", "ethtool -n eth0"),
    "bad-value": (dict(returns={"PASS": 970, "UNKNOWN": 30}, driver="ena"), dict(returns={"PASS": 1000}),
                  "verdict-unknown", "critical", "for 3.0 % of its packets (30 a second) the program returned a value",
                  "dmesg | grep -F 'XDP return value'"),
    # a driver that supports it reports it as xdp_exception
    "bad-value-not-counted": (dict(returns={"PASS": 970, "UNKNOWN": 30}, exceptions="off"), dict(exceptions="on"),
                              "verdict-unknown", "critical", "xdp_exception, which reports the value, is not counted",
                              "bpftool prog dump xlated id 42"),
    "aborted": (dict(returns={"PASS": 900, "ABORTED": 100}, exceptions="off"), dict(returns={"PASS": 900}), "aborted",
                "critical", "for 10.0 % of its packets the program returned XDP_ABORTED", "bpftool prog show id 42"),
    "aborted-seldom": (dict(returns={"PASS": 99900, "ABORTED": 100}, exceptions="off"), dict(program=OFF), "aborted",
                       "info", "for 0.1 % of its packets the program returned XDP_ABORTED", "bpftool map show"),
}


@pytest.mark.parametrize("incident", INCIDENTS)
def test_incident(tmp_path, incident):
    how, well, code, severity, text, command = INCIDENTS[incident]

    def told(name, **what):
        """Without the information that a program drops many packets, which it may be meant to do."""
        return [f for f in findings(recording(tmp_path / name, **what)) if code == f["code"] or f["code"] != "program-drops"]

    found = told("bad", **how)
    assert found and {(f["code"], f["severity"]) for f in found} == {(code, severity)}, found
    assert all(f["ifname"] == "eth0" and f["prog_id"] == 42 and text in f["text"] for f in found), found
    assert any(command in line for line in found[-1]["next"]), found[-1]["next"]
    assert not told("well", **{**how, **well})


def test_check_counts_its_window(tmp_path):
    """The count since the start includes the ten seconds before the finding."""
    p = xdptop("--check", "-r", recording(tmp_path / "bad", returns={"DROP": 5000}))
    assert (p.returncode, p.stderr) == (FINDINGS, b"")
    assert p.stdout.endswith(b", lost %d since the start)\n" % (5000 * SECONDS))


@pytest.mark.parametrize("args, said", [((), True), (("critical",), False), (("-q",), False)])
def test_check_says_what_it_cannot_judge(tmp_path, args, said):
    """Silence would be taken for health. Verdicts that are not counted are not judged."""
    short = ["-n", "9"]
    p = xdptop("--check", *args, *short, "-r", recording(tmp_path / "bad", returns={"DROP": 5000}))
    assert (p.returncode, p.stdout) == (DONE, b"")
    assert p.stderr.decode() == said * (
        "xdptop: --check could not judge program-drops-all, program-sees-nothing, which needs 10 s of verdicts, because "
        "there were only 8.0 s; count for longer (-n)\n")
    assert not xdptop("--check", *args, *short, "-r", recording(tmp_path / "off", {}, program=OFF)).stderr
