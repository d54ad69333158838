"""A file of lines in pieces: the next piece is cut while the rows of one are used, and what is wrong with it is told after them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import polars as pl
import pytest

from helpers.errors import refuses
from shoal import _kernels, kernels
from shoal.errors import InputError
from shoal.io.read import source
from shoal.io.read.delimited import column_batches
from shoal.io.read.result import Tally
from shoal.io.read.source import Chunk, Source

ROWS = [(f"u{i}", f"item {i * 7919 % 101}" * (i % 3 + 1)) for i in range(400)]


def batches(file: Source) -> Iterator[tuple[list[tuple[str, str]], list[int]]]:
    """The rows of each batch, and their lines."""
    for (users, items), lines in column_batches(file, _kernels.Dialect("\t", False), [0, 1], (2, 2), Tally.of([file], strict=False)):
        yield list(zip(pl.Series(users).to_list(), pl.Series(items).to_list(), strict=True)), lines.tolist()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Source:
    """Some thirty pieces."""
    monkeypatch.setattr(source, "CHUNK", 300)
    path = tmp_path / "log.tsv"
    path.write_text("".join(f"{user}\t{item}\n" for user, item in ROWS))
    return Source.of(path)


def test_all_rows_come_once_and_in_their_order(file: Source) -> None:
    found = list(batches(file))
    assert [row for rows, _ in found for row in rows] == ROWS
    assert [line for _, lines in found for line in lines] == list(range(len(ROWS)))
    assert sum(bool(rows) for rows, _ in found) > 20


def test_the_next_piece_is_begun_before_the_rows_of_one_are_used(file: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []

    class Counted(kernels.Running):
        def start(self) -> None:
            begun.append(self)
            super().start()

    monkeypatch.setattr(kernels, "Running", Counted)
    coming = batches(file)
    for number in range(1, 4):
        next(coming)
        assert len(begun) == number + 1


def test_rows_before_a_damaged_place_come_first(file: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = list(file.chunks())

    def damaged(self: Source, skip: int = 0) -> Iterator[Chunk]:
        yield whole[0]
        raise InputError("the rest is damaged")

    monkeypatch.setattr(Source, "chunks", damaged)
    coming = batches(file)
    found: list[tuple[str, str]] = []
    with refuses("unspecified"):
        for rows, _ in coming:
            found += rows
    assert found
    assert found == ROWS[: len(found)]


def test_reading_that_is_given_up_leaves_no_kernel_running(file: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[bool] = []
    real = cycle([True, False])

    class Endless(kernels.Running):
        """Every second one runs until it is cancelled."""

        def __init__(self, kernel: object, arguments: tuple[object, ...], task: _kernels.Task | None = None) -> None:
            super().__init__(kernel if next(real) else self.wait, arguments, task)  # type: ignore[arg-type]

        def wait(self, text: bytes, last: bool, task: _kernels.Task) -> int:
            while not task.cancelled:
                pass
            ended.append(True)
            raise _kernels.Cancelled

    monkeypatch.setattr(kernels, "Running", Endless)
    coming = batches(file)
    next(coming)
    coming.close()  # type: ignore[attr-defined]
    assert ended == [True]
