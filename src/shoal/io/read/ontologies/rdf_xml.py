"""Triples from RDF/XML, by the XML parser of the standard library.

A file that declares entities is refused: their expansion can fill the memory, and external ones would open other files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urljoin
from xml.parsers import expat

from shoal.errors import TaxonomyError

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TYPE = f"{RDF}type"
XML = "http://www.w3.org/XML/1998/namespace"
_SYNTAX = frozenset(f"{RDF}{name}" for name in ("RDF", "about", "ID", "nodeID", "resource", "parseType", "datatype", "Description"))
_IGNORED = ("Literal", "Collection")  # contents that are no properties
DEEPEST = 1_000  # elements within each other


class Triple(NamedTuple):
    """A statement. `language` is None if the object is a resource, and empty if it is a text of no language."""

    subject: str
    predicate: str
    object: str
    language: str | None


def resolved(base: str, address: str) -> str:
    """Return an address relative to a base; as it is if one of them is not well-formed."""
    try:
        return urljoin(base, address)
    except ValueError:
        return address


@dataclass
class _Element:
    """An open element: a node with its ID, or a property of the node around it."""

    is_node: bool
    subject: str
    predicate: str = ""
    language: str = ""
    base: str = ""
    object: str | None = None  # of a property that names a resource
    text: list[str] = field(default_factory=list)
    ignored: bool = False


def triples_of_xml(text: str) -> Iterator[Triple]:
    """Parse the statements of an RDF/XML file, whose declared encoding does not count, because the text is decoded already."""
    reader = _Reader()
    try:
        reader.parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        what = expat.ErrorString(error.code)
        raise TaxonomyError(f"line {error.lineno} is not XML: {what}", code="taxonomy-line-invalid", line=error.lineno) from None
    yield from reader.triples


class _Reader:
    def __init__(self) -> None:
        self.triples: list[Triple] = []
        self.parser = expat.ParserCreate("utf-8", " ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._entity
        self._open: list[_Element] = []
        self._blank = 0

    def _entity(self, *_: Any) -> None:
        raise TaxonomyError(
            "the XML declares entities, which are not expanded",
            code="xml-entities",
            hint="write the file without them, for example with another tool, or as Turtle",
        )

    def _characters(self, data: str) -> None:
        if self._open and not self._open[-1].is_node:
            self._open[-1].text.append(data)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = name.replace(" ", "")
        around = self._open[-1] if self._open else None
        if len(self._open) >= DEEPEST:
            raise TaxonomyError("the XML is nested too deeply", code="nested-too-deeply")
        language = attributes.get(f"{XML} lang", around.language if around else "")
        base = resolved(around.base if around else "", attributes.get(f"{XML} base", ""))
        attributes_by_name = {key.replace(" ", ""): value for key, value in attributes.items() if not key.startswith(XML)}
        if around is not None and around.ignored:
            self._open.append(_Element(False, "", ignored=True))
        elif around is None and tag == f"{RDF}RDF":
            self._open.append(_Element(False, "", language=language, base=base))
        elif around is None or not around.is_node:
            self._node(tag, attributes_by_name, language, base, around)
        else:
            self._property(tag, attributes_by_name, language, base, around.subject)

    def _node(self, tag: str, attributes: dict[str, str], language: str, base: str, around: _Element | None) -> None:
        """Open a node: the object of the property around it."""
        subject = self._subject(attributes, base)
        if around is not None and around.subject:
            around.object = subject
        if tag != f"{RDF}Description":
            self.triples.append(Triple(subject, TYPE, tag, None))
        self._attributes(subject, attributes, language)
        self._open.append(_Element(True, subject, language=language, base=base))

    def _property(self, tag: str, attributes: dict[str, str], language: str, base: str, subject: str) -> None:
        kind = attributes.get(f"{RDF}parseType")
        element = _Element(False, subject, tag, language, base, ignored=kind in _IGNORED)
        if f"{RDF}resource" in attributes:
            element.object = resolved(base, attributes[f"{RDF}resource"])
        elif f"{RDF}nodeID" in attributes:
            element.object = f"_:{attributes[f'{RDF}nodeID']}"
        elif kind == "Resource" or attributes.keys() - _SYNTAX:
            element.object = self._fresh()
        if element.object is not None:
            self._attributes(element.object, attributes, language)
        if kind == "Resource":  # the properties within it are those of a node without a name
            self.triples.append(Triple(subject, tag, str(element.object), None))
            element = _Element(True, str(element.object), language=language, base=base)
        self._open.append(element)

    def _attributes(self, subject: str, attributes: dict[str, str], language: str) -> None:
        """Add properties that are written as attributes."""
        for key, value in attributes.items():
            if key == TYPE:
                self.triples.append(Triple(subject, key, value, None))
            elif key not in _SYNTAX:
                self.triples.append(Triple(subject, key, value, language))

    def _end(self, _: str) -> None:
        element = self._open.pop()
        if element.is_node or not element.predicate or element.ignored:
            return
        if element.object is not None:
            self.triples.append(Triple(element.subject, element.predicate, element.object, None))
        else:
            self.triples.append(Triple(element.subject, element.predicate, "".join(element.text), element.language))

    def _subject(self, attributes: dict[str, str], base: str) -> str:
        if f"{RDF}about" in attributes:
            return resolved(base, attributes[f"{RDF}about"])
        if f"{RDF}ID" in attributes:
            return resolved(base, f"#{attributes[f'{RDF}ID']}")
        return f"_:{attributes[f'{RDF}nodeID']}" if f"{RDF}nodeID" in attributes else self._fresh()

    def _fresh(self) -> str:
        self._blank += 1
        return f"_: {self._blank}"  # with a space, which no name in the file has
