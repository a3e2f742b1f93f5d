# SPDX-License-Identifier: GPL-2.0-or-later
"""Packages of distributions other than Debian, from the output of make dist, as far as their tools are here."""
import os
import re
import shutil

import pytest

from batch import TOP, assert_packaged, run, tool

pytestmark = pytest.mark.release

SLOW = 1500  # seconds after which a build fails
HERE = TOP / "tests/batch/packaging"
CLEAN = ["env", "-u", "MAKEFLAGS", "-u", "MFLAGS", "-u", "MAKELEVEL", "-u", "CC", "-u", "CFLAGS", "-u", "LDFLAGS"]


def build(log, *args, **kwargs):
    p = run(*args, timeout=SLOW, **kwargs)
    text = (p.stdout + p.stderr).decode()
    log.write_text(text)
    assert p.returncode == 0, text[-4000:]
    assert "-Werror " not in text
    bpf = [line for line in text.splitlines() if "-target bpf" in line]
    assert bpf and not any("-fstack-clash" in line or "_FORTIFY_SOURCE" in line for line in bpf)
    return text


# built once, by one worker
RPM = pytest.mark.xdist_group("rpm")


@pytest.fixture(scope="module")
def rpms(release, tmp_path_factory):
    tool("rpmbuild")
    tool("eu-strip")
    top = tmp_path_factory.mktemp("rpm")
    text = build(top / "log", *CLEAN, "rpmbuild", "-ba", "--nodeps", "--load", HERE / "fedora.macros",
                 "--define", f"_topdir {top}", "--define", f"_sourcedir {release}", release / "xdptop.spec")
    own = [line for line in text.splitlines() if re.search(r" -c -o build/(src|ui)/", line)]
    assert own and all("-flto=auto" in line and "_FORTIFY_SOURCE=3" in line for line in own)
    return top


def query(path, *args):
    return run("rpm", "-qp", *args, path).stdout.decode().split()


@RPM
def test_rpm(rpms, tmp_path):
    (package,) = (rpms / "RPMS").glob("*/xdptop-[0-9]*.rpm")
    cpio = run("rpm2cpio", package).stdout
    run("bsdtar", "-xf", "-", "-C", tmp_path, input=cpio)
    assert_packaged(tmp_path / "usr/bin/xdptop")
    assert "ExecStart=/usr/bin/xdptop " in (tmp_path / "usr/lib/systemd/system/xdptop.service").read_text()
    names = query(package, "-l")
    for name in ("/usr/share/man/man8/xdptop.8.gz", "/usr/share/man/man7/xdptop-columns.7.gz",
                 "/usr/share/man/man5/xdptop-formats.5.gz", "/usr/share/doc/xdptop/" + "README.md",
                 "/usr/share/doc/xdptop/examples/grafana.json", "/usr/lib/sysusers.d/xdptop.conf"):
        assert name in names
    # sources for a debugger: none with -ffile-prefix-map
    (sources,) = (rpms / "RPMS").glob("*/xdptop-debugsource-*.rpm")
    assert any(name.endswith("/src/main.c") for name in query(sources, "-l"))


@RPM
def test_rpmlint(rpms, release):
    packages = [p for p in rpms.rglob("*.rpm") if "-debug" not in p.name]
    p = run(tool("rpmlint"), "-c", HERE / "rpmlint.toml", *packages, release / "xdptop.spec")
    assert p.returncode == 0 and b" 0 errors, 0 warnings" in p.stdout, p.stdout.decode()


def test_arch(release, public):
    tool("makepkg")
    for name in ("PKGBUILD", *(p.name for p in release.glob("*.tar.gz"))):
        shutil.copy(release / name, public)
    shutil.copy(HERE / "makepkg.conf", public)
    user = []
    if os.geteuid() == 0:  # makepkg refuses root
        user = [tool("setpriv"), "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        for path in (public, *public.iterdir()):
            os.chown(path, 65534, 65534)
    build(public / "log", *CLEAN, *user, "makepkg", "--nodeps", "--config", public / "makepkg.conf", cwd=public,
          env={"HOME": str(public), "LC_ALL": "C", "PACMAN": "true"})
    (package,) = public.glob("xdptop-*.pkg.tar.*")
    root = public / "root"
    root.mkdir()
    run("bsdtar", "-xf", package, "-C", root)
    assert_packaged(root / "usr/bin/xdptop")
    assert "ExecStart=/usr/bin/xdptop " in (root / "usr/lib/systemd/system/xdptop.service").read_text()
