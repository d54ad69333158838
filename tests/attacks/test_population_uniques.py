"""Population uniqueness: the formulas against all partitions of few people, and the estimates against populations that are known."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from math import exp, prod

import numpy as np
import pytest

from helpers.cli import Shell, failed
from helpers.populations import pitman_population, sampled
from shoal.attacks.tables.population_uniques import _log_alone, _log_likelihood, fitted_pitman, pitman_chance, zayatz_chance

Partition = tuple[int, ...]  # the sizes of the classes, in the order in which people begin them


def partitions(n: int, alpha: Fraction, theta: Fraction) -> dict[Partition, Fraction]:
    """The probability of each way in which n people, one after another, begin a class or join one."""
    found: dict[Partition, Fraction] = {(1,): Fraction(1)}
    for i in range(1, n):
        longer: Counter[Partition] = Counter()
        for sizes, chance in found.items():
            longer[(*sizes, 1)] += chance * (theta + alpha * len(sizes)) / (theta + i)
            for at, size in enumerate(sizes):
                longer[(*sizes[:at], size + 1, *sizes[at + 1 :])] += chance * (size - alpha) / (theta + i)
        found = dict(longer)
    return found


PARAMETERS = [(Fraction(1, 2), Fraction(3)), (Fraction(1, 5), Fraction(-1, 10)), (Fraction(9, 10), Fraction(40))]


@pytest.mark.parametrize(("alpha", "theta"), PARAMETERS)
def test_pitmans_formula_on_all_partitions(alpha: Fraction, theta: Fraction) -> None:
    every = partitions(6, alpha, theta)
    assert sum(every.values()) == 1
    alone = sum(chance for sizes, chance in every.items() if sizes[0] == 1)  # the first person is like any other
    assert exp(_log_alone(float(alpha), float(theta), 6)) == pytest.approx(float(alone))
    other = partitions(6, Fraction(1, 3), Fraction(2))
    for sizes, chance in every.items():
        values, often = np.unique(sizes, return_counts=True)
        ours = _log_likelihood(float(alpha), float(theta), values, often) - _log_likelihood(1 / 3, 2.0, values, often)
        assert exp(ours) == pytest.approx(float(chance / other[sizes]))


def test_zayatz_by_bayes() -> None:
    """A class of the population has 1, 2 or 3 people in the shares of the sample, and each is drawn with probability 1/4."""
    sizes, fraction = np.array([1, 1, 1, 1, 2, 2, 3]), Fraction(1, 4)
    prior = {1: Fraction(4, 7), 2: Fraction(2, 7), 3: Fraction(1, 7)}
    seen = {size: share * size * fraction * (1 - fraction) ** (size - 1) for size, share in prior.items()}
    assert zayatz_chance(sizes, 0.25) == pytest.approx(float(seen[1] / sum(seen.values())))


def test_the_ends() -> None:
    for chance in (pitman_chance, zayatz_chance):
        assert chance(np.array([2, 2, 3]), 0.3) == 0
        assert chance(np.array([1, 1, 2, 5]), 1.0) == pytest.approx(1)
        assert chance(np.ones(9, np.int64), 0.01) == 1


def test_a_population_of_pitmans_process_is_recovered() -> None:
    rng = np.random.default_rng(1)
    population = pitman_population(12_000, 0.5, 50.0, rng)
    alpha, _ = fitted_pitman(np.bincount(population))
    assert alpha == pytest.approx(0.5, abs=0.03)
    for fraction in (0.05, 0.1, 0.3):
        some = [sampled(population, fraction, rng) for _ in range(12)]
        estimates = [pitman_chance(sizes, fraction) for sizes, _ in some]
        assert np.mean(estimates) == pytest.approx(np.mean([truth for _, truth in some]), abs=0.05)


@pytest.mark.parametrize("spread", [0.5, 1.5, 2.5])
def test_of_other_populations_no_estimate_is_far_too_small(spread: float) -> None:
    rng = np.random.default_rng(2)
    share = rng.lognormal(0, spread, 6_000)
    population = rng.choice(6_000, 12_000, p=share / share.sum())
    for fraction in (0.05, 0.3):
        sizes, truth = sampled(population, fraction, rng)
        assert pitman_chance(sizes, fraction) > truth - 0.05
        assert zayatz_chance(sizes, fraction) > truth - 0.05


def test_it_is_typed(shell: Shell) -> None:
    """Of 12 rows of 11 people two are alone; a person with two equal rows is one person."""
    rows = [
        ("a", 30),
        ("b", 30),
        ("c", 40),
        ("d", 40),
        ("e", 50),
        ("f", 60),
        ("g", 70),
        ("h", 70),
        ("g", 70),
        ("i", 80),
        ("j", 80),
        ("k", 80),
    ]
    shell.file("people.csv", "who,age\n" + "".join(f"{who},{age}\n" for who, age in rows))
    table = ("--format", "microdata", "--user", "who")
    assert shell("anonymize", "people.csv", *table, "--method", "mdav", "--k", "2", "--out", "release").code == 0
    answer = shell("attack", "people.csv", "release", "--sampling-fraction", "0.5", "--json")
    assert answer.code == 0, answer.everything
    found = json.loads(answer.out)
    rates = {(one["subject"], one["knowledge"]): one["success"][0] for one in found["attacks"] if one["attack"] == "population-unique"}
    sizes = np.array([2, 2, 1, 1, 2, 3])
    for name, chance in (("Pitman", pitman_chance(sizes, 0.5)), ("Zayatz", zayatz_chance(sizes, 0.5))):
        assert rates["original", f"all quasi-identifiers; {name}"] == pytest.approx(chance * 2 / 12)
        assert rates["release", f"all quasi-identifiers; {name}"] == 0
    assert any("2 people are unique among the 11" in note and "22 of the population" in note for note in found["notes"])
    assert prod(rates.values()) == 0
    failed(shell("attack", "people.csv", "release", "-a", "population-unique"), "missing-argument", argument="sampling_fraction")
    shell.file("baskets.txt", "Apple,Milk\nApple,Milk\n")
    shell.file("food.csv", "child,parent\nApple,Food\nMilk,Food\n")
    taxonomy = ("--format", "transactions", "--taxonomy", "food.csv")
    assert shell("anonymize", "baskets.txt", *taxonomy, "--k", "2", "--out", "records").code == 0
    failed(shell("attack", "baskets.txt", "records", *taxonomy, "--sampling-fraction", "0.5"), "option-not-applicable")
