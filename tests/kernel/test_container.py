# SPDX-License-Identifier: GPL-2.0-or-later
"""The image, run as the Kubernetes manifest requests: what it sees, and that it needs everything it requests."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import uuid

import pytest

import oci
from harness import DEADLINE, TOP, eventually, missing
from pods import VETH, Node, Pod, container_id, hierarchies, log

pytestmark = pytest.mark.release

FRAMES = 50
CAPABILITIES = {"CAP_PERFMON": 38, "CAP_BPF": 39}  # linux/capability.h


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    if not importlib.util.find_spec("yaml"):
        missing("python3-yaml is not there")
    for tool in ("buildah", "runc"):
        if not shutil.which(tool):
            missing(f"{tool} is not there")
    if not os.access(TOP / "build/static/xdptop", os.X_OK):
        missing("build/static/xdptop is not there: make static")
    directory = tmp_path_factory.mktemp("bundle")
    assert oci.image(directory) == ["/xdptop"]
    return directory


@pytest.fixture(autouse=True)
def ended_with_the_test(bundle):
    """A killed runc leaves its container and cgroups."""
    yield
    for state in (bundle / "state").glob("*"):
        subprocess.run(["runc", "--root", bundle / "state", "delete", "--force", state.name], check=True)


@pytest.fixture
def node(netns, tmp_path_factory):
    return Node(netns, tmp_path_factory)


@pytest.fixture
def pod(node):
    p = Pod(node.pod, hierarchies().get("v2") or missing("cgroup v2 is not mounted"),
            f"xdptop-kubepods/pod{uuid.uuid4()}/{container_id()}")
    yield p.start()
    p.remove()


@pytest.fixture
def host(tmp_path, pod):
    """Directories of the node, as far as the manifest mounts them."""
    for volume in oci.pod_spec()["volumes"]:
        (tmp_path / volume["hostPath"]["path"].lstrip("/")).mkdir(parents=True)
    (tmp_path / "run/netns").rmdir()
    (tmp_path / "run/netns").symlink_to("/run/netns")
    uid, cid = pod.cgroup.parent.name[len("pod"):], pod.cgroup.name
    log(tmp_path / "var/log", "shop", "web-0", uid, "nginx", cid)
    return tmp_path


@pytest.fixture
def run(monitor, bundle, node, host):
    """Starts the container with the manifest's spec, modified."""
    def start(**how):
        return monitor("-d", "0.2", prefix=command(bundle, node, host, **how), program="/xdptop")
    return start


def sent(node):
    return lambda r: (r["type"] == "sample" and r["tracepoint"] == "xdp_devmap_xmit" and r["to_ifindex"] == VETH
                      and r["to_netns"] == node.node.inode and r["packets_total"] == FRAMES)


def status(m):
    """Status of the container's process, which is a child of runc."""
    (child,) = subprocess.run(["pgrep", "-P", str(m.process.pid), "-x", "xdptop"], stdout=subprocess.PIPE,
                              check=True).stdout.split()
    with open(f"/proc/{int(child)}/status", encoding="utf-8") as f:
        fields = dict(line.rstrip("\n").split(":\t", 1) for line in f)
    with open(f"/proc/{int(child)}/mountinfo", encoding="utf-8") as f:
        root = next(fields.split() for fields in f if fields.split()[4] == "/")
    return fields, root[5].split(",")


def test_as_the_manifest_has_it(run, node):
    """Exact counts, the pod's name, all devices; confined as requested, and finally without capabilities."""
    m = run()
    fields, root = status(m)
    granted = sum(1 << number for number in CAPABILITIES.values())
    assert int(fields["CapBnd"], 16) == granted
    assert (int(fields["CapInh"], 16), int(fields["CapAmb"], 16)) == (0, 0)
    assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")
    assert "ro" in root
    node.redirect(FRAMES)
    row = m.wait_for(sent(node), "the redirects")
    assert (row["to_pod"], row["to_namespace"], row["to_container"]) == ("web-0", "shop", "nginx")
    assert row["netns_name"] == node.node.name
    dropped, _ = status(m)
    assert int(dropped["CapPrm"], 16) in (0, granted), "before 6.1 reading takes both"
    records = m.stop()
    assert records[0]["devices"] == "all"
    devices = [r for r in records if r["type"] == "device"]  # others have devices of these names, too
    assert any((r["ifname"], r.get("pod")) == ("eth0", "web-0") for r in devices)
    assert any((r["ifname"], r["netns_name"], r["driver"]) == ("from0", node.node.name, "veth") and
               r["rx_packets_total"] is not None for r in devices)


def command(bundle, node, host, *args, **how):
    """Command that starts the container with `args` on the node."""
    words = ["nsenter", f"--net=/run/netns/{node.node.name}", sys.executable, oci.__file__, bundle, host,
             f"xdptop-{uuid.uuid4().hex[:8]}", json.dumps(how), *args]
    return list(map(str, words))


def ended(*args, **how):
    """A container that cannot run and reports why."""
    return subprocess.run(command(*args, "/xdptop", "-b", "-n", "1", "-d", "0.1", **how), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=DEADLINE, check=False)


@pytest.mark.parametrize("capability", ["BPF", "PERFMON"])
def test_each_capability_is_needed(bundle, node, host, capability):
    spec = oci.pod_spec()
    spec["containers"][0]["securityContext"]["capabilities"]["add"].remove(capability)
    p = ended(bundle, node, host, spec=spec)
    assert p.returncode == 3 and f"CAP_{capability}" in p.stderr.decode(), p.stderr


def test_older_seccomp_profile(bundle, node, host):
    """Without the rule for CAP_BPF the message names the cause and the remedy."""
    p = ended(bundle, node, host, bpf_rule=False)
    assert p.returncode == 3
    assert "seccomp" in p.stderr.decode()


def test_what_the_rest_is_for(run, node):
    """Without hostPID pods have no names; without hostNetwork the node's devices have no counters."""
    spec = oci.pod_spec()
    del spec["hostPID"], spec["hostNetwork"]
    m = run(spec=spec)
    node.redirect(FRAMES)
    assert "to_pod" not in m.wait_for(sent(node), "the redirects")
    devices = {r["ifname"]: r for r in m.stop() if r["type"] == "device"}
    assert devices["from0"]["mode"] == "native"
    assert devices["from0"]["rx_packets_total"] is None


def test_its_own_arguments(popen, bundle, node, host):
    """What the manifest starts: metrics on the node's address."""
    args = [a.replace("$(NODE_IP)", "127.0.0.1") for a in oci.pod_spec()["containers"][0]["args"]]
    node.node.python("import subprocess; subprocess.run(['ip', 'link', 'set', 'lo', 'up'], check=True)")
    p = popen(command(bundle, node, host, "/xdptop", *args), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    (url,) = re.findall(r"--listen: (http://.*/metrics)\n", p.stderr.readline().decode())
    node.redirect(FRAMES)
    get = f"import urllib.request; print(urllib.request.urlopen({url!r}).read().decode())"
    wanted = re.compile(r'^xdptop_devmap_xmit_packets_total{.*,to_namespace="shop",to_pod="web-0"} %d$' % FRAMES, re.M)
    # 503 before the first snapshot
    eventually(lambda: wanted.search(subprocess.run(
        ["nsenter", f"--net=/run/netns/{node.node.name}", sys.executable, "-c", get], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=False).stdout.decode()), "the pod's packets")
