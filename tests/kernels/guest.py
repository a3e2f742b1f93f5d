# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest under qemu: an initramfs with the programs of this tree, and one run of it."""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import archive
import cross

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
TIME_LIMIT = 1500  # seconds; a run takes 10 to 60, and much more on a busy machine
PROGRAMS = ("dash", "taskset", "script", "xdptop", "rig", "follower", "tcpdump")


class Broken(Exception):
    """The guest did not reach its end."""


class Native:
    """The files for a guest of this machine's architecture: its own programs."""

    def which(self, name):
        built = {"xdptop": TOP / "xdptop", "rig": TOP / "build/rig/rig", "follower": TOP / "build/follow/follower"}
        return os.environ.get(name.upper(), str(built[name])) if name in built else shutil.which(name)

    def libraries(self, program):
        """{path in the guest: file} that the dynamic linker would load, including itself."""
        out = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        return {path: path for path in re.findall(r"(/\S+) \(0x", out)}


@dataclasses.dataclass(frozen=True)
class Machine:
    """How qemu emulates an architecture."""

    qemu: tuple  # program, package, minimum version
    options: tuple
    console: str
    results: str


MACHINES = {
    "amd64": Machine(("qemu-system-x86_64", "qemu-system-x86", 7), ("-cpu", "max"), "ttyS0", "ttyS1"),
    # the second serial port came with 9.1
    "arm64": Machine(("qemu-system-aarch64", "qemu-system-arm", 10),
                     ("-M", "virt,gic-version=3", "-cpu", "max,pauth-impdef=on"), "ttyAMA0", "ttyAMA1"),
}


def copy(path, root, to):
    target = root / to.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)
    target.chmod(0o755)


def initramfs(kernel, init, system, scratch, programs):
    """An archive with init, the monitor, the rig and the modules of the directory `kernel`."""
    root = scratch / "root"
    for d in ("proc", "sys", "dev", "tmp", "run", "modules", "bin"):
        (root / d).mkdir(parents=True)
    copy(system.which("busybox"), root, "/bin/busybox")
    # this machine's busybox, which can run here, has the same applets
    applets = subprocess.run(
        ["busybox", "--list"], capture_output=True, text=True, check=True
    ).stdout.split()
    for applet in set(applets) - {"busybox"}:
        (root / "bin" / applet).symlink_to("busybox")
    for name in programs:
        path = system.which(name)
        (root / "bin" / name).unlink(missing_ok=True)
        copy(path, root, f"/bin/{name}")
        for at, library in system.libraries(path).items():
            copy(library, root, at)
    # busybox's shell would prefer applets to the programs beside it
    (root / "bin/sh").unlink()
    (root / "bin/sh").symlink_to("dash")
    # where Debian's libtinfo looks for the guest's TERM
    for terminfo in ("/lib/terminfo/l/linux", "/usr/share/terminfo/l/linux"):
        if os.path.exists(terminfo):
            copy(terminfo, root, "/lib/terminfo/l/linux")
    for module in kernel.glob("*.ko"):
        copy(module, root, f"/modules/{module.name}")
    copy(init, root, "/init")
    copy(HERE / "guest.sh", root, "/guest.sh")
    image = scratch / "initramfs"
    names = "\0".join(str(p.relative_to(root)) for p in sorted(root.rglob("*")))
    with open(image, "wb") as out:
        subprocess.run(
            ["cpio", "-o", "-0", "-H", "newc", "-R", "0:0", "--quiet"],
            input=names.encode(), stdout=out, cwd=root, check=True,
        )
    return image


def system_of(arch):
    if arch == "amd64":
        return Native()
    system = cross.Sysroot(arch)
    system.fetch()
    try:
        system.build("static/xdptop", "rig/rig", "follow/follower")
    except subprocess.CalledProcessError as e:
        raise Broken(f"it does not build for {arch}: {e}") from None
    return system


def boot(kernel, plan, log, arch="amd64", init=HERE / "init", qemu=None, options=(), within=(),
         programs=()):
    """Run a plan; returns its records (step, what, text). `log` takes the console, they stay beside it.

    `within` is a command that runs qemu with all its arguments; `programs` are those that the guest has
    beside PROGRAMS.
    """
    machine = MACHINES[arch]
    qemu = qemu or archive.fetch_qemu(*machine.qemu)
    system = system_of(arch)
    with tempfile.TemporaryDirectory() as scratch:
        image = initramfs(kernel, init, system, pathlib.Path(scratch), (*PROGRAMS, *programs))
        serial = log.with_suffix(".records")
        serial.unlink(missing_ok=True)
        command = [
            "timeout", "-k", "5", str(TIME_LIMIT), *within, qemu.program, *qemu.options, *machine.options,
            # thread=multi locks up guests when programs attach under load
            "-accel", "tcg,thread=single", "-m", "1G",
            "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none",
            "-serial", f"file:{log}", "-serial", f"file:{serial}", *options,
            "-kernel", str(kernel / "vmlinux"), "-initrd", str(image),
            # noirqdebug: RT kernels take the emulated serial port's interrupts for spurious ones; nosoftlockup: with
            # 255 possible CPUs an emulated kernel is slow to boot; no_timer_check: on a busy machine it would panic
            # because the timer does not tick
            "-append", f"console={machine.console} panic=-1 quiet noirqdebug nosoftlockup no_timer_check "
                       f"maxcpus=2 results={machine.results} plan={plan}",
        ]
        p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           env={**os.environ, "QEMU_MODULE_DIR": qemu.modules} if qemu.modules else None)
    records = []
    if serial.exists():
        for line in serial.read_text(errors="backslashreplace").splitlines():
            step, what, text = (line.rstrip("\r") + "  ").split(" ", 2)
            records.append((step, what, text.rstrip(" ")))
    if ("end", "done", "") not in records:
        last = records[-1][0] if records else "boot"
        reason = "time limit" if p.returncode == 124 else f"qemu ended with {p.returncode}"
        raise Broken(f"{reason} after step {last}; {p.stderr.strip()} the console is in {log}")
    return records
