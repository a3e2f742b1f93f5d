# SPDX-License-Identifier: GPL-2.0-or-later
"""Pods in a recording: a replay shows them in every format, until they are gone."""
import json

from batch import DEMO, output, xdptop

NETNS = 4026534080


def pod(record, **fields):
    return {"type": "pod", "seq": record["seq"], "time": record["time"], "netns": NETNS, "state": "used",
            "namespace": "shop", "pod": "web-0", "container": "nginx", "container_id": "4f3c" * 16, **fields}


def recording(*gone):
    """The demo with a pod in its second namespace, which is gone from the snapshot with that number on."""
    lines = []
    seen = set()
    with open(DEMO, encoding="utf-8") as demo:
        for line in demo:
            record = json.loads(line)
            if record["type"] == "tracepoint" and record["seq"] not in seen:
                seen.add(record["seq"])
                if record["seq"] == 1:
                    lines.append(json.dumps(pod(record)))
                if record["seq"] in gone:
                    lines.append(json.dumps(pod(record, state="gone")))
            lines.append(line.rstrip())
    return "\n".join(lines).encode() + b"\n"


def rows(text):
    return [json.loads(line) for line in text.splitlines()]


def test_formats():
    there = recording()
    out = output("-r", "-", "-o", "json", input=there)
    assert output("-r", "-", "-o", "json", input=out) == out, "a replay of a replay is the same"
    samples = [r for r in rows(out) if r["type"] == "sample"]
    assert {r["netns"] for r in samples if "pod" in r} >= {NETNS}
    assert all((r["pod"], r["namespace"], r["container"]) == ("web-0", "shop", "nginx")
               for r in samples if r["netns"] == NETNS)
    assert [r for r in samples if r["to_netns"] == NETNS and "to_pod" not in r] == []
    text = output("-r", "-", "-o", "prometheus", "--to", "/dev/stdout", input=there).decode()
    assert 'namespace="shop",pod="web-0"' in text and 'container="nginx"' not in text
    text = output("-r", "-", "-v", "flows", "-a", input=there, env={"COLUMNS": "200"}).decode()
    assert " TO-POD " in text and " shop/web-0 " in text
    text = output("-r", "-", "-v", "flows", "-a", "-f", "pod=shop/*", "-o", "csv", input=there).decode()
    assert len(text.splitlines()) > 1
    assert all("web-0" in line for line in text.splitlines()[1:])


def test_findings():
    """In the text of a finding, and in the line of --check; the command has the namespace."""
    out = rows(output("-r", "-", "-o", "json", input=recording()))
    found = [r for r in out if r["type"] == "finding" and r["netns"] == NETNS]
    assert found and all("(pod shop/web-0)" in r["text"] for r in found)
    assert not any("web-0" in command for r in found for command in r["next"])
    text = xdptop("-r", "-", "--check", "info", input=recording()).stdout.decode()
    assert all(f"{r['severity']} {r['code']}: {r['text']}" in text for r in found if r["state"] == "active")


def test_without():
    """Without a pod, or after it has gone, there is no column, label or field."""
    text = output("-r", DEMO, "-v", "flows", "-a", env={"COLUMNS": "200"}).decode()
    assert "POD" not in text
    last = max(r["seq"] for r in rows(output("-r", DEMO, "-o", "json")) if r["type"] == "sample")
    samples = [r for r in rows(output("-r", "-", "-o", "json", input=recording(last))) if r["type"] == "sample"]
    assert any("pod" in r for r in samples if r["seq"] < last)
    assert [r for r in samples if r["seq"] == last and ("pod" in r or "to_pod" in r)] == []


def test_hostile():
    """A recording may contain any names; long ones are truncated."""
    text = recording().replace(b'"web-0"', b'"\\u001b[2J' + b"x" * 300 + b'"').replace(b'"nginx"', b'"\\"\\\\\\n"')
    out = output("-r", "-", "-o", "json", input=text)
    names = {r["pod"] for r in rows(out) if r["type"] == "pod"}
    assert len(names) == 1 and names.pop().startswith("\\x1b[2Jxxx")
    assert b"\x1b" not in output("-r", "-", "-v", "flows", "-a", input=text, env={"COLUMNS": "200"})
