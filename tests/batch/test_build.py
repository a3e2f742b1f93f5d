# SPDX-License-Identifier: GPL-2.0-or-later
"""The results of make: hardened, and the same bytes in every directory."""
import filecmp
import os
import pathlib
import re
import sys

import pytest

from batch import TOP, XDPTOP, assert_hardened, missing, run, tool

USR = pathlib.Path("/usr/include")
SLOW = 600  # seconds after which a build fails
# without variables of the make that may have started the tests, and without a cache of objects
CLEAN = ["env", "-u", "MAKEFLAGS", "-u", "MFLAGS", "-u", "MAKELEVEL", "-u", "CC", "-u", "CFLAGS", "-u", "CPPFLAGS",
         "-u", "LDFLAGS", "-u", "WERROR"]


def test_hardened():
    assert b"__snprintf_chk@" in assert_hardened(TOP / "xdptop")


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Built in two directories; without optimization, which takes a fifth of the time."""
    tmp_path = tmp_path_factory.mktemp("copies")
    files = run("git", "-C", TOP, "ls-files", "-co", "--exclude-standard", "-z", "bpf", "src", "ui", "tests/*.mk",
                "contrib", "Makefile").stdout.split(b"\0")
    names = [f.decode() for f in files if f and (TOP / f.decode()).exists()] or ["."]
    made = [tmp_path / "a", tmp_path / "of/another/length"]
    for copy in made:
        copy.mkdir(parents=True)
        p = run("tar", "-c", "-C", TOP, "--exclude", "./build", *names)
        run("tar", "-x", "-C", copy, input=p.stdout)
        build(copy)
    return made


def build(copy, *args):
    p = run(*CLEAN, "make", "-s", "-j2", "-C", copy, "CFLAGS=-O0 -g", *args, timeout=SLOW)
    assert p.returncode == 0, p.stderr.decode()


def assert_same(copies, *names):
    for name in names:
        assert filecmp.cmp(copies[0] / name, copies[1] / name, shallow=False), name


@pytest.mark.release
def test_same_bytes(copies):
    """The program and the BPF objects in it."""
    assert_same(copies, "xdptop", "build/xdptop.bpf.o", "build/perf.bpf.o", "build/iters.bpf.o")


@pytest.mark.release
def test_static_same_bytes(copies):
    if not (TOP / "build/static/xdptop").exists():
        missing("build/static/xdptop is not there: make static")
    fetched = TOP / "build/static/libmnl.a"
    for copy in copies:
        build(copy, "build/static/xdptop", *([f"LIBMNL_A={fetched}"] if fetched.exists() else []))
    assert_same(copies, "build/static/xdptop")
    segments = run("readelf", "-lW", copies[0] / "build/static/xdptop").stdout
    assert b"GNU_RELRO" in segments and b"INTERP" not in segments


def make(tmp_path, *args):
    return run(*CLEAN, "make", "-s", "-C", TOP, f"O={tmp_path}", *args, timeout=SLOW)


def test_byte_order(tmp_path):
    """The program's own byte order; an object of the other one is not a program."""
    for compiler, target in (("s390x-linux-gnu", "bpfeb"), ("aarch64-linux-gnu", "bpfel")):
        p = make(tmp_path, "-n", "V=1", f"CC=clang --target={compiler}", tmp_path / "perf.bpf.o")
        assert f"-target {target} ".encode() in p.stdout, p.stderr.decode()
    check = (TOP / "build/perf.skel.h").read_bytes().splitlines()[-1]
    for compiler, order in (("s390x-linux-gnu", "big"), ("aarch64-linux-gnu", "little")):
        p = run("clang", f"--target={compiler}", "-fsyntax-only", "-x", "c", "-", input=check)
        assert (p.returncode == 0) == (order == sys.byteorder)
        assert p.returncode == 0 or b"build/perf.bpf.o has another byte order" in p.stderr


def test_libbpf(tmp_path):
    """A libbpf that is not the system's: headers and library; a source tree is built first."""
    installed, tree = tmp_path / "installed", tmp_path / "tree"
    for path in (installed / "lib64/libbpf.a", tree / "src/libbpf.map"):
        path.parent.mkdir(parents=True)
        path.touch()
    for given, found, library in ((installed, installed, "lib64"), (tree, tmp_path / "o/libbpf", "lib")):
        p = make(tmp_path / "o", f"LIBBPF={given}", "print-CPPFLAGS_ALL", "print-LDLIBS_ALL", "print-LIBBPF_CFLAGS")
        compiled, linked, bpf = p.stdout.decode().splitlines()
        assert f"-I{found}/include" in compiled.split() and bpf == f"-I{found}/include"
        assert linked.split()[0] == f"{found}/{library}/libbpf.a" and "-lbpf" not in linked.split()
    p = make(tmp_path / "o", f"LIBBPF={tmp_path}", "all")
    assert p.returncode and f"LIBBPF={tmp_path}: neither a source tree".encode() in p.stderr


def test_no_tls():
    """No unused library is loaded into a process of root."""
    loaded = run("ldd", XDPTOP).stdout.decode()
    assert "libmnl" in loaded and not re.findall("gnutls|ssl|crypto|nettle|hogweed|gmp|p11|idn", loaded)


@pytest.mark.release
def test_musl(tmp_path):
    """The C library of Alpine has what each source needs; the other libraries' headers are this machine's."""
    tool("musl-gcc")
    for name in ("asm", "asm-generic", "bpf", "cap-ng.h", "curses.h", "event2", "gelf.h", "json-c", "libelf.h", "libmnl",
                 "linux", "ncurses.h", "ncurses_dll.h", "term.h", "unctrl.h", "zstd.h", "zstd_errors.h"):
        found = [d / name for d in (USR, USR / f"{os.uname().machine}-linux-gnu") if (d / name).exists()]
        (tmp_path / name).symlink_to(found[0])
    sources = [p.relative_to(TOP) for folder in ("src", "ui") for p in (TOP / folder).rglob("*.c")]
    p = run("musl-gcc", "-fsyntax-only", "-Wall", "-Werror", "-D_GNU_SOURCE", "-I.", "-Isrc",
            "-Ibuild", "-idirafter", tmp_path, *sources, cwd=TOP, timeout=SLOW)
    assert p.returncode == 0, p.stderr.decode()


def test_32_bits(tmp_path):
    p = make(tmp_path, "CC=clang --target=i386-linux-gnu", tmp_path / "src/main.o")
    assert p.returncode and b" builds for 32 bits, xdptop for 64 only: " in p.stderr


def test_flags_of_a_distribution(tmp_path):
    """They reach every object and the link, but no BPF program; a warning is an error in make check only."""
    flags = {"CFLAGS": "-O3 -flto=auto", "CPPFLAGS": "-D_FORTIFY_SOURCE=3", "LDFLAGS": "-Wl,-z,now", "CC": "own-gcc"}
    p = run(*CLEAN, *(f"{k}={v}" for k, v in flags.items()), "make", "-sn", "V=1", "-C", TOP, f"O={tmp_path}",
            tmp_path / "xdptop")
    assert p.returncode == 0, p.stderr.decode()
    commands = p.stdout.decode().splitlines()
    assert not any("-Werror" in c for c in commands)
    for end, given in (("-target bpf", ()), ("own-gcc .* -c ", ("CFLAGS", "CPPFLAGS")),
                       (f"own-gcc .* -o {tmp_path}/xdptop ", ("CFLAGS", "LDFLAGS"))):
        found = [c for c in commands if re.search(end, c)]
        assert found
        for c in found:
            assert {name for name, value in flags.items() if name != "CC" and value in c} == set(given)
    for target in ("check", "check-release"):
        made = re.findall("^: .*|^STEP=.*", make(tmp_path, "-n", "MAKE=:", target).stdout.decode(), re.M)
        assert len(made) == 2 and all("WERROR=-Werror" in c for c in made)
