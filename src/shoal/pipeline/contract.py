"""Checks before and after a method runs: its input, the tables it publishes, its claims and its accounting.

The account of a whole run is what the method accounts for, extended by what happened before the method got its input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from shoal.data.accounting import FATES, Accounting, Ledger, changed, gone
from shoal.data.claims import Model
from shoal.data.input_shapes import one
from shoal.data.occurrence_forms import forms_of
from shoal.data.original import LESS_FREQUENT, NOT_IN_TAXONOMY, REPEATED, AnyOriginal, DocumentOriginal, Original
from shoal.data.release import Release
from shoal.data.tables.bags import BagTable
from shoal.data.tables.rows import RowTable
from shoal.errors import GuaranteeNotMet, ParameterError, option
from shoal.io.extra_columns import extra_columns_of
from shoal.methods import Method
from shoal.pipeline.options import made_from_data
from shoal.pipeline.prepare import Prepared
from shoal.report.verdict_text import LACKING

# -- accounting of a whole run


USED = "used"  # the part of a file's rows that reached the method


def whole_account(release: Release, prepared: Prepared) -> Accounting:
    """Return the accounting of a release, starting from the rows of the file."""
    if release.accounting is None:
        raise GuaranteeNotMet("the release does not account for all of its input", code="accounting-incomplete", hint="nothing was written")
    return with_preparation(_in_detail(release, release.accounting, prepared.original), prepared)


def with_preparation(account: Accounting, prepared: Prepared) -> Accounting:
    """Extend the accounting of a method by what happened during preparation."""
    return _widened(account, prepared).updated(items=prepared.items.ledger if prepared.items else None)


def _widened(account: Accounting, prepared: Prepared) -> Accounting:
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
    """Split published occurrences of an accounting by the form in which they are published, as defined by the kind of each table."""
    for table in release.tables.values():
        if table.kind in _BY_KIND:
            account = _BY_KIND[table.kind](release, account, original)
    return account


def _forms_of_records(release: Release, account: Accounting, original: AnyOriginal) -> Accounting:
    """Count occurrences by the form in which they are published, plus those that the method represents in its own way."""
    if not isinstance(original, Original) or release.secret is None:
        raise GuaranteeNotMet(
            "the release does not contain the record-to-group mapping", code="mapping-not-recorded", hint="nothing was written"
        )
    ledger, forms = account.occurrences, forms_of(original, release.published, release.secret.rows())
    own = {name: part for name, part in ledger.parts.items() if part.fate == "changed" and name not in _GIVEN_IN_DETAIL}
    represented = max(0, ledger.of_fate("kept", "changed") - forms.published)
    if represented and len(own) != 1:
        raise GuaranteeNotMet(
            f"{represented:,} published occurrences are not accounted for",
            code="accounting-incomplete",
            hint="nothing was written",
        )
    parts = {**forms.parts(), **{name: changed(represented) for name in own}}
    removed_parts = {name: part for name, part in ledger.parts.items() if part.fate == "gone" and name != SUPPRESSED}
    rest = ledger.total - sum(part.n for part in (*parts.values(), *removed_parts.values()))
    return account.updated(occurrences=Ledger(ledger.total, {**parts, SUPPRESSED: gone(rest), **removed_parts}))


SUPPRESSED = "suppressed"
_GIVEN_IN_DETAIL = ("generalized",)  # an outcome that methods report, and `forms_of` in more detail
_BY_KIND: dict[str, Callable[[Release, Accounting, AnyOriginal], Accounting]] = {BagTable.kind: _forms_of_records}


# -- contract of a method


def made_by(method: Method, original: AnyOriginal, work: Callable[[], Release] | None = None) -> Release:
    """Return the method's release of these records. Raise if the method breaks its contract.

    `work` makes it in another way than the method's `apply`, under the same contract.
    """
    insist_on_input(method, original)
    release = method.apply(original) if work is None else work()
    insist_on_honesty(release, method, original)
    return release if method.deterministic else replace(release, notes=(*release.notes, method.varies))


def insist_on_input(method: Method, original: AnyOriginal) -> None:
    """Raise unless the method supports this original and makes a claim."""
    if not method.claims() and not method.guarantees_nothing:
        raise GuaranteeNotMet(
            f"the method {method.name} claims nothing, but does not declare it", code="method-contract-broken", hint="nothing was written"
        )
    if method.guarantees_nothing and (method.claims() or not method.not_protected):
        what = f"the method {method.name} guarantees nothing, so it must make no claim and declare what it does not protect"
        raise GuaranteeNotMet(what, code="method-contract-broken", hint="nothing was written")
    _insist_on_shape(method, original)
    if method.needs_taxonomy and not original.on_taxonomy:
        raise ParameterError(
            f"the method {method.name} needs a taxonomy", code="needs-taxonomy", hint=f"name one with {option('taxonomy')}"
        )
    changed = original.renamed
    if changed and not method.needs_taxonomy:
        raise ParameterError(
            f"the method {method.name} publishes names as they were typed, but {changed:,} items were renamed before it",
            code="names-changed",
            hint="prepare the records with typed_names=True",
        )


def insist_on_public_taxonomy(method: Method, taxonomy: str) -> None:
    """Raise if the taxonomy is made from the data, but the guarantee of the method assumes that it is public."""
    if method.public_taxonomy and made_from_data(taxonomy):
        raise ParameterError(
            f"the guarantee of the method {method.name} needs a taxonomy that does not depend on the data, but this one is made from it",
            code="taxonomy-not-public",
            hint=f"name a file with {option('taxonomy')} that lists all items that there may be, such as a product catalogue",
        )


def insist_on_honesty(release: Release, method: Method, original: AnyOriginal) -> None:
    """Raise unless a release makes the claims of its method, has the declared kind, and accounts for all of the input."""
    account, claims = release.accounting, release.claims
    if method.claims() and not (claims and all(any(claim.keeps(promise) for claim in claims) for promise in method.claims())):
        raise GuaranteeNotMet(
            f"the release of the method {method.name} does not make the method's claims",
            code="method-contract-broken",
            hint="nothing was written",
        )
    if account is None or {name: account[name].total for name in original.to_account()} != original.to_account():
        raise GuaranteeNotMet(
            f"the method {method.name} does not account for all {' and '.join(original.to_account())}",
            code="method-contract-broken",
            hint="nothing was written",
        )
    _insist_on_kind(release, method)
    _insist_on_fates(account, method)
    for name, table in release.tables.items():
        if not table.agrees_with(account):
            raise GuaranteeNotMet(
                f"the method {method.name} publishes another number of {name} than it declares",
                code="method-contract-broken",
                hint="nothing was written",
            )


def _insist_on_shape(method: Method, original: AnyOriginal) -> None:
    """Raise unless the method supports this type of input."""
    if original.shape == "bags" and "bags" not in method.takes and "sets" in method.takes:
        raise ParameterError(
            f"the method {method.name} takes sets, but these records repeat items",
            code="repeated-items",
            hint=f"leave out {option('bag', True)}",
        )
    if original.shape not in method.takes:
        raise ParameterError(
            f"the method {method.name} takes {_and(method.takes)}, but this is {one(original.shape)}", code="wrong-kind-of-input"
        )


def _insist_on_fates(account: Accounting, method: Method) -> None:
    """Raise unless the parts of the accounting have the outcomes declared for their names: the manifest contains names and numbers only."""
    known = {**FATES, **method.fates}
    wrong = [name for ledger in account.ledgers.values() for name, part in ledger.parts.items() if known.get(name, "gone") != part.fate]
    if wrong:
        raise GuaranteeNotMet(
            f"the method {method.name} does not declare the outcome of {wrong[0]!r}",
            code="method-contract-broken",
            hint="nothing was written",
        )


def _insist_on_kind(release: Release, method: Method) -> None:
    """Raise unless the release contains tables of the kind that the method declares."""
    kind = "bags" if method.publishes == "sets" else method.publishes
    if release.kinds != {kind}:
        raise GuaranteeNotMet(
            f"the method {method.name} does not publish {kind} as it declares", code="method-contract-broken", hint="nothing was written"
        )
    if method.publishes == "sets" and release.published.counts.max(initial=1) > 1:
        raise GuaranteeNotMet(
            f"the method {method.name} publishes items several times in a record", code="method-contract-broken", hint="nothing was written"
        )


def _and(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))


# Consent: a method without a guarantee runs only on explicit request, and its release states the lack everywhere.


OPTION = option("no-guarantee", True)


def insist_on_consent(method: Method, consent: bool) -> None:
    """Raise if a method without a guarantee was not explicitly allowed, or if a method with a claim was run with that permission."""
    if not isinstance(consent, bool):
        raise ParameterError(f"{option('no-guarantee')} is yes or no, not {consent!r}", code="wrong-type", value=consent)
    if method.guarantees_nothing and not consent:
        what = f"the method {method.name} guarantees nothing. Not protected: {method.not_protected}"
        raise ParameterError(what, code="guarantees-nothing", hint=f"{OPTION} runs it nevertheless")
    if consent and not method.guarantees_nothing:
        raise ParameterError(
            f"{OPTION} is for methods that guarantee nothing, but {method.name} makes a claim",
            code="option-not-applicable",
            hint="leave it out",
        )


def stated_lack(method: Method) -> dict[str, str]:
    """Return the manifest entry of a release without a guarantee; empty for all others."""
    return {LACKING: f"Nothing is guaranteed. Not protected: {method.not_protected}."} if method.guarantees_nothing else {}


# Columns of published rows that no claim covers are not verified.


def unjudged_columns(release: Release, models: Sequence[Model], kept_columns: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the columns of rows that no model covers and that do not merely number the rows. Empty if there is no model.

    Columns that the user keeps unchanged (`kept_columns`) do not count.
    """
    tables = release.tables_of(RowTable) if models else []
    names: dict[str, None] = {}
    for table in tables:
        judged = {name for model in models for name in model.judged_columns(table)}
        names |= dict.fromkeys(extra_columns_of(table.frame, judged)[0])
    return tuple(name for name in names if name not in kept_columns)
