"""The method accesslog-mdav as it is typed: a log in, a log out that standard tools read, audited from the file and with the original."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.accesslog import CHROME, line, visits
from helpers.cli import Answer, Shell
from shoal.data.log import Log
from shoal.io.read.dispatch import read

ADDRESSES = re.compile(r"^(\S+) ", re.MULTILINE)
REAL = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[3] / "shared" / "data")) / "apache-combined-10k.log.gz"


def masked(shell: Shell, text: str, *words: str, k: int = 3) -> Answer:
    log = shell.file("input.log", text)
    return shell("anonymize", log, "--method", "accesslog-mdav", "--k", str(k), "--out", shell.directory / "out", "--force", *words)


def published(shell: Shell) -> str:
    return (shell.directory / "out" / "access.log").read_text()


def goaccess(place: Path, form: str, report: Path) -> dict[str, int]:
    """What goaccess counts in a log."""
    command = ["goaccess", str(place), f"--log-format={form}", "--no-progress", "--no-global-config", "-o", str(report)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    general: dict[str, int] = json.loads(report.read_text())["general"]
    return general


@pytest.mark.parametrize("per", ["owner", "session", "row"])
def test_a_release_is_written_and_audited(shell: Shell, per: str) -> None:
    answer = masked(shell, visits(10, sessions=2), "--per", per)
    assert answer.code == 0, answer.everything
    assert sorted(place.name for place in (shell.directory / "out").iterdir()) == ["access.log", "manifest.json", "report.html"]
    assert shell("audit", shell.directory / "out").code == 0
    checked = shell("audit", shell.directory / "out", "--original", shell.directory / "input.log")
    assert checked.code == 0, checked.everything
    assert ("NOT CHECKABLE" in checked.out) == (per == "session")
    assert bool(re.search("profile belongs to at least [345] people", " ".join(checked.out.split()))) == (per == "owner")


def test_blocks_do_not_depend_on_the_order_of_lines(shell: Shell) -> None:
    lines = visits(60).splitlines(keepends=True)
    found = []
    for some in (lines, lines[::-1]):
        assert masked(shell, "".join(some), "--block", "24", k=2).code == 0
        found.append(sorted(ADDRESSES.sub("", published(shell)).splitlines()))
    assert found[0] == found[1]
    assert masked(shell, "".join(lines), "--block", "60", k=2).code == 0
    assert sorted(ADDRESSES.sub("", published(shell)).splitlines()) != found[0], "all in one block must differ, or blocks do nothing"


@pytest.mark.parametrize("combined", [True, False], ids=["combined", "common"])
def test_the_masked_log_is_read_line_by_line_by_the_same_reader_and_by_goaccess(shell: Shell, combined: bool) -> None:
    broken = line(request=r"\x16\x03", status=400, agent=CHROME if combined else None)
    masked(shell, visits(10, sessions=2, agent=CHROME if combined else None) + broken + "half a line\n")
    out = shell.directory / "out" / "access.log"
    lines = published(shell).splitlines()
    again = read(out)
    assert again.rows.as_dict() == {"in": len(lines), "used": len(lines)}
    assert all((text.count('"') == 6) == combined for text in lines)
    if shutil.which("goaccess") is None:
        pytest.skip("goaccess is not installed")
    counted = goaccess(out, "COMBINED" if combined else "COMMON", shell.directory / "counted.json")
    assert (counted["total_requests"], counted["valid_requests"], counted["failed_requests"]) == (len(lines), len(lines), 0)


def test_nothing_of_an_original_address_is_published(shell: Shell) -> None:
    text = "".join(line(f"192.0.2.{n}") + line(f"2001:db8::{n:x}") + line(f"host{n}.example.org", auth=f"user{n}") for n in range(5))
    masked(shell, text)
    shown = set(ADDRESSES.findall(published(shell)))
    assert len(shown) == 15
    assert all(address.startswith("10.") for address in shown)
    everything = (
        published(shell) + (shell.directory / "out" / "manifest.json").read_text() + (shell.directory / "out" / "report.html").read_text()
    )
    assert not re.search(r"192\.0\.2|2001:db8|example\.org|user\d", everything)


def test_addresses_are_numbered_in_a_fresh_order(shell: Shell) -> None:
    seen = set()
    for _ in range(3):
        masked(shell, visits(10))
        addresses = ADDRESSES.findall(published(shell))
        assert set(addresses) == {f"10.0.0.{n}" for n in range(1, 11)}
        seen.add(tuple(addresses))
    assert len(seen) > 1


def test_a_page_of_one_person_is_generalized(shell: Shell) -> None:
    text = "".join(
        line(f"10.0.0.{n}", request=f"GET /people/person{n}.html?id={n} HTTP/1.1", referrer=f"http://e.org/q?{n}") for n in range(6)
    )
    masked(shell, text)
    requests = {text.split('"')[1] for text in published(shell).splitlines()}
    assert requests == {"GET /people/* HTTP/1.1"}
    assert {text.split('"')[3] for text in published(shell).splitlines()} == {"http://e.org/q?*"}


def test_sessions_are_as_many_as_before(shell: Shell) -> None:
    masked(shell, visits(10, sessions=3), "--per", "session")
    log = read(shell.directory / "out" / "access.log").data
    assert isinstance(log, Log)
    assert len(log.bags("session")) == 30


def test_a_tampered_log_is_found_out(shell: Shell) -> None:
    masked(shell, visits(10))
    place = shell.directory / "out" / "access.log"
    first, *rest = place.read_text().splitlines(keepends=True)
    place.write_text("".join([first.replace(" 200 ", " 404 "), *rest]))
    told = shell("audit", place, "--claim", "access-k-anonymity(k=3)")
    assert told.code == 3
    assert "fewer than 3 addresses" in told.everything


def test_a_log_that_leaves_somebody_out_is_found_out(shell: Shell) -> None:
    masked(shell, visits(10))
    place = shell.directory / "out" / "access.log"
    counts = ADDRESSES.findall(place.read_text())
    gone = set(sorted(counts)[:1])
    place.write_text("".join(text for text in place.read_text().splitlines(keepends=True) if text.split()[0] not in gone))
    told = shell("audit", place, "--claim", "access-k-anonymity(k=2)", "--original", shell.directory / "input.log")
    assert told.code == 3
    assert "9 profiles are published for 10 users" in told.everything


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--min-owners", "4"), "min_owners must be at most k"),
        (("--session",), "the session variable is for per=row"),
        (("--taxonomy", "paths"), "applies to records, but this method publishes the rows of an access log"),
        (("--to", "csv"), "csv cannot represent a table of access log"),
        (("--gap", "soon"), "gap"),
        (("--format", "querylog"), "this needs an access log"),
    ],
)
def test_options_that_cannot_be(shell: Shell, words: tuple[str, ...], says: str) -> None:
    answer = masked(shell, visits(10), *words)
    assert answer.code == 1
    assert says in answer.err


def test_a_query_log_is_refused(shell: Shell) -> None:
    answer = masked(shell, "user,query\nann,rain\nben,rain\n")
    assert answer.code == 1
    assert not (shell.directory / "out").exists()


@pytest.mark.skipif(not REAL.exists(), reason="the real log is not at hand")
def test_a_real_log_is_masked_and_counted_by_goaccess(shell: Shell) -> None:
    answer = masked(shell, gzip.decompress(REAL.read_bytes()).decode(), "--per", "session", k=5)
    assert answer.code == 0, answer.everything
    lines = len(published(shell).splitlines())
    assert abs(lines - 10_000) < 500
    if shutil.which("goaccess") is None:
        pytest.skip("goaccess is not installed")
    counted = goaccess(shell.directory / "out" / "access.log", "COMBINED", shell.directory / "counted.json")
    assert (counted["valid_requests"], counted["failed_requests"]) == (lines, 0)
