"""Judges of profiles, access logs, groups, names and vectors against a recount in plain Python, around the limit."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

from helpers.data import food, on, on_nodes
from helpers.errors import refuses
from shoal.data.bags import Bags
from shoal.data.log import Log
from shoal.data.original import AccessOriginal, LogOriginal
from shoal.data.release import Release, Secret
from shoal.data.tables.access_log import SCHEMA, AccessTable
from shoal.data.tables.groups import GroupTable
from shoal.data.tables.profiles import ProfileTable
from shoal.privacy import AccessKAnonymity, NodeNames, PrivacyDegree, UserKAnonymity
from shoal.taxonomy.place_terms import as_typed

START = datetime(2024, 5, 1, 10, 0)


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


# -- profiles


USER_LOG = {"owner": pl.Int64, "time": pl.Datetime("us"), "payload": pl.String, "rank": pl.Int64, "url": pl.String}
PROFILE = {"user": pl.Int64, "time": pl.Datetime("us"), "query": pl.String, "rank": pl.Int64, "url": pl.String}
QUERIES, URLS = ["tea pot", "tea", "rain", "pot rain"], ["u", "v", None]


def user_log(rows: list[tuple[Any, ...]]) -> LogOriginal:
    return LogOriginal(Log(pl.DataFrame(rows, schema=USER_LOG, orient="row")))


def judged_profiles(rows: list[tuple[Any, ...]], shown: list[tuple[Any, ...]], secret: list[int] | None, k: int, least: int) -> Any:
    release = Release(
        {"log": ProfileTable(pl.DataFrame(shown, schema=PROFILE, orient="row"), "user")},
        secret=None if secret is None else Secret(np.array(secret, np.int64)),
    )
    return UserKAnonymity(k=k, min_owners=least).check(release, user_log(rows))


def drawn_profiles(rng: random.Random) -> tuple[list[Any], list[Any], dict[int, int]]:
    """Rows of people, profiles of two groups of them, and the pseudonym of each person; not all of it is true."""
    people, log, shown, number = rng.randint(2, 6), [], [], 0
    groups = [[i for i in range(people) if i % 2 == side] for side in (0, 1)]
    for group in groups:
        history = [(at(rng.randint(0, 5)), rng.choice(QUERIES), rng.randint(1, 5), rng.choice(URLS)) for _ in range(rng.randint(1, 3))]
        for _ in group:
            number += 1
            shown += [(number, *row) for row in (history if rng.random() < 0.9 else history[:1])]
    pseudonyms = iter(range(1, people + 1))
    of = {i: next(pseudonyms) for group in groups for i in group}
    for i in range(people):
        for user, time, query, rank, url in shown:
            if user == of[i] and rng.random() < 0.85:
                log.append((10 + i, time + timedelta(minutes=rng.choice([-1, 0, 1])), query, rank + rng.choice([-1, 0, 1]), url))
        log.append((10 + i, at(0), f"own{i}", 1, None))
    return log, shown, {i: of[i] for i in range(people)}


def check_strange_cells(log: list[Any], shown: list[Any], text: str) -> None:
    """Times, ranks and clicks outside of what people have."""
    times, ranks = (defaultdict(list) for _ in range(2))
    for _, time, query, rank, url in log:
        times[query].append(time)
        ranks[query, url].append(rank)
    late = {row[1:3] for row in shown if not (times[row[2]] and min(times[row[2]]) <= row[1] <= max(times[row[2]]))}
    of_click = {row[2:5]: ranks[row[2], row[4]] for row in shown}
    wrong = {row for row, found in of_click.items() if not (found and min(found) <= row[1] <= max(found))}
    assert (f"{len(late)} published values of 'time' lie outside" in text) == bool(late)
    assert (f"{len(wrong)} published values of 'rank' lie outside" in text) == bool(wrong)
    clicks = {(row[2], row[4]) for row in shown if row[4]} - {(row[2], row[4]) for row in log}
    assert (f"{len(clicks)} published clicks were made by nobody" in text) == bool(clicks)


@pytest.mark.parametrize(("k", "least"), [(2, 1), (2, 2), (3, 2)])
def test_profiles(k: int, least: int) -> None:
    rng = random.Random(10 * k + least)
    for _ in range(30):
        log, shown, of = drawn_profiles(rng)
        secret = list(of.values())
        histories = {u: tuple(sorted(map(repr, (row[1:] for row in shown if row[0] == u)))) for u in of.values()}
        sizes = Counter(histories.values())
        short = sum(sizes[history] < k for history in histories.values())
        for known in (True, False):
            verdict = judged_profiles(log, shown, secret if known else None, k, least)
            counts = {"queries": [], "words": [], "URLs": []}  # type: dict[str, list[int]]
            for history in set(histories.values()) if known else [None]:
                members = {10 + i for i in of if history in (None, histories[of[i]])}
                rows = [row for row in shown if history in (None, histories[row[0]])]
                held = [row for row in log if row[0] in members]
                for query in {row[2] for row in rows}:
                    counts["queries"].append(len({row[0] for row in held if row[2] == query}))
                for word in {word for row in rows for word in row[2].split()}:
                    counts["words"].append(len({row[0] for row in held if word in row[2].split()}))
                for url in {row[4] for row in rows} - {None}:
                    counts["URLs"].append(len({row[0] for row in held if row[4] == url}))
            everyone = len(set(secret))
            assert verdict.achieved == {
                "records": min(sizes.values()),
                "people": min(min([everyone, *some]) for some in counts.values()),
            }
            text = " ".join(verdict.witnesses)
            assert (f"{short} pseudonyms have a history that fewer than {k} share" in text) == (short > 0)
            for what, some in counts.items():
                few = sum(n < least for n in some)
                assert (f"{few} published {what} of histories are those of fewer than {least} people" in text) == (few > 0)
            check_strange_cells(log, shown, text)
            assert verdict.holds == (not verdict.witnesses)
            assert bool(verdict.notes) == (not known)


def test_profiles_of_other_people() -> None:
    rows, shown = [(1, at(0), "a", 1, None), (2, at(0), "a", 1, None)], [(1, at(0), "a", 1, None), (2, at(0), "a", 1, None)]
    assert judged_profiles(rows, shown, [1, 2], 2, 2).holds and judged_profiles(rows, shown, [2, 1], 2, 2).holds
    for wrong in ([1], [1, 2, 3], [1, 1], [0, 1], [1, -1]):
        verdict = judged_profiles(rows, shown, wrong, 2, 2)
        assert verdict.witnesses[-1] == "the release does not refer to the people of this original" and verdict.achieved == {"records": 2}
    withheld = [*rows, (3, at(0), "b", 1, None)]
    assert judged_profiles(withheld, shown, [1, 2, -1], 2, 2).holds
    table = ProfileTable(pl.DataFrame({"user": [1, 3], "query": ["a", "a"]}), "user")
    assert "pseudonyms are not the numbers from 1 on" in UserKAnonymity(k=2).check(Release({"log": table})).witnesses[0]
    empty = Release({"log": ProfileTable(pl.DataFrame(schema={"user": pl.Int64, "query": pl.String}), "user")})
    assert UserKAnonymity(k=2).check(empty).achieved == {"records": 0}
    full = ProfileTable(pl.DataFrame(shown, schema=PROFILE, orient="row"), "user")
    claim = UserKAnonymity()
    assert dict(claim.not_checked(full, with_original=False)) == dict.fromkeys(["time", "query", "rank", "url"], "")
    assert set(claim.not_checked(full, with_original=True)) == {"time", "rank"}
    assert set(claim.not_checked(table, with_original=True)) == set()


def test_columns_that_the_original_lacks() -> None:
    log = LogOriginal(Log(pl.DataFrame({"owner": [1, 2], "payload": ["a", "a"]})))
    shown = pl.DataFrame({"user": [1, 2], "query": ["a", "a"], "url": ["u", "u"], "rank": [1, 1]})
    release = Release({"log": ProfileTable(shown, "user")}, secret=Secret(np.array([1, 2])))
    verdict = UserKAnonymity(k=2, min_owners=1).check(release, log)
    assert "1 published URLs of histories are those of fewer than 1 people of the group" in verdict.witnesses
    assert "1 published values of 'rank' lie outside the range of the same query in the original" in verdict.witnesses


# -- access logs


def access_original(rows: list[tuple[int, float, str, str]]) -> AccessOriginal:
    """User, minute, page and agent of each row."""
    frame = pl.DataFrame(
        {
            "owner": [owner for owner, *_ in rows],
            "time": [at(minute) for _, minute, *_ in rows],
            "payload": [page for *_, page, _ in rows],
            "visitor": [owner for owner, *_ in rows],
            "address": [f"10.0.0.{owner}" for owner, *_ in rows],
            "method": ["GET"] * len(rows),
            "protocol": ["HTTP/1.1"] * len(rows),
            "status": [200] * len(rows),
            "size": [100] * len(rows),
            "referrer": ["-"] * len(rows),
            "agent": [agent for *_, agent in rows],
        },
        schema_overrides={"owner": pl.Int64, "time": pl.Datetime("us"), "status": pl.Int64, "size": pl.Int64},
    )
    return AccessOriginal(Log(frame))


def access_table(rows: list[tuple[int, float, str, str]], **columns: Any) -> AccessTable:
    plain = {
        "address": [address for address, *_ in rows],
        "time": [at(minute) for _, minute, *_ in rows],
        "request": [f"GET {page} HTTP/1.1" for *_, page, _ in rows],
        "status": [200] * len(rows),
        "size": [100] * len(rows),
        "referrer": ["-"] * len(rows),
        "agent": [agent for *_, agent in rows],
    }
    return AccessTable(pl.DataFrame(plain | columns, schema=dict(SCHEMA)))


FIRE = "Firefox"
SHARED = [(1, 0.0, "/x/a", FIRE), (1, 1.0, "/x/b", FIRE), (2, 0.0, "/x/a", FIRE), (2, 1.0, "/x/b", FIRE)]


def access(per: str, shown: AccessTable, secret: list[int] | None, rows: list[Any], k: int = 2, least: int = 2) -> Any:
    release = Release({"access": shown}, secret=None if secret is None else Secret(np.array(secret, np.int64)))
    return AccessKAnonymity(k=k, per=per, min_owners=least).check(release, access_original(rows))


def test_access_logs_that_hold() -> None:
    for per, achieved in (("owner", {"records": 2, "people": 2, "owners": 2}), ("session", {"records": 2, "people": 2, "owners": 2})):
        verdict = access(per, access_table(SHARED), [0, 1, 2, 3], SHARED)
        assert (verdict.standing, verdict.achieved) == ("verified", achieved), verdict
        loose = access(per, access_table(SHARED), None, SHARED)
        assert loose.standing == ("verified" if per == "owner" else "not checkable")
        assert loose.achieved == ({"records": 2, "people": 2, "owners": 2} if per == "owner" else {"records": 2, "owners": 2})
    rows = access("row", access_table(SHARED), [0, 1, 2, 3], SHARED)
    assert rows.achieved["records"] == 1, "rows of different addresses differ"
    one = [(1, 0.0, "/a", FIRE), (1, 0.0, "/a", FIRE), (1, 0.0, "/a", FIRE)]
    alike = access("row", access_table(one), [0, 1, 2], [(owner, *row[1:]) for owner, row in enumerate(one)], 3, 1)
    assert alike.achieved["records"] == 3 and alike.holds, alike
    assert AccessKAnonymity(k=2).check(Release({"access": access_table(SHARED)})).achieved == {"records": 2}
    assert AccessKAnonymity(k=3).check(Release({"access": access_table(SHARED)})).witnesses == ("1 profiles have fewer than 3 addresses",)
    assert AccessKAnonymity(k=2, per="session").check(Release({"access": access_table(SHARED)})).standing == "not checkable"
    short = AccessKAnonymity(k=3, per="session").check(Release({"access": access_table(SHARED)}))
    assert short.standing == "fails"
    assert AccessKAnonymity(k=2, per="row").check(Release({"access": access_table(one)})).achieved == {"records": 3}
    assert (
        "4 profiles have fewer than 2 rows" in AccessKAnonymity(k=2, per="row").check(Release({"access": access_table(SHARED)})).witnesses
    )
    assert AccessKAnonymity(k=2).check(Release({"access": access_table([])})).achieved == {"records": 0}


def test_people_behind_profiles() -> None:
    both = [(1, *row[1:]) for row in SHARED[:2]] + [(1, minute + 600, page, agent) for _, minute, page, agent in SHARED[:2]]
    shown = access_table(SHARED)
    verdict = access("session", shown, [0, 1, 2, 3], both, least=1)
    assert verdict.achieved["people"] == 1 and "1 profiles have fewer than 2 people behind them" in verdict.witnesses
    count = access("owner", shown, [0, 1, 2, 3], both)
    assert count.witnesses == ("2 profiles are published for 1 users of the original",)
    assert count.achieved == {"records": 2}
    mixed = access("owner", shown, [0, 3, 2, 1], SHARED)
    assert "profiles and units do not correspond one to one" in mixed.witnesses
    own = [(1, 0.0, "/x/a", FIRE), (1, 1.0, "/x/own", FIRE), (2, 0.0, "/x/a", FIRE), (2, 1.0, "/x/b", FIRE)]
    rare = access("owner", shown, [0, 1, 2, 3], own)
    assert rare.achieved == {"records": 2, "people": 2, "owners": 1}
    assert "1 values of page are published that fewer than 2 people share" in rare.witnesses
    assert access("owner", shown, [0, 1, 2, 3], own, least=1).holds
    folder = [(owner, minute, "/x/*" if page == "/x/b" else page, agent) for owner, minute, page, agent in SHARED]
    assert access("owner", access_table(folder), [0, 1, 2, 3], own).holds
    agents = [(owner, minute, page, "Opera" if owner == 1 else FIRE) for owner, minute, page, _ in SHARED]
    assert "1 values of agent are published that fewer than 2" in " ".join(access("owner", shown, [0, 1, 2, 3], agents).witnesses)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"status": [404] * 4}, "1 values of status are published that fewer than 2 people share"),
        ({"status": [200] * 4}, ""),
        ({"request": ["POST /x/a HTTP/1.1", "GET /x/b HTTP/1.1"] * 2}, "1 values of method are published"),
        ({"request": ["GET /x/a HTTP/1.0", "GET /x/b HTTP/1.1"] * 2}, "1 values of protocol are published"),
        ({"referrer": ["/y"] * 4}, "1 values of referrer are published"),
        ({"size": [101] * 4}, "4 values of size lie outside the range of the original"),
        ({"size": [99] * 4}, "4 values of size lie outside"),
        ({"size": [None] * 4}, ""),
        ({"time": [at(-1), at(1)] * 2}, "2 values of time lie outside the range of the original"),
        ({"time": [at(0), at(1 + 2 * 30) + timedelta(seconds=2)] * 2}, ""),
        ({"time": [at(0), at(1 + 2 * 30) + timedelta(seconds=3)] * 2}, "2 values of time lie outside"),
    ],
    ids=str,
)
@pytest.mark.parametrize("known", [True, False])
def test_fields_of_requests(columns: dict[str, Any], says: str, known: bool) -> None:
    verdict = access("owner", access_table(SHARED, **columns), [0, 1, 2, 3] if known else None, SHARED)
    text = " ".join(verdict.witnesses)
    assert says in text and bool(says) == bool(text), text


@pytest.mark.parametrize(("second", "alone"), [(0.0, 0), (1 / 60, 1), (0.5 / 60, 0)])
def test_sessions_that_begin_when_one_person_began(second: float, alone: int) -> None:
    """The second person begins in the same second, or in another one than is published."""
    rows = [(1, 0.0, "/a", FIRE), (2, second, "/a", FIRE)]
    shown = [(1, 0.0, "/a", FIRE), (2, 0.0, "/a", FIRE)]
    for per in ("owner", "session"):
        verdict = access(per, access_table(shown), [0, 1], rows, least=1)
        told = f"{2 * alone} published sessions begin when a session of too few people began"
        assert (told in verdict.witnesses) == bool(alone), verdict
        assert verdict.holds == (not alone)


def test_sessions_end_after_a_pause() -> None:
    for pause, sessions in ((30.0, 1), (30.1, 2)):
        rows = [(owner, minute, "/a", FIRE) for owner in (1, 2) for minute in (0.0, pause)]
        count = access("session", access_table([(n, 0.0, "/a", FIRE) for n in range(2 * sessions)]), None, rows, 2, 1)
        assert not any("profiles are published for" in one for one in count.witnesses), count
        count = access("session", access_table([(n, 0.0, "/a", FIRE) for n in range(2 * sessions + 1)]), None, rows, 2, 1)
        assert count.witnesses[-1] == f"{2 * sessions + 1} profiles are published for {2 * sessions} sessions of the original"
    with refuses("wrong-kind-of-original"):
        AccessKAnonymity(k=2).check(Release({"access": access_table(SHARED)}), user_log([(1, at(0), "a", 1, None)]))


def test_fields_that_remain_open() -> None:
    claim, combined = AccessKAnonymity(), access_table(SHARED)
    common = access_table(SHARED, referrer=[None] * 4, agent=[None] * 4)
    fields = {"page", "time", "method", "protocol", "status", "size"}
    assert set(claim.not_checked(common, with_original=False)) == fields
    assert set(claim.not_checked(combined, with_original=False)) == {*fields, "referrer", "agent"}
    assert set(claim.not_checked(combined, with_original=True)) == {"time", "size"}


# -- groups with histograms


@dataclass
class Groups:
    """Records with sensitive items S and T, published in groups; `tamper` is what is wrong about it."""

    records: list[list[str]]
    owners: list[int]
    rows: list[tuple[int, list[str]]]
    counts: list[tuple[int, str, int]]
    place: list[int]  # the row of each record, -1 if it is empty

    @property
    def release(self) -> Release:
        table = GroupTable(
            pl.DataFrame(self.rows, schema={"group": pl.Int64, "items": pl.List(pl.String)}, orient="row"),
            pl.DataFrame(self.counts, schema={"group": pl.Int64, "item": pl.String, "count": pl.Int64}, orient="row"),
        )
        return Release({"records": table}, secret=Secret(np.array(self.place, np.int64)))

    @property
    def original(self) -> Any:
        named = Bags.from_lists([["a", "b", "S", "T"], *self.records], [99, *self.owners])
        return as_typed(named.select(np.arange(1, len(named))), as_sets=True)

    @property
    def sizes(self) -> Counter[int]:
        return Counter(g for g, _ in self.rows)

    @property
    def shown(self) -> list[int]:
        return [i for i, record in enumerate(self.records) if record]


def exact(record: list[str]) -> list[str]:
    return [item for item in record if item not in "ST"]


def drawn_groups(rng: random.Random) -> Groups | None:
    n = rng.randint(1, 9)
    records = [sorted(set(rng.sample("abST", rng.randint(0, 3)))) for _ in range(n)]
    shown = [i for i in range(n) if records[i]]
    if not any(set(records[i]) & set("ST") for i in shown):
        return None
    group, order = {i: rng.randrange(2) for i in shown}, rng.sample(shown, len(shown))
    rows = [(group[i], exact(records[i])) for i in order]
    held = Counter((group[i], item) for i in shown for item in records[i] if item in "ST")
    counts = [(g, item, count) for (g, item), count in held.items()]
    tamper = rng.choice(["", "", "row", "count", "swap"])
    if tamper == "row":
        rows[0] = (rows[0][0], ["a"] if rows[0][1] != ["a"] else ["b"])
    if tamper == "count":
        counts[0] = (*counts[0][:2], counts[0][2] + 1)
    place = [order.index(i) if i in order else -1 for i in range(n)]
    if tamper == "swap":
        one, other = rng.choice(shown), rng.choice(shown)
        place[one], place[other] = place[other], place[one]
    return Groups(records, [rng.choice([1, 10 + i, 20 + i]) for i in range(n)], rows, counts, place)


@pytest.mark.parametrize("p", [2, 3])
def test_degrees_of_groups(p: int) -> None:
    rng = random.Random(p)
    for case in filter(None, (drawn_groups(rng) for _ in range(40))):
        sizes = case.sizes
        alone = PrivacyDegree(p=p).check(replace(case.release, secret=None))
        bad = {g for g, _, count in case.counts if count > sizes[g] // p}
        degrees = [Fraction(sizes[g] * 10**6 // count, 10**6) for g, _, count in case.counts]
        assert alone.achieved == {"p": float(min(degrees)), "records": min(sizes[g] for g, *_ in case.counts)}
        told = f"in {len(bad)} of {len(sizes)} groups more than one row in {p} holds the same sensitive item"
        assert (list(alone.witnesses), alone.holds) == ([told] * bool(bad), not bad)
        verdict = PrivacyDegree(p=p).check(case.release, case.original)
        text = " ".join(verdict.witnesses)
        owned = {g: Counter(case.owners[i] for i in case.shown if case.rows[case.place[i]][0] == g) for g in sizes}
        assert verdict.achieved["people"] == min(len(owned[g]) for g, *_ in case.counts)
        several = [Fraction(sizes[g] * 10**6 // count // max(owned[g].values()), 10**6) for g, _, count in case.counts]
        assert verdict.achieved["p"] == float(min(several))
        over = {g for g, _, count in case.counts if count > sizes[g] // p // max(owned[g].values())}
        assert (f"in {len(over)} of {len(sizes)} groups more than one" in text) == bool(over)
        repeated = {g for g in over if max(owned[g].values()) > 1}
        assert (f"in {len(repeated)} of them a person owns several rows" in text) == bool(repeated)
        assert verdict.holds == (not verdict.witnesses)


def test_groups_beside_the_original() -> None:
    rng = random.Random(4)
    for case in filter(None, (drawn_groups(rng) for _ in range(80))):
        verdict = PrivacyDegree(p=2).check(case.release, case.original)
        text = " ".join(verdict.witnesses)
        before, after = Counter(tuple(exact(case.records[i])) for i in case.shown), Counter(tuple(items) for _, items in case.rows)
        added, lost = (after - before).total(), (before - after).total()
        assert (f"{added} row" in text and "too many and" in text and f"{lost} record" in text) == bool(added or lost)
        totals = Counter(item for i in case.shown for item in case.records[i] if item in "ST")
        claimed: Counter[str] = Counter()
        for _, item, count in case.counts:
            claimed[item] += count
        wrong_totals = sum(totals[item] != claimed[item] for item in "ST")
        assert (f"{wrong_totals} item" in text and "counted more or less often than in the original" in text) == bool(wrong_totals)
        differ = sum(exact(case.records[i]) != case.rows[case.place[i]][1] for i in case.shown)
        assert (f"{differ} row" in text and "different from the record" in text) == bool(differ)
        true = Counter((case.rows[case.place[i]][0], item) for i in case.shown for item in case.records[i] if item in "ST")
        told = {(g, item): count for g, item, count in case.counts}
        wrong = {g for g in case.sizes for item in "ST" if true[g, item] != told.get((g, item), 0)}
        assert (f"{len(wrong)} histogram" in text) == bool(wrong)
        unlinked = PrivacyDegree(p=2).check(replace(case.release, secret=None), case.original)
        assert ("people have several records" in " ".join(unlinked.notes)) == (len(set(case.owners)) < len(case.owners))
        assert ("too many and" in " ".join(unlinked.witnesses)) == bool(added or lost)


def test_groups_of_other_forms() -> None:
    table = GroupTable(
        pl.DataFrame({"group": [1, 1], "items": [["a"], ["a", "S"]]}), pl.DataFrame({"group": [1], "item": ["S"], "count": [1]})
    )
    assert "sensitive items occur in rows 1 times" in PrivacyDegree(p=2).check(Release({"records": table})).witnesses
    plain = GroupTable(table.rows, table.histogram.clear())
    assert PrivacyDegree(p=2).check(Release({"records": plain})).achieved == {}
    named = PrivacyDegree(p=2, items={"a"}).check(Release({"records": plain}))
    assert "sensitive items occur in rows 2 times" in named.witnesses
    with refuses("file-not-read"):
        PrivacyDegree(p=2, items="file").check(Release({"records": plain}))
    original = as_typed(Bags.from_lists([["a"], ["a", "S"]]), as_sets=True)
    for rows in ([0], [0, 0], [0, 2], [0, 1, -1]):
        lost = PrivacyDegree(p=2).check(Release({"records": table}, secret=Secret(np.array(rows, np.int64))), original)
        assert "records were lost or added without being accounted for" in lost.witnesses


# -- names of topics


def names_verdict(
    published: list[list[str]], original: list[list[str]] | None = None, owners: list[int] | None = None, people: int = 2
) -> Any:
    release = Release.from_records(Bags.from_lists(published))
    return NodeNames(people=people).check(release, None if original is None else as_typed(Bags.from_lists(original, owners)))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tea / pot", ""),
        ("tea / pot / rain", ""),
        ("tea / ...", ""),
        ("tea / pot (2)", ""),
        ("tea", ""),
        ("(any topic)", ""),
        ("(other words) (2)", ""),
        ("solo / tea", "1 word in names of topics is used by fewer than 2 people"),
        ("solo / alone", "2 words in names of topics are used by fewer than 2 people"),
        ("tea / tea", "1 name of a topic has a word twice"),
        ("tea / pot / rain / tea pot", "1 published item is neither an item of the original nor a name of two or three words"),
        ("tea / ", "1 published item is neither an item"),
        ("snow", "1 published item is neither an item of the original nor a name"),
    ],
)
def test_names_beside_the_original(name: str, says: str) -> None:
    original = [["tea", "pot"], ["tea", "rain"], ["pot", "rain", "solo"], ["alone"], ["tea pot"], ["tea pot"]]
    verdict = names_verdict([[name], ["tea"]], original)
    assert says in " ".join(verdict.witnesses) and verdict.holds == (not says), verdict
    assert bool(verdict.notes) == (name in {"tea", "(any topic)", "(other words) (2)"})
    if says.startswith("2 words"):
        assert verdict.rare == ("too few people use 'alone'", "too few people use 'solo'") and verdict.achieved == {"people": 1}


def test_words_of_names_are_counted_by_people() -> None:
    original = [["tea", "pot"], ["tea", "pot"], ["tea"]]
    assert names_verdict([["tea / pot"]], original).achieved == {"people": 2}
    assert names_verdict([["tea / pot"]], original, [1, 1, 2]).achieved == {"people": 1}
    assert names_verdict([["tea / pot"], ["pot / tea"]], original).witnesses == ("1 name of a topic has the words of another one",)
    assert names_verdict([["a / b / c / d / e / f"]], original, people=2).standing == "fails"
    many = names_verdict([["p / q / r"], ["s / t / u"]], original)
    assert len(many.rare) == 5 and "6 words in names of topics are" in many.witnesses[0]
    numbered = [["tea (2)", "pot"], ["tea (2)", "pot"]]
    assert names_verdict([["pot / tea (2)"]], numbered).holds
    assert NodeNames().words_to_count(["tea / pot (2)"]) == {"tea", "pot (2)", "pot"}


def test_names_of_files_alone() -> None:
    assert names_verdict([["tea / pot"], ["tea"], ["tea"], ["pot"], ["pot"]]).achieved == {"records": 2}
    lone = names_verdict([["tea / pot"], ["tea"], ["tea"], ["pot"]])
    assert (lone.standing, lone.achieved) == ("not checkable", {"records": 1}) and lone.unchecked.endswith("1 word")
    none = names_verdict([["tea"]])
    assert (none.standing, none.achieved, bool(none.notes)) == ("verified", {}, True)
    assert names_verdict([["tea / tea"], ["tea"], ["tea"]]).standing == "fails"
    bags = Bags.from_lists([["tea / pot"], ["tea", "pot"]])
    copied = Release.of_bags(bags, np.array([1, 3], np.int64))
    assert NodeNames(people=3).check(copied).achieved == {"records": 3}


def test_names_counted_by_workers() -> None:
    claim = NodeNames(people=2)
    assert claim.judge_names(["tea / pot", "(any topic)"], {"tea": 2, "pot": 3}).achieved == {"people": 2}
    assert not claim.judge_names(["tea / pot"], {"tea": 1, "pot": 3}).holds
    assert claim.judge_published_names(["tea / pot", "rain"], {"tea": 2, "pot": 2, "rain": 1}).standing == "verified"
    assert claim.judge_published_names(["tea / pot"], {"tea": 1, "pot": 2}).standing == "not checkable"


def test_names_of_nodes_of_a_taxonomy() -> None:
    tree = food()
    original = on_nodes(on(tree, [["Apple"], ["Milk"]]), tree)
    root = NodeNames(people=2).check(Release.from_records(on(tree, [["Food"], ["Apple"]])), original)
    assert root.holds and root.notes
    assert not NodeNames(people=2).check(Release.from_records(on(tree, [["Fruit"]])), original).holds
    public = NodeNames(people=2, categories="wordnet")
    bags = Bags.from_lists([["dog (kinds)"], ["animal"]])
    for owners, holds in (([0, 1], True), ([0, 0], False)):
        verdict = public.check(Release.from_records(bags), as_typed(Bags.from_lists([["dog"], ["dog"]], owners)))
        assert verdict.holds == holds, verdict
