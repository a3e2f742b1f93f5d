# SPDX-License-Identifier: GPL-2.0-or-later
"""What a process confined like the monitor can still do: nothing useful to an attacker."""
import os
import pathlib
import subprocess

import pytest

from harness import DEADLINE, TOP

CONFINED = os.environ.get("CONFINED", str(TOP / "build/confined/confined"))


@pytest.fixture
def directories(tmp_path):
    made = [tmp_path / name for name in ("create", "replace", "elsewhere")]
    for path in made:
        path.mkdir()
        (path / "old").write_text("old\n")
    tmp_path.chmod(0o755)
    yield made
    for made in ("/etc", "/etc/cron.d", "/tmp"):
        pathlib.Path(made, "xdptop-confined").unlink(missing_ok=True)


@pytest.mark.parametrize("mode", ["screen", "replace", "batch", "classic", "listen", "old", "record", "verdicts"])
def test_attempts(directories, mode):
    p = subprocess.run([CONFINED, mode, *directories], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, timeout=DEADLINE)
    lines = p.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == [], p.stderr
    assert p.returncode == 0 and lines[-1].startswith("ok all other system calls"), p.stderr
