# SPDX-License-Identifier: GPL-2.0-or-later
"""Files of --capture: a strict reader of pcapng, and a comparison with what `rig capture` sent (tests/rig/capture.c)."""
import base64
import collections
import gzip
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

BYTES = 128
VERDICTS = ("ABORTED", "DROP", "PASS", "TX", "REDIRECT", "UNKNOWN")
UNKNOWN_MARK = 77
CUT = 10  # bytes that the program takes from a packet that asks for an unknown verdict
RATE = 10
LOWEST = (5, 12)  # atomic compare and exchange in BPF

Packet = collections.namedtuple("Packet", "interface time data length queue act comment id")
Interface = collections.namedtuple("Interface", "ifname ifindex netns prog_name prog_id")


class Malformed(Exception):
    pass


def options(data, known):
    """{code: value}. Only known options, and an end."""
    found = {}
    while True:
        code, length = struct.unpack_from("<HH", data)
        if not code:
            if length or len(data) != 4:
                raise Malformed("bytes after the end of options")
            return found
        if code not in known or code in found:
            raise Malformed(f"option {code}")
        found[code] = data[4:4 + length]
        data = data[4 + (length + 3) // 4 * 4:]


def read(data):
    """(comment of the section, interfaces, packets, {interface: (matched, left out, written)})."""
    comment, interfaces, packets, statistics = None, [], [], {}
    while data:
        kind, length = struct.unpack_from("<II", data)
        if length % 4 or length > len(data) or struct.unpack_from("<I", data, length - 4)[0] != length:
            raise Malformed(f"length {length} of a block")
        body, data = data[8:length - 4], data[length:]
        if kind == 0x0a0d0d0a:
            if comment is not None or body[:16] != struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1):
                raise Malformed("section")
            comment = options(body[16:], (1, 3, 4))[1].decode()
        elif kind == 1:
            found = options(body[8:], (2, 3, 9))
            if body[:8] != struct.pack("<HHI", 1, 0, BYTES) or found[9] != b"\x09":
                raise Malformed("interface")
            text = re.fullmatch(r"ifindex (\d+), netns (.*), XDP program (.*) id (\d+)", found[3].decode())
            interfaces.append(Interface(found[2].decode(), int(text[1]), text[2], text[3], int(text[4])))
        elif kind == 6:
            interface, high, low, n, length = struct.unpack_from("<IIIII", body)
            found = options(body[20 + (n + 3) // 4 * 4:], (1, 5, 6, 7))
            if interface >= len(interfaces) or n > BYTES or found[7][0] != 2 or len(found[7]) != 9:
                raise Malformed("packet")
            packets.append(Packet(interface, high << 32 | low, body[20:20 + n], length, struct.unpack("<I", found[6])[0],
                                  struct.unpack("<q", found[7][1:])[0], found[1].decode(), found.get(5)))
        elif kind == 5:
            found = options(body[12:], (1, 2, 3, 6, 7, 8))
            statistics[struct.unpack_from("<I", body)[0]] = tuple(struct.unpack("<Q", found[i])[0] for i in (6, 7, 8))
        else:
            raise Malformed(f"block {kind}")
    return comment, interfaces, packets, statistics


def sent(number, programs):
    """(program, queue of 2, verdict, first bytes, length) of a packet, as its program left it."""
    program = number % programs
    length = 60 + number % 1400 + (8000 if program == 3 else 0)
    data = bytearray((number + i) & 0xff for i in range(BYTES))
    act = number % 6
    data[15] = UNKNOWN_MARK if act == 5 else act
    data[:4] = struct.pack("<I", number)
    length -= CUT if act == 5 else 0
    act = UNKNOWN_MARK if act == 5 else act
    return program, number // programs % 2, act, bytes(data[:min(BYTES, length)]), length


def tools(path, n):
    """Faults of programs that read the file."""
    for name in ("capinfos", "tshark", "tcpdump"):
        if not shutil.which(name):
            yield f"{name} is not installed: contrib/deps --install kernels"
            return
    command = ["tshark", "-n", "-r", str(path), "-T", "fields"] + [
        x for field in ("frame.number", "frame.interface_name", "frame.interface_queue", "frame.verdict.ebpf_xdp", "frame.len")
        for x in ("-e", field)]
    p = subprocess.run(command, capture_output=True, text=True)
    rows = [line.split("\t") for line in p.stdout.splitlines()]
    if p.returncode or len(rows) != n or not all(len(row) == 5 and all(row) for row in rows):
        yield f"tshark reads {len(rows)} packets of {n}: {rows[:1]} {p.stderr.strip()}"
    p = subprocess.run(["capinfos", "-M", "-c", str(path)], capture_output=True, text=True)
    complaint = "".join(line for line in p.stderr.splitlines(True) if "Running as user" not in line)
    if p.returncode or complaint or not re.search(rf"packets:\s+{n}$", p.stdout, re.M):
        yield f"capinfos: {p.stdout} {complaint}"
    p = subprocess.run(["tcpdump", "-n", "--count", "-Z", "root", "-r", str(path)], capture_output=True, text=True)
    if p.returncode or p.stdout.split()[:1] != [str(n)]:
        yield f"tcpdump: {p.stdout} {p.stderr.strip()}"


def file_of(step):
    return gzip.decompress(base64.b64decode("".join(step.lines["file"])))


def judge_file(step, data):
    """Faults of reading: our own reader and others."""
    try:
        _, _, packets, _ = read(data)
    except (Malformed, KeyError, TypeError, struct.error) as e:
        yield f"the file is not right: {e!r}"
        return
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "file.pcapng"
        path.write_bytes(data)
        yield from tools(path, len(packets))
    written = re.search(r"(\d+) of (\d+) packets written; left out: (\d+) by --capture-rate, (\d+) without room", step.text("error"))
    if not written:
        yield f"on stderr it says: {step.text('error')}"
        return
    packets = [p for p in packets if not p.comment.endswith(", before the program")]
    if int(written[1]) != len(packets) or sum(map(int, written.groups()[2:])) + len(packets) != int(written[2]):
        yield f"{len(packets)} packets, and on stderr: {written[0]}"


def matched(step):
    return int(re.search(r"of (\d+) packets written", step.text("error"))[1])


def judge_contents(step, rig):
    """Every packet that was sent is in the file, or left out for lack of room; its bytes, verdict, queue and order."""
    _, interfaces, packets, statistics = read(file_of(step))
    programs = [r for r in rig if r["type"] == "program"]
    fired = next(r["packets"] for r in rig if r["type"] == "fired")
    if matched(step) != fired:
        yield f"{matched(step)} packets matched of {fired} that were sent"
    if "left out: 0 by" not in step.text("error"):
        yield f"less than the rate, but refused: {step.text('error')}"
    if not packets:
        yield "no packet in the file"
    last = -1
    for p in packets:
        number = struct.unpack("<I", p.data[:4])[0]
        program, queue, act, data, length = sent(number, len(programs))
        rig_program, interface = programs[program], interfaces[p.interface]
        if rig_program["queues"] == 1:
            queue = 0
        if number <= last:
            yield f"packet {number} is after {last}"
        last = number
        if (p.data, p.length, p.queue, p.act) != (data, length, queue, act):
            yield f"packet {number} is {p}, sent {(queue, act, data, length)}"
            return
        if (interface.ifname, interface.ifindex, interface.prog_name, interface.prog_id) != tuple(
                rig_program[k] for k in ("ifname", "ifindex", "prog_name", "prog_id")):
            yield f"packet {number} is from {interface}, sent to {rig_program}"
            return
        if not re.fullmatch(r"CPU \d", p.comment):
            yield f"packet {number}: {p.comment}"
    for i, (n, left_out, written) in statistics.items():
        of_program = [p for p in packets if interfaces[p.interface].prog_id == interfaces[i].prog_id]
        if n != left_out + written or written != len(of_program):
            yield f"statistics of {interfaces[i]}: {(n, left_out, written)}, {len(of_program)} packets"
    if len(statistics) != len(programs):
        yield f"{len(statistics)} statistics of {len(programs)} programs"


def judge_pairs(step, rig):
    """Each packet as it was sent, then as its program left it."""
    _, interfaces, packets, _ = read(file_of(step))
    programs = sum(r["type"] == "program" for r in rig)
    fired = next(r["packets"] for r in rig if r["type"] == "fired")
    after = [p for p in packets if p.comment.endswith(", after the program")]
    before = {p.id: p for p in packets if p.comment.endswith(", before the program")}
    numbers = sorted(struct.unpack("<I", p.data[:4])[0] for p in after)
    if numbers != [i for i in range(fired) if sent(i, programs)[4] >= 60] or len(before) != len(after) or \
            len(packets) != 2 * len(after):
        yield f"{len(packets)} packets, {len(before)} before and {len(after)} after: {step.text('error')}"
        return
    cuts = 0
    for p in after:
        number = struct.unpack("<I", p.data[:4])[0]
        _, _, act, data, length = sent(number, programs)
        was = before[p.id]
        cut = CUT if act == UNKNOWN_MARK else 0
        cuts += cut > 0
        if (p.data, p.length, p.act) != (data, length, act):
            yield f"packet {number} is {p}"
        if was._replace(comment=p.comment, data=b"", length=0) != p._replace(data=b"", length=0) or \
                (was.length, was.data[:len(data)]) != (length + cut, data):
            yield f"packet {number} was {was}"
    if not cuts:
        yield "no packet was changed"


def chosen(data, length):
    """As the filter of the step, which compares bytes beyond those in the file: they are numbered on."""
    return data[20] % 3 == 1 and (length < 500 or (data[127] + 73) & 0xff > 100)


def chosen_long(data, _):
    return data[20] % 3 == 1 and min(data[30:45]) > 11


def judge_filter(step, rig, expected):
    """The numbers of the packets in the file: those that were sent and are expected; None = bytes that cannot be read."""
    _, interfaces, packets, _ = read(file_of(step))
    programs = sum(r["type"] == "program" for r in rig)
    fired = [sent(number, programs) for number in range(next(r["packets"] for r in rig if r["type"] == "fired"))]
    numbers = [struct.unpack("<I", p.data[:4])[0] for p in packets]
    unread = re.search(r"(\d+) packets were not compared", step.text("error"))
    if expected:
        right = [i for i, packet in enumerate(fired) if expected(*packet[3:])]
        if sorted(numbers) != right or matched(step) != len(right) or not right or unread:
            yield f"{len(numbers)} packets, {len(right)} expected: {step.text('error')}"
    elif programs == 4:
        # only its packets are so long
        right = sum(packet[0] == 3 for packet in fired)
        if not unread or int(unread[1]) != right or numbers:
            yield f"{len(numbers)} packets, {right} have fragments: {step.text('error')}"


def judge_rate(step, rig):
    """A flood of one program: no more than the rate in each second, only that device, and all were counted."""
    _, interfaces, packets, _ = read(file_of(step))
    flooded = next(r["packets"] for r in rig if r["type"] == "flooded")
    first = next(r for r in rig if r["type"] == "program")
    if matched(step) != flooded:
        yield f"{matched(step)} packets matched of {flooded} that were sent"
    if {(interfaces[p.interface].ifname, p.queue, VERDICTS[p.act]) for p in packets} != {(first["ifname"], 0, "DROP")}:
        yield f"captured: {packets[:1]}"
    for cpu in {p.comment for p in packets}:
        of_cpu = [p.time for p in packets if p.comment == cpu]
        if of_cpu != sorted(of_cpu):
            yield f"packets of {cpu} are not in order"
    times = sorted(p.time for p in packets)
    for first, after in zip(times, times[RATE:]):
        if after - first < 1e9:
            yield f"more than {RATE} packets in a second from {first} on"
    if len(times) < RATE:
        yield f"only {len(times)} packets"


def note(step, flood):
    _, interfaces, packets, _ = read(file_of(step))
    _, _, few, _ = read(file_of(flood))
    rate = matched(flood) / max((few[-1].time - few[0].time) / 1e9, 1e-9)
    return f"{len(packets)} captured packets exact, {len(interfaces)} interfaces; {len(few)} of a flood of {matched(flood)}, {rate:.0f}/s"
