"""What the method costs a person as logs grow, alone and by processor time.

    python benchmarks/cost_a_person.py [--users 50000 650000 5000000] [--efforts fast balanced] [--around 2] [--repeats 1]

Each run is a process of its own. As the speed of a shared machine changes from minute to minute, a larger log is measured between runs of
the smallest one, `--around` before and after each of its `--repeats`; medians are compared.
"""

from __future__ import annotations

import argparse
import json
from statistics import median
from typing import Any

from common import show
from datasets import generated_log
from scale import EFFORTS, ran

SIZES = (50_000, 650_000, 5_000_000)
METHOD_ALONE = """
import json, sys, time
from shoal.pipeline.options import Preparation
from shoal.pipeline.prepare import prepare
from shoal.methods.shoal import Shoal
data, seconds = prepare(sys.argv[1], Preparation()).original, {}
for effort in sys.argv[2:]:
    started = time.process_time()
    Shoal(k=5, effort=effort).apply(data)
    seconds[effort] = time.process_time() - started
print(json.dumps(seconds))
"""


def microseconds(users: int, efforts: list[str]) -> dict[str, float]:
    """Of processor time a person, for each effort."""
    taken = json.loads(ran("-c", METHOD_ALONE, str(generated_log(users)), *efforts).printed)
    return {effort: 1e6 * taken[effort] / users for effort in efforts}


def compared(smallest: int, users: int, efforts: list[str], around: int, repeats: int) -> list[dict[str, Any]]:
    """A line of the table for each effort."""
    order = [*([smallest] * around + [users]) * repeats, *[smallest] * around]
    runs = [(size, microseconds(size, efforts)) for size in order]
    return [
        _line(effort, users, *([run[effort] for size, run in runs if size == which] for which in (smallest, users))) for effort in efforts
    ]


def _line(effort: str, users: int, small: list[float], large: list[float]) -> dict[str, Any]:
    """What the runs of the smallest and of the larger log took, at one effort."""
    return {
        "effort": effort,
        "users": users,
        "small from": min(small),
        "small": median(small),
        "small to": max(small),
        "large from": min(large),
        "large": median(large),
        "large to": max(large),
        "times": median(large) / median(small),
    }


def main() -> None:
    """Measure, and print after each size, as large logs take long."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--users", type=int, nargs="+", default=SIZES)
    parser.add_argument("--efforts", nargs="+", default=EFFORTS)
    parser.add_argument("--around", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    smallest, *larger = sorted(options.users)
    for users in larger:
        rows += compared(smallest, users, list(options.efforts), options.around, options.repeats)
        show("The method alone, microseconds of processor time a person", rows)


if __name__ == "__main__":
    main()
