"""The account of a whole run: what the method tells of what it was given, widened by what happened before."""

from __future__ import annotations

from shoal.app.prepare import Prepared
from shoal.data.accounting import Accounting, changed, kept
from shoal.data.original import NOT_IN_TAXONOMY, REPEATED, AnyOriginal, Original
from shoal.data.release import Release
from shoal.errors import GuaranteeNotMet

USED = "used"  # the part of a file's rows that reached the method


def whole_account(release: Release, prepared: Prepared) -> Accounting:
    """The account of a release from the file's rows on."""
    if release.accounting is None:
        raise GuaranteeNotMet("the release does not account for what it was made from", hint="nothing was written")
    return with_preparation(_spelled_out(release, release.accounting, prepared.original), prepared)


def with_preparation(account: Accounting, prepared: Prepared) -> Accounting:
    """A method's account, widened by what happened before the method saw its input."""
    original, rows = prepared.original, prepared.reading.rows if prepared.reading else None
    if not isinstance(original, Original):
        return account if rows is None else account.updated(rows=rows.split(USED, account["rows"].parts))
    occurrences = account.occurrences.widened(NOT_IN_TAXONOMY, original.steps.unknown_dropped)
    occurrences = occurrences.widened(REPEATED, original.steps.repeats_dropped)
    return account.updated(occurrences=occurrences, rows=rows, words=original.steps.ledger)


def _spelled_out(release: Release, account: Accounting, original: AnyOriginal) -> Accounting:
    """The method's account, with what was kept told apart: an item whose name is not what was typed is renamed, not kept."""
    if not isinstance(original, Original) or "bags" not in release.kinds:
        return account
    if release.secret is None:
        raise GuaranteeNotMet("the release does not record which record became which", hint="nothing was written")
    same = account.occurrences["kept"]
    renamed = min(same, original.misspelled(release.published, release.secret.rows()))
    parts = {"kept": kept(same - renamed), "renamed": changed(renamed)}
    return account.updated(occurrences=account.occurrences.split("kept", parts))
