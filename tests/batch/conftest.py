# SPDX-License-Identifier: GPL-2.0-or-later
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from batch import TABLES, TOP, XDPTOP, missing, packaged, run


@pytest.fixture
def public():
    """A directory that everybody can enter; pytest's own are private."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        yield pathlib.Path(directory)


@pytest.fixture
def nobody(public):
    """The monitor without any privilege: nobody("-r", FILE)."""
    command = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            missing("setpriv (util-linux) is not installed")
        command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
    # a copy: where it was built, others may not look
    program = shutil.copy(XDPTOP, public)
    return lambda *args, **kwargs: run(*command, program, *args, **kwargs)


@pytest.fixture(scope="session")
def promtool():
    return packaged("promtool")


@pytest.fixture(scope="session")
def tables():
    """Rows of the program's tables by kind: (name, argument, help)."""
    if not TABLES.exists():
        subprocess.run(["make", "-s", "-C", TOP, "build/tables/tables"], check=True, timeout=1200)
    rows = {}
    for line in run(TABLES).stdout.decode().splitlines():
        kind, *rest = line.split("\t")
        rows.setdefault(kind, []).append(rest)
    return rows
