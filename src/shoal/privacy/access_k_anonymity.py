"""k-anonymity of an access log: every published address has the same rows as k - 1 others, of different people.

It is counted from the published file: addresses with the same rows. With the original, sessions or users are counted again and compared
with the addresses; if the mapping from units to profiles is known, the people behind each profile are counted, and every published page,
referrer and agent must be shared by enough of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, cast

import polars as pl

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.durations import Duration
from shoal.data.input_shapes import one
from shoal.data.original import AccessOriginal
from shoal.data.release import Release
from shoal.data.tables.access_log import PAGE, AccessTable
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.taxonomy.urls import page_levels
from shoal.text.agents import agent_levels

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.original import AnyOriginal
    from shoal.data.tables import PublishedTable


# Evidence about an access log: identical addresses or rows, the rows of each unit, and the number of people who share a published value.


_WRITTEN = ("time", "request", "status", "size", "referrer", "agent")
_LEVELS: Mapping[str, Callable[[str], tuple[str, ...]]] = {"page": page_levels, "referrer": page_levels, "agent": agent_levels}
_PARTS = {"method": r"^(\S+) ", "protocol": r" (HTTP/\d(?:\.\d)?)$"}
_NOTHING = "-"


def classes_of_rows(frame: pl.DataFrame) -> pl.Series:
    """Return the class of each row: rows that agree in every field."""
    return frame.select(pl.struct(frame.columns).rank("dense").alias("class")).to_series()


def classes_of_addresses(frame: pl.DataFrame) -> pl.Series:
    """Return the class of each row's address: addresses with the same multiset of rows."""
    row = frame.select("address", pl.struct(_WRITTEN).rank("dense").alias("row"))
    profiles = row.group_by("address").agg(pl.col("row").sort().cast(pl.String).str.join(" "))
    numbered = profiles.select("address", pl.col("row").rank("dense").alias("class"))
    return row.join(numbered, on="address", how="left", maintain_order="left")["class"]


def units_of(rows: pl.DataFrame, per: str, gap: timedelta) -> pl.Series:
    """Return the unit of each original row: a user, a row, or a session of one user, address and agent without inactivity above `gap`."""
    if per == "owner":
        return rows["owner"].alias("unit")
    if per == "row":
        return pl.int_range(len(rows), eager=True).alias("unit")
    keys = ["owner", "address", "agent"]
    pause = pl.col("time").diff().over(keys, order_by="time") > gap
    begun = rows.select(*keys, "time", pause.fill_null(False).alias("late"))
    turn = begun.with_columns(turn=pl.col("late").cast(pl.Int64).cum_sum().over(keys, order_by="time"))
    return turn.select(pl.struct(*keys, "turn").rank("dense").alias("unit")).to_series()


def starts_of_few(published: pl.DataFrame, known: pl.DataFrame, per: str, gap: timedelta, least: int) -> int:
    """Count published sessions that start at a second at which sessions of some, but fewer than `least`, people of their class start."""
    if per == "row":
        begun, shown = known.select("class", "owner", "time"), published.select("class", "time")
    else:
        begun = known.with_columns(session=units_of(known, "session", gap)).group_by("class", "owner", "session").agg(pl.col("time").min())
        numbered = published.select("class", "time", "address", "agent", owner="address")
        shown = numbered.with_columns(session=units_of(numbered, "session", gap)).group_by("class", "session").agg(pl.col("time").min())
    people = begun.with_columns(pl.col("time").dt.truncate("1s")).group_by("class", "time").agg(people=pl.col("owner").n_unique())
    return int((shown.join(people, on=["class", "time"], how="inner")["people"] < least).sum())


def few_owners(rows: pl.DataFrame, known: pl.DataFrame, name: str, least: int) -> tuple[int, int]:
    """Count the published values that fewer than `least` people of their class share; also return the minimum number of people. `-` is
    ignored.

    A value is shared by all who have it or a specialization of it.
    """
    page = pl.coalesce(pl.col("request").str.extract(PAGE), pl.col("request"))  # anything but a request is judged as a whole
    shown = rows.with_columns(page=page) if name == "page" else rows
    published = shown.select("class", value=pl.col(name)).filter(pl.col("value") != _NOTHING).unique()
    held = known.select("class", "owner", value=pl.col(name)).drop_nulls().unique()
    values = held["value"].unique()
    above = pl.Series([list(dict.fromkeys((value, *_LEVELS[name](value)))) for value in values.to_list()], dtype=pl.List(pl.String))
    spread = pl.DataFrame({"value": values, "level": above}).explode("level")
    sharing = held.join(spread, on="value").group_by("class", "level").agg(people=pl.col("owner").n_unique())
    counted = published.join(sharing, left_on=["class", "value"], right_on=["class", "level"], how="left")["people"].fill_null(0)
    return int((counted < least).sum()), int(counted.min() if len(counted) else known["owner"].n_unique())  # type: ignore[arg-type]


def few_holders(rows: pl.DataFrame, known: pl.DataFrame, name: str, least: int, usual: str) -> int:
    """Count the published methods, protocols or statuses that fewer than `least` people of their class have; the usual value is ignored."""
    value = pl.col("request").str.extract(_PARTS[name]) if name in _PARTS else pl.col(name).cast(pl.String)
    published = rows.select("class", value=value).drop_nulls().filter(pl.col("value") != usual).unique()
    held = known.select("class", "owner", value=pl.col(name).cast(pl.String)).drop_nulls().unique()
    people = held.group_by("class", "value").agg(people=pl.len())
    return int((published.join(people, on=["class", "value"], how="left")["people"].fill_null(0) < least).sum())


def out_of_range(published: pl.DataFrame, known: pl.DataFrame, gap: timedelta) -> Iterator[tuple[str, int]]:
    """Count the published times and sizes outside of the range of their class, which therefore cannot be means.

    Sessions of one profile are separated by pauses, so its last row may be later than any original one, by one pause per row.
    """
    longest = published.group_by("class", "address").len()["len"].max()
    later = (gap + timedelta(seconds=1)) * (longest if isinstance(longest, int) else 0)
    for name, slack in (("time", later), ("size", 0)):
        bounds = known.group_by("class").agg(least=pl.col(name).min(), most=pl.col(name).max())
        both = published.select("class", value=pl.col(name)).drop_nulls().join(bounds, on="class", how="left")
        outside = (pl.col("value") < pl.col("least")) | (pl.col("value") > pl.col("most") + slack)
        if n := int(both.select(outside.fill_null(True).sum()).item()):
            yield name, n


USUAL = {"method": "GET", "protocol": "HTTP/1.1", "status": "200"}  # fields of a request, and the value that reveals nothing
SESSIONS_ONLY = "sessions were counted: files do not contain user IDs"


@dataclass(frozen=True)
class AccessKAnonymity(Model):
    """At least k people share each profile of an access log (the rows under one published address)."""

    name = "access-k-anonymity"
    protects = (
        "All requests of a person (with per=owner) or of one session (with per=session) match at least k addresses with the same rows, "
        "of k different people, so an attacker who knows them cannot tell which one is the person's. A page, referrer or user agent of "
        "fewer than min_owners of them is not published, and no published session starts at the second at which a session of fewer than "
        "min_owners (at least two) of them started. Per row the guarantee is weak: k rows are identical, but all of them may belong to "
        "one person."
    )
    does_not_protect = (
        "What the people behind one profile have in common is published. One address of the original log may stand for several "
        "people, and one person may have several addresses: people are counted as the log identifies them. Per session, the number of "
        "similar sessions of one person is not hidden. Times are means over a group, and so reveal when its members visited on "
        "average."
    )
    limits = "It does not hide what the people behind one profile have in common, and counts people only as the log identifies them."
    judges = frozenset({"access log"})
    level_words = {  # noqa: RUF012 (never changed)
        "records": "identical published addresses (per row: rows) in the smallest class",
        "people": "different people behind the rarest profile",
        "owners": "people who share the rarest published page, referrer or user agent",
    }
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} published profile belongs to {least} {people}",
        "records": "{every} published profile occurs {least} {times}",
        "owners": "{every} page, referrer or user agent is shared by {least} {people}",
    }
    promised_by = {"records": "k", "people": "k", "owners": "min_owners"}  # noqa: RUF012 (never changed)

    k: int = param(5, minimum=2, help="minimum number of people per published profile")
    per: str = param("owner", choices=("owner", "session", "row"), help="unit with a profile: a person, a session or a row")
    min_owners: int = param(
        2, minimum=1, help="minimum number of people of a profile who share each published page, referrer and user agent"
    )
    gap: Duration = param(Duration("30m"), help="inactivity that ends a session")

    @property
    def group_size(self) -> int:
        """The number of identical profiles: k."""
        return self.k

    def not_checked(self, table: PublishedTable, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: files show that addresses have equal rows; the original shows what its people share, and the range of
        means.
        """
        if with_original:
            within = "only that they are in the range of the original"
            return {"time": within, "size": within}
        fields = ("time", "method", "protocol", "status", "size", *(("referrer", "agent") if cast(AccessTable, table).combined else ()))
        return dict.fromkeys(("page", *fields), "")

    def judge(self, release: Release, original: AnyOriginal | None) -> Verdict:
        """Count identical addresses; with the original, count people and compare."""
        table = release.only(AccessTable)
        published = table.frame.with_columns(classes_of_rows(table.frame) if self.per == "row" else classes_of_addresses(table.frame))
        units = published.group_by("class").agg(records=pl.len() if self.per == "row" else pl.col("address").n_unique())
        achieved = {"records": int(units["records"].min() or 0)}  # type: ignore[arg-type]
        short = int((units["records"] < self.k).sum())
        broken = [f"{short:,} profiles have fewer than {self.k:,} {'rows' if self.per == 'row' else 'addresses'}"] if short else []
        if original is not None:
            return self._against(release, published, _rows_of(original), achieved, broken)
        if self.per == "session" and not broken:
            return Verdict(str(self), "not checkable", achieved, unchecked=SESSIONS_ONLY)
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken))

    def _against(
        self, release: Release, published: pl.DataFrame, rows: pl.DataFrame, achieved: dict[str, int], broken: list[str]
    ) -> Verdict:
        """Verify against the rows of the original."""
        units = units_of(rows, self.per, self.gap.span)
        profiles = len(published) if self.per == "row" else published["address"].n_unique()
        if profiles != units.n_unique():
            unit = "user" if self.per == "owner" else self.per
            broken.append(f"{profiles:,} profiles are published for {units.n_unique():,} {unit}s of the original")
            return Verdict(str(self), "fails", achieved, tuple(broken))
        owners = pl.int_range(len(rows), eager=True) if self.per == "row" else rows["owner"]
        known = rows.with_columns(owner=owners, unit=units)
        if release.secret is None:
            return self._unlinked(published, known, achieved, broken)
        at = release.secret.rows()
        known = known.hstack(published[at].select("class", shown="address").with_columns(place=pl.Series(at)))
        broken += _not_one_to_one(known, "place" if self.per == "row" else "shown")
        people = known.group_by("class").agg(people=pl.col("owner").n_unique())
        achieved["people"] = int(_people(known, rows["owner"]))
        few = int((people["people"] < self.k).sum())
        broken += [f"{few:,} profiles have fewer than {self.k:,} people behind them"] if few else []
        alone = starts_of_few(published, known, self.per, self.gap.span, max(2, self.min_owners))
        broken += [f"{alone:,} published sessions begin when a session of too few people began"] if alone else []
        return self._shared(published, known, achieved, broken, ())

    def _unlinked(self, published: pl.DataFrame, known: pl.DataFrame, achieved: dict[str, int], broken: list[str]) -> Verdict:
        """Verify without the mapping from units to addresses: with one address per user, addresses count as people."""
        if self.per == "owner":
            achieved["people"] = achieved["records"]
        every = published.with_columns(pl.lit(0).alias("class"))
        return self._shared(
            every, known.with_columns(pl.lit(0).alias("class")), achieved, broken, (SESSIONS_ONLY,) * (self.per == "session")
        )

    def _shared(
        self, published: pl.DataFrame, known: pl.DataFrame, achieved: dict[str, int], broken: list[str], unchecked: tuple[str, ...]
    ) -> Verdict:
        """Return the verdict, after comparing every published value with those of the people behind it."""
        for name in ("page", "referrer", "agent"):
            few, least = few_owners(published, known, name, self.min_owners)
            achieved["owners"] = min(achieved.get("owners", least), least)
            broken += [f"{few:,} values of {name} are published that fewer than {self.min_owners:,} people share"] if few else []
        for name, usual in USUAL.items():
            few = few_holders(published, known, name, self.min_owners, usual)
            broken += [f"{few:,} values of {name} are published that fewer than {self.min_owners:,} people share"] if few else []
        broken += [
            f"{n:,} values of {name} lie outside the range of the original" for name, n in out_of_range(published, known, self.gap.span)
        ]
        if unchecked and not broken:
            return Verdict(str(self), "not checkable", achieved, unchecked=unchecked[0])
        return Verdict(str(self), verified_if(not broken), achieved, tuple(broken))


def _rows_of(original: AnyOriginal) -> pl.DataFrame:
    if not isinstance(original, AccessOriginal):
        raise ParameterError(
            f"an access log is compared with such a log, but the original was read as {one(original.shape)}", code="wrong-kind-of-original"
        )
    return original.log.frame.rename({"payload": "page"})


def _people(known: pl.DataFrame, owners: pl.Series) -> int:
    """Return the minimum number of people behind a profile."""
    counted = known.with_columns(person=owners).group_by("class").agg(pl.col("person").n_unique())["person"]
    return int(counted.min() or 0)  # type: ignore[arg-type]


def _not_one_to_one(known: pl.DataFrame, place: str) -> list[str]:
    """Return a fault unless every unit was published exactly once, and nothing else."""
    pairs = known.select("unit", place).unique()
    alone = pairs["unit"].n_unique() == len(pairs) == pairs[place].n_unique()
    return [] if alone else ["profiles and units do not correspond one to one"]
