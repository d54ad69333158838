"""What a method owes, held against it before and after it works: what it takes, what it publishes, what it claims and accounts for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from shoal.data.accounting import FATES, Accounting
from shoal.data.claims import Model
from shoal.data.input_shapes import one
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.data.tables.rows import RowTable
from shoal.errors import GuaranteeNotMet, ParameterError, option
from shoal.io.extra_columns import columns_beside
from shoal.methods import Method
from shoal.report.verdict_text import LACKING


def made_by(method: Method, original: AnyOriginal, work: Callable[[], Release] | None = None) -> Release:
    """The method's release of these records, or an error where either of them breaks the method's contract.

    `work` makes it in another way than the method's `apply`, under the same contract.
    """
    insist_on_input(method, original)
    release = method.apply(original) if work is None else work()
    insist_on_honesty(release, method, original)
    return release if method.deterministic else replace(release, notes=(*release.notes, method.varies))


def insist_on_input(method: Method, original: AnyOriginal) -> None:
    """Raise unless the method can work on this original, and promises something."""
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
            f"the method {method.name} publishes names as they were typed, but {changed:,} words were renamed before it",
            code="names-changed",
            hint="prepare the records with typed_names=True",
        )


def insist_on_honesty(release: Release, method: Method, original: AnyOriginal) -> None:
    """Raise unless a release promises what its method promises, is of its kind, and accounts for all that the method was given."""
    account, made = release.accounting, release.claims
    if method.claims() and not (made and all(any(claim.keeps(promise) for claim in made) for promise in method.claims())):
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
        if not table.as_told(account):
            raise GuaranteeNotMet(
                f"the method {method.name} publishes another number of {name} than it declares",
                code="method-contract-broken",
                hint="nothing was written",
            )


def _insist_on_shape(method: Method, original: AnyOriginal) -> None:
    """Raise unless the method takes what it is given."""
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
    """Raise unless parts of the account have the fates that are known about them: the manifest tells names and numbers only."""
    known = {**FATES, **method.fates}
    wrong = [name for ledger in account.ledgers.values() for name, part in ledger.parts.items() if known.get(name, "gone") != part.fate]
    if wrong:
        raise GuaranteeNotMet(
            f"the method {method.name} does not declare the outcome of {wrong[0]!r}",
            code="method-contract-broken",
            hint="nothing was written",
        )


def _insist_on_kind(release: Release, method: Method) -> None:
    """Raise unless the release holds tables of the kind that the method says it publishes."""
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


# Consent: a method that guarantees nothing works only where its user asked for that, and its release says so wherever it is described.


OPTION = option("no-guarantee", True)


def insist_on_consent(method: Method, given: bool) -> None:
    """Raise if a method guarantees nothing and nobody requested that, or where that was asked of a method that makes a claim."""
    if not isinstance(given, bool):
        raise ParameterError(f"{option('no-guarantee')} is yes or no, not {given!r}", code="wrong-type", value=given)
    if method.guarantees_nothing and not given:
        what = f"the method {method.name} guarantees nothing. Not protected: {method.not_protected}"
        raise ParameterError(what, code="guarantees-nothing", hint=f"{OPTION} runs it nevertheless")
    if given and not method.guarantees_nothing:
        raise ParameterError(
            f"{OPTION} is for methods that guarantee nothing, but {method.name} makes a claim",
            code="option-not-applicable",
            hint="leave it out",
        )


def stated_lack(method: Method) -> dict[str, str]:
    """What the manifest says about a release without a guarantee; nothing of any other."""
    return {LACKING: f"Nothing is guaranteed. Not protected: {method.not_protected}."} if method.guarantees_nothing else {}


# Columns of published rows that no claim is about: whatever stands in them goes unjudged.


def unjudged_columns(release: Release, models: Sequence[Model], meant: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns of rows that none of these models judges, and that do more than number the rows. Without a model there is no judging.

    Columns that are `meant` to be published as they are do not count.
    """
    tables = release.tables_of(RowTable) if models else []
    found: dict[str, None] = {}
    for table in tables:
        judged = {name for model in models for name in model.judged_columns(table)}
        found |= dict.fromkeys(columns_beside(table.frame, judged)[0])
    return tuple(name for name in found if name not in meant)
