# SPDX-License-Identifier: GPL-2.0-or-later
"""The Kubernetes manifest compared with the types of the API in python3-kubernetes. tests/kernel runs it."""
import copy
import re

import pytest

from batch import FILE, TOP, missing, xdptop

pytestmark = pytest.mark.release

try:
    import kubernetes.client as api
    import yaml
except ImportError:
    api = None

MANIFEST = TOP / "contrib/kubernetes/daemonset.yaml"
SCALARS = {"str": str, "int": int, "bool": bool, "object": object}


def faults(value, kind, path):
    """Differences from the API's types: unknown fields, missing mandatory ones, wrong types."""
    inner = re.fullmatch(r"(list|dict)[\[(](?:str, )?(.*)[\])]", kind)
    if inner and inner[1] == "list":
        assert isinstance(value, list), path
        for i, item in enumerate(value):
            yield from faults(item, inner[2], f"{path}[{i}]")
    elif inner:
        for name, item in value.items():
            yield from faults(item, inner[2], f"{path}.{name}")
    elif kind in SCALARS:
        if not isinstance(value, SCALARS[kind]) or (kind == "int" and isinstance(value, bool)):
            yield f"{path} is {value!r}, not {kind}"
    else:
        model = getattr(api, kind)
        fields = {json: (name, model.openapi_types[name]) for name, json in model.attribute_map.items()}
        for name, item in value.items():
            if name not in fields:
                yield f"{path}.{name} is not a field of {kind}"
                continue
            yield from faults(item, fields[name][1], f"{path}.{name}")
        try:
            model(**{fields[name][0]: item for name, item in value.items() if name in fields})
        except ValueError as missed:
            yield f"{path}: {missed}"


def all_faults(documents):
    for document in documents:
        yield from faults(document, f"V1{document['kind']}", document["kind"])


@pytest.fixture
def documents():
    if not api:
        missing("python3-kubernetes is not there; make deps gets it")
    return list(yaml.safe_load_all(MANIFEST.read_text()))


def test_types(documents):
    assert [d["kind"] for d in documents] == ["Namespace", "DaemonSet"]
    assert list(all_faults(documents)) == []
    template = documents[1]["spec"]["template"]
    assert documents[1]["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
    assert documents[1]["metadata"]["namespace"] == documents[0]["metadata"]["name"]


@pytest.mark.parametrize("change,fault", [
    (lambda spec: spec.update(hostPids=True), "hostPids is not a field"),
    (lambda spec: spec["containers"][0].pop("name"), "name"),
    (lambda spec: spec["containers"][0]["securityContext"].update(runAsUser="0"), "runAsUser is '0', not int"),
])
def test_a_wrong_one_is_found(documents, change, fault):
    wrong = copy.deepcopy(documents)
    change(wrong[1]["spec"]["template"]["spec"])
    assert any(fault in f for f in all_faults(wrong))


@pytest.mark.parametrize("node_ip", ["10.1.2.3", "fd00::1"])
def test_either_kind_of_address(documents, node_ip):
    """As the kubelet fills it in; the only error is then the missing recording."""
    (container,) = documents[1]["spec"]["template"]["spec"]["containers"]
    args = [arg.replace("$(NODE_IP)", node_ip) for arg in container["args"]]
    p = xdptop(*args, "-r", "/nonexistent")
    assert p.returncode == FILE and b"/nonexistent" in p.stderr, p


def test_all_mounts_are_read_only(documents):
    spec = documents[1]["spec"]["template"]["spec"]
    mounts = spec["containers"][0]["volumeMounts"]
    assert all(m["readOnly"] for m in mounts)
    assert {m["name"] for m in mounts} == {v["name"] for v in spec["volumes"]}
    assert "privileged" not in spec["containers"][0]["securityContext"]
