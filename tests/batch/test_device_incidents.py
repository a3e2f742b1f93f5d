# SPDX-License-Identifier: GPL-2.0-or-later
"""
Incidents with devices that no test machine has, in handmade recordings of what the kernel reports about such
a device. Each leads to its finding, and a healthy device of the same kind to none.
"""
import json

import pytest

from batch import output

NETNS = 4026531840
SECONDS = 8
NIC = {"netns": NETNS, "netns_name": "init", "ifindex": 3, "ifname": "eth0", "kind": "", "state": "up", "mtu": 1500,
       "mode": "native", "prog_id": 42, "prog_name": "fw", "skb_prog_id": None, "xdp_features": "basic,redirect,ndo-xmit",
       "peer_netns": None, "peer_ifindex": None, "offloads": "none", "rx_packets_total": 0, "tx_packets_total": 0,
       "rx_missed_total": 0, "carrier_changes_total": 2}
SENT = {"type": "sample", "tracepoint": "xdp_devmap_xmit", "netns": NETNS, "netns_name": "init", "ifindex": 9,
        "ifname": "lan0", "to_netns": NETNS, "to_netns_name": "init", "to_ifindex": 3, "to_ifname": "eth0", "err": 0,
        "errname": None, "cpu": None}
NO_PROGRAM = {"mode": "none", "prog_id": None, "prog_name": ""}
VLAN = {**NIC, "ifindex": 4, "ifname": "eth0.100", "kind": "vlan", **NO_PROGRAM}
GENERIC = {"mode": "generic", "skb_prog_id": 42}


def recording(path, cpus=8, page_size=4096, sent=0, each=(), every=1, change=None, beside=(), refused=None, **device):
    """
    A device over SECONDS: its properties, growth per second or per reading, frames sent to it, other devices,
    and the text of a refused attach.
    """
    lines = [{"type": "header", "schema": 1, "version": "0.1.0", "hostname": "h", "kernel": "6.12.0",
              "time": "2026-11-21T13:00:00.000000Z", "cpus_possible": cpus, "cpus_online": cpus, "backend": "btf",
              "delay_s": 1, "page_size": page_size}]
    for seq in range(1, SECONDS + 1):
        at = {"seq": seq, "time": f"2026-11-21T13:00:{seq:02}.000000Z"}
        lines.append({"type": "tracepoint", **at, "tracepoint": "xdp_devmap_xmit", "state": "on", "reason": None,
                      "events": sent, "events_total": sent * seq, "events_per_s": sent, "missed_total": 0,
                      "overflow_total": 0, "ns_per_event": 50, "cpu_percent": 0, "events_lost_total": 0})
        if sent:
            lines.append({**SENT, **at, "interval_s": 1, "events": sent, "events_total": sent * seq,
                          "events_per_s": sent, "packets": sent * 8, "packets_total": sent * 8 * seq,
                          "packets_per_s": sent * 8, "drops": 0, "drops_total": 0, "drops_per_s": 0})
        now = {**NIC, **device}
        for name, n in dict(each).items():
            now[f"{name}_total"] = n * (seq // every) * every
            if name.startswith(("xdp_", "rx_discards", "limit_")):  # a driver's counter, which is read less often
                now[f"{name}_per_s"] = n
        if change:
            now.update(change(seq))
        lines += [{"type": "device", **at, **d} for d in (now, *beside)]
        if refused and seq == 3:
            lines.append({"type": "event", "time": at["time"], "tracepoint": "netlink_extack", "cpu": 0, "netns": NETNS,
                          "ifindex": 3, "ifname": "eth0", "pid": 812, "comm": "loader", "text": refused})
    lines.append({"type": "end", "seq": SECONDS, "time": f"2026-11-21T13:00:{SECONDS:02}.000000Z", "reason": "signal"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def reset(seq):
    """A program is replaced in the third second, and the carrier is lost for three."""
    return {"prog_id": 42 if seq < 3 else 43, "state": "no-carrier" if 3 <= seq < 6 else "up",
            "carrier_changes_total": 2 + (seq >= 3) + (seq >= 6)}


# the device, the change that makes it healthy; the finding, its severity, part of its text, a command
INCIDENTS = {
    # XDP_TX of ena is slow, so its ring overflows
    "tx-ring-of-ena": (dict(driver="ena", tx_ring=1024, tx_ring_max=4096, every=2,
                            each={"xdp_tx": 90000, "xdp_tx_errors": 10000}), dict(each={"xdp_tx": 90000}),
                       "tx-full", "critical", "XDP_TX packets a second are lost", "ethtool -G eth0 tx 4096"),
    "queued-not-sent": (dict(driver="igb", sent=1000, each={"tx_packets": 10}),
                        dict(each={"tx_packets": 8000}),
                        "queued-not-sent", "critical", "count as sent (xdp_devmap_xmit)", "ethtool -S eth0"),
    # more CPUs than XDP queues
    "queues-of-ixgbe": (dict(driver="ixgbe", cpus=96, sent=100, channels=63), dict(cpus=64), "channels-below-cpus", "info",
                        "ixgbe has 64 XDP queues for 96 CPUs", "ethtool -l eth0"),
    "queues-of-virtio": (dict(driver="virtio_net", sent=100, channels=4, channels_max=4), dict(channels_max=12),
                         "channels-below-cpus", "info", "share queues under a lock", "ethtool -l eth0"),
    # no room for XDP queues
    "channels-of-ena": (dict(driver="ena", sent=100, channels=8, channels_max=8, mode="none", prog_id=None),
                        dict(channels=4), "channels-below-cpus", "info", "leave no room for XDP's queues",
                        "ethtool -L eth0 combined 4"),
    "mtu": (dict(driver="virtio_net", mtu=9000, prog_id=None, **GENERIC), dict(mtu=1500), "mtu-above-limit", "info",
            "its MTU of 9000 is above the 3506 that virtio_net allows", "ip link set dev eth0 mtu 3506"),
    # with the recorded machine's pages; a recording of an older xdptop does not have their size
    "mtu-of-large-pages": (dict(driver="virtio_net", mtu=16000, page_size=16384, prog_id=None, **GENERIC),
                           dict(page_size=65536), "mtu-above-limit", "info",
                           "its MTU of 16000 is above the 15794 that virtio_net allows", "dev eth0 mtu 15794"),
    "mtu-of-unknown-pages": (dict(driver="virtio_net", mtu=9000, prog_id=None, **GENERIC), dict(page_size=None),
                             "mtu-above-limit", "info", "above the 3506", "dev eth0 mtu 3506"),
    "lro": (dict(driver="mlx5_core", xdp_features="none", prog_id=None, offloads="rx-lro", **GENERIC),
            dict(offloads="none"), "offload-conflict", "info", "LRO is on, and this driver", "ethtool -K eth0 lro off"),
    "superpackets": (dict(driver="ice", prog_id=None, offloads="rx-gro,rx-udp-gro-forwarding", **GENERIC),
                     dict(offloads="rx-gro"), "offload-conflict", "info", "several UDP datagrams of a flow as one packet",
                     "ethtool -K eth0 rx-udp-gro-forwarding off"),
    # the program parses tags that the NIC has removed
    "vlan-tags": (dict(driver="igb", offloads="rx-gro,rx-vlan-hw-parse", beside=[VLAN]), dict(beside=()),
                  "offload-conflict", "info", "the NIC removes the VLAN tag from a frame", "ethtool -K eth0 rxvlan off"),
    "rx-ring": (dict(driver="igb", rx_ring=256, rx_ring_max=4096, each={"rx_packets": 90000, "rx_missed": 10000}),
                dict(each={"rx_packets": 90000, "rx_missed": 20}), "rx-ring-overrun", "critical",
                "they are lost before the XDP program sees them", "ethtool -G eth0 rx 4096"),
    # before XDP: in a counter of mlx5's port, and by limits of the instance that ena counts
    "port-of-mlx5": (dict(driver="mlx5_core", every=2, each={"rx_packets": 90000, "rx_discards": 10000}),
                     dict(each={"rx_packets": 90000, "rx_discards": 20}), "nic-discards", "critical",
                     "at its port (10.0 % of the incoming packets)", "cat /sys/class/net/eth0/device/numa_node"),
    "limits-of-ena": (dict(driver="ena", every=2, each={"rx_packets": 90000, "limit_exceeded": 300}),
                      dict(each={"rx_packets": 90000}), "cloud-limit", "warning", "delays or drops 300 packets a second",
                      "ethtool -S eth0"),
    # gve fires no tracepoint for any failure
    "losses-of-gve": (dict(driver="gve", every=2, each={"rx_packets": 90000, "xdp_tx_errors": 700, "xdp_aborted": 5}),
                      dict(each={"rx_packets": 90000}), "driver-is-silent", "warning",
                      "xdp_aborted 20 (5.0 a second), xdp_tx_errors 2800 (700 a second)", "ethtool -S eth0"),
    # the device is reset
    "reset": (dict(driver="igb", change=reset), dict(change=lambda seq: {**reset(seq), "state": "up",
                                                                         "carrier_changes_total": 2}),
              "device-reset", "warning", "which had no carrier for 3.0 s", "dmesg | grep -F -e eth0"),
}


# refused attaches: the driver, its text; part of the finding, a command
REFUSALS = {
    "mtu-of-virtio": ("virtio_net", "virtio_net: MTU too large to enable XDP", "does not fit in one buffer",
                      "ip link set dev eth0 mtu 3506"),
    "rings-of-virtio": ("virtio_net", "virtio_net: Too few free TX rings available", "one TX queue for each CPU",
                        "ethtool -L eth0 combined $(( "),
    "channels-of-ena": ("ena", "ena: Failed to set xdp program, there is no enough space for allocating XDP queues, Check "
                        "the dmesg for more info", "at most half of the channels", "ethtool -L eth0 combined $(( "),
    "lro-of-virtio": ("virtio_net", "virtio_net: Can't set XDP while host is implementing LRO/CSUM, disable LRO/CSUM first",
                      "the host passes on", "ethtool -k eth0"),
    "mtu-of-bond": ("ice", "ice: MTU is too large for linear frames and XDP prog does not support frags",
                    "several buffers", "ip link set dev eth0 mtu"),
    "mtu-of-bnxt": ("bnxt_en", "MTU 9000 larger than 3502 without XDP frag support",
                    "does not fit in one buffer", "ip link set dev eth0 mtu 3502"),
    "left-over": ("igb", "XDP program already attached", "UPDATE_IF_NOEXIST", "ip link set dev eth0 xdpdrv off"),
}


def findings(path):
    records = map(json.loads, output("-r", path, "-o", "json").splitlines())
    return [r for r in records if r["type"] == "finding"]


@pytest.mark.parametrize("incident", INCIDENTS)
def test_incident(tmp_path, incident):
    how, well, code, severity, text, command = INCIDENTS[incident]
    found = [f for f in findings(recording(tmp_path / "bad", **how)) if f["code"] == code]
    assert found, "no finding"
    assert all(f["ifname"] == "eth0" and f["netns"] == NETNS for f in found)
    assert any(f["severity"] == severity and text in f["text"] for f in found), found
    assert any(command in line for line in found[-1]["next"]), found[-1]["next"]
    # information that stays: a new program, and that gve would not report failures
    stays = {("program-replaced", "info")} | ({("driver-is-silent", "info")} if how["driver"] == "gve" else set())
    assert {(f["code"], f["severity"]) for f in findings(recording(tmp_path / "well", **{**how, **well}))} <= stays


@pytest.mark.parametrize("incident", REFUSALS)
def test_refusal(tmp_path, incident):
    driver, text, says, command = REFUSALS[incident]
    found = findings(recording(tmp_path / "refused", driver=driver, refused=text, channels=2, **NO_PROGRAM))
    assert {f["code"] for f in found} == {"attach-failed"}, found
    assert (found[0]["netns"], found[0]["ifname"]) == (NETNS, "eth0")
    assert f"loader[812] could not attach an XDP program: {text}" in found[0]["text"]
    assert says in found[0]["text"]
    assert any(command in line for line in found[0]["next"]), found[0]["next"]
    assert not findings(recording(tmp_path / "well", driver=driver, **NO_PROGRAM))
