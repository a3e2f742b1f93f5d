# SPDX-License-Identifier: GPL-2.0-or-later
"""make dist: the same bytes each time, signed checksums, and a single place for the version."""
import os
import re
import shutil
import tarfile
import tempfile

import pytest

from batch import RELEASE, TOP, missing, run

pytestmark = pytest.mark.release

# without variables of the make that may have started the tests
MAKE = ["env", "-u", "MAKEFLAGS", "-u", "MFLAGS", "-u", "MAKELEVEL", "make", "-s"]
WHEN = 1763716500  # time of the commit


def git(where, *args):
    p = run("git", "-C", where, "-c", "user.name=A", "-c", "user.email=a@example", *args,
            env={"GIT_AUTHOR_DATE": f"{WHEN} +0000", "GIT_COMMITTER_DATE": f"{WHEN} +0000"})
    assert p.returncode == 0, p.stderr.decode()
    return p.stdout.decode()


def dist(tree, *args, **kwargs):
    p = run(*MAKE, "-C", tree, "dist", *args, **kwargs)
    assert p.returncode == 0, p.stderr.decode()
    return tree / "build/dist"


def version(tree):
    return run(tree / "contrib/version", RELEASE).stdout.decode().strip()


def test_release():
    """Makefile has the number; files that make dist does not fill in repeat it, and no others do."""
    assert re.search(r"^## (\d\S*) - ", (TOP / "CHANGELOG.md").read_text(), re.M)[1] == RELEASE
    assert re.match(r"xdptop \((\S+)\)", (TOP / "debian/changelog").read_text())[1] == RELEASE
    for directory in ("contrib", "debian", "man", "completions"):
        for path in (TOP / directory).rglob("*"):
            if path.is_file() and path.name != "changelog":
                assert RELEASE not in path.read_text(errors="replace"), path


def test_version(release, tmp_path):
    """The version of a commit, of a tag, with changes, and in a tarball without git."""
    git(tmp_path, "clone", "-q", release.parents[1], "t")
    tree = tmp_path / "t"
    snapshot = f"{RELEASE}~git1.{git(tree, 'rev-parse', '--short=12', 'HEAD').strip()}"
    assert version(tree) == snapshot
    (tree / "README.md").write_text("changed\n")
    assert version(tree) == f"{snapshot}.dirty"
    git(tree, "checkout", "-q", "README.md")
    git(tree, "tag", "-a", "-m", "release", f"v{RELEASE}")
    assert version(tree) == RELEASE
    for older, newer in ((snapshot, RELEASE), ("0.1.0", snapshot)):
        assert run("dpkg", "--compare-versions", older, "lt", newer).returncode == 0
    shutil.rmtree(tree / ".git")
    assert version(tree) == RELEASE
    run("tar", "-xf", release / f"xdptop-{snapshot}.tar.gz", "-C", tmp_path, check=True)
    assert version(tmp_path / f"xdptop-{snapshot}") == snapshot


def test_same_bytes(release, tmp_path):
    """Whoever packs it, wherever, whenever, and with whatever umask."""
    git(tmp_path, "clone", "-q", release.parents[1], "another")
    git(tmp_path / "another", "config", "tar.umask", "0077")
    again = dist(tmp_path / "another", preexec_fn=lambda: os.umask(0o077), env={"TZ": "AAA+12"})
    names = sorted(p.name for p in release.iterdir())
    assert names == ["APKBUILD", "PKGBUILD", "SHA256SUMS", f"xdptop-{version(release.parents[1])}.tar.gz", "xdptop.spec"]
    assert names == sorted(p.name for p in again.iterdir())
    for name in names:
        assert (release / name).read_bytes() == (again / name).read_bytes(), name


def test_tarball(release):
    files = set(git(release.parents[1], "ls-files", "-z").split("\0")) - {""}
    top = f"xdptop-{version(release.parents[1])}"
    with tarfile.open(release / f"{top}.tar.gz") as tar:
        members = [m for m in tar.getmembers() if m.name != f"{top}/.tarball-version"]
    assert {m.name for m in members if not m.isdir()} == {f"{top}/{name}" for name in files}
    for m in members:
        assert (m.mtime, m.uid, m.gid) == (WHEN, 0, 0)
        assert m.mode == (0o755 if m.isdir() or os.access(TOP / m.name.split("/", 1)[1], os.X_OK) else 0o644), m.name


def test_recipes_are_filled_in(release):
    for name in ("APKBUILD", "PKGBUILD", "xdptop.spec"):
        text = (release / name).read_text()
        assert not re.search(r"@[A-Z0-9]+@", text) and version(release.parents[1]) in text
    assert "* Fri Nov 21 2025 xdptop maintainers" in (release / "xdptop.spec").read_text()


def test_changes_are_not_packed(release, tmp_path):
    git(tmp_path, "clone", "-q", release.parents[1], "changed")
    with (tmp_path / "changed" / "README.md").open("a") as f:
        f.write("\n")
    p = run(*MAKE, "-C", tmp_path / "changed", "dist")
    assert p.returncode and b"commit the changes first" in p.stderr
    assert not (tmp_path / "changed/build").exists()


@pytest.fixture
def gnupg():
    """A directory of keys; its agent's socket needs a short path."""
    if not shutil.which("gpg"):
        missing("gpg is not installed")
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        env = {"GNUPGHOME": home}
        p = run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "test@example", env=env)
        assert p.returncode == 0, p.stderr.decode()
        yield env
        run("gpgconf", "--kill", "all", env=env)


def test_signed(release, tmp_path, gnupg):
    git(tmp_path, "clone", "-q", release.parents[1], "signed")
    signed = dist(tmp_path / "signed", "SIGN=test@example", env=gnupg)
    assert (signed / "SHA256SUMS").read_bytes() == (release / "SHA256SUMS").read_bytes()

    def verify():
        """As in README."""
        return (run("gpg", "--verify", "SHA256SUMS.asc", cwd=signed, env=gnupg).returncode,
                run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=signed).returncode)
    assert verify() == (0, 0)
    with (signed / f"xdptop-{version(release.parents[1])}.tar.gz").open("ab") as f:
        f.write(b"x")
    assert verify() == (0, 1)
    sums = signed / "SHA256SUMS"
    sums.write_text(sums.read_text().replace("a", "b"))
    assert verify()[0] == 1
