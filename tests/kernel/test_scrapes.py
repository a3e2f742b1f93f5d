# SPDX-License-Identifier: GPL-2.0-or-later
"""--listen on the running kernel: exact counts with clients of all kinds, and a real Prometheus."""
import concurrent.futures
import http.client
import json
import re
import signal
import socket
import subprocess
import urllib.parse

import pytest

from harness import DEADLINE, XDPTOP, eventually, fire
from test_fleet import get, packaged

FIRED = {"xdptop_redirect_errors_total": 300, "xdptop_exceptions_total": 200}


@pytest.fixture
def server(popen):
    """The monitor and its address."""
    p = popen([XDPTOP, "-d", "0.2", "-t", "all", "--budget", "0", "--listen", "0"], stdin=subprocess.DEVNULL,
              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    (address,) = re.findall(r"--listen: http://(.*)/metrics\n", p.stderr.readline().decode())
    eventually(lambda: get(f"http://{address}/metrics"), "no snapshot")
    yield p, address
    p.send_signal(signal.SIGINT)
    assert (p.communicate(timeout=DEADLINE), p.returncode) == ((b"", b""), 0)


def counted(address, device):
    """Sums of what was fired on a device; {} while there is no answer."""
    try:
        with_labels = (get(f"http://{address}/metrics") or b"").decode().splitlines()
    except http.client.HTTPException:
        return {}
    found = {}
    for line in with_labels:
        name = line.split("{")[0]
        if name in FIRED and f'device="{device}"' in line:
            found[name] = found.get(name, 0) + int(line.rsplit(" ", 1)[1])
    return found


def test_is_confined(server):
    """nobody, without capabilities and with the filter, if this kernel allows it."""
    p, _ = server
    with open(f"/proc/{p.pid}/status", encoding="ascii") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file)
    assert set(status["Uid"].split()) == {"65534"}
    assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
    assert int(status["CapEff"], 16) & ~(1 << 38 | 1 << 39) == 0


@pytest.mark.alone  # 200 clients are a load
def test_exact_beside_clients(server, rig):
    """200 clients ask continuously, others do not read, are silent or send garbage."""
    _, address = server
    host, port = address.split(":")
    stop = False

    def asks(i):
        n = 0
        while not stop:
            try:
                with socket.create_connection((host, port), timeout=DEADLINE) as s:
                    if i % 10 == 0:
                        s.sendall(b"\x16\x03\x01\x00\n\r\n\r\n" * i)
                    elif i % 10 == 1:
                        s.sendall(b"GET /metrics HT")
                        s.recv(1)  # until it is closed
                    else:
                        s.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        if i % 10 > 2:  # the others leave without their answer
                            answer = b""
                            while piece := s.recv(1 << 16):
                                answer += piece
                            head, _, body = answer.partition(b"\r\n\r\n")
                            length = re.findall(rb"Content-Length: (\d+)", head)
                            assert not answer or [len(body)] == [int(x) for x in length]
                            n += bool(answer)
            except ConnectionError:
                continue
        return n

    with concurrent.futures.ThreadPoolExecutor(200) as pool:
        running = [pool.submit(asks, i) for i in range(200)]
        try:
            fire(rig, "--ifname", "lis-in", "--out-ifname", "lis-out", "emsgsize=300", "aborted=200")
            eventually(lambda: counted(address, "lis-in") == FIRED, lambda: f"not {FIRED}: {counted(address, 'lis-in')}")
        finally:
            stop = True
        answers = sum(r.result(DEADLINE) for r in running)
    assert answers > 0
    assert counted(address, "lis-in") == FIRED


@pytest.mark.release
def test_prometheus(server, popen, rig, tmp_path):
    """The target is up and has the counts that were fired; Prometheus requests OpenMetrics."""
    _, address = server
    p = subprocess.run([packaged("promtool"), "check", "metrics"], input=get(f"http://{address}/metrics"),
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE)
    assert (p.returncode, p.stdout) == (0, b"")
    config = tmp_path / "prometheus.yml"
    config.write_text("global: {scrape_interval: 1s}\nscrape_configs:\n"
                      f"  - {{job_name: xdptop, static_configs: [{{targets: ['{address}']}}]}}\n")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        url = f"127.0.0.1:{s.getsockname()[1]}"
    prometheus = popen([packaged("prometheus"), f"--config.file={config}", f"--storage.tsdb.path={tmp_path}/tsdb",
                        f"--web.listen-address={url}"], stderr=subprocess.DEVNULL)

    def query(expression):
        body = get(f"http://{url}/api/v1/query?{urllib.parse.urlencode({'query': expression})}")
        return json.loads(body)["data"]["result"] if body else []

    def targets():
        assert prometheus.poll() is None
        body = get(f"http://{url}/api/v1/targets")
        active = json.loads(body)["data"]["activeTargets"] if body else []
        return [(t["health"], t["lastError"]) for t in active] == [("up", "")]

    eventually(targets, "the target is not up")
    eventually(lambda: query('up{job="xdptop"} == 1'), "up is not 1")
    fire(rig, "--ifname", "lis-in", "--out-ifname", "lis-out", "emsgsize=300", "aborted=200")
    for metric, n in FIRED.items():
        eventually(lambda: [row["value"][1] for row in query(f'sum({metric}{{device="lis-in"}})')] == [str(n)],
                   f"{metric} is not {n}")
