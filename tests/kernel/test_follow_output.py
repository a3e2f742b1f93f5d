# SPDX-License-Identifier: GPL-2.0-or-later
"""--follow on the running kernel as text."""
import pathlib
import subprocess

import pytest

from harness import DEADLINE, XDPTOP, eventually, fire

DEVICE = "follow-full"  # a name that no other rig on this machine uses
EXPR = f"xdp_redirect_err ifname={DEVICE}"
FIRED = 200000  # lines of about 33 MB
MOUNT = 'mount -t tmpfs -o size=64m none /mnt; head -c 62m /dev/zero >/mnt/filler; exec "$@"'


def mounted(m, name):
    """A file in the mount namespace of a process."""
    return pathlib.Path("/proc", str(m.pid), "root", "mnt", name)


@pytest.fixture
def monitor(popen, rig):
    """Starts --follow into a file of a small file system; returns it and that file once it has a line."""
    m = popen(["unshare", "-m", "sh", "-c", MOUNT, "sh", XDPTOP, "--follow", EXPR, "--budget", "0",
               "--to", "/mnt/out"], stderr=subprocess.PIPE, text=True)
    out = mounted(m, "out")
    eventually(lambda: out.exists() and out.stat().st_size, "the head of the list")

    def first():
        fire(rig, "--ifname", DEVICE, "ebadrqc=1")
        with open(out, encoding="ascii") as f:
            return " xdp_redirect_err " in f.read()

    eventually(first, "a first event")
    return m, out


def test_full_disk(monitor, rig):
    """It ends and says so, because a script must know that the list is incomplete."""
    m, _ = monitor
    fire(rig, "--ifname", DEVICE, f"einval={FIRED}")
    assert m.wait(DEADLINE) == 5
    assert "/mnt/out: No space left on device" in m.stderr.read()


def test_what_is_off(popen, rig):
    """Its events are not counted, but followed."""
    m = popen([XDPTOP, "--follow", f"xdp_redirect ifname={DEVICE}", "-t", "none", "-n", "100", "--budget", "0"],
              stdout=subprocess.PIPE, text=True)

    def ended():
        fire(rig, "--ifname", DEVICE, "redirect=50")
        return m.poll() is not None

    eventually(ended, "100 events")
    assert m.returncode == 0
    assert sum(DEVICE in line for line in m.stdout) == 100  # a line about lost events has no device
