"""The steps of a run on a cluster, each on tables as a worker has them: what is lost, strange or above the floor is found."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from helpers.errors import refuses
from shoal.cluster import arrow_schemas as tables
from shoal.cluster import judge_records as judging
from shoal.cluster import read_events as reading
from shoal.cluster.group_worker import Grouping, published_range
from shoal.cluster.input_layout import find_input
from shoal.cluster.spark import _translated
from shoal.data.taxonomy import Floor, Taxonomy
from shoal.io.read.formats import find_layout
from shoal.io.read.source import Source
from shoal.io.write.frame_files import write_part
from shoal.methods.shoal import Shoal
from shoal.pipeline.options import Preparation
from shoal.taxonomy.place_terms import fitted_tree

FOOD = {"Food": None, "Fruit": "Food", "Apple": "Fruit", "Pear": "Fruit", "Dairy": "Food", "Milk": "Dairy", "Butter": "Dairy"}
TREE = Taxonomy.from_parents(FOOD)


def fitted(used: tuple[str, ...] = ("Apple", "Pear", "Milk", "Butter"), strange: int = 0, floor: int = 2) -> tables.Fitted:
    return tables.Fitted.of(*fitted_tree(TREE, np.sort(TREE.nodes(list(used))).astype(np.int64), strange, Floor(level=floor)))


def records(*items: list[str], words: tuple[str, ...] = ()) -> pa.Table:
    """Records of these items, of an owner each; words that the taxonomy lacks are in the first one."""
    nodes = [TREE.nodes(names).tolist() for names in items]
    unknown = [list(words), *([] for _ in items[1:])]
    columns: dict[str, Any] = {"kind": [tables.RECORD] * len(items), "record": range(len(items)), "owner": range(len(items))}
    columns |= {"nodes": nodes, "counts": [[1] * len(n) for n in nodes], "spelled": [[1] * len(n) for n in nodes]}
    columns |= {"words": unknown, **{name: [[1] * len(w) for w in unknown] for name in ("word_counts", "word_spelled")}}
    return pa.table({name: pa.array(columns[name], tables.RECORDS.field(name).type) for name in tables.RECORDS.names})


def answered(held: pa.Table, items: list[list[str] | None], withheld: list[bool | None]) -> pa.Table:
    """Records beside what a range said of them."""
    return held.append_column("items", pa.array(items, tables.WORDS)).append_column("withheld", pa.array(withheld, pa.bool_()))


def sums_of(tree: tables.Fitted, table: pa.Table) -> Counter[str]:
    return judging.summed([(made.column("sums")[0].as_py(),) for made in judging.compared(tree, 0, table)])


HELD = records(["Apple"], ["Apple"], ["Milk"], [])
BEFORE = Counter(records=4, present=3, occurrences=3)
TRUE: tuple[list[Any], list[Any]] = ([["Apple"], ["Apple"], None, None], [False, False, True, None])


def test_published_and_withheld_records_are_all_there() -> None:
    sums = sums_of(fitted(), answered(HELD, *TRUE))
    judging.insist_on_all(sums, BEFORE, 3, floor=True)
    assert (sums["published"], sums["nothing_left"], sums["empty"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("items", "withheld", "answers"),
    [
        ([["Apple"], ["Apple"], None, None], [False, False, None, None], 2),  # a range lost the third
        ([["Apple"], ["Apple"], None, None], [False, False, None, None], 3),  # and told of a record of nobody
        ([["Apple"], None, None, None], [False, False, True, None], 3),  # said to be published, and not
        ([["Apple"], ["Apple"], ["Milk"], None], [False, False, True, None], 3),  # said to be withheld, and published
        ([["Apple"], ["Apple"], None, []], [False, False, True, False], 4),  # an empty record is published
    ],
)
def test_a_record_without_one_true_answer_is_found(items: list[Any], withheld: list[Any], answers: int) -> None:
    sums = sums_of(fitted(), answered(HELD, items, withheld))
    with refuses("accounting-incomplete"):
        judging.insist_on_all(sums, BEFORE, answers, floor=True)


@pytest.mark.parametrize("lost", ["records", "occurrences"])
def test_records_and_occurrences_that_were_lost_on_the_way_are_found(lost: str) -> None:
    sums = sums_of(fitted(), answered(HELD, *TRUE))
    with refuses("accounting-incomplete"):
        judging.insist_on_all(sums, BEFORE + Counter({lost: 1}), 3, floor=True)


def test_nothing_is_withheld_without_a_floor() -> None:
    sums = sums_of(fitted(floor=1), answered(HELD, *TRUE))
    with refuses("withheld-without-floor"):
        judging.insist_on_all(sums, BEFORE, 3, floor=False)


def test_a_published_node_above_the_floor_is_found() -> None:
    sums = sums_of(fitted(), answered(HELD, [["Food"], ["Food"], ["Food"], None], [False, False, False, None]))
    with refuses("nodes-above-floor"):
        judging.insist_on_all(sums, BEFORE, 3, floor=True)


def test_a_range_tells_of_every_record() -> None:
    """Two of Apple agree; Milk and Pear meet at the root, which the floor bars."""
    held = records(["Apple"], ["Milk"], ["Apple"], ["Pear"])
    made = published_range(Grouping(fitted(), Shoal(k=2)), held).to_pydict()
    told = dict(zip(made["record"], zip(made["items"], made["withheld"], strict=True), strict=True))
    assert told == {0: (["Apple"], False), 2: (["Apple"], False), 1: (None, True), 3: (None, True)}
    everything = published_range(Grouping(fitted(floor=1), Shoal(k=2)), held).to_pydict()
    assert Counter(map(tuple, everything["items"])) == {("Apple",): 2, ("Food",): 2}
    assert everything["withheld"] == [False] * 4


def test_items_without_a_place_on_the_tree_are_found() -> None:
    """A node that the tree was not fitted to, and words where the tree has no node for unknown ones."""
    pears = fitted(used=("Pear",))
    with refuses("cluster-result-inconsistent"):
        tables.bags_of(records(["Apple"]), pears, pears.coarse())
    strange = records(["Pear"], words=("quince",))
    with refuses("cluster-result-inconsistent"):
        tables.bags_of(strange, pears, pears.coarse())
    with refuses("cluster-result-inconsistent"):
        pears.with_words(tables.words_in(strange))
    open_tree = fitted(used=("Pear",), strange=1)
    with refuses("cluster-result-inconsistent"):
        tables.bags_of(strange, open_tree, open_tree.with_words(pl.Series(["medlar"])))
    assert tables.bags_of(strange, open_tree, open_tree.with_words(pl.Series(["quince"]))).occurrences == 2


def test_sums_are_whole_numbers() -> None:
    """NCP counts leaves: Fruit covers two of four, a withheld record costs all four."""
    held = records(["Apple"], ["Pear"], ["Milk"])
    made = list(judging.compared(fitted(), 0, answered(held, [["Fruit"], ["Fruit"], None], [False, False, True])))
    told = json.loads(made[0].column("sums")[0].as_py())
    assert told["penalty"] == 2 + 2 + 4
    assert all(isinstance(value, int) for value in told.values())


# -- rows


HEADER = b"AnonID\tQuery\tQueryTime"


def events_of(lines: list[bytes], how: Preparation) -> pa.Table:
    """The events of one part of a log, and a tally."""
    ended = [line + b"\n" for line in (HEADER, *lines)]
    layout = find_layout(Source(Path("log.tsv"), "", b"".join(ended), True), how.reading)
    made = reading.events_of_lines(reading.Input(layout, how, HEADER), 0, pa.table({"line": ended}))
    return pa.concat_tables(table for table in made if isinstance(table, pa.Table))


def test_rows_with_unreadable_times_repeat_none_of_another_part() -> None:
    """Two parts of a log, each with the same line; rows that do agree in their times are one."""
    how = replace(Preparation(), per="event")
    part = events_of([b"1\tdog\t??", b"1\tcat\t2006-03-01 10:00:00"], how)
    placing = reading.Placing(how, True, True, False, TREE)
    told = Counter[str]()
    for made in reading.kept_records(placing, 0, pa.concat_tables([part, part])):
        if isinstance(made, str):
            told.update({name: n for name, n in json.loads(made).items() if name in ("used", "repeated")})
    assert (told["used"], told["repeated"]) == (3, 1)


def test_a_byte_order_mark_inside_a_file_is_part_of_its_line_and_of_no_other_user() -> None:
    """Both spellings of the user are known, so that the run is refused until it is decided whether they are one."""
    made = events_of([b"1\tdog\t2006-03-01 10:00:00", b"\xef\xbb\xbf1\tcat\t2006-03-01 10:00:00"], Preparation())
    assert set(made.column("key").to_pylist()) == {"1"}
    assert set(made.column("name").to_pylist()) == {"1", "\ufeff1"}


@dataclass
class Lines:
    """Files of lines as a cluster has them."""

    files: dict[str, list[bytes]]
    paths_are_local: bool = False

    def lines(self, paths: list[str]) -> Lines:
        return Lines({path: self.files[path] for path in paths})

    def limit(self, n: int) -> Lines:
        return self

    def collect(self) -> list[tuple[bytes]]:
        return [(line,) for lines in self.files.values() for line in lines]

    def inputFiles(self) -> list[str]:  # noqa: N802 (as Spark calls it)
        return list(self.files)


def test_an_empty_file_before_others_does_not_say_how_they_are_laid_out() -> None:
    log = {"a.tsv": [], "b.tsv": [HEADER + b"\n", b"1\tdog\t2006-03-01 10:00:00\n"]}
    found: Any = find_input(Lines(log), list(log), Preparation())  # type: ignore[arg-type]
    assert found.input.header == HEADER
    with refuses("empty-input"):
        find_input(Lines({file: [] for file in log}), list(log), Preparation())  # type: ignore[arg-type]


# -- files and errors


def test_a_part_is_written_elsewhere_before_it_gets_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that dies before the file gets its name leaves nothing in the release."""
    release, work = tmp_path / "release", tmp_path / "work"
    release.mkdir()
    work.mkdir()

    def dies(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", dies)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                write_part(pl.DataFrame({"record": [1]}), release / "records_00001.parquet", work)
    assert not list(release.iterdir())
    assert len(list(work.iterdir())) == 2
    write_part(pl.DataFrame({"record": [1]}), release / "records_00001.parquet", work)
    assert [entry.name for entry in release.iterdir()] == ["records_00001.parquet"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("SparkException: Python worker exited unexpectedly (crashed)\nCaused by: java.io.EOFException", "memory ran out"),
        ("[FAILED_READ_FILE.NO_HINT] file:/a.gz\nCaused by: java.io.EOFException: Unexpected end of input stream", "damaged"),
        ("java.io.EOFException at org.apache.spark.shuffle", "Spark failed"),
        ("[PATH_NOT_FOUND] Path does not exist: file:/a.tsv", "finds no file"),
        ("[FAILED_READ_FILE.FILE_NOT_EXIST] file:/a.tsv", "finds no file"),
        ("org.apache.spark.SparkException: the class Foo does not exist", "Spark failed"),
    ],
)
def test_what_spark_says_is_told_by_its_cause(said: str, told: str) -> None:
    assert told in _translated(Exception(said)).message
