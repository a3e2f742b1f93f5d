# SPDX-License-Identifier: GPL-2.0-or-later
"""--listen over a recording: it serves the output of -o prometheus, and clients cannot harm it."""
import concurrent.futures
import contextlib
import http.client
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import time

import pytest

from batch import DEADLINE, DEMO, DONE, ENV, FILE, USAGE, XDPTOP, output, run, xdptop

REQUESTS = [b"GET /metrics?a=b HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
            b"HEAD http://[::1]:80/metrics HTTP/1.0\r\nConnection: keep-alive\r\nProxy-Connection: keep-alive\r\n\r\n",
            b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
            b"PUT /%00 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nTrailer: x\r\n\r\n"]
PIECES = [b"\0", b"\r\n", b"\n ", b"%", b"[", b"\xff", b"HTTP/9.9", b"-1", b"9" * 20, b"f" * 16 + b"\r\n", b"CONNECT ",
          b"\r\n\r\n", b"Content-Length: 18446744073709551615\r\n", b"Transfer-Encoding: chunked\r\n", b"a" * 5000, b"a: b\r\n" * 900]
OPEN_METRICS = {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"}


@contextlib.contextmanager
def listening(*args, at="0", **kwargs):
    """The process and its address, once it listens."""
    p = subprocess.Popen([XDPTOP, *args, "--listen", at], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         **{"stdin": subprocess.DEVNULL, **kwargs})
    try:
        line = p.stderr.readline().decode()
        (address,) = re.findall(r"^xdptop: --listen: http://(.*)/metrics$", line)
        yield p, address
        if p.poll() is None:
            with contextlib.suppress(ConnectionError):
                ask(address)  # before it serves, it does not handle signals itself
        p.send_signal(signal.SIGINT)
        assert (p.communicate(timeout=DEADLINE), p.returncode) == ((b"", b""), DONE)
    finally:
        p.kill()
        p.wait()


def ask(address, path="/metrics", method="GET", headers=None):
    """Returns the answer and its body."""
    connection = http.client.HTTPConnection(address, timeout=DEADLINE)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def metrics(address, last=None, headers=None):
    """Returns the answer and its body once a snapshot was read; a replay needs the last one, if that is requested."""
    deadline = time.monotonic() + DEADLINE
    while True:
        answer, body = ask(address, headers=headers)
        if answer.status == 200 and last in (None, body):
            return answer, body
        assert answer.status in (200, 503) and time.monotonic() < deadline, body


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The end of the demo as a file."""
    path = tmp_path_factory.mktemp("listen") / "f.prom"
    output("-r", DEMO, "-o", "prometheus", "--to", path)
    return path.read_bytes()


def test_is_the_file(written):
    with listening("-r", DEMO) as (_, address):
        answer, _ = metrics(address, written)
        assert answer.getheader("Content-Type") == "text/plain; version=0.0.4; charset=utf-8"
        assert ask(address, method="HEAD")[1] == b""
        assert ask(address, "/healthz")[1] == b"ok\n"
        assert b'href="metrics"' in ask(address, "/")[1]
        assert ask(address, "/x")[0].status == 404
        assert ask(address, "/metrics%00x")[0].status == 404
        assert ask(address, method="POST")[0].status == 405


@pytest.mark.parametrize("at,status", [("127.0.0.1:0", 403), ("127.0.0.2:0", 403), ("[::1]:0", 403),
                                       ("0.0.0.0:0", 200)])
def test_names(at, status):
    """DNS rebinding is blocked on a loopback address; elsewhere Prometheus may use any name."""
    if at.startswith("[") and not os.path.exists("/proc/net/if_inet6"):
        pytest.skip("no IPv6 here")
    with listening("-r", DEMO, at=at) as (_, address):
        address = address.replace("0.0.0.0", "127.0.0.1")
        metrics(address, headers={"Host": "localhost"})
        assert ask(address, headers={"Host": "example.com"})[0].status == status
        for own in (socket.gethostname(), address, "10.0.0.1", "[2001:db8::1]:9435"):
            assert ask(address, headers={"Host": own})[0].status == 200


def test_queries(written):
    """Each is answered, whatever its length and number of parts."""
    with listening("-r", DEMO) as (_, address):
        metrics(address, written)
        for part in ("a&", "a=b&", "a"):
            for size in (0, 1200, 6000):
                assert ask(address, f"/metrics?{part * (size // len(part))}")[1] == written
            assert ask(address, f"/metrics?{part * (9000 // len(part))}")[0].status == 400


def test_open_metrics(written):
    """The same values; a counter's family is named without _total."""
    want = re.sub(rb"^# (HELP|TYPE) (\w+)_total ", rb"# \1 \2 ", written, flags=re.M) + b"# EOF\n"
    assert want.count(b"\n# TYPE ") > 20
    with listening("-r", DEMO) as (_, address):
        answer, _ = metrics(address, want, OPEN_METRICS)
        assert answer.getheader("Content-Type") == "application/openmetrics-text; version=1.0.0; charset=utf-8"


@pytest.mark.release
def test_promtool(promtool, written):
    with listening("-r", DEMO, "-C") as (_, address):
        p = run(promtool, "check", "metrics", input=metrics(address)[1])
    assert (p.returncode, p.stdout, p.stderr) == (0, b"", b"")
    p = run(promtool, "check", "metrics", input=written)
    assert (p.returncode, p.stdout, p.stderr) == (0, b"", b"")


def test_many_clients(written):
    """
    Each of 200 simultaneous clients gets everything or, beyond the limit per address, nothing. Half send no
    request.
    """
    with listening("-r", DEMO) as (_, address):
        metrics(address, written)
        host, port = address.split(":")
        silent = [socket.create_connection((host, port)) for _ in range(16)]

        def one(_):
            try:
                answer, body = ask(address)
            except ConnectionError:
                return None
            assert answer.status == 200
            return body

        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            bodies = list(pool.map(one, range(2000)))
        assert set(bodies) <= {written, None} and written in bodies
        for s in silent:
            s.close()
        metrics(address, written)


def mutated(chance):
    request = bytearray(chance.choice(REQUESTS))
    for _ in range(chance.randint(1, 6)):
        i = chance.randrange(len(request) + 1)
        new = b"", bytes([chance.randrange(256)]), bytes(request[:40]), chance.choice(PIECES)
        request[i:i + chance.choice((0, 1, 9))] = chance.choice(new)
    return request


def test_mutations(written):
    """Malformed requests: each gets an answer or is closed, and none leaves anything behind."""
    chance, peaks = random.Random(1), []
    with listening("-r", DEMO) as (p, address):
        metrics(address, written)
        for i in range(3000):
            if i % 1000 == 0:
                peaks.append(int(re.search(r"VmHWM:\s*(\d+)", pathlib.Path(f"/proc/{p.pid}/status").read_text())[1]))
            answer = b""
            with socket.create_connection(address.split(":"), timeout=DEADLINE) as s, \
                    contextlib.suppress(ConnectionError):
                s.sendall(mutated(chance))
                with contextlib.suppress(OSError):  # it may be closed already
                    s.shutdown(socket.SHUT_WR)
                while piece := s.recv(1 << 16):
                    answer += piece
            assert not answer or re.match(rb"HTTP/[\d.-]+ (100|200|40[0345]|41[37]|50[13]) ", answer), answer[:100]
        assert peaks[2] - peaks[1] < 256, peaks
        metrics(address, written)


@pytest.mark.parametrize("at,where", [("127.0.0.2:0", "127.0.0.2"), ("localhost:0", "127.0.0.1"), (":0", "127.0.0.1"),
                                      ("[::1]:0", "[::1]"), ("0.0.0.0:0", "0.0.0.0")])
def test_addresses(at, where):
    if where == "[::1]" and not os.path.exists("/proc/net/if_inet6"):
        pytest.skip("no IPv6 here")
    with listening("-r", DEMO, at=at) as (_, address):
        host, port = address.rsplit(":", 1)
        assert host == where
        metrics(f"{host.replace('0.0.0.0', '127.0.0.1')}:{port}")


def test_only_where_it_was_asked_for(written):
    with listening("-r", DEMO) as (_, address):
        metrics(address, written)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.3", address.split(":")[1]))


def test_a_pipe(written):
    """Served while it lasts, and no longer: its writer has stopped counting."""
    recording = pathlib.Path(DEMO).read_bytes()
    with listening("-r", "-", stdin=subprocess.PIPE) as (p, address):
        p.stdin.write(recording)
        p.stdin.flush()
        metrics(address, written)
        p.stdin.close()
        p.stdin = None
        assert p.wait(DEADLINE) == DONE


def test_iterations():
    with listening("-r", DEMO, "-n", "1") as (p, _):
        assert p.wait(DEADLINE) == DONE


def test_refusals():
    with listening("-r", DEMO) as (_, address):
        p = xdptop("-r", DEMO, "--listen", address)
        assert (p.returncode, p.stdout) == (FILE, b"")
        assert p.stderr.decode() == (f"xdptop: --listen {address}: Address already in use; another process listens "
                                     "there, so give another port\n")
    p = xdptop("-r", DEMO, "--listen", "192.0.2.1:9435")
    assert p.returncode == FILE and b"; no device here has this address" in p.stderr
    p = xdptop("-r", DEMO, "--listen", "9435", "-o", "json")
    assert p.returncode == USAGE
    if int(pathlib.Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text()) > 79:
        p = xdptop("-r", DEMO, "--listen", "79")
        assert p.returncode == FILE and b": Permission denied; ports below 1024 need a capability" in p.stderr
