# SPDX-License-Identifier: GPL-2.0-or-later
"""
Nothing is lost: said only while all that shows a loss is counted. Tracepoints are switched at random while a known
loss runs. CLAIMS_SEED repeats a run, CLAIMS_SECONDS makes it longer than 15 s.
"""
import json
import os
import random
import re
import subprocess
import time

import pytest

from harness import XDPTOP
from namespaces import ip, run, veth

LOSSES = ("xdp_redirect_err", "xdp_exception", "xdp_devmap_xmit", "xdp_bulk_tx", "xdp_cpumap_enqueue",
          "xdp_cpumap_kthread")
SOURCE = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
SEC("xdp") int fails(struct xdp_md *ctx)
{
	return bpf_redirect(0x7fffffff, 0);
}
char LICENSE[] SEC("license") = "GPL";
"""


@pytest.fixture
def losing(netns, tmp_path_factory, popen):
    """in0 redirects each of about 1000 packets a second to a device that does not exist."""
    from namespaces import compiled

    src, dst = netns("src"), netns("dst")
    veth(src, "feed0", dst, "in0")
    ip(dst, "link", "set", "in0", "xdpdrv", "obj", str(compiled(tmp_path_factory, SOURCE)), "sec", "xdp")
    popen(["ip", "netns", "exec", src.name, "python3", "-c",
           "import socket, time\n"
           "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n"
           "s.bind(('feed0', 0))\n"
           "while True: s.send(b'\\xff' * 12 + b'\\x88\\xb5' + bytes(50)); time.sleep(.001)"])
    return dst


def outputs(environment, *args):
    """Of the same run: as text, as JSON, and what --check finds."""
    env = {**os.environ, **environment}
    args = ("-d", "0.3", "-n", "2", *args)
    texts = [subprocess.run([XDPTOP, *how, *args], env=env, stdout=subprocess.PIPE, check=False, text=True).stdout
             for how in (["-b"], ["-o", "json"], ["--check"])]
    return texts[0], [json.loads(line) for line in texts[1].splitlines()], texts[2]


def test_random_switches(losing, faults):
    """Off by -t, or refused by the kernel."""
    seed = int(os.environ.get("CLAIMS_SEED", random.randrange(1 << 32)))
    end = time.monotonic() + float(os.environ.get("CLAIMS_SECONDS", "15"))
    chance, steps = random.Random(seed), 0
    while time.monotonic() < end:
        states = {tp: chance.choices(("on", "off", "failed"), (6, 2, 2))[0] for tp in LOSSES}
        off, failed = ([tp for tp in LOSSES if states[tp] == state] for state in ("off", "failed"))
        how = ",".join(["default", *(f"-{tp}" for tp in off)]) if off else "default"
        refused = {"LD_PRELOAD": faults, "FAULTS_BPF": ",".join(f"load:{tp[:15]}" for tp in failed),
                   "FAULTS_ERRNO": "22"} if failed else {}
        text, records, check = outputs(refused, "-t", how, "-f", f"netns={losing.name}")
        said = f"seed {seed}, step {steps}, {states}: {text}"
        counted = states["xdp_redirect_err"] == "on"
        assert "nothing lost" not in text, said  # it loses packets all the time
        if counted:
            assert re.search(r"[\d.]+k?/s (or more )?lost", text), said
        else:
            assert re.search(r"not counted: xdp_\w+ (is off|could not be attached)", text), said
        assert counted == ("no-such-ifindex" in check), said + check
        assert {r["tracepoint"]: r["state"] for r in records if r["type"] == "tracepoint" and r["tracepoint"] in LOSSES} \
            == states, said
        assert counted == any(r["type"] == "finding" and r["code"] == "no-such-ifindex" for r in records), said
        # what is not counted has no numbers
        assert not [r for r in records if r["type"] == "sample" and states.get(r["tracepoint"], "on") != "on"], said
        steps += 1
    print(f"claims: seed {seed}, {steps} steps, nothing was said wrongly")
    assert steps
