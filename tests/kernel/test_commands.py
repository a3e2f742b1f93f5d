# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands suggested by findings run when pasted, whatever a namespace is called."""
import itertools
import os
import shutil
import subprocess
import tempfile

import pytest

from harness import DEADLINE, XDPTOP
from test_findings import STIMULI, observe_each

WITH_COMMANDS = [s[0] for s in STIMULI if s[1]] + ["generic", "aborted-generic"]


def paste(commands):
    """Runs them as a user would, in each shell; returns those that failed, with the reason."""
    env = dict(os.environ, PATH=f"{os.path.dirname(XDPTOP)}:{os.environ['PATH']}:/usr/sbin:/sbin", LC_ALL="C",
               COLUMNS="200")
    directory = tempfile.mkdtemp()
    for shell, command in itertools.product(("bash", "dash"), commands):
        # the kernel does not attach a second program
        if "obj pass.o" in command and shell == "dash":
            continue
        p = subprocess.run([shell, "-c", command], stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, env=env, timeout=DEADLINE, cwd=directory)
        nothing_found = "| grep" in command and p.returncode == 1 and not p.stderr
        # the rig's socket is listed
        nothing_shown = "sockets" in command and "rig[" not in p.stdout
        if nothing_shown or (p.returncode and not nothing_found):
            yield shell, command, p.returncode, p.stderr
    shutil.rmtree(directory)


@pytest.mark.parametrize("named", [False, True], ids=["anonymous", "named"])
@pytest.mark.parametrize("stimulus", WITH_COMMANDS)
def test_commands(monitor, rig, stimulus, named):
    failed = []
    found, _ = observe_each(
        monitor, rig, stimulus, args=("-t", "all", "--budget", "0"),
        named=f"xdptop{os.getpid()}" if named else None,
        then=lambda fs: failed.extend(x for f in fs for x in paste(f["next"])))
    commands = [c for f in found for c in f["next"]]
    assert commands and not failed
    if named:
        assert not [c for c in commands if c.startswith("nsenter")]
