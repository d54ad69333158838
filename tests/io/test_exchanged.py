"""Rows in files of several tasks: every part gets its own, all of them, in the order of the tasks and of their rows."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.errors import refuses
from shoal.io.exchange_files import read_exchanged, write_exchanged

PARTS = 4
rows = st.tuples(st.integers(0, PARTS - 1), st.text(max_size=5), st.lists(st.integers(0, 9), max_size=3))


def written(directory: Path, task: int, made: list[tuple[int, str, list[int]]]) -> Path:
    table = pa.table({"text": [text for _, text, _ in made], "numbers": pa.array([held for *_, held in made], pa.list_(pa.int32()))})
    name, size = write_exchanged(table, np.array([place for place, *_ in made]), PARTS, directory, task)
    assert (directory / name).stat().st_size == size
    return directory / name


@given(st.lists(st.lists(rows, min_size=1, max_size=20), max_size=4))
def test_rows_arrive_at_their_parts_in_their_order(tasks: list[list[tuple[int, str, list[int]]]]) -> None:
    with TemporaryDirectory() as place:
        files = [written(Path(place), task, made) for task, made in enumerate(tasks)]
        for part in range(PARTS):
            expected = [{"text": text, "numbers": held} for made in tasks for at, text, held in made if at == part]
            assert read_exchanged(files, part).to_pylist() == expected


def test_columns_that_a_task_lacks_are_null(tmp_path: Path) -> None:
    tables = [pa.table({"a": [1], "b": ["x"]}), pa.table({"a": [2]})]
    files = [tmp_path / write_exchanged(table, np.array([2]), PARTS, tmp_path, task)[0] for task, table in enumerate(tables)]
    assert read_exchanged(files, 2).to_pylist() == [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    assert read_exchanged(files, 1) == pa.table({})


def test_an_attempt_does_not_touch_the_file_of_another(tmp_path: Path) -> None:
    one, other = (written(tmp_path, 0, [(0, text, [])]) for text in ("one", "other"))
    assert one != other
    assert [read_exchanged([file], 0).column("text").to_pylist() for file in (one, other)] == [["one"], ["other"]]


@pytest.mark.parametrize("kept", [0, 3, PARTS * 8, PARTS * 8 + 20])
def test_a_file_that_lacks_its_end_is_an_error(tmp_path: Path, kept: int) -> None:
    file = written(tmp_path, 0, [(PARTS - 1, "milk", [1, 2])])
    file.write_bytes(file.read_bytes()[:kept])
    with refuses("incomplete-task-file"):
        read_exchanged([file], PARTS - 1)
