# SPDX-License-Identifier: GPL-2.0-or-later
"""BTF from a file, as on a kernel that has none: the same totals, and no file that leads elsewhere."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from harness import XDPTOP, check, fire, last_samples
from test_counts import STIMULI

KERNEL = pathlib.Path("/sys/kernel/btf/vmlinux")
NO_BTF = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys/kernel/btf && exec "$@"', "sh"]


@pytest.fixture
def btf(tmp_path):
    return shutil.copy(KERNEL, tmp_path / "vmlinux.btf")


def run(*args, prefix=()):
    return subprocess.run([*prefix, XDPTOP, "-o", "json", "-n", "1", "-d", "0.1", *args],
                          capture_output=True, text=True)


def test_same_totals(monitor, rig, btf):
    m = monitor("-d", "0.5", "-t", "all", "--budget", "0", "--btf", btf, prefix=NO_BTF)
    assert m.records[0]["backend"] == "raw"
    expect = fire(rig, *(s for s, _ in STIMULI), "attach-fail=3")
    rows = last_samples(m.stop())
    for e in expect:
        check(e, rows)


def test_directory(monitor, rig, btf, tmp_path):
    """As BTFHub's archive: one for each kernel, by its release."""
    os.rename(btf, tmp_path / f"{os.uname().release}.btf")
    m = monitor("--budget", "0", "-d", "0.5", "--btf", str(tmp_path), prefix=NO_BTF)
    (e,) = fire(rig, "einval=100")
    (row,) = [s for s in last_samples(m.stop()) if s["prog_id"] == e["prog_id"]]
    assert row["events_total"] == 100 and row["netns"] == e["netns"]


@pytest.mark.parametrize("one,other", [(b"tgid", b"prio"), (b"ifindex", b"min_mtu"), (b"inum", b"kuid"), (b"dev_base_head", b"dev_base_haed")])
def test_another_kernel(btf, one, other):
    """Members have changed places, or are not there: what is read is not what the kernel says otherwise."""
    text = pathlib.Path(btf).read_bytes()
    one, other = b"\0" + one + b"\0", b"\0" + other + b"\0"
    assert one in text
    aside = b"\0" + b"@" * (len(one) - 2) + b"\0"
    text = text.replace(one, aside).replace(other, one).replace(aside, other)
    pathlib.Path(btf).write_bytes(text)
    p = run("--backend", "raw", "--btf", btf)
    assert p.returncode == 5 and "the BTF of another kernel than this one" in p.stderr, p.stderr
    assert not p.stdout


def test_file_of_others():
    """It says what is read of the kernel: with capabilities of the file only root may say that."""
    with tempfile.TemporaryDirectory() as folder:  # those above pytest's are root's alone
        os.chmod(folder, 0o755)
        file_of_others(shutil.copy(KERNEL, folder))


def file_of_others(btf):
    as_user = ["setpriv", "--reuid", "65534", "--inh-caps=+bpf,+perfmon", "--ambient-caps=+bpf,+perfmon"]
    if subprocess.run([*as_user, "true"], capture_output=True).returncode:
        pytest.skip("setpriv cannot keep capabilities here")
    assert run("--backend", "raw", "--btf", btf, prefix=as_user).returncode == 0
    for change in (lambda: os.chmod(btf, 0o646), lambda: (os.chmod(btf, 0o644), os.chown(btf, 65534, -1))):
        change()
        p = run("--backend", "raw", "--btf", btf, prefix=as_user)
        assert p.returncode == 5 and "somebody other than root can write it" in p.stderr, p.stderr


def test_not_used(btf):
    p = run("--btf", btf)
    assert p.returncode == 0 and "--btf: not used: this kernel has BTF of its own" in p.stderr
    assert '"backend":"btf"' in p.stdout


def test_cannot_follow(btf):
    p = subprocess.run([XDPTOP, "--backend", "raw", "--btf", btf, "--follow", "xdp_redirect_err"],
                       capture_output=True, text=True)
    assert p.returncode == 4 and not p.stdout
    assert p.stderr == "xdptop: --follow: xdp_redirect_err: backend raw cannot, --backend classic can\n"
