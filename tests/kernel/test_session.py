# SPDX-License-Identifier: GPL-2.0-or-later
"""Once through all views, panes and prompts, live and over a recording, under ASan and UBSan (tests/soak/session)."""
import os
import subprocess

import pytest

from harness import TOP, missing

pytestmark = pytest.mark.release

ASAN = TOP / "build/asan/xdptop"


def test_session():
    if not os.access(ASAN, os.X_OK):
        missing(f"{ASAN} is not there: make asan")
    p = subprocess.run([TOP / "tests/soak/session", "1", ASAN], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert p.returncode == 0 and p.stdout.endswith("nothing reported\n"), p.stdout
