"""Every field of an access log is judged, or must be allowed by its name; a single file and a release alike."""

from __future__ import annotations

import json

import pytest

from helpers.accesslog import line, visits
from helpers.cli import Shell, failed

CLAIM = ("--claim", "access-k-anonymity(k=3)")


def log(shell: Shell, *lines: str) -> str:
    return shell.file("a.log", "".join(lines)).name


def test_three_users_of_three_addresses(shell: Shell):
    told = '10.0.0.{0} - ann{0} [01/Mar/2006:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n'
    answer = shell("audit", log(shell, *(told.format(n) for n in (1, 2, 3))), *CLAIM)
    assert answer.code == 3
    assert "THE AUDIT FAILS" in answer.out
    assert "no claim covers 'authuser'" in answer.out
    assert "ann" not in answer.everything.replace("cannot", "")
    allowed = shell("audit", "a.log", *CLAIM, "--allow-column", "authuser", "-v")
    assert allowed.code == 0
    assert "'authuser' was allowed without verification" in allowed.out


FIELDS = {
    "authuser": [line(f"10.0.0.{n}", auth=f"u{n}") for n in (1, 2, 3)],
    "ident": [line(f"10.0.0.{n}").replace(" - - ", f" id{n} - ") for n in (1, 2, 3)],
    "address": [line(f"192.0.2.{n}") for n in (1, 2, 3)],
    "time zone": [line(f"10.0.0.{n}", time=f"17/May/2015:1{n}:05:03 +0{n}00") for n in (1, 2, 3)],
}


@pytest.mark.parametrize("form", ["combined", "common"])
@pytest.mark.parametrize("name", FIELDS)
def test_a_field_that_no_claim_covers_is_allowed_by_its_name(shell: Shell, name: str, form: str):
    combined = FIELDS[name]
    lines = combined if form == "combined" else [text.partition(' "-" ')[0] + "\n" for text in combined]
    file = log(shell, *lines)
    answer = shell("audit", file, *CLAIM)
    assert answer.code == 3, answer.everything
    assert f"no claim covers '{name}'" in answer.out
    assert shell("audit", file, *CLAIM, "--allow-column", name).code == 0


def test_fields_are_allowed_one_by_one(shell: Shell):
    file = log(shell, *(line(f"192.0.2.{n}", auth=f"u{n}") for n in (1, 2, 3)))
    half = shell("audit", file, *CLAIM, "--allow-column", "authuser", "-v")
    assert half.code == 3
    assert "no claim covers 'address'" in half.out
    assert shell("audit", file, *CLAIM, "--allow-column", "authuser", "--allow-column", "address").code == 0
    assert "'ident'" in failed(shell("audit", file, *CLAIM, "--allow-column", "ident"), "unknown-column")


DIFFERENT = {
    "method": [line(f"10.0.0.{n}", request=f"{word} /a HTTP/1.1") for n, word in ((1, "GET"), (2, "POST"), (3, "PUT"))],
    "protocol": [line(f"10.0.0.{n}", request=f"GET /a HTTP/1.{n}") for n in (1, 2, 3)],
    "query string": [line(f"10.0.0.{n}", request=f"GET /a?u={n} HTTP/1.1") for n in (1, 2, 3)],
    "status": [line(f"10.0.0.{n}", status=200 + n) for n in (1, 2, 3)],
    "size": [line(f"10.0.0.{n}", size=str(n)) for n in (1, 2, 3)],
    "no size": [line(f"10.0.0.{n}", size="-" if n == 1 else "5") for n in (1, 2, 3)],
    "referrer": [line(f"10.0.0.{n}", referrer=f"http://{n}.org") for n in (1, 2, 3)],
    "agent": [line(f"10.0.0.{n}", agent=f"agent {n}") for n in (1, 2, 3)],
    "time": [line(f"10.0.0.{n}", time=f"17/May/2015:10:05:0{n} +0000") for n in (1, 2, 3)],
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_field_that_differs_within_a_group_breaks_the_claim(shell: Shell, name: str):
    assert shell("audit", log(shell, *(line(f"10.0.0.{n}") for n in (1, 2, 3))), *CLAIM).code == 0
    answer = shell("audit", log(shell, *DIFFERENT[name]), *CLAIM)
    assert answer.code == 3, answer.everything
    assert "A CLAIM DOES NOT HOLD" in answer.out


def test_a_field_of_a_release_is_allowed_by_its_name(shell: Shell):
    shell.file("in.log", visits(10))
    assert shell("anonymize", "in.log", "--method", "accesslog-mdav", "--k", "3", "--out", "release").code == 0
    told = json.loads(shell("audit", "release", "--json").out)
    assert told["holds"] is True
    assert told["not_checked"] == [
        "page, time, method, protocol, status, size, referrer, agent",
        "whether the published addresses are in a random order",
    ]
    file = shell.directory / "release" / "access.log"
    file.write_text(file.read_text().replace(" - - [", " - someone ["))
    answer = shell("audit", "release", "--allow-column", "authuser", "-v")
    assert answer.code == 3  # the digest
    assert "'authuser' was allowed without verification" in answer.out
    assert "no claim covers" not in answer.out
