# SPDX-License-Identifier: GPL-2.0-or-later
"""From a row to its map, to the map's socket, and back."""
import pytest


def test_from_a_flow_to_its_map_and_back(monitor, recorded_maps):
    screen = monitor("-v", "flows", "-f", "target=veth-web", path=recorded_maps, width=120)
    screen.wait(r">!eth0 +init +veth-web")
    screen.keys("m")
    # the filter was for flows
    screen.wait(r"(?s)\[maps\].*\n> tx_port +0 +veth-web +up ")
    assert "filter:" not in screen.text()
    screen.keys("m")
    screen.wait(r"this row has no AF_XDP socket")
    screen.keys("Escape")
    screen.wait(r"(?s)filter: target=veth-web.*\[flows\].*>!eth0 +init +veth-web")


def test_from_an_entry_to_its_socket_and_back(monitor, recorded_maps):
    screen = monitor("-v", "maps", "-f", "key=1 map_type=xskmap", path=recorded_maps, width=120)
    screen.wait(r"> xsks_map +1 +socket xdpsock\[4001\]")
    screen.keys("Enter")
    screen.wait(r"Entry 1 of map 23")
    screen.keys("m")
    screen.wait(r"(?s)\[sockets\].*\n>!eth0 +1/4 ")
    screen.keys("m")
    screen.wait(r"(?s)\[maps\].*\n> xsks_map +1 ")
    # back to the start, unchanged
    screen.keys("Escape")
    screen.wait(r"(?s)filter: key=1 map_type=xskmap.*\[maps\].*Entry 1 of map 23")
    screen = monitor("-v", "sockets", "-f", "queue=2", path=recorded_maps, width=120)
    screen.wait(r">!eth0 +2/4 .* in no map")
    screen.keys("m")
    screen.wait(r"this socket is not in a map")


@pytest.mark.parametrize("arguments,entry", [
    (["-v", "cpumap"], r"cpu_map +2 +CPU 2"),
    (["-v", "programs", "-f", "prog_id=43"], r"tx_port +- +4 used, 60 free"),
    (["-v", "errors", "-f", "EOPNOTSUPP"], r"tx_port +0 +veth-web"),
    (["-v", "findings", "-f", "target-cannot-receive"], r"tx_port +0 +veth-web"),
    (["-v", "devices", "-f", "eth0"], r"devmap_hash 31 +4000000000 +eth0"),
])
def test_where_a_row_leads(monitor, recorded_maps, arguments, entry):
    screen = monitor(*arguments, path=recorded_maps, width=120)
    screen.wait(r"\n>")
    screen.keys("m")
    screen.wait(rf"(?s)\[maps\].*\n>.{entry}")


def test_a_row_without_a_map_says_why(monitor, recorded_maps):
    screen = monitor("-v", "errors", "-f", "ABORTED", path=recorded_maps, width=120)
    screen.wait(r"\n>!")
    screen.keys("m")
    screen.wait(r"no known map has an entry for this target")
    screen = monitor("-v", "errors", width=120)
    screen.keys("m")
    screen.wait(r"no map is known\n")


def test_details(monitor, recorded_maps):
    """As text, with commands in the device's namespace."""
    screen = monitor("-v", "maps", "-f", "key=1 map_type=devmap", path=recorded_maps, width=120)
    screen.keys("Enter")
    screen.wait(r"(?s)Entry 1 of map 5\n.*target +cafe.* \(blue\).*program +xdp_egress, id 77, runs after")
    screen.wait(r"\n +bpftool map dump id 5\n +ip -n blue -d link show dev ")
    screen = monitor("-v", "sockets", "-f", "queue=0", path=recorded_maps, width=120, height=40)
    screen.keys("Enter")
    screen.wait(r"(?s)fill ring +0 of 2048: no buffer for the next packet.*NOFILL/S +4000: .*\n +xdptop -b -n 1 -v sockets -f inode=9001\n")


def test_a_graph_of_a_socket(monitor, recorded_maps):
    screen = monitor("-v", "sockets", "-f", "queue=0", "-s", "received_per_s", path=recorded_maps, steps=4)
    screen.keys("g")
    screen.wait(r"RECV/S +now 5000 +peak 5000 .* mean 5000 ")
