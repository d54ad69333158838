"""What every method that takes an access log owes. A new one joins by being in the table of methods."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.accesslog import CHROME, line, visits
from helpers.claims import hold_everywhere
from helpers.errors import refuses
from shoal import kernels
from shoal.data.log import Log
from shoal.data.original import AccessOriginal
from shoal.io.read.dispatch import read
from shoal.kinds import rows_differing
from shoal.methods import METHODS, Method
from shoal.pipeline.contract import made_by

AT = "{}/May/2015:{:02}:{:02}:00 {}".format
LOGS = {
    "sessions": visits(12, sessions=3),
    "one row a person": visits(9, pages=1),
    "common format": visits(9, agent=None),
    "IPv6 and host names": "".join(
        line(f"2001:db8::{n:x}") + line(f"host{n}.example.org", request=f"GET /b/{n % 2} HTTP/1.1") for n in range(6)
    ),
    "no referrers, sizes or agents": "".join(line(f"10.0.0.{n}", size="-", agent="-") for n in range(7)),
    "broken requests": "".join(line(f"10.0.0.{n}", request=r"\x16\x03" if n % 2 else "-", status=400) for n in range(7)),
    "time zones": "".join(line(f"10.0.0.{n}", AT(17, 10 + n % 5, n, f"{'+-'[n % 2]}0{n % 9}30")) for n in range(9)),
    "one person with half of all rows": visits(8)
    + "".join(line("192.0.2.9", AT(17 + n % 9, n % 24, n % 60, "+0000"), f"GET /own/{n % 5} HTTP/1.1", agent=CHROME) for n in range(24)),
    "as many as asked for": visits(3),
}
OF_ACCESS_LOGS = [name for name in METHODS if "access log" in METHODS[name].takes]
CASES = [
    pytest.param(name, per, log, id=f"{name} per {per} on {log}")
    for name in OF_ACCESS_LOGS
    for per in ("owner", "session", "row")
    for log in LOGS
]
every_method_on_every_log = pytest.mark.parametrize(("name", "per", "log"), CASES)


def method_of(name: str, per: str, k: int = 3) -> Method:
    return METHODS[name](k=k, per=per)  # type: ignore[call-arg]


def original(directory: Path, text: str) -> AccessOriginal:
    place = directory / "access.log"
    place.write_text(text)
    log = read(place).data
    assert isinstance(log, Log)
    return AccessOriginal(log)


@every_method_on_every_log
def test_claims_hold_with_and_without_the_original(tmp_path: Path, name: str, per: str, log: str) -> None:
    before = original(tmp_path, LOGS[log])
    release = made_by(method_of(name, per), before)
    hold_everywhere(release, before)


@every_method_on_every_log
def test_neither_threads_nor_the_order_of_lines_matter(tmp_path: Path, name: str, per: str, log: str) -> None:
    made = made_by(method_of(name, per), original(tmp_path, LOGS[log]))
    lines = LOGS[log].splitlines(keepends=True)
    mixed = "".join(lines[i] for i in np.random.default_rng(3).permutation(len(lines)))
    with kernels.using(threads=1):
        other = made_by(method_of(name, per), original(tmp_path, mixed))
    assert rows_differing(made.tables, other.tables) == 0


@every_method_on_every_log
def test_the_input_is_not_changed_and_accounted_for(tmp_path: Path, name: str, per: str, log: str) -> None:
    before = original(tmp_path, LOGS[log])
    copy = before.log.frame.clone()
    release = made_by(method_of(name, per), before)
    assert before.log.frame.equals(copy)
    assert release.accounting is not None
    assert release.accounting["rows"].total == len(copy)


@pytest.mark.parametrize("name", OF_ACCESS_LOGS)
@pytest.mark.parametrize("per", ["owner", "session"])
def test_one_single_person_cannot_be_hidden(tmp_path: Path, name: str, per: str) -> None:
    alone = "".join(line("10.0.0.1", AT(17 + n, 10, 0, "+0000")) for n in range(9))
    with refuses("too-few-people", k=3, owners=1):
        made_by(method_of(name, per), original(tmp_path, alone))


@pytest.mark.parametrize("name", OF_ACCESS_LOGS)
def test_rows_of_one_person_are_alike_under_the_weak_claim_alone(tmp_path: Path, name: str) -> None:
    before = original(tmp_path, "".join(line("10.0.0.1", AT(17 + n, 10, 0, "+0000")) for n in range(9)))
    release = made_by(method_of(name, "row"), before)
    (claim,) = release.claims
    assert claim.check(release, before).achieved["people"] == 1
    assert any("all of them may belong to one person" in note for note in release.notes)
