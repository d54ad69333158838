"""Classes and names counted part by part, as the workers of a cluster do, against counters of everything at once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from shoal.app.distributed.classes import MADE, ROWS, WRITTEN, Contents, Counted, NamePlaces, counted_classes, counted_names
from shoal.app.distributed.rounds import Step
from shoal.app.distributed.tables import NAMED, NODE, TYPED
from shoal.io.stored import begin_stored, write_stored

SIZE, PARTS = 3, 4
contents = st.lists(st.sampled_from(["milk", "bread", "milk bread", "a\nb", ""]), max_size=2)
shown = st.lists(st.tuples(contents, st.integers(0, 4)), min_size=1, max_size=30)


@given(shown, st.data())
def test_classes_are_those_of_all_records_at_once(records: list[tuple[list[str], int]], data: st.DataObject) -> None:
    written = [items for items, _ in data.draw(st.permutations(records))][: data.draw(st.integers(0, len(records)))]
    rows = [(items, owner, MADE) for items, owner in records] + [(items, None, WRITTEN) for items in written]
    table = pa.table(dict(zip(ROWS.names, map(list, zip(*rows, strict=True)), strict=True)), ROWS)
    given_ = Contents((SIZE,), PARTS)
    places = given_.places(table)
    parts = [json.loads(word) for part in range(PARTS) for word in counted_classes(given_, part, table.filter(pa.array(places == part)))]
    found = Counted(given_.sizes, tuple(part["made"] for part in parts)).of(SIZE)
    sizes, again = Counter(tuple(items) for items, _ in records), Counter(map(tuple, written))
    people = Counter(items for items, _ in {(tuple(items), owner) for items, owner in records})
    short = [n for n in sizes.values() if n < SIZE]
    assert found == {
        **{"smallest": min(sizes.values()), "fewest": min(people.values()), "different": len(sizes), "records": len(records)},
        **{"short": len(short), "short_records": sum(short)},
    }
    assert sum(part["differing"] for part in parts) == sum(sizes[items] != again[items] for items in sizes)


def test_names_are_counted_once_and_nodes_are_told() -> None:
    table = pa.table({"kind": [TYPED, TYPED, TYPED, NODE, NODE], "name": ["a", "b", "a", "7", "7"]}, NAMED)
    places = NamePlaces(2)(table)
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
