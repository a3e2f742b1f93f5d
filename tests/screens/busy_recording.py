# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of a machine at work: rates that stay, and vary by chance from second to second.

The same every time: the chance is a seeded one.
"""
import json
import math
import random

import recording

RATES = (12, 20, 33, 54, 55, 90, 92, 148, 400, 640)  # events per second of each device
START = "2026-11-21T09:%02d:%02d.000000Z"


def events(pick, mean):
    """Number of independent events in a second."""
    return max(0, round(pick.gauss(mean, math.sqrt(mean))))


def row(seq, tracepoint, identity, cpu, now, since):
    """A sample row; bulks of 8 packets and packets of 100 bytes, if the tracepoint counts them."""
    each = dict(events=1, packets=8 if "xmit" in tracepoint else 1,
                drops=None if "queue" in tracepoint else 1,
                bytes=100 if "queue" in tracepoint else None)
    sample = {"type": "sample", "seq": seq, "time": START % divmod(seq, 60), "interval_s": 1.0,
              "tracepoint": tracepoint, "cpu": cpu}
    sample.update({name: identity.get(name) for name in recording.IDENTITY})
    sample.update({name: None for name in recording.COUNTERS})
    for name, times in each.items():
        sample[name] = times and times * now
        sample[f"{name}_total"] = times and times * since
        sample[f"{name}_per_s"] = times and float(times * now)
    return sample


def rows(seconds, still=None, turn=None):
    """Nothing fires after `still` seconds; after `turn` the order of the devices is reversed."""
    series = []
    for i, mean in enumerate(RATES):
        eth = dict(netns=recording.INIT, netns_name="init", ifindex=10 + i, ifname=f"eth{i}")
        to = dict(to_netns=recording.INIT, to_ifindex=40 + i, to_ifname=f"veth{i}", act="REDIRECT")
        series.append(("xdp_redirect_err", {**eth, **to, "prog_id": 7, "prog_name": "fwd", "err": -95,
                                            "errname": "EOPNOTSUPP"}, mean))
        series.append(("xdp_devmap_xmit", {**eth, **to, "err": 0}, mean))
        series.append(("net_dev_queue", eth, mean))
    since = [0] * len(series)
    pick = random.Random(1)
    yield {"type": "header", "schema": 1, "version": "0", "hostname": "edge1", "kernel": "6.18.0",
           "time": START % (0, 0), "cpus_possible": 2, "cpus_online": 2, "backend": "btf", "delay_s": 1}
    for seq in range(1, seconds + 1):
        means = [mean for _, _, mean in (series[::-1] if turn and seq > turn else series)]
        now = [0 if still and seq > still else events(pick, mean) for mean in means]
        since = [a + b for a, b in zip(since, now)]
        for name, state, *_ in recording.STATES:
            fired = [(n, t) for n, t, s in zip(now, since, series) if s[0] == name]
            yield {"type": "tracepoint", "seq": seq, "time": START % divmod(seq, 60), "tracepoint": name,
                   "state": "on" if fired else state if state == "missing" else "off", "reason": None,
                   "events": sum(n for n, _ in fired), "events_total": sum(t for _, t in fired),
                   "events_per_s": float(sum(n for n, _ in fired)) if fired else None,
                   "missed_total": 0, "overflow_total": 0, "ns_per_event": 40.0, "cpu_percent": 0.1}
        for (tracepoint, identity, _), n, t in zip(series, now, since):
            yield row(seq, tracepoint, identity, None, n, t)


def write(path, seconds, still=None, turn=None):
    with open(path, "w", encoding="utf-8") as file:
        for line in rows(seconds, still, turn):
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
