"""k-delta-anonymity (Hong, He, Vaidya, Adam and Atluri, CIKM'09): every published record has k-1 others within a distance of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.release import Release
from shoal.errors import ParameterError
from shoal.parameters import param
from shoal.privacy.pairwise_distance import close_records
from shoal.util.wording import counted

if TYPE_CHECKING:
    from shoal.data.original import Original

LARGEST_DELTA = 0.95
MOST_DECIMALS = 6  # so that distances are compared in whole numbers


@dataclass(frozen=True)
class KDeltaAnonymity(Model):
    """Every published record is within Jaccard distance delta of the records of k-1 other people."""

    name = "k-delta-anonymity"
    protects = "No published record is isolated: the records of at least k-1 other people are within Jaccard distance delta of it."
    does_not_protect = (
        "If delta is above 0, the probability of linking a person to a record is not bounded by 1/k: the records differ, and an "
        "attacker who knows items in which they differ can single one out. An item of a single person may be published. Published "
        "records may contain items that the person never had, so nothing in a single record is certain."
    )
    limits = (
        "It does not bound the probability of linking a person to a record by 1/k if delta is above 0, because the records of a group "
        "differ."
    )
    adds_items = True

    k: int = param(5, minimum=2, help="minimum number of people whose records are within delta of each other")
    delta: float = param(0.5, minimum=0, maximum=LARGEST_DELTA, help="largest Jaccard distance between such records")

    def __post_init__(self) -> None:
        super().__post_init__()
        if Fraction(str(self.delta)).denominator > 10**MOST_DECIMALS:
            raise ParameterError(
                f"delta has at most {MOST_DECIMALS} decimals, unlike {self.delta}", code="too-many-decimals", value=self.delta
            )

    def judge(self, release: Release, original: Original | None) -> Verdict:
        """Count the published records within delta of each, itself among them; with the groups at hand, the people who own them."""
        owners = None
        if original is not None and release.secret is not None:
            rows = release.secret.rows()
            if len(rows) != len(original.bags) or rows.max(initial=-1) >= len(release.published):
                return Verdict(str(self), "fails", {}, ("the release does not contain the record-to-group mapping",))
            owners = rows, original.bags.owners
        found = close_records(release.published, release.copies, Fraction(str(self.delta)), owners)
        achieved = {"records": found.fewest_records}
        broken = self._lonely(found.records, "record", "records")
        if found.people is not None:
            achieved["people"] = found.fewest_people
            broken += self._lonely(found.people, "person", "people") if not broken else ()
        if original is not None and release.n_records > len(original.bags):
            broken += (f"{release.n_records:,} records are published of only {len(original.bags):,}",)
        empty = int(release.copies[release.published.lengths == 0].sum())
        notes = (f"{empty:,} empty records were counted as ordinary records" if empty else "no record is empty",)
        return Verdict(str(self), verified_if(not broken), achieved, broken, notes)

    def _lonely(self, within: tuple[int, ...], one: str, many: str) -> tuple[str, ...]:
        """How many published records have too few records, or people, within delta of them."""
        short = [n for n in within if n < self.k]
        if not short:
            return ()
        least = counted(min(short), one, many)
        few = f"with fewer than {self.k:,} {many} within {self.delta:g} of it"
        return (f"{counted(len(short), 'different record')} {few}; the least has {least}",)
