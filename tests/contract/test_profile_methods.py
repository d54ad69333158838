"""What every method that publishes profiles of groups of people owes, on logs with clicks, without times, and with a few odd people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.errors import refuses
from helpers.logs import EVENTS, log_of
from helpers.queries import Row, clicked_log, random_log
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.release import Release
from shoal.data.tables.profiles import ProfileTable
from shoal.data.taxonomy import Taxonomy
from shoal.kinds import rows_differing
from shoal.methods import METHODS, Method
from shoal.pipeline.contract import made_by

PROFILES = [name for name, kind in METHODS.items() if kind.publishes == "profiles"]
WORDS = {"thing": None, **{f"topic{i}": "thing" for i in range(4)}, **{f"w{i}{j}": f"topic{i}" for i in range(4) for j in range(6)}}


def one_with_half_of_all_rows() -> Log:
    rows: list[Row] = [(owner, minute, f"q{minute % 5}", None, None) for owner in range(1, 13) for minute in range(5)]
    return clicked_log(rows + [(99, minute, f"q{minute % 7}", minute % 9 + 1, "http://a.org") for minute in range(len(rows))])


LOGS: dict[str, Log] = {
    "clicks": random_log(1),
    "many people": random_log(2, people=300, rows=2400),
    "ranks without URLs": Log(random_log(3).frame.drop("url")),
    "URLs without ranks": Log(random_log(3).frame.drop("rank")),
    "no times": Log(random_log(5).frame.drop("time")),
    "items": Log(random_log(5).frame.drop("time", "rank", "url"), "item"),
    "one person with half of all rows": one_with_half_of_all_rows(),
    **{name: log_of(EVENTS[name]) for name in ("spellings differ", "odd texts", "empty queries", "all alike", "random")},
}


def _cases() -> Iterator[Any]:
    for name in PROFILES:
        for called, log in LOGS.items():
            for k in (2, 3):
                yield pytest.param(METHODS[name](k=k), log, id=f"{name}(k={k}) on {called}")  # type: ignore[call-arg]


every_method_on_every_log = pytest.mark.parametrize(("method", "log"), list(_cases()))


def original(method: Method, log: Log) -> LogOriginal:
    return LogOriginal(log, Taxonomy.from_parents(WORDS) if method.needs_taxonomy else None)


def run(method: Method, log: Log) -> Release:
    return made_by(method, original(method, log))


def frame_of(release: Release) -> pl.DataFrame:
    table = release.only(ProfileTable)
    assert isinstance(table, ProfileTable)
    return table.frame


def profiles(frame: pl.DataFrame) -> dict[int, Counter[Any]]:
    """The rows under each pseudonym, counted."""
    found: dict[int, Counter[Any]] = {}
    for user, *row in frame.iter_rows():
        found.setdefault(user, Counter())[tuple(row)] += 1
    return found


def test_there_are_such_methods() -> None:
    assert PROFILES == ["user-microaggregation", "category-microaggregation"]


@every_method_on_every_log
def test_every_profile_is_shared_and_holds_nothing_of_one_person_alone(method: Method, log: Log) -> None:
    release = run(method, log)
    people = profiles(frame_of(release))
    sizes = Counter(frozenset(profile.items()) for profile in people.values())
    assert min(sizes.values()) >= method.values()["k"]
    asked: dict[str, set[int]] = {}
    for owner, text in log.frame.select("owner", "payload").iter_rows():
        asked.setdefault(text, set()).add(owner)
    unit = release.only(ProfileTable).unit  # type: ignore[attr-defined]
    assert all(len(asked[text]) >= 2 for text in frame_of(release)[unit])
    for claim in release.claims:
        for verdict in (claim.check(release, original(method, log)), claim.check(Release(release.tables))):
            assert verdict.standing == "verified", verdict.witnesses


@every_method_on_every_log
def test_columns_are_those_of_the_log_and_pseudonyms_are_fresh(method: Method, log: Log) -> None:
    frame = frame_of(run(method, log))
    names = {"owner": "user", "payload": "query" if log.kind == "text" else "item"}
    assert set(frame.columns) == {names.get(name, name) for name in log.frame.columns}
    assert sorted(frame["user"].unique()) == list(range(1, frame["user"].n_unique() + 1))
    table = ProfileTable(frame, "user")
    assert len(profiles(frame)) < 3 or len({str(table.shuffled()["user"].to_list()) for _ in range(4)}) > 1


@every_method_on_every_log
def test_neither_the_order_of_rows_nor_the_numbers_of_people_matter(method: Method, log: Log) -> None:
    rng, before = np.random.default_rng(3), log.frame.clone()
    once = run(method, log)
    assert log.frame.equals(before)
    numbers = pl.Series(rng.permutation(1000))
    mixed = log.frame[rng.permutation(len(log))]
    other = run(method, Log(mixed.with_columns(owner=numbers.gather(mixed["owner"]).cast(pl.Int64)), log.kind))
    assert rows_differing(once.tables, other.tables) == 0


@pytest.mark.parametrize("name", PROFILES)
def test_the_number_of_threads_does_not_matter(name: str) -> None:
    from shoal import kernels

    made = []
    for threads in (1, 3):
        with kernels.using(threads=threads):
            made.append(run(METHODS[name](k=3, block=30), LOGS["many people"]))  # type: ignore[call-arg]
    assert rows_differing(made[0].tables, made[1].tables) == 0


@every_method_on_every_log
def test_the_accounting_balances(method: Method, log: Log) -> None:
    release = run(method, log)
    assert release.accounting is not None
    assert release.accounting["rows"].total == len(log)
    assert release.accounting["rows"]["dropped: no query"] == int((log.frame["payload"] == "").sum())


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("log", LOGS)
def test_groups_hold_k_to_2k_minus_1_people(name: str, log: str) -> None:
    from shoal.microaggregation.histories import Histories

    method = METHODS[name](k=3)  # type: ignore[call-arg]
    histories = Histories.of(LOGS[log])
    groups = method.groups(histories, original(method, LOGS[log]))  # type: ignore[attr-defined]
    assert sorted(np.concatenate(groups).tolist()) == list(range(len(histories)))
    assert all(3 <= len(members) <= 5 for members in groups)


@pytest.mark.parametrize("name", PROFILES)
def test_more_people_than_there_are_cannot_be_asked_for(name: str) -> None:
    single = clicked_log([(1, 0, "a", None, None), (1, 1, "b", None, None)])
    with refuses("too-few-people", value=1, limit=2):
        run(METHODS[name](k=2), single)  # type: ignore[call-arg]
    with refuses("too-few-people", value=40, limit=50):
        run(METHODS[name](k=50), LOGS["clicks"])  # type: ignore[call-arg]


@pytest.mark.parametrize("name", PROFILES)
def test_people_who_share_nothing_cannot_be_published(name: str) -> None:
    strangers = clicked_log([(owner, owner, f"query {owner}", None, None) for owner in range(6)])
    with refuses("nothing-to-publish", limit=2):
        run(METHODS[name](k=2), strangers)  # type: ignore[call-arg]


@pytest.mark.parametrize("name", PROFILES)
def test_a_group_is_not_sure_to_hold_more_than_k_owners(name: str) -> None:
    with refuses("out-of-range", value=3, limit=2):
        METHODS[name](k=2, min_owners=3)  # type: ignore[call-arg]


def test_all_alike_are_published_alike() -> None:
    release = run(METHODS["user-microaggregation"](k=4), LOGS["all alike"])  # type: ignore[call-arg]
    assert frame_of(release)["query"].to_list() == ["same"] * 12


def test_another_seed_may_choose_other_queries() -> None:
    kind = METHODS["category-microaggregation"]
    first, again, other = (run(kind(k=3, min_owners=1, seed=seed), LOGS["many people"]) for seed in (0, 0, 1))  # type: ignore[call-arg]
    assert rows_differing(first.tables, again.tables) == 0
    assert rows_differing(first.tables, other.tables) > 0
