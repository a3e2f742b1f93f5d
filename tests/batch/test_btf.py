# SPDX-License-Identifier: GPL-2.0-or-later
"""--btf: what is no BTF of this kernel is named, before anything is loaded."""
import os
import struct

import pytest

from batch import FILE, USAGE, xdptop

REMEDY = f"give a file with the BTF of this kernel, or a directory with {os.uname().release}.btf"


def raw_btf(order):
    """A header, no types, and one empty string."""
    return struct.pack(order + "HBBIIIII", 0xEB9F, 1, 0, 24, 0, 0, 0, 1) + b"\0"


def test_no_btf(tmp_path):
    other = ">" if struct.pack("=H", 1) == struct.pack("<H", 1) else "<"
    files = {"text": b"BTF\n", "empty": b"", "other": raw_btf(other), "cut": raw_btf("=")[:20]}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    for path, cause in (
        ("/nonexistent", "No such file or directory"),
        (tmp_path, "No such file or directory"),
        ("/dev/null", "no file"),
        (tmp_path / "text", "neither BTF nor an ELF file with a section .BTF"),
        (tmp_path / "empty", "neither BTF nor an ELF file with a section .BTF"),
        (tmp_path / "cut", "neither BTF nor an ELF file with a section .BTF"),
        (tmp_path / "other", "the BTF of a machine of another kind"),
        ("/bin/true", "neither BTF nor an ELF file with a section .BTF"),
    ):
        for how in ("--list", "-b"):
            p = xdptop("--backend", "raw", "--btf", path, how)
            assert (p.returncode, p.stdout) == (FILE, b""), p
            assert p.stderr.decode() == f"xdptop: --btf: {path}: {cause}; {REMEDY}\n"


@pytest.mark.parametrize("other,cause", [
    (["--backend", "btf"], "take --backend raw"),
    (["--backend", "classic"], "take --backend raw"),
    (["-r", "x"], "--read loads no program"),
    (["--explain"], "--explain loads no program"),
])
def test_not_together(other, cause):
    p = xdptop("--btf", "x", *other)
    assert (p.returncode, p.stdout) == (USAGE, b"")
    assert p.stderr.startswith(b"xdptop: --btf: ") and cause in p.stderr.decode()
