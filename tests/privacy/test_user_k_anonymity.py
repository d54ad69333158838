"""The model user-k-anonymity on tables that are written by hand: what it counts, and what it objects to."""

from __future__ import annotations

from functools import cache

import numpy as np
import polars as pl
import pytest

from helpers.queries import clicked_log
from shoal.data.original import LogOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.profiles import ProfileTable
from shoal.privacy.user_k_anonymity import UserKAnonymity

MODEL = UserKAnonymity(k=2, min_owners=2)
# Two people ask for rain and click u, two for sun; each has a query and a page of their own.
QUERIES = [(10, "rain", "u"), (20, "rain", "u"), (30, "sun", "v"), (40, "sun", "v")]
SOUND = [(1, "rain", "u"), (2, "rain", "u"), (3, "sun", "v"), (4, "sun", "v")]
Rows = list[tuple[int, str, str | None]]


@cache
def original() -> LogOriginal:
    own = [(owner, 1, f"name of {owner}", 1, f"page{owner}") for owner in (10, 20, 30, 40)]
    return LogOriginal(clicked_log([(owner, 0, query, 1, url) for owner, query, url in QUERIES] + own))


def release(rows: Rows, pseudonyms: tuple[int, ...] | None = None) -> Release:
    frame = pl.DataFrame(rows, schema={"user": pl.Int64, "query": pl.String, "url": pl.String}, orient="row")
    return Release({"log": ProfileTable(frame, "user")}, secret=None if pseudonyms is None else Secret(np.array(pseudonyms)))


def test_a_sound_release_is_verified_with_and_without_the_original() -> None:
    alone = MODEL.check(release(SOUND))
    assert (alone.standing, alone.achieved) == ("verified", {"records": 2})
    known = MODEL.check(release(SOUND, (1, 2, 3, 4)), original())
    assert (known.standing, known.achieved, known.notes) == ("verified", {"records": 2, "people": 2}, ())
    unknown = MODEL.check(release(SOUND), original())
    assert unknown.standing == "verified"
    assert unknown.notes


BROKEN: dict[str, tuple[Rows, str]] = {
    "a history of one": ([*SOUND[:3], (4, "sun", None)], "2 pseudonyms have a history that fewer than 2 share"),
    "a row more under one pseudonym": ([*SOUND, (4, "sun", "v")], "2 pseudonyms have a history"),
    "an owner's own number": ([*SOUND[:3], (40, "sun", "v")], "pseudonyms are not the numbers from 1 on"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_file_alone_shows(name: str) -> None:
    rows, says = BROKEN[name]
    verdict = MODEL.check(release(rows))
    assert verdict.standing == "fails"
    assert any(says in witness for witness in verdict.witnesses)


RARE: dict[str, tuple[Rows, str]] = {
    "a query of one person": ([(1, "name of 10", "u"), (2, "name of 10", "u"), *SOUND[2:]], "1 published queries"),
    "a URL of one person": ([(1, "rain", "page10"), (2, "rain", "page10"), *SOUND[2:]], "1 published URLs"),
    "a query that nobody asked": ([(1, "snow", "u"), (2, "snow", "u"), *SOUND[2:]], "1 published words"),
}


@pytest.mark.parametrize("pseudonyms", [(1, 2, 3, 4), None], ids=["groups known", "groups not known"])
@pytest.mark.parametrize("name", RARE)
def test_the_original_shows(name: str, pseudonyms: tuple[int, ...] | None) -> None:
    rows, says = RARE[name]
    assert MODEL.check(release(rows)).standing == "verified"
    verdict = MODEL.check(release(rows, pseudonyms), original())
    assert verdict.standing == "fails"
    assert any(says in witness for witness in verdict.witnesses)
    assert not any(text in str(verdict) for text in ("name of", "page10", "snow"))


def test_people_of_another_group_do_not_count() -> None:
    swapped = release(SOUND, (3, 4, 1, 2))  # those who asked for rain have the history of sun
    verdict = MODEL.check(swapped, original())
    assert verdict.standing == "fails"
    assert verdict.achieved["people"] == 0


@pytest.mark.parametrize("pseudonyms", [(1, 1, 3, 4), (1, 2, 3, -1), (1, 2, 3)])
def test_pseudonyms_and_people_must_belong_together_one_by_one(pseudonyms: tuple[int, ...]) -> None:
    assert MODEL.check(release(SOUND, pseudonyms), original()).standing == "fails"


def test_people_without_a_profile_are_none_of_its_business() -> None:
    verdict = MODEL.check(release(SOUND[:2], (1, 2, -1, -1)), original())
    assert verdict.standing == "verified"
