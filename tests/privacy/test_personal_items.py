"""Private items that differ by person: judged by brute force, and broken releases and methods that must be noticed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from helpers.cli import Shell, failed
from helpers.errors import refuses
from helpers.itemsets import Sets, bags_of, databases, support
from shoal.data.bags import Bags, Ints
from shoal.data.original import Original
from shoal.data.personal_items import PersonalItems
from shoal.data.release import Release
from shoal.errors import Infeasible
from shoal.itemsets import personal_moles
from shoal.itemsets.itemset_support import PRIVATE, PUBLIC
from shoal.methods import Cohesion
from shoal.privacy import MODELS, Coherence
from shoal.taxonomy.place_terms import as_typed

wishes_of_people = st.lists(st.frozensets(st.integers(0, 5), max_size=3), min_size=14, max_size=14)


def known_sets(rows: Sets, hidden: Sequence[frozenset[int]], public: set[int], p: int) -> Iterator[tuple[int, ...]]:
    """All sets of at most p items that are public for somebody who has them."""
    shown = [row & public - own for row, own in zip(rows, hidden, strict=True)]
    every = sorted(public)
    return (one for size in range(p + 1) for one in combinations(every, size) if any(part >= set(one) for part in shown))


def unsafe(rows: Sets, owners: Sequence[int], hidden: Sequence[frozenset[int]], parts: Sequence[int], k: int, p: int, h: Fraction) -> bool:
    """Whether a known set tells too much, by the definition. `hidden` are the items that the person of each record named."""
    public = {item for item, part in enumerate(parts) if part == PUBLIC}
    everybodys = {item for item, part in enumerate(parts) if part == PRIVATE}
    for known in known_sets(rows, hidden, public, p):
        cohort = [n for n, row in enumerate(rows) if row >= set(known)]
        people = {owners[n] for n in cohort}
        if len(people) < k:
            return True
        targets = [n for n, row in enumerate(rows) if row & public - hidden[n] >= set(known)]
        for item in everybodys.union(*(hidden[n] for n in targets)) - set(known):
            having = [n for n in cohort if item in rows[n]]
            if max(Fraction(len(having), len(cohort)), Fraction(len({owners[n] for n in having}), len(people))) > h:
                return True
    return False


def prepared(rows: Sets, owners: Sequence[int], n: int, people: int) -> Original:
    """Records with the names of their people."""
    original = as_typed(bags_of([sorted(row) for row in rows], n, list(owners)), as_sets=True)
    return replace(original, people=pl.Series([f"u{number}" for number in range(people)]))


def shown_in(release: Release) -> set[int]:
    """The numbers of the items that are published."""
    return {int(name[1:]) for row in range(len(release.published)) for name in release.published.record(row)}


def given_by(wishes: Sequence[frozenset[int]], owners: Sequence[int]) -> PersonalItems:
    return PersonalItems.made_of({f"u{owner}": [f"i{item}" for item in wishes[owner]] for owner in set(owners)})


@settings(deadline=None, max_examples=200)
@given(databases(most_items=6, most_records=14), st.integers(2, 4), st.integers(1, 3), st.sampled_from([0.25, 0.5, 1.0]), wishes_of_people)
def test_the_judge_finds_what_brute_force_finds(database: Any, k: int, p: int, h: float, wishes: list[frozenset[int]]) -> None:
    rows, owners, parts = database
    kept = [n for n, row in enumerate(rows) if row]
    assume(kept)
    rows, owners = [rows[n] for n in kept], [owners[n] for n in kept]
    wishes = [own & set(range(len(parts))) for own in wishes]
    original = prepared(rows, owners, len(parts), 14)
    named = {name: {f"i{n}" for n, part in enumerate(parts) if part == role} for name, role in (("private", PRIVATE), ("public", PUBLIC))}
    claim = Coherence(h=h, k=k, p=p, **named, private_of=given_by(wishes, owners))
    release = Release.of_bags(original.bags, np.ones(len(rows), np.int64))
    verdict = claim.check(release, original)
    expected = unsafe(rows, owners, [wishes[owner] for owner in owners], parts, k, p, Fraction(str(h)))
    assert verdict.holds != expected
    alone = claim.check(release)
    if expected:  # the files alone may leave the question open, but never say that it is safe
        assert alone.standing != "verified"
    if alone.standing == "fails":
        assert expected


@settings(deadline=None, max_examples=150)
@given(databases(most_items=6, most_records=14), st.integers(2, 3), st.integers(1, 2), st.sampled_from([0.5, 1.0]), wishes_of_people)
def test_the_method_leaves_no_unsafe_set_and_suppresses_nothing_needlessly(
    database: Any, k: int, p: int, h: float, wishes: list[frozenset[int]]
) -> None:
    rows, owners, parts = database
    kept = [n for n, row in enumerate(rows) if row]
    rows, owners = [rows[n] for n in kept], [owners[n] for n in kept]
    assume(len(set(owners)) >= k)
    occurring = set().union(*rows)
    parts = [PRIVATE if part == PRIVATE and n in occurring else PUBLIC for n, part in enumerate(parts)]
    wishes = [own & set(range(len(parts))) for own in wishes]
    hidden = [wishes[owner] for owner in owners]
    private = {f"i{n}" for n, part in enumerate(parts) if part == PRIVATE} or None
    original = prepared(rows, owners, len(parts), 14)
    limit = Fraction(str(h))
    may_go = {item for row, own in zip(rows, hidden, strict=True) for item in row - own if parts[item] == PUBLIC}
    try:
        release = Cohesion(h=h, k=k, p=p, private=private, private_of=given_by(wishes, owners)).apply(original)
    except Infeasible:
        assert unsafe([row - may_go for row in rows], owners, hidden, parts, k, p, limit)
        return
    assert all(claim.check(release, original).holds for claim in release.claims)
    shown = shown_in(release)
    assert occurring - may_go <= shown
    left = [row & shown for row in rows]
    assert not unsafe(left, owners, hidden, parts, k, p, limit)
    for item in occurring - shown:  # put back alone, each of them makes a set unsafe
        assert unsafe([row & (shown | {item}) for row in rows], owners, hidden, parts, k, p, limit)


@settings(deadline=None, max_examples=60)
@given(
    databases(most_items=6, most_records=14), st.integers(1, 2), st.sampled_from([0.5, 1.0]), st.frozensets(st.integers(0, 5), max_size=2)
)
def test_the_same_choice_of_everybody_is_the_plain_model(database: Any, p: int, h: float, private: frozenset[int]) -> None:
    rows, owners, parts = database
    kept = [n for n, row in enumerate(rows) if row]
    rows, owners = [rows[n] for n in kept], [owners[n] for n in kept]
    assume(len(set(owners)) >= 2)
    private &= set().union(*rows)
    original = prepared(rows, owners, len(parts), 14)
    plain = Cohesion(h=h, k=2, p=p, private={f"i{n}" for n in private} or None)
    personal = Cohesion(h=h, k=2, p=p, private_of=given_by([private] * 14, owners))
    try:
        expected = plain.apply(original)
    except Infeasible:
        with pytest.raises(Infeasible):
            personal.apply(original)
        return
    assert sorted(map(str, map(expected.published.record, range(len(expected.published))))) == sorted(
        map(str, map((found := personal.apply(original)).published.record, range(len(found.published))))
    )


def test_costs_apply_to_the_items_that_are_public_for_somebody() -> None:
    rows = [frozenset({0, 1}), frozenset({0, 1}), frozenset({0, 2}), frozenset({0})]
    original = prepared(rows, range(4), 3, 4)
    own = {"u2": ["i2"]}
    assert shown_in(Cohesion(h=1.0, k=2, p=2, private_of=own).apply(original)) == {0, 1, 2}
    assert shown_in(Cohesion(h=1.0, k=2, p=2).apply(original)) == {0, 1}
    assert shown_in(Cohesion(h=1.0, k=2, p=2, private_of={"u0": ["i1"]}, costs={"i2": 3}).apply(original)) == {0, 1, 2}


def test_a_claim_names_neither_people_nor_items() -> None:
    claim = Coherence(h=0.4, k=5, p=3, private_of={"ann": ["flu"]})
    assert str(claim) == "coherence(h=0.4, k=5, p=3, private_of=unnamed)"
    assert "ann" not in repr(claim)
    assert MODELS.make(str(claim)).private_of == PersonalItems()
    for wrong in (["ann"], {"ann": "flu"}, 3):
        with refuses("wrong-type"):
            PersonalItems.made_of(wrong)


VISITS = [
    *((f"p{n}", item) for n in range(12) for item in ("bus", "cafe")[: 1 + n % 2]),
    *((f"p{n}", "clinic") for n in range(5)),
    *((f"p{n}", "park") for n in range(3, 9)),
]


@pytest.fixture
def town(shell: Shell) -> Shell:
    shell.file("visits.csv", "user,item\n" + "".join(f"{person},{item}\n" for person, item in VISITS))
    shell.file("own.tsv", "p0\tclinic\np1\tclinic\np3\tcafe\n")
    return shell


WORDS = ("--method", "coherence", "--k", "2", "--p", "2", "--h", "0.4")
CLAIM = "coherence(h=0.4, k=2, p=2, private_of=own.tsv)"


def released(town: Shell, *words: str) -> dict[str, Any]:
    done = town("anonymize", "visits.csv", *WORDS, "--private-of", "own.tsv", "--to", "csv", "--out", "release", *words)
    assert done.code == 0, done.err
    return json.loads((town.directory / "release" / "manifest.json").read_text())  # type: ignore[no-any-return]


def test_through_the_command_line_and_python(town: Shell) -> None:
    manifest = released(town)
    assert manifest["claims"][0]["model"] == "coherence(h=0.4, k=2, p=2, private_of=unnamed)"
    assert manifest["parameters"]["private_of"] == "a file"
    assert "own.tsv" not in json.dumps(manifest)
    assert town("audit", "release").code == 0
    assert json.loads(town("audit", "release", "--json").out)["unchecked"] == 1
    again = json.loads(town("audit", "release", "--original", "visits.csv", "--claim", CLAIM, "--json").out)
    assert (again["holds"], again["unchecked"]) == (True, 0)
    frame = pl.DataFrame(VISITS, schema=["user", "item"], orient="row")
    own = {"p0": ["clinic"], "p1": ["clinic"], "p3": ["cafe"]}
    same = shoal.anonymize(frame, method="coherence", k=2, p=2, h=0.4, private_of=own)
    shown = (town.directory / "release" / "records.csv").read_text().splitlines()[1:]
    expected = sorted(frozenset(line.partition(",")[2].split(";")) for line in shown)
    published = same.release.published
    assert sorted(frozenset(published.record(n)) for n in range(len(published)) for _ in range(int(same.release.copies[n]))) == expected


@pytest.mark.parametrize("change", ["an item more", "an item less", "a record less"])
def test_a_changed_release_is_noticed(town: Shell, change: str) -> None:
    released(town)
    table = town.directory / "release" / "records.csv"
    lines = table.read_text().splitlines()
    full = next(n for n, line in enumerate(lines) if n and ";" in line)
    if change == "an item more":
        lines[full] += ";clinic" if "clinic" not in lines[full] else ";park"
    elif change == "an item less":
        lines[full] = lines[full].rpartition(";")[0]
    else:
        del lines[full]
    table.write_text("\n".join(lines) + "\n")
    assert town("audit", "release/records.csv", "--original", "visits.csv", "--claim", CLAIM).code == 3


def test_another_choice_breaks_the_claim(town: Shell) -> None:
    released(town)
    town.file("own.tsv", "".join(f"p{n}\tbus\n" for n in range(4, 8)))
    found = town("audit", "release", "--original", "visits.csv", "--claim", CLAIM)
    assert found.code == 3
    assert "'bus'" not in found.out


def test_what_is_refused(town: Shell) -> None:
    words = ("anonymize", "visits.csv", *WORDS, "--out", "release", "--private-of")
    town.file("strange.tsv", "nobody\tclinic\n")
    answer = town(*words, "strange.tsv")
    failed(answer, "people-not-in-data", value=1)
    assert "nobody" not in answer.err
    town.file("strange.tsv", "p1\tsecret place\n")
    answer = town(*words, "strange.tsv")
    failed(answer, "items-not-in-data")
    assert "secret place" not in answer.err
    town.file("strange.tsv", "p1 clinic\n")
    failed(town(*words, "strange.tsv"), "unreadable-line")
    failed(town(*words, "own.tsv", "--generalize", "--taxonomy", "generated"), "options-conflict")
    town.file("lines.txt", "a,b\na,b\n")
    lines = ("anonymize", "lines.txt", "--format", "transactions", *WORDS, "--out", "release", "--private-of", "own.tsv")
    failed(town(*lines), "no-user-ids")
    asked = ("anonymize", "visits.csv", *WORDS, "--out", "release", "--claim", CLAIM)
    failed(town(*asked), "claim-names-items")
    assert not (town.directory / "release").exists()


def test_an_item_that_is_private_for_all_who_have_it_and_too_frequent(town: Shell) -> None:
    town.file("own.tsv", "".join(f"{person}\tpark\n" for person, item in VISITS if item == "park"))
    failed(town("anonymize", "visits.csv", *WORDS, "--private-of", "own.tsv", "--out", "release"), "sensitive-item-too-frequent", value=0.5)


def wishes_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal_moles.PersonalRecords, "wished_by", lambda self, records: np.zeros(0, np.int64))


def people_with_wishes_have_nothing_public(monkeypatch: pytest.MonkeyPatch) -> None:
    def of(bags: Bags, parts: Any, wishes: Any) -> Any:
        found = true(bags, parts, wishes)
        asked = np.repeat(np.isin(bags.owners, wishes.people), np.diff(bags.indptr))
        return replace(found, shown=found.shown & ~asked)

    true = personal_moles.PersonalRecords.of
    monkeypatch.setattr(personal_moles.PersonalRecords, "of", of)


def only_single_items(monkeypatch: pytest.MonkeyPatch) -> None:
    true = personal_moles.MoleSearch._extended
    monkeypatch.setattr(personal_moles.MoleSearch, "_extended", lambda self, known, alive: iter(()) if known else true(self, known, alive))


def everybody_who_has_an_item_is_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def twice(self: Any, records: Ints, items: Ints, limit: Fraction) -> tuple[int, dict[int, Fraction]]:
        people, found = true(self, records, items, limit)
        return 2 * people, found

    true = personal_moles.PersonalRecords.too_certain
    monkeypatch.setattr(personal_moles.PersonalRecords, "too_certain", twice)


@pytest.mark.parametrize(
    "breaks",
    [wishes_are_forgotten, people_with_wishes_have_nothing_public, only_single_items, everybody_who_has_an_item_is_counted_twice],
)
def test_a_broken_method_writes_nothing(town: Shell, monkeypatch: pytest.MonkeyPatch, breaks: Any) -> None:
    rare = [("p0", "pool"), ("p1", "pool"), ("p0", "zoo"), ("p6", "gym"), ("p7", "gym"), ("p7", "inn"), ("p8", "inn")]
    town.file("visits.csv", "user,item\n" + "".join(f"{person},{item}\n" for person, item in [*VISITS, *rare]))
    town.file("own.tsv", "p0\tclinic\np1\tclinic\np3\tcafe\np5\tpark\n")
    words = ("anonymize", "visits.csv", *WORDS, "--private-of", "own.tsv")
    assert town(*words, "--out", "honest").code == 0
    breaks(monkeypatch)
    done = town(*words, "--out", "broken")
    assert done.code == 3, done.err
    assert not (town.directory / "broken").exists()


def test_words_of_queries_may_be_private(shell: Shell) -> None:
    rows = [("u1", "flu pills"), ("u2", "flu tea"), ("u3", "tea"), ("u4", "pills tea"), ("u5", "tea"), ("u6", "tea")]
    shell.file("log.tsv", "user\tquery\n" + "".join(f"{user}\t{query}\n" for user, query in rows))
    shell.file("own.tsv", "u1\tflu\nu2\tflu\n")
    words = ("anonymize", "log.tsv", "--method", "coherence", "--k", "2", "--p", "1", "--h", "0.4", "--to", "csv", "--out", "release")
    assert shell(*words, "--private-of", "own.tsv").code == 0
    published = (shell.directory / "release" / "records.csv").read_text()
    assert "flu" in published
    assert "pills" not in published  # one of the two who asked for pills also asked for flu


def test_support_is_that_of_the_original() -> None:
    rows: Sets = [frozenset({0, 1}), frozenset({0, 1}), frozenset({0, 2}), frozenset({0})]
    original = prepared(rows, range(4), 3, 4)
    release = Cohesion(h=1.0, k=2, p=2, private_of={"u1": ["i0"]}).apply(original)
    shown = [frozenset(int(name[1:]) for name in release.published.record(n)) for n in range(len(release.published))]
    left = sorted(set().union(*shown))
    for known in (one for size in range(3) for one in combinations(left, size)):
        counted = sum(int(copies) for row, copies in zip(shown, release.copies, strict=True) if row >= set(known))
        assert counted == support(rows, known)
    assert isinstance(release.published, Bags)
