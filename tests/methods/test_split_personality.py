"""Split personality: a pseudonym for each person and topic, with topics worked out by hand."""

from __future__ import annotations

import polars as pl
import pytest

from helpers.errors import refuses
from shoal.data.log import Log
from shoal.data.original import LogOriginal
from shoal.data.tables.rows import RowTable
from shoal.data.taxonomy import Taxonomy
from shoal.methods.split_personality import SplitPersonality
from shoal.pipeline.contract import made_by
from shoal.taxonomy.text_topics import NO_TOPIC, lifted, topics_of

TREE = Taxonomy.from_parents(
    {
        "thing": None,
        "art": "thing",
        "sport": "thing",
        "music": "art",
        "guitar": "music",
        "piano": "music",
        "painting": "art",
        "tennis": "sport",
        "football": "sport",
    }
)
ROWS = [
    (0, "guitar"),
    (0, "tennis racket"),
    (0, "Piano lessons"),
    (0, "ann miller"),
    (1, "guitar"),
    (1, "football football piano"),
    (1, "???"),
]


def published(level: int) -> pl.DataFrame:
    owners, queries = zip(*ROWS, strict=True)
    log = Log(pl.DataFrame({"owner": owners, "payload": queries}))
    release = made_by(SplitPersonality(level=level), LogOriginal(log, TREE))
    table = release.only(RowTable)
    assert isinstance(table, RowTable)
    assert release.accounting is not None
    assert release.accounting["rows"].as_dict() == {"in": 7, "published": 7}
    assert release.accounting["words"].as_dict() == {"in": 12, "as typed": 12}
    assert f"{table.frame['user'].n_unique()} pseudonyms for 2 people" in release.notes
    return table.frame


def groups(users: pl.Series) -> set[frozenset[int]]:
    return {frozenset(at for at, user in enumerate(users.to_list()) if user == one) for one in users.unique().to_list()}


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (2, [{0, 2}, {1}, {3}, {4}, {5}, {6}]),  # art, sport, no topic
        (3, [{0, 2}, {1}, {3}, {4}, {5}, {6}]),  # music, tennis, no topic
        (4, [{0}, {1}, {2}, {3}, {4}, {5}, {6}]),  # guitar, tennis, piano, no topic
    ],
)
def test_who_bears_which_pseudonym(level: int, expected: list[set[int]]) -> None:
    frame = published(level)
    assert frame["query"].to_list() == [query for _, query in ROWS]
    assert groups(frame["user"]) == set(map(frozenset, expected))


def test_topics_by_hand() -> None:
    """Most words decide; of as many on both sides the first in the order of the tree; a word above the level is its own topic."""

    def topics(level: int) -> list[str | None]:
        texts = pl.Series(["tennis football piano", "tennis piano", "art", "nothing known", "guitar"])
        found = topics_of(texts, "text", TREE, level).tolist()
        return [None if node == NO_TOPIC else TREE.names[node] for node in found]

    assert topics(2) == ["sport", first("art", "sport"), "art", None, "art"]
    assert topics(3)[2:] == ["art", None, "music"]
    assert topics(9)[4] == "guitar"


def first(*names: str) -> str:
    return min(names, key=lambda name: int(TREE.names.codes([name])[0]))


def test_nodes_are_lifted_to_their_level() -> None:
    name = dict(enumerate(TREE.names.names.to_list()))
    told = {name[node]: name[above] for node, above in enumerate(lifted(TREE, 2).tolist())}
    assert told == {
        "thing": "thing", "art": "art", "sport": "sport", "music": "art", "guitar": "art", "piano": "art", "painting": "art",
        "tennis": "sport", "football": "sport",
    }  # fmt: skip
    assert lifted(TREE, 1).tolist() == [0] * len(TREE)


def test_the_level_of_the_root_splits_nothing_and_is_refused() -> None:
    with refuses("out-of-range", value=1, limit=2):
        SplitPersonality(level=1)
