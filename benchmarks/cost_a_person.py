"""What the method costs a person as logs grow, alone and by processor time.

    python benchmarks/cost_a_person.py [--users 50000 650000 5000000] [--efforts fast balanced] [--around 3]

Each run is a process of its own. As the speed of a shared machine changes from minute to minute, the smallest log is measured `--around`
times before and after each larger one, and the larger one is compared with the median of these.
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
from shoal.app.job import Preparation
from shoal.app.prepare import prepare
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


def compared(smallest: int, users: int, efforts: list[str], around: int) -> list[dict[str, Any]]:
    """A line of the table for each effort."""
    before = [microseconds(smallest, efforts) for _ in range(around)]
    larger = microseconds(users, efforts)
    near = before + [microseconds(smallest, efforts) for _ in range(around)]
    small = {effort: sorted(run[effort] for run in near) for effort in efforts}
    return [
        {
            "effort": effort,
            "users": users,
            "us a user": larger[effort],
            f"at {smallest:,}": median(small[effort]),
            "from": small[effort][0],
            "to": small[effort][-1],
            "times": larger[effort] / median(small[effort]),
        }
        for effort in efforts
    ]


def main() -> None:
    """Measure, and print after each size, as large logs take long."""
    asked = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    asked.add_argument("--users", type=int, nargs="+", default=SIZES)
    asked.add_argument("--efforts", nargs="+", default=EFFORTS)
    asked.add_argument("--around", type=int, default=3)
    said = asked.parse_args()
    rows: list[dict[str, Any]] = []
    smallest, *larger = sorted(said.users)
    for users in larger:
        rows += compared(smallest, users, list(said.efforts), said.around)
        show("The method alone, microseconds of processor time a person", rows)


if __name__ == "__main__":
    main()
