# SPDX-License-Identifier: GPL-2.0-or-later
"""Causes: each stimulus leads to its finding at the right location, and to no other."""
import os
import subprocess

import pytest

from harness import DEADLINE, XDPTOP, fire, load, missing, said
from namespaces import run

pytestmark = pytest.mark.alone  # a finding is awaited by its code, which another test's traffic may have, too

# stimulus, code of its finding, the tracepoint that shows it, part of the text; no code = no finding
STIMULI = [
    ("redirect", None, None, None),
    ("redirect-ifindex", None, None, None),
    ("cpumap", None, None, None),
    ("bulk-tx", None, None, None),
    ("queue", None, None, None),
    ("einval", "no-such-ifindex", "xdp_redirect_err", "ifindex 999999"),
    ("emsgsize", "frame-too-big", "xdp_redirect_err", "MTU"),
    ("eopnotsupp", "target-cannot-receive", "xdp_redirect_err", "XDP"),
    ("eopnotsupp-lo", "target-cannot-receive", "xdp_redirect_err", "never transmits XDP frames"),
    ("enetdown", "target-down", "xdp_redirect_err", "down"),
    ("ebadrqc", "no-redirect-helper", "xdp_redirect_err", "without calling a redirect helper"),
    ("aborted", "aborted", "xdp_exception", "empty map slot"),
    ("aborted-empty", "aborted", "xdp_exception", "empty map slot"),
    ("badact", "bad-return-value", "xdp_exception", "returned 77"),
    ("bulk-tx-full", "tx-failed", "xdp_bulk_tx", "has GRO but no native XDP program"),
    ("bulk-tx-fail", "tx-failed", "xdp_bulk_tx", "has no native XDP program"),
    ("devmap-full", "target-ring-full", "xdp_devmap_xmit", "longer than the MTU of 1500 of rig-peer"),
    ("devmap-prog", "egress-program-drops", "xdp_devmap_xmit", "the devmap program rig_on_dev"),
    ("cpumap-prog", "cpumap-program-drops", "xdp_cpumap_kthread", "program rig_on_cpu (id "),
    ("cpumap-abort", "cpumap-program-drops", "xdp_cpumap_kthread", "program rig_abort_cpu (id "),
    ("devmap-enxio", "target-not-ready", "xdp_devmap_xmit", ""),
    ("cpumap-full", "cpumap-queue-full", "xdp_cpumap_enqueue", "CPU"),
    ("attach-fail", "attach-failed", "bpf_xdp_link_attach_failed", "could not attach an XDP program"),
    ("attach-refused", "attach-failed", "netlink_extack", "could not attach an XDP program"),
    # the rig neither reads its sockets nor returns buffers
    ("xskmap", "xsk-not-polled", None, "does not read queue 0: the RX ring"),
    ("xskmap-enomem", "xsk-starved", None, "queue 0 gets no buffers: the fill ring"),
    ("xskmap-fill-invalid", "xsk-fill-invalid", None, "2016"),
    ("xskmap-enxio", "xsk-unbound", "xdp_redirect_err", "not bound"),
    ("xskmap-einval", "xsk-wrong-queue", "xdp_redirect_err", "another device or queue"),
    ("xskmap-enospc", "xsk-no-space", "xdp_redirect_err", "] has chunks of 2048 bytes"),
]
CODE_OF = {s[0]: s[1] for s in STIMULI}
# findings that need two intervals
LASTING = {"cpumap-abort", "cpumap-full", "xskmap", "xskmap-enomem", "xskmap-fill-invalid", "xskmap-enxio"}
# further findings that the same load may cause
BESIDE = {"cpumap-cpu-busy"}
# consequences are reported with these, or separately until these are certain
CONSEQUENCES = {"xsk-not-polled": ["xsk-ring-full"], "xsk-starved": ["xsk-fill-empty"],
                "xsk-fill-invalid": ["xsk-fill-empty"]}
PLACE = ("netns", "ifindex", "to_netns", "to_ifindex", "to_cpu", "map_id", "prog_id")
# fields that the finding's tracepoint lacks, and the finding may lack
OPTIONAL = {
    "xdp_exception": {"map_id"},  # map of the program, whose slot is empty
    "xdp_devmap_xmit": {"prog_id", "map_id"},
    "xdp_bulk_tx": {"prog_id"},
    "xdp_cpumap_enqueue": {"netns", "ifindex", "prog_id"},
    "xdp_cpumap_kthread": {"netns", "ifindex", "prog_id"},
    "bpf_xdp_link_attach_failed": {"netns", "ifindex"},
    "netlink_extack": {"ifindex"},
    None: {"prog_id"},
}


def findings(records, expect):
    found = {}
    for f in records:
        if f["type"] == "finding":
            found[tuple(f[k] for k in ("code", *PLACE))] = f
    mine = {x["netns"] for x in expect if x.get("netns")}
    maps = {x["map_id"] for x in expect if x.get("map_id")}
    # only findings about the rig's objects: tests may run beside other traffic
    return [f for f in found.values() if f["netns"] in mine or f["map_id"] in maps]


def observe(monitor, rig, *stimuli, args=(), named=None, then=None):
    """Findings by code and device after the stimuli, and the rig's expectations.

    then() is called with the findings while their subjects still exist.
    """
    r = rig("--hold", *(("--named", named) if named else ()), *stimuli)
    r.read_until("ready")
    m = monitor("-d", "0.1", *args)
    r.go()
    r.read_until("done")
    # the interval of the last event ends while its devices still exist
    m.wait_snapshot()
    if then:
        then(findings(m.stop(), r.expect))
    r.go()
    r.finish()
    return findings(m.records if then else m.stop(), r.expect), r.expect


def is_code(code):
    return lambda x: (x["type"] == "finding" and x["code"] == code
                      and x["consequences"] == CONSEQUENCES.get(code, []))


def observe_load(monitor, rig, stimuli, *until, args=(), named=None, then=None):
    """The same while they fire until all these records have come: for findings about a rate, or two intervals."""
    r = rig("--hold", "--load", *(("--named", named) if named else ()), *stimuli)
    r.read_until("ready")
    m = monitor("-d", "0.3", *args)
    r.go()
    for condition in until:
        said(m, condition, "what they lead to")
    r.go()
    r.read_until("done")
    found = findings(m.stop(), r.expect)
    if then:
        then(found)
    r.finish()
    return found, r.expect


def observe_each(monitor, rig, *stimuli, **how):
    """As observe(), firing as long as the finding needs; without findings that any load may cause."""
    if not LASTING.intersection(stimuli):
        return observe(monitor, rig, *(f"{s}=1000" for s in stimuli), **how)
    found, expect = observe_load(monitor, rig, [f"{s}=1000" for s in stimuli],
                                 *(is_code(CODE_OF[s]) for s in stimuli if CODE_OF[s]), **how)
    meant = {CODE_OF[s] for s in stimuli}
    beside = BESIDE.union(*(CONSEQUENCES.get(code, ()) for code in meant))
    return [f for f in found if f["code"] in meant or
            (f["severity"] != "info" and f["code"] not in beside)], expect


def belongs(finding, expect):
    """Whether an expectation matches the finding: device, target, program and map."""
    optional = OPTIONAL.get(finding["tracepoint"], set())
    for field in PLACE:
        want = expect.get(field)
        if finding[field] is None and (want is None or field in optional):
            continue
        if field in expect and finding[field] != want and field not in optional:
            return False
    return True


@pytest.mark.parametrize("stimulus,code,tracepoint,text", STIMULI, ids=[s[0] for s in STIMULI])
def test_stimulus(monitor, rig, stimulus, code, tracepoint, text):
    found, expect = observe_each(monitor, rig, stimulus)
    if not code:
        assert not found
        return
    assert [f["code"] for f in found] == [code], found
    (finding,) = found
    assert finding["tracepoint"] == tracepoint
    assert text in finding["text"]
    assert (finding["severity"] == "info") == (stimulus in ("devmap-prog", "cpumap-prog"))
    assert finding["state"] == "active"
    assert finding["consequences"] == CONSEQUENCES.get(code, [])
    rows = [x for x in expect if x["tracepoint"] == (tracepoint or "xdp_redirect_err") and belongs(finding, x)]
    assert rows, (finding, expect)
    assert finding["count_total"] > 0
    # names, not only numbers
    if rows[0].get("ifname"):
        assert finding["ifname"] == rows[0]["ifname"]
        assert finding["ifname"] in finding["text"]
    if rows[0].get("prog_name") and tracepoint:
        assert finding["prog_name"] == rows[0]["prog_name"]
    if rows[0].get("to_ifname"):
        assert finding["to_ifname"] == rows[0]["to_ifname"]
        assert finding["to_ifname"] in finding["text"]
    assert finding["next"]
    assert not any("{in" in command or "{ip" in command for command in finding["next"])


@pytest.mark.parametrize("args", [(), ("-t", "all", "--budget", "0")], ids=["default", "all"])
def test_devmap_program_drops(monitor, rig, args):
    """Its program is known whether or not redirects are counted: its drops are information."""
    found, expect = observe(monitor, rig, "devmap-prog=1000", args=args)
    (row,) = [x for x in expect if x["tracepoint"] == "xdp_devmap_xmit"]
    assert [(f["code"], f["severity"]) for f in found] == [("egress-program-drops", "info")]
    assert found[0]["prog_id"] == row["to_prog_id"] and found[0]["count_total"] == 1000
    assert "devmap program rig_on_dev" in found[0]["text"]
    # a full ring of the same kind of target is a different finding
    found, _ = observe(monitor, rig, "devmap-full=1000", args=args)
    assert [f["code"] for f in found] == ["target-ring-full"]


def test_same_cpu(monitor, rig):
    """A cpumap that hands packets to the CPU that received them: information."""
    found, expect = observe_load(monitor, rig, ["cpumap-same=20000"], is_code("cpumap-same-cpu"))
    (f,) = [f for f in found if f["code"] == "cpumap-same-cpu"]
    assert f["severity"] == "info" and f["map_id"] in [x.get("map_id") for x in expect]
    assert "100 % of its packets" in f["text"]


def test_veth_ring(monitor, rig):
    """Neither MTU nor a program can be the cause: only the ring of a peer with a slow thread is named."""
    name = f"xdptop{os.getpid()}"
    r = rig("--hold", "--load", "--named", name, "devmap-slow=10000")
    r.read_until("ready")
    run("ip", "netns", "exec", f"{name}-dst", "sh", "-c", "echo 1 >/sys/class/net/rig-peer/threaded")
    m = monitor("-d", "0.3")
    r.go()
    f = said(m, is_code("target-ring-full"), "the finding")
    r.go()
    r.finish()
    m.stop()
    assert f["text"].endswith(f": the receive ring of rig-peer ({name}-dst), the veth's other end, is full (256 frames): "
                              "frames come faster than they are handled there")


def test_failures_are_counted_once(monitor, rig):
    """As evidence a packet counts once, not once per tracepoint or interval."""
    found, _ = observe(monitor, rig, "enetdown=1000")
    assert [f["count_total"] for f in found] == [1000]


@pytest.mark.parametrize("pair", [
    ("enetdown", "badact"),  # from two tracepoints
    ("enetdown", "eopnotsupp"),  # two errnos of one tracepoint
    ("emsgsize", "einval"),
    ("aborted", "badact"),  # two actions
    ("devmap-full", "devmap-enxio"),  # drops with and without an errno
    ("bulk-tx-full", "bulk-tx-fail"),  # one code, two causes
    ("cpumap-full", "devmap-prog"),  # one lacks the device
    ("xskmap", "xskmap-enxio"),
    ("attach-fail", "ebadrqc"),  # one is an event
], ids="+".join)
def test_two_at_once(monitor, rig, pair):
    """Each in its own namespaces, where devices, programs and ifindexes have the same names and numbers."""
    found, expect = observe_each(monitor, rig, *pair, "redirect")
    assert sorted(f["code"] for f in found) == sorted(CODE_OF[s] for s in pair), found
    for stimulus in pair:
        rows = [x for x in expect if x["stimulus"] == stimulus]
        mine = [f for f in found if any(
            f["tracepoint"] in (None, x["tracepoint"]) and belongs(f, x) for x in rows)]
        assert CODE_OF[stimulus] in [f["code"] for f in mine], (stimulus, found)


def test_poor_bulking(monitor, rig):
    """It needs a CPU that redirects 100,000 packets a second, which is too much for an emulated one."""
    def is_slow(x):
        return (x["type"] == "sample" and x["tracepoint"] == "xdp_devmap_xmit" and x["seq"] > 20
                and (x["packets_per_s"] or 0) < 100000)

    found, expect = observe_load(monitor, rig, ["redirect-single=50000"],
                                 lambda x: is_code("poor-bulking")(x) or is_slow(x))
    if not any(f["code"] == "poor-bulking" for f in found):
        missing("this machine hands on fewer than 100,000 packets a second")
    (finding,) = [f for f in found if f["code"] == "poor-bulking"]
    (row,) = [x for x in expect if x["tracepoint"] == "xdp_devmap_xmit"]
    assert finding["tracepoint"] == "xdp_devmap_xmit" and belongs(finding, row)
    assert finding["severity"] == "info" and "bulks have 1.00 packets" in finding["text"]
    assert finding["ifname"] in finding["text"] and finding["to_ifname"] in finding["text"]
    assert not {f["code"] for f in found} - {"poor-bulking", "target-ring-full"}


def test_cpumap_cpu_busy(monitor, rig):
    """The thread never pauses, which is a different cause than a short queue."""
    found, expect = observe_load(monitor, rig, ["cpumap-slow=100000"], is_code("cpumap-cpu-busy"))
    (row,) = [x for x in expect if x["tracepoint"] == "xdp_cpumap_enqueue"]
    busy = [f for f in found if f["code"] == "cpumap-cpu-busy"]
    assert len(busy) == 1, found
    assert busy[0]["map_id"] == row["map_id"] and busy[0]["to_cpu"] == row["to_cpu"]
    assert "hardly ever sleeps" in busy[0]["text"]
    # the first or last interval may be incomplete
    assert not {f["code"] for f in found} - {"cpumap-cpu-busy", "cpumap-queue-full"}


def test_overflow(monitor, rig):
    m = monitor("-d", "0.2", "--max-series", "8")
    fire(rig, "many=100")
    finding = m.wait_for(
        lambda x: x["type"] == "finding" and x["code"] == "overflow"
        and x["tracepoint"] == "xdp_redirect_err", "the finding")
    assert finding["severity"] == "warning" and finding["count"] > 0
    assert "without their device" in finding["text"]


def test_same_ifindex(monitor, rig):
    """Two devices with the same name and ifindex: two findings."""
    found, expect = observe(monitor, rig, "same-ifindex=1000")
    assert [f["code"] for f in found] == ["no-such-ifindex"] * 2
    assert len({f["ifindex"] for f in found}) == 1 and len({f["ifname"] for f in found}) == 1
    counts = {f["netns"]: f["count_total"] for f in found}
    assert counts == {x["netns"]: x["events"] for x in expect if x["tracepoint"] == "xdp_redirect_err"}


def test_generic_mode(monitor, rig):
    found, expect = observe(monitor, rig, "generic=1000", args=("-t", "all", "--budget", "0"))
    assert [f["code"] for f in found] == ["generic-mode"]
    (row,) = [x for x in expect if x["tracepoint"] == "xdp_redirect"]
    assert (found[0]["netns"], found[0]["ifindex"]) == (row["netns"], row["ifindex"])


def test_generic_mode_beside_a_cause(monitor, rig):
    found, _ = observe(monitor, rig, "aborted-generic=1000")
    assert sorted(f["code"] for f in found) == ["aborted", "generic-mode"]


def test_veth_peer_is_named(monitor, rig):
    """A veth target whose peer lacks XDP: the finding names the peer and its namespace."""
    (finding,), _ = observe(monitor, rig, "eopnotsupp=1000")
    assert "neither" in finding["text"]
    assert any("ethtool -K" in command and "gro on" in command for command in finding["next"])


def test_origin_of_a_full_queue(monitor, rig):
    """The cpumap's tracepoint names neither device nor program, but redirects do."""
    found, expect = observe_each(monitor, rig, "cpumap-full", args=("-t", "all", "--budget", "0"))
    (row,) = [x for x in expect if x["tracepoint"] == "xdp_redirect"]
    assert [f["code"] for f in found] == ["cpumap-queue-full"]
    for field in ("netns", "ifindex", "prog_id"):
        assert found[0][field] == row[field]


def test_clears(monitor, rig):
    """When a cause is gone its finding clears, and keeps its facts."""
    r = rig("--hold", "enetdown=1000")
    r.read_until("ready")
    m = monitor("-d", "0.5", "-a")
    r.go()
    r.read_until("done")
    r.go()
    r.finish()
    mine = {x["netns"] for x in r.expect}

    def is_it(record, state):
        return (record["type"] == "finding" and record["netns"] in mine and record["state"] == state)

    seen = m.wait_for(lambda x: is_it(x, "active"), "the finding")
    cleared = m.wait_for(lambda x: is_it(x, "cleared"), "the finding to clear")
    assert cleared["code"] == seen["code"] == "target-down"
    assert cleared["last_seen"] >= seen["first_seen"]
    assert cleared["count_total"] == 1000
    assert cleared["count"] == 0


def test_shed(monitor, rig):
    """Events that xdptop itself no longer counts are also a finding."""
    m = monitor("-d", "0.2", "-t", "all", "--budget", "0.000001")
    traffic = load(rig, "redirect=10000")
    finding = m.wait_for(lambda x: x["type"] == "finding" and x["code"] == "shed", "the finding")
    traffic.halt()
    assert finding["tracepoint"] in ("xdp_redirect", "net_dev_queue")


def explain(*args):
    return subprocess.run([XDPTOP, *args], capture_output=True, text=True, timeout=DEADLINE)


@pytest.mark.parametrize("name,part", [
    ("ENOBUFS", "receive ring is full"),
    ("enobufs", "receive ring is full"),
    ("105", "ENOBUFS"),
    ("-105", "ENOBUFS"),
    ("ABORTED", "empty map slot"),
    ("xdp_exception", "not a valid XDP action"),
    ("net_dev_queue", "skb"),
    ("drops_per_s", "packets lost"),
    ("target-cannot-receive", "EOPNOTSUPP at xdp_redirect_err"),
])
def test_explain(name, part):
    p = explain("-e", name)
    assert p.returncode == 0 and part in p.stdout and not p.stderr


@pytest.mark.parametrize("name,near", [("ENOBUFF", "ENOBUFS"), ("xdp_exeption", "xdp_exception"),
                                       ("target-donw", "target-down"), ("NOSUCH", "ENOSPC"),
                                       ("qqqqqqqq", "give an errno, an action")])
def test_explain_unknown(name, near):
    p = explain("-e", name)
    assert p.returncode == 2 and not p.stdout
    assert name in p.stderr and near in p.stderr


def backlog_drops():
    """By CPU, from the kernel: net/core/net-procfs.c, softnet_seq_show()."""
    with open("/proc/net/softnet_stat", encoding="ascii") as f:
        rows = [line.split() for line in f]
    return {int(r[12], 16): int(r[1], 16) for r in rows}


def test_cpu_overrun(monitor, rig):
    """A full backlog: the finding names its CPU, and every drop is in the counter; before that there is no finding."""
    if len(os.sched_getaffinity(0)) < 2:
        missing("needs two CPUs: one that sends, one that takes")
    m = monitor("-d", "0.3")
    m.wait_for(lambda x: x["type"] == "cpu" and x["seq"], "an interval")
    before = backlog_drops()
    assert not [r for r in m.records if r["type"] == "finding" and r["code"] == "cpu-overrun"]
    traffic = load(rig, "backlog-full")
    finding = m.wait_for(lambda x: x["type"] == "finding" and x["code"] == "cpu-overrun", "the finding")
    traffic.halt()
    after = backlog_drops()
    lost = {cpu: n - before[cpu] for cpu, n in after.items() if n > before[cpu]}
    assert len(lost) == 1, f"packets of others were dropped meanwhile: {lost}"
    assert finding["to_cpu"] in lost
    rows = [x for x in m.stop() if x["type"] == "cpu" and x["cpu"] in lost]
    assert rows[-1]["softnet_dropped_total"] - rows[0]["softnet_dropped_total"] == lost[finding["to_cpu"]]
    for x in rows:
        if x["softnet_dropped_per_s"] is not None:
            assert x["softnet_dropped_per_s"] == pytest.approx(x["softnet_dropped"] / x["interval_s"], rel=1e-9)
