"""Claims beyond those of the method: requested by the publisher and verified like all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from shoal import __version__
from shoal.data.bags import Bags
from shoal.data.claims import Model, Verdict, verified_if
from shoal.data.item_costs import ItemCosts
from shoal.data.items import A_FILE, A_LIST, UNDER, Items, ItemWeights, without_names
from shoal.data.log import Log, Per
from shoal.data.original import AnyOriginal, DocumentOriginal, Original
from shoal.data.personal_items import PersonalItems
from shoal.data.release import Release
from shoal.errors import GuaranteeNotMet, ParameterError, option
from shoal.io.read.parameter_files import with_files_read
from shoal.methods import METHODS, Method
from shoal.parameters import Declared, Param
from shoal.pipeline.contract import stated_lack
from shoal.pipeline.topic_claims import claims_owed
from shoal.privacy import MODELS
from shoal.report.summary import PROTECTS
from shoal.report.verdict_text import LACKING, REACHED, lack_of, reached
from shoal.util.wording import counted

Claims = Sequence[str | Model] | str | Model


def parse_claims(claims: Claims) -> list[Model]:
    """Parse claims such as `km-anonymity(k=5, m=2)`, and read the files they name. Claims that are models already are kept."""
    several = [claims] if isinstance(claims, (str, Model)) else claims
    return [with_files_read(MODELS.make(claim) if isinstance(claim, str) else claim) for claim in several]


def stated_claims(verdicts: Sequence[Verdict], from_files: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return the claims of a manifest: each verdict, what it reached in words, and the level that the files alone show."""
    entries = []
    for verdict, alone in zip(verdicts, from_files, strict=True):
        sentence = reached(verdict.claim, verdict.achieved, holds=verdict.holds)
        entries.append({**verdict.as_dict(), **({REACHED: sentence} if sentence else {}), "achieved_from_file": alone.achieved})
    return entries


def claims_for(method: Method, claims: Claims) -> tuple[Model, ...]:
    """Return the requested claims. Raise early if a model cannot verify what the method publishes."""
    requested = parse_claims(claims)
    if requested and method.guarantees_nothing:
        what = f"the method {method.name} guarantees nothing, so its release makes no claim"
        raise ParameterError(
            what, code="claim-not-applicable", hint=f"`shoal audit` with {option('claim', placeholder='MODEL')} verifies it nevertheless"
        )
    kind = "bags" if method.publishes == "sets" else method.publishes
    for claim in requested:
        if any(isinstance(value, Items | PersonalItems) for value in claim.values().values()):
            raise ParameterError(
                f"{claim.name} names items, but claims are published: only a method can describe sensitive items without naming them",
                code="claim-names-items",
                hint=f"leave the items out of {option('claim')}, or use a method for that model",
            )
        if kind not in claim.judges:
            raise ParameterError(
                f"{claim.name} is about tables of {' and '.join(sorted(claim.judges))}, but the method {method.name} publishes {kind}",
                code="claim-not-applicable",
                hint="`shoal models` lists the others",
            )
        if not claim.safe_numbers:
            raise ParameterError(
                f"{claim.name} is a property of how a release is made and cannot be claimed for another method",
                code="claim-not-applicable",
                hint=f"leave that {option('claim')} out",
            )
    return tuple(requested)


def with_further(release: Release, further: Sequence[Model]) -> Release:
    """Return the release with these claims added. Claims that it already makes are not repeated."""
    claimed = {str(claim) for claim in release.claims}
    new = {str(claim): claim for claim in further if str(claim) not in claimed}
    return replace(release, claims=(*release.claims, *new.values()))


def insist_on_counting(verdicts: Sequence[Verdict], further: Sequence[Model]) -> None:
    """Raise if an additional claim was not verified by counting: only a method can claim something by construction."""
    requested = {str(claim) for claim in further}
    for verdict in verdicts:
        if verdict.claim in requested and verdict.holds and verdict.standing != "verified":
            why = verdict.unchecked or f"it is {verdict.standing}"
            raise GuaranteeNotMet(
                f"{without_names(verdict.claim)} was requested but cannot be verified: {why}",
                code="claim-not-verified",
                hint="nothing was written",
            )


# Verify that a manifest makes the claims that its method guarantees for the recorded parameters.


def claims_of(manifest: Mapping[str, Any]) -> list[Model]:
    """Return the claims of a manifest as models. Files that they name are not read."""
    return [MODELS.make(claim["model"]) for claim in manifest["claims"]]


def as_promised(manifest: Mapping[str, Any]) -> Verdict:
    """Verify that a manifest makes at least the claims of its method, and states that all of them hold."""
    broken = [f"the manifest itself says that {claim['model']} does not hold" for claim in manifest["claims"] if not claim["holds"]]
    try:
        method = method_of(manifest)
        promises, owed = method.claims(), claims_owed(manifest)
    except ParameterError as error:
        return Verdict(
            "claims of the method present", "fails", {}, (*broken, f"the method and its parameters are invalid: {error.message}")
        )
    claimed = claims_of(manifest)
    for promise in promises:
        if not any(claim.keeps(promise) for claim in claimed):
            broken.append(f"the method {manifest['method']} with these parameters guarantees {_claim_text(promise)}, which is not claimed")
    missing = [promise for promise in owed if not any(claim.keeps(promise) for claim in claimed)]
    broken += [f"names of topics that were learned from the data need {_claim_text(promise)}, which is not claimed" for promise in missing]
    broken += _lack_misstated(manifest, method)
    return Verdict("claims of the method present", verified_if(not broken), {"claims": len(claimed)}, tuple(broken))


def some_guarantee(manifest: Mapping[str, Any]) -> list[Verdict]:
    """Return a failed verdict if the manifest states that nothing is guaranteed, and no verdict if it makes a claim."""
    lack = lack_of(manifest)
    return [Verdict("some guarantee", "fails", {}, (lack,), ("the option `no-guarantee` accepts this",))] if lack else []


def _lack_misstated(manifest: Mapping[str, Any], method: Method) -> list[str]:
    """Return what is wrong with the statement that a release has no guarantee: only methods without a guarantee may make it, in their own
    words.
    """
    if method.guarantees_nothing and manifest["claims"]:
        return [f"the method {method.name} guarantees nothing, but the manifest makes a claim"]
    if lack_of(manifest) != stated_lack(method).get(LACKING, ""):
        return [f"{LACKING} is not what the method {method.name} with these parameters leaves unprotected"]
    return []


def method_of(manifest: Mapping[str, Any]) -> Method:
    """Return the method that a manifest names, with its parameters. Of items and weights, it only records that there were some.

    A release of another version may lack parameters that were added since; they have their default then.
    """
    kind, parameters = METHODS[manifest["method"]], manifest["parameters"]
    known = {declared.name: declared for declared in kind.parameters()}
    other_version = manifest.get("shoal") != __version__
    for name in parameters.keys() - known.keys() if other_version else known.keys() ^ parameters.keys():
        raise ParameterError(
            f"the method {kind.name} {'is listed without' if name in known else 'takes no'} parameter {name!r}", code="unknown-option"
        )
    return kind(**{name: _value(known[name], value) for name, value in parameters.items()})


def _value(declared: Param, described: Any) -> Any:
    if described is None or declared.type not in {Items, ItemCosts, ItemWeights, PersonalItems}:
        return described
    if not isinstance(described, str):
        raise ParameterError(f"{declared.name} is described in words, not by {described!r}", code="invalid-description")
    if declared.type is Items and described.startswith(UNDER):
        return Items.parse(described)
    if described not in {A_FILE, A_LIST}:
        raise ParameterError(
            f"{declared.name} is described as {A_FILE!r} or {A_LIST!r}, or as {UNDER}NODE, and by nothing else", code="invalid-description"
        )
    return declared.type(label=described)


def _claim_text(promise: Declared) -> str:
    """Describe a claim without the items it names."""
    values = {name: value for name, value in promise.values().items() if value is not None and not isinstance(value, Items)}
    return f"{promise.name}({', '.join(f'{name}={value}' for name, value in values.items())})"


# Description of what a guarantee about records protects: a single record, or a whole history if each person has one record.


WAYS: tuple[Per, ...] = ("user", "session", "event")


def protected(per: Per, people: int | str = "k") -> str:
    """Describe what is protected with records per `per`. `people` is the guaranteed number of people per published record, or 0."""
    among = f" among at least {people} people" if people else ""
    if per == "user":
        return f"a person's whole history{among}"
    return f"each {per}{among}, but not a person's whole history of several {per}s"


def protection(claims: Sequence[Model], original: AnyOriginal, per: Per) -> dict[str, str]:
    """Describe what the claims about records protect, for the manifest. Empty if each person has one record or nothing is claimed."""
    if not claims:
        return {}
    if isinstance(original, DocumentOriginal) and original.vectors.owners_repeat:
        return {PROTECTS: f"each document among at least {_people(claims)} people, but not all documents of a person together"}
    if not isinstance(original, Original) or not original.typed.owners_repeat:
        return {}
    return {PROTECTS: protected(per, _people(claims))}


def _people(claims: Sequence[Model]) -> int:
    return max((claim.generalized_groups or 0 for claim in claims), default=0)


def protection_by_per(data: Log | Bags, gap: timedelta, timed: bool = False) -> dict[str, str]:
    """For each unit of a record (user, session, event), return the number of records and what would be protected.

    `timed` says that the file has times, though they may not have been read.
    """
    if isinstance(data, Bags):
        return {"user": f"{counted(len(data), 'record')}, one per person; hides each among at least k people"}
    ways = ("record", *WAYS) if data.has_records else WAYS
    return {per: _with_number(data, per, gap, timed) for per in ways}


def _with_number(log: Log, per: Per, gap: timedelta, timed: bool) -> str:
    if per == "session" and not log.timed:
        column = option("time", placeholder="COLUMN")
        possible = f"possible if {column} names a column with times"
        how_many = "not counted, because times are read only for records per session" if timed else possible
        return f"{how_many}; hides {protected(per)}"
    return f"{counted(log.n_records(per, gap), 'record')}; hides {protected(per)}"
