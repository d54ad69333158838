"""Groups that are merged for the diversity of a sensitive column: what is required holds, in any order of rows."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.data.original import TableOriginal
from shoal.data.table import Attribute, Table
from shoal.errors import ParameterError
from shoal.methods import METHODS
from shoal.methods.mdav import MDAV
from shoal.microaggregation.diverse_groups import Diversity, diverse_groups

Rows = list[tuple[int, str]]
rows_of_tables = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=4, max_size=24)


def table_of(rows: Rows, owners: list[int] | None = None) -> Table:
    numbers = pl.Series([float(x) for x, _ in rows])
    return Table(
        (Attribute("x", "numeric", numbers), Attribute("s", "nominal", pl.Series([s for _, s in rows]), quasi=False)),
        np.arange(len(rows)) if owners is None else np.array(owners),
    )


def published(rows: Rows, **words: object) -> list[tuple[float, str]]:
    frame = METHODS["mdav"](k=2, sensitive=["s"], **words).apply(TableOriginal(table_of(rows))).tables["microdata"].frame  # type: ignore[attr-defined]
    return sorted(frame.iter_rows())


def classes(rows: list[tuple[float, str]]) -> list[Counter[str]]:
    found: dict[float, Counter[str]] = defaultdict(Counter)
    for x, s in rows:
        found[x][s] += 1
    return list(found.values())


@settings(deadline=None, max_examples=60)
@given(rows_of_tables, st.sampled_from([0.0, 0.2, 0.5]), st.randoms(use_true_random=False))
def test_what_is_required_holds_in_any_order(rows: Rows, t: float, random: object) -> None:
    whole = Counter(s for _, s in rows)
    l = min(2, len(whole))  # noqa: E741
    made = published(rows, t=t, **({"l": 2} if l == 2 else {}))
    for found in classes(made):
        assert len(found) >= l
        assert sum(abs(Fraction(found[s], found.total()) - Fraction(whole[s], len(rows))) for s in whole) / 2 <= Fraction(str(t))
        assert found.total() >= 2
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert published(shuffled, t=t, **({"l": 2} if l == 2 else {})) == made


def test_groups_that_are_diverse_stay_and_the_worst_joins_the_nearest() -> None:
    table = table_of([(0, "a"), (0, "a"), (1, "a"), (1, "b"), (9, "a"), (9, "b")])
    values = np.array([0, 0, 0, 1, 0, 1])
    found = diverse_groups(table, np.array([0, 0, 1, 1, 2, 2]), values, Diversity(l=2))
    assert found.tolist() == [0, 0, 0, 0, 1, 1]
    assert diverse_groups(table, np.array([0, 0, 1, 1, 2, 2]), values, Diversity()).tolist() == [0, 0, 1, 1, 2, 2]


def test_what_cannot_be_is_refused() -> None:
    rows = [(1, "a"), (2, "a"), (3, "b"), (4, "b")]
    for method, table, code in (
        (MDAV(k=2, l=3, sensitive=["s"]), table_of(rows), "too-few-values"),
        (MDAV(k=2, l=2, sensitive=["x"]), table_of(rows), "column-role-conflict"),
        (MDAV(k=2, t=0.5, sensitive=["s"]), table_of(rows, owners=[0, 0, 1, 1]), "one-row-per-person"),
    ):
        with pytest.raises(ParameterError) as caught:
            method.apply(TableOriginal(table))
        assert caught.value.code == code
    for words in ({"l": 2}, {"t": 0.5}, {"sensitive": ["s"]}):
        with pytest.raises(ParameterError):
            MDAV(k=2, **words)
