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
    """The monitor without privileges: nobody("-r", FILE)."""
    command = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            missing("setpriv (util-linux) is not installed")
        command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
    # a copy, because the build directory may be closed to others
    program = shutil.copy(XDPTOP, public)
    return lambda *args, **kwargs: run(*command, program, *args, **kwargs)


@pytest.fixture(scope="session")
def release(tmp_path_factory):
    """The output of make dist for this tree, from a commit of its own."""
    tree = tmp_path_factory.mktemp("release") / "tree"
    tree.mkdir()
    files = run("git", "-C", TOP, "ls-files", "-co", "--exclude-standard", "-z").stdout.split(b"\0")
    names = [f.decode() for f in files if f and (TOP / f.decode()).exists()]
    p = run("tar", "-c", "-C", TOP, *(names or ["--exclude=./build", "--exclude=./xdptop", "."]))
    run("tar", "-x", "-C", tree, input=p.stdout)
    when = {"GIT_AUTHOR_DATE": "1763716500 +0000", "GIT_COMMITTER_DATE": "1763716500 +0000"}
    for command in (["init", "-q"], ["add", "-A"],
                    ["-c", "user.name=A", "-c", "user.email=a@example", "commit", "-qm", "all of it"]):
        run("git", "-C", tree, *command, env=when, check=True)
    p = run("env", "-u", "MAKEFLAGS", "-u", "MFLAGS", "-u", "MAKELEVEL", "make", "-s", "-C", tree, "dist")
    assert p.returncode == 0, p.stderr.decode()
    return tree / "build/dist"


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
