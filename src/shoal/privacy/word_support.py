"""Word support: at least k people have every item of a release of chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.release import Release
from shoal.data.tables.chunks import ITEM, ChunkTable
from shoal.parameters import param
from shoal.privacy.evidence.chunk_words import LEAST, MOST, PEOPLE, holder_bounds, people_of_published
from shoal.util.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from shoal.data.original import Original
    from shoal.data.tables import PublishedTable

LEVELS = {"people": "people who have the rarest published item", "records": "records that certainly contain the rarest published item"}
NAMED = 5  # rare words that a verdict names, for those who ask


@dataclass(frozen=True)
class WordSupport(Model):
    """At least k different people have each published item."""

    name = "word-support"
    protects = "An item of fewer than k people, such as a name or a number that only one person typed, is not published."
    does_not_protect = (
        "An item of k people is published however sensitive it is, and combinations of items are not covered. People are counted by "
        "their user IDs: someone with k accounts counts as k people."
    )
    limits = "It does not cover combinations of items."
    judges = frozenset({"chunks"})
    level_words = LEVELS
    level_sentences = {  # noqa: RUF012 (never changed)
        "people": "{every} published item belongs to {least} {people}",
        "records": "{every} published item occurs in {least} {records}",
    }

    k: int = param(5, minimum=2, help="minimum number of people who have each published item")

    @property
    def item_holders(self) -> int | None:
        """The number of people per item: k."""
        return self.k

    def not_checked(self, table: PublishedTable, *, with_original: bool) -> Mapping[str, str]:
        """Return what remains open: items are counted exactly with the original and bounded without it; the chunks are not verified."""
        fields = (name for columns in table.columns_of_parts().values() for name in columns)
        open_words = {} if with_original else {ITEM: "how many people have them"}
        return open_words | dict.fromkeys((name for name in fields if name != ITEM), "")

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count the people with each item; from the files alone, bound the number of records."""
        table = release.only(ChunkTable)
        return self._from_files(table) if original is None else self._against(table, original)

    def _against(self, table: ChunkTable, original: Original) -> Verdict:
        found = people_of_published(table, original.bags)
        few = found.filter(found[PEOPLE] < self.k)
        broken = (f"{_shown(len(few))} of fewer than {self.k:,} people",) if len(few) else ()
        level = {"people": _smallest(found[PEOPLE])}
        return Verdict(str(self), verified_if(not broken), level, broken, rare=tuple(map(_named, few[ITEM].head(NAMED))))

    def _from_files(self, table: ChunkTable) -> Verdict:
        bounds = holder_bounds(table)
        level = {"records": _smallest(bounds[LEAST])}
        few, unknown = (int((bounds[name] < self.k).sum()) for name in (MOST, LEAST))
        if few:
            return Verdict(str(self), "fails", level, (f"{_shown(few)} in fewer than {self.k:,} records",))
        if not unknown:
            return Verdict(str(self), "verified", level)
        why = f"term chunks do not show how many records hold their items, so {_shown(unknown)} may be in fewer than {self.k:,} records"
        return Verdict(str(self), "not checkable", level, unchecked=f"{why}; an audit with the original counts people")


def _shown(n: int) -> str:
    return counted(n, "published item")


def _named(word: str) -> str:
    return f"too few people have {word!r}"


def _smallest(numbers: pl.Series) -> int:
    return int(numbers.to_numpy().min()) if len(numbers) else 0
