"""Perturbed tables: what each technique keeps, and that no guarantee is claimed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from shoal.data.original import TableOriginal
from shoal.data.table import Attribute, Table
from shoal.errors import ParameterError
from shoal.methods.perturbation import Perturbation

RNG = np.random.default_rng(1)
NUMBERS = RNG.multivariate_normal([50, 3000], [[100, 900], [900, 90_000]], 4000)
MANY = RNG.multivariate_normal([50, 3000], [[100, 900], [900, 90_000]], 40_000)  # noise is random: chance stays far below the tolerances


def table_of(values: np.ndarray, owners: np.ndarray | None = None) -> Table:
    columns = tuple(Attribute(name, "numeric", pl.Series(values[:, j])) for j, name in enumerate(("age", "income")))
    ill = Attribute("ill", "nominal", pl.Series([f"i{n % 7}" for n in range(len(values))]), quasi=False)
    return Table((*columns, ill), np.arange(len(values)) if owners is None else owners)


def perturbed(method: Perturbation, values: np.ndarray = NUMBERS) -> pl.DataFrame:
    release = method.apply(TableOriginal(table_of(values)))
    assert release.claims == ()
    assert release.accounting is not None
    assert release.accounting["rows"].of_fate("changed") == len(values)
    frame: pl.DataFrame = release.tables["microdata"].frame  # type: ignore[attr-defined]
    return frame


def numbers(frame: pl.DataFrame) -> np.ndarray:
    return frame.select("age", "income").to_numpy()


@pytest.mark.parametrize(("technique", "amount"), [("noise", 0.1), ("noise", 1.0), ("condense", 0.1)])
def test_means_and_covariances_are_kept(technique: str, amount: float) -> None:
    values = MANY if technique == "noise" else NUMBERS
    found = numbers(perturbed(Perturbation(technique=technique, amount=amount, k=10), values))
    assert found.mean(axis=0) == pytest.approx(values.mean(axis=0), rel=0.02)
    assert np.cov(found.T) == pytest.approx(np.cov(values.T), rel=0.12)
    assert (found != values).mean() > 0.99


def test_noise_has_the_asked_amount_and_the_correlations_of_the_data() -> None:
    found = numbers(perturbed(Perturbation(amount=0.5), MANY))
    moved = found * np.sqrt(1.25) - MANY - (np.sqrt(1.25) - 1) * MANY.mean(axis=0)
    assert np.cov(moved.T) == pytest.approx(0.25 * np.cov(MANY.T), rel=0.12)


def test_swapping_keeps_every_column_and_moves_no_rank_too_far() -> None:
    found = numbers(perturbed(Perturbation(technique="swap", amount=0.02)))
    for before, after in zip(NUMBERS.T, found.T, strict=True):
        assert np.array_equal(np.sort(before), np.sort(after))
        ranks = np.searchsorted(np.sort(before), after) - np.searchsorted(np.sort(before), before)
        assert 0 < np.abs(ranks).max() <= 0.02 * len(before)
        assert (ranks != 0).mean() > 0.9


def test_permuting_keeps_rows_and_the_values_of_each_group() -> None:
    values = np.repeat([[1.0, 1.0], [5.0, 5.0], [9.0, 9.0]], 4, axis=0)
    frames = [perturbed(Perturbation(technique="permute", k=4, sensitive=["ill"]), values) for _ in range(5)]
    before = table_of(values).attributes[2].values.to_list()
    assert any(frame["ill"].to_list() != before for frame in frames)
    for frame in frames:
        assert np.array_equal(numbers(frame), values)
        for start in (0, 4, 8):
            assert Counter(frame["ill"].to_list()[start : start + 4]) == Counter(before[start : start + 4])


def test_condensed_rows_have_the_mean_of_their_group_in_expectation() -> None:
    values = np.array([[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]])
    found = np.array([numbers(perturbed(Perturbation(technique="condense", k=4), values)).mean(axis=0) for _ in range(300)])
    assert found.mean(axis=0) == pytest.approx([1, 1], abs=0.2)
    alike = np.ones((6, 2))
    assert np.array_equal(numbers(perturbed(Perturbation(technique="condense", k=3), alike)), alike)


def test_what_cannot_be_is_refused() -> None:
    for words in ({"technique": "permute"}, {"technique": "swap", "sensitive": ["ill"]}):
        with pytest.raises(ParameterError) as caught:
            Perturbation(**words)
        assert caught.value.code == "options-conflict"
    with pytest.raises(ParameterError) as caught:
        perturbed(Perturbation(technique="permute", sensitive=["age"]))
    assert caught.value.code == "column-role-conflict"
    town = Table((Attribute("town", "nominal", pl.Series(["a", "b", "c"])),), np.arange(3))
    with pytest.raises(ParameterError) as caught:
        Perturbation().apply(TableOriginal(town))
    assert caught.value.code == "not-numeric"
