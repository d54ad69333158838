"""User k-anonymity: k pseudonyms share every published history, and it contains nothing that only one person issued or clicked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.release import Release
from shoal.data.tables.profiles import ProfileTable
from shoal.parameters import param

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shoal.data.bags import Ints
    from shoal.data.original import LogOriginal

OF_ALL = "the groups are not known; people of the whole original were counted"
TIME, RANK, URL = "time", "rank", "url"
EVERYBODY = -1  # in place of the number of a class
LEVELS = {
    "records": "pseudonyms that share the rarest published history",
    "people": "people of its group who issued the published query, used the word or clicked the URL that fewest of them did",
}


@dataclass(frozen=True)
class UserKAnonymity(Model):
    """At least k pseudonyms share each published history, and several people of the group share each of its queries, words and URLs."""

    name = "user-k-anonymity"
    protects = (
        "What a person searched for and clicked, and when, matches at least k pseudonyms with the same history. A query or "
        "click of only one person of a group, such as a name or an address, is not published."
    )
    does_not_protect = (
        "What a whole group has in common is disclosed about each of its members. Times and ranks are means, from which a member who "
        "knows all others but one can compute those of the last one. People are counted by their user IDs."
    )
    limits = (
        "It does not hide what a whole group has in common, and a member who knows all others but one can compute the times and ranks "
        "of the last one."
    )
    judges = frozenset({"profiles"})
    level_words = LEVELS
    level_sentences = {  # noqa: RUF012 (never changed)
        "records": "{every} published history is that of {least} {pseudonyms}",
        "people": "{every} query, word or URL in it was used by {least} {people} of its group",
    }
    promised_by = {"records": "k", "people": "min_owners"}  # noqa: RUF012 (never changed)

    k: int = param(5, minimum=2, help="minimum number of pseudonyms that share each published history")
    min_owners: int = param(
        2, minimum=1, help="minimum number of people in the group who issued each published query and clicked each published URL"
    )

    @property
    def group_size(self) -> int:
        """The number of pseudonyms with one history: k."""
        return self.k

    def ceiling(self, test: str, known: int | None) -> float | None:
        """Return 1/k, whatever the attacker knows: k pseudonyms have the same history."""
        return 1 / self.k if test in {"singling out", "linking"} else None

    def not_checked(self, table: Any, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: the file shows equal histories, not their origin; for means, the original shows the range."""
        held = [name for name in ("time", table.unit, RANK, URL) if name in table.columns]
        if with_original:
            return {name: "only that they lie in the range of the same query" for name in held if name in (TIME, RANK)}
        return dict.fromkeys(held, "")

    def judge(self, release: Release, original: LogOriginal | None) -> Verdict:
        """Count the pseudonyms of each history; with the original, count the people behind each of its queries, words and URLs."""
        table = release.only(ProfileTable)
        classes = _classes(table)
        achieved = {"records": int(classes["members"].to_numpy().min()) if len(classes) else 0}
        broken = list(self._of_file(table, classes))
        if original is None:
            return Verdict(str(self), verified_if(not broken), achieved, tuple(broken))
        classes_of_people = _class_of_people(release, original, classes)
        notes = () if release.secret is not None else (OF_ALL,)
        if classes_of_people is None:
            return Verdict(str(self), "fails", achieved, ("the release does not refer to the people of this original",))
        fewest = []
        for what, published, issued in _published_and_issued(table, classes, original, classes_of_people):
            people = _people(published, issued)
            fewest.append(int(np.asarray(people).min(initial=len(classes_of_people))))
            if short := int((people < self.min_owners).sum()):
                broken.append(f"{short:,} published {what} of histories are those of fewer than {self.min_owners:,} people of the group")
        broken += _strange_cells(table, original)
        return Verdict(str(self), verified_if(not broken), achieved | {"people": min(fewest)}, tuple(broken), notes)

    def _of_file(self, table: ProfileTable, classes: pl.DataFrame) -> Iterator[str]:
        """Return faults visible in the file alone: histories of too few pseudonyms, and pseudonyms that may carry information."""
        if short := int((classes["members"] < self.k).sum()):
            yield f"{short:,} pseudonyms have a history that fewer than {self.k:,} share"
        if not np.array_equal(np.sort(classes["user"].to_numpy()), np.arange(1, len(classes) + 1)):
            yield "pseudonyms are not the numbers from 1 on: they may be original user IDs"


def _classes(table: ProfileTable) -> pl.DataFrame:
    """Return for each pseudonym (`user`) the number of its `class` of equal rows, and the size of the class (`members`)."""
    rest = [name for name in table.frame.columns if name != table.of_whom]
    kinds = table.frame.select(rest).unique().with_row_index("row")
    coded = table.frame.join(kinds, on=rest, how="left", nulls_equal=True).select(pl.col(table.of_whom).alias("user"), "row")
    whole = coded.group_by("user").agg(pl.col("row").sort().cast(pl.String).str.join(",").alias("rows"))
    numbered = whole.with_columns(pl.col("rows").rank("dense").cast(pl.Int64).alias("class"))
    return numbered.with_columns(pl.len().over("class").cast(pl.Int64).alias("members")).select("user", "class", "members")


def _class_of_people(release: Release, original: LogOriginal, classes: pl.DataFrame) -> pl.DataFrame | None:
    """Return the class of every user. If the mapping is not known, everybody counts for each class (`EVERYBODY`).

    None if pseudonyms and people do not correspond one to one.
    """
    owners = np.unique(original.log.frame["owner"].to_numpy())
    if release.secret is None:
        return pl.DataFrame({"owner": owners, "class": np.full(len(owners), EVERYBODY)})
    pseudonym: Ints = release.secret.rows()
    if len(pseudonym) != len(owners) or not np.array_equal(np.sort(pseudonym[pseudonym >= 0]), np.sort(classes["user"].to_numpy())):
        return None
    return pl.DataFrame({"owner": owners, "user": pseudonym}).join(classes, on="user", how="inner").select("owner", "class")


def _published_and_issued(
    table: ProfileTable, classes: pl.DataFrame, original: LogOriginal, classes_of_people: pl.DataFrame
) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Return queries, words and URLs: those published in each class, and those of the people of each class."""
    shown = table.frame.join(classes, left_on=table.of_whom, right_on="user", how="left")
    if (classes_of_people["class"] == EVERYBODY).any():
        shown = shown.with_columns(pl.lit(EVERYBODY, pl.Int64).alias("class"))
    issued = original.log.frame.join(classes_of_people, on="owner", how="inner")
    queries = shown.select("class", value=table.unit).drop_nulls().unique()
    queries_issued = issued.select("owner", "class", value="payload")
    yield "queries", queries, queries_issued
    yield "words", _words(queries).unique(), _words(queries_issued)
    if URL in table.columns:
        clicked = pl.col(URL) if URL in issued.columns else pl.lit(None, pl.String)
        yield "URLs", shown.select("class", value=URL).drop_nulls().unique(), issued.select("owner", "class", value=clicked)


def _words(frame: pl.DataFrame) -> pl.DataFrame:
    """Split values at blanks into one row per word."""
    return frame.with_columns(pl.col("value").str.extract_all(r"\S+")).explode("value").drop_nulls()


def _people(published: pl.DataFrame, issued: pl.DataFrame) -> pl.Series:
    """Count the people of its class who issued each published value."""
    pairs = issued.join(published, on=["class", "value"], how="semi").unique(["class", "value", "owner"])
    counted = pairs.group_by("class", "value").agg(people=pl.len().cast(pl.Int64))
    return published.join(counted, on=["class", "value"], how="left")["people"].fill_null(0)


def _strange_cells(table: ProfileTable, original: LogOriginal) -> Iterator[str]:
    """Return clicks that nobody made after the same query, and times and ranks outside the range of the same query or click."""
    rows = original.log.frame
    query = pl.col(table.unit).alias("payload")
    if URL in table.columns and URL in rows.columns:
        clicks = table.frame.select(query, URL).drop_nulls().unique()
        if strange := len(clicks.join(rows.select("payload", URL), on=["payload", URL], how="anti")):
            yield f"{strange:,} published clicks were made by nobody after the same query"
    for name, keys in ((TIME, ["payload"]), (RANK, ["payload", URL] if URL in table.columns and URL in rows.columns else ["payload"])):
        if name not in table.columns:
            continue
        shown = (
            table.frame.select(query, *(key for key in keys if key != "payload"), value=name).filter(pl.col("value").is_not_null()).unique()
        )
        held = rows.select(*keys, value=name) if name in rows.columns else rows.select(*keys, value=pl.lit(None, shown.schema["value"]))
        bounds = held.group_by(keys).agg(least=pl.col("value").min(), most=pl.col("value").max())
        both = shown.join(bounds, on=keys, how="left", nulls_equal=True)
        inside = (pl.col("value") >= pl.col("least")) & (pl.col("value") <= pl.col("most"))
        if wrong := int(both.select((~inside.fill_null(False)).sum()).item()):
            yield f"{wrong:,} published values of {name!r} lie outside the range of the same query in the original"
