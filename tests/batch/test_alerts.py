# SPDX-License-Identifier: GPL-2.0-or-later
"""The Prometheus rules, tested by promtool: each alert fires and stays quiet when it should, and each sum is right."""
import json
import re

import pytest

from batch import TOP, run

pytestmark = pytest.mark.release

RULES = TOP / "contrib/prometheus/xdptop.rules.yml"
SCREEN = "sudo xdptop -o json | xdptop -r - -v findings"
ALWAYS, BRIEF, FLICKERS = "1x20", "1 _x20", "1 _ _ 1 _ _ 1 _ _ 1 _ _ 1"
GROWS, STAYS = "0+60x20", "60x20"  # one a second


def names(kind):
    return re.findall(rf"^ +- {kind}: (\S+)$", RULES.read_text(), re.M)


def series(name, values=ALWAYS, **labels):
    text = ",".join(f"{k}={json.dumps(v)}" for k, v in {"job": "xdptop", "instance": "edge1:9435", **labels}.items())
    return {"series": f"{name}{{{text}}}", "values": values}


def finding(code, severity, values=ALWAYS, **labels):
    return series("xdptop_finding_active", values, code=code, severity=severity, **labels)


def alert(name, *expected):
    """The expected alerts, each as (labels, annotations)."""
    return {"alertname": name, "eval_time": "10m", "exp_alerts": [
        {"exp_labels": {"job": "xdptop", "instance": "edge1:9435", **labels}, "exp_annotations": annotations}
        for labels, annotations in expected]}


def sums(expression, *expected):
    return {"expr": expression, "eval_time": "10m", "exp_samples": [
        {"labels": expression + json.dumps(labels).replace('": ', '=').replace(', "', ',').replace('{"', '{'),
         "value": value} for labels, value in expected]}


def promtool_test(promtool, path, *inputs, alerts=(), expressions=()):
    path = path / "test.yml"
    path.write_text(json.dumps({"rule_files": [str(RULES)], "tests": [
        {"interval": "1m", "input_series": list(inputs), "alert_rule_test": list(alerts),
         "promql_expr_test": list(expressions)}]}))
    p = run(promtool, "test", "rules", path)
    assert p.returncode == 0, p.stdout.decode() + p.stderr.decode()


def test_are_valid(promtool):
    p = run(promtool, "check", "rules", RULES)
    assert p.returncode == 0, p.stdout.decode() + p.stderr.decode()


def test_findings(tables, promtool, tmp_path):
    """
    Every kind of finding has an alert, except those that are never more than information. It also fires for a
    flickering finding, but not for information, nor for a short one.
    """
    place = {"device": "eth0", "netns": "init", "to_device": "lan0"}
    inputs, alerts = [], []
    for code, severity, meaning in [*tables["finding"], ("brand-new", "critical", "`xdptop -e brand-new` says it")]:
        if severity == "info":
            continue
        inputs += [finding(code, severity, FLICKERS, **place), finding(code, "info", instance="edge2:9435"),
                   finding(code, severity, BRIEF, instance="edge3:9435")]
        name = "XdpFinding" if code == "brand-new" else "Xdp" + code.title().replace("-", "")
        alerts.append(alert(name, ({"code": code, "severity": severity, **place}, {
            "summary": f"edge1:9435, eth0 (init) to lan0: {code}", "meaning": meaning, "screen": f"ssh -n edge1 {SCREEN}"})))
    assert {a["alertname"] for a in alerts} == {a for a in names("alert") if not re.match("Xdptop|.*OnManyHosts", a)}
    promtool_test(promtool, tmp_path, *inputs, alerts=alerts)


def test_places(promtool, tmp_path):
    """Unknown values are not mentioned; a host is named as ssh accepts it."""
    hosts = {"edge": "edge", "10.1.2.3:9100": "10.1.2.3", "[fd00::1]:9435": "fd00::1", "e4": "e4", "e5": "e5"}
    places = [({}, ""), ({"device": "eth0", "netns": "blue", "queue": "3"}, ", eth0 (blue), queue 3"),
              ({"device": "eth0", "to_ifindex": "9"}, ", eth0 to ifindex 9"),
              ({"device": "net0", "namespace": "shop", "pod": "web-0", "to_device": "veth7", "to_container": "db"},
               ", net0 of shop/web-0 to veth7 of db"),
              ({"device": "net0", "container": "db", "to_device": "veth8", "to_namespace": "shop", "to_pod": "web-1"},
               ", net0 of db to veth8 of shop/web-1")]
    rows = [(host, name, labels, text) for (host, name), (labels, text) in zip(hosts.items(), places)]
    meaning = "a CPU's backlog of received skbs is full (softnet_stat dropped)"
    promtool_test(
        promtool, tmp_path, *(finding("cpu-overrun", "critical", instance=host, **labels) for host, _, labels, _ in rows),
        alerts=[alert("XdpCpuOverrun", *(
            ({"code": "cpu-overrun", "severity": "critical", "instance": host, **labels},
             {"summary": f"{host}{text}: cpu-overrun", "meaning": meaning, "screen": f"ssh -n {name} {SCREEN}"})
            for host, name, labels, text in rows))])


def test_own_alerts(promtool, tmp_path):
    """Alerts about xdptop itself."""
    on, mtime = "xdptop_tracepoint_on", "node_textfile_mtime_seconds"
    inputs = [
        series("up", "0x20"), series("up", ALWAYS, instance="edge2:9435"), series("up", "0x20", job="node"),
        series(mtime, "0x20", file="/var/lib/xdptop.prom"), series(mtime, "0x20", file="/var/lib/other.prom"),
        series(mtime, GROWS, file="/var/lib/xdptop.prom", instance="edge2:9435"),
        series(on, "0x20", tracepoint="xdp_exception"), series(on, "0x20", tracepoint="xdp_redirect"),
        series(on, ALWAYS, tracepoint="xdp_redirect_err"),
    ]
    alerts = [
        alert("XdptopDown", ({"severity": "warning"}, {
            "summary": "xdptop does not answer on edge1:9435: systemctl status xdptop-listen"})),
        alert("XdptopStandsStill", ({"severity": "warning", "file": "/var/lib/xdptop.prom"}, {
            "summary": "xdptop.prom was last written 10m 0s ago: systemctl status xdptop"})),
        alert("XdptopBlind"),  # not for 15 minutes yet
        {**alert("XdptopBlind", ({"severity": "warning", "tracepoint": "xdp_exception"}, {
            "summary": "xdp_exception is not counted: `xdptop --list` says why"})), "eval_time": "16m"},
    ]
    assert {a["alertname"] for a in alerts} == {a for a in names("alert") if a.startswith("Xdptop")}
    promtool_test(promtool, tmp_path, *inputs, alerts=alerts)


def test_many_hosts(promtool, tmp_path):
    """12 of 200 are many, 10 are not more than one in twenty, 9 of 20 are few."""
    def fleet(hosts, **codes):
        return [*(series("xdptop_build_info", instance=f"h{n}", version="1") for n in range(hosts)),
                *(finding(code, "info" if code == "cpu-skew" else "critical", instance=f"h{n}", device=device)
                  for code, of in codes.items() for n in range(of) for device in ("eth0", "eth1"))]

    promtool_test(promtool, tmp_path, *fleet(200, aborted=12, missed=10, **{"cpu-skew": 200}), alerts=[
        {"alertname": "XdpFindingOnManyHosts", "eval_time": "10m", "exp_alerts": [{
            "exp_labels": {"code": "aborted", "severity": "critical"},
            "exp_annotations": {"summary": "aborted on 6% of the hosts: `xdptop -e aborted`"}}]}])
    promtool_test(promtool, tmp_path, *fleet(20, aborted=9),
                  alerts=[{"alertname": "XdpFindingOnManyHosts", "eval_time": "10m", "exp_alerts": []}])


def test_records(promtool, tmp_path):
    """Each is the sum over a host's devices, programs, targets and CPUs, without their labels."""
    own = {"job": "xdptop", "instance": "edge1:9435"}
    inputs, expressions = [], []
    for level, metric, label, value in (
        ("instance_tracepoint", "events", "tracepoint", "xdp_exception"),
        ("instance_errno", "redirect_errors", "errno", "EINVAL"), ("instance_act", "exceptions", "act", "ABORTED"),
        ("instance", "devmap_xmit_packets", "", ""), ("instance", "devmap_xmit_drops", "", ""),
        ("instance", "bulk_tx_drops", "", ""), ("instance", "cpumap_enqueue_drops", "", ""),
    ):
        of = {label: value} if label else {}
        inputs += [series(f"xdptop_{metric}_total", GROWS, device=device, netns=netns, cpu=cpu, **of)
                   for device in ("eth0", "eth1") for netns in ("1", "2") for cpu in ("0", "1")]
        inputs.append(series(f"xdptop_{metric}_total", STAYS, instance="edge2:9435", device="eth0", **of))
        still = [] if metric == "events" else [({**own, "instance": "edge2:9435", **of}, 0)]
        expressions.append(sums(f"{level}:xdptop_{metric}:rate5m", ({**own, **of}, 8), *still))
    inputs += [finding("aborted", "critical", device=device) for device in ("eth0", "eth1", "eth2")]
    inputs += [finding("aborted", "critical", instance="edge2:9435"), series("xdptop_build_info", version="1.0")]
    kind = {"code": "aborted", "severity": "critical"}
    expressions += [
        sums("instance_code_severity:xdptop_findings:count", ({**own, **kind}, 3),
             ({**own, "instance": "edge2:9435", **kind}, 1)),
        sums("code_severity:xdptop_instances:count", (kind, 2)),
        sums("instance_version:xdptop_build_info:count", ({**own, "version": "1.0"}, 1)),
    ]
    assert {e["expr"] for e in expressions} == set(names("record"))
    promtool_test(promtool, tmp_path, *inputs, expressions=expressions)
