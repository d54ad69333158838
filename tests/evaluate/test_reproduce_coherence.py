"""The experiment of the coherence paper: its distortions are those of judged releases, and its statements follow from its numbers."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.data.bags import Bags
from shoal.data.items import Items
from shoal.data.original import Original
from shoal.data.taxonomy import Taxonomy
from shoal.evaluate.reproduce.coherence import ALONG_H, CONNECT, RETAIL, T40, TDS, H, choose, findings, sampled
from shoal.evaluate.reproduce.coherence import _measured as measured
from shoal.itemsets.itemset_support import PRIVATE, PUBLIC, Power
from shoal.methods.coherence import Cohesion
from shoal.methods.tds import TopDownSpecialization
from shoal.synthetic.baskets import Baskets, Board

NOT_COMPARABLE = ("Figure 9, Retail", "k-anonymity did not finish within the time limit")


@pytest.mark.parametrize("seed", range(3))
def test_distortions_are_those_of_releases_that_hold_their_claims(seed: int) -> None:
    bags = Board(300, squares=9).bags(seed)
    tree = Taxonomy.from_parents({"all": None} | dict.fromkeys(bags.vocabulary.names, "all"))
    codes = tree.names.codes(bags.vocabulary.names).astype(np.int32)
    original = Original.on(bags.relabelled(codes, tree.names), tree)
    parts = choose(original.bags, 0.5, seed)
    names = np.array(tree.names.names.to_list())
    told = {part: Items(frozenset(names[parts == number])) for part, number in (("public", PUBLIC), ("private", PRIVATE))}
    found = measured(original.bags, parts, Power(H, 5, 2))
    for name, method in (
        ("MM/IL", Cohesion(h=H, k=5, p=2, score="mm/il", **told)),
        ("MM", Cohesion(h=H, k=5, p=2, score="mm", **told)),
        ("1/IL", Cohesion(h=H, k=5, p=2, score="1/il", **told)),
        (TDS, TopDownSpecialization(k=5, **told)),
    ):
        release = method.apply(original)
        assert all(claim.check(release, original).holds for claim in release.claims)
        lost = 1 - int((np.asarray(release.copies) * release.published.lengths).sum()) / original.bags.occurrences
        assert found[name] == pytest.approx(100 * lost)


def contrary(name: str, along: str, i: int) -> dict[str, float]:
    """Less of what is more in the paper, and losses and times that move the other way."""
    falling = 1 - i / 10
    times = {"delta %": 5.0 - i, "k": falling if name == CONNECT else 1.0 + i, "p": 9.0 if name == CONNECT else 2.0**i}
    loss = 20.0 + 20 * i if along == "delta %" else 60.0 - 8 * i
    return {"MM/IL": loss, "MM": 1.0, "RmAll": 45.0, TDS: 1.5, "TotalTime": times[along], "FindMole": 0.0}


def rows_of(name: str, *, turned: bool) -> list[dict]:
    """Numbers as the paper tells them, or to the contrary."""
    least, most = {CONNECT: (2.0, 41.0), RETAIL: (12.0, 20.0), T40: (8.0, 15.0)}[name]
    rows = []
    for along, points in (("k", 4), ("p", 6), ("delta %", 5)):
        for i in range(points):
            grows = i / (4 if name == T40 else 20) if along != "delta %" else i / 4
            at_defaults = along == "k" and i == (1 if name == CONNECT else 2)
            row = {"set": name, "along": along, "at defaults": at_defaults, "MM/IL": least + grows, "1/IL": least + grows, "MM": 2 * least}
            row |= {"RmAll": most + 6 * grows, TDS: most - 1 + 6 * grows, f"{TDS} seconds": 1.0}
            time = {"delta %": 1 + i, "k": 1.0 if name == CONNECT else 1 - i / 10, "p": 1.0 + min(i, 2) if name != CONNECT else 1 + i}[
                along
            ]
            row |= {"TotalTime": time, "FindMole": 0.9 * time}
            rows.append({**row, **contrary(name, along, i)} if turned else row)
    low = 12.0 if turned else 0.4
    rows += [{"set": name, "along": ALONG_H, "MM/IL": value, "at defaults": False} for value in (low, 0.3)] if name == T40 else []
    return [row | {f"{method} draws": [row[method] - 1, row[method] + 1] for method in ("RmAll", "MM/IL") if method in row} for row in rows]


def told(*, turned: bool) -> dict[tuple[str, str], bool | None]:
    rows = [row for name in (CONNECT, RETAIL, T40) for row in rows_of(name, turned=turned)]
    return {(one.place, one.statement): one.agrees for one in findings(rows, own={CONNECT, RETAIL})}


def test_numbers_as_in_the_paper_agree_with_it() -> None:
    differing = [place for place, agrees in told(turned=False).items() if not agrees]
    assert differing == [NOT_COMPARABLE]


def test_numbers_to_the_contrary_differ_in_every_statement() -> None:
    assert [place for place, agrees in told(turned=True).items() if agrees is not False] == [NOT_COMPARABLE]


def test_statements_on_one_data_set_are_not_comparable_on_another() -> None:
    rows = [row for name in (CONNECT, RETAIL, T40) for row in rows_of(name, turned=False)]
    assert sum(one.agrees is None for one in findings(rows, own=set())) == 3


def test_a_sample_is_not_the_head_of_a_sorted_file() -> None:
    bags = Bags.from_lists([[str(i // 100)] for i in range(1_000)])
    found = sampled(bags, 200, seed=0)
    assert len(found) == 200
    assert len(np.unique(found.items)) == 10
    assert np.array_equal(sampled(bags, 200, seed=0).items, found.items)
    assert sampled(bags, 1_000, seed=0) is bags


def test_baskets_are_as_long_and_as_different_as_asked_for() -> None:
    bags = Baskets(records=2_000, length=12, pattern=4, items=300, patterns=200).bags(1)
    assert 10 <= bags.occurrences / len(bags) <= 15
    assert (bags.lengths > 0).all()
    assert (bags.counts == 1).all()
    assert len(np.unique(bags.items)) > 200
    flat, skewed = (np.bincount(Baskets(1_000, 8, 4, 300, 200, skew).bags(0).items).max() for skew in (0.0, 1.0))
    assert skewed > 2 * flat


def test_boards_have_one_state_for_each_square() -> None:
    bags = Board(50, squares=7).bags(0)
    assert np.array_equal(bags.items.reshape(50, 7) // 3, np.tile(np.arange(7), (50, 1)))
