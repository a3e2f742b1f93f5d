# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs come and go."""
import os
import pathlib

import pytest

from harness import check, find_row, fire, last_samples, missing


@pytest.fixture
def hotplug():
    """Switches a CPU: hotplug(True) is on; its number is hotplug.cpu."""
    cpu = max(os.sched_getaffinity(0))
    file = pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/online")

    def switch(on):
        try:
            file.write_text("1" if on else "0")
        except OSError as e:
            missing(f"CPU {cpu} cannot be switched off: {e}")

    if cpu == 0:
        missing("there is one CPU only")
    switch.cpu = cpu
    switch(False)
    yield switch
    file.write_text("1")


@pytest.mark.alone
def test_came_and_went(monitor, rig, hotplug):
    """A CPU that was online only between two snapshots: its events are counted."""
    m = monitor("-d", "3600", "-C")
    hotplug(True)
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {hotplug.cpu})
    try:
        expect = fire(rig, "einval=1000")
    finally:
        os.sched_setaffinity(0, before)
    hotplug(False)
    records = m.stop()
    for e in expect:
        check(e, last_samples(records))
        assert find_row({**e, "cpu": hotplug.cpu}, last_samples(records, all_cpus=False))["events_total"] == 1000
