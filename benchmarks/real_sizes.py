"""Every target of speed and memory on real sizes, in one table: `python benchmarks/real_sizes.py [--only NAME ...] [--before PYTHON]`.

Each row is a whole run, from the file to the judged and written release, in a process of its own: seconds of processor time in all and of
each stage, their ratio to Polars' reading and grouping of the same file, and the most memory. A row is marked where it exceeds its target.
`--before` names the Python of another installation, which takes each row in turn with this one. The part `blocks` has the loss of groups
that are formed inside blocks. Input files are made once, in benchmarks/results, and used again. The modules of each installation are
compiled before, as they are for everybody who runs it a second time.

Targets that are ratios of two runs (`ratios`) follow: another number of known items, and Spark beside one machine, for which PySpark and
Java must be installed.

A new target is a line of `TARGETS`, or of a function that is added to it. A target in seconds of the clock on two idle cores is twice as
many seconds of processor time.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import math
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accesslog import WAYS, made_up, original_at
from common import DATA, RESULTS, show
from datasets import generated_log
from scale import Run, compile_modules, ran
from shoal.data.bags import Ints
from shoal.methods.accesslog_mdav import AccessLogMDAV
from shoal.microaggregation.blocks import mdav_in_blocks
from shoal.microaggregation.visit_space import Visits, VisitSpace
from shop import write as write_shop
from spark import cost_of

STAGED = """
import json, sys, time
import shoal
from shoal.pipeline.events import Events
begun = {}
class Stages(Events):
    def stage(self, name, index, count):
        begun[name] = time.process_time()
options = json.loads(sys.argv[2])
result = shoal.anonymize(sys.argv[1], events=Stages(), **options)
begun["writing"] = time.process_time()
result.write(sys.argv[3])
names, ends = list(begun), [*list(begun.values())[1:], time.process_time()]
print(json.dumps({name: end - begun[name] for name, end in zip(names, ends)}))
"""
REFUSED = """
import json, sys, time
import shoal
try:
    shoal.anonymize(sys.argv[1], **json.loads(sys.argv[2]))
except shoal.ShoalError as error:
    print(json.dumps({"grouping": time.process_time()}) if error.code == "too-many-itemsets" else error.code)
"""
COMPARE = """
import json, os, subprocess, sys, time
from pathlib import Path
page, begun, first = Path(sys.argv[1]) / "comparison.html", time.monotonic(), None
process = subprocess.Popen([sys.executable, "-m", "shoal", "compare", *sys.argv[2:], "--out", sys.argv[1]], stdout=2)
while process.poll() is None:
    if first is None and page.exists():
        first = time.monotonic() - begun
    time.sleep(0.05)
print(json.dumps({"first page (clock)": first}))
sys.exit(process.returncode)
"""
POLARS = """
import sys, polars as pl
lines = pl.read_csv(sys.argv[1], separator="\\x01", quote_char=None, has_header=False, new_columns=["line"])
first = pl.col("line").str.splitn(sys.argv[2], 2).struct.field("field_0")
lines.group_by(first.alias("user")).agg(pl.col("line"))
"""


POLARS_PARQUET = """
import sys, polars as pl
pl.read_parquet(sys.argv[1]).group_by("basket_id").agg(pl.col("product_id"))
"""
STAGES = ("reading", "preparing", "grouping", "judging", "writing", "first page (clock)")


def access_log(lines: int) -> Path:
    """People with two sessions of three clicks in the mean."""
    path = RESULTS / f"access-{lines}.log"
    if not path.exists():
        made_up(lines, path)
    return path


def long_records(people: int = 1_000, words: int = 300, different: int = 50_000) -> Path:
    """People with so many different words each, by Zipf's law with an exponent of 0.6."""
    path = RESULTS / f"words-{people}-{words}-{different}.dat"
    if not path.exists():
        random, below = np.random.default_rng(1), np.cumsum(1 / np.arange(1, different + 1) ** 0.6)
        with path.open("w") as out:
            for _ in range(people):
                own: set[int] = set()
                while len(own) < words:
                    own.update(np.searchsorted(below / below[-1], random.random(words - len(own))).tolist())
                out.write(" ".join(f"w{word}" for word in sorted(own)) + "\n")
    return path


def sensitive_items(records: Path) -> str:
    """A file with every tenth item by frequency of a file of records, beginning with the fifth."""
    place = RESULTS / f"sensitive-{records.name}.txt"
    if not place.exists():
        with gzip.open(records, "rt") as lines:
            often = Counter(item for line in lines for item in set(line.split()))
        ranked = sorted(often, key=lambda item: (-often[item], item))
        place.write_text("".join(f"{item}\n" for item in ranked[4::10]))
    return str(place)


LOOKED_AT = 1_000_000  # rows of a search log, in other formats


def as_format(suffix: str, rows: int = LOOKED_AT) -> Path:
    """The first rows of a made-up search log in another format; without links, of which a workbook holds few."""
    place = RESULTS / f"log-{rows}.{suffix}"
    if not place.exists():
        log = pl.read_csv(generated_log(25_000), separator="\t", quote_char=None, infer_schema=False, n_rows=rows).drop("ClickURL")
        texts: dict[str, Callable[[Path], object]] = {"csv": log.write_csv, "jsonl": log.write_ndjson, "json": log.write_json}
        (texts | {"parquet": log.write_parquet, "xlsx": log.write_excel})[suffix](place)
    return place


def short_rows(rows: int = 6_000_000) -> Path:
    """Users and items of at most seven digits."""
    place = RESULTS / f"short-{rows}.csv"
    if not place.exists():
        random = np.random.default_rng(1)
        pl.DataFrame({"user": random.integers(0, rows // 6, rows), "item": random.integers(0, 5_000, rows)}).write_csv(place)
    return place


def different_items(rows: int = LOOKED_AT) -> Path:
    """A row for each user, with an item that nobody else has."""
    place = RESULTS / f"different-{rows}.csv"
    if not place.exists():
        users, items = [f"user{n:09}" for n in range(rows)], [f"item{n * 7919 % rows:09}" for n in range(rows)]
        pl.DataFrame({"user": users, "item": items}).write_csv(place)
    return place


def lists_of_items(records: int = LOOKED_AT, items: int = 20) -> Path:
    """Records as lists in Parquet."""
    place = RESULTS / f"lists-{records}.parquet"
    if not place.exists():
        drawn = np.random.default_rng(1).integers(0, 1_000, records * items).astype(str)
        pl.DataFrame({"items": pl.Series(drawn).reshape((records, items)).arr.to_list()}).write_parquet(place)
    return place


def table_of_people(people: int = 3 * LOOKED_AT) -> Path:
    """Numbers about people."""
    place = RESULTS / f"people-{people}.parquet"
    if not place.exists():
        random = np.random.default_rng(1)
        ages, pay, hours = random.integers(18, 90, people), random.normal(3_000, 800, people), random.integers(0, 60, people)
        pl.DataFrame({"age": ages, "pay": pay, "hours": hours, "town": random.integers(10_000, 99_999, people)}).write_parquet(place)
    return place


def large_workbook() -> Path:
    """A workbook with nearly as many rows as there can be."""
    return as_format("xlsx", 1_000_000)


@dataclass(frozen=True)
class Target:
    """A file, the keywords of the function, and the most that a run may take: processor seconds, megabytes, a multiple of Polars' time."""

    file: Callable[[], Path]
    options: dict[str, Any]
    seconds: float = math.inf
    megabytes: float | None = None
    separator: str = "\t"  # behind the user in a line, for Polars
    needs: str = ""  # a file of the shared data
    times_polars: float = math.inf
    script: str = STAGED
    command: Callable[[Path, str], list[str]] | None = None  # Python's arguments, for the file and a place for what is written
    partly: bool = False  # it reads a part of the file, so that reading all of it is no measure

    def seconds_at(self, polars: float) -> float:
        """What a run may take where Polars takes so long to read and group the file."""
        return min(self.seconds, self.times_polars * polars)


BASKETS = ("--record", "basket_id", "--item", "product_id", "--item-level", "product_type")
NEWS = "bbc-news.jsonl.gz"
LARGE, CLICKS, DENSE = "T40I10D100K-regenerated.dat.gz", "BMS-WebView-2.dat.gz", "mushroom.dat.gz"
TERMS = {"method": "threshold", "k": 30, "unit": "term", "rare": "generalize"}
LONG = {"format": "transactions", "taxonomy": "generated"}
TARGETS = {
    "accesslog-mdav, 12,000 lines": Target(lambda: access_log(12_000), {"method": "accesslog-mdav", "k": 5}, 10, separator=" "),
    "accesslog-mdav, 100,000 lines": Target(lambda: access_log(100_000), {"method": "accesslog-mdav", "k": 5}, 60, separator=" "),
    "accesslog-mdav, 1,000,000 lines": Target(lambda: access_log(1_000_000), {"method": "accesslog-mdav", "k": 5}, 900, separator=" "),
    "km m=2, 1,000 people x 300 words": Target(long_records, LONG | {"method": "km", "k": 5, "m": 2}, 80, 600, separator=" "),
    "coherence p=2, the same": Target(long_records, {"format": "transactions", "method": "coherence", "k": 5, "p": 2}, 60, 500, " "),
    "user-microaggregation, 50,000 people": Target(lambda: generated_log(50_000), {"method": "user-microaggregation", "k": 5}, 60),
    "category-microaggregation, 50,000 people": Target(lambda: generated_log(50_000), {"method": "category-microaggregation", "k": 5}, 60),
    "threshold by term, 1,000,000 rows": Target(lambda: generated_log(25_000), TERMS, times_polars=4),
    "threshold by term, 10,000,000 rows": Target(lambda: generated_log(235_000), TERMS, times_polars=4),
    "km m=2, BMS-WebView-2": Target(lambda: DATA / CLICKS, LONG | {"method": "km", "k": 5, "m": 2}, 60, separator=" ", needs=CLICKS),
}


def look(file: Callable[[], Path], *options: str, needs: str = "") -> Target:
    """The whole command, which may take two seconds."""
    return Target(file, {}, 2, needs=needs, partly=True, command=lambda path, _: ["-m", "shoal", "look", str(path), *options])


def looks() -> dict[str, Target]:
    """Files of every kind to look at."""
    files: dict[str, tuple[Any, ...]] = {
        "1,000,000 rows": (lambda: generated_log(25_000),),
        "650,000 people": (lambda: generated_log(650_000),),
        "CSV": (lambda: as_format("csv"),),
        "JSON lines": (lambda: as_format("jsonl"),),
        "JSON array": (lambda: as_format("json"),),
        "Parquet": (lambda: as_format("parquet"),),
        "workbook, 200,000 rows": (lambda: as_format("xlsx", 200_000),),
        "workbook, 1,000,000 rows": (large_workbook,),
        "access log": (lambda: access_log(1_000_000),),
        "short rows": (short_rows,),
        "different items": (different_items, "--taxonomy", "generated"),
        "lists in Parquet": (lists_of_items,),
        "table of people": (table_of_people, "--format", "microdata"),
    }
    goods = (*BASKETS, "--items-table", str(RESULTS / "shop-150000" / "products.parquet"))
    found = {f"look, {name}": look(file, *options) for name, (file, *options) in files.items()}
    found["look, T40I10D100K"] = look(lambda: DATA / LARGE, needs=LARGE)
    found["look, documents"] = look(lambda: DATA / NEWS, "--format", "documents", "--user", "id", needs=NEWS)
    return found | {"look, baskets and products": look(shop_sales, *goods)}


def rho_targets() -> dict[str, Target]:
    """Rules: a search that ends, and one that is refused instead of running on."""
    rho, lines = {"rho": 0.5, "loss": "lm"}, {"format": "transactions"}
    clicks = lines | {"taxonomy": str(DATA / "BMS-WebView-2.hierarchy.txt.gz"), "method": "td-control"} | rho
    found = {}
    for name, file, options, script, seconds in (
        ("td-control, BMS-WebView-2", CLICKS, clicks, STAGED, 300),
        ("rho, mushroom: refused", DENSE, lines | {"taxonomy": "generated", "method": "suppress-control"} | rho, REFUSED, 60),
    ):
        if (DATA / file).exists():
            sensitive = {"sensitive": sensitive_items(DATA / file)}
            found[name] = Target(partial(Path, DATA / file), options | sensitive, seconds, separator=" ", script=script)
    return found


# Commands other than `anonymize`: whole command lines, whose stages are not told apart.


def shop_sales(baskets: int = 150_000) -> Path:
    """The sales of a made-up shop; its products are next to them."""
    directory = RESULTS / f"shop-{baskets}"
    if not directory.exists():
        write_shop(directory, baskets, 20_000, 0)
    return directory / "sales.parquet"


def shop_options(sales: Path) -> list[str]:
    """How the sales are read."""
    return [str(sales), *BASKETS, "--items-table", str(sales.parent / "products.parquet")]


def made_release(data: list[str], name: str, *options: str) -> str:
    """A release to be attacked, made once."""
    place = RESULTS / f"release-{name}"
    if not place.exists():
        ran("-m", "shoal", "anonymize", *data, *options, "--out", str(place), "--json")
    return str(place)


def attack(data: list[str], name: str, *options: str) -> list[str]:
    """All attacks that need no other release, on 200 people."""
    without = ("--targets", "200", "--control", "0", "--remakes", "0", "--json")
    original, how = data[0], data[1:]
    return ["-m", "shoal", "attack", original, made_release(data, name, *options), *how, *without]


def quick(sales: Path, place: str) -> list[str]:
    """The default grid on a sample."""
    return ["-c", COMPARE, place, *shop_options(sales), "--quick", "--k", "2,5,10,25", "--m", "1,2,3"]


def command_targets() -> dict[str, Target]:
    """Targets of `attack`, `compare` and `advise`, and of documents."""
    large = generated_log
    return {
        "attack, 150,000 baskets": Target(shop_sales, {}, 40, command=lambda file, _: attack(shop_options(file), "shop")),
        "attack, 650,000 people": Target(
            lambda: large(650_000), {}, 240, 3_000, command=lambda file, _: attack([str(file)], "650000", "--effort", "fast")
        ),
        "compare --quick, 150,000 baskets, default grid": Target(shop_sales, {}, 600, command=quick),
        "advise, 150,000 baskets": Target(shop_sales, {}, 40, command=lambda file, _: ["-m", "shoal", "advise", *shop_options(file)]),
        "advise, 1,000,000 rows": Target(lambda: large(25_000), {}, 40, command=lambda file, _: ["-m", "shoal", "advise", str(file)]),
        "document-vectors, 2,225 BBC articles": Target(
            lambda: DATA / NEWS, {"format": "documents", "method": "document-vectors", "k": 3}, 120, separator=" ", needs=NEWS
        ),
    }


@dataclass(frozen=True)
class Ratio:
    """A run that may take some times as long as another one of the same file, each in keywords of `shoal.anonymize` or on Spark."""

    file: Callable[[], Path]
    run: dict[str, Any]
    other: dict[str, Any]
    at_most: float
    on_spark: bool = False

    def seconds(self) -> tuple[float, float]:
        """Processor seconds of both."""
        if not self.on_spark:
            first, second = (run_of(sys.executable, Target(self.file, options)).seconds for options in (self.run, self.other))
            return first, second
        words = [word for name, value in self.run.items() for word in (f"--{name}", str(value))]
        return tuple(self._command(words + engine) for engine in (["--engine", "spark", "--master", "local[2]"], []))  # type: ignore[return-value]

    def _command(self, words: list[str]) -> float:
        with tempfile.TemporaryDirectory() as place:
            return cost_of(["anonymize", str(self.file()), *words, "--out", f"{place}/release", "--json"]).seconds


def ratios() -> dict[str, Ratio]:
    """Targets that are multiples of another run."""
    found: dict[str, Ratio] = {}
    if (DATA / CLICKS).exists():
        km = LONG | {"method": "km", "k": 5}
        found["km m=3 by m=2, BMS-WebView-2"] = Ratio(lambda: DATA / CLICKS, km | {"m": 3}, km | {"m": 2}, 10)
    if importlib.util.find_spec("pyspark") is not None and shutil.which("java"):
        methods = {"threshold": {"method": "threshold", "k": 5}, "coherence": {"method": "coherence", "k": 5, "p": 1}}
        found |= {
            f"Spark by one machine, {name}, 200,000 people": Ratio(lambda: generated_log(200_000), options, {}, at_most, on_spark=True)
            for (name, options), at_most in zip(methods.items(), (4, 3), strict=True)
        }
    return found


def run_of(python: str, target: Target) -> Run:
    """A whole run; prints the seconds of its stages, if they are told apart."""
    with tempfile.TemporaryDirectory() as place:
        if target.command is not None:
            return ran(*target.command(target.file(), f"{place}/out"), python=python)
        return ran("-c", target.script, str(target.file()), json.dumps(target.options), f"{place}/release", python=python)


def stages_of(run: Run, target: Target) -> dict[str, float]:
    """The seconds of the stages that a run printed."""
    return {} if target.command is not None and target.command is not quick else json.loads(run.printed.splitlines()[-1])


def measured(name: str, target: Target, pythons: dict[str, str]) -> list[dict[str, Any]]:
    """A row for each installation."""
    file = target.file()
    script = POLARS if file.suffix != ".parquet" else POLARS_PARQUET
    polars = math.nan if target.partly else ran("-c", script, str(file), target.separator).seconds
    rows = []
    for version, python in pythons.items():
        run = run_of(python, target)
        stages = stages_of(run, target)
        over = run.seconds > target.seconds_at(polars) or (target.megabytes is not None and run.megabytes > target.megabytes)
        rows.append(
            {"target": name, "version": version, "s": run.seconds, "at most s": target.seconds_at(polars), "clock s": run.clock}
            | {"times Polars": run.seconds / polars, "MB": round(run.megabytes), "at most MB": target.megabytes or "", "over": over}
            | {f"{stage} s": stages.get(stage, 0.0) for stage in STAGES}
        )
    return rows


def sum_of_distances(space: VisitSpace, groups: Ints) -> float:
    """Of all units to the centres of their groups."""
    order = np.argsort(groups, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    return float(sum(space.distances(space.centroid(rows), rows).sum() for rows in members))


def losses_of_blocks(name: str, path: Path, k: int = 5) -> list[dict[str, Any]]:
    """How much farther units are from the centres of their groups where groups are formed inside blocks."""
    rows, whole = [], 0.0
    for way in ("owners", "sessions"):
        method = AccessLogMDAV(k=k, **WAYS[way])
        visits = Visits.of(original_at(path).log.frame, method.per, method.gap.span)  # type: ignore[arg-type]
        space = VisitSpace(visits, method.weights)
        for block in (len(visits), 2048, 1024, 512, 256):
            loss = sum_of_distances(space, mdav_in_blocks(space, visits.owners, k, block))
            whole = loss if block == len(visits) else whole
            rows.append({"log": name, "units": way, "number": len(visits), "block": block, "more %": 100 * (loss / whole - 1)})
    return rows


def measured_ratios(only: list[str] | None) -> list[dict[str, Any]]:
    """A row for each ratio."""
    rows: list[dict[str, Any]] = []
    for name, ratio in ratios().items():
        if only and not name.startswith(tuple(only)):
            continue
        first, second = ratio.seconds()
        over = first > ratio.at_most * second
        rows.append({"target": name, "s": first, "other s": second, "ratio": first / second, "at most": ratio.at_most, "over": over})
        show("Ratios of processor time", rows)
    return rows


def main() -> int:
    """Measure and print after each target; 1 where one is exceeded by this installation."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="targets whose name begins with one of these, or blocks")
    parser.add_argument("--before", metavar="PYTHON", help="the Python of another installation, measured in turn")
    options = parser.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    pythons = ({"before": options.before} if options.before else {}) | {"now": sys.executable}
    compile_modules(*pythons.values())
    rows: list[dict[str, Any]] = []
    for name, target in (TARGETS | looks() | rho_targets() | command_targets()).items():
        if options.only and not name.startswith(tuple(options.only)):
            continue
        if target.needs and not (DATA / target.needs).exists():
            print(f"skipped: {target.needs} is not in {DATA}")
            continue
        rows += measured(name, target, pythons)
        show("Real sizes, by processor time", rows)
    multiples = measured_ratios(options.only)
    if not options.only or "blocks" in options.only:
        logs = {"synthetic, 12,000 lines": access_log(12_000), "real, 10,000 lines": DATA / "apache-combined-10k.log.gz"}
        show("Loss of blocks", [row for name, path in logs.items() if path.exists() for row in losses_of_blocks(name, path)])
    return int(any(row["over"] for row in multiples) or any(row["over"] and row["version"] == "now" for row in rows))


if __name__ == "__main__":
    sys.exit(main())
