"""Write the samples of `shoal studio`: made-up baskets, an access log and a table. The same files each time.

    python scripts/studio_samples.py
    python scripts/studio_samples.py --people 10000 --out DIRECTORY

The second form writes larger files of the same kind, for measurements.
"""

from __future__ import annotations

import argparse
import random
from datetime import datetime, timedelta
from pathlib import Path

PLACE = Path(__file__).parents[1] / "src" / "shoal" / "samples"
GOODS = {
    "milk": 30, "bread": 28, "butter": 20, "cheese": 18, "apple": 22, "banana": 20, "tomato": 16, "potato": 15, "onion": 13, "rice": 12,
    "pasta": 14, "chicken": 12, "beef": 8, "fish": 7, "beer": 11, "wine": 9, "coffee": 17, "tea": 9, "chocolate": 14, "yogurt": 15,
    "ham": 8, "salmon": 4, "lamb": 2, "mushroom": 5, "garlic": 8, "honey": 4, "grape": 5, "pear": 6, "soap": 7, "candle": 2, "diaper": 3,
}  # fmt: skip
PAGES = ["/", "/news", "/shop", "/shop/shoes", "/shop/coats", "/shop/hats", "/help", "/help/returns", "/about", "/jobs", "/jobs/apply"]
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def baskets(draw: random.Random, people: int) -> str:
    """One row per item: the customer, the basket and the product."""
    lines, basket = ["customer,basket,product"], 0
    for customer in range(1, people + 1):
        for _ in range(draw.choice((1, 1, 1, 2, 2, 3))):
            basket += 1
            goods = dict.fromkeys(draw.choices(list(GOODS), list(GOODS.values()), k=draw.randint(2, 7)))
            lines += [f"{1000 + customer},{basket},{product}" for product in goods]
    return "\n".join(lines) + "\n"


def access_log(draw: random.Random, people: int) -> str:
    """One line per request, in the combined format."""
    begun, lines = datetime(2026, 3, 2, 8), []
    for visitor in range(people):
        address = f"192.0.2.{visitor + 1}" if people < 255 else f"10.{visitor >> 16}.{visitor >> 8 & 255}.{visitor & 255}"
        at = begun + timedelta(minutes=draw.randrange(60 * 24 * 5))
        for _ in range(draw.randint(2, 8)):
            page = draw.choices(PAGES, range(len(PAGES), 0, -1))[0]
            at += timedelta(seconds=draw.randrange(5, 400))
            lines.append(
                (at, f'{address} - - [{at:%d/%b/%Y:%H:%M:%S} +0000] "GET {page} HTTP/1.1" 200 {draw.randrange(800, 9000)} "-" "{AGENT}"')
            )
    return "\n".join(line for _, line in sorted(lines)) + "\n"


def table(draw: random.Random, people: int) -> str:
    """One row per person: age, distance to work in km, income."""
    lines = ["age,distance,income"]
    for _ in range(people):
        age = min(90, max(18, round(draw.gauss(44, 15))))
        lines.append(f"{age},{round(draw.expovariate(1 / 14), 1)},{round(max(9_000, draw.gauss(24_000 + 260 * age, 9_000)), -2):.0f}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write all samples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", type=int, help="number of people in each file [default: that of the samples]")
    parser.add_argument("--out", type=Path, default=PLACE)
    options = parser.parse_args()
    draw = random.Random(20260302)
    for name, (make, usual) in {"baskets.csv": (baskets, 400), "access.log": (access_log, 240), "people.csv": (table, 600)}.items():
        (options.out / name).write_text(make(draw, options.people or usual))


if __name__ == "__main__":
    main()
