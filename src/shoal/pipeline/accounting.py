"""The accounting of a whole run: that of the method, extended by what happened before it."""

from __future__ import annotations

from collections.abc import Callable

from shoal.data.accounting import Accounting, Ledger, changed, gone
from shoal.data.occurrence_forms import forms_of
from shoal.data.original import LESS_FREQUENT, NOT_IN_TAXONOMY, REPEATED, AnyOriginal, DocumentOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.errors import GuaranteeNotMet
from shoal.pipeline.prepare import Prepared

USED = "used"  # the part of a file's rows that reached the method


def whole_account(release: Release, prepared: Prepared) -> Accounting:
    """The account of a release from the file's rows on."""
    if release.accounting is None:
        raise GuaranteeNotMet(
            "the release does not account for what it was made from", code="accounting-incomplete", hint="nothing was written"
        )
    return with_preparation(_in_detail(release, release.accounting, prepared.original), prepared)


def with_preparation(account: Accounting, prepared: Prepared) -> Accounting:
    """A method's account, widened by what happened before the method saw its input."""
    original, rows = prepared.original, prepared.reading.rows if prepared.reading else None
    if isinstance(original, DocumentOriginal):
        terms = account["terms"].widened(LESS_FREQUENT, original.less_frequent)
        return account.updated(terms=terms, words=original.words, rows=rows)
    if not isinstance(original, Original):
        if rows is not None and "rows" in account.ledgers:
            rows = rows.split(USED, account["rows"].parts)
        return account.updated(rows=rows)
    occurrences = account.occurrences.widened(NOT_IN_TAXONOMY, original.steps.unknown_dropped)
    occurrences = occurrences.widened(REPEATED, original.steps.repeats_dropped)
    return account.updated(occurrences=occurrences, rows=rows, words=original.steps.ledger)


def _in_detail(release: Release, account: Accounting, original: AnyOriginal) -> Accounting:
    """The method's account, with what it published told by its form, as the kind of each table has it."""
    for table in release.tables.values():
        if table.kind in _BY_KIND:
            account = _BY_KIND[table.kind](release, account, original)
    return account


def _forms_of_records(release: Release, account: Accounting, original: AnyOriginal) -> Accounting:
    """Occurrences by the form in which they are published; beyond these, what the method represents in a way of its own."""
    if not isinstance(original, Original) or release.secret is None:
        raise GuaranteeNotMet(
            "the release does not contain the record-to-group mapping", code="mapping-not-recorded", hint="nothing was written"
        )
    ledger, forms = account.occurrences, forms_of(original, release.published, release.secret.rows())
    own = {name: part for name, part in ledger.parts.items() if part.fate == "changed" and name not in _TOLD_BY_METHODS}
    represented = max(0, ledger.of_fate("kept", "changed") - forms.published)
    if represented and len(own) != 1:
        raise GuaranteeNotMet(
            f"{represented:,} published occurrences are not accounted for",
            code="accounting-incomplete",
            hint="nothing was written",
        )
    parts = {**forms.parts(), **{name: changed(represented) for name in own}}
    gone_parts = {name: part for name, part in ledger.parts.items() if part.fate == "gone" and name != SUPPRESSED}
    rest = ledger.total - sum(part.n for part in (*parts.values(), *gone_parts.values()))
    return account.updated(occurrences=Ledger(ledger.total, {**parts, SUPPRESSED: gone(rest), **gone_parts}))


SUPPRESSED = "suppressed"
_TOLD_BY_METHODS = ("generalized",)  # what methods tell of published occurrences, and `forms_of` tells in detail
_BY_KIND: dict[str, Callable[[Release, Accounting, AnyOriginal], Accounting]] = {BagTable.kind: _forms_of_records}
