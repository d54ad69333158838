"""Consent: a method that guarantees nothing works only where its user asked for that, and its release says so wherever it is described."""

from __future__ import annotations

from shoal.errors import ParameterError
from shoal.methods import Method
from shoal.report.lacking import LACKING

OPTION = "--no-guarantee"


def insist_on_consent(method: Method, given: bool) -> None:
    """Raise where a method guarantees nothing and nobody asked for that, or where that was asked of a method that makes a claim."""
    if not isinstance(given, bool):
        raise ParameterError(f"{OPTION} is yes or no, not {given!r}", value=given)
    if method.guarantees_nothing and not given:
        what = f"the method {method.name} guarantees nothing. Not protected: {method.not_protected}"
        raise ParameterError(what, hint=f"{OPTION} runs it nevertheless")
    if given and not method.guarantees_nothing:
        raise ParameterError(f"{OPTION} is for methods that guarantee nothing, and {method.name} makes a claim", hint="leave it out")


def stated_lack(method: Method) -> dict[str, str]:
    """What the manifest says of a release without a guarantee; nothing of any other."""
    return {LACKING: f"Nothing is guaranteed. Not protected: {method.not_protected}."} if method.guarantees_nothing else {}
