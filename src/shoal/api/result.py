"""The result of `shoal.anonymize`: a release that passed all its claims, as frames, as numbers, as a report, or written to a directory.

A result shows only those facts about the original that its manifest may contain, as decided in `pipeline/disclosure.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from shoal.api.advice import NO_ADVICE, Advised
from shoal.api.messages import in_python, log, spoken_in_python
from shoal.data.claims import Model, Verdict
from shoal.data.items import without_names
from shoal.data.patience import allowing, patience
from shoal.data.release import Release
from shoal.errors import ParameterError, ReleaseWarning, ShoalError
from shoal.io.atomic_file import write_page
from shoal.io.release_directory import ReleaseDirectory
from shoal.io.write.output_format import LISTS, LONG, OutputForm, default_format
from shoal.kinds import render_report, summary_of
from shoal.kinds.bags.write import long_frame
from shoal.pipeline.options import Target
from shoal.pipeline.run import Judged, Publishable, described, publish, shown_to_publisher
from shoal.report.attacks import ATTACKS
from shoal.report.notebook import small_page
from shoal.report.summary import Summary
from shoal.util.wording import counted

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Converted = TypeVar("Converted")


class Result:
    """A verified release, as `shoal.anonymize` returns it.

    What it prints contains no user ID and no original record. It cannot be pickled, because it contains the mapping from original
    records to published ones.

    Attributes:
        notes: How the data and the taxonomy were read, and notes of the method.
        warnings: What makes the release dangerous, or of little use, although its claims hold. Each is a text with a `code`, such as
            "unique-records", "few-rows" or "general-items".
        advice: If hardly any word is published as typed: keywords that keep more words, and what they protect.
        advice_notes: How the advice was measured, and what is not proposed and why.

    Example:
        >>> import shoal
        >>> baskets = [["Apple", "Milk"], ["Pear", "Milk"], ["Beer"], ["Beer", "Wine", "Milk"]]
        >>> goods = {"Goods": {"Fruit": ["Apple", "Pear"], "Drinks": ["Milk", "Beer", "Wine"]}}
        >>> result = shoal.anonymize(baskets, k=2, taxonomy=goods)
        >>> result
        <Result of shoal: k-anonymity(k=2) verified; 4 records>
        >>> result.to_polars()["items"].sort().to_list()
        [['Beer'], ['Beer'], ['Fruit', 'Milk'], ['Fruit', 'Milk']]
        >>> result.metrics["loss"] < 0.5
        True
        >>> manifest = result.write("shopping", to="csv")
        >>> [file["name"] for file in manifest["files"]]
        ['records.csv', 'report.html']
    """

    def __init__(
        self,
        judged: Judged | Publishable,
        notes: tuple[str, ...] = (),
        advice: Callable[[], Advised] = lambda: NO_ADVICE,
        warnings: tuple[ReleaseWarning, ...] = (),
    ) -> None:
        """Make a result from a verified release. Programs get results from `shoal.anonymize`.

        Args:
            judged: The release with its verdicts.
            notes: Notes on how the data was read.
            advice: Called only if hardly any word is published as typed.
            warnings: What makes the release dangerous, or of little use.
        """
        self._made = judged if isinstance(judged, Publishable) else judged.publishable()
        self._judged = None if isinstance(judged, Publishable) else judged
        self._patience = patience()  # what is written is judged again, with the patience of the release
        self.notes = (*notes, *self.release.notes, *self.release.private_notes)
        self.warnings = warnings
        found = advice() if self.headline.warning else NO_ADVICE
        self.advice, self.advice_notes = found.calls, found.notes

    # -- content

    @property
    def release(self) -> Release:
        """The published tables with their claims, for methods, models and metrics of your own."""
        return self._made.release

    @property
    def claims(self) -> tuple[Model, ...]:
        """The claims of the release, all of which hold."""
        return self.release.claims

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each claim: `claim`, `holds`, `standing` and `achieved`."""
        return self._made.verdicts

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """The manifest that `write` would write, except for its list of files, which has only the tables."""
        return described(self._made)

    @cached_property
    def _private(self) -> Mapping[str, Any]:
        """The manifest with the withheld numbers, for the person who made the release."""
        return shown_to_publisher(self._made, self.manifest)

    @property
    def input(self) -> Mapping[str, Any]:
        """What was read, and how, as in the manifest."""
        return dict(self.manifest["input"])

    @property
    def accounting(self) -> Mapping[str, Mapping[str, int]]:
        """The outcome of every row, record and occurrence: how many were read, published, generalized or suppressed.

        It also has what the manifest withholds. It is empty if a claim allows no exact number.
        """
        return dict(self._private["accounting"])

    @property
    def metrics(self) -> Mapping[str, float]:
        """The metrics of the release by name; `shoal.list_metrics()` describes them.

        It also has what the manifest withholds. It is empty if a claim allows no exact number.
        """
        return dict(self._private["metrics"])

    @property
    def attacks(self) -> Mapping[str, Any]:
        """The success rates of the attacks that `anonymize` ran, also if the manifest withholds them; empty if there were none."""
        return dict(self._private.get(ATTACKS, {}))

    @property
    def headline(self) -> Summary:
        """The utility of the release in a few numbers.

        `shares` are the forms in which words are published, `lines` contain terms and loss, and `warning` is a sentence if hardly any word
        is published as typed.
        """
        return summary_of(self._private)

    def without_original(self) -> Result:
        """Return the same result without the original data and without the mapping from records to groups.

        Returns:
            A result that takes less memory and may be kept. It can still be shown, written and reported.

        Example:
            >>> import shoal
            >>> shoal.anonymize([["Apple"], ["Apple"]], k=2, taxonomy={"Food": ["Apple"]}).without_original()
            <Result of shoal: k-anonymity(k=2) verified; 2 records>
        """
        if self._judged is None:
            return self
        found = Result(self._judged.without_original(), warnings=self.warnings)
        found.notes, found.advice, found.advice_notes, found._patience = self.notes, self.advice, self.advice_notes, self._patience
        return found

    # -- the published rows

    def to_polars(self, table: str | None = None, *, layout: str = LISTS) -> pl.DataFrame:
        """Return the published rows as a Polars frame, in random order.

        Args:
            table: The name of the table; needed only if the release has several.
            layout: "lists" gives one row for each record, with the list of its `items`. "long" gives one row for each item of a
                record, with its count and, if there is a taxonomy, its level.

        Returns:
            The rows. All calls give the same order.

        Raises:
            ParameterError: There is no such table, or its kind has no such layout.
        """
        frame = self._frame(table)
        OutputForm(layout=layout).refuse_layout(" and ".join(sorted(self.release.kinds)))
        return long_frame(frame, self._made.levels) if layout == LONG else frame

    def _frame(self, table: str | None) -> pl.DataFrame:
        if table is None and len(self._frames) == 1:
            return next(iter(self._frames.values()))
        if table not in self._frames:
            hint = f"there are {', '.join(self._frames)}"
            raise ParameterError(
                "the release has several tables; name one" if table is None else f"no table is called {table!r}",
                code="unknown-table",
                hint=hint,
            )
        return self._frames[table]

    def to_pandas(self, table: str | None = None, *, layout: str = LISTS) -> pd.DataFrame:
        """Return the published rows as a pandas frame. This needs pandas and pyarrow.

        Args:
            table: The name of the table; needed only if the release has several.
            layout: "lists" or "long", as in `to_polars`.

        Returns:
            The rows. All calls give the same order.

        Raises:
            ParameterError: There is no such table, or its kind has no such layout.
            ShoalError: A package is missing.
        """
        return _converted(self.to_polars(table, layout=layout).to_pandas, "pandas pyarrow")

    def to_arrow(self, table: str | None = None, *, layout: str = LISTS) -> pa.Table:
        """Return the published rows as an Arrow table. This needs pyarrow.

        Args:
            table: The name of the table; needed only if the release has several.
            layout: "lists" or "long", as in `to_polars`.

        Returns:
            The rows. All calls give the same order.

        Raises:
            ParameterError: There is no such table, or its kind has no such layout.
            ShoalError: A package is missing.
        """
        return _converted(self.to_polars(table, layout=layout).to_arrow, "pyarrow")

    @cached_property
    def _frames(self) -> dict[str, pl.DataFrame]:
        """Created once, so that all calls return the same order."""
        return {name: frame for at, table in self.release.tables.items() for name, frame in table.frames(at).items()}

    # -- out of Python

    def report(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return the report as a self-contained HTML page, and write it to a file if a path is given.

        Args:
            path: The file to write.
            force: Whether to replace an existing file.

        Returns:
            The page.

        Raises:
            OutputError: The file exists, or cannot be written.
        """
        page = render_report(self._made.page(self.manifest))
        if path is not None:
            with spoken_in_python():
                write_page(Path(path), page, force)
        return page

    def write(
        self, directory: str | Path, *, to: str | None = None, to_sep: str | None = None, force: bool = False, layout: str = LISTS
    ) -> dict[str, Any]:
        """Write a release directory. The written files are verified again before the directory appears under its name.

        Args:
            directory: The new directory; its parent must exist.
            to: "parquet", "csv", "jsonl", "xlsx", "transactions" or "accesslog". Default: "parquet", for access logs "accesslog".
            to_sep: Separator of items in the format "transactions". Default: a tab.
            force: Whether to replace an older release.
            layout: "lists" or "long", as in `to_polars`.

        Returns:
            The manifest.

        Raises:
            OutputError: The directory exists, or cannot be written.
            ParameterError: The format or the layout does not fit the release.
            GuaranteeNotMet: The written files fail a claim. Nothing is left behind.
        """
        with spoken_in_python(), allowing(self._patience):
            target = Target.from_options(Path(directory), to or default_format(min(self.release.kinds)), to_sep, force, layout)
            for note in ReleaseDirectory(target.directory, force=force).clear():
                log.info(in_python(note))
            return publish(self._made, target)

    # -- display

    def __repr__(self) -> str:
        held = ", ".join(counted(frame.height, name.removesuffix("s")) for name, frame in self._frames.items())
        verdicts = "; ".join(f"{without_names(v.claim)} {v.standing}" for v in self.verdicts) or "NOTHING IS GUARANTEED"
        return f"<Result of {self.release.method}: {verdicts}; {held}>"

    def _repr_html_(self) -> str:
        return small_page(self.manifest, summary_of(self.manifest), self.advice)

    def __reduce__(self) -> Any:
        raise TypeError("a result contains the record-to-group mapping and cannot be pickled; write() writes what may be published")


def _converted(convert: Callable[[], Converted], packages: str) -> Converted:
    try:
        return convert()
    except ImportError:
        raise ShoalError(f"this needs {packages.replace(' ', ' and ')}", code="missing-package", hint=f"pip install {packages}") from None
