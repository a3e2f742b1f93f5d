# SPDX-License-Identifier: GPL-2.0-or-later
"""Loads a program for IFINDEX by libbpf, does what the other arguments say, and holds it until it is ended.

A number among the others is the ifindex of what follows.
NAME first: the program, which passes all; or NAME is a file: the object's program `whole` and, as its part, `part`.
Says "ready", or what the kernel has against it.
"""
import ctypes
import os
import signal
import sys

PASS = bytes.fromhex("b700000002000000" "9500000000000000")
XDP, EXT, ATTACH_XDP = 6, 28, 37


def must(result):
    if not result or (isinstance(result, int) and result < 0):
        print(os.strerror(ctypes.get_errno()))
        sys.exit(1)
    return result


def find(lib, path, part_of=None):
    """A program of an object with `whole` or, to replace it, `part`: its struct and its descriptor."""
    lib.bpf_object__open_file.restype = lib.bpf_object__find_program_by_name.restype = ctypes.c_void_p
    lib.bpf_program__attach_freplace.restype = ctypes.c_void_p
    o = ctypes.c_void_p(must(lib.bpf_object__open_file(path.encode(), None)))
    programs = {n: ctypes.c_void_p(must(lib.bpf_object__find_program_by_name(o, n))) for n in (b"whole", b"part")}
    for name, p in programs.items():
        lib.bpf_program__set_autoload(p, (name == b"part") == bool(part_of))
    if part_of:
        lib.bpf_program__set_type(programs[b"part"], EXT)
        lib.bpf_program__set_attach_target(programs[b"part"], part_of, b"slot")
    must(not lib.bpf_object__load(o))
    p = programs[b"part" if part_of else b"whole"]
    return p, lib.bpf_program__fd(p)


def main(name, ifindex, *todo):
    lib = ctypes.CDLL("libbpf.so.1", use_errno=True)
    if os.path.exists(name):
        _, prog = find(lib, name)
        part, _ = find(lib, name, part_of=prog)
        must(lib.bpf_program__attach_freplace(part, 0, None))
    else:
        prog = must(lib.bpf_prog_load(XDP, name.encode(), b"GPL", PASS, 2, None))
    link = None
    for do in todo:
        if do == "netlink":
            must(not lib.bpf_xdp_attach(int(ifindex), prog, 0, None))
        elif do == "link":
            link = must(lib.bpf_link_create(prog, int(ifindex), ATTACH_XDP, None))
        elif do.isdigit():
            ifindex = do
        elif do == "close":
            os.close(prog)
        else:
            must(not lib.bpf_obj_pin(prog if link is None else link, do.encode()))
    print("ready", flush=True)
    signal.pause()


main(*sys.argv[1:])
