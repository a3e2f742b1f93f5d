# SPDX-License-Identifier: GPL-2.0-or-later
"""
What a kernel that refuses BPF programs takes from the tests, in one place: a test of NEEDS whose programs are refused
tests instead that this is said, in --list and in the view. The program itself says what the kernel refuses.
`XDPTOP=$PWD/tests/kernel/refusing` makes such a kernel of any.
"""
import functools
import json
import os
import pathlib
import subprocess

import pytest

from harness import XDPTOP

# the view that says it
VIEWS = {
    "walk": "devices", "xdp_sockets": "sockets", "map_contents": "maps", "map_users": "maps", "map_counts": "maps",
    "programs": "programs", "maps": "events", "processes": "devices", "file_holders": "programs", "links": "programs",
    "bpffs_pins": "programs", "prog_runs": "programs", "xdp_install": "changes",
    "bind_refused": "changes",
}
MAPS = ("map_contents", "map_users")
# file, file::test or file::test[parameters]: the programs without which it cannot pass
NEEDS = {
    "test_aborted.py": MAPS,
    "test_causes.py::test_renamed_and_deleted_meanwhile": ("walk",),
    "test_change_stories.py::test_change_then_loss": ("walk", "xdp_sockets", "file_holders", *MAPS),
    "test_changes.py::test_entry": MAPS,
    "test_changes.py::test_many": MAPS,
    "test_changes.py::test_program": ("walk", "programs"),
    "test_changes.py::test_socket": ("xdp_sockets",),
    "test_commands.py": ("xdp_sockets", *MAPS),
    "test_device_settings.py::test_setting": ("walk",),
    "test_devices.py::test_features_as_of_now": ("walk",),
    "test_driver_counters.py::test_later_namespaces_are_not_asked": ("walk",),
    "test_errors.py::test_without_btf": ("walk",),
    "test_findings.py::test_clears": MAPS,
    "test_findings.py::test_devmap_program_drops": MAPS,
    "test_findings.py::test_stimulus[cpumap-abort]": MAPS,
    "test_findings.py::test_stimulus[cpumap-prog]": MAPS,
    "test_findings.py::test_stimulus[devmap-full]": ("walk",),
    "test_findings.py::test_stimulus[devmap-prog]": MAPS,
    "test_findings.py::test_stimulus[xskmap-einval]": ("xdp_sockets", *MAPS),
    "test_findings.py::test_stimulus[xskmap-enomem]": ("xdp_sockets", *MAPS),
    "test_findings.py::test_stimulus[xskmap-enospc]": ("xdp_sockets", *MAPS),
    "test_findings.py::test_stimulus[xskmap-fill-invalid]": ("xdp_sockets", *MAPS),
    "test_findings.py::test_stimulus[xskmap]": ("xdp_sockets", *MAPS),
    "test_findings.py::test_two_at_once[xskmap+xskmap-enxio]": ("xdp_sockets", *MAPS),
    "test_findings.py::test_veth_peer_is_named": ("walk",),
    "test_findings.py::test_veth_ring": ("walk",),
    "test_incidents.py": ("walk", "xdp_sockets", "file_holders", *MAPS),
    "test_later.py": ("walk",),
    "test_map_fill.py": ("map_contents", "map_users", "map_counts"),
    "test_maps.py": ("walk", "maps", *MAPS),
    "test_mended.py": ("walk", *MAPS),
    "test_mends.py::test_scene[cpumap-full]": MAPS,
    "test_mends.py::test_scene[devmap-full]": ("walk",),
    "test_names.py::test_devmap_program[walk]": MAPS,
    "test_names.py::test_inode_of_a_namespace_given_to_another[walk]": ("walk",),
    "test_names.py::test_late_namespace_named_after_a_process[walk]": ("walk", "processes"),
    "test_names.py::test_modes_programs_and_features[walk]": ("walk",),
    "test_names.py::test_namespaces_are_let_go[walk]": ("walk",),
    "test_names.py::test_what_is_known_of_devices_is_said[walk]": ("walk",),
    "test_pods.py": ("walk", "processes"),
    "test_programs.py": ("walk", "programs", "file_holders", "links", "bpffs_pins"),
    "test_queues.py": ("walk",),
    "test_redirects.py": ("walk", *MAPS),
    "test_refused.py": tuple(VIEWS)[:-2],
    "test_scrapes.py::test_exact_beside_clients": ("walk",),
    "test_setups.py": ("walk", "programs", "file_holders", "links", "map_counts", *MAPS),
    "test_sockets.py": ("xdp_sockets", "file_holders"),
}
# about the path of the program, its allocations, or all that it and the loader print: the script is in the way
SCRIPT = ("test_errors.py::test_no_privilege", "test_fleet.py::test_unit", "test_fleet.py::test_listen_unit",
          "test_fleet.py::test_record_unit", "test_live_faults.py", "test_recorded.py")
HERE = pathlib.Path(__file__).parent
replaced = []


def output(*args):
    return " ".join(subprocess.check_output([XDPTOP, *args], text=True).split())


@functools.lru_cache(None)
def refused():
    lines = subprocess.run([XDPTOP, "--list", "-o", "json"], stdout=subprocess.PIPE, check=False,
                           text=True).stdout.splitlines()
    return {r["bpf_program"]: r for r in map(json.loads, lines) if r["type"] == "refused"}


@functools.lru_cache(None)
def is_said(program):
    text = "{consequence}: {reason}.".format(**refused()[program])
    assert text in output("--list")
    assert text in output("-b", "-n", "1", "-d", "0.1", "-v", VIEWS[program])


def programs_of(item):
    file = item.path.name
    keys = file, f"{file}::{item.originalname}", f"{file}::{item.name}"
    if os.path.basename(XDPTOP) == "refusing" and not set(keys).isdisjoint(SCRIPT):
        item.add_marker(pytest.mark.skip("tests/kernel/refusing is a script"))
    return list(dict.fromkeys(p for key in keys for p in NEEDS.get(key, ()) if p in refused()))


def instead(item):
    programs = programs_of(item)

    def test():
        for program in programs:
            is_said(program)

    if not programs:
        return item
    other = pytest.Function.from_parent(item.parent, name=item.name, callobj=test)
    other.add_marker(pytest.mark.refused(*programs))
    replaced.append(other)
    return other


def replace(items):
    if os.geteuid() == 0:
        items[:] = [instead(item) if item.path.parent == HERE else item for item in items]
