# SPDX-License-Identifier: GPL-2.0-or-later
"""Another architecture: its packages in a directory, never installed, and this tree built for it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

import archive

TOP = pathlib.Path(__file__).resolve().parents[2]
SUITE = "bookworm"
PACKAGES = (
    "libc6-dev", "libgcc-12-dev", "libbpf-dev", "libncurses-dev", "libjson-c-dev", "libcap-ng-dev",
    "libmnl-dev", "libevent-dev", "libzstd-dev",  # to build
    "busybox-static", "dash", "util-linux", "bsdutils", "tcpdump",  # for the guest
)
MULTIARCH = {"arm64": "aarch64-linux-gnu"}


def make_relative(root):
    """Absolute links would lead out of the directory."""
    for path in root.rglob("*"):
        if path.is_symlink() and os.readlink(path).startswith("/"):
            target = root / os.readlink(path).lstrip("/")
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))


class Sysroot:
    """The files for a guest of this architecture."""

    def __init__(self, arch):
        self.multiarch = MULTIARCH[arch]
        self.arch = arch
        # another list of packages gets another directory
        which = zlib.crc32(" ".join(PACKAGES).encode())
        self.top = archive.CACHE / "unpacked" / f"{SUITE}-{arch}-{which:08x}"
        self.built = TOP / "build" / arch

    def fetch(self):
        for tool in ("clang", "ld.lld", "readelf"):
            if not shutil.which(tool):
                raise archive.Unavailable(f"{tool} is not here: it builds for {self.arch}")
        if self.top.exists():
            return
        suite = archive.Suite(SUITE, self.arch)
        suite.update()
        with tempfile.TemporaryDirectory(dir=archive.CACHE) as scratch:
            root = pathlib.Path(scratch) / "root"
            for deb in suite.download_all(PACKAGES):
                archive.run("dpkg-deb", "-x", deb, root)
            make_relative(root)
            archive.keep(root, self.top)

    def build(self, *names):
        """Builds the monitor and the rig; make knows what is up to date."""
        lib = self.top / "usr/lib" / self.multiarch
        pkgconfig = f"env PKG_CONFIG_SYSROOT_DIR={self.top} " \
                    f"PKG_CONFIG_LIBDIR={lib}/pkgconfig:{self.top}/usr/share/pkgconfig pkg-config"
        subprocess.run(
            ["make", "-s", f"-j{os.cpu_count()}", f"O=build/{self.arch}", f"PKG_CONFIG={pkgconfig}",
             f"CC=clang --target={self.multiarch} --sysroot={self.top}", "LDFLAGS=-fuse-ld=lld -pie",
             *(f"build/{self.arch}/{name}" for name in names)],
            cwd=TOP, stdout=subprocess.DEVNULL, check=True,
            env={k: v for k, v in os.environ.items() if not k.startswith("MAKE")})

    def which(self, name):
        built = {"xdptop": self.built / "static/xdptop", "rig": self.built / "rig/rig",
                 "follower": self.built / "follow/follower"}
        if name in built:
            return str(built[name])
        return str(next(p for d in ("usr/bin", "bin") if (p := self.top / d / name).exists()))

    def libraries(self, program):
        """{path in the guest: file} that the dynamic linker would load, including itself."""
        found, programs = {}, [program]
        while programs:
            said = archive.run("readelf", "-d", "-l", programs.pop())
            names = re.findall(r"NEEDED.*\[(.*)\]", said)
            names += [os.path.basename(n) for n in re.findall(r"interpreter: (.*)\]", said)]
            for name in names:
                path = next(p for d in ("lib", "usr/lib")
                            if (p := self.top / d / self.multiarch / name).exists())
                at = f"/lib/{name}" if name.startswith("ld-") else f"/lib/{self.multiarch}/{name}"
                if at not in found:
                    found[at] = str(path)
                    programs.append(str(path))
        return found


def main(arch, *names):
    if arch not in MULTIARCH:
        sys.exit(f"xdptop: no packages are known for {arch}; known: {' '.join(MULTIARCH)}")
    system = Sysroot(arch)
    try:
        system.fetch()
        system.build(*names)
    except (archive.Unavailable, subprocess.CalledProcessError) as e:
        sys.exit(f"xdptop: {arch}: {e}")


if __name__ == "__main__":
    main(*sys.argv[1:])
