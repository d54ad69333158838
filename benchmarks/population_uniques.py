"""Estimates of population uniqueness against populations that are known.

    python benchmarks/population_uniques.py [--people 20000] [--draws 5]

Prints, for populations of four shapes and three sampling fractions, the share of the people unique in the sample who are unique in the
population, and its estimates by Pitman's formula and by that of Zayatz, as means over the draws.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from helpers.populations import pitman_population, sampled
from shoal.attacks.tables.population_uniques import pitman_chance, zayatz_chance

Population = Callable[[int, np.random.Generator], np.ndarray]


def zipf(people: int, rng: np.random.Generator) -> np.ndarray:
    """Classes whose shares fall as 1 / rank^1.1."""
    share = 1 / np.arange(1, people + 1) ** 1.1
    return rng.choice(people, people, p=share / share.sum())


def lognormal(people: int, rng: np.random.Generator) -> np.ndarray:
    """Three quarters as many classes as people, with shares of a lognormal distribution."""
    share = rng.lognormal(0, 2, people * 3 // 4)
    return rng.choice(len(share), people, p=share / share.sum())


def uniform(people: int, rng: np.random.Generator) -> np.ndarray:
    """Half as many classes as people, all equally likely."""
    return rng.integers(0, people // 2, people)


def pitman(people: int, rng: np.random.Generator) -> np.ndarray:
    """Pitman's process."""
    population: np.ndarray = pitman_population(people, 0.5, 50.0, rng)
    return population


def measured(population: np.ndarray, fraction: float, rng: np.random.Generator) -> tuple[float, float, float]:
    """The true share and both estimates, for one sample."""
    sizes, truth = sampled(population, fraction, rng)
    return truth, pitman_chance(sizes, fraction), zayatz_chance(sizes, fraction)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=20_000)
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    print("| population | sampling fraction | unique in the population | Pitman | Zayatz |\n| --- | --- | --- | --- | --- |")
    shapes: tuple[Population, ...] = (pitman, zipf, lognormal, uniform)
    for shape in shapes:
        for fraction in (0.02, 0.1, 0.3):
            rngs = [np.random.default_rng(seed) for seed in range(options.draws)]
            means = np.mean([measured(shape(options.people, rng), fraction, rng) for rng in rngs], axis=0)
            print(f"| {shape.__name__} | {fraction:.0%} | " + " | ".join(f"{100 * mean:.1f} %" for mean in means) + " |")


if __name__ == "__main__":
    main()
