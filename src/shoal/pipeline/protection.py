"""What a guarantee about records protects, in words: a record among k people, or, where each person has one record, all of a history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from shoal.counting import counted
from shoal.data.bags import Bags
from shoal.data.log import Log, Per
from shoal.data.original import AnyOriginal, Original
from shoal.data.original_documents import DocumentOriginal
from shoal.privacy import Model
from shoal.report.summary import PROTECTS

WAYS: tuple[Per, ...] = ("user", "session", "event")


def protected(per: Per, people: int | str = "k") -> str:
    """What is protected where one record is made so; `people` are those behind each published record, 0 where a claim promises none."""
    among = f" among {people} people" if people else " by itself"
    if per == "user":
        return f"a person's whole history{among}"
    return f"each {per}{among}; not a person's whole history, which is several {per}s"


def protection(claims: Sequence[Model], original: AnyOriginal, per: Per) -> dict[str, str]:
    """What the claims on records protect, for the manifest: nothing is said where each person owns one record, or nothing is claimed."""
    if not claims:
        return {}
    if isinstance(original, DocumentOriginal) and original.vectors.owners_repeat:
        return {PROTECTS: f"each document among {_people(claims)} people; not all documents of a person"}
    if not isinstance(original, Original) or not original.typed.owners_repeat:
        return {}
    return {PROTECTS: protected(per, _people(claims))}


def _people(claims: Sequence[Model]) -> int:
    return max((claim.generalized_groups or 0 for claim in claims), default=0)


def protection_by_per(data: Log | Bags, gap: timedelta, timed: bool = False) -> dict[str, str]:
    """For each way of making records of this data: how many there would be, and what would be protected.

    `timed` says that the file has times, though they may not have been read.
    """
    if isinstance(data, Bags):
        return {"user": f"{counted(len(data), 'record')}, each of another person; protected is each, among k people"}
    ways = ("record", *WAYS) if data.has_records else WAYS
    return {per: _with_number(data, per, gap, timed) for per in ways}


def _with_number(log: Log, per: Per, gap: timedelta, timed: bool) -> str:
    if per == "session" and not log.timed:
        how_many = "not counted, as times are read only with --per session" if timed else "not possible without a column of times"
        return f"{how_many}; protected is {protected(per)}"
    return f"{counted(log.n_records(per, gap), 'record')}; protected is {protected(per)}"
