# SPDX-License-Identifier: GPL-2.0-or-later
"""The processes that keep capabilities: what they keep, and that they serve only their requests."""
import os
import re
import subprocess

import pytest
from harness import DEADLINE, TOP

pytestmark = pytest.mark.alone  # others' losses and changes are seen, too

TRACER = os.environ.get("TRACER", str(TOP / "build/confined/tracer"))
CAPABILITIES = {"verdicts": 1 << 21 | 1 << 38 | 1 << 39,  # CAP_SYS_ADMIN, CAP_PERFMON, CAP_BPF
                "later": 1 << 19 | 1 << 21,  # CAP_SYS_PTRACE, CAP_SYS_ADMIN
                "named": 1 << 21}


@pytest.mark.parametrize("without, uid", [("", "65534"), ("-setuid", "0"), ("-setgid,-setuid", "0")])
@pytest.mark.parametrize("kind", CAPABILITIES)
def test_process(kind, without, uid):
    """As root, and as root of a container that cannot change its uid."""
    command = [*(["setpriv", "--bounding-set", without] if without else []), TRACER, kind]
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=DEADLINE)
    lines = p.stdout.splitlines()
    assert [line for line in lines if line.startswith("FAILED")] == [], p.stderr
    assert p.returncode == 0 and lines[-1].startswith("ok all other system calls"), p.stderr
    status = dict(re.findall(r"^(\w+):\s*(.*)$", p.stdout, re.M))
    assert set(status["Uid"].split()) == {uid}
    assert {name: int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {
        "CapInh": 0, "CapPrm": CAPABILITIES[kind], "CapEff": CAPABILITIES[kind], "CapAmb": 0}
    assert int(re.search(r"^keeps: (\w+)$", p.stdout, re.M)[1], 16) == CAPABILITIES[kind]  # as it reports
    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
    # only its socket and its namespace are open, at first and after it has entered others
    assert [line for line in lines if line.isdigit()] == (["0"] if kind == "verdicts" else ["0", "1"]) * 2
