# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the container of a Kubernetes manifest by an OCI runtime, as containerd would on behalf of the kubelet."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from harness import DEADLINE, TOP

MANIFEST = TOP / "contrib/kubernetes/daemonset.yaml"
SECCOMP = pathlib.Path("/usr/share/containers/seccomp.json")
# as containerd masks them in an unprivileged container
MASKED = ["/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
          "/proc/timer_stats", "/proc/sched_debug", "/sys/firmware", "/proc/scsi"]
READONLY = ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]


def pod_spec():
    """The DaemonSet's pod."""
    import yaml  # pylint: disable=import-outside-toplevel
    (found,) = [d for d in yaml.safe_load_all(MANIFEST.read_text()) if d["kind"] == "DaemonSet"]
    return found["spec"]["template"]["spec"]


def image(directory):
    """The image of the Containerfile as a directory."""
    storage = ["--root", directory / "storage", "--runroot", directory / "run", "--storage-driver", "vfs"]

    def buildah(*args):
        p = subprocess.run(["buildah", *map(str, [*storage, *args])], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=DEADLINE, env={**os.environ, "BUILDAH_ISOLATION": "chroot"})
        assert p.returncode == 0, p.stderr.decode()
        return p.stdout.decode().strip()

    buildah("build", "-q", "-t", "xdptop", "-f", TOP / "contrib/container/Containerfile", TOP / "build/static")
    root = buildah("mount", buildah("from", "--pull-never", "xdptop"))
    entrypoint = json.loads(buildah("inspect", "--type", "image", "xdptop"))["OCIv1"]["config"]["Entrypoint"]
    shutil.copytree(root, directory / "rootfs", symlinks=True)
    return entrypoint


def seccomp(capabilities, bpf_rule=True):
    """
    The default profile for a container with these capabilities. Before 2023 profiles allowed bpf() only with
    CAP_SYS_ADMIN; `bpf_rule` adds the newer rule.
    """
    profile = json.loads(SECCOMP.read_text())

    def holds(rule):
        includes, excludes = rule.get("includes") or {}, rule.get("excludes") or {}
        machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
        return (set(includes.get("caps", ())) <= capabilities and not set(excludes.get("caps", ())) & capabilities
                and machine in includes.get("arches", [machine]) and machine not in excludes.get("arches", ()))

    rules = []
    for rule in profile["syscalls"]:
        names = rule["names"]
        if bpf_rule and "CAP_BPF" in capabilities and rule["action"] != "SCMP_ACT_ALLOW":
            names = [name for name in names if name != "bpf"]
        if holds(rule) and names:
            rules.append({key: value for key, value in {**rule, "names": names}.items()
                          if key in ("names", "action", "errnoRet", "args") and value})
    if bpf_rule and "CAP_BPF" in capabilities:
        rules.append({"names": ["bpf"], "action": "SCMP_ACT_ALLOW"})
    return {"defaultAction": profile["defaultAction"], "defaultErrnoRet": profile.get("defaultErrnoRet", 1),
            "syscalls": rules}


def config(args, host, spec=None, bpf_rule=True):
    """config.json of the pod's container; its hostPath volumes are below `host`."""
    spec = spec or pod_spec()
    (container,) = spec["containers"]
    context = container["securityContext"]
    granted = {f"CAP_{name}" for name in context["capabilities"]["add"]}
    assert context["capabilities"]["drop"] == ["ALL"]
    paths = {v["name"]: v["hostPath"]["path"] for v in spec["volumes"]}
    mounts = [
        {"destination": "/proc", "type": "proc", "source": "proc", "options": ["nosuid", "noexec", "nodev"]},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "strictatime", "mode=755"]},
        {"destination": "/sys", "type": "none", "source": "/sys", "options": ["rbind", "nosuid", "noexec", "nodev", "ro"]},
        *({"destination": m["mountPath"], "type": "bind", "source": f"{host}{paths[m['name']]}",
           "options": ["rbind", "ro" if m.get("readOnly") else "rw",
                       {"HostToContainer": "rslave"}.get(m.get("mountPropagation"), "rprivate")]}
          for m in container["volumeMounts"]),
    ]
    namespaces = ["mount", "ipc", "uts", *([] if spec.get("hostPID") else ["pid"]),
                  *([] if spec.get("hostNetwork") else ["network"])]
    user = context["runAsUser"]
    return {
        "ociVersion": "1.0.2",
        "process": {
            "args": args, "cwd": "/", "env": ["PATH=/"], "user": {"uid": user, "gid": user},
            "noNewPrivileges": not context["allowPrivilegeEscalation"],
            "capabilities": {kind: sorted(granted) for kind in ("bounding", "effective", "permitted")},
        },
        "root": {"path": "rootfs", "readonly": context["readOnlyRootFilesystem"]},
        "mounts": mounts,
        "linux": {
            "namespaces": [{"type": name} for name in namespaces],
            "maskedPaths": MASKED, "readonlyPaths": READONLY,
            **({"seccomp": seccomp(granted, bpf_rule)} if context["seccompProfile"]["type"] == "RuntimeDefault" else {}),
        },
    }


def main():
    """oci.py BUNDLE HOST NAME SPEC COMMAND...: run COMMAND as the container; kill -INT ends it."""
    bundle, host, name, spec, *command = sys.argv[1:]
    with open(f"{bundle}/config.json", "w", encoding="utf-8") as f:
        json.dump(config(command, host, **json.loads(spec)), f)
    os.execvp("runc", ["runc", "--root", f"{bundle}/state", "run", "--bundle", bundle, name])


if __name__ == "__main__":
    main()
