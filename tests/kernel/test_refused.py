# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel refuses of xdptop's BPF programs is said, each alone and together, with the errno."""
import json
import os
import re
import subprocess

import pytest

from harness import XDPTOP

# what tests/faults.c refuses: the view that says it, what is not known, and what was refused
WALK = r"Nothing is known about network namespaces created after the start, nor about receive queues"
CASES = {
    "load:walk": ("devices", "walk", WALK, r"refuses to load BPF program walk \(iter/bpf_map\): EPERM"),
    "attach:walk": ("queues", "walk", WALK, r"refuses to attach BPF program walk \(iter/bpf_map\): EPERM"),
    "load:xdp_sockets": ("sockets", "xdp_sockets", "No AF_XDP socket is known",
                         r"refuses to load BPF program xdp_sockets \(iter/bpf_map\): EPERM"),
    "load:map_contents": ("maps", "map_contents", "No map that XDP programs use is known", "map_contents"),
    "load:map_users": ("maps", "map_users", "It is not known which program uses which map", "map_users"),
    "load:map_counts": ("maps", "map_counts", "It is not known how full hashes and LPM tries are", "map_counts"),
    "load:programs": ("programs", "programs", "The names and load times of some programs are not known",
                      r"programs \(iter/bpf_prog\)"),
    "load:maps": ("events", "maps", "Some names of maps are not known", r"maps \(iter/bpf_map\)"),
    "load:processes": ("devices", "processes", "The processes and pods of some network namespaces are not known",
                       r"processes \(iter/task\)"),
    "load:file_holders": ("programs", "file_holders", "It is not known which process has a program or AF_XDP socket open",
                          r"file_holders \(iter/task_file\)"),
    "load:links": ("programs", "links", "It is not known which program is attached by a link", r"links \(iter/bpf_link\)"),
    "load:bpffs_pins": ("programs", "bpffs_pins", "Pins of programs are not known", "bpffs_pins"),
    "load:prog_runs": ("programs", "prog_runs", "It is not known how often programs run", "prog_runs"),
    "load:xdp_install": ("changes", "xdp_install", "The process that changes a device's program is known only if it holds",
              r"refuses to load BPF program xdp_install \(fexit/dev_xdp_install\): EPERM"),
    "load:bind_refused": ("changes", "bind_refused", "Refused binds of AF_XDP sockets are not seen",
                          r"refuses to load BPF program bind_refused \(fexit/xsk_bind\): EPERM"),
}
ALL = ",".join(["target:bpf_iter_" + t for t in ("bpf_map", "bpf_prog", "bpf_link", "task", "task_file")] + ["fexit"])
LOOPS = {"walk", "xdp_sockets", "map_contents", "bpffs_pins", "prog_runs"}


@pytest.fixture
def output(faults):
    def run(refused, *args, **more):
        done = subprocess.run([XDPTOP, *args], env={**os.environ, "LD_PRELOAD": faults, "FAULTS_BPF": refused, **more},
                              capture_output=True, text=True, check=True)
        return done.stdout
    return run


def refused_in(lines):
    return {r["bpf_program"]: r for r in map(json.loads, lines.splitlines()) if r["type"] == "refused"}


def prose(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def ours():
    """What this kernel refuses by itself."""
    return set(refused_in(subprocess.check_output([XDPTOP, "--list", "-o", "json"], text=True)))


@pytest.mark.parametrize("case", CASES)
def test_each_refusal(output, ours, case):
    view, program, unknown, why = CASES[case]
    found = refused_in(output(case, "--list", "-o", "json"))
    assert set(found) == ours | {program}
    assert found[program]["consequence"].startswith(unknown) and re.search(why, found[program]["reason"])
    whole = re.compile(rf"{unknown}[^:]*: [^:]*{why}")
    assert whole.search(prose(output(case, "--list")))
    text = prose(output(case, "-b", "-n", "1", "-d", "0.1", "-v", view))
    assert whole.search(text), text
    recording = output(case, "-o", "json", "-n", "1", "-d", "0.1")
    header = json.loads(recording.splitlines()[0])
    assert f"{program} {'attach' if case.startswith('attach') else 'load'} EPERM" in header["refused"].split(",")
    assert header["devices"] == ("start" if program == "walk" else "all")
    assert refused_in(recording)[program] == found[program]
    # a replay says the same
    replayed = subprocess.run([XDPTOP, "-r", "-", "-b", "-v", view], input=recording, capture_output=True, text=True,
                              check=True).stdout
    assert whole.search(prose(replayed)), replayed


def test_all_together(output):
    """It still counts, and says nothing that it cannot know."""
    found = refused_in(output(ALL, "--list", "-o", "json"))
    assert set(found) == {program for _, program, _, _ in CASES.values()}
    for view, claim in (("sockets", "No program has an AF_XDP socket"), ("maps", "redirect through no map"),
                        ("queues", "No device with XDP is in"), ("devices", "in any network namespace"),
                        ("overview", "in any network namespace")):
        text = prose(output(ALL, "-b", "-n", "1", "-d", "0.1", "-v", view))
        assert claim not in text and "EPERM" in text and "needs Linux" not in text, text


def test_traces_of_programs(output):
    """Those of --verdicts are loaded for a program, whatever loads the fexit programs of kernel functions."""
    text = output("traced", "--verdicts", "-o", "json", "-n", "1", "-d", "0.1", FAULTS_ERRNO="18")
    reasons = [r["reason"] for r in map(json.loads, text.splitlines()) if r.get("tracepoint") == "verdicts"]
    assert reasons == ["this kernel refuses to trace XDP programs (fexit): Invalid cross-device link"]


@pytest.mark.parametrize("err,text", [("1", "which calls bpf_loop(): EPERM"), ("22", "which calls bpf_loop(): EINVAL")])
def test_bpf_loop(output, ours, err, text):
    found = refused_in(output("loop", "--list", "-o", "json", FAULTS_ERRNO=err))
    assert set(found) == ours | LOOPS
    for program in LOOPS:
        assert found[program]["reason"].endswith(text), found[program]


def test_no_array_iterators(output, ours):
    """Kernels that refuse iterators over a map's values take nothing away."""
    refused = ",".join(f"target:bpf_iter_{t}" for t in ("bpf_map_elem", "bpf_sk_storage_map", "sockmap"))
    assert set(refused_in(output(refused, "--list", "-o", "json"))) == ours


def test_loaded_once(faults):
    """A refusal costs no program a second load."""
    def loads(refused):
        trace = subprocess.run(["strace", "-f", "-e", "trace=bpf", "-E", f"LD_PRELOAD={faults}", "-E",
                                f"FAULTS_BPF={refused}", XDPTOP, "-b", "-n", "1", "-d", "0.1"], capture_output=True,
                               text=True, check=True).stderr
        return len(re.findall(r"BPF_PROG_LOAD, \{prog_type=BPF_PROG_TYPE_TRACING", trace))

    every = loads("none")
    # a refused load of the preloaded library makes no system call
    assert loads("load:walk,load:links,load:maps") == every - 3
