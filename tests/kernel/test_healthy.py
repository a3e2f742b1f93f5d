# SPDX-License-Identifier: GPL-2.0-or-later
"""No findings if nothing is wrong; tests/soak/healthy does the same for minutes."""
from healthy import KINDS, Healthy

SNAPSHOTS = 5  # of each kind, enough for rules that need two intervals


def test_healthy_traffic(monitor, rig):
    seen = Healthy().run(monitor, rig, 0.5, lambda h: all(len(h.snapshots[kind]) >= SNAPSHOTS for kind in KINDS))
    assert not list(seen.faults())
