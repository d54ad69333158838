"""What is shown while groups are formed: how far the work is, how long it will take, and what is lost so far."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from rich.console import Console

from shoal import kernels
from shoal.cli import screen
from shoal.data.bags import Bags
from shoal.data.original import Original
from shoal.data.release import Release
from shoal.engines.local_engine import LocalEngine, ProgressOfParts
from shoal.methods.bases.group_search import Groups, GroupSearch
from shoal.methods.shoal import Shoal
from shoal.metrics import measure
from shoal.taxonomy.generated import generated
from shoal.taxonomy.tree_counts import meet, tree_counts


def original(n: int = 60) -> Original:
    rng = np.random.default_rng(3)
    names = [f"{i:02}" for i in range(30)]
    tree = generated(names, 3)
    typed = Bags.from_lists([[names[i] for i in rng.choice(30, 4, replace=False)] for _ in range(n)])
    return Original.on(typed.relabelled(tree.names.codes(typed.vocabulary.names), tree.names), tree)


class Heard(LocalEngine):
    """An engine that is watched, and keeps the last remark."""

    watched = True
    said = ""

    def remark(self, text: str) -> None:
        self.said = text


def test_the_loss_so_far_is_that_of_the_groups():
    given = original()
    counts = tree_counts(given.bags, given.tree)
    engine = Heard()
    search = GroupSearch(counts, given.bags.owners, given.bags.owners_repeat, Shoal(k=5)._search(counts, "balanced"), engine)
    search._telling = True
    search._remark_loss(Groups(np.arange(0, 61, 5), np.arange(60)))
    published = meet(given.bags, given.tree, np.repeat(np.arange(12), 5))
    lost = measure(Release.of_bags(published, np.full(12, 5)), given, ["loss"])["loss"]
    assert engine.said == f"{lost:.1%} lost so far"


def test_nothing_is_counted_where_nobody_watches(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(LocalEngine, "remark", lambda *_: pytest.fail("a remark was made"))
    Shoal(k=5).apply(original())


def test_whoever_watches_hears_of_it():
    heard: list[tuple[str, str]] = []

    def watch(label: str, done: int, total: int, remark: str = "") -> None:
        heard.append((label, remark))

    with kernels.using(watch=watch):
        Shoal(k=5).apply(original(400))
    assert any(re.fullmatch(r"\d+\.\d% lost so far", remark) for label, remark in heard if label == "clustering")


def test_bars_have_percent_time_left_and_the_remark(monkeypatch: pytest.MonkeyPatch):
    shown = io.StringIO()
    monkeypatch.setattr(screen, "err", Console(file=shown, force_terminal=True, width=120))
    monkeypatch.setattr(screen.sys.stderr, "isatty", lambda: True, raising=False)
    with screen.bars() as watch:
        assert watch is not None
        for done in range(0, 60, 10):
            watch("clustering", done, 100, "12.3% lost so far")
        watch("reading", 0, 0)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue())
    assert re.search(r"clustering .* 50% \d:\d\d(, \d+:\d\d left)? +12\.3% lost so far", text)


def test_parts_side_by_side_are_told_as_one_piece_of_work() -> None:
    heard: list[tuple[str, int, int, str]] = []
    with kernels.using(watch=lambda label, done, total, remark="": heard.append((label, done, total, remark))):
        together = ProgressOfParts(100)
    first, second = together.part(0, 60), together.part(1, 40)
    assert first is not None and second is not None
    first("clustering", 1, 2)
    second("clustering", 3, 4, "75% lost so far")
    second("counting", 0, 0)
    together.end(0, 60)
    second("clustering", 4, 4)
    assert heard == [
        ("clustering", 30, 100, ""),
        ("clustering", 60, 100, "75% lost so far"),
        ("counting", 0, 100, ""),
        ("clustering", 100, 100, ""),
    ]


def test_where_nobody_watches_no_part_is_watched() -> None:
    assert ProgressOfParts(10).part(0, 10) is None
