"""Thesauri in SKOS (W3C, 2009), as RDF/XML, Turtle or N-Triples: concepts with labels, and the concepts that are broader.

Concepts are called in one language: English if a preferred label is English, otherwise the one with the most preferred labels. Labels in
other languages are labels too, after those of this one. Collections, schemes, notes and matches with other thesauri are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from shoal.errors import TaxonomyError
from shoal.io.read.ontologies.rdf_xml import TYPE, Triple, triples_of_xml
from shoal.io.read.ontologies.turtle import triples_of_turtle
from shoal.taxonomy.ontology import ALTERNATIVE, CODE, OTHER_LANGUAGE, PREFERRED, Concept, insist_on_label
from shoal.util.wording import counted

SKOS, XL = "http://www.w3.org/2004/02/skos/core#", "http://www.w3.org/2008/05/skos-xl#"
DEPRECATED, LITERAL = "http://www.w3.org/2002/07/owl#deprecated", f"{XL}literalForm"
ENGLISH = "en"
XML_STARTS = ("<?xml", "<!--", "<!DOCTYPE", "<rdf:", "<RDF")
_KINDS = {f"{SKOS}prefLabel": PREFERRED, f"{SKOS}altLabel": ALTERNATIVE, f"{SKOS}hiddenLabel": ALTERNATIVE, f"{SKOS}notation": CODE}
_EXTENDED = {f"{XL}prefLabel": PREFERRED, f"{XL}altLabel": ALTERNATIVE, f"{XL}hiddenLabel": ALTERNATIVE}
_UPWARDS, _DOWNWARDS = f"{SKOS}broader", f"{SKOS}narrower"

Label = tuple[str, str, int]  # text, language and kind


@dataclass
class _Thesaurus:
    """What the statements say about each resource."""

    concepts: dict[str, None] = field(default_factory=dict)  # in the order of the file
    labels: dict[str, dict[Label, None]] = field(default_factory=dict)
    broader: dict[str, dict[str, None]] = field(default_factory=dict)
    deprecated: set[str] = field(default_factory=set)


def concepts_of_skos(text: str) -> tuple[list[Concept], list[str]]:
    """Parse the concepts of a SKOS file. Also return notes on what was chosen and left out."""
    is_xml = text.lstrip().startswith(XML_STARTS)
    found = _gathered(triples_of_xml(text) if is_xml else triples_of_turtle(text))
    if not found.concepts:
        raise TaxonomyError("the file has no SKOS concepts", code="empty-input", hint="concepts have the type skos:Concept")
    used = {above for concept in found.concepts if concept not in found.deprecated for above in found.broader.get(concept, ())}
    kept = [concept for concept in found.concepts if concept not in found.deprecated or concept in used]
    language, notes = _language(found, kept)
    if len(kept) < len(found.concepts):
        notes.append(f"{counted(len(found.concepts) - len(kept), 'deprecated concept')} left out")
    concepts = [_concept(one, found, language) for one in kept]
    nameless = sum(concept.label is None for concept in concepts)
    if nameless:
        notes.append(f"{counted(nameless, 'concept has', 'concepts have')} no preferred label and the end of their address as name")
    return concepts, notes


def _gathered(triples: Iterable[Triple]) -> _Thesaurus:
    found, forms, extended = _Thesaurus(), dict[str, Triple](), list[tuple[str, str, int]]()
    for triple in triples:
        subject, predicate, value, language = triple
        if predicate == TYPE and value == f"{SKOS}Concept":
            found.concepts[subject] = None
        elif predicate in _KINDS and language is not None:
            found.labels.setdefault(subject, {})[(insist_on_label(value), language.lower(), _KINDS[predicate])] = None
        elif predicate in _EXTENDED and language is None:
            extended.append((subject, value, _EXTENDED[predicate]))
        elif predicate == LITERAL and language is not None:
            forms[subject] = triple
        elif predicate in (_UPWARDS, _DOWNWARDS) and language is None:
            below, above = (subject, value) if predicate == _UPWARDS else (value, subject)
            found.broader.setdefault(below, {})[above] = None
            found.concepts |= {subject: None}
        elif predicate == DEPRECATED and value in ("true", "1"):
            found.deprecated.add(subject)
    for concept, label, kind in extended:
        if label in forms:
            text = insist_on_label(forms[label].object)
            found.labels.setdefault(concept, {})[(text, str(forms[label].language).lower(), kind)] = None
    absent = [below for below in found.broader if below not in found.concepts]
    if absent:
        raise TaxonomyError(
            f"concepts that the file does not describe: {', '.join(map(repr, sorted(absent)[:5]))}",
            code="taxonomy-parent-missing",
            hint="a file must have all concepts that it refers to",
            nodes=sorted(absent),
        )
    return found


def _language(thesaurus: _Thesaurus, concepts: Iterable[str]) -> tuple[str, list[str]]:
    """Return the language in which concepts are called, and a note if there are several."""
    often = Counter(
        language
        for concept in concepts
        for language in {_main(of) for _, of, kind in thesaurus.labels.get(concept, ()) if kind == PREFERRED}
    )
    if not often:
        return "", []
    language = ENGLISH if ENGLISH in often else min(often, key=lambda one: (-often[one], one))
    others = len(often) - 1
    return language, [f"concepts are named in the language {language!r}; preferred labels exist in {others:,} more"] if others else []


def _main(language: str) -> str:
    return language.partition("-")[0]


def _concept(identity: str, thesaurus: _Thesaurus, language: str) -> Concept:
    """Return a concept; of several preferred labels of the language the first by name is that of the concept."""
    labels = list(thesaurus.labels.get(identity, ()))
    own = sorted(text for text, of, kind in labels if kind == PREFERRED and _main(of) == language)
    named = own or sorted(text for text, _, kind in labels if kind == PREFERRED)
    typed = [(text, _kind(text, of, kind, named, language)) for text, of, kind in labels]
    return Concept(identity, named[0] if named else None, (*typed, (identity, CODE)), tuple(thesaurus.broader.get(identity, ())))


def _kind(text: str, of: str, kind: int, named: list[str], language: str) -> int:
    if kind == CODE:
        return CODE
    if kind == PREFERRED and text == named[0]:
        return PREFERRED
    return ALTERNATIVE if _main(of) in (language, "") else OTHER_LANGUAGE
