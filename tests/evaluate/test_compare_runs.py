"""How the cells of a comparison are run: their order, their time limit, and the page while they run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.evaluate.compare import comparison, run_cells
from shoal.evaluate.compare.comparison_time import in_order
from shoal.evaluate.compare.grid import Cell
from shoal.evaluate.compare.run_cells import STOPPED
from shoal.report.comparison_page import RELOAD, render_comparison


def cell(method: str, **settings: int) -> Cell:
    return Cell(method, tuple(settings.items()), "user")


def test_the_usual_setting_of_each_method_comes_first_and_the_fastest_of_those():
    slow, fast = cell("shoal", k=5), cell("km", k=5, m=2)
    near, far, farthest = cell("km", k=5, m=1), cell("shoal", k=25), cell("km", k=25, m=1)
    other = cell("coherence", k=10, p=3)  # no other setting of this method is compared
    seconds = {slow: 9.0, fast: 3.0, near: 1.0, far: 1.0, farthest: 1.0, other: 0.5}
    assert in_order(list(seconds), seconds) == [fast, slow, other, near, far, farthest]
    assert in_order([cell("shoal", k=2), cell("shoal", k=10)], {cell("shoal", k=2): 2.0, cell("shoal", k=10): 1.0})[0] == cell(
        "shoal", k=10
    )
    assert in_order([], {}) == []


@pytest.fixture
def baskets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "baskets.txt"
    path.write_text("bread milk\nbread tea jam\nmilk tea\n" * 8)
    return path


def test_a_cell_that_takes_too_long_is_stopped_and_reported(baskets: Path, monkeypatch: pytest.MonkeyPatch):
    started: list[subprocess.Popen[bytes]] = []

    def endless(work: Any, effort: Any, threads: int) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdin=subprocess.PIPE))
        return started[-1]

    monkeypatch.setattr(run_cells, "_started", endless)
    table = shoal.compare(baskets, "found", ["clump"], k=[2, 3], targets=10, taxonomy="generated", jobs=2, run_seconds=1)
    assert table["refused"].to_list() == ["it was stopped after its time limit of 1 second"] * 2
    assert table[STOPPED].to_list() == [1, 1]
    page = Path("found/comparison.html").read_text()
    assert "2 runs stopped after the time limit of 1 second for one run" in page
    assert "it was stopped after its time limit" in page
    assert [one.poll() is not None for one in started] == [True, True]
    monkeypatch.undo()
    monkeypatch.chdir(baskets.parent)
    again = shoal.compare(baskets, "found", ["clump"], k=[2, 3], targets=10, taxonomy="generated", jobs=2)
    assert "refused" not in again.columns, "a run that was stopped is repeated"


def test_the_page_fills_while_cells_run(baskets: Path, monkeypatch: pytest.MonkeyPatch):
    pages: list[str] = []

    class Kept(comparison.CellFiles):
        def write(self, name: str, content: bytes) -> Path:
            if name == comparison.PAGE:
                pages.append(content.decode())
            return super().write(name, content)

    monkeypatch.setattr(comparison, "CellFiles", Kept)
    monkeypatch.setattr(comparison, "OFTEN", 0.0)
    shoal.compare(baskets, "found", ["clump"], k=[2, 3], targets=10, taxonomy="generated", jobs=1)
    refreshing = [f'http-equiv="refresh" content="{RELOAD}"' in page for page in pages]
    assert refreshing == [True, True, False], "before the first cell, after it, and at the end"
    assert "0 of 2 runs are finished. Running or waiting: clump k=2, clump k=3." in pages[0]
    assert "1 of 2 runs are finished. Running or waiting: clump k=" in pages[1]
    assert "Still running" not in pages[2]
    assert pl.read_parquet("found/comparison.parquet").height == 2


def test_labels_of_waiting_runs_are_escaped():
    assert "<b>" not in render_comparison("A comparison", [], ["0 of 1 run are finished"], ["shoal x=<b>"])
