"""Attacks byte by byte on a server as a user starts it: odd requests that a client library would not send."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from helpers.studio import CHANGE
from helpers.studio_server import served

PAGE = b"Open a file"
ODD = 1.0  # seconds of silence after a request to which no answer is due


@dataclass
class Wire:
    """The port of a server, and a session."""

    port: int
    token: str = ""
    cookie: str = ""
    change: str = ""

    def send(self, *pieces: bytes, seconds: float = 20) -> bytes:
        """Send bytes; everything that comes back until the server closes the connection, or is silent."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as line:
            found = b""
            try:
                for piece in pieces:
                    line.sendall(piece)
                while piece := line.recv(1 << 16):
                    found += piece
            except (TimeoutError, ConnectionError):
                pass
        return found

    def request(self, first: str, *headers: str, host: str | None = None, session: bool = True, body: bytes = b"") -> bytes:
        lines = [first, f"Host: {f'127.0.0.1:{self.port}' if host is None else host}", *([f"Cookie: {self.cookie}"] if session else [])]
        return "\r\n".join([*lines, *headers, "Connection: close", "", ""]).encode("latin-1") + body

    def status(self, *pieces: bytes) -> int:
        """The status of the first answer; 0 if there is none."""
        found = re.match(rb"HTTP/1\.1 (\d+)", self.send(*pieces))
        return int(found[1]) if found else 0


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    place = tmp_path_factory.mktemp("wire")
    with served("--root", str(place), place=place) as server:
        found = Wire(server.port, server.address.partition("token=")[2])
        opened = found.send(found.request(f"GET /?{server.address.partition('?')[2]} HTTP/1.1", session=False)).decode()
        found.cookie = re.search(r"set-cookie: ([^;]+)", opened, re.IGNORECASE)[1]  # type: ignore[index]
        found.change = CHANGE.search(found.send(found.request("GET / HTTP/1.1")).decode())[1]  # type: ignore[index]
        yield found
        assert PAGE in found.send(found.request("GET / HTTP/1.1")), "an attack ended the server"
        server.end()


HOSTS = [
    "127.0.0.1:{}.",
    "127.0.0.1:{}@evil.example",
    "evil.example#127.0.0.1:{}",
    "127.0.0.1.nip.io:{}",
    "xn--1-7ga.example:{}",
    "[::1]:{}",
]
MORE_HOSTS = [
    "127.1:{}",
    "0x7f.1:{}",
    "2130706433:{}",
    "127.0.0.1:0{}",
    "\xbc27.0.0.1:{}",
    "localhost\xad:{}",
    "127.0.0.1:{} evil",
    "0.0.0.0:{}",
]


@pytest.mark.parametrize("host", [*HOSTS, *MORE_HOSTS])
def test_other_spellings_of_the_host_are_refused(wire: Wire, host: str) -> None:
    assert wire.status(wire.request("GET / HTTP/1.1", host=host.format(wire.port))) in {400, 421}


@pytest.mark.parametrize("first", ["GET http://evil.example/ HTTP/1.1", "GET //evil.example/ HTTP/1.1", "CONNECT evil.example:80 HTTP/1.1"])
def test_a_foreign_address_in_the_request_line_leads_nowhere(wire: Wire, first: str) -> None:
    found = wire.send(wire.request(first))
    assert b"evil.example" not in found
    assert b"HTTP/1.1 200" not in found


@pytest.mark.parametrize(
    "header", ["X-Forwarded-Host: evil.example", "X-Forwarded-For: 1.2.3.4", "Forwarded: host=evil.example", "X-Original-URL: /history"]
)
def test_headers_of_proxies_do_not_count(wire: Wire, header: str) -> None:
    assert PAGE in wire.send(wire.request("GET / HTTP/1.1", header))
    assert wire.status(wire.request("GET / HTTP/1.1", header, session=False)) == 403


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Content-Length: 5", "Content-Length: 50"),
        ("Content-Length: -1",),
        ("Content-Length: +5",),
        ("Content-Length: 5, 5000",),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding: xchunked",),
        ("Transfer-Encoding : chunked",),
        ("Content-Length: 0x5",),
        ("X-A: b\r\n folded: Transfer-Encoding", "Content-Length: ٥".encode().decode("latin-1")),
    ],
)
def test_no_request_is_smuggled_behind_an_ambiguous_length(wire: Wire, headers: tuple[str, ...]) -> None:
    """The second request has a session. If it is answered, it was taken from what a proxy would have taken for a body."""
    hidden = wire.request("GET /history HTTP/1.1")
    body = b"0\r\n\r\n" + hidden
    lines = [f"Host: 127.0.0.1:{wire.port}", f"Origin: http://127.0.0.1:{wire.port}", "Content-Type: application/x-www-form-urlencoded"]
    first = "\r\n".join(["POST /open/sample HTTP/1.1", *lines, *headers, "", ""]).encode("latin-1")
    found = wire.send(first + body, seconds=ODD)
    assert b"<h1>History</h1>" not in found
    assert b"HTTP/1.1 200" not in found


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"GET /\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),  # a greeting of TLS
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\nHost: x\n\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"\x00" * 5000,
        b"GET / HTTP/1.1\r\nHost: x\r\nA: \x00\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 20_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nA: " + b"b" * (1 << 20) + b"\r\n\r\n",
    ],
)
def test_what_is_no_request_gets_no_page(wire: Wire, bytes_sent: bytes) -> None:
    assert b"HTTP/1.1 200" not in wire.send(bytes_sent, seconds=ODD)


def test_a_huge_query_gets_no_page_and_a_large_one_no_session(wire: Wire) -> None:
    assert wire.status(wire.request("GET /?" + "a=b&" * 500_000 + " HTTP/1.1")) in {0, 400, 413, 414, 431}
    assert wire.status(wire.request("GET /?" + "token=x&" * 5_000 + " HTTP/1.1")) == 403
    assert wire.status(wire.request("GET /open/names?typed=" + "%2e%2e%2f" * 5_000 + " HTTP/1.1")) == 200


def test_a_web_socket_is_not_opened(wire: Wire) -> None:
    upgrade = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
    lines = wire.request("GET / HTTP/1.1", *upgrade).replace(b"Connection: close", b"Connection: Upgrade")
    assert b"101 Switching" not in wire.send(lines, seconds=ODD)


def test_a_cookie_that_was_planted_before_ours_opens_nothing(wire: Wire) -> None:
    name = wire.cookie.partition("=")[0]
    for cookies in (f"{name}=planted; {wire.cookie}; {name}=planted", f"{name.upper()}={wire.cookie.partition('=')[2]}", f"{wire.cookie}x"):
        found = wire.request("GET / HTTP/1.1", f"Cookie: {cookies}", session=False)
        assert wire.status(found) == 403


def test_a_method_in_a_header_or_field_changes_nothing(wire: Wire) -> None:
    field = wire.request("GET /open/sample?_method=POST&sample=people HTTP/1.1", "X-HTTP-Method-Override: POST")
    assert wire.status(field) in {404, 405}


def test_many_ranges_of_a_file_are_not_all_sent(wire: Wire) -> None:
    ranges = ",".join(f"{n}-{n}" for n in range(5_000))
    begun = time.monotonic()
    assert len(wire.send(wire.request("GET /static/studio.css HTTP/1.1", f"Range: bytes={ranges}"))) < 100_000
    assert time.monotonic() - begun < 10


def test_connections_that_are_left_idle_do_not_keep_others_out(wire: Wire) -> None:
    idle = [socket.create_connection(("127.0.0.1", wire.port), timeout=20) for _ in range(100)]
    try:
        for line in idle:
            line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1")  # and never the rest
        assert PAGE in wire.send(wire.request("GET / HTTP/1.1"))
    finally:
        for line in idle:
            line.close()


def test_a_session_is_of_a_request_and_not_of_its_connection(wire: Wire) -> None:
    """The second request on the same connection has no cookie, as behind a proxy that shares connections among its users."""
    first = wire.request("GET / HTTP/1.1").replace(b"Connection: close", b"Connection: keep-alive")
    found = wire.send(first + wire.request("GET /history HTTP/1.1", session=False))
    assert [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+)", found)] == [200, 403]
    assert b"<h1>History</h1>" not in found


def test_a_form_in_endless_small_pieces_is_ended(wire: Wire) -> None:
    """No length is announced, so only what has arrived can be counted."""
    headers = (f"Origin: http://127.0.0.1:{wire.port}", "Content-Type: application/x-www-form-urlencoded", "Transfer-Encoding: chunked")
    piece = b"1000\r\n" + b"a=b&" * 1024 + b"\r\n"
    found = wire.send(wire.request("POST /open/sample HTTP/1.1", *headers), *[piece] * 2_000, seconds=ODD)
    assert b"HTTP/1.1 2" not in found
    assert b"HTTP/1.1 3" not in found
    assert PAGE in wire.send(wire.request("GET / HTTP/1.1"))


def test_the_token_of_the_address_opens_nothing_elsewhere(wire: Wire) -> None:
    name = wire.cookie.partition("=")[0]
    for header in (f"Cookie: {name}={wire.token}", f"Authorization: Bearer {wire.token}", f"X-Token: {wire.token}"):
        assert wire.status(wire.request("GET /history HTTP/1.1", header, session=False)) == 403
    origin = (f"Origin: http://127.0.0.1:{wire.port}", "Content-Length: 0")
    assert wire.status(wire.request(f"POST /open/sample?token={wire.token} HTTP/1.1", *origin, session=False)) == 403
    assert wire.status(wire.request("POST /open/sample HTTP/1.1", f"X-Shoal-Change: {wire.token}", *origin)) == 403


def test_a_body_that_ends_early_leaves_nothing(wire: Wire) -> None:
    headers = (f"Origin: http://127.0.0.1:{wire.port}", f"X-Shoal-Change: {wire.change}", "X-File-Name: x.csv", "Content-Length: 1000")
    wire.send(wire.request("POST /open/upload HTTP/1.1", *headers, body=b"user,item\n"), seconds=ODD)
    assert b"x.csv" not in wire.send(wire.request("GET / HTTP/1.1"))
