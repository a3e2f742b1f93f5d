# SPDX-License-Identifier: GPL-2.0-or-later
"""Counters and settings of devices: written, read back, and exposed to Prometheus."""
import json

import pytest

from batch import DEMO, output

NETNS = 4026531840
DEVICE = {"type": "device", "netns": NETNS, "netns_name": "init", "ifindex": 2, "ifname": "eth0", "state": "up",
          "mtu": 1500, "mode": "native", "prog_id": 40, "driver": "virtio_net", "channels": 2, "channels_max": 4,
          "rx_ring": 256, "mtu_max": 65535, "offloads": "rx-gro,rx-vlan-hw-parse"}
COUNTS = [
    {"rx_packets_total": 100, "rx_missed_total": 7, "xdp_drop_total": 10, "xdp_xmit_errors_total": 0},
    {"rx_packets_total": 200, "rx_missed_total": 9, "xdp_drop_total": 20, "xdp_drop_per_s": 2.5,
     "xdp_xmit_errors_total": 1466, "xdp_xmit_errors_per_s": 293.2},
    # reset
    {"rx_packets_total": 5, "rx_missed_total": 0, "xdp_drop_total": 1},
]


def recording(rows):
    """The demo's header and snapshots, with additional rows of devices."""
    with open(DEMO, encoding="utf-8") as demo:
        lines = [json.loads(line) for line in demo]
    for seq in range(1, len(rows) + 1):
        at = max(i for i, line in enumerate(lines) if line.get("seq") == seq and line["type"] != "end") + 1
        lines[at:at] = [{**row, "seq": seq, "time": lines[at - 1]["time"]} for row in rows[seq - 1]]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


@pytest.fixture(scope="module")
def recorded():
    return recording([[{**DEVICE, **counts}] for counts in COUNTS])


def devices(text, *types):
    """Rows of this device, not of the demo's."""
    return [row for row in map(json.loads, text.splitlines())
            if row["type"] in types and (row["netns"], row["ifindex"]) == (NETNS, 2)]


def test_all_of_it_is_read_back(recorded):
    once = output("-r", "-", "-o", "json", input=recorded)
    rows = devices(once, "device")
    for row, counts in zip(rows, COUNTS):
        assert {name: row[name] for name in counts} == counts
    assert [row["xdp_xmit_errors_total"] for row in rows] == [0, 1466, None]
    # rates of the link are computed: 0.5001 s between snapshots; before the first nothing is known
    assert [(row["rx_packets_per_s"], row["rx_missed_per_s"], row["rx_dropped_per_s"]) for row in rows] == [
        (None, None, None), (199.949213, 3.998984, None), (None, None, None)]
    for row in devices(once, "device"):
        assert {name: row[name] for name in DEVICE} == DEVICE
    assert output("-r", "-", "-o", "json", input=once) == once


def test_a_recording_from_before_has_one_counter():
    was = {**{name: DEVICE[name] for name in ("type", "netns", "ifindex", "ifname", "state", "mtu", "mode")},
           "rx_packets_total": 100}
    rows = recording([[was], [{**was, "rx_packets_total": 200}]])
    once = devices(output("-r", "-", "-o", "json", input=rows), "device")
    assert [row["rx_packets_total"] for row in once] == [100, 200, 200]
    assert {row["rx_missed_total"] for row in once} == {row["xdp_drop_per_s"] for row in once} == {None}


def test_counters_by_their_drivers_names():
    """Read back, including hostile names; a row that disappeared is reported as gone once."""
    of = {"type": "ethtool_stat", "netns": NETNS, "netns_name": "init", "ifindex": 2, "state": "used", "left_out": 3}
    evil = {**of, "number": 9, "name": "a\x1b[31m", "total": 18446744073709551615}
    rows = [[DEVICE, {**of, "number": 4, "name": "rx_no_dma", "total": 5, "per_s": 0.2}, evil],
            [{**of, "number": 4, "name": "rx_no_dma", "total": 15, "per_s": 2}],
            [{**of, "number": 4, "name": "rx_no_dma", "total": 15, "per_s": 2, "state": "gone"}]]
    once = output("-r", "-", "-o", "json", input=recording(rows))
    told = devices(once, "ethtool_stat")
    assert [(row["seq"], row["number"], row["state"], row["total"], row["per_s"]) for row in told] == [
        (1, 4, "used", 5, 0.2), (1, 9, "used", 18446744073709551615, None), (2, 4, "used", 15, 2),
        (3, 9, "used", 18446744073709551615, None), (3, 4, "gone", 15, 2)]
    assert told[1]["name"] == "a\\x1b[31m"
    assert output("-r", "-", "-o", "json", input=once) == once


def exposed(text, n):
    """The metrics of devices in the nth snapshot: labels and values."""
    last = output("-r", "-", "-o", "prometheus", "-n", str(n), input=text).decode().split("# HELP xdptop_build_info")[n]
    return dict(line.rsplit(" ", 1) for line in last.splitlines()
                if line.startswith("xdptop_device_") and 'device="eth0"' in line)


def test_prometheus_has_what_is_known(recorded):
    """The counters themselves: a decrease is a reset, which Prometheus handles. Unknown is not 0."""
    for n, missed, errors in ((1, 7, "0"), (2, 9, "1466"), (3, 0, None)):
        values = exposed(recorded, n)
        label = '{device="eth0",netns="init"}'
        assert values[f"xdptop_device_rx_missed_total{label}"] == str(missed)
        assert values.get(f"xdptop_device_xdp_xmit_errors_total{label}") == errors
        assert f"xdptop_device_xdp_aborted_total{label}" not in values


def test_prometheus_has_no_device_that_is_gone(recorded):
    gone = recording([[{**DEVICE, **COUNTS[0]}], [{**DEVICE, **COUNTS[1], "state": "gone"}]])
    assert exposed(gone, 1) and not exposed(gone, 2)
