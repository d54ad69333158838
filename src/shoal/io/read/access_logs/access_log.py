"""Web access logs: one event per line, whose item is the requested page.

The user of a line is its address, unless the authenticated user or the pair of address and user agent is requested (option user). Lines of
one user with the same address and user agent belong to one visitor, or to several if links between pages separate them (option site-links);
sessions are made per visitor. All other fields are further columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.data.bags import Ints
from shoal.data.log import Log
from shoal.data.tables.access_log import VISITOR
from shoal.errors import ParameterError
from shoal.io.read.access_logs.access_log_lines import BROKEN, NOT_A_LINE, cut, moved_fields, not_addresses, plain_addresses
from shoal.io.read.columns import owner_numbers
from shoal.io.read.delimited import text_lines
from shoal.io.read.formats import Layout
from shoal.io.read.options import ReadOptions
from shoal.io.read.result import Reading, Tally
from shoal.io.read.source import Source
from shoal.util.wording import counted

OWNED_BY = {"address": ("address",), "auth": ("auth",), "address+agent": ("address", "agent")}


def read_accesslog(sources: Sequence[Source], layout: Layout, options: ReadOptions) -> Reading:
    """Read the events of access logs."""
    owned_by = options.user or "address"
    if owned_by not in OWNED_BY:
        raise ParameterError(
            f"the user of a line of an access log is {' or '.join(OWNED_BY)}, not {owned_by!r}", code="unknown-choice", value=owned_by
        )
    tally = Tally.of(sources, strict=options.strict, most=options.malformed)
    parts = []
    for source in tally.each(sources):
        parts += [_sound(cut(lines), at, owned_by, tally) for lines, at in text_lines(source, tally)]
        tally.check()
    frame = pl.concat(parts)
    tally.used = len(frame)
    ledger = tally.ledger()
    spelled, frame = frame["address"], frame.with_columns(plain_addresses(frame["address"]))
    frame, notes = _owned(frame, owned_by, options, tally.called)
    all_notes = (*layout.notes, *notes, *_notes(frame, spelled, owned_by))
    if options.site_links is not None:
        from shoal.io.read.access_logs.site_structure import with_separated_visitors

        frame, structure = with_separated_visitors(frame, options.site_links)
        all_notes = (*all_notes, *structure)
    return Reading(Log(_arranged(frame), "item"), layout.format, ledger, tally.defects.frozen(), all_notes, timed=True)


def _sound(fields: pl.DataFrame, at: Ints, owned_by: str, tally: Tally) -> pl.DataFrame:
    """Return the lines without a defect; a line with several is counted under the first."""
    good = np.ones(len(fields), bool)
    tests = {
        NOT_A_LINE: fields["address"].is_null() | moved_fields(fields),
        "unreadable time": fields["time"].is_null(),
        "no user": _unowned(fields, owned_by),
        "not an address": not_addresses(fields["address"]) & ~_no_address(fields),
    }
    for reason, bad in tests.items():
        wrong = good & bad.to_numpy()
        tally.defects.add(reason, at[wrong])
        good &= ~wrong
    return fields.filter(pl.Series(good))


def _unowned(fields: pl.DataFrame, owned_by: str) -> pl.Series:
    """Return lines without an authenticated user, or without an address if that stands for a user."""
    return (fields["auth"] == "-").fill_null(False) if owned_by == "auth" else _no_address(fields)


def _no_address(fields: pl.DataFrame) -> pl.Series:
    return fields["address"].str.to_lowercase().is_in(["-", "unknown"]).fill_null(False)


def _owned(frame: pl.DataFrame, owned_by: str, options: ReadOptions, called: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Number the users and visitors of the lines. Spellings of user names are checked; addresses have one canonical spelling."""
    by = OWNED_BY[owned_by]
    number = _numbered(frame, by)
    notes: tuple[str, ...] = ()
    if owned_by == "auth":
        names = frame["auth"].unique(maintain_order=True)
        person, notes = owner_numbers(names, options.owners, called)
        number = number if person is None else frame["auth"].replace_strict(names, pl.Series(person)).cast(pl.Int64)
    owned = frame.with_columns(owner=number)
    return owned.with_columns(_numbered(owned, ("owner", "address", "agent")).alias(VISITOR)), notes


def _numbered(frame: pl.DataFrame, by: tuple[str, ...]) -> pl.Series:
    return frame.select(pl.struct(by).rank("dense").cast(pl.Int64) - 1).to_series()


def _arranged(frame: pl.DataFrame) -> pl.DataFrame:
    further = ("address", "method", "protocol", "status", "size", "referrer", "agent")
    return frame.select("owner", "time", pl.col("page").alias("payload"), VISITOR, *further)


def _notes(frame: pl.DataFrame, spelled: pl.Series, owned_by: str) -> list[str]:
    combined, broken = int(frame["agent"].is_not_null().sum()), int((frame["page"] == BROKEN).sum())
    form = "common" if not combined else "combined" if combined == len(frame) else f"combined, {len(frame) - combined:,} of them common"
    who = {"address": "the address", "auth": "the authenticated user", "address+agent": "the address with the user agent"}[owned_by]
    notes = [f"lines are in the {form} format; user: {who}; item: the page; times are converted to UTC"]
    if rewritten := spelled.n_unique() - frame["address"].n_unique():
        notes.append(f"{counted(rewritten, 'address is', 'addresses are')} alternative spellings of others")
    if broken:
        notes.append(f"{counted(broken, 'request is', 'requests are')} broken; the page of such a line is {BROKEN!r}")
    return notes
