# SPDX-License-Identifier: GPL-2.0-or-later
"""
The path of a counter to a fleet's dashboard: xdptop, its file, node_exporter, Prometheus, the rules and the
queries of the dashboard. Real programs on loopback, with temporary directories.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import pytest

from harness import DEADLINE, RIG, TOP, XDPTOP, eventually, fire, missing

pytestmark = pytest.mark.release

CONTRIB = TOP / "contrib/prometheus"
# rules that the rig's demo triggers
FIRING = {"XdpAborted", "XdpFrameTooBig", "XdpNoSuchIfindex", "XdpTargetCannotReceive", "XdpTargetRingFull"}


def packaged(program):
    for path in (shutil.which(program), TOP / "build/packages/usr/bin" / program):
        if path and os.access(path, os.X_OK):
            return str(path)
    return missing(f"{program} is not there; make deps gets it")


def get(url):
    """The body, or None until somebody answers."""
    try:
        with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
            return answer.read()
    except (urllib.error.URLError, ConnectionError, socket.timeout):
        return None


UNIT, LISTEN_UNIT = ((CONTRIB / name).read_text() for name in ("xdptop.service", "xdptop-listen.service"))
RECORD_UNIT = (TOP / "contrib/recorder/xdptop-record.service").read_text()


class AsUnit:
    """The monitor with the user and capabilities of the unit, and its own directory."""

    def __init__(self):
        caps = re.findall(r"^AmbientCapabilities=(.*)$", UNIT, re.M)[0]
        for unit in (UNIT, LISTEN_UNIT, RECORD_UNIT):
            assert f"\nAmbientCapabilities={caps}\n" in unit and f"\nCapabilityBoundingSet={caps}\n" in unit
        only = "-all," + ",".join("+" + c.removeprefix("CAP_").lower() for c in caps.split())
        self.directory = tempfile.TemporaryDirectory(prefix="xdptop-unit-")
        path = pathlib.Path(self.directory.name)
        os.chmod(path, 0o755)
        self.run = path / "run"
        self.run.mkdir()
        os.chown(self.run, 65534, 65534)
        self.command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", f"--inh-caps={only}",
                        f"--ambient-caps={only}", f"--bounding-set={only}",
                        shutil.copy(XDPTOP, path)]  # nobody has no access to the tree


class Fleet:
    """One host: the monitor over the demo's traffic, and the reader of its file."""

    def __init__(self, directory):
        self.processes = []
        self.file = directory / "textfile/xdptop.prom"
        self.file.parent.mkdir()
        self.log = open(directory / "log", "wb")
        self.demo = self.start(RIG, "demo")
        self.unit = AsUnit()
        self.file.symlink_to(self.unit.run / self.file.name)
        self.monitor = self.start(*self.unit.command, "-q", "-o", "prometheus", "-d", "0.5", "-t", "all,-mem_connect",
                                  "--budget", "0", "--to", self.unit.run / self.file.name)
        exporter = self.serve("/metrics", packaged("prometheus-node-exporter"), "--collector.disable-defaults",
                              "--collector.textfile", f"--collector.textfile.directory={self.file.parent}")
        config = directory / "prometheus.yml"
        config.write_text(
            "global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
            f"rule_files: [{json.dumps(str(CONTRIB / 'xdptop.rules.yml'))}]\n"
            "scrape_configs:\n"
            "  - job_name: node\n"
            f"    static_configs: [{{targets: ['{exporter}'], labels: {{instance: edge1}}}}]\n"
        )
        self.url = "http://" + self.serve("/-/ready", packaged("prometheus"), f"--config.file={config}",
                                          f"--storage.tsdb.path={directory}/tsdb")

    def start(self, *args):
        self.processes.append(subprocess.Popen([str(a) for a in args], stdin=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL, stderr=self.log))
        return self.processes[-1]

    def serve(self, path, *command):
        """Starts a server and waits until it answers; returns its address."""
        while True:
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                address = f"127.0.0.1:{s.getsockname()[1]}"
            p = self.start(*command, f"--web.listen-address={address}")
            eventually(lambda: p.poll() is not None or get(f"http://{address}{path}"), f"{command[0]} is not ready")
            if p.poll() is None:
                return address
            with open(self.log.name, "rb") as log:  # another process may have taken the port
                assert b"address already in use" in log.read(), log.name

    def api(self, path, **values):
        """The data of an answer; an error of the query fails the test."""
        url = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(values)}"
        try:
            with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{values}: {error.read().decode()}") from None

    def query(self, expression):
        return self.api("query", query=expression)["result"]

    def value(self, expression):
        rows = self.query(expression)
        return int(rows[0]["value"][1]) if rows else None

    def close(self):
        for p in self.processes:
            p.terminate()
        for p in self.processes:
            try:
                p.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        self.log.close()
        self.unit.directory.cleanup()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    for program in ("prometheus", "prometheus-node-exporter", "promtool"):
        packaged(program)
    made = Fleet(tmp_path_factory.mktemp("fleet"))
    yield made
    made.close()


def test_rules_fire(fleet):
    """Every rule can be evaluated, and those with a cause fire."""
    rules = {rule["name"]: rule for group in fleet.api("rules")["groups"] for rule in group["rules"]}
    assert FIRING < set(rules)

    def evaluated():
        now = {rule["name"]: rule for group in fleet.api("rules")["groups"] for rule in group["rules"]}
        return all(rule["health"] != "unknown" for rule in now.values()) and now

    for name, rule in eventually(evaluated, "rules are not evaluated").items():
        assert rule["health"] == "ok", (name, rule.get("lastError"))
    for name in FIRING:
        eventually(lambda: fleet.query(rules[name]["query"]), f"{name} does not see the demo's trouble")
    # and the reverse of two rules that must be silent
    for name, silent, reverse in (("XdptopStandsStill", "> 120", "< 120"), ("XdptopBlind", "== 0", "== 1")):
        assert not fleet.query(rules[name]["query"])
        assert fleet.query(rules[name]["query"].replace(silent, reverse)), name


def test_alerts_lead_to_the_host(fleet):
    """An alert has the command that opens the host's screen; tests/batch/test_alerts.py tests all of them."""
    def pending():
        return [a["annotations"] for a in fleet.api("alerts")["alerts"] if a["labels"]["alertname"] == "XdpAborted"]

    for annotations in eventually(pending, "no alert"):
        assert annotations["screen"] == "ssh -n edge1 sudo xdptop -o json | xdptop -r - -v findings"
        assert re.fullmatch(r"edge1, \S+ \(\S+\): aborted", annotations["summary"])


def test_dashboard(fleet):
    """Every query of the dashboard is valid and returns rows over the demo's traffic."""
    dashboard = json.loads((CONTRIB / "grafana.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert len(expressions) > 10
    for expression in expressions:
        filled = expression.replace("$__rate_interval", "1m")
        filled = filled.replace("$instance", ".*").replace("$device", ".*")
        assert "$" not in filled
        eventually(lambda: fleet.query(filled), f"no rows: {filled}")
    for variable in dashboard["templating"]["list"]:
        if variable["type"] != "query":
            continue
        metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]).groups()
        rows = fleet.api("series", **{"match[]": metric.replace("$instance", ".*")})
        assert any(label in row for row in rows), variable["query"]
    # panels do not overlap
    seen = set()
    for panel in dashboard["panels"]:
        g = panel["gridPos"]
        cells = {(x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])}
        assert not cells & seen and g["x"] + g["w"] <= 24
        seen |= cells


# an interface name of 15 bytes, and as the monitor prints it
HOSTILE, HOSTILE_SHOWN = b'h"{}=,\\\x1b[1m\xff#', 'h"{}=,\\\\\\x1b[1m\\xff#'


def test_hostile_names(fleet, rig):
    """Neither node_exporter nor Prometheus fails at a malicious name."""
    fire(rig, "--ifname", HOSTILE, "--out-ifname", HOSTILE[::-1], "emsgsize=300", "aborted=200")
    device = json.dumps(HOSTILE_SHOWN)
    for metric, n in (("xdptop_redirect_errors_total", 300), ("xdptop_exceptions_total", 200)):
        eventually(lambda: fleet.value(f"sum({metric}{{device={device}}})") == n, f"{metric} is not {n}")
    assert fleet.value("node_textfile_scrape_error") == 0


def test_totals(fleet, rig):
    """Answers of the server equal what the kernel fired and what the monitor wrote."""
    expect = fire(rig, "--ifname", "tot-in", "--out-ifname", "tot-out", "eopnotsupp=1000", "emsgsize=500",
                  "aborted=700", "devmap-full=300", "bulk-tx=400")
    want = {}
    for e in expect:
        for tracepoint, metric, counter in (
            ("xdp_redirect_err", "xdptop_redirect_errors_total", "events"),
            ("xdp_exception", "xdptop_exceptions_total", "events"),
            ("xdp_devmap_xmit", "xdptop_devmap_xmit_packets_total", "packets"),
            ("xdp_devmap_xmit", "xdptop_devmap_xmit_drops_total", "drops"),
            ("xdp_bulk_tx", "xdptop_bulk_tx_packets_total", "packets"),
        ):
            if e["tracepoint"] == tracepoint and e.get("ifname") == "tot-in" and counter in e:
                want[metric] = want.get(metric, 0) + e[counter]
    assert len(want) >= 4, expect
    for metric, n in want.items():
        eventually(lambda: fleet.value(f'sum({metric}{{device="tot-in"}})') == n, f"{metric} is not {n}")
    # its last snapshot, complete
    fleet.demo.send_signal(signal.SIGTERM)
    fleet.demo.wait(DEADLINE)
    fleet.monitor.send_signal(signal.SIGTERM)
    assert fleet.monitor.wait(DEADLINE) == 0
    lines = [line for line in fleet.file.read_text().splitlines() if not line.startswith("#")]
    assert len(lines) > 50

    def same():
        rows = fleet.query('{__name__=~"xdptop_.*"}')
        got = {}
        for row in rows:
            labels = {k: v for k, v in row["metric"].items() if k not in ("instance", "job", "__name__")}
            got[row["metric"]["__name__"], tuple(sorted(labels.items()))] = row["value"][1]
        return all(got.get(series(line)) == line.rsplit(" ", 1)[1] for line in lines)

    eventually(same, "the server's values are not those of the file")


def series(line):
    name, labels = re.match(r"(\w+)(?:\{(.*)\})? ", line).groups()
    pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")
    return name, tuple(sorted((k, re.sub(r"\\(.)", r"\1", v)) for k, v in pairs))


def test_unit(popen):
    """The service runs the monitor with valid options, in a writable directory, with no more privileges than needed."""
    (command,) = re.findall(r"^ExecStart=(\S+) (.*)$", UNIT, re.M)
    args = command[1].split()
    (target,) = re.findall(r"--to (\S+)$", command[1])
    (link,) = re.findall(rf"^ExecStartPre=\+ln -sfn {target} (\S+)$", UNIT, re.M)
    assert f"RuntimeDirectory={os.path.basename(os.path.dirname(target))}\n" in UNIT and f"rm -f {link}\n" in UNIT
    own = AsUnit()
    args[args.index(target)] = str(own.run / "xdptop.prom")
    args[args.index("--delay") + 1] = "0.1"
    p = popen([*own.command, *args], stderr=subprocess.PIPE)
    eventually((own.run / "xdptop.prom").exists, "no file")
    p.terminate()
    assert (p.wait(DEADLINE), p.stderr.read()) == (0, b"")
    own.directory.cleanup()


def test_listen_unit(popen):
    """The other service serves, with the same user and capabilities."""
    (args,) = re.findall(r"^ExecStart=/usr/bin/xdptop (.*)$", LISTEN_UNIT, re.M)
    (address,) = re.findall(r"^Environment=LISTEN=127\.0\.0\.1:(\d+)$", LISTEN_UNIT, re.M)
    assert 1024 <= int(address)
    args = [arg for arg in args.replace("${LISTEN}", "0").split() if arg != "--quiet"]
    args[args.index("--delay") + 1] = "0.1"
    own = AsUnit()
    p = popen([*own.command, *args], stderr=subprocess.PIPE)
    (url,) = re.findall(r"http://\S+", p.stderr.readline().decode())
    assert b"\nxdptop_tracepoint_on{" in eventually(lambda: get(url), "no answer")
    p.terminate()
    assert (p.wait(DEADLINE), p.stderr.read()) == (0, b"")
    own.directory.cleanup()


def test_record_unit(popen):
    """The recorder runs in a directory of the same user, and ends with what it has, which its group can read."""
    (args,) = re.findall(r"^ExecStart=/usr/bin/xdptop (.*)$", RECORD_UNIT, re.M)
    (environment,) = re.findall(r"^Environment=(.*)$", RECORD_UNIT, re.M)
    for name, value in (pair.split("=") for pair in environment.split()):
        args = args.replace("${%s}" % name, value)
    args = args.split()
    assert args[args.index("--record") + 1] == "/var/log/xdptop" and "\nLogsDirectory=xdptop\n" in RECORD_UNIT
    own = AsUnit()
    args[args.index("--record") + 1] = str(own.run)
    args[args.index("--delay") + 1] = "0.1"
    (mask,) = re.findall(r"^UMask=0(\d+)$", RECORD_UNIT, re.M)
    (mode,) = re.findall(r"^LogsDirectoryMode=0(\d+)$", RECORD_UNIT, re.M)
    own.run.chmod(int(mode, 8))
    p = popen([*own.command, *args], stderr=subprocess.PIPE, umask=int(mask, 8))
    eventually(lambda: any(f.stat().st_size for f in own.run.iterdir()), "no file")
    p.terminate()
    assert (p.wait(DEADLINE), p.stderr.read()) == (0, b"")
    (segment,) = own.run.iterdir()
    for path in (own.run, segment):
        os.chown(path, 65533, 65534)
    for group, code in ((65534, 0), (65533, 5)):
        p = subprocess.run(["setpriv", "--reuid=65532", f"--regid={group}", "--clear-groups", *own.command[-1:], "-b", "-r", own.run],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=DEADLINE)
        assert p.returncode == code, p.stderr
    own.directory.cleanup()


def settings(unit):
    """The settings that confine a service."""
    service = unit.split("\n[Service]\n")[1]
    return set(re.findall(r"^(?!Exec|Environment|RuntimeDirectory|LogsDirectory|Nice|IOSched)\w+=.*$", service, re.M))


def test_units_are_confined(tmp_path):
    """They differ in network access only; systemd accepts them and rates them as tight."""
    assert settings(UNIT) ^ settings(RECORD_UNIT) == {
        "DynamicUser=yes", "User=xdptop", "RemoveIPC=yes", "UMask=0077", "UMask=0027"}
    assert settings(UNIT) ^ settings(LISTEN_UNIT) == {
        "IPAddressDeny=any", "RestrictAddressFamilies=AF_NETLINK", "RestrictAddressFamilies=AF_NETLINK AF_INET AF_INET6"}
    if not shutil.which("systemd-analyze"):
        return
    for name, text, limit in (("xdptop.service", UNIT, 1.5), ("xdptop-listen.service", LISTEN_UNIT, 2),
                              ("xdptop-record.service", RECORD_UNIT, 1.5)):
        (tmp_path / name).write_text(text.replace("/usr/bin/xdptop", XDPTOP))
        p = subprocess.run(["systemd-analyze", "verify", "--man=no", tmp_path / name],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=DEADLINE)
        assert f"{name}:" not in p.stdout.decode()
        p = subprocess.run(["systemd-analyze", "security", "--offline=true", tmp_path / name],
                           stdout=subprocess.PIPE, timeout=DEADLINE)
        assert float(re.findall(rb"exposure level .*: ([0-9.]+) ", p.stdout)[0]) <= limit, p.stdout.decode()
