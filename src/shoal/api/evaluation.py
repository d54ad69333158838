"""Functions that evaluate: advice on how to publish data, comparison of methods, and reconstruction of records from chunks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack, cast

import polars as pl

from shoal.api.argument_types import checked
from shoal.api.data_options import DataOptions, FileOptions, options_and_taxonomy
from shoal.api.functions import _LogEvents
from shoal.api.messages import log_notes, spoken_in_python, using
from shoal.api.rerun_command import making
from shoal.errors import ParameterError
from shoal.evaluate.advise.advise import Advice
from shoal.evaluate.advise.advise import advise as find_routes
from shoal.evaluate.advise.goals import MOST_SECONDS, SECONDS
from shoal.evaluate.compare.comparison import ComparisonTask
from shoal.evaluate.compare.grid import ComparisonRequest, NamedMethod
from shoal.evaluate.compare.worst_attack import AttackEffort
from shoal.evaluate.option_defaults import DEFAULT_K, DEFAULT_KNOWN, DEFAULT_SECONDS, GRAINS, QUICK_K, QUICK_KNOWN, QUICK_TARGETS, Draws
from shoal.evaluate.reconstruct import Reconstructions
from shoal.evaluate.reconstruct import reconstruct as draw_records
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.write.output_format import FRAME_FORMATS
from shoal.kernels import threads as all_threads
from shoal.parameters import Param
from shoal.pipeline.events import Cancel, Events, running
from shoal.util.wording import there_are

__all__ = ["advise", "compare", "reconstruct"]

_K = Param("k", int, 5, "", minimum=2)
_SECONDS = Param("seconds", float, SECONDS, "", minimum=1, maximum=MOST_SECONDS)
_JOBS = Param("jobs", int, 1, "", minimum=1)
_RUN_SECONDS = Param("run_seconds", int, DEFAULT_SECONDS, "", minimum=1)
_TARGETS = Param("targets", int, 200, "", minimum=1)
_SEED = Param("seed", int, 0, "", minimum=0)
_FORMATS = (*FRAME_FORMATS, "transactions")


@checked
def advise(
    data: str | Path | Any,
    goal: str | None = None,
    *,
    k: int | None = None,
    seconds: float = SECONDS,
    threads: int | None = None,
    **options: Unpack[DataOptions],
) -> Advice:
    """Propose how to publish data: for each goal at most three routes (a method with its settings), best first, each tried on a sample.

    Args:
        data: A path, a frame, a column of lists, or lists of items, as in `shoal.anonymize`.
        goal: "baskets", "queries", "histories", "log", "counts", "table", "documents" or "audit". Default: all that fit the data.
        k: Minimum number of people who share each published record. Default: that of each method.
        seconds: Time for all trials together.
        threads: Number of threads. Default: all cores.
        **options: How to read and prepare the data, with the same keywords as `shoal.look`.

    Returns:
        What the data is (`facts`), and for each goal (`goals`) its routes: method, options and settings for `shoal.anonymize`, what is
        protected, how much is kept, the share of people that an attacker finds, and the expected time. `as_dict()` gives all of it.

    Raises:
        ParameterError: An argument is not allowed, or the data is not for this goal.
        InputError: The data cannot be read.

    Example:
        >>> baskets = [["Apple", "Milk"]] * 20 + [["Beer"]] * 20
        >>> goods = {"Goods": {"Food": ["Apple", "Milk"], "Drink": ["Beer"]}}
        >>> advice = shoal.advise(baskets, "baskets", k=5, format="transactions", taxonomy=goods)
        >>> advice.facts.words
        '40 baskets, each of one person, of 3 different items'
        >>> advice.goals[0].routes[0].found.expected_kept
        1.0
    """
    with spoken_in_python(), using(threads):
        values, taxonomy = options_and_taxonomy(options)
        people = None if k is None else _K.check(k)
        return find_routes(data, values, goal, people, loaded_taxonomy=taxonomy.tree, seconds=_SECONDS.check(seconds))


def compare(
    data: str | Path | Sequence[str | Path],
    out: str | Path,
    methods: str | Sequence[str] = (),
    *,
    k: int | Sequence[int] | None = None,
    m: int | Sequence[int] | None = None,
    per: str | Sequence[str] | None = None,
    jobs: int | None = None,
    targets: int | None = None,
    seed: int = 0,
    quick: bool = False,
    run_seconds: int | None = None,
    threads: int | None = None,
    patience: float | None = None,
    events: Events | None = None,
    cancel: Cancel | None = None,
    **options: Unpack[FileOptions],
) -> pl.DataFrame:
    """Run methods with several settings on the same data, and compare their utility and disclosure risk.

    Every combination of a method and a setting is a cell, which runs in a separate process. Finished cells are not run again: an
    interrupted comparison resumes where it stopped.

    Args:
        data: A file, or several files with the same columns.
        out: The directory for the page (comparison.html), the table (comparison.parquet) and the results of the cells.
        methods: Names of methods, optionally with parameters, as in "km(m=2)". Default: a selection.
        k: Values of k. Default: 2, 5, 10 and 25, or 5 if `quick`.
        m: Numbers of items that the attacker knows, for methods with such a parameter. Default: 1, 2 and 3, or 2 if `quick`.
        per: What makes up one record: "user", "session", "event", or several of them. Default: "user", or "session" for access logs.
        jobs: Number of cells that run at the same time. Default: the number of cores.
        targets: Number of people to attack in each cell. Default: 200, or 50 if `quick`.
        seed: Seed for drawing these people.
        quick: Compare a sample of 1,000 people. The table and the page are marked as such.
        run_seconds: Limit of the elapsed time of a cell; one that takes longer is stopped, and `refused` contains the reason. Default:
            1,800, or 120 if `quick`.
        threads: Number of threads, shared by all cells that run at the same time. Default: all cores.
        patience: Effort limit for verifying a claim, as a multiple of the default. A claim that needs more is not verified.
        events: Receives progress, notes and warnings; see `shoal.Events`.
        cancel: Cancels the comparison from another thread; see `shoal.Cancel`. Finished cells stay in `out`.
        **options: How to read and prepare the data, as keywords of `shoal.anonymize`: format, user, time, text, item, record, count,
            rank, url, quasi, keep_column, drop_column, nominal, ordinal, hierarchy, item_sets, owners, sep, encoding, header, strict,
            malformed, site_links,
            gap, bag, taxonomy (a name or a file), node_loss, unknown, terms, tree, floor, min_support, items_table,
            item_level, items_key, items_name, items_levels.

    Returns:
        The table: one row per cell, with method, settings and all numbers. `refused` contains the reason if a cell was not possible.

    Raises:
        ParameterError: An argument is not allowed, or nothing can be compared.
        InputError: The data cannot be read.
        OutputError: The directory cannot be written.
        Cancelled: `cancel` was used.

    Example:
        >>> shoal.generate(users=60, seed=1).write_csv("searches.csv")
        >>> table = shoal.compare("searches.csv", "compared", ["clump"], k=[2], targets=20, taxonomy="wordnet")
        >>> table.select("method", "k", "per").rows()
        [('clump', 2, 'user')]
        >>> (table["kept"] <= 1).all()
        True
    """
    with spoken_in_python(), using(threads, patience):
        ks, known = (QUICK_K, QUICK_KNOWN) if quick else (DEFAULT_K, DEFAULT_KNOWN)
        requested = ComparisonRequest(
            tuple(NamedMethod.read(name) for name in _names("methods", methods)),
            ks if k is None else _numbers("k", k, 2),
            known if m is None else _numbers("m", m, 1),
            _grains(per),
        )
        usual = QUICK_TARGETS if quick else AttackEffort.targets
        effort = AttackEffort(_TARGETS.check(usual if targets is None else targets), _SEED.check(seed))
        workers = all_threads() if jobs is None else _JOBS.check(jobs)
        files, values = _files(data), _data_options(options)
        with running(_LogEvents(events), cancel):
            title = files[0].name if len(files) == 1 else f"{len(files)} inputs"
            task = ComparisonTask(files, requested, values, Path(out), title, making)
            log_notes(task.notes)
            finished = task.run(
                effort, workers, quick=bool(quick), seconds=None if run_seconds is None else _RUN_SECONDS.check(run_seconds)
            )
        log_notes(finished.notes)
        return finished.table


def reconstruct(
    release: str | Path,
    out: str | Path,
    number: int = 1,
    *,
    seed: int | None = None,
    to: str = "csv",
    threads: int | None = None,
    patience: float | None = None,
) -> Reconstructions:
    """Draw complete records that are consistent with a release of chunks, for tools that need complete records.

    The release is verified first. The records are drawn from its chunks alone, so they disclose no more than the chunks do.

    Args:
        release: The directory of a release of chunks, made by the method "disassociation".
        out: A new directory for the files.
        number: How many sets of records to draw, up to 1000; each is written to a separate file.
        seed: Seed of the random numbers. Default: a new one for each call.
        to: "csv", "parquet", "jsonl", "xlsx" or "transactions".
        threads: Number of threads. Default: all cores.
        patience: Effort limit for verifying a claim, as a multiple of the default.

    Returns:
        The names of the `files`, the number of `records` in each, and the verdicts on the `claims` of the release.

    Raises:
        ParameterError: An argument is not allowed, or the release has no chunks.
        InputError: The release cannot be read.
        OutputError: The directory exists, or cannot be written.
        GuaranteeNotMet: The release fails a claim. Nothing is written.

    Example:
        >>> baskets = [["Apple", "Milk"], ["Apple", "Milk"], ["Beer"], ["Beer"]]
        >>> manifest = shoal.anonymize(baskets, "disassociation", k=2, m=2).write("chunks")
        >>> drawn = shoal.reconstruct("chunks", "plain", number=2, seed=1)
        >>> drawn.files, drawn.records
        (('reconstruction_1.csv', 'reconstruction_2.csv'), 4)
    """
    with spoken_in_python(), using(threads, patience):
        if to not in _FORMATS:
            raise ParameterError(f"no format is called {to!r}", code="unknown-output-format", hint=there_are(str(to), _FORMATS), value=to)
        draws = Draws(number=number, seed=seed)
        directory = ReleaseDirectory(out, force=None)
        log_notes(directory.clear())
        directory.check()
        return draw_records(release, out, draws, to)


# -- arguments


def _files(data: Any) -> tuple[Path, ...]:
    """Return the input files of a comparison."""
    several = [data] if isinstance(data, str | Path) else data
    if not isinstance(several, Sequence) or not several or not all(isinstance(one, str | Path) for one in several):
        raise ParameterError("compare takes one or more files", code="wrong-type", hint="write a frame to a file first")
    return tuple(map(Path, several))


def _data_options(options: FileOptions) -> dict[str, Any]:
    """Return the data options as on the command line. The processes of the cells load the taxonomy themselves."""
    values, taxonomy = options_and_taxonomy(cast(dict[str, Any], options))
    if taxonomy.tree is not None:
        raise ParameterError("the taxonomy of a comparison must be a name or a file", code="wrong-type", hint="write it to a file first")
    return values


def _names(argument: str, value: str | Sequence[str]) -> tuple[str, ...]:
    several = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(one, str) for one in several):
        raise ParameterError(f"{argument} must be names", code="wrong-type", value=value)
    return tuple(dict.fromkeys(several))


def _numbers(argument: str, value: int | Sequence[int], least: int) -> tuple[int, ...]:
    several = tuple(value) if isinstance(value, Sequence) else (value,)
    if not several:
        raise ParameterError(f"{argument} is empty", code="empty-list", hint="leave it out, or give some numbers")
    return tuple(sorted({Param(argument, int, least, "", minimum=least).check(one) for one in several}))


def _grains(value: str | Sequence[str] | None) -> tuple[str, ...]:
    units = _names("per", () if value is None else value)
    for name in units:
        if name not in GRAINS:
            raise ParameterError(
                f"per must be one of {', '.join(GRAINS)}, not {name!r}", code="unknown-choice", hint=there_are(name, GRAINS), value=name
            )
    return units
