# SPDX-License-Identifier: GPL-2.0-or-later
"""Kernels from Debian's archive: fetched by apt, unpacked into a cache, never installed."""
import dataclasses
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import zlib

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
CACHE = CACHE / "xdptop-kernels"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# modules for the rig's devices, if not built in
MODULES = ("veth", "dummy", "tun")


class Unavailable(Exception):
    """This kernel is not available here; the text says why."""


@dataclasses.dataclass(frozen=True)
class Kernel:
    """Patterns instead of build numbers, which change in the archive every few weeks."""

    name: str
    suite: str
    pattern: str  # of the part after linux-image- (from 7.0: linux-binary- and linux-modules-)
    split: bool = False
    modules: tuple = MODULES
    arch: str = "amd64"


KERNELS = (
    Kernel("5.10", "bullseye-security", r"5\.10\.0-[0-9]+-cloud-amd64"),
    Kernel("6.1", "bookworm", r"6\.1\.0-[0-9]+-cloud-amd64"),
    Kernel("6.1-rt", "bookworm", r"6\.1\.0-[0-9]+-rt-amd64"),
    Kernel("6.12", "bookworm-security", r"6\.12\.[0-9]+[+]deb12-cloud-amd64"),
    Kernel("6.12-arm64", "bookworm-security", r"6\.12\.[0-9]+[+]deb12-cloud-arm64", arch="arm64"),
    Kernel("6.12-rt", "bookworm-security", r"6\.12\.[0-9]+[+]deb12-rt-amd64"),
    Kernel("6.16", "trixie-backports", r"6\.16\.[0-9]+[+]deb13-cloud-amd64"),
    Kernel("6.18", "trixie-backports", r"6\.18\.[0-9]+[+]deb13-cloud-amd64"),
    Kernel("7.2", "sid", r"7\.2\.[0-9]+[+]deb14-cloud-amd64", split=True),
    Kernel("7.2-rt", "sid", r"7\.2\.[0-9]+[+]deb14-rt-amd64", split=True),
    Kernel("7.3", "experimental", r"7\.3(\.[0-9]+[+]deb14)?-cloud-amd64", split=True),
)
# cloud kernels lack the drivers
DRIVERS = Kernel("6.12-full", "bookworm-security", r"6\.12\.[0-9]+[+]deb12-amd64",
                 modules=("virtio_net", "vmxnet3", "igb", "e1000e", "bonding", "tun", "veth", "8021q", "macvlan"))
# zero-copy AF_XDP sockets came to virtio_net with 6.13, to igb with 6.14
ZEROCOPY = Kernel("6.18-full", "trixie-backports", r"6\.18\.[0-9]+[+]deb13-amd64",
                  modules=("virtio_net", "igb"))

# its virtio_net has page pools that netlink lists
POOLS = Kernel("7.2-virtio", "sid", r"7\.2\.[0-9]+[+]deb14-cloud-amd64", split=True, modules=("virtio_net",))


def run(*command, **kwargs):
    p = subprocess.run(command, capture_output=True, text=True, **kwargs)
    if p.returncode:
        lines = (p.stderr or p.stdout).strip().splitlines() or ["no message"]
        raise Unavailable(f"{command[0]}: {lines[-1]}")
    return p.stdout


def mirrors():
    """The mirror that apt already uses, for (archive, security)."""
    uris = run("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages")
    uris = sorted({u.rstrip("/") for u in uris.split() if u.startswith("http")})
    archive = [u for u in uris if u.endswith("/debian")]
    security = [u for u in uris if u.endswith("/debian-security")]
    if not archive:
        raise Unavailable("apt is not configured with a Debian mirror")
    return archive[0], (security or [archive[0] + "-security"])[0]


class Suite:
    """apt for one suite, with separate lists and sources, so that the machine's are not touched."""

    updated = set()

    def __init__(self, name, arch="amd64"):
        self.top = CACHE / "apt" / (name if arch == "amd64" else f"{name}-{arch}")
        self.name = name
        for d in ("sources", "lists/partial", "cache/archives/partial"):
            (self.top / d).mkdir(parents=True, exist_ok=True)
        self.options = []
        for option in (
            "Dir::Etc::sourcelist=/dev/null",
            f"Dir::Etc::sourceparts={self.top}/sources",
            f"Dir::State::lists={self.top}/lists",
            f"Dir::Cache={self.top}/cache",
            "Acquire::Languages=none",
            "APT::Sandbox::User=",
            *(() if arch == "amd64" else (
                f"APT::Architecture={arch}", f"APT::Architectures::={arch}",
                f"Dir::State::status={self.top}/status")),
        ):
            self.options += ["-o", option]
        (self.top / "status").touch()  # nothing in it is installed

    def update(self):
        if self.top in Suite.updated:
            return
        archive, security = mirrors()
        mirror = security if self.name.endswith("-security") else archive
        (self.top / "sources/suite.list").write_text(
            f"deb [signed-by={KEYRING}] {mirror} {self.name} main\n"
        )
        run("timeout", "300", "apt-get", *self.options, "-q", "-o", "APT::Update::Error-Mode=any",
            "update")
        Suite.updated.add(self.top)

    def newest(self, pattern):
        found = run("apt-cache", *self.options, "search", "--names-only", f"^{pattern}$")
        names = [line.split()[0] for line in found.splitlines()]
        if not names:
            raise Unavailable(f"{self.name} has no package like {pattern}")
        return max(names, key=lambda n: [int(x) for x in re.findall("[0-9]+", n)])

    def download(self, package, into):
        run("timeout", "600", "apt-get", *self.options, "-q", "download", package, cwd=into)

    def download_all(self, packages):
        """The files of these packages and all their dependencies."""
        run("timeout", "600", "apt-get", *self.options, "-q", "-y", "--no-install-recommends",
            "--download-only", "install", *packages)
        return sorted((self.top / "cache/archives").glob("*.deb"))


def piped(command, data):
    """Ignores the status: the kernel's build appends the size, about which both tools complain."""
    try:
        return subprocess.run(command, input=data, capture_output=True).stdout
    except FileNotFoundError:
        raise Unavailable(f"{command[0]} is not here: it unpacks its vmlinuz") from None


def uncompressed(image):
    """
    The ELF vmlinux inside a bzImage, which boots by its PVH note without unpacking in the guest. Other
    architectures have none inside: returned as it is.
    """
    if image[0x202:0x206] != b"HdrS":
        return image
    # struct setup_header, Documentation/arch/x86/boot.rst
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    payload = image[start : start + length]
    if payload.startswith(b"\xfd7zXZ\0"):
        out = lzma.LZMADecompressor(format=lzma.FORMAT_XZ).decompress(payload)
    elif payload.startswith(b"\x1f\x8b"):
        out = zlib.decompressobj(wbits=31).decompress(payload)
    elif payload.startswith(b"\x28\xb5\x2f\xfd"):
        out = piped(["zstd", "-dcq"], payload)
    elif payload.startswith(b"\x02\x21\x4c\x18"):
        out = piped(["lz4", "-dcq"], payload)
    else:
        raise Unavailable(f"its vmlinuz is compressed in an unknown way: {payload[:4].hex()}")
    if not out.startswith(b"\x7fELF"):
        raise Unavailable("no vmlinux found in its vmlinuz")
    return out


def module_text(path):
    data = path.read_bytes()
    if path.suffix == ".xz":
        return lzma.decompress(data)
    if path.suffix == ".zst":
        return piped(["zstd", "-dcq"], data)
    return data


def with_dependencies(names, found):
    """Content of the modules by name, in the order to load them; missing ones are built in."""
    texts = {}
    for name in names:
        if name not in found or name in texts:
            continue
        text = module_text(found[name])
        depends = re.search(rb"\0depends=([^\0]*)\0", text)[1].decode()
        texts |= with_dependencies([d.replace("-", "_") for d in depends.split(",") if d], found)
        texts[name] = text
    return texts


def unpack(debs, modules, to):
    """Puts vmlinux and the modules of the packages into the directory `to`, in the order to load them."""
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        scratch = pathlib.Path(scratch)
        for deb in debs:
            archive = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE)
            # a package may have none of these, so ignore tar's status
            subprocess.run(
                ["tar", "-x", "-C", scratch, "--wildcards", "*/vmlinuz*", "*.ko*"],
                stdin=archive.stdout, stderr=subprocess.DEVNULL,
            )
            archive.stdout.close()
            archive.wait()
        # boot/vmlinuz-RELEASE, from 7.x lib/modules/RELEASE/vmlinuz
        images = list(scratch.rglob("vmlinuz*"))
        if len(images) != 1:
            raise Unavailable(f"{len(images)} kernel images in its packages")
        release = images[0].name.removeprefix("vmlinuz-")
        if release == "vmlinuz":
            release = images[0].parent.name
        partial = to.parent / f"{to.name}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        (partial / "vmlinux").write_bytes(uncompressed(images[0].read_bytes()))
        found = {p.name.split(".")[0].replace("-", "_"): p for p in scratch.rglob("*.ko*")}
        for i, (name, text) in enumerate(with_dependencies(modules, found).items()):
            (partial / f"{i:02}-{name}.ko").write_bytes(text)
        (partial / "release").write_text(release + "\n")
        shutil.rmtree(to, ignore_errors=True)
        partial.rename(to)


def keep(root, to):
    """Moves completely unpacked files to their place in the cache."""
    to.parent.mkdir(parents=True, exist_ok=True)
    root.rename(to)


# dependencies of one qemu program: its devices and firmware are in these
QEMU = ("qemu-system-common", "qemu-system-data", "seabios")


@dataclasses.dataclass(frozen=True)
class Qemu:
    """How to start a qemu."""

    program: str
    options: tuple = ()
    modules: str = ""  # directory; "" = default

    def version(self):
        return int(re.search(r"version (\d+)", run(self.program, "--version"))[1])


def fetch_qemu(program, package, version, cached_only=False):
    """A qemu of at least this version: the machine's, or one from backports, unpacked into the cache."""
    if shutil.which(program) and Qemu(program).version() >= version:
        return Qemu(program)
    to = CACHE / "unpacked" / package
    if not to.exists():
        if cached_only:
            raise Unavailable(f"no {program} of version {version} here")
        suite = Suite("bookworm-backports")
        suite.update()
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            for name in (package, *QEMU):
                suite.download(name, scratch)
            root = pathlib.Path(scratch) / "root"
            for deb in pathlib.Path(scratch).glob("*.deb"):
                run("dpkg-deb", "-x", deb, root)
            keep(root, to)
    (modules,) = to.glob("usr/lib/*/qemu")
    found = Qemu(str(to / "usr/bin" / program),
                 ("-L", str(to / "usr/share/qemu"), "-L", str(to / "usr/share/seabios")),
                 str(modules))
    if found.version() < version:
        raise Unavailable(f"{program} in backports is older than version {version}")
    return found


def fetch(kernel, refresh=False, cached_only=False):
    """A directory with vmlinux, *.ko and release; from the cache if possible."""
    to = CACHE / "unpacked" / kernel.name
    if (to / "release").exists() and not refresh:
        return to
    if cached_only:
        raise Unavailable(f"{to} is not there")
    for tool in ("apt-get", "apt-cache", "dpkg-deb"):
        if not shutil.which(tool):
            raise Unavailable(f"{tool} is not here: the kernels are Debian's")
    suite = Suite(kernel.suite, kernel.arch)
    suite.update()
    kinds = ("linux-binary-", "linux-modules-") if kernel.split else ("linux-image-",)
    package = suite.newest(kinds[0] + kernel.pattern)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        for kind in kinds:
            suite.download(kind + package.removeprefix(kinds[0]), scratch)
        unpack(sorted(pathlib.Path(scratch).glob("*.deb")), kernel.modules, to)
    return to
