# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input: a line with name, cause and remedy, the exit code, and no messages of libbpf."""
import ctypes
import errno
import os
import platform
import struct
import subprocess

import pytest

from harness import DEADLINE, XDPTOP


def run(*args, prefix=(), **kwargs):
    return subprocess.run(
        [*prefix, XDPTOP, *args],
        stdin=subprocess.DEVNULL,
        stdout=kwargs.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        timeout=DEADLINE,
        **kwargs,
    )


def complains(p, code, *parts):
    assert p.returncode == code, p.stderr
    assert p.stderr.startswith("xdptop: ") and p.stderr.count("\n") == 1, p.stderr
    assert "libbpf" not in p.stderr
    for part in parts:
        assert part in p.stderr
    assert not p.stdout


@pytest.mark.parametrize("args,parts", [
    (["--bogus"], ["bogus", "--help"]),
    (["-v", "nosuch"], ["--view", "nosuch"]),
    (["-v", "flow"], ["flows"]),
    (["-d", "0"], ["--delay", "0.1"]),
    (["-d", "nan"], ["--delay"]),
    (["-d", "1e9"], ["--delay", "3600"]),
    (["-n", "junk"], ["--iterations", "junk"]),
    (["-t", "xdp_redirekt"], ["xdp_redirect"]),
    (["-s", "drop"], ["--sort", "drop"]),
    (["-f", "nosuch=1"], ["--filter", "nosuch"]),
    (["-o", "xml"], ["--output", "xml"]),
    (["--max-series", "0"], ["--max-series"]),
    (["--budget", "-1"], ["--budget"]),
    (["--backend", "magic"], ["--backend", "magic"]),
    (["-e", "NOSUCH"], ["NOSUCH"]),
    (["extra"], ["extra"]),
])
def test_usage(args, parts):
    complains(run(*args), 2, *parts)


@pytest.mark.parametrize("args,parts", [
    (["-r", "/nonexistent"], ["/nonexistent", "No such file"]),
    (["-r", "/dev/null"], ["/dev/null"]),
    (["-o", "json", "-n", "1", "--to", "/nonexistent/x"], ["/nonexistent/x", "No such file"]),
])
def test_files(args, parts):
    complains(run(*args), 5, *parts)


def test_full_disk():
    with open("/dev/full", "w") as full:
        p = run("-o", "json", "-n", "3", "-d", "0.1", stdout=full)
    assert p.returncode == 5
    assert "No space left" in p.stderr and p.stderr.count("\n") == 1


def test_closed_stdout():
    p = run("-o", "json", "-n", "1", "-d", "0.1", prefix=["sh", "-c", 'exec "$@" >&-', "sh"])
    complains(p, 5, "stdout")


def test_closed_pipe_is_quiet():
    read, write = os.pipe()
    p = subprocess.Popen(
        [XDPTOP, "-o", "json", "-d", "0.1"], stdout=write, stderr=subprocess.PIPE, text=True
    )
    os.close(write)
    assert os.read(read, 10)
    os.close(read)
    assert p.wait(DEADLINE) == 0
    assert p.stderr.read() == ""
    p.stderr.close()


def test_limited_address_space():
    """Too little memory to read the kernel's BTF differs from a kernel without BTF."""
    said = [run("--list", prefix=["prlimit", f"--as={megabytes << 20}"]).stderr for megabytes in range(8, 48)]
    assert any("ulimit -v" in text for text in said)
    assert not any("CONFIG_DEBUG_INFO_BTF" in text for text in said)


def as_nobody(*capabilities):
    caps = ",".join(f"+{c}" for c in capabilities)
    more = [f"--inh-caps={caps}", f"--ambient-caps={caps}"] if caps else ["--bounding-set=-all"]
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *more]


def hidden(*mounts):
    """In a mount namespace where some directories are empty."""
    script = "".join(f"mount -t tmpfs none {m} && " for m in mounts) + 'exec "$@"'
    return ["unshare", "-m", "sh", "-c", script, "sh"]


@pytest.mark.parametrize("prefix,parts", [
    (as_nobody(), [": CAP_BPF and CAP_PERFMON are missing", "run 'sudo xdptop'",
                   f"sudo setcap cap_bpf,cap_perfmon+ep {XDPTOP}"]),
    (as_nobody("bpf"), [": CAP_PERFMON is missing", "sudo setcap"]),
    (as_nobody("perfmon"), [": CAP_BPF is missing", "sudo setcap"]),
    # root in a container
    (["setpriv", "--bounding-set=-all", "--inh-caps=-all"],
     ["even root may not load BPF programs: CAP_BPF and CAP_PERFMON are missing", "--cap-add=BPF --cap-add=PERFMON"]),
    (["setpriv", "--bounding-set=-sys_admin,-perfmon", "--inh-caps=-sys_admin,-perfmon"],
     ["even root may not load BPF programs: CAP_PERFMON is missing", "--cap-add=PERFMON"]),
    (["unshare", "--user", "--map-root-user"], ["in a user namespace", "as the host's root"]),
])
@pytest.mark.parametrize("args", [["-b", "-n", "1"], ["-o", "json", "-n", "1"]])
def test_no_privilege(prefix, parts, args):
    complains(run(*args, prefix=prefix), 3, *parts)


def test_capabilities_are_enough():
    """The two capabilities that the messages name."""
    p = run("-o", "json", "-n", "1", "-d", "0.1", prefix=as_nobody("bpf", "perfmon"))
    assert p.returncode == 0 and '"type":"end"' in p.stdout, p.stderr


def test_capture(tmp_path):
    """Here or elsewhere: the reason and no file, or a file that only root can read."""
    file = tmp_path / "file.pcapng"
    p = run("-o", "json", "-n", "1", "-d", "0.1", "-t", "none", "--verdicts", "--capture", str(file))
    if p.returncode:
        complains(p, 4, "packets cannot be read: this kernel refuses")
        assert not file.exists()
    else:
        assert (file.stat().st_mode & 0o777, file.read_bytes()[:4]) == (0o600, b"\n\r\r\n")
        assert "packets are read" in p.stderr and "0 of 0 packets written" in p.stderr


def test_capture_as_user(tmp_path):
    """Also with the capabilities: they may come from the program file, which others may run."""
    file = tmp_path / "file.pcapng"
    p = run("-b", "-n", "1", "--verdicts", "--capture", str(file), prefix=as_nobody("bpf", "perfmon", "sys_admin"))
    complains(p, 3, "--capture needs root to read packets")
    assert not file.exists()


def test_verdicts_without_capability():
    p = run("-o", "json", "-n", "1", "-d", "0.1", "--verdicts", prefix=as_nobody("bpf", "perfmon"))
    assert p.returncode == 0 and "programs cannot be traced: CAP_SYS_ADMIN is missing" in p.stderr, p.stderr


def refuse_bpf(code):
    """Like a container's seccomp filter: bpf() fails with this errno."""
    number = {"x86_64": 321}.get(platform.machine(), 280)  # 280 in asm-generic

    # linux/filter.h, linux/seccomp.h: load the number; is it bpf's; refuse; allow
    def instruction(*fields):
        return struct.pack("HBBI", *fields)

    program = ctypes.create_string_buffer(
        instruction(0x20, 0, 0, 0) + instruction(0x15, 0, 1, number)
        + instruction(0x06, 0, 0, 0x00050000 | code) + instruction(0x06, 0, 0, 0x7FFF0000)
    )
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(program)))
    libc = ctypes.CDLL(None)
    assert not libc.prctl(22, 2, ctypes.byref(head))  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOSYS])
def test_refused_by_a_filter(code):
    p = run("-b", "-n", "1", preexec_fn=lambda: refuse_bpf(code))
    complains(p, 3, "seccomp filter", os.strerror(code), "--security-opt seccomp=unconfined",
              "SystemCallFilter=bpf")


@pytest.mark.parametrize("hide,args,parts", [
    (["/sys/kernel/btf"], ["--backend", "btf"],
     ["/sys/kernel/btf/vmlinux: No such file", "CONFIG_DEBUG_INFO_BTF=y", "--backend classic"]),
    (["/sys/kernel"], [],
     ["/sys/kernel/btf/vmlinux: No such file", "sudo mount -t tracefs tracefs /sys/kernel/tracing"]),
    (["/sys"], ["--backend", "btf"], ["/sys/kernel/btf/vmlinux: No such file", "/sys must be mounted"]),
])
def test_without_btf(hide, args, parts):
    complains(run("-b", "-n", "1", *args, prefix=hidden(*hide)), 4, *parts)


def test_classic_without_root():
    """Its capabilities suffice for BPF, but not for tracefs, whose mode is 0700."""
    mount = 'mount -t tracefs -o mode=0700 none /sys/kernel/tracing && exec "$@"'
    p = run("-b", "-n", "1", "--backend", "classic",
            prefix=["unshare", "-m", "sh", "-c", mount, "sh", *as_nobody("bpf", "perfmon")])
    complains(p, 3, "tracefs: Permission denied", "run 'sudo xdptop'")


def test_list_and_explain_need_no_privilege():
    for args in (["-l"], ["-l", "-o", "json"], ["-e", "ENOBUFS"], ["-e", "xdp_exception"], ["-h"],
                 ["-V"]):
        p = run(*args, prefix=as_nobody())
        assert p.returncode == 0 and p.stdout and not p.stderr, (args, p.stderr)


def test_nothing_asked_for_is_there():
    complains(run("-b", "-t", "xdp_redirect_map", "-n", "1"), 2, "silent since 5.6", "xdp_redirect")


@pytest.mark.parametrize("term,parts", [("", ["TERM is not set"]), ("nosuchterm", ["nosuchterm"])])
def test_terminal(term, parts):
    """script(1) provides a terminal; the message, and that nothing is drawn."""
    env = {k: v for k, v in os.environ.items() if k != "TERM"}
    if term:
        env["TERM"] = term
    p = subprocess.run(
        ["script", "-qec", XDPTOP, "/dev/null"],
        env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=DEADLINE,
    )
    assert p.returncode == 1
    for part in (*parts, "xdptop -b"):
        assert part in p.stdout
    assert "\x1b" not in p.stdout
