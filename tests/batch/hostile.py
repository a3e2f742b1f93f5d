# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and recordings that harm programs, and how consumers read them back."""
import contextlib
import csv
import fcntl
import io
import itertools
import json
import re
import shutil

from batch import DEMO, missing, run

# up to 15 bytes, without '/', ':' and blanks (dev_valid_name() in net/core/dev.c)
NAMES = [
    b"\x1b[31mred", b'quo"te', b"com,ma", b"=1+1", b"+1", b"-1", b"@SUM", b"back\\slash", b"'one", b"%s%n",
    b"\xff\xfe\x80", b"{x}", b"$(id)", b"`id`", b"a;b|c&d", b"#hash", b"\xe2\x80\xaeevil", b"<b>",
    "\u7db2\u8def".encode(), b"null", b"NaN", b"\x01\x02\x7f", b"\\x41",
]

# texts of a recording: invalid escapes, quotes, and shell syntax
TEXTS = [
    "\\';touch x;#", "\\\\';touch x;#", "\\x1b';touch x;#", "\\\\x1b';touch x;#", "';touch x;'", "'\\'';touch x;#", "\\",
    "\\\\\\", "\\x", "\\x00';touch x;#", "\\x1b\\", "\\'\\x1b", "$'\\x27';touch x", "$(touch x)", "`touch x`", "a\ntouch x\n",
    "\x1b'\\", "\ud7ff\\';touch x;#", "\u200b\\';touch x;#", "-x", "{dev}", "%s%n", "'", "''", "\"$(touch x)",
]

TIME = '"time":"2026-01-01T00:00:00.000000Z"'
SAMPLE = '{"type":"sample","seq":1,%s,"tracepoint":"xdp_redirect","events_total":1,' % TIME
LONG = "\u200b" * 80  # 960 bytes when stored

# line i of an endless recording; each one takes time or memory
LINES = {
    "nul": lambda i: "\0" * 100,
    "empty": lambda i: "\n",
    "rubbish": lambda i: "[]\n",
    "later": lambda i: '{"type":"later"}\n',
    "event": lambda i: '{"type":"event",%s,"tracepoint":"xdp_redirect_err","text":"%d"}\n' % (TIME, i),
    "cpu": lambda i: SAMPLE + '"cpu":%d}\n' % (80000 - i % 80001),
    "device": lambda i: '{"type":"device","seq":1,%s,"netns":1,"ifindex":%d}\n' % (TIME, 10**8 - i),
    "netns": lambda i: SAMPLE + '"netns":%d,"netns_name":"%d"}\n' % (10**8 - i, i),
    "name": lambda i: SAMPLE + '"netns":1,"netns_name":"%d%s"}\n' % (i % 2, LONG),
    "rename": lambda i: '{"type":"device","seq":1,%s,"netns":1,"netns_name":"%d%s"}\n' % (TIME, i % 2, LONG),
    "series": lambda i: SAMPLE + '"ifindex":%d}\n' % (10**8 - i),
}


def block(kind, size):
    """At least this many bytes of it."""
    line, text = LINES[kind], bytearray()
    if line(0) == line(1):
        return line(0).encode() * (1 + size // len(line(0)))
    for i in itertools.count():
        if len(text) >= size:
            return bytes(text)
        text += line(i).encode()


def feed(file, kind, reading):
    """
    Writes a header, then lines of this kind until nobody reads. Sets `reading` when more was written than the
    pipe holds. The pipe has its maximum size, so that a reader that empties it has a pause.
    """
    lines = block(kind, 2 << 20)
    fcntl.fcntl(file, fcntl.F_SETPIPE_SZ, 1 << 20)
    with contextlib.suppress(BrokenPipeError), open(DEMO, "rb") as demo:
        file.write(demo.readline())
        while True:
            file.write(lines)
            reading.set()


def raw(text):
    """The bytes that a text of a recording represents."""
    return re.sub(rb"\\\\|\\x(?!00)([0-9a-f]{2})",
                  lambda m: bytes([int(m[1], 16)]) if m[1] else b"\\", text.encode())


def shown(name):
    """As the monitor prints it: unprintable bytes as \\xNN, backslashes doubled."""
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
    """As a spreadsheet reads it, without the quote before a formula."""
    rows = list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))
    for row in rows:
        assert None not in row and None not in row.values(), row
        for name, value in row.items():
            # err is a number: -95 is not a formula
            assert name == "err" or not value.startswith(("=", "+", "-", "@")), row
    return rows


def unquoted(value):
    return value[1:] if value[:2] in ("'=", "'+", "'-", "'@") else value
