"""Populations of people in classes, and samples of them, for estimates of how many people are unique."""

from __future__ import annotations

import numpy as np


def pitman_population(n: int, alpha: float, theta: float, rng: np.random.Generator) -> np.ndarray:
    """The class of each person, by Pitman's process: a person joins the class of another, or begins one."""
    label, size = np.zeros(n, np.int64), [1]
    for i in range(1, n):
        if rng.random() * (theta + i) < theta + alpha * len(size):
            label[i] = len(size)
            size.append(1)
            continue
        at = label[rng.integers(i)]
        while rng.random() * size[at] > size[at] - alpha:
            at = label[rng.integers(i)]
        label[i] = at
        size[at] += 1
    return label


def sampled(population: np.ndarray, fraction: float, rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """The sizes of the classes of a sample, and the share of its unique people who are unique in the population."""
    sample = rng.permutation(population)[: round(fraction * len(population))]
    inside, outside = np.bincount(sample, minlength=population.max() + 1), np.bincount(population)
    return inside[inside > 0], float((outside[inside == 1] == 1).mean())
