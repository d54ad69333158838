"""k-anonymity of an access log: the rows of every published address are the same as those of k - 1 others, of different people.

Counted from the published file: addresses with the same rows. With the original at hand sessions or owners are counted anew and compared
with the addresses, the people behind each profile are counted where it is known which unit became which, and every published page,
referrer and agent must be shared by enough of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from shoal.data.durations import Duration
from shoal.data.input_shapes import one
from shoal.data.original_rows import AccessOriginal
from shoal.data.release import Release
from shoal.data.tables.access_log import AccessTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy import Model, Verdict, verified_if
from shoal.privacy.access_rows import classes_of_addresses, classes_of_rows, few_holders, few_owners, out_of_range, starts_of_few, units_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import AnyOriginal
    from shoal.data.tables import PublishedTable

USUAL = {"method": "GET", "protocol": "HTTP/1.1", "status": "200"}  # fields of a request, and what tells nothing of anybody
SESSIONS_ONLY = "sessions were counted: whose they are is known only while a release is made"


@dataclass(frozen=True)
class AccessKAnonymity(Model):
    """At least k people stand behind every profile of an access log: the rows that one published address has."""

    name = "access-k-anonymity"
    protects = (
        "Whoever knows all requests of a person (per owner) or of one session (per session) finds at least k addresses with the same rows, "
        "of k different people. A page, a referrer or a user agent that fewer than min_owners of them have is not published, and no "
        "published session begins at the second at which a session of fewer than min_owners (at least two) of them began. "
        "Per row the promise is weak: k rows are alike, and all of them may be one person's."
    )
    does_not_protect = (
        "What the people behind one profile have in common is published. An address of the original log may be several people, and a "
        "person may have several addresses: people are counted as the log tells them apart. Per session nothing hides how many sessions "
        "are alike that one person has. Times are means over the people of a group, and tell when these came, in the mean."
    )
    limits = "It does not hide what the people behind one profile have in common, and counts people only as the log tells them apart."
    judges = frozenset({"access log"})
    level_words = {  # noqa: RUF012 (never changed)
        "records": "published addresses (per row: rows) in the smallest class of those that are alike",
        "people": "different people behind the rarest profile",
        "owners": "people who share the rarest published page, referrer or user agent",
    }

    k: int = param(5, minimum=2, help="people behind every published profile")
    per: str = param("owner", choices=("owner", "session", "row"), help="what has a profile: a person, a session or a row")
    min_owners: int = param(2, minimum=1, help="people of a profile who share every published page, referrer and agent")
    gap: Duration = param(Duration("30m"), help="a pause longer than this ends a session")

    @property
    def group_size(self) -> int:
        """Profiles of k."""
        return self.k

    def not_checked(self, table: PublishedTable, *, beside_original: bool) -> Mapping[str, str]:
        """The file shows that addresses have the same rows; the original shows what its people share, and in which range means lie."""
        if beside_original:
            within = "only that they lie in the range of the original"
            return {"time": within, "size": within}
        fields = ("time", "method", "protocol", "status", "size", *(("referrer", "agent") if _is_combined(table) else ()))
        return dict.fromkeys(("page", *fields), "")

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count what is alike; with the original count people, and compare."""
        table = release.only(AccessTable.kind)
        assert isinstance(table, AccessTable)
        told = table.frame.with_columns(classes_of_rows(table.frame) if self.per == "row" else classes_of_addresses(table.frame))
        units = told.group_by("class").agg(records=pl.len() if self.per == "row" else pl.col("address").n_unique())
        achieved = {"records": int(units["records"].min() or 0)}  # type: ignore[arg-type]
        short = int((units["records"] < self.k).sum())
        broken = [f"{short:,} profiles have fewer than {self.k:,} {'rows' if self.per == 'row' else 'addresses'}"] if short else []
        if original is not None:
            return self._beside(release, told, _rows_of(original), achieved, broken)
        if self.per == "session" and not broken:
            return Verdict(str(self), "not checkable", achieved, unchecked=SESSIONS_ONLY)
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken))

    def _beside(self, release: Release, told: pl.DataFrame, rows: pl.DataFrame, achieved: dict[str, int], broken: list[str]) -> Verdict:
        """The same beside the rows that it was made from."""
        units = units_of(rows, self.per, self.gap.span)
        published = len(told) if self.per == "row" else told["address"].n_unique()
        if published != units.n_unique():
            broken.append(f"{published:,} profiles are published for {units.n_unique():,} {self.per}s of the original")
            return Verdict(str(self), "fails", achieved, tuple(broken))
        owners = pl.int_range(len(rows), eager=True) if self.per == "row" else rows["owner"]
        known = rows.with_columns(owner=owners, unit=units)
        if release.secret is None:
            return self._unlinked(told, known, achieved, broken)
        at = release.secret.rows()
        known = known.hstack(told[at].select("class", shown="address").with_columns(place=pl.Series(at)))
        broken += _not_one_to_one(known, "place" if self.per == "row" else "shown")
        people = known.group_by("class").agg(people=pl.col("owner").n_unique())
        achieved["people"] = int(_people(known, rows["owner"]))
        few = int((people["people"] < self.k).sum())
        broken += [f"{few:,} profiles have fewer than {self.k:,} people behind them"] if few else []
        alone = starts_of_few(told, known, self.per, self.gap.span, max(2, self.min_owners))
        broken += [f"{alone:,} published sessions begin when a session of too few people began"] if alone else []
        return self._shared(told, known, achieved, broken, ())

    def _unlinked(self, told: pl.DataFrame, known: pl.DataFrame, achieved: dict[str, int], broken: list[str]) -> Verdict:
        """Where it is not known which unit became which: an owner is one address, so that per owner addresses are people."""
        if self.per == "owner":
            achieved["people"] = achieved["records"]
        every = told.with_columns(pl.lit(0).alias("class"))
        return self._shared(
            every, known.with_columns(pl.lit(0).alias("class")), achieved, broken, (SESSIONS_ONLY,) * (self.per == "session")
        )

    def _shared(
        self, told: pl.DataFrame, known: pl.DataFrame, achieved: dict[str, int], broken: list[str], unchecked: tuple[str, ...]
    ) -> Verdict:
        """The verdict, after every published value was looked up among those of the people behind it."""
        for name in ("page", "referrer", "agent"):
            few, least = few_owners(told, known, name, self.min_owners)
            achieved["owners"] = min(achieved.get("owners", least), least)
            broken += [f"{few:,} values of {name} are published that fewer than {self.min_owners:,} people share"] if few else []
        for name, usual in USUAL.items():
            few = few_holders(told, known, name, self.min_owners, usual)
            broken += [f"{few:,} values of {name} are published that fewer than {self.min_owners:,} people share"] if few else []
        broken += [f"{n:,} values of {name} lie outside the range of the original" for name, n in out_of_range(told, known, self.gap.span)]
        if unchecked and not broken:
            return Verdict(str(self), "not checkable", achieved, unchecked=unchecked[0])
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken))


def _is_combined(table: PublishedTable) -> bool:
    return isinstance(table, AccessTable) and table.combined


def _rows_of(original: AnyOriginal) -> pl.DataFrame:
    if not isinstance(original, AccessOriginal):
        raise ParameterError(f"an access log is compared with such a log, and the original was read as {one(original.shape)}")
    return original.log.frame.rename({"payload": "page"})


def _people(known: pl.DataFrame, owners: pl.Series) -> int:
    """The fewest people behind a profile."""
    counted = known.with_columns(person=owners).group_by("class").agg(pl.col("person").n_unique())["person"]
    return int(counted.min() or 0)  # type: ignore[arg-type]


def _not_one_to_one(known: pl.DataFrame, place: str) -> list[str]:
    """That every unit was published once, and nothing else was."""
    pairs = known.select("unit", place).unique()
    alone = pairs["unit"].n_unique() == len(pairs) == pairs[place].n_unique()
    return [] if alone else ["profiles and the units they stand for are not one for one"]
