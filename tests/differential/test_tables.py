"""k, l, alpha and t of random tables against pycanon, and distances against SciPy.

`scripts/differential.sh` installs the packages aside and runs these tests.
"""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest
from scipy.stats import wasserstein_distance

from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.privacy import AlphaKAnonymity, LDiversity, MicrodataKAnonymity, TCloseness

KNOWN, SENSITIVE = ["age", "town"], "illness"
CLAIM: dict[str, Any] = {"sensitive": [SENSITIVE], "columns": KNOWN}
TABLES = 40
ILLNESSES = ["asthma", "cold", "flu", "gout"]


def rows_of(number: int, sensitive: list[Any]) -> pl.DataFrame:
    """A small table with a few values in each column, which may all be equal."""
    rng = random.Random(f"table {number}")
    n = rng.randint(1, 30)
    ages, towns = rng.randint(1, 3), rng.randint(1, 2)
    rows = [(f"{20 + 10 * rng.randrange(ages)}s", "xy"[rng.randrange(towns)], rng.choice(sensitive[: rng.randint(1, 4)])) for _ in range(n)]
    return pl.DataFrame(rows, schema=[*KNOWN, SENSITIVE], orient="row")


def released(table: pl.DataFrame) -> Release:
    return Release({"microdata": RowTable(table)})


def achieved(model: Any, table: pl.DataFrame) -> dict[str, Any]:
    return dict(model.check(released(table)).achieved)


@pytest.fixture(scope="module")
def others() -> Any:
    return pytest.importorskip("pycanon.anonymity", reason="pycanon is not installed (scripts/differential.sh)")


@pytest.mark.parametrize("number", range(TABLES))
def test_as_pycanon_counts(number: int, others: Any) -> None:
    table = rows_of(number, ILLNESSES)
    theirs = table.to_pandas()
    assert achieved(MicrodataKAnonymity(k=2, columns=KNOWN), table)["records"] == others.k_anonymity(theirs, KNOWN)
    assert achieved(LDiversity(l=2, **CLAIM), table)["l"] == others.l_diversity(theirs, KNOWN, [SENSITIVE])
    # pycanon gives the greatest whole number that the entropy reaches, and by rounding sometimes one less if it just reaches it
    level = achieved(LDiversity(l=2, kind="entropy", **CLAIM), table)["l"]
    assert others.entropy_l_diversity(theirs, KNOWN, [SENSITIVE]) in {int(level), *([int(level) - 1] if level == int(level) else [])}
    alpha, k = others.alpha_k_anonymity(theirs, KNOWN, [SENSITIVE])
    ours = achieved(AlphaKAnonymity(alpha=0.5, k=2, **CLAIM), table)
    assert ours["alpha"] == pytest.approx(alpha, abs=2e-6)
    assert k == achieved(MicrodataKAnonymity(k=2, columns=KNOWN), table)["records"]


@pytest.mark.parametrize("number", range(TABLES))
def test_as_close_as_pycanon_says(number: int, others: Any) -> None:
    names, numbers = rows_of(number, ILLNESSES), rows_of(number, [3, 5, 8, 13])
    theirs = others.t_closeness(names.to_pandas(), KNOWN, [SENSITIVE])
    assert achieved(TCloseness(t=0.2, **CLAIM), names)["t"] == pytest.approx(theirs, abs=2e-6)
    if numbers[SENSITIVE].n_unique() == 1:  # for which pycanon divides by zero
        return
    theirs = others.t_closeness(numbers.to_pandas(), KNOWN, [SENSITIVE])
    assert achieved(TCloseness(t=0.2, distance="ordered", **CLAIM), numbers)["t"] == pytest.approx(theirs, abs=2e-6)


@pytest.mark.parametrize("number", range(TABLES))
def test_as_far_as_scipy_moves_earth(number: int) -> None:
    """With values at equal steps between 0 and 1, the ordered distance is that of Wasserstein."""
    table = rows_of(number, [3, 5, 8, 13])
    values = sorted(table[SENSITIVE].unique().to_list())
    place = {value: at / max(1, len(values) - 1) for at, value in enumerate(values)}
    everybody = [place[value] for value in table[SENSITIVE]]
    classes = table.partition_by(KNOWN)
    farthest = max(wasserstein_distance([place[value] for value in some[SENSITIVE]], everybody) for some in classes)
    assert achieved(TCloseness(t=0.2, distance="ordered", **CLAIM), table)["t"] == pytest.approx(farthest, abs=2e-6)
