# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of pods and containers: cgroups of this kernel, and files as created by a kubelet or docker."""
import json
import uuid

import pytest

from harness import missing, said
from pods import VETH, Node, Pod, container_id, hierarchies, log

FRAMES = 50
# mount the files over this machine's, for the monitor only
MOUNT = 'mount --bind "$0/log" /var/log && mount --bind "$0/lib" /var/lib && exec "$@"'


@pytest.fixture(scope="module", params=["v2", "v1"])
def hierarchy(request):
    if request.param not in hierarchies():
        if request.param == "v1":
            pytest.skip("this machine has no cgroup v1")
        missing("cgroup v2 is not mounted")
    return hierarchies()[request.param]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "log").mkdir()
    (tmp_path / "lib").mkdir()
    return tmp_path


@pytest.fixture
def pod():
    made = []

    def make(ns, root, path):
        made.append(Pod(ns, root, path))
        return made[-1].start()

    yield make
    for p in reversed(made):
        p.remove()


def beside(files):
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", MOUNT, str(files)]


def sent(node, *of, **wanted):
    def matches(r):
        return (r["type"] == "sample" and r["tracepoint"] == "xdp_devmap_xmit" and r["to_ifindex"] == VETH
                and r["to_netns"] == node.node.inode and all(r.get(k) == v for k, v in wanted.items())
                and all(k not in r for k in of))
    return matches


def test_pod_behind_a_redirect(monitor, netns, tmp_path_factory, files, pod, hierarchy):
    """Exact counts on the path to a pod, with its name, however cgroups are mounted."""
    uid, cid = str(uuid.uuid4()), container_id()
    node = Node(netns, tmp_path_factory)
    log(files / "log", "shop", "web-0", uid, "nginx", cid)
    pod(node.pod, hierarchy, f"xdptop-kubepods.slice/kubepods-burstable-pod{uid.replace('-', '_')}.slice/"
        f"cri-containerd-{cid}.scope")
    m = monitor("-d", "0.2", prefix=beside(files))
    node.redirect(FRAMES)
    row = m.wait_for(sent(node, packets_total=FRAMES), "the redirects")
    assert (row["to_pod"], row["to_namespace"], row["to_container"]) == ("web-0", "shop", "nginx")
    assert "pod" not in row, "the device that they came in on is in no pod"
    known = said(m, lambda r: r["type"] == "pod" and r["netns"] == node.pod.inode, "the pod")
    assert (known["namespace"], known["pod"], known["container"]) == ("shop", "web-0", "nginx")
    assert (known["container_id"], known["pod_uid"], known["state"]) == (cid, uid, "used")
    device = said(m, lambda r: r["type"] == "device" and r["netns"] == node.pod.inode, "the device there")
    assert (device["ifname"], device["pod"], device["namespace"]) == ("eth0", "web-0", "shop")
    last = [r for r in m.stop() if sent(node)(r)][-1]
    assert (last["packets_total"], last["drops_total"]) == (FRAMES, 0)


def test_pods_come_and_go(monitor, netns, tmp_path_factory, files, pod):
    """A pod that starts later is named too, and after it ends its inode has no name."""
    root = hierarchies().get("v2") or missing("cgroup v2 is not mounted")
    uid, cid = str(uuid.uuid4()), container_id()
    node = Node(netns, tmp_path_factory)
    (files / "log/pods").mkdir()
    (files / "log/containers").mkdir()
    m = monitor("-d", "0.2", prefix=beside(files))
    node.redirect(1)
    m.wait_for(sent(node, "to_pod", packets_total=1), "a redirect to nobody")
    log(files / "log", "shop", "late", uid, "app", cid)
    late = pod(node.pod, root, f"xdptop-kubepods/pod{uid}/{cid}")
    m.wait_for(lambda r: r["type"] == "pod" and r["pod"] == "late", "its name")
    node.redirect(2)
    assert m.wait_for(sent(node, packets_total=3), "more")["to_pod"] == "late"
    late.stop()
    m.wait_for(lambda r: r["type"] == "pod" and r["state"] == "gone", "its end")
    node.redirect(4)
    m.wait_for(sent(node, "to_pod", packets_total=7), "a redirect to nobody again")
    m.stop()


@pytest.mark.parametrize("path,name", [
    ("docker-{id}.scope", "lib/docker/containers/{id}/config.v2.json"),
    ("libpod-{id}.scope/container", "lib/containers/storage/overlay-containers/containers.json"),
])
def test_containers(monitor, netns, tmp_path_factory, files, pod, path, name):
    root = hierarchies().get("v2") or missing("cgroup v2 is not mounted")
    cid = container_id()
    node = Node(netns, tmp_path_factory)
    name = files / name.format(id=cid)
    name.parent.mkdir(parents=True)
    name.write_text(json.dumps({"ID": cid, "Name": "/redis"} if "docker" in path else
                               [{"id": cid, "names": ["redis"]}]))
    # readable by root only
    name.chmod(0o600)
    name.parent.chmod(0o700)
    pod(node.pod, root, path.format(id=cid))
    m = monitor("-d", "0.2", prefix=beside(files))
    node.redirect(FRAMES)
    row = m.wait_for(sent(node, packets_total=FRAMES), "the redirects")
    assert row["to_container"] == "redis" and "to_pod" not in row
    m.stop()
