# SPDX-License-Identifier: GPL-2.0-or-later
"""The process of --verdicts: what it keeps, and that it serves only its eight requests."""
import os
import re
import subprocess

import pytest
from harness import DEADLINE, TOP

TRACER = os.environ.get("TRACER", str(TOP / "build/confined/tracer"))
CAPABILITIES = 1 << 21 | 1 << 38 | 1 << 39  # CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF


@pytest.mark.parametrize("without, uid", [("", "65534"), ("-setuid", "0"), ("-setgid,-setuid", "0")])
def test_process(without, uid):
    """As root, and as root of a container that cannot change its uid."""
    command = [*(["setpriv", "--bounding-set", without] if without else []), TRACER]
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE)
    lines = p.stdout.splitlines()
    assert [line for line in lines if line.startswith("FAILED")] == [], p.stderr
    assert p.returncode == 0 and lines[-1].startswith("ok all other system calls"), p.stderr
    status = dict(re.findall(r"^(\w+):\s*(.*)$", p.stdout, re.M))
    assert set(status["Uid"].split()) == {uid}
    assert {name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {
        "CapInh": 0, "CapPrm": CAPABILITIES, "CapEff": CAPABILITIES, "CapAmb": 0}
    assert int(re.search(r"^keeps: (\w+)$", p.stdout, re.M)[1], 16) == CAPABILITIES  # as it reports
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    # only its socket and its namespace are open, at first and after it has entered others
    assert [line for line in lines if line.isdigit()] == ["0", "2"] * 2
