# SPDX-License-Identifier: GPL-2.0-or-later
"""The needs of make check, what it prints before it installs them, and what it does without them."""
import re

import pytest

from batch import TOP, run

DEPS = TOP / "contrib/deps"
APT = """#!/bin/sh
echo "apt-get $*" >>"$LOG"
case $* in
*--print-uris*) echo "0 upgraded, 3 newly installed, 0 to remove and 0 not upgraded."
	echo "Need to get 5 kB of archives."
	echo "After this operation, 9 MB of additional disk space will be used." ;;
esac
"""


@pytest.fixture
def deps(tmp_path):
    """contrib/deps on a Debian with only gcc installed; returns its status, its output and the calls of apt."""
    log = tmp_path / "log"
    log.touch()
    for name, text in (("apt-get", APT), ("sudo", '#!/bin/sh\nexec "$@"\n'),
                       ("dpkg-query", '#!/bin/sh\n[ "$4" != gcc ] || echo installed\n')):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)

    def start(*args, **env):
        log.write_text("")
        p = run(DEPS, *args, env={"PATH": f"{tmp_path}:/usr/bin:/bin", "LOG": str(log), "NO_INSTALL": "", **env})
        return p.returncode, (p.stdout + p.stderr).decode(), log.read_text()

    return start


def test_sizes_come_first(deps):
    status, said, asked = deps("--install", "build", "lint")
    assert status == 0 and re.match(r"xdptop: to install: libc6-dev .* clang-format pyflakes3\n", said)
    assert "Need to get 5 kB" in said and "After this operation, 9 MB" in said
    first, second = asked.splitlines()
    assert "--print-uris" in first and re.match("apt-get install -y .* clang-format pyflakes3$", second)


@pytest.mark.parametrize("mode,status", [("--install", 1), ("--try", 0)])
def test_nothing_is_installed(deps, mode, status):
    got, said, asked = deps(mode, "lint", NO_INSTALL="1")
    assert (got, said, asked) == (status, "xdptop: not installed: clang-format pyflakes3\nxdptop: NO_INSTALL is set\n", "")


def steps(tmp_path, *args, **env):
    return run(TOP / "tests/steps", *args, env={"STEP": "echo", "FUZZ_SECONDS": "0", "CI": "", **env}, cwd=TOP)


def test_what_is_left_out_comes_last(tmp_path, deps):
    """A step without its packages is skipped; with CI=true it fails."""
    path = f"{tmp_path}:/usr/bin:/bin"
    for ci, status in (("", 0), ("true", 1)):
        p = steps(tmp_path, "check", "lint", "fuzz", PATH=path, LOG=str(tmp_path / "log"), CI=ci)
        assert p.returncode == status
        assert p.stdout.decode().splitlines()[:-1] == [
            "check: left out: lint: xdptop: not installed: clang-format pyflakes3",
            "check: left out: fuzz: xdptop: not installed: libclang-rt-dev"]
        assert p.stdout.splitlines()[-1].endswith(b": make check-release")


def test_a_step_that_fails_is_the_end(tmp_path):
    p = steps(tmp_path, "check", "build", STEP="false")
    assert p.returncode == 1 and p.stdout == b""


def test_tools_of_releases_are_not_needed():
    """make check mentions no package that only make check-release needs."""
    release = set(run(DEPS, "--list", "release").stdout.decode().split())
    planned = run("env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make", "-nC", TOP, "check").stdout.decode()
    assert "tests/steps check lint unit fuzz pytest" in planned
    assert not re.findall(r"\b(?:nix|buildah|runc|rpm|makepkg|lintian|[Pp]rometheus)\b", planned)
    asked = set(run(DEPS, "--list", *"build lint unit fuzz pytest tools".split()).stdout.decode().split())
    assert {"procps", "tmux"} <= asked and {"nix-bin", "lintian", "rpm"} <= release and not asked & release
