"""What a method owes, held against it before and after it works: what it takes, what it publishes, what it claims and accounts for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from shoal.data.accounting import FATES, Accounting
from shoal.data.input_shapes import one
from shoal.data.original import AnyOriginal
from shoal.data.release import Release
from shoal.errors import GuaranteeNotMet, ParameterError
from shoal.methods import Method


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
        raise GuaranteeNotMet(f"the method {method.name} claims nothing, and does not say so", hint="nothing was written")
    if method.guarantees_nothing and (method.claims() or not method.not_protected):
        what = f"the method {method.name} guarantees nothing, and must make no claim and say what it does not protect"
        raise GuaranteeNotMet(what, hint="nothing was written")
    _insist_on_shape(method, original)
    if method.needs_taxonomy and not original.on_taxonomy:
        raise ParameterError(f"the method {method.name} needs a taxonomy", hint="name one with --taxonomy")
    changed = original.renamed
    if changed and not method.needs_taxonomy:
        raise ParameterError(
            f"the method {method.name} publishes names as they were typed, and {changed:,} words were renamed before it",
            hint="prepare the records with typed_names=True",
        )


def insist_on_honesty(release: Release, method: Method, original: AnyOriginal) -> None:
    """Raise unless a release promises what its method promises, is of its kind, and accounts for all that the method was given."""
    account, made = release.accounting, release.claims
    if method.claims() and not (made and all(any(claim.keeps(promise) for claim in made) for promise in method.claims())):
        raise GuaranteeNotMet(f"the release of the method {method.name} does not make the method's claims", hint="nothing was written")
    if account is None or {name: account[name].total for name in original.to_account()} != original.to_account():
        raise GuaranteeNotMet(
            f"the method {method.name} does not account for all {' and '.join(original.to_account())}", hint="nothing was written"
        )
    _insist_on_kind(release, method)
    _insist_on_fates(account, method)
    for name, table in release.tables.items():
        if not table.as_told(account):
            raise GuaranteeNotMet(f"the method {method.name} publishes another number of {name} than it says", hint="nothing was written")


def _insist_on_shape(method: Method, original: AnyOriginal) -> None:
    """Raise unless the method takes what it is given."""
    if original.shape == "bags" and "bags" not in method.takes and "sets" in method.takes:
        raise ParameterError(f"the method {method.name} takes sets, and these records repeat items", hint="leave out --bag")
    if original.shape not in method.takes:
        raise ParameterError(f"the method {method.name} takes {_and(method.takes)}, and this is {one(original.shape)}")


def _insist_on_fates(account: Accounting, method: Method) -> None:
    """Raise unless parts of the account have the fates that are known of them: the manifest tells names and numbers only."""
    known = {**FATES, **method.fates}
    wrong = [name for ledger in account.ledgers.values() for name, part in ledger.parts.items() if known.get(name, "gone") != part.fate]
    if wrong:
        raise GuaranteeNotMet(f"the method {method.name} does not say what becomes of {wrong[0]!r}", hint="nothing was written")


def _insist_on_kind(release: Release, method: Method) -> None:
    """Raise unless the release holds tables of the kind that the method says it publishes."""
    kind = "bags" if method.publishes == "sets" else method.publishes
    if release.kinds != {kind}:
        raise GuaranteeNotMet(f"the method {method.name} does not publish {kind}, as it says", hint="nothing was written")
    if method.publishes == "sets" and release.published.counts.max(initial=1) > 1:
        raise GuaranteeNotMet(f"the method {method.name} publishes items several times in a record", hint="nothing was written")


def _and(names: Iterable[str]) -> str:
    return " and ".join(sorted(names))
