"""Access logs of the common and the combined format become a Log: fields, owners, visitors, times; what is broken is counted."""

from __future__ import annotations

import gzip
import ipaddress
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from helpers.accesslog import CHROME, FIREFOX, line
from helpers.errors import refuses
from shoal.data.log import Log
from shoal.io.read.access_logs.access_log_lines import BROKEN, cut, plain_addresses
from shoal.io.read.dispatch import Reading, ReadOptions, read


def read_lines(directory: Path, *lines: str, **options: object) -> Reading:
    place = directory / "access.log"
    place.write_text("".join(lines))
    return read(place, ReadOptions(**options))  # type: ignore[arg-type]


def frame_of(reading: Reading) -> pl.DataFrame:
    assert isinstance(reading.data, Log)
    return reading.data.frame


def test_the_fields_of_a_combined_line(tmp_path: Path) -> None:
    text = line("83.149.9.216", "17/May/2015:10:05:03 +0000", "GET /a/b.png?x=1 HTTP/1.1", 304, "7", "http://e.org/", FIREFOX)
    reading = read_lines(tmp_path, text)
    assert reading.format == "accesslog"
    assert reading.notes[0] == "format accesslog, detected from its lines"
    (row,) = frame_of(reading).to_dicts()
    assert row == {
        "owner": 0,
        "time": datetime(2015, 5, 17, 10, 5, 3),
        "payload": "/a/b.png?x=1",
        "visitor": 0,
        "address": "83.149.9.216",
        "method": "GET",
        "protocol": "HTTP/1.1",
        "status": 304,
        "size": 7,
        "referrer": "http://e.org/",
        "agent": FIREFOX,
    }


def test_lines_of_all_forms_keep_their_places_and_their_fields() -> None:
    agent = r"a \"quoted\" agent"
    lines = [line(), line(agent=None), line(agent=agent), "no line", line(auth="a b")]
    lines += [line("[::1]", request="broken"), line(referrer="[x] y")]
    together = cut(pl.Series([text.rstrip("\n") for text in lines]))
    assert together.equals(pl.concat([cut(pl.Series([text.rstrip("\n")])) for text in lines]))
    assert together["address"].to_list() == ["10.0.0.1"] * 3 + [None, "10.0.0.1", "[::1]", "10.0.0.1"]
    assert together["auth"].to_list() == ["-"] * 3 + [None, "a b", "-", "-"]
    assert together["agent"].to_list() == [FIREFOX, None, agent, None, FIREFOX, FIREFOX, FIREFOX]
    assert together["page"].to_list() == ["/a"] * 3 + [BROKEN, "/a", BROKEN, "/a"]


def test_a_common_line_has_neither_referrer_nor_agent(tmp_path: Path) -> None:
    reading = read_lines(tmp_path, line(agent=None, size="-"))
    (row,) = frame_of(reading).to_dicts()
    assert (row["size"], row["referrer"], row["agent"]) == (None, None, None)
    assert "common format" in reading.notes[1]


@pytest.mark.parametrize(("packed", "name"), [(gzip.compress, "a.log.gz"), (zstandard.ZstdCompressor().compress, "a.log.zst")])
def test_packed_logs(tmp_path: Path, packed: object, name: str) -> None:
    (tmp_path / name).write_bytes(packed((line() * 3).encode()))  # type: ignore[operator]
    assert len(frame_of(read(tmp_path / name))) == 3


def test_times_with_zones_are_one_moment(tmp_path: Path) -> None:
    times = ["17/May/2015:10:05:03 +0000", "17/May/2015:12:05:03 +0200", "17/May/2015:04:35:03 -0530"]
    found = frame_of(read_lines(tmp_path, *(line(time=time) for time in times)))["time"]
    assert found.to_list() == [datetime(2015, 5, 17, 10, 5, 3)] * 3


def test_one_address_in_several_ways_of_writing_is_one_owner(tmp_path: Path) -> None:
    written = ["2001:db8::1", "2001:0DB8:0:0:0:0:0:1", "192.0.2.7", "::ffff:192.0.2.7", "Host.Example.org", "host.example.org"]
    reading = read_lines(tmp_path, *(line(address) for address in [*written, "fe80::7%eth0", "fe80::7%eth1"]))
    assert frame_of(reading)["owner"].n_unique() == 4
    assert "4 addresses are alternative spellings of others" in reading.notes


def test_broken_requests_stay_as_rows(tmp_path: Path) -> None:
    requests = [
        "-",
        "",
        r"\x16\x03\x01",
        "GET",
        "hello world",
        r"GET /\"quoted\" HTTP/1.1",
        "GET /old",
        "OPTIONS * HTTP/1.0",
        "GET /a b HTTP/1.1",
    ]
    reading = read_lines(tmp_path, *(line(request=request, status=400) for request in requests))
    found = frame_of(reading)
    broken = "(broken request)"
    assert found["payload"].to_list() == [broken] * 5 + [r"/\"quoted\"", "/old", "*", "/a b"]
    assert found["method"].to_list() == [None] * 5 + ["GET", "GET", "OPTIONS", "GET"]
    assert f"5 requests are broken; the page of such a line is {broken!r}" in reading.notes


def test_broken_lines_are_malformed_rows(tmp_path: Path) -> None:
    cut_off = line()[:-5] + "\n"
    good = [line() for _ in range(40)]
    reading = read_lines(tmp_path, *good, cut_off, line(time="32/May/2015:10:05:03 +0000"), "\n", line(status=99), line(size="٣"))
    assert reading.rows.as_dict() == {
        "in": 45,
        "used": 40,
        "blank lines": 1,
        "malformed: not a line of an access log": 3,
        "malformed: unreadable time": 1,
    }


def test_too_many_broken_lines_are_refused(tmp_path: Path) -> None:
    with refuses("too-many-malformed-rows", defects={"not a line of an access log": 1}):
        read_lines(tmp_path, line(), line(), "nothing\n", format="accesslog")


def test_a_strict_reading_refuses_the_first_broken_line(tmp_path: Path) -> None:
    with refuses("defective-rows"):
        read_lines(tmp_path, *[line()] * 20, "nothing\n", strict=True)


def test_owners_are_addresses_users_or_addresses_with_agents(tmp_path: Path) -> None:
    lines = [line("a.org", auth="ann"), line("a.org", auth="ben lee"), line("b.org", auth="ann", agent=CHROME), line("b.org", auth="ann")]
    found = {by: frame_of(read_lines(tmp_path, *lines, user=by))["owner"].to_list() for by in ("address", "auth", "address+agent")}
    assert found["address"] == [0, 0, 1, 1]
    assert found["auth"] == [0, 1, 0, 0]
    assert len(set(found["address+agent"])) == 3
    with refuses("unknown-choice", value="cookie"):
        read_lines(tmp_path, *lines, user="cookie")


def test_a_line_without_the_user_that_is_asked_for_is_malformed(tmp_path: Path) -> None:
    reading = read_lines(tmp_path, *[line(auth="ann")] * 19, line(), user="auth")
    assert reading.rows["malformed: no user"] == 1


def test_unknown_is_no_address_but_may_be_the_name_of_a_user(tmp_path: Path) -> None:
    lines = [line("unknown", auth="ann"), line("-", auth="unknown"), line(auth="-")]
    reading = read_lines(tmp_path, *lines, user="auth", malformed=0.9)
    assert reading.data.n_owners == 2
    assert reading.rows["malformed: no user"] == 1


VISITOR = "203.0.113.5"


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("-", "no user"),
        ("unknown", "no user"),
        (f"{VISITOR}:50001", "not an address"),
        ("[::1]:80", "not an address"),
        (f"{VISITOR},10.0.0.1", "not an address"),
        (f"{VISITOR},", "not an address"),
        ("010.1.1.1", "not an address"),
        (f"{VISITOR}\u200b", "not an address"),
        (f"\ufeff{VISITOR}", "not an address"),
        (f"shop.example.org:443 {VISITOR}", "not a line of an access log"),
        (f"shop.example.org {VISITOR}", "not a line of an access log"),
        (f"{VISITOR}, 10.0.0.1", "not a line of an access log"),
    ],
)
def test_one_visitor_is_not_several_people(tmp_path: Path, address: str, reason: str) -> None:
    """Ports, virtual hosts, proxies and joined files would make a person of each form."""
    reading = read_lines(tmp_path, line(VISITOR), line("host_1.example.org"), line(address), malformed=0.5)
    assert reading.data.n_owners == 2
    assert reading.rows[f"malformed: {reason}"] == 1


@pytest.mark.parametrize("front", ["shop.example.org", "shop.example.org:443"])
def test_a_line_with_a_virtual_host_has_no_user_of_that_name(tmp_path: Path, front: str) -> None:
    lines = [line(VISITOR, auth="ann"), f"{front} {line(VISITOR, auth='-')}", f"{front} {line(VISITOR, auth='ann')}"]
    reading = read_lines(tmp_path, *lines, user="auth", malformed=0.9)
    assert reading.data.n_owners == 1
    assert reading.rows["malformed: not a line of an access log"] == 2


def test_users_that_differ_in_capitals_are_asked_about(tmp_path: Path) -> None:
    lines = [line(auth="ann"), line(auth="Ann")]
    with refuses("user-spelling-unclear", written=2, folded=1):
        read_lines(tmp_path, *lines, user="auth")
    assert frame_of(read_lines(tmp_path, *lines, user="auth", owners="folded"))["owner"].n_unique() == 1


def test_a_session_is_one_address_with_one_agent_and_no_long_pause(tmp_path: Path) -> None:
    at = "17/May/2015:{} +0000".format
    lines = [
        line("a", at("10:00:00")),
        line("a", at("10:30:00")),  # a pause of just half an hour
        line("a", at("10:10:00"), agent=CHROME),
        line("a", at("11:00:01")),
        line("b", at("10:00:00")),
    ]
    reading = read_lines(tmp_path, *lines)
    assert isinstance(reading.data, Log)
    records = reading.data.bags("session")
    assert sorted(records.lengths.tolist()) == [1, 1, 1, 2]
    assert records.n_owners == 2


def test_frames_and_json_lines_are_no_access_logs(tmp_path: Path) -> None:
    with refuses("not-an-access-log"):
        read(pl.DataFrame({"user": ["a"], "item": ["b"]}), ReadOptions(format="accesslog"))
    (tmp_path / "a.jsonl").write_text('{"user": "a", "item": "b"}\n')
    with refuses("not-an-access-log"):
        read(tmp_path / "a.jsonl", ReadOptions(format="accesslog"))


@pytest.mark.parametrize("option", [{"time": "4"}, {"text": "5"}, {"sep": ","}, {"header": True}])
def test_options_of_columns_are_refused(option: dict[str, object]) -> None:
    with refuses("option-not-applicable"):
        ReadOptions(format="accesslog", **option)  # type: ignore[arg-type]


@given(
    st.lists(st.lists(st.sampled_from(["0", "00", "7", "07", "99", "100", "249", "255", "256", "1000", "a", ""]), min_size=3, max_size=5))
)
def test_addresses_are_spelled_as_the_standard_library_spells_them(pieces: list[list[str]]) -> None:
    def spelled(address: str) -> str:
        try:
            return str(ipaddress.ip_address(address))
        except ValueError:
            return address.rstrip(".")

    written = [".".join(parts) for parts in pieces] * 2
    assert plain_addresses(pl.Series(written, dtype=pl.String)).to_list() == [spelled(address) for address in written]
