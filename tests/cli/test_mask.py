"""shoal mask: a log in the same format with fewer details, labelled as without a guarantee, verified, and read by log tools."""

from __future__ import annotations

import gzip
import ipaddress
import json
import os
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

import shoal
from helpers.accesslog import CHROME, FIREFOX, line, visits
from helpers.cli import Shell, failed, one_line
from shoal.io.read.dispatch import read
from shoal.masking import mask_lines

SECRET = "zqann"
LOG = "".join(
    [
        line("198.51.100.77", "17/May/2015:12:34:56 +0200", f"GET /a/b.html;sid={SECRET}?q={SECRET} HTTP/1.1", auth=SECRET),
        line("198.51.100.78", request=f"GET http://{SECRET}:pw@host/x%3Fq={SECRET} HTTP/1.1", referrer=f"http://s.example/?q={SECRET}"),
        line("2001:db8:1:2:3::4", request=f"GET /search#{SECRET} HTTP/1.0", agent=f"{SECRET}-robot/1.2"),
        line("::ffff:198.51.100.77", request=f"\\x16\\x03{SECRET}", status=400),
        line(f"{SECRET}.example.org", agent=CHROME),
        line("10.1.2.3", agent=None, auth="- ben"),
        "half a line\n",
    ]
)


@pytest.fixture
def log(shell: Shell) -> Shell:
    shell.file("access.log", LOG)
    return shell


def masked(shell: Shell, *words: str, out: str = "masked.log") -> list[str]:
    answer = shell("mask", "access.log", "--out", out, "--malformed", "0.5", *words)
    assert answer.code == 0, answer.err
    return (shell.directory / out).read_text().splitlines()


def addresses(lines: list[str]) -> list[str]:
    return [one.split()[0] for one in lines]


def test_what_the_defaults_remove(log: Shell) -> None:
    lines = masked(log)
    assert addresses(lines) == ["198.51.100.0", "198.51.100.0", "2001:db8:1::", "198.51.100.0", "host.invalid", "10.1.2.0"]
    assert [one for one in lines if SECRET in one] == []
    assert lines[0] == '198.51.100.0 - - [17/May/2015:10:00:00 +0000] "GET /a/b.html HTTP/1.1" 200 512 "-" "Firefox"'
    assert '"GET http://host/x HTTP/1.1" 200 512 "http://s.example/" "Firefox"' in lines[1]
    assert lines[2].endswith('"-" "Robot"')
    assert '"-" 400' in lines[3]
    assert lines[5] == '10.1.2.0 - - [17/May/2015:10:00:00 +0000] "GET /a HTTP/1.1" 200 512'


def test_it_says_everywhere_that_nothing_is_guaranteed(log: Shell) -> None:
    answer = log("mask", "access.log", "--out", "masked.log", "--malformed", "0.5")
    assert "WITHOUT ANY GUARANTEE" in answer.out
    assert "warning: no guarantee. Not protected:" in " ".join(answer.err.split())
    label = (log.directory / "masked.log.NO-GUARANTEE.txt").read_text()
    assert label.startswith("Nothing is guaranteed. Not protected: visitors whose pages")
    told = json.loads(log("mask", "access.log", "--out", "masked.log", "--malformed", "0.5", "--force", "--json").out)
    assert told["no_guarantee"].startswith("Nothing is guaranteed.")
    assert told["rows"] == {"in": 7, "used": 6, "malformed: not a line of an access log": 1}
    assert "guarantee" in log("mask", "--help").out.lower()


def test_malformed_lines_are_counted_and_refused_where_they_are_many(log: Shell) -> None:
    line = one_line(log("mask", "access.log", "--out", "masked.log", "--strict"))
    assert "not a line of an access log: line 7" in line
    assert "too-many" not in line
    assert "1 of 7 rows" in log("mask", "access.log", "--out", "masked.log").err
    assert log.names() == {"access.log"}
    log.file("text.txt", "hello\nworld\n")
    failed(log("mask", "text.txt", "--out", "masked.log"), "not-an-access-log")


def test_keyed_addresses_and_users_are_the_same_under_one_key(log: Shell) -> None:
    log.file("key", "0123456789abcdefKEYKEYKEY")
    keyed = ("--addresses", "keyed", "--users", "keyed", "--key", "key")
    first, second = masked(log, *keyed), masked(log, *keyed, out="second.log")
    assert first == second
    found = [ipaddress.ip_address(one) for one in addresses(first)]
    assert all(one in ipaddress.ip_network("fd00::/8") for one in found)
    assert found[0] == found[3] != found[1], "spellings of one address are one address"
    assert len(first[0].split()[2]) == 32
    assert addresses(masked(log, "--addresses", "keyed", out="third.log")) != addresses(first)
    assert "from a file" in (log.directory / "masked.log.NO-GUARANTEE.txt").read_text()
    assert "nothing is keyed" in one_line(log("mask", "access.log", "--out", "x.log", "--key", "key"))


def test_every_field_may_be_kept_or_removed(log: Shell) -> None:
    lines = masked(log, "--addresses", "remove", "--times", "day", "--agents", "remove", "--queries", "keep")
    assert set(addresses(lines)) == {"0.0.0.0"}
    assert all("[17/May/2015:00:00:00 +0000]" in one for one in lines)
    assert f"?q={SECRET}" in lines[0]
    assert lines[0].endswith('"-" "-"')
    assert FIREFOX in masked(log, "--agents", "keep", "--times", "minute", "--ipv4-bits", "16", out="other.log")[0]
    assert addresses(masked(log, "--ipv4-bits", "16", out="third.log"))[0] == "198.51.0.0"


def test_a_mistake_in_the_masking_is_found_and_nothing_is_left(log: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mask_lines.LineMasker, "_truncated", lambda self, address: "198.51.100.77")
    monkeypatch.setattr(mask_lines.LineMasker, "_without_query", lambda self, column: pl.col(column))
    monkeypatch.setattr(mask_lines, "family_of", lambda agent: agent)
    monkeypatch.setitem(mask_lines.UNITS, "hour", "1s")
    answer = log("mask", "access.log", "--out", "masked.log", "--malformed", "0.5")
    assert answer.code == 3
    for what in ("6 addresses are not masked", "6 times are finer than a hour", "query strings are left", "user agents are not masked"):
        assert what in answer.err, answer.err
    assert log.names() == {"access.log"}


def test_an_input_is_not_replaced_and_an_output_only_if_asked(log: Shell) -> None:
    failed(log("mask", "access.log", "--out", "access.log", "--force"), "output-replaces-input")
    masked(log)
    assert "exists already" in log("mask", "access.log", "--out", "masked.log", "--malformed", "0.5").err


def test_compressed_in_and_out_and_from_python(log: Shell) -> None:
    (log.directory / "access.log.gz").write_bytes(gzip.compress(LOG.encode()))
    done = shoal.mask(log.directory / "access.log.gz", log.directory / "masked.log.gz", malformed=0.5, times="day")
    assert done.rows.total == 7
    assert done.lack.startswith("Nothing is guaranteed.")
    assert gzip.decompress((log.directory / "masked.log.gz").read_bytes()).count(b"\n") == 6


@pytest.mark.parametrize("combined", [True, False], ids=["combined", "common"])
def test_the_same_reader_and_goaccess_read_every_line(shell: Shell, combined: bool) -> None:
    text = visits(20, sessions=2, agent=CHROME if combined else None)
    shell.file("access.log", text)
    for n, words in enumerate([(), ("--addresses", "keyed", "--agents", "keep")]):
        place = shell.directory / f"masked{n}.log"
        assert shell("mask", "access.log", "--out", place, *words).code == 0
        lines = len(text.splitlines())
        assert read(place).rows.as_dict() == {"in": lines, "used": lines}
        if shutil.which("goaccess") is None:
            pytest.skip("goaccess is not installed")
        assert goaccess(place, "COMBINED" if combined else "COMMON") == (lines, 0)


def goaccess(place: Path, form: str) -> tuple[int, int]:
    """The requests that goaccess reads and those that it cannot read."""
    report = place.with_suffix(".json")
    command = ["goaccess", str(place), f"--log-format={form}", "--no-progress", "--no-global-config", "-o", str(report)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    general = json.loads(report.read_text())["general"]
    return general["valid_requests"], general["failed_requests"]


def test_a_file_whose_name_is_no_text_gets_its_label(log: Shell) -> None:
    assert len(masked(log, out="\udcff")) == 6
    assert (log.directory / "\udcff.NO-GUARANTEE.txt").exists()


def test_a_pipe_is_not_replaced_by_the_log(log: Shell) -> None:
    os.mkfifo(log.directory / "pipe")
    failed(log("mask", "access.log", "--out", "pipe", "--malformed", "0.5", "--force"), "output-exists")
    assert (log.directory / "pipe").is_fifo()
