# SPDX-License-Identifier: GPL-2.0-or-later
import os
import pathlib
import shutil
import tempfile

import pytest

from batch import XDPTOP, missing, packaged, run


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
