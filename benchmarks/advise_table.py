"""Is the first route that `shoal advise` proposes ever dominated, and do the routes keep what was forecast of them?

    python benchmarks/advise_table.py [NAME ...] [--people 2000] [--seconds 20]
    python benchmarks/advise_table.py --forecasts [NAME ...] [--people 100000] [--seconds 20]

Every data set is a sample of at most so many people. For each one, advice is asked for, the first route is run on all of the sample, and so
are other methods that serve the same goal. A release is dominated if another one keeps more (by one percentage point or more) and lets the
`known-items` attack with four known items find no more people.

With `--forecasts` every route that is offered is run by its command, as a user types it, and what it keeps and the time it takes are put
next to what was expected. This tells something only of data that is too large to be tried as a whole.

The machine may be busy, so times, also the 20 seconds of advice, are processor seconds of one thread.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

time.perf_counter = time.process_time  # before anything measures with it

from common import DATA, data_file  # noqa: E402
from shoal.cli.advise import command_of  # noqa: E402
from shoal.cli.options import DATA_PARAMETERS  # noqa: E402
from shoal.errors import ShoalError  # noqa: E402
from shoal.evaluate.advise import trial  # noqa: E402
from shoal.evaluate.advise.advise import MeasuredRoute, advise  # noqa: E402
from shoal.evaluate.advise.sample import Samples  # noqa: E402
from shoal.evaluate.advise.trial import Route  # noqa: E402
from shoal.io.synthetic_log import generate  # noqa: E402
from shoal.pipeline.events import Cancel, running  # noqa: E402
from shoal.pipeline.options import NO_TAXONOMY, Preparation  # noqa: E402
from shoal.pipeline.request import chosen_method, parse_preparation  # noqa: E402
from shop import write as write_shop  # noqa: E402

MARGIN = 0.01  # of what is kept, that counts as more
OF_RECORDS = ("km m=2", "km m=4", "shoal", "coherence p=2", "coherence p=1", "clump", "partition", "hghs m=2", "local m=2")
OF_EVENTS = ("threshold", "threshold unit=term rare=omit", "shoal", "coherence p=2", "clump", "partition")
OF_TABLES = ("microaggregation", "mdav")


@dataclass(frozen=True)
class DataSet:
    """Data of one shape: how its sample is made in a directory, the goal, and what is said about it."""

    name: str
    make: Callable[[Path, int], Path | None]
    goal: str
    options: dict[str, Any] = field(default_factory=dict)
    others: tuple[str, ...] = OF_RECORDS
    per: str | None = None


def lines_of(name: str) -> Callable[[Path, int], Path | None]:
    """The first lines of a file, each of one person."""

    def make(directory: Path, people: int) -> Path | None:
        path = data_file(name)
        if path is None:
            return None
        text = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).splitlines()[:people]
        place = directory / path.name.removesuffix(".gz")
        place.write_bytes(b"\n".join(text) + b"\n")
        return place

    return make


def log_of(users: int) -> Callable[[Path, int], Path | None]:
    """A generated query log."""

    def make(directory: Path, people: int) -> Path | None:
        place = directory / "log.tsv"
        generate(place, min(users, people), 7, force=True)
        return place

    return make


def shop(directory: Path, people: int) -> Path | None:
    """The sales of a made-up shop, next to its products."""
    return write_shop(directory, 5 * people, 2000, 0)[0]


GENERATED = {"taxonomy": "generated"}
SETS = (
    DataSet(
        "groceries",
        lines_of("groceries-baskets.csv"),
        "baskets",
        {"format": "transactions", "taxonomy": str(DATA / "groceries-taxonomy.tsv")},
    ),
    DataSet("BMS-WebView-1", lines_of("BMS-WebView-1.dat.gz"), "baskets", {"format": "transactions", **GENERATED}),
    DataSet("BMS-WebView-2", lines_of("BMS-WebView-2.dat.gz"), "baskets", {"format": "transactions", **GENERATED}),
    DataSet("retail", lines_of("retail.dat.gz"), "baskets", {"format": "transactions", **GENERATED}),
    DataSet("T10I4D100K", lines_of("T10I4D100K.dat.gz"), "baskets", {"format": "transactions", **GENERATED}),
    DataSet("mushroom", lines_of("mushroom.dat.gz"), "baskets", {"format": "transactions", **GENERATED}),
    DataSet("shop by basket", shop, "baskets", {"record": "basket_id", "items_table": "products.parquet"}),
    DataSet("shop by customer", shop, "baskets", {"items_table": "products.parquet"}),
    DataSet("generated log, histories", log_of(3000), "histories"),
    DataSet("generated log, queries", log_of(3000), "queries", others=OF_EVENTS, per="event"),
    DataSet(
        "Excite, queries",
        lines_of("excite-small.log.gz"),
        "queries",
        {"format": "querylog", "user": "1", "time": "2", "text": "3"},
        OF_EVENTS,
        "event",
    ),
    DataSet("census", lines_of("census.csv"), "table", {"format": "microdata"}, OF_TABLES),
)


@dataclass(frozen=True)
class Outcome:
    """The whole run of a method: what is kept, what an attacker finds, and the processor seconds."""

    label: str
    kept: float
    risk: float | None
    seconds: float


def whole_run(samples: Samples, route: Route, label: str) -> Outcome | None:
    """The release of all people, or None where the method refuses the data."""
    try:
        source = samples.of(route.preparation, 1 << 40, route.loaded_taxonomy)
        found = trial._tried(source, route, Cancel())
    except ShoalError as error:
        print(f"    {label}: {error.message}", flush=True)
        return None
    if found.kept is None:
        return None
    print(f"    {label}: kept {found.kept:.1%}, risk {found.risk.rate if found.risk else None}, {found.seconds:.1f} s", flush=True)
    return Outcome(label, found.kept, None if found.risk is None else found.risk.rate, found.seconds)


def offered(one: DataSet, place: Path, seconds: float) -> tuple[MeasuredRoute, ...]:
    """What advice proposes, best first."""
    options = dict.fromkeys(DATA_PARAMETERS) | options_of(one, place)
    found = advise((place,), options, one.goal, seconds=seconds)
    for route in found.goals[0].others:
        print(f"    not offered: {route.candidate.method} {route.level} {dict(route.settings)}: {route.why_not}", flush=True)
    return found.goals[0].routes


def options_of(one: DataSet, place: Path) -> dict[str, Any]:
    """The options of a data set; a product table lies next to it."""
    return {**one.options, **({"items_table": str(place.with_name("products.parquet"))} if "items_table" in one.options else {})}


def routed(one: DataSet, place: Path, words: str, level: str | None, settings: dict[str, str] | None = None) -> Route:
    """A method with its parameters on the data set."""
    name, *values = words.split()
    method = chosen_method(name, settings if settings is not None else dict(word.split("=") for word in values))
    base = Preparation.default_for(method)
    options = dict.fromkeys(DATA_PARAMETERS) | options_of(one, place)
    options["item_level"] = level
    if base.shape == "records" and one.per:
        options["per"] = one.per
    if base.shape != "records" or base.taxonomy == NO_TAXONOMY:
        options["taxonomy"] = None
    return Route(method, parse_preparation(options, base=base))


@contextmanager
def within(seconds: float) -> Iterator[Cancel]:
    """Cancels a trial after so many processor seconds, as advice does after seconds of the clock."""
    cancel, over, end = Cancel(), threading.Event(), time.process_time() + seconds

    def watch() -> None:
        while not over.wait(0.1):
            if time.process_time() > end:
                cancel.cancel()
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield cancel
    finally:
        over.set()


def row(one: DataSet, people: int, seconds: float) -> str | None:
    """The line of the table for a data set."""
    with tempfile.TemporaryDirectory() as directory:
        place = one.make(Path(directory), people)
        if place is None:
            return None
        print(f"{one.name}", flush=True)
        first = next(iter(offered(one, place, seconds)), None)
        if first is None:
            return f"| {one.name} | {one.goal} | none | | | | | |"
        samples, label = Samples((place,), 1 << 34), label_of(first)
        made = whole_run(samples, route_of(first), f"first: {label}")
        assert made is not None
        others = [whole_run(samples, routed(one, place, words, first.level), words) for words in one.others]
        better = [other for other in others if other is not None and dominates(other, made)]
        best = max(better, key=lambda other: other.kept, default=None)
        outcome = "no" if best is None else f"by {best.label}: {best.kept:.1%} kept, {best.risk or 0:.1%} found"
        risk = "" if made.risk is None else f"{made.risk:.1%}"
        forecast, many = first.found.expected_kept or 0.0, sum(other is not None for other in others)
        return f"| {one.name} | {one.goal} | {label} | {forecast:.1%} | {made.kept:.1%} | {risk} | {many} | {outcome} |"


def route_of(measured: MeasuredRoute) -> Route:
    """A route that was offered, to be run on all of the data."""
    method = chosen_method(measured.candidate.method, dict(measured.settings))
    return Route(method, parse_preparation({**dict.fromkeys(DATA_PARAMETERS), **measured.options}, Preparation.default_for(method)))


def label_of(route: MeasuredRoute) -> str:
    """A route as the tables name it."""
    words = " ".join([route.candidate.method, *(f"{name}={value}" for name, value in route.settings.items())])
    return f"`{words}`" + (f", level {route.level}" if route.level else "")


def forecast_rows(one: DataSet, people: int, seconds: float) -> Iterator[str]:
    """A line for every route that is offered for a data set: what was expected of it, and what came of its command."""
    with tempfile.TemporaryDirectory() as directory:
        place = one.make(Path(directory), people)
        if place is None:
            return
        print(f"{one.name}", flush=True)
        for route in offered(one, place, seconds):
            found = route.found
            kept, took = commanded(route, place, Path(directory) / "release")
            between = "" if found.whole or found.kept_between is None else " ({:.1%} to {:.1%})".format(*found.kept_between)
            unsure = ", uncertain" if found.uncertain else ""
            on = "all" if found.whole else f"{found.people:,}"
            expected = f"{found.expected_kept or 0.0:.1%}{between}{unsure}"
            line = f"| {one.name} | {label_of(route)} | {on} | {expected} | {kept:.1%} | {found.expected_seconds:.0f} s | {took:.0f} s |"
            print(line, flush=True)
            yield line


def commanded(route: MeasuredRoute, place: Path, out: Path) -> tuple[float, float]:
    """What the command of a route keeps, and the processor seconds that it takes."""
    words = shlex.split(command_of(route, (place,)))[1:-1]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "shoal", *words, str(out), "--force", "--threads", "1"], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    metrics = json.loads((out / "manifest.json").read_text()).get("metrics", {})
    if "kept" in metrics:
        return float(metrics["kept"]), took
    made = whole_run(Samples((place,), 1 << 34), route_of(route), "all people")
    return 0.0 if made is None else made.kept, took


def dominates(other: Outcome, first: Outcome) -> bool:
    """Whether a release keeps more than the first and lets no more people be found."""
    return other.kept >= first.kept + MARGIN and (other.risk or 0.0) <= (first.risk or 0.0)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="data sets; all by default")
    parser.add_argument("--forecasts", action="store_true", help="run every route that is offered, and compare with what was expected")
    parser.add_argument("--people", type=int, help="of every data set, at most [default: 2000; with --forecasts 100000]")
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    trial._within = within
    people = options.people or (100_000 if options.forecasts else 2000)
    chosen = [one for one in SETS if not options.names or one.name in options.names]
    with running(None, None, 1):
        if options.forecasts:
            rows = [line for one in chosen for line in forecast_rows(one, people, options.seconds)]
            heads = "| data | route | tried on | expected | kept | expected time | time |\n| --- | --- | --- | --- | --- | --- | --- |"
        else:
            rows = [line for one in chosen if (line := row(one, people, options.seconds))]
            heads = "| data | goal | first route | expected | kept | found | others | dominated |\n"
            heads += "| --- | --- | --- | --- | --- | --- | --- | --- |"
    print(f"\n{heads}", *rows, sep="\n")


if __name__ == "__main__":
    main()
