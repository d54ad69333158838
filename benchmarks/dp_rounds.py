"""Selection in rounds (Swanberg, Desfontaines and Haney, "DP-SIPS", PETS 2023) against the selection of dp-queries, on tags of last.fm.

    python benchmarks/dp_rounds.py [--runs 20] [--epsilon 3]

In each round a person divides a norm of 1 equally among those of their tags that no earlier round published; later rounds have more of the
budget. Noise and thresholds are those of dp-queries for several selections. Means over fresh noise; nothing is spent on counts.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from common import show
from dp import DELTA, published, tags
from shoal.data.log import Log
from shoal.data.noise_record import EQUAL, GAUSSIAN, SELECTION, NoisyStep
from shoal.noise.budget_plan import _grid
from shoal.noise.counted_values import ITEM, values_of_log
from shoal.noise.mechanisms import Selecting, gaussian_plan, limit_of, with_noise
from shoal.noise.per_person_bounds import distinct_of_people
from shoal.noise.weights import equal_weights

CAPS = (32, 64, 128)
SHARES = {"1 round": (1.0,), "2 rounds": (0.25, 0.75), "3 rounds": (1 / 13, 3 / 13, 9 / 13), "3 even rounds": (1 / 3, 1 / 3, 1 / 3)}


def rounds(epsilon: float, shares: tuple[float, ...], cap: int) -> list[NoisyStep]:
    """Return the noise and the threshold of each round."""
    plan = gaussian_plan(epsilon, DELTA, tuple(Selecting(share, cap, 1.0) for share in shares), guided=len(shares) > 1)
    return [
        NoisyStep(SELECTION, "counts", GAUSSIAN, EQUAL, found.scale, _grid(found.scale), cap, 1.0, found.threshold)
        for found in plan.selections
    ]


def selected(log: Log, steps: list[NoisyStep]) -> int:
    """Return how many tags all rounds publish together."""
    left, found = values_of_log(log, ITEM), 0
    for step in steps:
        held = distinct_of_people(left, step.cap)
        noisy = with_noise(equal_weights(held, step.grid), step)
        chosen = held.table[np.flatnonzero(noisy > limit_of(step))]
        found += len(chosen)
        left = left.join(chosen, on=chosen.columns, how="anti", maintain_order="left")
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilon", type=float, default=3.0)
    options = parser.parse_args()
    log = tags()
    if log is None:
        sys.exit("this benchmark needs lastfm-tags.tsv.gz")
    lines = []
    for mechanism in ("weighted", "policy"):
        found = published(log, options.runs, epsilon=options.epsilon, mechanism=mechanism)
        lines.append({"selection": f"{mechanism}, with its guide", **{name: found[name] for name in ("cap", "published", "least", "most")}})
    for name, shares in SHARES.items():
        for cap in CAPS:
            counts = [selected(log, rounds(options.epsilon, shares, cap)) for _ in range(options.runs)]
            lines.append({"selection": name, "cap": cap, "published": f"{np.mean(counts):.1f}", "least": min(counts), "most": max(counts)})
    show(f"published tags, epsilon {options.epsilon:g}, delta {DELTA:g}", lines)


if __name__ == "__main__":
    main()
