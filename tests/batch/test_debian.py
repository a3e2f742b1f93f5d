# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian package: built, checked, installed below a separate root, run and removed."""
import os
import re
import shutil

import pytest

from batch import DONE, TOP, VERSION, assert_hardened, missing, run

pytestmark = pytest.mark.release

SLOW = 1500  # seconds after which a build fails


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    directory = tmp_path_factory.mktemp("deb") / "deb"
    for program in ("dpkg-buildpackage", "dh"):
        if not shutil.which(program):
            missing(f"{program} is not installed")
    # without variables of the make that may have started the tests
    p = run("env", "-u", "MAKEFLAGS", "-u", "MFLAGS", "-u", "MAKELEVEL", "make", "-s", "-C", TOP, "deb",
            f"DEB={directory}", timeout=SLOW)
    assert p.returncode == 0, p.stderr.decode()
    (path,) = directory.glob("xdptop_*.deb")
    return path


@pytest.fixture(scope="module")
def log(package):
    return (package.parent / "log").read_text()


def contents(package):
    text = run("dpkg-deb", "--fsys-tarfile", package).stdout
    return run("tar", "-t", input=text).stdout.decode().split()


def test_version(package):
    assert run("dpkg-deb", "-f", package, "Version").stdout.decode().strip() == VERSION


def test_install_run_remove(package, tmp_path):
    root = tmp_path / "root"
    for directory in ("etc", "var/lib/dpkg/updates", "var/lib/dpkg/info", "var/lib/dpkg/triggers"):
        (root / directory).mkdir(parents=True)
    for name in ("status", "available"):
        (root / "var/lib/dpkg" / name).touch()
    # its dependencies are on this machine, not below that root; nothing is started or enabled there
    dpkg = ["dpkg", f"--root={root}", "--force-script-chrootless", "--force-depends", "--force-not-root",
            f"--log={tmp_path}/log"]
    p = run(*dpkg, "--install", package, timeout=SLOW)
    assert p.returncode == 0, p.stderr.decode()
    p = run(root / "usr/bin/xdptop", "--version")
    assert (p.returncode, p.stderr) == (DONE, b"") and p.stdout.startswith(b"xdptop ")
    assert run(root / "usr/bin/xdptop", "-r", TOP / "tests/fixtures/demo.jsonl", "-o", "csv").returncode == DONE
    assert not list(root.glob("etc/systemd/system/*.wants/*"))
    # whoever may read what the recorder's unit writes
    assert "xdptop:" in (root / "etc/group").read_text()
    user = (root / "etc/passwd").read_text().split(":")
    (unit,) = root.glob("**/xdptop-record.service")
    assert user[0] == "xdptop" and user[-1] == "/usr/sbin/nologin\n" and "\nUser=xdptop\n" in unit.read_text()
    p = run(*dpkg, "--purge", "xdptop", timeout=SLOW)
    assert p.returncode == 0, p.stderr.decode()
    left = {f for d, _, files in os.walk(root) for f in files if "/var/lib/dpkg" not in d}
    # users stay, because files of theirs may
    assert left <= {name + mark for name in ("passwd", "group", "shadow", "gshadow") for mark in ("", "-")} | {".pwd.lock"}


def test_can_be_installed(package):
    """All its dependencies exist in this distribution."""
    p = run("apt-get", "install", "--simulate", "-q", package, timeout=SLOW)
    assert p.returncode == 0, p.stdout.decode() + p.stderr.decode()
    assert b"Inst xdptop" in p.stdout


def test_contents(package):
    names = contents(package)
    for unit in ("xdptop.service", "xdptop-listen.service", "xdptop-record.service"):
        assert any(name.endswith("/lib/systemd/system/" + unit) for name in names)
    for name in ("./usr/bin/xdptop", "./usr/share/man/man8/xdptop.8.gz",
                 "./usr/share/man/man7/xdptop-columns.7.gz", "./usr/share/man/man5/xdptop-formats.5.gz",
                 "./usr/share/bash-completion/completions/xdptop",
                 "./usr/share/zsh/vendor-completions/_xdptop",
                 "./usr/share/fish/vendor_completions.d/xdptop.fish"):
        assert name in names


def test_hardened(package, tmp_path, log):
    """dpkg-buildflags reach the monitor, but not the BPF programs."""
    run("dpkg-deb", "--extract", package, tmp_path)
    assert b"_chk@" in assert_hardened(tmp_path / "usr/bin/xdptop")
    bpf = [line for line in log.splitlines() if "-target bpf" in line]
    assert bpf and not any("-fstack-protector" in line or "_FORTIFY_SOURCE" in line for line in bpf)
    own = [line for line in log.splitlines() if re.search(r"-c -o build/(src|ui)/", line)]
    assert own and all("-fstack-protector-strong" in line for line in own)


def test_lintian(package):
    if not shutil.which("lintian"):
        missing("lintian is not installed")
    (changes,) = package.parent.glob("*.changes")
    p = run("lintian", "--allow-root", "--fail-on", "error", changes, timeout=SLOW)
    assert p.returncode == 0, p.stdout.decode()
    assert not re.search(rb"^E: ", p.stdout, re.M)
