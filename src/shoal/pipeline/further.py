"""Claims that a release makes beyond those of its method: asked for by whoever publishes it, and judged like all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.data.items import Items, without_names
from shoal.data.release import Release
from shoal.errors import GuaranteeNotMet, ParameterError
from shoal.io.read.parameter_files import with_files_read
from shoal.methods import Method
from shoal.privacy import MODELS, Model, Verdict

Claims = Sequence[str | Model] | str | Model


def asked_claims(claims: Claims) -> list[Model]:
    """Claims as they are typed, such as `km-anonymity(k=5, m=2)`, or as values; what files they name is read."""
    several = [claims] if isinstance(claims, (str, Model)) else claims
    return [with_files_read(MODELS.make(claim) if isinstance(claim, str) else claim) for claim in several]


def claims_for(method: Method, claims: Claims) -> tuple[Model, ...]:
    """The claims that were asked for; refused before the work where a model does not judge what the method publishes."""
    asked = asked_claims(claims)
    if asked and method.guarantees_nothing:
        what = f"the method {method.name} guarantees nothing, and its release makes no claim"
        raise ParameterError(what, hint="`shoal audit RELEASE --claim MODEL` judges it all the same")
    kind = "bags" if method.publishes == "sets" else method.publishes
    for claim in asked:
        if any(isinstance(value, Items) for value in claim.values().values()):
            raise ParameterError(
                f"{claim.name} names items here, and a claim is published: only a method can name them by what is left of them",
                hint="leave the items out of --claim, or take the method of that model",
            )
        if kind not in claim.judges:
            raise ParameterError(
                f"{claim.name} is about tables of {' and '.join(sorted(claim.judges))}, and the method {method.name} publishes {kind}",
                hint="`shoal models` lists the others",
            )
        if not claim.safe_numbers:
            raise ParameterError(
                f"{claim.name} holds of how a release is made, and cannot be claimed of another method's", hint="leave that --claim out"
            )
    return tuple(asked)


def with_further(release: Release, further: Sequence[Model]) -> Release:
    """The release with these claims too; one that it makes already is not made twice."""
    made = {str(claim) for claim in release.claims}
    new = {str(claim): claim for claim in further if str(claim) not in made}
    return replace(release, claims=(*release.claims, *new.values()))


def insist_on_counting(verdicts: Sequence[Verdict], further: Sequence[Model]) -> None:
    """Raise where a further claim does not fail, but was not counted either: only a method knows what it does by construction."""
    asked = {str(claim) for claim in further}
    for verdict in verdicts:
        if verdict.claim in asked and verdict.holds and verdict.standing != "verified":
            why = verdict.unchecked or f"it stands {verdict.standing}"
            raise GuaranteeNotMet(f"{without_names(verdict.claim)} was asked for and cannot be counted: {why}", hint="nothing was written")
