# SPDX-License-Identifier: GPL-2.0-or-later
"""Pods like those of a Kubernetes node: a namespace, a process in a cgroup of that name, logs; and redirects to one."""
import contextlib
import os
import pathlib
import subprocess
import uuid

from namespaces import compiled, ip, run, veth

VETH = 77  # its ifindex
SOURCE = f"""
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int to_pod(struct xdp_md *ctx)
{{
	return bpf_redirect({VETH}, 0);
}}
SEC("xdp.takes") int takes(struct xdp_md *ctx)
{{
	return XDP_DROP;
}}
char LICENSE[] SEC("license") = "GPL";
"""


def hierarchies():
    """Places for new cgroups: v2, and the first controller of v1."""
    found = {}
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, path, kind, options, *_ = line.split()
        if kind == "cgroup2":
            found.setdefault("v2", path)
        elif kind == "cgroup" and "cpuset" in options.split(","):
            found.setdefault("v1", path)
    return found


def container_id():
    return uuid.uuid4().hex + uuid.uuid4().hex


class Pod:
    """A process in a network namespace and a cgroup."""

    def __init__(self, ns, root, path):
        self.ns = ns
        self.root = pathlib.Path(root)
        self.cgroup = self.root / path
        self.process = None
        for part in reversed([self.cgroup, *self.cgroup.relative_to(root).parents][:-1]):
            (self.root / part).mkdir(exist_ok=True)
            for name in ("cpuset.cpus", "cpuset.mems"):
                if (self.root / part / name).exists() and not (self.root / part / "cgroup.controllers").exists():
                    (self.root / part / name).write_text((self.root / name).read_text())

    def start(self):
        self.process = subprocess.Popen(["nsenter", f"--net=/run/netns/{self.ns.name}", "sh", "-c", "echo; exec sleep 1000"],
                                        stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"\n"
        (self.cgroup / "cgroup.procs").write_text(str(self.process.pid))
        return self

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def remove(self):
        self.stop()
        for part in [self.cgroup, *self.cgroup.relative_to(self.root).parents][:-1]:
            with contextlib.suppress(OSError):  # another pod uses it
                os.rmdir(self.root / part)


def log(var_log, namespace, pod, uid, container, cid):
    """Files that the kubelet creates for a container: a directory, and a link by its id."""
    directory = var_log / "pods" / f"{namespace}_{pod}_{uid}" / container
    directory.mkdir(parents=True)
    (var_log / "containers").mkdir(exist_ok=True)
    (var_log / "containers" / f"{pod}_{namespace}_{container}-{cid}.log").symlink_to(directory / "0.log")


class Node:
    """feed:in0 -> node:from0, redirected to node:veth7 -> the pod's eth0."""

    def __init__(self, netns, tmp_path_factory):
        self.node, self.feed, self.pod = netns("node"), netns("feed"), netns("pod")
        program = compiled(tmp_path_factory, SOURCE)
        veth(self.node, "from0", self.feed, "in0")
        veth(self.node, "veth7", self.pod, "eth0", "index", str(VETH))
        ip(self.pod, "link", "set", "eth0", "xdpdrv", "obj", program, "sec", "xdp.takes")
        ip(self.node, "link", "set", "from0", "xdpdrv", "obj", program, "sec", "xdp")

    def redirect(self, n):
        self.feed.send("in0", n)
