# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest under qemu: an initramfs with the programs of this tree, and one run of it."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import archive

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
TIME_LIMIT = 300  # seconds; a run takes 10 to 60
PROGRAMS = ("dash", "taskset", "script")


class Broken(Exception):
    """The guest did not come to its end."""


def libraries(program):
    """Paths of what the dynamic linker would load, itself included."""
    out = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(/\S+) \(0x", out))


def copy(path, root, to):
    target = root / to.lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)
    target.chmod(0o755)


def initramfs(kernel, init, scratch):
    """An archive with init, the monitor, the rig and the modules of `kernel`, a directory."""
    root = scratch / "root"
    for d in ("proc", "sys", "dev", "tmp", "run", "modules", "bin"):
        (root / d).mkdir(parents=True)
    copy(shutil.which("busybox"), root, "/bin/busybox")
    applets = subprocess.run(
        [root / "bin/busybox", "--list"], capture_output=True, text=True, check=True
    ).stdout.split()
    for applet in set(applets) - {"busybox"}:
        (root / "bin" / applet).symlink_to("busybox")
    programs = {name: shutil.which(name) for name in PROGRAMS}
    programs["xdptop"] = os.environ.get("XDPTOP", str(TOP / "xdptop"))
    programs["rig"] = os.environ.get("RIG", str(TOP / "build/rig/rig"))
    for name, path in programs.items():
        (root / "bin" / name).unlink(missing_ok=True)
        copy(path, root, f"/bin/{name}")
        for library in libraries(path):
            copy(library, root, library)
    # busybox's shell would prefer applets to the programs beside it
    (root / "bin/sh").unlink()
    (root / "bin/sh").symlink_to("dash")
    # where libtinfo of Debian looks; the guest's TERM
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


def boot(kernel, plan, log, init=HERE / "init", qemu=archive.Qemu("qemu-system-x86_64"), options=()):
    """Run a plan; returns its records (step, what, text). `log` takes the console, they stay beside it."""
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        serial = log.with_suffix(".records")
        serial.unlink(missing_ok=True)
        command = [
            "nice", "timeout", "-k", "5", str(TIME_LIMIT), qemu.program, *qemu.options,
            # thread=multi locks up guests when programs attach under load
            "-accel", "tcg,thread=single", "-cpu", "max", "-m", "1G",
            "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none",
            "-serial", f"file:{log}", "-serial", f"file:{serial}", *options,
            "-kernel", str(kernel / "vmlinux"), "-initrd", str(initramfs(kernel, init, scratch)),
            # noirqdebug: RT kernels take the emulated serial port's interrupts for spurious ones;
            # nosoftlockup: with 255 possible CPUs an emulated kernel is slow to boot
            "-append", f"console=ttyS0 panic=-1 quiet noirqdebug nosoftlockup maxcpus=2 plan={plan}",
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
