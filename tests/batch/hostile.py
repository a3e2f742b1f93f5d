# SPDX-License-Identifier: GPL-2.0-or-later
"""Interface names that the kernel takes and that hurt programs, and what consumers read back."""
import csv
import io
import json
import shutil

from batch import missing, run

# up to 15 bytes, without '/', ':' and blanks (dev_valid_name() in net/core/dev.c)
NAMES = [
    b"\x1b[31mred", b'quo"te', b"com,ma", b"=1+1", b"+1", b"-1", b"@SUM", b"back\\slash", b"'one", b"%s%n",
    b"\xff\xfe\x80", b"{x}", b"$(id)", b"`id`", b"a;b|c&d", b"#hash", b"\xe2\x80\xaeevil", b"<b>",
    "\u7db2\u8def".encode(), b"null", b"NaN", b"\x01\x02\x7f", b"\\x41",
]


def shown(name):
    """As the monitor prints it: what is not printable as \\xNN, a backslash twice."""
    out = ""
    for c in name.decode("utf-8", "surrogateescape"):
        raw = c.encode("utf-8", "surrogateescape")
        if c == "\\":
            out += "\\\\"
        elif c.isprintable():
            out += c
        else:
            out += "".join(f"\\x{b:02x}" for b in raw)
    return out


def jq(text, program):
    if not shutil.which("jq"):
        missing("jq is not installed")
    p = run("jq", "-c", program, input=text)
    assert p.returncode == 0, p.stderr
    return [json.loads(line) for line in p.stdout.splitlines()]


def csv_rows(text):
    """As a spreadsheet reads it, the quote in front of a formula taken off."""
    rows = list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))
    for row in rows:
        assert None not in row and None not in row.values(), row
        for name, value in row.items():
            # err is a number: -95 is no formula
            assert name == "err" or not value.startswith(("=", "+", "-", "@")), row
    return rows


def unquoted(value):
    return value[1:] if value[:2] in ("'=", "'+", "'-", "'@") else value
