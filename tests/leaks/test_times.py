"""A published session of an access log does not begin when one person's session did."""

from __future__ import annotations

import re

import pytest

from helpers.accesslog import line
from helpers.cli import Shell, one_line

TIME = re.compile(r"\[(\S+) ")


def release_of(shell: Shell, log: str, *more: str) -> list[str]:
    """The times in the published log."""
    shell.file("web.log", log)
    answer = shell("anonymize", "web.log", "--method", "accesslog-mdav", "--k", "3", "--out", "out", *more)
    assert answer.code == 0, answer.everything
    return TIME.findall((shell.directory / "out" / "access.log").read_text())


EVEN = "".join(line(f"10.0.0.{n}", f"17/May/2015:10:{10 * n:02}:07 +0000") for n in (1, 2, 3))


@pytest.mark.parametrize("per", ["owner", "session", "row"])
def test_the_mean_of_starts_is_moved_off_the_start_of_one_person(shell: Shell, per: str) -> None:
    """Three people come at 10:10:07, 10:20:07 and 10:30:07; the mean is when the second one came."""
    times = release_of(shell, EVEN, "--per", per)
    assert set(times) == {"17/May/2015:10:20:08"}
    assert shell("audit", "out", "--original", "web.log").code == 0


def test_the_judge_refuses_a_session_that_begins_with_one_persons(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.microaggregation.access_profiles._starts_of_few", lambda sessions, least: frozenset())
    shell.file("web.log", EVEN)
    answer = shell("anonymize", "web.log", "--method", "accesslog-mdav", "--k", "3", "--out", "out")
    assert "3 published sessions begin when a session of too few people began" in one_line(answer, code=3)


def test_several_people_who_come_together_may_be_seen(shell: Shell) -> None:
    log = "".join(line(f"10.0.0.{n}", "17/May/2015:10:20:07 +0000") for n in (1, 2, 3))
    assert set(release_of(shell, log)) == {"17/May/2015:10:20:07"}


def test_sessions_of_one_person_alone_give_no_time(shell: Shell) -> None:
    """One person comes six times in the first week, the two others once, in the third: no session is published in the first week."""
    log = "".join(line("10.0.0.1", f"0{day}/May/2015:03:17:00 +0000") for day in range(1, 7))
    log += "".join(line(f"10.0.0.{n}", "20/May/2015:12:00:00 +0000") for n in (2, 3))
    times = release_of(shell, log)
    assert times and all(int(time[:2]) >= 14 for time in times), times
