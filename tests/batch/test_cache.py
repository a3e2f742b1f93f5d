# SPDX-License-Identifier: GPL-2.0-or-later
"""Unpacking packages for guests and other architectures into an empty cache, without a network."""
import subprocess
import sys

import pytest

from batch import TOP

sys.path.append(str(TOP / "tests/kernels"))

import archive  # noqa: E402
import cross  # noqa: E402


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """An empty cache, and an archive in which every package has one program."""
    root = tmp_path / "root"
    program = root / "usr/bin/made-program"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho made-program version 10\n")
    program.chmod(0o755)
    (root / "usr/lib/any/qemu").mkdir(parents=True)
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/control").write_text(
        "Package: made\nVersion: 1\nArchitecture: all\nMaintainer: A <a@example>\nDescription: made\n")
    deb = tmp_path / "made.deb"
    subprocess.run(["dpkg-deb", "--build", root, deb], check=True, capture_output=True)
    monkeypatch.setattr(archive, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(archive.Suite, "update", lambda suite: None)
    monkeypatch.setattr(archive.Suite, "download",
                        lambda suite, package, into: (archive.pathlib.Path(into) / f"{package}.deb").symlink_to(deb))
    monkeypatch.setattr(archive.Suite, "download_all", lambda suite, packages: [deb])


def test_packages_of_another_architecture(monkeypatch):
    monkeypatch.setattr(cross.shutil, "which", lambda tool: tool)
    system = cross.Sysroot("arm64")
    system.fetch()
    assert system.which("made-program") == str(system.top / "usr/bin/made-program")


def test_qemu():
    found = archive.fetch_qemu("made-program", "made", 10)
    assert found.version() == 10 and str(archive.CACHE) in found.program
