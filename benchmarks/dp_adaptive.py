"""Adaptive weights for the selection of values, compared with the policy of the program: tags of last.fm.

    python benchmarks/dp_adaptive.py [--runs N] [--epsilon E]

After Chen, Cohen-Addad, Epasto and Zadimoghaddam, "Scalable private partition selection via adaptive weighting", ICML 2025: people give
1/n to each of their n values, what a value has beyond a cutoff goes back to the people who gave it and is spread over their values, and the
difference to 1/sqrt(n) is added at the end. People with more than `most` values give 1/sqrt(n) to each. This follows the idea of the paper,
not its text; noise is drawn by NumPy, and its scale assumes that the norm of what a person changes is 1, as the paper proves of its own
version. So the numbers show whether building it would pay, and nothing may be published in this way.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import polars as pl

from common import show
from dp import DELTA, tags
from shoal.noise.counted_values import ITEM, values_of_log
from shoal.noise.mechanisms import PROMISING, Selecting, gaussian_plan
from shoal.noise.per_person_bounds import PersonValues, distinct_of_people
from shoal.util.numbers import Floats

CAP = 64


def weights(held: PersonValues, cutoff: float, most: int) -> Floats:
    """Return the weight of each value: 1/sqrt(n) of each person, rerouted for people with 2 to `most` values."""
    sizes = np.diff(held.starts)
    person, size, values = np.repeat(np.arange(len(sizes)), sizes), np.repeat(sizes, sizes), held.values
    adaptive = (size >= 2) & (size <= most)
    summed = np.bincount(values[adaptive], 1 / size[adaptive], held.n_values)
    excess = np.maximum(0, summed - cutoff) / np.where(summed > 0, summed, 1)
    back = np.bincount(person[adaptive], (excess[values] / size)[adaptive], len(sizes))
    last = np.where(adaptive, 1 / np.sqrt(size) - 1 / size + back[person] / max(most, 1), 1 / np.sqrt(size))
    return np.asarray(np.minimum(summed, cutoff) + np.bincount(values, last, held.n_values))


def published(values: pl.DataFrame, epsilon: float, most: int, above: float, guide: float, rng: np.random.Generator) -> int:
    """Return how many values one run would publish."""
    plan = gaussian_plan(epsilon, DELTA, (Selecting(1 - guide, CAP, 1.0),), guided=guide > 0)
    found = plan.selections[0]
    if guide:
        held, noise = distinct_of_people(values, None), plan.scale(guide, 1.0)
        noisy = weights(held, np.inf, 0) + noise * rng.standard_normal(held.n_values)
        wanted = held.table[np.flatnonzero(noisy > PROMISING * noise)]
        values = values.join(wanted, on=wanted.columns, how="semi", maintain_order="left")
    held = distinct_of_people(values, CAP)
    noisy = weights(held, found.threshold + above * found.scale, most) + found.scale * rng.standard_normal(held.n_values)
    return int((noisy > found.threshold).sum())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--epsilon", type=float, default=3.0)
    options = parser.parse_args()
    log = tags()
    if log is None:
        sys.exit("this benchmark needs lastfm-tags.tsv.gz")
    values, rng, lines = values_of_log(log, ITEM), np.random.default_rng(), []
    for guide in (0.0, 0.2):
        for most, above in ((0, 0.0), (50, 0.5), (50, 2.0), (32, 2.0)):
            found = [published(values, options.epsilon, most, above, guide, rng) for _ in range(options.runs)]
            way = f"adaptive up to {most} values, {above:g} deviations" if most else "equal weights"
            lines.append({"weights": way, "guide": guide, "published": np.mean(found), "least": min(found), "most": max(found)})
    show(f"tags of last.fm, epsilon {options.epsilon:g}, delta {DELTA:g}, cap {CAP}", lines)


if __name__ == "__main__":
    main()
