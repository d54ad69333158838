"""Whether two machines publish the same records: `python scripts/compare_machines.py make DIR`, and later `... compare DIR OTHER`.

`make` runs every method on parts of the bundled samples with the shoal that is installed, one release per directory. `compare` counts, for
each method, the records of either release that have no counterpart in the other. It exits with 1 if a method differs or is missing.

scripts/aarch64.sh runs `make` on an emulated processor of another kind, with the wheel for it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import time
from importlib.resources import files
from itertools import groupby
from pathlib import Path

from shoal.cli.main import run
from shoal.kinds import read_tables, rows_differing
from shoal.methods import METHODS
from shoal.pipeline.manifest import Published

SECRET = "secret-key.txt"
SENSITIVE = ("--sensitive", "items:beer|wine")
QUERIES, BASKETS, PEOPLE, ACCESS, DOCUMENTS = "queries.tsv", "baskets.csv", "people.csv", "access.log", "documents.jsonl"
SHOP, GOODS = "shop.csv", "goods.csv"
OPEN = ("--no-guarantee", "--key", SECRET)

# The input of each method, and its options. Where a method finds several equally good results, all machines must choose the same one.
RUNS: dict[str, tuple[str, ...]] = {
    "shoal": (QUERIES, "--k", "3"),
    "clump": (QUERIES, "--k", "3"),
    "partition": (QUERIES, "--k", "3"),
    "tds": (BASKETS, "--k", "3"),
    "ssc": (QUERIES, "--k", "3"),
    "coherence": (BASKETS, "--k", "3", "--p", "2", "--h", "0.8", "--private", "items:beer|wine"),
    "km": (QUERIES, "--k", "3", "--m", "2"),
    "apriori": (QUERIES, "--k", "3", "--m", "2"),
    "direct": (QUERIES, "--k", "3", "--m", "2"),
    "optimal": (BASKETS, "--k", "3", "--m", "2", "--taxonomy", "generated"),
    "local": (QUERIES, "--k", "3", "--m", "2"),
    "vertical": (QUERIES, "--k", "3", "--m", "2"),
    "hghs": (QUERIES, "--k", "3", "--m", "2"),
    "disassociation": (BASKETS, "--k", "3", "--m", "2"),
    "suppress-control": (BASKETS, "--rho", "0.5", *SENSITIVE),
    "td-control": (BASKETS, "--rho", "0.5", "--taxonomy", "generated", *SENSITIVE),
    "cahd": (BASKETS, "--p", "2", *SENSITIVE),
    "infrequent": (QUERIES, "--k", "3"),
    "threshold": (QUERIES, "--k", "3", "--unit", "term"),
    "query-cores": (QUERIES, "--k", "3"),
    "accesslog-mdav": (ACCESS, "--k", "3"),
    "user-microaggregation": (QUERIES, "--k", "3"),
    "category-microaggregation": (QUERIES, "--k", "3", "--min-owners", "1"),
    "mdav": (PEOPLE, "--k", "3"),
    "microaggregation": (PEOPLE, "--k", "3"),
    "kkm": (SHOP, "--k", "3", "--m", "2", "--quasi", "age,income", "--item-sets", f"basket={GOODS}"),
    "document-vectors": (DOCUMENTS, "--k", "3"),
    "k-delta": (BASKETS, "--k", "3"),
    "old-remedies": (QUERIES, *OPEN),
    "secret-sharing": (QUERIES, "--k", "3", *OPEN),
    "split-personality": (QUERIES, "--no-guarantee"),
}
NOT_COMPARED = dict.fromkeys(("diffpart", "dp-ngrams", "dp-queries", "perturbation"), "its noise is different in every run")


def main() -> None:
    """Parse the command line and run one of the two parts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parts = parser.add_subparsers(dest="part", required=True)
    make = parts.add_parser("make", help="run every method")
    make.add_argument("directory", type=Path)
    make.add_argument("--people", type=int, default=100, help="people of each sample")
    make.add_argument("--only", nargs="+", choices=RUNS, default=list(RUNS), metavar="METHOD")
    compare = parts.add_parser("compare", help="compare two such directories")
    compare.add_argument("directory", type=Path)
    compare.add_argument("other", type=Path)
    options = parser.parse_args()
    if unknown := set(METHODS) ^ {*RUNS, *NOT_COMPARED}:
        sys.exit(f"the table of runs does not fit the methods: {', '.join(sorted(unknown))}")
    if options.part == "make":
        sys.exit(make_releases(options.directory, options.people, options.only))
    else:
        sys.exit(compare_releases(options.directory, options.other))


# -- releases


def make_releases(directory: Path, people: int, methods: list[str]) -> int:
    """Run these methods on parts of the samples, keeping releases that exist already; return the exit code."""
    directory.mkdir(parents=True, exist_ok=True)
    os.chdir(directory)
    write_inputs(people)
    failed = 0
    for name in methods:
        if Path(name).exists():
            continue
        begun = time.perf_counter()
        code = run(["anonymize", *RUNS[name], "--method", name, "--out", name])
        failed |= code > 0
        print(f"{name}: exit code {code}" if code else f"{name}: {time.perf_counter() - begun:.1f} s", flush=True)
    return int(failed)


def write_inputs(people: int) -> None:
    """Write the parts of the samples that the runs read."""
    samples = files("shoal.samples")
    header, *queries = gzip.decompress((samples / "queries.tsv.gz").read_bytes()).decode().splitlines()
    by_person = [list(rows) for _, rows in groupby(queries, lambda row: row.split("\t")[0])][:people]
    write(QUERIES, [header, *(row for rows in by_person for row in rows)])
    texts = [" ".join(row.split("\t")[1] for row in rows) for rows in by_person]
    write(DOCUMENTS, [json.dumps({"id": str(n), "text": text}) for n, text in enumerate(texts)])
    for name in (BASKETS, PEOPLE, ACCESS):
        write(name, (samples / name).read_text("utf-8").splitlines()[: 10 * people + 1])
    write_shop(people)
    write(SECRET, ["0123456789abcdef" * 4])


def write_shop(people: int) -> None:
    """Write baskets with the age and income of their buyers, and a taxonomy of what they bought."""
    sold = [row.split(",") for row in Path(BASKETS).read_text("utf-8").splitlines()[1:]]
    baskets = [sorted({row[2] for row in rows}) for _, rows in groupby(sold, lambda row: row[1])]
    buyers = [row.split(",") for row in Path(PEOPLE).read_text("utf-8").splitlines()[1:]]
    rows = [f"{age},{income},{'|'.join(basket)}" for (age, _, income), basket in zip(buyers, baskets, strict=False)]
    write(SHOP, ["age,income,basket", *rows[:people]])
    write(GOODS, [*(f"{name},goods" for name in sorted({row[2] for row in sold})), "goods,"])


def write(name: str, lines: list[str]) -> None:
    """Write a text file of these lines."""
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


# -- comparison


def compare_releases(directory: Path, other: Path) -> int:
    """Print the number of differing records of each method; return the exit code."""
    failed = 0
    for name in RUNS:
        if missing := [str(place) for place in (directory, other) if not (place / name).is_dir()]:
            print(f"{name}: missing in {' and '.join(missing)}")
            failed = 1
            continue
        mine, others = ({**read_tables(place / name, Published.at(place / name).tables)} for place in (directory, other))
        differing, records = rows_differing(mine, others), sum(table.n_rows for table in mine.values())
        print(f"{name}: {differing} of {records} records differ" if differing else f"{name}: the same {records} records")
        failed |= differing > 0 or records == 0
    for name, reason in NOT_COMPARED.items():
        print(f"{name}: not compared, {reason}")
    return int(failed)


if __name__ == "__main__":
    main()
