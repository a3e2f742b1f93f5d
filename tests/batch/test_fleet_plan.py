# SPDX-License-Identifier: GPL-2.0-or-later
"""doc/fleet.md compared with measurements, and its example run by a real Prometheus."""
import contextlib
import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest

from batch import DEADLINE, DONE, TOP, packaged, run
from test_listen import listening

PLAN = TOP / "doc/fleet.md"
FLEET = TOP / "tests/bench/fleet"


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PLAN.read_text(), re.M | re.S)


def test_table():
    """One host's scrape by devices, programs and CPUs; GENERATE=1 writes it."""
    p = run(FLEET, "--table")
    assert (p.returncode, p.stderr) == (DONE, b"")
    before = PLAN.read_text()
    after = re.sub(r"(?<=<!-- BEGIN table -->\n).*(?=<!-- END table -->)", p.stdout.decode(), before, flags=re.S)
    if os.environ.get("GENERATE"):
        PLAN.write_text(after)
    else:
        assert after == before, "if that is meant: GENERATE=1 make batch"


def test_labels(tables):
    """Each possible label of a metric has a row that names its bound."""
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", PLAN.read_text(), re.M))))
    assert told == {label for _, labels, _ in tables["metric"] for label in labels.split()}


DEVICES = [("eth0", "init"), ("lxc1f2e", "web"), ("tap7", None), ("tap8", "cni-4f3c"), ("tap9", "nginx/812@4f3c"),
           ("tap10", "nginx/812"), ("net0", "of-pod"), ("net1", "of-container"), ("lan0", "blue")]
PODS = {"of-pod": {"namespace": "shop", "pod": "web-0"}, "of-container": {"container": "db"}}


def pods(path):
    """A recording in which redirects of each device to the next fail; the last one's go to a number."""
    def device(i, prefix=""):
        name, netns = DEVICES[i]
        return {prefix + "ifindex": 2 + i, prefix + "ifname": name, prefix + "netns": 10 + i, prefix + "netns_name": netns}

    when = {"seq": 1, "time": "2026-11-21T13:02:23.000000Z"}
    rows = [{"type": "header", "schema": 1, "version": "0", "hostname": "h", "kernel": "6.18.0", "backend": "btf",
             "time": when["time"], "cpus_possible": 1, "cpus_online": 1, "delay_s": 1}]
    for i, (_, netns) in enumerate(DEVICES):
        if netns in PODS:
            rows.append({"type": "pod", **when, "netns": 10 + i, "netns_name": netns, "state": "used", **PODS[netns]})
    for i in range(len(DEVICES)):
        counts = {k + suffix: 5 for k in ("events", "packets", "drops") for suffix in ("", "_total")}
        to = {"to_ifindex": 999} if i == len(DEVICES) - 1 else device(i + 1, "to_")
        rows.append({"type": "sample", **when, "interval_s": 1, "tracepoint": "xdp_redirect_err", **device(i), **to,
                     "prog_id": 7, "prog_name": "fwd", "act": "REDIRECT", "err": -22, "errname": "EINVAL", "cpu": None,
                     **counts})
    rows.append({"type": "end", **when, "reason": "count"})
    path.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    return path


def ask(url, expression):
    """The rows of an answer; none until somebody answers."""
    with contextlib.suppress(urllib.error.URLError, ConnectionError):
        query = urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(f"http://{url}/api/v1/query?{query}", timeout=300) as answer:
            return json.load(answer)["data"]["result"]
    return []


@pytest.fixture
def prometheus(tmp_path):
    """Starts it with this configuration; returns its address."""
    started = []

    def start(config):
        (tmp_path / "prometheus.yml").write_text(config)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            url = f"127.0.0.1:{s.getsockname()[1]}"
        started.append(subprocess.Popen(
            [packaged("prometheus"), f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/tsdb",
             f"--web.listen-address={url}"], stderr=subprocess.DEVNULL))
        return url

    yield start
    for p in started:
        p.kill()
        p.wait()


@pytest.mark.release
def test_example(prometheus, promtool, tmp_path):
    """Short-lived things are dropped: containers' devices and numbers. Findings are all kept."""
    config, _ = blocks("yaml")
    (tmp_path / "example.yml").write_text(config)
    p = run(promtool, "check", "config", tmp_path / "example.yml")
    assert p.returncode == DONE, p.stderr.decode()
    with listening("-r", pods(tmp_path / "pods.jsonl")) as (_, address):
        url = prometheus(config.replace("edge1:9435", address).replace("15s", "1s"))
        deadline = time.monotonic() + DEADLINE
        while not (rows := ask(url, "xdptop_redirect_errors_total")):
            assert time.monotonic() < deadline, "no answer"
            time.sleep(0.1)
        assert [row["metric"]["device"] for row in rows] == ["eth0"]
        found = ask(url, "xdptop_finding_active")
        assert {row["metric"]["device"] for row in found} == {device for device, _ in DEVICES}
        pods_found = {(row["metric"].get("pod"), row["metric"].get("container")) for row in found}
        assert pods_found == {(None, None), ("web-0", None), (None, "db")}
        assert {row["value"][1] for row in ask(url, 'up{job="xdptop"}')} == {"1"}
