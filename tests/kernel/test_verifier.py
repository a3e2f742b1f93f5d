# SPDX-License-Identifier: GPL-2.0-or-later
"""What the kernel's verifier has to do at the start: it has a limit, and the first screen waits for it."""
import ctypes
import os
import re

from harness import missing

STEPS = 100_000  # of 1,000,000 that the kernel allows: another version may need several times as many


def fdinfo(pid, fd):
    with open(f"/proc/{pid}/fdinfo/{fd}") as info:
        return dict(re.findall(r"(\w+):\t(\S+)", info.read()))


def test_no_program_takes_the_verifier_long(monitor):
    lib = ctypes.CDLL("libbpf.so.1", use_errno=True)
    m = monitor("-t", "all")
    m.wait_snapshot()
    steps = {}
    for fd in os.listdir(f"/proc/{m.process.pid}/fd"):
        prog_id = fdinfo(m.process.pid, fd).get("prog_id")
        if not prog_id or prog_id in steps:
            continue
        prog = lib.bpf_prog_get_fd_by_id(int(prog_id))
        assert prog >= 0, os.strerror(ctypes.get_errno())
        steps[prog_id] = fdinfo("self", prog).get("verified_insns")
        os.close(prog)
    if None in steps.values():
        missing("Linux before 5.16 does not say how long its verifier took")
    print(steps)
    assert len(steps) > 10
    assert {p: int(n) for p, n in steps.items() if int(n) > STEPS} == {}
