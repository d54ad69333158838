"""How a release is cited: what was done to the data, by which method of which paper, with which parameters and which version.

Nothing of the input is in it: no path, no name of a file, no owner, no item.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.data.items import without_names
from shoal.methods import METHODS
from shoal.parameters import Typed
from shoal.report.number_format import number, plain, spoken
from shoal.report.verdict_text import lack_of

OWN = "this project"  # the paper of a method that has none
TITLE = "shoal: anonymization of query logs, baskets and click streams"
_SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_SPECIAL |= {sign: f"\\{sign}" for sign in "&%$#_"}


@dataclass(frozen=True)
class Citation:
    """The same in a sentence and as BibTeX."""

    sentence: str
    bibtex: str


def citation_of(manifest: Mapping[str, Any]) -> Citation:
    """How a release with this manifest is cited."""
    version, method = plain(str(manifest.get("shoal", ""))), plain(str(manifest.get("method") or "not recorded"))
    paper = METHODS[method].paper if method in METHODS else OWN
    given = ", ".join(f"{spoken(key)} = {value}" for key, value in _parameters(method, manifest.get("parameters", {})))
    claims = ", ".join(without_names(plain(str(claim["model"]))) for claim in manifest.get("claims", []))
    promised = "no guarantee" if lack_of(manifest) or not claims else f"guarantee: {claims}"
    source = "" if paper == OWN else f" ({paper})"
    sentence = f"Anonymized with shoal {version} by the method {method}{source}{f' with {given}' if given else ''}; {promised}."
    note = f"Method {method}{f'; {given}' if given else ''}; {promised}"
    entries = [_entry("software", "shoal", {"title": TITLE, "version": version, "note": note})]
    if paper != OWN:
        entries.append(_entry("misc", f"shoal-{method}", {"title": f"The method {method}", "howpublished": paper, **_year(paper)}))
    return Citation(sentence, "\n\n".join(entries))


def _parameters(method: str, given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Parameters that are set; of what is a text of the user's own, such as a list of items, only that it was given."""
    chosen = {p.name for p in METHODS[method].parameters() if p.choices or issubclass(p.type, Typed)} if method in METHODS else set()
    return [(key, _shown(value, key in chosen)) for key, value in given.items() if value is not None]


def _shown(value: Any, chosen: bool) -> str:
    if isinstance(value, str) and not chosen:
        return "given"
    return str(value) if type(value) is int else number(value)


def _year(paper: str) -> dict[str, str]:
    found = re.findall(r"\b(?:19|20)\d\d\b", paper)
    return {"year": found[-1]} if found else {}


def _entry(kind: str, key: str, fields: Mapping[str, str]) -> str:
    lines = [f"  {name} = {{{_escaped(value)}}}" for name, value in fields.items()]
    return f"@{kind}{{{re.sub(r'[^A-Za-z0-9-]', '-', key)},\n" + ",\n".join(lines) + "\n}"


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)
