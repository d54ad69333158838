"""The result of `shoal.anonymize`: a release that passed all its claims, as frames, as numbers, as a report, or written to a directory.

What a result shows of the original is what its manifest may tell: decided by the claims, in `disclose`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from shoal.counting import counted
from shoal.data.items import without_names
from shoal.data.patience import allowing, patience
from shoal.data.release import Release
from shoal.errors import ParameterError, ShoalError
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.whole_file import write_page
from shoal.io.write.long import long_frame
from shoal.io.write.output_format import LISTS, LONG, OutputForm, default_format
from shoal.pipeline.disclosure import disclosed_facts
from shoal.pipeline.keywords import spoken_in_python
from shoal.pipeline.options import Target
from shoal.pipeline.run import Judged, described, levels_in, publish, shown_to_publisher
from shoal.privacy import Model, Verdict
from shoal.report.attack_summary import ATTACKS
from shoal.report.notebook import small_page
from shoal.report.page import render
from shoal.report.summaries import summary_of
from shoal.report.summary import Summary

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Converted = TypeVar("Converted")
log = logging.getLogger("shoal")


class Result:
    """A verified release. It prints no record and no owner; `to_polars` and its siblings give the published rows themselves.

    >>> import shoal
    >>> baskets = [["Apple", "Milk"], ["Pear", "Milk"], ["Beer"], ["Beer", "Wine", "Milk"]]
    >>> result = shoal.anonymize(baskets, k=2, taxonomy={"Goods": {"Fruit": ["Apple", "Pear"], "Drinks": ["Milk", "Beer", "Wine"]}})
    >>> result
    <Result of shoal: k-anonymity(k=2) verified; 4 records>
    >>> result.to_polars()["items"].sort().to_list()
    [['Beer'], ['Beer'], ['Fruit', 'Milk'], ['Fruit', 'Milk']]
    """

    def __init__(self, judged: Judged, notes: tuple[str, ...] = (), advice: Callable[[], Iterable[str]] = tuple) -> None:
        """`notes` are told of how the input was understood; `advice` is called only where hardly a word is left."""
        self._judged = judged
        self._patience = patience()  # what is written is judged again, with the patience of the release
        self.notes = (*notes, *judged.release.notes, *judged.release.private_notes)
        self.advice = tuple(advice()) if self.headline.warning else ()

    # -- what it is

    @property
    def release(self) -> Release:
        """The published tables with their claims; for methods, models and metrics."""
        return self._judged.release

    @property
    def claims(self) -> tuple[Model, ...]:
        """What the release promises."""
        return self.release.claims

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The judgement on each claim: `claim`, `holds`, `standing`, `achieved`."""
        return self._judged.verdicts

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """What the manifest of the written release says, but for its files, of which only the tables are told."""
        return described(self._judged)

    @cached_property
    def _private(self) -> Mapping[str, Any]:
        """The manifest with what was withheld from it, for the person who made the release."""
        return shown_to_publisher(self._judged, self.manifest)

    @property
    def input(self) -> Mapping[str, Any]:
        """What was read, and how."""
        return dict(self.manifest["input"])

    @property
    def accounting(self) -> Mapping[str, Mapping[str, int]]:
        """What became of every row, record and occurrence, also where the manifest withholds it; empty if no exact number is allowed."""
        return dict(self._private["accounting"])

    @property
    def metrics(self) -> Mapping[str, float]:
        """What was measured, by the names of `shoal metrics`, also where the manifest withholds it; empty if no exact number is allowed."""
        return dict(self._private["metrics"])

    @property
    def attacks(self) -> Mapping[str, Any]:
        """The rates of attacks that were made before the release was given out, also where the manifest withholds them."""
        return dict(self._private.get(ATTACKS, {}))

    @property
    def headline(self) -> Summary:
        """What the release is worth in a few numbers: in which form words are published (`shares`), terms and loss (`lines`)."""
        return summary_of(self._private)

    # -- the published rows

    def to_polars(self, table: str | None = None, *, layout: str = LISTS) -> pl.DataFrame:
        """All published rows of a table, or of the only one, in random order.

        Of records these are `record` and the list of its `items`; in the layout `long` a row is an item of a record, with its count and,
        on a taxonomy, its level.
        """
        frame = self._frame(table)
        OutputForm(layout=layout).refuse_layout(" and ".join(sorted(self.release.kinds)))
        return long_frame(frame, levels_in(self._judged.original)) if layout == LONG else frame

    def _frame(self, table: str | None) -> pl.DataFrame:
        if table is None and len(self._frames) == 1:
            return next(iter(self._frames.values()))
        if table not in self._frames:
            hint = f"there are {', '.join(self._frames)}"
            raise ParameterError("which of the tables is meant?" if table is None else f"no table is called {table!r}", hint=hint)
        return self._frames[table]

    def to_pandas(self, table: str | None = None, *, layout: str = LISTS) -> pd.DataFrame:
        """The same as a pandas frame; needs pandas and pyarrow."""
        return _converted(self.to_polars(table, layout=layout).to_pandas, "pandas pyarrow")

    def to_arrow(self, table: str | None = None, *, layout: str = LISTS) -> pa.Table:
        """The same as an Arrow table; needs pyarrow."""
        return _converted(self.to_polars(table, layout=layout).to_arrow, "pyarrow")

    @cached_property
    def _frames(self) -> dict[str, pl.DataFrame]:
        """Made once, so that all calls give the same order."""
        return {name: frame for at, table in self.release.tables.items() for name, frame in table.frames(at).items()}

    # -- out of Python

    def report(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """The report as one HTML page that needs nothing but itself; also written to a file, if a path is given."""
        page = render(disclosed_facts(self.manifest, self.release, self._judged.original))
        if path is not None:
            with spoken_in_python():
                write_page(Path(path), page, force)
        return page

    def write(
        self, directory: str | Path, *, to: str | None = None, to_sep: str | None = None, force: bool = False, layout: str = LISTS
    ) -> dict[str, Any]:
        """Write a release directory and return its manifest. The written files are judged again before the directory gets its name.

        Unless it is said, tables are written as Parquet, and access logs as such.
        """
        with spoken_in_python(), allowing(self._patience):
            target = Target.asked(Path(directory), to or default_format(min(self.release.kinds)), to_sep, force, layout)
            for note in ReleaseDirectory(target.directory, force=force).clear():
                log.info(note)
            return publish(self._judged, target)

    # -- how it shows itself

    def __repr__(self) -> str:
        held = ", ".join(counted(frame.height, name.removesuffix("s")) for name, frame in self._frames.items())
        verdicts = "; ".join(f"{without_names(v.claim)} {v.standing}" for v in self.verdicts) or "NOTHING IS GUARANTEED"
        return f"<Result of {self.release.method}: {verdicts}; {held}>"

    def _repr_html_(self) -> str:
        return small_page(self.manifest, self.advice)

    def __reduce__(self) -> Any:
        raise TypeError("a result knows which record became which, and is not to be pickled; write() writes what may be published")


def _converted(convert: Callable[[], Converted], packages: str) -> Converted:
    try:
        return convert()
    except ImportError:
        raise ShoalError(f"this needs {packages.replace(' ', ' and ')}", hint=f"pip install {packages}") from None
