"""Processor time and memory of each family of methods against the number of people, as a table and a picture.

    python benchmarks/time_by_size.py [--people 1000 10000 100000] [--only NAME ...]

Each run is the whole program, from the file to the verified and written release, in a process of its own. Every finished run is stored in
benchmarks/results/time_by_size.jsonl, so that an interrupted benchmark resumes. The picture is docs/images/time-by-size.svg; a line ends
where a size was not measured. The memory of a process counts from that of the benchmark, so a small
run shows the latter. One person has one basket, one row of a table, or about 43 rows of a search log or 6 lines of an access log.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

import shop
from accesslog import made_up
from common import RESULTS, ROOT, show
from datasets import generated_log
from scale import compile_modules, ran

STORE, PICTURE = RESULTS / "time_by_size.jsonl", ROOT / "docs" / "images" / "time-by-size.svg"
SIZES = (1_000, 10_000, 100_000)
LINES_PER_VISITOR = 6
COLUMNS = 6  # of a table


def search_log(people: int) -> list[str]:
    """A made-up search log."""
    return [str(generated_log(people))]


def baskets(people: int) -> list[str]:
    """Baskets of a made-up shop, by the types of their products."""
    directory = RESULTS / f"shop-{people}"
    if not directory.exists():
        shop.write(directory, people, 20_000, 0)
    products = ["--items-table", str(directory / "products.parquet"), "--item-level", "product_type"]
    return [str(directory / "sales.parquet"), "--record", "basket_id", "--item", "product_id", *products]


def numbers(people: int) -> list[str]:
    """A table of numbers in ten clusters."""
    path = RESULTS / f"numbers-{people}.csv"
    if not path.exists():
        random = np.random.default_rng(0)
        centres = random.normal(0, 4, (10, COLUMNS))[random.integers(0, 10, people)]
        values = np.round(centres + random.normal(0, 1, (people, COLUMNS)), 3)
        pl.DataFrame(values, schema=[f"value_{i}" for i in range(COLUMNS)]).write_csv(path)
    return [str(path), "--format", "microdata"]


def access_log(people: int) -> list[str]:
    """An access log with two sessions of three clicks a visitor in the mean."""
    path = RESULTS / f"access-{people * LINES_PER_VISITOR}.log"
    if not path.exists():
        made_up(people * LINES_PER_VISITOR, path)
    return [str(path)]


@dataclass(frozen=True)
class Family:
    """A method that stands for its family, its options, and its data."""

    data: Callable[[int], list[str]]
    options: tuple[str, ...]


FAMILIES = {
    "shoal, search log": Family(search_log, ("--method", "shoal")),
    "shoal, baskets": Family(baskets, ("--method", "shoal")),
    "partition, baskets": Family(baskets, ("--method", "partition")),
    "km m=2, baskets": Family(baskets, ("--method", "km", "--m", "2")),
    "coherence p=2, baskets": Family(baskets, ("--method", "coherence", "--p", "2")),
    "disassociation, baskets": Family(baskets, ("--method", "disassociation")),
    "threshold by query, search log": Family(search_log, ("--method", "threshold")),
    "threshold by word, search log": Family(search_log, ("--method", "threshold", "--unit", "term", "--rare", "generalize")),
    "mdav, table": Family(numbers, ("--method", "mdav")),
    "microaggregation, table": Family(numbers, ("--method", "microaggregation")),
    "accesslog-mdav, access log": Family(access_log, ("--method", "accesslog-mdav")),
    "user-microaggregation, search log": Family(search_log, ("--method", "user-microaggregation")),
    "category-microaggregation, search log": Family(search_log, ("--method", "category-microaggregation")),
    "ssc, baskets": Family(baskets, ("--method", "ssc")),
}


def measured(name: str, people: int) -> dict[str, Any]:
    """One run."""
    family = FAMILIES[name]
    data = family.data(people)
    with tempfile.TemporaryDirectory() as place:
        run = ran("-m", "shoal", "anonymize", *data, *family.options, "--k", "5", "--out", f"{place}/release", "--json")
    return {"family": name, "people": people, "s": run.seconds, "clock s": run.clock, "MB": round(run.megabytes)}


def stored() -> list[dict[str, Any]]:
    """All finished runs."""
    return [json.loads(line) for line in STORE.read_text().splitlines()] if STORE.exists() else []


def draw(rows: list[dict[str, Any]]) -> None:
    """Processor time against people, both on logarithmic scales."""
    try:
        import altair as alt
        import vl_convert as vlc
    except ImportError:
        print("no picture: pip install 'shoal-privacy[bench]'")
        return
    chart = (
        alt.Chart(alt.Data(values=[{"people": row["people"], "seconds": row["s"], "family": row["family"]} for row in rows]))
        .mark_line(point=True)
        .encode(
            x=alt.X("people:Q", title="people", scale=alt.Scale(type="log")),
            y=alt.Y("seconds:Q", title="processor seconds", scale=alt.Scale(type="log", domainMin=0.5)),
            color=alt.Color(
                "family:N", title=None, sort=list(FAMILIES), scale=alt.Scale(scheme="tableau20"), legend=alt.Legend(labelLimit=300)
            ),
        )
        .properties(width=520, height=360, padding={"left": 5, "right": 40, "top": 5, "bottom": 5})
    )
    PICTURE.write_text(vlc.vegalite_to_svg(chart.to_json()))
    print(f"drawn: {PICTURE.relative_to(ROOT)}")


def main() -> None:
    """Measure what is not stored yet, small sizes first."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--people", type=int, nargs="+", default=SIZES)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="families whose name begins with one of these")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    compile_modules()
    for people in options.people:
        for name in FAMILIES:
            known = {(row["family"], row["people"]) for row in stored()}
            if (name, people) in known or (options.only and not name.startswith(tuple(options.only))):
                continue
            row = measured(name, people)
            with STORE.open("a") as file:
                file.write(json.dumps(row) + "\n")
            show("Time by size", [row])
    rows = sorted(stored(), key=lambda row: (list(FAMILIES).index(row["family"]), row["people"]))
    show("Time by size, in seconds of processor time", rows)
    draw(rows)


if __name__ == "__main__":
    main()
