"""What a guarantee about records protects, in words: a record among k people, or, where each person has one record, all of a history."""

from __future__ import annotations

from shoal.app.job import Preparation
from shoal.counting import counted
from shoal.data.bags import Bags
from shoal.data.log import Log, Per

UNITS: dict[Per, str] = {"user": "whole history", "session": "session", "event": "event"}
WAYS: tuple[Per, ...] = ("user", "session", "event")


def protected(per: Per) -> str:
    """What is protected where one record is made so."""
    if per == "user":
        return "a person's whole history is one record, and is shared by k people"
    return f"each {UNITS[per]} is shared by k people; a person's whole history, of several records, is not protected"


def protection_by_per(data: Log | Bags, how: Preparation) -> dict[str, str]:
    """For each way of making records of this data: how many there would be, and what would be protected."""
    if isinstance(data, Bags):
        return {"user": f"{counted(len(data), 'record')}: each line is taken for one person, and is shared by k people"}
    return {per: _with_number(data, per, how) for per in WAYS}


def _with_number(log: Log, per: Per, how: Preparation) -> str:
    if per == "session" and not log.timed:
        return f"needs a column of times; {protected(per)}"
    return f"{counted(log.n_records(per, how.pause), 'record')}: {protected(per)}"
