"""Ontologies in OBO files: the stanzas `[Term]`, with `name`, `synonym`, `alt_id` and `is_a`.

Other relations than `is_a` are left out and counted, as are obsolete terms that no other term refers to. `!` begins a comment, and
`{...}` at the end of a line holds qualifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.errors import TaxonomyError
from shoal.taxonomy.ontology import ALTERNATIVE, CODE, PREFERRED, Concept, insist_on_label
from shoal.util.wording import counted

START = re.compile(r"(?:\s*!.*\n|\s*\n)*\s*(?:format-version:|\[Term\])")
_STANZA = re.compile(r"\[(\w+)\]")
_TAG = re.compile(r"((?:[^:\\]|\\.)+):\s*(.*)")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")
_SPECIAL = {"n": " ", "W": " ", "t": " "}
TERM = "Term"
_PARENT, _RELATION = "is_a", ("relationship", "intersection_of", "union_of")


@dataclass
class _Stanza:
    """The tags of a term."""

    line: int
    id: str = ""
    name: str | None = None
    synonyms: list[str] = field(default_factory=list)
    other_ids: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    relations: int = 0
    obsolete: bool = False

    def concept(self) -> Concept:
        named = [(self.name, PREFERRED)] if self.name is not None else []
        labels = [*named, *((label, ALTERNATIVE) for label in self.synonyms), *((code, CODE) for code in (self.id, *self.other_ids))]
        return Concept(self.id, self.name, tuple(labels), tuple(self.parents))


def concepts_of_obo(text: str) -> tuple[list[Concept], list[str]]:
    """Parse the terms of an OBO file. Also return notes on what was left out."""
    terms: dict[str, _Stanza] = {}
    for term in _terms(text):
        if not term.id:
            raise TaxonomyError(f"the term of line {term.line} has no id", code="taxonomy-line-invalid", line=term.line)
        if term.id in terms:
            raise TaxonomyError(f"the file describes {term.id!r} twice", code="duplicate-key", nodes=[term.id])
        terms[term.id] = term
    used = {above for term in terms.values() if not term.obsolete for above in term.parents}
    kept = [term for term in terms.values() if not term.obsolete or term.id in used]
    notes = []
    if len(kept) < len(terms):
        notes.append(f"{counted(len(terms) - len(kept), 'obsolete term')} left out")
    relations = sum(term.relations for term in kept)
    if relations:
        notes.append(f"{counted(relations, 'relation')} other than is_a left out")
    return [term.concept() for term in kept], notes


def _terms(text: str) -> Iterator[_Stanza]:
    current: _Stanza | None = None
    for number, line in enumerate(text.split("\n"), 1):
        plain = line.strip()
        if not plain or plain.startswith("!"):
            continue
        header = _STANZA.match(plain)
        if header:
            if current is not None:
                yield current
            current = _Stanza(number) if header[1] == TERM else None
        elif current is not None:
            _add(current, plain, number)
    if current is not None:
        yield current


def _add(term: _Stanza, line: str, number: int) -> None:
    """Add a tag to a term; tags that say nothing about labels and parents are ignored."""
    found = _TAG.fullmatch(line)
    if found is None:
        raise TaxonomyError(f"line {number} is no tag and value", code="taxonomy-line-invalid", line=number)
    tag, value = found[1].strip(), found[2]
    if tag == "synonym":
        quoted = _QUOTED.match(value)
        if quoted is None:
            raise TaxonomyError(f"the synonym of line {number} has no quotes", code="taxonomy-line-invalid", line=number)
        term.synonyms.append(_label(quoted[1]))
    elif tag in ("id", "name"):
        if getattr(term, tag):
            raise TaxonomyError(f"line {number} gives a term a second {tag}", code="taxonomy-line-invalid", line=number)
        setattr(term, tag, _label(_without_comment(value)))
    elif tag in (_PARENT, "alt_id"):
        code = _label(_without_comment(value))
        (term.parents if tag == _PARENT else term.other_ids).append(code)
    elif tag in _RELATION:
        term.relations += 1
    elif tag == "is_obsolete":
        term.obsolete = _without_comment(value).strip() == "true"


def _without_comment(value: str) -> str:
    """Return a value without its comment and its qualifiers."""
    plain = re.sub(r"(?<!\\)!.*$", "", value).strip()
    return re.sub(r"\s*(?<!\\)\{[^{}]*\}$", "", plain)


def _label(value: str) -> str:
    return insist_on_label(_ESCAPED.sub(lambda found: _SPECIAL.get(found[1], found[1]), value))
