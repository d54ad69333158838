"""Classes and names counted part by part, as the workers of a cluster do, against counters of everything at once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.cluster.arrow_schemas import NAMED, NODE, TYPED
from shoal.cluster.equivalence_classes import (
    MADE,
    WRITTEN,
    Contents,
    Counted,
    MadeContents,
    counted_made,
    counted_names,
    counted_written,
)
from shoal.cluster.exchange import ByText, Step
from shoal.io.step_files import begin_stored, write_stored

SIZE, PARTS = 3, 4
contents = st.lists(st.sampled_from(["milk", "bread", "milk bread", "a\nb", ""]), max_size=2)
shown = st.lists(st.tuples(contents, st.integers(0, 4)), min_size=1, max_size=30)


@given(shown, st.data())
def test_classes_are_those_of_all_records_at_once(records: list[tuple[list[str], int]], data: st.DataObject) -> None:
    written = [items for items, _ in data.draw(st.permutations(records))][: data.draw(st.integers(0, len(records)))]
    written += data.draw(st.lists(contents, max_size=2))
    given_ = Contents((SIZE,), PARTS)
    made = pa.table(dict(zip(MADE.names, map(list, zip(*records, strict=True)), strict=True)), MADE)
    found, counted, differing = list[dict[str, Any]](), list[dict[str, Any]](), 0
    with TemporaryDirectory() as place:
        for part, here in enumerate(by_part(given_, made)):
            *words, classes = counted_made(given_, part, here)
            found += map(json.loads, words)
            file, _ = write_stored(classes, Path(place), 0)
            step = MadeContents(given_, Step(Path(place), (file,) * PARTS))
            for word in counted_written(step, part, by_part(given_, pa.table({"items": written}, WRITTEN))[part]):
                differing += json.loads(word)["differing"]
                counted.append(json.loads(word)["written"])
    sizes, again = Counter(tuple(items) for items, _ in records), Counter(map(tuple, written))
    people = Counter(items for items, _ in {(tuple(items), owner) for items, owner in records})
    assert Counted((SIZE,), tuple(found)).of(SIZE) == expected(sizes) | {"fewest": min(people.values())}
    assert Counted((SIZE,), tuple(counted)).of(SIZE) | {"fewest": 0} == expected(again) | {"fewest": 0}
    assert differing == sum(sizes[items] != again[items] for items in sizes | again)


def by_part(given_: Contents, table: pa.Table) -> list[pa.Table]:
    """The rows for each part; without columns where there are none, as they arrive."""
    places = given_.places(table) if len(table) else np.zeros(0, np.int64)
    held = [table.filter(pa.array(places == part)) for part in range(PARTS)]
    return [rows if len(rows) else pa.table({}) for rows in held]


def expected(sizes: Counter[tuple[str, ...]]) -> dict[str, int]:
    """What is to be told of classes of these sizes, without the people."""
    short = [n for n in sizes.values() if n < SIZE]
    told = {"smallest": min(sizes.values(), default=0), "different": len(sizes), "records": sizes.total()}
    return told | {"short": len(short), "short_records": sum(short)}


def test_names_are_counted_once_and_nodes_are_told() -> None:
    table = pa.table({"kind": [TYPED, TYPED, TYPED, NODE, NODE], "name": ["a", "b", "a", "7", "7"]}, NAMED)
    places = ByText("name", 2)(table)
    told = [json.loads(word) for part in range(2) for word in counted_names(None, part, table.filter(pa.array(places == part)))]
    assert sum(value for kind, value in told if kind == TYPED) == 2
    assert [value for kind, value in told if kind == NODE] == [[7]]


def test_an_attempt_of_a_task_does_not_touch_the_file_of_another(tmp_path: Path) -> None:
    """The second draws other random numbers, and ends when the first is being read."""
    begin_stored(tmp_path / "step")
    one, other = (pa.table({"place": [number]}) for number in (1, 2))
    file, size = write_stored(one, tmp_path / "step", 0)
    step = Step(tmp_path / "step", (file,))
    assert write_stored(other, tmp_path / "step", 0)[0] != file
    assert step.part(0) == one
    assert size == (tmp_path / "step" / file).stat().st_size
