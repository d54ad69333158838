"""Topics that are learned from the input itself: --taxonomy topics, and what is claimed of their names."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import polars as pl
import pytest

import shoal
from helpers.checker import everything_in
from helpers.cli import Shell, one_line
from helpers.tampering import drop, put
from shoal.cli.options import DATA_PARAMETERS
from shoal.evaluate.compare.cell import worked
from shoal.evaluate.compare.grid import Cell, prepared_for
from shoal.evaluate.compare.run_cells import CellRow, as_frame
from shoal.evaluate.compare.worst_attack import AttackEffort
from shoal.pipeline.prepare import prepare

CANARY = "zqcanary"
WORDS = {
    "music": ("song", "lyrics", "guitar", "band"),
    "homes": ("house", "rent", "flat", "garden"),
    "food": ("soup", "oven", "cake", "tea"),
}
TOPICS = ("--taxonomy", "topics", "--k", "3")


def queries(seed: int = 0, people: int = 36) -> list[tuple[str, str, str]]:
    """Each person searches for a topic, in two sessions; some words are of one person, others of two."""
    rng = random.Random(seed)
    rows = []
    for person in range(people):
        words = WORDS[[*WORDS][person % 3]]
        for hour in (10, 14):
            chosen = rng.sample(words, 3)
            rare = [f"{CANARY}{rng.choice([person, person // 2 + 100])}"] if rng.random() < 0.4 else []
            rows += [
                (f"p{person}", f"2006-03-01 {hour}:0{n}:00", " ".join(part)) for n, part in enumerate((chosen[:2], [chosen[2], *rare]))
            ]
    return rows


def written(rows: list[tuple[str, str, str]]) -> str:
    return "user\ttime\tquery\n" + "".join("\t".join(row) + "\n" for row in rows)


@pytest.fixture
def log(shell: Shell) -> Shell:
    shell.file("log.tsv", written(queries()))
    return shell


def manifest(shell: Shell, name: str = "release") -> dict[str, dict[str, object]]:
    return json.loads((shell.directory / name / "manifest.json").read_text())


def items(shell: Shell, name: str = "release") -> list[tuple[str, ...]]:
    return sorted(map(tuple, pl.read_parquet(shell.directory / name / "records.parquet")["items"].to_list()))


def topics_in(shell: Shell, name: str = "release") -> list[str]:
    return sorted({item for record in items(shell, name) for item in record if " / " in item})


def test_a_release_on_topics_is_verified_and_audited(log: Shell):
    made = log("anonymize", "log.tsv", *TOPICS, "--out", "release")
    assert made.code == 0, made.err
    told = manifest(log)
    assert {"taxonomy": "topics:6", "learned_from": "sessions", "gap": "30m"}.items() <= told["input"].items()
    assert [claim["model"] for claim in told["claims"]] == ["k-anonymity(k=3)", "node-names(people=6)"]  # type: ignore[index]
    assert topics_in(log)
    with_original = log("audit", "release", "--original", "log.tsv", "--json")
    assert with_original.code == 0, with_original.err
    assert json.loads(with_original.out)["unchecked"] == 0
    from_files = json.loads(log("audit", "release", "--json").out)
    assert from_files["holds"]
    assert [claim["verdict"] for claim in from_files["claims"]] in (["verified", "not checkable"], ["verified", "verified"])


def test_topics_of_some_of_the_people_are_verified_and_audited(log: Shell):
    """Those of other people's words are unlisted; who is in the sample does not depend on names or order."""
    made = log("anonymize", "log.tsv", "--taxonomy", "topics:4:20", "--k", "3", "--out", "release")
    assert made.code == 0, made.err
    assert manifest(log)["input"]["taxonomy"] == "topics:4:20"
    assert topics_in(log)
    answer = log("audit", "release", "--original", "log.tsv", "--json")
    assert answer.code == 0, answer.everything
    assert json.loads(answer.out)["unchecked"] == 0
    rows = [(f"other{name[1:][::-1]}", *rest) for name, *rest in reversed(queries())]
    log.file("renamed.tsv", written(rows))
    assert log("anonymize", "renamed.tsv", "--taxonomy", "topics:4:20", "--k", "3", "--out", "again").code == 0
    assert items(log, "again") == items(log)
    refused = one_line(log("anonymize", "log.tsv", "--taxonomy", "topics:4:some", "--k", "3", "--out", "other"))
    assert "topics are learned from a whole number of people" in refused


# -- with WordNet's categories for words that occur with no other


DOGS = ("terrier", "poodle", "spaniel", "beagle", "collie")
WITH_WORDNET = ("--taxonomy", "topics+wordnet", "--k", "3")


def searches_for_dogs() -> list[tuple[str, str, str]]:
    """The same searches; others search for nothing but one kind of dog, and half of all for a dog."""
    rows = queries() + [(f"q{n}", "2006-03-02 09:00:00", DOGS[n % 5]) for n in range(10)]
    return rows + [(f"p{n}", "2006-03-03 09:00:00", f"dog {WORDS['homes'][n % 4]}") for n in range(18)]


@pytest.fixture
def dogs(shell: Shell) -> Shell:
    shell.file("log.tsv", written(searches_for_dogs()))
    assert shell("anonymize", "log.tsv", *WITH_WORDNET, "--method", "partition", "--out", "release").code == 0
    return shell


def test_words_that_occur_with_no_other_become_categories_of_wordnet(dogs: Shell):
    told = manifest(dogs)
    assert told["input"]["taxonomy"] == "topics+wordnet:6"
    assert [claim["model"] for claim in told["claims"]] == ["k-anonymity(k=3)", "node-names(people=6, categories=wordnet)"]  # type: ignore[index]
    published = {item for record in items(dogs) for item in record}
    assert topics_in(dogs)
    assert any(item.startswith("dog (kinds)") or item in {"domestic animal", "hunting dog", "animal"} for item in published), published
    assert not published & set(DOGS)
    assert CANARY not in "".join(text for _, text in everything_in(dogs.directory / "release"))
    with_original = dogs("audit", "release", "--original", "log.tsv", "--json")
    assert with_original.code == 0, with_original.err
    assert json.loads(with_original.out)["unchecked"] == 0
    assert dogs("taxonomy", "learn", "log.tsv", "--people", "6", "--all-words", "--with-wordnet", "--out", "tree.tsv").code == 0
    assert dogs("anonymize", "log.tsv", "--taxonomy", "tree.tsv", "--k", "3", "--method", "partition", "--out", "by-file").code == 0
    assert items(dogs, "by-file") == items(dogs)


@pytest.mark.parametrize(
    ("new", "sound"),
    [
        ("song / lyrics", True),
        ("sport", True),
        ("dog (kinds)", True),
        ("terrier (kinds)", False),
        ("zqnothing", False),
        ("poodle / dog", False),
        ("(other words) (4)", True),
        ("(any topic) (1)", True),
        ("(other words) (zqcanary1)", False),
        ("(poodle) (2)", False),
    ],
)
def test_names_next_to_categories_are_judged(dogs: Shell, new: str, sound: bool):
    """Categories of WordNet are public, but one is renamed only for a word that many people hold."""
    old = topics_in(dogs)[0]
    records = pl.read_parquet(dogs.directory / "release" / "records.parquet")
    changed = [[item for item in record if item not in (old, new)] + [new] * (old in record) for record in records["items"].to_list()]
    records.with_columns(pl.Series("items", changed)).write_parquet(dogs.directory / "changed.parquet")
    claim = ("--claim", "node-names(people=6, categories=wordnet)")
    answer = dogs("audit", "changed.parquet", *claim, "--original", "log.tsv", "--taxonomy", "topics+wordnet:6", "--json")
    assert json.loads(answer.out)["claims"][0]["verdict"] == ("verified" if sound else "fails"), answer.everything


def test_order_names_threads_and_front_ends_do_not_matter(log: Shell, monkeypatch: pytest.MonkeyPatch):
    assert log("anonymize", "log.tsv", *TOPICS, "--out", "release").code == 0
    rows = queries()
    random.Random(3).shuffle(rows)
    log.file("other.tsv", written([(f"x{int(user[1:]) * 7919 % 1009}", time, query) for user, time, query in rows]))
    assert log("anonymize", "other.tsv", *TOPICS, "--threads", "1", "--memory", "1G", "--out", "again").code == 0
    assert items(log) == items(log, "again")
    monkeypatch.chdir(log.directory)
    result = shoal.anonymize("log.tsv", k=3, taxonomy="topics")
    assert sorted(map(tuple, result.to_polars()["items"].to_list())) == items(log)


def test_without_times_topics_are_learned_from_records(shell: Shell):
    shell.file("baskets.txt", "".join(",".join(WORDS[[*WORDS][n % 3]][:3]) + "\n" for n in range(30)))
    assert shell("anonymize", "baskets.txt", "--format", "transactions", *TOPICS, "--method", "km", "--out", "release").code == 0
    assert manifest(shell)["input"]["learned_from"] == "records"
    assert "gap" not in manifest(shell)["input"]
    assert shell("audit", "release", "--original", "baskets.txt").code == 0


def test_pages_visited_together_are_topics_of_an_access_log(shell: Shell):
    sites = [[f"/{topic}/{n}.html" for n in range(4)] for topic in ("a", "b")]
    lines = [
        f'10.0.{n // 200}.{n % 200} - - [01/Mar/2006:09:0{at}:00 +0000] "GET {page} HTTP/1.1" 200 17'
        for n in range(24)
        for at, page in enumerate(random.Random(n).sample(sites[n % 2], 3))
    ]
    shell.file("access.log", "\n".join(lines) + "\n")
    made = shell("anonymize", "access.log", *TOPICS, "--out", "release")
    assert made.code == 0, made.err
    assert shell("audit", "release", "--original", "access.log").code == 0
    assert topics_in(shell)


@pytest.mark.parametrize("seed", range(4))
def test_a_rare_word_is_in_no_name_and_in_no_file(shell: Shell, seed: int):
    shell.file("log.tsv", written(queries(seed, 30 + 6 * seed)))
    made = shell("anonymize", "log.tsv", *TOPICS, "--method", ("shoal", "km", "partition", "apriori")[seed], "--out", "release")
    assert made.code == 0, made.err
    assert CANARY not in made.everything + "".join(text for _, text in everything_in(shell.directory / "release"))


def renamed(old: str, new: str, other: str) -> Callable[[str], str]:
    return lambda item: new if item == old else item


def swapped(old: str, new: str, other: str) -> Callable[[str], str]:
    return lambda item: {old: other, other: old}.get(item, item)


CHANGES = {
    "a rare word": (renamed, "song / zqcanary1", "1 word in names of topics is used by fewer than 6 people"),
    "a word that nobody has": (renamed, "song / nobody", "1 word in names of topics is used by fewer than 6 people"),
    "four words": (renamed, "song / lyrics / guitar / band", "nor a name of two or three words"),
    "no name": (renamed, "music", "nor a name of two or three words"),
    "a word twice": (renamed, "song / song", "has a word twice"),
    "the words of another": (renamed, "", "the words of another one"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changed_names_are_found(log: Shell, change: str):
    """In a file of records that was changed, beside the original; what a name itself shows is found without it."""
    how, new, says = CHANGES[change]
    assert log("anonymize", "log.tsv", *TOPICS, "--out", "release").code == 0
    old, other = topics_in(log)[:2]
    new = new or " / ".join(reversed(other.split(" / ")))
    place = log.directory / "changed.parquet"
    records = pl.read_parquet(log.directory / "release" / "records.parquet")
    change_one = how(old, new, other)
    changed = [[change_one(item) for item in record] for record in records["items"].to_list()]
    records.with_columns(pl.Series("items", changed)).write_parquet(place)
    claim = ("audit", "changed.parquet", "--claim", "node-names(people=6)")
    answer = log(*claim, "--original", "log.tsv", "--taxonomy", "topics:6")
    assert answer.code == 3
    assert says in " ".join(answer.everything.split())
    alone = log(*claim)
    assert (alone.code == 3) == (change in {"four words", "a word twice", "the words of another"}), alone


def test_swapped_names_do_not_generalize_their_records(log: Shell):
    assert log("anonymize", "log.tsv", *TOPICS, "--method", "partition", "--out", "release").code == 0
    old, other = topics_in(log)[:2]
    records = pl.read_parquet(log.directory / "release" / "records.parquet")
    change = swapped(old, "", other)
    changed = [[change(item) for item in record] for record in records["items"].to_list()]
    records.with_columns(pl.Series("items", changed)).write_parquet(log.directory / "changed.parquet")
    answer = log(
        "audit", "changed.parquet", "--claim", "k-anonymity(k=3)", "--claim", "node-names(people=6)",
        *("--original", "log.tsv", "--taxonomy", "topics:6", "--json"),
    )  # fmt: skip
    assert answer.code == 3
    verdicts = {claim["model"].split("(")[0]: claim["verdict"] for claim in json.loads(answer.out)["claims"]}
    assert verdicts == {"k-anonymity": "fails", "node-names": "verified"}


def test_a_manifest_without_the_claim_on_names_fails(log: Shell, monkeypatch: pytest.MonkeyPatch):
    from shoal.pipeline import run

    monkeypatch.setattr(run, "claims_on_names", lambda taxonomy: ())
    assert log("anonymize", "log.tsv", *TOPICS, "--out", "release").code == 0
    answer = log("audit", "release")
    assert answer.code == 3
    assert "node-names(people=6), which is not claimed" in " ".join(answer.everything.split())


EDITS = {
    "fewer people": (put("input.taxonomy", "topics:3"), "node-names(people=3), which is not claimed"),
    "no number of people": (put("input.taxonomy", "topics"), "does not say how many people"),
    "a number that is none": (put("input.taxonomy", "topics:x"), "does not say how many people"),
    "no source": (drop("input.learned_from"), "must be given for topics"),
    "another taxonomy": (put("input.taxonomy", "wordnet"), "must be given for topics"),
    "no gap": (drop("input.gap"), "must be given for sessions"),
    "more people achieved": (put("claims[1].achieved.people", 99), "claims[1]"),
}


def test_an_edited_manifest_fails(log: Shell):
    """Edits whose digests are renewed are found from the files, or with the original."""
    assert log("anonymize", "log.tsv", *TOPICS, "--out", "release").code == 0
    place = log.directory / "release" / "manifest.json"
    sound = place.read_bytes()
    for name, (tamper, says) in EDITS.items():
        tamper(log.directory / "release")
        beside = ("--original", "log.tsv") if "achieved" in name else ()
        answer = log("audit", "release", *beside)
        assert answer.code == 3, name
        assert says in " ".join(answer.everything.split()), name
        place.write_bytes(sound)


REFUSED = {
    "too few people behind a word": (("--taxonomy", "topics:2", "--k", "3"), "hides each person among 3"),
    "one person behind a word": (("--taxonomy", "topics:1"), "at least 2"),
    "no number": (("--taxonomy", "topics:many"), "at least 2"),
    "names as typed": (("--taxonomy", "topics", "--method", "tds"), "records that are put on a taxonomy"),
    "rows of a log": (("--taxonomy", "topics", "--method", "category-microaggregation"), "records that are put on a taxonomy"),
    "numbers of words": (("--taxonomy", "topics", "--method", "td-control", "--sensitive", "items:rent"), "rho-uncertainty does not allow"),
    "nothing to learn": (("--taxonomy", "topics:30", "--k", "3"), "no topics can be learned"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(log: Shell, case: str):
    words, says = REFUSED[case]
    before = log.names()
    assert says in one_line(log("anonymize", "log.tsv", *words, "--out", "release"))
    assert log.names() == before


def test_items_that_look_like_names_are_refused(shell: Shell):
    shell.file("baskets.txt", "bread / rolls,milk\n" * 12)
    answer = one_line(shell("anonymize", "baskets.txt", "--format", "transactions", "--sep", ",", *TOPICS, "--out", "release"))
    assert "cannot be distinguished from names of topics" in answer
    assert "bread" not in answer


def test_look_coverage_and_advise_learn_topics(log: Shell):
    assert "learned from sessions" in log("look", "log.tsv", "--taxonomy", "topics").everything
    covered = log("taxonomy", "coverage", "topics:6", "log.tsv")
    assert covered.code == 0, covered.err
    advised = log("advise", "log.tsv", "--for", "histories", "--taxonomy", "topics", "--seconds", "1")
    assert advised.code == 0, advised.err


def test_every_cell_of_a_comparison_has_words_of_enough_people():
    def prepared(method: str, *settings: tuple[str, int]) -> tuple[str, str]:
        said = {**dict.fromkeys(DATA_PARAMETERS), "taxonomy": "topics", "gap": "1h"}
        how = prepared_for(Cell(method, settings, "user"), said)
        return how.taxonomy, how.gap

    assert prepared("shoal", ("k", 3)) == ("topics:6", "1h")
    assert prepared("km", ("k", 10)) == ("topics:20", "1h")
    assert prepared("tds", ("k", 3))[0] == "none"


def test_a_kept_tree_is_recorded_by_its_digest_and_only_if_it_is_public(log: Shell):
    assert log("taxonomy", "learn", "log.tsv", "--people", "6", "--out", "topics.parquet").code == 0
    assert log("taxonomy", "learn", "log.tsv", "--people", "6", "--all-words", "--out", "private.tsv").code == 0
    assert (log.directory / "topics.parquet").read_bytes().startswith(b"PAR1")
    log.file("next.tsv", written([*queries(5), ("new", "2006-03-02 10:00:00", "song unheard")]))
    made = log("anonymize", "next.tsv", "--taxonomy", "topics.parquet", "--k", "3", "--out", "release")
    assert made.code == 0, made.err
    assert made.code == log("anonymize", "next.tsv", "--taxonomy", "private.tsv", "--k", "3", "--out", "other").code
    told, other = manifest(log)["input"], manifest(log, "other")["input"]
    assert len(str(told["taxonomy_sha256"])) == 64
    assert "taxonomy_sha256" not in other
    assert int(str(told["unknown_items"])) > 0  # words that the tree lacks are counted
    assert log("audit", "release", "--original", "next.tsv", "--taxonomy", "topics.parquet").code == 0
    log.file("another.tsv", log("taxonomy", "learn", "log.tsv", "--people", "6").out + "neverused\t(any topic)\n")
    answer = log("audit", "release", "--original", "next.tsv", "--taxonomy", "another.tsv")
    assert answer.code == 3
    assert "taxonomy_sha256" in answer.everything


def test_releases_with_two_trees_are_not_compared(log: Shell):
    assert log("anonymize", "log.tsv", *TOPICS, "--out", "release").code == 0
    answer = log("anonymize", "log.tsv", "--taxonomy", "generated", "--k", "3", "--previous", "release", "--out", "second")
    assert "different topics" in one_line(answer)


def test_a_comparison_has_the_published_topics_of_a_release(log: Shell) -> None:
    options = dict.fromkeys(DATA_PARAMETERS)
    for method, taxonomy in (("shoal", "topics"), ("shoal", "wordnet")):
        cell = Cell(method, (("k", 3),), "user")
        prepared = prepare((log.directory / "log.tsv",), prepared_for(cell, {**options, "taxonomy": taxonomy}))
        found = worked(cell, prepared, None, AttackEffort(targets=2))
        assert ("topics" in found) == (taxonomy == "topics")
        if taxonomy == "topics":
            names = {name for name, *_ in found["topics"]["cells"]}
            assert names
            assert found["topics"]["records"] <= 36
            assert not any(CANARY in name for name in names)
        assert "topics" not in as_frame([CellRow(cell, found)]).columns
