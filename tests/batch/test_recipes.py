# SPDX-License-Identifier: GPL-2.0-or-later
"""
Package recipes: contrib/deps installs their dependencies; the recipes of Alpine and Nix run in their own
shell and language.
"""
import json
import re
from fnmatch import fnmatch

import pytest

from batch import TOP, assert_packaged, run, tool

pytestmark = pytest.mark.release

HERE = TOP / "tests/batch/packaging"

# Packages of contrib/deps for the build as rpm, Alpine, Arch and Nix name them; None = always installed
BUILD = {
    "gcc": ("gcc", None, None, None),
    "libc6-dev": (None, "linux-headers", "glibc", None),
    "make": ("make", None, None, None),
    "clang": ("clang", "clang", "clang", "clang"),
    "libbpf-dev": ("pkgconfig(libbpf)", "libbpf-dev", "libbpf", "libbpf"),
    "bpftool": ("bpftool", "bpftool", "bpf", "bpftools"),
    "libncurses-dev": ("pkgconfig(ncursesw)", "ncurses-dev", "ncurses", "ncurses"),
    "libjson-c-dev": ("pkgconfig(json-c)", "json-c-dev", "json-c", "json_c"),
    "libcap-ng-dev": ("pkgconfig(libcap-ng)", "libcap-ng-dev", "libcap-ng", "libcap_ng"),
    "libmnl-dev": ("pkgconfig(libmnl)", "libmnl-dev", "libmnl", "libmnl"),
    "libevent-dev": ("pkgconfig(libevent_extra)", "libevent-dev", "libevent", "libevent"),
    "libzstd-dev": ("pkgconfig(libzstd)", "zstd-dev", "zstd", "zstd"),
    "pkg-config": ("pkgconfig", "pkgconf", None, "pkg-config"),
}
ESSENTIAL = {"gcc", "libc6-dev", "make"}  # from Debian's build-essential


def needs(column):
    return {names[column] for names in BUILD.values()} - {None}


def words(*command, **kwargs):
    p = run(*command, **kwargs)
    assert p.returncode == 0, p.stderr.decode()
    return p.stdout.decode().split()


def test_debian_needs():
    packages = words(TOP / "contrib/deps", "--list", "build")
    assert set(packages) == set(BUILD)
    control = re.search(r"^Build-Depends: (.*?)^\S", (TOP / "debian/control").read_text(), re.M | re.S)[1]
    assert set(re.findall(r"([a-z0-9-]+)(?: \([^)]*\))?(?:,|$)", control.strip())) == \
        set(BUILD) - ESSENTIAL | {"debhelper-compat"}


def test_rpm_needs(release):
    wanted = words(tool("rpmspec"), "--load", HERE / "fedora.macros", "--query", "--buildrequires", release / "xdptop.spec")
    assert {w for w in wanted if w[0].isalpha()} == needs(0) | {"systemd-rpm-macros"}


def test_rpm_files(release):
    """Each file that make install installs is listed, since otherwise the build would fail."""
    spec = words(tool("rpmspec"), "--load", HERE / "fedora.macros", "--parse", release / "xdptop.spec")
    files = spec[spec.index("%files"):spec.index("%changelog")]
    installed = words("make", "-s", "-C", TOP, "print-INSTALLED", "PREFIX=/usr",
                      "EXAMPLEDIR=/usr/share/doc/xdptop/examples")
    assert len(installed) > 5
    for name in installed:
        assert any(fnmatch(name, pattern) or name.startswith(pattern + "/") for pattern in files), name


def test_arch_needs(release):
    assert set(words("bash", "-euc", ". ./PKGBUILD; echo ${depends[*]} ${makedepends[*]}", cwd=release)) == needs(2)


def ash(directory, command, **env):
    """Runs a command in Alpine's shell after the APKBUILD."""
    return words(tool("busybox"), "ash", "-euc", f". ./APKBUILD; cd {TOP}; {command}", cwd=directory, env=env)


def test_alpine(release, tmp_path):
    """Its functions, in this tree, which is built."""
    assert set(ash(release, "echo $makedepends")) == needs(1)
    sums = ash(release, 'echo "$sha512sums"')
    assert sums == run("sha512sum", *release.glob("*.tar.gz"), cwd=release).stdout.decode().replace(
        f"{release}/", "").split()
    ash(release, "check && package", pkgdir=str(tmp_path), MAKEFLAGS=f"MADE={tmp_path / 'made'}")
    assert_packaged(tmp_path / "usr/bin/xdptop")
    assert not list(tmp_path.rglob("*.service"))
    assert (tmp_path / "etc/init.d/xdptop-record").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "etc/conf.d/xdptop-record").exists()


def test_nix():
    """With names in place of the packages of nixpkgs."""
    p = run(tool("nix-instantiate"), "--store", "dummy://", "--eval", "--strict", "--json", "--expr",
            f"import {TOP}/contrib/packaging {{ pkgs = import {HERE}/nixpkgs.nix; }}")
    assert p.returncode == 0, p.stderr.decode()
    package = json.loads(p.stdout)
    assert f"xdptop {package['version']}" in run(TOP / "xdptop", "--version").stdout.decode()
    private = {"elfutils", "zlib"}  # Requires.private in *.pc
    assert set(package["nativeBuildInputs"] + package["buildInputs"]) == needs(3) - {"clang"} | private
    assert package["CLANG"].endswith("clang/bin/clang")
