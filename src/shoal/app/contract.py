"""What a method owes, held against it before and after it works: what it takes, what it publishes, what it claims and accounts for."""

from __future__ import annotations

from dataclasses import replace

from shoal.data.original import Original
from shoal.data.release import Release
from shoal.errors import GuaranteeNotMet, ParameterError
from shoal.methods import Method

NOT_REPEATABLE = "the result depends on the machine and its time limit: another run may give another release"


def made_by(method: Method, original: Original) -> Release:
    """The method's release of these records, or an error where either of them breaks the method's contract."""
    insist_on_input(method, original)
    release = method.apply(original)
    insist_on_honesty(release, method, original)
    return release if method.deterministic else replace(release, notes=(*release.notes, NOT_REPEATABLE))


def insist_on_input(method: Method, original: Original) -> None:
    """Raise unless the method can work on this original, and promises something."""
    if not method.claims() and not method.guarantees_nothing:
        raise GuaranteeNotMet(f"the method {method.name} claims nothing, and does not say so", hint="nothing was written")
    if not original.as_sets and "bags" not in method.takes:
        raise ParameterError(f"the method {method.name} takes sets, and these records repeat items", hint="leave out --bag")
    if method.needs_taxonomy and not original.on_taxonomy:
        raise ParameterError(f"the method {method.name} needs a taxonomy", hint="name one with --taxonomy")
    changed = original.steps.renamed + original.steps.lower_cased
    if changed and not method.needs_taxonomy:
        raise ParameterError(
            f"the method {method.name} publishes names as they were typed, and {changed:,} words were renamed before it",
            hint="prepare the records with typed_names=True",
        )


def insist_on_honesty(release: Release, method: Method, original: Original) -> None:
    """Raise unless a release promises what its method promises, is of its kind, and accounts for all that the method was given."""
    account, made = release.accounting, release.claims
    if method.claims() and not (made and all(any(claim.keeps(promise) for claim in made) for promise in method.claims())):
        raise GuaranteeNotMet(f"the release of the method {method.name} does not make the method's claims", hint="nothing was written")
    if account is None or (account.records.total, account.occurrences.total) != (len(original.bags), original.bags.occurrences):
        raise GuaranteeNotMet(f"the method {method.name} does not account for all records", hint="nothing was written")
    if account.records["published"] != release.n_records:
        raise GuaranteeNotMet(f"the method {method.name} publishes another number of records than it says", hint="nothing was written")
    if method.kind == "sets" and release.published.counts.max(initial=1) > 1:
        raise GuaranteeNotMet(f"the method {method.name} publishes items several times in a record", hint="nothing was written")
